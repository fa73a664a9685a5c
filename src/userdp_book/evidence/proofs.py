"""What a machine has checked: the theorems of ``proofs/``, as ``tools/prove.py`` asked them of Coq.

``proofs/checked.json`` says what each theorem says, which statements it is about and what it assumes, of four
of them the goals after each step. To read it needs no Coq.
"""

import json
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[3]
STORED = Path("proofs/checked.json")
DEFINITION = re.compile(
    r"^(?:Definition|Fixpoint|Inductive|Record) .*?\.(?=[ \t]*(?:\(\*[^\n]*\*\))?$)", re.M | re.S
)


def files(root: Path = ROOT) -> list[str]:
    """The files of the development, in the order in which one reads them."""
    return [line for line in (root / "proofs/_CoqProject").read_text().split() if line.endswith(".v")]


def source(root: Path, file: str) -> str:
    return (root / "proofs" / file).read_text(encoding="utf8")


def core(root: Path = ROOT) -> list[str]:
    """The files that all papers share: what they define must be trusted for every theorem."""
    return [file for file in files(root) if "/" not in file and not file.startswith("Certificates")]


def definitions(root: Path = ROOT) -> list[dict]:
    """What the core defines, as it is written."""
    return [
        {"file": file, "text": found[0]}
        for file in core(root)
        for found in DEFINITION.finditer(source(root, file))
    ]


@cache
def stored(root: Path = ROOT) -> list[dict]:
    """What the last run of Coq found."""
    return json.loads((root / STORED).read_text(encoding="utf8"))


def of_statement(id: str, root: Path = ROOT) -> list[dict]:
    """The theorems about a statement."""
    return [each for each in stored(root) if id in each["ids"]]


def extent(id: str, root: Path = ROOT) -> str:
    """How much of a statement is proved: "in whole", "in part", or nothing."""
    found = of_statement(id, root)
    return ("in whole" if any(each["whole"] for each in found) else "in part") if found else ""
