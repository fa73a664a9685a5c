"""Choose privately with a trusted curator: the exponential mechanism and report noisy max."""

import numpy as np
from scipy.special import log_softmax

from userdp import _validate
from userdp.privacy.guarantee import Guarantee

__all__ = ["order_statistic_law", "order_statistic", "exponential_law", "exponential_choice", "noisy_argmax"]


def order_statistic_law(values, rank, *, largest, epsilon):
    """Law of `order_statistic`: probability of each answer 1 .. largest, shape (largest,).

    With ``N(t) = #{i: values[i] >= t}``, t is the right answer if ``N(t + 1) < rank <= N(t)``, and its score
    is minus the number of values that must change for that: ``max(N(t + 1) + 1 - rank, rank - N(t), 0)``.
    Replacing one value changes each score by at most 1, so that weights ``exp(epsilon score / 2)`` are
    epsilon-private.

    Parameters
    ----------
    values : array_like, shape (n,)
        One number a user; projected to [1, largest], NaN counts as 1.
    rank : float
        Which of the values, counted from the largest: the answer has about `rank` values above it.
    largest : int
        Public upper bound of the answer, at least 1.
    epsilon : float
        Budget of the choice, positive.

    Returns
    -------
    ndarray, shape (largest,)
        Probability of each answer.

    Raises
    ------
    ValueError
        If a public parameter is out of range.
    """
    _validate.integer(1, largest=largest)
    _validate.positive(epsilon=epsilon)
    _validate.in_range(0, float("inf"), rank=rank)
    values = np.nan_to_num(np.asarray(values, dtype=float), nan=1.0)
    counts = np.bincount(np.clip(values, 1, largest).astype(np.int64), minlength=int(largest) + 1)
    at_least = np.append(counts[::-1].cumsum()[::-1][1:], 0)
    too_small, too_large = at_least[1:] + 1 - rank, rank - at_least[:-1]
    return np.exp(log_softmax(-epsilon / 2 * np.maximum(np.maximum(too_small, too_large), 0)))


def order_statistic(values, rank, *, largest, epsilon, rng):
    """Choose an order statistic by the exponential mechanism.

    Output law: `order_statistic_law`. Neighbours replace one user's value; the guarantee is central.

    Parameters
    ----------
    values, rank, largest, epsilon
        As for `order_statistic_law`.
    rng : numpy.random.Generator
        Source of the randomness.

    Returns
    -------
    answer : int
        A number in 1 .. largest with about `rank` of the values at or above it.
    guarantee : Guarantee
        ``Guarantee(epsilon, trust="central")``.

    Raises
    ------
    ValueError
        If a public parameter is out of range.
    """
    law = order_statistic_law(values, rank, largest=largest, epsilon=epsilon)
    answer = int(rng.choice(law.size, p=law)) + 1
    return answer, Guarantee(float(epsilon), trust="central")


def exponential_law(scores, *, sensitivity, epsilon):
    """Law of `exponential_choice`: ``exp(epsilon score / (2 sensitivity))``, normalised, shape (k,)."""
    _validate.positive(sensitivity=sensitivity, epsilon=epsilon)
    return np.exp(log_softmax(epsilon / (2 * sensitivity) * np.asarray(scores, dtype=float)))


def exponential_choice(scores, *, sensitivity, epsilon, neighbours="replace", rng):
    """Choose one of k candidates by the exponential mechanism: large scores are likely.

    Output law: `exponential_law`.

    Parameters
    ----------
    scores : array_like, shape (k,)
        Score of each candidate, computed from the data.
    sensitivity : float
        Most that one user changes any single score, positive.
    epsilon : float
        Budget of the choice, positive.
    neighbours : {"replace", "replace-same-size", "add-remove"}
        The relation for which `sensitivity` holds.
    rng : numpy.random.Generator
        Source of the randomness.

    Returns
    -------
    index : int
        The chosen index.
    guarantee : Guarantee
        ``Guarantee(epsilon, trust="central", neighbours=neighbours)``.

    Raises
    ------
    ValueError
        If a public parameter is out of range.
    """
    law = exponential_law(scores, sensitivity=sensitivity, epsilon=epsilon)
    guarantee = Guarantee(float(epsilon), 0.0, "central", neighbours)
    return int(rng.choice(law.size, p=law)), guarantee


def noisy_argmax(scores, *, sensitivity, epsilon, rng):
    """Index of the largest score after Laplace noise of scale ``2 sensitivity / epsilon`` on each.

    Output law: the index of the maximum of independent Laplace variables around the scores.

    Parameters
    ----------
    scores : array_like, shape (k,)
        Scores computed from the data.
    sensitivity : float
        Most that one user changes any single score.
    epsilon : float
        Budget of the choice, positive.
    rng : numpy.random.Generator
        Source of the noise.

    Returns
    -------
    index : int
        The chosen index.
    guarantee : Guarantee
        ``Guarantee(epsilon, trust="central")``.

    Raises
    ------
    ValueError
        If a public parameter is out of range.
    """
    _validate.positive(sensitivity=sensitivity, epsilon=epsilon)
    scores = np.asarray(scores, dtype=float)
    noisy = scores + rng.laplace(scale=2 * sensitivity / epsilon, size=scores.shape)
    return int(np.argmax(noisy)), Guarantee(float(epsilon), trust="central")
