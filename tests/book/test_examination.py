"""The examination: variants that differ, solutions that follow from the questions, papers without them."""

import re

import pytest

from examination import SOLUTION, TEMPLATE, filled, numbers, write_papers

TEXT = TEMPLATE.read_text(encoding="utf8")


def test_variants_follow_the_secret_and_differ():
    variants = {filled(TEXT, secret, letter) for secret in ("one", "another") for letter in "ABCD"}
    assert len(variants) == 8
    assert filled(TEXT, "one", "A") == filled(TEXT, "one", "A")
    assert all("@" not in text for text in variants)
    proofs = {filled(TEXT, "one", letter).partition("## 6.")[2].partition("a) Find")[0] for letter in "ABCD"}
    assert len(proofs) == 4


@pytest.mark.parametrize("seed", range(5))
def test_neighbours_have_other_numbers_in_every_question(seed):
    papers = [numbers(str(seed), letter) for letter in "ABCD"]
    drawn = "eps per_day days n p k users m budget bins a b central release largest sizes guess loss keep"
    assert all(len({paper[name] for paper in papers}) == 4 for name in drawn.split())


def test_marks_and_minutes_add_up():
    marks = [int(x) for x in re.findall(r"^## .*\((\d+) marks, \d+ minutes\)", TEXT, re.M)]
    minutes = [int(x) for x in re.findall(r"^## .*\(\d+ marks, (\d+) minutes\)", TEXT, re.M)]
    assert sum(minutes) == 120 and sum(marks) == 60
    for whole, part in zip(marks, re.split(r"^## ", TEXT, flags=re.M)[1:], strict=True):
        assert sum(int(x) for x in re.findall(r"\((\d+) marks?\)", part)) == whole, part[:40]


@pytest.mark.parametrize("seed", range(5))
def test_solutions_are_right(seed):
    """Each number of a solution, once more from the question's own text."""
    text = filled(TEXT, str(seed), "A")
    n, p = re.search(r"n = (\d+)\$ pupils sends the true bit with probability \$p = ([\d.]+)", text).groups()
    ones = int(re.search(r"(\d+) of the reports are 1", text)[1])
    estimate = float(re.search(r"= ([\d.]+)\$ \(2 for inverting", text)[1])
    back = estimate * float(p) + (1 - estimate) * (1 - float(p))
    assert back * int(n) == pytest.approx(ones, abs=0.5) and 0 < estimate < 1
    sizes = [int(x) for x in re.search(r"readers borrowed ([\d, ]+) books", text)[1].split(",")]
    rank, bound = map(int, re.search(r"Rank (\d+), so \$C = (\d+)\$", text).groups())
    assert sum(size >= bound for size in sizes) == rank
    cut, added, both = map(
        float, re.search(r"cut is ([\d.]+) and .* = ([\d.]+)\$, together ([\d.]+)", text).groups()
    )
    assert cut == sum(max(size - bound, 0) for size in sizes) and both == pytest.approx(cut + added, rel=1e-3)


def test_a_paper_shows_no_solution(tmp_path):
    (tmp_path / "secret.txt").write_text("words")
    assert write_papers(TEMPLATE.parents[1], tmp_path) == 4
    for letter in "ABCD":
        paper, solutions = (
            (tmp_path / f"examination/{name}-{letter}.html").read_text(encoding="utf8")
            for name in ("paper", "solutions")
        )
        for hidden in SOLUTION.findall(filled(TEXT, "words", letter)):
            assert hidden.split(" (")[0][3:40] not in paper
        assert "By basic composition" in solutions and ":::" not in paper + solutions


@pytest.mark.parametrize("seed", range(5))
def test_the_cap_between_the_two_weights_is_better_than_both(seed):
    """From the question's text: four users of one precision and one of another, at every cap."""
    text = filled(TEXT, str(seed), "B")
    precisions = [float(x) for x in re.search(r"sigma_u\^2 = ([\d, ]+)\$", text)[1].split(",")]
    epsilon = float(re.search(r"inverse variances at \$\\varepsilon = ([\d.]+)", text)[1])
    equal, inverse, cap, capped = (
        float(re.search(pattern, text)[1])
        for pattern in (
            r"0\.2, variance \$([\d.]+)",
            r", variance \$([\d.]+)\$ \(3",
            r"T = (\d+)\$",
            r"variance is \$([\d.]+)",
        )
    )

    def variance(raw):
        weights = [one / sum(raw) for one in raw]
        spread = sum(w * w / one for w, one in zip(weights, precisions, strict=True))
        return spread + 2 * (max(weights) / epsilon) ** 2

    assert variance([1] * 5) == pytest.approx(equal, rel=1e-3)
    assert variance(precisions) == pytest.approx(inverse, rel=1e-3)
    assert variance([min(one, cap) for one in precisions]) == pytest.approx(capped, rel=1e-3)
    assert capped < 0.97 * min(equal, inverse)
