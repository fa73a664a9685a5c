import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laws import has_mean, same_law
from userdp.local.localise import Bins
from userdp.local.mixture import (
    chosen_bins,
    component_means,
    containing_bin,
    mixture_half_width,
    mixture_means,
    nearest_midpoint,
)
from userdp.privacy.reports import EveryReport, HashedReport, UnaryEncoding, tally
from userdp.privacy.results import MixtureEstimate
from userdp_papers.populations.records import SignMixture
from userdp_papers.theory.audit.exact import bits_loss, laplace_loss

EPSILONS = [0.1, 1.0, 2.0, 4.0]
QUARTERS = SignMixture((-0.75, -0.25, 0.25, 0.75), (0.25,) * 4)
UNEQUAL = SignMixture((-0.5, 0.5), (0.3, 0.7))


def estimates(population, *, n, seed, runs, size=100, epsilon=2.0, half_width=0.05, **options):
    rng, k = np.random.default_rng(seed), len(population.thetas)
    options = {"components": k, "epsilon": epsilon, "half_width": half_width} | options
    return [
        mixture_means(population.draw_means(size, n, rng), size=size, rng=rng, **options) for _ in range(runs)
    ]


# --- privacy ---------------------------------------------------------------------------------------


def possible_means(bins):
    """A mean inside each bin and on each edge."""
    lower = np.array([bins.ends(j)[0] for j in range(bins.count)])
    return np.minimum(np.concatenate([lower, lower + bins.half_width / 2, [1.0]]), 1.0)


@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("k", [1, 2, 4])
def test_loss_of_a_whole_transcript_is_the_guarantee(k, epsilon, printed):
    """Each user takes part in one third; the channels' losses are computed over every input."""
    rng, width = np.random.default_rng(1), 0.06
    result = mixture_means(
        rng.uniform(-1, 1, 50),
        size=9,
        components=k,
        epsilon=epsilon,
        rng=rng,
        half_width=width,
        printed=printed,
    )
    bins, keep = Bins(width), 1 / (1 + np.exp(-epsilon / 2))
    means = possible_means(bins)
    first = bits_loss(np.eye(bins.count)[bins.index(means)], keep)
    chosen = bins.index(result.midpoints)
    own = containing_bin(means, bins, chosen) if printed else nearest_midpoint(means, result.midpoints)
    vectors = np.where(own[:, None] == np.arange(k), 1, 0)
    second = bits_loss(vectors, keep)
    distances = means - result.midpoints[nearest_midpoint(means, result.midpoints)]
    hashed = np.concatenate([sign * np.clip(distances, -3 * width, 3 * width) for sign in (-1, 1)])
    third = laplace_loss(hashed, 6 * width / epsilon)
    assert first == pytest.approx(epsilon, rel=1e-12)
    # one component: the nearest midpoint is no news, and being in its one bin or not is one bit
    assert second == pytest.approx(epsilon if k > 1 else printed * epsilon / 2, rel=1e-12)
    assert third == pytest.approx(epsilon, rel=1e-12)
    assert result.guarantee.epsilon == pytest.approx(max(first, second, third), rel=1e-12)
    assert UnaryEncoding(k, 1, epsilon).keep == pytest.approx(keep, rel=1e-12)
    assert HashedReport(k, 3 * width, epsilon).scale == pytest.approx(6 * width / epsilon, rel=1e-12)


def test_wide_intervals_of_neighbours_would_cost_more():
    """Control: votes for every widened interval, as the paper's proof reads them, are not one-hot."""
    width, epsilon = 0.06, 1.0
    bins = Bins(width)
    centres = bins.centre(np.array([4, 6]))
    vectors = np.abs(possible_means(bins)[:, None] - centres) <= 3 * width
    loss = bits_loss(np.vstack([vectors, np.zeros(2)]), 1 / (1 + np.exp(-epsilon / 2)))
    assert vectors.sum(axis=1).max() == 2
    assert loss == pytest.approx(epsilon, rel=1e-12)  # two components: (1, 1) against (0, 0)
    centres = bins.centre(np.array([2, 4, 10, 12]))
    vectors = np.abs(possible_means(bins)[:, None] - centres) <= 3 * width
    assert bits_loss(vectors, 1 / (1 + np.exp(-epsilon / 2))) == pytest.approx(2 * epsilon, rel=1e-12)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_loss_of_a_hashed_report(epsilon):
    report = HashedReport(3, 0.2, epsilon)
    assert report.privacy_loss() == pytest.approx(epsilon, rel=1e-12)
    assert report.guarantee.epsilon == epsilon


@pytest.mark.parametrize("extra", [0, 1, 2])
def test_users_beyond_a_multiple_of_three_are_left_out(extra):
    def run(means):
        return mixture_means(
            means, size=9, components=2, epsilon=1.0, rng=np.random.default_rng(3), half_width=0.2
        )

    means = np.random.default_rng(4).uniform(-1, 1, 30 + extra)
    replaced = means.copy()
    replaced[30:] = 1.0
    assert np.array_equal(run(means).value, run(replaced).value)


# --- the laws of the shortcuts ---------------------------------------------------------------------


def hashed_totals(k, n, seed, how=lambda randomiser: randomiser, runs=4000):
    """Sums of few users, and the products and differences that show how the k sums hang together."""
    rng = np.random.default_rng(seed)
    inputs = (np.linspace(-0.25, 0.3, n), np.arange(n) % k)
    sums = np.array([how(HashedReport(k, 0.2, 1.5)).sample_total(inputs, rng) for _ in range(runs)])
    pairs = [
        (sums[:, i] + sums[:, j], sums[:, i] * sums[:, j]) for i, j in itertools.combinations(range(k), 2)
    ]
    return np.column_stack([sums, sums**2, *itertools.chain(*pairs)])


@pytest.mark.parametrize(("k", "n"), [(1, 3), (2, 2), (2, 3), (3, 4), (3, 9), (4, 8)])
def test_sums_of_hashed_reports_have_their_joint_law(k, n):
    fast, slow = hashed_totals(k, n, 5), hashed_totals(k, n, 6, EveryReport)
    assert same_law(fast, slow)


@pytest.mark.parametrize(("k", "n"), [(2, 2), (2, 3)])
def test_sums_drawn_apart_would_have_another_joint_law(k, n):
    """Control: the right margins, but independent."""
    rng, fast = np.random.default_rng(7), hashed_totals(k, n, 5)
    apart = np.column_stack([rng.permutation(column) for column in fast[:, :k].T])
    joint, wrong = (np.column_stack([x[:, 0] + x[:, 1], x[:, 0] * x[:, 1]]) for x in (fast, apart))
    assert same_law(fast[:, :k], apart) and not same_law(joint, wrong)


def test_many_replicates_at_once_are_as_good_as_one_by_one():
    rng, numbers, components = np.random.default_rng(17), np.array([-0.25, 0.3]), np.array([0, 1])
    inputs = (np.tile(numbers, (4000, 1)), np.tile(components, (4000, 1)))
    report, one = HashedReport(2, 0.2, 1.5), hashed_totals(2, 2, 18)
    sums = report.sample_total(inputs, rng)
    product = sums[:, 0] * sums[:, 1]
    assert same_law(sums, one[:, :2]) and same_law(product, one[:, 5])
    assert not same_law(np.roll(sums[:, 0], 1) * sums[:, 1], one[:, 5])  # runs mixed up
    few = report.sample_total((inputs[0][:, :1], inputs[1][:, :1]), rng)  # fewer users than patterns
    assert few.shape == (4000, 2)
    votes, means = rng.integers(0, 9, (5, 20)), rng.uniform(-1, 1, (5, 30))
    chosen, bins = chosen_bins(votes, 3), Bins(0.05)
    for r in range(5):
        assert np.array_equal(chosen[r], chosen_bins(votes[r], 3))
        midpoints = bins.centre(chosen)
        assert np.array_equal(nearest_midpoint(means, midpoints)[r], nearest_midpoint(means[r], midpoints[r]))
        assert np.array_equal(
            containing_bin(means, bins, chosen)[r], containing_bin(means[r], bins, chosen[r])
        )
        own = containing_bin(means, bins, chosen)
        assert np.array_equal(tally(own, 3)[r], [(own[r] == j).sum() for j in range(3)])
        assert np.allclose(tally(own, 3, means)[r], [means[r, own[r] == j].sum() for j in range(3)])


def test_hashed_reports_are_unbiased_for_every_component():
    rng, report = np.random.default_rng(8), HashedReport(3, 0.5, 2.0)
    numbers, components = np.array([0.1, 0.2, -0.4, 0.9]), np.array([0, 0, 1, 1])
    sums = np.array([report.sample_total((numbers, components), rng) for _ in range(20_000)])
    for column, expected in zip(sums.T, (0.3, -0.4 + 0.5, 0.0), strict=True):
        assert has_mean(column, expected) and not has_mean(column, expected + 0.1)


@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize("population", [QUARTERS, UNEQUAL])
def test_estimates_have_the_law_of_drawing_every_report(population, printed):
    def draw(seed, **options):
        results = estimates(population, n=151, seed=seed, runs=500, printed=printed, **options)
        votes = [[r.votes.max(), r.votes.sum()] for r in results]
        return np.hstack([[[*r.value, *r.midpoints, *r.proportions] for r in results], votes])

    fast, slow = draw(9), draw(10, every_report=True)
    assert same_law(fast, slow)
    assert not same_law(fast, draw(11, every_report=True, epsilon=3.0))


@pytest.mark.parametrize("population", [QUARTERS, UNEQUAL, SignMixture((0.3,), (1.0,))])
def test_sign_mixture_has_the_law_of_drawing_every_record(population):
    rng, n, size = np.random.default_rng(12), 20_000, 7
    component = rng.choice(len(population.thetas), p=population.weights, size=n)
    up = (1 + np.array(population.thetas)[component]) / 2
    literal_means = 2 * (rng.random((n, size)) < up[:, None]).mean(axis=1) - 1
    means = population.draw_means(size, n, rng)
    assert same_law(means, literal_means)
    assert not same_law(means, np.clip(literal_means + 2 / size, -1, 1))
    # users are in random order: the first half is as good as the second
    assert same_law(means[: n // 2], means[n // 2 :])


# --- the steps -------------------------------------------------------------------------------------


def greedy(votes, k):
    allowed, chosen = set(range(len(votes))), []
    for _ in range(k):
        best = min(allowed, key=lambda j: (-votes[j], j))
        chosen.append(best)
        allowed -= {best - 1, best, best + 1}
    return sorted(chosen)


@pytest.mark.slow
@settings(max_examples=300)
@given(st.lists(st.integers(-3, 3), min_size=10, max_size=14))
def test_chosen_bins_are_greedy_and_never_adjacent(votes):
    for k in (1, 2, 3, 4):
        chosen = chosen_bins(votes, k)
        assert chosen.tolist() == greedy(votes, k)
        assert np.all(np.diff(chosen) >= 2)


def test_fewer_bins_could_leave_nothing_to_choose():
    """Three bins and two components: the middle bin excludes both others, so 3 k - 2 bins are asked for."""
    with pytest.raises(ValueError, match="components must be at most 1 for 3 bins, got 2"):
        chosen_bins([0, 9, 0], 2)
    assert chosen_bins([0, 9, 0, 1], 2).tolist() == [1, 3]


@settings(max_examples=200)
@given(st.lists(st.floats(-1, 1), min_size=1, max_size=9), st.integers(0, 3))
def test_nearest_and_inside(means, shift):
    bins, chosen = Bins(0.07), np.array([shift, shift + 2, 14])
    means, midpoints = np.array(means), bins.centre(chosen)
    distance = np.abs(means[:, None] - midpoints)
    assert np.allclose(
        distance[np.arange(means.size), nearest_midpoint(means, midpoints)], distance.min(axis=1)
    )
    index = bins.index(means)
    assert [chosen[j] if j >= 0 else -1 for j in containing_bin(means, bins, chosen)] == [
        i if i in chosen else -1 for i in index
    ]
    assert nearest_midpoint(np.array([0.5]), np.array([0.0, 1.0])) == [0]  # a tie goes to the first


def test_small_proportions_are_not_divided_by():
    midpoints, averages = np.array([0.1, 0.2, 0.3]), np.full(3, 0.01)
    value = component_means(midpoints, averages, np.array([0.5, 0.0, -0.1]), floor=0.01)
    assert np.allclose(value, [0.12, 0.2, 0.3])
    assert np.allclose(
        component_means(midpoints, averages, np.array([0.5, 0.01, 1.0]), floor=0.01), [0.12, 1.2, 0.31]
    )


@pytest.mark.parametrize(("few", "kept"), [(496, False), (504, True)])
def test_a_share_below_a_hundredth_of_an_even_one_is_left_at_its_midpoint(few, kept):
    third = np.repeat([-0.52, 0.48], [100_000 - few, few])
    options = {"size": 9, "components": 2, "epsilon": 40.0, "half_width": 0.1}
    result = mixture_means(np.tile(third, 3), rng=np.random.default_rng(5), **options)
    assert result.proportions[1] == pytest.approx(few / 100_000, abs=1e-6)
    assert (result.value[1] != result.midpoints[1]) == kept
    assert result.votes.sum() == pytest.approx(100_000, abs=5)  # one a user


def test_a_mean_far_from_its_midpoint_counts_as_three_half_widths_away():
    means, options = np.repeat([0.05, 0.9], [20_000, 10_000]), {"components": 1, "half_width": 0.05}
    result = mixture_means(means, size=9, epsilon=40.0, rng=np.random.default_rng(6), **options)
    assert result.midpoints == pytest.approx(0.05) and result.value == pytest.approx(0.05 + 0.15, abs=0.002)


# --- estimates -------------------------------------------------------------------------------------


@pytest.mark.parametrize("population", [SignMixture((-0.48, 0.07), (0.5, 0.5)), UNEQUAL])
def test_estimates_are_right_for_unequal_components_and_odd_positions(population):
    """Many records a user, so that nothing but a wrong formula can be off by more than the noise."""
    results = estimates(population, n=15_001, seed=13, runs=300, size=4000, half_width=0.1)
    for j, (theta, weight) in enumerate(zip(population.thetas, population.weights, strict=True)):
        share = np.array([r.proportions[j] for r in results])
        assert has_mean(share, weight) and not has_mean(share + 0.01, weight)
        # the estimate is a ratio; its numerator is unbiased
        midpoint = np.array([r.midpoints[j] for r in results])
        average = share * ([r.value[j] for r in results] - midpoint)
        error = average - weight * (theta - midpoint)
        assert has_mean(error, 0.0) and not has_mean(error, 0.5 * error.std())


def test_with_hardly_any_noise_a_component_is_the_average_of_the_last_third():
    """Divided by as many as report: one fewer among ten would be 0.0014 too much."""
    means = np.random.default_rng(20).uniform(0.465, 0.48, 30)  # in a bin with midpoint 0.46
    options = {"size": 100, "components": 1, "epsilon": 700.0, "half_width": 0.02}
    result = mixture_means(means, rng=np.random.default_rng(21), **options)
    assert result.midpoints == pytest.approx(0.46) and result.proportions == pytest.approx(1.0)
    assert result.value == pytest.approx(means[20:].mean(), abs=4e-4)  # 5 standard deviations


@pytest.mark.slow
def test_means_on_bin_edges_defeat_the_printed_vote_only():
    """Half of a component's users fall below the edge: the printed share is half, the shift too large."""
    width, theta = 0.125, (-0.5, 0.5)  # both edges
    population = SignMixture(theta, (0.5, 0.5))
    errors = {}
    for printed in (False, True):
        results = estimates(
            population, n=60_000, seed=14, runs=100, size=401, half_width=width, epsilon=4.0, printed=printed
        )
        errors[printed] = np.sqrt(np.mean([(r.value - theta) ** 2 for r in results]))
    assert errors[False] < 0.2 * width
    assert errors[True] == pytest.approx(width, rel=0.1)


def test_one_component_and_one_bin():
    rng = np.random.default_rng(15)
    result = mixture_means(np.full(9, 0.3), size=9, components=1, epsilon=1.0, rng=rng, half_width=1.5)
    assert isinstance(result, MixtureEstimate) and result.votes.shape == (1,) and result.value.shape == (1,)


def test_more_sign_patterns_than_users():
    rng = np.random.default_rng(16)
    result = mixture_means(
        rng.uniform(-1, 1, 30), size=9, components=12, epsilon=1.0, rng=rng, half_width=0.02
    )
    assert result.value.shape == (12,) and np.all(np.isfinite(result.value))


def test_width_is_the_printed_one():
    assert mixture_half_width(n=900, size=400, epsilon=0.5) == pytest.approx(
        np.sqrt(4 * np.log(900 * 400 * 0.25) / 400)
    )
    assert mixture_half_width(n=900, size=400, epsilon=0.5, constant=0.25) == pytest.approx(
        mixture_half_width(n=900, size=400, epsilon=0.5) / 8
    )


@pytest.mark.parametrize("size", [1, 9])
def test_the_width_by_default_is_that_of_all_users_and_records(size):
    asked = {"size": size, "components": 1, "epsilon": 6.0}
    width = mixture_half_width(n=999, size=size, epsilon=6.0)
    found, expected = (
        mixture_means(np.zeros(999), rng=np.random.default_rng(2), **asked, **given)
        for given in ({}, {"half_width": width})
    )
    np.testing.assert_array_equal(found.value, expected.value)


def run(rng, means=(0.0,) * 9, size=9, components=2, epsilon=1.0, half_width=0.1, **options):
    return mixture_means(
        means, size=size, components=components, epsilon=epsilon, rng=rng, half_width=half_width, **options
    )


def test_a_user_has_a_record():
    with pytest.raises(ValueError, match="size must be a whole number"):
        QUARTERS.draw_means(0, 9, np.random.default_rng(0))
