"""Users whose records have a symmetric Beta distribution, drawn by their means.

A record is ``2 B - 1``, where both parameters of the Beta variable B equal `shape`. For shape 1 it is a
uniform number, in the limit of shape 0 a sign, and for shape ``(d - 1) / 2`` one coordinate of a uniform
point of the unit sphere in ``R^d``.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from scipy.special import hyp0f1, ndtri

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, NDArray, Rng

CUT = 1e-18  # Fourier coefficients below this are left out
REACH = 6.5  # the table ends where a standard normal number has left 8e-11 of its mass
KNOTS = 801
STEPS = 5  # of Newton's method
HALVINGS = 50


@public
@dataclass(frozen=True)
class BetaMeans:
    """Distribution of the mean of independent records from a symmetric Beta distribution.

    The mean lies in ``[-1, 1]``, so that its distribution function is a Fourier series of period 2, whose
    coefficients are values of the characteristic function. Draws use a table of its inverse.

    Parameters
    ----------
    shape
        Both parameters of the Beta distribution, positive.
    size
        Number of records of a user. The product with `shape` must be at least 8, or the distribution of the
        mean is too rough for a table.

    Examples
    --------
    >>> law = BetaMeans(1.0, 12)  # means of 12 uniform numbers
    >>> round(law.variance, 4), round(float(law.cdf(0.0)), 4)
    (0.0278, 0.5)
    """

    shape: float
    size: int

    def __post_init__(self) -> None:
        _validate.positive(shape=self.shape)
        _validate.integer(2, size=self.size)
        if self.size * self.shape < 8:
            raise ValueError(f"size times shape must be at least 8, got {self.size!r} times {self.shape!r}")

    @property
    def variance(self) -> float:
        """Variance of the mean."""
        return 1 / (2 * self.shape + 1) / self.size

    @cached_property
    def _series(self) -> tuple[NDArray, NDArray]:
        """Frequencies pi k and the characteristic function there, as far as it exceeds `CUT`."""
        # |phi| swings with period pi size for distributions near signs: a block holds a swing
        block = self.size + int(4 / np.sqrt(self.variance))
        blocks: list[NDArray] = []
        while not blocks or np.abs(blocks[-1]).max() > CUT:
            t = np.pi * (np.arange(block) + 1 + block * len(blocks))
            blocks.append(hyp0f1(self.shape + 0.5, -((t / self.size / 2) ** 2)) ** self.size)
        phi = np.concatenate(blocks)
        kept = np.flatnonzero(np.abs(phi) > CUT)[-1] + 1
        return np.pi * np.arange(1, 1 + kept), phi[:kept]

    def cdf(self, x: ArrayLike) -> NDArray:
        """Distribution function at each `x`, numbers in ``[-1, 1]``."""
        t, phi = self._series
        return (1 + np.asarray(x)) / 2 + np.sin(np.multiply.outer(x, t)) @ (phi / t)

    def pdf(self, x: ArrayLike) -> NDArray:
        """Density at each `x`, numbers in ``[-1, 1]``."""
        t, phi = self._series
        return 0.5 + np.cos(np.multiply.outer(x, t)) @ phi

    def _score(self, x: NDArray) -> NDArray:
        """The standard normal number as far out as each `x` from 0 to 1."""
        return -ndtri(np.clip(1 - self.cdf(x), 1e-17, 0.5))

    def _halved(self, z: NDArray) -> NDArray:
        """The means as far out as each score, by halving [0, 1]."""
        low, high = np.zeros(z.size), np.ones(z.size)
        for _ in range(HALVINGS):
            x = (low + high) / 2
            below = self._score(x) < z
            low, high = np.where(below, x, low), np.where(below, high, x)
        return (low + high) / 2

    @cached_property
    def _from_normal(self) -> Any:
        """The increasing function that takes a standard normal number to the mean."""
        z, scale = np.linspace(0, REACH, KNOTS), np.sqrt(self.variance)
        x = scale * z
        for _ in range(STEPS):  # on the scale of normal scores the function is nearly a line
            score = self._score(x)
            x = x - (score - z) * scipy.stats.norm.pdf(score) / self.pdf(x)
        # near the end of a rough distribution Newton's steps leave the interval
        astray = ~(np.abs(self._score(x) - z) < 1e-6)
        x[astray] = self._halved(z[astray])
        slope = scipy.stats.norm.pdf(z) / self.pdf(x)
        mirrored = (np.concatenate([sign * v[:0:-1], v]) for v, sign in ((z, -1), (x, -1), (slope, 1)))
        return scipy.interpolate.CubicHermiteSpline(*mirrored)

    def draw(self, shape: int | tuple[int, ...], rng: Rng) -> NDArray:
        """Draw an array of independent means, of that shape.

        Output distribution: the mean's own, except that each draw may be displaced by less than 2e-6 standard
        deviations, and except for an event of probability 1e-10. The tests bound the displacement.
        """
        return self._from_normal(rng.standard_normal(shape))
