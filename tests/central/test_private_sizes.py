"""Private sizes: the bound on the sensitivity holds, changes by one a user, and is tight."""

import numpy as np
import pytest

from fakes import Silent
from userdp.central import private_sizes
from userdp.central.mean import default_variance_users, initial_error, window
from userdp.central.private_sizes import TruncatedMean, _front, _Public, private_size_mean
from userdp.privacy import Guarantee, Release
from userdp.privacy.choice import order_statistic_law
from userdp.privacy.noise import DistanceTest
from userdp_papers.populations.records import BetaUsers
from userdp_papers.theory.exact.sensitivity import _largest_average, sensitivity_within


def statistic(cap=6, alpha=0.02, spread=0.01):
    half = alpha + window(np.arange(1, cap + 1), 12, mean=0.4, variance=spread, beta=0.1)
    return TruncatedMean(0.4, spread, half)


def users(rng, n=12):
    sizes = rng.integers(1, 10, n)
    return rng.integers(0, sizes + 1) / sizes, sizes


def worst_replacement(stat, means, sizes):
    """Largest change that replacing one user makes, over extreme means and all sizes."""
    base, worst = stat.value(means, sizes), 0.0
    for index in range(len(means)):
        for size in range(1, 11):
            for mean in (0.0, 1.0):
                m, k = means.copy(), sizes.copy()
                m[index], k[index] = mean, size
                worst = max(worst, abs(stat.value(m, k) - base))
    return worst


@pytest.mark.parametrize("seed", range(6))
def test_the_bound_covers_the_local_sensitivity_of_the_input_and_of_its_neighbours(seed):
    rng, stat = np.random.default_rng(seed), statistic()
    means, sizes = users(rng)
    assert worst_replacement(stat, means, sizes) <= sensitivity_within(stat, means, sizes, 0) + 1e-12
    for changes in (1, 2, 3):
        bound = sensitivity_within(stat, means, sizes, changes)
        for _ in range(6):
            m, k = means.copy(), sizes.copy()
            gone = rng.choice(12, changes, replace=False)
            m[gone], k[gone] = rng.integers(0, 2, changes), rng.integers(1, 11, changes)
            assert worst_replacement(stat, m, k) <= bound + 1e-12


@pytest.mark.parametrize(("others", "average"), [(0.5, 0.0), (40.0, 0.01), (400.0, -0.02)])
def test_the_sensitivity_is_the_most_that_one_user_moves_the_statistic(others, average):
    """To either end of its window, with any size, beside users with this total weight and mean deviation."""
    stat = statistic()
    moved = [
        (others * average + weight * deviation) / (others + weight)
        for weight, half in zip(stat.size_weights, stat.half_widths, strict=True)
        for deviation in (-half, half)
    ]
    assert stat.sensitivity(others, average) == pytest.approx(max(moved) - min(moved), rel=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_one_user_changes_the_distance_by_at_most_one(seed):
    rng, stat = np.random.default_rng(seed), statistic()
    means, sizes = users(rng, 40)
    bound = sensitivity_within(stat, means, sizes, 5) * rng.uniform(1.0, 1.6)
    distance = stat.distance(means, sizes, bound)
    assert 0 <= distance < 40
    for _ in range(10):
        m, k = means.copy(), sizes.copy()
        index = rng.integers(40)
        m[index], k[index] = rng.integers(0, 2), rng.integers(1, 11)
        assert abs(stat.distance(m, k, bound) - distance) <= 1


def test_the_bound_grows_with_the_changes_and_the_distance_inverts_it():
    rng, stat = np.random.default_rng(3), statistic()
    means, sizes = users(rng, 30)
    bounds = [sensitivity_within(stat, means, sizes, k) for k in range(30)]
    assert np.all(np.diff(bounds[:-1]) >= 0) and bounds[-1] == np.inf
    for k in range(29):
        assert stat.distance(means, sizes, bounds[k] * (1 + 1e-9)) >= k
        assert stat.distance(means, sizes, bounds[k] * (1 - 1e-9)) < k
    assert stat.distance(means, sizes, 0.0) == -1 and stat.distance(means, sizes, 1e9) == 28


def test_the_largest_average_is_that_of_a_search():
    rng, stat = np.random.default_rng(4), statistic(cap=3)
    means, sizes = users(rng, 6)
    weights, deviations = stat.terms(means, sizes)
    best = -np.inf
    for i in range(6):
        for j in range(i):
            kept = np.delete(np.arange(6), [i, j])
            for w, h in zip(stat.size_weights, stat.half_widths, strict=True):
                best = max(best, (weights[kept] @ deviations[kept] + w * h) / (weights[kept].sum() + w))
    assert _largest_average(stat, weights, deviations, 1) == pytest.approx(best, rel=1e-12)


def test_the_whole_estimate_is_near_the_mean_and_says_what_it_costs():
    rng = np.random.default_rng(5)
    people = BetaUsers(0.3, 0.0025)
    sizes = np.clip(rng.lognormal(np.log(20), 1, 20_000).astype(int), 1, 141)
    draws = [
        private_size_mean(
            people.draw_means(sizes, rng), sizes, epsilon=6.0, delta=1e-6, largest_size=141, rng=rng
        )
        for _ in range(20)
    ]
    error = np.array([d.value - 0.3 for d in draws])
    assert np.sqrt(np.mean(error**2)) < 0.003
    g = draws[0].guarantee
    assert (g.epsilon, g.delta, g.trust, g.neighbours) == (6.0, 1e-6, "central", "replace")
    known = private_size_mean(
        people.draw_means(sizes, rng),
        sizes,
        epsilon=5.0,
        delta=1e-6,
        largest_size=141,
        rng=rng,
        variance=0.0025,
    )
    assert known.guarantee.epsilon == 5.0


def test_one_user_at_the_top_does_not_shift_all_pairs_of_the_variance_step():
    # means come in pairs of near twins; a newcomer at the top would put strangers together
    n, voters = 2000, 160
    sizes = np.arange(n, 0, -1)
    means = np.where(np.arange(n) // 2 % 2 == 0, 0.2, 0.8)
    moved_sizes, moved_means = sizes.copy(), means.copy()
    moved_sizes[-1], moved_means[-1] = n + 1, 0.2

    def small_spreads(means, sizes):
        rng = np.random.default_rng(8)
        options = {"epsilon": 6.0, "delta": 1e-6, "largest_size": n + 1, "variance_users": voters}
        runs = [private_size_mean(means, sizes, rng=rng, **options) for _ in range(60)]
        return np.mean([run.variance < 1e-4 for run in runs])

    # with pairs in order of size these are 1 and 0
    assert abs(small_spreads(means, sizes) - small_spreads(moved_means, moved_sizes)) < 0.4


class World:
    """One input, every noise silent, and what the published steps must be for it."""

    n, step, delta, spread, largest = 1000, 0.7, 1e-6, 0.0025, 31

    def __init__(self):
        rng = np.random.default_rng(21)
        self.sizes = rng.integers(5, 31, self.n)
        self.means = BetaUsers(0.3, self.spread).draw_means(self.sizes, rng)
        self.users = self.means, self.sizes

    def run(self, known=True, **change):
        options = {"delta": self.delta, "largest_size": self.largest} | change
        shares = 5 if known else 6
        options |= {"variance": self.spread} if known else {}
        rng = Silent()
        rng.permutation = np.asarray
        return private_size_mean(*self.users, epsilon=shares * self.step, rng=rng, **options), rng


def test_every_step_draws_the_noise_that_it_pays_for(monkeypatch):
    world, seen = World(), {}

    def spy(method):
        inner = getattr(TruncatedMean, method)

        def wrapped(self, means, sizes, *rest):
            seen[method] = (self, means, sizes, *rest)
            return inner(self, means, sizes, *rest)

        monkeypatch.setattr(TruncatedMean, method, wrapped)

    spy("distance")
    result, rng = world.run()
    statistic, means, sizes, proposed = seen["distance"]
    tenth, step = world.n // 10, world.step
    heaviest = statistic.size_weights.max()
    # initial mean, total weight, test, release; the cap is a choice
    assert [law for law, *_ in rng.asked] == ["laplace"] * 4 and len(rng.laws) == 1
    first, weight, test, release = rng.scales
    assert first == pytest.approx(1 / (tenth * step), rel=1e-12)
    assert weight == pytest.approx(heaviest / step, rel=1e-12)
    assert test == pytest.approx(1 / step, rel=1e-12)
    assert release == result.scale == pytest.approx(proposed / step, rel=1e-12)
    law = order_statistic_law(world.sizes, rank=2 * np.log(world.n) / step, largest=31, epsilon=step)
    np.testing.assert_allclose(rng.laws[0], law, rtol=1e-12)
    total = statistic.terms(means, sizes)[0].sum() - heaviest / step * np.log(1 / (2 * world.delta))
    assert proposed == pytest.approx(8 * heaviest * statistic.half_widths[-1] / total, rel=1e-12)
    assert result.value == pytest.approx(statistic.value(means, sizes), rel=1e-12)
    assert means.size == world.n - tenth
    error = initial_error(result.initial, tenth, epsilon=step, beta=0.05)
    own = np.arange(1, np.argmax(law) + 2)  # up to the cap, which is the likeliest
    half = error + window(own, world.n, mean=result.initial, variance=world.spread, beta=0.025)
    np.testing.assert_allclose(statistic.half_widths, half, rtol=1e-12)
    assert (statistic.centre, statistic.variance) == (result.initial, world.spread)
    # about a first mean of 0 no window can be: the centre is moved inside
    world.users = np.zeros(world.n), world.sizes
    assert world.run()[0].initial == 0 and seen["distance"][0].centre == 10 / world.n


def test_the_variance_step_draws_its_own_share(monkeypatch):
    """The cohort of the variance has the largest sizes: the cap that is released lies above all others."""
    world = World()
    used, terms = [], TruncatedMean.terms
    monkeypatch.setattr(TruncatedMean, "terms", lambda self, *x: used.append((self, x)) or terms(self, *x))
    result, rng = world.run(known=False, variance_users=160)
    (votes,) = [asked for asked in rng.asked if asked[2] is not None]
    assert votes[1] == pytest.approx(2 / world.step, rel=1e-12)
    assert result.guarantee.epsilon == 6 * world.step
    statistic, (_, sizes) = used[0]
    assert statistic.half_widths.size == np.argmax(rng.laws[-1]) + 1 > sizes.max()


@pytest.mark.parametrize("spare", [-1, 0, 1])
def test_the_test_passes_from_its_threshold_on(monkeypatch, spare):
    """The distance that the noisy test must reach is log(1 / delta) over its share of the budget."""
    world = World()
    needed = int(np.ceil(np.log(1 / world.delta) / world.step))
    monkeypatch.setattr(TruncatedMean, "distance", lambda *_: needed + spare)
    result, _ = world.run()
    assert (result.value != result.initial) == (spare >= 0)
    assert (result.guarantee.epsilon, result.guarantee.delta) == (5 * world.step, world.delta)
    # noise is added to the distance: enough of it, the other way, fails a distance that would pass
    inner = DistanceTest.passes
    monkeypatch.setattr(DistanceTest, "passes", lambda self, d, rng: inner(self, d, Silent(-3.0)))
    failed, _ = world.run()
    assert failed.value == result.initial
    assert failed.scale == pytest.approx(1 / (world.n // 10 * world.step), rel=1e-12)


def test_a_sensitivity_is_proposed_from_the_first_positive_total_on(monkeypatch):
    """The total grows with log(delta), and one over the proposal with the total: both end at one delta."""
    monkeypatch.setattr(DistanceTest, "passes", lambda *_: True)
    world = World()

    def proposed(log_delta):
        estimate, _ = world.run(delta=np.exp(log_delta))
        return estimate.scale if estimate.value != estimate.initial else np.inf

    near, far = 1 / proposed(-1.0), 1 / proposed(-2.0)
    last = -1.0 - near / (near - far)
    assert proposed(last + 1e-6) < np.inf == proposed(last - 1e-6)


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 0.3, 0.7, 1.0, 1 / 3, 2.9, 6.0, 100.0])
@pytest.mark.parametrize("known", [None, 0.01])
@pytest.mark.parametrize("n", [20, 79, 500])
def test_the_total_is_what_was_asked_to_the_last_digit(n, known, epsilon):
    rng = np.random.default_rng(22)
    options = {"epsilon": epsilon, "delta": 1e-6, "largest_size": 9, "variance": known}
    g = private_size_mean(rng.random(n), rng.integers(1, 9, n), rng=rng, **options).guarantee
    assert (g.epsilon, g.delta, g.neighbours) == (epsilon, 1e-6, "replace")


def test_a_slack_up_to_a_half_is_spent_and_none_above():
    """The total is lowered so far that it exceeds the truth with probability delta: by nothing at a half."""
    options = {"epsilon": 12.0, "largest_size": 50, "rng": np.random.default_rng(1)}
    found = private_size_mean(np.full(500, 0.4), np.arange(500) % 50 + 1, delta=0.5, **options)
    assert found.guarantee.delta == 0.5
    with pytest.raises(ValueError, match="delta"):
        private_size_mean(np.full(500, 0.4), np.arange(500) % 50 + 1, delta=np.nextafter(0.5, 1), **options)


def test_a_proposal_too_small_returns_the_initial_mean():
    rng = np.random.default_rng(6)
    sizes = np.full(1000, 20)
    means = BetaUsers(0.3, 0.0025).draw_means(sizes, rng)
    result = private_size_mean(
        means, sizes, epsilon=5.0, delta=1e-6, largest_size=31, rng=rng, variance=0.0025, safety=1e-3
    )
    assert result.value == result.initial


@pytest.mark.parametrize("wild", [0, -3, np.nan, np.inf, 2.5, 1e300])
def test_no_private_size_raises(wild):
    rng = np.random.default_rng(31)
    sizes = np.append(np.full(199, 3.0), wild)
    options = {"epsilon": 5.0, "delta": 1e-3, "largest_size": 9, "variance": 0.1}
    assert np.isfinite(private_size_mean(rng.random(200), sizes, rng=rng, **options).value)


def test_private_sizes_are_projected_and_no_further():
    wild = [np.nan, -np.inf, 0, 2.5, 3 * 10**14, 10**15, 10**15 + 1, np.inf]
    public = _Public(1.0, 9, 0.05, 0.01, None, (0.0, 1.0))
    front = _front(np.full(80, 0.4), np.repeat(wild, 10), public, 2, True, np.random.default_rng(1))
    assert {*front.users[1].tolist()} == {1, 2, 3 * 10**14, 10**15}


def test_windows_and_weights_are_those_of_the_variance_that_was_released(monkeypatch):
    steps, terms, n = [], TruncatedMean.terms, 200
    released = Release(0.02, Guarantee(1.0, 0.0, "central", "replace"))
    monkeypatch.setattr(private_sizes, "private_variance", lambda *x, **options: released)
    monkeypatch.setattr(TruncatedMean, "terms", lambda self, *x: steps.append(self) or terms(self, *x))
    options = {"epsilon": 6.0, "delta": 0.01, "largest_size": 30, "rng": np.random.default_rng(1)}
    found = private_size_mean(np.full(n, 0.4), np.full(n, 20), **options)
    k = np.arange(1, steps[0].half_widths.size + 1)
    alpha = initial_error(found.initial, n // 10, epsilon=1.0, beta=0.05)
    half = alpha + window(k, n, mean=steps[0].centre, variance=0.02, beta=0.025)
    assert (found.variance, steps[0].variance) == (0.02, 0.02)
    assert steps[0].half_widths == pytest.approx(half, rel=1e-12)


def test_a_drawn_cohort_for_the_variance_is_as_large_as_its_budget_asks():
    _, largest, _ = private_sizes._drawn_cohorts(np.arange(9000), None, None, 2.0, np.random.default_rng(1))
    assert largest.size == default_variance_users(9000, epsilon=2.0) == 200


def test_nobody_deviates_by_more_than_the_half_width_of_its_size():
    statistic = TruncatedMean(0.5, 0.01, np.array([0.1, 0.05]))
    _, deviations = statistic.terms([0.0, 1.0, 0.52, 0.9], [1, 2, 2, 900])
    assert deviations == pytest.approx([-0.1, 0.05, 0.02, 0.05])
