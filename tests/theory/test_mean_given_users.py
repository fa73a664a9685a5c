import itertools
import subprocess
import sys

import numpy as np
import pytest
from joblib import parallel_config
from scipy import stats

from laws import has_mean, same_law
from userdp.local.mean import KENT_MARGIN, localised_mean
from userdp_papers.populations.records import Signs
from userdp_papers.study.sweeps import sweep
from userdp_papers.theory.exact.votes import vote_law, winner_given_votes
from userdp_papers.theory.sampled import mean_given_users as kernels
from userdp_papers.theory.sampled.mean_given_users import (
    fair_sign_means,
    localised_draws,
    risks_given_means,
    risks_reference,
)

EPSILONS = [0.5, 1.0, 2.0, 4.0]


def populations(theta, n, m, count, seed):
    """Means of shifted signs, which may leave [-1, 1]: localising, refining, shifts."""
    rng = np.random.default_rng(seed)
    theta = np.broadcast_to(np.asarray(theta, dtype=float), (count,))
    means = 2 * rng.binomial(m, 0.5, (count, n)) / m - 1 + theta[:, None]
    return means[:, : n // 2], means[:, n // 2 :], theta


def literal_errors(users, width, epsilon, runs, seed, **options):
    """Squared errors of the package's own estimator on the first population, every report drawn."""
    rng = np.random.default_rng(seed)
    means, theta = np.concatenate([users[0][0], users[1][0]]), users[2][0]
    options = {"general": False, "every_report": True} | options
    values = [
        localised_mean(means, size=1, epsilon=epsilon, half_width=width, rng=rng, **options).value
        for _ in range(runs)
    ]
    return (np.array(values) - theta) ** 2


def repeated(users, runs):
    """The first population, `runs` times."""
    return tuple(np.repeat(x[:1], runs, axis=0) for x in users)


def votes_by_enumeration(held, epsilon, last=False):
    """Law of the winner by summing over every total vote of every bin."""
    users, out = sum(held), np.zeros(len(held))
    law = vote_law(users, epsilon)
    for totals in itertools.product(range(users + 1), repeat=len(held)):
        probability = np.prod([law[c][z] for c, z in zip(held, totals, strict=True)])
        winner = len(held) - 1 - np.argmax(totals[::-1]) if last else np.argmax(totals)
        out[winner] += probability
    return out


@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_vote_law_sums_the_bits(epsilon):
    keep = 1 / (1 + np.exp(-epsilon / 2))
    for c in range(4):
        law = np.zeros(4)
        for bits in itertools.product([0, 1], repeat=3):
            ones = [keep if u < c else 1 - keep for u in range(3)]
            law[sum(bits)] += np.prod([p if b else 1 - p for p, b in zip(ones, bits, strict=True)])
        assert vote_law(3, epsilon)[c] == pytest.approx(law, rel=1e-12)


@pytest.mark.parametrize("held", [(3,), (0, 3), (1, 0, 2), (2, 2, 0, 0), (0, 1, 1, 1)])
@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_winner_law_is_that_of_the_first_maximum(held, epsilon):
    law = winner_given_votes(held, epsilon)
    assert law == pytest.approx(votes_by_enumeration(held, epsilon), rel=1e-12)
    assert law.sum() == pytest.approx(1, rel=1e-12)
    if len(held) > 1:
        assert law != pytest.approx(votes_by_enumeration(held, epsilon, last=True), rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("m", [9, 100, 10**4])
def test_risks_are_those_of_the_reference(m):
    """Several means, bin edges, one bin, hundreds of bins, an odd number of users in each half."""
    theta = [-1.0, -0.98, -0.3, 0.0, 0.1, 0.25, 0.7, 1.0]
    users = populations(theta, 42, m, len(theta), seed=1)
    widths = [0.004, 0.0213, 0.05, 0.1, 0.25, 0.4, 1.0, 1.7]
    fast = risks_given_means(*users, widths=widths, epsilons=EPSILONS)
    slow = risks_reference(*users, widths=widths, epsilons=EPSILONS)
    assert fast == pytest.approx(slow, rel=1e-8, abs=1e-12)
    assert fast.shape == (8, 8, 4, 3)


def test_a_mean_at_the_end_of_the_range_is_at_home_in_the_last_bin():
    users = populations([1.0], 6, 9, 1, seed=1)
    fast, slow = (
        risks(*users, widths=[0.25], epsilons=[1.0]) for risks in (risks_given_means, risks_reference)
    )
    assert fast == pytest.approx(slow, rel=1e-8)


@pytest.mark.slow
def test_empty_bins_count_in_the_risk():
    """The control of the test above: a reference without them differs a thousand times more."""
    users = populations(0.1, 42, 100, 1, seed=1)
    risk = risks_given_means(*users, widths=[0.05], epsilons=[0.5])[0, 0, 0]
    held = np.bincount(((users[0][0] + 1) / 0.1).astype(int))
    few = winner_given_votes(held[held > 0], 0.5)
    assert few.sum() == pytest.approx(1)
    assert risk[2] > 0.1


@pytest.mark.statistical
@pytest.mark.parametrize(("width", "epsilon"), [(0.06, 0.5), (0.11, 1.0), (0.08, 2.0)])
def test_risks_are_the_means_of_literal_runs(width, epsilon):
    users = populations(0.21, 60, 50, 1, seed=2)
    squared = literal_errors(users, width, epsilon, 2000, seed=3)
    risk, fourth, _ = risks_given_means(*users, widths=[width], epsilons=[epsilon])[0, 0, 0]
    assert has_mean(squared, risk)
    assert has_mean(squared**2, fourth)
    other = risks_given_means(*users, widths=[width], epsilons=[1.5 * epsilon])[0, 0, 0, 0]
    assert not has_mean(squared, other)


@pytest.mark.statistical
def test_missed_is_the_share_of_runs_whose_interval_misses():
    users = populations(0.21, 60, 50, 1, seed=2)
    rng, means = np.random.default_rng(4), np.concatenate([users[0][0], users[1][0]])
    missed = []
    for _ in range(2000):
        low, high = localised_mean(
            means, size=1, epsilon=0.8, rng=rng, half_width=0.06, general=False
        ).clipped_to
        missed.append(not low <= 0.21 <= high)
    share = risks_given_means(*users, widths=[0.06], epsilons=[0.8])[0, 0, 0, 2]
    assert has_mean(np.array(missed, dtype=float), share)
    assert not has_mean(np.array(missed, dtype=float), 1.3 * share)


@pytest.mark.statistical
@pytest.mark.parametrize("theta", [-0.97, 0.21])
@pytest.mark.parametrize(("width", "epsilon"), [(0.06, 0.5), (0.3, 1.0), (0.08, 2.0), (1.0, 1.0)])
def test_draws_have_the_law_of_literal_runs(theta, width, epsilon):
    """Ten voters, so that ties are common."""
    users = populations(theta, 20, 50, 1, seed=5)
    rng = np.random.default_rng(6)
    fast = localised_draws(*repeated(users, 2000), widths=[width], epsilons=[epsilon], rng=rng)[0, :, 0]
    assert same_law(fast, literal_errors(users, width, epsilon, 2000, seed=7))
    assert not same_law(fast, literal_errors(users, width, 3 * epsilon, 2000, seed=8))


@pytest.mark.statistical
def test_draws_have_the_mean_that_risks_integrate():
    users = repeated(populations(0.21, 200, 1000, 1, seed=9), 20_000)
    options = {"widths": [0.02], "epsilons": [1.0]}
    drawn = localised_draws(*users, rng=np.random.default_rng(10), **options)[0, :, 0]
    risk = risks_given_means(*(x[:1] for x in users), **options)[0, 0, 0, 0]
    assert has_mean(drawn, risk)
    assert not has_mean(drawn, 1.3 * risk)


@pytest.mark.long
@pytest.mark.parametrize("n", [2, 20])
def test_the_risks_do_without_numba(monkeypatch, n):
    """Many bins and few, more of them than users and fewer, one; users at both ends and in the middle."""
    users = populations([-1.0, -0.6, 0.21, 1.0], n, 50, 4, seed=11)
    options = {"widths": [0.06, 0.3, 1.0], "epsilons": [0.5, 4.0]}
    risks = risks_given_means(*users, **options)
    monkeypatch.setattr(kernels, "njit", None)
    assert risks_given_means(*users, **options) == pytest.approx(risks, rel=1e-12)


@pytest.mark.long
@pytest.mark.parametrize(("n", "epsilon", "width"), [(20, 0.5, 0.06), (20, 3.0, 0.01), (60, 1.0, 1.0)])
def test_draws_are_the_same_bits_without_numba(monkeypatch, n, epsilon, width):
    """The compiled functions against their own source."""
    if pytest.importorskip("numba").config.DISABLE_JIT:
        pytest.skip("nothing is compiled")
    users = repeated(populations(-0.97, n, 50, 3, seed=17), 300)
    options = {"widths": [width, 0.3], "epsilons": [epsilon, 0.2]}
    drawn = localised_draws(*users, rng=np.random.default_rng(12), **options)
    compiled = [name for name, f in vars(kernels).items() if hasattr(f, "py_func")]
    assert "_run" in compiled
    for name in compiled:
        monkeypatch.setattr(kernels, name, getattr(kernels, name).py_func)
    assert np.array_equal(localised_draws(*users, rng=np.random.default_rng(12), **options), drawn)
    assert not np.array_equal(localised_draws(*users, rng=np.random.default_rng(13), **options), drawn)


def test_sign_means_are_the_same_bits_without_numba(monkeypatch):
    drawn = fair_sign_means(1001, (300, 200), np.random.default_rng(18))
    monkeypatch.setattr(kernels, "njit", None)
    assert np.array_equal(fair_sign_means(1001, (300, 200), np.random.default_rng(18)), drawn)


@pytest.mark.slow
def test_userdp_imports_without_numba():
    code = (
        "import sys; sys.modules['numba'] = None; import userdp, userdp_papers.theory.sampled; "
        "assert userdp_papers._compiled.njit is None"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def one_cell(rng, n):
    users = populations(rng.uniform(-0.3, 0.3, 20), n, 100, 20, seed=14)
    options = {"widths": [0.02, 0.1], "epsilons": EPSILONS}
    return localised_draws(*users, rng=rng, **options), risks_given_means(*users, **options)[..., 0]


@pytest.mark.slow
def test_numbers_do_not_depend_on_the_number_of_workers():
    grid = [{"n": n} for n in (20, 40, 60)]
    with parallel_config(backend="threading"):
        runs = [sweep(one_cell, grid, repetitions=1, seed=1, n_jobs=jobs) for jobs in (1, 2)]
    assert all(np.array_equal(a, b) for a, b in zip(*runs, strict=True))


def test_populations_must_be_finite_and_fit():
    voters, refiners, theta = populations(0.0, 20, 50, 2, seed=16)
    options = {"widths": [0.1], "epsilons": [1.0]}
    with pytest.raises(ValueError, match="must have shapes"):
        risks_given_means(voters, refiners[:, 1:], theta, **options)
    with pytest.raises(ValueError, match="refiners must hold numbers in .* got nan"):
        risks_given_means(voters, refiners * np.nan, theta, **options)


def test_a_quantile_is_never_searched_beyond_the_table():
    """Rounding may leave the last probability below 1: compiled code would read what stands behind it."""
    below = np.array([0.0, 0.3, 1 - 1e-9])
    assert [kernels._quantile(below, np.zeros(2, int), u) for u in (0.2, 0.3, 0.9, 1.0)] == [0, 0, 1, 1]


@pytest.mark.skipif(kernels.njit is None, reason="the inverse is compiled")
@pytest.mark.parametrize("m", [1, 2, 100, 1001, 10**6])
def test_inverse_of_the_sign_means_is_exact(m):
    points, counts = 2**18, np.arange(m + 1)
    u = (np.arange(points) + 0.5) / points
    kernels._invert(u, *kernels._inverse(m))
    assert (np.diff(u) >= 0).all()
    drawn = np.bincount(np.rint((u + 1) / 2 * m).astype(int), minlength=m + 1)

    def furthest(p):
        return np.abs(np.cumsum(drawn) - points * stats.binom.cdf(counts, m, p)).max()

    assert furthest(0.5) <= 1
    assert furthest(0.501) > 100


def test_sign_means_have_the_law_of_signs():
    rng = np.random.default_rng(71)
    drawn = fair_sign_means(50, (200, 100), rng).ravel()
    assert same_law(drawn, Signs(0.0).draw_means(np.full(20_000, 50), rng))
    assert not same_law(drawn, Signs(0.0).draw_means(np.full(20_000, 60), rng))


def test_the_margin_of_the_kernels_is_that_of_the_estimator():
    """Compiled code that is kept sees constants of its own file alone, so that this one stands twice."""
    assert kernels.MARGIN == KENT_MARGIN


@pytest.mark.parametrize("ratio", [0.05, 0.7, 0.999, 1 - 1e-13])
def test_the_first_of_the_fullest_empty_bins_is_geometric(ratio):
    """Bin j is the first with probability proportional to ratio^j: evenly where the ratio is next to 1."""
    uniform = (np.arange(20_000) + 0.5) / 20_000
    found = np.bincount([kernels._first_of(5, ratio, u) for u in uniform], minlength=5) / 20_000
    assert found == pytest.approx(ratio ** np.arange(5) / np.sum(ratio ** np.arange(5)), abs=1e-3)
    # Three times the largest uniform number is rounded to 3.
    assert kernels._first_of(3, ratio, np.nextafter(1, 0)) == 2
