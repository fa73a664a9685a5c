import itertools

import numpy as np
import pytest
from scipy.stats import binom

from laws import FALSE_ALARM, same_law
from userdp.local.cover import Cover, cover_select
from userdp_papers.theory.audit.exact import bits_channel, bits_loss, exact_loss
from userdp_papers.theory.exact.infinite_records import miss_probability, two_point_risk


def probes(cover, cells):
    """Points at which every combination of closed balls occurs: grid lines of half a cell, and off them."""
    line = np.concatenate(
        [np.linspace(-1, 1, 2 * cells + 1), np.linspace(-1, 1, 2 * cells + 1)[:-1] + 0.2 / cells]
    )
    return np.array(list(itertools.product(line, repeat=cover.centres.shape[1])))


def keep(epsilon):
    return 1 / (1 + np.exp(-epsilon / 2))


GRIDS = [(1, 1, "l2"), (1, 2, "l2"), (1, 3, "linf"), (1, 9, "l2"), (2, 2, "l2"), (2, 3, "linf"), (2, 5, "l2")]
GRIDS += [(2, 4, "linf"), (3, 2, "l2"), (3, 3, "l2"), (3, 4, "l2"), (3, 3, "linf")]


@pytest.mark.parametrize(("d", "cells", "metric"), GRIDS)
def test_printed_votes_cost_what_the_guarantee_says(d, cells, metric):
    cover = Cover.on_cube(d, cells, metric=metric)
    votes = cover.holds(probes(cover, cells)).astype(int)
    result = cover_select(
        np.zeros((3, d)), cover=cover, epsilon=0.7, rng=np.random.default_rng(1), printed=True
    )
    assert votes.any(axis=1).all()
    assert bits_loss(votes, keep(0.7)) == pytest.approx(result.guarantee.epsilon, rel=1e-12)


@pytest.mark.parametrize(("d", "cells", "metric"), GRIDS[1:])
def test_loss_of_one_vote_is_epsilon(d, cells, metric):
    cover = Cover.on_cube(d, cells, metric=metric)
    votes = np.eye(cover.count, dtype=int)[cover.index(probes(cover, cells))]
    assert bits_loss(votes, keep(1.3)) == pytest.approx(1.3, rel=1e-12)
    result = cover_select(np.zeros((3, d)), cover=cover, epsilon=1.3, rng=np.random.default_rng(1))
    assert result.guarantee.epsilon == 1.3


def test_loss_by_listing_every_report():
    cover = Cover.on_cube(1, 8)
    printed = cover.holds(probes(cover, 8)).astype(int)
    corrected = np.eye(8, dtype=int)[cover.index(probes(cover, 8))]
    assert exact_loss(bits_channel(printed, keep(1.0))) == pytest.approx(2.0, rel=1e-12)
    assert exact_loss(bits_channel(corrected, keep(1.0))) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_k_balls_around_each_point_cost_k_budgets(k):
    """Two clusters of k balls each: votes of k ones that share none."""
    centres = np.concatenate([np.linspace(-1, -0.9, k), np.linspace(0.9, 1, k)])[:, None]
    cover = Cover(centres, 0.5)
    votes = cover.holds(centres).astype(int)
    result = cover_select(centres, cover=cover, epsilon=0.4, rng=np.random.default_rng(1), printed=True)
    assert bits_loss(votes, keep(0.4)) == pytest.approx(k * 0.4, rel=1e-12)
    assert result.guarantee.epsilon == pytest.approx(k * 0.4, rel=1e-12)


@pytest.mark.parametrize("every_report", [False, True])
def test_a_printed_vote_is_for_every_ball_that_holds_the_mean_and_for_no_other(every_report):
    """The budget is so large that no entry is flipped."""
    cover, rng = Cover.on_cube(1, 8), np.random.default_rng(3)
    means = np.linspace(-1, 1, 17)[:, None]  # borders of balls, and middles
    held = cover.holds(means)
    options = {"epsilon": 100.0, "printed": True, "every_report": every_report, "rng": rng}
    assert {*held.sum(axis=1)} == {1, 2}
    assert np.array_equal(cover_select(means, cover=cover, **options).votes, held.sum(axis=0))


@pytest.mark.parametrize("every_report", [False, True])
def test_printed_votes_of_users_in_no_ball_are_noise_in_every_ball(every_report):
    cover, options = Cover(np.array([[0.0], [0.5], [1.0]]), 0.1), {"epsilon": 1.0, "printed": True}
    rng = np.random.default_rng(4)
    found = cover_select(np.full((6, 1), -1.0), cover=cover, rng=rng, every_report=every_report, **options)
    assert found.votes.shape == (3,) and np.all((found.votes >= 0) & (found.votes <= 6))


@pytest.mark.parametrize("metric", ["l2", "linf"])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_a_point_lies_in_its_ball_and_in_the_first_one(d, metric):
    cover = Cover.on_cube(d, 7, metric=metric)
    points = np.concatenate([np.random.default_rng(3).uniform(-1, 1, (200, d)), probes(cover, 1)])
    chosen = cover.index(points)
    distances = cover.distances(points)
    assert (distances[np.arange(len(points)), chosen] <= cover.radius * (1 + 1e-9)).all()
    np.testing.assert_array_equal(chosen, cover.holds(points).argmax(axis=1))


def test_edges_go_to_the_first_ball_and_outside_to_the_nearest():
    cover = Cover.on_cube(1, 4)
    np.testing.assert_array_equal(cover.index([[-1.0], [-0.5], [0.0], [0.5], [1.0]]), [0, 0, 1, 2, 3])
    np.testing.assert_array_equal(Cover([[0.0], [1.0]], 0.1).index([[0.4], [0.6], [9.0]]), [0, 1, 1])
    rim = np.outer([1 - 1e-12, 1 + 0.8e-9, 1 + 1.2e-9], [1.2, 1.6])  # balls are closed, up to rounding
    assert Cover([[0.0, 0.0]], 2.0).holds(rim).ravel().tolist() == [True, True, False]


def test_the_most_balls_that_tell_two_points_apart_are_exact_where_stated_and_never_above_all():
    """In four dimensions runs of two cells along each axis that share one: 2^4 + 2^4 - 2; in l2 all 81."""
    assert [Cover.on_cube(4, 3, metric=metric).differing for metric in ("linf", "l2")] == [30, 81]
    assert Cover([[0.0], [1.0]], 0.1, differing=9).differing == 2


@pytest.mark.parametrize("printed", [False, True])
def test_vote_totals_have_the_law_of_the_summed_votes(printed):
    cover = Cover.on_cube(2, 3)
    points = np.random.default_rng(5).choice([-1 / 3, 0.1, 1.0], size=(31, 2))
    rng = np.random.default_rng(6)

    def draw(epsilon, every_report):
        options = dict(epsilon=epsilon, rng=rng, printed=printed, every_report=every_report)
        return np.array([cover_select(points, cover=cover, **options).votes for _ in range(1000)])

    fast = draw(2.0, False)
    assert same_law(fast, draw(2.0, True))
    assert not same_law(fast, draw(1.2, True))


def test_the_printed_votes_are_not_the_corrected_ones():
    cover, rng = Cover.on_cube(2, 2), np.random.default_rng(7)
    points = np.zeros((50, 2))

    def draw(printed):
        runs = (
            cover_select(points, cover=cover, epsilon=1.0, rng=rng, printed=printed).votes for _ in range(500)
        )
        return np.array(list(runs))

    assert not same_law(draw(True), draw(False))


@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize("votes, chosen", [((5, 5, 2), 0), ((3, 6, 1), 1), ((2, 4, 4), 1), ((1, 2, 7), 2)])
def test_the_ball_with_the_most_votes_wins_and_the_first_in_a_tie(votes, chosen, printed):
    """The budget is so large that no entry is flipped, and each point lies in one ball."""
    cover = Cover(np.array([[-0.8], [0.0], [0.8]]), 0.2)
    points = np.repeat(cover.centres, votes, axis=0)
    found = cover_select(points, cover=cover, epsilon=100.0, rng=np.random.default_rng(3), printed=printed)
    assert (found.votes.tolist(), found.chosen, found.value) == ([*votes], chosen, cover.centres[chosen])


@pytest.mark.parametrize(("theta", "n"), [(-1.0, 40), (0.31, 41), (1.0, 40)])
def test_many_users_find_the_ball(theta, n):
    cover = Cover.on_cube(2, 5)
    points = np.full((n, 2), theta)
    result = cover_select(points, cover=cover, epsilon=6.0, rng=np.random.default_rng(8))
    assert result.chosen == cover.index(points)[0]
    assert np.linalg.norm(result.value - theta) <= cover.radius * (1 + 1e-9)
    assert result.votes.shape == (25,)


@pytest.mark.parametrize(("n", "count", "epsilon"), [(1, 2, 1.0), (7, 3, 0.5), (12, 40, 2.0)])
def test_miss_probability_by_simulation_and_for_two_balls_in_closed_form(n, count, epsilon):
    rng, runs = np.random.default_rng(9), 40_000
    votes = rng.binomial(n, 1 - keep(epsilon), (runs, count))
    votes[:, 0] = rng.binomial(n, keep(epsilon), runs)
    missed = np.count_nonzero(votes[:, 0] <= votes[:, 1:].max(axis=1))
    exact = miss_probability(n, count, epsilon=epsilon)
    assert binom.sf(missed - 1, runs, exact) > FALSE_ALARM / 2
    assert binom.cdf(missed, runs, exact) > FALSE_ALARM / 2
    assert binom.sf(missed - 1, runs, 0.9 * exact) < FALSE_ALARM
    closed = binom.cdf(n, 2 * n, keep(epsilon))
    assert miss_probability(n, 2, epsilon=epsilon) == pytest.approx(closed, rel=1e-10)


def test_one_ball_is_never_missed():
    assert miss_probability(5, 1, epsilon=1.0) == 0
    result = cover_select(
        np.zeros((5, 2)), cover=Cover.on_cube(2, 1), epsilon=1.0, rng=np.random.default_rng(1)
    )
    assert result.chosen == 0


def test_two_point_risk_is_that_of_the_best_estimate_from_randomised_bits():
    """All 2^n transcripts; the posterior mean, and the sign of the majority, which must do worse."""
    n, p = 5, 1 / (1 + np.exp(-0.6))
    ones = np.array(list(itertools.product((0, 1), repeat=n))).sum(axis=1)
    high, low = p**ones * (1 - p) ** (n - ones), (1 - p) ** ones * p ** (n - ones)
    for estimate, best in [((high - low) / (high + low), True), (np.sign(ones - n / 2), False)]:
        risk = (low @ (estimate + 1) ** 2 + high @ (estimate - 1) ** 2) / 2
        assert np.isclose(risk, two_point_risk(n, epsilon=0.6), rtol=1e-12, atol=0) == best
        assert risk >= two_point_risk(n, epsilon=0.6) - 1e-12


@pytest.mark.parametrize(("n", "epsilon"), [(1, 0.3), (20, 1.0), (500, 2.0)])
def test_two_point_risk_lies_between_its_closed_forms(n, epsilon):
    risk = two_point_risk(n, epsilon=epsilon)
    assert np.exp(-n * epsilon * np.tanh(epsilon / 2)) / 2 <= risk <= 2 * np.cosh(epsilon / 2) ** -n


def test_a_point_far_outside_votes_for_the_ball_nearest_to_it():
    cover = Cover.on_cube(2, 3)
    chosen = cover.centres[cover.index([[1e308, 0.0], [0.1, -np.inf]])]
    assert np.allclose(chosen, [[2 / 3, 0], [0, -2 / 3]])


@pytest.mark.parametrize("wrong", [{"d": 0}, {"cells": 2.5}, {"metric": "l1"}])
def test_public_parameters_are_named(wrong):
    ((name, value),) = wrong.items()
    with pytest.raises(ValueError, match=f"{name} must be .* got {value!r}"):
        Cover.on_cube(**{"d": 2, "cells": 2} | wrong)
