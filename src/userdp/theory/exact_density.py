"""Exact risk of the density estimate, and the error of a given one."""

import numpy as np
from numpy.typing import ArrayLike

from userdp import _validate
from userdp.local.density import coefficient_noise
from userdp.local.vector import split_budget
from userdp.populations.densities import BOUND, TrigonometricDensity, WrappedGammas

__all__ = ["integrated_squared_error", "density_risk", "printed_cutoff"]

Density = TrigonometricDensity | WrappedGammas


def integrated_squared_error(coefficients: ArrayLike, law: Density) -> float:
    """Integral of the squared difference of the estimated and the true density, by Parseval's identity."""
    coefficients = np.asarray(coefficients, dtype=float)
    known = law.coefficients(len(coefficients))
    return float(np.square(coefficients - known).sum() + law.tail(len(coefficients)))


def density_risk(
    law: Density, n: int, size: int, terms: int, *, epsilon: float, half_width: float | None = None
) -> float:
    """Expected integrated squared error if every vote finds the right bin and no mean is cut.

    Sum of the noise and of the records' own variance over the J - 1 estimated coefficients, and of the tail
    that they leave out; parameters as for `coefficient_noise`.
    """
    if terms == 1:
        return law.tail(1)
    count, _ = split_budget(terms - 1, epsilon=epsilon)
    theta = law.coefficients(2 * terms)
    j = np.arange(2, terms + 1)
    # squared basis functions are 1 +- the cosine of twice the frequency
    second = 1 + np.where(j % 2, -1, 1) * theta[4 * (j // 2) - 1] / BOUND
    records = (second - theta[j - 1] ** 2).sum() / (size * n * count / (2 * (terms - 1)))
    noise = (terms - 1) * coefficient_noise(
        n=n, size=size, terms=terms, epsilon=epsilon, half_width=half_width
    )
    return float(noise + records + law.tail(terms))


def printed_cutoff(n: int, size: int, *, epsilon: float, smoothness: float, constant: float) -> float:
    """The real number M of eq. (45), with its constant C_beta.

    ``M = (n epsilon^2 min(T, T0))^(1 / (2 beta + 2))``,
    ``T0 = (n epsilon^2)^(2 beta + 1) / (C_beta log(n epsilon^2))^(2 beta + 2)``. The proof asks for
    ``C_beta >= K (2 beta + 1)`` with ``K >= 8536``; M is then below 1 until n epsilon^2 exceeds 3e5.
    """
    _validate.integer(1, n=n, size=size)
    _validate.positive(epsilon=epsilon, smoothness=smoothness, constant=constant)
    information = _validate.exceeds_one("n * epsilon**2", n * epsilon**2)
    capped = information / (constant * np.log(information))
    return float(min((information * size) ** (1 / (2 * smoothness + 2)), capped))
