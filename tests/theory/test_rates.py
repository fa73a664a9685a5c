"""Rates agree with the formulas of the tables, meet where they should, and broadcast."""

from fractions import Fraction

import numpy as np
import pytest

from userdp_papers.theory.rates.minimax import (
    HORIZON_CONSTANT,
    Density,
    Mean,
    Mixture,
    Sparse,
    effective_users,
    horizon,
    infinite,
    item_level,
    transition,
    user_level,
)

PROBLEMS = {
    "univariate": Mean(1),
    "cube": Mean(8),
    "l2": Mean(8, "l2"),
    "sparse": Sparse(64, 4),
    "density": Density(2),
    "mixture": Mixture(3),
}


@pytest.mark.parametrize(("epsilon", "worth"), [(0.5, 0.25), (1, 1), (4, 4)])
def test_a_user_is_worth_the_smaller_of_epsilon_and_its_square(epsilon, worth):
    assert effective_users(10, epsilon=epsilon) == 10 * worth


def test_item_rates_are_those_of_table_1_in_rationals():
    n, size, d, s, beta = 4096, 16, 8, 4, 2
    users = Fraction(n) * Fraction(1, 4)  # epsilon 1/2
    rates = {Mean(d): d**2, Mean(d, "l2"): d, Sparse(d, s): s * d}
    for problem, numerator in rates.items():
        assert item_level(problem, n, size, epsilon=0.5) == float(numerator / (users * size))
    # (2^14)^(-4/6)
    assert item_level(Density(beta), n, size, epsilon=0.5) == pytest.approx(2 ** (-14 * 2 / 3), rel=1e-14)


@pytest.mark.parametrize(("epsilon", "z"), [(0.5, 0.25), (2, 2), (5, 5), (50, 8)])
def test_large_budgets_are_worth_at_most_d(epsilon, z):
    assert item_level(Mean(8), 1000, 10, epsilon=epsilon) == pytest.approx(64 / (10_000 * z), rel=1e-14)


def test_user_level_is_item_level_before_the_transition_and_flat_after():
    for name in ("univariate", "cube", "l2", "density"):
        problem, n = PROBLEMS[name], 300
        turn = transition(problem, n, epsilon=0.5)
        before, after = turn * np.array([1e-3, 0.999]), turn * np.array([1.001, 1e3])
        np.testing.assert_allclose(
            user_level(problem, n, before, epsilon=0.5), item_level(problem, n, before, epsilon=0.5)
        )
        np.testing.assert_allclose(
            user_level(problem, n, after, epsilon=0.5), infinite(problem, n, epsilon=0.5)
        )


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("n", [100, 250, 1000])
def test_both_terms_are_equal_at_the_transition(name, n):
    problem = PROBLEMS[name]
    turn = transition(problem, n, epsilon=0.7)
    assert problem.finite(np.float64(n), turn, np.float64(0.7)) == pytest.approx(
        infinite(problem, n, epsilon=0.7), rel=1e-12
    )


def test_sparse_users_find_the_coordinates_when_items_cannot():
    problem, n, size = Sparse(10**6, 50), 2000, 300
    assert item_level(problem, n, size, epsilon=1) == 50  # no better than the estimate 0
    assert user_level(problem, n, size, epsilon=1) == pytest.approx(50 / 300)
    assert user_level(Sparse(100, 50), n, size, epsilon=1) == pytest.approx(50 * 100 / (n * size))


def test_the_sparse_transition_is_exponential_in_users_per_nonzero_entry_on_both_sides_of_d():
    for n, factor in ((50, 4), (200, 4 * 64 / 200)):  # below and above d = 64
        assert transition(Sparse(64, 4), n, epsilon=1) == pytest.approx(factor * np.exp(n / 4), rel=1e-12)


@pytest.mark.parametrize("name", PROBLEMS)
def test_rates_never_exceed_the_trivial_risk_and_never_rise_with_users_or_records(name):
    problem = PROBLEMS[name]
    n, size = np.geomspace(1, 1e6, 25)[:, None], np.geomspace(1, 1e9, 31)
    for logs in (False, True):
        rate = user_level(problem, n, size, epsilon=0.8, logs=logs)
        assert rate.shape == (25, 31)
        assert (rate <= problem.trivial).all()
    assert (np.diff(user_level(problem, n, size, epsilon=0.8), axis=0) <= 0).all()
    assert (np.diff(user_level(problem, n, size, epsilon=0.8), axis=1) <= 0).all()


@pytest.mark.parametrize("name", PROBLEMS)
def test_logarithms_only_raise_a_rate(name):
    """Also where the logarithm itself is below 1: two users of one record."""
    n, size = np.array([[2], [500]]), np.geomspace(1, 1e6, 20)
    with_logs = user_level(PROBLEMS[name], n, size, epsilon=0.8, logs=True)
    assert (with_logs >= user_level(PROBLEMS[name], n, size, epsilon=0.8)).all()


def test_logarithms_are_those_of_the_theorems():
    n, size, users = 1000, 50.0, 1000 * 0.25
    log = np.log(users * size)
    cases = {
        Mean(2): 4 / (users * size) * np.log(users * size / 2),
        Mean(2, "l2"): 2 / (users * size) * log**2,
        Sparse(20, 2): 2 * 20 / (users * size) * np.log(20 * users * size) ** 2,
        Sparse(900, 30): 30 / size * np.log(900 * users * size),
        Density(1): max((users * size) ** -0.5 * log, users**-2.0 * np.log(users) ** 5),
        Mixture(2): 8 / (users * size) * log**2,
    }
    for problem, expected in cases.items():
        rate = user_level(problem, n, size, epsilon=0.5, logs=True)
        assert rate == pytest.approx(min(expected, problem.trivial), rel=1e-12)
    # of a density's two terms the one with infinitely many records is here the smaller
    alone = infinite(Density(1), n, epsilon=0.5, logs=True)
    assert alone == pytest.approx(users**-2.0 * np.log(users) ** 5, rel=1e-12)


def test_parameters_of_the_problem_broadcast_too():
    d = np.array([1.0, 2.0, 4.0])
    rates = item_level(Mean(d, "l2"), 100, 10, epsilon=1)
    np.testing.assert_allclose(rates, d / 1000)
    assert user_level(Mean(d), 100, np.ones((5, 1)), epsilon=1).shape == (5, 3)


def test_a_transition_beyond_all_numbers_is_infinite_without_a_warning():
    assert transition(Mean(1), 10**4, epsilon=1) == np.inf
    assert horizon(Mean(1), 10**6, 50, epsilon=1) == 50


def test_horizon_is_the_cap_of_each_algorithm():
    n, far = 4000, 1e300
    for problem, share in ((Mean(8), 8), (Mean(8, "l2"), 8), (Sparse(64, 4), 4), (Mixture(3), 9)):
        for epsilon, users in ((0.5, 1000), (4.0, 16_000), (9.0, 36_000)):  # up to the dimension, and beyond
            cap = horizon(problem, n, far, epsilon=epsilon, kappa=100)
            assert cap == pytest.approx(np.exp(users / (100 * share)), rel=1e-12)
    users = 1000.0
    cap = horizon(Density(1), n, far, epsilon=0.5, kappa=2)
    assert cap == pytest.approx(users**3 / (2 * np.log(users)) ** 4, rel=1e-12)
    assert horizon(Mean(1), 1, far, epsilon=1e-6, kappa=100) >= 1


def test_the_constant_of_the_horizon_is_the_smallest_that_106_allows():
    """(106) needs epsilon^2 / K <= (p - 1/2)^2 / 128, p = e^(epsilon/2) / (1 + e^(epsilon/2))."""
    epsilon = np.linspace(1e-3, 1, 2000)
    needed = 128 * epsilon**2 / (1 / (1 + np.exp(-epsilon / 2)) - 0.5) ** 2
    assert pytest.approx(needed.max(), rel=1e-12) == HORIZON_CONSTANT
    assert 8535 < HORIZON_CONSTANT < 8536


def test_a_mixture_has_no_item_level_rate():
    with pytest.raises(ValueError, match="^problem must have an item-level rate, got a mixture$"):
        item_level(Mixture(2), 10, 5, epsilon=1)
