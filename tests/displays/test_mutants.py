"""What is stored of changed displays: it is about checks that exist, and comes out again."""

import ast
import random
import subprocess
import sys
from collections import Counter

import mutants
import pytest
from mutants import FOLDER, STORED, checks, compared, functions, read

ROWS = read(STORED)


def changes(text):
    """The changes of a test that is given as text."""
    return [one[:3] for one in mutants.mutants(ast.parse(text).body)]


@pytest.mark.parametrize(
    ("asserted", "kind", "after"),
    [
        ("a == b - c", "sign", "a == b + c"),
        ("a == b - c", "dropped term", "a == b"),
        ("a == b * c", "dropped factor", "a == b"),
        ("a <= b", "factor", "a <= 2 * b"),
        ("a <= b", "direction", "a >= b"),
        ("a == b ** 2", "exponent", "a == b"),
        ("a == min(b, c)", "twin", "a == max(b, c)"),
        ("a == approx(b + c, rel=1e-09)", "sign", "a == approx(b - c, rel=1e-09)"),
        ("b or a == c", "factor", "a == 2 * c"),
    ],
)
def test_an_asserted_formula_is_changed(asserted, kind, after):
    found = changes(f"def test(a, b, c):\n    assert {asserted}")
    assert (kind, asserted.removeprefix("b or "), after) in found


def test_a_name_and_a_helper_are_changed_where_they_are_computed():
    helper = "def twice(x):\n    return 2 * x\n"
    found = changes(f"{helper}def test(a):\n    b = a + 3\n    assert b == twice(a)")
    assert ("sign", "a + 3", "a - 3") in found
    assert ("dropped factor", "2 * x", "x") in found


@pytest.mark.parametrize("asserted", ["a != b + c", "a[b + c] is None", "f(k=a + b) is c"])
def test_controls_indices_and_options_are_no_formulas(asserted):
    assert not any(kind == "sign" for kind, *_ in changes(f"def test(a, b, c):\n    assert {asserted}"))
    assert not changes("def test(a, b):\n    assert a != b")


def test_a_rounding_tolerance_is_no_formula():
    kinds = {kind for kind, *_ in changes("def test(a, b):\n    assert a <= b * (1 + 1e-12)")}
    assert kinds == {"factor", "direction"}


def test_what_only_widens_is_told_from_what_narrows_or_changes_nothing():
    assert compared([1.0, 2.0], [1.0, 3.0]) == "wider"
    assert compared([1.0, 2.0], [1.5, 1.9]) == compared([1.0], []) == "narrower"
    assert compared([1.0], [1.0]) == "same"


def test_the_stored_changes_are_of_checks_that_exist():
    """Every check of this folder with a formula, each count and each survivor still possible."""
    known = checks()
    assert {row["test"] for row in ROWS} == known.keys()
    for name in known:
        possible = [one[1:3] for one in mutants.mutants(functions(known[name], name))]
        rows = [row for row in ROWS if row["test"] == name]
        assert sum(int(row["count"]) for row in rows) <= len(possible), name
        survivors = [(row["before"], row["after"]) for row in rows if row["outcome"] == "survived"]
        assert {*survivors} <= {*possible}, name


def test_nearly_all_changes_are_seen_and_each_other_is_argued():
    count = Counter()
    for row in ROWS:
        count[row["outcome"]] += int(row["count"])
        assert row["outcome"] != "survived" or row["why"].endswith("."), row
    assert count["killed"] >= 0.95 * (count["killed"] + count["survived"])


@pytest.mark.slow
def test_a_draw_of_checks_comes_out_as_stored(tmp_path):
    """Eight tests with all of their changes, without what is left unfinished after seconds."""
    chosen = random.Random(5).sample(sorted(checks()), 8)
    command = [sys.executable, FOLDER / "mutants.py", *chosen, "--store", tmp_path / "rows.csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert read(tmp_path / "rows.csv") == [row for row in ROWS if row["test"] in chosen]
