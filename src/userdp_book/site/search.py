"""What a search finds first: the box of a statement by its number, a paper's first page by its authors."""

from pathlib import Path

from sphinx.util.index_entries import split_index_msg

from userdp_papers.study.claims import statements

from . import SAFE
from .links import box

# papers count these together, and readers remember the number
MAIN = ("theorem", "proposition", "corollary")
SCORER = Path(__file__).parent / "search.js"


def configure(app, config) -> None:
    config.html_search_scorer = str(SCORER)


def list_entries(app) -> list:
    """Give the search what pages ask to be found by: Sphinx forgets that of pages not written this time."""
    known = app.builder.indexer._index_entries
    for docname, asked in app.env.get_domain("index").entries.items():
        told = {(name, id, main) for kind, text, id, main, _ in asked for name in split_index_msg(kind, text)}
        known[docname] = sorted(told.union(known.get(docname, [])))
    return []


def name_statements(app) -> list:
    """Give the search the names of the book's boxes, also those on pages that are not written this time."""
    known = app.builder.indexer._index_entries
    for id in statements():
        docname, anchor = box(app.env, id) or (None, None)
        if docname:
            entries = {(name, anchor, "main") for name in names(id)}
            known[docname] = sorted(entries.union(known.get(docname, [])))
    return []


def names(id: str) -> list[str]:
    """How readers ask for a statement: "Theorem 3", "Kent Theorem 3", whatever of the main results it is."""
    item = statements()[id]
    kinds = dict.fromkeys([item["kind"], "theorem"] if item["kind"] in MAIN else [item["kind"]])
    numbers = [f"{kind} {item['number']}" for kind in kinds]
    return [*numbers, *(f"{item['paper']} {number}" for number in numbers)]


def setup(app) -> dict:
    app.connect("config-inited", configure)
    app.connect("html-collect-pages", list_entries)
    app.connect("html-collect-pages", name_statements)
    return SAFE
