"""Histograms over an unknown domain: sample each user's records, add noise, release what is large.

Nothing may be said of an item that only one user holds, so a count is released only above a threshold, and
only items that survive in somebody's *clipped* counts are looked at. Estimators are functions of the
clipped totals; `nested_totals` draws them for every contribution bound at once.
"""

import numpy as np
from scipy import sparse

from userdp import _validate
from userdp.central.histogram import RELATIONS
from userdp.privacy.guarantee import Guarantee
from userdp.privacy.results import HistogramEstimate

__all__ = [
    "random_clip",
    "nested_totals",
    "release_scale",
    "release_threshold",
    "unbounded_guarantee",
    "unbounded_histogram",
    "expected_error",
    "whole_bounds",
]


def random_clip(counts, bound, rng):
    """Keep a uniform sample, without replacement, of at most `bound` records of each user.

    Output law: the row of user u is multivariate hypergeometric with ``min(bound, m_u)`` draws,
    independently of the other users'.

    Parameters
    ----------
    counts : array_like of int, shape (n, d)
        Count of each user and item; what is not a count is taken for 0.
    bound : int
        Contribution bound C, at least 1.
    rng : numpy.random.Generator
        Source of the samples.

    Returns
    -------
    ndarray of int64, shape (n, d)
        The clipped counts.

    Raises
    ------
    ValueError
        If `bound` is not a whole number of at least 1 or `counts` has no two dimensions.

    Notes
    -----
    Liu et al. (2023), Section 5. One user at a time, as printed; `nested_totals` is the fast twin.
    """
    _validate.integer(1, bound=bound)
    counts = _table(counts)
    drawn = [rng.multivariate_hypergeometric(row, min(int(bound), int(row.sum()))) for row in counts]
    return np.array(drawn, dtype=np.int64).reshape(counts.shape)


def nested_totals(counts, bounds, rng):
    """Sum over the users of their randomly clipped counts, for every bound at once.

    Output law: for each bound that of ``random_clip(counts, bound, rng).sum(axis=0)``; the laws for
    several bounds are coupled, since the first C records of one random order serve every C.

    Parameters
    ----------
    counts : array_like or scipy.sparse array of int, shape (n, d)
        Count of each user and item; what is not a count is taken for 0.
    bounds : array_like of int, shape (k,)
        Contribution bounds, at least 1, in any order.
    rng : numpy.random.Generator
        Source of the orders.

    Returns
    -------
    ndarray of int64, shape (k, d)
        Clipped totals for each bound.

    Raises
    ------
    ValueError
        If a bound is not a whole number of at least 1 or `counts` has no two dimensions.
    """
    bounds = whole_bounds(bounds)
    n, d, user, item, repeats = _entries(counts)
    user, item = np.repeat(user, repeats), np.repeat(item, repeats)
    order = np.lexsort((rng.random(user.size), user))  # a random order of each user's records
    user, item = user[order], item[order]
    held = np.bincount(user, minlength=n)
    position = np.arange(user.size) - np.repeat(np.cumsum(held) - held, held)
    steps, place = np.unique(bounds, return_inverse=True)
    step = np.searchsorted(steps, position, side="right")  # the first bound that keeps the record
    kept = step < steps.size
    totals = np.bincount(step[kept] * d + item[kept], minlength=steps.size * d)
    return totals.reshape(-1, d).cumsum(axis=0)[place]


def release_scale(bound, *, epsilon, neighbours="replace"):
    """Scale of the Laplace noise: C / epsilon if users come and go, twice that if they are replaced."""
    _validate.integer(1, bound=bound)
    _validate.positive(epsilon=epsilon)
    _validate.one_of(RELATIONS, neighbours=neighbours)
    return (1 if neighbours == "add-remove" else 2) * bound / epsilon


def release_threshold(bound, *, epsilon, delta, neighbours="replace", tight=False):
    """Threshold t that a noisy count must exceed to be released.

    Parameters
    ----------
    bound : int
        Contribution bound C, at least 1.
    epsilon : float
        Budget of the release, positive.
    delta : float
        Slack, positive and below 1/2.
    neighbours : {"replace", "add-remove"}
        Which inputs are neighbours.
    tight : bool
        Whether to use the smaller threshold that the same proof allows.

    Returns
    -------
    float
        ``C + b log(C / (2 delta))`` with b = `release_scale` (Liu et al., Algorithm 3, line 3, where
        b = C / epsilon), or, if tight, ``max(C + b log(1 / (2 delta)), 1 + b log(C / (2 delta)))``.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """
    scale = release_scale(bound, epsilon=epsilon, neighbours=neighbours)
    _validate.positive(delta=delta)
    _validate.exceeds_one("1 / (2 delta)", 1 / (2 * delta), " for a threshold")
    if tight:
        one_block, singletons = np.log(1 / (2 * delta)), np.log(bound / (2 * delta))
        return float(max(bound + scale * one_block, 1 + scale * singletons))
    return float(bound + scale * np.log(bound / (2 * delta)))


def unbounded_guarantee(
    *, bound, epsilon, delta, neighbours="replace", tight=False, printed=False, distinct=None
):
    """Return what a release by `unbounded_histogram` with these parameters truly promises.

    Parameters
    ----------
    bound, epsilon, delta, neighbours, tight
        As for `release_threshold`.
    printed : bool
        Whether every item that anybody holds, clipped away or not, may be released, with noise C / epsilon.
    distinct : int or None
        With ``printed=True``: the most distinct items that one user can hold, a public bound; None if there
        is none.

    Returns
    -------
    Guarantee
        (epsilon, delta), central. With ``printed=True`` the delta is the largest probability that one of
        a newcomer's items is released, 1 if `distinct` is None, and under "replace" the epsilon doubles.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """
    relation = "add-remove" if printed else neighbours
    threshold = release_threshold(bound, epsilon=epsilon, delta=delta, neighbours=relation, tight=tight)
    _validate.one_of(RELATIONS, neighbours=neighbours)
    if not printed:
        return Guarantee(float(epsilon), float(delta), "central", neighbours)
    leak = 1.0
    if distinct is not None:
        _validate.integer(1, distinct=distinct)
        scale = release_scale(bound, epsilon=epsilon, neighbours=relation)
        leak = _leak(int(distinct), int(bound), scale, threshold)
    epsilon *= 2 if neighbours == "replace" else 1
    return Guarantee(float(epsilon), float(leak), "central", neighbours)


def _leak(distinct, bound, scale, threshold):
    """Probability that a newcomer with `distinct` items shows, if unclipped items may be released.

    Worst are C kept records of one item: the logarithm of the probability of silence is concave in each kept
    count, and kept counts add up to at most C.
    """
    kept = np.array([bound, 0])
    silent = np.log1p(-np.exp((kept - threshold) / scale) / 2)
    return float(-np.expm1(silent[0] + (distinct - 1) * silent[1]))


def unbounded_histogram(
    totals,
    *,
    bound,
    epsilon,
    delta,
    neighbours="replace",
    tight=False,
    printed=False,
    support=None,
    distinct=None,
    rng,
):
    """Release the histogram of all users over a domain that nobody knows.

    Output law: each item with a positive clipped total gets independent Laplace noise and is released if
    the sum exceeds the threshold; every other item is not mentioned, which is written as 0.

    Parameters
    ----------
    totals : array_like, shape (d,)
        Randomly clipped totals, from `nested_totals` or `random_clip`, for this `bound`.
    bound, epsilon, delta, neighbours, tight
        As for `release_threshold`.
    printed : bool
        Whether to run the paper's algorithm as printed: noise C / epsilon, and on every item of `support`.
        It costs more than (epsilon, delta); the guarantee says what.
    support : array_like of bool, shape (d,), or None
        With ``printed=True``: which items occur in the raw counts.
    distinct : int or None
        As for `unbounded_guarantee`.
    rng : numpy.random.Generator
        Source of the noise.

    Returns
    -------
    HistogramEstimate
        The released histogram, the threshold and the guarantee.

    Raises
    ------
    ValueError
        If a public parameter is out of range.

    Notes
    -----
    Liu et al. (2023), Algorithm 3, with the support of the clipped counts in the place of that of the raw
    ones.
    """
    guarantee = unbounded_guarantee(
        bound=bound,
        epsilon=epsilon,
        delta=delta,
        neighbours=neighbours,
        tight=tight,
        printed=printed,
        distinct=distinct,
    )
    if printed != (support is not None):
        raise ValueError(f"support must be given if and only if printed, got {support!r} for {printed!r}")
    relation = "add-remove" if printed else neighbours
    scale = release_scale(bound, epsilon=epsilon, neighbours=relation)
    threshold = release_threshold(bound, epsilon=epsilon, delta=delta, neighbours=relation, tight=tight)
    totals = np.clip(np.nan_to_num(np.asarray(totals, dtype=float), nan=0.0), 0, None)
    shown = np.asarray(support, dtype=bool) if printed else totals > 0
    noisy = totals + rng.laplace(scale=scale, size=totals.shape)
    value = np.where(shown & (noisy > threshold), noisy, 0.0)
    return HistogramEstimate(value, float(bound), scale, threshold, guarantee)


def expected_error(totals, truth, *, scale, threshold, printed=False):
    """Exact expected distance of each released count from the truth, given the clipped totals.

    Parameters
    ----------
    totals : array_like, shape (..., d)
        Clipped totals.
    truth : array_like, shape (d,)
        True totals of all records.
    scale : float or array_like that broadcasts
        Scale b of the Laplace noise.
    threshold : float or array_like that broadcasts
        Threshold t of the release.
    printed : bool
        Whether items with a clipped total of 0 may be released if their truth is positive.

    Returns
    -------
    ndarray, shape (..., d)
        ``E |(h + Z) 1{h + Z > t} - N|`` in closed form, h from `totals` and N from `truth`.

    Notes
    -----
    What Liu et al. (2023), Theorem B.1, bounds up to constants. Averaged over the draws of the clipped
    totals this is the expected loss of the release, without the noise of simulating it.
    """
    totals, truth = np.asarray(totals, dtype=float), np.asarray(truth, dtype=float)
    scale = np.asarray(scale, dtype=float)
    needed, missing = threshold - totals, truth - totals
    tail = np.exp(-np.abs(needed) / scale) / 2
    passes = np.where(needed >= 0, tail, 1 - tail)
    # E[(Z - missing); Z > needed]; where the noise may fall short of `missing`, twice the part above it
    signed = _excess(needed, scale) + (needed - missing) * passes
    distance = np.where(needed >= missing, signed, 2 * _excess(missing, scale) - signed)
    error = truth * (1 - passes) + distance
    shown = truth > 0 if printed else totals > 0
    return np.where(shown, error, truth)


def _excess(x, scale):
    """Mean of ``max(Z - x, 0)`` for Laplace noise Z."""
    return np.maximum(-x, 0) + scale / 2 * np.exp(-np.abs(x) / scale)


def whole_bounds(bounds):
    """Return bounds as an array of whole numbers of at least 1, or raise naming the first bad one."""
    bounds = np.asarray(bounds)
    if bounds.ndim != 1 or bounds.size == 0:
        raise ValueError(f"bounds must be a list of contribution bounds, got {bounds!r}")
    for bound in bounds.tolist():
        _validate.integer(1, bounds=bound)
    return bounds.astype(np.int64)


def _entries(counts):
    """Shape of the counts, then user, item and count of each that is positive."""
    if sparse.issparse(counts):
        counts = sparse.coo_array(counts)
        repeats = _whole(counts.data)
        return *counts.shape, counts.row, counts.col, repeats
    counts = _table(counts)
    user, item = np.nonzero(counts)
    return *counts.shape, user, item, counts[user, item]


def _table(counts):
    counts = np.asarray(counts)
    if counts.ndim != 2:
        raise ValueError(f"counts must have shape (n, d), got {counts.shape}")
    return _whole(counts)


def _whole(counts):
    """Counts as whole numbers, with what is not a count set to 0."""
    if not np.issubdtype(counts.dtype, np.integer):
        counts = np.nan_to_num(counts.astype(float), nan=0.0, posinf=0.0, neginf=0.0)
    return np.clip(counts, 0, 10**9).astype(np.int64)
