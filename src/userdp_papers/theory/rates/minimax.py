"""Minimax rates under user-level local privacy, and where they stop falling (Kent, Berrett and Yu).

A problem is a `Mean`, a `Sparse` mean, a `Density` or a `Mixture`. For each of them the functions give the
rate with `size` records per user (`user_level`), with one record for each of `size` times as many users
(`item_level`) and with infinitely many records (`infinite`), the number of records at which the rate stops
falling (`transition`), and the number that the paper's algorithm uses (`horizon`).

These are rates and not bounds. Constant factors are 1, the constant in an exponent is the `decay` of the
problem, and logarithms are left out unless ``logs=True`` asks for those of the upper bound. No rate exceeds
the risk of the best constant estimate, `trivial`. All parameters may be numbers or arrays that broadcast.

In the displays T is the number of records per user, ``a = min(epsilon, epsilon^2)``, and for means also
``z = min(epsilon, epsilon^2, d)``. The paper states the sparse, density and mixture rates for budgets of
order at most 1, where ``a = epsilon^2``.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from userdp import _validate
from userdp._public import public

# smallest constant K of the horizon for which (106) holds for all 0 < epsilon <= 1
HORIZON_CONSTANT = float(512 / np.tanh(1 / 4) ** 2)


def _log(x: NDArray) -> NDArray:
    """Logarithm, at least 1: a factor of an upper bound."""
    return np.log(np.maximum(x, math.e))


@public
def effective_users(n: ArrayLike, *, epsilon: ArrayLike) -> NDArray:
    """Effective number of private users, through which the rates depend on users and budget.

    Parameters
    ----------
    n
        Number of users.
    epsilon
        Local budget of each.

    Returns
    -------
    float or ndarray
        The product ``n min(epsilon, epsilon**2)``.

    Examples
    --------
    >>> effective_users([1000, 8000], epsilon=0.5)
    array([ 250., 2000.])
    """
    n, epsilon = _validate.positive_arrays(n=n, epsilon=epsilon)
    return n * np.minimum(epsilon, epsilon**2)


@public
@dataclass(frozen=True)
class Mean:
    """The problem of a mean in d dimensions (Theorem 6, Proposition 3).

    The loss is the squared Euclidean distance.

    Parameters
    ----------
    d
        Dimension, positive; 1 is the univariate mean.
    ball
        Where the records lie: in the cube ``[-1, 1]^d``, part (i), or in the Euclidean unit ball, part (ii).
    decay
        Constant in the exponent of the infinite-records rate, positive.
    """

    d: Any
    ball: Literal["cube", "l2"] = "cube"
    decay: float = 1.0

    def __post_init__(self) -> None:
        d, _ = _validate.positive_arrays(d=self.d, decay=self.decay)
        _validate.one_of(("cube", "l2"), ball=self.ball)
        object.__setattr__(self, "d", d)

    @property
    def trivial(self) -> NDArray:
        """Largest risk of the estimate 0."""
        return self.d if self.ball == "cube" else np.ones_like(self.d)

    @property
    def share(self) -> NDArray:
        """What divides the effective number of users in the exponent."""
        return self.d

    def item(self, records: NDArray, epsilon: NDArray) -> NDArray:
        """``d^2 / (N z)`` for N records, and ``d / (N z)`` in the Euclidean ball: eq. (15), (24)."""
        return self.d ** (2 if self.ball == "cube" else 1) / (records * self._z(epsilon))

    def finite(self, n: NDArray, size: NDArray, epsilon: NDArray) -> NDArray:
        """The same with all records of all users: the first term of (24)."""
        return self.item(n * size, epsilon)

    def log(self, n: NDArray, size: NDArray, epsilon: NDArray) -> NDArray:
        """``log(n T z / d)``, and ``log(n T z)^2`` in the Euclidean ball: Theorem 6."""
        records = n * size * self._z(epsilon)
        return _log(records / self.d) if self.ball == "cube" else _log(records) ** 2

    def _z(self, epsilon: NDArray) -> NDArray:
        return np.minimum(np.minimum(epsilon, epsilon**2), self.d)


@public
@dataclass(frozen=True)
class Sparse:
    """The problem of a sparse mean in the cube ``[-1, 1]^d`` (Theorem 7, Proposition 4).

    Parameters
    ----------
    d
        Dimension, positive.
    s
        Largest number of entries that are not 0, positive.
    decay
        Constant in the exponent of the infinite-records rate, positive.
    """

    d: Any
    s: Any
    decay: float = 1.0

    def __post_init__(self) -> None:
        d, s, _ = _validate.positive_arrays(d=self.d, s=self.s, decay=self.decay)
        if np.any(s > d):
            raise ValueError(f"s must be at most d, got {self.s!r} and {self.d!r}")
        object.__setattr__(self, "d", d)
        object.__setattr__(self, "s", s)

    @property
    def trivial(self) -> NDArray:
        """Largest risk of the estimate 0."""
        return self.s

    @property
    def share(self) -> NDArray:
        """What divides the effective number of users in the exponent."""
        return self.s

    def item(self, records: NDArray, epsilon: NDArray) -> NDArray:
        """``s d / (N a)`` for N records: Section 2.2.2, from Acharya et al."""
        return self.s * self.d / effective_users(records, epsilon=epsilon)

    def finite(self, n: NDArray, size: NDArray, epsilon: NDArray) -> NDArray:
        """``min(s / T, s d / (n T a))``: the upper bound (36) without logarithms, and Table 5."""
        return np.minimum(self.s / size, self.item(n * size, epsilon))

    def log(self, n: NDArray, size: NDArray, epsilon: NDArray) -> NDArray:
        """``log(d n T a)``, squared where the second term of (36) is the smaller one."""
        users = effective_users(n, epsilon=epsilon)
        return _log(self.d * users * size) ** np.where(users > self.d, 2, 1)


@public
@dataclass(frozen=True)
class Density:
    """The problem of a Sobolev density on the unit interval (Theorem 9, Proposition 5).

    The loss is the integrated squared error.

    Parameters
    ----------
    smoothness
        Smoothness ``beta > 0``.
    """

    smoothness: Any

    def __post_init__(self) -> None:
        (beta,) = _validate.positive_arrays(smoothness=self.smoothness)
        object.__setattr__(self, "smoothness", beta)

    @property
    def trivial(self) -> NDArray:
        """Order of the risk of the uniform density as an estimate."""
        return np.ones_like(self.smoothness)

    def item(self, records: NDArray, epsilon: NDArray) -> NDArray:
        """``(N a)^(-2 beta / (2 beta + 2))`` for N records: Table 4, from Duchi et al."""
        beta = self.smoothness
        return effective_users(records, epsilon=epsilon) ** (-2 * beta / (2 * beta + 2))

    def finite(self, n: NDArray, size: NDArray, epsilon: NDArray) -> NDArray:
        """The same with all records of all users: the first term of Theorem 9."""
        return self.item(n * size, epsilon)

    def log(self, n: NDArray, size: NDArray, epsilon: NDArray) -> NDArray:
        """``log(n T a)``: the first term of Theorem 9."""
        return _log(effective_users(n * size, epsilon=epsilon))


@public
@dataclass(frozen=True)
class Mixture:
    """The problem of the means of the groups in a mixture of users (Theorem 10).

    Parameters
    ----------
    components
        Number k of groups, positive.
    decay
        Constant in the exponent of the rate that does not depend on the number of records, positive.
    """

    components: Any
    decay: float = 1.0

    def __post_init__(self) -> None:
        k, _ = _validate.positive_arrays(components=self.components, decay=self.decay)
        object.__setattr__(self, "components", k)

    @property
    def trivial(self) -> NDArray:
        """Largest risk of the estimate 0."""
        return self.components

    @property
    def share(self) -> NDArray:
        """What divides the effective number of users in the exponent."""
        return self.components**2

    def finite(self, n: NDArray, size: NDArray, epsilon: NDArray) -> NDArray:
        """``k^3 / (n T a)``: the first term of Theorem 10."""
        return self.components**3 / effective_users(n * size, epsilon=epsilon)

    def log(self, n: NDArray, size: NDArray, epsilon: NDArray) -> NDArray:
        """``log(n T a)^2``: Theorem 10."""
        return _log(effective_users(n * size, epsilon=epsilon)) ** 2


Problem = Mean | Sparse | Density | Mixture


@public
def item_level(problem: Problem, n: ArrayLike, size: ArrayLike, *, epsilon: ArrayLike) -> NDArray:
    """Rate of users with one record each, as many as there are records.

    Parameters
    ----------
    problem
        The problem; a mixture of users has no counterpart with one record each.
    n
        Number of users in the comparison with `user_level`, positive.
    size
        Number of their records; here there are `n` times `size` users.
    epsilon
        Local budget of each, positive.

    Returns
    -------
    float or ndarray
        The rate: eq. (15), Section 2.2.2 and Tables 1 to 4 of the paper, with its cap.
    """
    if isinstance(problem, Mixture):
        raise ValueError("problem must have an item-level rate, got a mixture")
    n, size, epsilon = _validate.positive_arrays(n=n, size=size, epsilon=epsilon)
    return np.minimum(problem.trivial, problem.item(n * size, epsilon))[()]


@public
def infinite(problem: Problem, n: ArrayLike, *, epsilon: ArrayLike, logs: bool = False) -> NDArray:
    """Rate of users with infinitely many records each.

    Parameters
    ----------
    problem
        The problem.
    n
        Number of users, positive.
    epsilon
        Local budget of each, positive.
    logs
        Whether to multiply by the logarithm of the upper bound, which only the density has.

    Returns
    -------
    float or ndarray
        ``exp(-c n a / s)``, with the problem's `decay` c and `share` s: eq. (13), (14), (17) and the second
        term of Theorem 10; for the density ``(n a)^(-2 beta)``: eq. (23), with ``log(n a)^(2 beta + 3)`` in
        Theorem 9. Capped.
    """
    return np.minimum(problem.trivial, _infinite(problem, n, epsilon, logs))[()]


def _infinite(problem: Problem, n: ArrayLike, epsilon: ArrayLike, logs: bool = False) -> NDArray:
    users = effective_users(n, epsilon=epsilon)
    if isinstance(problem, Density):
        beta = problem.smoothness
        return users ** (-2 * beta) * (_log(users) ** (2 * beta + 3) if logs else 1.0)
    return np.exp(-problem.decay * users / problem.share)


@public
def user_level(
    problem: Problem, n: ArrayLike, size: ArrayLike, *, epsilon: ArrayLike, logs: bool = False
) -> NDArray:
    """Rate of users with several records each.

    Parameters
    ----------
    problem
        The problem.
    n
        Number of users, positive.
    size
        Number of records of each, positive.
    epsilon
        Local budget of each user, positive.
    logs
        Whether to multiply by the logarithms of the upper bound.

    Returns
    -------
    float or ndarray
        The larger of the finite-records and the infinite-records rate: Theorems 6, 7, 9 and 10. Capped.

    Examples
    --------
    >>> user_level(Mean(8), 1000, [1, 100, 10**20], epsilon=0.5)
    array([2.56000000e-01, 2.56000000e-03, 2.68100387e-14])
    """
    n, size, epsilon = _validate.positive_arrays(n=n, size=size, epsilon=epsilon)
    rate = problem.finite(n, size, epsilon) * (problem.log(n, size, epsilon) if logs else 1.0)
    return np.minimum(problem.trivial, np.maximum(rate, _infinite(problem, n, epsilon, logs)))[()]


@public
def transition(problem: Problem, n: ArrayLike, *, epsilon: ArrayLike) -> NDArray:
    """Number of records beyond which more records do not lower the rate.

    Parameters
    ----------
    problem
        The problem.
    n
        Number of users, positive.
    epsilon
        Local budget of each, positive.

    Returns
    -------
    float or ndarray
        Where the two terms of `user_level` meet, with no factor dropped; infinite beyond 1e308.
        Table 5 of the paper is this without the factor in front of the exponential; for sparse means
        with ``n a > d`` it has ``exp(n a / d)`` in the place of ``exp(n a / s)``, which the book corrects.
    """
    n, epsilon = _validate.positive_arrays(n=n, epsilon=epsilon)
    users = effective_users(n, epsilon=epsilon)
    with np.errstate(over="ignore"):
        if isinstance(problem, Density):
            return (users ** (2 * problem.smoothness + 1))[()]
        one_record = problem.finite(n, np.ones_like(n), epsilon)
        return (one_record * np.exp(problem.decay * users / problem.share))[()]


@public
def horizon(
    problem: Problem, n: ArrayLike, size: ArrayLike, *, epsilon: ArrayLike, kappa: ArrayLike = 1.0
) -> NDArray:
    """Number ``T*`` of records per user that the paper's algorithm uses; it does not read the others.

    Parameters
    ----------
    problem
        The problem.
    n
        Number of users, positive.
    size
        Number of records of each, positive.
    epsilon
        Local budget of each user, positive.
    kappa
        The paper's constant K, for the density ``C_beta``; its proofs ask for at least `HORIZON_CONSTANT`
        in the univariate case. The paper's simulations use all records.

    Returns
    -------
    float or ndarray
        ``min(T, exp(n a / (K s)))``, with the problem's `share` s: (30), (31), (34), (37), (49); for the
        density ``min(T, T_0)`` of (45). At least 1.
    """
    n, size, epsilon, kappa = _validate.positive_arrays(n=n, size=size, epsilon=epsilon, kappa=kappa)
    users = effective_users(n, epsilon=epsilon)
    with np.errstate(over="ignore"):
        if isinstance(problem, Density):
            beta = problem.smoothness
            cap = users ** (2 * beta + 1) / (kappa * _log(users)) ** (2 * beta + 2)
        else:
            cap = np.exp(users / (kappa * problem.share))
    return np.minimum(size, np.maximum(cap, 1.0))[()]
