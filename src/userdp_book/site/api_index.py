"""The directive ``api-index``: every public name, a sentence and a link each; and how their entries fold."""

import inspect
import pkgutil
import re
from functools import cache
from importlib import import_module

from docutils import nodes
from sphinx import addnodes
from sphinx.addnodes import desc, desc_signature, pending_xref
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

import userdp
import userdp_papers

from . import SAFE
from .claims import folded
from .formulas import PAGES, shown
from .statements import row, table

FEW = 3  # entries of a page that are open
MARKUP = re.compile(r"``.+?``|`[^`]+`|(?<![\w*\\])\*(?P<parameter>\w+)\*(?!\w)")


class ApiIndex(SphinxDirective):
    """A table for each subpackage, which opens; a reader may filter and search them."""

    def run(self) -> list[nodes.Node]:
        tables = [node for part in rooms() for node in self.listing(part)]
        return [nodes.container("", *tables, classes=["userdp-filtered"])]

    def listing(self, part: str) -> list[nodes.Node]:
        rows = [self.row(part, thing) for thing in offered(part)]
        title = [nodes.literal(text=part), nodes.Text(f", {len(rows)} names")]
        return folded(title, [table(["name", "what it is"], rows, "api-index")], classes="part")

    def row(self, part: str, thing) -> nodes.row:
        self.env.note_dependency(inspect.getsourcefile(inspect.unwrap(thing)))
        return row([to_entry(thing, self.env.docname), first_sentence(thing)], subpackage=part)


def to_entry(thing, docname: str) -> pending_xref:
    """The name of a public function or class, linked to where it is described."""
    own, name = inspect.unwrap(thing), nodes.literal(text=thing.__qualname__)
    target = f"{own.__module__}.{own.__qualname__}"
    return pending_xref("", name, refdomain="py", reftype="obj", reftarget=target, refdoc=docname)


@cache
def public() -> dict:
    return {thing.__qualname__: thing for room in rooms() for thing in offered(room)}


class Names(SphinxTransform):
    """On a reference page a public name in backticks leads to its entry, where it is no parameter."""

    default_priority = 700

    def apply(self, **kwargs) -> None:
        words = self.document.findall(nodes.title_reference)
        for word in list(words) if self.env.docname.startswith(PAGES) else ():
            thing = public().get(word.astext().rpartition(".")[2])
            if thing and word.astext() not in taken_around(word):
                word.replace_self(to_entry(thing, self.env.docname))


def taken_around(node: nodes.Node) -> set[str]:
    """The parameters of the entries around a node."""
    own = {*parameters(node.next_node(desc_signature))} if isinstance(node, desc) else set()
    return own | taken_around(node.parent) if node.parent else own


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
        word = found["parameter"] or found[0].strip("`")
        look = nodes.emphasis(text=word) if found["parameter"] else shown(word)
        parts += [plain(line[last : found.start()]), look]
        last = found.end()
    return [*parts, plain(line[last:])]


def plain(text: str) -> nodes.Text:
    """Words in which an escaped star is a star."""
    return nodes.Text(text.replace("\\", ""))


def fold(app, doctree: nodes.document, docname: str) -> None:
    """On the page of a wing an entry is a row, a call and its sentence, which opens; few are open."""
    entries = [entry for entry in doctree.findall(desc) if isinstance(entry.parent, nodes.section)]
    for entry in entries if app.builder.name == "html" else ():
        section, place = entry.parent, entry.parent.index(entry)
        signature, content = entry.next_node(desc_signature), entry.next_node(addnodes.desc_content)
        name = nodes.literal(text=signature["fullname"])
        is_call = any(signature.findall(addnodes.desc_parameterlist))
        call = f"({', '.join(parameters(signature))})" if is_call else ""
        taken = nodes.literal(text=call, classes=["parameters"])
        says = nodes.inline("", "", *(content.pop(0).children if len(content) else []))
        for link in list(says.findall(nodes.reference)):  # the row itself is what one presses
            link.replace_self(link.children)
        row = folded([name, taken, says], [entry], classes="api-entry", opened=len(entries) <= FEW)
        section[place : place + 1] = row


def parameters(signature: desc_signature) -> list[str]:
    """The names of what a call takes."""
    taken = (parameter.astext() for parameter in signature.findall(addnodes.desc_parameter))
    return [re.split("[:=]", one)[0].strip() for one in taken]


def setup(app) -> dict:
    app.add_directive("api-index", ApiIndex)
    app.add_transform(Names)
    app.connect("doctree-resolved", fold)
    return SAFE
