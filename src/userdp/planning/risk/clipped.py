"""A proven bound on the risk of `clipped_mean`, and the public parameters with the smallest bound.

The bound holds at every mean in ``[-1, 1]`` for users whose means have the tails that `risk_bound` assumes.
Both steps of the estimator, the choice of a window and the clipped mean, see the same users, so that nothing
is assumed of the users given the choice. The bound is ours; the book proves it.
"""

import math
from typing import NamedTuple

import numpy as np
import scipy
from scipy.special import expit

from userdp._types import Floats
from userdp.central.clipped import MOST_CENTRES, STEP
from userdp.central.weights import optimal_weights
from userdp.planning.risk.improved_plan import Mixture, Tails, excess, mixture, tail
from userdp.sizes import FiniteSizes

# windows from which the best is sought, in deviations of the least, a middling, the best mean
STARTS = 3.0, 3.0, 4.0
MOST_TRIALS = 160
LAYERS = np.linspace(1, 0, 9)  # powers that lead from the least distance of a wrong centre to 2


class Clipping(NamedTuple):
    """Public parameters of `clipped_mean` on ``[-1, 1]``: `window`, `reach`, `share` and `sigmas`."""

    window: float
    reach: float
    share: float
    sigmas: float


class ClippedRisk(NamedTuple):
    """A proven bound on the risk, and its parts.

    The parts `sampling` and `clipping` are root mean squares, which add before they are squared; `noise` is a
    variance; `failure` bounds the probability of a wrong window, and may exceed 1; `lost` is what wrong
    windows add to the mean squared error.
    """

    sampling: float
    clipping: float
    noise: float
    failure: float
    lost: float

    @property
    def risk(self) -> float:
        """Bound on the mean squared error."""
        return (self.sampling + self.clipping) ** 2 + self.noise + self.lost


class Users(NamedTuple):
    """What is assumed about the users: their number, sizes, spread and tails, on ``[-1, 1]``.

    With `sizes_tell`, latent means need not be independent of sizes: a user is far off if its latent mean is,
    or if its records are far from that. With `drawn`, the users are a sample of the population whose mean is
    sought.
    """

    n: int
    law: FiniteSizes
    spread: float
    tails: Tails
    sizes_tell: bool = False
    drawn: bool = True  # the mean is the population's, of which the users are a sample

    @property
    def deviations(self) -> Floats:
        """Standard deviation of a user's mean, for each of the sizes."""
        return np.sqrt(np.minimum(1 / self.law.values + self.spread**2, 1.0))

    @property
    def shape(self) -> Mixture:
        """Tails of a user's mean, in its own units."""
        apart = self.sizes_tell and self.law.values.size > 1
        alike = Mixture(self.tails, 1.0, [(self.deviations, self.law.probabilities, 1.0)])
        return mixture(self.law, self.spread, self.tails) if apart else alike


def clipped_risk(how: Clipping, near: float, *, users: Users, epsilon: float) -> ClippedRisk:
    """Bound the risk of `clipped_mean` with given parameters.

    A choice of the window fails if its centre is farther than `window` plus `near` from the mean. A centre
    farther off wins only against the one next to the mean: users beyond the end of the near window, and as
    far off as its own, help it, and users in the near window alone hinder it. Centres are counted in
    `LAYERS` by their distance. Users are weighted where `sigmas` is positive.
    """
    n, law, shape, deviations = users.n, users.law, users.shape, users.deviations
    margin, inside = min(how.window + near, 2.0), how.window * (1 - STEP / 2)
    edges, count = 2 * (margin / 2) ** LAYERS, math.ceil(2 / (STEP * how.window))
    *apart, below = tail(np.append(edges[:-1] - how.window, inside), shape)  # beyond each window's near end
    helps, above = np.minimum(apart, below), np.maximum(apart, below)
    up, down = (np.expm1(sign * how.share * epsilon / 2 * np.linspace(0.04, 1, 25)) for sign in (1, -1))
    moment = 1 + np.outer(helps, up) + np.outer(np.maximum(1 - above - below, 0), down)
    chances = np.exp(n * np.log(np.clip(moment.min(axis=1), 1e-300, 1)))
    rivals = np.minimum(2 + count * np.diff(edges), count)
    failure = min(float(rivals @ chances), count * float(chances[0]))

    rest, counts = epsilon - how.share * epsilon, n * law.probabilities
    half, weights = how.reach + how.sigmas * deviations, np.full(deviations.size, 1 / n)
    lengths, short = np.minimum(2 * half, 2.0), max(margin - how.reach, 0.0)  # `short`: theta may be clipped
    if how.sigmas:
        weights = optimal_weights(deviations**2, lengths, epsilon=rest, counts=counts).value
        over, square = excess(np.maximum(half - margin, 0) / deviations, users.tails)
        beyond, square = counts * weights @ (deviations * over), counts * square @ (weights * deviations) ** 2
    else:
        beyond, square = excess(max(how.reach - margin, 0.0), shape)
        square /= n
    clipping = short + math.sqrt(2 * beyond**2 + square)
    sampling = math.sqrt(counts @ (weights * deviations) ** 2) if users.drawn else 0.0
    noise = 2 * (float(np.max(weights * lengths)) / rest) ** 2
    worst = np.minimum(edges[1:] + counts * weights @ half, 2)  # error about a centre of a layer
    lost = min(float(rivals * chances @ worst**2), 4 * failure)
    return ClippedRisk(sampling, clipping, noise, failure, lost)


def choose_clipping(users: Users, *, epsilon: float, weighed: bool) -> tuple[Clipping, ClippedRisk]:
    """Choose the public parameters of `clipped_mean` with the smallest bound; also returns the bound."""
    middling = int(np.searchsorted(np.cumsum(users.law.probabilities), 0.5))
    typical = users.deviations[[0, middling, -1]].tolist()

    def build(x: Floats) -> tuple[Clipping, float]:
        window, near, sigmas = np.exp(np.clip(x[:3], -16, 3)).tolist()
        window = min(max(window, 2 / (STEP * MOST_CENTRES)), 1.0)
        reach = window + near + (0.0 if weighed else sigmas * typical[1])
        return Clipping(window, min(reach, 2.0), float(expit(x[3])), sigmas if weighed else 0.0), near

    def bound(x: Floats) -> ClippedRisk:
        return clipped_risk(*build(x), users=users, epsilon=epsilon)

    found = []
    for start, deviation in zip(STARTS, typical, strict=True):
        near = deviation * len(users.shape.parts) ** 2  # with several parts one deviation leaves nobody near
        first = np.array([math.log(start * deviation), math.log(near), 1.0, -0.8])
        options = {"maxfev": MOST_TRIALS, "xatol": 1e-2, "fatol": 1e-3}
        best = scipy.optimize.minimize(
            lambda x: math.log(bound(x).risk), first, method="Nelder-Mead", options=options
        ).x
        found.append((bound(best).risk, build(best)[0], bound(best)))
    return min(found)[1:]
