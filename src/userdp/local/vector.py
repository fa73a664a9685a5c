"""Mean vectors under user-level local differential privacy (Kent, Berrett and Yu, sections 3 and E).

Coordinates are shared out: the users are cut into d folds, each fold estimates one coordinate by
`userdp.local.mean.localised_mean`; with a budget above 1 a user serves in several folds. On the l2 ball
a random rotation first makes all coordinates of a user's mean equally small.
"""

import numpy as np
from scipy.linalg import hadamard

from userdp import _validate
from userdp.local.mean import localised_mean
from userdp.privacy.guarantee import disjoint, sequential
from userdp.privacy.results import VectorEstimate
from userdp.privacy.vector_reports import BallReport, CubeReport, to_unit_ball

__all__ = [
    "folds",
    "shares",
    "localised_vector_mean",
    "rotation",
    "rotated_width",
    "rotated_vector_mean",
    "duchi_vector_mean",
]

BALLS = ("cube", "l2")
# C of eq. (34): the proof asks for a universal constant that it does not name, the simulations state none
ROTATED_CONSTANT = 1.0


def _rows(means):
    means = np.asarray(means, dtype=float)
    if means.ndim != 2 or means.shape[1] < 1:
        raise ValueError(f"means must have shape (n, d) with d at least 1, got shape {means.shape}")
    return means


def folds(n, d):
    """Cut the users into `d` folds, each with as many who localise as who refine (Algorithm 4, eq. (31)).

    Parameters
    ----------
    n : int
        Number of users; an odd last one is left out.
    d : int
        Number of folds, at least 1; n must be at least 2 d.

    Returns
    -------
    list of (ndarray, ndarray)
        Indices of each fold's localising users, all in the first half, and of its refining users, all
        in the second half. Fold sizes differ by at most one where 2 d does not divide n.

    Raises
    ------
    ValueError
        If a fold would be empty.
    """
    _validate.integer(1, d=d)
    _validate.integer(2 * d, n=n)
    half = n // 2
    return [(part, half + part) for part in np.array_split(np.arange(half), d)]


def shares(d, *, epsilon, general=None, printed=False):
    """How a budget is spread over coordinates: in how many folds a user serves and at what budget each.

    Parameters
    ----------
    d : int
        Number of coordinates.
    epsilon : float
        Local budget of each user.
    general : bool, optional
        Whether to spread a budget above 1 (Algorithms 12 and 13); by default it is spread. Otherwise
        a user serves in one fold and spends all there (Algorithms 4 and 5).
    printed : bool
        Algorithms 12 and 13 to the letter: floor(epsilon) + 1 folds for epsilon in (1, d].

    Returns
    -------
    count : int
        Folds in which a user serves.
    budget : float
        Budget spent in each.
    """
    _validate.integer(1, d=d)
    _validate.positive(epsilon=epsilon)
    if epsilon <= 1 or general is False:
        return 1, float(epsilon)
    if epsilon > d:
        return int(d), epsilon / d
    return min(int(epsilon) + bool(printed), int(d)), 1.0


def localised_vector_mean(
    means, size, *, epsilon, rng, width=None, general=None, printed=False, every_report=False
):
    """Localise and refine each coordinate in a fold of its own (Kent, Algorithms 4 and 12).

    Output law: coordinate j is `userdp.local.mean.localised_mean` on coordinate j of the means of folds
    j, j + 1, ..., as many as `shares` says, at the budget that it says; folds overlap for epsilon >= 2
    only, so below that the coordinates are independent.

    Parameters
    ----------
    means : array_like, shape (n, d)
        Mean of each user over `size` records, in [-1, 1]^d; projected to it.
    size : int
        Records each user holds; it only sets the default width.
    epsilon : float
        Local budget of each user, positive; neighbours replace one user's whole data.
    rng : numpy.random.Generator
        Source of the randomness.
    width : float, optional
        Half-width of a bin; by default `userdp.local.mean.localised_width` of a coordinate's own number
        of users and budget.
    general : bool, optional
        Whether to spread a budget above 1 over several folds (Algorithm 12), the default there;
        False spends all in one fold with single votes (Algorithm 4), at ordinary budgets a smaller risk.
    printed : bool
        Serve in one fold too many, as Algorithm 12 prints it; the guarantee says what that costs.
    every_report : bool
        Draw every user's report instead of the exact laws of their sums.

    Returns
    -------
    VectorEstimate
        Estimate, and that of each coordinate, with the guarantee composed over the folds of a user.

    Raises
    ------
    ValueError
        If a public parameter is out of range or a fold would be empty.
    """
    means = _rows(means)
    n, d = means.shape
    count, budget = shares(d, epsilon=epsilon, general=general, printed=printed)
    parts = folds(n, d)
    estimates = tuple(
        localised_mean(
            means[_members(parts, j, count), j],
            size,
            epsilon=budget,
            rng=rng,
            width=width,
            general=False if general is False else None,
            every_report=every_report,
        )
        for j in range(d)
    )
    # over the coordinates a user meets the costliest `count`, and all cost the same
    guarantee = sequential(*[disjoint(*(e.guarantee for e in estimates))] * count)
    return VectorEstimate(np.array([e.value for e in estimates]), estimates, guarantee)


def _members(parts, j, count):
    """Users of folds j .. j + count - 1, wrapped around: those who localise, then those who refine."""
    served = [parts[(j + k) % len(parts)] for k in range(count)]
    return np.concatenate([localising for localising, _ in served] + [refining for _, refining in served])


def rotation(d, rng):
    """Random rotation ``H W / sqrt(d)``: a Hadamard matrix times random signs (Kent, eq. (33)).

    Parameters
    ----------
    d : int
        Dimension, a power of 2.
    rng : numpy.random.Generator
        Source of the public signs.

    Returns
    -------
    ndarray, shape (d, d)
        An orthogonal matrix.

    Raises
    ------
    ValueError
        If `d` is not a power of 2.
    """
    _validate.integer(1, d=d)
    if d & (d - 1):
        raise ValueError(f"d must be a power of 2, got {d!r}")
    return hadamard(d) * rng.choice([-1.0, 1.0], d) / np.sqrt(d)


def rotated_width(n, size, d, *, epsilon, constant=ROTATED_CONSTANT):
    """Half-width of a bin after the rotation, eq. (34) with T* = T.

    Parameters
    ----------
    n : int
        Number of users.
    size : int
        Records each user holds.
    d : int
        Dimension after padding.
    epsilon : float
        Local budget of each user.
    constant : float
        C of eq. (34).

    Returns
    -------
    float
        ``sqrt(constant / (d size)) log(n size z)`` with ``z = min(epsilon, epsilon^2, d)``. The printed
        Algorithm 13 lacks the 1 / d and one logarithm, against its own proof.

    Raises
    ------
    ValueError
        If a parameter is out of range or ``n * size * z`` is at most 1.
    """
    _validate.integer(2, n=n)
    _validate.integer(1, size=size, d=d)
    _validate.positive(epsilon=epsilon, constant=constant)
    information = n * size * min(epsilon, epsilon**2, d)
    _validate.exceeds_one("n * size * epsilon**2", information, " for the default width")
    return float(np.sqrt(constant / (d * size)) * np.log(information))


def rotated_vector_mean(
    means, size, *, epsilon, rng, width=None, general=None, printed=False, every_report=False
):
    """Rotate at random, localise and refine each coordinate, rotate back (Kent, Algorithms 5 and 13).

    Output law: `localised_vector_mean` of the users' means under one public random rotation, mapped back
    by its inverse. The rotation spreads a vector of the l2 ball evenly, so that bins can be
    smaller by a factor of order sqrt(d).

    Parameters
    ----------
    means : array_like, shape (n, d)
        Mean of each user over `size` records, in the unit l2 ball; projected to it. Zeros are appended up
        to the next power of 2.
    size : int
        Records each user holds; it only sets the default width.
    epsilon : float
        Local budget of each user, positive; neighbours replace one user's whole data.
    rng : numpy.random.Generator
        Source of the rotation and of the reports.
    width : float, optional
        Half-width of a bin; `rotated_width` by default.
    general : bool, optional
        As for `localised_vector_mean`.
    printed : bool
        As for `localised_vector_mean`.
    every_report : bool
        Draw every user's report instead of the exact laws of their sums.

    Returns
    -------
    VectorEstimate
        Estimate; `coordinates` are those of the rotated mean.

    Raises
    ------
    ValueError
        If a public parameter is out of range or a fold would be empty.
    """
    means = _rows(means)
    n, d = means.shape
    padded = 1 << (d - 1).bit_length()
    turn = rotation(padded, rng)
    width = rotated_width(n, size, padded, epsilon=epsilon) if width is None else width
    rotated = localised_vector_mean(
        to_unit_ball(means) @ turn[:, :d].T,
        size,
        epsilon=epsilon,
        rng=rng,
        width=width,
        general=general,
        printed=printed,
        every_report=every_report,
    )
    return VectorEstimate((turn.T @ rotated.value)[:d], rotated.coordinates, rotated.guarantee)


def duchi_vector_mean(means, *, epsilon, ball, rng):
    """Average of one report of the whole vector a user (Duchi, Jordan and Wainwright 2018).

    Output law: the average of n independent reports of `userdp.privacy.vector_reports.CubeReport` or
    `BallReport`, whose means are the users' means.

    Parameters
    ----------
    means : array_like, shape (n, d)
        Mean of each user; projected to the ball.
    epsilon : float
        Local budget of each user, positive; neighbours replace one user's whole data.
    ball : {"cube", "l2"}
        Domain of the means: [-1, 1]^d or the unit l2 ball.
    rng : numpy.random.Generator
        Source of the randomness.

    Returns
    -------
    VectorEstimate
        Estimate with ``Guarantee(epsilon)`` and no coordinates.

    Raises
    ------
    ValueError
        If a public parameter is out of range or `means` is not two-dimensional.
    """
    means = _rows(means)
    _validate.one_of(BALLS, ball=ball)
    report = {"cube": CubeReport, "l2": BallReport}[ball](means.shape[1], epsilon)
    return VectorEstimate(report.sample_total(means, rng) / len(means), (), report.guarantee)
