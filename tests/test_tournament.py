"""The tournament: situations come again, rivals keep the budget's scale, and a beaten first is told."""

import csv

import numpy as np
import pytest

from tournament import RIVALS, keeps, main, own_means, situation
from userdp.planning.local_methods import TELL_NOTHING
from userdp_book.evidence.tournament import COLUMNS, verdict


def test_a_situation_comes_again_and_tuning_has_seeds_of_its_own():
    one, again, tuning = (situation(seed, 3) for seed in (5, 5, -5))
    assert one.question["n"] == again.question["n"] and one.theta == again.theta != tuning.theta
    means, sizes = one.users(np.random.default_rng(1))
    low, high = one.question["domain"]
    assert low <= means.min() <= means.max() <= high and sizes.shape == means.shape


@pytest.mark.parametrize("shape", ["beta", "skewed", "bimodal", "ends"])
def test_own_means_have_the_declared_moments(shape):
    own = own_means(shape, 0.2, 0.1, 200_000, np.random.default_rng(1))
    assert own.mean() == pytest.approx(0.2, abs=0.01) and own.std() == pytest.approx(0.1, rel=0.05)


def test_sizes_tell_where_a_situation_says_so():
    found = [situation(2, number) for number in range(60)]
    told = next(at for at in found if at.tells and at.spread > 0.05 and at.question["n"] > 1000)
    means, sizes = told.users(np.random.default_rng(1))
    assert np.corrcoef(np.argsort(np.argsort(sizes)), means)[0, 1] > 0.05


@pytest.mark.slow
def test_a_small_tournament_writes_a_row_for_every_method(tmp_path):
    said = main(["--count", "4", "--runs", "20", "--seed", "3", "--to", str(tmp_path / "table.csv")])
    with (tmp_path / "table.csv").open(encoding="utf8", newline="") as table:
        found = [*csv.DictReader(table)]
    assert "first beaten by a factor of 1.25:" in said and tuple(found[0]) == ("seed", *COLUMNS)
    for number in "0123":
        here = [row for row in found if row["situation"] == number]
        names = {row["method"] for row in here if row["kind"] == "rival"}
        assert here[0]["kind"] == "option" and here[0]["against first"] == "1.000"
        assert names and names <= RIVALS[here[0]["trust"]].keys()


def test_a_beaten_first_and_a_broken_word_are_told():
    row = dict.fromkeys(COLUMNS, "x") | {"situation": 1, "foretold": "1", "against first": "1.0"}
    row |= {"useful": "0.5", "assumed": True}
    found = [
        row | {"kind": "option", "seen": "2"},
        row | {"kind": "rival", "seen": "0.2", "against first": "0.5"},
    ]
    assert "predicted: 0 of 1" in verdict(found) and "by a factor of 1.25: 1 of 1" in verdict(found)
    found[1]["against first"] = "0.9"
    assert "1.1: 1 of 1" in verdict(found) and "1.25: 0 of 1" in verdict(found)
    found[1]["seen"] = "0.6"  # of no more use than half a guess
    assert "1.1: 0 of 1" in verdict(found)


def test_an_assumption_is_held_against_what_was_drawn():
    found = [situation(2, number) for number in range(80)]
    ends = next(at for at in found if at.shape == "ends" and at.spread)
    assert not keeps("own means with normal tails of deviation 0.1", ends) and keeps("nothing", ends)
    told = next(at for at in found if at.tells)
    assert not keeps(f"x; {TELL_NOTHING}", told) and keeps("nothing", told)
