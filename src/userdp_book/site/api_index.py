"""The directive ``api-index``: every public name, a sentence and a link each; and how their entries fold."""

import inspect
import pkgutil
import re
from importlib import import_module

from docutils import nodes
from sphinx.addnodes import desc, desc_content, desc_signature, pending_xref
from sphinx.util.docutils import SphinxDirective

import userdp
import userdp_papers

from . import SAFE
from .claims import folded
from .statements import row, table

MARKUP = re.compile(r"``.+?``|`[^`]+`|(?<![\w*\\])\*(?P<parameter>\w+)\*(?!\w)")


class ApiIndex(SphinxDirective):
    """One table, which a reader may filter by wing and search."""

    def run(self) -> list[nodes.Node]:
        rows = [self.row(wing, thing) for wing in rooms() for thing in offered(wing)]
        listing = table(["name", "room", "what it is"], rows, "api-index")
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


def rooms() -> list[str]:
    """Every public module or package that lists what it offers: `userdp.local`, not what is in it."""
    found = []
    for package in (userdp, userdp_papers):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            inside = any(module.name.startswith(f"{room}.") for room in found)
            if "._" not in module.name and not inside and hasattr(import_module(module.name), "__all__"):
                found.append(module.name)
    return found


def offered(room: str) -> list:
    """The functions and classes of a room's face, by name."""
    face = import_module(room)
    found = [getattr(face, name) for name in sorted(face.__all__, key=str.casefold)]
    return [one for one in found if inspect.isfunction(inspect.unwrap(one)) or inspect.isclass(one)]


def first_sentence(thing) -> list[nodes.Node]:
    """The docstring's first line; code and names of parameters look as they do in the entry."""
    line, parts, last = inspect.getdoc(thing).partition("\n")[0], [], 0
    for found in MARKUP.finditer(line):
        look = nodes.emphasis if found["parameter"] else nodes.literal
        parts += [plain(line[last : found.start()]), look(text=found[0].strip("`*"))]
        last = found.end()
    return [*parts, plain(line[last:])]


def plain(text: str) -> nodes.Text:
    """Words in which an escaped star is a star."""
    return nodes.Text(text.replace("\\", ""))


def fold(app, doctree: nodes.document, docname: str) -> None:
    """On the page of a wing an entry is a row, its name and its sentence, which opens."""
    if app.builder.name != "html":
        return
    for entry in [entry for entry in doctree.findall(desc) if isinstance(entry.parent, nodes.section)]:
        section, place = entry.parent, entry.parent.index(entry)
        content = entry.next_node(desc_content)
        name = nodes.literal(text=entry.next_node(desc_signature)["fullname"])
        says = nodes.inline("", "", *(content.pop(0).children if len(content) else []))
        section[place : place + 1] = folded([name, says], [entry], classes="api-entry")


def setup(app) -> dict:
    app.add_directive("api-index", ApiIndex)
    app.connect("doctree-resolved", fold)
    return SAFE
