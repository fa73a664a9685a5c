"""Sparse mean vectors under user-level local differential privacy (Kent, Berrett and Yu, section 4).

By selection: each user sends one noisy number, the sum of its own random signs over the coordinates in
which its mean is clearly not zero, and multiplying back by a coordinate's signs recovers the share of
users who chose it. By thresholding: estimate all coordinates, keep the large ones.

Users' means have shape (n, d); the order of the users is public, the first n/2 select and the last n/2
refine (an odd last user is left out). Neighbouring inputs replace one user's whole data.
"""

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np

from userdp import _validate
from userdp._types import ArrayLike, NDArray, Rng
from userdp.local.hashing import hashed_scores
from userdp.local.mean import _How, _log_information, _table, localised_half_width
from userdp.local.vector import _by_coordinate
from userdp.privacy.guarantee import disjoint, sequential
from userdp.privacy.reports import project
from userdp.privacy.results import Release, SparseEstimate

__all__ = ["selection_threshold", "select_coordinates", "sparse_selection", "sparse_threshold"]

CLIP_CONSTANT = 30.0  # Algorithm 6, eq. (37)
CUT = 0.5  # Algorithm 6, eq. (40)
THRESHOLD_CONSTANT = 24.0  # C' of Algorithm 7, eq. (42): what its proof needs for noise of 6 half-widths
Order = Literal["index", "score"]


def selection_threshold(*, n: int, size: int, d: int, epsilon: float) -> float:
    """Local threshold of a coordinate, Kent's varepsilon of eq. (37), with T* = T.

    For n users of `size` records in d dimensions ``sqrt(2 log(d n size epsilon^2) / size)``.
    """
    _validate.positive(epsilon=epsilon)
    return float(np.sqrt(2 * _log_information(n, size, epsilon**2, d=d) / size))


def select_coordinates(scores: NDArray, sparsity: int, *, order: Order = "index") -> NDArray:
    """At most `sparsity` coordinates, increasing: of those that score at least 1/2 the first or the highest.

    Algorithm 6 keeps the first by index.
    """
    _validate.one_of(get_args(Order), order=order)
    passing = np.flatnonzero(scores >= CUT)
    if order == "score":
        passing = passing[np.argsort(-scores[passing], kind="stable")]
    return np.sort(passing[:sparsity])


def sparse_selection(
    means: ArrayLike,
    *,
    size: int,
    sparsity: int,
    epsilon: float,
    threshold: float | None = None,
    clip: float | None = None,
    half_width: float | None = None,
    general: bool = False,
    order: Order = "index",
    printed: bool = False,
    every_report: bool = False,
    rng: Rng,
) -> SparseEstimate:
    """Select coordinates by hashed votes, then estimate the selected ones (Kent, Algorithm 6).

    Output law: the first n/2 users choose the coordinates in which their mean is at least `threshold` in
    absolute value, and `hashed_scores` of their choices and `select_coordinates` pick at most `sparsity`;
    those are estimated by `userdp.local.vector.localised_vector_mean` from the last n/2 users, the others
    are 0.

    Parameters
    ----------
    means : shape (n, d)
        Mean of each user over `size` records; projected to [-1, 1]^d.
    size
        Records each user holds; it only sets the defaults.
    sparsity
        Assumed number s of coordinates whose mean is not 0; n must be at least 4 s.
    epsilon, every_report, rng
        As for `userdp.local.mean.laplace_mean`.
    threshold
        Threshold on a user's mean; `selection_threshold` by default.
    clip
        Bound on the hashed sum; ``sqrt(30 sparsity)`` by default.
    half_width
        Half-width of a bin; by default `userdp.local.mean.localised_half_width` of n/2 users shared by
        `sparsity` coordinates: the printed algorithm counts n users where n/2 are left.
    general
        Passed to `localised_vector_mean`; Algorithm 6 calls Algorithm 4, which is False.
    order
        Which coordinates to keep when more than `sparsity` pass.
    printed
        Refine with the folds of all n users, as Algorithm 6 passes n and eq. (31) numbers them: the first
        half then reports twice and the guarantee is the sum.

    Examples
    --------
    >>> means, rng = np.tile([0.0, 0.6, 0.0], (40_000, 1)), np.random.default_rng(1)
    >>> result = sparse_selection(means, size=1000, sparsity=1, epsilon=1.0, rng=rng)
    >>> result.selected, result.value.round(1), result.guarantee.epsilon
    (array([1]), array([0. , 0.6, 0. ]), 1.0)
    """
    x = project(_table("nd", 1, epsilon, rng, means=means), -1.0, 1.0)
    (n, d), half = x.shape, len(x) // 2
    how = _How(size, epsilon, half_width, general, False, every_report, rng)
    how, threshold, clip = _tuned(how, n, d, sparsity, threshold, clip)
    chosen = np.abs(x[:half]) >= threshold
    voted = hashed_scores(chosen, epsilon=epsilon, clip=clip, rng=rng)
    selected = select_coordinates(voted.value, sparsity, order=order)
    refining = x[: 2 * half] if printed else x[half : 2 * half]
    return _refined(refining[:, selected], selected, voted, sequential if printed else disjoint, how)


def _tuned(
    how: _How, n: int, d: int, sparsity: int, threshold: float | None, clip: float | None
) -> tuple[_How, float, float]:
    """Public tuning, fixed and checked before any data are looked at, with threshold and clip."""
    size, epsilon, half_width = how[:3]
    _validate.integer(1, size=size)
    _validate.integer(1, d, sparsity=sparsity)
    _validate.integer(4 * sparsity, n=n)
    _validate.budget(epsilon=epsilon)
    clip = float(np.sqrt(CLIP_CONSTANT * sparsity)) if clip is None else clip
    threshold = selection_threshold(n=n, size=size, d=d, epsilon=epsilon) if threshold is None else threshold
    if half_width is None:
        half_width = localised_half_width(n=n // 2 // sparsity, size=size, epsilon=epsilon)
    _validate.positive(clip=clip, threshold=threshold, half_width=half_width)
    return how._replace(half_width=half_width), threshold, clip


def _refined(
    columns: NDArray, selected: NDArray, voted: Release, compose: Callable, how: _How
) -> SparseEstimate:
    """Estimate the selected coordinates; `compose` says whether voters are among those who report."""
    value, guarantee = np.zeros(voted.value.size), voted.guarantee
    if selected.size:
        vector = _by_coordinate(columns, how)
        value[selected] = vector.value
        guarantee = compose(guarantee, vector.guarantee)
    return SparseEstimate(value, guarantee, selected, voted.value)


def sparse_threshold(
    means: ArrayLike,
    *,
    size: int,
    sparsity: int,
    epsilon: float,
    constant: float = THRESHOLD_CONSTANT,
    half_width: float | None = None,
    general: bool = False,
    every_report: bool = False,
    rng: Rng,
) -> SparseEstimate:
    """Estimate every coordinate, then keep the largest above a threshold (Kent, Algorithm 7).

    Output law: `userdp.local.vector.localised_vector_mean` of the means, with 0 in place of all coordinates
    but the `sparsity` largest in absolute value, and of those at most ``3 constant half_width sqrt(d log(n
    size epsilon^2) / (n epsilon^2))``.

    Parameters
    ----------
    means : shape (n, d)
        Mean of each user over `size` records; projected to [-1, 1]^d; n must be at least 2 d.
    size, sparsity, epsilon, every_report, rng
        As for `sparse_selection`.
    constant
        C' of eq. (42); the paper asks for one that is large enough, and 24 is.
    half_width
        Half-width of a bin; ``sqrt(4 log(n size epsilon^2) / size)`` of eq. (42) by default.
    general
        Passed to `localised_vector_mean`; Algorithm 7 runs Algorithm 2, which is False.

    Examples
    --------
    >>> means, rng = np.tile([0.0, 0.6, 0.0], (400_000, 1)), np.random.default_rng(1)
    >>> sparse_threshold(means, size=10_000, sparsity=1, epsilon=1.0, rng=rng).value.round(2)
    array([0. , 0.6, 0. ])
    """
    x = project(_table("nd", 1, epsilon, rng, means=means), -1.0, 1.0)
    n, d = x.shape
    _validate.integer(1, d, sparsity=sparsity)
    _validate.positive(constant=constant)
    log = _log_information(n, size, epsilon**2)
    half_width = float(np.sqrt(4 * log / size)) if half_width is None else half_width
    cut = 3 * constant * half_width * np.sqrt(d * log / (n * epsilon**2))
    vector = _by_coordinate(x, _How(size, epsilon, half_width, general, False, every_report, rng))
    largest = np.argsort(-np.abs(vector.value), kind="stable")[:sparsity]
    selected = np.sort(largest[np.abs(vector.value[largest]) > cut])
    value = np.zeros(d)
    value[selected] = vector.value[selected]
    return SparseEstimate(value, vector.guarantee, selected, vector.value)
