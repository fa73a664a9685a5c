"""Gaussian noise and its (epsilon, delta): against high precision, a public accountant and brute force."""

import itertools

import mpmath
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from dp_accounting.pld.privacy_loss_mechanism import AdjacencyType, GaussianPrivacyLoss
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from userdp.privacy.noise import GaussianNoise, classical_sigma, gaussian_delta, gaussian_sigma
from userdp_papers.theory.audit.exact import hockey_stick

BUDGETS = (0.01, 0.1, 1.0, 5.0, 30.0)
SLACKS = (1e-250, 1e-30, 1e-6, 0.01, 0.5, 0.99)


def precise_delta(sigma, epsilon):
    """The formula at sensitivity 1 with 400 digits, so that no cancellation can hide."""
    with mpmath.workdps(400):
        a, b = 1 / (2 * mpmath.mpf(sigma)), mpmath.mpf(epsilon) * sigma
        return mpmath.ncdf(a - b) - mpmath.exp(epsilon) * mpmath.ncdf(-a - b)


def balle_wang(epsilon, delta):
    """Their Algorithm 1 at sensitivity 1, by bisection of the two monotone functions as printed there."""
    start = stats.norm.cdf(0) - np.exp(epsilon) * stats.norm.cdf(-np.sqrt(2 * epsilon))
    sign = 1 if delta >= start else -1

    def value(v):
        return stats.norm.cdf(sign * np.sqrt(epsilon * v)) - np.exp(epsilon) * stats.norm.cdf(
            -np.sqrt(epsilon * (v + 2))
        )

    low, high = 0.0, 1.0
    while sign * (value(high) - delta) < 0:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if sign * (value(middle) - delta) < 0 else (low, middle)
    return (np.sqrt(1 + low / 2) - sign * np.sqrt(low / 2)) / np.sqrt(2 * epsilon)


@pytest.mark.parametrize(
    ("epsilon", "sigma"), list(itertools.product((0.0, *BUDGETS), (0.05, 0.3, 1.0, 4.0, 20.0)))
)
def test_delta_is_the_formula_to_ten_digits(epsilon, sigma):
    expected = precise_delta(sigma, epsilon)
    found = gaussian_delta(sigma, epsilon=epsilon)
    assert abs(found - expected) <= 1e-10 * expected + mpmath.mpf("1e-307")


@given(st.floats(1e-3, 60), st.floats(-500, -0.01), st.floats(1e-6, 1e6))
def test_sigma_and_delta_are_inverse(epsilon, log_delta, sensitivity):
    delta = float(np.exp(log_delta))
    sigma = gaussian_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    assert gaussian_delta(sigma, epsilon=epsilon, sensitivity=sensitivity) == pytest.approx(delta, rel=1e-7)


@pytest.mark.parametrize(("epsilon", "delta"), list(itertools.product(BUDGETS, SLACKS)))
def test_no_smaller_sigma_will_do(epsilon, delta):
    sigma = gaussian_sigma(epsilon=epsilon, delta=delta)
    assert (
        gaussian_delta(0.9999 * sigma, epsilon=epsilon)
        > delta
        > gaussian_delta(1.0001 * sigma, epsilon=epsilon)
    )


@pytest.mark.parametrize("delta", [1e-307, 1e-308, 1e-310, 1e-320, 5e-324])
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 30.0])
def test_sigma_is_right_where_delta_is_all_but_no_number(epsilon, delta):
    sigma = gaussian_sigma(epsilon=epsilon, delta=delta)
    with mpmath.workdps(400):
        a, b = 1 / (2 * mpmath.mpf(sigma)), mpmath.mpf(epsilon) * mpmath.mpf(sigma)
        wanted = mpmath.ncdf(a - b) - mpmath.exp(epsilon) * mpmath.ncdf(-a - b)
        assert abs(mpmath.log(wanted) - mpmath.log(delta)) < 1e-9
        assert abs(mpmath.log(wanted) - mpmath.log(2 * mpmath.mpf(delta))) > 0.1


@pytest.mark.parametrize("left", [1e-3, 1e-7, 1e-12, 1e-15])
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 30.0])
def test_sigma_is_right_where_delta_is_all_but_one(epsilon, left):
    # what is left to 1 is known to a few roundings of 1
    sigma = gaussian_sigma(epsilon=epsilon, delta=1 - left)
    with mpmath.workdps(50):
        a, b = 1 / (2 * mpmath.mpf(sigma)), mpmath.mpf(epsilon) * mpmath.mpf(sigma)
        found = mpmath.ncdf(b - a) + mpmath.exp(epsilon) * mpmath.ncdf(-a - b)
        assert abs(found - mpmath.mpf(1 - (1 - left))) < 5e-16


@pytest.mark.parametrize(("epsilon", "delta", "message"), [
    (5e-324, 5e-324, r"log\(spent / delta\) must be"), (1e-320, 1e-310, r"log\(spent / delta\) must be"),
    (1e30, 1e-6, r"epsilon must be in .* got 1e\+30"), (1e300, 1e-10, r"epsilon must be in .* got 1e\+300"),
])  # fmt: skip
def test_a_sigma_that_would_not_spend_delta_is_refused(epsilon, delta, message):
    # the largest float instead of 1e323 spends 1e309 times too much; at 1e300 the nearest float spends 1
    for calibrate in (gaussian_sigma, GaussianNoise.calibrated):
        with pytest.raises(ValueError, match=message):
            calibrate(epsilon=epsilon, delta=delta)
    assert gaussian_sigma(epsilon=1e15, delta=1e-6) == pytest.approx(0.5**0.5 * 1e15**-0.5, rel=1e-6)


@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.4])
def test_sigma_of_a_budget_of_next_to_nothing_is_the_limit(delta):
    # at epsilon 0 the slack is 2 Phi(1 / (2 sigma)) - 1
    limit = 0.5 / stats.norm.isf((1 - delta) / 2)
    assert gaussian_sigma(epsilon=1e-300, delta=delta) == pytest.approx(
        limit, rel=1e-4 if delta < 1e-9 else 1e-9
    )


@pytest.mark.parametrize(("epsilon", "delta"), list(itertools.product((0.1, 1.0, 3.0), (1e-8, 1e-3, 0.4))))
def test_sigma_is_that_of_balle_and_wang(epsilon, delta):
    assert gaussian_sigma(epsilon=epsilon, delta=delta) == pytest.approx(balle_wang(epsilon, delta), rel=1e-6)


@pytest.mark.parametrize(("sigma", "sensitivity"), [(1.0, 1.0), (3.0, 2**0.5), (0.5, 0.1)])
def test_delta_agrees_with_the_public_accountant(sigma, sensitivity):
    exact = GaussianPrivacyLoss(sigma, sensitivity=sensitivity, adjacency_type=AdjacencyType.REMOVE)
    law = privacy_loss_distribution.from_gaussian_mechanism(
        sigma, sensitivity=sensitivity, value_discretization_interval=1e-4
    )
    for epsilon in (0.0, 0.2, 1.0, 2.0):
        found = gaussian_delta(sigma, epsilon=epsilon, sensitivity=sensitivity)
        assert found == pytest.approx(exact.get_delta_for_epsilon(epsilon), rel=1e-9, abs=1e-12)
        # the discretised law errs on the safe side
        assert found <= law.get_delta_for_epsilon(epsilon) <= found + 1e-4
        wrong = gaussian_delta(sigma, epsilon=epsilon, sensitivity=2**0.5 * sensitivity)
        assert wrong > found + 1e-9 or found < 1e-12


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_delta_is_the_largest_excess_over_sets_of_outputs(epsilon):
    edges = np.append(np.insert(np.linspace(-9, 10, 20_001), 0, -np.inf), np.inf)
    channel = [np.diff(stats.norm.cdf(edges, centre, 1.3)) for centre in (0, 1)]
    found = gaussian_delta(1.3, epsilon=epsilon)
    assert hockey_stick(channel, epsilon) == pytest.approx(found, rel=1e-4)
    assert hockey_stick(channel, epsilon) <= found + 1e-12
    assert GaussianNoise(1.3, 1.0, epsilon=epsilon).delta == found
    assert gaussian_delta(1e9, epsilon=30.0) == 0  # the true one is exp(-4.5e20)


def test_the_textbook_formula_keeps_its_promise_up_to_four_and_not_at_ten():
    for epsilon, delta in itertools.product((0.01, 0.3, 1.0, 2.5, 4.0), (1e-12, 1e-6, 0.01, 0.5, 0.9, 0.999)):
        assert gaussian_delta(classical_sigma(epsilon=epsilon, delta=delta), epsilon=epsilon) <= delta
    # control
    assert gaussian_delta(classical_sigma(epsilon=10, delta=1e-6), epsilon=10) > 1.5e-6


def test_the_textbook_formula_is_the_printed_one():
    assert classical_sigma(epsilon=0.5, delta=1e-6, sensitivity=3) == pytest.approx(
        3 * (2 * np.log(1.32e6)) ** 0.5 / 0.5
    )


@given(st.floats(0.01, 30), st.floats(0.02, 50), st.floats(1e-3, 1e3))
def test_only_the_ratio_to_the_sensitivity_counts_and_more_noise_means_less_delta(
    epsilon, sigma, sensitivity
):
    found = gaussian_delta(sigma * sensitivity, epsilon=epsilon, sensitivity=sensitivity)
    assert found == pytest.approx(gaussian_delta(sigma, epsilon=epsilon), rel=1e-6, abs=1e-300)
    assert 0 <= gaussian_delta(1.1 * sigma, epsilon=epsilon) <= gaussian_delta(sigma, epsilon=epsilon) <= 1
    assert gaussian_delta(sigma, epsilon=1.1 * epsilon) <= gaussian_delta(sigma, epsilon=epsilon)
