"""Boxes of the papers' statements go by the paper's own number, and say their verdict in the title."""

import re

from docutils import nodes
from sphinx_proof.nodes import NODE_TYPES

from userdp_papers.study.claims import statements, verdicts

from . import SAFE
from .claims import AUTHORS, badge, own_name

# "Sparse means, the paper's Proposition 4": the number is said by `own_name`
NUMBER_IN_TITLE = re.compile(
    r"(?:Pla et al\. \(DAME\)|\w+ et al\.), \w+ [\w.]+|, repaired \(ours\)|, called Algorithm 1 here"
    r"|,? the (?:paper|supplement)['’]s \w+ [\w.]+|\w+ [\w.]+ of the paper"
)
NUMBERED = re.compile(r"^\w+ [\d.]+$")


def name_boxes(app, doctree, docname: str) -> None:
    """In the place of the book's own count: the paper's number, the box's title, the verdict."""
    for box in list(doctree.findall(lambda node: type(node) in NODE_TYPES.values())):
        id, dash, suffix = box.get("label").partition("-repaired")
        if id in statements() and not suffix:
            plain = nodes.admonition("", *box.children, ids=box["ids"], classes=["proof", *box["classes"]])
            title = plain[plain.first_child_matching_class(nodes.title)]
            given = given_title(id, title)
            # ", with constants (ours)" says already what is ours
            said = bool(dash and given) and given[0].astext().startswith(",")
            colon = [nodes.Text(": ")] if given and not said else []
            ours = [] if said else [nodes.Text(", repaired (ours)")] if dash else verdict(id)
            title[:] = [nodes.strong("", own_name(id)), *colon, *given, *ours]
            box.replace_self(plain)


def given_title(id: str, title: nodes.title) -> list[nodes.Node]:
    """The words of the page, without sphinx-proof's brackets and without the number, which stands before."""
    kept = [node.deepcopy() for node in title.children] or [nodes.Text("")]
    kept[0] = nodes.Text(kept[0].astext().lstrip().removeprefix("("))
    kept[-1] = nodes.Text(NUMBER_IN_TITLE.sub("", kept[-1].astext().rstrip().removesuffix(")")))
    words = "".join(node.astext() for node in kept)
    return [] if words in ("", own_name(id), AUTHORS[statements()[id]["paper"]]) else kept


def verdict(id: str) -> list[nodes.Node]:
    return [nodes.Text(" · "), badge(verdicts()[id]["verdict"])]


def name_links(app, doctree, docname: str) -> None:
    """A link to such a box reads as its title does, where the page gives it no words of its own."""
    for link in doctree.findall(nodes.reference):
        target = link.get("refid") or link.get("refuri", "").rpartition("#")[2]
        id, dash, suffix = target.partition("-repaired")
        if id in statements() and not suffix and NUMBERED.match(link.astext()):
            link[:] = [nodes.Text(own_name(id, f"/{docname}") + (", repaired" if dash else ""))]


def setup(app) -> dict:
    app.connect("doctree-resolved", name_links)
    app.connect("doctree-resolved", name_boxes)
    return SAFE
