"""Displays (1) to (80) of Kent, Berrett and Yu: identities in rationals, inequalities by intervals."""

from fractions import Fraction
from itertools import chain, combinations, product
from math import comb

import numpy as np
import pytest
from mpmath import mp
from scipy.special import gammaln
from scipy.stats import binom

from userdp_papers.theory.enclosures import iv

# More points than the degree of any identity below: agreement on them is a proof.
RATIOS = [Fraction(k, 7) for k in range(8, 24)]


def binomial(n, p):
    return [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


def test_the_budget_enters_by_its_square():
    """(e^x - 1)/x has positive coefficients: on (0, 1] it is largest at 1, where its square is below 3."""
    assert (iv.e - 1) ** 2 < 3


@pytest.mark.parametrize("w", RATIOS)
def test_a_wrong_ball_wins_as_in_61_and_62(w):
    """With w = e^(epsilon/4): the law of the difference for few users, and the factor of a user for all."""
    p = w**2 / (1 + w**2)
    assert 4 * p * (1 - p) == (2 / (w + 1 / w)) ** 2
    for n in range(1, 5):
        right, wrong = binomial(n, p), binomial(n, 1 - p)
        overtakes = sum(right[i] * wrong[j] for i, j in product(range(n + 1), repeat=2) if i <= j)
        assert overtakes == sum(binomial(2 * n, p)[: n + 1]) <= (4 * p * (1 - p)) ** n
    for n in (1, 2):  # all entries of two balls, kept or turned: binomial, and independent
        law = dict.fromkeys(product(range(n + 1), repeat=2), 0)
        for kept in product((0, 1), repeat=2 * n):
            law[sum(kept[:n]), n - sum(kept[n:])] += p ** sum(kept) * (1 - p) ** (2 * n - sum(kept))
        right, wrong = binomial(n, p), binomial(n, 1 - p)
        assert law == {(i, j): right[i] * wrong[j] for i, j in law}
    many, p = 2000, 0.6  # and hardly less than that power
    power = many * np.log(4 * p * (1 - p))
    assert 1.05 * power < binom.logcdf(many, 2 * many, p) <= power


def test_gamma_steps_of_the_covering_bounds():
    """Gamma(1 + x) at x = d/2 against x^x and (x/3)^x: where the induction in d begins, and its constants."""
    gamma = {1: iv.sqrt(iv.pi) / 2, 2: iv.mpf(1), 3: 3 * iv.sqrt(iv.pi) / 4}
    half = {d: iv.mpf(d) / 2 for d in gamma}
    assert gamma[1] > half[1] ** half[1]
    assert gamma[2] <= half[2] ** half[2] and gamma[3] < half[3] ** half[3]
    assert all(gamma[d] > (half[d] / 3) ** half[d] for d in (1, 2))
    assert 18 / iv.pi > 2**2  # the ends of (63) at d = 1: 1 / radius rounded up is below 2 / radius
    assert iv.e < 3 and 18 / iv.pi < 6 and 2 / (3 * iv.pi) > iv.mpf(1) / 5
    for d, radius in product((1, 2, 3, 30, 10**5), (0.1, 0.9)):  # (63), (64), to the power 2 / d
        volumes = np.exp(2 / d * (d * np.log(2 / radius) + gammaln(1 + d / 2))) / np.pi
        over = 3**2 * volumes / (18 * d / (np.pi * radius**2))
        under = volumes / (2 * d / (3 * np.pi * radius**2))
        assert (over <= 1 + 1e-12) == (d > 1) and under > 1
        assert d != 2 or over == pytest.approx(1, rel=1e-12)
        assert d != 1 or over == pytest.approx(np.pi / 2, rel=1e-12)  # 9 pi for 18
    assert under < 1.104  # 3 / e


def printed_radii(x, d, s, c, beta):
    """Logarithm of the printed bound on N at the printed radius, and what it is to be; x = na."""
    fano = (12 * x + mp.log(2)) / (1 - mp.mpf(1) / 2)  # a half is left of Fano's bound with 12 na
    printed = 24 * x + mp.log(4)
    r = mp.sqrt(mp.mpf(d) / 20) * mp.exp(-printed / d)
    yield 66, mp.mpf(d) / 2 * mp.log(d / (5 * (2 * r) ** 2)), fano
    yield 66, mp.log(r**2 / 4), mp.log(mp.mpf(d) / 80) - 48 * x / d - mp.log(16) / d
    r = mp.sqrt(6 * d) * mp.exp(-x / (40 * d))
    yield 67, mp.mpf(d) / 2 * mp.log(6 * d / r**2), x / 40
    yield 67, mp.log(r), (20 * d * mp.log(6 * d) - x) / (40 * d)
    r = mp.exp(-printed / d) / 2
    yield 69, d * mp.log(1 / (2 * r)), fano
    yield 69, mp.log(r**2 / 4), -48 * x / d - (1 + mp.mpf(1) / d) * mp.log(16)
    r = 3 * mp.exp(-x / (30 * d))
    yield 70, d * mp.log(3 / r), x / 30
    yield 70, mp.log(r), (30 * d * mp.log(3) - x) / (30 * d)
    r = 1 / (2 * mp.sqrt(20 * s) / d * mp.exp(printed / s) + 4)
    yield 73, s * mp.log(mp.mpf(d) / s) + mp.mpf(s) / 2 * mp.log(s * (1 / (2 * r) - 2) ** 2 / 20), fano
    brace = 1 - printed / (s * mp.log(mp.mpf(d) ** 2 / (20 * s) * (1 / (2 * r) - 2) ** 2))
    yield 73, mp.log(r**2 / 2 * brace), mp.log(r**2 * (1 - mp.mpf(1) / 2)) - mp.log(2)  # the half it loses
    r = mp.sqrt(6) * mp.e * d / mp.sqrt(s) * mp.exp(-x / (40 * s))
    yield 74, s * mp.log(mp.e * d / s) + mp.mpf(s) / 2 * mp.log(6 * s / r**2), x / 40
    yield 74, mp.log(r**2), mp.log(6 * mp.e**2 * mp.mpf(d) ** 2 / s) - x / (20 * s)
    r = (c / (3 * printed)) ** beta / 2
    yield 76, c * (1 / (2 * r)) ** (1 / mp.mpf(beta)), 3 * fano
    r = (40 * c / x) ** beta
    yield 77, c * (1 / r) ** (1 / mp.mpf(beta)), x / 40


@pytest.mark.parametrize(("d", "s", "beta"), [(1, 1, 1), (3, 2, 2), (7, 3, 3), (16, 16, 1)])
def test_printed_radii_balance_the_exponents(d, s, beta):
    """Both sides are affine in x = na: two values are enough, to forty digits."""
    with mp.workdps(250):
        for x in (mp.mpf(60), mp.mpf(250)):
            for display, bound, wanted in printed_radii(x, d, s, mp.mpf(1) / 64, beta):
                assert abs(bound - wanted) < 1e-40, display


def test_the_diameters_of_67_70_74_and_77():
    """Squared: 4d, 4 and 4s by listing corners; below 2 for densities that have all of their sum at j = 2."""
    d, s = 4, 2

    def widest(points):
        return max(sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) for x, y in product(points, repeat=2))

    corners = [*product((-1, 0, 1), repeat=d)]
    assert widest(corners) == 4 * d
    assert widest([x for x in corners if sum(map(abs, x)) <= 1]) == 4
    assert widest([x for x in corners if sum(map(abs, x)) <= s]) == 4 * s
    for beta in (1, 2, 3):
        second = Fraction(1, 2**beta)
        assert 2 ** (2 * beta) * second**2 == 1
        assert (2 * second) ** 2 == Fraction(4, 4**beta) < 2


def test_cutoff_at_the_horizon_is_all_that_the_voters_allow():
    """(45): with x = n epsilon^2 and L = C log x, J^(2 beta + 2) = x m_0 is (x/L)^(2 beta + 2)."""
    for beta, x, log in product(range(1, 5), RATIOS, RATIOS):
        horizon = x ** (2 * beta + 1) / log ** (2 * beta + 2)
        assert x * horizon == (x / log) ** (2 * beta + 2)


@pytest.mark.parametrize("p", [x / (1 + x) for x in RATIOS])
def test_shares_are_unbiased_for_every_vote(p):
    """(54): the mean of a kept or turned entry, with the noise taken out, is the entry."""
    for entry in (0, 1):
        reported = p * entry + (1 - p) * (1 - entry)
        assert (reported - (1 - p)) / (2 * p - 1) == entry


def test_folds_hold_every_user_once():
    """(31), by listing: a half of a fold is n/(2d) users, and the 2d halves hold everybody once."""
    for d, part in product(range(1, 7), range(1, 4)):
        parts = [range((j - 1) * part + 1, j * part + 1) for j in range(1, 2 * d + 1)]
        folds = [{*parts[j], *parts[d + j]} for j in range(d)]
        assert sorted(chain(*folds)) == list(range(1, 2 * d * part + 1))


def test_grid_on_the_simplex_is_larger_than_printed():
    """The sketch of Section 5.2, by listing: all points, and those with positive parts."""
    for outcomes, steps in product(range(2, 5), range(1, 8)):
        points = [x for x in product(range(steps + 1), repeat=outcomes) if sum(x) == steps]
        assert len(points) == comb(steps + outcomes - 1, outcomes - 1)
        apart = [sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) for x, y in combinations(points, 2)]
        assert min(apart) == 2  # in units of the squared step
        positive = comb(steps - 1, outcomes - 1)
        assert sum(min(x) > 0 for x in points) == positive < len(points)
        least = Fraction(steps - 1, outcomes - 1) ** (outcomes - 1)
        assert (positive >= least) == (steps >= outcomes or steps == 1)
