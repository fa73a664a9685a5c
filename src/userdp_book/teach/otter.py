"""A lab as the master notebook from which ``otter assign`` makes its own student copy and autograder."""

import re

import nbformat
from nbformat import NotebookNode

from ..run.pages import METADATA
from .labs import HIDDEN


def master(marking: NotebookNode, name: str) -> NotebookNode:
    """The notebook for otter-grader, from the copy that marks (:func:`.labs.marking`)."""
    cells = [_plain("raw", f"# ASSIGNMENT CONFIG\nname: {name}\nexport_cell: true\ngenerate: true")]
    answers: list[NotebookNode] = []
    for cell in marking.cells:
        graded = cell.metadata.get("nbgrader")
        if not graded:
            cells.append(_plain(cell.cell_type, cell.source))
        elif cell.cell_type == "markdown":
            question = f"name: {graded['grade_id']}\npoints: {graded['points']}\nmanual: true"
            cells += _block("QUESTION", question, _block("SOLUTION", "", [_answer(cell)]))
        elif not graded["grade"]:
            answers.append(_answer(cell))
        else:
            # All or nothing, as in nbgrader: marks are for the hidden test, which holds the visible one.
            question = f"name: {graded['grade_id'].removeprefix('check-')}\npoints: [0, {graded['points']}]"
            visible = re.sub(
                r"### BEGIN HIDDEN TESTS\n.*?### END HIDDEN TESTS\n?", "", cell.source, flags=re.DOTALL
            )
            tests = [_silent(visible), _silent(f"# HIDDEN\n{_unmarked(cell.source)}")]
            inner = _block("SOLUTION", "", answers) + _block("TESTS", "", tests)
            cells += _block("QUESTION", question, inner)
            answers = []
    return nbformat.v4.new_notebook(cells=cells, metadata=nbformat.from_dict(METADATA))


def _plain(kind: str, source: str) -> NotebookNode:
    return getattr(nbformat.v4, f"new_{kind}_cell")(source)


def _block(kind: str, settings: str, inside: list[NotebookNode]) -> list[NotebookNode]:
    return [_plain("raw", f"# BEGIN {kind}\n{settings}".strip()), *inside, _plain("raw", f"# END {kind}")]


def _answer(cell: NotebookNode) -> NotebookNode:
    """The teacher's answer, with otter's marks around what students write."""
    own = re.sub(r"### (BEGIN|END) SOLUTION", r"# \1 SOLUTION", cell.source)
    return _plain(cell.cell_type, own if cell.cell_type == "code" else _unmarked(own))


def _unmarked(source: str) -> str:
    source = source.replace("from userdp_book.teach.guard import apart, restored\nrestored()\n", "")
    source = source.replace("apart(globals())", "pass")  # nbgrader's kernel has the guard, otter's has not
    return re.sub(rf"### (BEGIN|END) ({'|'.join(HIDDEN)})\n?", "", source)


def _silent(source: str) -> NotebookNode:
    """A test: otter compares what it prints, so it prints nothing."""
    return _plain("code", re.sub(r"^print\(.*\)\n", "", source, flags=re.MULTILINE))
