"""Densities on [0, 1] under user-level local differential privacy (Kent, Berrett and Yu, section 5).

A density is estimated through its first J coefficients in the trigonometric basis, each the mean of a
bounded function of a record, so that `userdp.local.vector` does the private work. The first coefficient
of every density is 1 and needs no user. Coefficients are arrays in the order of the basis: the constant,
then cosine and sine of each frequency.
"""

import numpy as np

from userdp import _validate
from userdp.local.mean import KENT_GENERAL_MARGIN, KENT_MARGIN, localised_width
from userdp.local.vector import folds, localised_vector_mean, shares
from userdp.populations.densities import BLOCK, BOUND, basis_function
from userdp.privacy.guarantee import Guarantee
from userdp.privacy.results import CoefficientEstimate

__all__ = ["draw_user_coefficients", "density_coefficients", "coefficient_noise", "density_cutoff"]

# C_beta of eq. (45) when only half of a fold's votes may go to the right bin; see `density_cutoff`
VOTE_CONSTANT = 64.0


def draw_user_coefficients(law, n, size, terms, rng, *, epsilon=None):
    """Draw the means of the first `terms` basis functions over each user's records.

    Parameters
    ----------
    law : TrigonometricDensity or WrappedGammas
        Law of a record.
    n, size : int
        Number of users and records each holds.
    terms : int
        Number J of coefficients.
    rng : numpy.random.Generator
        Source of the records.
    epsilon : float, optional
        If given, only the coefficients that `density_coefficients` asks a user of this budget for are
        computed (one of J - 1 for a budget below 2) and all others are NaN.

    Returns
    -------
    ndarray, shape (n, terms)
        Means of ``phi_j(X)``; the first column is 1.
    """
    _validate.integer(1, n=n, size=size, terms=terms)
    means = np.full((n, terms), np.nan)
    means[:, 0] = 1.0
    if terms == 1:
        return means
    if epsilon is None:
        groups = [(np.arange(n), range(2, terms + 1))]
    else:
        d, (count, _) = terms - 1, shares(terms - 1, epsilon=epsilon)
        groups = [
            (np.concatenate(fold), [2 + (j - k) % d for k in range(count)])
            for j, fold in enumerate(folds(n, d))
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
    user_coefficients,
    size,
    *,
    epsilon,
    rng,
    width=None,
    general=None,
    printed=False,
    every_report=False,
):
    """Estimate the first J coefficients of the users' common density (Kent, Algorithm 8).

    Output law: 1 for the constant; the others are sqrt(2) times
    `userdp.local.vector.localised_vector_mean` of the users' coefficients over sqrt(2).

    Parameters
    ----------
    user_coefficients : array_like, shape (n, J)
        Means of the basis functions over each user's records, in [-sqrt(2), sqrt(2)]; projected to it.
        The first column is not looked at.
    size : int
        Records each user holds; it only sets the default width.
    epsilon : float
        Local budget of each user, positive; neighbours replace one user's whole data.
    rng : numpy.random.Generator
        Source of the randomness.
    width : float, optional
        Half-width of a bin on the scale [-1, 1]; by default `userdp.local.mean.localised_width` of a fold.
    general : bool, optional
        As for `userdp.local.vector.localised_vector_mean`.
    printed : bool
        Algorithm 8 to the letter: the coefficients are handed on without rescaling, as if they were in
        [-1, 1] (here they are projected to it), and the constant gets a fold of users of its own.
    every_report : bool
        Draw every user's report instead of the exact laws of their sums.

    Returns
    -------
    CoefficientEstimate
        Estimate with the guarantee composed over one user's whole transcript; 0 if J is 1.

    Raises
    ------
    ValueError
        If a public parameter is out of range, `user_coefficients` is not two-dimensional or a fold would
        be empty.
    """
    means = np.asarray(user_coefficients, dtype=float)
    if means.ndim != 2 or means.shape[1] < 1:
        raise ValueError(
            f"user_coefficients must have shape (n, J) with J at least 1, got shape {means.shape}"
        )
    scale, known = (1.0, 0) if printed else (BOUND, 1)
    _validate.positive(epsilon=epsilon)
    if means.shape[1] == known:
        return CoefficientEstimate(np.ones(1), (), Guarantee(0.0))
    estimate = localised_vector_mean(
        means[:, known:] / scale,
        size,
        epsilon=epsilon,
        rng=rng,
        width=width,
        general=general,
        every_report=every_report,
    )
    value = np.append(np.ones(known), scale * estimate.value)
    return CoefficientEstimate(value, estimate.coordinates, estimate.guarantee)


# --- how many coefficients ---------------------------------------------------------------------------
def coefficient_noise(n, size, terms, *, epsilon, width=None):
    """Variance that the Laplace noise adds to one estimated coefficient: exact, whatever bin is chosen.

    Parameters
    ----------
    n, size : int
        Number of users and records each holds.
    terms : int
        Number J >= 2 of coefficients, the constant included; n should be a multiple of 2 (J - 1).
    epsilon : float
        Local budget of each user.
    width : float, optional
        Half-width of a bin; the default of `density_coefficients` if not given.

    Returns
    -------
    float
        ``288 (J - 1) width^2 / (n epsilon^2)`` for epsilon <= 1: twice, for the rescaling, the variance of
        the mean of n / (2 (J - 1)) Laplace variables of scale 6 width / epsilon.
    """
    _validate.integer(2, terms=terms)
    count, budget = shares(terms - 1, epsilon=epsilon)
    users = n * count / (terms - 1)
    if width is None:
        width = localised_width(int(users), size, epsilon=budget)
    reach = 2 * (1 + (KENT_GENERAL_MARGIN if budget > 1 else KENT_MARGIN)) * width
    return BOUND**2 * 2 * (reach / budget) ** 2 / (users / 2)


def density_cutoff(n, size, *, epsilon, smoothness, radius=1.0, constant=VOTE_CONSTANT):
    """Number J of coefficients for users of a given number: eq. (45) as an integer, its constants counted.

    The printed M weighs the bias ``M^(-2 beta)`` against ``M^2 / (n T epsilon^2)`` without the factor of
    several thousand that the noise has. This function takes the odd J that minimises the bound
    ``radius^2 (J + 1)^(-2 beta) + (J - 1) coefficient_noise`` among those whose folds are large enough to
    vote: ``J - 1 <= n z / (constant log(n z))``, z = min(epsilon, epsilon^2).

    Parameters
    ----------
    n, size : int
        Number of users and records each holds.
    epsilon : float
        Local budget of each user.
    smoothness : float
        beta of the Sobolev class, positive.
    radius : float
        r of the Sobolev class (with a_1 = 0), positive.
    constant : float
        C_beta; the proof's is of the order 1e4. With the default an evenly split vote and a vote for an empty
        bin are about log(n z)^(1/2) standard deviations of their difference apart.

    Returns
    -------
    int
        J, odd, so that a frequency has both of its functions; 1, the uniform density, if nothing else pays.
        At most 2 (J - 1) - 1 users are beyond equal folds.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """
    _validate.integer(1, n=n, size=size)
    _validate.positive(epsilon=epsilon, smoothness=smoothness, radius=radius, constant=constant)
    information = n * min(epsilon, epsilon**2)
    most = information / (constant * np.log(max(information, np.e)))
    best, least = 1, radius**2 * 2.0 ** (-2 * smoothness)
    for terms in range(3, int(most) + 2, 2):
        noise = (terms - 1) * coefficient_noise(n, size, terms, epsilon=epsilon)
        bound = noise + radius**2 * (terms + 1.0) ** (-2 * smoothness)
        if noise > least and terms > epsilon:  # from there on it only grows
            break
        best, least = (terms, bound) if bound < least else (best, least)
    return best
