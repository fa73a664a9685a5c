"""The density estimate from outside: users to try it on, how many coefficients help, and its exact risk."""

import math

import numpy as np

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, NDArray, Rng
from userdp.local.density import BOUND
from userdp.local.mean import KENT_GENERAL_MARGIN, KENT_MARGIN, localised_half_width
from userdp.local.vector import split_budget, split_users
from userdp_papers.populations.densities import BLOCK, TrigonometricDensity, WrappedGammas, basis_function

Density = TrigonometricDensity | WrappedGammas


@public
def integrated_squared_error(coefficients: ArrayLike, law: Density) -> float:
    """Integral of the squared difference of the estimated and the true density, by Parseval's identity."""
    coefficients = np.asarray(coefficients, dtype=float)
    known = law.coefficients(len(coefficients))
    return float(np.square(coefficients - known).sum() + law.tail(len(coefficients)))


@public
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


@public
def printed_cutoff(n: int, size: int, *, epsilon: float, smoothness: float, constant: float) -> float:
    """The real number M of eq. (45), with its constant ``C_beta``.

    ``M = (n epsilon^2 min(T, T0))^(1 / (2 beta + 2))``,
    ``T0 = (n epsilon^2)^(2 beta + 1) / (C_beta log(n epsilon^2))^(2 beta + 2)``. The proof asks for
    ``C_beta >= K (2 beta + 1)`` with ``K >= 8536``; M is then below 1 until ``n epsilon^2`` exceeds 3e5.
    """
    _validate.integer(1, n=n, size=size)
    _validate.positive(epsilon=epsilon, smoothness=smoothness, constant=constant)
    information = _validate.exceeds_one("n * epsilon**2", n * epsilon**2)
    capped = information / (constant * np.log(information))
    return float(min((information * size) ** (1 / (2 * smoothness + 2)), capped))


# C_beta of eq. (45) when only half of a fold's votes may go to the right bin; see `density_cutoff`
VOTE_CONSTANT = 64.0


@public
def coefficient_noise(
    *, n: int, size: int, terms: int, epsilon: float, half_width: float | None = None
) -> float:
    """Variance that the Laplace noise adds to one estimated coefficient: exact, whatever bin is chosen.

    For J = `terms` at least 2 coefficients, the constant included, and n users, best a multiple of 2 (J - 1),
    it is ``288 (J - 1) half_width^2 / (n epsilon^2)`` for ``epsilon <= 1``: twice, for the rescaling, the
    variance of the mean of n / (2 (J - 1)) Laplace variables of scale 6 half_width / epsilon.
    """
    _validate.integer(2, n=n, terms=terms)
    count, budget = split_budget(terms - 1, epsilon=epsilon)
    users = float(n) * count / (terms - 1)
    if half_width is None:
        half_width = localised_half_width(n=int(users), size=size, epsilon=budget)
    _validate.positive_arrays(half_width=half_width)
    domain = 2 * (1 + (KENT_GENERAL_MARGIN if budget > 1 else KENT_MARGIN)) * half_width
    return BOUND**2 * 2 * (domain / budget) ** 2 / (users / 2)


@public
def density_cutoff(
    *,
    n: int,
    size: int,
    epsilon: float,
    smoothness: float,
    radius: float = 1.0,
    constant: float = VOTE_CONSTANT,
) -> int:
    """Number J of coefficients for n users of `size` records: eq. (45) as an integer, its constants counted.

    The printed M weighs the bias ``M^(-2 beta)`` against ``M^2 / (n T epsilon^2)`` without the factor of
    several thousand that the noise has. This function takes the odd J that minimises the bound
    ``radius^2 (J + 1)^(-2 beta) + (J - 1) coefficient_noise`` among those whose folds are large enough to
    vote: ``J - 1 <= n z / (constant log(n z))``, ``z = min(epsilon, epsilon^2)``. J is odd so that a
    frequency has both of its functions, and 1, the uniform density, if nothing else pays; at most
    ``2 (J - 1) - 1`` users are beyond equal folds.

    Parameters
    ----------
    smoothness, radius
        beta and r of the Sobolev class (with a_1 = 0).
    constant
        C_beta; the proof's is of the order 1e4. With the default an evenly split vote and a vote for an empty
        bin are about ``log(n z)^(1/2)`` standard deviations of their difference apart.
    """
    _validate.integer(1, size=size)
    _validate.integer(1, 10**15, n=n)
    _validate.positive(epsilon=epsilon, smoothness=smoothness, radius=radius, constant=constant)
    information = n * min(epsilon, epsilon**2)
    most = information / (constant * np.log(max(information, math.e)))
    best, least = 1, radius**2 * 2.0 ** (-2 * smoothness)
    for terms in range(3, int(most) + 2, 2):
        noise = (terms - 1) * coefficient_noise(n=n, size=size, terms=terms, epsilon=epsilon)
        bound = noise + radius**2 * (terms + 1.0) ** (-2 * smoothness)
        if noise > least and terms > epsilon:  # beyond this it only grows
            break
        best, least = (terms, bound) if bound < least else (best, least)
    return best


@public
def draw_user_coefficients(
    law: Density, *, n: int, size: int, terms: int, epsilon: float | None = None, rng: Rng
) -> NDArray:
    """Draw the means of the first `terms` basis functions over each user's records, shape (n, terms).

    The first column is 1. With a budget `epsilon` only the coefficients that `density_coefficients` asks a
    user of this budget for are computed (one of J - 1 for a budget below 2) and all others are NaN.
    """
    _validate.integer(1, n=n, terms=terms)
    _validate.integer(1, 10**8, size=size)
    terms = int(terms)  # one more than the most of a small type is 0
    means = np.full((n, terms), np.nan)
    means[:, 0] = 1.0
    if terms == 1:
        return means
    groups: list = [(np.arange(n), range(2, terms + 1))]
    if epsilon is not None:
        d, (count, _) = terms - 1, split_budget(terms - 1, epsilon=epsilon)
        groups = [
            (np.concatenate(fold), [2 + (j - k) % d for k in range(count)])
            for j, fold in enumerate(split_users(n, d))
        ]
    at_once = max(1, BLOCK // size)
    for users, functions in groups:
        for block in np.split(users, range(at_once, len(users), at_once)):
            records = law.draw((len(block), size), rng)
            for j in functions:
                means[block, j - 1] = basis_function(records, j).mean(axis=1)
    return means
