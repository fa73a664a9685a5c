"""The directive ``implementation``: the body of a function, folded, taken from the source at build time."""

import ast
import importlib
import inspect
import textwrap

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.util.docutils import SphinxDirective

from . import SAFE


def body(thing: object) -> str:
    """Source of a function or class without docstrings, which the API page has, and the check at the door."""
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(thing)))
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            said = node.body[0]
            lines[said.lineno - 1 : said.end_lineno] = [None] * (said.end_lineno - said.lineno + 1)
    return "\n".join(line for line in lines if line not in (None, "@public", "@checked"))


class Implementation(SphinxDirective):
    """Names of functions or classes, such as ``userdp.local.dame``; several share one fold."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        fold = nodes.admonition(classes=["dropdown", "implementation"])
        fold += nodes.title("", "The implementation")
        for name in self.arguments[0].split():
            fold += self.shown(name)
        return [fold]

    def shown(self, name: str) -> list[nodes.Node]:
        wing, _, own = name.rpartition(".")
        thing = inspect.unwrap(getattr(importlib.import_module(wing), own))
        self.env.note_dependency(inspect.getsourcefile(thing))
        code = nodes.literal_block(text=body(thing), language="python")
        target = f"{thing.__module__}.{own}"
        where = {"refdomain": "py", "reftype": "obj", "reftarget": target, "refdoc": self.env.docname}
        link = pending_xref("", nodes.literal(text=target), **where)
        return [nodes.paragraph("", "", link, nodes.Text(", its docstring and its source:")), code]


def setup(app) -> dict:
    app.add_directive("implementation", Implementation)
    return SAFE
