"""The later displays of Kent et al.: densities, mixtures, lower bounds, lemmas of the appendix."""

import random
from fractions import Fraction
from itertools import islice, product
from math import comb

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import binom

from userdp_papers.theory.enclosures import iv

POINTS = 20


def rationals(count):
    """Random rational points: an identity of rational functions that fails is caught surely."""
    rng = random.Random(161)
    numbers = iter(lambda: Fraction(rng.randint(1, 10**6), rng.randint(1, 10**6)), None)
    return [list(islice(numbers, count)) for _ in range(POINTS)]


@pytest.mark.parametrize("beta", [1, 2, 3])
def test_cut_off_turns_exponentials_into_powers(beta):
    """(160) to (163): the number of coefficients J = N / (C log N); N and its logarithm as two letters."""
    for N, log, c, C, kappa, m in rationals(6):
        J = N / (C * log)
        assert c * N / J == c * C * log and N / (kappa * J) == C / kappa * log
        assert J**2 / (N * m) == N / (C**2 * log**2 * m) and N * m / J == C * m * log
        fewest = N ** (2 * beta + 1) / (C * log) ** (2 * beta + 2)
        assert N / fewest * log == N ** (-2 * beta) * C ** (2 * beta + 2) * log ** (2 * beta + 3)
        largest = N / (kappa * (2 * beta + 1) * log)  # of J in (160)
        assert N / (kappa * largest) == (2 * beta + 1) * log
        assert (N / (C * log)) ** (-2 * beta) == (C * log) ** (2 * beta) * N ** (-2 * beta)  # (161)


def test_exponents_of_the_mixture_votes():
    """(164), (171), (174) to (176): exponents by algebra, constants by intervals for all budgets to 1.

    Then the left sides of (171), (175) and (176), exactly; that of (175) with a bias of half of x.
    """
    for log, records, keep, share, N in rationals(5):
        x, y, z = 2 * log, 4 * keep, 4 * N  # (174): a square of three, and what the print has more
        left = (x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2
        assert (x + y + z) ** 2 + left == 12 * log**2 + 48 * keep**2 + 48 * N**2
        assert records * (4 * log / records) / 2 == 2 * log
        assert 2 / (8 * keep / share) == share / keep / 4  # (164): the square of n eps^2 is at least 8 k / c
        gap = (2 * keep - 1) * share / 8
        assert N * gap**2 / 2 == N * share**2 * (keep - Fraction(1, 2)) ** 2 / 32
        assert 2 * N * (share / 4 * (2 * keep - 1)) ** 2 == N * (2 * keep - 1) ** 2 * share**2 / 8  # (176)
        n, k, budget, least = 3 * N, 1 / share, keep, Fraction(24, 100)  # tanh(epsilon/4) over epsilon
        assert N * (least * budget) ** 2 * share**2 / 8 == least**2 / 24 * n * budget**2 / k**2  # (180)
    # tanh is concave and x coth x <= cosh x, so that the ends decide.
    least = (iv.exp(iv.mpf(0.5)) - 1) / (iv.exp(iv.mpf(0.5)) + 1)  # tanh(1/4)
    assert least > 0.24 and 2 * (iv.exp(0.25) + iv.exp(-0.25)) < 5
    assert Fraction(12, 100) ** 2 / 96 >= Fraction(2, 13_400)  # (171)
    assert Fraction(24, 100) ** 2 / 2 >= Fraction(2, 100)  # (175), from half of x on
    assert Fraction(24, 100) ** 2 / 24 >= Fraction(1, 13_400)  # (176)
    for budget, share, N in ((1.0, 0.9, 10_000), (1.0, 0.2, 80_000), (0.5, 0.9, 20_000)):
        gain, miss, told = np.tanh(budget / 4), 1 / (1 + np.exp(budget / 2)), np.arange(N + 1)
        own, wrong = 3 / 8 * share, share / 4  # from here on the left sides, exactly
        same = (1 - own - wrong) * miss * (1 - miss)
        up, down = (x * (1 - miss) ** 2 + y * miss**2 + same for x, y in ((own, wrong), (wrong, own)))
        ties = binom.pmf(told, N, up + down) @ binom.cdf(told // 2, told, up / (up + down))
        bound = np.exp(-N * share**2 * (gain / 2) ** 2 / 32)
        assert bound**4 < ties <= bound  # (171)
        x = np.sqrt(800 / N) / budget
        low, mean, high = (miss + gain * (share + off * x) for off in (-1, -1 / 2, 1))
        far = binom.cdf(np.floor(N * low), N, mean) + binom.sf(np.ceil(N * high) - 1, N, mean)
        bound = 2 * np.exp(-2 * N * budget**2 * x**2 / 100)
        assert bound**2 < far <= bound  # (175)
        small = binom.cdf(np.ceil(N * (miss + gain * share / 2)) - 1, N, miss + gain * share * 3 / 4)
        bound = np.exp(-N * gain**2 * share**2 / 8)
        assert bound**1.2 < small <= bound  # (176)


@pytest.mark.parametrize(("information", "m"), [(1e8, 10**4), (1e10, 10**5)])
def test_someone_strays_oftener_than_173_and_179_say(information, m, kappa=13_400):
    """Coins of means -1/2 and 1/2, n eps^2 and m fixed, and so many users that some see ones only."""
    tau = np.sqrt(4 * np.log(information * m) / m)
    assert 6 * tau < 1 and 5 * tau - 1 / 2 < 1  # separated; the widened bin of -1/2 ends below 1
    log_n = np.log(60) + m * np.log(4)
    strays = -np.expm1(-np.exp(log_n - np.log(6) - m * np.log(4)))  # a third, half of them of the first coin
    printed = np.exp(-information * 0.4**2 / kappa) + 2 / (information * m)
    assert printed < 1e-11 and strays > 0.9999


def test_the_horizon_of_mixtures_needs_the_least_share():
    """(172): the root of the horizon against e^(n eps^2 pi_0^2 / (2 kappa)), pi_0 = c / k, in exponents."""
    for information, k, c, kappa in rationals(4):
        horizon = information / (2 * kappa * k**2)
        printed = information * (c / k) ** 2 / (2 * kappa)
        assert printed == c**2 * horizon  # below it, as c < 1
        assert printed == information / (2 * (kappa / c**2) * k**2)
    for k in (2, 5):  # 3k times that root is swallowed from x = n eps^2 pi_0^2 / kappa = 2 log(3k) on
        for beyond in (-0.1, 0, 0.1):
            x = 2 * np.log(3 * k) + beyond
            ratio = 3 * k * np.exp(x / 2) * np.exp(-2 * x) / np.exp(-x)
            assert ratio == pytest.approx(np.exp(-beyond / 2), rel=1e-12)


@pytest.mark.parametrize("epsilon", [1.0, 0.1])
def test_an_unbiased_share_is_not_bounded_by_two(epsilon):
    """(174): all users report 1, which happens with positive probability; the quotient has a bound, 2 / pi_0.

    With half of the votes, which (53) leaves of a mean on an edge, its mean in (177) and (180) is near 1.
    """
    keep = 1 / (1 + np.exp(-epsilon / 2))
    assert np.isclose(2 * keep - 1, np.tanh(epsilon / 4))
    assert (1 - (1 - keep)) / (2 * keep - 1) > 2 + 0.5  # and a share is at most 1/2 for one of them
    users, share, least = round(2000 / epsilon**2), 0.98, 0.02
    ones, gain = np.arange(users + 1), 2 * keep - 1
    seen = (ones / users - (1 - gain) / 2) / gain
    seen[seen < least / 2] = np.inf
    off = np.where(seen < np.inf, share / seen - 1, 0)
    assert 1.9 / least < max(abs(off)) <= 2 / least
    chances = ((1 - gain) / 2 + gain * voted for voted in (share, share / 2))
    right, halved = (binom.pmf(ones, users, chance) @ off for chance in chances)
    assert abs(right) < 0.003 and halved > 0.98


def test_the_first_variance_of_181_has_the_noise_of_the_share():
    """Half of 10^6 users each at the budget 0.05, and tau / 2 over the share: exactly, 40 times the print.

    With the vote of (53) as transcribed a mean on an edge has half of its votes; more users do not help.
    """
    share, tau = 0.5, 0.5

    def variance(users, epsilon, voting):
        gain = np.tanh(epsilon / 4)
        chance = (1 - gain) / 2 + gain * voting  # of a one, for a user of either component
        votes = np.arange(users + 1)
        law, seen = binom.pmf(votes, users, chance), (votes / users - (1 - gain) / 2) / gain
        kept = seen >= share / 2
        value = np.where(kept, share * tau / np.where(kept, seen, 1), 0)
        return law @ value**2 - (law @ value) ** 2

    assert variance(10**6, 0.05, share) > 40 * 36 * tau**2 / (10**6 * share**2)
    for users in (10**4, 10**5):
        assert variance(users, 0.5, share / 2) > 0.75 * tau**2
        assert variance(users, 0.5, share) < 18 * tau**2 / (users * 0.5**2)


def likelihood_ratios(m, delta):
    """All outcomes of m signs of mean delta: chances, ratios of the turned to the own law."""
    up = (1 + delta) / 2
    ups = range(m + 1)
    chance = [comb(m, u) * up**u * (1 - up) ** (m - u) for u in ups]
    return [(w, ((1 - up) / up) ** (2 * u - m)) for u, w in zip(ups, chance, strict=True)]


@pytest.mark.parametrize("m", [1, 2, 5])
@pytest.mark.parametrize("delta", [Fraction(1, 10), Fraction(-1, 3), Fraction(1, 2)])
def test_fluctuations_of_two_coins_are_orthogonal(m, delta):
    """(192) and (193), by enumeration in rational arithmetic."""
    coins = likelihood_ratios(m, delta), likelihood_ratios(m, -delta)
    mixed = sum(w * v * a * b for (w, a), (v, b) in product(*coins))
    assert mixed == 1
    square = sum(w * a**2 for w, a in coins[0])
    assert square == ((1 + 3 * delta**2) / (1 - delta**2)) ** m


@pytest.mark.parametrize("m", [1, 3, 15])
def test_the_bound_of_189_is_for_the_best_channel(m, n=41, mean=0.6, keep=0.7):
    """(189) for one coin: noisy majorities attain it; for a channel that ignores its data it is false."""
    right = binom.sf(m // 2, m, (1 + mean) / 2)
    vote = keep * right + (1 - keep) * (1 - right)
    laws = [binom.pmf(range(n + 1), n, share) for share in (vote, 1 - vote)]
    rho = mean**2 / 2  # (182) for squared error
    bound = rho * (1 - np.abs(laws[0] - laws[1]).sum() / 2)
    wrong = binom.cdf(n // 2, n, vote)  # the majority of the reports is
    assert mean**2 * wrong == pytest.approx(bound, rel=1e-9)
    guess = mean * (laws[0] - laws[1]) / (laws[0] + laws[1])
    risk = laws[0] @ (guess - mean) ** 2
    assert risk == pytest.approx(laws[1] @ (guess + mean) ** 2, rel=1e-9)  # so it is the worst risk
    assert bound <= risk < rho  # rho is the right side of a channel that ignores its data


def test_compound_growth_is_at_most_twice_linear():
    """(194) and (211): (1 + y/m)^m - 1 <= e^y - 1 <= 2y on [0, 1], a convex function's two ends."""
    assert iv.exp(0) - 1 == 0 and iv.exp(1) - 1 - 2 < 0
    for x, c, d, n, m, square in rationals(6):  # x = delta^2 <= 1/2
        assert 8 * x - 4 * x / (1 - x) == 4 * x * (1 - 2 * x) / (1 - x)
        assert 2 * m * 8 * c * d / (n * m * square) == 16 * c * d / (n * square)
    for m, y in product((1, 2, 10**6), (1e-3, 0.5, 1.0)):
        x = y / (8 * m)  # delta^2
        grown = np.expm1(m * np.log1p(4 * x / (1 - x)))
        assert grown <= np.expm1(m * np.log1p(8 * x)) <= 16 * m * x
    assert np.expm1(m * np.log1p(1.3 / m)) > 2 * 1.3  # not much beyond y = 1


def test_remainder_of_the_linear_part():
    """(201) to (203): equalities by algebra, the repaired inequality from the exponential series."""
    for p, m in rationals(2):
        slope = (1 - 2 * p) / (2 * p * (1 - p))
        x = 4 * (2 * p - 1) ** 2 / (1 - (2 * p - 1) ** 2)
        assert 4 * slope**2 * m * p * (1 - p) == 2 * slope * m * (1 - 2 * p) == m * x  # (201), (202)
        assert 2 * 2 * (m / 4 * slope**2) == 2 * (m / 2 * slope**2)  # (196), (198): (204) prints half of it
        delta = 1 - 2 * p
        assert slope**2 == 4 * delta**2 / (1 - delta**2) ** 2 and x == 4 * delta**2 / (1 - delta**2)  # (204)
    for m, square in product((1, 2, 9), (Fraction(1, 10**9), Fraction(1, 10**12))):
        x = 4 * square / (1 - square)
        rest = ((1 + x) ** m - 1 - m * x) / square**2
        assert 8 * m * (m - 1) <= rest <= Fraction(1001, 1000) * 8 * m * (m - 1)
        assert (rest > m**2) == (m > 1)  # without a constant it is false
    # sum over j >= 2 of (mx)^j / j! <= (e - 2)(mx)^2 for mx <= 1, and x <= 4 delta^2 / (9/10)
    assert (iv.exp(1) - 2) * (iv.mpf(40) / 9) ** 2 < 27
    x = 1 / 10**6  # at m x = 1
    assert (1 + x) ** 10**6 - 2 > 11.4 * 10**12 * (x / (4 + x)) ** 2
    # (204) with C = 54: twice 2 sigma^2 eps at delta^2 <= 1/10, and twice 27 for each of d coordinates
    assert 2 * 2 * 4 / Fraction(9, 10) ** 2 < 20 < 54


@pytest.mark.parametrize("m", [1, 2, 7])
def test_the_skew_of_sparse_means(m):
    """(207): what the first choice of the skew makes of the root, from the m-th root on."""
    for (root,) in rationals(1):
        ratio, skew = (1 + root) ** m - 1, root / 2  # ratio = d / (84 n eps^2), skew = delta^2
        eta = (1 + 2 * skew) ** m - 1
        assert 21 * eta / (84 * ratio) == Fraction(1, 4)
    assert 1 - (Fraction(1, 2) + Fraction(3, 8)) == Fraction(1, 8)
    assert Fraction(1, 4) - Fraction(3, 8) < 0  # what the display before (207) has under the root
    signs = list(product((-1, 1), repeat=3))
    for v, w in product(signs, repeat=2):  # means skew (v + 1) / 2 of (206): 2 rho is skew^2 / 4
        square = sum((Fraction(a + 1, 2) - Fraction(b + 1, 2)) ** 2 for a, b in zip(v, w, strict=True))
        assert square / 4 == Fraction(1, 4) * sum(a != b for a, b in zip(v, w, strict=True))


@pytest.mark.parametrize("beta", [1, 2, 3])
def test_the_number_of_bumps(beta):
    """(212) and the root after it: identities of logarithms, a letter for each, a = pi^(2 beta)."""
    for two, eighty_four, a, m, information in rationals(5):
        k = (two + eighty_four + a) / (2 * beta + 1) + (m + information) / (2 * beta + 2)
        printed = (2 * beta + 2) * eighty_four + (2 * beta + 1) * information
        assert two + a + m - (2 * beta + 1) * k == (m - printed) / (2 * beta + 2)
        root = eighty_four + a + m + information - (2 * beta + 2) * k
        assert root == -two - (two + eighty_four + a) / (2 * beta + 1)  # below that of 1/2
        rate = -2 * beta * (m + information) / (2 * beta + 2)  # after (212), k times k^(-2 beta - 1)
        assert k * -2 * beta - rate == -2 * beta * (two + eighty_four + a) / (2 * beta + 1)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_mixture_family_and_its_separation(k):
    """(214), (215) and (217): gaps and distances of the families, the constant of the fluctuations."""
    delta = Fraction(1, 6 * k)  # below the largest, 1 / (4k), which is half of the gap
    signs = list(product((-1, 1), repeat=k))
    means = {v: [Fraction(1, 4) + Fraction(j + 1, 2 * k) + v[j] * delta / 2 for j in range(k)] for v in signs}
    assert min(b - a for v in signs for a, b in zip(means[v], means[v][1:], strict=False)) == (
        Fraction(1, 2 * k) - delta
    )
    for v, w in product(signs, repeat=2):
        square = sum((a - b) ** 2 for a, b in zip(means[v], means[w], strict=True)) / 4
        assert square == delta**2 / 4 * sum(a != b for a, b in zip(v, w, strict=True))
    spread = [Fraction(3, 2 * k) * (j + Fraction(1, 2)) - Fraction(3, 4) for j in range(k)]  # ours, of signs
    widest = Fraction(1, 2 * k)
    assert {b - a - widest for a, b in zip(spread, spread[1:], strict=False)} == {Fraction(1, k)}
    assert -spread[0] == spread[-1] == Fraction(3, 4) - Fraction(3, 2) * widest
    # before (213): means 1/k apart, a quarter of their square for Le Cam, half for Bretagnolle and Huber
    assert sum(Fraction(1, k) ** 2 for _ in range(k)) / 4 / 2 == Fraction(1, 8 * k) >= Fraction(1, 4 * k**2)
    for a, b in rationals(2):
        assert a**2 / b + (1 - a) ** 2 / (1 - b) - 1 == (a - b) ** 2 / (b * (1 - b))
    assert 2 / (Fraction(1, 8) * Fraction(7, 8)) <= 19  # 1/8 <= b <= 7/8


def test_the_logarithm_of_a_conditioned_ratio():
    """After (219): 4 eps - log(1 - x), x = 2/n, is between 4 eps and 4 eps + 2x <= 8 eps for n eps >= 1.

    -log(1 - x) - 2x is convex, so that the ends of 0 <= x <= 1/2 decide.
    """
    assert iv.log(2) - 1 < 0
    for n, share in product((4, 5, 100, 10**6), (0.0, 0.5, 1.0)):
        budget = (1 / n) ** share  # from 1 down to 1 / n
        bound = 4 * budget - np.log(1 - 2 / n)
        assert 4 * budget < bound <= 4 * budget + 4 / n <= 8 * budget * (1 + 1e-12)
        assert 1 / (1 - 2 / n) - 1 <= 4 * budget  # attained at n = 4: of the order eps^2 with the logarithm
    for budget, x in product((0.01, 0.5, 1.0), (0.0, 0.3, 0.5)):  # convex in eps: C = 2(e^4 - 1)
        bracket, largest = np.exp(4 * budget) / (1 - x) - 1, 2 * np.expm1(4)
        assert bracket <= (1 / (1 - x) - 1 + largest * budget) * (1 + 1e-12)
    assert bracket == pytest.approx(1 / (1 - x) - 1 + largest * budget)


def test_a_nearest_vertex_stands_for_vertices_only():
    """(221): it holds at vertices of the cube, and fails at a law between two of them."""
    vertices, estimates = (-1, 1), [Fraction(j, 7) for j in range(-20, 21)]

    def halved_square(estimate, parameter):
        nearest = min(vertices, key=lambda vertex: abs(estimate - vertex))
        return ((nearest - parameter) / Fraction(2)) ** 2

    assert all((e - v) ** 2 >= halved_square(e, v) for e, v in product(estimates, vertices))
    assert halved_square(0, 0) > 0  # the loss of the estimate 0 of the parameter 0


def test_exponents_of_the_selection():
    """(223), (228), (229), (231) and (236): Hoeffding and Chernoff with the printed numbers."""
    for log, records, n, eta, eps, x in rationals(6):
        assert records * (2 * log / records) / 2 == log
        assert n / 2 * (x / eta) ** 2 / 2 == n * x**2 / (4 * eta**2)  # (116), in units of eta
        assert n * Fraction(3, 20) ** 2 / (4 * eta**2) == 9 * n / (1600 * eta**2)
        y = Fraction(3, 20) * eps / (2 * eta)
        t = y / 4  # Chernoff with E e^(t l) <= e^(2 t^2)
        assert n / 2 * (t * y - 2 * t**2) == n * y**2 / 16 == 9 * n * eps**2 / (25600 * eta**2)
        assert 9 * n / (1600 * eta**2) == 9 * n * 4**2 / (25600 * eta**2)  # the smaller one up to budget 4
    assert Fraction(1, 2) - Fraction(1, 5) == Fraction(4, 5) - Fraction(1, 2) == 2 * Fraction(3, 20)
    assert 2 / Fraction(20) == Fraction(1, 10) < Fraction(1, 5)  # n eps^2 is at least 20


MIXED = [Fraction(3, 5), Fraction(1, 10), Fraction(9, 10), Fraction(1, 2)]


@pytest.mark.parametrize(
    ("clip", "shares"),
    [*product([Fraction(1, 2), Fraction(2), Fraction(27, 10), Fraction(4)], [MIXED]), (3, [MIXED[0], 1, 1])],
)
def test_hashed_sums_by_enumeration(clip, shares):
    """(224) to (226) and (232) to (234), in rational arithmetic; two sure others attain Chebyshev's bound."""
    score = chosen_score = lost = beyond = between = tail = Fraction(0)
    patterns = product((-1, 1), repeat=len(shares)), product((0, 1), repeat=len(shares))
    for signs, chosen in product(*patterns):
        weight = Fraction(1, 2) ** len(shares)
        for share, one in zip(shares, chosen, strict=True):
            weight *= share if one else 1 - share
        total = sum(r * one for r, one in zip(signs, chosen, strict=True))
        others = total - signs[0] * chosen[0]
        clipped = min(max(Fraction(total), -clip), clip)
        score += weight * signs[0] * clipped
        chosen_score += weight * chosen[0] * signs[0] * clipped
        lost += weight * chosen[0] * signs[0] * (clipped - total)
        beyond += weight * chosen[0] * (others >= clip + 1)
        between += weight * chosen[0] * (clip - 1 - others) * (clip - 1 <= others < clip + 1)
        tail += weight * chosen[0] * (others >= clip - 1)
    assert score == chosen_score == lost + shares[0]
    assert lost == -2 * beyond + between <= 0
    assert lost >= -2 * tail
    if clip > 1:
        chebyshev = shares[0] * sum(shares[1:]) / (clip - 1) ** 2
        assert 2 * tail <= chebyshev  # of both tails: half of what (234) has
        assert len(shares) > 3 or 2 * tail == chebyshev


def test_the_clip_is_wide_enough_for_every_sparsity():
    """(234): (sqrt(30) u - 1)^2 > 20 (u^2 + x) for all u = sqrt(s) >= 1 and x <= 0.0022.

    The difference is 10 u^2 - 2 sqrt(30) u + 1 - 20 x, which increases in u from sqrt(30)/10 < 1 on.
    """
    assert 10 - 2 * iv.sqrt(30) + 1 - 20 * iv.mpf("0.0022") > 0


def test_norms_of_averages_grow_by_the_factor_of_the_proof():
    """Lemma 27: its three constants by intervals; the growth for random vectors as a sanity check."""
    assert iv.e - 2 < 1  # e^y - 1 - y <= (e - 2) y^2 <= e^(y^2) - 1 for y <= 1
    assert iv.mpf(5) / 3 < iv.exp(iv.mpf(3) / 2)
    for (x,) in rationals(1):  # x = lambda^2 sigma^2 <= 1/4
        assert 8 * x - 4 * x / (1 - 2 * x) == 4 * x * (1 - 4 * x) / (1 - 2 * x)
    for x, square, log_2, n in rationals(4):  # Markov at lambda = x / (16 sigma^2); then c^2 = 32
        assert n * (x * x / (16 * square) - 8 * (x / (16 * square)) ** 2 * square) == n * x**2 / (32 * square)
        assert n * (32 * square * log_2 / n) / (32 * square) == log_2
    rng = np.random.default_rng(27)
    vectors = rng.standard_t(4, (200, 6, 3))
    vectors -= vectors.mean(axis=1, keepdims=True)  # each law: six points, mean zero
    start = rng.normal(size=(200, 1, 3)) * rng.exponential(2, (200, 1, 1))

    def norm(v):
        return np.linalg.norm(v, axis=-1)

    grown = np.cosh(norm(start + vectors)).mean(axis=1)
    factor = (np.exp(norm(vectors)) - norm(vectors)).mean(axis=1)
    assert np.all(grown <= np.cosh(norm(start))[:, 0] * factor * (1 + 1e-12))


def test_volume_constant_of_the_cube():
    """(240): (4/pi)^(s/2) (s/(2e))^(s/2) = (2s/(pi e))^(s/2), and 2/(pi e) > 1/5.

    From there to (241) with half the width, and with twice the radius to (72); binomials as in (71), (72).
    """
    assert 2 / (iv.pi * iv.e) > iv.mpf(1) / 5
    for s, r, radius in product((1, 2, 30, 10**5), (1.0, 0.3), (0.01, 0.2)):
        volumes = s * np.log(2 * r / radius) + gammaln(1 + s / 2) - s / 2 * np.log(np.pi)
        quotient = np.exp(2 / s * (volumes - s / 2 * np.log(s * r**2 / (5 * radius**2))))
        assert 10 / (np.pi * np.e) < quotient and (s < 10**5 or quotient < 1.172)
    for s, r, radius in rationals(3):
        assert s * ((r - radius) / 2) ** 2 / (5 * radius**2) == s * (r - radius) ** 2 / (20 * radius**2)
        assert 2**2 * s * (1 - 2 * radius) ** 2 / (20 * (2 * radius) ** 2) == s * (1 / radius - 2) ** 2 / 20
    for d, s in ((7, 1), (7, 7), (40, 11), (40, 29), (10**9, 1000)):
        k = min(s, d - s)  # of Lemma 30
        assert s * np.log(d / s) <= k * np.log(d / max(k, 1)) + 1e-9
        choices = (gammaln(d + 1) - gammaln(s + 1) - gammaln(d - s + 1)) / s
        assert np.log(d / s) - 1e-9 <= choices <= np.log(d / s) + 1
        assert (s in (1, d)) == (choices < np.log(d / s) + 1e-6)
    assert choices > np.log(d / s) + 0.99


def test_hellinger_is_at_most_half_of_chi_square_from_186_to_187():
    """An identity and an inequality; with a rare outcome that the second law lacks nearly equal.

    The laws of a report are those of users with a hidden component, whose fluctuations enter as in (213).
    """
    rng, ratios = np.random.default_rng(186), []
    for trial in range(200):
        weights, laws = rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(4), (2, 3))  # law, component
        channel = rng.dirichlet(np.ones(5), 4)
        if trial == 199:
            laws[:], channel = np.array([[[1 - 1e-6, 1e-6, 0, 0]], [[1, 0, 0, 0]]]), np.eye(4)[:, :2]
        fluctuation = laws[1] / np.where(laws[0] > 0, laws[0], 1) - 1
        a, b = (weights @ law @ channel for law in laws)
        inner = np.einsum("i,ix,ix,xz->z", weights, fluctuation, laws[0], channel)
        assert inner == pytest.approx(b - a, abs=1e-12)
        hellinger = np.sum((np.sqrt(a) - np.sqrt(b)) ** 2) / 2
        assert hellinger == pytest.approx(np.sum((a - b) ** 2 / (np.sqrt(a) + np.sqrt(b)) ** 2) / 2)
        ratios.append(14 * hellinger / np.sum(inner**2 / a))
    assert 6.99 < ratios[-1] == max(ratios) <= 7


def test_bessel_given_the_component_in_lemma_19():
    """Random components and fluctuations orthogonal given them; equal for one, and a report in their span."""
    rng, x, some = np.random.default_rng(19), 6, 4
    for k in (1, 2, 3) * 40:
        weights, laws = rng.dirichlet(np.ones(k)), rng.dirichlet(np.ones(x), k)
        waves = [np.column_stack([np.ones(x), rng.normal(size=(x, some))]) for _ in laws]
        roots = np.sqrt(laws)[:, :, None]
        psi = (np.linalg.qr(roots * waves)[0] / roots)[:, :, 1:]
        squares = rng.exponential(size=(k, some)) * (rng.random((k, some)) < 0.8)
        span = rng.random() < 0.5
        report = psi[0] @ rng.normal(size=some) if span else rng.random(x)
        if k == 1 and span:
            squares[:] = 2.0
        left = np.sum(np.einsum("i,ij,ixj,x,ix->j", weights, np.sqrt(squares), psi, report, laws) ** 2)
        variance = weights @ (laws @ report**2 - (laws @ report) ** 2)
        right = np.max(weights @ squares) * variance
        assert left <= right * (1 + 1e-9)
        assert not (k == 1 and span) or left == pytest.approx(right)
