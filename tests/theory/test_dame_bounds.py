from dataclasses import asdict, replace
from fractions import Fraction

import numpy as np
import pytest

from userdp.local.unequal import dame_half_width
from userdp.sizes import PowerLawSizes, constant_size, poisson_sizes, two_point_sizes, uniform_sizes
from userdp_papers.theory.rates.dame import (
    CORRECTED,
    PRINTED,
    UNIT_CONSTANTS,
    dame_lower,
    dame_noise_risk,
    dame_phi,
    dame_size_cap,
    dame_upper,
    duchi_mean_risk,
    laplace_mean_risk,
)

EPSILON = 22 / 35
LAWS = {
    "constant": constant_size(40),
    "two-point": two_point_sizes(1, 400, 0.4),
    "uniform": uniform_sizes(1, 60),
    "poisson": poisson_sizes(5.0),
    "power law": PowerLawSizes(5, 500, 0.5),
}


def test_rates_leave_out_all_constants_but_that_of_the_width():
    """The width is the algorithm's own, the 8 of equation (4), whatever a bound loses in its proof."""
    ones = replace(UNIT_CONSTANTS, c4=1.0)
    assert set(asdict(ones).values()) == {1.0}
    assert UNIT_CONSTANTS.c4 == PRINTED.c4 == CORRECTED.c4 == 8


def test_width_solves_equation_4():
    n, cap = 10**4, 10**5
    tau = dame_half_width(size_cap=cap, n=n, epsilon=EPSILON)
    assert np.exp(-cap * tau**2 / 2) == pytest.approx(1 / (8 * np.sqrt(cap * n * EPSILON**2)), rel=1e-12)
    assert dame_half_width(size_cap=1, n=2, epsilon=0.01) == pytest.approx(np.sqrt(2 * np.log(8)), rel=1e-12)


@pytest.mark.parametrize("form", ["printed", "corrected"])
@pytest.mark.parametrize("n", [10**2, 10**4, 10**6])
@pytest.mark.parametrize("name", LAWS)
def test_size_cap_is_the_largest_that_brute_force_finds(name, n, form):
    law = LAWS[name]
    constants = PRINTED if form == "printed" else CORRECTED
    a = np.arange(1, law.largest + 1)
    needed = dame_phi(a, n=n, epsilon=EPSILON, constants=constants)
    if form == "printed":
        needed = np.minimum(needed, 1)
    enough = np.flatnonzero([law.survival(k) ** 2 >= x for k, x in zip(a, needed, strict=True)])
    assert dame_size_cap(law, n=n, epsilon=EPSILON, form=form) == (a[enough[-1]] if enough.size else 1)


def test_the_size_cap_is_one_where_no_larger_one_finds_enough_voters():
    assert dame_size_cap(constant_size(40), n=100, epsilon=0.1) == 1
    assert dame_size_cap(constant_size(1), n=10**9, epsilon=EPSILON) == 1


@pytest.mark.parametrize("name", ["constant", "two-point", "uniform", "poisson"])
def test_lower_bound_is_the_largest_that_brute_force_finds(name):
    law, n = LAWS[name], 3000
    best = 0.0
    for a in range(law.largest + 1):
        small = law.values <= a
        root = law.probabilities[small] @ np.sqrt(law.values[small])
        above = law.probabilities[~small].sum()
        strength = n * EPSILON**2
        best = max(best, np.exp(-9) / 16 * np.exp(-24 * strength * above**2) / max(strength * root**2, 1))
    assert dame_lower(law, n=n, epsilon=EPSILON) == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("n", [10**2, 10**4, 10**6, 10**8])
@pytest.mark.parametrize("name", LAWS)
def test_lower_bound_stays_below_the_corrected_upper_bound(name, n):
    assert dame_lower(LAWS[name], n=n, epsilon=EPSILON) <= dame_upper(LAWS[name], n=n, epsilon=EPSILON) <= 1


@pytest.mark.parametrize("name", LAWS)
def test_upper_bound_is_that_of_theorem_2_where_it_is_not_trivial(name):
    law, n, cap = LAWS[name], 10**8, 400
    log = np.log(8 * np.sqrt(cap * n * EPSILON**2))
    expected = CORRECTED.c3 * log / (n * EPSILON**2 * law.mean_root(cap) ** 2)
    found = dame_upper(law, n=n, epsilon=EPSILON, size_cap=cap)
    assert found == pytest.approx(expected, rel=1e-12) and found < 0.01


def test_noise_risk_is_1568_L_over_n_epsilon_squared_E_squared():
    law, n, cap = LAWS["two-point"], 10**4, 400
    log = np.log(8 * np.sqrt(cap * n * EPSILON**2))
    expected = 1568 * log / (n * EPSILON**2 * law.mean_root(cap) ** 2)
    assert dame_noise_risk(law, n=n, epsilon=EPSILON, size_cap=cap) == pytest.approx(expected, rel=1e-12)


def test_constants_are_the_stated_ones():
    assert PRINTED.c5 == Fraction(579) * 3 / 2
    assert (PRINTED.c3, PRINTED.c4, PRINTED.trivial) == (1570, 8, 4)
    assert (CORRECTED.c3, CORRECTED.trivial) == (1646, 1)
    assert (UNIT_CONSTANTS.c1, UNIT_CONSTANTS.c2, UNIT_CONSTANTS.c3, UNIT_CONSTANTS.c5) == (1, 1, 1, 1)
    assert UNIT_CONSTANTS.trivial == 1  # the estimate 0 is no further off


def test_simple_risks():
    assert laplace_mean_risk(0.5, n=100, epsilon=2.0) == pytest.approx((0.5 + 2) / 100)
    assert duchi_mean_risk(0.6, n=100, epsilon=np.log(3)) == pytest.approx((4 - 0.36) / 100)
