"""The exact risk of the density estimate, the number of coefficients that is best, and users to try it on."""

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
    """Integrated squared error of an estimated density, by Parseval's identity.

    Parameters
    ----------
    coefficients
        Estimated coefficients, from the constant on.
    law
        The true density, such as `TrigonometricDensity`.

    Returns
    -------
    float
    """
    coefficients = np.asarray(coefficients, dtype=float)
    known = law.coefficients(len(coefficients))
    return float(np.square(coefficients - known).sum() + law.tail(len(coefficients)))


@public
def density_risk(
    law: Density, n: int, size: int, terms: int, *, epsilon: float, half_width: float | None = None
) -> float:
    """Expected integrated squared error, if every vote finds the right bin and no mean is cut.

    It is the sum of the noise and of the records' own variance over the ``J - 1`` estimated coefficients, and
    of the tail that they leave out.

    Parameters
    ----------
    law
        The true density, such as `TrigonometricDensity`.
    n
        Number of users.
    size
        Records of each.
    terms
        Number J of coefficients, the constant included.
    epsilon
        Budget of a user.
    half_width
        Half-width of a bin; by default that of `localised_half_width`.

    Returns
    -------
    float
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
    """Number of coefficients as the paper sets it, a real number (Kent, eq. (45)).

    It is ``M = (n epsilon^2 min(T, T_0))^(1 / (2 beta + 2))`` with
    ``T_0 = (n epsilon^2)^(2 beta + 1) / (C_beta log(n epsilon^2))^(2 beta + 2)``. The proof asks for
    ``C_beta >= K (2 beta + 1)`` with ``K >= 8536``; for ``beta >= 1``, M is then below 1 until
    ``n epsilon^2`` exceeds 300,000.

    Parameters
    ----------
    n
        Number of users.
    size
        Number T of records of each.
    epsilon
        Budget of a user.
    smoothness
        The smoothness ``beta > 0``.
    constant
        The constant ``C_beta``.

    Returns
    -------
    float
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
    """Exact variance that the Laplace noise adds to one estimated coefficient, whatever bin is chosen.

    With J coefficients, the constant included, and half-width h it is ``288 (J - 1) h^2 / (n epsilon^2)`` for
    ``epsilon <= 1``. This is twice, for the rescaling, the variance of the mean of ``n / (2 (J - 1))``
    Laplace variables of scale ``6 h / epsilon``.

    Parameters
    ----------
    n
        Number of users, best a multiple of ``2 (J - 1)``.
    size
        Records of each.
    terms
        Number J of coefficients, at least 2.
    epsilon
        Budget of a user.
    half_width
        Half-width of a bin; by default that of `localised_half_width`.

    Returns
    -------
    float
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
    """Number of coefficients with the smallest bound on the risk, in the place of Kent's eq. (45).

    The printed M weighs the bias ``M^(-2 beta)`` against ``M^2 / (n T epsilon^2)`` without the factor of
    several thousand that the noise has. This function takes the odd J that minimises the bound
    ``r^2 (J + 1)^(-2 beta) + (J - 1) v``, with the `coefficient_noise` v, among those with enough users in
    each vote: ``J - 1 <= n z / (C_beta log(n z))`` with ``z = min(epsilon, epsilon^2)``. An odd J has both
    functions of each frequency; it is 1, the uniform density, if nothing else has a smaller bound. At most
    ``2 (J - 1) - 1`` users are left over when the others are divided equally.

    Parameters
    ----------
    n
        Number of users.
    size
        Records of each.
    epsilon
        Budget of a user.
    smoothness
        The smoothness ``beta > 0`` of the Sobolev class.
    radius
        Its radius r, in which the constant does not count.
    constant
        The constant ``C_beta``; that of the paper's proof is of the order of ten thousand. With the default
        an evenly split vote and a vote for an empty bin are about ``log(n z)^(1/2)`` standard deviations of
        their difference apart.

    Returns
    -------
    int
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
    """Draw each user's means of the basis functions over its records.

    Parameters
    ----------
    law
        Density of the records, such as `TrigonometricDensity`.
    n
        Number of users.
    size
        Records of each.
    terms
        Number of basis functions.
    epsilon
        If it is given, only the coefficients are computed for which `density_coefficients` asks a user of
        this budget, for a budget below 2 a single one; all others are NaN.
    rng
        Source of the randomness.

    Returns
    -------
    ndarray, shape (n, terms)
        One row per user; the first column is 1.
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
