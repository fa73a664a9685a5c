"""A private window and a clipped mean: loss over all neighbours, risk and lost runs beside their bounds."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.special import ndtr
from scipy.stats import binom, chi2, norm

from fakes import Silent
from userdp.central.clipped import STEP, centres, clipped_mean, densest_window
from userdp.central.weights import optimal_weights
from userdp.planning import plan
from userdp.planning.central_methods import MANY
from userdp.planning.risk.clipped import Clipping, Users, choose_clipping, clipped_risk
from userdp.planning.risk.improved_plan import excess, tail
from userdp.privacy import ExponentialChoice
from userdp.sizes import constant_size, two_point_sizes
from userdp_papers.theory.exact import sign_means

LEVEL = 1e-6
HOW = {"window": 0.2, "epsilon": 1.4}


class Law(Exception):
    """Carries the law that a choice is made by."""


def law_of_window(monkeypatch, means):
    """Probability of each centre, from the scores that the estimator computes."""

    def show(self, scores, rng):
        raise Law(self.law(scores))

    with monkeypatch.context() as patch:
        patch.setattr(ExponentialChoice, "choose", show)
        try:
            densest_window(means, rng=np.random.default_rng(1), **HOW)
        except Law as law:
            return law.args[0]


def test_the_choice_loses_its_budget_and_no_more_over_all_neighbours(monkeypatch):
    """Users at five places, one of them replaced: the worst pair leaves one window and joins another."""
    places = [0.0, 0.1, 0.45, 0.55, 1.0]
    worst = 0.0
    for others in combinations_with_replacement(places, 3):
        laws = [law_of_window(monkeypatch, [*others, one]) for one in places]
        worst = max(worst, *(np.abs(np.log(a / b)).max() for a in laws for b in laws))
    assert worst <= HOW["epsilon"] * (1 + 1e-12) and worst > 0.9 * HOW["epsilon"]


@pytest.mark.parametrize("mean", [7 / 16, 9 / 16])
def test_a_mean_as_far_from_a_centre_as_the_window_reaches_is_within_it(mean):
    """From both outermost of the eight centres, at 1/16 and 15/16, to the sixteenth beyond the middle."""
    densest_window([mean], window=0.5, epsilon=1.4, rng=(rng := Silent()))
    np.testing.assert_allclose(rng.laws[0], np.full(8, 1 / 8), rtol=1e-12)


@pytest.mark.parametrize("chosen", [0, 9, 19])
@pytest.mark.parametrize("sizes", [None, [1, 3, 9, 27, 81]])
def test_one_user_moves_the_average_by_at_most_the_scale_times_the_rest(sizes, chosen, monkeypatch):
    """About the same chosen centre, with the noise switched off; the user with most sway attains it."""
    monkeypatch.setattr(ExponentialChoice, "choose", lambda *_: chosen)
    options = {"epsilon": 2.0, "window": 0.2, "reach": 0.1, "share": 0.3, "sigmas": 0.7, "sizes": sizes}

    def run(means):
        return clipped_mean(means, rng=Silent(), **options)

    base = np.full(5, 0.5)
    moved = []
    for user in range(5):
        ends = [run(np.where(np.arange(5) == user, end, base)) for end in (0.0, 1.0, np.nan)]
        moved.append(np.ptp([one.value for one in ends]))
    assert max(moved) == pytest.approx(ends[0].scale * 0.7 * 2.0, rel=1e-12)
    assert ends[0].guarantee.epsilon == 2.0 and ends[0].guarantee.delta == 0
    assert ends[0].guarantee.neighbours == ("replace" if sizes is None else "replace-same-size")
    assert ends[0].weights.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("epsilon, variance", [(1.0, 0.0), (400.0, 0.0), (400.0, 0.24)])
def test_weights_are_the_best_for_what_the_domain_allows(epsilon, variance):
    """No variance of a mean is above a quarter of the squared length, and no interval longer than it."""
    sizes, how = np.repeat([1, 4, 400], 5), {"reach": 0.4, "sigmas": 4.0, "variance": 4 * variance}
    options = {"window": 0.5, "domain": (0.0, 2.0), "share": 0.25, "rng": np.random.default_rng(1)}
    found = clipped_mean(np.ones(15), sizes, epsilon=epsilon, **how, **options).weights
    variances = 4 * np.minimum(0.25 / sizes + variance, 0.25)
    lengths = np.minimum(2 * (0.4 + 4 * np.sqrt(variances)), 2)
    best = optimal_weights(variances, lengths, epsilon=0.75 * epsilon).value
    np.testing.assert_allclose(found, best, rtol=1e-12)


def test_no_number_is_further_from_a_centre_than_an_eighth_of_a_window():
    for window in (0.013, 0.2, 3.0):
        found = centres(window, (-1.0, 4.0))
        gaps = np.diff(np.concatenate([[-1.0 - (found[0] + 1.0)], found, [4.0 + (4.0 - found[-1])]]))
        assert gaps.max() <= window / 4 + 1e-12


@pytest.mark.parametrize("size, theta", [(9, 0.2), (40, -0.7), (1000, 0.9)])
def test_tails_and_excesses_of_signs_are_within_their_bounds(size, theta):
    law = sign_means(theta, size)
    for x in (0.0, 0.5, 1.0, 2.0, 3.5):
        deviation = (law.values - theta) * np.sqrt(size)
        mean, square = excess(np.array(x), "bounded")
        for side in (1, -1):
            assert law.probabilities[side * deviation > x].sum() <= tail(np.array(x), "bounded")
            assert law.probabilities @ np.maximum(side * deviation - x, 0) <= mean
        assert law.probabilities @ np.maximum(abs(deviation) - x, 0) ** 2 <= square


def errors(option, n, size, theta, runs, seed):
    rng = np.random.default_rng(seed)
    means = 2 * rng.binomial(size, (1 + theta) / 2, (runs, n)) / size - 1
    return np.array([option.run(own, np.full(n, size), rng=rng).value - theta for own in means])


def clipped_row(**question):
    known = {"trust": "curator", "spread": 0.0, "sizes_tell": False} | question
    (row,) = (one for one in plan(**known) if one.method.startswith("clipped mean"))
    return row


@pytest.mark.statistical
@pytest.mark.parametrize("theta", [0.0, 0.3, 0.98, -1.0])
@pytest.mark.parametrize("n, size, epsilon, tails", [
    (100, 10_000, 1.0, "bounded"), (200, 1000, 0.5, "normal"), (40, 500, 3.0, "normal"),
    (3000, 10, 0.3, "bounded"),
])  # fmt: skip
def test_the_risk_obeys_its_bound(n, size, epsilon, tails, theta):
    row, runs = clipped_row(n=n, sizes=size, epsilon=epsilon, tails=tails), 400
    ratio = np.sum(errors(row, n, size, theta, runs, 1) ** 2) / row.error**2
    assert ratio < chi2.isf(LEVEL, runs)
    assert ratio > runs / 2.5**2 or abs(theta) > 0.9  # not by much too large where signs vary
    assert not 9 * ratio < chi2.isf(LEVEL, runs) or abs(theta) > 0.9  # control: a third of it is too small


@pytest.mark.parametrize(("m", "nearly"), [(2, False), (MANY, True), (30, True)])
def test_a_mean_of_many_records_exceeds_a_bound_by_little_more_than_a_normal_one(m, nearly):
    """Of signs, in units of their largest deviation: of all records of a mean these exceed the most."""
    k, bounds = np.arange(m + 1), np.linspace(0, 4, 41)
    normal = norm.pdf(bounds) - bounds * norm.sf(bounds)
    ratios = [
        binom.pmf(k, m, p) @ np.maximum((2 * k / m - 2 * p)[:, None] * np.sqrt(m) - bounds, 0) / normal
        for p in np.linspace(0.01, 0.99, 99)
    ]
    assert (np.max(ratios) <= 1.1) == nearly


@pytest.mark.statistical
def test_the_risk_obeys_its_bound_where_users_are_of_two_kinds():
    """Latent means a deviation below and above theta, which no normal ones are."""
    row, n, size, runs = clipped_row(n=2000, sizes=40, epsilon=0.2, spread=0.1), 2000, 40, 300
    rng, found = np.random.default_rng(8), []
    for _ in range(runs):
        own = 0.3 + rng.choice([-0.1, 0.1], n)
        found.append(row.run(2 * rng.binomial(size, (1 + own) / 2) / size - 1, rng=rng).value - 0.3)
    assert np.square(found).sum() / row.error**2 < chi2.isf(LEVEL, runs)
    assert not 4 * np.square(found).sum() / row.error**2 < chi2.isf(LEVEL, runs)


@pytest.mark.statistical
@pytest.mark.parametrize("theta", [0.0, 0.3])
def test_runs_are_lost_no_more_often_than_the_bound_says(theta):
    """With a share so small that some are; half of the bound's exponent is no bound for its own double."""
    n, size, runs = 60, 400, 3000
    how, near = Clipping(0.1, 0.3, 0.3, 0.0), 0.1
    law = constant_size(size)

    def failure(users):
        known = Users(users, law, 0.0, "normal")
        return clipped_risk(how, near, users=known, epsilon=0.8).failure

    bound = failure(n)
    rng = np.random.default_rng(2)
    lost = 0
    for _ in range(runs):
        own = 2 * rng.binomial(size, (1 + theta) / 2, n) / size - 1
        first = densest_window(own, window=0.1, epsilon=0.3 * 0.8, domain=(-1.0, 1.0), rng=rng)
        lost += abs(first.value - theta) > how.window + near
    assert 0 < bound < 1 and lost > 0
    assert binom.sf(lost - 1, runs, bound) > LEVEL
    assert binom.sf(lost - 1, runs, failure(4 * n)) < LEVEL


def test_a_failure_counts_at_most_as_the_whole_range_squared_and_more_budget_is_no_worse():
    users = Users(100, constant_size(900), 0.0, "bounded")
    found = [choose_clipping(users, epsilon=one, weighed=False)[1] for one in (0.7, 1.0, 2.0, 4.0)]
    assert [one.risk for one in found] == sorted((one.risk for one in found), reverse=True)
    for one in found:
        assert one.risk == pytest.approx((one.sampling + one.clipping) ** 2 + one.noise + one.lost, rel=1e-12)
        assert 0 < one.lost <= 4 * one.failure


@pytest.mark.parametrize("window, near", [(0.02, 0.05), (0.1, 0.1), (0.2, 0.7)])
def test_layers_count_no_wrong_centre_for_less_than_its_own_distance(window, near):
    """Each centre by itself, about many means; a few layers cost little."""
    n, size, epsilon, how = 60, 400, 0.8, Clipping(window, 0.3, 0.3, 0.0)
    found = clipped_risk(how, near, users=Users(n, constant_size(size), 0.0, "normal"), epsilon=epsilon)
    up = np.exp(0.3 * epsilon / 2 * np.linspace(0.04, 1, 25))
    inside, sums = window * (1 - STEP / 2), []
    for theta in np.linspace(-1, 1, 101):
        off = abs(centres(window, (-1.0, 1.0)) - theta)
        off = off[off > window + near]
        helps, above = (
            ndtr(-np.sqrt(size) * f(off - window, inside))[:, None] for f in (np.maximum, np.minimum)
        )
        stray = above + ndtr(-np.sqrt(size) * inside)
        moment = 1 + helps * (up - 1) + np.maximum(1 - stray, 0) * (1 / up - 1)
        chances = np.minimum(moment.min(axis=1, initial=1.0), 1) ** n
        sums.append([chances.sum(), chances @ np.minimum(off + 0.3, 2) ** 2])
    failure, lost = np.max(sums, axis=0)
    assert failure <= found.failure <= 3 * failure and lost <= found.lost <= 3 * lost


def test_without_a_budget_every_centre_may_be_chosen_and_none_counts_twice():
    users = Users(60, constant_size(400), 0.0, "normal")
    found = clipped_risk(Clipping(0.1, 0.3, 0.3, 0.0), 0.1, users=users, epsilon=1e-9)
    assert (found.failure, found.lost) == pytest.approx((80, 4 * 80))


@pytest.mark.statistical
def test_users_of_public_sizes_are_weighed():
    law, n, runs = two_point_sizes(20, 4000, 0.5), 3000, 300
    row = clipped_row(n=n, sizes=law, epsilon=1.0)
    plain = clipped_row(n=n, sizes=law, epsilon=1.0, private_sizes=True)
    rng, found = np.random.default_rng(3), {"weighed": [], "plain": []}
    for _ in range(runs):
        sizes = law.draw(n, rng)
        means = 2 * rng.binomial(sizes, 0.6) / sizes - 1
        found["weighed"].append(row.run(means, sizes, rng=rng).value - 0.2)
        found["plain"].append(plain.run(means, sizes, rng=rng).value - 0.2)
    squares = {name: np.square(values) for name, values in found.items()}
    assert squares["weighed"].sum() / row.error**2 < chi2.isf(LEVEL, runs)
    assert squares["plain"].sum() / plain.error**2 < chi2.isf(LEVEL, runs)
    assert row.error < plain.error / 2 and squares["weighed"].mean() < squares["plain"].mean() / 2


def test_the_estimate_follows_the_domain():
    rows = [clipped_row(n=300, sizes=900, epsilon=1.0, domain=ends) for ends in ((-1.0, 1.0), (0.0, 5.0))]
    means = np.random.default_rng(4).normal(0.3, 0.03, 300)
    values = [
        row.run(centre + half * means, rng=np.random.default_rng(5)).value
        for row, centre, half in zip(rows, (0.0, 2.5), (1.0, 2.5), strict=True)
    ]
    assert values[1] == pytest.approx(2.5 + 2.5 * values[0], rel=1e-9)
    assert rows[1].error == pytest.approx(2.5 * rows[0].error, rel=1e-9)


@pytest.mark.statistical
def test_where_sizes_tell_of_means_the_bound_holds_for_own_means_that_grow_with_size():
    """Users of the larger size hold the larger own means: far from what independence would allow."""
    law, spread, n, runs = two_point_sizes(50, 4000, 0.5), 0.02, 400, 300
    row = clipped_row(n=n, sizes=law, epsilon=0.7, spread=spread, sizes_tell=True)
    rng, found = np.random.default_rng(6), []
    for _ in range(runs):
        sizes = law.draw(n, rng)
        own = 0.2 + np.where(sizes > 50, spread, -spread)
        found.append(row.run(2 * rng.binomial(sizes, (1 + own) / 2) / sizes - 1, sizes, rng=rng).value - 0.2)
    assert np.square(found).sum() / row.error**2 < chi2.isf(LEVEL, runs)
    assert not 25 * np.square(found).sum() / row.error**2 < chi2.isf(LEVEL, runs)


def test_parts_of_a_distance_add_up_to_no_less_than_the_tail_of_the_whole():
    law = two_point_sizes(50, 4000, 0.5)
    together, apart = (Users(9, law, 0.05, "normal", told).shape for told in (False, True))
    for distance in (0.05, 0.1, 0.2):
        assert tail(distance, together) <= tail(distance, apart) <= 1
        assert excess(distance, together)[0] <= excess(distance, apart)[0]


@pytest.mark.parametrize(
    "sizes, most", [(constant_size(1000), 1.0), (two_point_sizes(1000, 10**4, 0.5), 2.0)]
)
def test_sizes_that_may_tell_of_means_widen_a_window_and_do_not_lose_it(sizes, most):
    users = (Users(200, sizes, 0.02, "bounded", tell) for tell in (True, False))
    telling, silent = (choose_clipping(each, epsilon=1.0, weighed=False)[1] for each in users)
    assert 1 <= telling.risk**0.5 / silent.risk**0.5 <= most


@pytest.mark.parametrize("sigmas", [0.0, 1.0])
def test_the_bound_counts_a_reach_that_may_leave_theta_out(sigmas):
    """All users at theta, nearly: about a centre that is `window` off, everything is clipped by the rest."""
    users = Users(100, constant_size(10**10), 0.0, "bounded")
    risk = clipped_risk(Clipping(0.2, 0.01, 0.5, sigmas), 0.1, users=users, epsilon=50.0)
    assert 0.19**2 <= risk.risk <= 0.3**2


@pytest.mark.parametrize("reach", [0.2, 0.7, 1.4])
@pytest.mark.parametrize("sigmas", [0.0, 0.7])
@pytest.mark.parametrize(
    "near, tails", [(0.05, "normal"), (0.3, "bounded"), (0.0, "bounded"), (2.5, "normal")]
)
def test_each_part_of_the_bound_is_that_of_users_one_by_one(near, tails, sigmas, reach):
    """With what is expected beyond a point, and a rival's moment at the whole rate of the choice."""
    how, n, epsilon = Clipping(0.3, reach, 0.4, sigmas), 80, 1.3
    users = Users(n, two_point_sizes(60, 900, 0.5), 0.05, tails)
    found = clipped_risk(how, near, users=users, epsilon=epsilon)
    deviation = np.sqrt(1 / np.repeat([60, 900], n // 2) + 0.05**2)
    half, margin, rest = reach + sigmas * deviation, 0.3 + near, 0.6 * epsilon
    length = np.minimum(2 * half, 2)
    weight = optimal_weights(deviation**2, length, epsilon=rest).value if sigmas else np.full(n, 1 / n)

    def beyond(t, s):
        return ndtr(-t / s) if tails == "normal" else np.exp(-((t / s) ** 2) / 2)

    def expected_beyond(power, a, s):
        if tails == "normal":
            return quad(lambda t: power * (t - a) ** (power - 1) * beyond(t, s), a, a + 12 * s)[0]
        known = minimize_scalar(
            lambda log: np.exp(2 * log) / 2 - np.exp(log) * a / s - power * (log + 1), tol=1e-10
        )
        return (power * s) ** power * np.exp(known.fun)

    from_ = np.maximum(half - margin, 0)
    means, squares = (
        [power * expected_beyond(power, a, s) for a, s in zip(from_, deviation, strict=True)]
        for power in (1, 2)
    )
    clipping = max(min(margin, 2) - reach, 0) + np.sqrt(2 * (weight @ means) ** 2 + weight**2 @ squares)
    noise = 2 * (np.max(weight * length) / rest) ** 2
    ends, inside, count = np.geomspace(min(margin, 2), 2, 9), 0.3 * (1 - STEP / 2), np.ceil(2 / (STEP * 0.3))
    up, failure, lost, chances = np.exp(0.4 * epsilon / 2), 0.0, 0.0, []
    for first, last in zip(ends, ends[1:], strict=False):
        helps, stray, below = (
            beyond(x, deviation).mean() for x in (max(first - 0.3, inside), min(first - 0.3, inside), inside)
        )
        hinders = max(1 - stray - below, 0)
        chances.append(min(helps * up + (1 - helps - hinders) + hinders / up, 1) ** n)
        rivals = min(2 + count * (last - first), count)
        failure += rivals * chances[-1]
        lost += rivals * chances[-1] * min(last + weight @ half, 2) ** 2
    failure = min(failure, count * chances[0])
    expected = [np.sqrt(weight**2 @ deviation**2), clipping, noise, failure, min(lost, 4 * failure)]
    assert [*found] == pytest.approx(expected, rel=1e-8)
    own = clipped_risk(how, near, users=users._replace(drawn=False), epsilon=epsilon)
    assert sigmas or [*own] == [0, *found[1:]], "where users are all that there are, none is drawn"
