"""What a contribution bound costs, as a curve that one user bends by a known amount.

``G(C) = sum_u max(1 - C / ||N_u||, 0) ||N_u||_1 + C M`` is what clipping at C loses plus what the noise
costs, M = `noise_mass` (Liu et al., equation (3)): convex and piecewise linear in C, and at most twice the
expected loss. One user moves its slope by at most `reach`. In the Euclidean norm that is sqrt(s) if users
hold at most s items; each user's ratio ||N_u||_1 / ||N_u||_2 is cut at sqrt(s), so that the promise holds for
users who hold more. In the l1 norm (Laplace noise, ``delta = 0``) every ratio is 1.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import log_softmax

from userdp import _validate
from userdp._types import ArrayLike, Floats, Rng
from userdp.central.histogram import noise_mass, norms
from userdp.privacy.guarantee import Neighbours

__all__ = ["Surrogate", "surrogate_curve"]


@dataclass(frozen=True)
class Surrogate:
    """The curve G on [0, largest], less the loss that no bound in that interval avoids.

    Parameters
    ----------
    sizes : shape (n,)
        Norm of each user's counts, cut at `largest`, increasing.
    weights : shape (n,)
        Minus the slope of each user's share of G below that user's size, in [0, reach].
    mass
        M, the expected l1 norm of the noise per unit of the bound.
    reach
        Most that one user moves the slope of G.
    largest
        Largest bound considered.
    """

    sizes: Floats
    weights: Floats
    mass: float
    reach: float
    largest: float

    @cached_property
    def pulls(self) -> Floats:
        """Total weight of the users from each on, shape (n + 1,): they want a larger bound."""
        return np.append(np.cumsum(self.weights[::-1])[::-1], 0.0)

    def values(self, bounds: ArrayLike) -> Floats:
        """G at each bound, same shape: sum of ``weights (sizes - bound)^+`` plus ``mass bound``."""
        bounds = np.asarray(bounds, dtype=float)
        held = np.append(np.cumsum((self.weights * self.sizes)[::-1])[::-1], 0.0)
        first = np.searchsorted(self.sizes, bounds, side="right")
        return held[first] - bounds * self.pulls[first] + self.mass * bounds

    def minimiser(self, ridge: float = 0.0) -> float:
        """Largest minimiser of ``G(C) + ridge C^2 / 2`` on [0, largest], exact.

        Left of C the slope is ``mass + ridge C`` less the pull of the users of size at least C, so that it
        is at most 0 if and only if some user u has C <= sizes[u] and mass + ridge C <= pulls[u].
        """
        if ridge > 0:
            stop = (self.pulls[:-1] - self.mass) / ridge
        else:  # the margin is for sums that are equal but for rounding
            stop = np.where(self.pulls[:-1] >= self.mass * (1 - 1e-12), np.inf, 0.0)
        return float(np.minimum(self.sizes, stop).max(initial=0.0))

    def segments(self, rate: float) -> tuple[Floats, ...]:
        """Ends of the linear pieces, shape (k + 1,), ``rate G`` there, and log-mass of ``exp(-rate G)``."""
        ends = np.unique(np.concatenate([[0.0], self.sizes, [self.largest]]))
        height = rate * self.values(ends)
        steep = np.abs(np.diff(height))
        mean = np.divide(-np.expm1(-steep), steep, out=np.ones(steep.shape), where=steep > 0)
        return ends, height, np.log(np.diff(ends) * mean) - np.minimum(height[:-1], height[1:])

    def draw(self, rate: float, rng: Rng) -> float:
        """One draw from the density proportional to ``exp(-rate G)``: a piece, then a cut exponential."""
        ends, height, mass = self.segments(rate)
        i = rng.choice(mass.size, p=np.exp(log_softmax(mass)))
        rise, uniform = abs(height[i + 1] - height[i]), rng.random()
        part = -np.log1p(uniform * np.expm1(-rise)) / rise if rise > 0 else uniform
        low, high = (ends[i], ends[i + 1]) if height[i] <= height[i + 1] else (ends[i + 1], ends[i])
        return float(low + part * (high - low))


def surrogate_curve(
    counts: ArrayLike,
    *,
    largest: float | None = None,
    epsilon: float,
    delta: float = 0.0,
    sparsity: int | None = None,
    neighbours: Neighbours = "replace",
    printed: bool = False,
) -> Surrogate:
    """Return the curve G that the private choices look at; itself *not* private.

    Parameters
    ----------
    counts : shape (n, d), dense or sparse
        Count of each user and item; what is not a count is taken for 0.
    largest
        Public upper end C_max of the bounds considered, positive; by default the largest norm in the data,
        for study: then the curve is all of G.
    epsilon, delta, neighbours, printed
        Of the *release*, as for `histogram_noise`: they decide the noise that the bound is weighed against.
    sparsity
        Most items s that a user is expected to hold, 1 to d; by default d. Only with ``delta > 0``.
    """
    total, size = norms(counts, 1), norms(counts, 1 if delta == 0 else 2)
    largest = largest if largest is not None else max(size.max(initial=0.0), np.finfo(float).tiny)
    _validate.positive(largest=largest)
    d = np.shape(counts)[1]
    sparsity = d if sparsity is None else sparsity
    _validate.integer(1, d, sparsity=sparsity)
    reach = 1.0 if delta == 0 else float(np.sqrt(sparsity))
    mass = noise_mass(d, epsilon=epsilon, delta=delta, neighbours=neighbours, printed=printed)
    ratio = np.divide(total, size, out=np.zeros(size.shape), where=size > 0)
    order = np.argsort(size)
    weights = np.minimum(ratio, reach)[order]
    return Surrogate(np.minimum(size, largest)[order], weights, float(mass), reach, float(largest))
