"""The width of a bin chosen by the risk itself, from public knowledge, failures counted.

The papers' widths make proofs work. Kent's Algorithm 2 is unchanged at any other width, and its risk has an
enclosure that needs no data: given the chosen bin the risk is explicit, and a bin beats the likeliest one
with a probability that Chernoff's bound limits.
"""

import numpy as np
from numpy.typing import NDArray

from userdp import _validate
from userdp.local.localise import MOST_BINS, Bins
from userdp.theory.exact_mean import MeanLaw, risks_by_bin, sign_means
from userdp.theory.improved_plan import vote_factors

__all__ = ["localised_bound", "calibrated_half_width"]

POSITIONS = 8  # of theta within a bin
WIDTHS = np.geomspace(0.25, 16.0, 37)  # half-widths that are tried, in standard deviations of a user's mean


def localised_bound(law: MeanLaw, *, n: int, epsilon: float, half_width: float) -> tuple[float, float]:
    """Upper bound on the risk of Kent's Algorithm 2 at any width, and on the chance of a failed vote.

    The bin of each likely winner gets all the probability that its bound allows, the costliest first; a vote
    fails if the chosen bin is neither theta's own nor next to it.

    Parameters
    ----------
    law
        Law of a user's mean.
    n, epsilon, half_width
        As for `userdp.local.mean.localised_mean`.

    Examples
    --------
    >>> risk, failure = localised_bound(sign_means(0.1, 1000), n=10_000, epsilon=1.0, half_width=0.02)
    >>> f"{risk:.1e} {failure < 1e-3}"
    '5.9e-06 True'
    """
    _validate.integer(2, n=n)
    _validate.budget(epsilon=epsilon)
    bins = Bins(half_width)
    p, risks = law.in_bins(bins), risks_by_bin(law, bins, n=n, epsilon=epsilon)
    home = int(np.argmax(p))
    chances = _beats(p, p[home], n // 2, epsilon)
    chances[home] = 1.0
    far = np.abs(np.arange(bins.count) - bins.index(np.array([law.theta]))) > 1
    costliest = np.argsort(-risks, kind="stable")
    before = np.append(0.0, np.cumsum(chances[costliest])[:-1])
    shares = np.clip(1 - before, 0, chances[costliest])
    return float(shares @ risks[costliest]), float(min(chances[far].sum(), 1.0))


def _beats(p: NDArray, home: float, voters: int, epsilon: float) -> NDArray:
    """Chernoff's bound on the probability that a bin has as many votes as the home bin, for each bin."""
    up = np.exp(np.linspace(0.01, 1, 50) * epsilon / 2)[:, None]
    (home_one, home_zero), (one, zero) = vote_factors(epsilon, up)  # the home bin's votes count down
    rest = np.maximum(1 - p - home, 0)
    moment = home * home_one * zero + p * home_zero * one + rest * home_zero * zero
    return np.exp(voters * np.minimum(np.log(moment.min(axis=0)), 0.0))


def calibrated_half_width(*, n: int, size: int, epsilon: float) -> tuple[float, float, float]:
    """Half-width with the smallest bound at the worst of eight positions in a bin, for signs near 0.

    Signs have the largest variance that records in [-1, 1] can have, and the most at mean 0.

    Returns
    -------
    half_width, risk, failure : float
        The width, and the bounds of `localised_bound` at its worst position.
    """
    _validate.integer(1, 10**8, size=size)
    widths = [float(width) for width in WIDTHS / np.sqrt(size) if 1 / MOST_BINS <= width <= 1]
    tried = [(*_worst(n, size, epsilon, width), width) for width in widths or [1 / MOST_BINS]]
    risk, failure, width = min(tried)
    return width, risk, failure


def _worst(n: int, size: int, epsilon: float, half_width: float) -> tuple[float, float]:
    places = half_width * (1 + 2 * np.arange(POSITIONS) / POSITIONS)
    laws = [sign_means(float(theta), size) for theta in np.clip(places, -1, 1)]
    found = [localised_bound(law, n=n, epsilon=epsilon, half_width=half_width) for law in laws]
    return max(risk for risk, _ in found), max(failure for _, failure in found)
