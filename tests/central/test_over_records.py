"""The mean over all records: its loss, the best cap, its interval, and what a plan says of a target."""

import numpy as np
import pytest
from scipy.stats import chi2

from fakes import Silent
from userdp.central import record_mean, uniform_mean
from userdp.planning import plan
from userdp.sizes import PowerLawSizes, constant_size, two_point_sizes, uniform_sizes

LEVEL = 1e-6
SIZES = np.array([1, 2, 2, 5, 9])
RUNS = 400


def silent(means, sizes=SIZES, **options):
    """The statistic without noise, and the scale of the noise."""
    noise = Silent()
    made = record_mean(means, sizes, rng=noise, **{"epsilon": 0.7} | options)
    return made.value, noise.scales[0]


@pytest.mark.parametrize("cap", [None, 1, 3.5, 9, 40])
def test_one_user_moves_the_clipped_mean_by_at_most_the_scale_times_the_budget(cap):
    """Over all data at the ends and the middle; whoever holds more records than the cap attains it."""
    moved = []
    for data in np.stack(np.meshgrid(*[[0.0, 0.5, 1.0]] * 5), -1).reshape(-1, 5):
        for user in range(5):
            ends = [
                silent(np.where(np.arange(5) == user, end, data), cap=cap) for end in (0.0, 0.3, 1.0, np.nan)
            ]
            moved.append(np.ptp([value for value, _ in ends]))
    assert max(moved) == pytest.approx(0.7 * ends[0][1], rel=1e-12)


def test_without_a_cap_to_speak_of_it_is_the_plain_mean_over_all_records():
    means = np.array([0.1, 0.9, 0.4, 0.3, 0.8])
    assert silent(means, cap=9)[0] == pytest.approx(SIZES @ means / SIZES.sum(), rel=1e-12)
    assert silent(means, epsilon=0.1) == silent(means, cap=1, epsilon=0.1)  # no twentieth of five sizes
    same = uniform_mean(means, epsilon=0.7, rng=np.random.default_rng(1))
    equal = record_mean(means, np.full(5, 8), epsilon=0.7, rng=np.random.default_rng(1))
    assert equal.value == pytest.approx(same.value, rel=1e-12)
    assert equal.interval(0.9) == pytest.approx(same.interval(0.9), rel=1e-9)
    assert equal.guarantee.neighbours == "replace-same-size" and equal.guarantee.epsilon == 0.7


@pytest.mark.parametrize("epsilon", [0.07, 0.3, 1.0, 2.0, 7.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_default_cap_has_the_least_sum_of_bias_and_noise_at_the_worst_data(epsilon, seed):
    """All at the high end: what is clipped, and E|noise|, over all caps that matter."""
    sizes = np.random.default_rng(seed).geometric(0.1, 30)
    means = np.ones(30)

    def worst(cap):
        value, scale = silent(means, sizes, cap=cap, epsilon=epsilon)
        return 1.0 - value + scale

    assert worst(None) == pytest.approx(min(map(worst, np.linspace(0.5, sizes.max(), 400))), rel=1e-2)
    assert worst(None) <= min(map(worst, np.unique(sizes).tolist())) * (1 + 1e-12)


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("cap", [1, 3, 9])
@pytest.mark.parametrize("low, high", [(0.0, 1.0), (2.0, 7.0)])
def test_the_interval_holds_the_mean_over_all_records_of_any_users(level, cap, low, high):
    """By the closed form of one Laplace variable; without what may be lost it fails at the worst data."""
    rng, without, most = np.random.default_rng(2), [], 0.0
    for data in [np.ones(5), np.zeros(5), *rng.uniform(size=(30, 5))]:
        data = low + (high - low) * data
        made = record_mean(data, SIZES, epsilon=0.7, cap=cap, domain=(low, high), rng=Silent())
        scale, lost = made.error[2:]
        truth = SIZES @ data / SIZES.sum()
        reach = made.interval(level)[1] - made.value
        off = abs(truth - made.value)
        assert off <= lost + 1e-12
        most = max(most, off)
        held = lambda t: 1 - (np.exp(-(t - off) / scale) + np.exp(-(t + off) / scale)) / 2  # noqa: B023, E731
        assert held(reach) >= level
        without.append(0 < (t := reach - lost) < off or held(t) < level)
    assert any(without) == (cap < 9) and most == pytest.approx(lost, rel=1e-12, abs=1e-12)


# --- targets of a plan


@pytest.mark.statistical
@pytest.mark.parametrize(
    "law", [two_point_sizes(2, 400, 0.05), PowerLawSizes(1, 2000, 0.3), constant_size(7)]
)
def test_a_plan_for_all_records_foretells_the_error_at_the_worst_data(law):
    """Everybody at one end of the domain; a twentieth of the error foretold would be noticed."""
    n, rng, found = 500, np.random.default_rng(3), []
    row = plan(n=n, sizes=law, epsilon=0.5, trust="curator", target="records", domain=(0, 10))[0]
    for _ in range(RUNS):
        found.append(row.run(np.full(n, 10.0), law.draw(n, rng), rng=rng).sent - 10)
    assert np.square(found).sum() / (1.1 * row.error) ** 2 < chi2.isf(LEVEL, RUNS)
    assert np.square(found).sum() / (0.9 * row.error) ** 2 > chi2.ppf(LEVEL, RUNS)
    assert row.estimates == "the mean over all records"


@pytest.mark.statistical
@pytest.mark.filterwarnings("ignore::userdp.planning.option.NoGain")
@pytest.mark.parametrize("trust", ["nobody", "curator"])
def test_a_plan_for_these_users_foretells_the_distance_from_their_average(trust):
    law, n, rng = uniform_sizes(200, 900), 2000, np.random.default_rng(4)
    asked = {"n": n, "sizes": law, "epsilon": 1.5, "trust": trust, "spread": 0.1, "tails": "normal"}
    rows = [one for one in plan(**asked, target="users") if not one.unused and "signs" not in one.method]
    found = {row.method: [] for row in rows}
    for _ in range(RUNS):
        sizes = law.draw(n, rng)
        means = np.clip(rng.normal(0.1, np.sqrt(0.01 + 1 / sizes)), -1, 1)
        for row in rows:
            found[row.method].append(row.run(means, sizes, rng=rng).value - means.mean())
    for row in rows:
        squares = np.square(found[row.method]).sum()
        assert squares / row.error**2 < chi2.isf(LEVEL, RUNS), row.method
        if row.basis == "exact":
            assert squares / (0.8 * row.error) ** 2 > chi2.ppf(LEVEL, RUNS), row.method
    if trust == "curator":  # the sampling error is ten times the noise
        assert rows[0].error < plan(**asked)[0].error / 2


def test_a_target_that_a_method_does_not_have_is_refused_with_the_reason():
    asked = {"n": 1000, "sizes": uniform_sizes(3, 90), "epsilon": 1.0, "trust": "curator"}
    why = {one.method: one.unused for one in plan(**asked, target="users", sizes_tell=False)}
    refused = why["weighted mean of clipped users"]
    assert refused == "does not estimate the average of these users' sample means"
    assert plan(**asked, target="records", private_sizes=True)[0].unused == "needs public sizes"
    ranking = plan(**asked, target="users")
    assert ranking.least == ranking.without_privacy == 0 and "of a guess's error" in str(ranking)
