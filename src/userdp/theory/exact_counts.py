"""Exact errors of clipped and of debiased Poisson counts, their bounds, and a fast exact population.

Rates lambda_u are fixed and counts are random, as in the analysis of Liu et al. (2023), Appendix C: users
come as groups of equal rates, and the error is that of the estimated mean rate.
"""

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.signal import lfilter
from scipy.special import gammainc
from scipy.stats import binom, nbinom, poisson

from userdp import _validate
from userdp.central.debias import (
    clipped_poisson_curvature,
    clipped_poisson_mean,
    clipped_poisson_variance,
    guard,
    poisson_rate,
)

__all__ = [
    "noise_variance",
    "plain_risk",
    "clipped_total_law",
    "debiased_risk",
    "bias_bound",
    "peak_curvature",
    "dirichlet_poisson_table",
]


def noise_variance(n, bound, epsilon, *, printed=False):
    """Variance of the noise in the clipped mean, ``2 C^2 / (n epsilon)^2``; the paper prints half of it."""
    return (1 if printed else 2) * (bound / (n * epsilon)) ** 2


# trials of the rejection that are made at once
_TRIALS = 16


def plain_risk(rates, *, bound, epsilon, users=None, printed=False):
    """Exact mean squared error of the clipped mean as an estimate of the mean rate.

    Parameters
    ----------
    rates : array_like, shape (k,)
        Poisson rates of the users, or of k groups of users.
    bound : int
        Contribution bound C.
    epsilon : float
        Budget, positive.
    users : array_like of int, shape (k,), optional
        Number of users at each rate; by default one each.
    printed : bool
        Whether to take C^2 for 2 C^2 in the noise, as Lemma C.4 prints it.

    Returns
    -------
    float
        Squared bias + variance of the clipped counts + variance of the noise.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Liu et al. (2023), Lemma C.4, with the variance of the Laplace law corrected.
    """
    rates, share, n = _groups(rates, users)
    _validate.positive(epsilon=epsilon)
    bias = share @ (rates - clipped_poisson_mean(rates, bound))
    spread = share @ clipped_poisson_variance(rates, bound) / n
    return float(bias**2 + spread + noise_variance(n, bound, epsilon, printed=printed))


def clipped_total_law(rates, bound, users=None):
    """Law of the sum of clipped Poisson counts, shape (n C + 1,), by powers of discrete transforms.

    Parameters
    ----------
    rates, users
        As for `plain_risk`.
    bound : int
        Contribution bound C.

    Returns
    -------
    ndarray
        Probability of each total, to an absolute error near machine precision.
    """
    rates, share, n = _groups(rates, users)
    length = n * int(bound) + 1
    padded = next_fast_len(length, real=True)
    values = np.arange(bound + 1)
    transform = np.ones(padded // 2 + 1, dtype=complex)
    for rate, count in zip(rates, np.rint(share * n), strict=True):
        one = poisson.pmf(values, rate)
        one[-1] = gammainc(bound, rate)
        transform *= rfft(one, padded) ** count
    return np.clip(irfft(transform, padded)[:length], 0, None)


def debiased_risk(rates, *, bound, epsilon, largest_rate=None, users=None, nodes=6):
    """Exact mean squared error of the debiased rate as an estimate of the mean rate.

    Parameters
    ----------
    rates, bound, epsilon, users
        As for `plain_risk`.
    largest_rate : float, optional
        As for `poisson_rate`.
    nodes : int
        Points of the Gauss-Legendre rule between two neighbouring totals.

    Returns
    -------
    float
        The law of the clipped total from `clipped_total_law`, the noise integrated piece by piece, both
        guards as atoms. Time grows with n C.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """
    rates, share, n = _groups(rates, users)
    _validate.positive(epsilon=epsilon)
    law = clipped_total_law(rates, bound, users)
    scale = bound / epsilon
    target, top = share @ rates, guard(bound, largest_rate)
    # weights of the two exponential pieces of the density between the totals k and k + 1
    fade = np.exp(-1 / scale)
    left = lfilter([0.5], [1, -fade], law)
    right = lfilter([0.5], [1, -fade], law[::-1])[::-1]
    last = n * float(clipped_poisson_mean(top, bound))
    starts = np.arange(int(np.ceil(last)))
    widths = np.minimum(last - starts, 1.0)
    points, weights = np.polynomial.legendre.leggauss(nodes)
    inside = (points + 1) / 2 * widths[:, None]
    rate = poisson_rate((starts[:, None] + inside) / n, bound, largest_rate=largest_rate)
    density = left[starts, None] * np.exp(-inside / scale)
    density += right[starts + 1, None] * np.exp((inside - 1) / scale)
    middle = ((rate - target) ** 2 * density) @ weights @ widths / (2 * scale)
    below = right[0]
    totals = np.arange(law.size)
    far = np.exp(-np.abs(last - totals) / scale) / 2
    above = law @ np.where(totals < last, far, 1 - far)
    return float(middle + below * target**2 + above * (top - target) ** 2)


def bias_bound(rates, bound, *, users=None, split=False):
    """Bound on how far the mean of h lies below h of the mean: half the largest curvature times the variance.

    Parameters
    ----------
    rates, bound, users
        As for `plain_risk`.
    split : bool
        Whether to treat rates above (C - 1) / 2 by themselves, for C at least 3 and a mean rate of at most
        1 (Liu et al., Theorem C.3, repaired).

    Returns
    -------
    float
        The bound.

    Raises
    ------
    ValueError
        If `split` is asked for outside its conditions.
    """
    rates, share, _ = _groups(rates, users)
    target = share @ rates
    away = rates - target
    most = peak_curvature(bound)
    if not split:
        return float(most / 2 * (share @ away**2))
    _validate.integer(3, bound=bound)
    _validate.in_range(0, 1, mean_rate=float(target))
    far = rates > (bound - 1) / 2
    low = -float(clipped_poisson_curvature((bound - 1) / 2, bound))
    near = low / 2 * (share @ away**2)
    return float(near + share[far] @ np.minimum(away[far], most / 2 * away[far] ** 2))


def peak_curvature(bound):
    """Largest ``|h''|`` over all rates: the probability that a Poisson variable of rate C - 1 equals it."""
    return -float(clipped_poisson_curvature(bound - 1, bound))


def dirichlet_poisson_table(n, alpha, *, mean=1.0, rng):
    """Draw how many of n users hold 0, 1, 2, ... of an item when rates are Dirichlet.

    Output law: rates are ``n mean`` times a symmetric Dirichlet vector with parameter `alpha`, counts are
    Poisson, and the answer is the number of users at each count. (The largest count listed is exceeded with
    a probability below n times 1e-20; the rejection is exact but for as little.)

    Parameters
    ----------
    n : int
        Number of users, at least 2.
    alpha : float
        Parameter of the Dirichlet law, positive: large values make users alike.
    mean : float
        Mean rate, positive.
    rng : numpy.random.Generator
        Source of the randomness.

    Returns
    -------
    ndarray of int, shape (largest count + 1,)
        Users at each count; they sum to n.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    The total is Poisson of rate ``n mean``; given the total, the counts are independent negative binomial
    variables given their sum. Users with two or more are drawn without the condition; who holds 0 or 1 then
    follows from both totals, and the draw is kept with a probability in proportion to the binomial law of
    that split: exact rejection, a handful of trials.
    """
    _validate.integer(2, n=n)
    _validate.positive(alpha=alpha, mean=mean)
    total = rng.poisson(n * mean)
    success = alpha / (alpha + max(total, 1) / n)
    largest = int(nbinom.isf(1e-20, alpha, success)) + 2
    law = nbinom.pmf(np.arange(largest + 1), alpha, success)
    few = law[0] + law[1]
    odds = law[1] / few
    several = np.append(law[2:], few)
    several /= several.sum()
    values = np.arange(2, largest + 1)
    # the peak of a binomial law falls with its number of trials: bound it at the fewest there will be
    fewest = binom.isf(1 - 1e-16, n, few) - 3 * np.sqrt(n * few * (1 - few))
    peak = _binomial_peak(max(int(fewest), 0), odds)
    while True:
        tables = rng.multinomial(n, several, size=_TRIALS)
        rest, ones = tables[:, -1], total - tables[:, :-1] @ values
        kept = rng.random(_TRIALS) * peak <= binom.pmf(ones, rest, odds)
        if kept.any():
            first = int(np.argmax(kept))
            return np.concatenate([[rest[first] - ones[first], ones[first]], tables[first, :-1]])


def _binomial_peak(trials, odds):
    return binom.pmf(int((trials + 1) * odds), trials, odds)


def _groups(rates, users):
    """Rates, share of the users at each and number of users."""
    rates = np.ravel(np.asarray(rates, dtype=float))
    users = np.ones(rates.size) if users is None else np.ravel(np.asarray(users, dtype=float))
    if rates.size == 0 or users.shape != rates.shape or not np.all(np.isfinite(rates) & (rates >= 0)):
        raise ValueError(f"rates must be at least 0, with one number of users each, got {rates}")
    if not np.all((users >= 0) & (users == np.rint(users))) or users.sum() < 1:
        raise ValueError(f"users must be whole numbers of at least 0, not all 0, got {users}")
    return rates, users / users.sum(), int(users.sum())
