"""Means under user-level local differential privacy (Kent, Berrett and Yu; DAME of Pla, Vono and Richard).

All estimators take the users' own means, shape (n,), with values in [-1, 1]; the order of the
users is public, the first n/2 localise and the last n/2 refine (an odd last user is left out).
Neighbouring inputs replace one user's whole data; each user sends one report.
"""

import numpy as np

from userdp import _validate
from userdp.local.localise import Ballot, Bins
from userdp.privacy.guarantee import disjoint
from userdp.privacy.reports import LaplaceReport, TwoPointReport, literal
from userdp.privacy.results import MeanEstimate

__all__ = [
    "KENT_MARGIN",
    "KENT_GENERAL_MARGIN",
    "laplace_mean",
    "duchi_mean",
    "localised_width",
    "localised_mean",
]

# extra half-widths of the interval beyond the chosen bin
KENT_MARGIN = 2  # Algorithm 2, eq. (28)
KENT_GENERAL_MARGIN = 5  # Algorithm 10, line 18, epsilon > 1


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
