"""Bounded-domain histograms: privacy of the release, clipping, exact losses, thresholds."""

import itertools
import math

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse, stats
from scipy.integrate import quad

from laws import has_mean, same_law
from userdp.central.bounds import surrogate_curve
from userdp.central.histogram import (
    bounded_histogram,
    clip,
    clipped_totals,
    histogram_noise,
    noise_mass,
    norms,
    sensitivity,
    unit_scale,
)
from userdp.privacy.noise import classical_sigma, gaussian_delta, gaussian_sigma
from userdp_papers.theory.audit.exact import laplace_loss
from userdp_papers.theory.exact.histograms import expected_loss, exponential_law, two_approximate_bound

RELATIONS = ("replace", "add-remove")
SLACKS = (0.0, 1e-6)
NORM = {0.0: 1, 1e-6: 2}
# the most that a histogram may hold in the lists of all neighbours; three times the bound below
LARGEST, BOUND = 6, 2.0
WILD = st.floats() | st.integers(-5, 5).map(float)


def some_counts(n, d, seed=1):
    return np.random.default_rng(seed).poisson(2.0, (n, d)) * (np.arange(n)[:, None] % 4 > 0)


def all_rows(d):
    """Every histogram of one user with at most LARGEST records, the empty one first."""
    return np.array([row for row in itertools.product(range(LARGEST + 1), repeat=d) if sum(row) <= LARGEST])


def all_changes(d, norm, neighbours):
    """Changes of the clipped total over all neighbours: the other users cancel."""
    rows = clip(all_rows(d), BOUND, norm=norm)
    others = rows if neighbours == "replace" else rows[:1]
    return (rows[:, None] - others[None]).reshape(-1, d)


# --- privacy of the release -------------------------------------------------------------------------


@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.5])
def test_the_loss_of_a_laplace_release_over_all_neighbours_is_its_guarantee(d, epsilon, neighbours, printed):
    options = {"epsilon": epsilon, "neighbours": neighbours, "printed": printed}
    result = bounded_histogram(np.ones((4, d)), bound=BOUND, rng=np.random.default_rng(1), **options)
    changes = all_changes(d, 1, neighbours)
    loss = max(sum(laplace_loss([0.0, x], result.scale) for x in change) for change in changes)
    assert loss == pytest.approx(result.guarantee.epsilon, rel=1e-12)
    overspends = printed and neighbours == "replace" and d > 1
    assert result.guarantee.epsilon == pytest.approx(epsilon * (2 if overspends else 1), rel=1e-12)
    assert (result.guarantee.delta, result.guarantee.trust) == (0.0, "central")
    assert result.guarantee.neighbours == neighbours


@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.3, 1e-6), (1.0, 1e-3), (2.5, 1e-6)])
def test_delta_of_a_gaussian_release_over_all_neighbours_is_its_guarantee(
    d, epsilon, delta, neighbours, printed
):
    options = {"epsilon": epsilon, "delta": delta, "neighbours": neighbours, "printed": printed}
    result = bounded_histogram(np.ones((4, d)), bound=BOUND, rng=np.random.default_rng(1), **options)
    farthest = max(np.linalg.norm(all_changes(d, 2, neighbours), axis=1))
    exact = gaussian_delta(result.scale, epsilon=epsilon, sensitivity=farthest)
    assert exact == pytest.approx(result.guarantee.delta, rel=1e-9)
    assert result.guarantee.epsilon == epsilon
    if not printed:
        assert result.guarantee.delta == delta
    elif epsilon > 1:
        # exact noise has nothing to spare, so that the wrong sensitivity always shows
        assert (exact > 1.5 * delta) == (neighbours == "replace" and d > 1)


@pytest.mark.parametrize("epsilon", [0.3, 0.7, 1.0, 1.1, 1.9])
def test_the_classical_scale_is_used_as_far_as_its_lemma_goes(epsilon):
    formula = classical_sigma if epsilon <= 1 else gaussian_sigma
    noise = histogram_noise(4, bound=3, epsilon=epsilon, delta=1e-6, printed=True)
    assert noise.scale == pytest.approx(3 * formula(epsilon=epsilon, delta=1e-6), rel=1e-12)


@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize("neighbours", RELATIONS)
def test_curves_agree_with_the_public_accountant(neighbours, printed):
    """The worst pair for two or more items: all of one item against nothing, or against all of another."""
    scale = unit_scale(5, epsilon=1.0, neighbours=neighbours, printed=printed)
    guarantee = histogram_noise(5, epsilon=1.0, neighbours=neighbours, printed=printed).guarantee
    law = privacy_loss_distribution.from_laplace_mechanism(scale, value_discretization_interval=1e-3)
    law = law.compose(law) if neighbours == "replace" else law
    assert law.get_delta_for_epsilon(guarantee.epsilon + 1e-2) == pytest.approx(0, abs=1e-9)
    assert law.get_delta_for_epsilon(0.9 * guarantee.epsilon) > 1e-4
    if printed and neighbours == "replace":
        u = 0.5
        assert law.get_delta_for_epsilon(1.0) == pytest.approx(1 - (1 + u / 2) * np.exp(-u), abs=1e-3)
    options = {"epsilon": 1.0, "delta": 1e-3, "neighbours": neighbours, "printed": printed}
    law = privacy_loss_distribution.from_gaussian_mechanism(
        unit_scale(5, **options), value_discretization_interval=1e-3
    )
    law = law.compose(law) if neighbours == "replace" else law
    assert law.get_delta_for_epsilon(1.0) == pytest.approx(histogram_noise(5, **options).delta, rel=0.01)


def surrogate(counts, bounds, **options):
    """The curve G, uncut."""
    return surrogate_curve(counts, **options).values(bounds)


@st.composite
def neighbouring(draw):
    """Two datasets that differ in one user, and how."""
    n, d = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    row = st.lists(st.integers(0, 9), min_size=d, max_size=d)
    first = draw(st.lists(row, min_size=n, max_size=n))
    relation = draw(st.sampled_from(RELATIONS))
    user = draw(st.integers(0, n - 1))
    second = first[:user] + ([draw(row)] if relation == "replace" else []) + first[user + 1 :]
    return np.array(first), np.array(second).reshape(-1, d), relation


@given(neighbouring(), st.floats(0, 20), st.sampled_from((1, 2)))
def test_one_user_moves_the_clipped_total_by_at_most_the_sensitivity(pair, bound, norm):
    first, second, relation = pair
    change = clipped_totals(first, [bound], norm=norm) - clipped_totals(second, [bound], norm=norm)
    limit = bound * sensitivity(norm, relation, first.shape[1])
    assert np.linalg.norm(change[0], norm) <= limit * (1 + 1e-12) + 1e-9


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_sensitivity_is_attained(norm, neighbours, d):
    largest = np.linalg.norm(all_changes(d, norm, neighbours), norm, axis=1).max()
    assert largest == pytest.approx(BOUND * sensitivity(norm, neighbours, d), rel=1e-12)


@pytest.mark.parametrize("delta", SLACKS)
def test_the_release_has_the_law_it_claims(delta):
    counts, runs = some_counts(6, 3), 4000
    rng = np.random.default_rng(3)
    options = {"bound": 2.5, "epsilon": 0.7, "delta": delta}
    values = np.array([bounded_histogram(counts, rng=rng, **options).value for _ in range(runs)])
    scale = 2.5 * unit_scale(3, epsilon=0.7, delta=delta)
    law = stats.laplace if delta == 0 else stats.norm
    noise = law.rvs(scale=scale, size=(runs, 3), random_state=rng)
    centre = clip(counts, 2.5, norm=NORM[delta]).sum(axis=0)
    assert same_law(values, centre + noise)
    # control: the noise of the other relation
    assert not same_law(values, centre + noise / sensitivity(NORM[delta], "replace", 3))
    assert abs(np.corrcoef(values.T)[0, 1]) < 4.9 / np.sqrt(runs)


# --- clipping ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("bound", [0.0, 0.5, 3.0, 1e9])
def test_clip_is_its_formula_user_by_user(norm, bound):
    counts = some_counts(9, 4)
    for row, kept in zip(counts, clip(counts, bound, norm=norm), strict=True):
        size = np.linalg.norm(row, norm)
        np.testing.assert_allclose(kept, row * bound / max(bound, size) if size else 0 * row, rtol=1e-13)
    total = clip(counts, bound, norm=norm).sum(axis=0)
    np.testing.assert_allclose(clipped_totals(counts, [bound, 1.0], norm=norm)[0], total, rtol=1e-12)


@given(st.integers(0, 10), st.integers(1, 5), st.floats(0, 30), st.sampled_from((1, 2)))
def test_clipping_bounds_the_norm_and_leaves_the_rest_alone(n, d, bound, norm):
    counts = some_counts(n, d, seed=n + 7 * d)
    kept = clip(counts, bound, norm=norm)
    # `math.hypot` scales: squares of numbers below 1e-150 would lose their digits.
    sizes = [math.hypot(*row) if norm == 2 else math.fsum(row) for row in kept.tolist()]
    assert np.all(np.array(sizes) <= bound * (1 + 1e-12) + 1e-300)
    inside = norms(counts, norm) <= bound
    np.testing.assert_array_equal(kept[inside], counts[inside])


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.coo_array, sparse.csc_array, sparse.csr_matrix])
@pytest.mark.parametrize("delta", SLACKS)
def test_sparse_and_dense_agree(form, delta):
    counts, bounds = some_counts(20, 5), [0.0, 1.5, 4.0, 50.0]
    thin, norm = form(counts), NORM[delta]
    options = {"epsilon": 0.4, "delta": delta}
    np.testing.assert_allclose(norms(thin, norm), norms(counts, norm))
    np.testing.assert_allclose(clip(thin, 1.5, norm=norm).toarray(), clip(counts, 1.5, norm=norm))
    pairs = [
        (
            clipped_totals(x, bounds, norm=norm),
            expected_loss(x, bounds, **options),
            surrogate(x, bounds, **options),
        )
        for x in (thin, counts)
    ]
    for one, other in zip(*pairs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    assert two_approximate_bound(thin, **options) == pytest.approx(two_approximate_bound(counts, **options))
    first, second = (
        bounded_histogram(x, bound=2, rng=np.random.default_rng(1), **options) for x in (thin, counts)
    )
    np.testing.assert_allclose(first.value, second.value, rtol=1e-12)


# --- exact losses -----------------------------------------------------------------------------------


def brute_loss(counts, bound, *, delta, scale):
    """Expected l1 error by numerical integration, item by item."""
    law = stats.laplace if delta == 0 else stats.norm
    left = clip(counts, bound, norm=NORM[delta]).sum(axis=0) - counts.sum(axis=0)
    return sum(
        quad(lambda z, b=b: abs(b + scale * z) * law.pdf(z), -40, 40, points=[-b / scale, 0], limit=400)[0]
        for b in left
    )


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("delta", SLACKS)
@pytest.mark.parametrize("bound", [0.7, 3.0, 8.0])
def test_expected_loss_is_the_integral(bound, delta, neighbours):
    counts = some_counts(30, 3)
    options = {"epsilon": 0.8, "delta": delta, "neighbours": neighbours}
    found = expected_loss(counts, [bound], **options)[0]
    scale = bound * unit_scale(3, **options)
    assert found == pytest.approx(brute_loss(counts, bound, delta=delta, scale=scale), rel=1e-7)


@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize("delta", SLACKS)
def test_expected_loss_is_the_mean_over_releases(delta, printed):
    counts, rng = some_counts(40, 4), np.random.default_rng(5)
    options = {"epsilon": 1.0, "delta": delta, "printed": printed}
    errors = [
        np.abs(bounded_histogram(counts, bound=9.0, rng=rng, **options).value - counts.sum(axis=0)).sum()
        for _ in range(4000)
    ]
    assert has_mean(errors, expected_loss(counts, [9.0], **options)[0])
    # control: the loss of the other noise
    options["printed"] = not printed
    assert not has_mean(errors, expected_loss(counts, [9.0], **options)[0])


@given(st.integers(1, 12), st.integers(1, 5), st.floats(0.05, 3), st.sampled_from(SLACKS))
def test_the_surrogate_is_above_the_loss_and_below_the_sharp_multiple_of_it(n, d, epsilon, delta):
    counts = some_counts(n, d, seed=n)
    bounds = np.linspace(0, 25, 60)
    options = {"epsilon": epsilon, "delta": delta}
    loss, upper = expected_loss(counts, bounds, **options), surrogate(counts, bounds, **options)
    factor = 1.46595 if delta == 0 else 1.54268
    assert np.all(loss <= upper * (1 + 1e-12)) and np.all(upper <= factor * loss + 1e-9)
    assert np.all(np.diff(upper, 2) >= -1e-9 * (1 + upper.max()))


# --- thresholds -------------------------------------------------------------------------------------


@given(
    st.integers(0, 30),
    st.integers(1, 4),
    st.floats(0.05, 3),
    st.sampled_from(SLACKS),
    st.sampled_from(RELATIONS),
)
def test_the_threshold_minimises_the_surrogate(n, d, epsilon, delta, neighbours):
    counts = some_counts(n, d, seed=n)
    options = {"epsilon": epsilon, "delta": delta, "neighbours": neighbours}
    chosen = two_approximate_bound(counts, **options)
    # the surrogate is linear between the norms
    candidates = np.append(norms(counts, NORM[delta]), 0.0)
    best = surrogate(counts, candidates, **options).min()
    assert surrogate(counts, [chosen], **options)[0] <= best * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize(("neighbours", "rank"), [("add-remove", 8), ("replace", 15)])
def test_the_laplace_threshold_is_the_printed_order_statistic(neighbours, rank):
    counts = some_counts(50, 3)
    found = two_approximate_bound(counts, epsilon=0.4, neighbours=neighbours)
    # ceil(d / epsilon) = ceil(7.5), and with twice the noise ceil(15)
    assert rank == np.ceil(noise_mass(3, epsilon=0.4, neighbours=neighbours) - 1e-9)
    assert found == np.sort(counts.sum(axis=1))[-rank]


@pytest.mark.parametrize("delta", SLACKS)
def test_the_threshold_is_within_the_sharp_factor_and_the_factor_is_attained(delta):
    """Users with as many copies of one item each, as many of them as the noise weighs."""
    d, users = 2, 10
    if delta == 0:
        options = {"epsilon": 0.2, "neighbours": "add-remove"}
    else:
        options = {"epsilon": 1.0, "neighbours": "add-remove", "delta": equal_weight_delta(users // d)}
    counts = 60 * np.eye(d)[np.arange(users) % d]
    chosen = two_approximate_bound(counts, **options)
    bounds = np.linspace(0.5, 60, 2381)
    ratio = expected_loss(counts, [chosen], **options)[0] / expected_loss(counts, bounds, **options).min()
    assert ratio == pytest.approx(1.46594 if delta == 0 else 1.54267, abs=1e-4)


def equal_weight_delta(users):
    """The delta at epsilon = 1 whose Gaussian noise weighs as much as so many users of one item."""
    return gaussian_delta(users * np.sqrt(np.pi / 2), epsilon=1.0)


def test_that_delta_is_right():
    assert gaussian_sigma(epsilon=1.0, delta=equal_weight_delta(5)) == pytest.approx(5 * np.sqrt(np.pi / 2))


def test_too_few_users_get_no_contribution():
    assert two_approximate_bound(np.full((3, 2), 9), epsilon=0.1) == 0


# --- totality, edges, errors ------------------------------------------------------------------------


@given(st.lists(st.lists(WILD, min_size=2, max_size=2), min_size=1, max_size=6), st.sampled_from(SLACKS))
def test_wild_counts_never_raise(rows, delta):
    options = {"epsilon": 1.0, "delta": delta}
    for counts in (np.array(rows), sparse.csr_array(np.array(rows))):
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            result = bounded_histogram(counts, bound=3.0, rng=np.random.default_rng(1), **options)
            assert np.all(np.isfinite(result.value))
            kept = clip(counts, 3.0, norm=NORM[delta])
            assert np.all(norms(kept, NORM[delta]) <= 3.0 * (1 + 1e-12))
            assert np.isfinite(two_approximate_bound(counts, **options))


@pytest.mark.parametrize("value", [np.nan, -4.0, -np.inf])
def test_what_is_not_a_count_counts_for_nothing(value):
    counts = np.array([[1.0, value], [value, 3.0]])
    np.testing.assert_array_equal(clipped_totals(counts, [10.0], norm=1), [[1.0, 3.0]])


@pytest.mark.parametrize("delta", SLACKS)
def test_bound_zero_releases_nothing_of_the_data(delta):
    counts = some_counts(5, 2)
    result = bounded_histogram(counts, bound=0, epsilon=1, delta=delta, rng=np.random.default_rng(1))
    np.testing.assert_array_equal(result.value, [0, 0])
    assert expected_loss(counts, [0.0], epsilon=1, delta=delta)[0] == counts.sum()
    assert surrogate(counts, [0.0], epsilon=1, delta=delta)[0] == counts.sum()


@pytest.mark.parametrize("delta", SLACKS)
@pytest.mark.parametrize("counts", [np.zeros((0, 2)), np.zeros((3, 2)), np.array([[4.0, 0.0]])])
def test_no_users_empty_users_and_one_user(counts, delta):
    options = {"epsilon": 1.0, "delta": delta}
    assert bounded_histogram(counts, bound=2, rng=np.random.default_rng(1), **options).value.shape == (2,)
    loss = expected_loss(counts, [0.0, 1.0], **options)
    assert loss[0] == counts.sum() and loss[1] > 0
    assert two_approximate_bound(counts, **options) == 0


def test_the_result_says_what_was_added():
    result = bounded_histogram(np.ones((3, 2)), bound=4, epsilon=0.5, rng=np.random.default_rng(1))
    assert (result.bound, result.scale, result.threshold) == (4.0, 16.0, None)


def test_the_exponential_law_gains_half_the_budget_a_unit_of_sensitivity():
    law = exponential_law([0.0, 2.0], sensitivity=2.0, epsilon=3.0)
    assert np.log(law[1] / law[0]) == pytest.approx(1.5, rel=1e-12)
    with pytest.raises(ValueError, match="sensitivity must be positive, got -1.5"):
        exponential_law([0.0, 2.0], sensitivity=-1.5, epsilon=3.0)
