"""Kent et al., displays (81) to (160): what their steps claim, tested."""

import itertools
import math
import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom, laplace

from userdp.local import sparse_threshold
from userdp_papers.populations import SparseSigns
from userdp_papers.theory.enclosures import iv

# An identity of rational functions of low degree that fails somewhere fails at almost all rational points.
RANDOM = random.Random(81)
RATIONALS_113 = [Fraction(k, 7) for k in range(-5, 6)]
POINTS = [[Fraction(RANDOM.randint(1, 10**9), 10**6) for _ in range(6)] for _ in range(10)]


def entropy(p):
    """Entropy of all entries of p, in nats."""
    p = p[p > 0]
    return -np.sum(p * np.log(p))


def test_the_extremes_cost_at_most_what_84_says():
    """Line by line of (84), for random laws of past, parameter, report and event.

    Where the event is a set of reports, whatever the past, all of its entropy is needed.
    """
    rng = np.random.default_rng(84)
    for trial in range(200):
        joint = rng.dirichlet(np.full(2 * 3 * 4, 0.5)).reshape(2, 3, 4)  # past, V, Z
        extreme = rng.random(joint.shape) < 0.3
        if trial % 2:
            joint = np.tile(joint.sum(axis=0) / 2, (2, 1, 1))
            extreme[:] = [True, False, trial % 4 == 1, False]
        split = np.stack([joint * ~extreme, joint * extreme], axis=-1)  # past, V, Z, B

        def told(law):
            """I(V; Z | past) of an unnormalised law of past, V, Z."""
            law = law / law.sum()
            return sum(
                sign * entropy(law.sum(axis=axes).ravel())
                for sign, axes in ((1, (2,)), (1, (1,)), (-1, ()), (-1, (1, 2)))
            )

        with_b = split.transpose(0, 1, 3, 2).reshape(2, 6, 4)  # (V, B) instead of V
        share = split.sum(axis=(0, 1, 2))
        uncertain = entropy(split.sum(axis=(1, 2)).ravel()) - entropy(joint.sum(axis=(1, 2)))
        bounds = [
            told(joint),
            told(with_b),
            share @ [told(split[..., b]) for b in (0, 1)] + uncertain,
            told(split[..., 0]) + share[1] * told(split[..., 1]) + uncertain,
            told(split[..., 0]) + share[1] * told(split[..., 1]) + entropy(share),
        ]
        assert np.all(np.diff(bounds) >= -1e-12)
        if trial % 2:
            assert bounds[2] == pytest.approx(bounds[1], rel=1e-9)
            assert bounds[4] == pytest.approx(bounds[3], rel=1e-9)


def test_the_middle_of_90_counts_the_prior_twice():
    """A leak to two equally likely parameters: exactly, the printed middle term is half of the left side."""
    delta, prior, growth = Fraction(1, 100), Fraction(1, 2), Fraction(13, 10)  # growth: e^epsilon
    told = [[delta, 0, 1 - delta], [0, delta, 1 - delta]]  # the name of the parameter, or nothing
    mean = [prior * (one + other) for one, other in zip(*told, strict=True)]
    rare = [
        sum(p for p, m in zip(law, mean, strict=True) if not m / growth**2 <= p <= growth**2 * m)
        for law in told
    ]
    extreme = [prior * one for one in rare]  # P(B_v = 1): the parameter is v and the report extreme for it
    assert 2 * sum(prior * one for one in extreme) == sum(extreme) == delta


def test_the_unit_of_91_lies_between_one_and_two():
    """x / (1 - exp(-x)) increases from 1, since exp(x) >= 1 + x, and 1 / (1 - exp(-x)) falls: look at 1.

    So the entropy of a coin is within a factor two of p log(1/p) up to p = 1/2.
    """
    assert (1 / (1 - iv.exp(-iv.mpf(1)))).b < 2
    quotients = [entropy(np.array([p, 1 - p])) / (p * np.log(1 / p)) for p in (1e-9, 0.01, 0.1, 0.3, 0.5)]
    assert quotients == sorted(quotients) and 1 < quotients[0] < 1.05
    assert quotients[-1] == pytest.approx(2, rel=1e-12)
    for epsilon in (0.01, 0.5, 1.0, 3.0):  # the order of (94), from (90)
        assert 1 <= min(1, epsilon) * np.exp(epsilon) / np.expm1(epsilon) <= 2


def test_what_is_told_without_extremes_is_not_of_order_a():
    """(93) under the conditions of Theorem 11: a report that is extreme for one of two parameters only.

    With epsilon = 100 / n and delta = epsilon / (100 n log n) the information given B = 0 exceeds
    min(epsilon, epsilon^2) by any factor as n grows; H(B), which (91) counts already, covers it.
    """
    mpmath.mp.dps = 60
    factors = []
    for n in (mpmath.mpf(10) ** k for k in (10, 12, 14)):
        e = 100 / n
        delta = e / (100 * n * mpmath.log(n))
        s = delta / ((1 + 2 * e) - mpmath.exp(e) * (1 - 2 * e))  # exactly (epsilon, delta)-private
        ratio = [1 + 2 * e, 1 - 2 * e]
        assert ratio[0] < mpmath.exp(2 * e) and ratio[1] < mpmath.exp(-2 * e)
        # given B = 0 the report w comes from the first parameter alone
        laws = [[ratio[0] * s / 2, (1 - ratio[0] * s) / 2], [mpmath.mpf(0), (1 - ratio[1] * s) / 2]]
        usual = sum(map(sum, laws))
        rows = [sum(law) / usual for law in laws]
        columns = [sum(law[z] for law in laws) / usual for z in (0, 1)]
        told = sum(
            law[z] / usual * mpmath.log(law[z] / usual / (row * columns[z]))
            for law, row in zip(laws, rows, strict=True)
            for z in (0, 1)
            if law[z] > 0
        )
        factors.append(told / e**2)
        p = 1 - usual
        assert told < -p * mpmath.log(p) - (1 - p) * mpmath.log(1 - p)
    mpmath.mp.dps = 15
    assert factors[1] > 100 and factors[2] > 50 * factors[1] > 2000 * factors[0]


def test_the_constants_of_the_vote_in_one_dimension():
    """The margin of the votes before (105), the exponent of (106), and 8536 for K, certified at budget 1."""
    for p, n, *_ in POINTS:
        true, far = ((2 * p - 1) * share + 1 - p for share in (Fraction(3, 8), Fraction(1, 4)))
        assert (true, far) == ((5 - 2 * p) / 8, (3 - 2 * p) / 4)
        hoeffding = 2 * (n / 2 * (true - far)) ** 2 / (n / 2 * 2**2)  # n / 2 differences in [-1, 1]
        assert hoeffding == n * (p - Fraction(1, 2)) ** 2 / 64
    half = (1 / (1 + iv.exp(-iv.mpf(1) / 2)) - iv.mpf(1) / 2) ** 2  # (p - 1/2)^2 at budget 1
    assert 8535 < (128 / half).a <= (128 / half).b < 8536


@pytest.mark.parametrize("stray", [0.0, 0.01, 0.125])
@pytest.mark.parametrize("budget", [1.5, 7.0, 60.0])
def test_a_far_bin_wins_no_oftener_than_conditioning_on_straying_says(stray, budget):
    """Exact chance that a far bin beats the true one: below our bound, not below that of independent ones.

    Each voter's vote is (1, 0), or with probability `stray` (0, 1), before noise. Ours: nobody strays, or
    somebody does. A sanity check on the size of the first, a counterexample to the second.
    """
    keep, exact, independent = expit(budget / 6), [], []
    shift = (2 * keep - 1) * stray
    for voters in (2, 5, 20):
        law = np.ones(1)
        for _ in range(voters):  # the law of (1 - vote for the true bin) + (vote for the far bin)
            told = [np.convolve([q, 1 - q], [q, 1 - q]) for q in (keep, 1 - keep)]
            law = np.convolve(law, (1 - stray) * told[0] + stray * told[1])
        exact.append(law[voters:].sum())
        independent.append(binom.sf(voters - 1, 2 * voters, 1 - keep + shift))
        repaired = np.cosh(budget / 12) ** (-2 * voters) + voters * stray
        assert exact[-1] <= repaired + 1e-12
    assert stray == 0 or budget < 60 or np.all(np.array(exact) > independent)


def test_the_binomial_sums_of_110_and_136():
    """Their algebra: the product, twice the ratio of the series, and no factor d in that of (136)."""
    for w, x, n, m, d, _ in POINTS:
        assert 4 * (w - x) * (1 - w + x) == 4 * w * (1 - w) + 4 * x * (2 * w - 1) - 4 * x**2
        assert 2 * n * 4 * (2 / (n * m) ** 2) == 16 / (n * m**2)  # binomial(n, i) <= n^i
        assert 2 * (n / d) * 4 * (3 * d / (n * m) ** 2) == 24 / (n * m**2)
        assert n / 2 * (2 / (n * m) ** 2) == 1 / (n * m**2)  # some voter's mean deviates, (108)
        assert n / (2 * d) * (3 * d / (n * m) ** 2) == Fraction(3, 2) / (n * m**2)  # or one of (132)


@pytest.mark.parametrize(("kappa", "holds"), [(8536, True), (300, False)])
def test_the_sum_of_110_is_true_where_there_is_a_far_bin(kappa, holds):
    """A far bin needs tau < 1/3: at the truncation level of (106) 15/(n m^2) is then above the power n/2.

    More records would narrow the bins and lessen that term: the most that the level allows are the worst.
    """
    spare = []
    for budget, log_m in itertools.product((1.0, 7.0, 60.0), np.geomspace(0.5, 300, 400)):
        n = kappa * log_m / budget
        if 4 * (np.log(n) + log_m) < np.exp(log_m) / 9:
            spare.append(np.log(15 / n) - 2 * log_m + n * np.log(np.cosh(budget / 12)))
    assert len(spare) > 500 and (min(spare) > 0) == holds


def test_the_rotated_width_has_more_bins_than_137_counts():
    """1 / min(tau, 1) <= sqrt(m) fails for the width (34) whatever C is, once d > C log^2(nm).

    The last step itself, which needs m for sqrt(m) only, fails once d > C m log^2(nm).
    """
    for c, m in itertools.product((25, 400), (10, 10**4)):
        d = 10**7
        n = 100 * d
        tau = np.sqrt(c / (d * m)) * np.log(n * m)
        assert 1 / min(tau, 1) > np.sqrt(m)
        assert (72 / (min(tau, 1) * n * m**2) > 72 / (n * m)) == (d > c * m * np.log(n * m) ** 2)
        assert (d > c * m * np.log(n * m) ** 2) == (m == 10)


def test_the_constants_of_the_risk_in_one_dimension():
    """(114), (118) and after; (146) has 374 instead of 674 and loses a factor 8."""
    for budget, widened in itertools.product((Fraction(1, 2), 1, 2, 30), (2, 5)):
        variance = Fraction((1 + widened) ** 2) + 8 * Fraction((1 + widened) ** 2) / budget**2
        assert variance <= 49 + 8 * Fraction((1 + widened) ** 2) / budget**2 <= 337 / min(budget**2, 1)
        assert widened > 2 or budget > 1 or variance <= 81 / budget**2
        reach = 1 + widened  # in units of tau: means at either end, even odds, and the noise of the report
        spread = laplace(scale=2 * reach / float(budget)).var() + np.var([-reach, reach])
        assert spread == pytest.approx(float(variance), rel=1e-9)
    for tail, far, width, records, report, users in POINTS:
        failed = 3 * far / width + 48 / records  # (112)
        near, off = (2 * 2 * tail) ** 2, 2**2 * failed  # (117): twice twice (116); (118): twice, squared
        assert off == 12 * far / width + 192 / records
        risk = 32 * tail**2 + 24 * far / width + 384 / records + 674 * report / users
        assert 2 * (near + off + 337 * report / users) == risk
        assert 2 * ((2 * tail) ** 2 + off + 337 * report / users) == risk - 24 * tail**2  # (146): 8 of (143)


def test_the_rotated_width_over_the_length_of_the_error():
    """(132): on the event A_i a squared tail needs C >= 400 c^2; (144): C >= 200 c_3. In squares."""
    for c, d, m, log, *_ in POINTS:
        flattening = 100 * 2 * log / d  # Lemma 20 at gamma = exp(-2 L), L the logarithm

        def width(big, d=d, m=m, log=log):
            return big / (d * m) * log**2

        assert width(400 * c**2) == flattening * c**2 * 2 * log / m
        assert m * d * width(200 * c) / (100 * c * log) == 2 * log
    assert [3 * d - (2 * d + 1) for d in (1, 2, 64)] == [0, 1, 63]  # (132)
    assert [3 * d / Fraction(4 * d) ** 2 <= Fraction(1, 4) for d in (1, 2, 64)] == [True] * 3


def test_the_constants_of_thresholding():
    """(156) to (158) at the width and threshold (42): Markov, Hoeffding, the Laplace average; in squares."""
    for c, d, n, m, e, log in POINTS:
        tau = 4 * log / m
        threshold = c**2 * tau * d * log / (n * e**2)
        assert m * tau / 2 == 2 * log  # the tail is (n m epsilon^2)^(-2)
        assert 4**2 / threshold == (2 / c) ** 2 * n * m * e**2 / (d * log**2)
        assert n * m * threshold / (4 * d) == (c * log / e) ** 2
        for noise, exponent in ((14, 3136), (6, 576)):
            assert n / (16 * d) * threshold * e**2 / (noise**2 * tau) == c**2 * log / exponent
        for y in (Fraction(19, 10), Fraction(2), Fraction(21, 10)):  # (157), by E e^(t l) <= e^(2 t^2)
            t = min(y / 4, Fraction(1, 2))
            chernoff = n / (2 * d) * (t * y - 2 * t**2)
            printed = n / (16 * d) * y**2 if y <= 2 else n / (8 * d) * y
            assert chernoff >= printed and (chernoff == printed) == (y <= 2)
            assert y != 2 or printed == n / (8 * d) * y
        assert m**2 * tau * threshold == (4 * c) ** 2 * d * log**3 / (n * e**2)  # Markov, with c = 24


def cosh(x):
    """Enclosure of the hyperbolic cosine."""
    return (iv.exp(x) + iv.exp(-x)) / 2


def test_the_proof_of_thresholding_with_its_constants():
    """The parts of a miss add to 3 exp(-L), and the risk to 83,000, for every L from log 192 on."""
    for c, *_ in POINTS:  # H / G has positive coefficients: 9^k + 1 - 4^k over (2k)!
        assert (2 * c**2 - 1) * (2 * c - 1) == (4 * c**3 - 3 * c) + c - (2 * c**2 - 1)
    y, log = iv.mpf(1) / 4, iv.log(192)
    assert (cosh(3 * y) + cosh(y) - cosh(2 * y)).b <= 1.2
    assert Fraction(192, 128) == Fraction(3, 2)  # the exponent of a miss at C_0 = 192
    assert (-iv.log(1 - iv.mpf(1) / 4)).b <= 2 / 4  # Chernoff: convex in t^2, so its end decides
    vote = iv.exp(iv.mpf(1) / (5 * 192)) / 2
    assert vote.b <= 0.51
    assert (vote + iv.mpf(1) / 48 + 2 + 2 * iv.exp(log - 576 * log**2)).b <= 3
    assert (36 * 24**2 * 4 + 4 * 3 / log**2).b <= 83_000


def test_thresholding_where_its_proof_applies():
    """All estimates within 3 lambda in 20 runs, with a chance of failure of 2e-7; not within 3 / 120."""
    n, m, population, rng = 8800, 100_000, SparseSigns(2, 1, 0.5), np.random.default_rng(158)
    log = np.log(n * m)
    assert n >= 192 * 2 * np.log(2 * n * m)
    cut = 24 * np.sqrt(4 * log / m) * np.sqrt(2 * log / n)
    missed = []
    for _ in range(20):
        means = population.draw_means(m, n, rng)
        run = sparse_threshold(means, size=m, sparsity=1, epsilon=1.0, rng=rng)
        missed.append(np.abs(run.scores - population.mean).max() / cut)
        assert run.selected.tolist() == [0]
        assert np.sum((run.value - population.mean) ** 2) <= 36 * cut**2
    assert 3 / 120 < max(missed) <= 3


def test_the_exponents_of_density_estimation():
    """(160): at J = x^(1 / (2 beta + 2)) noise J^2 / x and bias have the same power of x = n m epsilon^2."""
    for beta in (Fraction(k, 7) for k in range(1, 50)):
        assert 2 / (2 * beta + 2) - 1 == -2 * beta / (2 * beta + 2)


def test_an_extreme_report_tells_at_most_the_entropy_of_the_parameter():
    """(94): given an event the information is at most log N, attained when the report names the parameter."""
    rng = np.random.default_rng(94)
    for N in (2, 3, 8):
        shares = []
        for joint in [*rng.dirichlet(np.full(N * N, 0.1), 100).reshape(-1, N, N), np.eye(N) / N]:
            told = entropy(joint.sum(axis=0)) + entropy(joint.sum(axis=1)) - entropy(joint.ravel())
            shares.append(told / np.log(N))
        assert max(shares) == pytest.approx(1)
        # given an event the entropy can grow: the prior need not bound it
        prior = np.array([1 - 1e-6, 1e-6])
        assert entropy(prior) < 0.01 * entropy(np.array([0.5, 0.5]))


def test_both_terms_of_the_bracket_of_theorem_11_are_needed():
    """A tenth less fails: of epsilon at a large budget, and of n delta where users leak and N is large."""
    epsilon, log_values = 100.0, 91.0  # a response to all values; what it tells by Fano, as tanh is at most 1
    assert 0.9 * epsilon + np.log(2) < log_values / (1 + np.exp(log_values - epsilon))
    n, delta = 2, Fraction(1, 10)
    assert Fraction(9, 10) * n * delta < 1 - (1 - delta) ** n <= n * delta


@pytest.mark.parametrize("users", [2, 6])
def test_bias_and_variance_given_the_bin_as_in_113(users):
    """All reports of a tiny protocol enumerated: bias and variance given the bin, and the square of a sum."""
    theta = Fraction(1, 3)
    report = {0: [(Fraction(1, 2), Fraction(-1)), (Fraction(1, 2), Fraction(2))]}
    report[1] = [(Fraction(1, 4), Fraction(5)), (Fraction(3, 4), Fraction(-3))]
    bins = {0: Fraction(9, 10), 1: Fraction(1, 10)}  # 1 is the wrong bin
    risk, bias, variance = Fraction(0), {}, {}
    for chosen, chance in bins.items():
        mean = sum(p * x for p, x in report[chosen])
        bias[chosen] = mean - theta
        variance[chosen] = sum(p * (x - mean) ** 2 for p, x in report[chosen])
        for drawn in itertools.product(report[chosen], repeat=users // 2):
            law = np.prod([p for p, _ in drawn])
            risk += chance * law * (sum(x for _, x in drawn) / (users // 2) - theta) ** 2
    parts = [bins[b] * bias[b] ** 2 for b in bins]
    noise = sum(bins[b] * variance[b] for b in bins) / (users // 2)
    assert risk == sum(parts) + noise
    assert risk <= 2 * parts[0] + 2 * parts[1] + noise
    for x, y in itertools.product(RATIONALS_113, repeat=2):
        assert (x + y) ** 2 <= 2 * x**2 + 2 * y**2
        assert (x + x) ** 2 == 2 * x**2 + 2 * x**2  # the 2 is attained


def test_the_bins_of_107_are_at_most_twice_one_over_the_width():
    """Exactly, for widths in thousandths; just below 1 there are two bins: no smaller constant."""
    bins = [math.ceil(1 / tau) * min(tau, 1) for tau in (Fraction(k, 1000) for k in range(1, 3000))]
    assert Fraction(199, 100) < max(bins) <= 2 < 3


@pytest.mark.parametrize("size", [1, 2, 5, 12])
def test_what_projecting_moves_in_115(size):
    """Exactly for signs: at most twice the tails; of one sign and an end near -1 hardly less."""
    places = (-999, -300, 0, 650), (-1000, -300, 0), (-999, 0, 650)
    for theta, low, high in itertools.product(*[[Fraction(k, 1000) for k in some] for some in places]):
        p = (1 + theta) / 2
        law = [math.comb(size, k) * p**k * (1 - p) ** (size - k) for k in range(size + 1)]
        ends = [(w, max(x - high, low - x)) for k, w in enumerate(law) for x in [Fraction(2 * k, size) - 1]]
        moved = sum(w * by for w, by in ends if by > 0)
        beyond = sum(w for w, by in ends if by > 0)
        assert moved <= 2 * beyond
        if size == 1 and high - low == Fraction(1, 1000):
            assert moved > Fraction(199, 100) * beyond


@pytest.mark.parametrize(("d", "kappa", "large"), [(2, 3, 7), (50, 8536, 20000), (10**6, 10, 15)])
def test_the_factor_d_goes_into_the_exponent_of_122(d, kappa, large):
    """With x = n eps^2/d of at least C log d it leaves c = 1/2 - kappa/C, equal at the end."""
    least = large * math.log(d)
    for x in (least, 1.5 * least, 4 * least):
        printed, absorbed = math.log(d) - x / (2 * kappa), -(1 / 2 - kappa / large) * x / kappa
        assert printed <= absorbed + 1e-9
        assert x > least or printed == pytest.approx(absorbed)
    assert (1 / 2 - kappa / large > 0) == (large > 2 * kappa)


@pytest.mark.parametrize(("J", "beta"), [(2, 1), (5, 2), (9, 3)])
def test_the_integrated_error_of_159_by_parseval(J, beta):
    """By quadrature that is exact for these polynomials, and the tail that the class allows."""
    rng, j = np.random.default_rng(159), np.arange(1, 22)
    theta = np.where(j > 1, rng.random(j.size), 0.0)
    theta /= np.sqrt(np.sum(j ** (2 * beta) * theta**2))
    theta[0], found = 1.0, rng.normal(size=J)
    x = (np.arange(64) + 0.5) / 64
    waves = [np.sqrt(2) * wave(2 * np.pi * k * x) for k in range(1, 11) for wave in (np.cos, np.sin)]
    basis = np.array([np.ones(64), *waves])
    error = np.mean((found @ basis[:J] - theta @ basis) ** 2)
    assert error == pytest.approx(np.sum((found - theta[:J]) ** 2) + np.sum(theta[J:] ** 2))
    assert np.sum(theta[J:] ** 2) <= J ** (-2.0 * beta)
    edge = np.where(j == J + 1, (J + 1.0) ** -beta, 0.0)  # all that the class allows, just beyond J
    assert np.sum(j ** (2 * beta) * edge**2) == pytest.approx(1)
    assert np.sum(edge[J:] ** 2) <= J ** (-2.0 * beta)
    assert J == 2 or np.sum(edge[J:] ** 2) > J ** (-2.0 * beta - 1)


def test_a_largest_packing_is_a_cover_as_57_uses():
    """Exactly for sets of points on a line: its size is at least the covering number."""
    draw, equal = random.Random(57), 0
    for _ in range(60):
        points, reach = draw.sample(range(25), 7), draw.choice([2, 3, 5])
        subsets = [some for size in range(1, 8) for some in itertools.combinations(points, size)]
        apart = [
            some for some in subsets if all(abs(a - b) > reach for a, b in itertools.combinations(some, 2))
        ]
        covers = [some for some in subsets if all(min(abs(x - c) for c in some) <= reach for x in points)]
        packing, cover = max(map(len, apart)), min(map(len, covers))
        assert packing >= cover
        for some in (some for some in apart if len(some) == packing):
            assert all(min(abs(x - c) for c in some) <= reach for x in points)
        equal += packing == cover
    assert equal
