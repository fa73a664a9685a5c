"""Steps of Liu et al.'s proofs, one by one: what their ledger names."""

import itertools
from fractions import Fraction
from math import ceil, exp, factorial, log, sqrt

import mpmath
import numpy as np
import pytest
from numpy.polynomial import Polynomial
from scipy.integrate import quad
from scipy.stats import poisson

from userdp.central.bounds import surrogate_curve
from userdp.central.debias import clipped_poisson_mean
from userdp.central.histogram import unit_scale
from userdp_papers.printed.descents import _moment, sampled_epsilon, sampled_noise
from userdp_papers.theory.enclosures import iv
from userdp_papers.theory.exact import amplification, debiased_risk
from userdp_papers.theory.exact.counts import clipped_poisson_variance, plain_risk
from userdp_papers.theory.exact.histograms import error_constants, expected_error

RATIONALS = [[Fraction(int(p), 7) for p in row] for row in np.random.default_rng(1).integers(1, 50, (40, 4))]


def test_what_the_cited_descent_needs_of_a_user_holds():
    """Squared, in whole numbers: the ratio of the norms, with equality for flat users alone."""
    for counts in itertools.product(range(7), repeat=3):
        records, squares, kinds = sum(counts), sum(c * c for c in counts), sum(c > 0 for c in counts)
        flat = len({c for c in counts if c}) <= 1
        assert records**2 == kinds * squares if flat else records**2 < kinds * squares


@pytest.mark.parametrize("bound", [0.0, 1.5, 4.0, 9.0, 20.0])
def test_the_surrogate_and_its_slope_typed_out(bound):
    """(3), (4): what clipping takes, and two normal variables; M less its slope is the weight beyond."""
    release = dict(epsilon=1.0, delta=1e-3)
    users = {(3, 4): (5, 7), (0, 2): (2, 2), (5, 12): (13, 17)}  # with 2-norm and 1-norm
    curve = surrogate_curve(np.array([*users]), **release)
    size = quad(lambda z: abs(z) * exp(-(z**2) / 2), -9, 9)[0] / sqrt(2 * np.pi)
    mass = 2 * unit_scale(2, **release) * size
    taken = sum(max(1 - bound / norm, 0) * total for norm, total in users.values())
    here, beyond = curve.values([bound, bound + 0.01])
    assert here == pytest.approx(taken + bound * mass, rel=1e-9)
    weight = sum(total / norm for norm, total in users.values() if norm > bound)
    assert (beyond - here) / 0.01 == pytest.approx(mass - weight, rel=1e-6)


@pytest.mark.parametrize(("n", "epsilon", "delta"), [(20, 0.1, 0.02), (500, 1.0, 1e-3), (10**5, 3.0, 1e-6)])
def test_the_noise_of_the_cited_descent_is_enough_for_any_number_of_users(n, epsilon, delta):
    """The moment of a step is below its closed form, and that below the share of the budget in our proof."""
    nu = sampled_noise(n, epsilon=epsilon, delta=delta)
    order = 1 + ceil(2 * log(1 / delta) / epsilon)
    a = exp(order / (2 * nu**2))
    closed = order * (order - 1) / (2 * nu**2) * a * exp(order * (a - 1) / n) / n**2
    assert _moment(order, 1 / n, nu) <= 2 * closed
    assert n**2 * 2 * closed / (order - 1) <= 0.18 * epsilon
    assert (iv.exp(iv.mpf(1) / 16) * iv.exp(iv.exp(iv.mpf(1) / 16) / 4) / 8).b < 0.18
    assert sampled_epsilon(n**2 - 1, n, sigma=nu, delta=delta) <= 0.68 * epsilon


def test_the_cited_descent_errs_by_eighteen_units_as_users_grow():
    """Corollary 4.4, display 2: the cited theorem's bound with our noise, in units of its last step."""
    for ell, epsilon in itertools.product((1.0, 5.0), (0.1, 1.0)):
        for log_n in (0.0, 2.0, 50.0, 1e4 * ell):
            ell_n = log_n + ell
            error = 3 / 2 * sqrt(1 + 32 * ell_n * ell / epsilon**2) * (2 + 2 * log_n)
            unit = ell_n**1.5 * ell**0.5 / epsilon
            assert error <= 18 * unit
            assert (ell, epsilon, log_n) != (1, 1, 0) or error > 0.95 * 18
        assert error > 0.94 * 18 * unit


@pytest.mark.parametrize(("n", "s", "largest", "epsilon"), RATIONALS)
def test_the_ridge_of_corollary_4_5_balances_the_two_terms(n, s, largest, epsilon):
    """Both terms of Lemma A.2 are the square root of 2 C^2 n s / epsilon'; the second is that of (6)."""
    squared_ridge = 8 * s / (largest**2 * n * epsilon)
    share = 2 * largest**2 * n * s / epsilon
    assert (n / 2 * largest**2) ** 2 * squared_ridge == share == (4 * s / epsilon) ** 2 / squared_ridge
    assert (n * 4 * s / n / epsilon) ** 2 / squared_ridge == share


@pytest.mark.parametrize("bound", range(1, 13))
def test_the_tail_at_the_threshold_and_bernoullis_inequality(bound):
    """(1 - x)^C - 1 + Cx is x^2 times a sum of powers of 1 - x with whole weights, hence not negative."""
    x, kept = Polynomial([0, 1]), Polynomial([1, -1])
    weights = sum(((bound - 1 - k) * kept**k for k in range(bound - 1)), Polynomial([0]))
    assert np.allclose((kept**bound - 1 + bound * x - x**2 * weights).coef, 0, atol=1e-9)
    assert 0.5 * exp(-log(bound / 0.02)) == pytest.approx(0.01 / bound)


def test_the_mean_of_an_exponential_choice_exceeds_the_least_by_at_most_log_k_over_the_rate():
    """The identity behind it: mean of V = (entropy - log of the sum of weights) / rate.

    The rate is that of the sensitivity 3 C_max; one best of very many candidates nearly attains the bound.
    """
    largest, budget = 12, 50.0
    rate = budget / (2 * 3 * largest)
    values = np.random.default_rng(2).gamma(0.3, 9.0, (50, largest))
    weights = np.exp(-rate * values)
    law = weights / weights.sum(axis=1, keepdims=True)
    entropy, mean = -(law * np.log(law)).sum(axis=1), (law * values).sum(axis=1)
    np.testing.assert_allclose(mean, (entropy - np.log(weights.sum(axis=1))) / rate)
    assert (mean <= values.min(axis=1) + 6 * largest * log(largest) / budget).all()
    largest, above = mpmath.mpf(10) ** 400, mpmath.log(mpmath.mpf(10) ** 400) - 6
    for bound, delta, share in itertools.product((1, 50, 1500), (1 / 8, 1e-5), (0.3, 1.0, 3.0)):
        tail, scale = log(bound / (2 * delta)), bound / share
        c, chi = error_constants(scale, bound + scale * tail)
        if delta * (1 + share + tail) <= share:  # the condition of (1); the rest is our Jensen
            assert max(4, (1 + chi) / c / (1 - exp(-1))) <= 12 * tail
    others = (largest - 1) * mpmath.exp(-above)  # weights of all but the best, whose value is 0
    value = above / (budget / (2 * 3 * largest))
    assert 0.98 < others / (1 + others) * value / (6 * largest * mpmath.log(largest) / budget) < 1


def mean_over_noise(cost, scale, *kinks):
    """The mean of a cost of an exponential variable of mean `scale`."""
    pieces = itertools.pairwise(
        [0.0, *sorted(k for k in kinks if k > 0), 60.0 * scale + max(kinks, default=0)]
    )
    return sum(quad(lambda z: cost(z) * exp(-z / scale) / scale, *piece)[0] for piece in pieces)


@pytest.mark.parametrize("b", [0.4, 2.0])
@pytest.mark.parametrize(
    ("h", "truth"), [(0.0, 1.0), (2.0, 2.5), (3.0, 9.0), (5.0, 5.0), (6.0, 6.0), (7.0, 11.0)]
)
def test_the_steps_from_10_to_14_item_by_item(h, truth, b, t=5.0):
    """One item with noise of either sign, by numerical integration: (10) to (14)."""

    def cost(noise, target):
        return abs((h + noise) * (h + noise > t) - target)

    below = mean_over_noise(lambda z: cost(-z, h), b, h - t)
    assert mean_over_noise(lambda z: cost(-z, truth), b, h - t) == pytest.approx(below + truth - h)
    above = mean_over_noise(lambda z: cost(z, truth), b, t - h, truth - h)
    p, distance = exp(-abs(h - t) / b), lambda x: x - b + 2 * b * exp(-x / b)
    if h > t:
        lost = h * p + b - exp(-(h - t) / b) * (h - t + b)
        assert (below, below) == pytest.approx((lost, b + (t - b) * p))
        assert above == pytest.approx(distance(truth - h))
    else:
        released = distance(truth - t) if truth > t else t - truth + b
        assert (below, above) == pytest.approx((h, truth * (1 - p) + p * released))
        assert released <= abs(truth - t) + b <= 3 * released
    error = expected_error([h], [truth], scale=b, threshold=t, printed=True)[0]
    assert error == pytest.approx((below + truth - h + above) / 2)  # half for each sign


@pytest.mark.parametrize(("a", "x"), [*itertools.product((0.3, 1.0, 4.0), (0.0, 0.7, 3.0))])
def test_the_slope_in_lemma_b_3_and_its_least_ratio(a, x):
    def ratio(x):
        return (x + (2 * mpmath.exp(-a * x) - 1) / a) / (x + 1 / a)

    slope = 2 * (1 / a - exp(-a * x) * (x + 2 / a)) / (x + 1 / a) ** 2
    assert float(mpmath.diff(ratio, x)) == pytest.approx(slope, abs=1e-9)
    xi = mpmath.findroot(lambda y: (y + 2) * mpmath.exp(-y) - 1, 1.1) / a
    assert a * xi > 1
    assert float(ratio(xi)) == pytest.approx(float(1 - 2 / (a * xi + 2)))


def test_w_below_the_threshold_case_by_case():
    """A sanity check on 100,000 random items; (15) as an identity."""
    rng = np.random.default_rng(3)
    bound, epsilon = 10 ** rng.uniform([[0], [-1]], [[3], [1]], (2, 10**5))
    delta = rng.uniform(0, 1 / 8, 10**5)
    b = bound / epsilon
    t = bound + b * np.log(bound / (2 * delta))
    truth = t * 10 ** rng.uniform(-2, 1, t.size)
    h = np.minimum(truth, t) * rng.random(t.size)

    def w(h):
        return h + truth + np.exp((h - t) / b) * (abs(truth - t) - truth + b)

    beta, gamma = 2 * delta / (bound * np.exp(epsilon)), (t + b) / 2
    large, beyond = truth >= gamma, truth >= t
    np.testing.assert_allclose(w(0)[beyond], (truth - beta * (t - b))[beyond])
    assert (w(h) >= truth / 2).all()
    assert (w(h) <= 2 * truth * (1 + 1e-12))[large].all()
    f = truth + beta * np.exp(np.minimum(truth, t) / b) * (gamma - truth)
    assert (w(h) <= 2 * f * (1 + 1e-12))[~large].all()
    np.testing.assert_allclose(w(truth)[~large], 2 * f[~large])  # display 5 is attained, above 2 of the truth
    assert (f > truth)[~large].all()


@pytest.mark.parametrize(("bound", "epsilon", "delta"), [(1, 0.5, 0.1), (3, 1.0, 0.01), (50, 4.0, 1e-5)])
def test_the_function_g_of_corollary_b_4(bound, epsilon, delta):
    b, tail = bound / epsilon, log(bound / (2 * delta))
    gamma, beta = (bound + b * tail + b) / 2, 2 * delta / (bound * exp(epsilon))

    def g(x):
        return 1 + beta * mpmath.exp(x / b) * (gamma / x - 1)

    for x in (1.0, gamma / 2, gamma):
        slope = -beta * exp(x / b) * (x * x / b - gamma * x / b + gamma) / x**2
        assert float(mpmath.diff(g, x)) == pytest.approx(slope, rel=1e-6, abs=1e-12)
    first = delta * exp(-epsilon * (1 - 1 / bound)) * ((1 + tail) / epsilon + 1 - 2 / bound)
    assert float(g(1)) == pytest.approx(1 + first)
    assert beta * exp(gamma / b) == pytest.approx(sqrt(np.e * beta))
    assert gamma / b == pytest.approx((1 + log(1 / beta)) / 2)


def test_the_bound_at_the_larger_zero_is_at_most_three_halves():
    """Corollary B.4, display 8: by v = log(1/y) it is 1 + (1 + v) e^((1 - v)/2) / 4, 3/2 at v = 1 alone.

    Its slope has the sign of 1 - v; the printed one has no root of e, and stays below 2 as well.
    """
    for v in (1, *(x - 1 for x, *_ in RATIONALS)):
        slope = mpmath.diff(lambda u: (1 + u) * mpmath.exp((1 - u) / 2), float(v))
        assert slope == pytest.approx(float(1 - v) / 2 * exp(float(1 - v) / 2), rel=1e-6, abs=1e-12)
        y = exp(-v)
        bound = 1 + sqrt(np.e * y) / 4 * (1 + log(1 / y))
        assert bound == pytest.approx(1.5, rel=1e-12) if v == 1 else bound < 1.5


@pytest.mark.parametrize("bound", range(1, 10))
def test_derivatives_of_the_clipped_poisson_mean(bound):
    """In rationals, as polynomials before e^-lambda: C - h is S, and each derivative is P' - P."""
    taylor = [Fraction(1, factorial(j)) for j in range(bound)] + [Fraction(0)]

    def slope(p):
        return [(j + 1) * c for j, c in enumerate(p[1:])] + [Fraction(0)]

    def derive(p):
        return [d - c for d, c in zip(slope(p), p, strict=True)]

    lost = [(bound - j) * c for j, c in enumerate(taylor)]
    for x in (0.3, 4.0):
        short = exp(-x) * sum(float(c) * x**j for j, c in enumerate(lost))
        assert clipped_poisson_mean(x, bound) == pytest.approx(bound - short, rel=1e-12)
    first = derive(lost)
    assert [-c for c in first] == taylor
    second = derive(first)
    assert second == [Fraction(0)] * (bound - 1) + [Fraction(1, factorial(bound - 1)), Fraction(0)]
    printed = [c - 2 * d + e for c, d, e in zip(lost, slope(lost), slope(slope(lost)), strict=True)]
    assert printed == second


def test_the_exponent_of_the_poisson_tail():
    """1 + x/3 <= C for x = C - 1, and the tail it bounds, up to C = 40."""
    for bound in range(1, 41):
        x = bound - 1
        assert 3 + x <= 3 * bound
        beyond = 1 - mpmath.nsum(lambda j: mpmath.exp(-1) / mpmath.factorial(j), [0, bound - 1])
        assert beyond <= mpmath.exp(-(mpmath.mpf(x) ** 2) / (2 * bound))


@pytest.mark.parametrize("bound", [3, 5, 20])
def test_the_curvature_away_from_its_peak(bound):
    def peak(x):
        return exp(-x) * x ** (bound - 1) / factorial(bound - 1)

    for eta in (0.5, 2.0):
        share = (eta * exp(1 - eta)) ** (bound - 1)
        assert peak(eta * (bound - 1)) == pytest.approx(peak(bound - 1) * share)
    assert max((iv.sqrt(iv.e) / 2).b, (2 / iv.e).b) < 0.83
    near = [peak(x) for x in np.linspace(0, 1, 101)]  # rates up to 1, as in (17)
    assert max(near) == near[-1] == pytest.approx(exp(-1) / factorial(bound - 1))
    stirling = 1 / sqrt(2 * np.pi * (bound - 1))
    assert 0.95 * stirling < peak(bound - 1) <= stirling
    assert (stirling / 2) ** 2 == pytest.approx(1 / (8 * np.pi * (bound - 1)), rel=1e-12)  # (16), (22)
    far = stirling / 2 * (2 * (bound - 1)) ** 2  # (23), rates up to twice the peak
    assert far == pytest.approx(sqrt(2 / np.pi) * (bound - 1) ** 1.5, rel=1e-12)


@pytest.mark.parametrize(("gamma", "alpha", "plain", "h"), RATIONALS)
def test_the_algebra_of_theorem_c_2(gamma, alpha, plain, h):
    gamma, alpha = gamma + 1, alpha / 10
    unit = (plain - h) / (gamma - 1)
    clipped = h - unit + alpha * unit
    gain = (plain - clipped) ** 2 - gamma**2 * (h - clipped) ** 2
    assert gain == alpha * (2 * gamma - (gamma + 1) * alpha) / (gamma - 1) * (plain - h) ** 2
    variance = 2 * alpha**2 + plain  # of the noise, with a scale of its own, and of the counts
    gap = (plain - clipped) ** 2 + variance - gamma**2 * ((h - clipped) ** 2 + variance)
    assert gap == gain - (gamma**2 - 1) * variance  # display 1


def seventeen(rates, users, bound, epsilon, *, noise=2, curvature=1):
    """The right side of (17) for rates up to 1, with the factors of two of its terms."""
    share, rates = np.array(users) / sum(users), np.array(rates)
    mean = share @ rates
    spread = share @ (rates - mean) ** 2
    inner = noise * (bound / (sum(users) * epsilon)) ** 2 + mean / sum(users)
    inner += curvature * spread**2 / (4 * factorial(bound - 1) ** 2)
    return amplification(bound) ** 2 * inner


def test_17_needs_all_of_its_noise_and_its_curvature():
    """Exact risks: below the repaired right side, above it with the printed noise or no last term."""
    noisy = dict(rates=[0.3], users=[7], bound=8, epsilon=10.0)
    apart = dict(rates=[0.0, 1.0], users=[2000, 2000], bound=1, epsilon=50.0)
    steep = dict(rates=[1.0], users=[20_000], bound=1, epsilon=0.0025)  # needs the square of the slope
    risks = [debiased_risk(**case, largest_rate=1.0) for case in (noisy, apart, steep)]
    assert risks[0] <= seventeen(**noisy)
    assert risks[0] > seventeen(**noisy, noise=1)
    assert risks[1] <= seventeen(**apart)
    assert risks[1] > seventeen(**apart, curvature=0)
    assert seventeen(**steep) / amplification(1) < risks[2] <= seventeen(**steep)


@pytest.mark.parametrize("bound", [1, 2, 5, 40])
def test_clipped_counts_have_at_most_the_variance_of_20(bound):
    """Exact variances of one user; nearly attained where nothing is clipped."""
    counts = np.arange(200)
    for rate in (0.01, 0.3, 1.0, 6.0):
        law = poisson.pmf(counts, rate)
        kept = np.minimum(counts, bound)
        variance = law @ kept**2 - (law @ kept) ** 2
        assert variance <= rate * (1 + 1e-12)
        assert bound < 40 or variance == pytest.approx(rate, rel=1e-9)


@pytest.mark.parametrize("bound", [1, 2, 3, 6])
def test_back_to_the_rate_costs_the_slope_of_21(bound):
    """The mean value theorem on [0, 1]: at most the largest slope of the inverse, nearly it at the end."""
    rates = np.linspace(0, 1, 101)
    means = clipped_poisson_mean(rates, bound)
    apart = np.subtract.outer(rates, rates)[np.triu_indices(101, 1)]
    moved = np.subtract.outer(means, means)[np.triu_indices(101, 1)]
    ratio = np.max(apart / moved)
    assert 0.98 * amplification(bound) <= ratio <= amplification(bound) * (1 + 1e-9)


@pytest.mark.parametrize(("ridge", "kink", "slope", "end"), RATIONALS)
def test_a_minimum_over_an_interval_is_strongly_convex(ridge, kink, slope, end):
    """Lemma A.1: half the ridge times the square is lost, and no more where the slope at the minimum is 0."""

    def objective(x):
        return ridge / 2 * x**2 + slope * max(kink - x, 0)

    least = min(slope / ridge, kink, end)
    for x in (Fraction(0), end / 3, end):
        lost = objective(x) - objective(least)
        assert lost >= ridge / 2 * (x - least) ** 2
        assert least < slope / ridge or x > kink or lost == ridge / 2 * (x - least) ** 2


@pytest.mark.parametrize(
    ("bound", "rates", "epsilon"),
    [(1, (0.2, 1.4), 50), (3, (0, 0), 0.8), (5, (0, 12), 500), (5, (3.9, 4.1), 9)],
)
def test_taylors_formula_and_the_mean_absolute_error_in_theorem_c_1(bound, rates, epsilon):
    """Displays 2 and 5, (19): the remainder as an integral between its extremes; noise, counts and bias."""
    centre, n = np.mean(rates), len(rates)

    def second(x):
        return -exp(-x) * x ** (bound - 1) / factorial(bound - 1)

    bias = np.mean([clipped_poisson_mean(x, bound) for x in rates]) - clipped_poisson_mean(centre, bound)
    rest = [quad(lambda t, x=x: second(t) * (x - t), centre, x)[0] for x in rates]
    assert bias == pytest.approx(np.mean(rest), rel=1e-7)
    spread, values = np.var(rates), [second(x) for x in np.linspace(min(rates), max(rates), 999)]
    assert min(values) / 2 * spread <= bias <= max(values) / 2 * spread
    laws = [[*(poisson.pmf(j, x) for j in range(bound)), poisson.sf(bound - 1, x)] for x in rates]
    off = np.abs(np.arange(n * bound + 1) / n - clipped_poisson_mean(centre, bound))
    scale = bound / (n * epsilon)
    means = np.convolve(*laws)
    error = means @ (off + scale * np.exp(-off / scale))  # the noise integrated out
    parts = 2 * scale**2 + np.mean(clipped_poisson_variance(rates, bound)) / n + bias**2
    squares = [mean_over_noise(lambda z, x=x: ((x + z) ** 2 + (x - z) ** 2) / 2, scale) for x in off]
    assert means @ squares == pytest.approx(parts, rel=1e-6)  # (19), and Lemma C.4 with the rate itself
    assert error <= scale * (1 + 1e-12) + sqrt(sum(rates)) / n - min(values) / 2 * spread


@pytest.mark.parametrize("n", [2, 4, 9])
def test_the_counts_need_four_fifths_of_their_root_in_theorem_c_1(n, rate=9):
    """Display 5 without clipping, noise or bias: how far a Poisson total is off, on average."""
    total = np.arange(4 * n * rate)
    error = poisson.pmf(total, n * rate) @ np.abs(total / n - rate)
    assert 0.79 < error / (sqrt(n * rate) / n) <= 1


def test_true_counts_below_the_threshold_sum_as_in_b_5():
    """In whole numbers, for random clips: what is left over is lost by items above the threshold."""
    rng = np.random.default_rng(5)
    for bound, t in itertools.product((1, 3, 6), range(1, 12)):
        users = rng.poisson(2, (6, 4))
        clipped = sum(rng.multivariate_hypergeometric(row, min(bound, row.sum())) for row in users)
        true = users.sum(axis=0)
        left = np.where(clipped < t, true, t).sum()
        right = np.minimum(clipped, t).sum() + np.maximum(users.sum(axis=1) - bound, 0).sum()
        assert right - left == np.sum((true - clipped)[clipped >= t])
        assert left <= right


@pytest.mark.parametrize(("ridge", "kink", "slope", "other"), RATIONALS)
def test_a_replaced_user_moves_the_objective_by_twice_the_root_of_s(ridge, kink, slope, other):
    """Lemma A.1, display 1: what the minimiser of F_2 loses in F_1; an emptied user attains a quarter."""

    def objective(x):
        return ridge / 2 * x**2 + slope * max(kink - x, 0)

    for second in (other, Fraction(0)):
        least, moved = (min(one / ridge, kink) for one in (slope, second))
        lost, root = objective(moved) - objective(least), max(slope, second)
        assert lost <= 2 * root * abs(moved - least)
        assert slope / ridge > kink or second / ridge > kink or lost == ridge / 2 * (moved - least) ** 2


@pytest.mark.parametrize(("ridge", "least", "slope"), [row[:3] for row in RATIONALS])
def test_the_ridge_costs_at_most_what_7_says(ridge, least, slope):
    """(7): the surrogate at the minimiser with a ridge; half of the bound is attained."""
    for steep in (slope, ridge * least / 2):
        ridged = min(steep / ridge, least)
        cost = steep * (least - ridged)
        assert cost <= ridge / 2 * least**2
    assert cost == ridge / 4 * least**2


@pytest.mark.parametrize("budget", [0.01, 0.5, 1.0, 40.0])
def test_an_item_above_the_threshold_costs_as_much_as_b_4_says(budget):
    """Displays 1 of B.4 and 2 of B.5: between C/epsilon and t, whose first part C is not to be dropped."""
    for bound, delta in ((1, 0.01), (1, 0.4), (50, 1e-6)):
        noise, tail = bound / budget, log(bound / (2 * delta))
        t = bound + noise * tail
        assert t / noise == pytest.approx(budget + tail, rel=1e-12)
        assert noise < t / tail  # so that 1 / log is too much, for every bound
        for side in (0.99, 1.01):  # of the budget up to which it is enough with the 12 of the other items
            least = bound / (side * 5 * tail)
            assert (least / 2 >= (bound + least * tail) / (12 * tail)) == (side < 1)
        costs = [noise + (t - noise) * exp(-beyond / noise) for beyond in (0.0, noise, 50 * noise)]
        assert costs[0] == pytest.approx(t) and costs[2] == pytest.approx(noise)
        assert (costs == sorted(costs, reverse=True)) == (t >= noise) == (budget + tail >= 1)


def test_the_mean_of_the_clipped_means_has_no_minus():
    """Theorem C.2, display 1: the mean of the clipped mean is the average of h; squares show its sign."""
    rates, bound = np.array([0.2, 1.4]), 2
    counts = np.arange(60)
    kept = [poisson.pmf(counts, rate) @ np.minimum(counts, bound) for rate in rates]
    average = clipped_poisson_mean(rates, bound).mean()
    assert np.mean(kept) == pytest.approx(average, rel=1e-12) and average > 0
    assert (rates.mean() - average) ** 2 != pytest.approx((rates.mean() + average) ** 2, rel=0.9)


def test_the_gap_of_the_errors_in_theorem_c_2_pays_for_both_variances_of_the_noise():
    """Display 1 at equal rates: exact errors keep the gap with 2C^2, and break it with C^2."""
    n, bound, epsilon, rate = 2000, 2, 0.08, 0.9
    case = dict(rates=[rate], users=[n], bound=bound, epsilon=epsilon)
    gap = plain_risk(**case) - debiased_risk(**case, largest_rate=1.0)
    bias = rate - float(clipped_poisson_mean(rate, bound))
    noise, counts = (bound / (n * epsilon)) ** 2, float(clipped_poisson_variance(rate, bound)) / n
    printed, doubled = [
        bias**2 - (amplification(bound) ** 2 - 1) * (factor * noise + counts) for factor in (1, 2)
    ]
    assert doubled <= gap < printed


def test_noise_moves_a_users_part_as_6_says(root=1.5, scale=0.7):
    """(6): by the slope times the mean size of the noise far below the kink, by half of it at the kink."""
    noise, moved = [mean_over_noise(lambda z, s=s: s * z, scale) for s in (1, -1)], []
    assert noise == pytest.approx([scale, -scale])  # together 0: the mean of the bound, in Lemma A.2
    for start in (-100.0, 0.0, 0.5):

        def cost(shift, start=start):
            return root * abs(max(-start - shift, 0) - max(-start, 0))

        sides = [mean_over_noise(lambda z, s=s: cost(s * z), scale, max(-s * start, 0.0)) for s in (1, -1)]
        moved.append(sum(sides) / 2)
    assert moved[0] == pytest.approx(root * scale, rel=1e-6)
    assert moved[1] == pytest.approx(root * scale / 2, rel=1e-6)
    assert moved[2] < moved[1]
