"""Sparse mean vectors by selection or by thresholding (Kent, Algorithms 6 and 7).

Selection first finds the coordinates whose mean is not zero. Each user sends one noisy number, the sum of its
own random signs over the coordinates in which its mean is clearly not zero; the server multiplies it by the
signs of a coordinate, which recovers the fraction of users who chose that coordinate (after Zhou et al.
2022). Thresholding estimates all coordinates and keeps the large ones.

The order of the users is public. The first half selects and the second half refines; an odd last user is left
out. The whole data of one user are protected.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, NDArray, Rng
from userdp.local._rounds import Options, log_information, real_numbers, users_table
from userdp.local.mean import localised_half_width
from userdp.local.vector import by_coordinate
from userdp.privacy.guarantee import disjoint, sequential
from userdp.privacy.reports import LaplaceReport, project
from userdp.privacy.results import Release, SparseEstimate

# signs of the eight users in each value of a byte
_BYTE_SIGNS = 2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little") - 1


@public
@dataclass(frozen=True, eq=False)
class Hashes:
    """A fair public sign for each user and coordinate, eight users per byte.

    Parameters
    ----------
    n
        Number of users.
    packed : uint8, shape (ceil(n / 8), d)
        The signs; a set bit is +1.
    """

    n: int
    packed: NDArray

    @classmethod
    def draw(cls, n: int, d: int, rng: Rng) -> "Hashes":
        """Draw independent fair signs for `n` users and `d` coordinates."""
        _validate.integer(1, n=n, d=d)
        _validate.generator(rng=rng)
        words = rng.integers(0, 2**64, size=(-(-n // 8) * d + 7) // 8, dtype=np.uint64)
        return cls(n, words.view(np.uint8)[: -(-n // 8) * d].reshape(-1, d))

    def signs(self, coordinates: Any = slice(None)) -> NDArray:
        """Signs of the given coordinates, shape (n, coordinates), as -1 and +1."""
        bits = np.unpackbits(self.packed[:, coordinates], axis=0, count=self.n, bitorder="little")
        return 2 * bits.astype(np.int8) - 1

    @cached_property
    def balance(self) -> NDArray:
        """Sum of each user's signs over all coordinates, shape (n,): from how often each byte occurs."""
        often = np.stack([np.bincount(row, minlength=256) for row in self.packed])
        return _validate.locked((often @ _BYTE_SIGNS).ravel()[: self.n].astype(np.int64))

    def sums(self, chosen: NDArray) -> NDArray:
        """Sum of each user's signs over the coordinates that it chose; `chosen` is boolean, shape (n, d)."""
        users, coordinates = np.nonzero(chosen)
        bits = self.packed[users // 8, coordinates] >> (users % 8).astype(np.uint8) & 1
        return np.bincount(users, weights=2.0 * bits - 1, minlength=self.n)

    def scores(self, reports: ArrayLike) -> NDArray:
        """Average over users of sign times report, shape (d, ...) for reports of shape (n, ...).

        Eight users per table look-up; further axes are other reports under the same signs.
        """
        sent = np.asarray(reports)
        padded = np.zeros((len(self.packed), 8, sent[0].size))
        padded.reshape(-1, padded.shape[2])[: self.n] = sent.reshape(self.n, -1)
        total = np.zeros((self.packed.shape[1], padded.shape[2]))
        for table, row in zip(_BYTE_SIGNS @ padded, self.packed, strict=True):
            total += np.take(table, row, axis=0)
        return total.reshape(-1, *sent.shape[1:]) / self.n


def hash_report(clip: float, epsilon: float) -> LaplaceReport:
    """Randomiser of a hashed sum: what each user sends, and what that costs (Algorithm 6, eq. (39))."""
    _validate.budget(epsilon=epsilon)
    _validate.positive(clip=clip)
    return LaplaceReport(-clip, clip, epsilon)


@public
def hashed_scores(chosen: ArrayLike, *, epsilon: float, clip: float, rng: Rng) -> Release[NDArray]:
    r"""Estimate the fraction of users who chose each coordinate from one number per user (Algorithm 6).

    Output distribution: user i draws fair public signs :math:`r_{ij}` and reports the sum of those of the
    coordinates j that it chose, projected to ``[-clip, clip]``, with Laplace noise of scale
    ``2 clip / epsilon``. The score of j is the average over the users of :math:`r_{ij}` times the report.

    Parameters
    ----------
    chosen : bool, shape (n, d)
        Coordinates that each user chose.
    epsilon
        Local privacy budget of each user, positive. The choices of one user are protected.
    clip
        Bound on the sum; :math:`\eta` in the paper.
    rng
        Generator of NumPy.

    Returns
    -------
    Release
        The scores `value`, shape (d,), and their `guarantee`.

    Examples
    --------
    >>> chosen = np.arange(3) < np.arange(40_000)[:, None] % 4
    >>> rng = np.random.default_rng(1)
    >>> hashed_scores(chosen, epsilon=1.0, clip=3.0, rng=rng).value.round(1)
    array([0.8, 0.5, 0.2])
    """
    held = real_numbers("nd", 1, chosen=chosen).astype(bool)
    report = hash_report(clip, epsilon)
    hashes = Hashes.draw(held.shape[0], held.shape[1], rng)
    return Release(hashes.scores(report.privatise(hashes.sums(held), rng)), report.guarantee)


CLIP_CONSTANT = 30.0  # Algorithm 6, eq. (37)
SPARSE_CUT = 0.5  # Algorithm 6, eq. (40)
THRESHOLD_CONSTANT = 24.0  # C' of Algorithm 7, eq. (42): what its proof needs for noise of 6 half-widths
Order = Literal["index", "score"]


@public
def selection_threshold(*, n: int, size: int, d: int, epsilon: float) -> float:
    r"""Threshold on a user's mean above which it chooses a coordinate (Kent, eq. (37)).

    For n users of T records each in d dimensions it is ``sqrt(2 log(d n T epsilon^2) / T)``; the paper calls
    it :math:`\varepsilon`, and has its effective number of records ``T^*`` in the place of T.

    Parameters
    ----------
    n
        Number of users.
    size
        Records T that each user holds.
    d
        Number of coordinates.
    epsilon
        Local privacy budget of each user, positive.
    """
    _validate.positive(epsilon=epsilon)
    return float(np.sqrt(2 * log_information(n, size, epsilon**2, d=d) / size))


@public
def select_coordinates(scores: NDArray, sparsity: int, *, order: Order = "index") -> NDArray:
    """Keep at most `sparsity` of the coordinates that score at least 1/2, in increasing order.

    Parameters
    ----------
    scores : shape (d,)
        Score of each coordinate.
    sparsity
        Most coordinates to keep.
    order
        Which to keep where more pass: the first by "index", as Algorithm 6 does, or the highest by "score".
    """
    _validate.integer(0, sparsity=sparsity)
    passing = np.flatnonzero(scores >= SPARSE_CUT)
    if order == "score":
        passing = passing[np.argsort(-scores[passing], kind="stable")]
    return np.sort(passing[: int(sparsity)])


@public
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

    Output distribution:

    1. Each user of the first half chooses the coordinates in which its mean is at least `threshold` in
       absolute value.
    2. `hashed_scores` of these choices and `select_coordinates` pick at most `sparsity` coordinates.
    3. The second half estimates those by `userdp.local.vector.localised_vector_mean`; the others are 0.

    Parameters
    ----------
    means : shape (n, d)
        Mean of each user over `size` records; projected to ``[-1, 1]^d``.
    size
        Records that each user holds; it only sets the defaults.
    sparsity
        Assumed number s of coordinates whose mean is not 0; there must be at least :math:`4s` users.
    epsilon
        Local privacy budget of each user, positive.
    threshold
        Threshold on a user's mean; `selection_threshold` by default.
    clip
        Bound on the hashed sum; ``sqrt(30 sparsity)`` by default.
    half_width
        Half-width of a bin; by default `userdp.local.mean.localised_half_width` for half of the users, shared
        out over `sparsity` coordinates. (The printed algorithm counts all users where half are left.)
    general
        Passed to `localised_vector_mean`; Algorithm 6 calls Algorithm 4, which is False.
    order
        Which coordinates to keep when more than `sparsity` pass: the first by "index" or the highest by
        "score".
    printed
        Whether to refine with the folds of all users, as Algorithm 6 passes n and eq. (31) numbers them: the
        first half then reports twice, and the guarantee is the sum.
    every_report
        Whether to draw each user's report; by default their sum is drawn from its exact
        distribution, which is faster.
    rng
        Generator of NumPy.

    Returns
    -------
    SparseEstimate
        The estimate `value`, shape (d,), its `guarantee`, the `selected` coordinates and the `scores` of all.

    Examples
    --------
    >>> means = np.tile([0.0, 0.6, 0.0], (40_000, 1))
    >>> options = {"size": 1000, "sparsity": 1, "epsilon": 1.0}
    >>> rng = np.random.default_rng(1)
    >>> result = sparse_selection(means, rng=rng, **options)
    >>> result.selected, result.value.round(1), result.guarantee.epsilon
    (array([1]), array([0. , 0.6, 0. ]), 1.0)
    """
    x = project(users_table("nd", 1, epsilon, rng, means=means), -1.0, 1.0)
    (n, d), half = x.shape, len(x) // 2
    how = Options(size, epsilon, half_width, general, False, every_report, rng)
    how, threshold, clip = tuned(how, n, d, sparsity, threshold, clip)
    voted = hashed_scores(np.abs(x[:half]) >= threshold, epsilon=epsilon, clip=clip, rng=rng)
    selected = select_coordinates(voted.value, sparsity, order=order)
    refining = x[: 2 * half] if printed else x[half : 2 * half]
    return refined(refining[:, selected], selected, voted, sequential if printed else disjoint, how)


def tuned(
    how: Options, n: int, d: int, sparsity: int, threshold: float | None, clip: float | None
) -> tuple[Options, float, float]:
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


def refined(
    columns: NDArray, selected: NDArray, voted: Release, compose: Callable, how: Options
) -> SparseEstimate:
    """Estimate the selected coordinates; `compose` says whether voters are among those who report."""
    value, guarantee = np.zeros(voted.value.size), voted.guarantee
    if selected.size:
        vector = by_coordinate(columns, how)
        value[selected] = vector.value
        guarantee = compose(guarantee, vector.guarantee)
    return SparseEstimate(value, guarantee, selected, voted.value)


@public
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

    Output distribution: `userdp.local.vector.localised_vector_mean` of the means, in which a coordinate is
    set to 0 unless it is one of the `sparsity` largest in absolute value and exceeds
    ``3 constant half_width sqrt(d log(n size epsilon^2) / (n epsilon^2))`` there.

    Parameters
    ----------
    means : shape (n, d)
        Mean of each user over `size` records; projected to ``[-1, 1]^d``. There must be at least :math:`2d`
        users.
    size
        Records that each user holds; it sets the default half-width and enters the threshold.
    sparsity
        Most coordinates to keep.
    epsilon
        Local privacy budget of each user, positive.
    constant
        The constant :math:`C'` of eq. (42); the paper asks for one that is large enough, and 24 is.
    half_width
        Half-width of a bin; ``sqrt(4 log(n size epsilon^2) / size)`` of eq. (42) by default.
    general
        Passed to `localised_vector_mean`; Algorithm 7 runs Algorithm 2, which is False.
    every_report
        Whether to draw each user's report; by default their sum is drawn from its exact
        distribution, which is faster.
    rng
        Generator of NumPy, or `userdp.release.Secure` for a release in earnest.

    Returns
    -------
    SparseEstimate
        The estimate `value`, shape (d,), its `guarantee`, the `selected` coordinates, and as `scores` the
        estimate of each coordinate before the threshold.

    Examples
    --------
    >>> means = np.tile([0.0, 0.6, 0.0], (400_000, 1))
    >>> options = {"size": 10_000, "sparsity": 1, "epsilon": 1.0}
    >>> rng = np.random.default_rng(1)
    >>> sparse_threshold(means, rng=rng, **options).value.round(2)
    array([0. , 0.6, 0. ])
    """
    x = project(users_table("nd", 1, epsilon, rng, means=means), -1.0, 1.0)
    n, d = x.shape
    _validate.integer(1, d, sparsity=sparsity)
    _validate.positive(constant=constant)
    log = log_information(n, size, epsilon**2)
    half_width = float(np.sqrt(4 * log / size)) if half_width is None else half_width
    cut = 3 * constant * half_width * np.sqrt(d * log / (n * epsilon**2))
    vector = by_coordinate(x, Options(size, epsilon, half_width, general, False, every_report, rng))
    largest = np.argsort(-np.abs(vector.value), kind="stable")[:sparsity]
    selected = np.sort(largest[np.abs(vector.value[largest]) > cut])
    value = np.zeros(d)
    value[selected] = vector.value[selected]
    return SparseEstimate(value, vector.guarantee, selected, vector.value)
