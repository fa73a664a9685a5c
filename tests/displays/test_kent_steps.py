"""Steps of Kent's proofs between two displays: identities, and inequalities that some case attains."""

from fractions import Fraction as F
from itertools import product
from math import ceil, comb, cosh, exp, log, sqrt

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import binom, norm

from userdp.local import sparse_selection, sparse_threshold
from userdp.local.mean import localised, localised_half_width, localised_mean
from userdp.local.vector import (
    localised_vector_mean,
    rotated_half_width,
    rotated_vector_mean,
    split_budget,
)
from userdp.privacy import UnaryEncoding
from userdp_papers.theory.audit.exact import bits_channel
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
        ends = sum(F(1) for t, k in zip(theta, kept, strict=True) if t and not k)  # entries of size 1
        assert dropped <= ends <= 2
    # s entries of size twice the threshold, all dropped, attain the bound
    assert 2 * (2 * small) ** 2 == 4 * 2 * small**2


@pytest.mark.parametrize(("m", "tau"), [(4, F(1)), (9, F(2, 3)), (16, F(1, 2))])
def test_a_mean_leaves_the_interval_as_rarely_as_116_says(m, tau):
    """(116): means of fair signs exactly; with the half of the exponent left out it would be too rare."""
    beyond = sum(F(comb(m, k), 2**m) for k in range(m + 1) if F(2 * k, m) - 1 >= tau)
    assert exp(-m * tau**2) < beyond <= exp(-m * tau**2 / 2)
    many, small = 10**6, 0.02  # both tails, as in (S53): hardly less than Hoeffding's exponent
    both = log(2) + binom.logsf(many * (1 + small) / 2 - 1, many, 1 / 2)
    assert -1.03 * many * small**2 / 2 < both <= log(2) - many * small**2 / 2


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
    for theta in (F(k, 12) for k in range(12)):  # (166): less than half a bin away, all that means can reach
        reached = {(theta + F(k, 24)) // 1 for k in range(-11, 12)}
        assert reached == ({0, 1} if theta > F(1, 2) else {0} if theta == F(1, 2) else {-1, 0})
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
        linear, rest = (2 * told(weights * part, channel) for part in (first, second))
        bound = linear + 2 * weights @ second**2
        assert whole <= (linear + rest) * (1 + 1e-12) <= bound * (1 + 2e-12)
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
    for d, sparse in product((1, 2, 50, 10**6), (False, True)):
        s = 1 if sparse else d
        kappa, rate = F(512000, 3) * s, F(9, 25600 * 30 * s)
        assert rate == 2 / kappa
        least = float(kappa) * log(4 * d)
        assert 4 * d * exp(-float(rate) * least) == pytest.approx(exp(-least / float(kappa)), rel=1e-9)
        assert 2 * d + 2 * s <= 4 * d and (2 * d + 2 * s == 4 * d) == (s == d)
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
        here, usual = (sum(some[z] for z in above) for some in (row, means))
        assert here >= F(3, 2) * usual  # (86)
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


def fold_rate(users, m, budget, power=1, among=1):
    """(119), or (147): the rate up to the truncation level, and kappa times the exponent of that."""
    strength, information = users * m * min(budget**2, 1), users * min(budget, budget**2) / among
    return log(strength) ** power / strength, information


def rates_of_folds(n, m, d, folds):
    """What the users and the budget of its folds give a coordinate; the print, its sum, kappa its exponent.

    Budgets to 1, then `folds` between 1 and d, then d * folds.
    """
    for e in (0.3, 1.0):
        x, level = n * m * e**2, n * e**2 / d
        yield fold_rate(n / d, m, e), d / x * log(x / d), d**2 / x * log(x / d), level  # (120), (121)
        yield fold_rate(n, m, e, 2, d), log(x) ** 2 / x, d / x * log(x) ** 2, level  # (147)
    x, level = n * m * folds, n * folds / d
    yield fold_rate(n * folds / d, m, 1), d / x * log(x / d), d**2 / x * log(x / d), level  # (123), (124)
    yield fold_rate(n * folds, m, 1, 2, d), log(x) ** 2 / x, d / x * log(x) ** 2, level  # (148)
    e, x = d * folds, n * m
    yield fold_rate(n, m, e / d), 1 / x * log(x), d / x * log(x), n * e / d  # (126), (127)
    yield fold_rate(n * d, m, e / d, 2, d), log(d * x) ** 2 / (d * x), log(d * x) ** 2 / x, n * e / d


@pytest.mark.parametrize(("d", "folds"), [(1, 1), (2, 2), (5, 3)])
def test_the_cube_has_the_rates_of_one_coordinate(d, folds):
    """(120) to (128), (148) and after, with the arguments of the logarithms; d coordinates add up."""
    for n, m in product((700.0, 9e4), (3.0, 80.0)):
        for (rate, information), coordinate, summed, level in rates_of_folds(n, m, d, folds):
            assert rate == pytest.approx(coordinate, rel=1e-12, abs=0)
            assert d * rate == pytest.approx(summed, rel=1e-12, abs=0)
            assert information == pytest.approx(level, rel=1e-12)


@pytest.mark.parametrize("d", [1, 4])
def test_one_record_without_noise_leaves_a_risk_that_24_does_not_allow(d):
    """Signs of mean 1/2 or -1/2 cost 3/16 a coordinate, where n = m = 1 has the logarithm 0 in (24)."""
    law = {(theta, x): (1 + theta * x) / 4 for theta in (F(1, 2), F(-1, 2)) for x in (1, -1)}
    best = {x: sum(p * theta for (theta, y), p in law.items() if x == y) / F(1, 2) for x in (1, -1)}
    risk = d * sum(p * (best[x] - theta) ** 2 for (theta, x), p in law.items())
    assert risk == F(3, 16) * d


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


def test_a_rare_rotation_fails_all_votes_of_134_and_few_are_bad():
    """Records +-(1, ..., 1) / sqrt(d), turned into an axis; the repair's chances, and widths from L = 4."""
    d, n = 10**6, 10**17  # at budget 1 and one record each no vote is near the mean, 0
    tau = rotated_half_width(n=n, size=1, d=d, epsilon=1.0, constant=25)
    assert 3 * tau < 1 and (1 - d) * log(2) > log(3 / tau) - 2 * n / (8536 * d)
    for n, m, d, square in product((F(7), F(90)), (F(1), F(30)), (F(4), F(64)), (F(1, 4), F(1))):
        x, all_folds = n * m * square, n * m * d
        assert 3 / x**2 / (2 / x) == F(3, 2) / x  # a vote strays with chance 3 / x^2, by Markov
        assert 3 / all_folds**3 / (1 / (n * all_folds)) == 3 / (n * m**2 * d**2)
    for L in (4, 9, 100):
        assert 5 * L - (1 + 2 * sqrt(L)) * 2 * sqrt(L) == L - 2 * sqrt(L) >= 0
        assert (1 + sqrt(6 * L)) * sqrt(6 * L) <= 8 * L


@pytest.mark.parametrize(("m", "tau"), [(4, F(1, 2)), (9, F(1, 3)), (16, F(1, 4))])
def test_both_ends_move_a_mean_by_four_tails(m, tau):
    """(117), (155): (115) with twice (116), for fair signs; the test of (142) attains (115)."""
    strays = sum(F(comb(m, k), 2**m) for k in range(m + 1) if abs(F(2 * k, m) - 1) > tau)
    tail = exp(-m * tau**2 / 2)
    assert strays <= 2 * tail
    assert (2 * (2 * tail)) ** 2 == pytest.approx(16 * exp(-m * tau**2), rel=1e-12)
    for y in (1, 15):  # y^2 = m tau^2; ours in (115): the integral of the tail beyond tau, times m tau
        integral = y * sqrt(2 * np.pi) * norm.sf(y)
        assert integral <= exp(-(y**2) / 2)
    assert integral > 0.99 * exp(-(y**2) / 2)


@pytest.mark.parametrize(("theta", "nearer"), [(-0.15, 4), (-0.05, 6)])
def test_projecting_needs_the_event_of_105_in_155(theta, nearer, m=900, tau=0.1):
    """(155): signs and ten bins, exactly; the printed event admits a bin two away, widened by 2 tau only."""
    ups = np.arange(m + 1)
    means, law = 2 * ups / m - 1, binom.pmf(ups, m, (1 + theta) / 2)
    bound = 4 * exp(-m * tau**2 / 2)

    def moved(winner):
        low = -1 + 2 * (winner - 1) * tau - 2 * tau
        return law @ abs(np.clip(means, low, low + 6 * tau) - means)

    assert max(moved(5), moved(nearer)) <= bound  # the bin [-0.2, 0) of the mean, and the nearer one
    assert max(moved(3), moved(7)) > 3 * bound


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
    """At the length of its first display the second has the probability gamma, for c' = c^2; (130), (143)."""
    for c, sigma, d, n, gamma in product((1.5, 3.0), (0.2, 2.0), (1, 7), (3, 50), (0.3, 1e-4)):
        x = c * sigma * sqrt(log(2 * d / gamma) / n)
        assert 2 * d * exp(-n * x**2 / (c**2 * sigma**2)) == pytest.approx(gamma, rel=1e-9)
        strength = sqrt(2 * d / gamma)  # nmz of (130), whose gamma is 2d / (nmz)^2
        assert x == pytest.approx(c * sigma * sqrt(2 * log(strength) / n), rel=1e-9)
        length = x * sqrt(d) / (10 * sqrt(log(strength)))  # above it a coordinate may deviate by x, (138)
        tail = 2 * d * exp(-n * length**2 / c**2)
        assert tail == pytest.approx(2 * d * exp(-n * d * x**2 / (100 * c**2 * log(strength))), rel=1e-9)


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
    """(198) for d fair signs and reports that favour those who agree in t of them; the 2 is nearly needed."""
    odds, points = F(5), list(product((-1, 1), repeat=d))
    for t in range(d + 1):
        seen, chance = F(0), [comb(d, u) * (odds if u >= t else 1) for u in range(d + 1)]
        for z, j in product(points, range(d)):
            inner = sum(x[j] * (odds if sum(map(int.__eq__, x, z)) >= t else 1) for x in points)
            seen += F(inner, sum(chance)) ** 2 / len(points)
        assert seen == F(sum((2 * u - d) * w for u, w in enumerate(chance)), sum(chance)) ** 2 / d
    epsilon, many, t = 100, 10**5, 52_137
    ups = np.arange(many + 1)
    log_chance = binom.logpmf(ups, many, 1 / 2) + epsilon * (ups >= t)
    chances = np.exp(log_chance - log_chance.max())
    agreed = (2 * ups - many) @ chances / chances.sum()
    assert 1.8 * epsilon < agreed**2 / many <= 2 * epsilon


@pytest.mark.parametrize("epsilon", [F(101, 100), F(199, 100), F(2), F(37, 10), F(8)])
def test_every_coordinate_has_the_users_that_123_counts(epsilon, d=8):
    """(123): as many folds a coordinate as a user has, at budget 1: at least epsilon / 2 of n / d users."""
    folds, budget = split_budget(d, epsilon=float(epsilon))
    sets = [{(j + i) % d for i in range(folds)} for j in range(d)]
    assert budget == 1 and {sum(fold in some for some in sets) for fold in range(d)} == {folds}
    assert epsilon / 2 <= folds <= epsilon
    for n in (1, 3, 8, 21):  # dealt out evenly instead: folds are empty for n < 2d
        met = [place % d for place in range(n * folds)]
        assert min(map(met.count, range(d))) == n * folds // d
    many = 10**9  # n epsilon > C d log(ed) allows n < d at epsilon = d: no width by the logarithm of n / d
    assert 2 * 8536 * log(exp(1) * many) < many / 1000


@pytest.mark.parametrize(("epsilon", "served", "budget"), [(0.5, 1, 0.5), (1, 1, 1), (4, 4, 1), (16, 8, 2)])
@pytest.mark.parametrize("estimate", [localised_vector_mean, rotated_vector_mean])
def test_each_coordinate_has_the_users_and_the_budget_of_its_folds(
    estimate, epsilon, served, budget, monkeypatch
):
    """(148) and calls of Algorithms 2 and 10, from a run: min(epsilon, d) n / d users, and their width."""
    n, d, seen, known = 8000, 8, [], dict(size=10**6, epsilon=epsilon)
    truth = np.linspace(-0.3, 0.4, d)

    def noted(means, how):
        seen.append((len(means), how.epsilon))
        return localised(means, how)

    monkeypatch.setattr("userdp.local.vector.localised", noted)
    run = estimate(np.tile(truth, (n, 1)), **known, rng=np.random.default_rng(148))
    assert seen == [(served * n / d, budget)] * d
    assert run.value == pytest.approx(truth, abs=0.04)  # (32), (35): each in its place, turned back
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
    assert run.value == pytest.approx(truth, abs=0.05) and np.count_nonzero(run.value) == s  # (41)
    seen.clear()
    sparse_threshold(np.tile(truth, (n, 1)), **known)
    assert seen == [(n / d, 1, truth[j]) for j in range(d)]


@pytest.mark.parametrize("estimate", [sparse_selection, sparse_threshold])
@pytest.mark.parametrize(("assumed", "lost"), [(1, 1), (2, 0), (4, 0)])
def test_a_sparsity_too_small_costs_what_it_leaves_out(estimate, assumed, lost):
    """Section 4.2: s - s_1 for entries of size 1, of which both methods keep s_1; nothing for s_2 > s."""
    truth = np.array([0.0, 1.0, 0.0, 0.0, -1.0])
    known = dict(size=10**6, sparsity=assumed, epsilon=1.0, rng=np.random.default_rng(42))
    run = estimate(np.tile(truth, (40_000, 1)), **known)
    assert np.sum((run.value - truth) ** 2) == pytest.approx(lost, abs=0.01)


def test_one_record_each_attains_the_rates_of_15():
    """(15) from above: the sign of a random coordinate, or a half of the sphere, sent at that scale.

    Each report is turned with the chance that leaves `gain` of its mean, tanh(epsilon / 2) at the budget.
    """
    for d, gain in product((1, 3), (F(1, 3), F(1, 50))):
        x = [F(k, d) for k in range(d)]
        sent = [(j, s * d / gain, F(1, d) * (1 + s * gain * x[j]) / 2) for j in range(d) for s in (-1, 1)]
        assert [sum(p * value for i, value, p in sent if i == j) for j in range(d)] == x
        assert sum(p * value**2 for _, value, p in sent) == d**2 / gain**2
    share = {1: 1.0, 2: 2 / np.pi, 3: 0.5}  # mean of the first coordinate over a half of the sphere
    for d in (1, 2, 3, 20, 10**5):
        mean = exp(gammaln(d / 2) - gammaln((d + 1) / 2)) / sqrt(np.pi)
        assert mean == pytest.approx(share.get(d, sqrt(2 / (np.pi * d))), rel=0.02 if d > 3 else 1e-12)
        scale = 1 / (d * mean**2)  # squared, over d
        assert 1 <= scale < np.pi / 2
    assert scale > 1.57
    for epsilon in (0.01, 0.5, 1.0):
        assert 2 <= epsilon / np.tanh(epsilon / 2) < 2.2


@pytest.mark.parametrize("h", [F(1, 5), F(1, 70)])
def test_the_second_coin_of_example_1_shows_1_with_what_its_own_0_leaves(h):
    """Its rest, not that of the fair coin: chances that sum to 1, and the divergence of display 3."""
    fair, other = (F(1, 2), F(1, 2)), (F(1, 2) + 2 * h, F(1, 2) - 2 * h)
    assert sum(other) == 1 != other[0] + 1 - fair[1]
    assert fair[1] - other[1] == 2 * h
    divergence = sum(float(p) * log(p / q) for p, q in zip(fair, other, strict=True))
    assert divergence == pytest.approx(-log(1 - 16 * h**2) / 2, rel=1e-9)


def test_example_1_ends_with_its_rate():
    """(6) and display 2 at x = nm epsilon^2: the gap, squared, the root, and half of half the square."""
    for x in (F(1, 100), F(25, 192), F(7), F(10**6)):
        square = min(F(1, 25), 1 / (192 * x))
        root = 3 * x * (16 * square)
        assert root <= F(1, 4) and (root == F(1, 4)) == (192 * x >= 25)
        assert square / 4 == min(F(1, 100), 1 / (768 * x))


def test_fano_counts_all_of_the_information_and_all_of_a_logarithm():
    """(57), (79) and the lower sides of (8), (9): a report that tells all, but is lost with some chance."""
    for N, lost in product((2, 3, 100, 10**12), (0.0, 0.3, 1.0)):
        wrong, told = lost * (1 - 1 / N), (1 - lost) * log(N)
        bound = 1 - (told + log(2)) / log(N)
        assert wrong >= bound
        assert N < 10**12 or wrong == pytest.approx(bound + log(2) / log(N), abs=1e-11)
        assert lost == 0 or wrong < bound + log(2) / log(N)


def test_what_reports_tell_adds_up_over_users_who_see_earlier_ones():
    """(59), (82): random channels of two users, the second of whom sees the first report."""

    def divergence(p, q):
        return np.sum(p * np.log(p / q))

    def told(prior, laws):
        mean = np.tensordot(prior, laws, 1)
        return sum(weight * divergence(law, mean) for weight, law in zip(prior, laws, strict=True))

    rng = np.random.default_rng(82)
    for _ in range(20):
        prior, first, second = (rng.dirichlet(np.ones(3), shape) for shape in ((), 3, (3, 3)))
        both = first[:, :, None] * second
        later = sum(first[0, z] * divergence(second[0, z], second[1, z]) for z in range(3))
        assert divergence(both[0], both[1]) == pytest.approx(divergence(first[0], first[1]) + later)
        seen = prior @ first
        later = sum(seen[z] * told(prior * first[:, z] / seen[z], second[:, z]) for z in range(3))
        assert told(prior, both) == pytest.approx(told(prior, first) + later)


@pytest.mark.parametrize(("x", "delta"), [(F(2), F(1, 100)), (F(11, 10), F(1, 40)), (F(7), F(1, 3))])
def test_extreme_reports_are_as_rare_as_86_to_89_say(x, delta, rare=F(1, 10**5)):
    """x = e^epsilon: a rare parameter with as extreme a report as (87) allows nearly attains the bounds."""
    above = (1 - rare) * delta * x / ((1 - rare) * x + rare * x**2 - 1)
    others = (above - delta) / x  # (87), with equality
    assert above == x**2 * (rare * above + (1 - rare) * others)  # (86): just extreme
    assert F(999, 1000) * delta * x / (x - 1) < above <= delta * x / (x - 1)  # (88)
    below = (1 - rare) * delta / (x**2 - rare - (1 - rare) * x)
    others = x * below + delta
    assert below == (rare * below + (1 - rare) * others) / x**2
    assert F(999, 1000) * delta / x / (x - 1) < below <= delta / x / (x - 1)  # (89)
    both = delta * x / (x - 1) + delta / x / (x - 1)
    assert both == delta * (x + 1 / x) / (x - 1) <= 2 * delta * x / (x - 1)  # (90)


def test_another_parameter_reports_nearly_as_often_as_87_says(delta=F(1, 20), keep=F(7, 10)):
    """(87) for every set of reports: a random datum, published now and then and otherwise told with noise."""
    noisy = [(1 - delta) * keep, (1 - delta) * (1 - keep)]
    channel = [[delta, 0, *noisy], [0, delta, *noisy[::-1]]]
    growth = keep / (1 - keep)  # e^epsilon
    for p, q in product((F(0), F(1, 3), F(2, 3), F(1)), repeat=2):  # of the second datum, under two
        law, other = ([(1 - r) * a + r * b for a, b in zip(*channel, strict=True)] for r in (p, q))
        slack = []
        for chosen in product((0, 1), repeat=4):
            here, there = (sum(x * s for x, s in zip(some, chosen, strict=True)) for some in (law, other))
            slack.append(there - (here - delta) / growth)
        assert min(slack) >= 0
        assert (min(slack) == 0) == (abs(p - q) == 1)  # attained where the parameter decides the datum


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 1.7, 6.0])
def test_a_mean_strays_from_its_place_as_rarely_as_104_and_108_say(epsilon, n=50, m=400):
    """The code's widths put into Hoeffding's bound; exact tails of signs about their mean, not about 0."""
    tau = localised_half_width(n=n, size=m, epsilon=epsilon)
    bound = 2 / (n * m) ** 2 if epsilon > 1 else 2 / (n * m * epsilon**2)
    assert F(2, 8) == F(1, 4)  # (104) at one record and n epsilon^2 = 8, the least
    assert 2 * exp(-m * tau**2 / 2) == pytest.approx(bound, rel=1e-9)
    ups = np.arange(m + 1)
    means = 2 * ups / m - 1
    for theta in (0, 0.5, 0.9):
        law = binom.pmf(ups, m, (1 + theta) / 2)
        assert law[abs(means - theta) >= tau].sum() <= bound
        assert theta == 0 or law[abs(means) >= tau].sum() > 0.9


def test_the_far_bins_together_cost_what_111_says():
    """The three of (107) times the 16 of (110), with 1/tau at most the root of m: a root is to spare."""
    for root, n in product((1, 2, 9), (F(3), F(40))):
        assert 3 * root * 16 / (n * root**4) == 48 / (n * root**2) / root
        assert 3 * root * 24 / (n * root**4) == 72 / (n * root**2) / root  # (137), from the 24 of (136)
    for n, m in product((9, 10**4), (5, 10**6)):
        assert 1 / min(localised_half_width(n=n, size=m, epsilon=2.0), 1) <= sqrt(m)


@pytest.mark.parametrize(("d", "power"), [(1, 1), (16, 2)])
@pytest.mark.parametrize("budget", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("y", [60.0, 200.0])
def test_the_risk_has_the_orders_of_119_and_147(d, power, budget, y, kappa=8536):
    """After (118) and in (146), y = n a / (kappa d): noise of the order of the rate, the rest below it."""
    z = min(budget**2, 1)
    n = kappa * d * y / min(budget, budget**2)
    width, rest = (400, 8 + 576 * z) if d > 1 else (2 if budget <= 1 else 4, 384 * z)
    for size in (y / 9, y / 2, y):  # logarithms of m, up to the truncation level
        m, log_nmz = exp(size), log(n * z) + size
        square = width * log_nmz**power / (d * m)
        tail = 2 * d / (n * m * z) ** 2 + 1 / (n * m * z) if d > 1 else 4 * exp(-m * square)
        failed = 3 * exp(-2 * y) / min(sqrt(square), 1) + (72 if d > 1 else 48) / (n * m)
        risk = 8 * tail + 8 * failed + 674 * d * square / (n * z)
        rate = log_nmz**power / (n * m * z)
        assert risk / rate == pytest.approx(674 * width + rest / log_nmz**power, rel=1e-9)
    assert risk <= exp(-y / 2)


def test_skewed_signs_give_the_lower_sides_of_24_and_of_the_ball():
    """(188) at the skew of (194), c = 1/3024: two thirds of half a separation; then the root after (204)."""
    c = F(1, 3024)
    for d, n, m, square in product((F(1), F(9)), (F(7), F(90)), (F(1), F(8)), (F(1, 4), F(1))):
        skew, eta = c * d / (n * m * square), 16 * c * d / (n * square)
        assert 21 * n * square * eta / d == F(1, 3) ** 2
        for separation, rate in ((skew, d**2 / (n * m * square)), (skew / d, d / (n * m * square))):
            assert separation / 2 * d * (1 - F(1, 3)) == c / 3 * rate
        budget = 3 * square  # after (204), where the budget enters once
        skew = c * d / (n * m * budget)
        assert d * skew / 2 == c / 2 * d**2 / (n * m * budget)
        assert n * m * budget * skew / d + n * m**2 * skew**2 == c * (1 + c * d**2 / (n * budget**2))


def test_the_mixture_has_the_rates_of_its_theorem():
    """(180), (181), after it, (215) and (217): both sides are k^3 / (nm epsilon^2), up to the logarithms."""
    c = F(1, 10**4)
    for k, n, m, square, letter in product(*[(F(2), F(7))] * 2, (F(3), F(8)), (F(1, 4), F(1)), (F(5), F(9))):
        tau = 4 * letter / m  # squared
        coth, users = 25 / square, n / 3
        assert 4 * k**2 * 8 * tau * coth / (4 * users) == 600 * tau * k**2 / (n * square)
        stray = 2 / (n * m * square) ** 2  # q of (180), with bins 2 tau off and 7 q tau of bias
        assert 2 * (2**2 * tau * stray**2 + 7**2 * stray**2 * tau) == (8 + 98) * stray**2 * tau
        assert k * tau * k**2 * letter / (n * square) == 4 * k**3 * letter**2 / (n * m * square)
        skew = c * k**2 / (n * m * square)
        eta = 19 * m * skew / k
        assert 21 * n * square * eta / k == 21 * 19 * c < F(1, 3) ** 2 / 2  # with J < e < 3 of (216)
        radius = skew / 4 / 2  # separated by twice it, (214)
        assert radius * k * (1 - F(1, 3)) == c / 12 * k**3 / (n * m * square)


def test_wrong_bins_and_a_small_share_leave_more_than_four():
    """(178): what the repaired sum adds up, with all at the end and a share at its least.

    If the last of six bins wins for a component at -1 without a vote, its midpoint is off by more than 2.
    """
    tau, share, theta = F(2, 11), F(1, 2), F(-1)
    for epsilon, users in product((F(1, 20), F(1)), (1, 10**6)):
        noise = 2 * (6 * tau / epsilon) ** 2
        off, reported = 1 + tau - theta, 3 * tau
        square = (off + 2 / share * reported) ** 2 + (2 / share) ** 2 * noise / users
        v = 9 * tau**2 + 72 * tau**2 / epsilon**2
        repaired = 2 * (2 + tau) ** 2 + 8 / share**2 * (9 * tau**2 + v / users)
        assert repaired - square == 4 / share**2 * (2 * 9 * tau**2 + noise) / users > 0
        assert square > 4
    tau, bins = F(19, 100), 6
    assert 2 * tau * (bins - 1) < 2 < 2 * tau * bins  # it takes so many to cover [-1, 1]
    last = -1 + (2 * bins - 1) * tau
    assert (last - theta) ** 2 > 4


def test_a_wrong_bin_costs_more_than_four_on_average(tau=0.9, epsilon=1.0, users=333, least=0.5):
    """(178): a single component, all records at -1, two bins; the wrong one wins, and nobody votes for it."""
    keep, votes = 1 / (1 + np.exp(-epsilon / 2)), np.arange(users + 1)
    right, wrong = binom.pmf(votes, users, keep), binom.pmf(votes, users, 1 - keep)
    wins, ties = right @ binom.sf(votes, users, 1 - keep), right @ wrong
    share = (votes / users - (1 - keep)) / (2 * keep - 1)
    inverse = np.divide(1, share, where=share > least / 2, out=np.zeros(users + 1))
    square = wrong @ ((3 * tau * (1 - inverse)) ** 2 + 72 * (tau / epsilon * inverse) ** 2 / users)
    assert wins / (wins + ties) * square > 4.6  # all ties taken as won by the right bin


@pytest.mark.parametrize(("n", "k"), [(2, 2), (64, 2), (64, 8), (512, 8), (2048, 32)])
def test_distances_of_all_reports_grow_as_in_186(n, k, delta=0.01):
    """Each of n users sends a sign of one of k coordinates: the fourteen is less than 13 times too large."""
    ups = np.arange(n // k + 1)
    one, other = (binom.pmf(ups, n // k, (1 + sign * delta) / 2) for sign in (-1, 1))
    variation, hellinger = abs(one - other).sum() / 2, 1 - sqrt(1 - delta**2)
    assert 1.1 * n / k * hellinger < variation**2 <= 14 * n / k * hellinger


def test_the_highest_bump_of_210_is_the_middle_of_its_half():
    """sup g = g(1/4) = e^-16; with the least k allowed, and c_beta = 1 or e^16, a bump is a half at most."""
    x = np.arange(1, 4000) / 8000
    bump = np.exp(-1 / (x * (1 / 2 - x)))
    assert bump.max() == bump[1999] == pytest.approx(exp(-16), rel=1e-12)
    for beta, radius, c in product((1, 2), (1.0, 3.0), (1.0, exp(16))):
        k = (radius * np.pi**beta * c * bump.max()) ** (1 / beta)
        assert radius / 2 * (np.pi / k) ** beta * c * bump.max() == pytest.approx(1 / 2, rel=1e-12)


@pytest.mark.parametrize(("k", "beta", "radius"), [(1, 1, 1.0), (5, 2, 0.7)])
def test_a_turned_sign_moves_a_density_by_twice_its_bump(k, beta, radius):
    """(209) by midpoints: four energies for each, twice the lower side with c' the energy of g_beta."""
    y = (np.arange(4000) + 0.5) / 4000
    wave = np.where(y < 0.5, 1, -1) * np.exp(16 - 1 / (y % 0.5 * (0.5 - y % 0.5)))
    bump = radius * np.pi**beta / (2 * k**beta) * wave
    energy, lower = np.mean(bump**2) / k, np.mean(wave**2) * radius**2 * np.pi ** (2 * beta)
    for turned in range(k + 1):
        signs = np.where(np.arange(k) < turned, -1, 1)
        square = np.mean((np.outer(np.ones(k), bump) - np.outer(signs, bump)) ** 2)
        assert square == pytest.approx(4 * turned * energy, rel=1e-12)
        assert square == pytest.approx(2 * turned * lower / (2 * k ** (2 * beta + 1)), rel=1e-12)
    apart = sqrt(lower) / (16 * k**beta)  # Lemma 29: words that differ in k / 8 signs are that far apart
    eighth = k / 8 * lower / (2 * k ** (2 * beta + 1))
    assert apart**2 <= eighth == pytest.approx(lower / (16 * k ** (2 * beta)), rel=1e-12)
    assert k == pytest.approx((sqrt(lower) / (16 * apart)) ** (1 / beta), rel=1e-12)


def test_the_floor_on_the_simplex_has_the_squared_distance_in_its_exponent():
    """Section 5.2, displays 4 and 5: at the printed step the count is 4 e^(24x), and the loss has 48."""
    for N, x in product((2, 3, 7), (5.0, 10.0)):
        step = 1 / (1 + (N - 1) * exp((24 * x + 2 * log(2)) / (N - 1)))
        assert ((1 / step - 1) / (N - 1)) ** (N - 1) == pytest.approx(4 * exp(24 * x), rel=1e-9)
        loss = exp(-48 * x / (N - 1)) * 16 ** (-1 / (N - 1))
        assert loss / N**2 <= step**2 <= loss / (N - 1) ** 2


def test_volumes_give_the_three_of_68():
    """(1 + r/2) / (r/2) <= 3/r up to radius 1, equal there; on the line a cover has 1/r if that is whole."""
    for r in (F(1), F(1, 2), F(2, 7), F(1, 10)):
        assert 3 / r - (1 + r / 2) / (r / 2) == 1 / r - 1 >= 0
        assert 1 / r <= ceil(1 / r) <= 3 / r
        assert r.numerator > 1 or 1 / r == ceil(1 / r)


def test_the_estimate_is_the_average_of_the_second_half():
    """Lines 12 and 14 of Algorithm 2, without noise: cut to three bins, neither the first half's nor all."""
    means = np.r_[np.full(500, 0.3), np.linspace(-1.0, 0.9, 500)]
    known = dict(size=1, epsilon=600.0, half_width=0.125, general=False)
    run = localised_mean(means, **known, rng=np.random.default_rng(14))
    assert run.value == pytest.approx(np.clip(means[500:], 0.0, 0.75).mean(), abs=2e-3)
    assert run.value != pytest.approx(np.clip(means, 0.0, 0.75).mean(), abs=0.03)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 1.7])
def test_algorithms_3_and_11_are_2_and_10_at_their_width(epsilon, n=100, m=400):
    """The same random numbers, and the width of (30) or (101) typed out."""
    tau = sqrt(4 * log(n * m) / m) if epsilon > 1 else sqrt(2 * log(n * m * epsilon**2) / m)
    means = np.random.default_rng(3).uniform(0, 0.4, n)
    known = dict(size=m, epsilon=epsilon)
    run, again, other = (
        localised_mean(means, **known, half_width=width, general=kind, rng=np.random.default_rng(11))
        for width, kind in ((None, None), (tau, epsilon > 1), (1.01 * tau, None))
    )
    assert run.value == pytest.approx(again.value, rel=1e-12)
    assert run.value != other.value
    assert run.clipped_to[1] - run.clipped_to[0] == pytest.approx((12 if epsilon > 1 else 6) * tau, rel=1e-9)


def test_thresholding_cuts_at_three_thresholds():
    """(43), line 5 of Algorithm 7: with (42) 3% below or above an estimate of 0.6, which stays or goes."""
    n, m, truth = 400_000, 10_000, np.array([0.0, 0.3, -0.6, 0.9])
    log_nm = log(n * m)
    unit = 3 * sqrt(4 * log_nm / m) * sqrt(4 * log_nm / n)
    for share, kept in ((0.97, [2, 3]), (1.03, [3])):
        known = dict(size=m, sparsity=3, epsilon=1.0, constant=share * 0.6 / unit)
        run = sparse_threshold(np.tile(truth, (n, 1)), **known, rng=np.random.default_rng(7))
        assert run.selected.tolist() == kept


@pytest.mark.parametrize("d", [1, 4, 64])
def test_a_width_without_the_root_of_d_costs_a_factor_d(d, n=6400, m=900):
    """Lines 4, 7 and 10 of Algorithm 13: noise of all coordinates, in units of 72 log / (nm)."""
    strength = log(n * m)

    def noise(width):  # each of d coordinates has n / d users
        return d * width**2 / (n / d) * n * m / strength

    for epsilon in (0.5, 1.0, 3.0, 100.0):  # (34)
        square = log(n * m * min(epsilon, epsilon**2, d)) ** 2
        width = rotated_half_width(n=n, size=m, d=d, epsilon=epsilon)
        assert noise(width) == pytest.approx(d * square / strength, rel=1e-9)
    assert noise(sqrt(2 * log(n / d * m) / m)) == pytest.approx(2 * d**2 * (1 - log(d) / strength), rel=1e-9)


@pytest.mark.parametrize("m", [1, 4])
def test_the_linear_part_is_as_sub_gaussian_as_its_count_allows(m):
    """(197) with the 2 squared: Hoeffding's lemma for 2 slope S; nearly fair signs need all of it."""
    for up, t in product((0.3, 0.499), (0.1, 1.0, -2.0)):
        slope = (1 - 2 * up) / (2 * up * (1 - up))
        shift = 2 * slope * t
        grown = m * log(up * exp(shift * (1 - up)) + (1 - up) * exp(-shift * up))
        assert grown <= t**2 * m * slope**2 / 2
        assert up < 0.4 or grown == pytest.approx(t**2 * m * slope**2 / 2, rel=1e-3, abs=0)


@pytest.mark.parametrize("m", [1, 2, 7])
def test_the_lower_bound_of_36_at_the_skew_of_its_proof(m):
    """Both skews squared, root / 2 and 1 / (2m): an eighth of d tau / 4 of them; the 84 goes in front."""
    for root, s, d in product((F(1, 9), F(5, 2), F(1, m)), (F(3), F(8)), (F(9), F(40))):
        share = s / (2 * d)  # tau of the prior
        assert d * (root / 2) / 4 * share / 8 == s * root / 128  # 1/8 is 1 - 1/2 - 3/8
        growth = (1 + root) ** m - 1
        outside = (1 + root / 84) ** m - 1  # of the whole d / (n epsilon^2), at an 84th of the root
        assert outside <= growth / 84 and (outside == growth / 84) == (m == 1)


def test_few_users_leave_a_logarithm_of_d():
    """Corollary 8 (i): with d^gamma for n epsilon^2 the lower bound of (36) has (1 - gamma) log d over m.

    (ii): for many records the exponential is within the rate if c C is at least 1, not a tenth less.
    """
    for d, gamma, m in product((10, 10**6), (0.0, 0.5, 1.0), (50, 10**4)):
        logarithm = log(1 + d / d**gamma)
        assert (1 - gamma) * log(d) <= logarithm <= (1 - gamma) * log(d) + log(2)
        assert logarithm / m <= exp(logarithm / m) - 1 <= (exp(1) - 1) * logarithm / m
    assert exp(logarithm / m) - 1 == pytest.approx(logarithm / m, rel=1e-3)
    for c, d in product((1 / 4, 0.9 / 4), (10, 1000)):
        strength, level = 1e120, 4  # n m epsilon^2, and C
        users = level * d * log(d * strength)  # n epsilon^2, the least
        assert exp(-c * users / d) == pytest.approx((d * strength) ** (-c * level), rel=1e-9, abs=0)
        assert (exp(-c * users / d) <= d * log(d * strength) ** 2 / strength) == (c * level >= 1)


@pytest.mark.parametrize("k", [2, 3, 10])
def test_the_factor_of_216_is_attained_by_naming_the_component(k):
    """Response to all k: as a budget vanishes or grows it comes to the bound, 1 or k; ours is met between."""
    for epsilon in (1e-4, 0.5, 1.0, 4.0, 30.0, log(k - 1)):
        own = exp(epsilon) / (exp(epsilon) + k - 1)
        other = (1 - own) / (k - 1)
        factor, bound = k * (own**2 + (k - 1) * other**2), k / (1 + (k - 1) * exp(-epsilon))
        assert factor <= bound * (1 + 1e-12) and bound <= exp(epsilon) * (1 + 1e-12)
        assert factor <= cosh(epsilon / 2) ** 2 * (1 + 1e-12)
        assert 0.1 < epsilon < 10 or factor == pytest.approx(bound, rel=1e-3)
    assert factor == pytest.approx(cosh(epsilon / 2) ** 2, rel=1e-12)


@pytest.mark.parametrize(("d", "ones"), [(3, 1), (4, 2), (3, 3)])
def test_a_report_weighs_its_data_by_the_entries_in_which_it_agrees(d, ones, epsilon=0.8):
    """(239), each report under each pair of vectors with at most so many ones."""
    reports = np.array(list(np.ndindex(*[2] * d)))
    inputs = reports[reports.sum(axis=1) <= ones]
    channel = np.log(bits_channel(inputs, UnaryEncoding(d, ones, epsilon).keep))
    agree = (inputs[:, None] == reports).sum(axis=2)
    for x, y in product(range(len(inputs)), repeat=2):
        assert channel[x] - channel[y] == pytest.approx((agree[x] - agree[y]) * epsilon / (2 * ones))
