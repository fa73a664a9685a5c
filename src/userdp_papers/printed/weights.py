"""Weights of users as Cummings et al. print them, and the variance of a mean with given weights."""

from functools import partial
from typing import Any

import numpy as np

from userdp._public import public
from userdp._types import ArrayLike, Floats
from userdp.central.weights import LAPLACE_VARIANCE, Weights, checked_users_and_budget


@public
def spent_variance(
    weights: ArrayLike,
    variances: ArrayLike,
    lengths: ArrayLike,
    *,
    epsilon: float,
    noise: float = LAPLACE_VARIANCE,
    counts: ArrayLike = 1,
) -> float:
    """Variance of a weighted mean with Laplace noise (Cummings et al., eq. (15)).

    For users with weights :math:`w`, variances ``s^2`` and intervals of length :math:`d` it is the sum of
    ``w^2 s^2`` over the users, plus the variance of the noise, ``2 max(w d)^2 / epsilon^2``.

    Parameters
    ----------
    weights : shape (n,)
        Weight of each user.
    variances : shape (n,)
        Variance of each user's mean.
    lengths : shape (n,)
        Length of the interval to which each user's mean is clipped.
    epsilon
        Central budget, positive.
    noise
        Variance of a Laplace variable of scale 1, which is 2; the supplement of the paper computes with 1.
    counts : shape (n,), optional
        How many users share each entry; one by default.

    Returns
    -------
    float

    Examples
    --------
    >>> users = [0.5, 0.5], [0.1, 0.1], [1.0, 1.0]
    >>> round(spent_variance(*users, epsilon=2.0), 3)
    0.175
    """
    variances, lengths, counts = checked_users_and_budget(variances, lengths, counts, epsilon, noise)
    weights = np.asarray(weights, dtype=float)
    return float((counts * weights**2) @ variances + noise * np.max(weights * lengths) ** 2 / epsilon**2)


@public
def family_weights(
    variances: ArrayLike,
    lengths: ArrayLike,
    *,
    epsilon: float,
    noise: float = LAPLACE_VARIANCE,
    counts: ArrayLike = 1,
) -> Weights:
    """Best weights of one family, as Algorithm 2 of Cummings et al. chooses them by eq. (6).

    The weights are in proportion to ``min(1 / s^2, T / s)``, where :math:`s` is the standard deviation of a
    user's mean and the cap T is chosen. They are optimal where lengths are proportional to standard
    deviations.

    Parameters
    ----------
    variances : shape (n,)
        Variance of each user's mean.
    lengths : shape (n,)
        Length of the interval to which each user's mean is clipped.
    epsilon
        Central budget, positive.
    noise
        Variance of a Laplace variable of scale 1, with which T is chosen: 2, and in the supplement of the
        paper 1.
    counts : shape (n,), optional
        How many users share each entry; one by default.

    Returns
    -------
    Weights
        The weights, the cap T, and the variance of the mean, which counts the noise with its true factor 2.

    Examples
    --------
    >>> family_weights([0.1, 0.1], [1.0, 1.0], epsilon=2.0).value
    array([0.5, 0.5])
    """
    variances, lengths, counts = checked_users_and_budget(variances, lengths, counts, epsilon, noise)
    roots = 1 / np.sqrt(variances)
    cap = _best_cap(roots, lengths, counts, noise / epsilon**2)
    raw = np.minimum(roots**2, cap * roots)
    value = raw / (counts * raw).sum()
    return Weights(value, cap, spent_variance(value, variances, lengths, epsilon=epsilon, counts=counts))


def _best_cap(roots: Floats, lengths: Floats, counts: Floats, noise: float) -> float:
    """T of the least variance, from running sums over the users in increasing order of 1 / s."""
    order = np.argsort(roots)
    roots, lengths, counts = roots[order], lengths[order], counts[order]
    if roots.size == 1:  # below the smallest 1 / s and above the largest nothing changes
        return float(roots[0])
    free, free_width = np.cumsum(counts * roots**2)[:-1], np.maximum.accumulate(roots**2 * lengths)[:-1]
    capped, many = (np.cumsum(x[::-1])[-2::-1] for x in (counts * roots, counts))
    capped_width = np.maximum.accumulate((roots * lengths)[::-1])[-2::-1]
    # between neighbours the variance is (A + B T^2) / (free + capped T)^2, least at A capped / (B free), with
    # the noise in A up to the T at which both widths are equal, and in B beyond it
    least = capped / (many + noise * capped_width**2), (1 + noise * free_width**2 / free) * capped / many
    caps = np.clip(free_width / capped_width, *least).clip(roots[:-1], roots[1:])
    widest = np.maximum(free_width, caps * capped_width)
    variance = (free + caps**2 * many + noise * widest**2) / (free + caps * capped) ** 2
    return float(caps[np.argmin(variance)])


# options of `userdp.central.mean.realistic_mean` for Algorithm 2 to the letter: the noise counted once
PRINTED_MEAN: dict[str, Any] = {"printed": True, "weigh": partial(family_weights, noise=1.0)}
