"""Histograms over an unknown domain, and their bound (Liu et al., Algorithms 3 and 4).

Nothing may be said of an item that only one user holds. A count is therefore released only above a threshold,
and only items that are left after every user's counts were *clipped* are looked at. `nested_totals` draws the
clipped totals for every contribution bound at once.

Which bound should it be? The guide V of Liu et al., twice the records that clipping loses plus the mean
clipped totals cut at the threshold, bounds the expected loss from above and, up to a logarithm, from below.
"""

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import sparse

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, Floats, Ints, NDArray, Rng
from userdp.central.histogram import clipped_totals, count_rows, norms
from userdp.privacy.choice import ExponentialChoice
from userdp.privacy.guarantee import Relation
from userdp.privacy.noise import ThresholdedNoise
from userdp.privacy.results import HistogramEstimate, Release

# users with more records than this are clipped to the largest bound before their records are listed
LISTED = 10**6
# more records than this are not listed at once, but user by user
AT_ONCE = 10**7
# NumPy draws from no larger urn; from such a one records are drawn one by one, at most so many
URN = 10**9
MOST_KEPT = 10**7


def sample_records(row: Ints, bound: int, rng: Rng) -> Ints:
    """Keep at most `bound` of one user's records, any number of them."""
    held = int(row.sum())
    if held < URN:
        return rng.multivariate_hypergeometric(row, min(bound, held))
    drawn = np.empty(0, np.int64)
    while drawn.size < bound:  # places among the records, one by one; a place already taken does not count
        drawn = np.append(drawn, rng.integers(held, size=bound - drawn.size))
        drawn = drawn[np.sort(np.unique(drawn, return_index=True)[1])]
    return np.bincount(np.searchsorted(np.cumsum(row), drawn, side="right"), minlength=row.size)


@public
def nested_totals(counts: ArrayLike, bounds: ArrayLike, rng: Rng) -> Ints:
    """Sum over the users of their randomly clipped counts, for every bound at once.

    Output distribution: for each bound C a user keeps C records at random, or all if there are fewer, and the
    kept records are summed. The totals for several bounds are drawn together, since the first C records of
    one random order serve every C.

    Parameters
    ----------
    counts : shape (n, d), dense or sparse
        Count of each user and item; what is not a count is taken for 0.
    bounds : shape (k,)
        Contribution bounds, at least 1, in any order.
    rng
        Generator of NumPy.

    Returns
    -------
    ndarray of int64, shape (k, d)
        Clipped totals for each bound.
    """
    bounds = whole_bounds(bounds)
    n, d, *entries = _entries(counts)
    few = entries[2].sum(dtype=float) <= AT_ONCE
    return _nested((n, d), entries, bounds, LISTED if few else int(bounds.max()), rng)


def _nested(shape: tuple[int, int], entries: list[Ints], bounds: Ints, listed: int, rng: Rng) -> Ints:
    """The totals of these entries; users with more than `listed` records are clipped before that."""
    (n, d), (user, item, repeats) = shape, entries
    held = np.bincount(user, repeats, minlength=n)
    if np.minimum(held, listed).sum() > AT_ONCE:  # no one user holds that: see `MOST_KEPT`
        known = np.unique(user)
        first = user < known[known.size // 2]
        halves = [[x[part] for x in entries] for part in (first, ~first)]
        return np.sum([_nested(shape, half, bounds, listed, rng) for half in halves], axis=0)
    order, heavy = np.argsort(user, kind="stable"), np.flatnonzero(held > listed)
    for start, end in np.searchsorted(user[order], np.stack([heavy, heavy + 1], axis=1)):
        own = order[start:end]  # the first C of a random order are the first C of its first C_max
        repeats[own] = sample_records(repeats[own], int(bounds.max()), rng)
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


@public
def release_noise(
    bound: int,
    *,
    epsilon: float,
    delta: float,
    neighbours: Relation = "replace",
    tight: bool = False,
    printed: bool = False,
    distinct: int | None = None,
) -> ThresholdedNoise:
    """Noise and threshold of `unbounded_histogram`: its `guarantee`, and its `release` of clipped totals.

    Parameters
    ----------
    bound
        Contribution bound C, at least 1.
    epsilon
        Budget of the release, positive.
    delta
        The delta of the release, positive and below 1/2.
    neighbours
        Which inputs are neighbours: in "replace" the data of one user are replaced, in "add-remove" one user
        is added or removed.
    tight
        Whether to use the smaller threshold of `ThresholdedNoise.calibrated`.
    printed
        Whether every item that anybody holds, clipped away or not, may be released, with the noise of
        "add-remove". It costs more than (epsilon, delta), and the guarantee says what: under "replace"
        epsilon doubles, and delta is the largest probability that one of a newcomer's items is released.
    distinct
        With ``printed=True``: the most distinct items that one user can hold, a public bound; without it
        delta is 1. Without effect unless ``printed``.
    """
    budget: Any = {"epsilon": epsilon, "delta": delta, "neighbours": "add-remove" if printed else neighbours}
    noise = ThresholdedNoise.calibrated(**budget, bound=bound, tight=tight)
    if not printed:
        return noise
    unpaid: Any = {"epsilon": None, "delta": None, "neighbours": neighbours}
    return replace(noise, support="raw", distinct=distinct, **unpaid)


# an objective asks for the noise at every bound again for each population
_known_noise = lru_cache(maxsize=4096, typed=True)(release_noise)


@public
def release_scales(bounds: ArrayLike, **options: Any) -> Floats:
    """Scale and threshold of the noise at each bound, shape (2, k); options as in `release_noise`."""
    noises = [_known_noise(bound, **options) for bound in whole_bounds(bounds).tolist()]
    return np.array([[noise.scale, noise.threshold] for noise in noises]).T


@public
def unbounded_histogram(
    counts: ArrayLike,
    *,
    bound: int,
    epsilon: float,
    delta: float,
    neighbours: Relation = "replace",
    tight: bool = False,
    printed: bool = False,
    distinct: int | None = None,
    rng: Rng,
) -> HistogramEstimate:
    """Release the histogram of all users over an unknown domain.

    Output distribution: each user keeps at most `bound` records, drawn at random (`nested_totals`). Each item
    that is left gets independent Laplace noise, and is released if the sum exceeds the threshold; every other
    item is not mentioned, which is written as 0.

    Parameters
    ----------
    counts : shape (n, d), dense or sparse
        Count of each user and item; what is not a count is taken for 0.
    bound
        Contribution bound C, at least 1: public, or from a private choice whose guarantee is to be added.
    epsilon
        Budget of the release, positive.
    delta
        The delta of the release, positive and below 1/2.
    neighbours
        Which inputs are neighbours: in "replace" the data of one user are replaced, in "add-remove" one user
        is added or removed.
    tight
        Whether to use the smaller threshold of `ThresholdedNoise.calibrated`.
    printed
        Whether to release as the paper prints it, which costs more, as in `release_noise`; the guarantee says
        how much.
    distinct
        With ``printed=True``, the most distinct items that one user can hold, a public bound; without it
        delta is 1.
    rng
        Generator of NumPy.

    Returns
    -------
    HistogramEstimate
        The histogram `value`, shape (d,), its `guarantee`, and the `scale` and `threshold` of the noise.

    Notes
    -----
    Liu et al. (2023), Algorithm 3, with the support of the clipped counts in the place of that of the raw
    ones.

    Examples
    --------
    >>> counts = np.repeat([[3, 0, 0]], 400, axis=0)
    >>> counts += np.eye(400, 3, -1, dtype=int)
    >>> options = {"bound": 2, "epsilon": 1.0, "delta": 1e-6}
    >>> rng = np.random.default_rng(1)
    >>> release = unbounded_histogram(counts, rng=rng, **options)
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
        canonical = sparse.csr_array(sparse.coo_array(in_eight_bytes(counts)))
        # a cell's count is what its entries add up to
        counts = sparse.coo_array(counts if canonical.nnz == counts.nnz else canonical)
        return *counts.shape, counts.row, counts.col, whole_counts(counts.data, counts.shape[1])
    counts = whole_counts(count_rows(counts))
    user, item = np.nonzero(counts)
    return *counts.shape, user, item, counts[user, item]


def _held(counts: ArrayLike) -> NDArray[np.bool_]:
    """Which items anybody holds."""
    _, d, _, item, repeats = _entries(counts)
    return np.bincount(item[repeats > 0], minlength=d) > 0


def in_eight_bytes(counts: Any) -> Any:
    """Counts so wide that sums do not overflow, and that the oldest NumPy clips them at 2^62."""
    return counts.astype({"u": np.uint64, "i": np.int64}.get(counts.dtype.kind, float))


def whole_counts(counts: NDArray[Any], d: int | None = None) -> Ints:
    """Counts as whole numbers, with what is not a count set to 0 and no user's total above 2^62."""
    counts = np.nan_to_num(in_eight_bytes(counts), nan=0.0, posinf=0.0, neginf=0.0)
    return np.clip(counts, 0, 2**62 // (d or counts.shape[1])).astype(np.int64)


@public
def objective_from_totals(
    sizes: ArrayLike, expected: ArrayLike, bounds: ArrayLike, *, weight: float = 1.0, **release: Any
) -> Floats:
    """Computable bound V of the expected loss, for each contribution bound, from sufficient statistics.

    It is ``2 sum_u max(m_u - C, 0) + weight sum_j min(E h_j, t)``, where user u holds ``m_u`` records and t
    is the threshold (Liu et al. 2023, Section 5, the display before Algorithm 4).

    Parameters
    ----------
    sizes : shape (n,)
        Number of records of each user.
    expected : shape (k, d)
        Expected clipped total ``E h_j`` of each item j for each bound C, ``sum_u C N_uj / max(C, m_u)``.
    bounds : shape (k,)
        Contribution bounds, whole numbers of at least 1.
    weight
        Factor of the second sum, from 0 to 2: 1 in the paper's display; 1/2 is the reading that its
        constant 5 C_max / 2 and its Table 1 fit.
    **release
        `epsilon`, `delta` and `neighbours` of the release for which the bound is to be chosen, as for
        `release_noise`.
    """
    bounds = whole_bounds(bounds)
    _validate.in_range(0, 2, weight=weight)
    _, thresholds = release_scales(bounds, **release)
    sizes = np.asarray(sizes, dtype=float)
    # by the whole part of a size, cut at the largest bound: no sorting
    places = np.minimum(sizes, bounds.max()).astype(np.int64)
    # users and their records, of that size or more
    users, records = (np.bincount(places, x, bounds.max() + 1)[::-1].cumsum()[::-1] for x in (None, sizes))
    lost = records[bounds] - users[bounds] * bounds
    return 2 * lost + weight * np.minimum(expected, thresholds[:, None]).sum(axis=1)


@public
def objective_range(bounds: ArrayLike, *, neighbours: Relation = "replace", weight: float = 1.0) -> float:
    """Largest range, over the bounds, of the change of V between neighbours, of users of any size.

    The privacy loss of the exponential mechanism depends on this range alone, because a change that is the
    same for all candidates alters no probability. It is ``2 C_top - (2 - weight) C_min`` if a user is
    replaced; if one is added or removed ``max(2 (C_top - C_min), weight C')``, :math:`C'` being the second
    largest bound.

    Parameters
    ----------
    bounds : shape (k,)
        The candidates, whole numbers of at least 1.
    neighbours
        Which inputs are neighbours.
    weight
        Factor of the second sum of V, from 0 to 2.

    Examples
    --------
    >>> objective_range([1, 5, 20])
    39.0
    """
    bounds = np.unique(whole_bounds(bounds))
    _validate.in_range(0, 2, weight=weight)
    if neighbours == "replace":
        return float(2 * bounds[-1] - (2 - weight) * bounds[0])
    second = bounds[-2] if bounds.size > 1 else 0
    return float(max(2 * (bounds[-1] - bounds[0]), weight * second))


@public
def private_bound(
    counts: ArrayLike,
    *,
    bounds: ArrayLike,
    release_epsilon: float,
    release_delta: float,
    epsilon: float,
    neighbours: Relation = "replace",
    weight: float = 1.0,
    sensitivity: float | None = None,
    rng: Rng,
) -> Release[int]:
    """Choose a contribution bound for the release over an unknown domain, privately.

    Output distribution: a candidate C has probability proportional to
    ``exp(-epsilon V(C) / (2 sensitivity))``, with V from `objective_from_totals`.

    Parameters
    ----------
    counts : shape (n, d), dense or sparse
        Count of each user and item; what is not a count is taken for 0.
    bounds : shape (k,)
        The candidates, whole numbers of at least 1, public.
    release_epsilon
        Budget of the *release* for which the bound is chosen; the choice has its own.
    release_delta
        The delta of the release, positive and below 1/2.
    epsilon
        Budget of the choice, positive.
    neighbours
        Which inputs are neighbours: in "replace" the data of one user are replaced, in "add-remove" one user
        is added or removed.
    weight
        Factor of the second sum of V, from 0 to 2: 1 in the paper's display.
    sensitivity
        By default half of `objective_range`, the smallest for which the guarantee holds. The paper's
        ``5 C_max / 2`` and `objective_sensitivity` are valid too, and spend less than `epsilon`.
    rng
        Generator of NumPy, or `userdp.release.Secure` for a release in earnest.

    Returns
    -------
    Release
        The chosen bound `value`, and the `guarantee` of the choice alone.

    Notes
    -----
    Liu et al. (2023), Algorithm 4. No public bound on the records of a user is needed, because
    those beyond the largest candidate change V at all candidates alike.

    Examples
    --------
    >>> release = {"release_epsilon": 1.0, "release_delta": 1e-6}
    >>> options = {"bounds": [1, 5, 20], "epsilon": 0.5}
    >>> counts, rng = np.full((900, 3), 2), np.random.default_rng(1)
    >>> private_bound(counts, rng=rng, **release, **options).value
    20
    """
    bounds = whole_bounds(bounds)
    least = objective_range(bounds, neighbours=neighbours, weight=weight) / 2
    sensitivity = (least or 1.0) if sensitivity is None else sensitivity  # no range: one candidate
    _validate.in_range(least, float("inf"), sensitivity=sensitivity)
    release = {"epsilon": release_epsilon, "delta": release_delta, "neighbours": neighbours}
    # a cut at the largest candidate alters no probability, but a huge user would swallow the digits
    sizes = np.minimum(norms(counts, 1), bounds.max())
    expected = clipped_totals(counts, bounds, norm=1)
    scores = -objective_from_totals(sizes, expected, bounds, weight=weight, **release)
    choice = ExponentialChoice.calibrated(epsilon=epsilon, sensitivity=sensitivity, neighbours=neighbours)
    return Release(int(bounds[choice.choose(scores, rng)]), choice.guarantee)
