"""The tournament: situations come again, rivals keep the budget's scale, and a beaten first is told."""

import csv

import numpy as np
import pytest

import tournament
from tournament import (
    INTEGRATED,
    RIVALS,
    Method,
    Seen,
    by_rival,
    clipped_means,
    judged,
    keeps,
    main,
    own_means,
    own_target,
    situation,
    unsure,
    with_noise,
)
from userdp.planning.local_methods import TELL_NOTHING
from userdp_book.evidence.tournament import COLUMNS, read, verdict


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


def test_the_order_of_users_tells_nothing():
    """With two sizes most are tied; false alarms once in 15,000."""
    found = [situation(2, number) for number in range(99)]
    of_two = [at for at in found if at.tells and len(getattr(at.sizes, "values", ())) == 2]
    told = max(of_two, key=lambda at: at.question["n"])
    means, _ = told.users(np.random.default_rng(1))
    assert abs(np.corrcoef(np.arange(means.size), means)[0, 1]) < 4 / np.sqrt(means.size)


@pytest.mark.slow
def test_a_small_tournament_writes_a_row_for_every_method(tmp_path, monkeypatch):
    monkeypatch.setattr(tournament, "AGAIN", 1)  # which rows there are does not depend on it
    said = main(["--count", "4", "--runs", "20", "--seed", "17", "--to", str(tmp_path / "table.csv")])
    with (tmp_path / "table.csv").open(encoding="utf8", newline="") as table:
        found = [*csv.DictReader(table)]
    assert "a sound first beaten by a factor of 1.25:" in said and tuple(found[0]) == ("seed", *COLUMNS)
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
    assert "predicted: 0 of 1" in verdict(found)
    assert "a sound first beaten by a factor of 1.25: 1 of 1" in verdict(found)
    for one in found:  # a first that was told what is false, or a rival that bets, is told apart
        said = verdict([row | {"assumed": row is not one} for row in found])
        assert "any first beaten by a factor of 1.25: 1 of 1" in said
        assert "a sound first beaten by a factor of 1.25: 0 of" in said
    found[1]["against first"] = "0.9"
    assert "sound first beaten by a factor of 1.1: 1 of 1" in verdict(found)
    assert "sound first beaten by a factor of 1.25: 0 of 1" in verdict(found)
    found[1]["seen"] = "0.6"  # of no more use than half a guess
    assert "sound first beaten by a factor of 1.1: 0 of 1" in verdict(found)


def test_only_what_is_near_a_threshold_and_sound_is_run_again():
    option, rival = (Method("x", kind, "", True, 1.0, lambda *_: 0.0) for kind in ("option", "rival"))
    assert unsure(option, Seen(1.15, 0.01, 1.0, 0.0)) and not unsure(option, Seen(1.0, 0.01, 1.0, 0.0))
    assert unsure(rival, Seen(1.0, 0.01, 0.8, 0.01)) and unsure(rival, Seen(1.0, 0.01, 0.92, 0.01))
    assert not unsure(rival, Seen(1.0, 0.01, 1.0, 0.01)) and unsure(rival, Seen(1.0, 0.01, 1.0, 0.1))
    assert not unsure(rival, Seen(1.0, 0.1, 1.0, 0.0))  # errs by much in the same runs as the first
    assert not unsure(rival._replace(assumed=False), Seen(1.0, 0.01, 0.8, 0.01))


def test_a_method_is_compared_with_the_first_in_the_same_runs(monkeypatch):
    """The first is run again with whoever is unsure; the others keep the ratio of their own runs."""
    first, same, near = (Method(x, "rival", "", True, 1.0, lambda *_: 0.0) for x in "abc")
    times = iter([
        [Seen(1.0, 0.0, 1.0, 0.0), Seen(1.0, 0.0, 1.0, 0.0), Seen(0.9, 0.1, 0.9, 0.1)],
        [Seen(2.0, 0.0, 1.0, 0.0), Seen(2.4, 0.0, 1.2, 0.0)],
    ])  # fmt: skip
    monkeypatch.setattr(tournament, "seen", lambda *_: next(times))
    found = judged([first, same, near], situation(1, 0), 1, 1)
    assert [one.ratio for one in found] == [1.0, 1.0, 1.2]


def test_noise_and_places_are_integrated_out():
    rng = np.random.default_rng(1)
    drawn = np.clip(0.8 + rng.laplace(scale=0.3, size=10**6), -1, 1)
    assert with_noise(0.8, 0.3, 0.5) == pytest.approx(np.mean((drawn - 0.5) ** 2), rel=0.01)
    assert with_noise(-0.8, 0.3, -0.5) == pytest.approx(with_noise(0.8, 0.3, 0.5), rel=1e-12)
    for scale, square in ((1e-9, 0.3**2), (1e4, 1 + 0.5**2)):  # no noise, and an end or the other
        assert with_noise(0.8, scale, 0.5) == pytest.approx(square, rel=1e-3)
    x = np.sort(rng.uniform(-1, 1, 50))
    low, high = np.array([-0.5, 0.0]), np.array([0.1, 0.3])
    clipped = [np.clip(x, -0.5, 0.1).mean(), np.clip(x, 0.0, 0.3).mean()]
    assert clipped_means(x, low, high) == pytest.approx(clipped)


def test_a_tournament_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    """Rows of the same seed stay, those of another go; the first situation is not met again."""
    met, path = [], tmp_path / "table.csv"
    row = dict.fromkeys(COLUMNS, "x") | {"kind": "option", "foretold": "1", "seen": "1", "useful": "0.5"}

    def one(at, runs, seed):
        met.append((seed, at.number))
        yield row | {"situation": at.number, "against first": "1.0"}

    monkeypatch.setattr(tournament, "rows", one)
    main(["--count", "1", "--seed", "3", "--to", str(path)])
    main(["--count", "3", "--seed", "3", "--to", str(path), "--resume"])
    assert met == [(3, 0), (3, 1), (3, 2)] and [row["situation"] for row in read(path)] == [*"012"]
    main(["--count", "2", "--seed", "4", "--to", str(path), "--resume"])
    assert met[3:] == [(4, 0), (4, 1)] and {row["seed"] for row in read(path)} == {"4"}


@pytest.mark.parametrize("shape", ["beta", "skewed", "bimodal", "ends"])
def test_the_target_is_the_mean_of_own_means_where_some_are_clipped(shape):
    """Clipping moves the skewed mean by 0.006, users at the ends by 0.016: thirty deviations or more."""
    at = situation(2, 1)
    at = at._replace(shape=shape, theta=0.5, question=at.question | {"domain": (-1.0, 1.0), "spread": 0.2})
    own = own_means(shape, 0.5, 0.2, 10**6, np.random.default_rng(1))
    assert own.mean() == pytest.approx(own_target(at), abs=1e-3)
    assert (abs(own_target(at) - 0.5) > 3e-3) == (shape in ("skewed", "ends"))


@pytest.mark.parametrize("name", ["median and clip", "quantile clip"])
def test_a_rare_failure_counts_before_it_happens(name):
    """With so few users a median is hardly told from an end: of no use, and never seen in a lucky run."""
    at = next(at for at in (situation(2, k) for k in range(99)) if at.question["n"] < 60 and not at.spread)
    at = at._replace(question=at.question | {"epsilon": 0.1})
    (low, high), users = at.question["domain"], at.users(np.random.default_rng(1))
    errs = by_rival(RIVALS["curator"][name], at, name in INTEGRATED)
    target = low + (high - low) * (1 + at.theta) / 2
    squared = errs(*users, np.random.default_rng(1), target)
    assert squared == errs(*users, np.random.default_rng(2), target) and squared > (high - low) ** 2 / 50


def test_an_assumption_is_held_against_what_was_drawn():
    found = [situation(2, number) for number in range(80)]
    ends = next(at for at in found if at.shape == "ends" and at.spread)
    assert not keeps("latent means with normal tails of deviation 0.1", ends) and keeps("nothing", ends)
    told = next(at for at in found if at.tells)
    assert not keeps(f"x; {TELL_NOTHING}", told) and keeps("nothing", told)
