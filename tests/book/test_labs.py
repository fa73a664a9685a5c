"""The labs: their student copies, and the marks that right, wrong, other and empty answers get.

They are marked as nbgrader marks them, but in this process; ``test_course.py`` runs nbgrader itself.
"""

import json
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from lab_answers import MISTAKES, OTHERS
from userdp_book.run.pages import Page, code_cells, read
from userdp_book.site import lab_pages, light
from userdp_book.teach import guard, labs  # noqa: F401 (the guard keeps its copies before any hand-in)
from userdp_book.teach.course import times
from userdp_book.teach.labs import (
    faults,
    marking,
    out_of_step,
    reseeded,
    sources,
    student,
    student_path,
    teacher,
    write_all,
)

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


def marks(page, handed, secret="a teacher's"):
    """Points by check as nbgrader gives them, without its kernels."""
    checks = {cell.metadata.nbgrader.grade_id: cell for cell in marking(page, secret).cells if _grades(cell)}
    names, got = {}, {}
    for cell in code_cells(handed)[1:]:  # the first installs
        graded = cell.metadata.get("nbgrader", {})
        try:
            exec(checks.get(graded.get("grade_id"), cell).source, names)
        except Exception:
            got |= {graded.get("grade_id"): 0} if _grades(cell) else {}
        else:
            got |= {graded.get("grade_id"): graded["points"]} if _grades(cell) else {}
    return got


def _grades(cell):
    return cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("grade")


def most(page):
    return {
        cell.metadata.nbgrader.grade_id: cell.metadata.nbgrader.points
        for cell in filter(_grades, teacher(page).cells)
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", LABS)
def test_right_answers_of_any_kind_get_all_marks_whatever_the_secret(name):
    page = LABS[name]
    assert sum(most(page).values()) == 17
    assert marks(page, handed_in(page, {}), "one") == most(page)
    assert marks(page, handed_in(page, OTHERS[name]), "another") == most(page)


@pytest.mark.parametrize("name", LABS)
def test_an_empty_copy_gets_nothing(name):
    assert set(marks(LABS[name], student(LABS[name])).values()) == {0}


@pytest.mark.slow
@pytest.mark.parametrize("name", LABS)
def test_a_mistake_costs_the_marks_of_its_own_check(name):
    page = LABS[name]
    assert len(MISTAKES[name]) >= 2
    for cells, lost in MISTAKES[name]:
        got = marks(page, handed_in(page, cells))
        assert {check: full - got[check] for check, full in most(page).items() if got[check] < full} == lost


@pytest.mark.slow
@pytest.mark.parametrize("left", [0, 1])
@pytest.mark.parametrize("name", LABS)
def test_an_empty_section_costs_no_other_its_marks(name, left):
    page = LABS[name]
    empty = [cell for cell in student(page).cells if _solves(cell) and cell.cell_type == "code"][left::2]
    blank = {cell.metadata.nbgrader.grade_id: cell.source for cell in empty}
    full = most(page)
    kept = {check: points * ((place - left) % 2) for place, (check, points) in enumerate(full.items())}
    assert marks(page, handed_in(page, blank)) == kept


@pytest.mark.parametrize("name", LABS)
def test_every_hidden_check_draws_from_the_secret(name):
    for cell in filter(_grades, teacher(LABS[name]).cells):
        assert reseeded(cell.source, "one") != reseeded(cell.source, "another"), (
            cell.metadata.nbgrader.grade_id
        )
        visible = cell.source.partition("### BEGIN HIDDEN TESTS")[0]
        assert reseeded(cell.source, "one").startswith(visible)


@pytest.mark.parametrize("name", LABS)
def test_a_section_defines_what_its_student_copy_names(name):
    """Its solution takes the place of the student's when the next is marked: it may bring no other names."""
    for page_cell, given in zip(teacher(LABS[name]).cells, student(LABS[name]).cells, strict=True):
        if _solves(page_cell) and page_cell.cell_type == "code":
            assert re.findall(r"^\w+.*", page_cell.source, re.M) == re.findall(r"^\w+.*", given.source, re.M)


@pytest.mark.parametrize("name", LABS)
def test_a_given_function_is_called_in_the_student_copy(name):
    """A cell that only defines what nobody calls shows a student nothing."""
    nb = student(LABS[name])
    text = "\n".join(cell.source for cell in nb.cells)
    given = [cell.source for cell in code_cells(nb) if not cell.metadata.get("nbgrader")]
    for function in re.findall(r"^def (\w+)", "\n".join(given), re.MULTILINE):
        assert len(re.findall(rf"\b{function}\b", text)) > 1, function


TYPICAL = [  # section, a slip in its solution, the check that fails first, a word that helps
    ("unequal-sizes", "reports", ("2 * half", "half"), "check-estimate", "the scale of section 6"),
    ("sparse-means", "choose", ("abs(means)", "array(means)"), "check-choose", "on either side of zero"),
    (
        "central-weights",
        "best-weights",
        (" / np.sum(1 / variances)", ""),
        "check-best-weights",
        "half of the weight",
    ),
    ("central-weights", "truncated", ("cap / lengths", "cap * lengths"), "check-best-cap", "section 6"),
    ("central-weights", "privacy-loss", (" / scale", ""), "check-privacy-loss", "half a scale"),
    ("break-it", "leak-twice", ("axis=1", "axis=None"), "check-twice", "shape (runs,)"),
    ("break-it", "leak-twice", ("return 1, 0", "return 0, 1"), "check-twice", "likelier under the first"),
]


@pytest.mark.parametrize(("name", "section", "slip", "check", "word"), TYPICAL)
def test_a_visible_check_says_what_is_typically_wrong(name, section, slip, check, word):
    right = next(
        c.source for c in teacher(LABS[name]).cells if _solves(c) and c.metadata.nbgrader.grade_id == section
    )
    assert slip[0] in right
    names = {}
    for cell in code_cells(handed_in(LABS[name], {section: right.replace(*slip)}))[1:]:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == check:
            with pytest.raises(AssertionError, match=re.escape(word)):
                exec(cell.source, names)
            return
        exec(cell.source, names)


def test_the_minutes_of_a_lab_are_those_of_its_sections():
    for page in LABS.values():
        whole = re.search(r"\*\*Time\*\* (\d+)", page.source.read_text(encoding="utf8"))[1]
        assert sum(minutes for _, _, minutes, _ in times(page)) == int(whole)
        assert sum(points for *_, points in times(page)) == 20


@pytest.mark.parametrize("name", LABS)
def test_a_lab_installs_no_more_than_it_needs(name):
    first, *rest = code_cells(student(LABS[name]))
    needs = {module for cell in rest for module in re.findall(r"^(?:from|import) (\w+)", cell.source, re.M)}
    assert ("userdp" in first.source) == ("userdp" in needs)
    assert "[" not in first.source


def test_the_image_of_binder_is_made_without_the_solutions(root, tmp_path):
    shutil.copy(root / "postBuild", tmp_path)
    for page in LABS.values():
        for path in (page.source, page.twin, student_path(page)):
            copy = tmp_path / path.relative_to(root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.touch()
    subprocess.run(["./postBuild"], cwd=tmp_path, check=True)
    kept = {path.relative_to(tmp_path) for path in tmp_path.rglob("*.*")}
    assert kept == {student_path(page).relative_to(root) for page in LABS.values()}


@pytest.mark.parametrize("name", LABS)
def test_a_lab_page_says_what_each_section_is_worth_and_whose_code_is_whose(root, name):
    issued = student_path(LABS[name]).read_text(encoding="utf8")
    source = [issued]
    lab_pages.open_lab(SimpleNamespace(srcdir=root), f"{lab_pages.STUDENT}/{name}", source)
    story, how, *cells = json.loads(source[0])["cells"]
    assert "by section" not in story["source"] and "Run here" in how["source"]
    assert ("```{diagram}" in story["source"]) == (name in lab_pages.PICTURES)
    text = "\n".join(cell["source"] for cell in cells if cell["cell_type"] == "markdown")
    worth = re.findall(
        r"^## .*\n\n```{container} worth\n(\d+) minutes · (\d+) marks\n```$", text, re.MULTILINE
    )
    assert len(worth) == len(re.findall("^## ", text, re.MULTILINE)) > 5
    assert sum(int(marks) for _, marks in worth) == 20
    assert sum(int(minutes) for minutes, _ in worth) == int(re.search(r"Time\*\* (\d+)", story["source"])[1])
    kinds = [cell["metadata"]["tags"][1:] for cell in cells if cell["cell_type"] == "code"]
    assert ["stub"] in kinds and ["check"] in kinds and [] in kinds


@pytest.mark.parametrize("name", ["warm-up", "plan-it"])
def test_a_lab_page_shows_the_figure_of_right_answers_while_its_code_is_the_same(root, monkeypatch, name):
    monkeypatch.setattr(light, "lay_by", lambda *_: None)
    source = code_cells(read(student_path(LABS[name])))[-1].source
    (shown,) = lab_pages.drawn(LABS[name], source)
    assert {"image/png", "text/plain"} <= shown["data"].keys()
    assert lab_pages.drawn(LABS[name], f"{source}\n") == []
