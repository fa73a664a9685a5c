"""Links to the box of a statement, wherever in the book it is, or plain text; short names."""

import re

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

from . import SAFE

Place = tuple[str, str]
MARK = re.compile(r"[.,;:!?)]+|-\w+")  # what may not begin a line
NAMED = {"py-func", "py-class", "py-meth"}


class book_link(nodes.General, nodes.Inline, nodes.Element):  # noqa: N801 (docutils' own habit)
    """Text that becomes a link to a statement's box (``statement``) or to a place in a page (``page``)."""


def to_statement(statement: str, text: str | None = None) -> book_link:
    shown = nodes.Text(text) if text else nodes.literal(text=statement)
    return book_link("", shown, statement=statement)


def to_page(docname: str, text: str = "", anchor: str = "", query: str = "") -> book_link:
    """A link to a place in a page, by its title unless a text is given, or to what its filter shows."""
    return book_link("", nodes.Text(text), page=docname, anchor=anchor, query=query)


def box(env, statement: str) -> Place | None:
    """Page and anchor of the box, figure, table, heading or equation with this label."""
    proofs, labels = getattr(env, "proof_list", {}), env.get_domain("std").anonlabels
    equations = env.get_domain("math").equations
    if statement in proofs:
        return proofs[statement]["docname"], statement
    if statement in labels:
        return labels[statement]
    return (equations[statement][0], f"equation-{statement}") if statement in equations else None


def place(env, link: book_link) -> Place | None:
    if "statement" in link:
        return box(env, link["statement"])
    return (link["page"], link["anchor"]) if link["page"] in env.found_docs else None


class ResolveLinks(SphinxPostTransform):
    """Turn each link into a reference once all pages have been read."""

    default_priority = 5

    def run(self, **kwargs) -> None:
        for link in list(self.document.findall(book_link)):
            link.replace_self(resolved(self.app.builder, self.env.docname, link))


def resolved(builder, docname: str, link: book_link) -> list[nodes.Node]:
    """The reference for a link on a page, or its words where there is no such place."""
    found = place(builder.env, link)
    if found is None:
        return link.children
    shown = link if link.astext() else builder.env.titles[found[0]].deepcopy()
    made = make_refnode(builder, docname, *found, nodes.inline("", "", *shown.children))
    made["worded"] = bool(link.astext())
    if link.get("query"):
        made["refuri"] += f"?{link['query']}"
    return [made]


def keep_together(app, doctree, docname: str) -> None:
    """A comma, a full stop or a hyphenated word stays on the line of the formula before it."""
    for formula in list(doctree.findall(nodes.math)):
        after = formula.next_node(descend=False, siblings=True)
        if isinstance(after, nodes.Text) and (mark := MARK.match(after)):
            both = nodes.inline("", "", classes=["unbroken"])
            formula.replace_self(both)
            both += [formula, nodes.Text(mark[0])]
            # not `replace`, which looks for an equal text and would take the full stop of another sentence
            both.parent[both.parent.index(both) + 1] = nodes.Text(after[mark.end() :])


def shorten(app, doctree, docname: str) -> None:
    """A function or class goes by its last word, its path being the link's tooltip; other names may break."""
    for name in doctree.findall(nodes.literal):
        if NAMED & {*name["classes"]}:
            name[:] = [nodes.Text(name.astext().rpartition(".")[2])]
        first, *others = re.split(r"(?<=[._/])(?=\w)", name.astext())
        broken = [[nodes.raw("", "<wbr>", format="html"), nodes.Text(other)] for other in others]
        name[:] = [nodes.Text(first), *sum(broken, [])]


def setup(app) -> dict:
    app.add_node(book_link)
    app.add_post_transform(ResolveLinks)
    app.connect("doctree-resolved", shorten)
    app.connect("doctree-resolved", keep_together)
    return SAFE
