"""Choose a ball of a cover by private votes, for users who know the mean (Kent, Algorithm 1).

Every user holds one point; with infinitely many records it is the mean itself. The space is covered by balls,
each user votes privately for one that contains its point, and the server takes the ball with the most votes.
The point of one user is protected, and each user sends one report.
"""

import itertools
import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, NDArray, Rng
from userdp.local._rounds import users_table
from userdp.privacy.reports import UnaryEncoding, literal, project
from userdp.privacy.results import CoverEstimate

Metric = Literal["l2", "linf"]
METRICS = {"l2": "euclidean", "linf": "chebyshev"}
# a point on the rim of a closed ball stays in it whatever the last bit of its distance is
RIM = 1e-9


@public
@dataclass(frozen=True, eq=False)
class Cover:
    """Closed balls of one radius.

    Parameters
    ----------
    centres : shape (N, d)
        Centres of the balls, in the order that decides ties.
    radius
        Radius of the balls.
    metric
        Distance that makes them balls: "l2" is Euclidean, "linf" the largest difference of a coordinate.
    differing
        Most balls that contain one of two points and not the other, over all pairs of points. If it is not
        given it is the number of all balls, which is always an upper bound. Only the printed votes of
        `cover_select` need it.

    Examples
    --------
    >>> cover = Cover.on_cube(2, 3)
    >>> cover.count, cover.index([[0.4, 0.4]]).tolist()
    (9, [8])
    """

    centres: NDArray
    radius: float
    metric: Metric = "l2"
    differing: int | None = None

    def __post_init__(self) -> None:
        centres = np.array(self.centres, dtype=float)
        if centres.ndim != 2 or not centres.size or not np.isfinite(centres).all():
            raise ValueError(f"centres must be finite with shape (N, d), got shape {centres.shape}")
        _validate.positive(radius=self.radius)
        _validate.one_of(METRICS, metric=self.metric)
        differing = len(centres) if self.differing is None else self.differing
        _validate.integer(0, differing=differing)
        object.__setattr__(self, "centres", centres)
        object.__setattr__(self, "differing", min(differing, len(centres)))

    @classmethod
    def on_cube(cls, d: int, cells: int, *, metric: Metric = "l2") -> "Cover":
        """Cover of ``[-1, 1]^d`` by the balls around small cubes, of which `cells` fill a side.

        The radius is that of the ball around a small cube: ``1 / cells`` in the maximum norm,
        ``sqrt(d) / cells`` in the Euclidean norm. There are at most 10 million balls. `differing` is exact in
        the maximum norm and for d up to 3; otherwise it is the number of balls.
        """
        _validate.integer(1, d=d, cells=cells)
        _validate.one_of(METRICS, metric=metric)
        _validate.in_range(1, _validate.LISTED ** (1 / d), cells=cells)
        middles = -1 + (2 * np.arange(cells) + 1) / cells
        centres = np.stack(np.meshgrid(*[middles] * d, indexing="ij"), axis=-1).reshape(-1, d)
        radius = (math.sqrt(d) if metric == "l2" else 1.0) / cells
        known = metric == "linf" or d <= 3
        return cls(centres, radius, metric, _differing_on_cube(d, cells) if known else None)

    @property
    def count(self) -> int:
        """Number of balls."""
        return len(self.centres)

    def distances(self, points: ArrayLike) -> NDArray:
        """Distance of each point, shape (n, d), to each centre, shape (n, N), after projection to the box."""
        low, high = self.centres.min(axis=0) - self.radius, self.centres.max(axis=0) + self.radius
        return scipy.spatial.distance.cdist(project(points, low, high), self.centres, METRICS[self.metric])

    def holds(self, points: ArrayLike) -> NDArray:
        """Whether each ball contains each point, boolean of shape (n, N): the votes as printed."""
        return self.distances(points) <= self.radius * (1 + RIM)

    def index(self, points: ArrayLike) -> NDArray:
        """First ball that contains each point, shape (n,); the nearest one where none does."""
        distances = self.distances(points)
        held = distances <= self.radius * (1 + RIM)
        return np.where(held.any(axis=1), held.argmax(axis=1), distances.argmin(axis=1))


def _differing_on_cube(d: int, cells: int) -> int:
    """Most balls that contain one of two points and not the other.

    Along each axis a point lies in one of the cells or on the edge of two adjacent ones, and the balls that
    contain it are the product of these over the axes; four cells per axis show all that any number does.
    """
    line = range(min(cells, 4))
    runs = [{j} for j in line] + [{j, j + 1} for j in line[:-1]]
    sizes = {(len(a), len(b), len(a & b)) for a, b in itertools.product(runs, repeat=2)}
    pairs = itertools.combinations_with_replacement(sorted(sizes), d)
    return max(sum(np.prod(pair, axis=0) * (1, 1, -2)) for pair in pairs)


@public
def cover_select(
    points: ArrayLike,
    *,
    cover: Cover,
    epsilon: float,
    printed: bool = False,
    every_report: bool = False,
    rng: Rng,
) -> CoverEstimate:
    """Vote privately for the ball that contains the mean (Kent, Algorithm 1).

    Output distribution: each user votes for the first ball that contains its point. Each of the N entries of
    the vote is kept with probability ``expit(epsilon / 2)`` and flipped otherwise, independently. The value
    is the centre of the first ball with the most votes.

    Parameters
    ----------
    points : shape (n, d)
        Point of each user; projected to the box around the cover.
    cover
        The public cover.
    epsilon
        Local privacy budget of each user, positive.
    printed
        Whether to vote for *every* ball that contains the point, as line 5 of Algorithm 1 is printed,
        although (10) makes the balls disjoint. Two votes then differ in up to ``cover.differing`` entries,
        and the guarantee is that number times ``epsilon / 2``.
    every_report
        Whether to draw each user's report; by default their sum is drawn from its exact
        distribution, which is faster.
    rng
        Generator of NumPy, or `userdp.release.Secure` for a release in earnest.

    Returns
    -------
    CoverEstimate
        The centre `value` of the chosen ball, shape (d,), its `guarantee`, which ball was `chosen`, and the
        `votes`.

    Examples
    --------
    >>> rng, points = np.random.default_rng(1), np.full((2000, 2), 0.4)
    >>> cover = Cover.on_cube(2, 3)
    >>> result = cover_select(points, cover=cover, epsilon=1.0, rng=rng)
    >>> result.value.round(2)
    array([0.67, 0.67])
    """
    x = users_table("nd", 1, epsilon, rng, points=points)
    d = cover.centres.shape[1]
    if x.shape[1] != d:
        raise ValueError(f"points must have shape (n, {d}), got shape {x.shape}")
    distinct, user = np.unique(x, axis=0, return_inverse=True)
    positions = _all_balls(cover.holds(distinct)) if printed else cover.index(distinct)[:, None]
    # with `count` ones allowed and the budget scaled up alike, the keep probability is the same
    ones = cover.count if printed else 1
    randomiser = UnaryEncoding(cover.count, ones, ones * epsilon, cover.differing if printed else None)
    guarantee = randomiser.guarantee
    randomiser = literal(randomiser, every_report, rng)
    votes = randomiser.sample_total(positions[user.ravel()], rng)
    chosen = int(np.argmax(votes))
    return CoverEstimate(cover.centres[chosen], guarantee, chosen, votes)


def _all_balls(held: NDArray) -> NDArray:
    """Positions of all ones of each row, padded by -1."""
    most = max(1, held.sum(axis=1).max())
    order = np.argsort(~held, axis=1, kind="stable")[:, :most]
    return np.where(np.take_along_axis(held, order, axis=1), order, -1)
