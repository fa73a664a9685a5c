"""DAME-BS as we have it: its transcript, its law, and the slip that it must not share."""

import itertools
import sys

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import ks_2samp

from userdp.privacy.reports import LaplaceReport, TwoPointReport
from userdp_papers.populations import Signs
from userdp_papers.printed import search_groups, searched_mean
from userdp_papers.theory.audit import exact_loss


@pytest.mark.parametrize("n, size, epsilon", [(500, 300, 3.3), (4001, 50, 1.0), (60, 7, 0.2)])
def test_every_user_answers_once_and_loses_the_budget(monkeypatch, n, size, epsilon):
    asked, answered = [], []
    module = sys.modules["userdp_papers.printed.searched"]
    inner = module.average_report

    def recorded(randomiser, x, users, every_report, rng):
        asked.append((randomiser, np.array(x)))
        answered.append(inner(randomiser, x, users, every_report, rng))
        return answered[-1]

    monkeypatch.setattr(module, "average_report", recorded)
    rng = np.random.default_rng(3)
    means = rng.permutation(np.linspace(-1, 1, n))  # a number says who it is
    means[:2] = -1 + 2 / 3, 1 - 2 / 3  # both ends belong to the middle third
    result = searched_mean(means, size=size, epsilon=epsilon, rng=rng)
    steps, voters = search_groups(n=n, size=size, epsilon=epsilon)
    (*votes, (last, reported)) = asked
    assert [x.size for _, x in votes] == [voters] * steps and steps * voters <= n // 2
    assert np.array_equal(reported, means[n // 2 : 2 * (n // 2)])  # who did not vote
    low, high = -1.0, 1.0
    for (vote, x), group in zip(votes, means[: steps * voters].reshape(steps, voters), strict=True):
        third = (high - low) / 3  # each group is asked of itself
        assert np.array_equal(x, 1.0 * (group > high - third) - (group < low + third))
        low, high = (low + third, high) if answered.pop(0) > 0 else (low, high - third)
        assert vote == TwoPointReport(-1.0, 1.0, epsilon) and set(x) <= {-1.0, 0.0, 1.0}
        up = 0.5 + np.array([-1.0, 0.0, 1.0]) / (2 * vote.magnitude)
        assert exact_loss(np.stack([up, 1 - up], axis=1)) == pytest.approx(epsilon, rel=1e-12)
    low, high = result.clipped_to
    assert last == LaplaceReport(low, high, epsilon)
    assert (high - low) / last.scale == pytest.approx(epsilon, rel=1e-12)
    assert result.guarantee.epsilon == epsilon


@pytest.mark.parametrize("n, size, epsilon", [(500, 50, 1.0), (900, 200, 0.8)])
def test_the_interval_is_widened_until_what_lies_beyond_weighs_less_than_the_noise(n, size, epsilon):
    """By r with ``w exp(w) = 32 epsilon^2 n m / 81`` for ``w = m r^2``."""
    result = searched_mean(np.zeros(n), size=size, epsilon=epsilon, rng=np.random.default_rng(3))
    steps, _ = search_groups(n=n, size=size, epsilon=epsilon)
    low, high = result.clipped_to
    assert steps and -1 < low < high < 1
    w = size * ((high - low) / 2 - (2 / 3) ** steps) ** 2
    assert w * np.exp(w) == pytest.approx(32 * epsilon**2 * n * size / 81, rel=1e-9)


@pytest.mark.parametrize("end", [-1.0, 1.0])
def test_the_interval_stays_within_the_domain(end):
    result = searched_mean(np.full(500, end), size=50, epsilon=1.0, rng=np.random.default_rng(3))
    low, high = result.clipped_to
    assert -1 <= low < high <= 1 and end in (low, high)


def test_what_is_no_number_counts_as_the_lower_end():
    """In the votes too, where it would be in the middle otherwise: no comparison with it is true."""
    wild = np.where(np.arange(600) % 2, np.nan, 0.9)
    options = {"size": 50, "epsilon": 1.0}
    found = [
        searched_mean(x, rng=np.random.default_rng(3), **options) for x in (wild, np.nan_to_num(wild, nan=-1))
    ]
    assert found[0].value == found[1].value and found[0].clipped_to == found[1].clipped_to


def test_one_coin_for_two_answers_would_tell_who_is_in_the_middle():
    """Left, middle and right answer (left?, right?) and flip both or none."""
    keep = 0.9
    pairs = np.array([[0, keep, 1 - keep, 0], [keep, 0, 0, 1 - keep], [0, 1 - keep, keep, 0]])
    assert exact_loss(pairs) == np.inf


@pytest.mark.statistical
def test_the_fast_law_is_that_of_every_report():
    """Level 1e-6; noise for another interval, a third shorter, would be seen."""
    draws = {}
    for every in (True, False):
        rng = np.random.default_rng(7)
        means = Signs(0.3).draw_means(np.full(300, 50), np.random.default_rng(1))
        draws[every] = [
            searched_mean(means, size=50, epsilon=2.0, every_report=every, rng=rng).value for _ in range(2000)
        ]
    assert ks_2samp(draws[True], draws[False]).pvalue > 1e-6
    centre = np.mean(draws[True])
    assert ks_2samp(draws[True], centre + (np.array(draws[False]) - centre) * 2 / 3).pvalue < 1e-6


@pytest.mark.statistical
@pytest.mark.parametrize("theta", [-1.0, -0.43, 0.0, 0.8])
def test_its_risk_is_that_of_the_noise_where_the_search_succeeds(theta):
    rng, n, size, epsilon = np.random.default_rng(11), 500, 300, 3.3
    made = [
        searched_mean(Signs(theta).draw_means(np.full(n, size), rng), size=size, epsilon=epsilon, rng=rng)
        for _ in range(300)
    ]
    noise = [2 * (np.ptp(one.clipped_to) / epsilon) ** 2 / (n // 2) for one in made]
    risk = np.mean([(one.value - theta) ** 2 for one in made])
    expected = np.mean(noise) + (1 - theta**2) / size / (n // 2)
    assert 0.6 * expected < risk < 1.6 * expected


def test_groups_are_those_of_the_equation_for_the_probability_of_failure():
    growth, seen = np.log(3 / 2), set()
    for n, size, epsilon in itertools.product(range(21, 4000, 9), (30, 300), (0.4, 1.0, 3.3)):
        half, gap = n // 2, np.tanh(epsilon / 2) ** 2
        shape, users = np.log(81 / (8 * epsilon**2)), np.log(n)

        def excess(log, shape=shape, users=users, gap=gap, n=n):
            return (shape - 2 * log) ** 2 - (shape - 2 * users) ** 2 - 2 * n * gap * growth

        log = brentq(excess, shape / 2 - 1e4, shape / 2, xtol=1e-13)
        log = min(max(log, np.log(2 * n) - n * gap / 2), 0)
        steps = np.log(2 * size / np.log(12)) / growth - 2
        needed = 2 / gap * (np.log(2 * half) - log)
        voters = int(np.ceil(max(2 * half / steps, needed)))
        assert search_groups(n=n, size=size, epsilon=epsilon) == (half // voters, voters)
        seen.add((needed > 2 * half / steps, log == 0))
    assert seen >= {(True, False), (False, False)}
