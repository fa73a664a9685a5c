"""The check of hand-ins: what nbgrader would mark wrongly or not at all, found before it marks.

It counts on every graded cell being there once, with its metadata. Students copy cells, delete them, and save
files with programs that drop metadata: then marks are lost, often without a word.
"""

import re
import shutil
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from difflib import SequenceMatcher
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.validator import isvalid, normalize

from ..run.pages import read, write

MEND = "--mend mends it"
# What no honest hand-in needs: it reaches for the check, the kernel, files, or the names that checks use.
WORDS = (
    "_getframe _transformers builtins ctypes gc get_ipython importlib inspect os pathlib secret setprofile "
    "settrace socket subprocess sys traceback unittest userdp_book"
)
CALLS = "__import__ breakpoint compile eval exec getattr globals locals open setattr vars"
ODD = re.compile(
    rf"\b(?:{'|'.join(WORDS.split())})\b|\b(?:{'|'.join(CALLS.split())})\(|__\w+__|\b(?:In|Out)\[|^ *[%!]"
    r"|\w*_transformers|^ *(?:np|numpy|scipy|rng)\.[\w.]+(?:, [\w.]+)* *=(?!=)|^ *(?:np|within) *=(?!=)"
    r"|\b(?:class|def) (?:np|within)\b|(?<!numpy) as np\b|\bas within\b",
    re.MULTILINE,
)


def check(course: Path, *, mend: bool = False) -> list[str]:
    """One line an accident, with what to do; ``mend`` repairs what it can and keeps what was sent."""
    from .collect import sorted_out  # needs nbgrader

    # A lab that is not handed out yet is known by its source.
    labs = {one.stem: read(one) for at in ("source", "release") for one in course.glob(f"{at}/*/*.ipynb")}
    folders = sorted(path for path in course.glob("submitted/*/*") if path.is_dir())
    said = [] if folders else [f"there is nothing in {course / 'submitted'}: collect first"]
    for extracted in sorted(course.glob("downloaded/*/extracted")):
        for path in (path for path, found in sorted_out(extracted).items() if not found):
            name = path.relative_to(extracted)
            said.append(
                f"{name}, {extracted.parent.name}: not collected; is it a notebook, and the only one?"
            )
    for folder in folders:
        who, lab = folder.parts[-2:]
        said += [f"{who}, {lab}: {text}" for text in _look(course, folder, labs, mend=mend)]
    return said


def _look(course: Path, folder: Path, labs: dict[str, NotebookNode], *, mend: bool) -> Iterator[str]:
    who, lab = folder.parts[-2:]
    path = folder / f"{lab}.ipynb"
    if not (course / f"release/{lab}/{lab}.ipynb").is_file():
        yield f"there is no release/{lab}: run nbgrader generate_assignment {lab}"
        return
    if not path.is_file():
        others = ", ".join(file.name for file in folder.iterdir()) or "nothing"
        yield f"{lab}.ipynb is missing, there is {others}: rename the right file, or ask for it"
        return
    try:
        text = path.read_text(encoding="utf-8-sig")
        nb = nbformat.reads(text, as_version=4)
    except (ValueError, AttributeError, nbformat.ValidationError):
        yield "the file is no notebook: ask for it again"
        return
    if (other := max(labs, key=lambda name: len(_own(nb) & _own(labs[name])))) != lab and _own(nb) & _own(
        labs[other]
    ):
        yield f"this is {other}: ask for the right file, and take this one out before you mark"
        return
    if marked := path.read_bytes()[:3] == b"\xef\xbb\xbf":
        yield f"the file begins with a byte-order mark: {MEND}"
    yield from accidents(nb, labs[lab])
    if mend and ((better := mended(nb, labs[lab])) != nb or marked):
        kept = course / "unmended" / who / lab / path.name
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, kept)
        write(better, path)
        yield f"mended; as sent it is in {kept.relative_to(course).parent}"
        left = {_text(cell) for cell in labs[lab].cells if _is_answer(cell) and cell.cell_type == "markdown"}
        if any(_is_answer(cell) and _text(cell) in left for cell in better.cells):
            yield "the cell of the open question is empty: the answer may stand in another"


def accidents(nb: NotebookNode, released: NotebookNode) -> Iterator[str]:
    """What happened to the cells of one hand-in, and what to do."""
    wanted = {grade_id(cell): cell for cell in released.cells if grade_id(cell)}
    found = Counter(filter(None, map(grade_id, nb.cells)))
    if (language := nb.metadata.get("kernelspec", {}).get("language", "python")).lower() != "python":
        yield f"its kernel is for {language}: nbgrader marks it with Python; ask for the right file"
    if not isvalid(normalize(nb)[1]):
        yield f"its kernel has no name, or its format another number; nbgrader would leave it out: {MEND}"
    if not found:
        yield f"no cell has nbgrader's metadata, stripped by the program that saved it: {MEND}"
    for name in [name for name in wanted if name not in found] if found else ():
        yield f"cell {name} is deleted, or has lost its metadata: {MEND}"
    for name, times in found.items():
        if name not in wanted:
            yield f"cell {name} is not of this lab: is it the right file?"
        elif times > 1:
            yield f"cell {name} is copied, there {times} times: {MEND}, the last one counts"
    for cell in nb.cells:
        its = wanted.get(grade_id(cell))
        if its and not _is_answer(its) and _text(cell) != _text(its):
            yield f"cell {grade_id(cell)} is locked and was changed: yours marks, whatever theirs said"
    yield from _to_read(nb, released)
    blank = {_text(cell) for cell in wanted.values() if _is_answer(cell)}
    if found and all(_text(cell) in blank for cell in nb.cells if _is_answer(cell)):
        yield "nothing is answered: is it the right file?"


def _to_read(nb: NotebookNode, released: NotebookNode) -> Iterator[str]:
    """What no honest hand-in needs, as a reason to read it and not as a verdict."""
    given = {_text(cell) for cell in released.cells}
    code = [_text(cell) for cell in nb.cells if cell.cell_type == "code"]
    for cell in released.cells[1:]:  # the first installs
        if cell.cell_type == "code" and not grade_id(cell) and _text(cell) not in code:
            yield f"the given cell that begins {_text(cell).split(chr(10))[0]!r} is changed: read it"
    if odd := {found.strip() for text in code if text not in given for found in ODD.findall(text)}:
        yield f"it says {', '.join(sorted(odd))}, which the lab does not need: read it"


def _own(nb: NotebookNode) -> set[str]:
    """The names of the checks, by which a lab is known."""
    return {name for cell in nb.cells if (name := grade_id(cell)) and name.startswith("check-")}


def _text(cell: NotebookNode) -> str:
    """What a cell says, whatever its line ends."""
    return "\n".join(line.rstrip() for line in cell.source.strip().splitlines())


def mended(nb: NotebookNode, released: NotebookNode) -> NotebookNode:
    """The hand-in with every graded cell once; what runs, and in which order, stays as it was."""
    nb = deepcopy(nb)
    if not isvalid(normalize(nb)[1]):
        nb.update(metadata=deepcopy(released.metadata), nbformat_minor=released.nbformat_minor)
    seen: set[str | None] = set()
    for cell in reversed(nb.cells):
        if grade_id(cell) in seen:
            del cell.metadata["nbgrader"]
        seen.add(grade_id(cell) or "")
    for mine, its in _alike(nb, released):
        if not grade_id(mine) and grade_id(its) and grade_id(its) not in seen:
            mine.metadata["nbgrader"] = its.metadata["nbgrader"]
            seen.add(grade_id(its))
    place = 0
    for cell in filter(grade_id, released.cells):
        if grade_id(cell) not in seen:
            new = deepcopy(cell)
            if _is_answer(cell) and cell.cell_type == "code":
                new.source = "# This cell was deleted."
            nb.cells.insert(place, new)
        place = 1 + next(k for k, mine in enumerate(nb.cells) if grade_id(mine) == grade_id(cell))
    return nb


def _alike(nb: NotebookNode, released: NotebookNode) -> Iterator[tuple[NotebookNode, NotebookNode]]:
    """Cells of the hand-in with those of the release that they were, by text and then by place."""
    texts = [list(map(_text, one.cells)) for one in (nb, released)]
    for kind, a, b, c, d in SequenceMatcher(None, *texts, autojunk=False).get_opcodes():
        for of in ("code", "markdown") if kind in ("equal", "replace") else ():
            mine, its = (
                [cell for cell in cells if cell.cell_type == of]
                for cells in (nb.cells[a:b], released.cells[c:d])
            )
            yield from zip(mine, its, strict=False)


def grade_id(cell: NotebookNode) -> str | None:
    return cell.metadata.get("nbgrader", {}).get("grade_id")


def _is_answer(cell: NotebookNode) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get("solution"))
