"""Unknown domain: law of the clips, exact privacy of the release, exact errors, private choice of a bound."""

import itertools

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats
from scipy.integrate import quad

from fakes import Silent
from laws import FALSE_ALARM, has_mean, same_law
from userdp.central import unknown_domain
from userdp.central.unknown_domain import (
    nested_totals,
    objective_from_totals,
    objective_range,
    private_bound,
    release_noise,
    release_scales,
    unbounded_histogram,
)
from userdp_papers.theory.audit.exact import exact_loss
from userdp_papers.theory.exact.histograms import (
    error_constants,
    expected_error,
    objective,
    objective_sensitivity,
    random_clip,
)

RELATIONS = ("replace", "add-remove")
USER = np.array([4, 3, 5])


def some_counts(n, d, seed=1):
    """Users with about 2 records an item, every fourth of them without any."""
    return np.random.default_rng(seed).poisson(2.0, (n, d)) * (np.arange(n)[:, None] % 4 > 0)


# --- random clipping --------------------------------------------------------------------------------


def chi_square(draws, bound):
    """P-value of the multivariate hypergeometric law for clips of USER, shape (draws, 3)."""
    vectors, observed = np.unique(draws, axis=0, return_counts=True)
    expected = len(draws) * stats.multivariate_hypergeom.pmf(vectors, USER, bound)
    often = expected >= 5
    cells = np.append(observed[often], observed[~often].sum())
    rest = max(len(draws) - expected[often].sum(), 1e-9)
    return stats.chisquare(cells, np.append(expected[often], rest), sum_check=False).pvalue


def clips(draw, copies=6000):
    """Clipped counts of USER by a function of a table, from copies that hold items of their own."""
    return draw(sparse.kron(sparse.eye_array(copies), USER[None])).reshape(-1, copies, 3)


@pytest.mark.statistical
def test_clips_have_the_hypergeometric_law_for_every_bound_at_once():
    bounds = [5, 2, 9, 1]
    draws = clips(lambda table: nested_totals(table, bounds, np.random.default_rng(1)))
    assert all(chi_square(kept, bound) > FALSE_ALARM for bound, kept in zip(bounds, draws, strict=True))
    literal = random_clip(np.tile(USER, (6000, 1)), 5, np.random.default_rng(2))
    assert chi_square(literal, 5) > FALSE_ALARM
    assert same_law(literal, draws[0])


@pytest.mark.statistical
def test_that_test_rejects_other_laws():
    rng = np.random.default_rng(3)
    with_replacement = rng.multinomial(5, USER / USER.sum(), size=6000)
    assert chi_square(with_replacement[np.all(with_replacement <= USER, axis=1)], 5) < FALSE_ALARM
    assert not same_law(with_replacement, random_clip(np.tile(USER, (6000, 1)), 5, rng))

    class NoOrder(np.random.Generator):
        """Hands out increasing numbers, so that the first records are kept."""

        def random(self, size):
            return np.arange(size) / size

    kept = clips(lambda table: nested_totals(table, [5], NoOrder(np.random.PCG64(0))))[0]
    assert chi_square(kept, 5) < FALSE_ALARM
    one_too_many = clips(lambda table: nested_totals(table, [6], rng))[0]
    assert not same_law(one_too_many, random_clip(np.tile(USER, (6000, 1)), 5, rng))


@pytest.mark.statistical
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.coo_array])
def test_totals_of_users_who_differ_have_the_law_of_the_literal_clips(form):
    counts, rng = some_counts(7, 4), np.random.default_rng(4)
    fast = np.array([nested_totals(form(counts), [3, 6], rng) for _ in range(1500)])
    for bound, totals in zip((3, 6), fast.swapaxes(0, 1), strict=True):
        literal = np.array([random_clip(counts, bound, rng).sum(axis=0) for _ in range(1500)])
        assert same_law(literal, totals)
        size = counts.sum(axis=1, keepdims=True)
        mean = (bound * counts / np.maximum(size, bound)).sum(axis=0)
        assert all(has_mean(item, m) for item, m in zip(totals.T, mean, strict=True) if m > 0)
    assert not same_law(fast[:, 0], fast[:, 1])


@given(st.integers(0, 10**6), st.lists(st.integers(1, 30), min_size=1, max_size=5))
def test_every_clip_keeps_as_many_records_as_it_may_and_larger_bounds_keep_more(seed, bounds):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(rng.gamma(0.5, 3.0, (5, 4)))
    size, totals = counts.sum(axis=1), nested_totals(counts, bounds, rng)
    assert totals.shape == (len(bounds), 4) and totals.dtype == np.int64
    for bound, total in zip(bounds, totals, strict=True):
        kept = random_clip(counts, bound, rng)
        assert np.all((kept >= 0) & (kept <= counts))
        np.testing.assert_array_equal(kept.sum(axis=1), np.minimum(size, bound))
        assert total.sum() == kept.sum() and np.all(total <= counts.sum(axis=0))
    ordered = totals[np.argsort(bounds, kind="stable")]
    assert np.all(np.diff(ordered, axis=0) >= 0)
    np.testing.assert_array_equal(nested_totals(counts, [10**6], rng)[0], counts.sum(axis=0))


@pytest.mark.parametrize("held", [10**9 - 1, 10**9, 10**9 + 1])
def test_one_record_more_than_an_urn_holds_is_drawn_as_well(held):
    kept = unknown_domain.sample_records(np.array([held - 4, 0, 4]), 3, np.random.default_rng(1))
    assert kept.sum() == 3 and kept[1] == 0


@pytest.mark.parametrize("draw", ["literal", "nested", "sparse"])
@pytest.mark.parametrize("huge", [2 * 10**6, 10**9, 2 * 10**17, 10**30])
def test_one_huge_user_neither_stops_the_clips_nor_changes_their_law(draw, huge):
    """A user beyond any urn that NumPy draws from; its clip is all but binomial."""
    counts = np.array([[huge, 3 * huge, 7], [1, 2, 0]], dtype=float)
    rng, runs = np.random.default_rng(7), 300
    if draw == "literal":
        drawn = [random_clip(counts, 40, rng)[0] for _ in range(runs)]
    else:
        form = sparse.csr_array if draw == "sparse" else np.asarray
        drawn = [nested_totals(form(counts), [40, 2], rng)[0] - [1, 2, 0] for _ in range(runs)]
    kept = np.array(drawn)
    assert np.all(kept.sum(axis=1) == 40) and np.all(kept[:, 2] <= 7)
    share = 0.5 if huge > 10**18 else 0.75  # counts are cut where their sum would overflow
    assert has_mean(kept[:, 1], 40 * share)
    assert not has_mean(kept[:, 1], 40 * 0.65)


def test_records_drawn_one_by_one_have_the_hypergeometric_law(monkeypatch):
    monkeypatch.setattr(unknown_domain, "URN", 0)
    rng = np.random.default_rng(8)
    one_by_one = random_clip(np.tile(USER, (6000, 1)), 5, rng)
    assert chi_square(one_by_one, 5) > FALSE_ALARM
    # and below the largest bound: heavy users are clipped to that first
    monkeypatch.setattr(unknown_domain, "LISTED", 3)
    draws = [nested_totals(USER[None], [2, 7], rng) for _ in range(6000)]
    for place, bound in ((0, 2), (1, 7)):
        assert chi_square(np.array(draws)[:, place], bound) > FALSE_ALARM
    assert not same_law(np.array(draws)[:, 1], one_by_one)


@pytest.mark.parametrize(("held", "drawn"), [(10**6, 0), (10**6 + 1, 1)])
def test_only_of_users_with_more_than_a_million_records_are_the_records_drawn_before_they_are_listed(
    monkeypatch, held, drawn
):
    met = []
    monkeypatch.setattr(unknown_domain, "sample_records", lambda row, *_: met.append(row.sum()) or row)
    assert nested_totals([[held]], [9], np.random.default_rng(0)).tolist() == [[9]]
    assert met == [held] * drawn


def test_totals_in_the_place_of_raw_counts_are_refused():
    options = {"bound": 1, "epsilon": 1, "delta": 1e-6, "rng": np.random.default_rng(1)}
    with pytest.raises(ValueError, match=r"counts must have shape \(n, d\).*, got \(2,\)"):
        unbounded_histogram(np.array([500.0, 30.0]), **options)
    # as one user's row they are clipped: nobody contributes more than the bound
    assert not unbounded_histogram([[500, 30]], **options).value.any()


def test_nobody_and_nothing():
    rng = np.random.default_rng(5)
    for counts in (np.zeros((0, 3), int), np.zeros((4, 3), int), sparse.coo_array((4, 3), dtype=int)):
        assert not nested_totals(counts, [1, 2], rng).any()
    wild = np.array([[np.nan, np.inf, -np.inf, -3.0, 2.0]])
    for counts in (wild, sparse.csr_array(wild)):
        assert nested_totals(counts, [9], rng).tolist() == [[0, 0, 0, 0, 2]]
    assert random_clip(np.zeros((0, 3), int), 2, rng).shape == (0, 3)


def test_a_sparse_table_is_clipped_like_a_dense_one():
    table = np.array([[9, 0, 4], [0, 3, 0]])
    dense, thin = (random_clip(x, 5, np.random.default_rng(6)) for x in (table, sparse.csr_array(table)))
    assert np.array_equal(dense, thin) and thin.sum() == 8


# --- privacy of the release -------------------------------------------------------------------------


def cells(count, other, present, scale, threshold, grid=40):
    """Law of one item's output on cells (silence first) on which the log-ratio to `other` moves little.

    Outside the two counts the log-ratio is constant; between them it moves by 2 / scale a unit.
    """
    if not present:
        return np.append(1.0, np.zeros(grid + 2))
    inner = np.linspace(min(count, other), max(count, other), grid + 1)
    edges = np.concatenate([[threshold], np.maximum(inner, threshold), [np.inf]])
    law = np.diff(stats.laplace.cdf(edges, loc=count, scale=scale))
    return np.append(1 - law.sum(), law)


def bracket(first, second, others, epsilon, scale, threshold):
    """Lower and upper bound of the exact slack of a pair of clips at epsilon, one direction."""
    p, q, width = np.ones(1), np.ones(1), 0.0
    for h, k, g in zip(first, second, others, strict=True):
        if h + g or k + g:
            p = np.outer(p, cells(h + g, k + g, h + g > 0, scale, threshold)).ravel()
            q = np.outer(q, cells(k + g, h + g, k + g > 0, scale, threshold)).ravel()
            if h + g and k + g:
                width += 2 * abs(h - k) / scale / 40
    lower = np.maximum(p - np.exp(epsilon) * q, 0).sum()
    return lower, np.maximum(p - np.exp(epsilon - width) * q, 0).sum()


def all_clips(bound, d):
    """Every clipped vector of one user, the empty one first."""
    return [h for h in itertools.product(range(bound + 1), repeat=d) if sum(h) <= bound]


def neighbouring(bound, d, neighbours):
    """Every ordered pair of clips of one user in neighbouring data sets."""
    everything = all_clips(bound, d)
    if neighbours == "replace":
        return list(itertools.permutations(everything, 2))
    return [pair for h in everything[1:] for pair in ((h, everything[0]), (everything[0], h))]


@pytest.mark.parametrize("tight", [False, True])
@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.15), (2.0, 0.1), (0.05, 0.4)])
def test_the_whole_release_keeps_its_promise_on_every_small_data_set(neighbours, tight, epsilon, delta):
    # others hold each item never, about as often as the threshold, or far more often; delta is large, since
    # the upper bound of the bracket is not as sharp as a small one would ask. The last delta exceeds
    # 1 - exp(-epsilon / 2): no condition ties the two
    options = {"epsilon": epsilon, "neighbours": neighbours}
    worst, attained = 0.0, 0.0
    for bound, d in ((1, 2), (2, 2)):
        (scale,), (threshold,) = release_scales([bound], delta=delta, tight=tight, **options)
        for first, second in neighbouring(bound, d, neighbours):
            for others in itertools.product((0, int(threshold) + 1, 1000), repeat=d):
                lower, upper = bracket(first, second, others, epsilon, scale, threshold)
                worst, attained = max(worst, upper), max(attained, lower)
    assert worst <= delta * (1 + 1e-9)
    # for C = 1 a lone item needs all of it
    assert attained == pytest.approx(delta, rel=1e-9)


def test_the_printed_noise_fails_that_test_when_a_user_is_replaced_and_costs_twice_the_budget():
    bound, epsilon, delta = 2, 0.5, 0.15
    options = {"epsilon": epsilon, "neighbours": "add-remove"}
    (scale,), (threshold,) = release_scales([bound], delta=delta / 2, **options)
    pair = (2, 0), (0, 2), (1000, 1000)
    once = bracket(*pair, epsilon, scale, threshold)[0]
    # two Laplace variables shifted by their scale / epsilon: exact value of the page on the unknown domain
    assert once == pytest.approx(0.1238491, abs=1e-4)
    tiny = release_noise(bound, delta=1e-6, **options).threshold
    assert bracket(*pair, epsilon, scale, tiny)[0] > 1e5 * 1e-6
    assert bracket(*pair, 2 * epsilon + 1e-12, scale, threshold)[0] == pytest.approx(0, abs=1e-12)


def patterns(rest, largest=None):
    """Every way to spread at most `rest` records over items that nobody else holds."""
    yield ()
    for first in range(1, min(rest, largest or rest) + 1):
        for others in patterns(rest - first, first):
            yield (first, *others)


def released(kept, scale, threshold):
    """Probability that one of a lone user's items is released, from the law of the noise."""
    return -np.expm1(np.log(stats.laplace.cdf(threshold - np.array(kept, float), scale=scale)).sum())


def one_shift(y, beta):
    """Excess of a Laplace variable shifted by beta scales, at any real y."""
    return np.where(y < -beta, -np.expm1(y), np.maximum(-np.expm1((np.minimum(y, beta) - beta) / 2), 0))


def two_shifts(y, alpha, beta):
    """Excess of two shifts: the mean over the loss of the first of that of the second."""
    if alpha == 0:
        return float(one_shift(y, beta))
    ends = one_shift(y - alpha, beta) / 2 + np.exp(-alpha) / 2 * one_shift(y + alpha, beta)
    kinks = [u for u in ((alpha - y - beta) / 2, (alpha - y + beta) / 2) if 0 < u < alpha]
    between = quad(
        lambda u: np.exp(-u) / 2 * one_shift(y - alpha + 2 * u, beta), 0, alpha, points=kinks or None
    )
    return float(ends + between[0])


def exact_slack(budget, bound, scale, threshold, neighbours, distinct=None):
    """Smallest delta of the release at a budget, over all patterns of records on own items."""
    own = []
    for kept in patterns(bound):
        hidden = 0 if distinct is None else distinct - len(kept) - (sum(kept) < bound)
        if hidden >= 0:
            shown = released((*kept, *[0] * hidden), scale, threshold)
            own.append((shown, (bound - sum(kept)) / scale))
    nobody = [(0.0, 0.0)]
    pairs = (
        list(itertools.product(own, own))
        if neighbours == "replace"
        else [*itertools.product(own, nobody), *itertools.product(nobody, own)]
    )
    slack = []
    for (new, alpha), (gone, beta) in pairs:
        y = budget + np.log1p(-gone) - np.log1p(-new)
        # at most 1 - exp(y - alpha - beta), so below y = alpha + beta it is 0 but for rounding
        common = two_shifts(y, alpha, beta) if y < alpha + beta - 1e-12 else 0.0
        slack.append(new + (1 - new) * max(common, 0.0))
    return max(slack)


@pytest.mark.parametrize("tight", [False, True])
@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("delta", [1e-9, 1e-3, 0.3])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_the_exact_slack_over_all_patterns_is_at_most_delta(epsilon, delta, neighbours, tight):
    options = {"epsilon": epsilon, "neighbours": neighbours}
    for bound in (1, 2, 5):
        (scale,), (threshold,) = release_scales([bound], delta=delta, tight=tight, **options)
        slack = exact_slack(epsilon, bound, scale, threshold, neighbours)
        assert slack <= delta * (1 + 1e-6)
        if bound == 1 or (tight and delta < 0.01):
            # nothing is left over for C = 1; with the tight threshold only Bernoulli's inequality is
            assert slack == pytest.approx(delta, rel=1e-3 if tight else 1e-6)
        if not tight and bound == 5 and epsilon == 5.0:
            assert slack < delta / 3
        if tight and delta < 0.01:
            smaller = threshold - 0.01 * scale
            assert exact_slack(epsilon, bound, scale, smaller, neighbours) > delta


@pytest.mark.parametrize("neighbours", RELATIONS)
def test_common_items_agree_with_dp_accounting(neighbours):
    # far above the threshold the release is a Laplace mechanism: one shift by C, or two
    pld = privacy_loss_distribution.from_laplace_mechanism(2.0, value_discretization_interval=1e-3)
    pld = pld.compose(pld) if neighbours == "replace" else pld
    for budget in (0.0, 0.2, 0.45, 0.7):
        ours = exact_slack(budget, 1, 2.0, 1e9, neighbours)
        assert ours == pytest.approx(pld.get_delta_for_epsilon(budget), abs=1e-3)
    # and the cells of the release itself, at a threshold that matters little
    first, second = ((1, 0), (0, 1)) if neighbours == "replace" else ((1, 0), (0, 0))
    lower, upper = bracket(first, second, (100, 100), 0.2, 2.0, 20.0)
    assert lower - 1e-3 <= pld.get_delta_for_epsilon(0.2) <= upper + 1e-3


@pytest.mark.parametrize(("bound", "distinct"), [(1, 1), (1, 2), (1, 50), (3, 2), (3, 40), (5, 9)])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_the_printed_variant_costs_what_its_guarantee_says(epsilon, bound, distinct):
    options = {"bound": bound, "epsilon": epsilon, "delta": 1e-3, "printed": True, "distinct": distinct}
    (scale,), (threshold,) = release_scales([bound], epsilon=epsilon, delta=1e-3, neighbours="add-remove")
    stated = release_noise(neighbours="add-remove", **options).guarantee
    exact = exact_slack(epsilon, bound, scale, threshold, "add-remove", distinct)
    assert stated.epsilon == pytest.approx(epsilon, rel=1e-15)
    assert stated.delta == pytest.approx(exact, rel=1e-9)
    if bound == 1 and distinct > 1:
        assert stated.delta > 1.02e-3
    replaced = release_noise(neighbours="replace", **options).guarantee
    assert replaced.epsilon == pytest.approx(2 * epsilon, rel=1e-15)
    exact = exact_slack(2 * epsilon, bound, scale, threshold, "replace", distinct)
    assert replaced.delta == pytest.approx(exact, rel=1e-9)
    unlimited = release_noise(neighbours="add-remove", **(options | {"distinct": None}))
    assert unlimited.delta == 1.0


def test_guarantees_carry_the_relation_and_the_budget():
    for neighbours in RELATIONS:
        g = release_noise(bound=3, epsilon=0.7, delta=1e-5, neighbours=neighbours).guarantee
        assert (g.epsilon, g.delta, g.trust, g.neighbours) == (0.7, 1e-5, "central", neighbours)
    default = release_noise(bound=3, epsilon=0.7, delta=1e-5)
    assert default.neighbours == "replace"


# --- law of the release -----------------------------------------------------------------------------


@pytest.mark.statistical
@pytest.mark.parametrize("neighbours", RELATIONS)
def test_large_counts_get_laplace_noise_of_the_stated_scale(neighbours):
    options = {"bound": 3, "epsilon": 0.5, "delta": 1e-6, "neighbours": neighbours}
    totals = np.full(20_000, 10_000)
    release = release_noise(**options)
    assert release.scale == (12.0 if neighbours == "replace" else 6.0)
    noise = release.release(totals, np.random.default_rng(6)) - totals
    assert stats.kstest(noise, stats.laplace(scale=release.scale).cdf).pvalue > FALSE_ALARM
    assert stats.kstest(noise, stats.laplace(scale=1.1 * release.scale).cdf).pvalue < FALSE_ALARM
    whole = unbounded_histogram(np.full((4, 2), 9), rng=np.random.default_rng(6), **options)
    assert whole.guarantee == release.guarantee
    assert (whole.bound, whole.scale, whole.threshold) == (3.0, release.scale, release.threshold)


@pytest.mark.statistical
@pytest.mark.parametrize("tight", [False, True])
def test_lone_items_are_released_as_often_as_computed_and_only_above_the_threshold(tight):
    options = {"bound": 4, "epsilon": 4.0, "delta": 0.2, "tight": tight, "neighbours": "add-remove"}
    totals = np.repeat([0, 1, 2, 4], 20_000)
    release = release_noise(**options)
    value = release.release(totals, np.random.default_rng(7))
    threshold = release.threshold
    shown = (value != 0).reshape(4, -1)
    assert not shown[0].any()
    assert np.all(value[value != 0] > threshold)
    for kept, hits in zip((1, 2, 4), shown[1:].sum(axis=1), strict=True):
        chance = released((kept,), release.scale, threshold)
        assert stats.binomtest(int(hits), 20_000, chance).pvalue > FALSE_ALARM
        assert stats.binomtest(int(hits), 20_000, 2 * chance).pvalue < FALSE_ALARM


@pytest.mark.statistical
def test_the_printed_variant_publishes_what_was_clipped_away():
    # 300 items of one user, C = 1: the smallest of leaks, many times
    options = {"bound": 1, "epsilon": 1.0, "delta": 0.01, "neighbours": "add-remove"}
    counts, rng, runs = np.ones((1, 300), int), np.random.default_rng(8), 2000
    hits = {True: 0, False: 0}
    for _ in range(runs):
        hits[False] += unbounded_histogram(counts, rng=rng, **options).value.any()
        leaky = unbounded_histogram(counts, printed=True, distinct=300, rng=rng, **options)
        hits[True] += leaky.value.any()
    exact = release_noise(printed=True, distinct=300, **options).delta
    assert exact > 0.6 and leaky.guarantee.delta == exact
    assert stats.binomtest(hits[True], runs, exact).pvalue > FALSE_ALARM
    assert stats.binomtest(hits[False], runs, 0.01).pvalue > FALSE_ALARM
    assert stats.binomtest(hits[True], runs, 0.01).pvalue < FALSE_ALARM


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_printed_variant_looks_at_what_anybody_holds_and_at_nothing_else(form):
    """Noise far above the threshold; one item is held once, and one by nobody, though it is stored."""
    counts = form(np.array([[3.0, -2.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]))
    options = {"bound": 1, "epsilon": 1.0, "delta": 0.01, "printed": True, "rng": Silent(1e9)}
    value = unbounded_histogram(counts, **options).value
    assert (value > 0).tolist() == [True, False, True, False]


# --- exact errors -----------------------------------------------------------------------------------


def error_by_quadrature(total, truth, scale, threshold):
    density = stats.laplace(loc=total, scale=scale)
    kinks = sorted({x for x in (total, truth) if x > threshold})
    ends = [threshold, *kinks, max(threshold, total, truth) + 60 * scale]
    pieces = [
        quad(lambda x: abs(x - truth) * density.pdf(x), a, b, epsabs=1e-13, epsrel=1e-12)[0]
        for a, b in itertools.pairwise(ends)
    ]
    return truth * density.cdf(threshold) + sum(pieces)


@pytest.mark.parametrize("total", [0, 1, 7, 30, 200])
@pytest.mark.parametrize("truth", [1, 10, 45, 300])
@pytest.mark.parametrize(("scale", "threshold"), [(0.5, 3.0), (10.0, 40.0), (3.0, 45.0)])
def test_expected_error_is_that_of_quadrature(total, truth, scale, threshold):
    error = expected_error([total], [truth], scale=scale, threshold=threshold, printed=True)[0]
    assert error == pytest.approx(error_by_quadrature(total, truth, scale, threshold), rel=1e-9, abs=1e-12)
    repaired = expected_error([total], [truth], scale=scale, threshold=threshold)[0]
    assert repaired == (truth if total == 0 else error)


@pytest.mark.statistical
def test_expected_error_is_the_mean_of_the_release():
    options = {"bound": 2, "epsilon": 1.0, "delta": 0.05}
    totals, truth = np.array([0, 0, 1, 9, 14, 40, 60]), np.array([0, 3, 1, 11, 20, 40, 90])
    rng, runs = np.random.default_rng(9), 8000
    for printed, support in ((False, None), (True, truth > 0)):
        noise = release_noise(printed=printed, **options)
        releases = [noise.release(totals, rng, support=support) for _ in range(runs)]
        errors = np.abs(np.array(releases) - truth)
        exact = expected_error(
            totals,
            truth,
            scale=noise.scale,
            threshold=noise.threshold,
            printed=printed,
        )
        for item, mean in zip(errors.T, exact, strict=True):
            assert has_mean(item, mean) if np.ptp(item) else item[0] == mean
        assert not has_mean(errors[:, 4], 1.1 * exact[4])


def test_expected_error_serves_many_bounds_at_once():
    totals, truth = np.array([[0, 5, 9], [1, 8, 30]]), np.array([2, 10, 50])
    scale, threshold = np.array([[2.0], [4.0]]), np.array([[8.0], [20.0]])
    both = expected_error(totals, truth, scale=scale, threshold=threshold)
    for row in range(2):
        alone = expected_error(totals[row], truth, scale=scale[row, 0], threshold=threshold[row, 0])
        np.testing.assert_allclose(both[row], alone, rtol=1e-14)


# --- objective and private choice -------------------------------------------------------------------


def literal_objective(counts, bound, threshold, weight):
    lost = second = 0.0
    for user in counts:
        lost += max(int(user.sum()) - bound, 0)
    for item in range(counts.shape[1]):
        mean = sum(bound * user[item] / max(bound, user.sum()) for user in counts)
        second += min(mean, threshold)
    return 2 * lost + weight * second


def test_the_constants_of_the_bounds_between_whole_multiples_of_the_scale():
    """Below 2 t + b = 4 the second part of chi is the larger; beyond it is the first."""
    c, chi = error_constants([0.5, 3.0], [1.25, 7.5])
    assert c == pytest.approx([(1 + np.log(2)) / 5, (1 + np.log(2)) / 5])
    assert chi == pytest.approx([np.exp(-2.75), np.exp(-6.5 / 3) * 8.5 / 2])


@pytest.mark.parametrize("scale", [0.5, 3.0, 40.0])
@pytest.mark.parametrize("ratio", [1.0, 2.0, 9.0])
def test_the_error_lies_between_its_two_bounds_and_touches_the_lower_one(scale, ratio):
    threshold = scale * ratio
    c, chi = error_constants(scale, threshold)
    totals, lost = map(np.ravel, np.meshgrid(np.arange(1, 300), np.arange(200)))
    options = {"scale": scale, "threshold": threshold, "printed": True}
    error, least = expected_error(totals, totals + lost, **options), np.minimum(totals, threshold)
    assert np.all(error <= (lost + (1 + chi) * least) * (1 + 1e-12))
    assert np.all(error >= (lost / 2 + c * least) * (1 - 1e-12))
    if scale >= 3:  # the upper bound is attained, or nearly
        unprinted = expected_error(totals, totals + lost, scale=scale, threshold=threshold)
        assert np.max((unprinted - lost) / least) >= 1 + chi - 1e-3
    far, missing = 1e6 * scale, scale * np.log(2)  # the lower bound is attained, for real numbers
    if ratio >= 1 + np.log(2):
        attained = expected_error([far], [far + missing], **options)[0]
        assert attained == pytest.approx(missing / 2 + c * threshold, rel=1e-9)


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0, 2.0])
def test_objective_is_the_literal_sum(neighbours, weight):
    counts, bounds = some_counts(25, 6) * np.arange(1, 7) ** 2, [7, 1, 40, 3]
    options = {"epsilon": 1.0, "delta": 1e-3, "neighbours": neighbours}
    expected = [
        literal_objective(counts, bound, threshold, weight)
        for bound, threshold in zip(bounds, release_scales(bounds, **options)[1], strict=True)
    ]
    got = objective(counts, bounds, weight=weight, **options)
    np.testing.assert_allclose(got, expected, rtol=1e-12)
    np.testing.assert_allclose(objective(sparse.csr_array(counts), bounds, weight=weight, **options), got)
    size = counts.sum(axis=1)
    means = [(bound * counts / np.maximum(size, bound)[:, None]).sum(axis=0) for bound in bounds]
    from_totals = objective_from_totals(size, means, bounds, weight=weight, **options)
    np.testing.assert_allclose(from_totals, expected, rtol=1e-12)


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.5, 1.0, 2.0]), st.sampled_from(RELATIONS))
def test_one_user_moves_the_objective_by_at_most_its_sensitivity(seed, weight, neighbours):
    rng, largest = np.random.default_rng(seed), 12
    bounds = rng.choice(np.arange(1, largest + 1), 3, replace=False)
    options = {"epsilon": 1.0, "delta": 1e-2, "neighbours": neighbours, "weight": weight}
    others = rng.poisson(rng.gamma(0.5, 4.0, (3, 3)))
    first, second = (rng.multinomial(rng.integers(0, largest + 1), rng.dirichlet([0.5] * 3)) for _ in "ab")
    data = [np.vstack([others, user]) for user in (first, second, np.zeros(3, int))]
    values = np.array([objective(counts, bounds, **options) for counts in data])
    limit = objective_sensitivity(bounds, largest=largest, weight=weight) + 1e-9
    assert np.ptp(values, axis=0).max() <= limit


@pytest.mark.parametrize("weight", [0.5, 1.0])
def test_that_sensitivity_is_attained(weight):
    bounds, largest = [4, 2, 9], 10
    options = {"epsilon": 1.0, "delta": 1e-2, "weight": weight}
    change = objective([[largest]], bounds, **options) - objective([[0]], bounds, **options)
    assert change.max() == pytest.approx(objective_sensitivity(bounds, largest=largest, weight=weight))
    # the paper's two constants are valid and larger
    assert objective_sensitivity(bounds, largest=largest, weight=1.0) < 2.5 * largest


@settings(max_examples=200)
@given(st.integers(0, 2**32 - 1), st.sampled_from(RELATIONS), st.sampled_from([0.0, 0.5, 1.0, 2.0]))
def test_one_user_of_any_size_changes_differences_of_the_objective_by_at_most_the_range(
    seed, relation, weight
):
    rng = np.random.default_rng(seed)
    others = rng.integers(0, rng.choice([2, 8, 40]), (rng.integers(1, 9), 2))
    users = rng.integers(0, 60, (2, 2)) * rng.integers(0, 2, (2, 2))
    one = np.vstack([others, users[:1]])
    other = np.vstack([others, users[1:]]) if relation == "replace" else others
    bounds = [2, 5, 20]
    options = {"epsilon": 2.0, "delta": 1e-3, "neighbours": relation, "weight": weight}
    change = objective(one, bounds, **options) - objective(other, bounds, **options)
    largest = objective_range(bounds, neighbours=relation, weight=weight)
    assert np.ptp(change) <= largest + 1e-9


@pytest.mark.parametrize("bounds", [[2, 5, 5], [5, 2], [5, 2, 2, 5]])
def test_the_range_of_the_objective_takes_each_bound_once(bounds):
    """Under add/remove adjacency it depends on the second largest bound."""
    options = {"neighbours": "add-remove", "weight": 2.0}
    assert objective_range(bounds, **options) == objective_range([2, 5], **options) == 6.0
    many = [9, 10], [8, 9, 12], [7]
    assert [objective_range(each, **options) for each in many] == [18.0, 18.0, 0.0]


def choice_law(counts, waste=1.0, **options):
    """Law of `private_bound` on a table, from what it asks of the generator."""
    rng = Silent()
    options["epsilon"] *= waste
    private_bound(np.array(counts), rng=rng, **options)
    return rng.laws[0]


@pytest.mark.parametrize("sensitivity", [None, 10.0])
@pytest.mark.parametrize("neighbours", RELATIONS)
def test_the_choice_loses_at_most_its_budget_over_all_neighbours(neighbours, sensitivity):
    # up to 6 records, more than the largest candidate: no bound on them is needed
    options = {
        "bounds": [1, 2, 4],
        "release_epsilon": 1.0,
        "release_delta": 0.05,
        "epsilon": 0.8,
        "neighbours": neighbours,
        "sensitivity": sensitivity,
    }
    rows = [row for row in itertools.product(range(7), repeat=2) if sum(row) <= 6]

    def loss(waste):
        laws = [
            [choice_law([other, row], waste, **options) for row in rows] for other in [(0, 0), (1, 3), (6, 0)]
        ]
        return max(exact_loss(np.array(law)) for law in laws)

    assert 0 < loss(1) <= 0.8 + 1e-12
    # one user moves all scores of this small table together, so that something is left over; not all of it
    assert loss(16) > 0.8


@pytest.mark.parametrize("neighbours", RELATIONS)
def test_the_choice_weighs_the_literal_objective(neighbours):
    counts, bounds, known = some_counts(30, 3), [1, 3, 6, 10], {"neighbours": neighbours}
    thresholds = release_scales(bounds, epsilon=1.0, delta=0.01, **known)[1]
    pairs = zip(bounds, thresholds, strict=True)
    loss = np.array([literal_objective(counts, bound, threshold, 0.5) for bound, threshold in pairs])
    weights = np.exp(-0.3 * (loss - loss.min()) / objective_range(bounds, weight=0.5, **known))
    known |= {"bounds": bounds, "release_epsilon": 1.0, "release_delta": 0.01, "epsilon": 0.3, "weight": 0.5}
    np.testing.assert_allclose(choice_law(counts, **known), weights / weights.sum(), rtol=1e-9)


def test_a_bad_pair_spends_the_whole_budget():
    low, top = 10, 40
    options = {"epsilon": 2.0, "delta": 1e-4}
    # item 1 is above the threshold everywhere; item 2 reaches it for the smallest candidate only
    first, last = release_scales([low, top], **options)[1]
    full = int(np.ceil(first / low))
    assert full * low + low <= last
    others = [[top, 0]] * 200 + [[0, low]] * full
    options = {"release_epsilon": 2.0, "release_delta": 1e-4, "bounds": [low, 20, top], "epsilon": 0.9}
    laws = [choice_law([*others, row], **options) for row in ([10**6, 0], [0, low])]
    assert exact_loss(np.array(laws)) == pytest.approx(0.9, rel=1e-6)


@pytest.mark.statistical
def test_the_choice_has_that_law():
    counts = some_counts(30, 3)
    options = {
        "bounds": [1, 3, 6, 10],
        "release_epsilon": 1.0,
        "release_delta": 0.01,
        "epsilon": 1.0,
    }
    law = choice_law(counts, **options)
    rng = np.random.default_rng(10)
    draws = [private_bound(counts, rng=rng, **options) for _ in range(1500)]
    observed = np.array([sum(draw.value == b for draw in draws) for b in options["bounds"]])
    often = 1500 * law >= 5
    if not often.all():
        observed, law = (
            np.append(observed[often], observed[~often].sum()),
            np.append(law[often], law[~often].sum()),
        )
    assert stats.chisquare(observed, 1500 * law).pvalue > FALSE_ALARM
    assert stats.chisquare(observed, np.full(observed.size, 1500 / observed.size)).pvalue < FALSE_ALARM
    g = draws[0].guarantee
    assert (g.epsilon, g.delta, g.trust, g.neighbours) == (1.0, 0.0, "central", "replace")


def test_a_user_beyond_the_largest_candidate_counts_like_one_at_it():
    options = {"bounds": [1, 2, 4], "release_epsilon": 1.0, "release_delta": 0.05, "epsilon": 0.8}
    at, beyond = (choice_law([[m, 0], [1, 1]], **options) for m in (4, 10**6))
    np.testing.assert_allclose(at, beyond, rtol=1e-12)


# --- totality and errors ----------------------------------------------------------------------------
