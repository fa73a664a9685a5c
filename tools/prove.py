"""Ask Coq what the theorems of ``proofs/`` say and what they rest on.

``python tools/prove.py 2`` compiles them in ``_build/proofs``, two files at once, and stores in
``proofs/checked.json`` what each theorem says, which statements it is about and what it assumes by Coq,
for four of them the goals after each step; in ``proofs/model.csv`` the values that it asks of the model.
"""

import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from userdp_book.evidence.proofs import ROOT, STORED, files, source

BUILD = Path("_build/proofs")
MODEL = Path("proofs/model.csv")
STEPPED = {"vote_with_r_ones_is_private", "closed_bins_lose_four_thirds_of_the_budget"}
STEPPED |= {"ideal_estimator_loses_the_budget", "debiased_count_loses_the_budget"}
SENTENCE = re.compile(r"\S.*?\.(?=\s)", re.S)
THEOREM = re.compile(r"^Theorem (?P<theorem>\w+).*?\.(?=\s+Proof\b)", re.M | re.S)
SAID = re.compile(r"\(\* (?P<ids>[\w.-]+(?:, [\w.-]+)*) (?P<how>whole|part)(?:[:;] (?P<what>.*))? \*\)")
AXIOM = re.compile(r"^([\w.']+)(?=\s*:|$)", re.M)
OPENED = "Import ListNotations. Open Scope Q_scope."
CLOSED = "Closed under the global context"


def theorems(root: Path = ROOT) -> list[dict]:
    """Every theorem: its name, its file, the statements it is about, whether whole, and its text."""
    return [read(file, found) for file in files(root) for found in THEOREM.finditer(source(root, file))]


def read(file: str, found: re.Match) -> dict:
    """One theorem, with what the comment on the line above it says; ValueError where that is not said."""
    above = found.string[: found.start()].splitlines()[-1]
    said = SAID.fullmatch(above)
    if said is None:
        raise ValueError(f"{file}: above {found['theorem']} stands {above!r}, not what it is about")
    about = {"ids": said["ids"].split(", "), "whole": said["how"] == "whole", "what": said["what"] or ""}
    return {"theorem": found["theorem"], "file": file, **about, "statement": found[0]}


def build(root: Path = ROOT, jobs: int = 2) -> None:
    """Compile what has changed, in a copy."""
    for name in ["_CoqProject", *files(root)]:
        text, copy = source(root, name), root / BUILD / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.is_file() or copy.read_text(encoding="utf8") != text:
            copy.write_text(text, encoding="utf8")
    say(["coq_makefile", "-f", "_CoqProject", "-o", "Makefile.coq"], root / BUILD)
    make = ["make", "--silent", "-f", "Makefile.coq"]
    try:
        say([*make, f"-j{jobs}"], root / BUILD)
    except RuntimeError:  # what ended for want of memory compiles alone; what is wrong fails again
        say(make, root / BUILD)


def say(command: list[str], folder: Path) -> str:
    """What a command prints; RuntimeError with what it complains of where it fails."""
    alone = os.environ | {"MAKEFLAGS": ""}
    done = subprocess.run(command, cwd=folder, env=alone, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-3000:]}")
    return done.stdout


def coq(script: str, folder: Path) -> str:
    """What Coq answers to a script beside the compiled files."""
    with tempfile.NamedTemporaryFile("w", suffix=".v") as file:
        file.write(script)
        file.flush()
        return say(["coqtop", "-R", ".", "Userdp", "-q", "-batch", "-l", file.name], folder)


def assumptions(file: str, groups: list[list[str]], root: Path = ROOT) -> dict[str, list[str]]:
    """For each theorem of a file what its group rests on together, beside the rules of Coq, by name."""
    module = "Userdp." + file.removesuffix(".v").replace("/", ".")
    asked = [", ".join(f"@{module}.{name}" for name in names) for names in groups]
    lines = [f"Definition a{n} := ({terms}).\nPrint Assumptions a{n}." for n, terms in enumerate(asked)]
    said = coq("\n".join([f"Require {module}.", *lines]), root / BUILD)
    blocks = re.split(rf"^(?:Axioms:|{CLOSED})$", said, flags=re.M)[1:]
    found = (sorted(set(AXIOM.findall(block))) for block in blocks)
    return {name: on for names, on in zip(groups, found, strict=True) for name in names}


def together(found: list[dict], stored: Sequence[dict], root: Path = ROOT) -> dict[str, list[list[str]]]:
    """Of each file the theorems that are asked at once, since each question takes Coq a second or eight:

    all of a file that computes with intervals, and those that are stored with the same assumptions.
    """
    known = {each["theorem"]: str(each["assumptions"]) for each in stored}
    groups: dict[str, dict] = {}
    for each in found:
        alike = "Interval" if "Interval" in source(root, each["file"]) else known.get(each["theorem"])
        groups.setdefault(each["file"], {}).setdefault(alike or each["theorem"], []).append(each["theorem"])
    return {file: [*of_it.values()] for file, of_it in groups.items()}


def checked(root: Path = ROOT, jobs: int = 2, stored: Sequence[dict] = ()) -> list[dict]:
    """Compile, ask Coq, and return what is stored: the theorems, each with what it rests on.

    With what is stored, this is confirmed: no theorem rests on more, and together they rest on no less.
    """
    build(root, jobs)
    found = theorems(root)
    with ThreadPoolExecutor(jobs) as pool:
        rooms = pool.map(lambda room: assumptions(*room, root), together(found, stored, root).items())
        rests = {name: on for room in rooms for name, on in room.items()}
    stepped = ({"steps": steps(each, root)} if each["theorem"] in STEPPED else {} for each in found)
    rows = zip(found, stepped, strict=True)
    return [each | {"assumptions": rests[each["theorem"]]} | shown for each, shown in rows]


def steps(theorem: dict, root: Path = ROOT) -> list[list[str]]:
    """Each sentence of a proof, with the goals that are left after it."""
    before, said, after = source(root, theorem["file"]).partition(theorem["statement"])
    sentences = SENTENCE.findall(after[: after.index("Qed.")])
    script = "\n".join([before + said, *(f"{sentence}\nCheck tt.\nShow." for sentence in sentences)])
    goals = coq(script, root / BUILD).split("tt\n     : unit\n")[1:]
    return [[" ".join(each.split()), left.strip()] for each, left in zip(sentences, goals, strict=True)][1:]


def model(root: Path = ROOT) -> list[dict]:
    """The table of the model, a mechanism a row, its value being the rational number that Coq computes."""
    with (root / MODEL).open(encoding="utf8", newline="") as table:
        rows = list(csv.DictReader(table))
    script = ["From Coq Require Import QArith List. From Userdp Require Import model.Values.", OPENED]
    script += [f"Eval vm_compute in let q := Qred ({row['term']}) in (Qnum q, Qden q)." for row in rows]
    found = re.findall(r"= \((-?\d+)%Z, (\d+)%positive\)", coq("\n".join(script), root / BUILD))
    return [row | {"value": "/".join(value)} for row, value in zip(rows, found, strict=True)]


def write(root: Path, jobs: int) -> None:
    """Store what Coq finds: a theorem a line, and the values of the model in their table."""
    lines = [json.dumps(each, ensure_ascii=False) for each in checked(root, jobs)]
    (root / STORED).write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf8")
    rows = model(root)
    with (root / MODEL).open("w", encoding="utf8", newline="") as table:
        written = csv.DictWriter(table, rows[0].keys(), lineterminator="\n")
        written.writeheader()
        written.writerows(rows)


if __name__ == "__main__":
    write(ROOT, int(sys.argv[1]))
