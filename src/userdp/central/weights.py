"""Weights of heterogeneous users under one Laplace draw (Cummings et al., Lemma 5.2, for Algorithm 1).

How should users count whose means have different variances? The estimate is the weighted mean of all users
plus one Laplace variable, ``sum_u w_u x_u + Laplace(max_u w_u d_u / epsilon)``, where the mean ``x_u`` of
user u has variance ``s_u^2`` and lies in an interval of length ``d_u`` (Cummings, Feldman, McMillan and
Talwar 2022, section 5 and Lemma 5.2). A large weight on a precise user reduces the variance and asks for more
noise.
"""

from dataclasses import dataclass

import numpy as np

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, Floats

# variance of a Laplace variable of scale 1; the supplement's displays count it as 1
LAPLACE_VARIANCE = 2.0


@public
@dataclass(frozen=True)
class Weights:
    """Weights of the users and what they cost.

    Parameters
    ----------
    value : shape (n,)
        Weights that sum to 1 over all users.
    cap
        The threshold T: a weight is proportional to ``min(1 / s^2, T / d)`` for a user of variance ``s^2``
        and length d.
    variance
        Variance of the weighted mean and of its noise together.
    """

    value: Floats
    cap: float
    variance: float


def checked_users_and_budget(
    variances: ArrayLike, lengths: ArrayLike, counts: ArrayLike, epsilon: float, noise: float
) -> tuple[Floats, Floats, Floats]:
    variances, lengths, counts = _validate.positive_arrays(
        variances=variances, lengths=lengths, counts=counts
    )
    _validate.positive(epsilon=epsilon, noise=noise)
    if variances.ndim != 1 or variances.shape != lengths.shape or not variances.size:
        shapes = f"{variances.shape} and {lengths.shape}"
        raise ValueError(f"variances and lengths must have one shape (n,), got {shapes}")
    return variances, lengths, np.broadcast_to(counts, lengths.shape)


@public
def optimal_weights(
    variances: ArrayLike,
    lengths: ArrayLike,
    *,
    epsilon: float,
    noise: float = LAPLACE_VARIANCE,
    counts: ArrayLike = 1,
) -> Weights:
    """Weights with the least variance, in closed form (Lemma 5.2, for any lengths).

    They are proportional to ``min(1 / s^2, T / d)`` for a user of variance ``s^2`` and length d. The
    threshold T is the root of ``sum (1 / d) max(1 - T s^2 / d, 0) = noise T / epsilon^2``, found by sorting,
    and the least variance is 1 over the sum of the unnormalised weights.

    Parameters
    ----------
    variances : shape (n,)
        Variance of each user's mean, or of each kind of user.
    lengths : shape (n,)
        Length of the interval in which it lies.
    epsilon
        Central privacy budget, positive.
    noise
        Variance of a Laplace variable of scale 1: 2; the supplement computes with 1.
    counts : shape (n,)
        Number of users of each kind.

    Returns
    -------
    Weights
        The weights `value`, their threshold `cap`, and the `variance` of the weighted mean with its noise.

    Examples
    --------
    >>> lengths = [1.0, 1.0, 1.0]
    >>> found = optimal_weights([1.0, 1.0, 0.01], lengths, epsilon=1.0)
    >>> found.value.round(3)
    array([0.333, 0.333, 0.333])
    """
    variances, lengths, counts = checked_users_and_budget(variances, lengths, counts, epsilon, noise)
    turning = lengths / variances  # a user is capped while T is below this
    order = np.argsort(-turning)
    shares, ratios = (counts / lengths)[order], (counts * variances / lengths**2)[order]
    roots = np.cumsum(shares) / (np.cumsum(ratios) + noise / epsilon**2)
    # the root of the m most constrained users counts if the next user is not constrained there
    following = np.append(turning[order][1:], 0.0)
    cap = float(roots[np.argmax(roots >= following)])
    raw = np.minimum(1 / variances, cap / lengths)
    total = (counts * raw).sum()
    return Weights(raw / total, cap, float(1 / total))
