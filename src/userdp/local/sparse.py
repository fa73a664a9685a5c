"""Sparse mean vectors under user-level local differential privacy (Kent, Berrett and Yu, section 4).

By selection: each user sends one noisy number, the sum of its own random signs over the coordinates in
which its mean is clearly not zero, and multiplying back by a coordinate's signs recovers the share of
users who chose it. By thresholding: estimate all coordinates, keep the large ones.

Users' means have shape (n, d); the order of the users is public, the first n/2 select and the last n/2
refine (an odd last user is left out). Neighbouring inputs replace one user's whole data.
"""

import numpy as np

from userdp import _validate
from userdp.local.hashing import Hashes, hash_report, hashed_scores
from userdp.local.mean import localised_width
from userdp.local.vector import _rows, localised_vector_mean
from userdp.privacy.guarantee import disjoint, sequential
from userdp.privacy.reports import project
from userdp.privacy.results import SparseEstimate

__all__ = ["selection_threshold", "select", "sparse_selection", "simulate_selection", "sparse_threshold"]

CLIP_CONSTANT = 30.0  # Algorithm 6, eq. (37)
CUT = 0.5  # Algorithm 6, eq. (40)
THRESHOLD_CONSTANT = 24.0  # C' of Algorithm 7, eq. (42): what its proof needs for noise of 6 half-widths
ORDERS = ("index", "score")


def selection_threshold(n, size, d, *, epsilon):
    """Local threshold of a coordinate, Kent's varepsilon of eq. (37), with T* = T.

    Parameters
    ----------
    n : int
        Number of users.
    size : int
        Records each user holds.
    d : int
        Dimension.
    epsilon : float
        Local budget.

    Returns
    -------
    float
        ``sqrt(2 log(d n size epsilon^2) / size)``.

    Raises
    ------
    ValueError
        If a parameter is out of range or ``d * n * size * epsilon**2`` is at most 1.
    """
    _validate.integer(2, n=n)
    _validate.integer(1, size=size, d=d)
    _validate.positive(epsilon=epsilon)
    information = d * n * size * epsilon**2
    _validate.exceeds_one("d * n * size * epsilon**2", information, " for the threshold")
    return float(np.sqrt(2 * np.log(information) / size))


def select(scores, sparsity, *, order="index"):
    """Coordinates kept: of those that score at least 1/2, the first by index or the highest.

    Parameters
    ----------
    scores : ndarray, shape (d,)
        Scores.
    sparsity : int
        How many to keep at most.
    order : {"index", "score"}
        Algorithm 6 keeps the first by index.

    Returns
    -------
    ndarray of int
        At most `sparsity` coordinates, increasing.
    """
    _validate.one_of(ORDERS, order=order)
    passing = np.flatnonzero(scores >= CUT)
    if order == "score":
        passing = passing[np.argsort(-scores[passing], kind="stable")]
    return np.sort(passing[:sparsity])


def sparse_selection(
    means,
    size,
    *,
    sparsity,
    epsilon,
    rng,
    threshold=None,
    clip=None,
    width=None,
    general=False,
    order="index",
    printed=False,
    every_report=False,
):
    """Select coordinates by hashed votes, then estimate the selected ones (Kent, Algorithm 6).

    Output law: the first n/2 users choose the coordinates in which their mean is at least `threshold` in
    absolute value, and `hashed_scores` of their choices and `select` pick at most `sparsity`; those are
    estimated by `userdp.local.vector.localised_vector_mean` from the last n/2 users, the others are 0.

    Parameters
    ----------
    means : array_like, shape (n, d)
        Mean of each user over `size` records; projected to [-1, 1]^d.
    size : int
        Records each user holds; it only sets the defaults.
    sparsity : int
        Assumed number s of coordinates whose mean is not 0; n must be at least 4 s.
    epsilon : float
        Local budget of each user, positive.
    rng : numpy.random.Generator
        Source of the randomness.
    threshold : float, optional
        Threshold on a user's mean; `selection_threshold` by default.
    clip : float, optional
        Bound on the hashed sum; ``sqrt(30 sparsity)`` by default.
    width : float, optional
        Half-width of a bin; by default `userdp.local.mean.localised_width` of n/2 users shared by
        `sparsity` coordinates: the printed algorithm counts n users where n/2 are left.
    general : bool
        Passed to `localised_vector_mean`; Algorithm 6 calls Algorithm 4, which is False.
    order : {"index", "score"}
        Which coordinates to keep when more than `sparsity` pass.
    printed : bool
        Refine with the folds of all n users, as Algorithm 6 passes n and eq. (31) numbers them: the first
        half then reports twice and the guarantee is the sum.
    every_report : bool
        Draw every user's report instead of the exact laws of their sums.

    Returns
    -------
    SparseEstimate
        Estimate, selected coordinates and scores, with the guarantee of a user's whole transcript.

    Raises
    ------
    ValueError
        If a public parameter is out of range.
    """
    means = project(_rows(means), -1.0, 1.0)
    n, d = means.shape
    clip, threshold, width = _tuning(n, d, size, sparsity, epsilon, threshold, clip, width)
    half = n // 2
    chosen = np.abs(means[:half]) >= threshold
    scores = hashed_scores(chosen, clip=clip, epsilon=epsilon, rng=rng, every_report=every_report)
    selected = select(scores, sparsity, order=order)
    refining = means[: 2 * half] if printed else means[half : 2 * half]
    spent = hash_report(clip, epsilon).guarantee
    compose = sequential if printed else disjoint
    options = {"epsilon": epsilon, "rng": rng, "width": width, "general": general}
    options["every_report"] = every_report
    return _refine(refining[:, selected], size, scores, selected, spent, compose, **options)


def simulate_selection(
    population,
    n,
    size,
    *,
    sparsity,
    epsilon,
    rng,
    threshold=None,
    clip=None,
    width=None,
    general=False,
    order="index",
):
    """Draw what `sparse_selection` returns for `n` users of a population, from its exact law.

    Output law: that of `sparse_selection` on ``population.draw_means(size, n, rng)``; the first half's
    hashed sums and the second half's means in the selected coordinates are drawn, nothing else.

    Parameters
    ----------
    population : SparseSigns
        Law of the records.
    n : int
        Number of users.
    size, sparsity, epsilon, rng, threshold, clip, width, general, order
        As for `sparse_selection`.

    Returns
    -------
    SparseEstimate
        As for `sparse_selection`.

    Raises
    ------
    ValueError
        If a public parameter is out of range.
    """
    d = population.d
    clip, threshold, width = _tuning(n, d, size, sparsity, epsilon, threshold, clip, width)
    half = n // 2
    hashes = Hashes.draw(half, d, rng)
    sums = population.draw_sums(hashes, size, threshold, rng)
    report = hash_report(clip, epsilon)
    scores = hashes.scores(report.privatise(sums, rng))
    selected = select(scores, sparsity, order=order)
    columns = population.draw_columns(selected, size, half, rng)
    options = {"epsilon": epsilon, "rng": rng, "width": width, "general": general}
    return _refine(columns, size, scores, selected, report.guarantee, disjoint, **options)


def _tuning(n, d, size, sparsity, epsilon, threshold, clip, width):
    """Public tuning, fixed and checked before any data are looked at: clip, threshold and width."""
    _validate.integer(1, size=size, sparsity=sparsity)
    _validate.in_range(1, d, sparsity=sparsity)
    _validate.integer(4 * sparsity, n=n)
    _validate.positive(epsilon=epsilon)
    clip = float(np.sqrt(CLIP_CONSTANT * sparsity)) if clip is None else clip
    threshold = selection_threshold(n, size, d, epsilon=epsilon) if threshold is None else threshold
    width = localised_width(n // 2 // sparsity, size, epsilon=epsilon) if width is None else width
    _validate.positive(clip=clip, threshold=threshold, width=width)
    return clip, threshold, width


def _refine(columns, size, scores, selected, spent, compose, **options):
    """Estimate the selected coordinates; `compose` says whether voters are among those who report."""
    value, guarantee = np.zeros(scores.size), spent
    if selected.size:
        vector = localised_vector_mean(columns, size, **options)
        value[selected] = vector.value
        guarantee = compose(spent, vector.guarantee)
    return SparseEstimate(value, selected, scores, guarantee)


def sparse_threshold(
    means,
    size,
    *,
    sparsity,
    epsilon,
    rng,
    constant=THRESHOLD_CONSTANT,
    width=None,
    general=False,
    every_report=False,
):
    """Estimate every coordinate, then keep the largest above a threshold (Kent, Algorithm 7).

    Output law: `userdp.local.vector.localised_vector_mean` of the means, with 0 in place of all coordinates
    but the `sparsity` largest in absolute value, and of those at most ``3 constant width sqrt(d log(n size
    epsilon^2) / (n epsilon^2))``.

    Parameters
    ----------
    means : array_like, shape (n, d)
        Mean of each user over `size` records; projected to [-1, 1]^d; n must be at least 2 d.
    size : int
        Records each user holds; it only sets the defaults.
    sparsity : int
        Assumed number of coordinates whose mean is not 0.
    epsilon : float
        Local budget of each user, positive.
    rng : numpy.random.Generator
        Source of the randomness.
    constant : float
        C' of eq. (42), positive; the paper asks for one that is large enough, and 24 is.
    width : float, optional
        Half-width of a bin; ``sqrt(4 log(n size epsilon^2) / size)`` of eq. (42) by default.
    general : bool
        Passed to `localised_vector_mean`; Algorithm 7 runs Algorithm 2, which is False.
    every_report : bool
        Draw every user's report instead of the exact laws of their sums.

    Returns
    -------
    SparseEstimate
        Estimate, kept coordinates, and as scores the estimates before the threshold.

    Raises
    ------
    ValueError
        If a public parameter is out of range.
    """
    means = project(_rows(means), -1.0, 1.0)
    n, d = means.shape
    _validate.integer(1, size=size, sparsity=sparsity)
    _validate.in_range(1, d, sparsity=sparsity)
    _validate.positive(epsilon=epsilon, constant=constant)
    information = n * size * epsilon**2
    _validate.exceeds_one("n * size * epsilon**2", information, " for the threshold")
    width = float(np.sqrt(4 * np.log(information) / size)) if width is None else width
    cut = 3 * constant * width * np.sqrt(d * np.log(information) / (n * epsilon**2))
    options = {"width": width, "general": general, "every_report": every_report}
    vector = localised_vector_mean(means, size, epsilon=epsilon, rng=rng, **options)
    largest = np.argsort(-np.abs(vector.value), kind="stable")[:sparsity]
    selected = np.sort(largest[np.abs(vector.value[largest]) > cut])
    value = np.zeros(d)
    value[selected] = vector.value[selected]
    return SparseEstimate(value, selected, vector.value, vector.guarantee)
