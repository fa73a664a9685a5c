"""The labs are graded as a teacher would grade them: nbgrader on a laptop, no hub.

Five copies of each lab are handed in: the teacher's, the empty one, two with a planted typical mistake, and a
correct one that draws its random numbers in another order.
"""

import os
import sys
from pathlib import Path

import nbformat
import pytest

from lab_answers import MISTAKES, OTHERS
from userdp_book.run import labs
from userdp_book.run.labs import (
    faults,
    out_of_step,
    sources,
    student,
    student_path,
    teacher,
    write_all,
)
from userdp_book.run.pages import Page, write

ROOT = Path(__file__).parents[2]
LABS = {page.name.rpartition("/")[2]: page for page in sources(ROOT)}


@pytest.mark.parametrize("name", LABS)
def test_the_student_copy_is_whole_and_shows_nothing_hidden(name):
    assert faults(LABS[name]) == []


def test_the_student_copies_are_those_of_their_sources():
    assert out_of_step(ROOT) == []


@pytest.mark.parametrize("name", LABS)
def test_every_lab_has_what_a_lab_needs(name):
    nb = teacher(LABS[name])
    graded = [cell for cell in nb.cells if cell.metadata.get("nbgrader", {}).get("grade")]
    automatic = [cell for cell in graded if cell.cell_type == "code"]
    assert 6 <= len(automatic) <= 10
    assert len(graded) == len(automatic) + 1  # one open question, marked by hand
    assert sum("### BEGIN MARK SCHEME" in cell.source for cell in graded) == 1
    assert all("### BEGIN HIDDEN TESTS" in cell.source for cell in automatic)
    assert all("assert" in cell.source.partition("### BEGIN HIDDEN TESTS")[0] for cell in automatic)
    text = "\n".join(cell.source for cell in nb.cells if cell.cell_type == "markdown")
    assert all(word in text for word in ("**You will**", "**Time**", "**You need**", "**The story.**"))


def test_a_copy_that_shows_a_solution_a_hidden_check_or_a_mark_scheme_is_found(monkeypatch):
    page = LABS["randomised-response"]
    monkeypatch.setattr(labs, "student", teacher)
    said = "\n".join(faults(page))
    for name in ("privatise, or", "check-privatise", "open-question"):
        assert f"{name.partition(',')[0]}: the student copy shows what is to be hidden" in said
    assert "privatise: no marked solution is replaced by a stub" in said


def test_a_misspelled_marker_is_found(tmp_path):
    text = LABS["randomised-response"].source.read_text(encoding="utf8")
    assert lab_faults(tmp_path, text) == []
    unmarked = text.replace("    ### BEGIN SOLUTION\n", "", 1).replace("    ### END SOLUTION\n", "", 1)
    assert lab_faults(tmp_path, unmarked) == [
        "teach/labs/x, keep-probability: no marked solution is replaced by a stub"
    ]


def lab_faults(folder, text):
    page = Page(folder, "teach/labs/x")
    page.source.parent.mkdir(parents=True, exist_ok=True)
    (folder / "_config.yml").write_text("repository: {url: 'https://example.org/x'}")
    page.source.write_text(text, encoding="utf8")
    said = write_all(folder)
    assert student_path(page).is_file()
    assert out_of_step(folder) == []
    return said


def handed_in(page, replaced):
    """The student copy with some cells answered, the teacher's answers elsewhere."""
    nb = student(page)
    answers = {cell.metadata.nbgrader.grade_id: cell for cell in teacher(page).cells if _solves(cell)}
    assert set(replaced) <= answers.keys()
    for cell in nb.cells:
        if _solves(cell):
            name = cell.metadata.nbgrader.grade_id
            cell.source = replaced.get(name, answers[name].source)
    return nb


def _solves(cell):
    return cell.metadata.get("nbgrader", {}).get("solution")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Object of type")  # nbgrader's own queries
@pytest.mark.parametrize("name", LABS)
def test_grading_loop(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # nbgrader calls a program of the environment by its name
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    page = LABS[name]
    copies = {"teacher": handed_in(page, {}), "other": handed_in(page, OTHERS[name]), "empty": student(page)}
    copies |= {f"mistake{k}": handed_in(page, cells) for k, (cells, _) in enumerate(MISTAKES[name])}
    write(teacher(page), tmp_path / f"source/{name}/{name}.ipynb")
    for who, nb in copies.items():
        write(nb, tmp_path / f"submitted/{who}/{name}/{name}.ipynb")

    marks, most = graded(name, tmp_path, copies)

    assert marks["teacher"] == marks["other"] == most
    assert set(marks["empty"].values()) == {0}
    assert len(MISTAKES[name]) >= 2
    for k, (_, lost) in enumerate(MISTAKES[name]):
        assert {
            check: most[check] - got for check, got in marks[f"mistake{k}"].items() if got < most[check]
        } == lost


def graded(name, folder, copies):
    """Generate and autograde; marks of each copy by check, and the most that can be had."""
    from nbgrader.api import Gradebook
    from nbgrader.apps import NbGraderAPI
    from traitlets.config import Config

    config = Config()
    config.CourseDirectory.root = str(folder)
    config.Exchange.root = str(folder / "exchange")
    config.ExecutePreprocessor.timeout = 600  # seconds a cell; the default of 30 is for an idle machine
    api = NbGraderAPI(config=config)
    released = api.generate_assignment(name)
    assert released["success"], released["log"]
    release = nbformat.read(folder / f"release/{name}/{name}.ipynb", 4)
    assert [cell.source for cell in release.cells] == [cell.source for cell in copies["empty"].cells]
    for who in copies:
        done = api.autograde(name, who)
        assert done["success"], done["log"]
    marks = {}
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
        cells = [c for c in book.find_notebook(name, name).grade_cells if c.cell_type == "code"]
        most = {cell.name: cell.max_score for cell in cells}
        for who in copies:
            grades = book.find_submission_notebook(name, name, who).grades
            marks[who] = {g.name: g.score for g in grades if g.name in most}
    return marks, most
