"""Means of users who differ in size and in their own means, under central privacy with public sizes.

Cummings, Feldman, McMillan and Talwar (2022), from the supplement: the ideal estimator, the realistic one
of Algorithm 2, and the two private estimates that it starts from. Records are in [0, 1]. Neighbouring inputs
replace one user's records by as many others; a trusted curator adds the noise.
"""

import numpy as np
from scipy.stats import norm

from userdp import _validate
from userdp.central.weights import family_weights, optimal_weights
from userdp.populations.records import variance_of_mean
from userdp.privacy.choice import noisy_argmax
from userdp.privacy.guarantee import Guarantee, disjoint
from userdp.privacy.reports import project
from userdp.privacy.results import WeightedEstimate

__all__ = [
    "uniform_mean",
    "window",
    "initial_mean",
    "initial_error",
    "private_variance",
    "first_records",
    "ideal_mean",
    "cohorts",
    "default_variance_users",
    "realistic_mean",
]

NEIGHBOURS = "replace-same-size"
LARGEST_VARIANCE = 0.25  # of any law on [0, 1]
# users of the variance step: log(n) of the paper is too few for any promise; see the page on it
VARIANCE_USERS = 400.0
# pairs averaged before they vote for a scale, and the smallest scale looked for (our choices)
PAIRS = 4
SMALLEST_VARIANCE = 1e-8


def _users(means, sizes):
    means, sizes = project(means, 0.0, 1.0), np.asarray(sizes)
    if means.ndim != 1 or means.shape != sizes.shape or means.size < 20:
        raise ValueError(
            f"means and sizes must have one shape (n,), n at least 20, got {means.shape} and {sizes.shape}"
        )
    if not np.issubdtype(sizes.dtype, np.integer) or sizes.min() < 1:
        raise ValueError(f"sizes must be whole numbers of at least 1, got {sizes.min()}")
    return means, sizes


def uniform_mean(means, *, epsilon, rng):
    """Average of all users' means with Laplace noise of scale 1 / (n epsilon): the plain baseline.

    Output law: the average plus one Laplace variable. It needs no sizes, so that its guarantee holds
    for any replacement of one user.

    Parameters
    ----------
    means : array_like, shape (n,)
        Mean of each user; projected to [0, 1].
    epsilon : float
        Central budget, positive.
    rng : numpy.random.Generator
        Source of the noise.

    Returns
    -------
    WeightedEstimate
        Estimate with ``Guarantee(epsilon, trust="central")``.

    Raises
    ------
    ValueError
        If `epsilon` is not positive or there is no user.
    """
    _validate.positive(epsilon=epsilon)
    means = project(means, 0.0, 1.0)
    _validate.integer(1, users=means.size)
    scale = 1 / (means.size * epsilon)
    weights = np.full(means.size, 1 / means.size)
    value = float(means.mean() + rng.laplace(scale=scale))
    return WeightedEstimate(value, weights, scale, None, None, Guarantee(float(epsilon), trust="central"))


def window(sizes, n, *, mean, spread, beta):
    """Distance from the common mean within which all of `n` users' means lie with probability 1 - beta.

    The concentration function f of the supplement is known to the analyst; ours is that of normal user
    means: sqrt(Var) times a quantile, at most ``max(mean, 1 - mean)``.

    Parameters
    ----------
    sizes : array_like of int, shape (k,)
        Records of a user.
    n : int
        Number of users.
    mean, spread : float
        Mean and variance of the users' own means.
    beta : float
        Probability that some user lies outside, in (0, 1).

    Returns
    -------
    ndarray, shape (k,)
        Half-width for each size.
    """
    _validate.integer(1, n=n)
    _validate.in_range(0, 1, beta=beta, mean=mean)
    _validate.positive(beta=beta)
    outside = -np.expm1(np.log1p(-beta) / n)
    return np.minimum(
        np.sqrt(variance_of_mean(sizes, mean, spread)) * norm.isf(outside / 2), max(mean, 1 - mean)
    )


def initial_mean(records, *, epsilon, rng):
    """Average of one record a user with Laplace noise (Lemma F.1).

    Output law: the average of m records plus a Laplace variable of scale 1 / (m epsilon).

    Parameters
    ----------
    records : array_like, shape (m,)
        One record of each user; projected to [0, 1].
    epsilon : float
        Central budget, positive.
    rng : numpy.random.Generator
        Source of the noise.

    Returns
    -------
    value : float
        The estimate.
    guarantee : Guarantee
        Pure, central, for neighbours of the same sizes.

    Raises
    ------
    ValueError
        If `epsilon` is not positive or there is no record.
    """
    _validate.positive(epsilon=epsilon)
    records = project(records, 0.0, 1.0)
    _validate.integer(1, users=records.size)
    value = float(records.mean() + rng.laplace(scale=1 / (records.size * epsilon)))
    return value, Guarantee(float(epsilon), trust="central", neighbours=NEIGHBOURS)


def initial_error(value, users, *, epsilon, beta, printed=False):
    """Bound alpha on the error of `initial_mean`, from its output alone.

    Parameters
    ----------
    value : float
        What `initial_mean` returned.
    users : int
        Number m of users it averaged.
    epsilon, beta : float
        Its budget, and the probability that the bound may fail.
    printed : bool
        The bound in the proof of Lemma F.1; by default a normal quantile at the least favourable mean
        within the noise, several times smaller (our choice).

    Returns
    -------
    float
        The bound.
    """
    _validate.integer(1, users=users)
    _validate.positive(epsilon=epsilon, beta=beta)
    noise = np.log(2 / beta) / (epsilon * users)
    if printed:
        log = np.log(4 / beta)
        mean = min(max(value, 0.0), 1.0)
        sampling = np.sqrt(12 * mean * log / users + 36 * (log / users) ** 2) + 6 * log / users
        return float(2 * max(sampling, noise))
    least_favourable = min(max(0.5, value - noise), value + noise)
    variance = least_favourable * (1 - least_favourable)
    z = norm.isf(beta / 4)
    return float(z * np.sqrt(max(variance, 0.0) / users) + z**2 / users + noise)


def private_variance(means, *, epsilon, rng, pairs=PAIRS, smallest=SMALLEST_VARIANCE, delta=0.0):
    """Upper estimate of a variance, too large by a constant at most (promise of Lemma F.2, own construction).

    Output law: half-squared differences of disjoint pairs of users are averaged in groups; each group votes
    for the scale (2^j, 2^(j+1)] of its average; the scale with most votes after Laplace noise is chosen.
    With `delta` = 0 all scales from `smallest` on take part (pure privacy); otherwise only those with votes,
    above a threshold (stability).

    Parameters
    ----------
    means : array_like, shape (m,)
        One number a user, of one law; projected to [0, 1].
    epsilon : float
        Central budget, positive.
    rng : numpy.random.Generator
        Source of the noise.
    pairs : int
        Pairs averaged in a group.
    smallest : float
        Smallest variance looked for, in (0, 1/4).
    delta : float
        0 for pure privacy, else the slack of the stability argument.

    Returns
    -------
    value : float or None
        Twice the upper end of the chosen scale (2^j, 2^(j+1)], at most 1/4: between the variance and
        8 times it with high probability. None if no scale passed the threshold.
    guarantee : Guarantee
        ``(epsilon, delta)``, central, for neighbours of the same sizes.

    Raises
    ------
    ValueError
        If a public parameter is out of range or there are too few users for one group.
    """
    _validate.positive(epsilon=epsilon, smallest=smallest)
    _validate.in_range(0, LARGEST_VARIANCE, smallest=smallest)
    _validate.in_range(0, 1, delta=delta)
    _validate.integer(1, pairs=pairs)
    means = project(means, 0.0, 1.0)
    _validate.integer(2 * pairs, users=means.size)
    groups = means.size // (2 * pairs)
    halves = np.diff(means[: groups * 2 * pairs].reshape(-1, 2), axis=1) ** 2 / 2
    averages = halves.reshape(groups, pairs).mean(axis=1)
    lowest = int(np.floor(np.log2(smallest)))
    scales = np.arange(lowest, 0)  # a half-squared difference is at most 1/2
    with np.errstate(divide="ignore"):
        exponents = np.ceil(np.log2(averages)) - 1
    counts = np.bincount((np.clip(exponents, lowest, -1) - lowest).astype(int), minlength=scales.size)
    guarantee = Guarantee(float(epsilon), float(delta), trust="central", neighbours=NEIGHBOURS)
    if delta == 0:
        chosen, _ = noisy_argmax(counts, sensitivity=1, epsilon=epsilon, rng=rng)
    else:
        noisy = np.where(counts > 0, counts + rng.laplace(scale=2 / epsilon, size=counts.size), -np.inf)
        if noisy.max() < 1 + 2 * np.log(2 / delta) / epsilon:
            return None, guarantee
        chosen = int(np.argmax(noisy))
    return float(min(2 * 2.0 ** (scales[chosen] + 1), LARGEST_VARIANCE)), guarantee


def first_records(means, sizes, k, rng):
    """Draw the mean of the first `k` records of each user, shape (n,): records come in no order.

    Given the mean of 0/1 records, any k of them hold a hypergeometric number of ones.
    """
    ones = np.rint(means * sizes).astype(np.int64)
    return rng.hypergeometric(ones, sizes - ones, k) / k


def ideal_mean(means, sizes, *, mean, spread, epsilon, beta, rng):
    """Optimally weighted mean of clipped user means, by one who knows the population (eq. (3)).

    Output law: the weighted mean of the users' means, each clipped to ``mean +- window``, plus a Laplace
    variable scaled to the most that one user can change it. It is the yardstick of Theorem 4.1; the mean
    that it uses is not known in practice.

    Parameters
    ----------
    means : array_like, shape (n,)
        Mean of each user; projected to [0, 1].
    sizes : array_like of int, shape (n,)
        Records of each user; public.
    mean, spread : float
        Mean and variance of the users' own means.
    epsilon : float
        Central budget, positive.
    beta : float
        Probability that some user is clipped.
    rng : numpy.random.Generator
        Source of the noise.

    Returns
    -------
    WeightedEstimate
        Estimate with its guarantee.

    Raises
    ------
    ValueError
        If a public parameter is out of range.
    """
    means, sizes = _users(means, sizes)
    half = window(sizes, sizes.size, mean=mean, spread=spread, beta=beta)
    return _weighted(means, sizes, mean, spread, half, epsilon=epsilon, rng=rng, printed=False)


def _weighted(means, sizes, centre, spread, half, *, epsilon, rng, printed, initial=None, guarantees=()):
    """Clip, weigh, add noise: the last step of both estimators."""
    low, high = np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
    variances = variance_of_mean(sizes, centre, spread)
    weigh, noise = (family_weights, 1.0) if printed else (optimal_weights, 2.0)
    weights = weigh(variances, high - low, epsilon=epsilon, noise=noise).value
    scale = float(np.max(weights * (high - low)) / epsilon)
    value = float(weights @ np.clip(means, low, high) + rng.laplace(scale=scale))
    own = Guarantee(float(epsilon), trust="central", neighbours=NEIGHBOURS)
    return WeightedEstimate(value, weights, scale, initial, spread, disjoint(own, *guarantees))


def cohorts(sizes, variance_users):
    """Cut the users by their public sizes: indices of the smallest tenth, the largest few, the others.

    Parameters
    ----------
    sizes : array_like of int, shape (n,)
        Records of each user.
    variance_users : int
        How many of the largest users estimate the variance; may be 0.

    Returns
    -------
    smallest, largest, middle : ndarray of int
        Indices, each in decreasing order of size.
    """
    order = np.argsort(-np.asarray(sizes), kind="stable")
    tenth = order.size // 10
    _validate.in_range(0, order.size - tenth - 1, variance_users=variance_users)
    return order[order.size - tenth :], order[:variance_users], order[variance_users : order.size - tenth]


def default_variance_users(n, *, epsilon):
    """How many users the variance step gets by default: 400 / epsilon, at most a tenth (our choice)."""
    return int(min(VARIANCE_USERS / epsilon, n / 10))


def _cohorts_for(sizes, spread, variance_users, epsilon):
    """The cohorts, with nobody spent on a spread that is known."""
    if spread is not None:
        variance_users = 0
    elif variance_users is None:
        variance_users = default_variance_users(len(sizes), epsilon=epsilon)
    return cohorts(sizes, variance_users)


def _inside(initial, n):
    """Initial mean moved into (0, 1), as the formula of the window needs it."""
    return min(max(initial, 10 / n), 1 - 10 / n)


def realistic_mean(
    means, sizes, *, epsilon, rng, beta=0.05, spread=None, variance_users=None, delta=0.0, printed=False
):
    """Estimate the mean of users who differ, with public sizes (Algorithm 2).

    Output law: the tenth of the users with the least data give one record each to `initial_mean`; the
    largest users give the means of equally many records to `private_variance`; the means of all others,
    clipped to windows from these two, are weighed as `userdp.central.weights` says, and get one Laplace
    variable scaled to the most that one of them can change the result.

    Parameters
    ----------
    means : array_like, shape (n,)
        Mean of each user's 0/1 records, n at least 20; projected to [0, 1].
    sizes : array_like of int, shape (n,)
        Records of each user; public.
    epsilon : float
        Central budget, positive.
    rng : numpy.random.Generator
        Source of the randomness.
    beta : float
        Probability that the windows may fail.
    spread : float, optional
        Variance of the users' own means where it is known; then no user is spent on it.
    variance_users : int, optional
        Users of the variance step; `default_variance_users` by default. The paper's is log(n).
    delta : float
        Slack of the variance step; 0 for pure privacy.
    printed : bool
        The error bound of Lemma F.1, and the weights of eq. (6) with the noise counted once.

    Returns
    -------
    WeightedEstimate
        Estimate with the guarantee of the costliest of the three disjoint cohorts.

    Raises
    ------
    ValueError
        If a public parameter is out of range or there are fewer than 20 users.
    """
    means, sizes = _users(means, sizes)
    n = means.size
    smallest, largest, middle = _cohorts_for(sizes, spread, variance_users, epsilon)
    initial, first = initial_mean(rng.binomial(1, means[smallest]), epsilon=epsilon, rng=rng)
    guarantees = [first]
    if spread is None:
        of_largest = first_records(means[largest], sizes[largest], sizes[largest].min(), rng)
        spread, second = private_variance(of_largest, epsilon=epsilon, delta=delta, rng=rng)
        spread = LARGEST_VARIANCE if spread is None else spread
        guarantees.append(second)
    centre = _inside(initial, n)
    alpha = initial_error(initial, smallest.size, epsilon=epsilon, beta=beta, printed=printed)
    half = alpha + window(sizes[middle], n, mean=centre, spread=spread, beta=beta / 2)
    return _weighted(
        means[middle],
        sizes[middle],
        centre,
        spread,
        half,
        epsilon=epsilon,
        rng=rng,
        printed=printed,
        initial=initial,
        guarantees=guarantees,
    )
