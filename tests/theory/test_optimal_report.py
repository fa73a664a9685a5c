from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom

from userdp.planning import plan
from userdp.planning.risk.least_risk import local_least_risk
from userdp.privacy.reports import TwoPointReport
from userdp.sizes import constant_size
from userdp_papers.theory.rates import optimal_report_variance


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 6.0])
def test_of_one_sign_two_points_are_optimal(epsilon):
    """Every private report of a bit is a function of its randomised response."""
    optimum = optimal_report_variance(size=1, epsilon=epsilon)
    assert optimum == pytest.approx(TwoPointReport(-1.0, 1.0, epsilon).magnitude ** 2, rel=1e-6)


@pytest.mark.parametrize(("size", "epsilon"), [(2, 0.5), (3, 2.0), (6, 3.0), (6, 6.0)])
def test_the_better_of_two_points_and_a_piecewise_report_is_near_the_optimum_and_never_below(size, epsilon):
    optimum = optimal_report_variance(size=size, epsilon=epsilon, reports=41)
    n = 10**6  # so many that nothing is shrunk
    rows = {one.method: n * one.error**2 for one in plan(n=n, sizes=size, epsilon=epsilon, rounds=1)}
    found = min(rows["two-point reports"], rows["piecewise reports"])
    assert 1 - 1e-6 <= found / optimum < 1.4**2
    assert rows["Laplace reports"] > found


def test_the_numbers_reach_from_end_to_end_of_a_piecewise_report_beside_the_two_points():
    """The same program with each condition written out, over the two ends, the two points and 0."""
    size, epsilon = 2, 2.0
    ends, two = np.cosh(epsilon / 4) / np.sinh(epsilon / 4), TwoPointReport(-1.0, 1.0, epsilon).magnitude
    values, users = np.array([-ends, -two, 0.0, two, ends]), range(size + 1)
    place = np.arange((size + 1) * values.size).reshape(size + 1, -1)
    rows, wanted, above = [], [], []
    for k in users:
        for power, mean in ((0, 1.0), (1, 2 * k / size - 1)):
            rows.append(np.bincount(place[k], values**power, minlength=place.size + 1))
            wanted.append(mean)
    for k, other in product(users, users):
        for one, its in zip(place[k], place[other], strict=True):
            above.append(np.eye(place.size + 1)[one] - np.exp(epsilon) * np.eye(place.size + 1)[its])
    for theta in np.linspace(-1, 1, 41):
        share = binom.pmf(users, size, (1 + theta) / 2)
        errors = (share[:, None] * (values - theta) ** 2).ravel()
        above.append(np.append(errors, -1.0))
    cost = np.eye(place.size + 1)[-1]
    found = linprog(cost, np.array(above), np.zeros(len(above)), np.array(rows), wanted)
    assert optimal_report_variance(size=size, epsilon=epsilon, reports=3) == pytest.approx(
        found.fun, rel=1e-7
    )


def test_more_numbers_to_report_are_no_worse():
    few, many = (optimal_report_variance(size=3, epsilon=2.0, reports=count) for count in (11, 41))
    assert many <= few * (1 + 1e-9) and not np.isclose(few, many, rtol=1e-4)


@pytest.mark.parametrize(("size", "epsilon", "above"), [(1, 0.3, 1.0), (3, 1.0, 1.0), (1, 4.0, 1.73)])
def test_a_single_user_is_as_hard_as_two_points_until_the_budget_is_large(size, epsilon, above):
    """The best report, biased or not, is never below the proven limit, and meets it at small budgets."""
    optimum = optimal_report_variance(size=size, epsilon=epsilon, reports=41, unbiased=False)
    limit = local_least_risk(constant_size(size), n=1, epsilon=epsilon)
    assert optimum >= limit * (1 - 1e-9) and np.sqrt(optimum / limit) == pytest.approx(above, abs=0.01)
    assert optimum < optimal_report_variance(size=size, epsilon=epsilon, reports=41)
