"""Means under user-level local differential privacy (Kent, Berrett and Yu; DAME of Pla, Vono and Richard).

All estimators take the users' own means, shape (n,), with values in [-1, 1]; the order of the
users is public, the first n/2 localise and the last n/2 refine (an odd last user is left out).
Neighbouring inputs replace one user's whole data; each user sends one report.
"""

import numpy as np

from userdp import _validate
from userdp.guarantee import disjoint
from userdp.localise import Ballot, Bins
from userdp.randomisers import LaplaceReport, TwoPointReport, literal, project
from userdp.rates import dame_width
from userdp.results import MeanEstimate

# extra half-widths of the interval beyond the chosen bin
KENT_MARGIN = 2  # Algorithm 2, eq. (28)
KENT_GENERAL_MARGIN = 5  # Algorithm 10, line 18, epsilon > 1
DAME_MARGIN = 6  # Algorithm 1


def _means(means, at_least):
    means = np.asarray(means, dtype=float)
    if means.ndim != 1 or means.size < at_least:
        raise ValueError(f"means must have shape (n,) with n at least {at_least}, got shape {means.shape}")
    return means


def _average(randomiser, x, rng, every_report):
    """Average of one report for each of `x`."""
    randomiser = literal(randomiser) if every_report else randomiser
    return float(randomiser.unbias(randomiser.sample_total(x, rng), len(x)) / len(x))


def laplace_mean(means, *, epsilon, rng, every_report=False):
    """Average of the users' means, each with Laplace noise of scale 2 / epsilon.

    Output law: the average of the means plus the average of n Laplace variables.

    Parameters
    ----------
    means : array_like, shape (n,)
        Mean of each user; projected to [-1, 1].
    epsilon : float
        Local budget of each user, positive.
    rng : numpy.random.Generator
        Source of the noise.
    every_report : bool
        Draw every user's report instead of the exact law of their sum.

    Returns
    -------
    MeanEstimate
        Estimate with ``Guarantee(epsilon)``.

    Raises
    ------
    ValueError
        If `epsilon` is not positive or `means` is not one-dimensional.
    """
    return _one_round(LaplaceReport(-1.0, 1.0, epsilon), means, rng, every_report)


def duchi_mean(means, *, epsilon, rng, every_report=False):
    """Average of the users' two-point reports (Duchi, Jordan and Wainwright 2018).

    Output law: the average of n independent points ``+-B``, ``B = (e^epsilon + 1) / (e^epsilon - 1)``,
    whose means are the users' means.

    Parameters
    ----------
    means : array_like, shape (n,)
        Mean of each user; projected to [-1, 1].
    epsilon : float
        Local budget of each user, positive.
    rng : numpy.random.Generator
        Source of the randomness.
    every_report : bool
        Draw every user's report instead of the exact law of their sum.

    Returns
    -------
    MeanEstimate
        Estimate with ``Guarantee(epsilon)``.

    Raises
    ------
    ValueError
        If `epsilon` is not positive or `means` is not one-dimensional.
    """
    return _one_round(TwoPointReport(-1.0, 1.0, epsilon), means, rng, every_report)


def _one_round(randomiser, means, rng, every_report):
    means = _means(means, at_least=1)
    value = _average(randomiser, means, rng, every_report)
    return MeanEstimate(value, None, None, randomiser.guarantee)


def localised_width(n, size, *, epsilon):
    """Half-width of a bin, Kent's Delta, eq. (30) and (101), with T* = T as in the paper's simulations.

    Parameters
    ----------
    n : int
        Number of users.
    size : int
        Records each user holds, T.
    epsilon : float
        Local budget.

    Returns
    -------
    float
        ``sqrt(2 log(n T epsilon^2) / T)``, and ``sqrt(4 log(n T) / T)`` for epsilon above 1.

    Raises
    ------
    ValueError
        If ``n * size * epsilon**2`` is at most 1, where (30) is undefined.
    """
    _validate.integer(2, n=n)
    _validate.integer(1, size=size)
    _validate.positive(epsilon=epsilon)
    if epsilon > 1:
        return float(np.sqrt(4 * np.log(n * size) / size))
    information = n * size * epsilon**2
    _validate.exceeds_one("n * size * epsilon**2", information, " for the default width")
    return float(np.sqrt(2 * np.log(information) / size))


def localised_mean(means, size, *, epsilon, rng, width=None, general=None, every_report=False):
    """Localise, then refine, for users with equally many records (Kent, Algorithms 2-3 and 10-11).

    Output law: the first half votes for bins of half-width `width` by unary encoding, one vote each
    (three in the general procedure); the second half's means, projected to the chosen bin widened by 2
    (5) half-widths on either side, get Laplace noise scaled to that interval and are averaged.

    Parameters
    ----------
    means : array_like, shape (n,)
        Mean of each user over `size` records; projected to [-1, 1].
    size : int
        Records each user holds, T; it only sets the default width.
    epsilon : float
        Local budget of each user, positive.
    rng : numpy.random.Generator
        Source of the randomness.
    width : float, optional
        Half-width of a bin, Delta; `localised_width` by default.
    general : bool, optional
        Whether to run the general procedure, Algorithm 10's branch for epsilon above 1; by default it
        runs exactly there. False runs Algorithm 2, which is private at every epsilon, misses less often
        and adds a quarter of the noise variance.
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
        If a public parameter is out of range or `means` has fewer than two users.
    """
    means = _means(means, at_least=2)
    half = means.size // 2
    width = localised_width(2 * half, size, epsilon=epsilon) if width is None else width
    general = epsilon > 1 if general is None else general
    margin, reach = (KENT_GENERAL_MARGIN, 1) if general else (KENT_MARGIN, 0)
    ballot = Ballot(Bins(width), reach, epsilon)
    votes = ballot.count(means[:half], rng, every_report=every_report)
    lower, upper = ballot.bins.ends(int(np.argmax(votes)))
    report = LaplaceReport(lower - margin * width, upper + margin * width, epsilon)
    value = _average(report, means[half : 2 * half], rng, every_report)
    guarantee = disjoint(ballot.randomiser.guarantee, report.guarantee)
    return MeanEstimate(value, (report.low, report.high), votes, guarantee)


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
        Effective maximum size m~, at least 1; see `userdp.rates.dame_size_cap`.
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
