"""Upper and lower bounds on the risk, with equation numbers.

Risks are mean squared errors for theta in [-1, 1]; n users, epsilon the local budget of each.
"""

import numpy as np
from numpy.typing import NDArray

from userdp._public import public
from userdp.local.unequal import dame_half_width, dame_log
from userdp.sizes import FiniteSizes, SizeLaw
from userdp_papers.theory.rates.dame import FORMS, PRINTED, DameConstants, Form, check_setting, dame_size_cap


@public
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
    >>> from userdp.sizes import two_point_sizes
    >>> law, setting = two_point_sizes(1, 400, 0.4), {"n": 10**6, "epsilon": 0.5}
    >>> f"{dame_lower(law, **setting):.1e} {dame_upper(law, **setting):.1e}"
    '4.2e-13 1.0e-03'
    """
    check_setting(n, epsilon)
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


@public
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
    check_setting(n, epsilon, form)
    constants = constants or FORMS[form]
    if size_cap is None:
        size_cap = dame_size_cap(size_law, n=n, epsilon=epsilon, form=form, constants=constants)
    log = dame_log(size_cap=size_cap, n=n, epsilon=epsilon, c4=constants.c4)
    bound = constants.c3 * log / (n * epsilon**2 * size_law.mean_root(size_cap) ** 2)
    return float(min(bound, constants.trivial))


@public
def dame_noise_risk(size_law: SizeLaw, *, n: int, epsilon: float, size_cap: int) -> float:
    """Variance of DAME's estimate that is due to the Laplace noise alone: exact, given the chosen bin.

    With n/2 reports of noise scale 14 tau / epsilon and the debiasing factor of eq. (9) it is
    ``1568 L / (n epsilon^2 (E sqrt(min(m, m~)))^2)``.
    """
    tau = dame_half_width(size_cap=size_cap, n=n, epsilon=epsilon)
    scale = 14 * tau / epsilon
    return float(size_cap / size_law.mean_root(size_cap) ** 2 * 2 * scale**2 / (n // 2))


@public
def laplace_mean_risk(variance: float, *, n: int, epsilon: float) -> float:
    """Risk of `laplace_mean` for user means of the given average variance: exact."""
    check_setting(n, epsilon)
    return (variance + 8 / epsilon**2) / n


@public
def duchi_mean_risk(theta: float, *, n: int, epsilon: float) -> float:
    """Risk of `duchi_mean` at mean theta: exact, and free of the law of the user means."""
    check_setting(n, epsilon)
    # 1 / tanh(epsilon / 2)**2 - theta**2 without cancellation
    return (4 * np.exp(-epsilon) / np.expm1(-epsilon) ** 2 + (1 - theta) * (1 + theta)) / n
