"""Means of heterogeneous users whose sizes are private too (Cummings et al., Algorithms 3 and 4).

All records of one user may be replaced by any others, any number of them. Since the users are ranked by their
private sizes, one user can change every cohort, and the budgets of all steps add.
"""

from bisect import bisect_left
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, Domain, Floats, Ints, Rng
from userdp.central.mean import (
    LARGEST_VARIANCE,
    asked_or_default,
    checked_users,
    cohorts_for,
    in_domain,
    initial_error,
    initial_mean,
    inside_unit,
    private_variance,
    window,
)
from userdp.privacy.choice import order_statistic
from userdp.privacy.guarantee import Guarantee, disjoint, sequential
from userdp.privacy.noise import DistanceTest, LaplaceNoise
from userdp.privacy.reports import project
from userdp.privacy.results import WeightedEstimate
from userdp.sizes import variance_of_mean

# Lambda = SAFETY v_max h / N: 8 is proved on the page; the paper has 8 B with B large
SAFETY = 8.0


@public
@dataclass(frozen=True)
class TruncatedMean:
    """The statistic of Algorithm 4: users' means, clipped around a centre, weighted by capped sizes.

    Parameters
    ----------
    centre
        Released initial mean, in (0, 1).
    variance
        Released variance of the users' latent means.
    half_widths : shape (k,)
        Half-width of the window of a user with 1, 2, ..., k records; who has more counts as k.
    """

    centre: float
    variance: float
    half_widths: Floats

    @property
    def size_weights(self) -> Floats:
        """Weight of a user with 1, 2, ..., k records: one over its variance, shape (k,)."""
        return 1 / variance_of_mean(np.arange(1, self.half_widths.size + 1), self.centre, self.variance)

    def terms(self, means: ArrayLike, sizes: ArrayLike) -> tuple[Floats, ...]:
        """Weights and clipped deviations from the centre of the users, each of shape (n,)."""
        k = np.clip(sizes, 1, self.half_widths.size).astype(np.int64) - 1
        half = self.half_widths[k]
        return self.size_weights[k], np.clip(project(means, 0.0, 1.0) - self.centre, -half, half)

    def value(self, means: ArrayLike, sizes: ArrayLike) -> float:
        """The statistic itself, not private."""
        weights, deviations = self.terms(means, sizes)
        return float(self.centre + weights @ deviations / weights.sum())

    def sensitivity(self, others: float, average: float) -> float:
        """Most that one user can change the statistic, given the others' total weight and mean deviation.

        The maximum is over all sizes and means of that one user, for both ends separately. It is even and
        convex in `average` and decreasing in `others`.
        """
        weights, half = self.size_weights, self.half_widths
        share = weights / (others + weights)
        return float(np.max(share * (half - average)) + np.max(share * (half + average)))

    def distance(self, means: ArrayLike, sizes: ArrayLike, bound: float) -> int:
        """How many users may change before the local sensitivity can exceed `bound`; -1 if it can already.

        It is a lower bound on the distance to an input whose neighbours differ by more than `bound`, and
        changes by at most 1 when one user changes.
        """
        weights, deviations = self.terms(means, sizes)
        heaviest = np.append(0.0, np.cumsum(np.sort(weights)[::-1]))

        def exceeded(changes: int) -> bool:
            others = heaviest[-1] - heaviest[changes + 1] + changes * self.size_weights.min()
            return not self._within(weights, deviations, changes, others, bound)

        return bisect_left(range(weights.size - 1), True, key=exceeded) - 1

    def _within(self, weights: Floats, deviations: Floats, changes: int, others: float, bound: float) -> bool:
        """Whether the local sensitivity stays at most `bound` while that many users change.

        Bounded as in `userdp_papers.theory.exact`, `sensitivity_within`, it grows with the average: a step
        of Dinkelbach's method from the average at which it equals the bound tells if any larger can be had.
        """
        largest = float(self.half_widths.max())
        if self.sensitivity(others, largest) <= bound:
            return True
        if self.sensitivity(others, 0.0) > bound:
            return False
        average = scipy.optimize.brentq(
            lambda x: self.sensitivity(others, x) - bound, 0.0, largest, xtol=1e-16
        )
        gained = changes * np.max(self.size_weights * (self.half_widths - average))
        for signed in (deviations, -deviations):
            scores = weights * (signed - average)
            if scores.sum() - np.partition(scores, changes)[: changes + 1].sum() + gained > 0:
                return False
        return True


@public
def private_size_mean(
    means: ArrayLike,
    sizes: ArrayLike,
    *,
    epsilon: float,
    delta: float,
    largest_size: int,
    beta: float = 0.05,
    variance: float | None = None,
    variance_users: int | None = None,
    safety: float = SAFETY,
    domain: Domain = (0.0, 1.0),
    rng: Rng,
) -> WeightedEstimate:
    """Estimate the mean of heterogeneous users, with private sizes (Algorithm 3, repaired).

    Output distribution:

    1. A private initial mean and a private variance, as in `userdp.central.mean.realistic_mean`.
    2. A private cap on the sizes and a private total weight.
    3. A private test whether the statistic `TruncatedMean` stays within the proposed sensitivity, whatever a
       few users do. If it passes, the statistic plus Laplace noise is released, otherwise the initial mean.

    Initial mean, variance, cap, total weight, test and release get equal parts of epsilon, five without the
    variance; the test gets delta. (The paper prints three parts, and twice the delta, for all six.)

    Parameters
    ----------
    means : shape (n,)
        Mean of each user's records, which lie at the two ends of the domain; at least 20 users.
    sizes : shape (n,)
        Records of each user; private, and projected to whole numbers of at least 1.
    epsilon
        Central privacy budget of the whole, positive.
    delta
        The delta of the whole, in (0, 1/2].
    largest_size
        Public bound on the records of one user.
    beta
        Probability with which the windows may fail.
    variance
        Variance of the users' latent means where it is known; then no user is spent on it.
    variance_users
        Users of the variance step, at least 8; by default
        `userdp.central.mean.default_variance_users` at the budget of a step.
    safety
        Proposed sensitivity, in units of largest weight times half-width over total weight.
    domain : low, high
        Public ends of the data.
    rng
        Generator of NumPy.

    Returns
    -------
    WeightedEstimate
        The estimate `value`, its `guarantee`, the estimates `initial` and `variance` from which it starts,
        and the `scale` of the noise. The `weights` are for study and must not be published.

    Examples
    --------
    >>> means, sizes = np.full(5000, 0.4), np.arange(5000) % 50 + 1
    >>> options = {"epsilon": 12.0, "delta": 1e-6, "largest_size": 50}
    >>> rng = np.random.default_rng(1)
    >>> estimate = private_size_mean(means, sizes, rng=rng, **options)
    >>> round(estimate.value, 2), estimate.guarantee.epsilon
    (0.4, 12.0)
    >>> estimate.guarantee.delta
    1e-06
    """
    _validate.positive(delta=delta, safety=safety)
    _validate.in_range(0, 0.5, delta=delta)
    public = _Public(epsilon, largest_size, beta, variance, variance_users, domain)
    front = _front(means, sizes, public, 3, False, rng)
    statistic, step, users = front.statistic, front.step, front.users
    weights, _ = statistic.terms(*users)
    heaviest = float(statistic.size_weights.max())
    weighing = LaplaceNoise.calibrated(epsilon=step, sensitivity=heaviest)
    total = weighing.release(weights.sum(), rng) - weighing.scale * np.log(1 / (2 * delta))
    # without a positive total nothing is proposed; what is then not asked is paid for all the same
    proposed = safety * heaviest * statistic.half_widths[-1] / total if total > 0 else 1.0
    test = DistanceTest.calibrated(epsilon=step, delta=delta)
    noise = LaplaceNoise.calibrated(epsilon=step, sensitivity=proposed)
    value, scale = front.first, front.first_scale
    if total > 0 and test.passes(statistic.distance(*users, proposed), rng):
        value, scale = noise.release(statistic.value(*users), rng), noise.scale
    spent = front.compose(weighing.guarantee, test.guarantee, noise.guarantee)
    shares = weights / weights.sum()
    estimate = WeightedEstimate(float(value), spent, shares, scale, front.first, front.variance)
    return in_domain(estimate, domain)


@public
def quotient_mean(
    means: ArrayLike,
    sizes: ArrayLike,
    *,
    epsilon: float,
    largest_size: int,
    beta: float = 0.05,
    variance: float | None = None,
    variance_users: int | None = None,
    random_cohorts: bool = True,
    domain: Domain = (0.0, 1.0),
    rng: Rng,
) -> WeightedEstimate:
    """Estimate the same mean by a noisy quotient: no test, no delta.

    Output distribution: as `private_size_mean` up to the statistic, whose weighted sum of deviations and
    whose total weight each get Laplace noise; their quotient is added to the centre and projected to the
    domain. Each of the two sums has a bounded sensitivity on all data, so that nothing is proposed or tested.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user's records, which lie at the two ends of the domain; at least 20 users.
    sizes : shape (n,)
        Records of each user; private, and projected to whole numbers of at least 1.
    epsilon
        Central privacy budget of the whole, positive.
    largest_size
        Public bound on the records of one user.
    beta
        Probability with which the windows may fail.
    variance
        Variance of the users' latent means where it is known; then no user is spent on it.
    variance_users
        Users of the variance step, at least 8; by default
        `userdp.central.mean.default_variance_users` at the budget of a step.
    random_cohorts
        Whether to draw the cohorts without looking at the sizes. A user then takes part in the initial mean,
        the variance or the quotient, in addition to the cap, and a step may spend a third of epsilon; by rank
        it is a fifth.
    domain : low, high
        Public ends of the data.
    rng
        Generator of NumPy.

    Returns
    -------
    WeightedEstimate
        The estimate `value`, its `guarantee`, the estimates `initial` and `variance` from which it starts,
        and the `scale` of the noise. The `weights` are for study and must not be published.

    Examples
    --------
    >>> means, sizes = np.full(5000, 0.4), np.arange(5000) % 50 + 1
    >>> options = {"epsilon": 3.0, "largest_size": 50}
    >>> rng = np.random.default_rng(1)
    >>> estimate = quotient_mean(means, sizes, rng=rng, **options)
    >>> round(estimate.value, 2), estimate.guarantee.epsilon
    (0.4, 3.0)
    """
    public = _Public(epsilon, largest_size, beta, variance, variance_users, domain)
    front = _front(means, sizes, public, 2, random_cohorts, rng)
    statistic, step = front.statistic, front.step
    weights, deviations = statistic.terms(*front.users)
    # replacing a user moves the total by at most the largest weight, the sum by twice the largest term
    furthest = 2 * float(np.max(statistic.size_weights * statistic.half_widths))
    weighing = LaplaceNoise.calibrated(epsilon=step, sensitivity=float(statistic.size_weights.max()))
    summing = LaplaceNoise.calibrated(epsilon=step, sensitivity=furthest)
    total, moved = weighing.release(weights.sum(), rng), summing.release(weights @ deviations, rng)
    value = statistic.centre + moved / total if total > 0 else front.first
    spent = front.compose(weighing.guarantee, summing.guarantee)
    shares, scale = weights / weights.sum(), summing.scale / max(float(total), summing.scale)
    parts = spent, shares, scale, front.first, front.variance
    return in_domain(WeightedEstimate(float(np.clip(value, 0, 1)), *parts), domain)


class _Front(NamedTuple):
    """What both estimators do first, on [0, 1]."""

    statistic: TruncatedMean
    users: tuple[Floats, Ints]
    first: float
    first_scale: float
    variance: float
    step: float
    cohorts_spent: tuple[Guarantee, ...]
    cap_spent: Guarantee
    random_cohorts: bool

    def compose(self, *last: Guarantee) -> Guarantee:
        """All that is spent: everybody meets the cap, and one cohort, or every cohort that follows a rank."""
        if self.random_cohorts:
            steps = [*((one,) for one in self.cohorts_spent), last]
            return disjoint(*(sequential(self.cap_spent, *met) for met in steps))
        return sequential(self.cap_spent, *self.cohorts_spent, *last)


class _Public(NamedTuple):
    """What both estimators take alike."""

    epsilon: float
    largest_size: int
    beta: float
    variance: float | None
    variance_users: int | None
    domain: Domain


def _front(
    means: ArrayLike, sizes: ArrayLike, public: _Public, later: int, random_cohorts: bool, rng: Rng
) -> _Front:
    """Initial mean, variance, cap and statistic; `later` steps follow."""
    # a private size that is none is taken for 1: an exception would be an output
    sizes = np.clip(np.nan_to_num(np.asarray(sizes, dtype=float)), 1, 10**15).astype(np.int64)
    epsilon, largest_size, beta, variance, variance_users, domain = public
    _validate.positive(epsilon=epsilon)
    means, sizes = checked_users(means, sizes, domain)
    n, variance = means.size, variance if variance is None else variance / (domain[1] - domain[0]) ** 2
    step = epsilon / (1 + later if random_cohorts else 2 + later + (variance is None))
    early = later * step if random_cohorts else step  # of a cohort that meets nothing later
    if random_cohorts:
        smallest, largest, middle = _drawn_cohorts(sizes, variance, variance_users, early, rng)
    else:
        smallest, largest, middle = cohorts_for(sizes, variance, variance_users, step)
    first = initial_mean(rng.binomial(1, means[smallest]), epsilon=early, neighbours="replace", rng=rng)
    spent = [first.guarantee]
    if variance is None:
        # in order of size one user at the top would shift every pair; shuffled, it changes one
        shuffled = rng.permutation(means[largest])
        second = private_variance(shuffled, epsilon=early, neighbours="replace", rng=rng)
        variance = float(second.value or 0.0)  # without a slack a scale is always chosen
        spent.append(second.guarantee)
    cap = order_statistic(sizes, rank=2 * np.log(n) / step, largest=largest_size, epsilon=step, rng=rng)
    centre = inside_unit(first.value, n)
    alpha = initial_error(first.value, smallest.size, epsilon=early, beta=beta)
    half = alpha + window(np.arange(1, cap.value + 1), n, mean=centre, variance=variance, beta=beta / 2)
    statistic = TruncatedMean(centre, min(variance, LARGEST_VARIANCE), half)
    scale, users = 1 / (smallest.size * early), (means[middle], sizes[middle])
    spent_by = tuple(spent), cap.guarantee, random_cohorts
    return _Front(statistic, users, first.value, scale, variance, step, *spent_by)


def _drawn_cohorts(
    sizes: Ints, variance: float | None, variance_users: int | None, epsilon: float, rng: Rng
) -> tuple[Ints, ...]:
    """A random tenth, the largest few of another where the variance is wanted, and all others."""
    order, tenth = rng.permutation(sizes.size), sizes.size // 10
    first, second, rest = np.split(order, [tenth, 2 * tenth])
    if variance is not None:
        return first, second[:0], order[tenth:]
    users = asked_or_default(variance_users, sizes.size, epsilon)
    return first, second[np.argsort(-sizes[second], kind="stable")[:users]], rest
