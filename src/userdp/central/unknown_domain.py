"""Histograms over an unknown domain: sample each user's records, add noise, release what is large.

Nothing may be said of an item that only one user holds, so a count is released only above a threshold, and
only items that survive in somebody's *clipped* counts are looked at. `nested_totals` draws the clipped totals
for every contribution bound at once.
"""

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import sparse

from userdp import _validate
from userdp._types import ArrayLike, Floats, Ints, NDArray, Rng
from userdp.central.histogram import RELATIONS, _table
from userdp.privacy.guarantee import Neighbours
from userdp.privacy.noise import ThresholdedNoise
from userdp.privacy.results import HistogramEstimate

__all__ = ["nested_totals", "release_noise", "release_scales", "unbounded_histogram"]

# users with more records than this are clipped to the largest bound before their records are listed
LISTED = 10**6
# NumPy draws from no larger urn; from such a one records are drawn one by one, at most so many
URN = 10**9
MOST_KEPT = 10**7


def _sample(row: Ints, bound: int, rng: Rng) -> Ints:
    """Keep at most `bound` of one user's records, any number of them."""
    held = int(row.sum())
    if held < URN:
        return rng.multivariate_hypergeometric(row, min(bound, held))
    drawn = np.empty(0, np.int64)
    while drawn.size < bound:  # places among the records, one by one; a place already taken does not count
        drawn = np.append(drawn, rng.integers(held, size=bound - drawn.size))
        drawn = drawn[np.sort(np.unique(drawn, return_index=True)[1])]
    return np.bincount(np.searchsorted(np.cumsum(row), drawn, side="right"), minlength=row.size)


def nested_totals(counts: ArrayLike, bounds: ArrayLike, rng: Rng) -> Ints:
    """Sum over the users of their randomly clipped counts, for every bound at once.

    Output law: for each bound that of `userdp.theory.exact_histograms.random_clip`, summed; the laws for
    several bounds are coupled, since the first C records of one random order serve every C.

    Parameters
    ----------
    counts : shape (n, d), dense or sparse
        Count of each user and item; what is not a count is taken for 0.
    bounds : shape (k,)
        Contribution bounds, at least 1, in any order.

    Returns
    -------
    ndarray of int64, shape (k, d)
        Clipped totals for each bound.
    """
    _validate.generator(rng=rng)
    bounds = whole_bounds(bounds)
    n, d, user, item, repeats = _entries(counts)
    for heavy in np.flatnonzero(np.bincount(user, repeats, minlength=n) > LISTED):
        own = user == heavy  # the first C of a random order are the first C of its first C_max
        repeats[own] = _sample(repeats[own], int(bounds.max()), rng)
    user, item = (np.repeat(x, repeats.astype(int)) for x in (user, item))
    order = np.lexsort((rng.random(user.size), user))  # a random order of each user's records
    user, item = user[order], item[order]
    held = np.bincount(user, minlength=n)
    position = np.arange(user.size) - np.repeat(np.cumsum(held) - held, held)
    steps, place = np.unique(bounds, return_inverse=True)
    step = np.searchsorted(steps, position, side="right")  # the first bound that keeps the record
    kept = step < steps.size
    totals = np.bincount(step[kept] * d + item[kept], minlength=steps.size * d)
    return totals.reshape(-1, d).cumsum(axis=0)[place]


def release_noise(
    bound: int,
    *,
    epsilon: float,
    delta: float,
    neighbours: Neighbours = "replace",
    tight: bool = False,
    printed: bool = False,
    distinct: int | None = None,
) -> ThresholdedNoise:
    """Noise and threshold of `unbounded_histogram`: its `guarantee`, and its `release` of clipped totals.

    Parameters
    ----------
    bound
        Contribution bound C, at least 1.
    epsilon, delta
        Budget of the release, positive, delta below 1/2.
    neighbours
        Which inputs are neighbours.
    tight
        Whether to use the smaller threshold of `ThresholdedNoise.calibrated`.
    printed
        Whether every item that anybody holds, clipped away or not, may be released, with the noise of
        "add-remove". It costs more than (epsilon, delta), and the guarantee says what: under "replace"
        epsilon doubles, and delta is the largest probability that one of a newcomer's items is released.
    distinct
        With ``printed=True``: the most distinct items that one user can hold, a public bound; without it
        delta is 1.
    """
    _validate.one_of(RELATIONS, neighbours=neighbours)
    budget: Any = {"epsilon": epsilon, "delta": delta, "neighbours": "add-remove" if printed else neighbours}
    noise = ThresholdedNoise.calibrated(**budget, bound=bound, tight=tight)
    if not printed:
        return noise
    unpaid: Any = {"epsilon": None, "delta": None, "neighbours": neighbours}
    return replace(noise, support="raw", distinct=distinct, **unpaid)


# an objective asks for the noise at every bound again for each population
_known_noise = lru_cache(maxsize=4096, typed=True)(release_noise)


def release_scales(bounds: ArrayLike, **options: Any) -> Floats:
    """Scale b and threshold t of the noise at each bound, shape (2, k); options as for `release_noise`."""
    noises = [_known_noise(bound, **options) for bound in whole_bounds(bounds).tolist()]
    return np.array([[noise.scale, noise.threshold] for noise in noises]).T


def unbounded_histogram(
    counts: ArrayLike,
    *,
    bound: int,
    epsilon: float,
    delta: float,
    neighbours: Neighbours = "replace",
    tight: bool = False,
    printed: bool = False,
    distinct: int | None = None,
    rng: Rng,
) -> HistogramEstimate:
    """Release the histogram of all users over a domain that nobody knows.

    Output law: each user's records are randomly clipped to `bound` (`nested_totals`); each item with a
    positive clipped total gets independent Laplace noise and is released if the sum exceeds the threshold;
    every other item is not mentioned, which is written as 0.

    Parameters
    ----------
    counts : shape (n, d), dense or sparse
        Raw count of each user and item; what is not a count is taken for 0.
    bound, epsilon, delta, neighbours, tight, printed, distinct
        As for `release_noise`.

    Notes
    -----
    Liu et al. (2023), Algorithm 3, with the support of the clipped counts in the place of that of the raw
    ones.

    Examples
    --------
    >>> counts = np.repeat([[3, 0, 0]], 400, axis=0) + np.eye(400, 3, -1, dtype=int)
    >>> options = {"bound": 2, "epsilon": 1.0, "delta": 1e-6}
    >>> release = unbounded_histogram(counts, rng=np.random.default_rng(1), **options)
    >>> release.value.round(), release.guarantee.delta
    (array([802.,   0.,   0.]), 1e-06)
    """
    budget: Any = {"epsilon": epsilon, "delta": delta, "neighbours": neighbours}
    noise = release_noise(bound, tight=tight, printed=printed, distinct=distinct, **budget)
    totals = nested_totals(counts, [bound], rng)[0]
    value = noise.release(totals, rng, support=_held(counts) if printed else None)
    return HistogramEstimate(value, noise.guarantee, float(bound), noise.scale, noise.threshold)


def whole_bounds(bounds: ArrayLike, name: str = "bounds") -> Ints:
    """Return bounds as an array of whole numbers from 1 to `MOST_KEPT`, or raise naming the first bad one."""
    bounds = np.asarray(bounds)
    if bounds.ndim != 1 or bounds.size == 0:
        raise ValueError(f"{name} must be a list of contribution bounds, got {bounds!r}")
    # integers are looked at together: an objective asks for hundreds of bounds again and again
    odd = (bounds < 1) | (bounds > MOST_KEPT) if bounds.dtype.kind in "iu" else slice(None)
    for bound in bounds[odd].tolist():
        _validate.integer(1, MOST_KEPT, **{name: bound})
    return bounds.astype(np.int64)


def _entries(counts: Any) -> tuple[int, int, Ints, Ints, Ints]:
    """Shape of the counts, then user, item and count of each that is positive."""
    if sparse.issparse(counts):
        counts = sparse.coo_array(counts)
        return *counts.shape, counts.row, counts.col, _whole(counts.data, counts.shape[1])
    counts = _whole(_table(counts))
    user, item = np.nonzero(counts)
    return *counts.shape, user, item, counts[user, item]


def _held(counts: ArrayLike) -> NDArray[np.bool_]:
    """Which items anybody holds."""
    _, d, _, item, repeats = _entries(counts)
    return np.bincount(item[repeats > 0], minlength=d) > 0


def _whole(counts: NDArray[Any], d: int | None = None) -> Ints:
    """Counts as whole numbers, with what is not a count set to 0 and no user's total above 2^62."""
    # in eight bytes: the oldest NumPy clips no shorter ones at 2^62
    counts = counts.astype({"u": np.uint64, "i": np.int64}.get(counts.dtype.kind, float))
    counts = np.nan_to_num(counts, nan=0.0, posinf=0.0, neginf=0.0)
    return np.clip(counts, 0, 2**62 // (d or counts.shape[1])).astype(np.int64)
