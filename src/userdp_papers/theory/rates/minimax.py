"""Minimax rates under user-level local privacy, and where their phase changes (Kent, Berrett and Yu).

A problem is one frozen value (`Mean`, `Sparse`, `Density`, `Mixture`); the functions take it and
give the rate of n users with one record times `size` (`item_level`), of n users with `size` records each
(`user_level`), of users with infinitely many records (`infinite`), the number of records at which the
rate stops falling (`transition`) and the number that the paper's algorithm uses (`horizon`).

These are rates, not bounds: constant factors are 1, the constant in an exponent is the problem's `decay`,
and logarithms are left out unless ``logs=True`` asks for those of the upper bound.
A rate is capped at the risk of the best constant estimate, `trivial`: it is never worse than that of a
constant. All parameters may be numbers or arrays that broadcast.

The paper states the sparse, density and mixture rates for epsilon of order at most 1, with epsilon squared;
here ``min(epsilon, epsilon**2)`` stands everywhere, which is the same there.
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
    """Return ``n min(epsilon, epsilon**2)``, what n private users are worth; an array if one of them is."""
    n, epsilon = _validate.positive_arrays(n=n, epsilon=epsilon)
    return n * np.minimum(epsilon, epsilon**2)


@public
@dataclass(frozen=True)
class Mean:
    """The mean of records in a d-dimensional ball, squared Euclidean loss: Theorem 6, Proposition 3.

    Parameters
    ----------
    d
        Dimension, positive; 1 is the univariate mean.
    ball
        Where the records lie: [-1, 1]^d, part (i), or the Euclidean unit ball, part (ii).
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
        """What divides the users in the exponent: n a / share."""
        return self.d

    def item(self, records: NDArray, epsilon: NDArray) -> NDArray:
        """``d^2 / (records z)``, in the l2 ball d: eq. (15), and as in (24) above epsilon 1."""
        return self.d ** (2 if self.ball == "cube" else 1) / (records * self._z(epsilon))

    def finite(self, n: NDArray, size: NDArray, epsilon: NDArray) -> NDArray:
        """Same with n size records: the first term of (24)."""
        return self.item(n * size, epsilon)

    def log(self, n: NDArray, size: NDArray, epsilon: NDArray) -> NDArray:
        """``log(n T z / d)``, in the l2 ball ``log(n T z)^2``: Theorem 6."""
        records = n * size * self._z(epsilon)
        return _log(records / self.d) if self.ball == "cube" else _log(records) ** 2

    def _z(self, epsilon: NDArray) -> NDArray:
        return np.minimum(np.minimum(epsilon, epsilon**2), self.d)


@public
@dataclass(frozen=True)
class Sparse:
    """A mean in [-1, 1]^d with at most s entries that are not 0: Theorem 7, Proposition 4.

    Parameters
    ----------
    d, s
        Dimension and sparsity, positive.
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
        """What divides the users in the exponent: n a / share."""
        return self.s

    def item(self, records: NDArray, epsilon: NDArray) -> NDArray:
        """``s d / (records a)``: Section 2.2.2, from Acharya et al."""
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
    """A Sobolev density on [0, 1], squared L2 loss: Theorem 9, Proposition 5.

    Parameters
    ----------
    smoothness
        Smoothness beta, positive.
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
        """``(records a)^(-2 beta / (2 beta + 2))``: Table 4, from Duchi et al."""
        beta = self.smoothness
        return effective_users(records, epsilon=epsilon) ** (-2 * beta / (2 * beta + 2))

    def finite(self, n: NDArray, size: NDArray, epsilon: NDArray) -> NDArray:
        """Same with n size records: the first term of Theorem 9."""
        return self.item(n * size, epsilon)

    def log(self, n: NDArray, size: NDArray, epsilon: NDArray) -> NDArray:
        """``log(n T a)``: the first term of Theorem 9."""
        return _log(effective_users(n * size, epsilon=epsilon))


@public
@dataclass(frozen=True)
class Mixture:
    """The means of the k components of a mixture of users: Theorem 10.

    Parameters
    ----------
    components
        Number of components k, positive.
    decay
        Constant in the exponent of the T-independent rate, positive.
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
        """What divides the users in the exponent: n a / share."""
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
    """Rate with ``n size`` users of one record each.

    Parameters
    ----------
    problem
        The problem; a mixture of users has no counterpart with one record each.
    n, size
        Numbers whose product is the number of users, positive.
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
    """Rate of n users with infinitely many records each.

    Parameters
    ----------
    problem
        The problem.
    n, epsilon
        Number of users and local budget of each, positive.
    logs
        Whether to multiply by the logarithm of the upper bound, which only the density has.

    Returns
    -------
    float or ndarray
        ``exp(-decay n a / share)``: eq. (13), (14), (17) and the second term of Theorem 10; for the
        density ``(n a)^(-2 beta)``: eq. (23), with ``log(n a)^(2 beta + 3)`` in Theorem 9. Capped.
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
    """Rate of n users with `size` records each.

    Parameters
    ----------
    problem
        The problem.
    n, size
        Number of users and of records of each, positive.
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
    """Number of records at which more records stop lowering the rate.

    Parameters
    ----------
    problem
        The problem.
    n, epsilon
        Number of users and local budget of each, positive.

    Returns
    -------
    float or ndarray
        Where the two terms of `user_level` meet, with no factor dropped; infinite beyond 1e308.
        Table 5 of the paper is this without the factor in front of the exponential; for sparse means
        with n a above d it prints ``exp(n a / d)`` for ``exp(n a / s)``, which the book corrects.
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
    """Number of records that the paper's algorithm uses, T*: the rest is not read.

    Parameters
    ----------
    problem
        The problem.
    n, size
        Number of users and of records of each, positive.
    epsilon
        Local budget of each user, positive.
    kappa
        The paper's constant K (C_beta for the density); its proofs ask for at least `HORIZON_CONSTANT`
        in the univariate case. The paper's simulations use all records.

    Returns
    -------
    float or ndarray
        ``min(T, exp(n a / (kappa share)))``: (30), (31), (34), (37), (49); for the density
        ``min(T, T_0)`` of (45). At least 1.
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
