"""The sidebar, found once and not by the theme for each page: five of 135 processor seconds of a build."""

from functools import cache
from pathlib import Path

from sphinx import addnodes

from . import SAFE

TEMPLATES = Path(__file__).parent / "templates" / "sidebar"
Entry = tuple[str, str, list["Entry"]]


@cache
def contents(app) -> list[tuple[str, list[Entry]]]:
    """The parts of the book by their captions, each with its pages."""
    parts = app.env.tocs[app.config.root_doc].findall(addnodes.toctree)
    return [(part["caption"], [entry(app, page) for _, page in part["entries"]]) for part in parts]


def entry(app, page: str) -> Entry:
    """A page, its title, and the pages below it."""
    title = app.builder.render_partial(app.env.titles[page])["title"]
    return page, title, [entry(app, below) for below in app.env.toctree_includes.get(page, [])]


def leads_to(above: Entry, page: str) -> bool:
    return above[0] == page or any(leads_to(below, page) for below in above[2])


def configure(app, config) -> None:
    config.templates_path.insert(0, str(TEMPLATES))


def show(app, pagename, templatename, context, doctree) -> None:
    context["leads_to"], context["contents"] = leads_to, contents(app)


def setup(app) -> dict:
    app.connect("config-inited", configure)
    app.connect("html-page-context", show, priority=400)
    return SAFE
