"""Laws of the data as sufficient statistics.

A population draws the *means* of users directly, from their exact law, so that no array of all
records is needed. A size law draws how many records each user holds and knows the few
expectations that the estimators and the rates use.

Unlike a randomiser, everything here is strict: a wrong parameter or table raises.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import stats

from userdp import _validate
from userdp.populations.sizes import FEW_SIZES, _sizes

__all__ = [
    "Signs",
    "Uniforms",
    "Betas",
    "PointMass",
    "variance_of_mean",
    "BetaUsers",
    "draw_users",
    "SignMixture",
]


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


@dataclass(frozen=True)
class SignMixture:
    """Users' records are signs; all signs of a user have the mean of the user's component.

    Parameters
    ----------
    thetas : tuple of float, length k
        Means of the components in [-1, 1], strictly increasing.
    weights : tuple of float, length k
        Probabilities of the components, positive; they sum to 1.

    Raises
    ------
    ValueError
        If the means or the weights are not of that kind.
    """

    thetas: tuple[float, ...]
    weights: tuple[float, ...]

    def __post_init__(self):
        thetas, weights = np.asarray(self.thetas, float), np.asarray(self.weights, float)
        if thetas.ndim != 1 or not np.all(np.abs(thetas) <= 1) or not np.all(np.diff(thetas) > 0):
            raise ValueError(f"thetas must increase strictly within [-1, 1], got {self.thetas!r}")
        if weights.shape != thetas.shape or not np.all(weights > 0) or abs(weights.sum() - 1) > 1e-9:
            raise ValueError(f"weights must be positive, sum to 1 and match thetas, got {self.weights!r}")

    def draw_means(self, size, n, rng):
        """Draw the means of `n` users with `size` records each, shape (n,), in random order.

        Output law: a component at random for each user, and given it a binomial number of +1.
        """
        _validate.integer(1, size=size, n=n)
        component = np.searchsorted(np.cumsum(self.weights)[:-1], rng.random(n), side="right")
        ups = np.empty(n)
        # a binomial of fixed parameters is many times faster than one with a parameter a user
        for j, theta in enumerate(self.thetas):
            members = np.flatnonzero(component == j)
            ups[members] = rng.binomial(size, (1 + theta) / 2, members.size)
        return 2 * ups / size - 1
