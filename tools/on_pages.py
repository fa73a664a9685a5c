"""Pages as the last judge of a mutant that no test has seen: each must print what is stored of it."""

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from userdp_book.evidence.slips import ROOT, environment, plant
from userdp_book.run.cache import code_in
from userdp_book.run.compare import differences
from userdp_book.run.execute import CLIENT
from userdp_book.run.pages import Page, notebook, pages, tidy, write
from userdp_book.run.progress import stored_seconds
from userdp_book.run.reach import Sources

# seconds of pages, as they are stored, that one mutant may take, and of one cell
MOST, CELL = 150, 300


@cache
def reached() -> dict[Page, tuple[set[str], set[str]]]:
    """Of each page the modules from which it imports itself, and all that it reaches."""
    sources, found = Sources(ROOT), {}
    for page in pages(ROOT):
        code = code_in(page)
        near = {module for one in code.imports for module in sources.behind(*one)}
        found[page] = near, {*sources.reach(code)}
    return found


def pages_of(module: str) -> list[Page]:
    """The pages that import from a module, quick ones first, then those that reach it: a few minutes."""
    name = module.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    seconds = stored_seconds()
    fits = [page for page, (_, reach) in reached().items() if name in reach and page.name in seconds]
    fits.sort(key=lambda page: (name not in reached()[page][0], seconds[page.name]))
    sums = accumulate(seconds[page.name] for page in fits)
    return [page for page, total in zip(fits, sums, strict=True) if total < MOST]


def seen_by(module: str, folder: Path) -> str:
    """The first page, and its cell, that the package in a folder changes; nothing if none of them."""
    found = (f"{page.name}.md::cell {cell}" for page in pages_of(module) for cell in changed(page, folder))
    return next(found, "")


def changed(page: Page, folder: Path) -> Iterator[int]:
    """Numbers of the cells that print something else than is stored, run with the package in a folder."""
    stored = nbformat.read(page.twin, as_version=4)
    nb = notebook(page, stored)
    with TemporaryDirectory() as empty:
        client = NotebookClient(nb, **CLIENT | {"timeout": CELL})
        # what stops lacks outputs
        with suppress(CellExecutionError, CellTimeoutError, DeadKernelError):
            client.execute(cwd=empty, env=environment(folder))
        # a file has its own order of what an output holds
        write(tidy(nb), file := Path(empty) / "page.ipynb")
        nb = nbformat.read(file, as_version=4)
    yield from (number for number, _ in differences(stored, nb))


@cache
def is_as_stored(name: str) -> bool:
    """Control: whether a page prints what is stored where nothing is planted."""
    with TemporaryDirectory() as folder:
        return not any(changed(Page(ROOT, name), plant(None, Path(folder))))
