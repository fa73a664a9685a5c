"""Users whose records are numbers, drawn by their means.

The mean of a user's records is drawn directly, from its exact distribution, so that no array of all records
is needed. How many records each user holds is drawn from a distribution of `userdp.sizes`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, NDArray, Rng
from userdp.planning.risk.localised import binomial_window
from userdp.sizes import FiniteSizes, SizeLaw, variance_of_mean


# --- the records of one user: independent with values in [-1, 1] ---------------------------------
@public
@dataclass(frozen=True)
class Signs:
    """Records are signs: ``+1`` with probability ``(1 + theta) / 2`` and ``-1`` otherwise.

    Parameters
    ----------
    theta
        Mean, in ``[-1, 1]``. Among all records with this mean, signs have the largest variance,
        ``1 - theta**2``.

    Examples
    --------
    >>> Signs(0.5).draw_means([4, 4, 400], np.random.default_rng(1))
    array([ 0.5  , -0.5  ,  0.555])
    """

    theta: float

    def __post_init__(self) -> None:
        _validate.in_range(-1, 1, theta=self.theta)

    @property
    def mean(self) -> float:
        """Mean of a record."""
        return self.theta

    def draw_means(self, sizes: ArrayLike, rng: Rng) -> NDArray:
        """Draw the mean of each user: the number of ``+1`` among its records is binomial."""
        sizes = _validate.whole_numbers(1, least=0, sizes=sizes)
        means = rng.binomial(sizes, (1 + self.theta) / 2) / sizes
        means *= 2
        means -= 1
        return means

    def draw_block(self, size: int, n: int, rng: Rng) -> NDArray:
        """Draw the means of `n` users with `size` records each, in an order that carries information.

        Where the binomial distribution has fewer likely values than there are users, one multinomial over
        the values replaces one binomial per user; values of probability below 1e-20 are left out.
        """
        p = (1 + self.theta) / 2
        if 40 * np.sqrt(size * p * (1 - p)) > n:  # twice the number of likely values
            return self.draw_means(np.full(n, size), rng)
        counts, probabilities = binomial_window(size, p)
        likely = probabilities > 1e-20
        drawn = rng.multinomial(n, probabilities[likely] / probabilities[likely].sum())
        return 2 * np.repeat(counts[likely], drawn.astype(int)) / size - 1


MANTISSA_BITS = 53


@public
@dataclass(frozen=True)
class Uniforms:
    """Records are uniform on an interval.

    Parameters
    ----------
    low
        Lower end, at least ``-1``.
    high
        Upper end, above `low` and at most 1.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> Uniforms(0.0, 0.5).draw_means([1, 9, 900], rng).round(2)
    array([0.32, 0.32, 0.25])
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        _validate.in_range(-1, 1, low=self.low, high=self.high)
        _validate.ordered(low=self.low, high=self.high)

    @property
    def mean(self) -> float:
        """Mean of a record."""
        return (self.low + self.high) / 2

    def draw_means(self, sizes: ArrayLike, rng: Rng) -> NDArray:
        """Draw the mean of each user.

        A uniform number of 53 bits is a sum of independent fair bits, so that the bits in one place of m
        numbers add up to a binomial count: 53 binomial numbers replace m uniform ones.
        """
        sizes = _validate.whole_numbers(1, least=0, sizes=sizes)
        unit = sum(0.5**b * rng.binomial(sizes, 0.5) for b in range(1, MANTISSA_BITS + 1)) / sizes
        return self.low + (self.high - self.low) * unit


@public
@dataclass(frozen=True)
class PointMass:
    """All records equal one number, as if users had infinitely many (Kent, Remark 1).

    Parameters
    ----------
    theta
        That number, in ``[-1, 1]``.
    """

    theta: float

    def __post_init__(self) -> None:
        _validate.in_range(-1, 1, theta=self.theta)

    @property
    def mean(self) -> float:
        """Mean of a record."""
        return self.theta

    def draw_means(self, sizes: ArrayLike, rng: Rng) -> NDArray:
        """Return `theta` for each user."""
        return np.full(_validate.whole_numbers(1, least=0, sizes=sizes).shape, float(self.theta))

    def draw_block(self, size: int, n: int, rng: Rng) -> NDArray:
        """Return `theta` for each of `n` users."""
        return np.full(n, float(self.theta))


@public
@dataclass(frozen=True)
class BetaUsers:
    """Records are 0 or 1, with a mean of the user's own (Cummings et al., section 2).

    The users' latent means have a Beta distribution.

    Parameters
    ----------
    mean
        Mean :math:`p` of the users' latent means, strictly between 0 and 1.
    own_variance
        Variance of the users' latent means, at least 0 and below ``p (1 - p)``; with 0 all users have one
        mean.

    Examples
    --------
    >>> users = BetaUsers(0.3, 0.01)
    >>> users.draw_own_means(3, np.random.default_rng(1)).round(2)
    array([0.3 , 0.41, 0.32])
    >>> users.variance([1, 100])  # of a mean of so many records
    array([0.21 , 0.012])
    """

    mean: float
    own_variance: float

    def __post_init__(self) -> None:
        _validate.in_range(0, 1, mean=self.mean)
        _validate.positive(mean=self.mean)
        _validate.ordered(mean=self.mean, one=1)
        _validate.in_range(0, self.mean * (1 - self.mean), own_variance=self.own_variance)
        if self.own_variance == self.mean * (1 - self.mean):
            raise ValueError(f"own_variance must be below mean (1 - mean), got {self.own_variance!r}")

    def variance(self, sizes: ArrayLike) -> NDArray:
        """Variance of the mean of a user with each of `sizes` records (Lemma 2.1)."""
        return variance_of_mean(sizes, self.mean, self.own_variance)

    def draw_own_means(self, n: int, rng: Rng) -> NDArray:
        """Draw the latent means of `n` users."""
        if self.own_variance == 0:
            return np.full(n, float(self.mean))
        concentration = self.mean * (1 - self.mean) / self.own_variance - 1
        return rng.beta(self.mean * concentration, (1 - self.mean) * concentration, n)

    def draw_means(self, sizes: ArrayLike, rng: Rng) -> NDArray:
        """Draw the mean of each user's records: their sum is binomial given the user's latent mean."""
        sizes = _validate.whole_numbers(1, least=0, sizes=sizes)
        return rng.binomial(sizes, self.draw_own_means(sizes.size, rng)) / sizes


# up to so many sizes, drawing users in blocks of equal size pays
FEW_SIZES = 16


@public
def draw_halves(population: Any, size_law: SizeLaw, n: int, rng: Rng) -> tuple[NDArray, NDArray[np.int64]]:
    """Draw the means and the sizes of many users, in two halves.

    Output distribution: that of independent users, except for the order within each half, which carries
    information, because users of equal size, and of equal mean, may stand together. This is many times faster
    than to draw each user. It is right for estimators that use each half as a set, as `dame` does. Others,
    such as `improved_mean`, split users further by position and must have them in random order: draw
    ``sizes = size_law.draw(n, rng)`` and ``means = population.draw_means(sizes, rng)``.

    Parameters
    ----------
    population : Signs, Uniforms, PointMass or any other with `draw_means`
        Distribution of a record.
    size_law
        Distribution of the number of records.
    n
        Number of users, at least 2; the first half are the first ``n / 2`` of them, rounded down.
    rng
        Source of the randomness.

    Returns
    -------
    means : ndarray, shape (n,)
        Mean of each user.
    sizes : ndarray of int, shape (n,)
        Number of records of each user.

    Examples
    --------
    >>> from userdp.sizes import two_point_sizes
    >>> law, rng = two_point_sizes(1, 100, 0.5), np.random.default_rng(1)
    >>> means, sizes = draw_halves(Signs(0.5), law, 6, rng)
    >>> sizes
    array([  1,   1, 100,   1,   1,   1])
    """
    _validate.integer(2, n=n)
    blockwise = hasattr(population, "draw_block")
    if not isinstance(size_law, FiniteSizes) or size_law.values.size > FEW_SIZES or not blockwise:
        sizes = size_law.draw(n, rng)
        return population.draw_means(sizes, rng), sizes
    values, halves = size_law.values, [size_law.draw_counts(half, rng) for half in (n // 2, n - n // 2)]
    blocks = [(int(m), count) for counts in halves for m, count in zip(values, counts, strict=True)]
    means = np.concatenate([population.draw_block(m, count, rng) for m, count in blocks])
    sizes, counts = np.transpose(blocks)
    return means, np.repeat(sizes, counts.astype(int))


@public
@dataclass(frozen=True)
class SignMixture:
    """Records are signs, and users belong to groups with different means.

    Parameters
    ----------
    thetas : tuple of float, length k
        Mean of each group, in ``[-1, 1]`` and strictly increasing.
    weights : tuple of float, length k
        Probability of each group, positive; they sum to 1.

    Examples
    --------
    >>> groups = SignMixture((-0.5, 0.8), (0.4, 0.6))
    >>> groups.draw_means(1000, 5, np.random.default_rng(1)).round(1)
    array([ 0.8,  0.8, -0.5,  0.8, -0.5])
    """

    thetas: tuple[float, ...]
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        thetas = _validate.vector(-1, 1, increasing=True, thetas=self.thetas)
        weights = _validate.vector(0, 1, weights=self.weights)
        if weights.shape != thetas.shape or not weights.all() or abs(weights.sum() - 1) > 1e-9:
            raise ValueError(f"weights must be positive, sum to 1 and match thetas, got {self.weights!r}")

    def draw_means(self, size: int, n: int, rng: Rng) -> NDArray:
        """Draw the means of `n` users with `size` records each, in random order.

        Output distribution: a group at random for each user, and given it a binomial number of ``+1``.
        """
        _validate.integer(1, size=size, n=n)
        component = np.less_equal.outer(np.cumsum(self.weights)[:-1], rng.random(n)).sum(axis=0)
        ups = np.empty(n)
        # a binomial of fixed parameters is many times faster than one with a parameter per user
        for j, theta in enumerate(self.thetas):
            members = np.flatnonzero(component == j)
            ups[members] = rng.binomial(size, (1 + theta) / 2, members.size)
        return 2 * ups / size - 1
