"""Steps of the proofs in Cummings et al.'s supplement, one by one: what their ledger names."""

import itertools
from fractions import Fraction
from math import ceil, comb, exp, log, sinh, sqrt

import mpmath
import numpy as np
import pytest
from scipy.stats import binom, laplace, norm, truncnorm

from userdp.central import TruncatedMean
from userdp.central.mean import initial_error, window
from userdp_papers.theory.enclosures import iv
from userdp_papers.theory.exact import window_half_width

RATIONALS = [[Fraction(int(p), 11) for p in row] for row in np.random.default_rng(1).integers(1, 60, (40, 4))]


@pytest.mark.parametrize("seed", range(60))
def test_the_inequalities_of_10_one_by_one(seed):
    """A sanity check on random sizes, spreads and caps, and with more users set aside than log n."""
    rng = np.random.default_rng(seed)
    n = 20 * int(rng.integers(5, 40))
    aside = int(rng.integers(1, n // 8))
    ratio = (n / 2 - aside) / aside
    sizes = np.sort(np.exp(rng.uniform(0, np.log(ratio), n) * rng.choice([0, 1, rng.random()])))[::-1]
    sizes[: n // 2] = np.minimum(sizes[: n // 2], ratio * sizes[n // 2 - 1])
    theta, share = rng.uniform(0.01, 0.99), rng.choice([0, 1, rng.random() ** 4])
    extreme = np.array([ratio * sizes[n // 2 - 1], sizes[n // 2 - 1]])  # equality where users do not differ
    assert 1 / extreme[1] == pytest.approx(ratio / extreme[0], rel=1e-12)

    def variance(of):
        return theta * (1 - theta) * (1 / of + (1 - 1 / of) * share)

    for first, median in (variance(sizes[[0, n // 2 - 1]]), variance(extreme)):
        assert median <= ratio * first * (1 + 1e-12)
    variances = variance(sizes)
    cap = rng.choice([np.inf, 10 ** rng.uniform(-1, 3)])
    weights = np.minimum(1 / variances, cap / np.sqrt(variances))
    upper, median = weights[: n // 2].sum(), weights[n // 2 - 1]
    middle = weights[aside : n // 2].sum()
    chain = [
        weights.sum() / 2,
        upper,
        aside * weights[0] + middle,
        (n / 2 - aside) * median + middle,
        2 * middle,
    ]
    assert (np.diff([*chain, 2 * weights[aside : 9 * n // 10].sum()]) >= -1e-9 * upper).all()


@pytest.mark.parametrize("kept", [Fraction(1, 2), Fraction(3, 4), Fraction(1)])
def test_four_lines_give_152_in_theorem_4_1(kept):
    """The weights of the middle cohort, divided by their sum; the least sum needs all of the 152."""
    for r in (1.0, 1.089, 1.09):
        of_variances, of_lengths = 2 * 9.5, (1 + r * sqrt(9.5)) ** 2  # a clipped average keeps half
        lost = 2 / kept**2 * max(of_variances, of_lengths)
        assert (lost <= 152) == (r < 1.09 or kept > Fraction(1, 2))
        assert kept > Fraction(1, 2) or lost == pytest.approx(152, rel=2e-3)


def test_capping_sizes_costs_at_most_the_square_of_the_number_of_sizes():
    """Algorithm 4, line 6: the noise under the best cap on sizes over the least; sizes far apart need it."""

    def cost(sizes, users):
        capped = [users @ np.minimum(sizes, k) / np.sqrt(k) for k in sizes]
        return (users @ np.sqrt(sizes) / max(capped)) ** 2

    for apart, h in itertools.product((2.0, 1e8), (1, 3, 20)):
        sizes = apart ** np.arange(h)
        assert cost(sizes, 1 / np.sqrt(sizes)) <= h**2
        assert apart == 2 or cost(sizes, 1 / np.sqrt(sizes)) > 0.99 * h**2
    sizes = 2.0 ** np.arange(60)
    assert 1 / 35 < cost(sizes, 1 / np.sqrt(sizes)) / 60**2 < 1 / 33  # the scales of the figure


@pytest.mark.parametrize(("k", "size", "theta"), [row[:3] for row in RATIONALS])
def test_the_cap_on_sizes_in_11(k, size, theta):
    """Squared: the capped weight of a size, and its share of the variance, in rationals."""
    spread = theta / 10 * (1 - theta / 10)
    weight = min((size / spread) ** 2, k / spread * size / spread)
    assert weight * spread**2 == min(size**2, size * k)
    assert weight * spread / size == min(size, k) / spread


@pytest.mark.parametrize(("v", "mean", "rest", "x"), RATIONALS)
def test_what_one_user_moves_in_14_is_an_identity(v, mean, rest, x):
    """And a group, as in display 4 of Lemma D.2: at most its number times its largest term."""
    assert (rest * mean + v * x) / (rest + v) - mean == v / (rest + v) * (x - mean)
    for group, agree in (([(v, x)] * 3, True), ([(v, x), (v / 3, mean), (2 * v, -x)], False)):
        terms = [abs(w * (y - mean)) for w, y in group]
        weight = rest + sum(w for w, _ in group)
        moved = abs((rest * mean + sum(w * y for w, y in group)) / weight - mean)
        most = len(group) * max(terms) / weight
        assert moved <= most and (not agree or moved == most)


def test_the_constants_of_lemma_d_2():
    """Enumerated: twice the estimated variances, the choice of A, the number of sets of users left out."""
    for estimated in ([Fraction(1), Fraction(5, 2), Fraction(4)], [Fraction(4)] * 3):
        total, least = sum(1 / one for one in estimated), len(estimated) / max(estimated)
        assert sum(2 * one / one**2 for one in estimated) / total**2 == 2 / total
        assert total >= least and (total == least) == (estimated[0] == 4)  # all at A times the least
    for n in range(4, 41):
        for changes in range(min(4, n - 2)):
            a = Fraction(n - changes - 1, 2 * (changes + 1))
            assert all(2 * a / (n - k) <= Fraction(1, changes + 1) for k in range(changes + 2))
            assert a <= Fraction(n - 1, 2 * (changes + 1))
            sets = sum(comb(n, k) for k in range(changes + 2))
            assert (sets <= n ** (changes + 1)) == (changes > 0)


@pytest.mark.parametrize("ell", [Fraction(1), Fraction(3, 2), Fraction(7, 3)])
def test_the_first_distance_of_14_needs_six_for_four(ell):
    """With f = 1, the largest alpha and standard deviation allowed, and l the logarithm over the root."""
    total = 2 * (1 + 1) + 2 * ell
    assert 6 * ell - total == 4 * (ell - 1) >= 0
    assert (total <= 4 * ell) == (ell >= 2)
    ends = [initial + side * (1 + 1) for initial in (-1, 1) for side in (-1, 1)]  # of windows, from theta
    farthest = max(abs(end - mean) for end in ends for mean in (-2 * ell, 2 * ell))
    assert farthest == 3 + 2 * ell <= total
    assert (farthest <= 4 * ell) == (2 * ell >= 3)  # the printed 4 fails before


@pytest.mark.parametrize(
    "b", [Fraction(1), Fraction(2), Fraction(5, 2), Fraction(5), Fraction(6), Fraction(9)]
)
def test_both_distances_of_14_add_to_six_b_from_b_two_on(b):
    """(12) and display 6, with f = 1: the changed users have at most half of display 3; at B = 1 it fails."""
    n, changes = 40, 3
    most = Fraction(n - changes - 1, 2 * (changes + 1))  # A, the largest ratio of weights allowed
    share = (changes + 1) * most / (n - 1)
    assert Fraction(23, 50) < share <= Fraction(1, 2)
    for ell in (b / 4, b / 2, b):
        first = 2 * (1 + 1) + 2 * ell
        second = Fraction(1, 2) * first
        assert (second <= 2 * ell) == (ell >= 2)
        assert (first + second <= 6 * b) == (b >= 2)
    assert (first + second == 6 * b) == (b == 2)
    assert (first + second == 4 * b) == (b == 6)  # the printed 4, from there on
    # our bound without B and that of the lemma, where a quarter of the weight may change, and a half
    for rho, enough in ((Fraction(1, 4), 2), (Fraction(1, 2), 5)):
        constant = 2 / (1 - rho) * (1 + (1 + 2 * rho) / (1 - rho))
        assert (8 * b >= 2 * constant) == (b >= enough)
        assert b != enough or (8 * b == 2 * constant and ceil(exp(enough)) == {2: 8, 5: 149}[enough])


def test_half_of_the_weights_in_theorem_d_1():
    """Equal sizes break the last line; two thirds of the second quarter are at most half of all weight."""
    for n, aside in [(120, 4), (1200, 7), (12_000, 2000)]:
        weights = np.ones(9 * n // 10)
        assert weights[aside : n // 4].sum() < weights[aside:].sum() / 2
        least = weights[aside : n // 2].copy()  # falling weights are mixtures of these steps
        for step in range(1, least.size + 1):
            falling = np.r_[np.ones(step), np.zeros(least.size - step)]
            assert 2 / 3 * falling[n // 4 - aside :].sum() <= falling.sum() / 2


@pytest.mark.parametrize(("s", "t", "w", "x"), RATIONALS)
def test_moving_weight_in_lemma_5_2(s, t, w, x):
    """s and t are variances, w and x weights; the largest move allowed and half of it."""
    gap = x * t - w * s
    if gap < 0:
        s, t, w, x, gap = t, s, x, w, -gap
    for move in (gap / (s + t), gap / (s + t) / 2):
        after = (x - move) ** 2 * t + (w + move) ** 2 * s
        assert after == x**2 * t + w**2 * s + move * (move * (s + t) - 2 * gap)
        assert gap == 0 or after < x**2 * t + w**2 * s


@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_users_own_part_on_binomials(size):
    """(18), (20), (21) and (22) in rationals, for random functions of one user's number of ones."""
    rng = np.random.default_rng(size)
    theta = Fraction(2, 5)
    law = [comb(size, j) * theta**j * (1 - theta) ** (size - j) for j in range(size + 1)]
    score = [Fraction(j) / theta - Fraction(size - j) / (1 - theta) for j in range(size + 1)]
    slopes = [p * s for p, s in zip(law, score, strict=True)]
    grown = [j * theta ** (j - 1) * (1 - theta) ** (size - j) for j in range(size + 1)]
    fallen = [(size - j) * theta**j * (1 - theta) ** (size - j - 1) for j in range(size + 1)]
    derivative = [comb(size, j) * (grown[j] - fallen[j]) for j in range(size + 1)]
    assert slopes == derivative  # (20): of the probabilities, by the product rule
    information = sum(p * s * s for p, s in zip(law, score, strict=True))
    assert information == size / (theta * (1 - theta))
    drawn = [[Fraction(int(v)) for v in values] for values in rng.integers(-9, 10, (20, size + 1))]
    for values in [*drawn, [s / 1000 for s in score]]:
        mean = sum(p * v for p, v in zip(law, values, strict=True))
        part = sum(p * (v - mean) ** 2 for p, v in zip(law, values, strict=True))
        weight = sum(d * v for d, v in zip(slopes, values, strict=True))
        assert weight == sum(d * (v - mean) for d, v in zip(slopes, values, strict=True))
        assert weight**2 <= part * information
        assert values in drawn or weight**2 == part * information  # the score attains it
        pairs = [
            (p * q, v - w) for p, v in zip(law, values, strict=True) for q, w in zip(law, values, strict=True)
        ]
        assert sum(p * d * d for p, d in pairs) == 2 * part


def test_randomised_response_against_19():
    """Unbiased for one 0/1 record, its noise is 1 / (4 sinh^2(e/2)), far below 1 / e^2 in the end."""
    for epsilon in (0.1, 1.0, 5.0, 40.0):
        turn = 1 / (1 + exp(epsilon))
        keep = 1 - turn
        scale = 1 / (2 * keep - 1)
        high, low = 0.5 + scale / 2, 0.5 - scale / 2
        assert keep * high + turn * low == pytest.approx(1)
        noise = keep * turn * (high - low) ** 2
        assert noise == pytest.approx(1 / (4 * sinh(epsilon / 2) ** 2), rel=1e-9, abs=0)
        assert noise + 1 / 4 >= 1 / 8 + 1 / (8 * epsilon**2)  # (23) with half of c
    assert 5e-15 < noise * epsilon**2 < 1e-14


@pytest.mark.parametrize("cut", [2.0, 2.5, 3.0])
def test_the_score_of_the_truncated_normal_family(cut):
    """Variance 1 - lambda of the cut standard normal; lambda <= 1/2 and mass >= 9/10 as the proof asks."""
    density = exp(-(cut**2) / 2) / sqrt(2 * np.pi)
    mass = float(mpmath.erf(cut / sqrt(2)))
    share = 2 * cut * density / mass
    assert truncnorm(-cut, cut).var() == pytest.approx(1 - share, rel=1e-9)
    assert truncnorm(-cut, cut).var() < 0.98  # (20) fails for a latent mean: its own slope is 1
    tip, top = truncnorm(-cut, cut).sf(cut - 1e-6), truncnorm(-cut, cut).pdf(cut)
    assert tip < 1e-3 * top**2  # so do (18) and (22): the part is below tip; a smaller tip, a smaller c
    assert mass >= 0.9
    assert share <= 0.5
    assert [(1 - end) ** 2 for end in (0.5, 0.0)] == [0.25, 1]  # it falls with the share


def test_the_chernoff_bound_in_lemma_f_1():
    """At twice the mean the exact tail is below the bound with 3, and above one with 5/2."""
    users, theta, mean = 10**7, 1e-4, 1000
    tail = binom.logsf(1999, users, theta)
    assert 1 - mean / 2.5 < tail <= np.log(2) - mean / 3
    for beta in (0.5, 0.05, 1e-6):
        deviation = np.sqrt(3 * theta * np.log(4 / beta) / users)
        assert 2 * np.exp(-((deviation / theta) ** 2) * mean / 3) == pytest.approx(beta / 2)
        assert 2 * laplace.sf(np.log(2 / beta)) == pytest.approx(beta / 2)


@pytest.mark.parametrize(("users", "missing"), [(100, 6.5e-4), (1000, 6.5e-5)])
def test_the_chernoff_bound_of_lemma_f_1_needs_its_condition_on_both_sides(users, missing, beta=0.05):
    """Displays 2 and 3 for a mean near 1: a single 0 is too far off with the minimum, not with the mean."""
    assert users * missing < 2 * np.log(1 / beta) < users * (1 - missing)
    with_minimum, with_mean = np.sqrt(3 * np.log(4 / beta) * np.array([missing, 1 - missing]) / users)
    one_zero = 1 / users - missing
    assert 0.98 * one_zero < with_minimum < one_zero < with_mean
    assert 1 - (1 - missing) ** users == pytest.approx(2.5 * beta / 2, rel=0.01)


@pytest.mark.parametrize(("theta", "initial", "rate"), [row[:3] for row in RATIONALS])
def test_the_square_completed_in_lemma_f_1(theta, initial, rate):
    sorted_out = theta**2 - 2 * (initial + 6 * rate) * theta + initial**2
    assert (initial - theta) ** 2 - 12 * theta * rate == sorted_out
    assert (theta - initial - 6 * rate) ** 2 + initial**2 - (initial + 6 * rate) ** 2 == sorted_out
    assert (initial + 6 * rate) ** 2 - initial**2 == 12 * initial * rate + 36 * rate**2


def test_the_relative_error_in_lemma_f_1():
    """An error of r m, m = min(theta, 1 - theta), changes the product by at most r of it."""
    r = iv.sqrt(iv.mpf(1) / 12) + iv.mpf(1) / 12
    assert 1 / 6 < 0.372 < r.a <= r.b < 0.373
    for m in (Fraction(j, 40) for j in range(21)):
        for share, p, sign in itertools.product((Fraction(373, 1000), Fraction(1)), (m, 1 - m), (-1, 1)):
            error = sign * share * m
            changed = abs((p + error) * (1 - p - error) - p * (1 - p))
            assert changed <= share * p * (1 - p)
            assert share < 1 or p + error not in (0, 1) or changed == p * (1 - p)


@pytest.mark.parametrize("m", [2, 3, 4, 9, 60])
def test_the_moments_in_lemma_f_3(m):
    """The fourth moment in rationals; the second derivative at its ends, and both bounds on the quotient."""
    for q in (Fraction(1, 7), Fraction(1, 2), Fraction(9, 10)):
        law = [comb(m, j) * q**j * (1 - q) ** (m - j) for j in range(m + 1)]
        spread = m * q * (1 - q)
        fourth = sum(p * (j - m * q) ** 4 for j, p in enumerate(law))
        assert fourth == spread * (1 + 3 * (m - 2) * q * (1 - q)) <= spread * (1 + 3 * spread)
    h, end = (lambda x: (x * (1 - x)) ** 1.5), 1 / (2 * m)
    second = 3 * (m**2 - 4 * m + 2) / (2 * m * sqrt(2 * m - 1))
    assert float(mpmath.diff(h, end, 2)) == pytest.approx(second, rel=1e-6)
    assert (second < 0) == (m < 4)
    room = m**4 + 7 * m**3 - 20 * m**2 + 16 * m - 4
    assert m**3 * (2 * m - 1) - (m**2 - 4 * m + 2) ** 2 == room > 0
    theta, x = np.meshgrid(np.linspace(1 / m, 1 - 1 / m, 41), np.linspace(0, 1, 201))
    apart = np.abs(x - theta) > 1e-4
    theta, x = theta[apart], x[apart]
    slope = 1.5 * (1 - 2 * theta) * np.sqrt(theta * (1 - theta))
    quotient = (h(x) - h(theta)) / (x - theta) ** 2 - slope / (x - theta)
    inside = np.abs(x - 0.5) <= 0.5 - end
    assert (quotient[inside] <= 1.5 * sqrt(m)).all()
    assert m < 4 or (quotient[inside] <= second / 2 * (1 + 1e-9)).all()
    falls = np.abs(slope / (x - theta))[~inside]  # display 3 drops h, and its last step 1 - 2 theta
    assert (quotient[~inside] <= falls).all() and (falls <= 3 * sqrt(m - 1) * (1 - 2 / m) + 1e-9).all()
    steepest = 1.5 * (1 - 2 / m) * sqrt((1 - 1 / m) / m) / (1 / m - end)  # the mean 1/m, from the end
    assert steepest == pytest.approx(3 * sqrt(m - 1) * (1 - 2 / m), rel=1e-12)
    assert 1.5 * sqrt(m) < 3 * sqrt(m - 1) < 3 * sqrt(m)  # display 4
    assert m < 60 or 3 * sqrt(m - 1) > 2.97 * sqrt(m)


def test_a_vote_next_to_the_right_scale_releases_up_to_eight_times_the_variance():
    """Lemma F.4, our mechanism: twice the upper end of a scale (2^j, 2^(j+1)], the right one or the next."""
    ratios = [
        2 * Fraction(2) ** (chosen + 1) / variance
        for variance in (Fraction(1001, 1000), Fraction(3, 2), Fraction(2))
        for chosen in (-1, 0, 1)
    ]
    assert min(ratios) == 1 and Fraction(799, 100) < max(ratios) < 8


def test_a_binomial_window_may_fall_with_the_own_mean():
    """One record: the window is 1 - q for q < 1/2 as long as q itself is above the probability allowed."""
    own = [0.2, 0.3, 0.4]
    for beta in (0.05, 0.1):
        lattice = [(np.array([0 + q, 1 - q]), np.array([1 - q, q])) for q in own]
        assert [window_half_width(*one, beta) for one in lattice] == pytest.approx([0.8, 0.7, 0.6])
        for m in (1, 4, 50):  # quantiles do not fall
            assert (np.diff(binom(m, np.linspace(0, 1, 101)).ppf(1 - beta)) >= 0).all()


def test_the_length_of_the_repaired_window_in_lemma_g_2():
    """Display 2: A + B times the ideal length 2f, by quantiles of 500 records; attained about a half."""
    for f, centre, level in itertools.product((0.05, 0.2), (0.5, 0.3), (1e-2, 1e-6)):
        reach = 0.04 + 0.03  # alpha, and the window of the latent means
        low, high = binom(500, centre - reach).ppf(level) / 500, binom(500, centre + reach).isf(level) / 500
        a, b = reach / f, max(centre - reach - low, high - centre - reach) / f
        assert high - low <= (a + b) * 2 * f * (1 + 1e-12)
        assert centre < 0.5 or high - low == pytest.approx((a + b) * 2 * f)


@pytest.mark.parametrize(("n", "beta"), [(1, 0.3), (5, 0.05), (40, 0.5)])
def test_the_nth_root_in_lemma_g_1(n, beta):
    squared = 8 * (1 - (1 - beta) ** (1 / n))
    assert 1 - (1 - squared / 8) ** n == pytest.approx(beta)


def test_a_linear_estimator_with_noise_has_the_two_parts_of_15():
    """(15): two coins and Laplace noise, every outcome integrated; its variance is 2, which O() hides."""
    weights, means, scale = (0.3, 0.7), (0.2, 0.5), 0.7 * 0.5 / 1.5
    outcomes = [(0, 1 - means[0]), (1, means[0])], [(0, 1 - means[1]), (1, means[1])]
    centre, second = sum(w * p for w, p in zip(weights, means, strict=True)), mpmath.mpf(0)
    for (x, p), (y, q) in ((first, other) for first in outcomes[0] for other in outcomes[1]):
        shift = weights[0] * x + weights[1] * y - centre

        def square(z, shift=shift):
            return ((shift + z) ** 2 + (shift - z) ** 2) * mpmath.exp(-z / scale) / (2 * scale)

        second += p * q * mpmath.quad(square, [0, 1, 10, mpmath.inf])
    parts = sum(w**2 * p * (1 - p) for w, p in zip(weights, means, strict=True))
    assert float(second) == pytest.approx(parts + 2 * scale**2, rel=1e-9)
    assert float(second) > (parts + scale**2) * 1.1  # without the 2 it would be another number


@pytest.mark.parametrize(("c", "s"), [(0.2, 0.02), (0.5, 0.0), (0.9, 0.09)])
def test_weights_of_capped_sizes(c, s):
    """Algorithm 3, lines 7 to 10: the code's weights; the last is the largest as s is at most c(1 - c)."""
    weights, _ = TruncatedMean(c, s, np.ones(7)).terms(np.full(5, c), [1, 2, 5, 7, 40])
    variances = [(c - c**2) / k + (1 - 1 / k) * s for k in (1, 2, 5, 7, 7)]
    assert weights == pytest.approx([1 / v for v in variances], rel=1e-12)
    assert max(weights) == pytest.approx(1 / variances[-1], rel=1e-12)
    for times, enough in ((13 / 6 - 0.01, True), (13 / 6 + 0.01, False)):  # s in units of c(1 - c)
        one, seven = (1 / (1 / k + (1 - 1 / k) * times) for k in (1, 7))
        assert one > seven and (one - seven <= seven) == enough, "line 11"


@pytest.mark.parametrize("share", [Fraction(0), Fraction(1, 3), Fraction(-3, 4), Fraction(-2)])
def test_the_weights_of_an_unbiased_mechanism_sum_to_1(share):
    """Lemma 5.3: two coins of one mean; the slope in both means together is the sum of the users' slopes.

    One of them may be negative: their sizes, which sum to at least 1, make weights with no more variance.
    """

    def mean(p, q):
        law = {(x, y): (p if x else 1 - p) * (q if y else 1 - q) for x in (0, 1) for y in (0, 1)}
        return sum(mass * ((x + y) * Fraction(1, 2) + share * (x - y)) for (x, y), mass in law.items())

    for theta in (Fraction(1, 3), Fraction(2, 5)):
        assert mean(theta, theta) == theta
        first, second = mean(1, theta) - mean(0, theta), mean(theta, 1) - mean(theta, 0)
        assert first + second == 1
        sizes = [abs(first), abs(second)]
        assert (min(first, second) < 0) == (share < -Fraction(1, 2)) == (sum(sizes) > 1)
        least = sum(w**2 for w in sizes) / sum(sizes) ** 2
        assert least * sum(sizes) ** 2 == first**2 + second**2 and sum(sizes) >= 1


def test_ln_of_two_over_delta_keeps_the_noisy_sum_below_the_true_one():
    """Line 11 of Algorithm 3: ln(1/2 delta) is enough; with the lost slash the sum is nearly surely above."""
    for delta in (0.1, 1e-6):
        above = {shift: laplace.sf(log(shift)) for shift in (2 / delta, 1 / (2 * delta), 2 * delta)}
        assert above[2 / delta] == pytest.approx(delta / 4)
        assert laplace.sf(log(1 / delta)) == pytest.approx(delta / 2)  # the threshold of line 18
        assert above[1 / (2 * delta)] == pytest.approx(delta)
        assert above[2 * delta] == pytest.approx(1 - delta)


def test_the_noise_term_in_theorem_d_1():
    """Display 7: the square of B, which has a root that is lost; 9: what display 8 asks of the upper half."""
    budgets, logs = (Fraction(1), Fraction(1, 10), Fraction(1, 10**6)), (Fraction(1), Fraction(7))
    for budget, delta, n, beta in itertools.product(budgets, logs, logs, logs):
        upsilon, unit = delta / budget, (n * delta * beta) ** 2 / budget**3
        printed = (((upsilon + 1) * n + beta) / budget) ** 2
        noise = printed / (upsilon + 1)
        assert noise <= Fraction(9, 2) * unit
        assert (noise == Fraction(9, 2) * unit) == ({budget, delta, n, beta} == {1})
        assert max(delta, beta) > 1 or unit <= noise < printed * budget
        wide = n + beta  # of the square of a window, the logarithm of n over beta
        assert wide > 2 * delta or noise * wide <= 12 * unit
        assert {budget, delta, beta} != {1} or noise * wide > 2 * n * unit, "without delta it grows with n"
    users, aside = 40, 3
    upper = np.repeat([1, 0], users // 2)[aside : 9 * users // 10].sum()  # weights of the median or none
    least = Fraction(users, 2) - aside - 1
    assert upper == least + 1
    for budget, logarithms in itertools.product(budgets, logs):
        allowed = budget**3 * least / logarithms  # of the largest size over the median, as printed
        assert (least / allowed == logarithms**2 / budget**3) == (logarithms == 1)
        assert least / (allowed / logarithms) == logarithms**2 / budget**3


@pytest.mark.parametrize(("deviation", "cap"), [row[:2] for row in RATIONALS])
def test_the_sampling_term_in_theorem_d_1(deviation, cap):
    """Displays 6 and 8: a weight squared times its variance; only the square of the cap has its unit."""
    weight = min(1 / deviation**2, cap / deviation)
    assert weight**2 * deviation**2 == min(1 / deviation**2, cap**2)
    for unit in (Fraction(3), Fraction(1, 5)):
        scaled = min(1 / (unit * deviation) ** 2, (cap / unit) ** 2)
        assert scaled == min(1 / deviation**2, cap**2) / unit**2
        printed = min(1 / (unit * deviation) ** 2, cap / unit)
        assert printed != min(1 / deviation**2, cap) / unit**2 or cap / unit > 1 / (unit * deviation) ** 2


def test_a_window_begins_before_the_ideal_one_if_it_grows_with_the_variance():
    """Lemma 4.2, display 3: at the largest error of the initial mean; one that falls begins later."""
    alpha, theta = 0.05, 0.3
    for variance, larger, beta in ((0.01, 0.02, 0.1), (1e-4, 8e-4, 1e-3), (0.01, 0.01, 0.1)):
        estimated = window(np.array([9]), 50, mean=theta, variance=larger, beta=beta / 2)
        ideal = window(np.array([9]), 50, mean=theta, variance=variance, beta=beta)
        initial = theta + alpha
        assert initial - (alpha + estimated) == pytest.approx(theta - estimated)
        assert theta - estimated < theta - ideal
        falling = 1 / estimated
        assert initial - (alpha + falling) > theta - 1 / ideal


def test_the_statistic_without_some_users_is_as_near_as_13_says():
    """The deviation of display 2 times twice the logarithm; the variance itself has another unit."""
    for least, changes, log_sets in ((0.01, 3, 20.0), (1.0, 0, 9.0)):
        deviation = sqrt(least**2 / (changes + 1))
        assert 2 * deviation * log_sets == pytest.approx(2 * least * log_sets / sqrt(changes + 1), rel=1e-12)
        assert deviation**2 <= deviation  # no more than 1: the printed condition is the stronger one
        for unit in (10.0, 0.1):
            scaled = sqrt((unit * least) ** 2 / (changes + 1))
            assert scaled == pytest.approx(unit * deviation)
            assert scaled**2 != pytest.approx(unit * deviation**2)
    # a normal average of variance 1e-4 is farther off than printed, and not than repaired
    assert 2 * norm.sf(2 * sqrt(1e-4) * log(1 / 0.05)) > 0.95
    assert 2 * norm.sf(2 * log(1 / 0.05)) < 1e-8
    # an average that is off with probability beta only: near enough at beta, and not at beta over Gamma
    beta, sets = 1e-4, 1e9
    off = 1 / sqrt(beta)  # in deviations, so that the variance is 1
    assert off > 2 * log(sets / beta)


def test_the_truncated_density_needs_its_scale():
    """Corollary 5.5, display 3: with the factor it integrates to 1, without to less than a tenth."""
    spread, cut = 0.05, 2.5
    mass = float(mpmath.erf(cut / sqrt(2)))
    share = 2 * cut * exp(-(cut**2) / 2) / sqrt(2 * np.pi) / mass
    scale = spread / sqrt(1 - share)

    def printed(q):
        return mpmath.npdf((q - mpmath.mpf(1) / 2) / scale) / mass

    whole = mpmath.quad(printed, [0.5 - cut * scale, 0.5, 0.5 + cut * scale])
    assert float(whole / scale) == pytest.approx(1, rel=1e-9)
    second = mpmath.quad(lambda q: (q - 0.5) ** 2 * printed(q), [0.5 - cut * scale, 0.5, 0.5 + cut * scale])
    assert float(second / scale) == pytest.approx(spread**2, rel=1e-9)
    assert whole < 0.1


def test_the_last_steps_of_lemma_f_3():
    """Displays 1 and 5: the 4, the root of 3, a half of 1/m, and the power that is 2.8 at two records."""
    for a, b in ((Fraction(1), Fraction(1)), (Fraction(2), Fraction(5)), (Fraction(3), Fraction(0))):
        assert 4 * (a**3 + b**3) - (a + b) ** 3 == 3 * (a + b) * (a - b) ** 2 >= 0
    for spread in (0.1, 3.0, 1e9):  # of the count, whose third moment is at most the root of both others
        third = spread * sqrt(1 + 3 * spread)
        assert third <= sqrt(3) * spread**1.5 + spread
        assert spread < 1e9 or third == pytest.approx(sqrt(3) * spread**1.5, rel=1e-4)
    for m in (2, 3, 9, 60):
        q = Fraction(1, m)
        assert q * (1 - q) == (1 - q) / m >= Fraction(1, 2) / m
        assert (Fraction(m, m - 1) ** 3 > 2**2) == (m == 2)
        for spread in (Fraction(1, 2 * m), q, 2 * q):
            assert (spread**2 / m <= spread**3) == (spread >= q)
        for share in (Fraction(0), Fraction(1, 3), Fraction(1)):  # of the largest variance of latent means
            lost = (Fraction(1, m) + share) / (Fraction(1, m) + (1 - Fraction(1, m)) * share)
            assert lost <= 1 + Fraction(1, m) and (lost == 1 + Fraction(1, m)) == (share == 1)
            assert (lost == 1) == (share == 0)
            assert (lost**1.5 > 1.83) == (m == 2 and share == 1) and lost**1.5 < 1.84
    assert 0.68 < 4 * 1.5**1.5 * (sqrt(2) + sqrt(6)) / (8 * 3 * sqrt(3)) < 0.69


def test_the_variance_splits_over_users_as_in_lemma_e_1():
    """Both displays and (16): two users of three values each, noise that depends on both; equal for sums."""
    law = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
    table = [[Fraction(v) for v in row] for row in ((1, 4, -2), (0, 7, 3), (5, -1, 2))]
    noise = [[Fraction(v, 3) for v in row] for row in ((1, 2, 0), (3, 1, 1), (2, 0, 5))]  # times a sign
    for added in (False, True):
        output = [[table[0][x] + table[1][y] if added else table[x][y] for y in range(3)] for x in range(3)]
        rows = [sum(q * v for q, v in zip(law, row, strict=True)) for row in output]
        columns = [sum(law[x] * output[x][y] for x in range(3)) for y in range(3)]
        mean = sum(p * v for p, v in zip(law, rows, strict=True))
        pairs = [(law[x] * law[y], x, y) for x in range(3) for y in range(3)]
        whole = sum(
            p / 2 * (output[x][y] + sign * noise[x][y] - mean) ** 2 for p, x, y in pairs for sign in (-1, 1)
        )
        private = sum(p * noise[x][y] ** 2 for p, x, y in pairs)
        first = sum(law[x] * (rows[x] - mean) ** 2 for x in range(3))
        second = sum(p * (output[x][y] - rows[x]) ** 2 for p, x, y in pairs)
        own = sum(law[y] * (columns[y] - mean) ** 2 for y in range(3))
        assert whole == first + second + private
        assert own <= second and (own == second) == added


@pytest.mark.parametrize(("initial", "users"), [(0.3, 1000), (1e-3, 5000), (0.98, 200)])
def test_the_error_of_the_initial_mean_solves_its_inequality(initial, users, epsilon=0.5, beta=0.05):
    """Algorithm 2, line 3: the mean that far off, less the noise, is where the Chernoff bound is met."""
    noise, rate = log(2 / beta) / (epsilon * users), log(4 / beta) / users
    theta = initial + sqrt(12 * initial * rate + 36 * rate**2) + 6 * rate
    assert (theta - initial) ** 2 == pytest.approx(12 * theta * rate, rel=1e-9)
    known = {"epsilon": epsilon, "beta": beta, "printed": True}
    assert initial_error(initial, users, **known) == pytest.approx(2 * max(theta - initial, noise), rel=1e-12)
