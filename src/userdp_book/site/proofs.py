"""What a machine has checked: behind a box its theorems; tables of all theorems and of what they trust."""

from itertools import groupby
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import download_reference
from sphinx.transforms import SphinxTransform

from userdp_papers.study.claims import statements

from ..evidence.proofs import definitions, extent, of_statement, stored
from . import SAFE
from .boxes import boxes_in
from .claims import joined, own_name
from .generated import SOURCES, FromData, made_of
from .links import to_statement
from .statements import table

MACHINE = ("PrimInt63.", "Uint63.")
COUNTED = "{theorems} theorems about {about} of {all} statements: {whole} in whole, the others in a part."
SOURCES["proofs"] = lambda root: [stored(root), definitions(root)]


def coq(text: str, language: str = "coq") -> nodes.literal_block:
    return nodes.literal_block(text, text, language=language)


def file_link(env, file: str) -> nodes.Node:
    """The file itself, which the book carries along."""
    path = f"proofs/{file}"
    return download_reference("", "", nodes.literal(text=path), refdoc=env.docname, reftarget=f"/{path}")


def rests_on(names: list[str]) -> str:
    """What a theorem assumes beside Coq's rules, in a sentence."""
    axioms = [name.rpartition(".")[2] for name in names if not name.startswith(MACHINE)]
    computes = ["Coq's arithmetic of 63-bit integers"] if len(axioms) < len(names) else []
    return f"It rests on {', '.join(axioms + computes) or 'the rules of Coq alone'}."


def shown(env, theorem: dict) -> list[nodes.Node]:
    """A theorem: what it is of its statement, what it says formally, what it rests on, where its proof is."""
    says = "The whole statement" if theorem["whole"] else theorem["what"][:1].upper() + theorem["what"][1:]
    name = nodes.literal(text=theorem["theorem"])
    line = nodes.paragraph("", f"{says}: ", name, nodes.Text(", proved in "), file_link(env, theorem["file"]))
    line += nodes.Text(f". {rests_on(theorem['assumptions'])}")
    return [line, coq(theorem["statement"]), *stepped(theorem.get("steps", []))]


def stepped(steps: list[list[str]]) -> list[nodes.Node]:
    """A fold with the proof, a sentence an item, and under each the goals that are left after it."""
    items = [
        nodes.list_item("", nodes.paragraph("", "", nodes.literal(text=sentence)), coq(goals, "none"))
        for sentence, goals in steps
    ]
    title = nodes.title(text="The proof step by step, with what is left to show after each")
    numbered = nodes.enumerated_list("", *items, enumtype="arabic")
    return [nodes.admonition("", title, numbered, classes=["dropdown"])] if steps else []


class BehindBoxes(SphinxTransform):
    """After the box of each statement that has theorems, a fold with all of them."""

    default_priority = 400

    def apply(self, **kwargs) -> None:
        for box in boxes_in(self.document):
            if box.get("label") in statements() and of_statement(box["label"], Path(self.env.srcdir)):
                made_of(self.env, "proofs")
                box.parent.insert(box.parent.index(box) + 1, self.fold(box["label"]))

    def fold(self, id: str) -> nodes.admonition:
        root = Path(self.env.srcdir)
        fold = nodes.admonition(classes=["dropdown", "machine-checked"])
        fold += nodes.title(text=f"Machine-checked {extent(id, root)}")
        for theorem in of_statement(id, root):
            fold += shown(self.env, theorem)
        return fold


class MachineChecked(FromData):
    """All statements that have theorems, with these; first their counts."""

    head = ["statement", "how much of it", "theorems"]

    def run(self) -> list[nodes.Node]:
        made_of(self.env, "proofs")
        root = Path(self.env.srcdir)
        extents = {id: extent(id, root) for id in statements()}
        named = {id: to_statement(id, own_name(id)) for id in extents}
        rows = [[named[id], much, self.said(id, root)] for id, much in extents.items() if much]
        whole = list(extents.values()).count("in whole")
        counted = {"about": len(rows), "all": len(extents), "whole": whole, "theorems": len(stored(root))}
        window = nodes.container("", table(self.head, rows, "machine-checked"), classes=["window"])
        return [nodes.paragraph(text=COUNTED.format(**counted)), window]

    def said(self, id: str, root: Path) -> list[nodes.Node]:
        parts = [
            [nodes.literal(text=each["theorem"]), nodes.Text(f" ({each['what'] or 'whole'})")]
            for each in of_statement(id, root)
        ]
        return joined("; ", parts).children


class FormalStatement(FromData):
    """One theorem by its name, as its file has it."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        made_of(self.env, "proofs")
        found = [each for each in stored(Path(self.env.srcdir)) if each["theorem"] == self.arguments[0]]
        if not found:
            raise self.error(f"no theorem is called {self.arguments[0]!r}")
        return shown(self.env, found[0])


class TrustedDefinitions(FromData):
    """What the core defines, a fold a file."""

    def run(self) -> list[nodes.Node]:
        made_of(self.env, "proofs")
        return [
            nodes.admonition(
                "",
                nodes.title(text=file),
                nodes.paragraph("", "", file_link(self.env, file)),
                coq("\n".join(each["text"] for each in found)),
                classes=["dropdown"],
            )
            for file, found in groupby(definitions(Path(self.env.srcdir)), lambda each: each["file"])
        ]


def setup(app) -> dict:
    app.add_transform(BehindBoxes)
    app.add_directive("machine-checked", MachineChecked)
    app.add_directive("formal-statement", FormalStatement)
    app.add_directive("trusted-definitions", TrustedDefinitions)
    return SAFE
