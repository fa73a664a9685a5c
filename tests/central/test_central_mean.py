"""Means under central privacy: sensitivity of every release, laws, promises, bad input."""

import numpy as np
import pytest
from scipy import stats

from fakes import Silent
from laws import FALSE_ALARM, has_mean, same_law
from userdp.central import mean as central_mean
from userdp.central.mean import (
    cohorts,
    default_variance_users,
    first_records,
    initial_error,
    initial_mean,
    private_variance,
    realistic_mean,
    uniform_mean,
    window,
)
from userdp.central.private_sizes import private_size_mean
from userdp.central.weights import optimal_weights
from userdp.privacy.choice import NoisyMaximum
from userdp.privacy.noise import ThresholdedNoise
from userdp.sizes import variance_of_mean
from userdp_papers.populations.records import BetaUsers
from userdp_papers.printed.ideal import ideal_mean

USERS = BetaUsers(0.3, 0.04)
SIZES = np.random.default_rng(0).integers(1, 40, 500)
PRIVATE = {"delta": 1e-3, "largest_size": 40}


def test_one_user_moves_each_release_by_at_most_scale_times_epsilon():
    rng, epsilon, n = np.random.default_rng(1), 0.7, 60
    sizes = rng.integers(1, 50, n)
    means = rng.integers(0, sizes + 1) / sizes
    smallest, _, middle = cohorts(sizes, 0)
    for index in range(n):
        for extreme in (0.0, 1.0):
            changed = means.copy()
            changed[index] = extreme
            silent = [Silent(), Silent()]
            one, other = (
                realistic_mean(x, sizes, epsilon=epsilon, rng=s, variance=0.01)
                for x, s in zip((means, changed), silent, strict=True)
            )
            first, last = silent[0].scales
            if index in smallest:
                assert abs(one.initial - other.initial) <= first * epsilon + 1e-12
            else:
                assert one.initial == other.initial
                assert abs(one.value - other.value) <= last * epsilon + 1e-12
    # attained: somebody in the middle can move the value by all of it
    assert middle.size == 54
    wide = [
        realistic_mean(m, sizes, epsilon=epsilon, rng=Silent(), variance=0.01)
        for m in _extremes(means, sizes)
    ]
    assert max(abs(a.value - b.value) for a, b in zip(wide[::2], wide[1::2], strict=True)) == pytest.approx(
        last * epsilon, rel=1e-9
    )


def _extremes(means, sizes):
    _, _, middle = cohorts(sizes, 0)
    for index in middle:
        for extreme in (0.0, 1.0):
            changed = means.copy()
            changed[index] = extreme
            yield changed


def test_the_uniform_mean_has_sensitivity_one_over_n():
    noise = Silent()
    low = uniform_mean(np.zeros(8), epsilon=0.5, rng=noise).value
    high = uniform_mean(np.append(np.zeros(7), 1.0), epsilon=0.5, rng=noise).value
    assert high - low == pytest.approx(noise.scales[0] * 0.5)


def test_cohorts_are_disjoint_and_ordered_by_size():
    sizes = np.random.default_rng(2).integers(1, 100, 57)
    parts = cohorts(sizes, 6)
    assert all(map(np.array_equal, cohorts(sizes.tolist(), 6), parts))
    assert sorted(np.concatenate(parts)) == list(range(57))
    small, large, middle = (sizes[p] for p in parts)
    assert large.min() >= middle.max() and middle.min() >= small.max()
    assert [p.size for p in parts] == [5, 6, 46]


@pytest.mark.parametrize("known", [None, 0.04])
def test_the_guarantee_is_that_of_disjoint_cohorts(known):
    rng = np.random.default_rng(3)
    sizes = np.full(2000, 20)
    for asked, delta in (({}, 0.0), ({"delta": 1e-3}, 1e-3 if known is None else 0.0)):
        options = {"epsilon": 0.8, "variance": known, "rng": rng} | asked
        g = realistic_mean(USERS.draw_means(sizes, rng), sizes, **options).guarantee
        assert (g.epsilon, g.delta, g.trust, g.neighbours) == (0.8, delta, "central", "replace-same-size")


@pytest.mark.parametrize("mean", [0.1, 0.3, 0.8])
def test_estimates_are_nearly_unbiased(mean):
    rng, users = np.random.default_rng(4), BetaUsers(mean, 0.02)
    sizes = rng.integers(5, 60, 2001)
    draws = []
    for _ in range(200):
        means = users.draw_means(sizes, rng)
        draws.append(
            [
                realistic_mean(means, sizes, epsilon=2.0, rng=rng).value,
                ideal_mean(means, sizes, mean=mean, variance=0.02, epsilon=2.0, beta=0.05, rng=rng).value,
                uniform_mean(means, epsilon=2.0, rng=rng).value,
            ]
        )
    draws = np.array(draws)
    assert all(has_mean(draws[:, j], mean) for j in range(3))
    assert not has_mean(draws[:, 1], mean + 0.02)


def test_windows_hold_all_users_with_the_stated_probability():
    rng, n = np.random.default_rng(5), 500
    sizes = np.full(n, 400)
    half = window(sizes, n, mean=0.3, variance=0.0, beta=0.1)
    inside = [np.all(np.abs(BetaUsers(0.3, 0).draw_means(sizes, rng) - 0.3) <= half) for _ in range(1000)]
    # normal quantiles of a binomial law: near 0.9, and certainly not far below
    assert 0.8 < np.mean(inside) < 0.97
    assert window([1], 5, mean=0.3, variance=0.0, beta=0.1)[0] == pytest.approx(0.7)


@pytest.mark.parametrize("n", [1, 7, 500])
def test_a_window_holds_all_of_so_many_normal_means_with_exactly_its_probability(n):
    half = window([400, 900], n, mean=0.3, variance=0.01, beta=0.1)
    share = 1 - 2 * stats.norm.sf(half / np.sqrt(variance_of_mean([400, 900], 0.3, 0.01)))
    np.testing.assert_allclose(share**n, 0.9, rtol=1e-9)


@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize("mean", [0.05, 0.3, 0.9])
def test_the_error_bound_of_the_initial_mean_covers(mean, printed):
    rng, m, beta, draws = np.random.default_rng(6), 500, 0.05, 2000
    missed = 0
    for _ in range(draws):
        value = initial_mean(rng.binomial(1, mean, m), epsilon=0.5, rng=rng).value
        missed += abs(value - mean) > initial_error(value, m, epsilon=0.5, beta=beta, printed=printed)
    # a rate of beta exceeds this count with probability below 1e-6
    assert missed <= stats.binom.isf(1e-6, draws, beta)


@pytest.mark.parametrize("value", [-0.3, 0.02, 0.2, 0.55, 0.8, 1.1, 1.3])
def test_the_error_bounds_are_the_stated_ones(value):
    m, epsilon, beta = 50, 0.5, 0.05
    noise = np.log(40) / (m * epsilon)
    mean = np.clip(0.5, value - noise, value + noise)  # the least favourable that the noise allows
    z = stats.norm.isf(beta / 4)
    known = {"epsilon": epsilon, "beta": beta}
    bound = z * np.sqrt(max(mean * (1 - mean), 0) / m) + z**2 / m + noise
    assert initial_error(value, m, **known) == pytest.approx(bound, rel=1e-12)
    share = np.log(80) / m
    sampling = np.sqrt(12 * np.clip(value, 0, 1) * share + 36 * share**2) + 6 * share
    assert initial_error(value, m, printed=True, **known) == pytest.approx(2 * sampling, rel=1e-12)
    noisy = initial_error(value, m, printed=True, epsilon=1e-3, beta=beta)
    assert noisy == pytest.approx(2 * np.log(40) / (m * 1e-3), rel=1e-12)


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_the_windows_of_the_realistic_mean_are_those_of_its_first_two_steps(share):
    """All noise silent; where the first mean is 0 or 1 the windows lie about 10 / n or 1 - 10 / n."""
    n, spread, sizes = 4000, 0.02, np.sort(np.random.default_rng(15).integers(1, 30, 4000))[::-1]
    result = realistic_mean(np.full(n, share), sizes, epsilon=0.5, variance=spread, rng=Silent())
    centre, middle = np.clip(share, 10 / n, 1 - 10 / n), sizes[:3600]
    half = initial_error(share, 400, epsilon=0.5, beta=0.05)
    half = half + window(middle, n, mean=centre, variance=spread, beta=0.025)
    lengths = np.minimum(centre + half, 1) - np.maximum(centre - half, 0)
    best = optimal_weights(variance_of_mean(middle, centre, spread), lengths, epsilon=0.5).value
    np.testing.assert_allclose(result.weights, best, rtol=1e-10)
    assert result.initial == pytest.approx(share)
    assert result.scale == pytest.approx(np.max(best * lengths) / 0.5, rel=1e-10)


def test_private_variance_keeps_the_promise_with_enough_users():
    rng, hits = np.random.default_rng(7), 0
    for _ in range(300):
        value = private_variance(np.clip(rng.normal(0.5, 0.05, 2000), 0, 1), epsilon=1.0, rng=rng).value
        hits += 0.05**2 <= value <= 8 * 0.05**2
    assert hits >= stats.binom.ppf(1e-6, 300, 0.95)


@pytest.mark.parametrize("smallest", [0.01, 1 / 128, 0.05])
def test_a_variance_below_the_smallest_is_overstated_at_most_fourfold(smallest):
    """All means are equal; with a large budget the lowest scale is chosen."""
    options = {"smallest": smallest, "epsilon": 500.0, "rng": np.random.default_rng(8)}
    value = private_variance(np.full(2000, 0.5), **options).value
    assert 2 * smallest < value <= 4 * smallest


@pytest.mark.parametrize("users", range(16, 25))
def test_users_who_fill_no_group_of_pairs_have_no_vote(users):
    """Up to seven are left over from groups of four pairs: whoever comes next in order changes nothing."""
    means = np.random.default_rng(7).uniform(0, 1, 24)[:users]
    whole = means[: users // 8 * 8]
    found = [private_variance(x, epsilon=0.5, rng=np.random.default_rng(8)).value for x in (means, whole)]
    assert found[0] == found[1]


@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_one_user_moves_two_counts_of_the_variance_step_by_one(monkeypatch, delta):
    seen = []

    def spy(self, scores, rng):
        seen.append((self, np.array(scores)))
        return 0 if delta == 0 else np.ones(1)

    mechanism, method = (NoisyMaximum, "choose") if delta == 0 else (ThresholdedNoise, "release")
    monkeypatch.setattr(mechanism, method, spy)
    rng = np.random.default_rng(8)
    means = rng.uniform(0, 1, 80)
    for user in range(-1, 80):  # nobody first, then each in turn
        released = private_variance(
            np.where(np.arange(80) == user, 0.0, means), epsilon=0.5, delta=delta, rng=rng
        )
    (used, one), *rest = seen
    moved = np.abs([other - one for _, other in rest])
    assert moved.max() == 1 and moved.sum(axis=1).max() == 2
    assert one.sum() == 80 // 8, "each group of four pairs votes once"
    assert one.size == 27, "from the power of 2 below 1e-8 to 1/2"
    assert released.guarantee == used.guarantee
    assert (used.epsilon, used.delta) == (0.5, delta)
    assert used.scale == 4
    if delta == 0:
        assert used.sensitivity == 1
    else:
        assert used.bound == 1 and used.threshold == pytest.approx(1 + 4 * np.log(2 / delta), rel=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_a_lonely_scale_survives_the_threshold_with_probability_below_delta(epsilon):
    rng, delta, draws = np.random.default_rng(9), 0.05, 8000
    # one group only: its scale is a singleton
    means = np.tile([0.0, 0.5], 4)
    runs = [private_variance(means, epsilon=epsilon, rng=rng, delta=delta) for _ in range(draws)]
    kept = sum(run.value is not None for run in runs)
    # exactly delta / 4: without the vote itself in the threshold it would be exp(epsilon / 2) times that
    assert stats.binomtest(kept, draws, delta / 4).pvalue > FALSE_ALARM
    assert stats.binomtest(kept, draws, delta / 4 * np.exp(epsilon / 2)).pvalue < FALSE_ALARM
    assert (runs[0].guarantee.epsilon, runs[0].guarantee.delta) == (epsilon, delta)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_one_scale_that_is_shown_is_enough(delta):
    """All half-squared differences are 0.02, between 2^-6 and 2^-5; too few of them show none."""
    means = np.tile([0.4, 0.6], 400)
    found = private_variance(means, epsilon=1.0, delta=delta, rng=Silent())
    assert found.value == 4 / 2**6
    few = private_variance(means[:16], epsilon=1.0, delta=delta, rng=Silent())
    assert few.value == (None if delta else found.value)


def test_first_records_have_the_law_of_drawing_without_replacement():
    rng = np.random.default_rng(10)
    sizes, means = np.array([7]), np.array([3 / 7])
    fast = [first_records(means, sizes, 4, rng)[0] for _ in range(3000)]
    records = np.array([1, 1, 1, 0, 0, 0, 0])
    slow = [rng.permutation(records)[:4].mean() for _ in range(3000)]
    assert same_law(fast, slow)
    assert not same_law(fast, rng.binomial(4, 3 / 7, 3000) / 4 + 0.01)


@pytest.mark.parametrize("n", [20, 21, 37, 79, 80, 100, 101])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 60.0, 410.0])
def test_twenty_users_are_enough_whatever_the_budget(n, epsilon):
    rng = np.random.default_rng(12)
    result = realistic_mean(rng.random(n), rng.integers(1, 9, n), epsilon=epsilon, rng=rng)
    assert np.isfinite(result.value) and result.guarantee.epsilon == epsilon
    assert default_variance_users(n, epsilon=epsilon) == max(8, int(min(400 / epsilon, n / 10)))


def test_each_user_of_an_odd_number_meets_one_of_three_releases(monkeypatch):
    n, met = 203, []
    for name in ("initial_mean", "private_variance", "clipped_and_weighed"):
        inner = getattr(central_mean, name)

        def spy(data, *rest, inner=inner, **options):
            met.append(len(data))
            return inner(data, *rest, **options)

        monkeypatch.setattr(central_mean, name, spy)
    rng = np.random.default_rng(13)
    realistic_mean(rng.random(n), rng.integers(1, 9, n), epsilon=1.0, rng=rng)
    assert met == [20, 20, 163] and sum(met) == n


@pytest.mark.parametrize("domain", [(0.0, 1.0), (0.0, 5.0), (-3.0, 7.0)])
def test_a_spread_that_is_known_is_the_one_that_is_told(domain):
    rng, sizes, (low, high) = np.random.default_rng(15), np.arange(1, 101), domain
    spread = 0.01 * (high - low) ** 2
    means = low + (high - low) * rng.random(100)
    told = realistic_mean(means, sizes, epsilon=1.0, variance=spread, domain=domain, rng=rng).variance
    assert told == pytest.approx(spread, rel=1e-12)


def test_the_weights_are_the_best_for_the_noise_that_is_added():
    rng = np.random.default_rng(14)
    sizes = rng.integers(1, 60, 300)
    known = {"mean": 0.3, "variance": 0.01, "epsilon": 0.5}
    found = ideal_mean(USERS.draw_means(sizes, rng), sizes, beta=0.05, rng=rng, **known).weights
    half = window(sizes, 300, mean=0.3, variance=0.01, beta=0.05)
    lengths = np.minimum(0.3 + half, 1) - np.maximum(0.3 - half, 0)
    best = optimal_weights(variance_of_mean(sizes, 0.3, 0.01), lengths, epsilon=0.5).value
    np.testing.assert_allclose(found, best, rtol=1e-12)


DOMAIN = (-3.0, 7.0)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("uniform", lambda x, rng, **o: uniform_mean(x, rng=rng, **o)),
        ("initial", lambda x, rng, **o: initial_mean(x, rng=rng, **o)),
        ("realistic", lambda x, rng, **o: realistic_mean(x, SIZES, rng=rng, **o)),
        ("private sizes", lambda x, rng, **o: private_size_mean(x, SIZES, **PRIVATE, rng=rng, **o)),
    ],
)
def test_a_domain_is_a_change_of_units(name, call):
    x = np.random.default_rng(15).integers(0, SIZES + 1) / SIZES
    unit = call(x, np.random.default_rng(16), epsilon=9.0)
    moved = call(10 * x - 3, np.random.default_rng(16), epsilon=9.0, domain=DOMAIN)
    assert moved.value == pytest.approx(10 * unit.value - 3, rel=1e-9)
    assert moved.guarantee == unit.guarantee
    if name != "initial":
        assert moved.scale == pytest.approx(10 * unit.scale, rel=1e-12)
        np.testing.assert_allclose(moved.weights, unit.weights, rtol=1e-9)
        assert unit.weights.min() > 0 and unit.weights.sum() == pytest.approx(1, rel=1e-12)
    if name in ("realistic", "private sizes"):
        told = 10 * unit.initial - 3, 100 * unit.variance
        assert (moved.initial, moved.variance) == pytest.approx(told, rel=1e-9) and unit.initial > 0
    if name == "uniform":
        assert set(unit.weights) == {1 / x.size}
    # finite values outside are projected, and what is no number goes to the low end
    for wild, end in ((-1e6, -3.0), (8.0, 7.0), (np.nan, -3.0), (np.inf, 7.0)):
        changed = [10 * x - 3, 10 * x - 3]
        for table, value in zip(changed, (wild, end), strict=True):
            table[5] = value
        one, other = (call(y, np.random.default_rng(17), epsilon=9.0, domain=DOMAIN) for y in changed)
        assert one.value == other.value
    with pytest.raises(ValueError, match=r"^domain\[0\] must be below domain\[1\], got 1.0 and 0.0"):
        call(x, np.random.default_rng(18), epsilon=9.0, domain=(1.0, 0.0))


def test_the_ideal_mean_takes_mean_and_spread_in_the_units_of_the_domain():
    x = USERS.draw_means(SIZES, np.random.default_rng(19))
    unit, moved = (
        ideal_mean(y, SIZES, epsilon=2.0, beta=0.05, rng=np.random.default_rng(20), **o)
        for y, o in (
            (x, {"mean": 0.3, "variance": 0.04}),
            (10 * x - 3, {"mean": 0.0, "variance": 4.0, "domain": DOMAIN}),
        )
    )
    assert moved.value == pytest.approx(10 * unit.value - 3, rel=1e-9)
    assert moved.variance == pytest.approx(100 * unit.variance)
