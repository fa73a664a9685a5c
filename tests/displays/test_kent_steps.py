"""Steps of Kent's proofs between two displays: identities, and inequalities that some case attains."""

from fractions import Fraction as F
from itertools import product
from math import comb, exp, log

import numpy as np
import pytest


def test_an_error_splits_into_what_is_dropped_and_what_is_kept():
    """(41), (151), (152): every set of kept coordinates of a vector with two entries."""
    theta, errors, small = (F(1, 2), F(-1, 3), F(0)), (F(1, 7), F(1, 5), F(-1, 9)), F(1, 4)
    for kept in product((False, True), repeat=3):
        estimate = [(t + e) * k for t, e, k in zip(theta, errors, kept, strict=True)]
        dropped = sum(t**2 for t, k in zip(theta, kept, strict=True) if not k)
        whole = sum((x - t) ** 2 for x, t in zip(estimate, theta, strict=True))
        assert whole == dropped + sum(e**2 for e, k in zip(errors, kept, strict=True) if k)
        if all(k for t, k in zip(theta, kept, strict=True) if abs(t) > 2 * small):
            assert dropped <= 4 * 2 * small**2
    # s entries of size twice the threshold, all dropped, attain the bound
    assert 2 * (2 * small) ** 2 == 4 * 2 * small**2


@pytest.mark.parametrize(("m", "tau"), [(4, F(1)), (9, F(2, 3)), (16, F(1, 2))])
def test_a_mean_leaves_the_interval_as_rarely_as_116_says(m, tau):
    """(116): means of fair signs exactly; with the half of the exponent left out it would be too rare."""
    beyond = sum(F(comb(m, k), 2**m) for k in range(m + 1) if F(2 * k, m) - 1 >= tau)
    assert exp(-m * tau**2) < beyond <= exp(-m * tau**2 / 2)


def test_projecting_moves_a_mean_by_at_most_twice_the_chance_to_stray():
    """(142), (145): a mean near -1 that strays to 1 nearly attains the 2, and its square the 4."""
    stray, tau = F(1, 1000), F(1, 100)
    theta = 2 * stray - 1  # at 1 with probability `stray`, otherwise at -1, which is less than tau away
    moved = stray * (theta + tau - 1)
    assert F(19, 10) * stray < abs(moved) <= 2 * stray and theta + 1 < tau
    wrong_end = F(-1)  # where the whole interval may lie, with the mean at 1
    assert (1 - wrong_end) ** 2 * stray == 4 * stray


@pytest.mark.parametrize("shares", [(F(1, 4), F(1, 4)), (F(1, 2), F(1, 8)), (F(3, 4), F(1, 5))])
def test_votes_of_candidates_and_of_others_differ_as_stated(shares):
    """(165) to (169): a flipped vote, then the gap; equal shares and the least of both attain it."""
    own, least = shares
    least = min(own, least)
    stray = least / 4
    assert 1 - stray > F(3, 4)  # (165), since no share is 1
    for kept in (F(3, 5), F(9, 10)):

        def sent(voted, kept=kept):
            return voted * kept + (1 - voted) * (1 - kept)

        candidate, other = sent(F(3, 8) * own), sent(stray)
        assert candidate == F(3, 8) * (2 * kept - 1) * own + 1 - kept  # (167)
        assert other == F(1, 4) * (2 * kept - 1) * least + 1 - kept  # (166), (168)
        gap = F(1, 8) * (2 * kept - 1) * own
        assert candidate - other >= gap and (candidate - other == gap) == (own == least)  # (169)


def test_the_sum_of_two_parts_costs_a_factor_two():
    """(196), (199): random channels; equal parts and a channel that tells all attain it."""
    rng = np.random.default_rng(7)

    def told(function, channel):
        return sum((function @ row) ** 2 / (weights @ row) for row in channel)

    for trial in range(50):
        weights = rng.dirichlet(np.ones(4))
        first, second = rng.normal(size=(2, 4))
        second = first if trial == 0 else second
        channel = np.eye(4) if trial == 0 else rng.dirichlet(np.ones(3), size=4).T
        whole = told(weights * (first + second), channel)
        bound = 2 * told(weights * first, channel) + 2 * weights @ second**2
        assert whole <= bound * (1 + 1e-12)
        assert trial or whole == pytest.approx(bound, rel=1e-12)
        rest = weights @ (first + second) ** 2 + weights @ first**2 - 2 * weights @ ((first + second) * first)
        assert rest == pytest.approx(weights @ second**2, rel=1e-9)


def test_the_nearest_point_is_at_most_twice_as_far():
    """(220): three points on a line and every estimate on a grid; the middle of two attains it."""
    points, ratios = (F(0), F(1), F(5, 2)), []
    for place in range(-10, 40):
        estimate = F(place, 10)
        nearest = min(points, key=lambda point: abs(point - estimate))
        for point in points:
            assert 2 * abs(estimate - point) >= abs(point - nearest)
            ratios += [abs(point - nearest) / abs(estimate - point)] if estimate != point else []
    assert max(ratios) == 2


def test_the_scores_and_their_union_add_up():
    """(227), (230), (235), (237): two tenths off either end, and the horizon that the exponent allows."""
    tenth = F(1, 10)
    assert 2 * tenth == F(1, 5) == 1 - F(4, 5) and F(1, 2) - F(1, 5) == F(4, 5) - F(1, 2) == F(3, 10)
    eta_squared, kappa = 30, F(512000, 3)  # for s = 1
    rate = F(9, 25600 * eta_squared)
    assert rate == 2 / kappa
    for d in (1, 2, 50, 10**6):
        least = float(kappa) * log(4 * d)
        assert 4 * d * exp(-float(rate) * least) == pytest.approx(exp(-least / float(kappa)), rel=1e-9)
        assert 2 * d + 2 * 1 <= 4 * d
        assert 4 * d * exp(-float(rate) * least * 0.9) > exp(-least * 0.9 / float(kappa))
