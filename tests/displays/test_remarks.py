"""Steps of what is proved of remarks, examples, tables and figures for all parameters."""

from fractions import Fraction as F
from itertools import product
from math import ceil, exp, log, prod

import mpmath
import numpy as np
import pytest
from scipy.stats import binom

from userdp.central import TruncatedMean
from userdp.local.unequal import dame_half_width
from userdp.privacy import UnaryEncoding
from userdp.sizes import PowerLawSizes, constant_size, poisson_sizes, two_point_sizes
from userdp_papers.theory.enclosures import iv
from userdp_papers.theory.rates import (
    PRINTED,
    dame_lower,
    dame_noise_risk,
    dame_size_cap,
    dame_upper,
    overtakes,
)
from userdp_papers.theory.sampled import risks_given_means


def test_more_than_s_coins_are_rarer_than_bernstein_says():
    """Theorem 7: Chernoff's bound with t = ln 2 has the exponent ln 2 - 1/2 for 3/16; the condition on s."""
    assert (iv.log(2) - iv.mpf(1) / 2).a > 3 / 16
    for d, s in [(30, 25), (30, 30), (1000, 43), (10**6, 80)]:
        chance = binom.sf(s - 1, d, s / (2 * d))
        assert chance <= np.exp(-s * (log(2) - 1 / 2)) <= np.exp(-3 * s / 16)
        least = 16 / 3 * log(np.e * d)  # there the next inequality is an equality
        assert np.exp(-3 * least / 16) * np.e * log(np.e * d) == pytest.approx(3 / 8 * least / (2 * d))


def test_the_cap_is_a_between_two_values_of_phi():
    """Table 2: phi rises, so that every regime is met, and none but these."""
    assert (1 - 1 / iv.log(8)).a > 0
    for a, place in product((1, 2, 3, 10, 11, 100, 500), (1e-3, 0.5, 1 - 1e-3)):
        low, high = (868.5 / 1e6 * log(8e6 * x / log(8e6 * x)) for x in (a, a + 1))
        law = two_point_sizes(1, 10**6, (low + place * (high - low)) ** 0.5)
        assert dame_size_cap(law, n=4 * 10**6, epsilon=0.5) == a


@pytest.mark.parametrize(("share", "m"), [(0.02, 40), (0.3, 4000), (0.1, 10**6)])
def test_two_sizes_have_the_bounds_of_15_and_of_corollary_3(share, m):
    """Typed out: (15), the cap m of the second line, what a cap a leaves of the third; N is n epsilon^2."""

    def first(N):
        return exp(-9) / 16 / (N * (1 - share + share * m**0.5) ** 2)

    assert dame_lower(two_point_sizes(1, m, share), n=2, epsilon=1e-6) < 1 < first(2e-12)  # N >= 1 is needed
    for n in (40, 4 * 10**6, 4 * 10**9):
        law, at, N = two_point_sizes(1, m, share), {"n": n, "epsilon": 0.5}, n / 4
        few = exp(-9) / 16 * exp(-24 * N * share**2) / max((1 - share) ** 2 * N, 1)
        assert dame_lower(law, **at) == pytest.approx(max(first(N), few), rel=1e-9, abs=0)
        cap, edge = dame_size_cap(law, **at), 868.5 / N * log(8 * m * N / log(8 * m * N))
        ends = [two_point_sizes(1, m, min(1, side * edge) ** 0.5) for side in (0.999, 1.001)]
        assert edge > 1 or [dame_size_cap(one, **at) == m for one in ends] == [False, True]
        rate = log(8 * (cap * N) ** 0.5) / (N * (1 - share + share * cap**0.5) ** 2)
        assert dame_upper(law, **at) == pytest.approx(min(1, 1646 * rate), rel=1e-9)
        assert rate <= log(np.e * N) / N  # the first line
        x = 16 * cap * N  # the third: e^(-phi(2a) N / c_5) is ln x / x
        assert exp(-log(x / log(x))) == pytest.approx(log(x) / x, rel=1e-9)
        assert log(cap * N) / (N * share**2 * cap) <= 16 * log(x) / x / share**2


def test_the_slopes_of_figure_1a():
    """Trivial at 500 for all sizes from 1 on; from 10^4 on the slopes are enclosed, and one point."""
    assert (PRINTED.c5 / 500 * iv.log(4000 / iv.log(4000))).a > 1
    assert (PRINTED.c3 * iv.log(8 * iv.sqrt(500)) / 500).a > PRINTED.trivial
    slope = -1 + 1 / (2 * iv.log(8 * iv.sqrt(iv.mpf(10**4))))  # the steepest cap is 1
    assert -0.93 < slope.a < slope.b < -0.92
    law, at = poisson_sizes(5.0), {"n": 4 * 10**4, "epsilon": 0.5}
    fallen = 10**4 * dame_lower(law, **at) * law.mean_root(law.largest) ** 2 / PRINTED.c1
    assert 1 <= fallen < 1.00002


def test_dame_at_the_stated_setting():
    """Figure 1b: phi(1) > 1, so that the smallest size is the cap; all parts of the risk, for all means."""
    n, m, epsilon = 10**4, 10**5, 22 / 35
    strength = iv.mpf(n) * iv.mpf(22) ** 2 / 35**2
    assert (PRINTED.c5 / strength * iv.log(8 * strength / iv.log(8 * strength))).a > 1
    for law in (two_point_sizes(m, 10**6, 8 / 9), PowerLawSizes(m, 10**6, 0.7)):
        assert dame_size_cap(law, n=n, epsilon=epsilon, form="printed") == m
    tau = dame_half_width(size_cap=m, n=n, epsilon=epsilon)
    stray = 2 * n * np.exp(-2 * m * tau**2)
    keep = UnaryEncoding(ceil(1 / tau), 3, epsilon).keep
    down, up = keep**2, (1 - keep) ** 2
    failure = ceil(1 / tau) * overtakes((down, 1 - down - up, up), n // 2)
    noise = dame_noise_risk(constant_size(m), n=n, epsilon=epsilon, size_cap=m)
    assert noise + 2 / (n * m) + 4 * (stray + failure) < 8 / epsilon**2 / n / 25


def test_the_statistic_of_algorithm_4_forgets_its_centre():
    """Inside the windows it is a weighted mean, whose weights do not see the averages."""
    means, sizes, wide = np.array([0.1, 0.4, 0.35, 0.8]), np.array([1, 3, 9, 2]), np.full(9, 2.0)
    for spread in (0.0, 0.05):
        values = []
        for c in (0.2, 0.5, 0.7):
            weights = 1 / ((c - c**2) / sizes + (1 - 1 / sizes) * spread)
            values.append(TruncatedMean(c, spread, wide).value(means, sizes))
            assert values[-1] == pytest.approx(weights @ means / weights.sum(), rel=1e-12)
        assert (np.ptp(values) < 1e-12) == (spread == 0)


@pytest.mark.parametrize("a", [0.1, 1.0, 7.0, 100.0])
def test_the_gain_of_debiasing_grows_with_alpha(a):
    """Figure 4: the slopes of ln q and of y / (1 + ln y), their signs; at 10 the gain is above 8."""
    growth = iv.mpf(11) / 10
    assert (growth**-10 / (1 - 10 * iv.log(growth))).a > 8
    log_q = -a * log(1 + 1 / a)
    slope = (1 / (a + 1) - log(1 + 1 / a)) * exp(log_q) * log_q / (1 + log_q) ** 2
    gain = mpmath.diff(lambda x: (1 + 1 / x) ** -x / (1 - x * mpmath.log(1 + 1 / x)), a)
    assert 0 < slope == pytest.approx(float(gain), rel=1e-6)


def test_a_sum_of_independent_counts_loses_at_most_1_over_e_to_its_cap():
    """Figure 3: E min(S, t) against min(E S, t); least for variables that are 0 or t, in fractions."""
    for chances in product((F(0), F(1, 4), F(1, 2), F(2, 3)), repeat=3):
        law = {0: F(1)}
        for p in chances:  # t = 2 with half of the chance, otherwise 1 with p
            parts = [
                (x + y, a * b) for x, a in law.items() for y, b in ((0, 1 - 3 * p / 2), (1, p), (2, p / 2))
            ]
            law = {x: sum(b for y, b in parts if y == x) for x, _ in parts}
        extreme = 2 * (1 - prod(1 - p for p in chances))
        capped = sum(p * min(x, 2) for x, p in law.items())
        assert capped >= extreme >= (1 - 1 / np.e) * min(2 * sum(chances), 2)


def test_the_factors_in_figure_3():
    """chi at the figure's parameters, epsilon = 1 and delta = 1 / 2n, for every bound; the factor of V."""
    for users, bound in product((5 * 10**4, 5 * 10**5), (1, 10, 1500)):
        tail = iv.log(iv.mpf(bound) * users)
        assert (iv.exp(-(1 + tail + 3) / 2)).b < 1e-3
        assert ((2 + tail) / (2 * users)).b < 1e-3
    assert (2 / ((1 + iv.log(2)) * (1 - iv.exp(-1)))).b < 1.9


@pytest.mark.parametrize("theta", [-0.3, 0.0, 0.25])
def test_both_ends_of_figures_6_to_8(theta):
    """With ever more bins one of the first wins: the risk tends to (1 + theta)^2; the noise is below it."""
    users = np.full((1, 2), theta), np.full((1, 2), theta), np.array([theta])
    widths = [2e-4, 0.05, 0.5, 1.0]
    risks = risks_given_means(*users, widths=widths, epsilons=[1.0])[:, 0, 0, 0]
    assert risks[0] == pytest.approx((1 + theta) ** 2, rel=0.01)
    assert (risks >= 144 * np.square(widths) / 4).all()
