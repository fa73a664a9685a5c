"""Exact risks for users with infinitely many records, who know the mean, so that only the noise matters."""

import numpy as np
from scipy.special import expit
from scipy.stats import binom

from userdp import _validate
from userdp._public import public
from userdp.privacy.reports import BinaryResponse, UnaryEncoding


@public
def miss_probability(n: int, count: int, *, epsilon: float) -> float:
    """Probability that another ball gets at least as many votes as the right one, the event in Kent's (61).

    For n users who all vote for one of N balls it is
    ``1 - sum_k P(Bin(n, p) = k) P(Bin(n, 1 - p) < k)**(N - 1)`` with ``p = expit(epsilon / 2)``.

    Parameters
    ----------
    n
        Number of users.
    count
        Number N of balls.
    epsilon
        Budget of a user.

    Returns
    -------
    float
    """
    _validate.integer(1, _validate.LISTED, n=n)
    _validate.integer(1, count=count)
    _validate.positive(epsilon=epsilon)
    flip = UnaryEncoding(count, 1, epsilon).flip  # 1 - keep would lose its digits
    if count == 1:
        return 0.0
    k = np.arange(1, n + 1)
    above = binom.sf(k - 1, n, flip)
    # log P(Bin(n, 1 - p) < k) from whichever tail is the smaller
    below = np.where(above < 0.5, np.log1p(-np.minimum(above, 0.5)), binom.logcdf(k - 1, n, flip))
    missed = -np.expm1((count - 1) * below)
    # the right ball with no vote at all is never chosen
    return float(binom.pmf(n - k, n, flip) @ missed + binom.pmf(n, n, flip))


@public
def two_point_risk(n: int, *, epsilon: float) -> float:
    """Smallest average risk at the means ``-1`` and ``+1`` if every user knows the mean.

    No private channel, even if it is sequentially interactive, and no estimator has a smaller one, and n
    randomised bits attain it. It is a lower bound on the worst risk on ``[-1, 1]``, whatever the number
    of records.

    For n users it is ``2 sum_k b_0 b_1 / (b_0 + b_1)``, where ``b_1`` and ``b_0`` are the probabilities of k
    under ``Bin(n, p)`` and ``Bin(n, 1 - p)`` with ``p = expit(epsilon)``.
    """
    _validate.integer(1, _validate.LISTED, n=n)
    _validate.budget(epsilon=epsilon)
    k = np.arange(n + 1)
    # b1 / b0 is exp((2 k - n) epsilon)
    return float(2 * binom.pmf(k, n, BinaryResponse(epsilon).flip) @ expit((2 * k - n) * epsilon))
