"""Weights of users as Cummings et al. print them, and the variance that any weights spend."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from userdp._types import ArrayLike, Floats
from userdp.central.weights import LAPLACE_VARIANCE, Weights, _checked

__all__ = ["spent_variance", "family_weights", "PRINTED_MEAN"]


# caps tried before the best one is refined
CAPS_TRIED = 65


def spent_variance(
    weights: ArrayLike,
    variances: ArrayLike,
    lengths: ArrayLike,
    *,
    epsilon: float,
    noise: float = LAPLACE_VARIANCE,
    counts: ArrayLike = 1,
) -> float:
    """Variance of a weighted mean with noise: ``sum w^2 s^2 + noise max (w d)^2 / epsilon^2``, eq. (15).

    Parameters
    ----------
    weights, variances, lengths : shape (n,)
        Weight, variance and length of the interval of each user.
    epsilon
        Central budget, positive.
    noise
        Variance of a Laplace variable of scale 1: 2; the supplement computes with 1.
    counts : shape (n,), optional
        How many users share each entry; one by default.
    """
    variances, lengths, counts = _checked(variances, lengths, counts, epsilon, noise)
    weights = np.asarray(weights, dtype=float)
    return float((counts * weights**2) @ variances + noise * np.max(weights * lengths) ** 2 / epsilon**2)


def family_weights(
    variances: ArrayLike,
    lengths: ArrayLike,
    *,
    epsilon: float,
    noise: float = LAPLACE_VARIANCE,
    counts: ArrayLike = 1,
) -> Weights:
    """Best weights of the form ``min(1 / s^2, T / s)``, as Algorithm 2 chooses them by eq. (6).

    Optimal where lengths are proportional to standard deviations. Parameters as for `spent_variance`; with
    `noise` the supplement minimises with 1, while the `variance` returned counts the true factor 2.
    """
    variances, lengths, counts = _checked(variances, lengths, counts, epsilon, noise)
    roots = 1 / np.sqrt(variances)
    cost = _cost_of_cap(roots, lengths, counts, noise / epsilon**2)
    # below the smallest 1 / s all users are capped and above the largest none: nothing changes outside
    grid = np.linspace(np.log(roots.min()), np.log(roots.max()), CAPS_TRIED)
    best = int(np.argmin([cost(g) for g in grid]))
    around = grid[max(best - 1, 0)], grid[min(best + 1, CAPS_TRIED - 1)]
    refined = minimize_scalar(cost, bounds=around, method="bounded", options={"xatol": 1e-10}).x
    cap = float(np.exp(min(refined, grid[best], key=cost)))
    raw = np.minimum(roots**2, cap * roots)
    value = raw / (counts * raw).sum()
    return Weights(value, cap, spent_variance(value, variances, lengths, epsilon=epsilon, counts=counts))


def _cost_of_cap(roots: Floats, lengths: Floats, counts: Floats, noise: float) -> Callable[[float], float]:
    """Variance as a function of log T, from running sums over the users in increasing order of 1 / s."""
    order = np.argsort(roots)
    roots, lengths, counts = roots[order], lengths[order], counts[order]
    free = np.append(0.0, np.cumsum(counts * roots**2))
    capped, many = (np.append(np.cumsum(x[::-1])[::-1], 0.0) for x in (counts * roots, counts))
    free_width = np.append(0.0, np.maximum.accumulate(roots**2 * lengths))
    capped_width = np.append(np.maximum.accumulate((roots * lengths)[::-1])[::-1], 0.0)

    def cost(log_cap: float) -> float:
        cap = np.exp(log_cap)
        i = np.searchsorted(roots, cap, side="right")
        total = free[i] + cap * capped[i]
        widest = max(free_width[i], cap * capped_width[i])
        return (free[i] + cap**2 * many[i] + noise * widest**2) / total**2

    return cost


# options of `userdp.central.mean.realistic_mean` for Algorithm 2 to the letter: the noise counted once
PRINTED_MEAN: dict[str, Any] = {"printed": True, "weigh": partial(family_weights, noise=1.0)}
