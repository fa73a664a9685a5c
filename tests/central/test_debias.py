"""Debiased counts: the function and its inverse, the guarantee, exact errors against literal draws."""

import numpy as np
import pytest
from scipy import stats

from fakes import Silent
from laws import has_mean, same_law
from userdp.central.debias import clipped_poisson_mean, debiased_count, guard, poisson_rate
from userdp_papers.populations.histograms import dirichlet_poisson_table
from userdp_papers.theory.audit.exact import laplace_loss
from userdp_papers.theory.exact.counts import (
    amplification,
    bias_bound,
    clipped_poisson_curvature,
    clipped_poisson_slope,
    clipped_poisson_variance,
    clipped_total_law,
    debiased_risk,
    noise_variance,
    plain_risk,
)

RATES = np.array([1e-9, 0.01, 0.5, 1.0, 3.0, 10.0, 60.0])
BOUNDS = [1, 2, 3, 5, 30]


@pytest.mark.parametrize("bound", [0, 0.5, 2.5])
def test_a_guard_is_of_a_whole_bound(bound):
    with pytest.raises(ValueError, match="bound must be a whole number of at least 1, got"):
        guard(bound, 3.0)


@pytest.mark.parametrize("bound", BOUNDS)
def test_moments_and_derivatives_are_those_of_the_law_term_by_term(bound):
    k = np.arange(400)
    law = stats.poisson.pmf(k, RATES[:, None])
    y = np.minimum(k, bound)
    mean = law @ y
    np.testing.assert_allclose(clipped_poisson_mean(RATES, bound), mean, rtol=1e-12)
    variance = (law * (y - mean[:, None]) ** 2).sum(axis=1)
    np.testing.assert_allclose(clipped_poisson_variance(RATES, bound), variance, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(clipped_poisson_slope(RATES, bound), law[:, :bound].sum(axis=1), rtol=1e-11)
    np.testing.assert_allclose(clipped_poisson_curvature(RATES, bound), -law[:, bound - 1], rtol=1e-12)


@pytest.mark.parametrize("bound", BOUNDS)
def test_the_inverse_undoes_the_mean(bound):
    rates = np.concatenate([[0, 1e-12, 1e-5], np.linspace(0.01, 2 * bound, 500)])
    mean = clipped_poisson_mean(rates, bound)
    slope = clipped_poisson_slope(rates, bound)
    found = poisson_rate(mean, bound, largest_rate=2 * bound)
    assert np.all(np.abs(found - rates) <= 1e-14 * (mean / slope + rates))


def test_the_inverse_converges_where_the_mean_is_all_but_saturated():
    # C = 1 in closed form: -log(1 - y)
    y = 1 - 2.0 ** -np.arange(1, 50)
    found = poisson_rate(y, 1, largest_rate=60.0)
    assert np.all(np.abs(found + np.log1p(-y)) <= 1e-15 / (1 - y))


def test_guards_project_and_nothing_raises():
    wild = [-np.inf, -1.0, np.nan, 0.0, 2.0, 2.5, np.inf]
    assert clipped_poisson_mean([1e300, np.inf], 2).tolist() == [2.0, 2.0]
    try:
        rates = poisson_rate(wild, 2, largest_rate=4.0).tolist()
    except ValueError as error:  # without the guard the rates refuse what is below 0
        rates = error
    assert rates == [0, 0, 0, 0, 4, 4, 4]
    assert poisson_rate(wild, 2)[-1] == 2
    assert poisson_rate(0.3, 2).shape == ()
    estimate = debiased_count(
        [np.nan, np.inf, -np.inf, -3, 1e300], bound=2, epsilon=1e9, rng=np.random.default_rng(1)
    )
    # two users count as 2, three as 0
    assert estimate.clipped_mean == pytest.approx(0.8)
    assert debiased_count([], bound=2, epsilon=1.0, rng=Silent(2.0)).value == 2  # nobody counts as one user


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
def test_the_loss_of_one_user_is_epsilon(bound, neighbours):
    epsilon = 0.3

    noise = Silent()
    totals = [
        4
        * debiased_count(
            [1, 0, 2, x], bound=bound, epsilon=epsilon, neighbours=neighbours, users=4, rng=noise
        ).clipped_mean
        for x in [0, 1, 2, bound, 10 * bound, np.nan]
    ]
    gone = debiased_count([1, 0, 2], bound=bound, epsilon=epsilon, neighbours=neighbours, users=4, rng=noise)
    loss = laplace_loss([*totals, 4 * gone.clipped_mean], noise.scales[0])
    assert loss == pytest.approx(gone.guarantee.epsilon, rel=1e-12)
    assert (gone.guarantee.epsilon, gone.guarantee.delta) == (epsilon, 0)
    assert (gone.guarantee.trust, gone.guarantee.neighbours) == ("central", neighbours)


def test_dividing_by_a_private_number_of_users_would_leak():
    # the reason why `users` is asked for: the largest answer is an atom that tells n
    atoms = {
        n: debiased_count(
            np.ones(n), bound=1, epsilon=1e9, largest_rate=1.0, rng=np.random.default_rng(1)
        ).value
        for n in (1, 2)
    }
    assert atoms == {1: 1.0, 2: 2.0}


def test_the_total_of_clipped_counts_has_its_law():
    rates, users, bound = np.array([0.3, 4.0]), np.array([6, 3]), 2
    law = clipped_total_law(rates, bound, users)
    assert law.sum() == pytest.approx(1, abs=1e-12)
    # what a transform rounds below nought is nought
    assert clipped_total_law([0.3, 4.0], 9, [60, 30]).min() == 0.0
    rng = np.random.default_rng(2)
    draws = np.minimum(rng.poisson(np.repeat(rates, users), (40_000, 9)), bound).sum(axis=1)
    often = law * draws.size > 10

    def fits(observed):
        table = np.bincount(observed, minlength=law.size)
        counts = np.append(table[often], table[~often].sum())
        expected = draws.size * np.append(law[often], law[~often].sum())
        return stats.chisquare(counts, expected * counts.sum() / expected.sum()).pvalue > 1e-6

    assert fits(draws)
    # control: the same rates clipped after averaging over the groups
    averaged = np.minimum(rng.poisson(np.average(rates, weights=users), (40_000, 9)), bound).sum(axis=1)
    assert not fits(averaged)


@pytest.mark.parametrize(
    ("bound", "epsilon", "n", "largest_rate"), [(1, 0.5, 7, 1.0), (1, 0.1, 60, 2.0), (2, 0.1, 40, 5.0)]
)
def test_exact_errors_are_those_of_the_literal_algorithm(bound, epsilon, n, largest_rate):
    rng = np.random.default_rng([3, bound])
    rates = np.array([0.2, 1.3])
    users = np.array([n - n // 3, n // 3])
    each = np.repeat(rates, users)
    plain, debiased = [], []
    for _ in range(6000):
        counts = rng.poisson(each)
        estimate = debiased_count(counts, bound=bound, epsilon=epsilon, largest_rate=largest_rate, rng=rng)
        assert estimate.bound == bound
        plain.append(estimate.clipped_mean - each.mean())
        debiased.append(estimate.rate - each.mean())
    plain, debiased = np.square(plain), np.square(debiased)
    options = {"bound": bound, "epsilon": epsilon, "users": users}
    assert has_mean(plain, plain_risk(rates, **options))
    assert has_mean(debiased, debiased_risk(rates, largest_rate=largest_rate, **options))
    # controls: the printed variance of the noise, and each error for the other
    assert not has_mean(plain, plain_risk(rates, printed=True, **options))
    assert not has_mean(debiased, plain_risk(rates, **options))
    assert not has_mean(plain, debiased_risk(rates, largest_rate=largest_rate, **options))


def test_the_quadrature_has_converged():
    options = {"bound": 5, "epsilon": 20.0, "users": [30, 20], "largest_rate": 1.0}
    coarse, fine = (debiased_risk([0.1, 2.0], nodes=k, **options) for k in (12, 40))
    assert coarse == pytest.approx(fine, rel=1e-9)
    default = debiased_risk([0.1, 2.0], bound=5, epsilon=1.0, users=[30, 20])
    assert default == pytest.approx(
        debiased_risk([0.1, 2.0], bound=5, epsilon=1.0, users=[30, 20], nodes=30), rel=1e-9
    )


@pytest.mark.parametrize("bound", BOUNDS)
def test_amplification_up_to_the_default_guard_is_at_most_e(bound):
    assert 2 < amplification(bound, bound) <= np.e * (1 + 1e-15)
    assert amplification(bound) == pytest.approx(1 / stats.poisson.cdf(bound - 1, 1))


def test_the_bias_bounds_hold_and_the_split_one_needs_small_mean_rates():
    rng = np.random.default_rng(4)
    for _ in range(300):
        bound = int(rng.integers(3, 40))
        rates = rng.gamma(rng.uniform(0.02, 2), 1, 5)
        rates *= rng.uniform(0.05, 1) / rates.mean()
        bias = clipped_poisson_mean(rates.mean(), bound) - clipped_poisson_mean(rates, bound).mean()
        assert -1e-12 <= bias <= bias_bound(rates, bound) + 1e-12
        assert bias <= bias_bound(rates, bound, split=True) + 1e-12
    # half the curvature at (3 - 1) / 2 for both rates, half the largest one more for the rate beyond
    half = stats.poisson.pmf(2, [1.0, 2.0]) / 2 * 0.2**2
    assert bias_bound([0.8, 1.2], 3, split=True) == pytest.approx(half[0] + half[1] / 2, rel=1e-12)
    with pytest.raises(ValueError, match="mean_rate must be in .* got 2.0"):
        bias_bound([1.0, 3.0], 4, split=True)
    assert bias_bound([0.2, 0.5], 3, split=True) > 0
    with pytest.raises(ValueError, match="bound must be a whole number of at least 3, got 2"):
        bias_bound([0.2, 0.5], 2, split=True)


@pytest.mark.parametrize("alpha", [0.1, 1.0])
def test_tables_of_dirichlet_poisson_counts_have_the_literal_law(alpha):
    rng = np.random.default_rng(5)
    n, mean, draws = 60, 1.5, 2500

    def statistics(counts):
        counts = np.asarray(counts)
        zeros, ones, squares = (np.sum(x, axis=-1) for x in (counts == 0, counts == 1, counts**2))
        return np.stack([zeros, ones, counts.max(-1), counts.sum(-1), squares], axis=-1)

    def fast_run():
        table = dirichlet_poisson_table(n, alpha, mean=mean, rng=rng)
        assert table.sum() == n
        return np.repeat(np.arange(table.size), table)

    literal = statistics(rng.poisson(n * mean * rng.dirichlet(np.full(n, alpha), draws)))
    fast = statistics([fast_run() for _ in range(draws)])
    # control: gamma rates that are not normalised, whose total varies more
    control = statistics(rng.poisson(rng.gamma(alpha, mean / alpha, (draws, n))))
    assert same_law(literal, fast)
    assert not same_law(literal, control)


def test_the_noise_has_twice_the_printed_variance():
    assert noise_variance(100, 5, 0.1) == 2 * noise_variance(100, 5, 0.1, printed=True) == pytest.approx(0.5)


def test_the_rate_is_guarded_by_the_bound_unless_another_guard_is_given():
    known = {"bound": 3, "epsilon": 0.5}
    risks = [debiased_risk([1.0, 2.5], **known, largest_rate=guard) for guard in (None, 3.0, 3.5)]
    assert risks[0] == risks[1] < risks[2]
