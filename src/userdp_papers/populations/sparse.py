"""Users whose records are vectors of signs with a sparse mean (Kent, Berrett and Yu, eq. (47)).

In a large dimension only what an estimator looks at is drawn: the hashed sums of users, a few columns of
their means, and averages of item-level reports.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import scipy

from userdp import _validate
from userdp._public import public
from userdp._types import NDArray, Rng
from userdp.privacy.vector_reports import CubeReport
from userdp_papers.populations.records import Signs


@public
@dataclass(frozen=True)
class SparseSigns:
    """Records are vectors of independent signs, and few coordinates have a mean other than 0.

    Parameters
    ----------
    d
        Dimension.
    sparsity
        Number of coordinates with mean `theta`, at most `d`; the others have mean 0.
    theta
        Their mean, in ``[-1, 1]``; eq. (47) of the paper has ``p = (1 + theta) / 2``.
    last
        Whether they are the last coordinates instead of the first, where eq. (47) has them.

    Examples
    --------
    >>> population = SparseSigns(5, 2, 0.6)
    >>> population.mean
    array([0.6, 0.6, 0. , 0. , 0. ])
    >>> population.draw_means(1000, 3, np.random.default_rng(1)).shape
    (3, 5)
    """

    d: int
    sparsity: int
    theta: float
    last: bool = False

    def __post_init__(self) -> None:
        _validate.integer(1, d=self.d)
        _validate.integer(0, self.d, sparsity=self.sparsity)
        _validate.in_range(-1, 1, theta=self.theta)

    @property
    def signal(self) -> slice:
        """Coordinates with mean `theta`, as a slice."""
        return slice(self.d - self.sparsity, None) if self.last else slice(0, self.sparsity)

    @property
    def mean(self) -> NDArray:
        """Mean of a record, an array of d numbers."""
        mean = np.zeros(self.d)
        mean[self.signal] = self.theta
        return mean

    def draw_means(self, m: int, n: int, rng: Rng) -> NDArray:
        """Draw the mean of `m` records for each of `n` users, one row per user."""
        return self.draw_columns(np.arange(self.d), m, n, rng)

    def draw_columns(self, coordinates: NDArray, m: int, n: int, rng: Rng) -> NDArray:
        """Draw the same means in some coordinates only, one column for each."""
        sizes = np.full(n, m)
        columns = [Signs(float(theta)).draw_means(sizes, rng) for theta in self.mean[coordinates]]
        return np.stack(columns, axis=1) if columns else np.zeros((n, 0))

    def draw_sums(self, hashes: Any, m: int, threshold: float, rng: Rng) -> NDArray[np.int64]:
        """Draw each user's hashed sum, without the user's means.

        A user chooses all coordinates of mean 0 with one probability, whatever their signs, so that the
        chosen ones among its positive and its negative signs are two binomial counts.
        """
        signs = hashes.signs(self.signal)
        chosen = rng.random(signs.shape) < exceedance(m, self.theta, threshold)
        nulls = self.d - self.sparsity
        positive = (nulls + hashes.balance - signs.sum(axis=1)) // 2
        null = exceedance(m, 0.0, threshold)
        surplus = rng.binomial(positive, null) - rng.binomial(nulls - positive, null)
        return (signs * chosen).sum(axis=1) + surplus


@public
@cache
def exceedance(m: int, theta: float, threshold: float) -> float:
    """Probability that the mean of a user's signs is large in absolute value.

    Parameters
    ----------
    m
        Number of signs.
    theta
        Mean of a sign, in ``[-1, 1]``.
    threshold
        The absolute value from which on the mean is large. At a tie floating-point numbers are compared, so
        that a mean of 4 out of 10 is at least 0.4.

    Returns
    -------
    float

    Examples
    --------
    >>> round(exceedance(2, 0.0, 1.0), 6)  # both signs alike
    0.5
    """
    _validate.integer(1, _validate.LISTED, m=m)
    _validate.in_range(-1, 1, theta=theta)
    counts = np.arange(int(m) + 1)
    exceeds = np.abs(2 * counts - m) / m >= threshold
    return float(min(scipy.stats.binom.pmf(counts[exceeds], m, (1 + theta) / 2).sum(), 1.0))


@public
def item_level_means(population: SparseSigns, n: int, *, epsilon: float, rng: Rng, draws: int = 1) -> NDArray:
    """Draw averages of item-level private reports, one report for each record.

    Output distribution: each row is the average of `CubeReport` over n records of the population. In a
    coordinate of mean 0 the total is a binomial count, whatever the others are; the other coordinates
    together are a multinomial count over their patterns of signs.

    Parameters
    ----------
    population : SparseSigns
        Distribution of the records.
    n
        Number of records, each with a budget of its own: item-level privacy.
    epsilon
        Budget of a record.
    rng
        Source of the randomness.
    draws
        Number of independent averages.

    Returns
    -------
    ndarray, shape (draws, d)
        The averages; unbiased for the population's mean.
    """
    _validate.integer(1, n=n, draws=draws)
    _validate.budget(epsilon=epsilon)
    report = CubeReport(population.d, epsilon)
    patterns, probabilities = _pattern_law(population, report)
    total = 2 * rng.binomial(n, 0.5, (draws, population.d)) - n
    total[:, population.signal] = rng.multinomial(n, probabilities, draws) @ patterns
    return report.magnitude * total / n


def _pattern_law(population: SparseSigns, report: CubeReport) -> tuple[NDArray, NDArray]:
    """Sign patterns of the report in the signal coordinates, shape (2^s, s), and their probabilities."""
    s, d = population.sparsity, population.d
    patterns = 2 * (np.arange(2**s)[:, None] >> np.arange(s) & 1) - 1
    # the near side has more than d/2 agreements: given those among s coordinates, the rest are fair
    agreements = (patterns == 1).sum(axis=1)
    near = scipy.stats.binom.sf(d // 2 - agreements, d - s, 0.5)
    agree = near + (1 - near) * report.far  # of each pattern of agreements
    truth = np.prod((1 + patterns * population.theta) / 2, axis=1)
    seen = np.array([truth @ agree[_pattern_index(patterns * row)] for row in patterns])
    return patterns, seen / seen.sum()


def _pattern_index(patterns: NDArray) -> NDArray:
    """Row of each pattern in the table of all patterns."""
    return (patterns == 1) @ (1 << np.arange(patterns.shape[1]))
