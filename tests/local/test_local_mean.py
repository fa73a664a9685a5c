import numpy as np
import pytest

from ballots import vote_vectors
from laws import has_mean, same_law
from userdp.local.localise import Ballot, Bins
from userdp.local.mean import duchi_mean, laplace_mean, localised_half_width, localised_mean
from userdp.local.unequal import _dame_report, dame, dame_half_width, shrink, undo_shrinkage
from userdp.privacy.results import MeanEstimate
from userdp.sizes import constant_size, empirical_sizes, two_point_sizes
from userdp_papers.populations.records import PointMass, Signs, draw_halves
from userdp_papers.theory.audit.exact import bits_loss, laplace_loss
from userdp_papers.theory.rates.dame import dame_noise_risk, duchi_mean_risk, laplace_mean_risk
from userdp_papers.theory.sampled.runs import dame_runs, localised_mean_runs

EPSILON = 22 / 35
THETAS = [-0.98, 0.0, 0.3, 0.7, 1.0]
SIZES = two_point_sizes(40, 1600, 0.5)


def estimates(estimator, theta, *, n, seed, law=SIZES, runs=400, **options):
    rng = np.random.default_rng(seed)
    results = []
    for _ in range(runs):
        means, sizes = draw_halves(Signs(theta), law, n, rng)
        results.append(estimator(means, sizes, rng, **options).value)
    return np.array(results)


def run_laplace(means, sizes, rng, epsilon=EPSILON, **options):
    return laplace_mean(means, epsilon=epsilon, rng=rng, **options)


def run_duchi(means, sizes, rng, epsilon=EPSILON, **options):
    return duchi_mean(means, epsilon=epsilon, rng=rng, **options)


def run_localised(means, sizes, rng, epsilon=EPSILON, **options):
    return localised_mean(means, size=40, epsilon=epsilon, rng=rng, **options)


def run_dame(means, sizes, rng, epsilon=EPSILON, **options):
    options = {"size_law": SIZES, "size_cap": 1600} | options
    return dame(means, sizes, epsilon=epsilon, rng=rng, **options)


ESTIMATORS = {"laplace": run_laplace, "duchi": run_duchi, "localised": run_localised, "dame": run_dame}


@pytest.mark.parametrize("theta", THETAS)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimates_are_unbiased_at_every_mean(name, theta):
    """n is large enough for every vote to succeed, so that no bias but the wrong one can be seen."""
    values = estimates(ESTIMATORS[name], theta, n=60_001, seed=1, epsilon=2.0)
    assert has_mean(values, theta)
    assert not has_mean(values + 10 * values.std() / 20, theta)


@pytest.mark.parametrize("theta", [-0.3, 0.3])
def test_dame_is_unbiased_with_users_of_one_record(theta):
    """A coarse mean with the weight of a precise one would be cut by the projection."""
    law, rng, values = two_point_sizes(1, 870, 0.25), np.random.default_rng(13), []
    for _ in range(400):
        sizes = law.draw(40_000, rng)  # in random order, unlike draw_halves
        means = Signs(theta).draw_means(sizes, rng)
        values.append(run_dame(means, sizes, rng, epsilon=2.0, size_law=law, size_cap=870).value)
    assert has_mean(values, theta)
    assert not has_mean(np.array(values) + 0.02, theta)


@pytest.mark.parametrize("theta", THETAS)
def test_risks_are_the_stated_ones(theta):
    n = 2000
    laplace = estimates(run_laplace, theta, n=n, seed=2, law=constant_size(10))
    duchi = estimates(run_duchi, theta, n=n, seed=2, law=constant_size(10))
    assert has_mean((laplace - theta) ** 2, laplace_mean_risk((1 - theta**2) / 10, n=n, epsilon=EPSILON))
    assert has_mean((duchi - theta) ** 2, duchi_mean_risk(theta, n=n, epsilon=EPSILON))
    assert not has_mean((duchi - theta) ** 2, laplace_mean_risk(0, n=n, epsilon=EPSILON))


@pytest.mark.parametrize("theta", [0.0, 0.3, 1.0])
def test_dame_risk_is_that_of_its_noise_when_means_do_not_vary(theta):
    rng, n, epsilon = np.random.default_rng(3), 100_000, 2.0
    sizes = SIZES.draw(n, rng)
    means = PointMass(theta).draw_means(sizes, rng)
    runs = [run_dame(means, sizes, rng, epsilon=epsilon).value for _ in range(800)]
    risk = dame_noise_risk(SIZES, n=n, epsilon=epsilon, size_cap=1600)
    # drawn sizes are fixed over the runs, so that only the noise varies
    assert has_mean((np.array(runs) - np.mean(runs)) ** 2 * 800 / 799, risk)


@pytest.mark.parametrize("epsilon", [0.1, EPSILON, 1.0, 1.5, 4.0])
@pytest.mark.parametrize("general", [None, False, True])
def test_loss_of_a_whole_transcript_of_localised_mean_is_its_guarantee(epsilon, general):
    rng = np.random.default_rng(7)
    result = localised_mean(rng.uniform(-1, 1, 50), size=4000, epsilon=epsilon, general=general, rng=rng)
    width = localised_half_width(n=50, size=4000, epsilon=epsilon)
    margin, reach = (5, 1) if general or (general is None and epsilon > 1) else (2, 0)
    ballot = Ballot(Bins(width), reach, epsilon)
    keep = 1 / (1 + np.exp(-epsilon / (6 if reach else 2)))
    first = bits_loss(vote_vectors(ballot), keep)
    # projected means lie anywhere in the interval; the scale is the printed 6 Delta / epsilon (12 above 1)
    second = laplace_loss(result.clipped_to, 2 * (margin + 1) * width / epsilon)
    assert max(first, second) == pytest.approx(epsilon, rel=1e-12)
    assert ballot.randomiser.keep == pytest.approx(keep, rel=1e-12)
    assert result.guarantee.epsilon == pytest.approx(epsilon, rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, EPSILON, 1.5])
def test_loss_of_a_whole_transcript_of_dame_is_its_guarantee(epsilon):
    rng, cap, n = np.random.default_rng(8), 5000, 60
    tau = dame_half_width(size_cap=cap, n=n, epsilon=epsilon)
    ballot = Ballot(Bins(tau, truncated=True), 1, epsilon)
    first = bits_loss(vote_vectors(ballot), 1 / (1 + np.exp(-epsilon / 6)))
    seconds = []
    for chosen in range(ballot.bins.count):
        report, _ = _dame_report(ballot.bins, chosen, epsilon)
        inputs = np.clip([-1, 1], report.low, report.high)
        seconds.append(laplace_loss(inputs, 14 * tau / epsilon))
        assert report.scale == pytest.approx(14 * tau / epsilon, rel=1e-12)
    assert first == pytest.approx(epsilon, rel=1e-12)
    assert max(seconds) == pytest.approx(epsilon, rel=1e-12)
    result = dame(
        np.zeros(n), np.full(n, cap), epsilon=epsilon, size_law=constant_size(cap), size_cap=cap, rng=rng
    )
    assert result.guarantee.epsilon == pytest.approx(epsilon, rel=1e-12)


def test_printed_dame_says_what_closed_bins_cost():
    rng = np.random.default_rng(9)
    result = run_dame(np.zeros(100), np.full(100, 1600), rng, printed=True)
    assert result.guarantee.epsilon == pytest.approx(EPSILON * 4 / 3, rel=1e-12)


def test_overhanging_last_bin_biases_printed_dame_near_one():
    """Control: the corrected default must not show the bias that the printed last bin has at theta = 1."""
    law, cap, epsilon, n = two_point_sizes(1, 870, 0.25), 870, 2.0, 40_000
    runs = {
        printed: estimates(
            run_dame,
            1.0,
            n=n,
            seed=10,
            law=law,
            runs=200,
            epsilon=epsilon,
            size_law=law,
            size_cap=cap,
            printed=printed,
        )
        for printed in (False, True)
    }
    assert has_mean(runs[False], 1.0)
    assert np.mean(runs[True]) < 0.95 and not has_mean(runs[True], 1.0)


def test_means_on_a_bin_edge_do_not_split_the_vote():
    rng, width = np.random.default_rng(11), 0.125
    for edge in (-0.75, 0.0, 0.5):
        result = localised_mean(np.full(40_000, edge), size=100, epsilon=1.5, rng=rng, half_width=width)
        assert result.clipped_to[0] < edge < result.clipped_to[1]


def test_one_bin_and_users_without_enough_records():
    rng, law = np.random.default_rng(12), constant_size(1)
    result = dame(np.zeros(11), np.ones(11, dtype=int), epsilon=1.0, size_law=law, size_cap=1, rng=rng)
    assert isinstance(result, MeanEstimate) and result.votes.shape == (1,) and result.chosen == 0
    empty = dame(np.zeros(10), np.ones(10, dtype=int), epsilon=1.0, size_law=SIZES, size_cap=1600, rng=rng)
    assert np.isfinite(empty.value)


def test_who_holds_no_record_counts_as_holding_one():
    options = {"size_law": SIZES, "size_cap": 40}
    data = [(np.full(20, 0.3), np.full(20, m), np.random.default_rng(3)) for m in (1, 0, -9)]
    assert len({run_dame(*each, **options).value for each in data}) == 1


@pytest.mark.parametrize("name, options, votes", [
    ("localised", {"half_width": 0.1, "general": False}, 1),
    ("localised", {"half_width": 0.1, "general": True}, 3),
    ("dame", {"size_law": constant_size(5000), "size_cap": 5000}, 3),
])  # fmt: skip
def test_half_of_the_users_vote_for_their_bin_and_in_general_for_its_neighbours(name, options, votes):
    """At a budget of 100 no bit is flipped; the interval is that of eq. (4) for 60 users."""
    data = np.full(61, 0.01), np.full(61, 5000)
    result = ESTIMATORS[name](*data, np.random.default_rng(1), epsilon=100.0, **options)
    assert result.votes.sum() == 30 * votes
    if name == "dame":
        width = 14 * dame_half_width(size_cap=5000, n=60, epsilon=100.0)
        assert np.ptp(result.clipped_to) == pytest.approx(width, rel=1e-12)


def test_shrink_and_debias_are_inverse_on_average():
    values = np.array([40, 1600])
    shrunk = shrink(np.array([0.3, 0.3]), values, size_cap=1600, centre=0.5)
    average = SIZES.probabilities @ shrunk
    assert undo_shrinkage(average, size_law=SIZES, size_cap=1600, centre=0.5) == pytest.approx(0.3, rel=1e-12)


@pytest.mark.parametrize(("change", "message"), [
    ({"size_cap": 1601}, r"size_cap must be in \[1, 1600\], got 1601"),
    ({"size_law": empirical_sizes([1600])}, "size_law must not be counted from users"),
])  # fmt: skip
def test_bad_parameters_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        run_dame(np.zeros(4), np.full(4, 1600), np.random.default_rng(0), **change)


@pytest.mark.statistical
@pytest.mark.parametrize("name", ["localised", "general", "dame"])
def test_runs_on_the_same_users_have_the_law_of_single_runs(name):
    """Few users and a small budget, so that each of several bins is chosen now and then."""
    rng, runs = np.random.default_rng(31), 4000
    means, sizes = draw_halves(Signs(0.3), SIZES, 60, rng)
    narrow = {"size": 40, "half_width": 0.2}
    users, options, single, together = {
        "localised": ((means,), narrow | {"general": False}, localised_mean, localised_mean_runs),
        "general": ((means,), narrow | {"general": True}, localised_mean, localised_mean_runs),
        "dame": ((means, sizes), {"size_law": SIZES, "size_cap": 1600}, dame, dame_runs),
    }[name]

    def drawn(epsilon):
        found = together(*users, epsilon=epsilon, runs=runs, rng=rng, **options)
        assert found.guarantee.epsilon == pytest.approx(epsilon, rel=1e-12)
        return np.column_stack([found.value, found.clipped_to])

    ones = [single(*users, epsilon=1.0, rng=rng, **options) for _ in range(runs)]
    ones = np.array([[one.value, *one.clipped_to] for one in ones])
    assert len(np.unique(ones[:, 1])) > 1
    assert same_law(drawn(1.0), ones)
    assert not same_law(drawn(1.5), ones)


def test_two_users_are_enough_for_runs_and_one_is_not():
    options = {"epsilon": 1.0, "runs": 3, "rng": np.random.default_rng(8)}
    law = {"size_law": SIZES, "size_cap": 1600}
    assert localised_mean_runs([0.1, 0.2], size=1600, **options).value.shape == (3,)
    assert dame_runs([0.1, 0.2], [1600, 1600], **law, **options).value.shape == (3,)
    with pytest.raises(ValueError, match="means must have shape"):
        localised_mean_runs([0.1], size=1600, **options)
    with pytest.raises(ValueError, match="means must have shape"):
        dame_runs([0.1], [1600], **law, **options)
