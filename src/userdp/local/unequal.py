"""The mean of users with unequally many records: DAME of Pla, Vono and Richard (2025), Algorithm 1."""

import numpy as np

from userdp import _validate
from userdp.local.localise import Ballot, Bins
from userdp.local.mean import _average, _means
from userdp.privacy.guarantee import disjoint
from userdp.privacy.reports import LaplaceReport, project
from userdp.privacy.results import MeanEstimate

__all__ = ["DAME_MARGIN", "size_weight", "shrink", "debias", "dame", "dame_log", "dame_width"]

DAME_MARGIN = 6  # Algorithm 1


def size_weight(sizes, size_cap):
    """Weight sqrt(min(m, m~) / m~) of each user's own mean against the bin's centre (DAME, before (8))."""
    return np.sqrt(np.minimum(sizes, float(size_cap)) / size_cap)


def shrink(means, sizes, *, size_cap, centre):
    """Average each mean with `centre`: weight sqrt(min(m, m~) / m~) for the mean, the rest for the centre."""
    weight = size_weight(sizes, size_cap)
    return weight * means + (1 - weight) * centre


def debias(average, *, size_law, size_cap, centre):
    """Undo the shrinkage in the average of the reports (DAME, eq. (9)), using E of the weight."""
    weight = size_law.mean_root(size_cap) / np.sqrt(size_cap)
    return float((average - (1 - weight) * centre) / weight)


def dame(means, sizes, *, epsilon, size_law, size_cap, rng, printed=False, every_report=False):
    """Localise, then refine, for users with unequally many records (DAME, Algorithm 1).

    Output law: those of the first half who hold at least `size_cap` records vote for their bin and its
    two neighbours by unary encoding, the others for none; the second half's means, shrunk towards the
    centre of the chosen bin by sqrt(min(m, m~) / m~) and projected to that bin widened by 6 half-widths,
    get Laplace noise of scale 14 tau / epsilon, are averaged and freed of the shrinkage by eq. (9).

    Parameters
    ----------
    means : array_like, shape (n,)
        Mean of each user; projected to [-1, 1].
    sizes : array_like of int, shape (n,)
        Records each user holds; private like the means. Values below 1 count as 1.
    epsilon : float
        Local budget of each user, positive.
    size_law : FiniteSizes or PowerLawSizes
        Public law of the sizes (H1).
    size_cap : int
        Effective maximum size m~, at least 1; see `userdp.theory.dame_bounds.dame_size_cap`.
    rng : numpy.random.Generator
        Source of the randomness.
    printed : bool
        Algorithm 1 to the letter: closed bins, which cost up to a third more than `epsilon`, and a last bin
        that may overhang 1, which biases the estimate near theta = 1.
    every_report : bool
        Draw every user's report instead of the exact laws of their sums.

    Returns
    -------
    MeanEstimate
        Estimate, interval and votes, with the guarantee of the costlier of the two rounds: a user takes
        part in one.

    Raises
    ------
    ValueError
        If a public parameter is out of range or `means` and `sizes` differ in shape.
    """
    means = project(_means(means, at_least=2), -1.0, 1.0)
    sizes = np.asarray(sizes)
    if sizes.shape != means.shape:
        raise ValueError(f"sizes must match means in shape, got {sizes.shape} and {means.shape}")
    half = means.size // 2
    tau = dame_width(size_cap, n=2 * half, epsilon=epsilon)
    ballot = Ballot(Bins(tau, truncated=not printed), 1, epsilon, closed=printed)
    votes = ballot.count(means[:half], rng, eligible=sizes[:half] >= size_cap, every_report=every_report)
    report, centre = _dame_report(ballot.bins, int(np.argmax(votes)), epsilon)
    refining = slice(half, 2 * half)
    shrunk = shrink(means[refining], np.maximum(sizes[refining], 1), size_cap=size_cap, centre=centre)
    # only the printed centre can leave [-1, 1] and take a shrunk mean with it
    average = _average(report, project(shrunk, -1.0, 1.0), rng, every_report)
    value = debias(average, size_law=size_law, size_cap=size_cap, centre=centre)
    guarantee = disjoint(ballot.randomiser.guarantee, report.guarantee)
    interval = (max(report.low, -1.0), min(report.high, 1.0))
    return MeanEstimate(value, interval, votes, guarantee)


def _dame_report(bins, chosen, epsilon):
    """Randomiser and centre of the second round: a domain of 14 half-widths about the chosen bin."""
    lower, _ = bins.ends(chosen)
    low = lower - DAME_MARGIN * bins.tau
    return LaplaceReport(low, low + 2 * (DAME_MARGIN + 1) * bins.tau, epsilon), bins.centre(chosen)


def dame_log(size_cap, *, n, epsilon, c4=8.0):
    """L = ln(c4 (sqrt(m~ n epsilon^2) or 1)), the logarithm in (4) and (11)."""
    return float(np.log(c4 * max(np.sqrt(size_cap * n * epsilon**2), 1.0)))


def dame_width(size_cap, *, n, epsilon):
    """Half-width tau of DAME's bins, eq. (4)."""
    _validate.integer(1, size_cap=size_cap)
    _validate.integer(2, n=n)
    _validate.positive(epsilon=epsilon)
    return float(np.sqrt(2 * dame_log(size_cap, n=n, epsilon=epsilon) / size_cap))
