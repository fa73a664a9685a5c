"""Upper and lower bounds on the risk, with equation numbers.

Risks are mean squared errors for theta in [-1, 1]; n users, epsilon the local budget of each.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import exp
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from userdp import _validate
from userdp.local.unequal import dame_half_width, dame_log
from userdp.populations.sizes import FiniteSizes, SizeLaw

__all__ = [
    "DameConstants",
    "PRINTED",
    "CORRECTED",
    "UNIT",
    "dame_lower",
    "dame_phi",
    "dame_size_cap",
    "dame_upper",
    "dame_noise_risk",
    "laplace_mean_risk",
    "duchi_mean_risk",
]


@dataclass(frozen=True)
class DameConstants:
    """The constants c1 .. c5 of DAME's Theorems 1 and 2, and the trivial bound of Theorem 2.

    Parameters
    ----------
    c1, c2
        Factor and exponent of the lower bound (10).
    c3
        Factor of the upper bound (11).
    c4, c5
        Inner and outer constant of phi, the cost of a vote.
    trivial
        The bound that holds without any data.
    """

    c1: float = exp(-9) / 16
    c2: float = 24.0
    c3: float = 1570.0
    c4: float = 8.0
    c5: float = 868.5
    trivial: float = 4.0


PRINTED = DameConstants()
# c3: our proof of Theorem 2 with Var(Laplace(b)) = 2 b^2; the estimate 0 has risk at most 1
CORRECTED = replace(PRINTED, c3=1646.0, trivial=1.0)
UNIT = DameConstants(c1=1.0, c2=1.0, c3=1.0, c4=8.0, c5=1.0, trivial=1.0)
FORMS = {"printed": PRINTED, "corrected": CORRECTED}
Form = Literal["printed", "corrected"]


def _check(n: int, epsilon: float, form: str = "corrected") -> None:
    _validate.integer(2, n=n)
    _validate.positive(epsilon=epsilon)
    _validate.one_of(FORMS, form=form)


def dame_lower(size_law: SizeLaw, *, n: int, epsilon: float, constants: DameConstants = PRINTED) -> float:
    """Lower bound on the risk of every local estimator (DAME, Theorem 1, eq. (10)).

    Parameters
    ----------
    size_law
        Law of the number of records.
    n
        Number of users.
    epsilon
        Local budget; the theorem asks for at most 22/35 (H3).
    constants
        Constants; the printed c1 and c2 are right.

    Returns
    -------
    float
        The largest bound over the threshold a = 0, 1, ..., largest size; for a power law over a geometric
        grid of thresholds, each of which gives a valid bound.

    Examples
    --------
    >>> from userdp.populations import two_point_sizes
    >>> law, setting = two_point_sizes(1, 400, 0.4), {"n": 10**6, "epsilon": 0.5}
    >>> f"{dame_lower(law, **setting):.1e} {dame_upper(law, **setting):.1e}"
    '4.2e-13 1.0e-03'
    """
    _check(n, epsilon)
    a = _thresholds(size_law)
    above = size_law.survival(a + 1)
    strength = n * epsilon**2
    denominators = np.maximum(strength * size_law.small_root(a) ** 2, 1)
    return float(np.max(constants.c1 * np.exp(-constants.c2 * strength * above**2) / denominators))


MOST_THRESHOLDS = 1000


def _thresholds(size_law: SizeLaw) -> NDArray[np.int64]:
    """Every size that can carry the maximum; a geometric grid where there are too many to try."""
    if isinstance(size_law, FiniteSizes):
        return np.append(0, size_law.values)
    grid = np.geomspace(size_law.smallest, size_law.largest, MOST_THRESHOLDS)
    return np.append(0, np.unique(grid.astype(np.int64)))


def dame_phi(a: ArrayLike, *, n: int, epsilon: float, constants: DameConstants = CORRECTED) -> NDArray:
    """phi(a), the squared share of voters that a size cap `a` needs (DAME, Theorem 2, as in its proof)."""
    _validate.positive(n=n, epsilon=epsilon)
    x = constants.c4 * np.maximum(np.asarray(a, float) * n * epsilon**2, 1.0)
    return constants.c5 / (n * epsilon**2) * np.log(x / np.log(x))


def dame_size_cap(
    size_law: SizeLaw,
    *,
    n: int,
    epsilon: float,
    form: Form = "corrected",
    constants: DameConstants | None = None,
) -> int:
    """Effective maximum size m~ (DAME, eq. (12)).

    The printed form is the largest a with ``P(m >= a)**2 >= min(phi(a), 1)``; the corrected form, the
    only one that the proof of Theorem 2 supports, leaves out the minimum and falls back to 1.

    Parameters as for `dame_upper`; the constants are by default those of `form`.
    """
    _check(n, epsilon, form)
    phi = partial(dame_phi, n=n, epsilon=epsilon, constants=constants or FORMS[form])

    def enough_voters(a: int) -> bool:
        # P(m >= a) = 1 for a at most the smallest size only, whatever rounding says
        certain = form == "printed" and a <= size_law.smallest
        return certain or size_law.survival(a) ** 2 >= phi(a)

    return _last(enough_voters, size_law.largest)


def _last(condition: Callable[[int], bool], highest: int) -> int:
    """Largest a in 1 .. highest with `condition`, which once false stays false; 1 if there is none."""
    low, high = 1, int(highest) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if condition(middle) else (low, middle)
    return low


def dame_upper(
    size_law: SizeLaw,
    *,
    n: int,
    epsilon: float,
    form: Form = "corrected",
    constants: DameConstants | None = None,
    size_cap: int | None = None,
) -> float:
    """Upper bound on the minimax risk (DAME, Theorem 2, eq. (11)).

    Parameters
    ----------
    size_law
        Law of the number of records.
    n
        Number of users.
    epsilon
        Local budget; the theorem asks for at most 22/35 (H3).
    form
        The printed form is false as a theorem (its size cap is too large, its constant unproved); the
        corrected one is proved in the book.
    constants
        Constants; by default those of `form`.
    size_cap
        The size cap; by default that of `form`.

    Returns
    -------
    float
        The bound, at most the trivial one of the constants.
    """
    _check(n, epsilon, form)
    constants = constants or FORMS[form]
    if size_cap is None:
        size_cap = dame_size_cap(size_law, n=n, epsilon=epsilon, form=form, constants=constants)
    log = dame_log(size_cap=size_cap, n=n, epsilon=epsilon, c4=constants.c4)
    bound = constants.c3 * log / (n * epsilon**2 * size_law.mean_root(size_cap) ** 2)
    return float(min(bound, constants.trivial))


def dame_noise_risk(size_law: SizeLaw, *, n: int, epsilon: float, size_cap: int) -> float:
    """Variance of DAME's estimate that is due to the Laplace noise alone: exact, given the chosen bin.

    With n/2 reports of noise scale 14 tau / epsilon and the debiasing factor of eq. (9) it is
    ``1568 L / (n epsilon^2 (E sqrt(min(m, m~)))^2)``.
    """
    tau = dame_half_width(size_cap=size_cap, n=n, epsilon=epsilon)
    scale = 14 * tau / epsilon
    return float(size_cap / size_law.mean_root(size_cap) ** 2 * 2 * scale**2 / (n // 2))


def laplace_mean_risk(variance: float, *, n: int, epsilon: float) -> float:
    """Risk of `laplace_mean` for user means of the given average variance: exact."""
    _check(n, epsilon)
    return (variance + 8 / epsilon**2) / n


def duchi_mean_risk(theta: float, *, n: int, epsilon: float) -> float:
    """Risk of `duchi_mean` at mean theta: exact, and free of the law of the user means."""
    _check(n, epsilon)
    # 1 / tanh(epsilon / 2)**2 - theta**2 without cancellation
    return (4 * np.exp(-epsilon) / np.expm1(-epsilon) ** 2 + (1 - theta) * (1 + theta)) / n
