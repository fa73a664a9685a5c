"""Laws of how many records a user holds, and the expectations that estimators and rates use."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
import scipy

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, NDArray, Rng

__all__ = [
    "FiniteSizes",
    "constant_size",
    "two_point_sizes",
    "uniform_sizes",
    "poisson_sizes",
    "binomial_sizes",
    "empirical_sizes",
    "PowerLawSizes",
    "variance_of_mean",
]


@public
@dataclass(frozen=True, eq=False)
class FiniteSizes:
    """A law of the number m of records with finitely many values.

    Parameters
    ----------
    values : ndarray of int, shape (k,)
        Sizes, at least 1 and strictly increasing.
    probabilities : ndarray, shape (k,)
        Probability of each size; normalised to sum to 1.
    empirical
        Whether it was counted from users, who may be those of a release.
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
        object.__setattr__(self, "values", values[held])
        object.__setattr__(self, "probabilities", probabilities[held] / probabilities.sum())

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
        """E function(m), for a function of an array of sizes."""
        return float(self.probabilities @ function(self.values.astype(float)))

    @cached_property
    def _tail(self) -> NDArray:
        """P(m >= value) for each value, 1 at the first and 0 beyond the last."""
        tail = np.append(np.cumsum(self.probabilities[::-1])[::-1], 0.0)
        tail[0] = 1.0
        return tail

    def survival(self, a: ArrayLike) -> Any:
        """P(m >= a), for a number or an array `a`."""
        return self._tail[np.searchsorted(self.values, a, side="left")]

    def mean_root(self, cap: float) -> float:
        """E sqrt(min(m, cap))."""
        return float(self.probabilities @ np.sqrt(np.minimum(self.values, float(cap))))

    def small_root(self, a: ArrayLike) -> Any:
        """E sqrt(m) 1{m <= a}, for a number or an array `a`."""
        below = np.append(0.0, np.cumsum(self.probabilities * np.sqrt(self.values)))
        return below[np.searchsorted(self.values, a, side="right")]

    def draw(self, n: int, rng: Rng) -> NDArray[np.int64]:
        """Draw the sizes of `n` users, shape (n,)."""
        # user i gets the last value whose tail exceeds a uniform number
        return self.values[np.searchsorted(-self._tail, -rng.random(n), side="left") - 1]

    def draw_counts(self, n: int, rng: Rng) -> NDArray[np.int64]:
        """Draw how many of `n` users hold each of the `values`, shape (k,)."""
        return rng.multinomial(n, self.probabilities)


@public
def constant_size(size: int) -> FiniteSizes:
    """Every user holds `size` records."""
    _validate.integer(1, size=size)
    return FiniteSizes(np.array([int(size)]), np.ones(1))


@public
def two_point_sizes(small: int, large: int, rho: float) -> FiniteSizes:
    """A user holds `large` records with probability `rho` and `small` otherwise; small < large.

    >>> two_point_sizes(3, 50, 0.2).mean
    12.4
    """
    _validate.integer(1, small=small, large=large)
    _validate.ordered(small=small, large=large)
    _validate.in_range(0, 1, rho=rho)
    return FiniteSizes(np.array([int(small), int(large)]), np.array([1 - rho, rho]))


@public
def uniform_sizes(low: int, high: int) -> FiniteSizes:
    """Sizes are uniform on the whole numbers low .. high."""
    _validate.integer(1, low=low, high=high)
    _validate.in_range(low, float("inf"), high=high)
    values = np.arange(int(low), int(high) + 1)
    return FiniteSizes(values, np.ones(values.size))


@public
def poisson_sizes(rate: float) -> FiniteSizes:
    """Sizes follow the Poisson law given m >= 1; values of probability below 1e-300 are left out."""
    _validate.positive(rate=rate)
    values = np.arange(1, int(rate + 60 * np.sqrt(rate) + 300))
    return _not_negligible(values, scipy.stats.poisson.pmf(values, rate))


@public
def binomial_sizes(trials: int, probability: float) -> FiniteSizes:
    """Sizes follow the binomial law given m >= 1; values of probability below 1e-300 are left out."""
    _validate.integer(1, trials=trials)
    _validate.in_range(0, 1, probability=probability)
    _validate.positive(probability=probability)
    values = np.arange(1, int(trials) + 1)
    return _not_negligible(values, scipy.stats.binom.pmf(values, trials, probability))


def _not_negligible(values: NDArray, probabilities: NDArray) -> FiniteSizes:
    held = probabilities > 1e-300
    return FiniteSizes(values[held], probabilities[held])


@public
def empirical_sizes(sizes: ArrayLike, *, public: bool = False) -> FiniteSizes:
    """Sizes as often as they occur in `sizes`, an integer array of shape (n,).

    A law of sizes is a *public* parameter of every estimator that takes one. This one is as private as
    `sizes` are: taken from the very users of a release it leaks their sizes, which the release's guarantee
    does not cover, and is refused. Take the sizes of other users, or of a table that is public, and say so by
    `public`.
    """
    values, counts = np.unique(_validate.whole_numbers(1, sizes=sizes), return_counts=True)
    return FiniteSizes(values, counts.astype(float), empirical=not public)


def refuse_private(**law: Any) -> None:
    """Raise ``ValueError`` if a law of sizes was counted from users whose sizes are private."""
    ((name, value),) = law.items()
    if getattr(value, "empirical", False):
        raise ValueError(
            f"{name} must not be counted from users whose sizes are private: give a law known from"
            " elsewhere, or empirical_sizes(..., public=True) of other users"
        )


# smooth summands are added one by one up to so many, and beyond by the Euler-Maclaurin formula
EXACT_TERMS = 4096


@public
@dataclass(frozen=True)
class PowerLawSizes:
    """Sizes ``m = floor(x)`` with ``P(x <= t) = ((t - low) / (high - low))**shape`` on [low, high].

    Parameters
    ----------
    low, high
        Ends, 1 <= low < high.
    shape
        Exponent a, positive; below 1 small sizes prevail (DAME, section 4.2).
    """

    low: int
    high: int
    shape: float

    def __post_init__(self) -> None:
        _validate.integer(1, low=self.low, high=self.high)
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
        """Expected size, the sum of P(m >= k) over k = 1, 2, ..."""
        return self.low + self._tail_sum(np.ones_like, self.largest)

    def expectation(self, function: Callable[[Any], Any]) -> float:
        """E function(m), for a smooth function of an array of sizes."""
        steps = self._tail_sum(lambda k: function(k) - function(k - 1), self.largest)
        return float(function(self.low) + steps)

    def survival(self, a: ArrayLike) -> Any:
        """P(m >= a), for a number or an array `a`."""
        position = np.clip((np.ceil(a) - self.low) / (self.high - self.low), 0.0, 1.0)
        return 1 - position**self.shape

    def mean_root(self, cap: float) -> float:
        """E sqrt(min(m, cap)), by summation over P(m >= k) (sqrt(k) - sqrt(k - 1))."""
        return _power_law_root(self, cap)

    def small_root(self, a: ArrayLike) -> Any:
        """E sqrt(m) 1{m <= a}, for a number or an array `a`."""
        caps = np.maximum(a, self.low - 1)
        roots = np.vectorize(self.mean_root, otypes=[float])(caps)
        # E sqrt(min(m, a)) counts each m > a as sqrt(a)
        return np.maximum(roots - np.sqrt(caps) * self.survival(caps + 1), 0.0)

    def _tail_sum(self, step: Callable[[Any], Any], last: int) -> float:
        """Sum of ``step(k) P(m >= k)`` over k = low + 1 .. last, to a relative error below 1e-12."""
        first = min(self.low + EXACT_TERMS, last)
        k = np.arange(self.low + 1, first + 1, dtype=float)
        exact = float(np.sum(step(k) * self.survival(k)))
        return exact if first == last else exact + self._smooth_sum(step, first, last)

    def _smooth_sum(self, step: Callable[[Any], Any], first: int, last: int) -> float:
        def term(k: float) -> float:
            return step(k) * (1 - ((k - self.low) / (self.high - self.low)) ** self.shape)

        def slope(k: float) -> float:
            return term(k + 0.5) - term(k - 0.5)

        # substitute k = low + exp(u): the summand varies on the scale of k - low
        ends = np.log(first - self.low), np.log(last - self.low)
        options = {"epsabs": 0, "epsrel": 1e-13, "limit": 200}
        area = scipy.integrate.quad(lambda u: term(self.low + np.exp(u)) * np.exp(u), *ends, **options)[0]
        return area + (term(last) - term(first)) / 2 + (slope(last) - slope(first)) / 12

    def draw(self, n: int, rng: Rng) -> NDArray[np.int64]:
        """Draw the sizes of `n` users, shape (n,), by inversion: -log of a uniform is exponential."""
        x = self.low + (self.high - self.low) * np.exp(-rng.standard_exponential(n) / self.shape)
        return np.minimum(x.astype(np.int64), self.largest)


SizeLaw = FiniteSizes | PowerLawSizes


@cache
def _power_law_root(law: PowerLawSizes, cap: float) -> float:
    if cap <= law.low:
        return float(np.sqrt(cap))
    return float(np.sqrt(law.low) + law._tail_sum(_root_step, min(int(cap), law.largest)))


def _root_step(k: Any) -> Any:
    """sqrt(k) - sqrt(k - 1) without cancellation."""
    return 1 / (np.sqrt(k) + np.sqrt(k - 1))


@public
def variance_of_mean(sizes: ArrayLike, mean: float, variance: float) -> NDArray:
    """Variance of the mean of each user's 0/1 records, users having own means (Cummings et al., Lemma 2.1).

    ``mean (1 - mean) / size + (1 - 1 / size) variance`` for each of `sizes`, at least 1; `mean` and
    `variance` are the mean and the variance of the users' own means.
    """
    _validate.in_range(0, np.inf, variance=variance)
    sizes = np.asarray(sizes, dtype=float)
    return mean * (1 - mean) / sizes + (1 - 1 / sizes) * variance
