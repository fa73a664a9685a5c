"""What may be numbered on each page, noted as it is read: Sphinx would load all pages, 27 seconds a build."""

from collections.abc import Collection, Iterator

from docutils import nodes
from sphinx import addnodes
from sphinx.domains import Domain

from . import SAFE

KEPT = (nodes.section, addnodes.toctree)
# Most of a page; nothing in them can have a number.
WORDS = (nodes.Text, nodes.Inline, nodes.paragraph)
# By these Sphinx knows what shall have a number.
MARKS = (nodes.caption, nodes.title, nodes.literal_block)


def note(app, doctree: nodes.document) -> None:
    found = nodes.container("", *outline(app.env.domains.values(), doctree))
    app.env.metadata[app.env.docname]["outline"] = found


def outline(domains: Collection[Domain], node: nodes.Element) -> Iterator[nodes.Element]:
    """Sections, tables of contents and what may have a number, without their text."""
    for child in node.children:
        if isinstance(child, WORDS):
            continue
        inner = outline(domains, child) if isinstance(child, nodes.Element) else ()
        if isinstance(child, KEPT) or any(domain.get_enumerable_node_type(child) for domain in domains):
            marks = [type(mark)("", mark.astext()) for mark in child.children if isinstance(mark, MARKS)]
            yield type(child)("", *marks, *inner, **child.attributes)
        else:
            yield from inner


def lend(app, env) -> list[str]:
    """While Sphinx counts, an outline stands for its page."""
    env.get_doctree = lambda page: env.metadata[page]["outline"]
    return []


def take_back(app, env) -> list[str]:
    del env.get_doctree
    return []


def setup(app) -> dict:
    app.connect("doctree-read", note, priority=999)
    app.connect("env-get-updated", lend, priority=499)
    app.connect("env-get-updated", take_back, priority=501)
    return SAFE
