"""The risk of DAME without Monte Carlo, for users with unequally many records.

DAME's votes overlap, so that its risk is enclosed between two bounds, which meet where the vote is safe.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.fft import next_fast_len

from userdp.local.localise import Ballot, Bins
from userdp.local.unequal import DAME_MARGIN, dame_half_width, size_weight
from userdp.populations.sizes import FiniteSizes
from userdp.privacy.reports import LaplaceReport
from userdp.theory.exact_mean import MeanLaw, sign_means

__all__ = ["overtakes", "dame_risk"]

SURE = 9.7  # 2 exp(-SURE^2 / 2) is far below rounding
REACH = 2  # bins from theta's own at which DAME still succeeds


def overtakes(steps: tuple[float, float, float], n: int) -> float:
    """P(sum of n independent steps >= 0), the steps -1, 0, 1 having the probabilities `steps`.

    A falling sum is tilted until its mean is 0 before it is convolved: small probabilities keep their digits,
    and by Hoeffding's inequality it stays within a few roots of n, which is all that is convolved.
    """
    down, stay, up = steps
    if up == 0:
        return float(stay**n)
    tilt = max(np.sqrt(down / up), 1.0)
    reach = n if up > down else min(n, math.ceil(SURE * math.sqrt(n)))
    places = next_fast_len(2 * reach + 1, real=True)
    weights = np.zeros(places)
    weights[[-1, 0, 1]] = down / tilt, stay, up * tilt
    total = weights.sum()
    sums = np.fft.irfft(np.fft.rfft(weights / total) ** n, places)[: (places + 1) // 2]
    return float(min(sums @ tilt ** -np.arange(len(sums)) * np.exp(n * np.log(total)), 1.0))


def dame_risk(
    theta: float,
    *,
    size_law: FiniteSizes,
    n: int,
    epsilon: float,
    size_cap: int,
    half_width: float | None = None,
    means: Callable[[float, int], MeanLaw] = sign_means,
) -> tuple[float, float, float]:
    """Enclosure of the risk of `userdp.local.unequal.dame` without Monte Carlo.

    Given the chosen bin the risk is explicit. The bins within two of theta's have nearly one risk, and any
    other wins only if it has at least the votes of theta's own bin, a sum of independent steps.

    Parameters
    ----------
    theta
        True mean.
    size_law
        Law of the sizes, a few values.
    n, epsilon, size_cap
        As for `dame`.
    half_width
        Half-width of a bin, instead of the paper's.
    means
        Law of a user's mean from theta and its size, a `userdp.theory.exact_mean.MeanLaw`.

    Returns
    -------
    low, high : float
        The risk lies between them.
    failure : float
        Bound on the probability that the chosen bin is more than two from theta's.
    """
    half = n // 2
    tau = dame_half_width(size_cap=size_cap, n=n, epsilon=epsilon) if half_width is None else half_width
    ballot = Ballot(Bins(tau, truncated=True), 1, epsilon)
    sizes = zip(size_law.values, size_law.probabilities, strict=True)
    laws = [(m, q, means(theta, int(m))) for m, q in sizes]
    held = sum(q * law.in_bins(ballot.bins) * (m >= size_cap) for m, q, law in laws)
    home = int(ballot.bins.index(np.array([theta]))[0])
    far = np.abs(np.arange(ballot.bins.count) - home) > REACH
    gain = size_law.mean_root(size_cap) / np.sqrt(size_cap)
    risks = _given_bin(ballot.bins, theta, laws, size_cap, gain, epsilon, half)
    votes = np.convolve(held, np.ones(3))[1:-1]
    wins = _overtaking(votes[home], votes[far], ballot.randomiser.keep, half)
    failure, near = min(wins.sum(), 1.0), risks[~far]
    return float((1 - failure) * near.min()), float(near.max() + wins @ risks[far]), float(failure)


def _given_bin(
    bins: Bins, theta: float, laws: list, size_cap: int, gain: float, epsilon: float, users: int
) -> NDArray:
    """Risk of DAME's second step given each chosen bin."""
    j = np.arange(bins.count)
    centre, low = bins.centre(j), bins.ends(j)[0] - DAME_MARGIN * bins.half_width
    noise = LaplaceReport(0.0, 2 * (DAME_MARGIN + 1) * bins.half_width, epsilon)
    high, first, second = low + noise.high, 0.0, 0.0
    for m, q, law in laws:
        w = size_weight(m, size_cap)
        a, b = law.projected(centre + (low - centre) / w, centre + (high - centre) / w)
        shift = (1 - w) * (centre - theta)  # of w X + (1 - w) s, seen from theta
        first = first + q * (w * a + shift)
        second = second + q * (w**2 * b + 2 * w * a * shift + shift**2)
    bias = (first - (1 - gain) * (centre - theta)) / gain
    return bias**2 + (second - first**2 + 2 * noise.scale**2) / (users * gain**2)


def _overtaking(ours: float, theirs: NDArray, keep: float, users: int) -> NDArray:
    """P(a bin gets at least the votes of theta's own): the true shares are given, no user votes for both."""
    theirs, kind = np.unique(theirs, return_inverse=True)
    neither = np.maximum(1 - ours - theirs, 0.0) * keep * (1 - keep)
    up = ours * (1 - keep) ** 2 + theirs * keep**2 + neither
    down = ours * keep**2 + theirs * (1 - keep) ** 2 + neither
    lost = [overtakes((d, 1 - u - d, u), users) for d, u in zip(down, up, strict=True)]
    return np.array(lost)[kind]
