"""Proven lower bounds on the worst mean squared error of every private estimate of a mean.

The records are signs with a mean in ``[-1, 1]``, the least favourable distribution; other distributions and
heterogeneous users can only make the worst error larger. Local methods may be sequentially interactive, and
what a user hides includes the number of records. The bounds are Bayes risks under two priors, a smooth one
(van Trees' inequality) and one of two points; the book's page on the choice of a method proves them.
"""

import math
from collections.abc import Callable

import numpy as np
import scipy
from scipy.special import betainc, expit, gammaln

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, Floats, NDArray
from userdp.sizes import FiniteSizes, SizeLaw

# on [-1, 1], where all integrands are even: the positive half is enough
NODES, WEIGHTS = (both[12:] for both in np.polynomial.legendre.leggauss(24))
PRIOR = 2 * WEIGHTS * np.cos(np.pi * NODES / 2) ** 2  # of density cos^2(pi x / 2) and information pi^2
REACHES = np.geomspace(1.0, 100.0, 12)  # of the smooth prior, in standard errors
GAPS = np.geomspace(1e-3, 1e3, 25)  # half the distance of the two points, in standard errors
WIDEST = 0.999  # the information of signs is infinite at the ends
MOST_BALLOTS = 10**5  # of two-point answers that are summed; to leave some out makes the bound smaller
CELLS = 48  # sizes told apart


def _cells(size_law: SizeLaw) -> FiniteSizes:
    """Finite distribution of sizes rounded up to few values: no bound gets larger by it."""
    values = getattr(size_law, "values", None)
    if values is not None and values.size <= CELLS:
        return size_law  # type: ignore[return-value]
    ends = np.unique(np.ceil(np.geomspace(size_law.smallest, size_law.largest, CELLS)).astype(np.int64))
    above = np.append(size_law.survival(ends + 1), 0.0)
    return FiniteSizes(ends, np.append(1 - above[0], above[:-2] - above[1:-1]))


@public
def score_limit(theta: ArrayLike, size_law: SizeLaw, *, epsilon: float) -> Floats:
    """Bound the information about the mean in one private report of a user.

    What is returned is the square root of a bound on the Fisher information. With the score S of the user's
    records it is the solution x of ``x = (exp(epsilon) - 1) E (S - x)_+``, for S or for its negative, or the
    root of the user's own information where that is less.

    Parameters
    ----------
    theta
        Mean of a sign, in ``[-1, 1]``; a number or an array.
    size_law
        Distribution of the number of records.
    epsilon
        Budget of the report.

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> from userdp.sizes import constant_size
    >>> limit = score_limit(0.0, constant_size(1), epsilon=1.0)
    >>> bool(limit == np.tanh(0.5))
    True
    """
    _validate.budget(epsilon=epsilon)
    law, theta = _cells(size_law), np.asarray(theta, float)
    either = np.maximum(_excess_root(theta, law, epsilon), _excess_root(-theta, law, epsilon))
    return np.minimum(either, np.sqrt(law.mean / (1 - theta**2)))


def _excess_root(theta: NDArray, law: FiniteSizes, epsilon: float) -> Floats:
    """Solution of x = odds E (S - x)_+, by Newton's method, which rises."""
    m, odds = law.values.astype(float), math.expm1(min(epsilon, 600.0))
    p, x = (1 + theta[..., None]) / 2, np.zeros(theta.shape)
    while True:
        k = np.minimum(np.floor(m * p + 2 * p * (1 - p) * x[..., None]) + 1, m)  # S exceeds x
        above = betainc(k, m - k + 1, p) @ law.probabilities
        score = (m / 2 * scipy.stats.binom.pmf(k - 1, m - 1, p)) @ law.probabilities  # E (S; K >= k)
        risen = odds * score / (1 + odds * above)
        if np.all(risen <= x * (1 + 1e-9)):
            return np.maximum(x, risen)
        x = np.maximum(x, risen)


@public
def two_point_least(size_law: SizeLaw, *, n: int, epsilon: float) -> float:
    """Lower bound on the risk of private reports, from two means that they hardly tell apart.

    The means lie at equal distances from 0, and the best distance is taken. If the distributions of a user's
    data under them are at total variation t, no report separates them better than an answer of yes or no at
    the budget ``log(1 + (exp(epsilon) - 1) t)``; the Bayes risk after n such answers is a sum.

    Parameters
    ----------
    size_law
        Distribution of the number of records.
    n
        Number of users.
    epsilon
        Budget of each.

    Returns
    -------
    float
    """
    _validate.integer(1, n=n)
    law, reach = _cells(size_law), min(MOST_BALLOTS, 5 * math.isqrt(int(n)) + 50)
    best = float(score_limit(0.0, law, epsilon=epsilon))
    gaps = np.unique(np.minimum(np.append(GAPS, np.inf) / (best * math.sqrt(n)), 1.0))
    middle = np.floor(law.values / 2) + 1
    most = [betainc(middle, law.values - middle + 1, (1 + side * gaps[:, None]) / 2) for side in (1, -1)]
    apart = (most[0] - most[1]) @ law.probabilities
    budget = np.log1p(math.expm1(min(epsilon, 600.0)) * apart)[:, None]
    k = np.arange(max(n // 2 - reach, 0), min(n // 2 + reach, n) + 1)
    paths = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    logs = paths + k * np.log(expit(budget)) + (n - k) * np.log(expit(-budget))
    unsure = 2 * expit(-budget * (2.0 * k - n))
    return float(np.max(gaps**2 * (np.exp(logs) * unsure).sum(axis=1)))


def _smooth(standard_error: float, bound: Callable[[NDArray, NDArray], NDArray]) -> float:
    """Largest bound over smooth priors about 0; `bound` takes rows of theta, and each row's information."""
    reaches = np.unique(np.minimum(REACHES * standard_error, WIDEST))
    return float(np.max(bound(reaches[:, None] * NODES, (math.pi / reaches) ** 2)))


@public
def local_least_risk(size_law: SizeLaw, *, n: int, epsilon: float) -> float:
    """Lower bound on the worst risk of every method in the local model.

    Parameters
    ----------
    size_law
        Distribution of the number of records.
    n
        Number of users.
    epsilon
        Budget of each.

    Returns
    -------
    float
        A mean squared error on ``[-1, 1]``.

    Examples
    --------
    >>> from userdp.sizes import constant_size
    >>> law = constant_size(1000)
    >>> f"{local_least_risk(law, n=10_000, epsilon=1.0):.1e}"
    '6.3e-07'
    """
    _validate.integer(1, n=n)
    least = float(score_limit(0.0, size_law, epsilon=epsilon))

    def bound(theta: NDArray, information: NDArray) -> NDArray:
        return 1 / (n * (score_limit(theta, size_law, epsilon=epsilon) ** 2 @ PRIOR) + information)

    return max(_smooth(1 / (least * math.sqrt(n)), bound), two_point_least(size_law, n=n, epsilon=epsilon))


@public
def central_least_risk(size_law: SizeLaw, *, n: int, epsilon: float) -> float:
    """Lower bound on the worst risk of every method in the central model.

    Parameters
    ----------
    size_law
        Distribution of the number of records.
    n
        Number of users.
    epsilon
        Budget of the release, which has no delta.

    Returns
    -------
    float
        A mean squared error on ``[-1, 1]``.

    Examples
    --------
    >>> from userdp.sizes import constant_size
    >>> law = constant_size(1000)
    >>> f"{central_least_risk(law, n=10_000, epsilon=1.0):.1e}"
    '1.0e-07'
    """
    _validate.integer(1, n=n)
    _validate.budget(epsilon=epsilon)
    steepness = n * math.sqrt(2) * math.sinh(min(epsilon, 600.0) / 2)
    root = size_law.expectation(np.sqrt)

    def bound(theta: NDArray, information: NDArray) -> NDArray:
        spread = 1 / (1 - theta**2) @ PRIOR
        hidden = 1 / (steepness * root * np.sqrt(spread) + np.sqrt(information)) ** 2
        return np.maximum(hidden, 1 / (n * size_law.mean * spread + information))

    return _smooth(max(1 / math.sqrt(n * size_law.mean), 1 / (steepness * root)), bound)
