"""Means of the components of a mixture (Kent, Algorithm 9).

Each user draws all records from one of several components and does not know from which. The first third of
the users finds a bin for each component, the second third finds what fraction of the users each component
has, and the last third finds the means. The whole data of one user are protected; the order of the users is
public, and each sends one report. The steps work along the last axis, so that a simulation can run many
replicates at once.
"""

import numpy as np

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, NDArray, Rng
from userdp.local._rounds import average_report, log_information, users_table
from userdp.local.localise import Ballot, Bins
from userdp.privacy.guarantee import disjoint
from userdp.privacy.reports import HashedReport, UnaryEncoding, project
from userdp.privacy.results import MixtureEstimate

MIXTURE_CONSTANT = 2.0  # Delta = constant sqrt(log(n T epsilon^2) / T), eq. (49)
MIXTURE_SIMULATION_CONSTANT = 0.25  # in the paper's simulations at epsilon 2 and 4, Appendix A.1
MIXTURE_MARGIN = 3  # half-widths on either side of a midpoint that a report covers, eq. (55)


@public
def mixture_half_width(*, n: int, size: int, epsilon: float, constant: float = MIXTURE_CONSTANT) -> float:
    r"""Half-width of a bin (Kent, eq. (49)).

    For n users of T records each it is ``constant sqrt(log(n T epsilon^2) / T)``. In the paper it is called
    :math:`\Delta`; the effective number of records ``T^*`` is here T itself, as in the paper's simulations.

    Parameters
    ----------
    n
        Number of users.
    size
        Records T that each user holds; ``n T epsilon^2`` must exceed 1.
    epsilon
        Local privacy budget of each user, positive.
    constant
        2 in eq. (49); `MIXTURE_SIMULATION_CONSTANT` in the paper's simulations.
    """
    _validate.positive(epsilon=epsilon, constant=constant)
    return float(constant * np.sqrt(log_information(n, size, epsilon**2, least=3) / size))


@public
def chosen_bins(votes: ArrayLike, components: int) -> NDArray:
    """Bins with the most votes no two of which are adjacent, in increasing order (eq. (51)).

    Parameters
    ----------
    votes : shape (..., bins)
        Vote totals; of equally many votes those of the first bin count.
    components
        How many bins to choose. There must be at least ``3 components - 2`` bins, so that every greedy choice
        works.

    Returns
    -------
    ndarray of int, shape (..., components)
        The chosen bins.

    Examples
    --------
    >>> chosen_bins([5, 9, 8, 1, 0, 7, 2], 2)
    array([1, 5])
    """
    _validate.integer(1, components=components)
    left = np.array(votes, dtype=float)
    count = left.shape[-1]
    most = (count + 2) // 3
    if components > most:
        raise ValueError(f"components must be at most {most} for {count} bins, got {components!r}")
    chosen = []
    for _ in range(components):
        best = np.argmax(left, axis=-1)[..., None]
        chosen.append(best)
        left[np.abs(np.arange(count) - best) <= 1] = -np.inf
    return np.sort(np.concatenate(chosen, axis=-1))


@public
def nearest_midpoint(means: NDArray, midpoints: NDArray) -> NDArray:
    """Index of the midpoint nearest to each mean, the first of two.

    Parameters
    ----------
    means : shape (..., n)
        Mean of each user.
    midpoints : shape (..., k)
        The midpoints, in increasing order.
    """
    boundaries = (midpoints[..., 1:] + midpoints[..., :-1]) / 2
    # components first: a sum along a short last axis is many times slower
    return (means > np.moveaxis(boundaries, -1, 0)[..., None]).sum(axis=0)


@public
def containing_bin(means: NDArray, bins: Bins, chosen: NDArray) -> NDArray:
    """Position of each mean's bin among the `chosen` bins, or -1: one reading of (53).

    Parameters
    ----------
    means : shape (..., n)
        Mean of each user.
    bins
        The bins.
    chosen : shape (..., k)
        Indices of the chosen bins.
    """
    own, columns = bins.index(means), np.moveaxis(chosen, -1, 0)[..., None]
    return sum(k * (own == column) for k, column in enumerate(columns, 1)) - 1


@public
def component_means(midpoints: NDArray, averages: NDArray, proportions: NDArray, *, floor: float) -> NDArray:
    """Midpoint plus average report over proportion, without the second term below `floor` (eq. (56)).

    Parameters
    ----------
    midpoints : shape (..., k)
        Centres of the chosen bins.
    averages : shape (..., k)
        Average report for each component.
    proportions : shape (..., k)
        Estimated fraction of the users in each component.
    floor
        Proportion below which the estimate is the midpoint.
    """
    kept = proportions >= floor
    return midpoints + np.where(kept, averages / np.where(kept, proportions, 1.0), 0.0)


@public
def mixture_means(
    means: ArrayLike,
    *,
    size: int,
    components: int,
    epsilon: float,
    half_width: float | None = None,
    floor: float | None = None,
    printed: bool = False,
    every_report: bool = False,
    rng: Rng,
) -> MixtureEstimate:
    """Estimate the means of the components of a mixture (Kent, Algorithm 9).

    Output distribution:

    1. The first third of the users votes for bins of half-width `half_width` by unary encoding; the centres
       of the k bins with the most votes, no two of which are adjacent, are the midpoints.
    2. The second third tells by unary encoding which midpoint is nearest, which gives the proportions.
    3. The last third sends its distance from the nearest midpoint, projected to 3 half-widths, as a
       `HashedReport`. Estimate j is midpoint j plus the j-th sum of these reports over the estimated number
       of users of component j.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user over `size` records; projected to ``[-1, 1]``. One or two users beyond a multiple of
        three are left out.
    size
        Records that each user holds; it only sets the default half-width.
    components
        Number k of components; at least ``3 k - 2`` bins are needed.
    epsilon
        Local privacy budget of each user, positive.
    half_width
        Half-width of a bin; `mixture_half_width` by default.
    floor
        An estimated proportion below this is not divided by, and the estimate is the midpoint; by default
        ``1 / (100 k)``, as in the paper's simulations.
    printed
        Whether the second third follows (53) as our text has it, and votes for the chosen bin that contains
        the mean instead of the nearest midpoint. This is as private, but it misses users whose mean falls
        into an adjacent bin, so that the estimates are not consistent.
    every_report
        Whether to draw each user's report; by default their sum is drawn from its exact
        distribution, which is faster.
    rng
        Generator of NumPy, or `userdp.release.Secure` for a release in earnest.

    Returns
    -------
    MixtureEstimate
        The estimates `value`, shape (k,), their `guarantee`, the `midpoints`, `proportions` and `votes`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> means = rng.permutation(np.repeat([-0.5, 0.5], 20_000))
    >>> options = {"size": 1000, "components": 2, "epsilon": 1.0}
    >>> result = mixture_means(means, rng=rng, **options)
    >>> result.value.round(1), result.guarantee.epsilon
    (array([-0.5,  0.5]), 1.0)
    """
    x = project(users_table("n", 3, epsilon, rng, means=means), -1.0, 1.0)
    _validate.integer(1, size=size, components=components)
    floor = 1 / (100 * components) if floor is None else floor
    _validate.positive(floor=floor)
    if half_width is None:
        half_width = mixture_half_width(n=x.size, size=size, epsilon=epsilon)
    third = x.size // 3
    first, second, last = x[: 3 * third].reshape(3, third)

    ballot = Ballot(Bins(half_width), 0, epsilon)
    votes = ballot.count(first, rng, every_report=every_report)
    chosen = chosen_bins(votes, components)
    midpoints = ballot.bins.centre(chosen)

    share = UnaryEncoding(components, 1, epsilon)
    own = containing_bin(second, ballot.bins, chosen) if printed else nearest_midpoint(second, midpoints)
    proportions = average_report(share, own[:, None], third, every_report, rng)

    report = HashedReport(components, MIXTURE_MARGIN * half_width, epsilon)
    own = nearest_midpoint(last, midpoints)
    averages = average_report(report, (last - midpoints[own], own), third, every_report, rng)
    value = component_means(midpoints, averages, proportions, floor=floor)
    guarantee = disjoint(ballot.randomiser.guarantee, share.guarantee, report.guarantee)
    return MixtureEstimate(value, guarantee, midpoints, proportions, votes)
