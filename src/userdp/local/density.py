"""Densities on [0, 1] under user-level local differential privacy (Kent, Berrett and Yu, section 5).

A density is estimated through its first J coefficients in the trigonometric basis, each the mean of a
bounded function of a record, so that `userdp.local.vector` does the private work. The first coefficient
of every density is 1 and needs no user. Coefficients are arrays in the order of the basis: the constant,
then cosine and sine of each frequency.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from userdp import _validate
from userdp.local.mean import KENT_GENERAL_MARGIN, KENT_MARGIN, _How, _table, localised_half_width
from userdp.local.vector import _by_coordinate, split_budget, split_users
from userdp.populations.densities import BLOCK, BOUND, TrigonometricDensity, WrappedGammas, basis_function
from userdp.privacy.guarantee import nothing_spent
from userdp.privacy.reports import project
from userdp.privacy.results import VectorEstimate

__all__ = ["draw_user_coefficients", "density_coefficients", "coefficient_noise", "density_cutoff"]

# C_beta of eq. (45) when only half of a fold's votes may go to the right bin; see `density_cutoff`
VOTE_CONSTANT = 64.0


def draw_user_coefficients(
    law: TrigonometricDensity | WrappedGammas,
    *,
    n: int,
    size: int,
    terms: int,
    epsilon: float | None = None,
    rng: np.random.Generator,
) -> NDArray:
    """Draw the means of the first `terms` basis functions over each user's records, shape (n, terms).

    The first column is 1. With a budget `epsilon` only the coefficients that `density_coefficients` asks a
    user of this budget for are computed (one of J - 1 for a budget below 2) and all others are NaN.
    """
    _validate.integer(1, n=n, size=size, terms=terms)
    means = np.full((n, terms), np.nan)
    means[:, 0] = 1.0
    if terms == 1:
        return means
    groups: list = [(np.arange(n), range(2, terms + 1))]
    if epsilon is not None:
        d, (count, _) = terms - 1, split_budget(terms - 1, epsilon=epsilon)
        groups = [
            (np.concatenate(fold), [2 + (j - k) % d for k in range(count)])
            for j, fold in enumerate(split_users(n, d))
        ]
    at_once = max(1, BLOCK // size)
    for users, functions in groups:
        for block in np.split(users, range(at_once, len(users), at_once)):
            records = law.draw((len(block), size), rng)
            for j in functions:
                means[block, j - 1] = basis_function(records, j).mean(axis=1)
    return means


# --- the estimator -----------------------------------------------------------------------------------
def density_coefficients(
    user_coefficients: ArrayLike,
    *,
    size: int,
    epsilon: float,
    half_width: float | None = None,
    general: bool | None = None,
    printed: bool = False,
    every_report: bool = False,
    rng: np.random.Generator,
) -> VectorEstimate:
    """Estimate the first J coefficients of the users' common density (Kent, Algorithm 8).

    Output law: 1 for the constant; the others are sqrt(2) times
    `userdp.local.vector.localised_vector_mean` of the users' coefficients over sqrt(2).

    Parameters
    ----------
    user_coefficients : shape (n, J)
        Means of the basis functions over each user's records, in [-sqrt(2), sqrt(2)]; projected to it.
        The first column is not looked at.
    half_width
        Half-width of a bin on the scale [-1, 1]; by default that of a fold, from
        `userdp.local.mean.localised_half_width`.
    printed
        Algorithm 8 to the letter: the coefficients are handed on without rescaling, as if they were in
        [-1, 1] (here they are projected to it), and the constant gets a fold of users of its own.
    size, epsilon, general, every_report, rng
        As for `userdp.local.vector.localised_vector_mean`.

    Returns
    -------
    VectorEstimate
        Coefficients, the constant function's first, and the estimates of the others on the scale [-1, 1],
        with the guarantee composed over one user's whole transcript; 0 if J is 1.

    Examples
    --------
    >>> means, rng = np.tile([1.0, 0.3, -0.6], (40_000, 1)), np.random.default_rng(1)
    >>> density_coefficients(means, size=1000, epsilon=1.0, rng=rng).value.round(1)
    array([ 1. ,  0.3, -0.6])
    """
    x = _table("nJ", 1, epsilon, rng, user_coefficients=user_coefficients)
    scale, known = (1.0, 0) if printed else (BOUND, 1)
    if x.shape[1] == known:
        return VectorEstimate(np.ones(1), (), nothing_spent())
    how = _How(size, epsilon, half_width, general, False, every_report, rng)
    estimate = _by_coordinate(project(x[:, known:] / scale, -1.0, 1.0), how)
    value = np.append(np.ones(known), scale * estimate.value)
    return VectorEstimate(value, estimate.coordinates, estimate.guarantee)


# --- how many coefficients ---------------------------------------------------------------------------
def coefficient_noise(
    *, n: int, size: int, terms: int, epsilon: float, half_width: float | None = None
) -> float:
    """Variance that the Laplace noise adds to one estimated coefficient: exact, whatever bin is chosen.

    For J = `terms` at least 2 coefficients, the constant included, and n users, best a multiple of 2 (J - 1),
    it is ``288 (J - 1) half_width^2 / (n epsilon^2)`` for epsilon <= 1: twice, for the rescaling, the
    variance of the mean of n / (2 (J - 1)) Laplace variables of scale 6 half_width / epsilon.
    """
    _validate.integer(2, terms=terms)
    count, budget = split_budget(terms - 1, epsilon=epsilon)
    users = float(n) * count / (terms - 1)
    if half_width is None:
        half_width = localised_half_width(n=int(users), size=size, epsilon=budget)
    domain = 2 * (1 + (KENT_GENERAL_MARGIN if budget > 1 else KENT_MARGIN)) * half_width
    return BOUND**2 * 2 * (domain / budget) ** 2 / (users / 2)


def density_cutoff(
    *,
    n: int,
    size: int,
    epsilon: float,
    smoothness: float,
    radius: float = 1.0,
    constant: float = VOTE_CONSTANT,
) -> int:
    """Number J of coefficients for n users of `size` records: eq. (45) as an integer, its constants counted.

    The printed M weighs the bias ``M^(-2 beta)`` against ``M^2 / (n T epsilon^2)`` without the factor of
    several thousand that the noise has. This function takes the odd J that minimises the bound
    ``radius^2 (J + 1)^(-2 beta) + (J - 1) coefficient_noise`` among those whose folds are large enough to
    vote: ``J - 1 <= n z / (constant log(n z))``, z = min(epsilon, epsilon^2). J is odd so that a frequency
    has both of its functions, and 1, the uniform density, if nothing else pays; at most 2 (J - 1) - 1 users
    are beyond equal folds.

    Parameters
    ----------
    smoothness, radius
        beta and r of the Sobolev class (with a_1 = 0).
    constant
        C_beta; the proof's is of the order 1e4. With the default an evenly split vote and a vote for an empty
        bin are about log(n z)^(1/2) standard deviations of their difference apart.
    """
    _validate.integer(1, n=n, size=size)
    _validate.positive(epsilon=epsilon, smoothness=smoothness, radius=radius, constant=constant)
    information = n * min(epsilon, epsilon**2)
    most = information / (constant * np.log(max(information, np.e)))
    best, least = 1, radius**2 * 2.0 ** (-2 * smoothness)
    for terms in range(3, int(most) + 2, 2):
        noise = (terms - 1) * coefficient_noise(n=n, size=size, terms=terms, epsilon=epsilon)
        bound = noise + radius**2 * (terms + 1.0) ** (-2 * smoothness)
        if noise > least and terms > epsilon:  # from there on it only grows
            break
        best, least = (terms, bound) if bound < least else (best, least)
    return best
