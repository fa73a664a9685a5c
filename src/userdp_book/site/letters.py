"""The directive ``letters``: a register of the symbols that the tables of its page explain, by letter."""

import re
import unicodedata
from collections import Counter

from docutils import nodes
from docutils.transforms import Transform
from sphinx.util.docutils import SphinxDirective

from . import SAFE

# what stands around a letter, or over it
AROUND = re.compile(r"\\(hat|bar|tilde|mathcal|mathrm|lceil|ln|eps)\b|[\s{}()\[\]^]")
LETTER = re.compile(r"\\([A-Za-z]+)|([A-Za-z])")
VARIANTS = {"eps": "epsilon", "varrho": "rho", "jmath": "j", "ell": "l"}


def letter_of(tex: str) -> str:
    """The letter under which one looks a symbol up, or nothing."""
    found = LETTER.search(AROUND.sub(lambda over: r"\epsilon " if over[1] == "eps" else " ", tex))
    if not found:
        return ""
    name = VARIANTS.get(found[1] or found[2], found[1] or found[2])
    if len(name) == 1:
        return name
    kind, name = ("CAPITAL" if name[0].isupper() else "SMALL"), name.lower().replace("lambda", "lamda")
    try:
        return unicodedata.lookup(f"GREEK {kind} LETTER {name}")
    except KeyError:  # the name of a function
        return ""


class Register(Transform):
    """Each symbol in the first column of a table as a link to its row."""

    default_priority = 700

    def apply(self, **kwargs) -> None:
        found: dict[str, list[nodes.Node]] = {}
        known: Counter[str] = Counter()
        bodies = [*self.document.findall(nodes.tbody)]
        for k, row in enumerate(row for body in bodies for row in body):
            meaning = max((entry.astext() for entry in row[1:]), key=len)
            for symbol in row[0].findall(nodes.math):
                row["ids"] = [f"symbol-{k}"]
                known[tex := symbol.astext()] += 1
                shown = symbol.deepcopy() if known[tex] == 1 else nodes.superscript(text=str(known[tex]))
                link = nodes.reference("", "", shown, refid=f"symbol-{k}", internal=True, reftitle=meaning)
                found.setdefault(letter_of(tex), []).append(link)
        found.pop("", None)
        register = nodes.container(classes=["letters"])
        for letter in sorted(found, key=lambda one: (one.lower(), one)):
            symbols = [part for link in found[letter] for part in (nodes.Text(" "), link)]
            register += nodes.paragraph("", "", nodes.strong(text=letter), *symbols)
        self.startnode.replace_self(register)


class Letters(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        waiting = nodes.pending(Register)
        self.state.document.note_pending(waiting)
        return [waiting]


def setup(app) -> dict:
    app.add_directive("letters", Letters)
    return SAFE
