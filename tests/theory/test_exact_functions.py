"""Exact functions against 50 digits, at parameters drawn log-uniformly over what they accept."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from userdp.central import clipped_poisson_mean
from userdp.privacy import BallReport, BinaryResponse, KaryResponse, UnaryEncoding, gaussian_delta
from userdp.sizes import PowerLawSizes
from userdp_papers.populations import exceedance
from userdp_papers.theory.audit import clopper_pearson, loss_lower_bound
from userdp_papers.theory.exact import folded_mean, miss_probability, two_point_risk
from userdp_papers.theory.exact.counts import (
    clipped_poisson_curvature,
    clipped_poisson_slope,
    clipped_poisson_variance,
)
from userdp_papers.theory.rates import duchi_mean_risk

DIGITS = 1e-11
LEAST = 1e-300  # below it numbers have fewer digits


@pytest.fixture(autouse=True, scope="module")
def many_digits():
    with mp.workdps(700), np.errstate(over="raise", invalid="raise", divide="raise"):
        yield


def between(low, high):
    """Numbers that are log-uniform from `low` to `high`."""
    return st.floats(np.log(low), np.log(high)).map(lambda x: float(np.clip(np.exp(x), low, high)))


def whole(low, high):
    return between(low, high).map(round)


def right(found, wanted, relative=DIGITS):
    return abs(mp.mpf(float(found)) - wanted) <= relative * abs(wanted) + LEAST


def binomial(k, n, p, q):
    return mp.binomial(n, k) * p**k * q ** (n - k)


BUDGET = between(1e-6, 700.0)
tried = settings(max_examples=60, deadline=None, derandomize=True)


@tried
@given(whole(1, 150), BUDGET)
@example(7, 40.0)
@example(1, 40.0)
@example(1, 700.0)
def test_two_point_risk(n, epsilon):
    flip = 1 / (1 + mp.exp(mp.mpf(epsilon)))
    laws = [(binomial(k, n, 1 - flip, flip), binomial(k, n, flip, 1 - flip)) for k in range(n + 1)]
    assert right(two_point_risk(n, epsilon=epsilon), 2 * mp.fsum(a * b / (a + b) for a, b in laws))


@tried
@given(whole(1, 100), whole(1, 10**9), BUDGET)
@example(3, 5, 60.0)
@example(10, 3, 700.0)
def test_miss_probability(n, count, epsilon):
    flip = 1 / (1 + mp.exp(mp.mpf(epsilon) / 2))
    wrong = [binomial(k, n, flip, 1 - flip) for k in range(n + 1)]
    below = [mp.fsum(wrong[:k]) for k in range(n + 1)]
    missed = mp.fsum(wrong[n - k] * (1 - below[k] ** (count - 1)) for k in range(n + 1))
    found = miss_probability(n, count, epsilon=epsilon)
    assert right(found, missed if count > 1 else mp.mpf(0))


@tried
@given(whole(1, 200), st.floats(0, 1), between(1e-99, 0.5))
@example(1000, 0.0, 1e-20)
@example(1000, 0.3, 1e-16)
def test_clopper_pearson(runs, share, level):
    """Binomial tails at the bounds are the level: of a bound moved by 1e-11, they lie on both sides of it."""
    hits = round(share * runs)
    lower, upper = clopper_pearson(hits, runs, level=level)
    assert lower == 0.0 or hits > 0
    assert upper == 1.0 or hits < runs

    def tail(p, counts):
        return mp.fsum(binomial(k, runs, p, 1 - p) for k in counts)

    small, large = mp.mpf(1) - mp.mpf("1e-11"), mp.mpf(1) + mp.mpf("1e-11")
    if hits > 0:
        counts = range(hits, runs + 1)
        assert tail(lower * small, counts) < level < tail(min(lower * large, mp.mpf(1)), counts)
    if hits < runs:
        counts = range(hits + 1)
        assert tail(min(upper * large, mp.mpf(1)), counts) < level < tail(upper * small, counts)


def test_an_audit_at_a_tiny_level_sees():
    assert loss_lower_bound(700_000, 300_000, 10**6, level=1e-16) == pytest.approx(0.829, abs=1e-3)


@tried
@given(whole(1, 10**4), whole(2, 3000), between(1e-3, 1e3), st.floats(0, 1))
@example(1, 50, 0.3, 0.019)
def test_power_laws_of_sizes(low, length, shape, place):
    law, a = PowerLawSizes(low, low + length, shape), mp.mpf(shape)
    with mp.workdps(50):
        powers = [(mp.mpf(j) / length) ** a if j else mp.mpf(0) for j in range(length + 1)]
        chances = [after - before for before, after in zip(powers, powers[1:], strict=False)]
        sizes = [mp.mpf(low + j) for j in range(length)]
        cap = float(low - 0.5 + place * (length + 1))
        roots = [mp.sqrt(min(m, mp.mpf(cap))) for m in sizes]
        small = [mp.sqrt(m) if m <= cap else mp.mpf(0) for m in sizes]
        assert right(law.mean, mp.fdot(sizes, chances))
        assert right(law.expectation(lambda m: 1 / m), mp.fdot([1 / m for m in sizes], chances))
        assert right(law.mean_root(cap), mp.fdot(roots, chances))
        assert right(law.small_root(cap), mp.fdot(small, chances))
        assert right(law.survival(cap), mp.fsum(c for m, c in zip(sizes, chances, strict=True) if m >= cap))


@tried
@given(between(9e3, 9e14), st.sampled_from([1, 2, 3, 5]))
@example(1e15 - 1, 2)
@example(1e15 - 1, 5)
def test_power_laws_over_many_sizes(length, shape):
    """For whole shapes the sums are those of powers: Faulhaber's, and harmonic numbers."""
    n = int(length)
    law = PowerLawSizes(1, n + 1, float(shape))
    with mp.workdps(120):
        # P(m = k) is (k^a - (k - 1)^a) / n^a
        terms = {i: -mp.binomial(shape, i) * mp.mpf(-1) ** (shape - i) for i in range(shape)}

        def powers(s):
            if s < 0:
                return mp.harmonic(n)
            return (mp.bernpoly(s + 1, mp.mpf(n + 1)) - mp.bernpoly(s + 1, mp.mpf(1))) / (s + 1)

        total = mp.mpf(n) ** shape
        assert right(law.mean, mp.fsum(c * powers(i + 1) for i, c in terms.items()) / total)
        inverse = mp.fsum(c * powers(i - 1) for i, c in terms.items()) / total
        assert right(law.expectation(lambda m: 1 / m), inverse)


@tried
@given(whole(1, 300), st.integers(-1000, 1000), st.integers(0, 1000))
@example(10, 0, 400)
def test_exceedance_counts_both_ends_of_a_tie(m, theta, threshold):
    with mp.workdps(60):
        up = (1 + mp.mpf(theta / 1000)) / 2
        # thresholds are thousandths: 2 k - m and the threshold times m are whole numbers
        counts = [k for k in range(m + 1) if abs(2 * k - m) * 1000 >= threshold * m]
        wanted = mp.fsum(binomial(k, m, up, 1 - up) for k in counts)
    assert right(exceedance(m, theta / 1000, threshold / 1000), wanted)


@tried
@given(between(1e-12, 1e4), whole(1, 300))
def test_clipped_poisson_counts(rate, bound):
    with mp.workdps(60):
        r = mp.mpf(rate)
        law = [mp.exp(-r) * r**k / mp.factorial(k) for k in range(bound)]
        below = mp.fsum(law)
        # C P(X >= C) + sum of k P(X = k), of which the first is a series of positive terms
        above = mp.gammainc(bound, 0, r, regularized=True)
        mean = mp.fsum(k * p for k, p in enumerate(law)) + bound * above
        assert right(clipped_poisson_mean(rate, bound), mean)
        assert right(clipped_poisson_slope(rate, bound), below)
        assert right(-clipped_poisson_curvature(rate, bound), law[-1])
        # what is missing to the bound has the same variance
        first, second = (mp.fsum((bound - k) ** j * p for k, p in enumerate(law)) for j in (1, 2))
        assert right(clipped_poisson_variance(rate, bound), second - first**2)


@tried
@given(BUDGET, whole(2, 10**9), whole(1, 50))
def test_reports(epsilon, k, ones):
    e = mp.mpf(epsilon)
    binary, kary = BinaryResponse(epsilon), KaryResponse(k, epsilon)
    unary = UnaryEncoding(2 * ones, ones, epsilon)
    assert right(binary.keep, 1 / (1 + mp.exp(-e))) and right(binary.flip, 1 / (1 + mp.exp(e)))
    assert right(kary.keep, mp.exp(e) / (mp.exp(e) + k - 1)) and right(kary.other, 1 / (mp.exp(e) + k - 1))
    assert right(kary.truthful, (mp.exp(e) - 1) / (mp.exp(e) + k - 1))
    for report in (binary, kary, unary):
        assert abs(report.privacy_loss() - epsilon) <= 1e-12 * max(1, epsilon) * 2 * ones


@tried
@given(BUDGET, whole(1, 10**9))
@example(1.0, 1000)
@example(1.0, 1001)
@example(1.0, 10**7)
def test_radius_of_the_sphere_of_reports(epsilon, d):
    with mp.workdps(60):
        ratio = mp.exp(mp.loggamma(mp.mpf(d) / 2 + 1) - mp.loggamma(mp.mpf(d + 1) / 2))
        wanted = d * mp.sqrt(mp.pi) / (2 * ratio * mp.tanh(mp.mpf(epsilon) / 2))
    assert right(BallReport(d, epsilon).magnitude, wanted)


@tried
@given(between(1e-9, 1e9), between(1e-9, 1e9))
def test_distances_of_noisy_numbers(shift, scale):
    with mp.workdps(60):
        x, b = mp.mpf(shift), mp.mpf(scale)
        normal = b * mp.sqrt(2 / mp.pi) * mp.exp(-((x / b) ** 2) / 2) + x * mp.erf(x / b / mp.sqrt(2))
        assert right(folded_mean(shift, scale, gaussian=False), x + b * mp.exp(-x / b))
        assert right(folded_mean(shift, scale, gaussian=True), normal)


@tried
@given(between(1e-3, 1e6), between(1e-9, 1e3))
def test_slack_of_normal_noise(sigma, epsilon):
    with mp.workdps(100):
        s, e = mp.mpf(sigma), mp.mpf(epsilon)
        a, b = 1 / (2 * s), e * s
        delta = (mp.erfc((b - a) / mp.sqrt(2)) - mp.exp(e) * mp.erfc((a + b) / mp.sqrt(2))) / 2
    assert right(gaussian_delta(sigma, epsilon=epsilon), delta, 1e-9)  # nine digits are what it says


@tried
@given(st.floats(-1, 1), whole(2, 10**12), BUDGET)
def test_risk_of_two_point_reports(theta, n, epsilon):
    wanted = (1 / mp.tanh(mp.mpf(epsilon) / 2) ** 2 - mp.mpf(theta) ** 2) / n
    assert right(duchi_mean_risk(theta, n=n, epsilon=epsilon), wanted)


@pytest.mark.parametrize("wrong", [1 + 1e-10, 1 - 1e-10])
def test_a_wrong_eleventh_digit_would_be_seen(wrong):
    flip = 1 / (1 + mp.exp(40))
    assert not right(two_point_risk(1, epsilon=40.0) * wrong, 2 * flip * (1 - flip))
