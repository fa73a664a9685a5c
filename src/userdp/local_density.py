"""Densities on [0, 1] under user-level local differential privacy (Kent, Berrett and Yu, section 5).

A density is estimated through its first J coefficients in the trigonometric basis, each the mean of a
bounded function of a record, so that `userdp.local_vector` does the private work. The first coefficient
of every density is 1 and needs no user. Coefficients are arrays in the order of the basis: the constant,
then cosine and sine of each frequency.
"""

from dataclasses import dataclass

import numpy as np

from userdp import _validate
from userdp.guarantee import Guarantee
from userdp.local_mean import KENT_GENERAL_MARGIN, KENT_MARGIN, localised_width
from userdp.local_vector import folds, localised_vector_mean, shares
from userdp.results import CoefficientEstimate

BOUND = np.sqrt(2)  # sup of a basis function; dividing by it brings user coefficients to [-1, 1]
# C_beta of eq. (45) when only half of a fold's votes may go to the right bin; see `density_cutoff`
VOTE_CONSTANT = 64.0
TAIL_TERMS = 100_000  # frequencies summed for the squared norm of a tail
BLOCK = 1 << 17  # records drawn at a time


def basis_function(x, j):
    """The `j`-th function of the trigonometric basis at `x`, j >= 1 (eq. (18)).

    ``phi_1 = 1``, ``phi_2k = sqrt(2) cos(2 pi k x)``, ``phi_2k+1 = sqrt(2) sin(2 pi k x)``.
    """
    _validate.integer(1, j=j)
    x = np.asarray(x, dtype=float)
    if j == 1:
        return np.ones_like(x)
    wave = np.sin if j % 2 else np.cos
    return BOUND * wave(2 * np.pi * (j // 2) * x)


def basis(x, terms):
    """The first `terms` basis functions at `x`, along a new last axis of length `terms`."""
    return np.stack([basis_function(x, j) for j in range(1, terms + 1)], axis=-1)


def evaluate(coefficients, x):
    """Value at `x` of the function with the given coefficients, shape of `x` (eq. (46))."""
    return basis(x, len(coefficients)) @ np.asarray(coefficients, dtype=float)


def sobolev_weights(terms, smoothness):
    """Weights a_j of the Sobolev ellipsoid ``sum a_j^2 theta_j^2 <= r^2``, shape (terms,).

    ``a_1 = 0`` and ``a_2k = a_2k+1 = (2 k)^smoothness``, so that the sum is the squared norm of the
    derivative of that order over ``pi^(2 smoothness)``. The printed weights ``j^smoothness`` (eq. (19)) also
    count the constant and leave a class with radius 1 nothing but the uniform density.
    """
    return (2.0 * (np.arange(1, terms + 1) // 2)) ** smoothness


# --- densities with known coefficients and exact sampling ------------------------------------------


@dataclass(frozen=True)
class TrigonometricDensity:
    """The density ``1 + sum_j coefficients[j] phi_{j+2}``, a trigonometric polynomial.

    Parameters
    ----------
    later : tuple of float
        Coefficients theta_2, theta_3, ..., up to a sine. The amplitudes
        ``sqrt(2) hypot(theta_2k, theta_2k+1)`` must add up to less than 1, which makes it positive.

    Raises
    ------
    ValueError
        If they do not.
    """

    later: tuple[float, ...]

    def __post_init__(self):
        if len(self.later) % 2 or not self._swing < 1:
            raise ValueError(
                f"later must hold pairs whose amplitudes add up to less than 1, got {self.later!r}"
            )

    @property
    def _swing(self):
        return float(BOUND * np.hypot(self.later[::2], self.later[1::2]).sum())

    def coefficients(self, terms):
        """The first `terms` coefficients, shape (terms,)."""
        known = np.array([1.0, *self.later])[:terms]
        return np.pad(known, (0, terms - len(known)))

    def tail(self, terms):
        """Squared norm of all coefficients after the first `terms`."""
        return float(np.square(self.coefficients(len(self.later) + 1)[terms:]).sum())

    def draw(self, shape, rng):
        """Draw records, array of `shape`. Output law: exactly the density, by rejection from the uniform."""
        count, records = int(np.prod(shape)), np.empty(0)
        coefficients = self.coefficients(len(self.later) + 1)
        while len(records) < count:
            x = rng.random(min(2 * (count - len(records)) + 16, BLOCK))
            kept = rng.random(len(x)) * (1 + self._swing) < evaluate(coefficients, x)
            records = np.append(records, x[kept])
        return records[:count].reshape(shape)


@dataclass(frozen=True)
class WrappedGammas:
    """Fractional part of ``centre + scale (G - G')`` with independent Gamma variables of one shape.

    The coefficients of a wrapped law are its characteristic function at the whole frequencies: here
    ``(1 + (2 pi k scale)^2)^(-shape)`` times sqrt(2) and the cosine or sine of ``2 pi k centre``. The
    density is positive; it lies in a Sobolev class of smoothness beta if and only if
    ``beta < 2 shape - 1/2``. Shape 1 is the wrapped Laplace law.

    Parameters
    ----------
    shape : float
        Shape of both Gamma variables, above 1/4 (a square-integrable density).
    scale : float
        Their scale, positive; the larger, the flatter.
    centre : float
        Where the density peaks, in [0, 1].
    """

    shape: float
    scale: float
    centre: float = 0.5

    def __post_init__(self):
        _validate.positive(scale=self.scale)
        _validate.in_range(0, 1, centre=self.centre)
        _validate.in_range(0.26, np.finfo(float).max, shape=self.shape)

    def _modulus(self, k):
        return BOUND * (1 + (2 * np.pi * k * self.scale) ** 2) ** -self.shape

    def coefficients(self, terms):
        """The first `terms` coefficients, shape (terms,)."""
        k = np.arange(1, terms + 1) // 2
        phase = 2 * np.pi * k * self.centre
        wave = np.where(np.arange(terms) % 2, np.cos(phase), np.sin(phase))
        return np.where(k == 0, 1.0, self._modulus(k) * wave)

    def tail(self, terms):
        """Squared norm of all coefficients after the first `terms`; frequencies up to `TAIL_TERMS`."""
        k = np.arange(terms // 2 + 1, TAIL_TERMS)
        lone = 0.0 if terms % 2 else self.coefficients(terms + 1)[-1] ** 2  # the sine of a cut pair
        return float(lone + np.square(self._modulus(k)).sum())

    def draw(self, shape, rng):
        """Draw records, array of `shape`. Output law: exactly the density, up to rounding."""
        if self.shape == 1:  # the difference of two exponentials, drawn in one
            difference = rng.laplace(size=shape)
        else:
            difference = rng.standard_gamma(self.shape, shape) - rng.standard_gamma(self.shape, shape)
        return (self.centre + self.scale * difference) % 1.0


def draw_user_coefficients(law, n, size, terms, rng, *, epsilon=None):
    """Draw the means of the first `terms` basis functions over each user's records.

    Parameters
    ----------
    law : TrigonometricDensity or WrappedGammas
        Law of a record.
    n, size : int
        Number of users and records each holds.
    terms : int
        Number J of coefficients.
    rng : numpy.random.Generator
        Source of the records.
    epsilon : float, optional
        If given, only the coefficients that `density_coefficients` asks a user of this budget for are
        computed (one of J - 1 for a budget below 2) and all others are NaN.

    Returns
    -------
    ndarray, shape (n, terms)
        Means of ``phi_j(X)``; the first column is 1.
    """
    _validate.integer(1, n=n, size=size, terms=terms)
    means = np.full((n, terms), np.nan)
    means[:, 0] = 1.0
    if terms == 1:
        return means
    if epsilon is None:
        groups = [(np.arange(n), range(2, terms + 1))]
    else:
        d, (count, _) = terms - 1, shares(terms - 1, epsilon=epsilon)
        groups = [
            (np.concatenate(fold), [2 + (j - k) % d for k in range(count)])
            for j, fold in enumerate(folds(n, d))
        ]
    at_once = max(1, BLOCK // size)
    for users, functions in groups:
        for block in np.split(users, range(at_once, len(users), at_once)):
            records = law.draw((len(block), size), rng)
            for j in functions:
                means[block, j - 1] = basis_function(records, j).mean(axis=1)
    return means


# --- the estimator -----------------------------------------------------------------------------------


def density_coefficients(
    user_coefficients,
    size,
    *,
    epsilon,
    rng,
    width=None,
    general=None,
    printed=False,
    every_report=False,
):
    """Estimate the first J coefficients of the users' common density (Kent, Algorithm 8).

    Output law: 1 for the constant; the others are sqrt(2) times
    `userdp.local_vector.localised_vector_mean` of the users' coefficients over sqrt(2).

    Parameters
    ----------
    user_coefficients : array_like, shape (n, J)
        Means of the basis functions over each user's records, in [-sqrt(2), sqrt(2)]; projected to it.
        The first column is not looked at.
    size : int
        Records each user holds; it only sets the default width.
    epsilon : float
        Local budget of each user, positive; neighbours replace one user's whole data.
    rng : numpy.random.Generator
        Source of the randomness.
    width : float, optional
        Half-width of a bin on the scale [-1, 1]; by default `userdp.local_mean.localised_width` of a fold.
    general : bool, optional
        As for `userdp.local_vector.localised_vector_mean`.
    printed : bool
        Algorithm 8 to the letter: the coefficients are handed on without rescaling, as if they were in
        [-1, 1] (here they are projected to it), and the constant gets a fold of users of its own.
    every_report : bool
        Draw every user's report instead of the exact laws of their sums.

    Returns
    -------
    CoefficientEstimate
        Estimate with the guarantee composed over one user's whole transcript; 0 if J is 1.

    Raises
    ------
    ValueError
        If a public parameter is out of range, `user_coefficients` is not two-dimensional or a fold would
        be empty.
    """
    means = np.asarray(user_coefficients, dtype=float)
    if means.ndim != 2 or means.shape[1] < 1:
        raise ValueError(
            f"user_coefficients must have shape (n, J) with J at least 1, got shape {means.shape}"
        )
    scale, known = (1.0, 0) if printed else (BOUND, 1)
    _validate.positive(epsilon=epsilon)
    if means.shape[1] == known:
        return CoefficientEstimate(np.ones(1), (), Guarantee(0.0))
    estimate = localised_vector_mean(
        means[:, known:] / scale,
        size,
        epsilon=epsilon,
        rng=rng,
        width=width,
        general=general,
        every_report=every_report,
    )
    value = np.append(np.ones(known), scale * estimate.value)
    return CoefficientEstimate(value, estimate.coordinates, estimate.guarantee)


def integrated_squared_error(coefficients, law):
    """Integral of the squared difference of the estimated and the true density, by Parseval's identity."""
    coefficients = np.asarray(coefficients, dtype=float)
    known = law.coefficients(len(coefficients))
    return float(np.square(coefficients - known).sum() + law.tail(len(coefficients)))


# --- how many coefficients ---------------------------------------------------------------------------


def coefficient_noise(n, size, terms, *, epsilon, width=None):
    """Variance that the Laplace noise adds to one estimated coefficient: exact, whatever bin is chosen.

    Parameters
    ----------
    n, size : int
        Number of users and records each holds.
    terms : int
        Number J >= 2 of coefficients, the constant included; n should be a multiple of 2 (J - 1).
    epsilon : float
        Local budget of each user.
    width : float, optional
        Half-width of a bin; the default of `density_coefficients` if not given.

    Returns
    -------
    float
        ``288 (J - 1) width^2 / (n epsilon^2)`` for epsilon <= 1: twice, for the rescaling, the variance of
        the mean of n / (2 (J - 1)) Laplace variables of scale 6 width / epsilon.
    """
    _validate.integer(2, terms=terms)
    count, budget = shares(terms - 1, epsilon=epsilon)
    users = n * count / (terms - 1)
    if width is None:
        width = localised_width(int(users), size, epsilon=budget)
    reach = 2 * (1 + (KENT_GENERAL_MARGIN if budget > 1 else KENT_MARGIN)) * width
    return BOUND**2 * 2 * (reach / budget) ** 2 / (users / 2)


def density_risk(law, n, size, terms, *, epsilon, width=None):
    """Expected integrated squared error if every vote finds the right bin and no mean is cut.

    Sum of the noise and of the records' own variance over the J - 1 estimated coefficients, and of the tail
    that they leave out; parameters as for `coefficient_noise`.
    """
    if terms == 1:
        return law.tail(1)
    count, _ = shares(terms - 1, epsilon=epsilon)
    theta = law.coefficients(2 * terms)
    j = np.arange(2, terms + 1)
    # squared basis functions are 1 +- the cosine of twice the frequency
    second = 1 + np.where(j % 2, -1, 1) * theta[4 * (j // 2) - 1] / BOUND
    records = (second - theta[j - 1] ** 2).sum() / (size * n * count / (2 * (terms - 1)))
    noise = (terms - 1) * coefficient_noise(n, size, terms, epsilon=epsilon, width=width)
    return float(noise + records + law.tail(terms))


def printed_cutoff(n, size, *, epsilon, smoothness, constant):
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


def density_cutoff(n, size, *, epsilon, smoothness, radius=1.0, constant=VOTE_CONSTANT):
    """Number J of coefficients for users of a given number: eq. (45) as an integer, its constants counted.

    The printed M weighs the bias ``M^(-2 beta)`` against ``M^2 / (n T epsilon^2)`` without the factor of
    several thousand that the noise has. This function takes the odd J that minimises the bound
    ``radius^2 (J + 1)^(-2 beta) + (J - 1) coefficient_noise`` among those whose folds are large enough to
    vote: ``J - 1 <= n z / (constant log(n z))``, z = min(epsilon, epsilon^2).

    Parameters
    ----------
    n, size : int
        Number of users and records each holds.
    epsilon : float
        Local budget of each user.
    smoothness : float
        beta of the Sobolev class, positive.
    radius : float
        r of the Sobolev class (with a_1 = 0), positive.
    constant : float
        C_beta; the proof's is of the order 1e4. With the default an evenly split vote and a vote for an empty
        bin are about log(n z)^(1/2) standard deviations of their difference apart.

    Returns
    -------
    int
        J, odd, so that a frequency has both of its functions; 1, the uniform density, if nothing else pays.
        At most 2 (J - 1) - 1 users are beyond equal folds.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """
    _validate.integer(1, n=n, size=size)
    _validate.positive(epsilon=epsilon, smoothness=smoothness, radius=radius, constant=constant)
    information = n * min(epsilon, epsilon**2)
    most = information / (constant * np.log(max(information, np.e)))
    best, least = 1, radius**2 * 2.0 ** (-2 * smoothness)
    for terms in range(3, int(most) + 2, 2):
        noise = (terms - 1) * coefficient_noise(n, size, terms, epsilon=epsilon)
        bound = noise + radius**2 * (terms + 1.0) ** (-2 * smoothness)
        if noise > least and terms > epsilon:  # from there on it only grows
            break
        best, least = (terms, bound) if bound < least else (best, least)
    return best
