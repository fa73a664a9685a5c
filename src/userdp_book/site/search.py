"""What a search finds first: the box of a statement by its number, a paper's first page by its authors."""

from pathlib import Path

from docutils import nodes
from sphinx import addnodes

from userdp.study.claims import statements

# papers count these together, and readers remember the number
MAIN = ("theorem", "proposition", "corollary")
SCORER = Path(__file__).parent / "search.js"


def configure(app, config) -> None:
    config.html_search_scorer = str(SCORER)


def name_for_search(app, doctree: nodes.document, docname: str) -> None:
    """Give the search the names of the page's boxes; no reader sees the node."""
    for node in list(doctree.findall(nodes.admonition)):
        for id in node["ids"]:
            if id in statements():
                entries = [("single", name, id, "main", None) for name in names(id)]
                node.parent.insert(node.parent.index(node), addnodes.index(entries=entries))


def names(id: str) -> list[str]:
    """How readers ask for a statement: "Theorem 3", "Kent Theorem 3", whatever of the main results it is."""
    item = statements()[id]
    kinds = dict.fromkeys([item["kind"], "theorem"] if item["kind"] in MAIN else [item["kind"]])
    numbers = [f"{kind} {item['number']}" for kind in kinds]
    return [*numbers, *(f"{item['paper']} {number}" for number in numbers)]
