"""Distributions of the data as sufficient statistics.

A population draws the *means* of users directly, from their exact distribution, so that no array of all
records is needed. A distribution of sizes draws how many records each user holds and knows the few
expectations that the estimators and the rates use.

Unlike a randomiser, everything here is strict: a wrong parameter or table raises.
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
    """Records are +1 with probability ``(1 + theta) / 2`` and -1 otherwise.

    Parameters
    ----------
    theta
        Mean, in [-1, 1]. Signs have the largest variance, ``1 - theta**2``, at a given mean.

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
        """Draw the mean of each user, shape (n,): the number of +1 among m records is binomial."""
        sizes = _validate.whole_numbers(1, least=0, sizes=sizes)
        means = rng.binomial(sizes, (1 + self.theta) / 2) / sizes
        means *= 2
        means -= 1
        return means

    def draw_block(self, size: int, n: int, rng: Rng) -> NDArray:
        """Draw the means of `n` users with `size` records each, in an order that must not be used.

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
    """Records are uniform on [low, high], a subset of [-1, 1]; ``-1 <= low < high <= 1``."""

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
        """Draw the mean of each user, shape (n,).

        A uniform number of 53 bits is a sum of independent fair bits, so that the b-th bits of m
        numbers add up to a binomial count: 53 binomials replace m uniforms.
        """
        sizes = _validate.whole_numbers(1, least=0, sizes=sizes)
        unit = sum(0.5**b * rng.binomial(sizes, 0.5) for b in range(1, MANTISSA_BITS + 1)) / sizes
        return self.low + (self.high - self.low) * unit


@public
@dataclass(frozen=True)
class PointMass:
    """Every record equals theta, in [-1, 1]: users with infinitely many records (Kent, Remark 1)."""

    theta: float

    def __post_init__(self) -> None:
        _validate.in_range(-1, 1, theta=self.theta)

    @property
    def mean(self) -> float:
        """Mean of a record."""
        return self.theta

    def draw_means(self, sizes: ArrayLike, rng: Rng) -> NDArray:
        """Return theta for each user, shape (n,)."""
        return np.full(_validate.whole_numbers(1, least=0, sizes=sizes).shape, float(self.theta))

    def draw_block(self, size: int, n: int, rng: Rng) -> NDArray:
        """Return theta for each of `n` users."""
        return np.full(n, float(self.theta))


@public
@dataclass(frozen=True)
class BetaUsers:
    """Records are 0 or 1, and each user has a latent mean, Beta distributed (Cummings et al., section 2).

    Parameters
    ----------
    mean
        Mean of the users' latent means, in (0, 1).
    own_variance
        Variance of the users' latent means, at least 0 and below ``mean (1 - mean)``; 0 gives all users one
        mean.
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
        """Draw the latent means of `n` users, shape (n,)."""
        if self.own_variance == 0:
            return np.full(n, float(self.mean))
        concentration = self.mean * (1 - self.mean) / self.own_variance - 1
        return rng.beta(self.mean * concentration, (1 - self.mean) * concentration, n)

    def draw_means(self, sizes: ArrayLike, rng: Rng) -> NDArray:
        """Draw the mean of the records of each user, shape (n,): binomial given the user's latent mean."""
        sizes = _validate.whole_numbers(1, least=0, sizes=sizes)
        return rng.binomial(sizes, self.draw_own_means(sizes.size, rng)) / sizes


# up to so many sizes, drawing users in blocks of equal size pays
FEW_SIZES = 16


@public
def draw_halves(population: Any, size_law: SizeLaw, n: int, rng: Rng) -> tuple[NDArray, NDArray[np.int64]]:
    """Draw the means and the sizes of `n` users as two halves, the first ``n // 2`` users and the others.

    Output distribution: that of independent users, but for their order *within* a half, which carries
    information: where few sizes are possible, users of equal size stand together, and users of equal mean
    too. It is many times faster than drawing each user, and right for estimators that take each half as a
    set, as `dame` does. An estimator that splits users further by position, as `improved_mean` does, must
    have them in random order: draw ``sizes = size_law.draw(n, rng)`` and
    ``means = population.draw_means(sizes, rng)``.

    Parameters
    ----------
    population : Signs, Uniforms, PointMass or any other with `draw_means`
        Distribution of a record.
    size_law
        Distribution of the number of records.
    n
        Number of users, at least 2.
    rng
        Source of the randomness.

    Returns
    -------
    means, sizes : ndarray, shape (n,)
        Mean and number of records of each user.
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
    """Users' records are signs; all signs of a user have the mean of the user's component.

    Parameters
    ----------
    thetas : tuple of float, length k
        Means of the components in [-1, 1], strictly increasing.
    weights : tuple of float, length k
        Probabilities of the components, positive; they sum to 1.
    """

    thetas: tuple[float, ...]
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        thetas = _validate.vector(-1, 1, increasing=True, thetas=self.thetas)
        weights = _validate.vector(0, 1, weights=self.weights)
        if weights.shape != thetas.shape or not weights.all() or abs(weights.sum() - 1) > 1e-9:
            raise ValueError(f"weights must be positive, sum to 1 and match thetas, got {self.weights!r}")

    def draw_means(self, size: int, n: int, rng: Rng) -> NDArray:
        """Draw the means of `n` users with `size` records each, shape (n,), in random order.

        Output distribution: a component at random for each user, and given it a binomial number of +1.
        """
        _validate.integer(1, size=size, n=n)
        component = np.less_equal.outer(np.cumsum(self.weights)[:-1], rng.random(n)).sum(axis=0)
        ups = np.empty(n)
        # a binomial of fixed parameters is many times faster than one with a parameter per user
        for j, theta in enumerate(self.thetas):
            members = np.flatnonzero(component == j)
            ups[members] = rng.binomial(size, (1 + theta) / 2, members.size)
        return 2 * ups / size - 1
