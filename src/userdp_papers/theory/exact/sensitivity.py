"""How much a truncated mean of users with private sizes can change, near given data."""

import math

import numpy as np

from userdp._public import public
from userdp._types import ArrayLike, Floats
from userdp.central.private_sizes import TruncatedMean


@public
def sensitivity_within(statistic: TruncatedMean, means: ArrayLike, sizes: ArrayLike, changes: int) -> float:
    """Bound the local sensitivity of every input that differs in at most `changes` users.

    The users who differ, and the one who is replaced next, are removed where that changes most, and as many
    worst users are put in; the total weight and the mean deviation are bounded one after the other.
    """
    weights, deviations = statistic.terms(means, sizes)
    gone = changes + 1
    if gone >= weights.size:
        return math.inf
    heaviest = np.partition(weights, weights.size - gone)[weights.size - gone :]
    others = weights.sum() - heaviest.sum() + changes * statistic.size_weights.min()
    average = max(
        _largest_average(statistic, weights, deviations, changes),
        _largest_average(statistic, weights, -deviations, changes),
    )
    return statistic.sensitivity(others, average)


def _largest_average(statistic: TruncatedMean, weights: Floats, deviations: Floats, changes: int) -> float:
    """Largest weighted mean deviation after `changes` + 1 users go and `changes` come (Dinkelbach)."""
    average = weights @ deviations / weights.sum()
    while True:
        scores = weights * (deviations - average)
        kept = np.argpartition(scores, changes)[changes + 1 :]
        new = np.argmax(statistic.size_weights * (statistic.half_widths - average))
        weight, half = statistic.size_weights[new], statistic.half_widths[new]
        total = weights[kept].sum() + changes * weight
        better = (weights[kept] @ deviations[kept] + changes * weight * half) / total
        if better <= average + 1e-15:
            return average
        average = better
