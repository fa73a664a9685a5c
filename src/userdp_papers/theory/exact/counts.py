"""Exact errors of clipped and of debiased Poisson counts, and bounds on them.

The users' rates are fixed and their counts are random, as in the analysis of Liu et al. (2023), Appendix C.
Users come in groups of equal rates, and the error is that of the estimated mean rate.
"""

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import gammainc

from userdp import _validate
from userdp._public import public
from userdp.central.debias import clipped_poisson_mean, guard, poisson_at_most, poisson_rate


@public
def noise_variance(n: int, bound: float, epsilon: float, *, printed: bool = False) -> float:
    """Variance of the noise in the clipped mean.

    It is ``2 C^2 / (n epsilon)^2`` for n users and a contribution bound C; the paper prints half of it.

    Parameters
    ----------
    n
        Number of users.
    bound
        Contribution bound.
    epsilon
        Budget, positive.
    printed
        Whether to take the paper's half.

    Returns
    -------
    float
    """
    _validate.integer(1, n=n)
    _validate.positive_arrays(bound=bound, epsilon=epsilon)
    return (1 if printed else 2) * (bound / (n * epsilon)) ** 2


@public
def plain_risk(
    rates: ArrayLike, *, bound: int, epsilon: float, users: ArrayLike | None = None, printed: bool = False
) -> float:
    """Exact risk of the clipped mean as an estimate of the mean rate.

    Parameters
    ----------
    rates : array_like, shape (k,)
        Poisson rates of the users, or of k groups of users.
    bound
        Contribution bound C.
    epsilon
        Budget, positive.
    users : array_like of int, shape (k,), optional
        Number of users at each rate; by default one each.
    printed
        Whether to take ``C^2`` for ``2 C^2`` in the noise, as Lemma C.4 prints it.

    Returns
    -------
    float
        Squared bias + variance of the clipped counts + variance of the noise.

    Notes
    -----
    Liu et al. (2023), Lemma C.4, with the variance of the Laplace distribution corrected.

    Examples
    --------
    >>> rates, users = [0.5, 2.0], [300, 100]
    >>> round(plain_risk(rates, bound=3, epsilon=1.0, users=users), 6)
    0.004839
    """
    rates, share, n = _groups(rates, users)
    _validate.positive(epsilon=epsilon)
    bias = share @ (rates - clipped_poisson_mean(rates, bound))
    spread = share @ clipped_poisson_variance(rates, bound) / n
    return float(bias**2 + spread + noise_variance(n, bound, epsilon, printed=printed))


@public
def clipped_total_law(rates: ArrayLike, bound: int, users: ArrayLike | None = None) -> NDArray:
    """Distribution of the sum of clipped Poisson counts.

    Parameters
    ----------
    rates : array_like, shape (k,)
        Poisson rates of the users, or of k groups of users.
    bound
        Contribution bound C.
    users : array_like of int, shape (k,), optional
        Number of users at each rate; by default one each.

    Returns
    -------
    ndarray
        Probability of each total from 0 to n C, with an absolute error near machine precision.
    """
    rates, share, n = _groups(rates, users)
    length = n * int(bound) + 1
    padded = next_fast_len(length, real=True)
    transform = np.ones(padded // 2 + 1, dtype=complex)
    for rate, count in zip(rates, np.rint(share * n), strict=True):
        one = scipy.stats.poisson.pmf(np.arange(bound + 1), rate)
        one[-1] = gammainc(bound, rate)
        transform *= rfft(one, padded) ** count
    return np.clip(irfft(transform, padded)[:length], 0, None)


@public
def debiased_risk(
    rates: ArrayLike,
    *,
    bound: int,
    epsilon: float,
    largest_rate: float | None = None,
    users: ArrayLike | None = None,
    nodes: int = 6,
) -> float:
    """Exact risk of the debiased count as an estimate of the mean rate.

    The noise is integrated piece by piece over the distribution of `clipped_total_law`. Time grows with the
    number of users times the bound.

    Parameters
    ----------
    rates : array_like, shape (k,)
        Poisson rates of the users, or of k groups of users.
    bound
        Contribution bound C.
    epsilon
        Budget, positive.
    largest_rate
        Rate at which the inverse is cut, as in `poisson_rate`.
    users : array_like of int, shape (k,), optional
        Number of users at each rate; by default one each.
    nodes
        Points of the Gauss-Legendre rule between two neighbouring totals.

    Returns
    -------
    float
        A mean squared error.
    """
    rates, share, n = _groups(rates, users)
    _validate.positive(epsilon=epsilon)
    law = clipped_total_law(rates, bound, users)
    scale = bound / epsilon
    target, top = share @ rates, guard(bound, largest_rate)
    # weights of the two exponential pieces of the density between the totals k and k + 1
    fade = np.exp(-1 / scale)
    left = scipy.signal.lfilter([0.5], [1, -fade], law)
    right = scipy.signal.lfilter([0.5], [1, -fade], law[::-1])[::-1]
    last = n * float(clipped_poisson_mean(top, bound))
    starts = np.arange(int(np.ceil(last)))
    widths = np.minimum(last - starts, 1.0)
    points, weights = np.polynomial.legendre.leggauss(nodes)
    inside = (points + 1) / 2 * widths[:, None]
    rate = poisson_rate((starts[:, None] + inside) / n, bound, largest_rate=largest_rate)
    density = left[starts, None] * np.exp(-inside / scale)
    density += right[starts + 1, None] * np.exp((inside - 1) / scale)
    middle = ((rate - target) ** 2 * density) @ weights @ widths / (2 * scale)
    totals = np.arange(law.size)
    far = np.exp(-np.abs(last - totals) / scale) / 2
    above = law @ np.where(totals < last, far, 1 - far)
    return float(middle + right[0] * target**2 + above * (top - target) ** 2)


@public
def bias_bound(rates: ArrayLike, bound: int, *, users: ArrayLike | None = None, split: bool = False) -> float:
    """Bound on how much differences between rates lower the mean of the clipped counts.

    The mean of a clipped count is a concave function h of the rate, so that its average over the users lies
    below its value at the mean rate: by at most half the largest curvature times the variance of the rates.

    Parameters
    ----------
    rates : array_like, shape (k,)
        Poisson rates of the users, or of k groups of users.
    bound
        Contribution bound C.
    users : array_like of int, shape (k,), optional
        Number of users at each rate; by default one each.
    split
        Whether to treat rates above ``(C - 1) / 2`` by themselves, for C at least 3 and a mean rate of at
        most 1 (Liu et al., Theorem C.3, repaired).

    Returns
    -------
    float
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


@public
def peak_curvature(bound: int) -> float:
    """Largest curvature of the mean of a clipped Poisson count, over all rates.

    It is the probability that a Poisson variable of rate ``C - 1`` equals its rate, for the bound C.
    """
    return -float(clipped_poisson_curvature(bound - 1, bound))


def _groups(rates: ArrayLike, users: ArrayLike | None) -> tuple[NDArray, NDArray, int]:
    """Rates, fraction of the users at each and number of users."""
    rates = _validate.vector(0, rates=np.ravel(rates))
    users = np.ones(rates.size) if users is None else _validate.vector(0, users=np.ravel(users))
    if users.shape != rates.shape or (users != np.rint(users)).any() or not users.any():
        raise ValueError(f"users must be whole numbers, one for each rate and not all 0, got {users}")
    return rates, users / users.sum(), int(users.sum())


@public
def clipped_poisson_curvature(rate: ArrayLike, bound: int) -> NDArray:
    """Second derivative of `clipped_poisson_mean` in the rate, elementwise.

    It is ``-P(X = C - 1)`` for a Poisson variable X of that rate and the bound C.
    """
    _validate.integer(1, bound=bound)
    return -scipy.stats.poisson.pmf(bound - 1, np.asarray(rate, dtype=float))


@public
def clipped_poisson_variance(rate: ArrayLike, bound: int) -> NDArray:
    """Variance of a clipped Poisson count, elementwise; it is at most the rate."""
    mean = clipped_poisson_mean(rate, bound)
    rate = np.minimum(rate, 1e6 + 9.0 * bound)  # beyond, nobody is below the bound
    square = (
        rate**2 * poisson_at_most(bound - 3, rate)
        + rate * poisson_at_most(bound - 2, rate)
        + bound**2 * gammainc(bound, rate)
    )
    return np.where(rate > bound, _missing_variance(rate, bound), np.maximum(square - mean**2, 0.0))


def _missing_variance(rate: NDArray, bound: int) -> NDArray:
    """Variance of what is missing to the bound, term by term: it keeps its digits where few miss anything."""
    rate = np.maximum(rate, bound)
    missing = np.arange(1, min(bound, int(9 * np.sqrt(bound) + 60)) + 1)  # further away is nobody
    ratios = (bound - missing[:-1]) / rate[..., None]
    ratios = np.cumprod(np.insert(ratios, 0, 1.0, axis=-1), axis=-1)
    law = scipy.stats.poisson.pmf(bound - 1, rate)[..., None] * ratios
    return law @ missing**2 - (law @ missing) ** 2


@public
def clipped_poisson_slope(rate: ArrayLike, bound: int) -> NDArray:
    """Derivative of `clipped_poisson_mean` in the rate, elementwise.

    It is ``P(X < C)`` for a Poisson variable X of that rate and the bound C.
    """
    _validate.integer(1, bound=bound)
    return poisson_at_most(bound - 1, np.asarray(rate, dtype=float))


@public
def amplification(bound: int, largest_rate: float = 1.0) -> float:
    """Largest factor by which the debiasing multiplies an error.

    It is ``1 / P(X < C)`` for a Poisson variable X of the largest rate and the bound C; with the default rate
    it is the paper's ``gamma_C``.
    """
    return float(1 / clipped_poisson_slope(guard(bound, largest_rate), bound))
