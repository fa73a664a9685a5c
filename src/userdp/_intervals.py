"""Confidence intervals from the exact distribution of what was released, whatever the users' data are.

Each function takes the released average, the probability of an error on either side, and the numbers that a
result keeps in `error`.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.special import betaincinv, gammaincc, gammaln

SAFE = 1 + 1e-6  # for what rounding may take away


def laplace_average(value: float, tail: float, n: int, scale: float, lost: float = 0) -> tuple[float, float]:
    """About an average, known but for `lost`, to which that of `n` Laplace variables of `scale` was added."""
    # their sum is X - Y for two Gamma(n): when the last of n phases of Y is over, n - i phases of X are left
    # with the chance of i heads before n tails
    over = np.arange(max(0, n - int(40 * np.sqrt(n)) - 40), n)
    chance = np.exp(gammaln(n + over) - gammaln(n) - gammaln(over + 1) - (n + over) * np.log(2))
    most = -4 * np.log(tail) * np.sqrt(n)
    reach = brentq(lambda t: chance @ gammaincc(n - over, t) - tail, 0, most) * SAFE * scale / n + lost
    return value - reach, value + reach


def two_points(value: float, tail: float, n: int, low: float, high: float) -> tuple[float, float]:
    """About an average of `n` reports that are `low` or `high`, each with its own probability.

    The limits of Clopper and Pearson, and one report beyond the value at least: k or fewer of n are no more
    probable than with equal probabilities p as long as k <= n p - 1 (Hoeffding 1956).
    """
    k = round(n * (value - low) / (high - low))
    least = min(float(betaincinv(k, n - k + 1, tail)) / SAFE, (k - 1) / n) if k else 0.0
    most = min(float(betaincinv(n - k, k + 1, tail)) / SAFE, (n - k - 1) / n) if k < n else 0.0
    return low + (high - low) * least, high - (high - low) * most
