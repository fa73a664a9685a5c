"""Means of heterogeneous users with public sizes (Cummings et al., Algorithm 2).

Users differ in their latent means and in how many records they hold; how much should each count? These are
the estimator of Cummings, Feldman, McMillan and Talwar (2022, from the supplement), the two private estimates
that it starts from, and the unweighted baseline. Data lie in a public `domain`, [0, 1] in the paper and by
default: what is outside is projected, NaN to the low end, and every result is in its units. Neighbouring
inputs replace one user's records by as many others; a trusted curator adds the noise.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import ndtri

from userdp import _validate
from userdp._exact import lost
from userdp._public import public
from userdp._types import ArrayLike, Domain, Floats, Ints, Rng
from userdp.central.weights import Weights, optimal_weights
from userdp.privacy.choice import NoisyMaximum
from userdp.privacy.guarantee import Replaced, disjoint
from userdp.privacy.noise import LaplaceNoise, ThresholdedNoise
from userdp.privacy.reports import project
from userdp.privacy.results import Release, WeightedEstimate
from userdp.sizes import variance_of_mean

SAME_SIZE: Replaced = "replace-same-size"
LARGEST_VARIANCE = 0.25  # of any distribution on [0, 1]
# users of the variance step: log(n) of the paper is too few for any guarantee; see the page on it
VARIANCE_USERS = 400.0
# pairs averaged before they vote for a scale, and the smallest scale looked for (our choices)
PAIRS = 4
SMALLEST_VARIANCE = 1e-8
LARGEST_URN = 10**9 - 1


def _unit(domain: Domain, **data: ArrayLike) -> Floats:
    """Data of shape (n,) scaled from the domain to [0, 1]."""
    low, high = domain
    _validate.domain(domain)
    _validate.positive(**{"the length of domain": high - low})
    return (project(_validate.column(**data), low, high) - low) / (high - low)


def in_domain(estimate: WeightedEstimate, domain: Domain) -> WeightedEstimate:
    """An estimate from scaled data, in the domain."""
    low, length = domain[0], domain[1] - domain[0]
    initial = None if estimate.initial is None else low + length * estimate.initial
    variance = None if estimate.variance is None else length**2 * estimate.variance
    value, scale = low + length * estimate.value, length * estimate.scale
    return replace(estimate, value=value, scale=scale, initial=initial, variance=variance)


def checked_users(means: ArrayLike, sizes: ArrayLike, domain: Domain) -> tuple[Floats, Ints]:
    means, sizes = _unit(domain, means=means), _validate.whole_numbers(1, sizes=sizes)
    if means.shape != sizes.shape or means.size < 20:
        shapes = f"{means.shape} and {sizes.shape}"
        raise ValueError(f"means and sizes must have one shape (n,), n at least 20, got {shapes}")
    return means, sizes


@public
def uniform_mean(
    means: ArrayLike, *, epsilon: float, domain: Domain = (0.0, 1.0), rng: Rng
) -> WeightedEstimate:
    """Average of all users' means with Laplace noise: the unweighted baseline.

    It needs no sizes, so that its guarantee covers any replacement of one user's data.

    Output distribution: the average of n means plus one Laplace variable of scale
    ``(high - low) / (n epsilon)``.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user; projected to `domain`.
    epsilon
        Central privacy budget, positive.
    domain : low, high
        Public ends of the data.
    rng
        Generator of NumPy, or `userdp.release.Secure` for a release in earnest.

    Returns
    -------
    WeightedEstimate
        The estimate `value`, its `guarantee`, the `scale` of the noise, and an `interval` around the mean of
        these users.

    Examples
    --------
    >>> ratings, rng = [4.0, 2.5, 5.0, 3.5], np.random.default_rng(1)
    >>> options = {"epsilon": 10.0, "domain": (0.5, 5.0)}
    >>> mean = uniform_mean(ratings, rng=rng, **options)
    >>> round(mean.value, 2), mean.guarantee.epsilon
    (3.75, 10.0)
    """
    means = _unit(domain, means=means)
    value, noise = _noisy_average(means, epsilon, "replace", rng)
    weights = np.broadcast_to(1 / means.size, means.size)  # one number
    made = in_domain(WeightedEstimate(value, noise.guarantee, weights, noise.scale), domain)
    return replace(made, error=("laplace_average", 1, made.scale, lost(1, domain[1] - domain[0], rng)))


def _noisy_average(x: Floats, epsilon: float, neighbours: Replaced, rng: Rng) -> tuple[float, LaplaceNoise]:
    """Average of numbers in [0, 1], one per user, with noise that hides any one of them."""
    _validate.integer(1, users=x.size)
    noise = LaplaceNoise.calibrated(epsilon=epsilon, sensitivity=1 / x.size, neighbours=neighbours)
    return float(noise.release(x.mean(), rng, parts=lambda: x / x.size)), noise


@public
def window(sizes: ArrayLike, n: int, *, mean: float, variance: float, beta: float) -> Floats:
    """Distance from the common mean within which all of `n` users' means lie with probability 1 - beta.

    In the supplement this distance is a function that the analyst knows. Ours is that of normal user means:
    the standard deviation times a quantile, at most ``max(mean, 1 - mean)``.

    Parameters
    ----------
    sizes : shape (k,)
        Records of a user; the half-width is for each of these.
    n
        Number of users.
    mean
        Mean of the users' latent means, on [0, 1].
    variance
        Variance of the users' latent means.
    beta
        Probability that some user lies outside, in (0, 1).
    """
    _validate.integer(1, n=n)
    _validate.in_range(0, 1, mean=mean)
    _validate.inside(0, 1, beta=beta)
    outside = -np.expm1(np.log1p(-beta) / n)
    reach = np.sqrt(variance_of_mean(sizes, mean, variance)) * -ndtri(outside / 2)
    return np.minimum(reach, max(mean, 1 - mean))


@public
def initial_mean(
    records: ArrayLike,
    *,
    epsilon: float,
    domain: Domain = (0.0, 1.0),
    neighbours: Replaced = SAME_SIZE,
    rng: Rng,
) -> Release[float]:
    """Average of one record per user with Laplace noise (Lemma F.1).

    Output distribution: the average of m records plus a Laplace variable of scale
    ``(high - low) / (m epsilon)``.

    Parameters
    ----------
    records : shape (m,)
        One record of each user; projected to `domain`.
    epsilon
        Central privacy budget, positive.
    domain : low, high
        Public ends of the data.
    neighbours
        Which inputs are neighbours: in "replace" the data of one user are replaced by any others, in
        "replace-same-size" by as many others.
    rng
        Generator of NumPy, or `userdp.release.Secure` for a release in earnest.

    Returns
    -------
    Release
        The estimate `value`, and its `guarantee`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> round(initial_mean([0, 1, 1, 1], epsilon=50.0, rng=rng).value, 2)
    0.75
    """
    value, noise = _noisy_average(_unit(domain, records=records), epsilon, neighbours, rng)
    return Release(domain[0] + (domain[1] - domain[0]) * value, noise.guarantee)


@public
def initial_error(value: float, users: int, *, epsilon: float, beta: float, printed: bool = False) -> float:
    """Bound on the error of `initial_mean` on [0, 1], from its output alone.

    Parameters
    ----------
    value
        What `initial_mean` returned.
    users
        Number of users that it averaged.
    epsilon
        Its budget.
    beta
        Probability with which the bound may fail.
    printed
        The bound in the proof of Lemma F.1; by default a normal quantile at the least favourable mean
        within the noise, several times smaller (our choice).
    """
    _validate.integer(1, users=users)
    _validate.positive(epsilon=epsilon)
    _validate.inside(0, 1, beta=beta)
    noise = np.log(2 / beta) / (epsilon * users)
    if printed:
        log, mean = np.log(4 / beta), min(max(value, 0.0), 1.0)
        sampling = np.sqrt(12 * mean * log / users + 36 * (log / users) ** 2) + 6 * log / users
        return float(2 * max(sampling, noise))
    least_favourable = min(max(0.5, value - noise), value + noise)
    z, variance = -ndtri(beta / 4), max(least_favourable * (1 - least_favourable), 0.0)
    return float(z * np.sqrt(variance / users) + z**2 / users + noise)


@public
def private_variance(
    means: ArrayLike,
    *,
    epsilon: float,
    delta: float = 0.0,
    pairs: int = PAIRS,
    smallest: float = SMALLEST_VARIANCE,
    neighbours: Replaced = SAME_SIZE,
    rng: Rng,
) -> Release[float | None]:
    """Upper estimate of a variance, too large by at most a constant factor (Lemma F.2, our construction).

    Output distribution: half-squared differences of disjoint pairs of users are averaged in groups; each
    group votes for the scale ``(2^j, 2^(j + 1)]`` of its average; the scale with most votes after Laplace
    noise is chosen. If `delta` is 0 all scales that are at least `smallest` take part (`NoisyMaximum`);
    otherwise only those whose noisy votes pass a threshold (`ThresholdedNoise`). A user changes one vote.

    Parameters
    ----------
    means : shape (m,)
        One number per user, identically distributed; projected to [0, 1].
    epsilon
        Central privacy budget, positive.
    delta
        The delta of the guarantee; 0 for pure privacy.
    pairs
        Pairs averaged in a group; `means` must fill one.
    smallest
        Smallest variance looked for, in (0, 1/4).
    neighbours
        Which inputs are neighbours: in "replace" the data of one user are replaced by any others, in
        "replace-same-size" by as many others.
    rng
        Generator of NumPy.

    Returns
    -------
    Release
        Twice the upper end of the chosen scale ``(2^j, 2^(j + 1)]``, at most 1/4: between the variance and
        8 times it with high probability. None if no scale passed the threshold.

    Examples
    --------
    >>> means = np.random.default_rng(1).normal(0.5, 0.1, 800)
    >>> rng = np.random.default_rng(2)
    >>> private_variance(means, epsilon=1.0, rng=rng).value
    0.015625
    """
    _validate.positive(epsilon=epsilon, smallest=smallest)
    _validate.in_range(0, LARGEST_VARIANCE, smallest=smallest)
    _validate.in_range(0, 1, delta=delta)
    _validate.integer(1, pairs=pairs)
    means = _unit((0.0, 1.0), means=means)
    _validate.integer(2 * pairs, users=means.size)
    groups = means.size // (2 * pairs)
    halves = np.diff(means[: groups * 2 * pairs].reshape(-1, 2), axis=1) ** 2 / 2
    averages = halves.reshape(groups, pairs).mean(axis=1)
    lowest = int(np.floor(np.log2(smallest)))
    scales = np.arange(lowest, 0)  # a half-squared difference is at most 1/2
    with np.errstate(divide="ignore"):
        exponents = np.ceil(np.log2(averages)) - 1
    votes = np.bincount((np.clip(exponents, lowest, -1) - lowest).astype(int), minlength=scales.size)
    if delta == 0:
        maximum = NoisyMaximum.calibrated(epsilon=epsilon, sensitivity=1.0, neighbours=neighbours)
        chosen, guarantee = maximum.choose(votes, rng), maximum.guarantee
    else:
        threshold = 1 + 2 * np.log(2 / delta) / epsilon
        promise: Any = {"epsilon": float(epsilon), "delta": float(delta), "neighbours": neighbours}
        noise = ThresholdedNoise(2 / epsilon, threshold, 1, **promise)
        shown, guarantee = noise.release(votes, rng), noise.guarantee
        if not shown.any():
            return Release(None, guarantee)
        chosen = int(np.argmax(shown))
    return Release(float(min(2 * 2.0 ** (scales[chosen] + 1), LARGEST_VARIANCE)), guarantee)


@public
def first_records(means: ArrayLike, sizes: Ints, k: int, rng: Rng) -> Floats:
    """Draw the mean of the first `k` records of each user: records are in no particular order.

    Given the mean of 0/1 records, any k of them contain a hypergeometric number of ones.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user's records, which are 0 or 1.
    sizes : shape (n,)
        Records of each user, below 1e9, because NumPy draws from no larger urn.
    k
        How many of the records.
    rng
        Generator of NumPy.
    """
    _validate.integer(1, k=k)
    held = _validate.whole_numbers(0, least=0, sizes=sizes)
    _validate.in_range(0, LARGEST_URN, **{"sizes of whom the variance is estimated": held.max(initial=0)})
    ones = np.rint(np.multiply(means, held)).astype(np.int64)
    return rng.hypergeometric(ones, held - ones, k) / k


def clipped_and_weighed(
    means: Floats,
    sizes: Ints,
    centre: float,
    variance: float,
    half: Callable[[Ints], Floats],
    epsilon: float,
    weigh: Callable[..., Weights],
    rng: Rng,
) -> WeightedEstimate:
    """Clip to windows of half-width `half(sizes)`, weigh, add noise: the last step of both estimators."""
    starts, counts = _size_runs(sizes)  # what depends on sizes alone is computed once per run
    own, each = sizes[starts], half(sizes[starts])
    low, high = np.maximum(centre - each, 0.0), np.minimum(centre + each, 1.0)
    variances = variance_of_mean(own, centre, variance)
    weights = weigh(variances, high - low, epsilon=epsilon, counts=counts).value
    most = float(np.max(weights * (high - low)))
    noise = LaplaceNoise.calibrated(epsilon=epsilon, sensitivity=most, neighbours=SAME_SIZE)
    low, high, weights = (np.repeat(x, counts) for x in (low, high, weights))
    value = float(noise.release(weights @ np.clip(means, low, high), rng))
    return WeightedEstimate(value, noise.guarantee, weights, noise.scale, variance=variance)


def _size_runs(sizes: Ints) -> tuple[Ints, Ints]:
    """Where each run of equal sizes starts, and its length: few runs where `sizes` are sorted."""
    starts = np.append(0, np.flatnonzero(sizes[1:] != sizes[:-1]) + 1)
    return starts, np.diff(starts, append=len(sizes))


@public
def cohorts(sizes: ArrayLike, variance_users: int) -> tuple[Ints, ...]:
    """Cut the users by their public sizes: the smallest tenth, the largest few, and the others.

    Parameters
    ----------
    sizes : shape (n,)
        Records of each user; public.
    variance_users
        How many of the largest estimate the variance; it may be 0.

    Returns
    -------
    tuple
        Indices of the smallest, of the largest and of the others, each in decreasing order of size.
    """
    order = np.argsort(-np.asarray(sizes), kind="stable")
    last = order.size - order.size // 10
    _validate.integer(0, last - 1, variance_users=variance_users)
    return order[last:], order[: int(variance_users)], order[int(variance_users) : last]


@public
def default_variance_users(n: int, *, epsilon: float) -> int:
    """Users of the variance step by default: 400 / epsilon, at most a tenth, at least 8 (our choice).

    Parameters
    ----------
    n
        Number of users.
    epsilon
        Central privacy budget, positive.
    """
    _validate.integer(1, n=n)
    _validate.positive(epsilon=epsilon)
    return int(max(min(VARIANCE_USERS / epsilon, n / 10), 2 * PAIRS))


def asked_or_default(variance_users: int | None, n: int, epsilon: float) -> int:
    """How many users the variance step takes."""
    users = default_variance_users(n, epsilon=epsilon) if variance_users is None else variance_users
    _validate.integer(2 * PAIRS, variance_users=users)
    return int(users)


def cohorts_for(sizes: Ints, variance: float | None, users: int | None, epsilon: float) -> tuple[Ints, ...]:
    """The cohorts, with nobody spent on a variance that is known."""
    _validate.positive(epsilon=epsilon)
    if variance is not None:
        _validate.in_range(0, LARGEST_VARIANCE, variance=variance)
        return cohorts(sizes, 0)
    return cohorts(sizes, asked_or_default(users, sizes.size, epsilon))


def inside_unit(initial: float, n: int) -> float:
    """Initial mean moved into (0, 1), as the formula of the window needs it."""
    return min(max(initial, 10 / n), 1 - 10 / n)


@public
def realistic_mean(
    means: ArrayLike,
    sizes: ArrayLike,
    *,
    epsilon: float,
    delta: float = 0.0,
    beta: float = 0.05,
    variance: float | None = None,
    variance_users: int | None = None,
    printed: bool = False,
    weigh: Callable[..., Weights] = optimal_weights,
    domain: Domain = (0.0, 1.0),
    rng: Rng,
) -> WeightedEstimate:
    """Estimate the mean of heterogeneous users, with public sizes (Algorithm 2).

    Output distribution:

    1. The tenth of the users with the least data give one record each to `initial_mean`.
    2. The largest users give the means of equally many records to `private_variance`.
    3. The means of all others, clipped to windows from these two estimates, are weighted as
       `userdp.central.weights` says, and get one Laplace variable scaled to the most that one of them can
       change the result.

    A user takes part in one of the three steps.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user's records, which lie at the two ends of the domain; at least 20 users.
    sizes : shape (n,)
        Records of each user, whole numbers; public.
    epsilon
        Central privacy budget, positive.
    delta
        Spent on the variance step; 0 for pure privacy.
    beta
        Probability with which the windows may fail.
    variance
        Variance of the users' latent means where it is known; then no user is spent on it.
    variance_users
        Users of the variance step, at least 8; `default_variance_users` by default. In the paper they are
        ``log(n)``.
    printed
        Whether to use the error bound of Lemma F.1.
    weigh
        How users are weighted, whatever the guarantee; `userdp_papers.printed.weights.PRINTED_MEAN` has the
        options for the paper's weights and error bound.
    domain : low, high
        Public ends of the data.
    rng
        Generator of NumPy.

    Returns
    -------
    WeightedEstimate
        The estimate `value`, its `guarantee`, the estimates `initial` and `variance` from which it starts,
        the `weights` of the users of the last step, and the `scale` of its noise.

    Examples
    --------
    >>> sizes, rng = np.arange(1, 501), np.random.default_rng(1)
    >>> means = np.full(500, 0.4)
    >>> estimate = realistic_mean(means, sizes, epsilon=2.0, rng=rng)
    >>> round(estimate.value, 1), estimate.guarantee.epsilon
    (0.4, 2.0)
    """
    means, sizes = checked_users(means, sizes, domain)
    n, length = means.size, domain[1] - domain[0]
    variance = variance if variance is None else variance / length**2
    smallest, largest, middle = cohorts_for(sizes, variance, variance_users, epsilon)
    first = initial_mean(rng.binomial(1, means[smallest]), epsilon=epsilon, rng=rng)
    guarantees = [first.guarantee]
    if variance is None:
        of_largest = first_records(means[largest], sizes[largest], sizes[largest].min(), rng)
        second = private_variance(of_largest, epsilon=epsilon, delta=delta, rng=rng)
        variance = LARGEST_VARIANCE if second.value is None else second.value
        guarantees.append(second.guarantee)
    centre = inside_unit(first.value, n)
    alpha = initial_error(first.value, smallest.size, epsilon=epsilon, beta=beta, printed=printed)

    def half(of_sizes: Ints) -> Floats:
        return alpha + window(of_sizes, n, mean=centre, variance=variance, beta=beta / 2)

    last = clipped_and_weighed(means[middle], sizes[middle], centre, variance, half, epsilon, weigh, rng)
    total = disjoint(last.guarantee, *guarantees)
    return in_domain(replace(last, initial=first.value, guarantee=total), domain)
