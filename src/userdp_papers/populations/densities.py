"""Densities in the trigonometric basis, and users who draw their records from them."""

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
    """The `j`-th function of the trigonometric basis at `x`, ``j >= 1`` (eq. (18)).

    ``phi_1 = 1``, ``phi_2k = sqrt(2) cos(2 pi k x)``, ``phi_2k+1 = sqrt(2) sin(2 pi k x)``.
    """
    _validate.integer(1, j=j)
    x = np.asarray(x, dtype=float)
    if j == 1:
        return np.ones_like(x)
    wave = np.sin if j % 2 else np.cos
    return BOUND * wave(2 * np.pi * (j // 2) * x)


@public
def basis(x: ArrayLike, terms: int) -> NDArray:
    """The first `terms` basis functions at `x`, along a new last axis of length `terms`."""
    _validate.integer(1, 10**6, terms=terms)
    return np.stack([basis_function(x, j) for j in range(1, terms + 1)], axis=-1)


@public
def evaluate(coefficients: ArrayLike, x: ArrayLike) -> NDArray:
    """Value at `x` of the function with the given coefficients, shape of `x` (eq. (46))."""
    coefficients = np.asarray(coefficients, dtype=float)
    return basis(x, len(coefficients)) @ coefficients


@public
def sobolev_weights(terms: int, smoothness: float) -> NDArray:
    """Weights a_j of the Sobolev ellipsoid ``sum a_j^2 theta_j^2 <= r^2``, shape (terms,).

    ``a_1 = 0`` and ``a_2k = a_2k+1 = (2 k)^smoothness``, so that the sum is the squared norm of the
    derivative of that order over ``pi^(2 smoothness)``. The printed weights ``j^smoothness`` (eq. (19)) also
    count the constant and leave a class with radius 1 nothing but the uniform density.
    """
    _validate.integer(1, 10**6, terms=terms)
    _validate.positive(smoothness=smoothness)
    return (2.0 * (np.arange(1, terms + 1) // 2)) ** smoothness


# --- densities with known coefficients and exact sampling ------------------------------------------
@public
@dataclass(frozen=True)
class TrigonometricDensity:
    """The density ``1 + sum_j coefficients[j] phi_{j+2}``, a trigonometric polynomial.

    Parameters
    ----------
    later : tuple of float
        Coefficients theta_2, theta_3, ..., up to a sine. The amplitudes
        ``sqrt(2) hypot(theta_2k, theta_2k+1)`` must add up to less than 1, which makes it positive.
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
        """The first `terms` coefficients, shape (terms,)."""
        known = np.array([1.0, *self.later])[:terms]
        return np.pad(known, (0, terms - len(known)))

    def tail(self, terms: int) -> float:
        """Squared norm of all coefficients after the first `terms`."""
        return float(np.square(self.coefficients(len(self.later) + 1)[terms:]).sum())

    def draw(self, shape: int | tuple[int, ...], rng: Rng) -> NDArray:
        """Draw records, array of `shape`. Output distribution: exactly the density, by rejection."""
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
    """Fractional part of ``centre + scale (G - G')`` with independent Gamma variables of one shape.

    The coefficients of a wrapped distribution are its characteristic function at the whole frequencies: here
    ``(1 + (2 pi k scale)^2)^(-shape)`` times ``sqrt(2)`` and the cosine or sine of ``2 pi k centre``. The
    density is positive; it lies in a Sobolev class of smoothness beta if and only if
    ``beta < 2 shape - 1/2``. Shape 1 is the wrapped Laplace distribution.

    Parameters
    ----------
    shape
        Shape of both Gamma variables, above 1/4 (a square-integrable density).
    scale
        Their scale, positive; the larger, the flatter.
    centre
        Where the density peaks, in [0, 1].
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
        """The first `terms` coefficients, shape (terms,)."""
        k = np.arange(1, terms + 1) // 2
        phase = 2 * np.pi * k * self.centre
        wave = np.where(np.arange(terms) % 2, np.cos(phase), np.sin(phase))
        return np.where(k == 0, 1.0, self._modulus(k) * wave)

    def tail(self, terms: int) -> float:
        """Squared norm of all coefficients after the first `terms`; frequencies up to `TAIL_TERMS`."""
        k = np.arange(terms // 2 + 1, TAIL_TERMS)
        lone = 0.0 if terms % 2 else self.coefficients(terms + 1)[-1] ** 2  # the sine of a cut pair
        return float(lone + np.square(self._modulus(k)).sum())

    def draw(self, shape: int | tuple[int, ...], rng: Rng) -> NDArray:
        """Draw records, array of `shape`. Output distribution: exactly the density, up to rounding."""
        if self.shape == 1:  # the difference of two exponentials, drawn in one
            difference = rng.laplace(size=shape)
        else:
            difference = rng.standard_gamma(self.shape, shape) - rng.standard_gamma(self.shape, shape)
        turns = self.centre + self.scale * difference
        return turns - np.floor(turns)  # to the last bit `turns % 1.0`, at a fifth of its cost
