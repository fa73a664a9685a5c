"""Optimal weights: KKT conditions, the identity of the least variance, a numerical optimiser."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from userdp.central.weights import optimal_weights
from userdp_papers.printed.weights import family_weights, spent_variance

numbers = st.floats(1e-3, 10, allow_nan=False)
users = st.lists(st.tuples(numbers, numbers), min_size=1, max_size=12)


@settings(max_examples=200)
@given(users, st.floats(0.01, 20))
def test_the_kkt_conditions_hold(pairs, epsilon):
    variances, widths = np.array(pairs).T
    found = optimal_weights(variances, widths, epsilon=epsilon)
    w, bound = found.value, np.max(found.value * widths)
    price = 2 * found.variance  # multiplier of "weights sum to 1"
    multipliers = (price - 2 * w * variances) / widths
    assert w.sum() == pytest.approx(1, abs=1e-12)
    assert multipliers.min() >= -1e-9 * price / widths.min()
    # a user below the bound has no multiplier, and the bound is paid for by the noise
    slack = w * widths < bound * (1 - 1e-9)
    np.testing.assert_allclose(multipliers[slack] * widths[slack] / price, 0, atol=1e-9)
    # each multiplier is a difference of numbers of the size of the price
    rounding = 1e-12 * np.sum(price / widths)
    assert multipliers.sum() == pytest.approx(4 * bound / epsilon**2, rel=1e-9, abs=rounding)
    spent = spent_variance(w, variances, widths, epsilon=epsilon)
    assert found.variance == pytest.approx(spent, rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_a_numerical_optimiser_finds_nothing_better(seed):
    rng = np.random.default_rng(seed)
    variances, widths = rng.uniform(0.1, 2, 6), rng.uniform(0.1, 2, 6)
    found = optimal_weights(variances, widths, epsilon=0.7)
    start = np.append(np.full(6, 1 / 6), widths.max() / 6)
    result = minimize(
        lambda x: x[:-1] ** 2 @ variances + 2 * x[-1] ** 2 / 0.49,
        start,
        constraints=[
            {"type": "eq", "fun": lambda x: x[:-1].sum() - 1},
            {"type": "ineq", "fun": lambda x: x[-1] - x[:-1] * widths},
        ],
        bounds=[(0, None)] * 7,
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    feasible = np.maximum(result.x[:-1], 0)
    feasible /= feasible.sum()
    reached = spent_variance(feasible, variances, widths, epsilon=0.7)
    assert found.variance <= reached * (1 + 1e-12)
    assert reached <= found.variance * 1.01
    # control: inverse-variance weights are worse
    plain = 1 / variances / np.sum(1 / variances)
    assert spent_variance(plain, variances, widths, epsilon=0.7) > found.variance * 1.001


def test_the_family_is_optimal_where_widths_follow_deviations():
    variances = np.random.default_rng(1).uniform(0.01, 1, 50)
    widths = 6 * np.sqrt(variances)
    best = optimal_weights(variances, widths, epsilon=0.4)
    assert family_weights(variances, widths, epsilon=0.4).variance == pytest.approx(best.variance, rel=1e-9)
    other = family_weights(variances, np.ones(50), epsilon=0.4)
    assert other.variance > optimal_weights(variances, np.ones(50), epsilon=0.4).variance


@pytest.mark.parametrize("width", [1e-6, 1e-9])
def test_where_noise_is_little_one_user_is_capped_by_as_little(width):
    """By the tenth digit, at which a search beside the end would stop, or by none."""
    variances = np.append(0.01, np.random.default_rng(3).uniform(0.02, 0.2, 60))
    found, root = family_weights(variances, np.full(61, width), epsilon=1.0), variances.min() ** -0.5
    assert found.cap == pytest.approx(root / (1 + 2 * (root * width) ** 2), rel=1e-14)
    raw = np.minimum(1 / variances, found.cap * variances**-0.5)
    np.testing.assert_allclose(found.value, raw / raw.sum(), rtol=1e-14)


def test_no_other_cap_of_the_family_does_better():
    rng = np.random.default_rng(4)
    for _ in range(50):
        variances, widths = rng.lognormal(0, 2, (2, rng.integers(1, 20)))
        epsilon, roots = 10 ** rng.uniform(-2, 2), variances**-0.5
        found = family_weights(variances, widths, epsilon=epsilon)
        for cap in np.geomspace(roots.min(), roots.max(), 400):
            raw = np.minimum(roots**2, cap * roots)
            spent = spent_variance(raw / raw.sum(), variances, widths, epsilon=epsilon)
            assert found.variance <= spent * (1 + 1e-12)


def test_counting_the_noise_once_costs_a_little():
    rng = np.random.default_rng(2)
    variances = rng.uniform(0.01, 1, 50)
    widths = 6 * np.sqrt(variances)
    printed = family_weights(variances, widths, epsilon=3.0, noise=1.0)
    best = family_weights(variances, widths, epsilon=3.0)
    assert best.variance < printed.variance < 1.2 * best.variance


@pytest.mark.parametrize("weigh", [optimal_weights, family_weights])
def test_users_who_share_an_entry_get_the_weights_of_single_users(weigh):
    rng = np.random.default_rng(8)
    variances, widths, counts = rng.uniform(0.1, 2, 30), rng.uniform(0.1, 1, 30), rng.integers(1, 9, 30)
    shared = weigh(variances, widths, epsilon=0.3, counts=counts)
    each = weigh(np.repeat(variances, counts), np.repeat(widths, counts), epsilon=0.3)
    assert np.repeat(shared.value, counts) == pytest.approx(each.value, rel=1e-6)
    assert shared.variance == pytest.approx(each.variance, rel=1e-10)
    assert counts @ shared.value == pytest.approx(1)
    assert weigh(variances, widths, epsilon=0.3).variance > 1.5 * shared.variance
    with pytest.raises(ValueError, match="counts must be positive"):
        weigh(variances, widths, epsilon=0.3, counts=0)
