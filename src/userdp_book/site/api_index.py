"""The directive ``api-index``: every public name, a sentence and a link each; and how their entries fold."""

import inspect
import pkgutil
import re
from importlib import import_module

from docutils import nodes
from sphinx.addnodes import desc, desc_content, pending_xref
from sphinx.util.docutils import SphinxDirective

import userdp

from .claims import html
from .statements import row, table


class ApiIndex(SphinxDirective):
    """One table, which a reader may filter by wing and search."""

    def run(self) -> list[nodes.Node]:
        rows = [self.row(wing, thing) for wing in wings() for thing in offered(wing)]
        listing = table(["name", "wing", "what it is"], rows, "api-index")
        return [nodes.container("", listing, classes=["userdp-filtered"])]

    def row(self, wing: str, thing) -> nodes.row:
        own = inspect.unwrap(thing)
        target = f"{own.__module__}.{own.__qualname__}"
        self.env.note_dependency(inspect.getsourcefile(own))
        name = nodes.literal(text=thing.__qualname__)
        link = pending_xref(
            "", name, refdomain="py", reftype="obj", reftarget=target, refdoc=self.env.docname
        )
        return row([link, wing, first_sentence(thing)], wing=wing)


def wings() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(userdp.__path__) if module.ispkg]


def offered(wing: str) -> list:
    """The functions and classes of a wing's face, by name."""
    face = import_module(f"userdp.{wing}")
    found = [getattr(face, name) for name in sorted(face.__all__, key=str.casefold)]
    return [one for one in found if inspect.isfunction(inspect.unwrap(one)) or inspect.isclass(one)]


def first_sentence(thing) -> str:
    """The docstring's first line, without the markup of code."""
    return re.sub(r"[`\\]|\B\*(?=\w+\*)|(?<=\w)\*\B(?!\*)", "", inspect.getdoc(thing).partition("\n")[0])


def fold(app, doctree: nodes.document, docname: str) -> None:
    """On the page of a wing an entry is its signature and its sentence; a click or a link opens the rest."""
    if app.builder.name != "html":
        return
    for entry in doctree.findall(desc):
        content = entry.next_node(desc_content)
        if isinstance(entry.parent, nodes.section) and len(content) > 1:
            content.insert(1, html("<details><summary>In full</summary>"))
            content += html("</details>")
