"""Users whose records are items, drawn by the totals that a contribution bound leaves.

A release needs the clipped totals of all users, and not their histograms. For two families of users these are
drawn for every bound at once, without a table of users and items: users whose records are independent
(`independent_draw`), and users with a Dirichlet distribution of their own (`dirichlet_draw`). To clip the
tables of `independent_histograms` or `dirichlet_histograms` by `random_clip` has the same distribution and is
slower.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, NDArray, Rng
from userdp_papers.populations.urns import urn_blocks


@public
@dataclass(frozen=True)
class HistogramDraw:
    """One draw of users: their totals, in full and clipped by several contribution bounds.

    Parameters
    ----------
    sizes : ndarray of int, shape (n,)
        Number of records ``m_u`` of each user.
    bounds : ndarray of int, shape (k,)
        Contribution bounds :math:`C`.
    truth : ndarray of int, shape (d,)
        Total of each item over all records.
    expected : ndarray, shape (k, d)
        Mean of the clipped totals given the users' counts :math:`N_{uj}`: ``sum_u N_uj min(1, C / m_u)``.
    totals : ndarray of int, shape (clips, k, d)
        Clipped totals; each clip is a fresh random order of every user's records.
    """

    sizes: NDArray[np.int64]
    bounds: NDArray[np.int64]
    truth: NDArray[np.int64]
    expected: NDArray
    totals: NDArray[np.int64]


@public
def independent_draw(
    probabilities: ArrayLike, sizes: ArrayLike, bounds: ArrayLike, *, rng: Rng
) -> HistogramDraw:
    """Draw users whose items have one distribution for all, and their clipped totals.

    Output distribution: that of clipping `independent_histograms` at random, jointly for all bounds. Users of
    one size have one multinomial draw for their records between two successive bounds.

    Parameters
    ----------
    probabilities : array_like, shape (d,)
        Distribution of a record, at least 0 with sum 1.
    sizes : array_like of int, shape (n,)
        Records of each user, at least 0.
    bounds : array_like of int, shape (k,)
        Contribution bounds, at least 1 and increasing.
    rng
        Source of the randomness.

    Returns
    -------
    HistogramDraw
        With one clip: a second one of the same users is not a function of the sums drawn here.

    Notes
    -----
    The i.i.d. users of Liu et al. (2023), Section 7.2.

    Examples
    --------
    >>> rng, sizes, bounds = np.random.default_rng(1), [3, 4], [1, 9]
    >>> drawn = independent_draw([0.5, 0.5], sizes, bounds, rng=rng)
    >>> drawn.totals.sum(axis=2)  # records that each bound leaves
    array([[2, 7]])
    """
    probabilities = _validate.vector(0, probabilities=probabilities)
    if abs(probabilities.sum() - 1) > 1e-9:
        raise ValueError(f"probabilities must sum to 1, got {float(probabilities.sum())!r}")
    sizes, bounds = _sizes_and_bounds(sizes, bounds)
    values, users = np.unique(sizes, return_counts=True)
    by_size = np.zeros((values.size, probabilities.size), dtype=np.int64)
    by_block = np.zeros((1, bounds.size + 1, probabilities.size), dtype=np.int64)
    for row, (m, count) in enumerate(zip(values, users, strict=True)):
        lengths = np.diff(np.append(np.minimum(bounds, m), m), prepend=0)
        filled = np.flatnonzero(lengths)
        drawn = rng.multinomial(count * lengths[filled], probabilities / probabilities.sum())
        by_size[row] = drawn.sum(axis=0)
        by_block[0, filled] += drawn
    return _draw(sizes, bounds, values, by_size, by_block)


@public
def dirichlet_draw(
    parameters: ArrayLike, sizes: ArrayLike, bounds: ArrayLike, *, clips: int = 1, rng: Rng
) -> HistogramDraw:
    """Draw users whose items have a distribution of the user's own, and their clipped totals.

    Output distribution: that of clipping `dirichlet_histograms` at random, jointly for all bounds. A user's
    records are drawn one by one from a Polya urn; any first few of them are a random clip.

    Parameters
    ----------
    parameters : array_like, shape (d,)
        Parameters of the Dirichlet distribution, positive.
    sizes : array_like of int, shape (n,)
        Records of each user, at least 0.
    bounds : array_like of int, shape (k,)
        Contribution bounds, at least 1 and increasing.
    clips
        Random clips of the same users, at least 1: independent of each other given the histograms.
    rng
        Source of the randomness.

    Returns
    -------
    HistogramDraw

    Notes
    -----
    The non-i.i.d. users of Liu et al. (2023), Section 7.2.

    Examples
    --------
    >>> rng, sizes, bounds = np.random.default_rng(1), [3, 4], [1, 9]
    >>> drawn = dirichlet_draw([0.1, 0.1], sizes, bounds, rng=rng)
    >>> drawn.totals.sum(axis=2)  # records that each bound leaves
    array([[2, 7]])
    """
    parameters = _validate.vector(np.finfo(float).tiny, parameters=parameters)
    _validate.integer(1, clips=clips)
    sizes, bounds = _sizes_and_bounds(sizes, bounds)
    occurs = np.bincount(sizes) > 0
    values, rows = np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[sizes]
    by_size = np.zeros((values.size, parameters.size), dtype=np.int64)
    by_block = np.zeros((int(clips), bounds.size + 1, parameters.size), dtype=np.int64)
    blocks = np.searchsorted(bounds, np.arange(sizes.max()), side="right")
    urn_blocks(sizes, rows, np.cumsum(parameters), blocks, int(clips), rng, by_size, by_block)
    return _draw(sizes, bounds, values, by_size, by_block)


@public
def independent_histograms(probabilities: ArrayLike, sizes: ArrayLike, *, rng: Rng) -> NDArray[np.int64]:
    """Draw the histogram of each user where items have one distribution for all.

    Output distribution: each row is multinomial given the user's size.

    Parameters
    ----------
    probabilities : array_like, shape (d,)
        Distribution of a record.
    sizes : array_like of int, shape (n,)
        Records of each user, at least 0.
    rng
        Source of the randomness.

    Returns
    -------
    ndarray of int, shape (n, d)
        One row per user.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> independent_histograms([0.5, 0.5], [3, 4], rng=rng).sum(axis=1)
    array([3, 4])
    """
    sizes = _validate.whole_numbers(0, sizes=sizes)
    return rng.multinomial(sizes, _validate.vector(0, probabilities=probabilities))


@public
def dirichlet_histograms(parameters: ArrayLike, sizes: ArrayLike, *, rng: Rng) -> NDArray[np.int64]:
    """Draw the histogram of each user where items have a distribution of the user's own.

    Output distribution: a Dirichlet distribution for each user, and given it a multinomial row.

    Parameters
    ----------
    parameters : array_like, shape (d,)
        Parameters of the Dirichlet distribution.
    sizes : array_like of int, shape (n,)
        Records of each user, at least 0.
    rng
        Source of the randomness.

    Returns
    -------
    ndarray of int, shape (n, d)
        One row per user.
    """
    sizes, parameters = _validate.whole_numbers(0, sizes=sizes), _validate.vector(0, parameters=parameters)
    return rng.multinomial(sizes, rng.dirichlet(parameters, sizes.size))


# trials of the rejection that are made at once
TRIALS = 16


@public
def dirichlet_poisson_table(n: int, alpha: float, *, mean: float = 1.0, rng: Rng) -> NDArray[np.int64]:
    """Draw how many users hold an item never, once, twice and so on, when rates differ.

    Output distribution: the users' rates are :math:`n` times `mean` times a symmetric Dirichlet vector with
    parameter `alpha`, their counts are Poisson, and the answer is the number of users at each count. The
    largest count listed is exceeded with a probability below n times 1e-20, and the rejection is exact except
    for as little.

    Parameters
    ----------
    n
        Number of users, at least 2.
    alpha
        Parameter of the Dirichlet distribution, positive: large values make users alike.
    mean
        Mean rate, positive.
    rng
        Source of the randomness.

    Returns
    -------
    ndarray of int, shape (largest count + 1,)
        Users at each count; they sum to n.

    Notes
    -----
    The total is Poisson; given the total, the counts are independent negative binomial variables given their
    sum. Users with two or more are drawn without the condition. Who holds 0 or 1 then follows from both
    totals, and the draw is kept with a probability in proportion to the binomial distribution of that split.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> int(dirichlet_poisson_table(1000, 1.0, rng=rng).sum())
    1000
    """
    _validate.integer(2, 10**9, n=n)
    # the list of counts has some mean / alpha entries, and the smaller is looked for one by one
    _validate.in_range(1e-3, 1e12, alpha=alpha)
    _validate.in_range(1e-9, 1e4, mean=mean)
    total = rng.poisson(n * mean)
    success = alpha / (alpha + max(total, 1) / n)
    largest = int(scipy.stats.nbinom.isf(1e-20, alpha, success)) + 2
    law = scipy.stats.nbinom.pmf(np.arange(largest + 1), alpha, success)
    few = law[0] + law[1]
    odds = law[1] / few
    several = np.append(law[2:], few)
    several /= several.sum()
    values = np.arange(2, largest + 1)
    # the peak of a binomial distribution falls with its number of trials: bound it at the fewest trials
    fewest = scipy.stats.binom.isf(1 - 1e-16, n, few) - 3 * np.sqrt(n * few * (1 - few))
    fewest = max(int(fewest), 0)
    peak = scipy.stats.binom.pmf(int((fewest + 1) * odds), fewest, odds)
    while True:
        tables = rng.multinomial(n, several, size=TRIALS)
        rest, ones = tables[:, -1], total - tables[:, :-1] @ values
        kept = rng.random(TRIALS) * peak <= scipy.stats.binom.pmf(ones, rest, odds)
        if kept.any():
            first = int(np.argmax(kept))
            return np.concatenate([[rest[first] - ones[first], ones[first]], tables[first, :-1]])


@public
def gamma_poisson_histograms(
    n: int, d: int, *, mean: float = 20.0, shape: float = 0.5, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw the histogram of each user where sizes have a heavy tail.

    Output distribution: counts are independent Poisson variables given the users. The mean size of a user is
    `mean` times a Gamma variable of mean 1, and item j, counted from 0, has a probability in proportion to
    ``1 / (j + 5)``.

    Parameters
    ----------
    n
        Number of users.
    d
        Number of items.
    mean
        Mean number of records of a user.
    shape
        Shape of the Gamma variable: the smaller, the heavier the tail.
    rng
        Source of the randomness.

    Returns
    -------
    ndarray, shape (n, d)
        One row per user.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> counts = gamma_poisson_histograms(1000, 20, rng=rng)
    >>> counts.shape, bool(abs(counts.sum() / 20_000 - 1) < 0.2)
    ((1000, 20), True)
    """
    _validate.integer(1, n=n, d=d)
    _validate.positive(mean=mean, shape=shape)
    popularity = 1 / (np.arange(d) + 5)
    sizes = mean * rng.standard_gamma(shape, n) / shape
    return rng.poisson(sizes[:, None] * popularity / popularity.sum()).astype(float)


def _sizes_and_bounds(sizes: ArrayLike, bounds: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    bounds = _validate.whole_numbers(1, increasing=True, bounds=bounds)
    return _validate.whole_numbers(0, sizes=sizes), bounds


def _draw(
    sizes: NDArray, bounds: NDArray, values: NDArray, by_size: NDArray, by_block: NDArray
) -> HistogramDraw:
    kept = np.minimum(1, bounds[:, None] / np.maximum(values, 1))
    totals = np.cumsum(by_block[:, :-1], axis=1)
    return HistogramDraw(sizes, bounds, by_size.sum(axis=0), kept @ by_size.astype(float), totals)
