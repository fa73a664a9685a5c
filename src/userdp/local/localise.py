"""Localise by votes for bins: the first round of Kent's Algorithms 2 and 10 and of DAME (eqs. 4 and 5).

The mean, density and mixture estimators share this first step. The domain is cut into bins, each user votes
privately for the bin that contains its mean, and the server takes the bin with the most votes. Most readers
call an estimator, such as `improved_mean`, which takes this step itself.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, NDArray, Rng
from userdp.privacy.reports import EveryReport, UnaryEncoding, literal, project

MOST_BINS = 10**6  # bins of half-width 1e-6: of use to users with some 1e13 records each


@public
@dataclass(frozen=True)
class Bins:
    r"""Bins of width ``2 tau`` that cover ``[-1, 1]`` from the left.

    There are as many as ``1 / tau``, rounded up. Bin j is ``[-1 + 2 j tau, -1 + 2 (j + 1) tau)``; the last
    one contains its right end.

    Parameters
    ----------
    half_width
        Half the width of a bin, at least 1e-6: :math:`\tau` in DAME, eq. (4), and
        :math:`\Delta` of Kent et al.
    truncated
        Whether the last bin ends at 1; otherwise it keeps its full width and may overhang.

    Examples
    --------
    >>> bins = Bins(0.25)
    >>> bins.count, bins.index([-1.0, 0.3, 1.0]).tolist()
    (4, [0, 2, 3])
    """

    half_width: float
    truncated: bool = False

    def __post_init__(self) -> None:
        _validate.in_range(1 / MOST_BINS, math.inf, half_width=self.half_width)

    @property
    def count(self) -> int:
        """Number of bins."""
        return math.ceil(1 / self.half_width)

    def ends(self, j: Any) -> tuple[Any, Any]:
        """Lower and upper end of bin `j`, from 0 to ``count - 1``, or of each of several."""
        lower = -1 + 2 * j * self.half_width
        upper = lower + 2 * self.half_width
        return lower, (np.minimum(upper, 1.0) if self.truncated else upper)

    def centre(self, j: Any) -> Any:
        """Middle of bin `j`."""
        lower, upper = self.ends(j)
        return (lower + upper) / 2

    def index(self, means: ArrayLike) -> NDArray:
        """Bin of each mean, shape (n,), half-open on the right; means are projected to ``[-1, 1]``."""
        # at least 0, so that the conversion is the floor
        j = ((project(means, -1, 1) + 1) / (2 * self.half_width)).astype(np.int64)
        return np.minimum(j, self.count - 1)


@public
@dataclass(frozen=True)
class Ballot:
    """Votes for the bin of a mean and for the `reach` bins on either side of it.

    Parameters
    ----------
    bins
        The bins voted for.
    reach
        Bins voted for on either side: 0 for one vote per user (Kent, Algorithm 2), 1 for three votes (DAME,
        eq. (5); Kent, Algorithm 10).
    epsilon
        Privacy budget of one user's vote if every mean falls into one bin.
    closed
        Whether bins share their edges, as DAME's Algorithm 1 prints them. A mean on an edge then casts
        ``2 reach + 2`` votes at unchanged probabilities, and the guarantee says what that costs.

    Examples
    --------
    >>> ballot = Ballot(Bins(0.25), reach=0, epsilon=1.0)
    >>> votes = ballot.count(np.full(9000, 0.3), np.random.default_rng(1))
    >>> votes.size, int(np.argmax(votes))
    (4, 2)
    """

    bins: Bins
    reach: int
    epsilon: float
    closed: bool = False

    @property
    def randomiser(self) -> UnaryEncoding:
        """Unary encoding of the votes; its keep probability is ``expit(epsilon / (4 reach + 2))``."""
        votes = 2 * self.reach + 1
        ones = votes + self.closed
        # the ratio is exactly 1 unless closed, so that rounding cannot add to the budget
        return UnaryEncoding(self.bins.count, ones, self.epsilon * (ones / votes))

    def positions(self, means: ArrayLike, eligible: NDArray | None = None) -> NDArray:
        """Positions voted for, shape (n, votes); a user who is not eligible votes for none."""
        j = self.bins.index(means)
        columns = [j + offset for offset in range(-self.reach, self.reach + 1)]
        if self.closed:
            on_edge = (j > 0) & (np.asarray(means) == self.bins.ends(j)[0])
            columns.insert(0, np.where(on_edge, j - self.reach - 1, -1))
        if eligible is not None:
            columns = [np.where(eligible, column, -1) for column in columns]
        return np.stack(columns).T

    def count(
        self, means: NDArray, rng: Rng, *, eligible: NDArray | None = None, every_report: bool = False
    ) -> NDArray:
        """Draw the privatised vote total of each bin, shape (count,).

        With `every_report` each user's report is drawn and summed; otherwise the totals are drawn
        from their exact distribution.
        """
        randomiser = literal(self.randomiser, every_report, rng)
        if isinstance(randomiser, EveryReport) or self.closed:
            return randomiser.sample_total(self.positions(means, eligible), rng)
        return randomiser.sample_total_of_counts(self.held(means, eligible), len(means), rng)

    def held(self, means: NDArray, eligible: NDArray | None = None) -> NDArray:
        """True votes of each bin, shape (count,): the means in it and in the `reach` bins on either side."""
        voters = means if eligible is None else means[eligible]
        own = np.bincount(self.bins.index(voters), minlength=self.bins.count)
        ones = np.convolve(own, np.ones(2 * self.reach + 1, dtype=np.int64))
        return ones[self.reach : self.reach + self.bins.count]
