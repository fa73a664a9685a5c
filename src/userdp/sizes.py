"""Distributions of how many records a user holds, and the expectations that estimators and rates use."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
import scipy

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, NDArray, Rng


@public
@dataclass(frozen=True, eq=False)
class FiniteSizes:
    """A distribution of the number m of records with finitely many values.

    Parameters
    ----------
    values : ndarray of int, shape (k,)
        Sizes, at least 1 and strictly increasing.
    probabilities : ndarray, shape (k,)
        Probability of each size; normalised to sum to 1.
    empirical
        Whether it was counted from users, who may be those of a release.

    Examples
    --------
    >>> law = FiniteSizes(np.array([1, 10, 100]), np.array([0.5, 0.3, 0.2]))
    >>> law.mean, law.largest, round(float(law.survival(10)), 2)
    (23.5, 100, 0.5)
    """

    values: NDArray
    probabilities: NDArray
    empirical: bool = False

    def __post_init__(self) -> None:
        values = _validate.whole_numbers(1, increasing=True, values=self.values)
        probabilities = _validate.vector(0, probabilities=self.probabilities)
        if values.shape != probabilities.shape or not 0 < probabilities.sum() < np.inf:
            raise ValueError(f"probabilities must match values and not all be 0, got {probabilities!r}")
        held = probabilities > 0
        object.__setattr__(self, "values", _validate.locked(values[held]))
        share = probabilities[held] / probabilities.sum()
        object.__setattr__(self, "probabilities", _validate.locked(share))

    @property
    def smallest(self) -> int:
        """Smallest size."""
        return int(self.values[0])

    @property
    def largest(self) -> int:
        """Largest size."""
        return int(self.values[-1])

    @property
    def mean(self) -> float:
        """Expected size."""
        return float(self.probabilities @ self.values)

    def expectation(self, function: Callable[[NDArray], NDArray]) -> float:
        """Expectation of a function of the size; it is called with an array of sizes."""
        return float(self.probabilities @ function(self.values.astype(float)))

    @cached_property
    def _tail(self) -> NDArray:
        """P(m >= value) for each value, 1 at the first and 0 beyond the last."""
        tail = np.append(np.cumsum(self.probabilities[::-1])[::-1], 0.0)
        tail[0] = 1.0
        return tail

    def survival(self, a: ArrayLike) -> Any:
        """``P(m >= a)``, for a number or an array `a`."""
        return self._tail[np.searchsorted(self.values, a, side="left")]

    def mean_root(self, cap: float) -> float:
        """``E sqrt(min(m, c))`` for the cap c."""
        return float(self.probabilities @ np.sqrt(np.minimum(self.values, float(cap))))

    def small_root(self, a: ArrayLike) -> Any:
        """``E sqrt(m) 1{m <= a}``, for a number or an array `a`."""
        below = np.append(0.0, np.cumsum(self.probabilities * np.sqrt(self.values)))
        return below[np.searchsorted(self.values, a, side="right")]

    def quantile(self, share: ArrayLike) -> Any:
        """Smallest size that at least this fraction of the users does not exceed; a number or an array."""
        return self.values[np.searchsorted(-self._tail[1:], -np.subtract(1, share), side="left")]

    def draw(self, n: int, rng: Rng) -> NDArray[np.int64]:
        """Draw the sizes of `n` users."""
        # user i gets the last value whose tail exceeds a uniform number
        return self.values[np.searchsorted(-self._tail, -rng.random(n), side="left") - 1]

    def draw_counts(self, n: int, rng: Rng) -> NDArray[np.int64]:
        """Draw how many of `n` users have each of the k sizes."""
        return rng.multinomial(n, self.probabilities)


@public
def constant_size(size: int) -> FiniteSizes:
    """Every user holds the same number of records.

    Parameters
    ----------
    size
        That number, at least 1.

    Returns
    -------
    FiniteSizes

    Examples
    --------
    >>> constant_size(12).mean
    12.0
    """
    _validate.integer(1, size=size)
    return FiniteSizes(np.array([int(size)]), np.ones(1))


@public
def two_point_sizes(small: int, large: int, rho: float) -> FiniteSizes:
    """A user holds one of two numbers of records.

    Parameters
    ----------
    small
        Smaller number of records, at least 1.
    large
        Larger number of records, more than `small`.
    rho
        Probability that a user holds `large` records.

    Returns
    -------
    FiniteSizes

    Examples
    --------
    >>> two_point_sizes(3, 50, 0.2).mean
    12.4
    """
    _validate.integer(1, small=small, large=large)
    _validate.ordered(small=small, large=large)
    _validate.in_range(0, 1, rho=rho)
    return FiniteSizes(np.array([int(small), int(large)]), np.array([1 - rho, rho]))


@public
def uniform_sizes(low: int, high: int) -> FiniteSizes:
    """Sizes are uniform on the whole numbers from `low` to `high`.

    Parameters
    ----------
    low
        Smallest size, at least 1.
    high
        Largest size, at least `low`.

    Returns
    -------
    FiniteSizes

    Examples
    --------
    >>> uniform_sizes(1, 9).mean
    5.0
    """
    _validate.integer(1, low=low, high=high)
    _validate.in_range(low, low + _validate.LISTED, high=high)
    values = np.arange(int(low), int(high) + 1)
    return FiniteSizes(values, np.ones(values.size))


@public
def poisson_sizes(rate: float) -> FiniteSizes:
    """Sizes are Poisson, given that a user holds at least one record.

    Parameters
    ----------
    rate
        Rate of the Poisson variable, positive.

    Returns
    -------
    FiniteSizes
        Sizes of probability below 1e-300 are left out.

    Examples
    --------
    >>> round(poisson_sizes(2.0).mean, 2)  # 2 / (1 - exp(-2))
    2.31
    """
    _validate.positive(rate=rate)
    _validate.in_range(0, _validate.LISTED, rate=rate)
    values = np.arange(1, int(rate + 60 * np.sqrt(rate) + 300))
    return _not_negligible(values, scipy.stats.poisson.pmf(values, rate))


@public
def binomial_sizes(trials: int, probability: float) -> FiniteSizes:
    """Sizes are binomial, given that a user holds at least one record.

    Parameters
    ----------
    trials
        Number of trials, at least 1.
    probability
        Probability of success in each trial, positive.

    Returns
    -------
    FiniteSizes
        Sizes of probability below 1e-300 are left out.

    Examples
    --------
    >>> round(binomial_sizes(2, 0.5).mean, 2)  # 1 or 2, with odds 2 to 1
    1.33
    """
    _validate.integer(1, _validate.LISTED, trials=trials)
    _validate.in_range(0, 1, probability=probability)
    _validate.positive(probability=probability)
    values = np.arange(1, int(trials) + 1)
    return _not_negligible(values, scipy.stats.binom.pmf(values, trials, probability))


def _not_negligible(values: NDArray, probabilities: NDArray) -> FiniteSizes:
    held = probabilities > 1e-300
    return FiniteSizes(values[held], probabilities[held])


@public
def empirical_sizes(sizes: ArrayLike, *, public: bool = False) -> FiniteSizes:
    """Sizes have the frequencies that they have among given users.

    A distribution of sizes is a *public* parameter of every estimator that takes one. Taken from the very
    users of a release, it would reveal their sizes, which the guarantee of the release does not cover; it is
    refused where sizes are private. Take the sizes of other users, or of a table that is public, and say so
    by `public`.

    Parameters
    ----------
    sizes : array_like of int, shape (n,)
        Number of records of each user, at least 1.
    public
        Whether these sizes are public.

    Returns
    -------
    FiniteSizes

    Examples
    --------
    >>> law = empirical_sizes([2, 7, 2, 1], public=True)
    >>> law.values, law.probabilities
    (array([1, 2, 7]), array([0.25, 0.5 , 0.25]))
    """
    values, counts = np.unique(_validate.whole_numbers(1, sizes=sizes), return_counts=True)
    return FiniteSizes(values, counts.astype(float), empirical=not public)


def refuse_private(**law: Any) -> None:
    """Raise ``ValueError`` if a distribution of sizes was counted from users whose sizes are private."""
    ((name, value),) = law.items()
    if getattr(value, "empirical", False):
        raise ValueError(
            f"{name} must not be counted from users whose sizes are private: give a law known from"
            " elsewhere, or empirical_sizes(..., public=True) of other users"
        )


# smooth summands are added one by one up to so many, and beyond by the Euler-Maclaurin formula
EXACT_TERMS = 4096
# of a user: beyond, whole numbers are no longer told apart in all that is computed from them
MOST_RECORDS = 10**15


@public
@dataclass(frozen=True)
class PowerLawSizes:
    """Sizes have a heavy tail between two ends (DAME, section 4.2).

    A size is the whole part of a number x between `low` and `high`, and the probability that x is at most t
    is a power, of exponent `shape`, of the fraction of the interval that lies below t.

    Parameters
    ----------
    low
        Lower end, at least 1.
    high
        Upper end, more than `low`; no size reaches it.
    shape
        Exponent of the power, positive; below 1 small sizes prevail.

    Examples
    --------
    >>> law = PowerLawSizes(1, 1001, 0.5)
    >>> law.quantile([0.5, 0.9]), round(law.mean)
    (array([251, 811]), 334)
    """

    low: int
    high: int
    shape: float

    def __post_init__(self) -> None:
        _validate.integer(1, MOST_RECORDS, low=self.low, high=self.high)
        _validate.ordered(low=self.low, high=self.high)
        _validate.positive(shape=self.shape)

    @property
    def smallest(self) -> int:
        """Smallest size."""
        return self.low

    @property
    def largest(self) -> int:
        """Largest size that has positive probability."""
        return self.high - 1

    @property
    def mean(self) -> float:
        """Expected size."""
        return self._sum(np.asarray, self.largest)

    def expectation(self, function: Callable[[Any], Any]) -> float:
        """Expectation of a smooth function of the size; it is called with an array of sizes."""
        return self._sum(function, self.largest)

    def survival(self, a: ArrayLike) -> Any:
        """``P(m >= a)``, for a number or an array `a`."""
        below = np.clip(np.ceil(a) - self.low, 0, self.high - self.low)
        return -np.expm1(self.shape * self._log_share(below))[()]

    def mean_root(self, cap: float) -> float:
        """``E sqrt(min(m, c))`` for the cap c."""
        return self.small_root(cap) + float(np.sqrt(cap) * self.survival(np.floor(cap) + 1))

    def small_root(self, a: ArrayLike) -> Any:
        """``E sqrt(m) 1{m <= a}``, for a number or an array `a`."""
        return np.vectorize(lambda last: _power_law_root(self, last), otypes=[float])(np.floor(a))[()]

    def _log_share(self, above: Any) -> Any:
        """log(above / (high - low)), whichever end `above` is near to."""
        length = self.high - self.low
        with np.errstate(divide="ignore"):
            small, large = np.log(above / length), np.log1p((above - length) / length)
        return np.where(2 * above < length, small, large)

    def _chance(self, k: Any) -> Any:
        """P(m = k), smooth in k: a difference of two powers, which may be nearly equal."""
        above = k - self.low
        with np.errstate(divide="ignore"):
            fall = -np.expm1(-self.shape * np.log1p(1 / np.asarray(above)))
        return np.exp(self.shape * self._log_share(above + 1.0)) * fall

    def _sum(self, function: Callable[[Any], Any], last: float) -> float:
        """Sum of ``function(k) P(m = k)`` over k = low .. last: both ends one by one, between them smooth."""
        last = min(last, self.largest)
        first = min(self.low + EXACT_TERMS, last + 1)
        beyond = max(last - EXACT_TERMS, first - 1)
        ends = np.arange(self.low, first), np.arange(beyond + 1, last + 1)
        exact = sum(float(np.sum(function(k) * self._chance(k))) for k in (end.astype(float) for end in ends))
        return exact + self._smooth_sum(function, first, beyond) if beyond >= first else exact

    def _smooth_sum(self, function: Callable[[Any], Any], first: float, last: float) -> float:
        def term(k: Any) -> Any:
            return function(k) * self._chance(k)

        # substitute k = low + exp(u): the summand varies on the scale of k - low
        ends = np.log(first - 0.5 - self.low), np.log(last + 0.5 - self.low)
        options = {"epsabs": 0, "epsrel": 1e-13, "limit": 200}
        area = scipy.integrate.quad(lambda u: term(self.low + np.exp(u)) * np.exp(u), *ends, **options)[0]
        slopes = [term(k + 1.0) - term(k) for k in (last, first - 1)]
        return float(area - (slopes[0] - slopes[1]) / 24)

    def quantile(self, share: ArrayLike) -> Any:
        """Size that this fraction of the users does not exceed; a number or an array."""
        x = self.low + (self.high - self.low) * np.power(share, 1 / self.shape)
        return np.minimum(np.floor(x).astype(np.int64), self.largest)[()]

    def draw(self, n: int, rng: Rng) -> NDArray[np.int64]:
        """Draw the sizes of `n` users, by inversion."""
        x = self.low + (self.high - self.low) * np.exp(-rng.standard_exponential(n) / self.shape)
        return np.minimum(x.astype(np.int64), self.largest)


SizeLaw = FiniteSizes | PowerLawSizes


@cache
def _power_law_root(law: PowerLawSizes, last: float) -> float:
    return law._sum(np.sqrt, last) if last >= law.low else 0.0


@public
def variance_of_mean(sizes: ArrayLike, mean: float, variance: float) -> NDArray:
    """Variance of the mean of a user's records that are 0 or 1 (Cummings et al., Lemma 2.1).

    With :math:`p` and :math:`v` for the mean and the variance of the users' latent means, it is
    ``p (1 - p) / m + (1 - 1 / m) v`` for a user with m records.

    Parameters
    ----------
    sizes
        Numbers of records, at least 1.
    mean
        Mean of the users' latent means.
    variance
        Variance of the users' latent means.

    Returns
    -------
    ndarray
        The variance for each of `sizes`.

    Examples
    --------
    >>> variance_of_mean([1, 100], mean=0.5, variance=0.01)
    array([0.25  , 0.0124])
    """
    _validate.in_range(0, np.inf, variance=variance)
    sizes = np.asarray(sizes, dtype=float)
    return mean * (1 - mean) / sizes + (1 - 1 / sizes) * variance
