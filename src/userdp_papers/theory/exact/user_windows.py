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
    """Values j / `size` of the mean of a user's records and their probabilities: Beta-binomial."""
    _validate.integer(1, 10**8, size=size)
    ones = np.arange(int(size) + 1)
    if users.own_variance == 0:
        return ones / size, scipy.stats.binom.pmf(ones, size, users.mean)
    total = users.mean * (1 - users.mean) / users.own_variance - 1
    shapes = users.mean * total, (1 - users.mean) * total
    return ones / size, scipy.stats.betabinom.pmf(ones, size, *shapes)


@public
def window_half_width(distances: Any, law: Any, outside: Any) -> Any:
    """Smallest ``r >= 0`` with probability at most `outside` at distances above r; rational if these are.

    Examples
    --------
    >>> float(window_half_width([0.1, 0.3, 0.2], [0.5, 0.1, 0.4], outside=0.1))
    0.2
    """
    distances, law = np.asarray(distances), np.asarray(law)
    order = np.argsort(-distances, kind="stable")
    exceeded = np.cumsum(law[order]) > outside
    return distances[order][np.argmax(exceeded)] if exceeded.any() else 0 * outside
