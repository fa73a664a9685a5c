"""How to weigh users who differ in precision when one Laplace draw must hide any one of them.

The estimate is ``sum_u w_u x_u + Laplace(max_u w_u d_u / epsilon)``: x_u has variance s_u^2 and lies in an
interval of length d_u (Cummings, Feldman, McMillan and Talwar 2022, section 5 and Lemma 5.2).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from userdp import _validate
from userdp._types import ArrayLike, Floats

__all__ = ["Weights", "spent_variance", "optimal_weights", "family_weights"]

# variance of a Laplace variable of scale 1; the supplement's displays count it as 1
LAPLACE_VARIANCE = 2.0
# caps tried before the best one is refined
CAPS_TRIED = 65


@dataclass(frozen=True)
class Weights:
    """Weights of the users and what they cost.

    Parameters
    ----------
    value : shape (n,)
        Weights that sum to 1 over all users.
    cap
        Threshold T: ``value`` is proportional to ``min(1 / variance, cap / width)``.
    variance
        Variance of the weighted mean and of its noise together.
    """

    value: Floats
    cap: float
    variance: float


def _checked(
    variances: ArrayLike, widths: ArrayLike, counts: ArrayLike, epsilon: float, noise: float
) -> tuple[Floats, Floats, Floats]:
    variances, widths, counts = _validate.positive_arrays(variances=variances, widths=widths, counts=counts)
    _validate.positive(epsilon=epsilon, noise=noise)
    if variances.ndim != 1 or variances.shape != widths.shape or not variances.size:
        shapes = f"{variances.shape} and {widths.shape}"
        raise ValueError(f"variances and widths must have one shape (n,), got {shapes}")
    return variances, widths, np.broadcast_to(counts, widths.shape)


def spent_variance(
    weights: ArrayLike,
    variances: ArrayLike,
    widths: ArrayLike,
    *,
    epsilon: float,
    noise: float = LAPLACE_VARIANCE,
    counts: ArrayLike = 1,
) -> float:
    """Variance of a weighted mean with noise: ``sum w^2 s^2 + noise max (w d)^2 / epsilon^2``, eq. (15).

    Parameters
    ----------
    weights, variances, widths : shape (n,)
        Weight, variance and length of the interval of each user.
    epsilon
        Central budget, positive.
    noise
        Variance of a Laplace variable of scale 1: 2; the supplement computes with 1.
    counts : shape (n,), optional
        How many users share each entry; one by default.
    """
    variances, widths, counts = _checked(variances, widths, counts, epsilon, noise)
    weights = np.asarray(weights, dtype=float)
    return float((counts * weights**2) @ variances + noise * np.max(weights * widths) ** 2 / epsilon**2)


def optimal_weights(
    variances: ArrayLike,
    widths: ArrayLike,
    *,
    epsilon: float,
    noise: float = LAPLACE_VARIANCE,
    counts: ArrayLike = 1,
) -> Weights:
    """Weights with the least variance, in closed form (Lemma 5.2, for any widths).

    They are proportional to ``min(1 / s^2, T / d)``; T is the root of
    ``sum (1 / d) max(1 - T s^2 / d, 0) = noise T / epsilon^2``, found by sorting; and the least variance
    is 1 over the sum of the unnormalised weights. Parameters as for `spent_variance`.

    Examples
    --------
    >>> optimal_weights([1.0, 1.0, 0.01], [1.0, 1.0, 1.0], epsilon=1.0).value.round(3)
    array([0.333, 0.333, 0.333])
    """
    variances, widths, counts = _checked(variances, widths, counts, epsilon, noise)
    turning = widths / variances  # a user is capped while T is below this
    order = np.argsort(-turning)
    shares, ratios = (counts / widths)[order], (counts * variances / widths**2)[order]
    roots = np.cumsum(shares) / (np.cumsum(ratios) + noise / epsilon**2)
    # the root of the m most constrained users counts if the next user is not constrained there
    following = np.append(turning[order][1:], 0.0)
    cap = float(roots[np.argmax(roots >= following)])
    raw = np.minimum(1 / variances, cap / widths)
    total = (counts * raw).sum()
    return Weights(raw / total, cap, float(1 / total))


def family_weights(
    variances: ArrayLike,
    widths: ArrayLike,
    *,
    epsilon: float,
    noise: float = LAPLACE_VARIANCE,
    counts: ArrayLike = 1,
) -> Weights:
    """Best weights of the form ``min(1 / s^2, T / s)``, as Algorithm 2 chooses them by eq. (6).

    Optimal where widths are proportional to standard deviations. Parameters as for `spent_variance`; with
    `noise` the supplement minimises with 1, while the `variance` returned counts the true factor 2.
    """
    variances, widths, counts = _checked(variances, widths, counts, epsilon, noise)
    roots = 1 / np.sqrt(variances)
    cost = _cost_of_cap(roots, widths, counts, noise / epsilon**2)
    # below the smallest 1 / s all users are capped and above the largest none: nothing changes outside
    grid = np.linspace(np.log(roots.min()), np.log(roots.max()), CAPS_TRIED)
    best = int(np.argmin([cost(g) for g in grid]))
    around = grid[max(best - 1, 0)], grid[min(best + 1, CAPS_TRIED - 1)]
    refined = minimize_scalar(cost, bounds=around, method="bounded", options={"xatol": 1e-10}).x
    cap = float(np.exp(min(refined, grid[best], key=cost)))
    raw = np.minimum(roots**2, cap * roots)
    value = raw / (counts * raw).sum()
    return Weights(value, cap, spent_variance(value, variances, widths, epsilon=epsilon, counts=counts))


def _cost_of_cap(roots: Floats, widths: Floats, counts: Floats, noise: float) -> Callable[[float], float]:
    """Variance as a function of log T, from running sums over the users in increasing order of 1 / s."""
    order = np.argsort(roots)
    roots, widths, counts = roots[order], widths[order], counts[order]
    free = np.append(0.0, np.cumsum(counts * roots**2))
    capped, many = (np.append(np.cumsum(x[::-1])[::-1], 0.0) for x in (counts * roots, counts))
    free_width = np.append(0.0, np.maximum.accumulate(roots**2 * widths))
    capped_width = np.append(np.maximum.accumulate((roots * widths)[::-1])[::-1], 0.0)

    def cost(log_cap: float) -> float:
        cap = np.exp(log_cap)
        i = np.searchsorted(roots, cap, side="right")
        total = free[i] + cap * capped[i]
        widest = max(free_width[i], cap * capped_width[i])
        return (free[i] + cap**2 * many[i] + noise * widest**2) / total**2

    return cost
