"""What a page needs to run where it is read: the package, the cells' runner, a script that awaits a click."""

import csv
import shutil
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from ..live import PACKAGES, PYODIDE
from ..run.pages import Page, is_executable
from ..run.progress import stored_seconds
from ..teach.labs import FOLDER
from . import SAFE
from .generated import SOURCES, made_of
from .lab_pages import lab_of
from .links import to_page
from .outputs import page_of
from .statements import table

ROOM = Path(__file__).parents[1] / "live"
BESIDE = Path(__file__).parents[2]
OURS = "userdp", "userdp_papers"
RELEASE = "https://cdn.jsdelivr.net/pyodide/v314.0.3/full/"
PARTS = (".py", ".csv", ".mplstyle", ".toml", ".ttf", ".xz")
# Seconds: pages that take less are tried in a browser; a value to try on longer ones runs its own cell last.
QUICK, LONG = 15, 25


def configure(app, config) -> None:
    """With Pyodide beside the book pages take it from there; when that changes all are written again."""
    if (Path(app.srcdir) / PYODIDE).is_dir():
        config.userdp_live_base = "pyodide/"


def copy(app) -> None:
    """Put the scripts and the package beside the other static files."""
    if app.builder.format == "html":
        target = Path(app.outdir) / "_static" / "live"
        target.mkdir(parents=True, exist_ok=True)
        for script in ROOM.glob("*.js"):
            shutil.copy2(script, target)
        pack(target / "userdp.zip")
        if (pyodide := Path(app.srcdir) / PYODIDE).is_dir():
            shutil.copytree(pyodide, target / "pyodide", copy_function=copy_once, dirs_exist_ok=True)


def copy_once(source: str, target: str) -> None:
    """Fifty megabytes that do not change."""
    if not Path(target).is_file():
        shutil.copyfile(source, target)


def pack(target: Path) -> None:
    """What pages import of ours and the cells' runner, as the browser unpacks them."""
    folders = [BESIDE / package for package in OURS]
    files = sorted(path for folder in folders for path in folder.rglob("*") if path.suffix in PARTS)
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        archive.write(ROOM / "cells.py", "cells.py")
        for path in files:
            archive.write(path, path.relative_to(BESIDE))


def load(app, pagename, templatename, context, doctree) -> None:
    """Pages with code get the script, with the address of Python and of the page's notebook."""
    page, lab = page_of(app, pagename), lab_of(pagename)
    if lab or page.source.is_file() and is_executable(page.source):
        data = {
            "base": app.config.userdp_live_base,
            "notebook": f"../../_sources/{pagename}.ipynb",
            "packages": " ".join(PACKAGES),
            "lab": lab,
            "long": "long" if stored_seconds().get(page.name, 0) >= LONG else "",
        }
        app.add_js_file("live/live.js", **{f"data-{name}": value for name, value in data.items()})


def tried() -> list[str]:
    """The pages that tests run in a browser."""
    quick = sorted(name for name, seconds in stored_seconds().items() if seconds < QUICK)
    return [name for name in quick if not name.startswith(FOLDER)]  # a solution is no page of the book


def differing() -> dict[str, tuple[list[int], str]]:
    """Of each page, the cells (from 1) that print something else in a browser, and why."""
    with (ROOM / "differs.csv").open(encoding="utf8", newline="") as rows:
        return {
            row["page"]: ([*map(int, row["cells"].split())], row["reason"]) for row in csv.DictReader(rows)
        }


class LivePages(SphinxDirective):
    """How many cells print in a browser what the book shows: on the pages where some do not, and in all."""

    def run(self) -> list[nodes.Node]:
        made_of(self.env, "live")
        pages = [Page(Path(self.env.srcdir), name) for name in tried()]
        cells = {page.name: page.source.read_text("utf8").count("\n```{code-cell}") for page in pages}
        odd, total = differing(), sum(cells.values())
        rows = [
            [to_page(f"book/{name}"), str(cells[name]), str(cells[name] - len(which)), reason]
            for name, (which, reason) in sorted(odd.items())
        ]
        wrong = sum(len(which) for which, _ in odd.values())
        rows.append([f"all {len(cells)} pages", str(total), str(total - wrong), ""])
        return [table(["page", "cells", "print what is stored", "why not all"], rows, "live-pages")]


SOURCES["live"] = lambda root: [tried(), differing()]


def setup(app) -> dict:
    # Where Pyodide is: the address of its release, or a folder beside the scripts (`make live`).
    app.add_config_value("userdp_live_base", RELEASE, "html", types=[str])
    app.add_directive("live-pages", LivePages)
    app.connect("config-inited", configure)
    app.connect("builder-inited", copy)
    app.connect("html-page-context", load)
    return SAFE
