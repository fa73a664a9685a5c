"""Steps of Kent's proofs between two displays: identities, and inequalities that some case attains."""

from fractions import Fraction as F
from itertools import product
from math import ceil, comb, exp, log, sqrt

import numpy as np
import pytest

from userdp.local import sparse_selection, sparse_threshold
from userdp.local.mean import localised, localised_half_width
from userdp.local.vector import localised_vector_mean, rotated_vector_mean, split_budget
from userdp_papers.theory.enclosures import iv


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
    assert 1 - stray > 1 - F(1) / 4 == F(3, 4)  # (165): the end is a share of 1
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


def test_an_extreme_report_has_the_chance_of_its_two_sets():
    """(85): a channel of three parameters and five reports in rationals, extreme beyond a factor 3/2."""
    prior = (F(1, 2), F(1, 3), F(1, 6))
    channel = [[F(c, 20) for c in row] for row in ((8, 3, 3, 2, 4), (2, 8, 4, 3, 3), (3, 3, 1, 9, 4))]
    means = [sum(p * row[z] for p, row in zip(prior, channel, strict=True)) for z in range(5)]
    for v, row in enumerate(channel):
        above = {z for z in range(5) if row[z] >= F(3, 2) * means[z]}
        below = {z for z in range(5) if row[z] <= means[z] * 2 / 3}
        joint = sum(prior[v] * row[z] for z in range(5) if not F(2, 3) < row[z] / means[z] < F(3, 2))
        assert above and not above & below
        assert joint == prior[v] * (sum(row[z] for z in above) + sum(row[z] for z in below))


@pytest.mark.parametrize(("reach", "moved"), [(1, 2), (2, 5)])
def test_the_ends_leave_room_for_the_parameter_as_in_112(reach, moved):
    """(112): the bin or its nearer neighbour and ends moved by 2 tau, or two bins away and 5 tau."""
    tau, rooms = F(1, 7), []
    for theta in (F(k, 12) * 2 * tau for k in range(13)):  # in the bin [0, 2 tau]
        nearer = 1 if theta >= tau else -1
        for k in (0, nearer) if reach == 1 else range(-2, 3):
            lower, upper = (2 * k - moved) * tau, (2 * k + 2 + moved) * tau
            rooms += [theta - lower, upper - theta]
    assert min(rooms) == tau


def test_errors_of_coordinates_add_up_to_d_times_one():
    """(124), (127): three dependent coordinates of the same law."""
    law = {(F(1), F(-1), F(0)): F(1, 6), (F(-1), F(0), F(1)): F(1, 6), (F(0), F(1), F(-1)): F(1, 6)}
    law[F(2), F(2), F(2)] = F(1, 2)
    one = [sum(p * error[i] ** 2 for error, p in law.items()) for i in range(3)]
    assert sum(p * sum(x * x for x in error) for error, p in law.items()) == 3 * one[0]
    assert one == [one[0]] * 3
    assert sum(p * error[0] * error[1] for error, p in law.items()) != 0


@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_cube_has_the_rates_of_one_coordinate(d):
    """(125), (128) and after (148): (119) and (147) at each fold's users and budget, times d.

    `power` is the power of the logarithm, 1 on the cube and 2 after a rotation; the logarithm is a letter.
    """

    def rate(users, m, power, log):
        return log**power / (users * m)

    for n, m, budget, letter in product((F(7), F(90)), (F(3), F(8)), (F(5, 4), F(3)), (F(2), F(11))):
        assert d * rate(n * budget / d, m, 1, letter) == d**2 / (n * m * budget) * letter
        assert d * rate(n, m, 1, letter) == d / (n * m) * letter
        assert rate(n * d, m, 2, letter) == letter**2 / (d * n * m)
        assert d * rate(n * d, m, 2, letter) == letter**2 / (n * m)
    for kappa, more in product((F(8), F(30)), (F(3), F(5))):
        # n a / d = more * kappa * log(ed): half the exponent of (119) pays for the factor d
        information = float(more * kappa) * log(exp(1) * d)
        left = d * exp(-information / (2 * float(kappa)))
        assert left <= exp(-(float(F(1, 2) - 1 / more)) * information / float(kappa)) * (1 + 1e-9)
        assert left >= exp(-(float(F(1, 2) - 1 / more)) * information / float(kappa)) / exp(1) * (1 - 1e-9)


def test_a_neighbour_may_have_all_votes_but_not_the_likelier_of_two():
    """(133): one record just beyond the edge, or far away; the bin of the mean has no vote at all."""
    law, tau = {F(1, 100): F(99, 100), F(-1): F(1, 100)}, F(1, 4)
    theta = sum(x * p for x, p in law.items())
    votes = [F(0)] * 4
    for x, p in law.items():
        votes[int((x + 1) // (2 * tau))] += p
    own = int((theta + 1) // (2 * tau))
    nearer = own + 1 if (theta + 1) / (2 * tau) - own > F(1, 2) else own - 1
    far = max(votes[k] for k in range(4) if k not in (own, nearer))
    assert votes[own] < far < max(votes[own], votes[nearer])
    assert max(votes[own], votes[nearer]) >= F(3, 8)


@pytest.mark.parametrize(("m", "tau"), [(4, F(1, 2)), (9, F(1, 3)), (16, F(1, 4))])
def test_both_ends_move_a_mean_by_four_tails(m, tau):
    """(117), (155): (115) with twice (116), for fair signs; the test of (142) attains (115)."""
    strays = sum(F(comb(m, k), 2**m) for k in range(m + 1) if abs(F(2 * k, m) - 1) > tau)
    tail = exp(-m * tau**2 / 2)
    assert strays <= 2 * tail
    assert (2 * (2 * tail)) ** 2 == pytest.approx(16 * exp(-m * tau**2), rel=1e-12)


def test_the_share_of_a_component_errs_by_the_order_in_177():
    """(177): an even share attains coth^2 / (4 N); then at most 91 k^2 / (c^2 x) for x = n epsilon^2 >= 1."""
    for gain, users in product((F(1, 3), F(1, 50)), (1, 12)):
        chance = (1 - gain) / 2 + gain * F(1, 2)
        assert chance * (1 - chance) / (users * gain**2) == 1 / (4 * users * gain**2)
    # x coth x <= cosh x, which grows, so that coth(epsilon / 4) <= 5 / epsilon up to budget 1
    largest = 4 * (iv.exp(iv.mpf(1) / 4) + iv.exp(-iv.mpf(1) / 4)) / 2
    assert 4.12 < largest.a <= largest.b < 4.13 < 5
    for x, k, c in product((F(1), F(2), F(9)), (2, 5), (F(1, 2), F(2, 3))):
        order = 75 / x + 16 / x**4
        assert 4 * (k / c) ** 2 * (25 / (4 * x / 3) + (2 / x**2) ** 2) == (k / c) ** 2 * order
        assert order <= 91 / x


def test_beyond_the_horizon_the_logarithm_is_the_exponent():
    """After (181): the logarithm of n epsilon^2 times the horizon; the least share for k^2 fails."""
    for information, kappa, k in product((50.0, 400.0), (3.0, 20.0), (2, 4)):
        horizon = exp(information / (kappa * k**2))
        exponent = log(information) + information / (kappa * k**2)
        assert log(information * horizon) == pytest.approx(exponent, rel=1e-12)
        printed = log(information) + information * k / kappa
        assert log(information * horizon) != pytest.approx(printed, rel=0.1)


def test_lemma_27_solved_for_the_probability():
    """At the length of its first display the second has the probability gamma, for c' = c^2."""
    for c, sigma, d, n, gamma in product((1.5, 3.0), (0.2, 2.0), (1, 7), (3, 50), (0.3, 1e-4)):
        x = c * sigma * sqrt(log(2 * d / gamma) / n)
        assert 2 * d * exp(-n * x**2 / (c**2 * sigma**2)) == pytest.approx(gamma, rel=1e-9)


@pytest.mark.parametrize("s", [2, 5, 40])
def test_the_risk_on_a_cube_grows_with_its_dimension(s):
    """(153): with at most s coordinates (122) is largest for s, from nm epsilon^2 = 2s on; not at s."""
    d = np.arange(1, s + 1)

    def steps(strength):
        return np.diff([d**2 / strength * np.log(strength / d), np.exp(-strength / (1000 * d))])

    for strength in (2 * s, 4 * s, 10**6):
        assert (steps(strength) > 0).all()
    assert steps(s)[0, -1] < 0 < steps(s)[1, -1]


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_sum_over_sub_gaussian_parts_needs_its_constant(d):
    """(198) for d fair signs and response to all 2^d values: in rationals, then 7/5 of the 2 is needed."""

    def told(odds, values, d):
        return d * ((odds - 1) / (odds + values - 1)) ** 2

    odds, points = F(5), list(product((-1, 1), repeat=d))
    total = odds + len(points) - 1
    seen = F(0)
    for z, j in product(points, range(d)):
        inner = sum(x[j] * (odds if x == z else 1) / total for x in points) / len(points)
        seen += inner**2 * len(points)  # every report has the probability 1 / 2^d
    assert seen == told(odds, len(points), d)
    epsilon = 500 * log(2) + 5
    assert 1.4 * epsilon < told(exp(epsilon), 2.0**500, 500) <= 2 * epsilon


@pytest.mark.parametrize("epsilon", [F(101, 100), F(199, 100), F(2), F(37, 10), F(8)])
def test_every_coordinate_has_the_users_that_123_counts(epsilon, d=8):
    """(123): as many folds a coordinate as a user has, at budget 1: at least epsilon / 2 of n / d users."""
    folds, budget = split_budget(d, epsilon=float(epsilon))
    sets = [{(j + i) % d for i in range(folds)} for j in range(d)]
    assert budget == 1 and {sum(fold in some for some in sets) for fold in range(d)} == {folds}
    assert epsilon / 2 <= folds <= epsilon


@pytest.mark.parametrize(("epsilon", "served", "budget"), [(0.5, 1, 0.5), (1, 1, 1), (4, 4, 1), (16, 8, 2)])
@pytest.mark.parametrize("estimate", [localised_vector_mean, rotated_vector_mean])
def test_each_coordinate_has_the_users_and_the_budget_of_its_folds(
    estimate, epsilon, served, budget, monkeypatch
):
    """(148) and calls of Algorithms 2 and 10, from a run: min(epsilon, d) n / d users, and their width."""
    n, d, seen, known = 8000, 8, [], dict(size=10**6, epsilon=epsilon)

    def noted(means, how):
        seen.append((len(means), how.epsilon))
        return localised(means, how)

    monkeypatch.setattr("userdp.local.vector.localised", noted)
    run = estimate(np.zeros((n, d)), **known, rng=np.random.default_rng(148))
    assert seen == [(served * n / d, budget)] * d
    bins = {one.votes.size for one in run.coordinates}
    if estimate is localised_vector_mean:  # on the ball (34) has the n of all users
        known["epsilon"] = budget
        of_fold, of_all = (localised_half_width(n=users, **known) for users in (served * n // d, n))
        assert bins == {ceil(1 / of_fold)}
        assert served == d or bins != {ceil(1 / of_all)}


def test_the_sparse_methods_hand_on_the_users_of_their_parts(monkeypatch):
    """From a run: line 10 of Algorithm 6 has n / 2 users for s coordinates, line 4 of Algorithm 7 n / d."""
    n, d, s, seen = 40_000, 5, 2, []

    def noted(means, how):
        seen.append((len(means), how.epsilon, means[0]))
        return localised(means, how)

    monkeypatch.setattr("userdp.local.vector.localised", noted)
    truth = np.array([0.0, 0.6, 0.0, 0.0, -0.6])
    known = dict(size=1000, sparsity=s, epsilon=1.0, rng=np.random.default_rng(10))
    run = sparse_selection(np.tile(truth, (n, 1)), **known)
    assert run.selected.tolist() == [1, 4]
    assert seen == [(n / 2 / s, 1, truth[j]) for j in (1, 4)]
    seen.clear()
    sparse_threshold(np.tile(truth, (n, 1)), **known)
    assert seen == [(n / d, 1, truth[j]) for j in range(d)]
