"""Densities on [0, 1] through their first coefficients (Kent, Algorithm 8).

A density is estimated through its first coefficients in the trigonometric basis. Each is the mean of a
bounded function of a record, so that `userdp.local.vector` does the private work. The first coefficient of
every density is 1 and needs no user. Coefficients are arrays in the order of the basis: the constant, then
cosine and sine of each frequency.
"""

import numpy as np

from userdp._public import public
from userdp._types import ArrayLike, Rng
from userdp.local._rounds import Options, users_table
from userdp.local.vector import by_coordinate
from userdp.privacy.guarantee import nothing_spent
from userdp.privacy.reports import project
from userdp.privacy.results import VectorEstimate

BOUND = np.sqrt(2)  # sup of a basis function; dividing by it brings user coefficients to [-1, 1]


@public
def density_coefficients(
    user_coefficients: ArrayLike,
    *,
    size: int,
    epsilon: float,
    half_width: float | None = None,
    general: bool | None = None,
    printed: bool = False,
    every_report: bool = False,
    rng: Rng,
) -> VectorEstimate:
    """Estimate the first J coefficients of the users' common density (Kent, Algorithm 8).

    Output distribution: 1 for the constant; the others are ``sqrt(2)`` times
    `userdp.local.vector.localised_vector_mean` of the users' coefficients over ``sqrt(2)``.

    Parameters
    ----------
    user_coefficients : shape (n, J)
        Means of the basis functions over each user's records, in ``[-sqrt(2), sqrt(2)]``; projected to it.
        The first column is not looked at.
    size
        Records that each user holds; it only sets the default half-width.
    epsilon
        Local privacy budget of each user, positive.
    half_width
        Half-width of a bin on the scale ``[-1, 1]``; by default that of a fold, from
        `userdp.local.mean.localised_half_width`.
    general
        Whether to spread a budget above 1 over several folds, as is the default there (Algorithm 12). False
        spends it all in one fold with single votes (Algorithm 4), which has a smaller risk at ordinary
        budgets.
    printed
        Whether to follow Algorithm 8 to the letter: the coefficients are handed on without rescaling, as if
        they were in ``[-1, 1]`` (here they are projected to it), and the constant gets a fold of users of its
        own.
    every_report
        Whether to draw each user's report; by default their sum is drawn from its exact
        distribution, which is faster.
    rng
        Generator of NumPy, or `userdp.release.Secure` for a release in earnest.

    Returns
    -------
    VectorEstimate
        The coefficients `value`, shape (J,), and their `guarantee`.

    Examples
    --------
    >>> means = np.tile([1.0, 0.3, -0.6], (40_000, 1))
    >>> rng = np.random.default_rng(1)
    >>> options = {"size": 1000, "epsilon": 1.0}
    >>> result = density_coefficients(means, rng=rng, **options)
    >>> result.value.round(1)
    array([ 1. ,  0.3, -0.6])
    """
    x = users_table("nJ", 1, epsilon, rng, user_coefficients=user_coefficients)
    scale, known = (1.0, 0) if printed else (BOUND, 1)
    if x.shape[1] == known:
        return VectorEstimate(np.ones(1), nothing_spent())
    how = Options(size, epsilon, half_width, general, False, every_report, rng)
    estimate = by_coordinate(project(x[:, known:] / scale, -1.0, 1.0), how)
    value = np.append(np.ones(known), scale * estimate.value)
    return VectorEstimate(value, estimate.guarantee, estimate.coordinates)
