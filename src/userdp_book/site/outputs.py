"""What the last runs printed, handed to myst-nb by jupyter-cache, so that it finds all and runs nothing."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.readers import get_reader
from nbformat import NotebookNode
from sphinx.errors import ExtensionError

from ..run.narrow import KIND
from ..run.pages import Page, code_cells, is_executable, read
from . import SAFE, light, tables
from .build import JOBS

CACHE = Path("_build") / "jupyter_cache"
# The reader that myst-nb registers for pages like ours; its notebook is the one that will be looked up.
READER = {"type": "plugin", "name": "myst_nb_md"}


def page_of(app, docname: str) -> Page:
    return Page(Path(app.srcdir), docname.removeprefix("book/"))


def configure(app, config) -> None:
    config.nb_execution_cache_path = str(Path(app.srcdir) / CACHE)


def fill(app, env, docnames: list[str]) -> None:
    """Put the outputs of the pages to be read into the cache; fail when a page was not run as it is."""
    cache, reader = get_cache(app.config.nb_execution_cache_path), get_reader(READER)
    cache.clear_cache()
    bundles, missing = [], []
    for page in (page_of(app, docname) for docname in docnames):
        if page.source.is_file() and is_executable(page.source):
            nb = reader(str(page.source))
            if with_outputs(nb, read(page.executed)):
                bundles.append(CacheBundleIn(nb, str(page.source)))
            else:
                missing.append(page.docname)
    if missing:
        raise ExtensionError(f"{', '.join(missing)}: has not been executed as it is now: use `make book`")
    cells = [cell for bundle in bundles for cell in code_cells(bundle.nb)]
    with ProcessPoolExecutor(int(os.environ.get(JOBS, "1"))) as pool:
        lighten(cells, Path(app.srcdir), pool.map)
    for bundle in bundles:
        cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def lighten(cells: list[NotebookNode], folder: Path, each: Callable[..., Iterable] = map) -> None:
    """Compress the pictures, and lay those for telephones by."""
    outputs = [output.get("data", {}) for cell in cells for output in cell.outputs]
    shown = [data for data in outputs if "image/png" in data]
    small = each(light.in_palette, [data["image/png"] for data in shown])
    narrow = each(light.in_palette, [data.pop(KIND, "") for data in shown])
    for data, png, other in zip(shown, small, narrow, strict=True):
        data["image/png"] = png
        light.lay_by(folder, png, other)


def with_outputs(nb: NotebookNode, ran: NotebookNode | None) -> bool:
    """Give the page's cells the outputs of its run; say whether that was a run of these cells."""
    own, cells = code_cells(nb), code_cells(ran)[1:] if ran else []
    if [cell.source for cell in own] != [cell.source for cell in cells]:
        return False
    for cell, result in zip(own, cells, strict=True):
        cell.outputs, cell.execution_count = result.outputs, result.execution_count
        for data in (output.data for output in cell.outputs if "data" in output):
            if "text/html" in data:
                data["text/html"] = tables.tidy(data["text/html"])
    return True


def depend_on_outputs(app, docname: str, source: list[str]) -> None:
    """Read the page again when it was executed again."""
    executed = page_of(app, docname).executed
    if executed.is_file():
        app.env.note_dependency(executed.relative_to(app.srcdir).as_posix())


def setup(app) -> dict:
    app.connect("config-inited", configure)
    app.connect("env-before-read-docs", fill)
    app.connect("source-read", depend_on_outputs)
    return SAFE
