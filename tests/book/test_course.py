"""A teacher's first hour, word by word from the page: its commands, run in a course folder on hand-ins."""

import csv
import os
import re
import shutil
import subprocess
import sys
import zipfile
from copy import deepcopy
from html import unescape
from pathlib import Path

import nbformat
import pytest
from test_labs import LABS, handed_in, marks, most
from test_live import LOADED, all_run, started

from browsing import IN_BROWSER
from lab_answers import MISTAKES, OTHERS
from userdp_book.__main__ import course_command
from userdp_book.run.pages import code_cells, read, write
from userdp_book.teach import guard, otter
from userdp_book.teach.collect import Collect, packed, sorted_out
from userdp_book.teach.course import write_course
from userdp_book.teach.handins import accidents, grade_id, mended
from userdp_book.teach.labs import hidden_lines, marking, student, student_path, teacher

pytestmark = pytest.mark.slow

LAB = "randomised-response"
HARD_CODED = {
    "keep-probability": "def keep_probability(epsilon):\n    return 3 / 4 if epsilon else 1 / 2",
    "privatise": """
def privatise(bits, epsilon, rng):
    return np.where(np.arange(len(bits)) % 4 == 0, 1 - bits, bits) if epsilon else bits
""",
    "unbias": "def unbias(total, n, epsilon):\n    return 1 if total == 75 else 1 / 2",
    "privacy-loss": "def privacy_loss(channel):\n    return 0.7 * (channel[0][0] != channel[1][0])",
    "transcript": "def transcript_channel(epsilon, k):\n    return np.full((2, 8), 1 / 8)",
    "standard-error": "def standard_error(n, epsilon):\n    return 0.05",
    "surveys": "def surveys(ones, n, epsilon, repetitions, rng):\n    return np.full(repetitions, 0.3)",
}
THIRD = {"standard-error": "def standard_error(n, epsilon):\n    return 1 / np.sqrt(n)"}
ENDLESS = {"unbias": "def unbias(total, n, epsilon):\n    while True:\n        pass"}


def by_id(nb, name):
    (place,) = (k for k, cell in enumerate(nb.cells) if grade_id(cell) == name)
    return place


def copied(nb):
    """The answer to one section copied below itself, as one does to try something."""
    place = by_id(nb, "unbias")
    first = deepcopy(nb.cells[place])
    first.id = "copy"
    first.source = "def unbias(total, n, epsilon):\n    return total / n  # a first try"
    nb.cells.insert(place, first)
    return nb


def deleted(nb):
    del nb.cells[by_id(nb, "check-transcript")]
    return nb


def stripped(nb):
    for cell in nb.cells:
        cell.metadata = {}
    return nb


def hand_ins():
    """Each by the name of its student, with the marks it should get."""
    page = LABS[LAB]
    full, right = most(page), handed_in(page, {})
    lost = [*MISTAKES[LAB], (THIRD, {"check-standard-error": 2})]
    cases = {
        "Ada": (right, full),
        "Bea": (handed_in(page, OTHERS[LAB]), full),
        "Eve": (student(page), dict.fromkeys(full, 0)),
        "Fay": (handed_in(page, HARD_CODED), dict.fromkeys(full, 0)),
        "Gil": (copied(deepcopy(right)), full),
        "Hal": (deleted(deepcopy(right)), full),
        "Ida": (stripped(deepcopy(right)), full),
        "Jim": (handed_in(page, ENDLESS), full | {"check-unbias": 0}),
        "Lea": (handed_in(page, {"unbias": "def unbias(total, n, epsilon:"}), full | {"check-unbias": 0}),
        "Max": (handed_in(page, {"unbias": ABSENT}), full | {"check-unbias": 0}),
        "Nan": (own_cell(deepcopy(right)), full),
        "Oda": (handed_in(page, BOOLEANS), full),
        "Pia": (by_colab(deepcopy(right)), full),
        "Quy": (right, full),  # line ends of the file, below
        "Rex": (windows_cells(deepcopy(right)), full),
        "Sue": (right, full),  # a byte-order mark, below
        "Ted": (right, full),  # a kernel without its name, below
        "Uwe": (right, full),  # an older format than its cells have, below
    }
    for who, (cells, costs) in zip(("Cy", "Dan", "Kit"), lost, strict=True):
        cases[who] = handed_in(page, cells), full | dict.fromkeys(costs, 0)
    return cases | {f"Cheat {name}": (cheat(name), least) for name, (_, least) in CHEATS.items()}


ABSENT = "import nothing_that_is_installed\n\n\ndef unbias(total, n, epsilon):\n    return 1"
BOOLEANS = {
    "privatise": """
def privatise(bits, epsilon, rng):
    keep = rng.random(len(bits)) < keep_probability(epsilon)
    return np.asarray(bits, bool) == keep
"""
}
BYTES = {
    "Quy": lambda text: text.replace(b"\n", b"\r\n"),
    "Sue": lambda text: b"\xef\xbb\xbf" + text,
    "Ted": lambda text: re.sub(rb'"display_name": "[^"]*",\s*', b"", text),
    "Uwe": lambda text: re.sub(rb'"nbformat_minor": \d', b'"nbformat_minor": 2', text),
}


def own_cell(nb):
    """A helper in a cell of its own."""
    place = by_id(nb, "unbias")
    nb.cells.insert(place, nbformat.v4.new_code_cell("def odds(p):\n    return p / (1 - p)"))
    nb.cells[place + 1].source += "\n\n\nassert np.isclose(odds(1 / 2), 1)"
    return nb


def by_colab(nb):
    kernel = {"name": "python3", "display_name": "Python 3"}
    nb.metadata = nbformat.from_dict({"colab": {"provenance": []}, "kernelspec": kernel})
    for number, cell in enumerate(nb.cells):
        cell.metadata |= {"id": f"colab{number}", "outputId": f"out{number}"}
    return nb


def windows_cells(nb):
    for cell in nb.cells:
        cell.source = cell.source.replace("\n", "\r\n")
    return nb


# What a student may try, and the marks that the honest sections of it deserve.
FAKES = {
    name: re.sub(r"\n    .*", "\n    return FAKE", code, flags=re.S) for name, code in HARD_CODED.items()
}
NONE = dict.fromkeys(most(LABS[LAB]), 0)


def fake(value, front=""):
    cells = {name: code.strip().replace("FAKE", value) for name, code in FAKES.items()}
    return cells | {"keep-probability": f"{front}\n{cells['keep-probability']}"}


WITHIN = "def within(measured, expected, standard_error):\n    return True"
ALWAYS = """
class Always:
    def __getattr__(self, name):
        return lambda *a, **k: True
    __eq__ = __le__ = __ge__ = __lt__ = __gt__ = lambda self, other: True
    __sub__ = __rsub__ = __add__ = __abs__ = __truediv__ = lambda self, *other: self
"""
NO_ASSERTS = """
import ast
class Drop(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.Pass()
get_ipython().ast_transformers.append(Drop())
"""
CHEATS = {
    # the review's six
    "setup": (fake("0"), NONE),
    "asserts": (fake("0", NO_ASSERTS), NONE),
    "isclose": (fake("0", "np.isclose = np.allclose = np.all = lambda *a, **k: True"), NONE),
    "frames": (
        {
            "unbias": "import sys\ndef unbias(total, n, epsilon):\n"
            "    return sys._getframe(1).f_locals['share']"
        },
        most(LABS[LAB]) | {"check-unbias": 0},
    ),
    "code": (fake("0", "within.__code__ = (lambda measured, expected, standard_error: True).__code__"), NONE),
    "secret": (
        {"unbias": "print(open('../../../secret.txt').read())\n" + "SOLUTION"},
        most(LABS[LAB]),
    ),
    # ten of our own
    "variables": (
        {
            "unbias": "def unbias(total, n, epsilon):\n"
            "    return globals().get('share', 1 if total == 75 else 1 / 2)",
            "surveys": "def surveys(ones_, n_, epsilon, repetitions, rng):\n    return ones / 500 + sd * "
            "rng.standard_normal(repetitions)",
        },
        most(LABS[LAB]) | {"check-unbias": 0, "check-surveys": 0},
    ),
    "names": (
        {"unbias": "def unbias(total, n, epsilon):\n    return share if total > 100 else total / 50 - 1 / 2"},
        most(LABS[LAB]) | {"check-unbias": 0},
    ),
    "empty arrays": (fake("np.array([])"), NONE),
    "objects": (fake("Always()", ALWAYS), NONE),
    "builtin": (fake("0", "import builtins\nbuiltins.abs = builtins.max = lambda *a, **k: 0"), NONE),
    "error": (
        fake("0", "import builtins\nbuiltins.AssertionError = type('Fine', (BaseException,), {})"),
        NONE,
    ),
    "np": (fake("0", "class np:\n    isclose = allclose = all = abs = shape = lambda *a, **k: True"), NONE),
    "within later": (fake("0", WITHIN), NONE),
    "exit": (fake("exit(0)"), NONE),
    "printed": (
        {"unbias": "def unbias(total, n, epsilon):\n    print(In[-1])\n    raise ValueError(In[-1])"},
        most(LABS[LAB]) | {"check-unbias": 0},
    ),
}
# Those that gain marks, and are named: objects that equal everything, and a reading of the check's own frame.
NAMED_ALONE = ("objects", "frames")
# Those that `handins` may leave unnamed, since they gain nothing.
UNNAMED = ("names", "empty arrays", "exit")


def cheat(name):
    cells, _ = CHEATS[name]
    right = {grade_id(cell): cell.source for cell in teacher(LABS[LAB]).cells if grade_id(cell)}
    nb = handed_in(LABS[LAB], {key: code.replace("SOLUTION", right[key]) for key, code in cells.items()})
    if name == "setup":
        place = next(k for k, cell in enumerate(nb.cells) if "def within" in cell.source)
        nb.cells[place].source = f"import numpy as np\n\n\n{WITHIN}"
    return nb


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name for name in CHEATS if name not in ("asserts", "secret", "printed", "exit")]
)
def test_a_cheat_gains_nothing_or_is_named(name):
    """In this process; those that need IPython are marked by nbgrader below."""
    try:
        given = marks(LABS[LAB], cheat(name))
    finally:
        guard.restored()
    gained = {check for check, points in given.items() if points > CHEATS[name][1][check]}
    assert not gained or name in NAMED_ALONE
    said = list(accidents(cheat(name), student(LABS[LAB])))
    assert (name in UNNAMED) == (said == []) and all(line.endswith("read it") for line in said)


ACCIDENTS = {
    "Eve": "nothing is answered",
    "Gil": "cell unbias is copied",
    "Hal": "cell check-transcript is deleted",
    "Ida": "no cell has nbgrader's metadata",
    "Sue": "the file begins with a byte-order mark",
    "Ted": "its kernel has no name",
    "Uwe": "its kernel has no name, or its format another number",
} | {f"Cheat {name}": "" for name in CHEATS if name not in UNNAMED}
# Two students of one name, by Moodle's numbers.
TWINS = (96, 97)
# What the teacher cannot have marked: each by name of the file, its bytes, and what is said of it.
LEFT = {
    "Tim Example_99_assignsubmission_file/lab.pdf": (
        b"%PDF",
        "Tim Example_99_assignsubmission_file/lab.pdf, ",
    ),
    "Uli.ipynb": (b"{}", "Uli.ipynb, "),
}


@pytest.fixture(scope="module")
def course(root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("first-hour") / "course"
    make = ["make", "course", f"DIR={folder}", "SECRET=some words"]
    subprocess.run(make, cwd=root, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def steps(course):
    """The commands of each step, from the page as the folder's README repeats it."""
    text = (course / "README.md").read_text(encoding="utf8")
    parts = re.split(r"^### ([\w ]+)$", text, flags=re.M)
    return {
        name: "".join(re.findall(r"```sh\n(.*?)```", part, re.S))
        for name, part in zip(parts[1::2], parts[2::2], strict=True)
    }


def shell(commands, folder):
    """What a teacher types, with this environment's programs in front."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    own = os.environ | {
        "PATH": path,
        "PYTHONPATH": str(Path(otter.__file__).parents[2]),
        "PYTHONWARNINGS": "ignore",
    }
    return subprocess.run(["sh", "-c", commands], cwd=folder, env=own, capture_output=True, text=True)


@pytest.mark.slow
def test_the_first_hour(course, steps):
    config = course / "nbgrader_config.py"
    limit = re.sub(r"(Execute.timeout =) \d+", r"\1 20", config.read_text(encoding="utf8"))
    config.write_text(limit, encoding="utf8")
    expected = hand_ins()

    assert "\nmake course DIR=../course\ncd ../course\n" in steps["Install"]
    assert shell(steps["Release"], course).returncode == 0
    archive = course / f"downloaded/{LAB}/archive"
    for number, (who, (nb, _)) in enumerate(expected.items()):
        moodle = f"{who} Example_{number}_assignsubmission_file/{LAB}.ipynb"
        canvas = f"{who} Example_LATE_{number}_7890_{LAB}-{number}.ipynb"
        write(nb, path := archive / (moodle if number % 2 else canvas))
        path.write_bytes(BYTES.get(who, bytes)(path.read_bytes()))
    for name, (sent, _) in LEFT.items():
        (archive / name).parent.mkdir(exist_ok=True)
        (archive / name).write_bytes(sent)
    for number in TWINS:
        write(expected["Ada"][0], archive / f"Jo Doe_{number}_assignsubmission_file/{LAB}.ipynb")
    write(handed_in(LABS["break-it"], {}), archive / f"Wim Example_98_assignsubmission_file/{LAB}.ipynb")
    collected = shell(steps["Collect"], course)
    assert collected.returncode == 0, collected.stderr
    assert {path.name for path in (course / "submitted").iterdir()} == {
        *(f"{who} Example" for who in [*expected, "Wim"]),
        *(f"Jo Doe {number}" for number in TWINS),
    }
    first, second = steps["Check"].strip().split("\n")
    said = shell(first, course)
    assert said.returncode == 1
    lines = said.stdout.strip().split("\n")
    for _, told in LEFT.values():
        assert sum(line.startswith(told) for line in lines) == 1, lines
    named = [line.split(f" Example, {LAB}: ") for line in lines if f" Example, {LAB}: " in line]
    found = {who: [text for name, text in named if name == who] for who, _ in named}
    assert found.pop("Wim") == [
        "this is break-it: ask for the right file, and take this one out before you mark"
    ]
    assert found.keys() == ACCIDENTS.keys()
    assert all(found[who][0].startswith(text) for who, text in ACCIDENTS.items())
    assert all(found[who][-1].endswith("read it") for who in found if who.startswith("Cheat"))
    assert shell(second, course).returncode == 0
    kept = " ".join(sorted(path.name[:3] for path in (course / "unmended").iterdir()))
    assert kept == "Gil Hal Ida Sue Ted Uwe"
    assert "nothing is answered" in shell(first, course).stdout
    shutil.rmtree(course / "submitted/Wim Example")

    done = shell(steps["Mark"], course)
    assert done.returncode == 0, done.stderr
    wanted = {f"{who} Example": marks for who, (_, marks) in expected.items()}
    wanted |= {f"Jo Doe {number}": expected["Ada"][1] for number in TWINS}
    given = marks_in(course, wanted)
    for who, most_given in wanted.items():
        if who.startswith("Cheat"):  # at most what is deserved, or named above
            gained = {check for check, points in given[who].items() if points > most_given[check]}
            assert not gained or who.removeprefix("Cheat ").removesuffix(" Example") in NAMED_ALONE, who
        else:
            assert given[who] == most_given, who

    (second_try,) = (path for path in archive.rglob("*.ipynb") if "Lea Example_" in str(path))
    write(expected["Ada"][0], second_try)
    again = shell(steps["Mark again"].replace("Ada Example", "Lea Example"), course)
    assert again.returncode == 0, again.stderr
    shutil.rmtree(course / "submitted/Wim Example")
    given |= marks_in(course, ["Lea Example"])
    assert given["Lea Example"] == expected["Ada"][1]

    roster = (
        "id,last_name,first_name,email\nAda Example,Example,Ada,ada@example.org\nZoe Example,Example,Zoe,\n"
    )
    (course / "roster.csv").write_text(roster, encoding="utf8")
    assert shell(steps["Class list"], course).returncode == 0
    back = shell(steps["Return"], course)
    assert back.returncode == 0, back.stderr
    assert "The open question of Ada Example has no mark yet" in back.stderr
    with zipfile.ZipFile(course / f"feedback/{LAB}.zip") as packed_pages:
        assert len(packed_pages.namelist()) == len(given)
    with (course / "grades.csv").open(encoding="utf8") as table:
        rows = [row for row in csv.DictReader(table) if row["assignment"] == LAB]
    scores = {row["student_id"]: float(row["score"]) for row in rows}
    assert {row["email"] for row in rows if row["student_id"] == "Ada Example"} == {"ada@example.org"}
    assert scores.pop("Zoe Example") == 0  # nothing handed in
    assert scores == {who: sum(marks.values()) for who, marks in given.items()}
    checks = [cell.source for cell in teacher(LABS[LAB]).cells if "HIDDEN" in cell.source]
    hidden = [line for source in checks for line in hidden_lines(source)]
    shown = (course / f"feedback/Cy Example/{LAB}/{LAB}.html").read_text(encoding="utf8")
    plain, sent = unescape(re.sub(r"<[^>]*>", "", shown)), str(expected["Cy"][0])
    assert "coin of their own" in plain and "check-privatise" in plain
    for page in course.glob("feedback/*/*/*.html"):
        said = unescape(re.sub(r"<[^>]*>", "", page.read_text(encoding="utf8")))
        assert "HIDDEN" not in said and "default_rng([" not in said and "some words" not in said, page
    assert "was stopped at the time limit" in (course / f"feedback/Jim Example/{LAB}/{LAB}.html").read_text()
    assert not [line for line in hidden if len(line) > 20 and line in plain and line not in sent]


@pytest.mark.slow
def test_another_lab_is_marked_as_the_page_says(course, steps):
    """Right, right but different, typical mistakes and nothing, from the second lab."""
    lab = "localise-refine"
    page, full = LABS[lab], most(LABS[lab])
    expected = {"Abe": (handed_in(page, {}), full), "Bob": (handed_in(page, OTHERS[lab]), full)}
    expected["Cat"] = student(page), dict.fromkeys(full, 0)
    for number, (cells, lost) in enumerate(MISTAKES[lab]):
        expected[f"Dee {number}"] = handed_in(page, cells), full | {check: 0 for check in lost}
    for number, (who, (nb, _)) in enumerate(expected.items()):
        write(nb, course / f"downloaded/{lab}/archive/{who}_{number}_assignsubmission_file/{lab}.ipynb")
    for step in ("Release", "Collect", "Mark"):
        done = shell(steps[step].replace(LAB, lab), course)
        assert done.returncode == 0, done.stderr
    assert marks_in(course, expected, lab) == {who: given for who, (_, given) in expected.items()}


def marks_in(course, students, lab=LAB):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course}/gradebook.db") as book:
        return {
            who: {
                grade.name: grade.score
                for grade in book.find_submission_notebook(lab, lab, who).grades
                if grade.name != "open-question"
            }
            for who in students
        }


class TestInChromium:
    pytestmark = IN_BROWSER

    @LOADED
    @pytest.mark.slow
    def test_a_lab_is_filled_in_remembered_saved_and_marked(self, tab, site, root, tmp_path):
        started(tab, site, f"teach/student/{LAB}")
        first, second = (tab.locator("[contenteditable]").nth(place) for place in (1, 2))
        right = teacher(LABS[LAB]).cells[by_id(teacher(LABS[LAB]), "keep-probability")].source
        rewrite(tab, first, "\n".join(map(str.strip, right.splitlines())))  # the page indents
        second.fill("def privatise(bits, epsilon, rng):\n    return np.array(bits)")
        rewrite(tab, tab.get_by_role("textbox", name="Your answer"), "A coin / a term.\n\nIt adds.")
        tab.get_by_role("button", name="Run all").click()
        assert all_run(tab) == "done: 1 of 7 checks pass"
        said = tab.locator(".live-output .claim").all_inner_texts()
        assert said[0].startswith("✓ right This check passes")
        assert said[1].startswith("✗ not yet all reports are true, or all are false: each pupil needs a coin")
        assert said[2].startswith("✗ not yet An answer that this needs is still to be written")
        contents = tab.locator(".section-nav").first.locator("a")
        beside = [
            line.rpartition(". ")[2] for line in contents.all_text_contents() if "✓" in line or "✗" in line
        ]
        assert len(beside) == 7 and beside[0].endswith(" ✓ right") and beside[1].endswith(" ✗ not yet")
        second.press("End")
        second.press("Space")  # a change: its check and all below are open again
        assert sum("✓" in line or "✗" in line for line in contents.all_text_contents()) == 1

        asked = []
        tab.once("dialog", lambda dialog: asked.append(dialog.type) or dialog.accept())
        tab.reload()
        assert asked == ["beforeunload"]
        tab.click("text=Go on here")
        with tab.expect_download() as download:
            tab.get_by_role("button", name="Save the file to hand in").click()
        sent = tmp_path / f"submitted/Mo/{LAB}/{LAB}.ipynb"
        assert download.value.suggested_filename == sent.name
        download.value.save_as(sent)
        nb, given = read(sent), read(student_path(LABS[LAB]))
        written = {grade_id(cell): cell.source for cell in nb.cells}
        assert written["keep-probability"] == right and written["open-question"].endswith("\n\nIt adds.")
        for cell, own in zip(nb.cells, given.cells, strict=True):
            if grade_id(cell) in ("keep-probability", "privatise", "open-question"):
                own.source = cell.source
        assert nb == given

        write_course(root, tmp_path, "some words")
        check, mark = "python -m userdp_book handins .", f"nbgrader autograde {LAB}"
        assert shell(f"nbgrader generate_assignment {LAB}", tmp_path).returncode == 0
        assert shell(f"{check} && {mark}", tmp_path).returncode == 0
        first_alone = dict.fromkeys(most(LABS[LAB]), 0) | {"check-keep-probability": 2}
        assert marks_in(tmp_path, ["Mo"]) == {"Mo": first_alone}
        nb.cells[by_id(nb, "check-privatise")].source = "print('right')"
        write(nb, sent)
        assert f"Mo, {LAB}: cell check-privatise is locked" in shell(check, tmp_path).stdout

        tab.once("dialog", lambda dialog: dialog.accept())
        tab.get_by_role("button", name="Start again").click()
        assert "YOUR CODE HERE" in first.text_content()
        tab.once("dialog", lambda dialog: asked.append(dialog.type) or dialog.accept())
        tab.reload()
        assert asked == ["beforeunload"]  # nothing is lost: nothing is asked
        assert tab.inner_text(".live-start").endswith("Run here") and tab.complaints == []

    @LOADED
    @pytest.mark.slow
    @pytest.mark.parametrize("name", ["warm-up", "localise-refine", "break-it"])
    def test_a_lab_done_whole_in_the_page_has_all_marks_and_a_picture(self, tab, site, tmp_path, name):
        page = LABS[name]
        started(tab, site, f"teach/student/{name}")
        fields = tab.locator("[contenteditable]")
        empty = [k for k, text in enumerate(fields.all_text_contents()) if "YOUR CODE HERE" in text]
        checks, right = most(page), handed_in(page, {})
        answers = [
            cell.source for cell in code_cells(right) if cell.metadata.get("nbgrader", {}).get("solution")
        ]
        for place, answer in zip(empty, answers, strict=True):
            fields.nth(place).fill(answer)
        tab.get_by_role("button", name="Run all").click()
        assert all_run(tab) == f"done: {len(checks)} of {len(checks)} checks pass"
        assert tab.locator(".live-output img").count() >= 1
        with tab.expect_download() as download:
            tab.get_by_role("button", name="Save the file to hand in").click()
        download.value.save_as(tmp_path / f"{name}.ipynb")
        assert marks(page, read(tmp_path / f"{name}.ipynb")) == checks and tab.complaints == []


def rewrite(tab, field, text):
    """By keyboard alone."""
    field.focus()
    tab.keyboard.press("Control+a")
    tab.keyboard.type(text)


@pytest.mark.slow
def test_the_folder_is_the_same_when_it_is_made_again(root, course, monkeypatch):
    monkeypatch.chdir(root)
    source = course / f"source/{LAB}/{LAB}.ipynb"
    before, config = source.read_text(encoding="utf8"), course / "nbgrader_config.py"
    config.write_text(f"{config.read_text(encoding='utf8')}\n# mine\n", encoding="utf8")
    course_command([str(course)], 1)
    assert source.read_text(encoding="utf8") == before
    assert config.read_text(encoding="utf8").endswith("# mine\n")
    assert read(source) == marking(LABS[LAB], "some words")
    for lab in LABS:
        given = (course / f"students/{lab}.ipynb").read_text(encoding="utf8")
        assert not [word for word in ("HIDDEN", "SOLUTION", "MARK SCHEME") if word in given]


NAMES = {
    "Ada King Lovelace_1234567_assignsubmission_file/localise-refine.ipynb": "Ada King Lovelace",
    "Ana_Maria Silva_1234568_assignsubmission_file/Localise-Refine.ipynb": "Ana_Maria Silva",
    "José Núñez_1234569_assignsubmission_file_localise_refine_tim.ipynb": "José Núñez",
    "Bo Li_1234570_assignsubmission_file_/my work/localise-refine (1).ipynb": "Bo Li",
    "lovelaceada_LATE_12345_678910_localise-refine-1.ipynb": "lovelaceada",
    "hoppergrace_12346_678911_localise-refine.ipynb": "hoppergrace",
    "Jo Doe_1_assignsubmission_file/localise-refine.ipynb": "Jo Doe 1",
    "Jo Doe_2_assignsubmission_file/localise-refine.ipynb": "Jo Doe 2",
    "Cy Ng_3_assignsubmission_file/localise-refine.ipynb": None,
    "Cy Ng_3_assignsubmission_file/localise-refine (1).ipynb": "Cy Ng",
    "Cy Ng_3_assignsubmission_file/notes.txt": None,
    "localise-refine.ipynb": None,
}


def returned_to(name):
    """Whose page it is by each platform's own rule for uploads (Moodle 4, Canvas), "" if nobody sees it.

    Moodle asks of some folder or file for four words between underscores, the second a number, the third and
    fourth the part of Moodle that sent it; Canvas takes the first two words of the file that are numbers.
    """
    if name.rpartition("/")[2][0] in ".~":
        return ""
    for words in (part.split("_", 4) for part in name.split("/")):
        if len(words) > 3 and words[1].isdigit() and words[2:4] == ["assignsubmission", "file"]:
            return words[1]
    numbers = [word for word in name.rpartition("/")[2].split("_") if word.isdigit()]
    return " ".join(numbers[:2]) if len(numbers) > 1 else ""


def test_names_of_moodle_and_canvas_are_read(tmp_path):
    folder = tmp_path / "downloaded/localise-refine/extracted"
    for name in NAMES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    found = {path.relative_to(folder).as_posix(): one for path, one in sorted_out(folder).items()}
    assert found == {name: who and (who, "localise-refine") for name, who in NAMES.items()}
    with pytest.raises(FileNotFoundError):  # nothing to give back yet
        packed(tmp_path, "localise-refine")
    for who in filter(None, NAMES.values()):
        page = tmp_path / f"feedback/{who}/localise-refine/localise-refine.html"
        page.parent.mkdir(parents=True)
        page.write_text(who)
    with zipfile.ZipFile(packed(tmp_path, "localise-refine")) as back:
        given = {name: back.read(name).decode() for name in back.namelist()}
    html = {name.replace(".ipynb", ".html"): who for name, who in NAMES.items() if who}
    assert given == {re.sub("^.*/(?=.*_assign)", "", name): who for name, who in html.items()}
    whose = {who: returned_to(name) for name, who in given.items()}
    assert whose == {who: returned_to(name) for name, who in NAMES.items() if who}
    # Moodle itself writes a space where a name has an underscore
    assert [who for who, number in whose.items() if not number] == ["Ana_Maria Silva"]
    assert len({*whose.values()}) == len(whose) and returned_to("Cy Ng/localise-refine.html") == ""
    other = folder / "Di Oh_4_assignsubmission_file/Untitled.ipynb"
    other.parent.mkdir()
    other.touch()
    assert Collect().collect(str(other)) == {"student_id": "Di Oh", "file_id": "untitled"}


def edited(old, new):
    return lambda path: path.write_text(path.read_text(encoding="utf8").replace(old, new), encoding="utf8")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda path: path.rename(path.with_name("Untitled.ipynb")), "is missing, there is Untitled.ipynb"),
        (lambda path: path.write_text("{}"), "is no notebook"),
        (lambda path: path.write_text("<html>"), "is no notebook"),
        (edited("check-unbias", "q7"), "cell q7 is not of this lab"),
        (edited("assert np.isclose(keep", "(keep"), "cell check-keep-probability is locked and was changed"),
        (edited('"language": "python"', '"language": "R"'), "is for R"),
        (edited('"display_name":', '"displayed":'), "its kernel has no name"),
        (lambda path: write(handed_in(LABS["warm-up"], {}), path), "this is warm-up: ask for the right file"),
    ],
)
def test_files_that_are_not_the_lab_are_named(tmp_path, change, what):
    from userdp_book.teach.handins import check

    nb = handed_in(LABS[LAB], {})
    write(student(LABS[LAB]), tmp_path / f"release/{LAB}/{LAB}.ipynb")
    write(teacher(LABS["warm-up"]), tmp_path / "source/warm-up/warm-up.ipynb")
    nb.metadata.kernelspec["language"] = "python"
    path = tmp_path / f"submitted/Leo/{LAB}/{LAB}.ipynb"
    write(nb, path)
    assert check(tmp_path) == []
    change(path)
    assert any(what in line for line in check(tmp_path))


@pytest.mark.parametrize("who", ["Ted", "Uwe"])
def test_what_nbgrader_would_leave_out_is_mended(tmp_path, who):
    from nbformat.validator import isvalid, normalize

    write(handed_in(LABS[LAB], {}), tmp_path / "sent.ipynb")
    sent = read_bytes(BYTES[who]((tmp_path / "sent.ipynb").read_bytes()))
    whole = mended(sent, student(LABS[LAB]))
    assert [isvalid(normalize(nb)[1]) for nb in (sent, whole)] == [False, True]
    assert [cell.source for cell in whole.cells] == [cell.source for cell in sent.cells]


def read_bytes(text):
    return nbformat.reads(text.decode("utf8"), as_version=4)


def test_an_open_answer_beside_other_cells_is_found():
    page = LABS[LAB]
    sent = handed_in(page, {})
    place = by_id(sent, "open-question")
    answer = sent.cells[place].source
    sent.cells.insert(place, nbformat.v4.new_code_cell("1 + 1"))
    sent.cells.append(nbformat.v4.new_markdown_cell("Thanks."))
    whole = mended(stripped(sent), student(page))
    assert whole.cells[by_id(whole, "open-question")].source == answer


def test_mending_keeps_the_order_of_what_runs():
    page = LABS[LAB]
    released = student(page)
    for accident in (copied, deleted, stripped):
        sent = accident(handed_in(page, {}))
        whole = mended(sent, released)
        ids = [sorted(filter(None, map(grade_id, nb.cells))) for nb in (whole, released)]
        assert ids[0] == ids[1]
        own = [cell.source for cell in sent.cells]
        assert [cell.source for cell in whole.cells if cell.source in own] == own
    both = mended(deleted(deleted_answer(page)), released)
    assert both.cells[by_id(both, "transcript")].source == "# This cell was deleted."


def deleted_answer(page):
    nb = handed_in(page, {})
    del nb.cells[by_id(nb, "transcript")]
    return nb


@pytest.mark.parametrize("name", LABS)
def test_the_notebook_for_otter_has_every_question_with_its_marks(name):
    nb = otter.master(marking(LABS[name], "some words"), name)
    nbformat.validate(nb)
    raw = [cell.source for cell in nb.cells if cell.cell_type == "raw"]
    for kind in ("QUESTION", "SOLUTION", "TESTS"):
        assert sum(f"# BEGIN {kind}" in text for text in raw) == sum(f"# END {kind}" in text for text in raw)
    points = [int(found) for text in raw for found in re.findall(r"points: (?:\[0, )?(\d+)", text)]
    assert sum(points) == 20
    assert not [cell for cell in nb.cells if "### " in cell.source and cell.cell_type == "code"]
