"""Laws of the data as sufficient statistics.

A population draws the *means* of users directly, from their exact law, so that no array of all
records is needed. A size law draws how many records each user holds and knows the few
expectations that the estimators and the rates use.

Unlike a randomiser, everything here is strict: a wrong parameter or table raises.
"""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from scipy import stats
from scipy.integrate import quad

from userdp import _validate


def _sizes(sizes):
    sizes = np.asarray(sizes)
    if sizes.ndim != 1 or not np.issubdtype(sizes.dtype, np.integer):
        raise ValueError(f"sizes must be a one-dimensional integer array, got {sizes!r}")
    if sizes.size and sizes.min() < 1:
        raise ValueError(f"sizes must be at least 1, got {sizes.min()} for user {sizes.argmin()}")
    return sizes


# --- the records of one user: independent with values in [-1, 1] ---------------------------------


@dataclass(frozen=True)
class Signs:
    """Records are +1 with probability ``(1 + theta) / 2`` and -1 otherwise.

    Parameters
    ----------
    theta : float
        Mean, in [-1, 1]. Signs have the largest variance, ``1 - theta**2``, at a given mean.
    """

    theta: float

    def __post_init__(self):
        _validate.in_range(-1, 1, theta=self.theta)

    @property
    def mean(self):
        """Mean of a record."""
        return self.theta

    @property
    def variance(self):
        """Variance of a record."""
        return 1 - self.theta**2

    def draw_means(self, sizes, rng):
        """Draw the mean of each user, shape (n,): the number of +1 among m records is binomial."""
        sizes = _sizes(sizes)
        means = rng.binomial(sizes, (1 + self.theta) / 2) / sizes
        means *= 2
        means -= 1
        return means

    def draw_block(self, m, n, rng):
        """Draw the means of `n` users with `m` records each, in an order that must not be used.

        Where the binomial law has fewer likely values than there are users, one multinomial over
        the values replaces a binomial a user; values of probability below 1e-20 are left out.
        """
        p = (1 + self.theta) / 2
        if 40 * np.sqrt(m * p * (1 - p)) > n:  # twice the number of likely values
            return self.draw_means(np.full(n, m), rng)
        counts, probabilities = _likely_counts(m, p)
        return 2 * np.repeat(counts, rng.multinomial(n, probabilities)) / m - 1


@cache
def _likely_counts(m, p):
    """Values of Bin(m, p) of probability above 1e-20, and their probabilities."""
    reach = 10 * np.sqrt(m * p * (1 - p)) + 50
    counts = np.arange(max(0, int(m * p - reach)), min(m, int(m * p + reach)) + 1)
    probabilities = stats.binom.pmf(counts, m, p)
    likely = probabilities > 1e-20
    return counts[likely], probabilities[likely] / probabilities[likely].sum()


MANTISSA_BITS = 53


@dataclass(frozen=True)
class Uniforms:
    """Records are uniform on [low, high], a subset of [-1, 1].

    Parameters
    ----------
    low, high : float
        Ends, -1 <= low < high <= 1.
    """

    low: float
    high: float

    def __post_init__(self):
        _validate.in_range(-1, 1, low=self.low, high=self.high)
        _validate.ordered(low=self.low, high=self.high)

    @property
    def mean(self):
        """Mean of a record."""
        return (self.low + self.high) / 2

    @property
    def variance(self):
        """Variance of a record."""
        return (self.high - self.low) ** 2 / 12

    def draw_means(self, sizes, rng):
        """Draw the mean of each user, shape (n,).

        A uniform number of 53 bits is a sum of independent fair bits, so that the b-th bits of m
        numbers add up to a binomial count: 53 binomials replace m uniforms.
        """
        sizes = _sizes(sizes)
        unit = sum(0.5**b * rng.binomial(sizes, 0.5) for b in range(1, MANTISSA_BITS + 1)) / sizes
        return self.low + (self.high - self.low) * unit


@dataclass(frozen=True)
class Betas:
    """Records are ``2 B - 1`` with B of the Beta(a, b) law.

    Parameters
    ----------
    a, b : float
        Shape parameters, positive.
    """

    a: float
    b: float

    def __post_init__(self):
        _validate.positive(a=self.a, b=self.b)

    @property
    def mean(self):
        """Mean of a record."""
        return 2 * self.a / (self.a + self.b) - 1

    @property
    def variance(self):
        """Variance of a record."""
        return 4 * stats.beta.var(self.a, self.b)

    def draw_means(self, sizes, rng):
        """Draw the mean of each user, shape (n,), record by record: sums of Betas have no short law."""
        return np.array([2 * rng.beta(self.a, self.b, m).mean() - 1 for m in _sizes(sizes)])


@dataclass(frozen=True)
class PointMass:
    """Every record equals theta: users with infinitely many records (Kent, Remark 1).

    Parameters
    ----------
    theta : float
        Mean, in [-1, 1].
    """

    theta: float

    def __post_init__(self):
        _validate.in_range(-1, 1, theta=self.theta)

    @property
    def mean(self):
        """Mean of a record."""
        return self.theta

    @property
    def variance(self):
        """Variance of a record."""
        return 0.0

    def draw_means(self, sizes, rng):
        """Return theta for each user, shape (n,)."""
        return np.full(_sizes(sizes).shape, float(self.theta))

    def draw_block(self, m, n, rng):
        """Return theta for each of `n` users."""
        return np.full(n, float(self.theta))


def variance_of_mean(sizes, mean, spread):
    """Variance of the mean of a user's 0/1 records, users having own means (Cummings et al., Lemma 2.1).

    Parameters
    ----------
    sizes : array_like
        Number of records, at least 1.
    mean, spread : float
        Mean and variance of the users' own means.

    Returns
    -------
    ndarray
        ``mean (1 - mean) / size + (1 - 1 / size) spread`` for each size.
    """
    sizes = np.asarray(sizes, dtype=float)
    return mean * (1 - mean) / sizes + (1 - 1 / sizes) * spread


@dataclass(frozen=True)
class BetaUsers:
    """Records are 0 or 1, and each user has an own mean from a Beta law (Cummings et al., section 2).

    Parameters
    ----------
    mean : float
        Mean of the users' own means, in (0, 1).
    spread : float
        Variance of the users' own means, at least 0 and below ``mean (1 - mean)``; 0 gives all users one
        mean.
    """

    mean: float
    spread: float

    def __post_init__(self):
        _validate.in_range(0, 1, mean=self.mean)
        _validate.positive(mean=self.mean)
        _validate.ordered(mean=self.mean, one=1)
        _validate.in_range(0, self.mean * (1 - self.mean), spread=self.spread)
        if self.spread == self.mean * (1 - self.mean):
            raise ValueError(f"spread must be below mean (1 - mean), got {self.spread!r}")

    def variance(self, sizes):
        """Variance of the mean of a user with each of `sizes` records (Lemma 2.1)."""
        return variance_of_mean(sizes, self.mean, self.spread)

    def draw_own_means(self, n, rng):
        """Draw the own means of `n` users, shape (n,)."""
        if self.spread == 0:
            return np.full(n, float(self.mean))
        concentration = self.mean * (1 - self.mean) / self.spread - 1
        return rng.beta(self.mean * concentration, (1 - self.mean) * concentration, n)

    def draw_means(self, sizes, rng):
        """Draw the mean of the records of each user, shape (n,): binomial given the user's own mean."""
        sizes = _sizes(sizes)
        return rng.binomial(sizes, self.draw_own_means(sizes.size, rng)) / sizes


# --- how many records a user holds ---------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class FiniteSizes:
    """A law of the number m of records with finitely many values.

    Parameters
    ----------
    values : ndarray of int, shape (k,)
        Sizes, at least 1 and strictly increasing.
    probabilities : ndarray, shape (k,)
        Probability of each size; normalised to sum to 1.
    """

    values: np.ndarray
    probabilities: np.ndarray

    def __post_init__(self):
        values, probabilities = _sizes(self.values), np.asarray(self.probabilities, dtype=float)
        if values.shape != probabilities.shape or not values.size:
            raise ValueError(
                f"probabilities must match values in shape, got {probabilities.shape}, {values.shape}"
            )
        if np.any(np.diff(values) <= 0):
            raise ValueError(f"values must be strictly increasing, got {values!r}")
        if not np.all(probabilities >= 0) or not 0 < probabilities.sum() < np.inf:
            raise ValueError(f"probabilities must be finite, at least 0 and not all 0, got {probabilities!r}")
        held = probabilities > 0
        object.__setattr__(self, "values", values[held])
        object.__setattr__(self, "probabilities", probabilities[held] / probabilities.sum())

    @property
    def smallest(self):
        """Smallest size."""
        return int(self.values[0])

    @property
    def largest(self):
        """Largest size."""
        return int(self.values[-1])

    @property
    def mean(self):
        """Expected size."""
        return float(self.probabilities @ self.values)

    def expectation(self, function):
        """E function(m), for a function of an array of sizes."""
        return float(self.probabilities @ function(self.values.astype(float)))

    @cached_property
    def _tail(self):
        """P(m >= value) for each value, 1 at the first and 0 beyond the last."""
        tail = np.append(np.cumsum(self.probabilities[::-1])[::-1], 0.0)
        tail[0] = 1.0
        return tail

    def survival(self, a):
        """P(m >= a)."""
        return self._tail[np.searchsorted(self.values, a, side="left")]

    def mean_root(self, cap):
        """E sqrt(min(m, cap))."""
        return float(self.probabilities @ np.sqrt(np.minimum(self.values, float(cap))))

    def small_root(self, a):
        """E sqrt(m) 1{m <= a}, for a number or an array `a`."""
        below = np.append(0.0, np.cumsum(self.probabilities * np.sqrt(self.values)))
        return below[np.searchsorted(self.values, a, side="right")]

    def draw(self, n, rng):
        """Draw the sizes of `n` users, shape (n,)."""
        # user i gets the last value whose tail exceeds a uniform number
        return self.values[np.searchsorted(-self._tail, -rng.random(n), side="left") - 1]

    def draw_counts(self, n, rng):
        """Draw how many of `n` users hold each of the `values`, shape (k,)."""
        return rng.multinomial(n, self.probabilities)


def constant_size(m):
    """Every user holds `m` records."""
    _validate.integer(1, m=m)
    return FiniteSizes(np.array([int(m)]), np.ones(1))


def two_point_sizes(small, large, rho):
    """A user holds `large` records with probability `rho` and `small` otherwise; small < large."""
    _validate.integer(1, small=small, large=large)
    _validate.ordered(small=small, large=large)
    _validate.in_range(0, 1, rho=rho)
    return FiniteSizes(np.array([int(small), int(large)]), np.array([1 - rho, rho]))


def uniform_sizes(low, high):
    """Sizes are uniform on the whole numbers low .. high."""
    _validate.integer(1, low=low, high=high)
    _validate.in_range(low, float("inf"), high=high)
    values = np.arange(int(low), int(high) + 1)
    return FiniteSizes(values, np.ones(values.size))


def poisson_sizes(rate):
    """Sizes follow the Poisson law given m >= 1; values of probability below 1e-300 are left out."""
    _validate.positive(rate=rate)
    reach = int(rate + 60 * np.sqrt(rate) + 300)
    values = np.arange(1, reach)
    return _not_negligible(values, stats.poisson.pmf(values, rate))


def binomial_sizes(trials, probability):
    """Sizes follow the binomial law given m >= 1; values of probability below 1e-300 are left out."""
    _validate.integer(1, trials=trials)
    _validate.in_range(0, 1, probability=probability)
    _validate.positive(probability=probability)
    values = np.arange(1, int(trials) + 1)
    return _not_negligible(values, stats.binom.pmf(values, trials, probability))


def _not_negligible(values, probabilities):
    held = probabilities > 1e-300
    return FiniteSizes(values[held], probabilities[held])


def empirical_sizes(sizes):
    """Sizes as often as they occur in `sizes`, an integer array of shape (n,)."""
    values, counts = np.unique(_sizes(sizes), return_counts=True)
    return FiniteSizes(values, counts.astype(float))


# up to so many sizes, drawing users in blocks of equal size pays
FEW_SIZES = 16

EXACT_TERMS = 4096


@dataclass(frozen=True)
class PowerLawSizes:
    """Sizes ``m = floor(x)`` with ``P(x <= t) = ((t - low) / (high - low))**shape`` on [low, high].

    Parameters
    ----------
    low, high : int
        Ends, 1 <= low < high.
    shape : float
        Exponent a, positive; below 1 small sizes prevail (DAME, section 4.2).
    """

    low: int
    high: int
    shape: float

    def __post_init__(self):
        _validate.integer(1, low=self.low, high=self.high)
        _validate.ordered(low=self.low, high=self.high)
        _validate.positive(shape=self.shape)

    @property
    def smallest(self):
        """Smallest size."""
        return self.low

    @property
    def largest(self):
        """Largest size that has positive probability."""
        return self.high - 1

    @property
    def mean(self):
        """Expected size, the sum of P(m >= k) over k = 1, 2, ..."""
        return self.low + self._tail_sum(np.ones_like, self.largest)

    def expectation(self, function):
        """E function(m), for a smooth function of an array of sizes."""
        steps = self._tail_sum(lambda k: function(k) - function(k - 1), self.largest)
        return float(function(self.low) + steps)

    def survival(self, a):
        """P(m >= a)."""
        position = np.clip((np.ceil(a) - self.low) / (self.high - self.low), 0.0, 1.0)
        return 1 - position**self.shape

    def mean_root(self, cap):
        """E sqrt(min(m, cap)), by summation over P(m >= k) (sqrt(k) - sqrt(k - 1))."""
        return _power_law_root(self, cap)

    def small_root(self, a):
        """E sqrt(m) 1{m <= a}, for a number or an array `a`."""
        caps = np.maximum(a, self.low - 1)
        roots = np.vectorize(self.mean_root, otypes=[float])(caps)
        # E sqrt(min(m, a)) counts each m > a as sqrt(a)
        return np.maximum(roots - np.sqrt(caps) * self.survival(caps + 1), 0.0)

    def _tail_sum(self, step, last):
        """Sum of ``step(k) P(m >= k)`` over k = low + 1 .. last.

        The first terms are added one by one; where the summand has become smooth, the
        Euler-Maclaurin formula replaces the rest, to a relative error below 1e-12.
        """
        first = min(self.low + EXACT_TERMS, last)
        k = np.arange(self.low + 1, first + 1, dtype=float)
        exact = float(np.sum(step(k) * self.survival(k)))
        return exact if first == last else exact + self._smooth_sum(step, first, last)

    def _smooth_sum(self, step, first, last):
        def term(k):
            return step(k) * (1 - ((k - self.low) / (self.high - self.low)) ** self.shape)

        def slope(k):
            return term(k + 0.5) - term(k - 0.5)

        # substitute k = low + exp(u): the summand varies on the scale of k - low
        area = quad(
            lambda u: term(self.low + np.exp(u)) * np.exp(u),
            np.log(first - self.low),
            np.log(last - self.low),
            epsabs=0,
            epsrel=1e-13,
            limit=200,
        )[0]
        return area + (term(last) - term(first)) / 2 + (slope(last) - slope(first)) / 12

    def draw(self, n, rng):
        """Draw the sizes of `n` users, shape (n,), by inversion: -log of a uniform is exponential."""
        x = self.low + (self.high - self.low) * np.exp(-rng.standard_exponential(n) / self.shape)
        return np.minimum(x.astype(np.int64), self.largest)


@cache
def _power_law_root(law, cap):
    if cap <= law.low:
        return float(np.sqrt(cap))
    return float(np.sqrt(law.low) + law._tail_sum(_root_step, min(int(cap), law.largest)))


def _root_step(k):
    """sqrt(k) - sqrt(k - 1) without cancellation."""
    return 1 / (np.sqrt(k) + np.sqrt(k - 1))


def draw_users(population, size_law, n, rng):
    """Draw the means and the sizes of `n` users for estimators that treat each half as a set.

    Each half is drawn by itself; the order *within* a half carries information (users of equal
    size stand together) and must not be used. Where few sizes are possible this is many times faster than
    drawing each user.

    Parameters
    ----------
    population : Signs, Uniforms, Betas or PointMass
        Law of a record.
    size_law : FiniteSizes or PowerLawSizes
        Law of the number of records.
    n : int
        Number of users, at least 2.
    rng : numpy.random.Generator
        Source of the randomness.

    Returns
    -------
    means, sizes : ndarray, shape (n,)
        Mean and number of records of each user.
    """
    _validate.integer(2, n=n)
    values = getattr(size_law, "values", None)
    if values is None or values.size > FEW_SIZES or not hasattr(population, "draw_block"):
        sizes = size_law.draw(n, rng)
        return population.draw_means(sizes, rng), sizes
    halves = (size_law.draw_counts(half, rng) for half in (n // 2, n - n // 2))
    blocks = [(int(m), count) for counts in halves for m, count in zip(values, counts, strict=True)]
    means = np.concatenate([population.draw_block(m, count, rng) for m, count in blocks])
    return means, np.repeat(*np.transpose(blocks))
