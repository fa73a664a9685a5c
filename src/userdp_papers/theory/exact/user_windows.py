"""The exact distribution of a user's mean under heterogeneity, and the half-width of a window around it."""

from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from userdp import _validate
from userdp._public import public
from userdp_papers.populations.records import BetaUsers


@public
def mean_law(users: BetaUsers, size: int) -> tuple[NDArray, NDArray]:
    """Distribution of the mean of the records of one user from `BetaUsers`.

    Parameters
    ----------
    users
        The users, a `BetaUsers`.
    size
        Number of records.

    Returns
    -------
    values, probabilities : ndarray
        The values are ``j / size``, where the number j of ones has a Beta-binomial distribution.
    """
    _validate.integer(1, 10**8, size=size)
    ones = np.arange(int(size) + 1)
    if users.own_variance == 0:
        return ones / size, scipy.stats.binom.pmf(ones, size, users.mean)
    total = users.mean * (1 - users.mean) / users.own_variance - 1
    shapes = users.mean * total, (1 - users.mean) * total
    return ones / size, scipy.stats.betabinom.pmf(ones, size, *shapes)


@public
def window_half_width(distances: Any, law: Any, outside: Any) -> Any:
    """Half-width of an interval that a user's mean leaves with at most a given probability.

    Parameters
    ----------
    distances
        Possible distances of the mean from the centre of the interval.
    law
        Their probabilities.
    outside
        The largest probability of a distance above the half-width.

    Returns
    -------
    number
        The smallest half-width; a rational number if all of these are.

    Examples
    --------
    >>> distances, law = [0.1, 0.3, 0.2], [0.5, 0.1, 0.4]
    >>> float(window_half_width(distances, law, outside=0.1))
    0.2
    """
    distances, law = np.asarray(distances), np.asarray(law)
    order = np.argsort(-distances, kind="stable")
    exceeded = np.cumsum(law[order]) > outside
    return distances[order][np.argmax(exceeded)] if exceeded.any() else 0 * outside
