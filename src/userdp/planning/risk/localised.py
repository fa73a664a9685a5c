"""The distribution of one user's mean, and a formula for the risk of `sign_mean`.

From the distribution, `userdp_papers.theory.exact` has the risk of localised means without simulation.
"""

import math
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from userdp import _validate
from userdp._public import public
from userdp.local.localise import Bins
from userdp.local.signs import ROUNDS
from userdp.planning.risk.improved_plan import Tails
from userdp.privacy.reports import BinaryResponse
from userdp.sizes import SizeLaw

# Of signs at moving thresholds, fitted to simulations at other settings than are reported: how much worse the
# last rounds are than if all users were asked at theta (and more if there are few users per round), how many
# times the fewest users a search takes, which searches go astray, how slowly they come back.
LATE, TAKES, ASTRAY, BACK = 1.25, 3.0, 0.1, 0.82

NEGLIGIBLE = 1e-19  # probabilities below this are left out


@public
@dataclass(frozen=True, eq=False)
class MeanLaw:
    """Distribution of one user's mean with finitely many values.

    Parameters
    ----------
    theta
        Its expectation.
    values : ndarray, shape (k,)
        Values, increasing.
    probabilities : ndarray, shape (k,)
        Probability of each value.

    Examples
    --------
    >>> values = np.array([-1.0, 0.0, 1.0])
    >>> chances = np.array([0.25, 0.5, 0.25])
    >>> law = MeanLaw(0.0, values, chances)
    >>> bias, square = law.projected(-0.5, 0.5)
    >>> float(bias), float(square)
    (0.0, 0.125)
    """

    theta: float
    values: NDArray
    probabilities: NDArray

    @cached_property
    def _sums(self) -> NDArray:
        """Partial sums of the probabilities and of the first two moments about theta."""
        deviation = self.values - self.theta
        terms = self.probabilities * np.stack([np.ones_like(deviation), deviation, deviation**2])
        return np.hstack([np.zeros((3, 1)), np.cumsum(terms, axis=1)])

    def projected(self, low: ArrayLike, high: ArrayLike) -> tuple[NDArray, NDArray]:
        """First two moments about `theta` of the mean projected to an interval; arrays broadcast."""
        low, high = np.broadcast_arrays(low, high)
        i, j = np.searchsorted(self.values, low), np.searchsorted(self.values, high)
        under, over = self._sums[0, i], self._sums[0, -1] - self._sums[0, j]
        middle = self._sums[1:, j] - self._sums[1:, i]
        low, high = low - self.theta, high - self.theta
        return under * low + middle[0] + over * high, under * low**2 + middle[1] + over * high**2

    def in_bins(self, bins: Bins) -> NDArray:
        """Probability of each bin."""
        return np.bincount(bins.index(self.values), self.probabilities, minlength=bins.count)


@public
@lru_cache(maxsize=64)
def sign_means(theta: float, size: int) -> MeanLaw:
    """Distribution of the mean of a user's signs.

    Parameters
    ----------
    theta
        Mean of a sign, in ``[-1, 1]``.
    size
        Number of signs.

    Returns
    -------
    MeanLaw

    Examples
    --------
    >>> sign_means(0.0, 2).values, sign_means(0.0, 2).probabilities
    (array([-1.,  0.,  1.]), array([0.25, 0.5 , 0.25]))
    """
    _validate.in_range(-1, 1, theta=theta)
    _validate.integer(1, size=size)
    counts, probabilities = binomial_window(size, (1 + theta) / 2)
    kept = np.where(probabilities > NEGLIGIBLE, probabilities, 0.0)
    return MeanLaw(theta, *map(_validate.locked, (2 * (counts / size) - 1, kept / kept.sum())))


@cache
def binomial_window(size: int, p: float) -> tuple[NDArray[np.int64], NDArray]:
    """Values of Bin(size, p) near its mean, and their probabilities; all others have less than 1e-20."""
    reach = 10 * np.sqrt(size * p * (1 - p)) + 50
    counts = np.arange(max(0, int(size * p - reach)), min(size, int(size * p + reach)) + 1)
    return _validate.locked(counts), _validate.locked(scipy.stats.binom.pmf(counts, size, p))


class SignRisk(NamedTuple):
    """Predicted mean squared error of `sign_mean` on ``[-1, 1]``: `risk`, and in it at most the `bias`."""

    risk: float
    bias: float


def sign_risk(*, n: int, size_law: SizeLaw, epsilon: float, spread: float, tails: Tails) -> SignRisk:
    r"""Predict the risk of `sign_mean`, by a formula, at the worst mean.

    The formula has three parts. The last users, asked at the mean itself, contribute the information
    ``tanh(epsilon / 2)^2 (2 / pi) (E 1 / sigma)^2`` each, where :math:`\sigma` is the standard deviation of a
    user's mean; they are those, and at least a third of all, whom the search for an interval of that length
    leaves, which takes ``log(E 1 / sigma)`` nats at a third of the capacity of randomised response. Before
    them the squared error is at most 1 and falls by a factor e for each nat at that capacity; a part of the
    searches goes astray, and returns as in Burnashev and
    Zigangirov's search, by the factor ``1/2 + sqrt(p q)`` for each user with :math:`p` and :math:`q` the
    probabilities of a true and a false answer. The bias is that of a median: it differs from the mean by at
    most a standard deviation of the latent means, and from a mean of m records by some ``1.4 / m``. If that
    mean is nearly normal, it differs by at most ``1 / (3 m)``, and, since the means of signs are ``2 / m``
    apart, by a further ``1 / (sqrt(3) m)`` in the root mean square.
    """

    def deviation(m: NDArray) -> NDArray:
        return np.sqrt(np.minimum(1 / m + spread**2, 1.0))

    def skew(m: NDArray) -> NDArray:
        return np.minimum((2 / 3 if tails == "normal" else 1.4) / m, 1 / np.sqrt(m))

    steep = size_law.expectation(lambda m: 1 / deviation(m))
    bias = size_law.expectation(lambda m: skew(m) / deviation(m)) / steep + (tails != "normal") * spread
    keep, flip = BinaryResponse(epsilon).keep, BinaryResponse(epsilon).flip
    nats = math.log(2) + keep * math.log(keep) + (flip * math.log(flip) if flip else 0.0)
    last = max(n - TAKES * math.log(steep) / max(nats, 1e-300), n / 3)
    late = LATE * (1 + ROUNDS / n) * math.pi / 2 / (last * (math.tanh(epsilon / 2) * steep) ** 2)
    lost = (1 - ASTRAY) * math.exp(-n * nats) + ASTRAY * (0.5 + math.sqrt(keep * flip)) ** (BACK * n)
    return SignRisk((math.sqrt(late / (1 + late)) + bias) ** 2 + lost, bias)
