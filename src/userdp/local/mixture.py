"""Means of the components of a mixture under user-level local privacy (Kent et al., Algorithm 9).

Each user draws all records from one component and does not know which. The first third of the users
finds k bins, the second the share of each component, the last the means. Neighbouring inputs replace one
user's whole data; the order of the users is public and each sends one report. The steps work along the
last axis, so that a simulation can run many replicates at once.
"""

import numpy as np

from userdp import _validate
from userdp.local.localise import Ballot, Bins
from userdp.local.mean import _means
from userdp.privacy.guarantee import disjoint
from userdp.privacy.reports import HashedReport, UnaryEncoding, literal, project
from userdp.privacy.results import MixtureEstimate

__all__ = [
    "SIMULATION_WIDTH",
    "MARGIN",
    "mixture_width",
    "chosen_bins",
    "nearest",
    "inside",
    "combine",
    "mixture_means",
]

WIDTH = 2.0  # Delta = WIDTH sqrt(log(n T epsilon^2) / T), eq. (49)
SIMULATION_WIDTH = 0.25  # the same constant in the paper's simulations at epsilon 2 and 4, Appendix A.1
MARGIN = 3  # half-widths on either side of a midpoint that a report covers, eq. (55)


def mixture_width(n, size, *, epsilon, constant=WIDTH):
    """Half-width of a bin, Kent's Delta, eq. (49), with T* = T as in the paper's simulations.

    Parameters
    ----------
    n : int
        Number of users.
    size : int
        Records each user holds, T.
    epsilon : float
        Local budget.
    constant : float
        Factor in front: 2 in (49), `SIMULATION_WIDTH` in the paper's simulations.

    Returns
    -------
    float
        ``constant sqrt(log(n T epsilon^2) / T)``.

    Raises
    ------
    ValueError
        If ``n * size * epsilon**2`` is at most 1, where (49) is undefined.
    """
    _validate.integer(3, n=n)
    _validate.integer(1, size=size)
    _validate.positive(epsilon=epsilon, constant=constant)
    information = n * size * epsilon**2
    _validate.exceeds_one("n * size * epsilon**2", information, " for the default width")
    return float(constant * np.sqrt(np.log(information) / size))


def chosen_bins(votes, components):
    """Bins with the most votes no two of which are adjacent, increasing (eq. (51)).

    Parameters
    ----------
    votes : array_like, shape (..., bins)
        Vote totals; there must be at least ``3 components - 2`` bins, so that every greedy choice works.
    components : int
        Number of bins to choose.

    Returns
    -------
    ndarray of int, shape (..., components)
        The chosen bins; the first of several with equally many votes.

    Raises
    ------
    ValueError
        If there are too few bins.
    """
    _validate.integer(1, components=components)
    left = np.array(votes, dtype=float)
    count = left.shape[-1]
    if count < 3 * components - 2:
        raise ValueError(
            f"components must be at most {(count + 2) // 3} for {count} bins, got {components!r}"
        )
    chosen = []
    for _ in range(components):
        best = np.argmax(left, axis=-1)[..., None]
        chosen.append(best)
        left[np.abs(np.arange(count) - best) <= 1] = -np.inf
    return np.sort(np.concatenate(chosen, axis=-1))


def nearest(means, midpoints):
    """Index (..., n) of the nearest midpoint, the first of two; `midpoints` (..., k) increase."""
    boundaries = (midpoints[..., 1:] + midpoints[..., :-1]) / 2
    return (means[..., None] > boundaries[..., None, :]).sum(axis=-1)


def inside(means, bins, chosen):
    """Position (..., n) of each mean's bin among the `chosen` bins (..., k), else -1: the printed (53)."""
    position = np.arange(1, chosen.shape[-1] + 1)
    return (bins.index(means)[..., None] == chosen[..., None, :]) @ position - 1


def combine(midpoints, averages, proportions, *, floor):
    """Midpoint plus average report over proportion, without the second term below `floor` (eq. (56))."""
    kept = proportions >= floor
    return midpoints + np.where(kept, averages / np.where(kept, proportions, 1.0), 0.0)


def mixture_means(
    means,
    size,
    *,
    components,
    epsilon,
    rng,
    width=None,
    floor=None,
    printed=False,
    every_report=False,
):
    """Estimate the means of the components of a mixture (Kent, Algorithm 9).

    Output law: the first third of the users votes for bins of half-width `width` by unary encoding, and the
    k best bins no two of which are adjacent give the midpoints; the second third tells by unary encoding
    which midpoint is nearest, which gives the proportions; the last third sends its distance from the
    nearest midpoint, projected to 3 half-widths, as a `HashedReport`. Estimate j is midpoint j plus the j-th
    sum of these over the estimated number of users of component j.

    Parameters
    ----------
    means : array_like, shape (n,)
        Mean of each user over `size` records; projected to [-1, 1]. One or two users beyond a multiple of
        three are left out.
    size : int
        Records each user holds, T; it only sets the default width.
    components : int
        Number of components k; ``3 k - 2`` bins are needed.
    epsilon : float
        Local budget of each user, positive.
    rng : numpy.random.Generator
        Source of the randomness.
    width : float, optional
        Half-width of a bin, Delta; `mixture_width` by default.
    floor : float, optional
        An estimated proportion below this is not divided by and the estimate is the midpoint; by default
        ``1 / (100 k)``, as in the paper's simulations.
    printed : bool
        Second third as printed in (53): votes for the chosen bin in which the mean lies and not for the
        nearest midpoint. As private, but it misses users whose mean falls into a neighbouring bin, so
        that the estimates are not consistent.
    every_report : bool
        Draw every user's report instead of the exact laws of their sums.

    Returns
    -------
    MixtureEstimate
        Estimates in the order of the midpoints, with the guarantee of the costliest of the three rounds.

    Raises
    ------
    ValueError
        If a public parameter is out of range, there are fewer than three users, or the bins are too few.
    """
    means = project(_means(means, at_least=3), -1.0, 1.0)
    _validate.integer(1, components=components)
    floor = 1 / (100 * components) if floor is None else floor
    _validate.positive(floor=floor)
    width = mixture_width(means.size, size, epsilon=epsilon) if width is None else width
    third = means.size // 3
    first, second, last = means[: 3 * third].reshape(3, third)

    def average(randomiser, x):
        randomiser = literal(randomiser) if every_report else randomiser
        return randomiser.unbias(randomiser.sample_total(x, rng), third) / third

    ballot = Ballot(Bins(width), 0, epsilon)
    votes = ballot.count(first, rng, every_report=every_report)
    chosen = chosen_bins(votes, components)
    midpoints = ballot.bins.centre(chosen)

    share = UnaryEncoding(components, 1, epsilon)
    own = inside(second, ballot.bins, chosen) if printed else nearest(second, midpoints)
    proportions = average(share, own[:, None])

    report = HashedReport(components, MARGIN * width, epsilon)
    own = nearest(last, midpoints)
    averages = average(report, (last - midpoints[own], own))
    value = combine(midpoints, averages, proportions, floor=floor)
    guarantee = disjoint(ballot.randomiser.guarantee, share.guarantee, report.guarantee)
    return MixtureEstimate(value, midpoints, proportions, votes, guarantee)
