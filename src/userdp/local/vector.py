"""Mean vectors by coordinates, rotated or not (Kent, Algorithms 4, 5, 12 and 13).

The users are cut into as many folds as there are coordinates, and each fold estimates one coordinate by
`userdp.local.mean.localised_mean`; with a budget above 1 a user takes part in several folds. On the Euclidean
ball a random rotation first makes all coordinates of a user's mean about equally small.
"""

import math
from dataclasses import replace
from typing import Literal

import numpy as np
import scipy

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, NDArray, Rng
from userdp.local._rounds import Options, log_information, users_table
from userdp.local.mean import localised
from userdp.privacy.guarantee import disjoint, sequential
from userdp.privacy.reports import project
from userdp.privacy.results import VectorEstimate
from userdp.privacy.vector_reports import BallReport, CubeReport, to_unit_ball

BALLS = {"cube": CubeReport, "l2": BallReport}
# C of eq. (34): the proof asks for a universal constant that it does not name, the simulations state none
ROTATED_CONSTANT = 1.0


@public
def split_users(n: int, d: int) -> list[tuple[NDArray, NDArray]]:
    """Cut the users into `d` folds, each with as many who localise as who refine (Algorithm 4, eq. (31)).

    Fold sizes differ by at most one where :math:`2d` does not divide n; an odd last user is left out.

    Parameters
    ----------
    n
        Number of users, at least :math:`2d`.
    d
        Number of coordinates.

    Returns
    -------
    list
        For each fold the indices of its users who localise, all in the first half, and of its users who
        refine, all in the second half.

    Examples
    --------
    >>> [(a.tolist(), b.tolist()) for a, b in split_users(8, 2)]
    [([0, 1], [4, 5]), ([2, 3], [6, 7])]
    """
    _validate.integer(1, d=d)
    _validate.integer(2 * d, 10**8, n=n)
    half = n // 2
    return [(part, half + part) for part in np.array_split(np.arange(half), d)]


@public
def split_budget(
    d: int, *, epsilon: float, general: bool | None = None, printed: bool = False
) -> tuple[int, float]:
    """Divide a budget among d coordinates: how many folds a user participates in and at what budget each.

    Parameters
    ----------
    d
        Number of coordinates.
    epsilon
        Local privacy budget of each user; no more is spent, unless `printed`.
    general
        Whether to spread a budget above 1 (Algorithms 12 and 13); by default it is spread. Otherwise a user
        participates in one fold and spends the whole budget there (Algorithms 4 and 5).
    printed
        Whether to follow Algorithms 12 and 13 to the letter, which take one fold more than the whole part of
        a budget above 1 and up to `d`.

    Examples
    --------
    >>> split_budget(10, epsilon=0.5), split_budget(10, epsilon=3.0)
    ((1, 0.5), (3, 1.0))
    """
    _validate.integer(1, d=d)
    _validate.budget(epsilon=epsilon)
    if epsilon <= 1 or general is False:
        return 1, float(epsilon)
    if epsilon > d:
        budget = epsilon / d
        return int(d), math.nextafter(budget, 0.0) if budget * d > epsilon else budget
    return min(int(epsilon) + bool(printed), int(d)), 1.0


@public
def localised_vector_mean(
    means: ArrayLike,
    *,
    size: int,
    epsilon: float,
    half_width: float | None = None,
    general: bool | None = None,
    printed: bool = False,
    every_report: bool = False,
    rng: Rng,
) -> VectorEstimate:
    """Localise and refine each coordinate in a fold of its own (Kent, Algorithms 4 and 12).

    Output distribution: coordinate j is `userdp.local.mean.localised_mean` on coordinate j of the means of
    the folds j, j + 1 and so on, as many as `split_budget` says, at the budget that it says. Folds overlap
    only for a budget of at least 2, so that below it the coordinates are independent.

    Parameters
    ----------
    means : shape (n, d)
        Mean of each user over `size` records, in ``[-1, 1]^d``; projected to it. There must be at least
        :math:`2d` users.
    size
        Records that each user holds; it only sets the default half-width.
    epsilon
        Local privacy budget of each user, positive. The whole data of one user are protected.
    half_width
        Half-width of a bin; by default `userdp.local.mean.localised_half_width` of a coordinate's own number
        of users and budget.
    general
        Whether to spread a budget above 1 over several folds, as is the default there (Algorithm 12). False
        spends it all in one fold with single votes (Algorithm 4), which has a smaller risk at ordinary
        budgets.
    printed
        Whether to take part in one fold too many, as Algorithm 12 prints it; the guarantee says what that
        costs.
    every_report
        Whether to draw each user's report; by default their sum is drawn from its exact
        distribution, which is faster.
    rng
        Generator of NumPy, or `userdp.release.Secure` for a release in earnest.

    Returns
    -------
    VectorEstimate
        The estimate `value`, shape (d,), its `guarantee`, and the estimate of each of the `coordinates`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> means = np.tile([0.3, -0.6], (40_000, 1))
    >>> options = {"size": 1000, "epsilon": 1.0}
    >>> result = localised_vector_mean(means, rng=rng, **options)
    >>> result.value.round(1)
    array([ 0.3, -0.6])
    """
    x = project(users_table("nd", 1, epsilon, rng, means=means), -1.0, 1.0)
    return by_coordinate(x, Options(size, epsilon, half_width, general, printed, every_report, rng))


def by_coordinate(means: NDArray, how: Options) -> VectorEstimate:
    n, d = means.shape
    count, budget = split_budget(d, epsilon=how.epsilon, general=how.general, printed=how.printed)
    parts = split_users(n, d)
    one = how._replace(epsilon=budget, general=False if how.general is False else None)
    estimates = tuple(localised(means[_members(parts, j, count), j], one) for j in range(d))
    # over the coordinates a user meets the costliest `count`, and all cost the same
    guarantee = sequential(*[disjoint(*(e.guarantee for e in estimates))] * count)
    return VectorEstimate(np.array([e.value for e in estimates]), guarantee, estimates)


def _members(parts: list, j: int, count: int) -> NDArray:
    """Users of folds j .. j + count - 1, wrapped around: those who localise, then those who refine."""
    served = [parts[(j + k) % len(parts)] for k in range(count)]
    return np.concatenate([localising for localising, _ in served] + [refining for _, refining in served])


@public
def rotation(d: int, rng: Rng) -> NDArray:
    """Random rotation ``H W / sqrt(d)``, shape (d, d): a Hadamard matrix times public random signs.

    Parameters
    ----------
    d
        Dimension, a power of 2 up to 8192 (Kent, eq. (33)).
    rng
        Generator of NumPy.
    """
    _validate.one_of([2**k for k in range(14)], d=d)
    return scipy.linalg.hadamard(d) * rng.choice([-1.0, 1.0], d) / np.sqrt(d)


@public
def rotated_half_width(
    *, n: int, size: int, d: int, epsilon: float, constant: float = ROTATED_CONSTANT
) -> float:
    """Half-width of a bin after the rotation (Kent, eq. (34), with T in the place of ``T^*``).

    For n users of T records each and the padded dimension d it is ``sqrt(C / (d T)) log(n T z)`` with
    ``z = min(epsilon, epsilon^2, d)``. The printed Algorithm 13 lacks the factor ``1 / d`` and one logarithm,
    which its own proof has.

    Parameters
    ----------
    n
        Number of users.
    size
        Records T that each user holds; :math:`nTz` must exceed 1.
    d
        Dimension after the padding.
    epsilon
        Local privacy budget of each user, positive.
    constant
        The constant C of eq. (34), of which the paper gives no value.
    """
    _validate.integer(1, d=d)
    _validate.positive(constant=constant, epsilon=epsilon)
    log = log_information(n, size, min(epsilon, epsilon**2, d))
    return float(np.sqrt(constant / (float(d) * size)) * log)


@public
def rotated_vector_mean(
    means: ArrayLike,
    *,
    size: int,
    epsilon: float,
    half_width: float | None = None,
    general: bool | None = None,
    printed: bool = False,
    every_report: bool = False,
    rng: Rng,
) -> VectorEstimate:
    """Rotate at random, localise and refine each coordinate, rotate back (Kent, Algorithms 5 and 13).

    The rotation spreads a vector of the Euclidean ball evenly over its coordinates, so that bins can be
    smaller by a factor of order ``sqrt(d)``.

    Output distribution: `localised_vector_mean` of the users' means under one public random rotation, mapped
    back by its inverse.

    Parameters
    ----------
    means : shape (n, d)
        Mean of each user over `size` records, in the Euclidean unit ball; projected to it. Zeros are appended
        up to the next power of 2.
    size
        Records that each user holds; it only sets the default half-width.
    epsilon
        Local privacy budget of each user, positive.
    half_width
        Half-width of a bin; `rotated_half_width` by default.
    general
        Whether to spread a budget above 1 over several folds, as is the default there (Algorithm 13). False
        spends it all in one fold with single votes (Algorithm 5), which has a smaller risk at ordinary
        budgets.
    printed
        Whether to take part in one fold too many, as Algorithm 13 prints it; the guarantee says what that
        costs.
    every_report
        Whether to draw each user's report; by default their sum is drawn from its exact
        distribution, which is faster.
    rng
        Generator of NumPy.

    Returns
    -------
    VectorEstimate
        The estimate `value`, shape (d,), its `guarantee`, and the estimate of each of the rotated
        `coordinates`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> means = np.tile([0.3, -0.6, 0.0], (400_000, 1))
    >>> result = rotated_vector_mean(means, size=1000, epsilon=1.0, rng=rng)
    >>> result.value.round(1)
    array([ 0.3, -0.6,  0. ])
    """
    x = to_unit_ball(users_table("nd", 1, epsilon, rng, means=means))
    n, d = x.shape
    padded = 1 << (d - 1).bit_length()
    turn = rotation(padded, rng)
    if half_width is None:
        half_width = rotated_half_width(n=n, size=size, d=padded, epsilon=epsilon)
    how = Options(size, epsilon, half_width, general, printed, every_report, rng)
    rotated = by_coordinate(x @ turn[:, :d].T, how)
    return replace(rotated, value=(turn.T @ rotated.value)[:d])


@public
def duchi_vector_mean(
    means: ArrayLike, *, epsilon: float, ball: Literal["cube", "l2"], rng: Rng
) -> VectorEstimate:
    """Average of one report of the whole vector per user (Duchi, Jordan and Wainwright 2018).

    Output distribution: the average of n independent reports of `userdp.privacy.vector_reports.CubeReport` or
    `BallReport`, whose means are the users' means.

    Parameters
    ----------
    means : shape (n, d)
        Mean of each user; projected to the ball.
    epsilon
        Local privacy budget of each user, positive.
    ball
        Domain of the means: "cube" for ``[-1, 1]^d``, "l2" for the Euclidean unit ball.
    rng
        Generator of NumPy.

    Returns
    -------
    VectorEstimate
        The estimate `value`, shape (d,), and its `guarantee`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> means = np.tile([0.3, -0.6], (40_000, 1))
    >>> result = duchi_vector_mean(means, epsilon=2.0, ball="l2", rng=rng)
    >>> result.value.round(1)
    array([ 0.3, -0.6])
    """
    x = users_table("nd", 1, epsilon, rng, means=means)
    report = BALLS[ball](x.shape[1], epsilon)
    return VectorEstimate(report.sample_total(x, rng) / len(x), report.guarantee)
