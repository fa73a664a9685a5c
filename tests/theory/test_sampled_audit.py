"""Sampled audits: exact coverage, exact power, and the clients themselves, at level 1e-6."""

import numpy as np
import pytest
from scipy import stats

from userdp.central.debias import debiased_count
from userdp.central.histogram import bounded_histogram
from userdp.local.localise import Ballot, Bins
from userdp.privacy.noise import gaussian_sigma
from userdp.privacy.reports import (
    BinaryResponse,
    HashedReport,
    KaryResponse,
    LaplaceReport,
    TwoPointReport,
    UnaryEncoding,
)
from userdp.privacy.vector_reports import BallReport, CubeReport
from userdp_papers.theory.audit.sampled import (
    LEVEL,
    clopper_pearson,
    likely_bound,
    loss_lower_bound,
    runs_needed,
    sampled_loss,
)

# a million runs would show 0.92 of the budget of six bits; a share of 0.85 needs about a quarter of that
SHARE = 0.85


@pytest.mark.parametrize(("hits", "runs"), [(0, 10), (3, 10), (10, 10), (70_000, 10**6)])
def test_bounds_are_those_of_clopper_and_pearson(hits, runs):
    interval = stats.binomtest(hits, runs).proportion_ci(1 - 2 * LEVEL, method="exact")
    np.testing.assert_allclose(clopper_pearson(hits, runs), [interval.low, interval.high], rtol=1e-9)


def test_a_trillion_runs_are_the_most_and_show_nearly_all():
    assert likely_bound(0.5, 0.3, 10**12) == pytest.approx(np.log(5 / 3), abs=1e-4)
    with pytest.raises(ValueError, match=r"runs must be in \[1, 1000000000000\]"):
        likely_bound(0.5, 0.3, 10**12 + 1)


def laws(p, q, runs):
    counts = np.arange(runs + 1)
    return np.outer(stats.binom.pmf(counts, runs, p), stats.binom.pmf(counts, runs, q))


def bounds(runs, **options):
    return np.array(
        [[loss_lower_bound(i, j, runs, **options) for j in range(runs + 1)] for i in range(runs + 1)]
    )


@pytest.mark.parametrize("delta", [0.0, 0.05])
@pytest.mark.parametrize(("p", "q"), [(0.5, 0.5), (0.3, 0.1), (0.9, 0.4), (0.06, 1e-3)])
def test_the_bound_is_wrong_at_most_as_often_as_its_level(p, q, delta):
    """All outcomes of both counts, no sampling; without halving the level some pair would exceed it."""
    runs, level = 60, 0.02
    true = np.log(max(p - delta, 1e-12) / q)
    wrong = laws(p, q, runs)[bounds(runs, delta=delta, level=level) > max(true, 0) + 1e-12].sum()
    assert wrong <= level


@pytest.mark.parametrize(("hits", "other_hits", "delta"), [(50, 20, 0.0), (60, 0, 0.1)])
def test_each_count_has_half_of_the_level(hits, other_hits, delta):
    ends = (stats.binomtest(k, 60).proportion_ci(1 - 0.02, method="exact") for k in (hits, other_hits))
    lower, upper = next(ends).low, next(ends).high
    found = loss_lower_bound(hits, other_hits, 60, delta=delta, level=0.02)
    assert found == pytest.approx(np.log((lower - delta) / upper), rel=1e-9) and found > 0


def test_the_level_is_used_up_where_one_count_is_certain():
    """With an event that always happens under one input, only the other count can err."""
    runs, level, shares = 60, 0.02, np.linspace(0.01, 0.99, 99)
    wrong = []
    for q in shares:
        upper = np.array([clopper_pearson(h, runs, level=level)[1] for h in range(runs + 1)])
        wrong.append(stats.binom.pmf(np.arange(runs + 1), runs, q)[upper < q].sum())
    assert level / 2 < max(wrong) <= level


@pytest.mark.parametrize(("p", "q"), [(0.9, 0.1), (0.7, 0.05)])
def test_the_power_is_the_designed_one(p, q):
    runs, failure = 80, 0.05
    options = {"level": 0.01}
    promised = likely_bound(p, q, runs, failure=failure, **options)
    law, found = laws(p, q, runs), bounds(runs, **options)
    assert law[found >= promised].sum() >= 1 - failure
    # it is not modest: a bound twice as large is missed more often than one run in twenty
    assert promised > 0 and law[found >= 2 * promised].sum() < 1 - failure


def test_an_output_that_is_impossible_under_the_second_input_is_expected_never():
    few = int(stats.binom.ppf(LEVEL / 2, 1000, 0.5))
    assert likely_bound(0.5, 0.0, 1000) == loss_lower_bound(few, 0, 1000) > loss_lower_bound(few, 1, 1000)


def test_the_number_of_runs_suffices_and_one_less_does_not():
    needed = runs_needed(0.3, 0.1, 0.9)
    assert likely_bound(0.3, 0.1, needed) >= 0.9 > likely_bound(0.3, 0.1, needed - 1)


# --- clients and releases, each with an event whose probabilities differ by exp(epsilon) -------------


def rows(x, runs):
    return np.repeat(np.asarray(x)[None], runs, axis=0)


def client(randomiser):
    return lambda x, runs, rng: randomiser.privatise(rows(x, runs), rng)


def hashed(x, runs, rng):
    number, component = x
    return HashedReport(2, 0.5, 1.0).privatise((np.full(runs, number), np.full(runs, component)), rng)


def ballot(epsilon):
    """A whole vote of one user: three neighbouring bins of eight, then three others."""
    voting = Ballot(Bins(1 / 8), 1, epsilon)
    one, other = voting.positions(np.array([-0.7, 0.7]))
    vectors = voting.randomiser.vectors(np.array([one, other]))
    keep = voting.randomiser.keep
    differ = vectors[0] != vectors[1]
    return (
        client(voting.randomiser),
        one,
        other,
        lambda bits: np.all((bits == vectors[0])[:, differ], axis=1),
        keep ** differ.sum(),
    )


def histogram(x, runs, rng):
    release = [bounded_histogram(x, bound=2, epsilon=1.0, rng=rng).value for _ in range(runs)]
    return np.array(release)


def count(x, runs, rng):
    options = {"bound": 3, "epsilon": 1.0, "rng": rng}
    return np.array([debiased_count(x, **options).clipped_mean for _ in range(runs)])


def cases():
    """Mechanism, two inputs, event, probability of the event under the first; the loss is 1 in all."""
    binary, kary = BinaryResponse(1.0), KaryResponse(5, 1.0)
    unary, two_point = UnaryEncoding(4, 1, 1.0), TwoPointReport(-1.0, 3.0, 1.0)
    cube, ball = CubeReport(2, 1.0), BallReport(3, 1.0)
    half, near = 0.5, 1 / (1 + 3 * np.exp(-1))
    return {
        "binary": (client(binary), 1, 0, lambda bits: bits == 1, binary.keep),
        "k-ary": (client(kary), 2, 4, lambda hot: hot[:, 2] == 1, kary.keep),
        "unary": (client(unary), [0], [2], lambda b: (b[:, 0] == 1) & (b[:, 2] == 0), unary.keep**2),
        "laplace": (client(LaplaceReport(-1.0, 3.0, 1.0)), 3.0, -1.0, lambda y: y >= 3, half),
        "laplace beyond": (client(LaplaceReport(-1.0, 3.0, 1.0)), np.inf, np.nan, lambda y: y >= 3, half),
        "two-point": (client(two_point), 3.0, -1.0, lambda y: y > 1, binary.keep),
        "cube": (client(cube), [1.0, 1.0], [-1.0, 1.0], lambda z: (z > 0).all(axis=1), near),
        "ball": (client(ball), [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], lambda z: z[:, 1] >= 0, binary.keep),
        "hashed": (hashed, (0.5, 0), (-0.5, 0), lambda z: z[:, 0] >= 0.5, half),
        "ballot": ballot(1.0),
        "histogram": (histogram, [[2, 0]], [[0, 2]], lambda h: (h[:, 0] >= 2) & (h[:, 1] <= 0), half**2),
        "count": (count, [0, 3], [0, 0], lambda mean: 2 * mean >= 3, half),
    }


CASES = cases()


@pytest.mark.statistical
@pytest.mark.parametrize("name", CASES)
def test_no_audit_accuses_and_each_comes_near_the_budget(name):
    """False alarm and missed power are 1e-6 each by design: the runs are as many as that takes."""
    mechanism, one, other, event, p = CASES[name]
    share = 0.5 if name in ("histogram", "count") else SHARE  # one release at a time is slow
    runs = runs_needed(p, p * np.exp(-1), share)
    found = sampled_loss(mechanism, one, other, event, runs=runs, rng=np.random.default_rng(1))
    assert share <= found <= 1.0


@pytest.mark.statistical
def test_an_audit_finds_noise_of_three_quarters_of_the_scale():
    """Control: a mechanism that spends a third more than it says is accused, as designed."""
    mechanism, one, other, event = (
        client(LaplaceReport(0.0, 3.0, 4.0)),
        3.0,
        0.0,
        lambda y: y >= 3,
    )
    runs = runs_needed(0.5, 0.5 * np.exp(-4), 3.0)
    found = sampled_loss(mechanism, one, other, event, runs=runs, rng=np.random.default_rng(2))
    assert 3.0 < found <= 4.0


@pytest.mark.statistical
def test_an_audit_grants_gaussian_noise_its_delta():
    epsilon, delta = 1.0, 1e-2
    sigma = gaussian_sigma(epsilon=epsilon, delta=delta)
    cut = 0.5 + epsilon * sigma**2  # beyond it the loss exceeds epsilon: the event that needs delta
    p, q = stats.norm.sf(cut, [1.0, 0.0], sigma)
    assert np.log((p - delta) / q) == pytest.approx(epsilon, rel=1e-9)
    runs = runs_needed(p, q, 0.8, delta=delta)

    def release(x, runs, rng):
        return rng.normal(x, sigma, runs)

    def beyond(y):
        return y > cut

    options = {"runs": runs, "rng": np.random.default_rng(3)}
    assert 0.8 <= sampled_loss(release, 1.0, 0.0, beyond, delta=delta, **options) <= 1.0
    # without its slack the same counts accuse it
    assert sampled_loss(release, 1.0, 0.0, beyond, **options) > 1.0


@pytest.mark.parametrize("runs", [0, 10**8 + 1])
def test_runs_that_no_memory_holds_are_refused_before_any_is_made(runs):
    with pytest.raises(ValueError, match="runs must be"):
        sampled_loss(pytest.fail, 1.0, 0.0, pytest.fail, runs=runs, rng=np.random.default_rng(0))


def test_the_audit_grants_chance_its_due():
    assert loss_lower_bound(5, 5, 10) == 0
    assert loss_lower_bound(0, 10, 10) == 0
    assert loss_lower_bound(10**6, 0, 10**6) > 11
