"""Exact risks of users with infinitely many records: they know theta, so that only the noise can mislead."""

import numpy as np
from scipy.special import expit
from scipy.stats import binom

from userdp import _validate
from userdp._public import public
from userdp.privacy.reports import BinaryResponse, UnaryEncoding


@public
def miss_probability(n: int, count: int, *, epsilon: float) -> float:
    """Probability that another ball has at least as many votes as the right one: the event in (61).

    For n users who all vote for one of N = `count` balls it is
    ``1 - sum_k P(Bin(n, p) = k) P(Bin(n, 1 - p) < k)**(N - 1)`` with ``p = expit(epsilon / 2)``.
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
    """Smallest average risk at theta = -1 and theta = 1 when every user knows theta, over all channels.

    No epsilon-private, sequentially interactive channel and no estimator has a smaller one, and n randomised
    bits attain it: a lower bound on the risk over [-1, 1] whatever the number of records.

    For n users it is ``2 sum_k b0 b1 / (b0 + b1)`` with b1 and b0 the probabilities of k under Bin(n, p) and
    Bin(n, 1 - p), ``p = expit(epsilon)``.
    """
    _validate.integer(1, _validate.LISTED, n=n)
    _validate.budget(epsilon=epsilon)
    k = np.arange(n + 1)
    # b1 / b0 is exp((2 k - n) epsilon)
    return float(2 * binom.pmf(k, n, BinaryResponse(epsilon).flip) @ expit((2 * k - n) * epsilon))
