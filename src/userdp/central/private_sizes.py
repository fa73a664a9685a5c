"""The same mean when sizes are private too: propose a sensitivity, test it, release (Algorithms 3 and 4).

Neighbouring inputs replace all records of one user by any others, any number of them. Since the users are
ranked by their private sizes, one user can change every cohort: budgets of all steps add.
"""

import math
from dataclasses import dataclass

import numpy as np

from userdp import _validate
from userdp.central.mean import (
    LARGEST_VARIANCE,
    _cohorts_for,
    _inside,
    _users,
    initial_error,
    initial_mean,
    private_variance,
    window,
)
from userdp.populations.records import variance_of_mean
from userdp.privacy.choice import order_statistic
from userdp.privacy.guarantee import Guarantee, sequential
from userdp.privacy.reports import project
from userdp.privacy.results import WeightedEstimate

__all__ = ["SAFETY", "TruncatedMean", "private_size_mean"]

# Lambda = SAFETY v_max h / N: 8 is proved on the page; the paper has 8 B with B large
SAFETY = 8.0


@dataclass(frozen=True)
class TruncatedMean:
    """The statistic of Algorithm 4: users' means, clipped around a centre, weighed by capped sizes.

    Parameters
    ----------
    centre : float
        Released initial mean, in (0, 1).
    spread : float
        Released variance of the users' own means.
    half_widths : ndarray, shape (k_T,)
        Half-width of the window of a user with 1 .. k_T records, not increasing; larger users count as
        k_T.
    """

    centre: float
    spread: float
    half_widths: np.ndarray

    @property
    def size_weights(self):
        """Weight of a user with 1 .. k_T records: one over its variance, shape (k_T,)."""
        k = np.arange(1, self.half_widths.size + 1)
        return 1 / variance_of_mean(k, self.centre, self.spread)

    def terms(self, means, sizes):
        """Weights and clipped deviations from the centre of the users, each of shape (n,)."""
        k = np.clip(sizes, 1, self.half_widths.size).astype(np.int64) - 1
        half = self.half_widths[k]
        return self.size_weights[k], np.clip(project(means, 0.0, 1.0) - self.centre, -half, half)

    def value(self, means, sizes):
        """The statistic."""
        weights, deviations = self.terms(means, sizes)
        return float(self.centre + weights @ deviations / weights.sum())

    def sensitivity(self, others, average):
        """Most that one user can change the statistic, beside others of total weight and mean deviation.

        Over all sizes and means of that one user, for both ends separately; even and convex in `average`
        and decreasing in `others`.
        """
        weights, half = self.size_weights, self.half_widths
        share = weights / (others + weights)
        return float(np.max(share * (half - average)) + np.max(share * (half + average)))

    def sensitivity_within(self, means, sizes, changes):
        """Bound on the local sensitivity of every input that differs in at most `changes` users.

        The users that differ, and the one that is replaced next, are taken away where that hurts most, and
        `changes` worst users are put in; total weight and mean deviation are bounded one by one.
        """
        weights, deviations = self.terms(means, sizes)
        gone = changes + 1
        if gone >= weights.size:
            return math.inf
        heaviest = np.partition(weights, weights.size - gone)[weights.size - gone :]
        others = weights.sum() - heaviest.sum() + changes * self.size_weights.min()
        average = max(
            self._largest_average(weights, deviations, changes),
            self._largest_average(weights, -deviations, changes),
        )
        return self.sensitivity(others, average)

    def _largest_average(self, weights, deviations, changes):
        """Largest weighted mean deviation after `changes` + 1 users go and `changes` come (Dinkelbach)."""
        average = weights @ deviations / weights.sum()
        while True:
            scores = weights * (deviations - average)
            kept = np.argpartition(scores, changes)[changes + 1 :]
            new = np.argmax(self.size_weights * (self.half_widths - average))
            weight, half = self.size_weights[new], self.half_widths[new]
            total = weights[kept].sum() + changes * weight
            better = (weights[kept] @ deviations[kept] + changes * weight * half) / total
            if better <= average + 1e-15:
                return average
            average = better

    def distance(self, means, sizes, bound):
        """Number of users who can change with the local sensitivity still at most `bound`; -1 if none can.

        It is a lower bound on the distance to an input whose neighbours differ by more than `bound`, and
        changes by at most 1 when one user changes.
        """
        low, high = -1, len(means)
        while high - low > 1:
            middle = (low + high) // 2
            if self.sensitivity_within(means, sizes, middle) <= bound:
                low = middle
            else:
                high = middle
        return low


def private_size_mean(
    means,
    sizes,
    *,
    epsilon,
    delta,
    largest_size,
    rng,
    beta=0.05,
    spread=None,
    variance_users=None,
    safety=SAFETY,
):
    """Estimate the mean of users who differ, with private sizes (Algorithm 3, repaired).

    Output law: private initial mean and variance as in `userdp.central.mean.realistic_mean`, then a private
    cap on the sizes, a private total weight, and, if a private test finds that no few users can make the
    statistic more sensitive than proposed, `TruncatedMean` plus Laplace noise; else the initial mean.

    Parameters
    ----------
    means : array_like, shape (n,)
        Mean of each user's 0/1 records, n at least 20; projected to [0, 1].
    sizes : array_like of int, shape (n,)
        Records of each user; private, and projected to whole numbers of at least 1.
    epsilon, delta : float
        Budget of each step, positive; the guarantee of the result adds the steps up.
    largest_size : int
        Public bound on the records of one user.
    rng : numpy.random.Generator
        Source of the randomness.
    beta : float
        Probability that the windows may fail.
    spread : float, optional
        Variance of the users' own means where it is known.
    variance_users : int, optional
        Users of the variance step.
    safety : float
        Proposed sensitivity in units of largest weight times half-width over total weight.

    Returns
    -------
    WeightedEstimate
        Estimate with ``(6 epsilon, delta)``: initial mean, variance, size cap and total weight cost epsilon
        each, testing and releasing ``(2 epsilon, delta)``. The paper prints (3 epsilon, 2 delta).

    Raises
    ------
    ValueError
        If a public parameter is out of range or there are fewer than 20 users.
    """
    # a private size that is none is taken for 1: an exception would be an output
    sizes = np.clip(np.nan_to_num(np.asarray(sizes, dtype=float), nan=1.0), 1, 10**15).astype(np.int64)
    means, sizes = _users(means, sizes)
    _validate.positive(epsilon=epsilon, delta=delta, safety=safety)
    _validate.in_range(0, 0.5, delta=delta)
    n = means.size
    smallest, largest, middle = _cohorts_for(sizes, spread, variance_users, epsilon)
    initial, _ = initial_mean(rng.binomial(1, means[smallest]), epsilon=epsilon, rng=rng)
    step = Guarantee(float(epsilon), trust="central")
    steps = [step]
    if spread is None:
        # in order of size one user at the top would shift every pair; shuffled, it changes one
        shuffled = rng.permutation(means[largest])
        spread, _ = private_variance(shuffled, epsilon=epsilon, rng=rng)
        steps.append(step)
    cap, chosen = order_statistic(
        sizes, 2 * np.log(n) / epsilon, largest=largest_size, epsilon=epsilon, rng=rng
    )
    steps.append(chosen)
    centre = _inside(initial, n)
    alpha = initial_error(initial, smallest.size, epsilon=epsilon, beta=beta)
    half = alpha + window(np.arange(1, cap + 1), n, mean=centre, spread=spread, beta=beta / 2)
    statistic = TruncatedMean(centre, min(spread, LARGEST_VARIANCE), half)
    weights, _ = statistic.terms(means[middle], sizes[middle])
    heaviest = float(statistic.size_weights.max())
    total = weights.sum() + heaviest / epsilon * (rng.laplace() - np.log(1 / (2 * delta)))
    steps.append(step)
    steps.append(Guarantee(2 * float(epsilon), float(delta), trust="central"))
    proposed = safety * heaviest * half[-1] / total if total > 0 else math.inf
    value, scale = initial, 1 / (smallest.size * epsilon)
    if math.isfinite(proposed):
        distance = statistic.distance(means[middle], sizes[middle], proposed) + rng.laplace(scale=1 / epsilon)
        if distance >= np.log(1 / delta) / epsilon:
            scale = proposed / epsilon
            value = statistic.value(means[middle], sizes[middle]) + rng.laplace(scale=scale)
    return WeightedEstimate(
        float(value), weights / weights.sum(), float(scale), initial, spread, sequential(*steps)
    )
