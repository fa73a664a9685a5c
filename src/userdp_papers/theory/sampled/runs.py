"""Many runs of a local estimator at once, drawn without drawing each user's report.

For simulations. The distributions are exactly those of running the estimator itself.
"""

from dataclasses import dataclass, replace

import numpy as np

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, Floats, Rng
from userdp.local._rounds import UNIT, Options, Rounds, users_table
from userdp.local.mean import localised_rounds
from userdp.local.sparse import Hashes, Order, hash_report, refined, select_coordinates, tuned
from userdp.local.unequal import dame_rounds, matching_sizes
from userdp.privacy.guarantee import disjoint
from userdp.privacy.reports import project
from userdp.privacy.results import Release, SparseEstimate
from userdp.sizes import SizeLaw
from userdp_papers.populations.sparse import SparseSigns


@public
@dataclass(frozen=True)
class MeanRuns(Release[Floats]):
    """Estimates of a mean in independent runs on the same users, for simulations.

    The guarantee is that of one run, and is used up once for each run that is released.

    Parameters
    ----------
    clipped_to : shape (runs, 2)
        The interval of each run.
    """

    clipped_to: Floats


@public
def localised_mean_runs(
    means: ArrayLike,
    *,
    size: int,
    epsilon: float,
    runs: int,
    half_width: float | None = None,
    general: bool | None = None,
    rng: Rng,
) -> MeanRuns:
    """Draw independent runs of `localised_mean` on the same users, for simulations.

    Output distribution: that of so many calls. What the users contribute is summed once. The parameters are
    those of `localised_mean`, without a domain, and the number of runs.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user, in ``[-1, 1]``.
    size
        Records of each user.
    epsilon
        Budget of each user.
    runs
        Number of runs, at least 1.

    Returns
    -------
    MeanRuns
        Value and interval of each run.

    Examples
    --------
    >>> users, rng = np.full(10_000, 0.3), np.random.default_rng(1)
    >>> options = {"size": 1000, "epsilon": 1.0, "runs": 3}
    >>> localised_mean_runs(users, rng=rng, **options).value.round(2)
    array([0.29, 0.3 , 0.3 ])
    """
    x = users_table("n", 2, epsilon, rng, means=means)
    how = Options(size, epsilon, half_width, general, False, False, rng)
    return _drawn(localised_rounds(x, how), runs, rng)


@public
def dame_runs(
    means: ArrayLike,
    sizes: ArrayLike,
    *,
    epsilon: float,
    size_law: SizeLaw,
    size_cap: int,
    runs: int,
    rng: Rng,
) -> MeanRuns:
    """Draw independent runs of `dame` on the same users, for simulations.

    Output distribution: that of so many calls. What the users contribute is summed once. The parameters are
    those of `dame`, without a domain, and the number of runs.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user, in ``[-1, 1]``.
    sizes : shape (n,)
        Records of each user.
    epsilon
        Budget of each user.
    size_law
        Distribution of the sizes.
    size_cap
        Effective maximum size ``m~``, which is also what a user needs in order to vote.
    runs
        Number of runs, at least 1.

    Returns
    -------
    MeanRuns
        Value and interval of each run.

    Examples
    --------
    >>> from userdp.sizes import constant_size
    >>> means, sizes = np.full(20_001, 0.3), np.full(20_001, 900)
    >>> sized = {"size_law": constant_size(900), "size_cap": 900}
    >>> options = {"epsilon": 1.0, "runs": 3, "rng": np.random.default_rng(1)}
    >>> dame_runs(means, sizes, **sized, **options).value.round(1)
    array([0.3, 0.3, 0.3])
    """
    x = project(users_table("n", 2, epsilon, rng, means=means), *UNIT)
    result = _drawn(
        dame_rounds(x, matching_sizes(sizes, x, size_law), epsilon, size_law, size_cap, False), runs, rng
    )
    return replace(result, clipped_to=np.clip(result.clipped_to, *UNIT))


@public
def simulate_selection(
    population: SparseSigns,
    *,
    n: int,
    size: int,
    sparsity: int,
    epsilon: float,
    threshold: float | None = None,
    clip: float | None = None,
    half_width: float | None = None,
    general: bool = False,
    order: Order = "index",
    rng: Rng,
) -> SparseEstimate:
    """Draw what `sparse_selection` returns for users of a population.

    Output distribution: that of `sparse_selection` on the means that the population draws. Only the hashed
    sums of the first half and the means of the second half in the selected coordinates are drawn. The other
    parameters are those of `sparse_selection`.

    Parameters
    ----------
    population
        Distribution of the records.
    n
        Number of users.

    Returns
    -------
    SparseEstimate

    Examples
    --------
    >>> users = SparseSigns(500, 2, 0.6)
    >>> options = {"size": 1000, "sparsity": 2, "epsilon": 1.0, "clip": 2.0}
    >>> rng = np.random.default_rng(1)
    >>> simulate_selection(users, n=200_000, rng=rng, **options).selected
    array([0, 1])
    """
    _validate.integer(4, 10**8, n=n)
    d, half = population.d, n // 2
    how = Options(size, epsilon, half_width, general, False, False, rng)
    how, threshold, clip = tuned(how, n, d, sparsity, threshold, clip)
    hashes = Hashes.draw(half, d, rng)
    sums = population.draw_sums(hashes, size, threshold, rng)
    report = hash_report(clip, epsilon)
    voted = Release(hashes.scores(report.privatise(sums, rng)), report.guarantee)
    selected = select_coordinates(voted.value, sparsity, order=order)
    return refined(population.draw_columns(selected, size, half, rng), selected, voted, disjoint, how)


def _drawn(rounds: Rounds, runs: int, rng: Rng) -> MeanRuns:
    """Draw both rounds several times, the runs that choose one bin together."""
    _validate.integer(1, runs=runs)
    held = rounds.ballot.held(rounds.voters, rounds.eligible)
    votes = rounds.ballot.randomiser.sample_total_of_counts(np.tile(held, (runs, 1)), len(rounds.voters), rng)
    chosen, value, interval = votes.argmax(axis=1), np.empty(runs), np.empty((runs, 2))
    for j in np.unique(chosen):
        report, x, finish = rounds.refine(int(j))
        ours = chosen == j
        value[ours] = finish(report.sample_totals(x, int(ours.sum()), rng) / x.size)
        interval[ours] = report.low, report.high
    return MeanRuns(value, disjoint(rounds.ballot.randomiser.guarantee, report.guarantee), interval)
