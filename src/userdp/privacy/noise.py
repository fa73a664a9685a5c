"""Gaussian noise: which standard deviation buys which (epsilon, delta), to full precision.

A release ``f(data) + N(0, sigma^2 I)`` whose f moves by at most `sensitivity` in the Euclidean norm between
neighbours is (epsilon, delta)-private exactly if `gaussian_delta` is at most delta; the relation of
neighbours enters through the sensitivity alone.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr

from userdp import _validate

__all__ = ["gaussian_delta", "gaussian_sigma", "classical_sigma"]


def gaussian_delta(sigma, *, epsilon, sensitivity=1.0):
    """Smallest delta for which Gaussian noise is (epsilon, delta)-private.

    Parameters
    ----------
    sigma : float
        Standard deviation of the noise on each coordinate, positive, in the units of `sensitivity`.
    epsilon : float
        Budget, at least 0.
    sensitivity : float
        Largest Euclidean distance between the true values of two neighbours, positive.

    Returns
    -------
    float
        ``Phi(a - b) - exp(epsilon) Phi(-a - b)`` with ``a = sensitivity / (2 sigma)`` and
        ``b = epsilon sigma / sensitivity``, computed from logarithms, so that a delta of 1e-300 has
        nine correct digits.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Balle and Wang (2018), Theorem 8. The exact loss is normal with mean ``2 a^2``, so that the value is
    attained by every pair at distance `sensitivity`.
    """
    _validate.positive(sigma=sigma, sensitivity=sensitivity)
    _validate.in_range(0, float("inf"), epsilon=epsilon)
    return float(np.exp(_log_delta(sigma / sensitivity, epsilon)))


def gaussian_sigma(*, epsilon, delta, sensitivity=1.0):
    """Smallest standard deviation of Gaussian noise that is (epsilon, delta)-private.

    Parameters
    ----------
    epsilon : float
        Budget, positive.
    delta : float
        Slack, above 0 and below 1.
    sensitivity : float
        Largest Euclidean distance between the true values of two neighbours, positive.

    Returns
    -------
    float
        The root of ``gaussian_delta(sigma) = delta``, in the units of `sensitivity`.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    The root that Balle and Wang (2018), Algorithm 1, find by bisection; here it is found in the logarithm
    of delta, so that a delta of 1e-300 is as exact as one of 0.1.
    """
    _validate.positive(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    _validate.ordered(delta=delta, one=1)

    def excess(log_sigma):
        return _log_delta(np.exp(log_sigma), epsilon) - np.log(delta)

    low = high = np.log(classical_sigma(epsilon=epsilon, delta=delta))
    while excess(low) < 0:
        low -= 1
    while excess(high) > 0:
        high += 1
    return float(sensitivity * np.exp(brentq(excess, low, high, xtol=1e-15, rtol=1e-14)))


def classical_sigma(*, epsilon, delta, sensitivity=1.0):
    """Return the textbook standard deviation ``sensitivity sqrt(2 log(1.32 / delta)) / epsilon``.

    Parameters
    ----------
    epsilon, delta, sensitivity
        As for `gaussian_sigma`.

    Returns
    -------
    float
        The formula; it is (epsilon, delta)-private for epsilon up to 1 and somewhat beyond, not for all.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Liu et al. (2023), Lemma 4.1, for epsilon at most 1.
    """
    _validate.positive(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    _validate.ordered(delta=delta, one=1)
    return float(sensitivity * np.sqrt(2 * np.log(1.32 / delta)) / epsilon)


def _log_delta(sigma, epsilon):
    """Logarithm of `gaussian_delta` at sensitivity 1."""
    a, b = 0.5 / sigma, epsilon * sigma
    gain, price = log_ndtr(a - b), epsilon + log_ndtr(-a - b)
    return gain + np.log(-np.expm1(price - gain)) if price < gain else -np.inf
