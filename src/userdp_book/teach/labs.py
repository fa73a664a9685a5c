"""Labs: one source, ``book/teach/labs/<name>.md``; from it the student copy in ``book/teach/student``.

A source is an executable page with nbgrader's metadata, and so its twin in ``notebooks/`` is the teacher's
copy, run and compared like every page. The student copy is what nbgrader would release: no solution, no
hidden check, no marking scheme, no output. It is written here, by nbgrader's own preprocessors, so that it
can be put into the repository and opened by a button. nbgrader is needed to write and to grade, not to read.
"""

import re
from hashlib import sha256
from pathlib import Path

from nbformat import NotebookNode

from ..run.pages import Page, notebook, pages, read, tidy, write

FOLDER = "teach/labs"
STUDENT = "book/teach/student"
STUB = "# YOUR CODE HERE\nraise NotImplementedError()"
HIDDEN = ("SOLUTION", "HIDDEN TESTS", "MARK SCHEME")
ANSWER = "YOUR ANSWER HERE"
_REGION = r"### BEGIN {0}\n(.*?)### END {0}"
EARLIER = """### BEGIN HIDDEN TESTS
# The given cells and the sections before as they should be: a mistake there costs no marks here.
from userdp_book.teach.guard import apart, restored
restored()
{before}
try:
    assert not "switched off"
except AssertionError:
    apart(globals())
else:
    raise RuntimeError("assertions are switched off")
### END HIDDEN TESTS
"""


def sources(root: Path) -> list[Page]:
    """The labs, in alphabetical order."""
    return [page for page in pages(root) if page.name.startswith(f"{FOLDER}/")]


def student_path(page: Page) -> Path:
    """Where the student copy of a lab is kept."""
    return page.root / f"{STUDENT}/{Path(page.name).name}.ipynb"


def teacher(page: Page, like: NotebookNode | None = None) -> NotebookNode:
    """The source as a notebook that has not been run: nbgrader's ``source`` step."""
    return notebook(page, like)


def student(page: Page, like: NotebookNode | None = None) -> NotebookNode:
    """The student copy, a function of the source and of where the first cell installs from."""
    from nbgrader import preprocessors as by

    nb = teacher(page, like)
    clear = by.ClearSolutions(code_stub={"python": STUB}, text_stub=ANSWER)
    for step in (by.LockCells(), clear, by.ClearOutput(), by.ClearHiddenTests(), by.ClearMarkScheme()):
        nb, _ = step.preprocess(nb, {})
    return tidy(nb)


def marking(page: Page, secret: str) -> NotebookNode:
    """The teacher's copy that marks: numbers of one's own in hidden checks, and no mark is lost twice.

    Each check begins with the given cells and the solutions of the sections before, which take the place of
    the student's.
    """
    nb, before, here = teacher(page), "", ""
    for cell in nb.cells[1:]:  # the first installs
        graded = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "code" and graded.get("grade"):
            check = reseeded(cell.source, f"{secret}, {page.name}")
            cell.source, before, here = EARLIER.format(before=before.strip()) + check, before + here, ""
        elif cell.cell_type == "code" and graded.get("solution"):
            here += re.sub(r" *### (BEGIN|END) SOLUTION\n?", "", cell.source) + "\n"
        elif cell.cell_type == "code":
            before += cell.source + "\n"
    return tidy(nb)


def reseeded(source: str, secret: str) -> str:
    """A check whose hidden part draws its numbers from a secret, through a key that does not tell it."""
    key = int(sha256(secret.encode()).hexdigest()[:32], 16)
    return re.sub(
        _REGION.format("HIDDEN TESTS"),
        lambda hidden: re.sub(r"default_rng\((\d+)\)", rf"default_rng([{key}, \1])", hidden[0]),
        source,
        flags=re.DOTALL,
    )


def faults(page: Page) -> list[str]:
    """What is wrong with a lab: a stub that does not fit its solution, or a trace of what is to be hidden."""
    full, given = _graded(teacher(page)), _graded(student(page))
    if given.keys() != full.keys():
        return [f"{page.name}: the two copies do not have the same graded cells"]
    said = []
    for name, cell in full.items():
        kept = set(_lines(given[name].source)) - set(_lines(f"{STUB}\n{ANSWER}"))
        if not kept <= set(_lines(cell.source)):
            said.append(f"{page.name}, {name}: the student copy has a line that its source has not")
        shown = {ANSWER, STUB.splitlines()[-1]} & set(_lines(given[name].source))
        if cell.metadata.nbgrader.solution and not (shown and hidden_lines(cell.source)):
            said.append(f"{page.name}, {name}: no marked solution is replaced by a stub")
        if traces := [line for line in hidden_lines(cell.source) if line in _lines(given[name].source)]:
            said.append(f"{page.name}, {name}: the student copy shows what is to be hidden: {traces[0]}")
    return said


def hidden_lines(source: str) -> list[str]:
    """Lines of a cell that stand inside a region only, not outside of it as well."""
    inside = "".join(text for kind in HIDDEN for text in re.findall(_REGION.format(kind), source, re.DOTALL))
    outside = re.sub("|".join(map(_REGION.format, HIDDEN)), "", source, flags=re.DOTALL)
    return [line for line in _lines(inside) if line not in _lines(outside)]


def _graded(nb: NotebookNode) -> dict[str, NotebookNode]:
    return {cell.metadata.nbgrader.grade_id: cell for cell in nb.cells if "nbgrader" in cell.metadata}


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def write_all(root: Path) -> list[str]:
    """Write every student copy, remove those without a source; return what is wrong with the labs."""
    labs = sources(root)
    wanted = {student_path(page) for page in labs}
    for path in set((root / STUDENT).glob("*.ipynb")) - wanted:
        path.unlink()
    for page in labs:
        write(student(page), student_path(page))
    return [fault for page in labs for fault in faults(page)]


def out_of_step(root: Path) -> list[str]:
    """Names of the labs whose student copy is not what their source says."""
    return [page.name for page in sources(root) if student(page, copy := read(student_path(page))) != copy]
