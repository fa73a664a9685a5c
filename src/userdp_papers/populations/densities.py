"""Users whose records have a given density, and the trigonometric basis in which it is estimated."""

from dataclasses import dataclass

import numpy as np

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, NDArray, Rng
from userdp.local.density import BOUND

TAIL_TERMS = 100_000  # frequencies summed for the squared norm of a tail
BLOCK = 1 << 17  # records drawn at a time


@public
def basis_function(x: ArrayLike, j: int) -> NDArray:
    """One function of the trigonometric basis (Kent, eq. (18)).

    The functions are ``phi_1 = 1``, ``phi_2k = sqrt(2) cos(2 pi k x)`` and
    ``phi_2k+1 = sqrt(2) sin(2 pi k x)``, for ``k >= 1``.

    Parameters
    ----------
    x
        Where it is evaluated.
    j
        Number of the function, at least 1.

    Returns
    -------
    ndarray
        Its values, in the shape of `x`.

    Examples
    --------
    >>> basis_function([0.0, 0.25, 0.5], 2).round(3)
    array([ 1.414,  0.   , -1.414])
    """
    _validate.integer(1, j=j)
    x = np.asarray(x, dtype=float)
    if j == 1:
        return np.ones_like(x)
    wave = np.sin if j % 2 else np.cos
    return BOUND * wave(2 * np.pi * (j // 2) * x)


@public
def basis(x: ArrayLike, terms: int) -> NDArray:
    """The first functions of the trigonometric basis.

    Parameters
    ----------
    x
        Where they are evaluated.
    terms
        How many functions.

    Returns
    -------
    ndarray
        Their values, along a new last axis.
    """
    _validate.integer(1, 10**6, terms=terms)
    return np.stack([basis_function(x, j) for j in range(1, terms + 1)], axis=-1)


@public
def evaluate(coefficients: ArrayLike, x: ArrayLike) -> NDArray:
    """Evaluate the function with given coefficients (Kent, eq. (46)).

    Parameters
    ----------
    coefficients
        Coefficients in the trigonometric basis, from the constant on.
    x
        Where it is evaluated.

    Returns
    -------
    ndarray
        Its values, in the shape of `x`.

    Examples
    --------
    >>> evaluate([1.0, 0.2], [0.0, 0.5]).round(3)
    array([1.283, 0.717])
    """
    coefficients = np.asarray(coefficients, dtype=float)
    return basis(x, len(coefficients)) @ coefficients


@public
def sobolev_weights(terms: int, smoothness: float) -> NDArray:
    r"""Weights that define a Sobolev class of densities.

    A density with coefficients :math:`\theta_j` is in the class of smoothness :math:`\beta` and radius
    :math:`r` if ``sum a_j^2 theta_j^2 <= r^2``, with the weights ``a_1 = 0`` and
    ``a_2k = a_2k+1 = (2 k)^beta``. The sum is the squared norm of the derivative of that order over
    ``pi^(2 beta)``. With the printed weights ``j^beta`` (Kent, eq. (19)), which also count the constant, a
    class with radius 1 would contain the uniform density alone.

    Parameters
    ----------
    terms
        How many weights.
    smoothness
        The order ``beta > 0``.

    Returns
    -------
    ndarray
        The weights.

    Examples
    --------
    >>> sobolev_weights(5, 1.0)
    array([0., 2., 2., 4., 4.])
    """
    _validate.integer(1, 10**6, terms=terms)
    _validate.positive(smoothness=smoothness)
    return (2.0 * (np.arange(1, terms + 1) // 2)) ** smoothness


# --- densities with known coefficients and exact sampling ------------------------------------------
@public
@dataclass(frozen=True)
class TrigonometricDensity:
    """Records have a density that is a trigonometric polynomial.

    Parameters
    ----------
    later : tuple of float
        Its coefficients after the constant, ``theta_2``, ``theta_3`` and so on, up to a sine. The amplitudes
        ``sqrt(2) hypot(theta_2k, theta_2k+1)`` must add up to less than 1, so that the density is positive.

    Examples
    --------
    >>> law = TrigonometricDensity((0.3, 0.0))
    >>> law.draw(3, np.random.default_rng(1)).round(2)
    array([0.95, 0.95, 0.31])
    """

    later: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.later) % 2 or not self._swing < 1:
            raise ValueError(
                f"later must hold pairs whose amplitudes add up to less than 1, got {self.later!r}"
            )

    @property
    def _swing(self) -> float:
        return float(BOUND * np.hypot(self.later[::2], self.later[1::2]).sum())

    def coefficients(self, terms: int) -> NDArray:
        """The first `terms` coefficients."""
        known = np.array([1.0, *self.later])[:terms]
        return np.pad(known, (0, terms - len(known)))

    def tail(self, terms: int) -> float:
        """Squared norm of all coefficients after the first `terms`."""
        return float(np.square(self.coefficients(len(self.later) + 1)[terms:]).sum())

    def draw(self, shape: int | tuple[int, ...], rng: Rng) -> NDArray:
        """Draw an array of records, of that shape.

        Output distribution: exactly the density, by rejection.
        """
        count, records = int(np.prod(shape)), np.empty(0)
        coefficients = self.coefficients(len(self.later) + 1)
        while len(records) < count:
            x = rng.random(min(2 * (count - len(records)) + 16, BLOCK))
            kept = rng.random(len(x)) * (1 + self._swing) < evaluate(coefficients, x)
            records = np.append(records, x[kept])
        return records[:count].reshape(shape)


@public
@dataclass(frozen=True)
class WrappedGammas:
    r"""Records have a density with one peak, of a smoothness that one chooses.

    A record is the fractional part of `centre` plus `scale` times the difference of two independent Gamma
    variables. The density is positive. With :math:`a` for the shape, it lies in a Sobolev class of smoothness
    :math:`\beta` if and only if ``beta < 2 a - 1/2``; with shape 1 it is the wrapped Laplace distribution.

    The coefficients at frequency k are ``sqrt(2) (1 + (2 pi k s)^2)^(-a)`` times the cosine or the sine of
    :math:`2 \pi k c`, where :math:`s` is the scale and :math:`c` the centre.

    Parameters
    ----------
    shape
        Shape of both Gamma variables, above 1/4 (a square-integrable density).
    scale
        Their scale, positive; the larger, the flatter.
    centre
        Where the density peaks, in [0, 1].

    Examples
    --------
    >>> law = WrappedGammas(shape=1.0, scale=0.1)
    >>> law.draw(3, np.random.default_rng(1)).round(2)
    array([0.5 , 0.73, 0.38])
    """

    shape: float
    scale: float
    centre: float = 0.5

    def __post_init__(self) -> None:
        _validate.positive(scale=self.scale)
        _validate.in_range(0, 1, centre=self.centre)
        _validate.in_range(0.26, np.finfo(float).max, shape=self.shape)

    def _modulus(self, k: NDArray) -> NDArray:
        return BOUND * (1 + (2 * np.pi * k * self.scale) ** 2) ** -self.shape

    def coefficients(self, terms: int) -> NDArray:
        """The first `terms` coefficients."""
        k = np.arange(1, terms + 1) // 2
        phase = 2 * np.pi * k * self.centre
        wave = np.where(np.arange(terms) % 2, np.cos(phase), np.sin(phase))
        return np.where(k == 0, 1.0, self._modulus(k) * wave)

    def tail(self, terms: int) -> float:
        """Squared norm of all coefficients after the first `terms`, summed up to frequency 100,000."""
        k = np.arange(terms // 2 + 1, TAIL_TERMS)
        lone = 0.0 if terms % 2 else self.coefficients(terms + 1)[-1] ** 2  # the sine of a cut pair
        return float(lone + np.square(self._modulus(k)).sum())

    def draw(self, shape: int | tuple[int, ...], rng: Rng) -> NDArray:
        """Draw an array of records, of that shape.

        Output distribution: exactly the density, up to rounding.
        """
        if self.shape == 1:  # the difference of two exponentials, drawn in one
            difference = rng.laplace(size=shape)
        else:
            difference = rng.standard_gamma(self.shape, shape) - rng.standard_gamma(self.shape, shape)
        turns = self.centre + self.scale * difference
        return turns - np.floor(turns)  # to the last bit `turns % 1.0`, at a fifth of its cost
