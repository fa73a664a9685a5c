"""The ledger: every numbered display and line of an algorithm has its statement, status and test."""

import ast
import csv
import re
from collections import Counter
from importlib.resources import files

import pytest

from userdp_book.site.ledger import KEY, SOUND, tally, way
from userdp_papers.study.claims import STATUSES, displays, faults, judgements, mutants, statements

DISPLAYS = displays()
TABLE = files("userdp_papers") / "study" / "judgement" / "mutants.csv"
FIELDS = {"statement", "says", "status", "step", "check", "fault", "reason"}
# The papers whose ledger is whole, and how each numbers its displays.
NUMBERED: list[str] = ["dame", "kent", "liu", "cummings"]
WHOLE = {
    "kent": [str(n) for n in range(1, 242)],
    "dame": [*map(str, range(1, 16)), *(f"s{n}" for n in range(1, 148))],
    "liu": [str(n) for n in range(1, 24)],
    "cummings": [str(n) for n in range(10, 26)],
}


@pytest.fixture(scope="module")
def test_names(root):
    trees = [ast.parse(path.read_text(encoding="utf8")) for path in (root / "tests").rglob("test_*.py")]
    return {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def wrong(key, display, test_names):
    """Everything that is wrong with one row."""
    if not (found := KEY.fullmatch(key)) or display.get("statement") not in statements():
        return ["no such key or statement"]
    problems = []
    if found["place"] and f"{found['paper']}-{found['place']}" not in statements():
        problems.append("a line or display of nothing")
    if not display.keys() <= FIELDS or display["status"] not in STATUSES or not display["says"].endswith("."):
        problems.append("unknown field or status, or half a sentence")
    if unknown := set(display.get("check", [])) - judgements().keys() - test_names:
        problems.append(f"checked by what there is not: {unknown}")
    if display["status"] not in (*SOUND, "glyph") and not ({"fault", "check"} & display.keys()):
        problems.append("not as printed, but neither a fault nor a check")
    if display.get("fault", "") not in ("", *faults()):
        problems.append("an unknown fault")
    if display["status"] != "definition" and not ({"step", "check", "reason"} & display.keys()):
        problems.append("no step, no check, no reason")
    return problems


def test_every_display_has_its_statement_its_status_and_its_test(test_names):
    problems = {key: wrong(key, display, test_names) for key, display in DISPLAYS.items()}
    assert {key: found for key, found in problems.items() if found} == {}


SOUND_ROW = {"statement": "kent-thm-1", "says": "It is so.", "status": "ok", "step": "By (1)."}


@pytest.mark.parametrize(
    ("key", "planted"),
    [
        ("kent-eq-one", {}),
        ("kent-thm-999-line-1", {}),
        ("kent-eq-1", {"statement": "kent-thm-99"}),
        ("kent-eq-1", {"status": "true"}),
        ("kent-eq-1", {"says": "half a"}),
        ("kent-eq-1", {"status": "false, repaired"}),
        ("kent-eq-1", {"status": "false, repaired", "fault": "no-such"}),
        ("kent-eq-1", {"check": ["kent-thm-1.99"]}),
        ("kent-eq-1", {"check": ["test_that_is_not"]}),
        ("kent-eq-1", {"step": None}),
    ],
)
def test_a_planted_fault_is_refused(key, planted, test_names):
    assert wrong("kent-eq-1", SOUND_ROW, test_names) == []
    row = {name: value for name, value in (SOUND_ROW | planted).items() if value is not None}
    assert wrong(key, row, test_names)


@pytest.mark.parametrize("paper", NUMBERED)
def test_no_number_is_missing(paper):
    found = [KEY.fullmatch(key) for key in DISPLAYS]
    assert [one["number"] for one in found if one["paper"] == paper and one["number"]] == WHOLE[paper]


@pytest.mark.parametrize("paper", NUMBERED)
def test_every_algorithm_is_there_line_by_line(paper):
    for id, item in statements().items():
        if item["paper"] == paper and item["kind"] == "algorithm":
            lines = [key for key in DISPLAYS if key.startswith(f"{id}-line-")]
            assert lines == [f"{id}-line-{number}" for number in range(1, len(lines) + 1)] != []


@pytest.mark.parametrize("paper", NUMBERED)
def test_nine_displays_in_ten_have_a_check_or_a_step(paper):
    how = Counter(way(one) for one in DISPLAYS.values() if one["statement"].startswith(paper))
    claims = how.total() - how["definition"]
    assert how["tested"] + how["step"] >= 0.9 * claims > 0
    assert (f"Of {how['reason']} it is said why" in tally(how)) == (how["reason"] > 0)
    assert f"Of {how.total()} displays" in tally(how) and f"{how['step']} more follow" in tally(how)


def test_each_statement_with_displays_has_one_walk(root):
    walk = re.compile(r"^`{3,}\{walk\} (\S+)$", re.MULTILINE)
    pages = (root / "book").rglob("*.md")
    walks = [id for page in pages for id in walk.findall(page.read_text(encoding="utf8"))]
    assert sorted(walks) == sorted({display["statement"] for display in DISPLAYS.values()})


def test_changes_of_formulas_are_counted_by_what_came_of_them():
    """Of one test with survivors and of one without: what the table of changes holds, summed by hand."""
    killed, passed, named = Counter(), Counter(), {}
    for row in csv.DictReader(TABLE.read_text(encoding="utf8").splitlines()):
        killed[row["test"]] += int(row["count"]) * (row["outcome"] == "killed")
        passed[row["test"]] += int(row["count"]) * (row["outcome"] == "survived")
        named[row["outcome"]] = row["test"]
    tests = {named["killed"], named["survived"]}
    counts, rows = mutants([{"check": [*tests, "no-such-test"]}, {"check": ["no-such-test"]}])
    assert (counts["tests"], counts["displays"]) == (len(tests), 1)
    assert counts["killed"] == sum(killed[test] for test in tests)
    assert counts["survived"] == sum(passed[test] for test in tests) == sum(int(row["count"]) for row in rows)
    assert counts["share"] == counts["killed"] / (counts["killed"] + counts["survived"]) < 1
