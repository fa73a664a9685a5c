"""The figure that a page's head names, ``opening: fig-x``, stands small in the box that opens the page."""

from docutils import nodes
from sphinx.errors import ExtensionError

from . import SAFE

SMALL = "at-opening"


def put_figure(app, doctree: nodes.document, docname: str) -> None:
    """A link to the figure in full, behind the box's title; `light` chooses the drawing for telephones."""
    if not (name := app.env.metadata[docname].get("opening")):
        return
    figures = [figure for figure in doctree.findall(nodes.figure) if name in figure["ids"]]
    boxes = [*doctree.findall(lambda node: isinstance(node, nodes.admonition) and "tip" in node["classes"])]
    if not (figures and boxes):
        raise ExtensionError(f"{docname}: opening: {name!r} is no figure of this page, or no box opens it")
    picture = next(figures[0].findall(nodes.image)).deepcopy()
    picture["alt"], picture["classes"] = "The figure that says most, in full below", [SMALL]
    boxes[0].insert(1, nodes.reference("", "", picture, refid=name, internal=True))


def setup(app) -> dict:
    app.connect("doctree-resolved", put_figure)
    return SAFE
