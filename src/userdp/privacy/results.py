"""What an estimator returns: a value, its guarantee, and what else the server saw on the way.

For every estimator, ``value`` is the private answer and ``guarantee`` is what it cost one user. Where the
error has a known distribution, ``interval`` gives a confidence interval.
"""

from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from userdp import _validate
from userdp._public import checked
from userdp._types import Floats, Ints
from userdp.privacy.guarantee import Guarantee

__all__ = ["Release", "MeanEstimate", "VectorEstimate", "SparseEstimate", "MixtureEstimate", "CoverEstimate"]
__all__ += ["WeightedEstimate", "HistogramEstimate", "CountEstimate"]

Value = TypeVar("Value", covariant=True)


@dataclass(frozen=True, eq=False)
class Release(Generic[Value]):
    """One private answer, and the guarantee of all that was spent on one user for it.

    Parameters
    ----------
    value
        The private answer.
    guarantee
        What was spent on one user for it.
    error
        Name and numbers of the distribution of the error, where it is known.
    sent
        The value before it was projected to a domain, where it was.
    """

    value: Value
    guarantee: Guarantee
    error: tuple | None = field(default=None, kw_only=True, repr=False)
    sent: float | None = field(default=None, kw_only=True, repr=False)

    @checked
    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Interval that contains the average of these users' data with probability `level` at least.

        It is valid for finitely many users, whatever their data within the domain are, and is computed from
        the distribution of the released answer. A method for whose error no such distribution is known is
        refused.

        Parameters
        ----------
        level
            Probability, between 0 and 1.
        """
        _validate.inside(0, 1, level=level)
        if self.error is None:
            raise ValueError(f"level has no answer: no interval is proved for this method, got {level}")
        from userdp import _intervals

        value = self.value if self.sent is None else self.sent
        return getattr(_intervals, self.error[0])(value, (1 - level) / 2, *self.error[1:])


@dataclass(frozen=True, eq=False)
class MeanEstimate(Release[float]):
    """A private estimate of a mean; its estimator says whether it lies in the domain.

    Parameters
    ----------
    clipped_to
        Ends of the interval onto which the last group's means were projected; the domain for `sign_mean`,
        None for one round of reports.
    votes : shape (bins,), or None
        Private vote totals, one for each bin, or for `improved_mean` one for each pair of bins; None without
        a vote.
    """

    clipped_to: tuple[float, float] | None = None
    votes: Ints | None = None

    @property
    def chosen(self) -> int | None:
        """Index of the chosen bin: the first with the most votes; None without a localisation step."""
        return None if self.votes is None else int(np.argmax(self.votes))


@dataclass(frozen=True, eq=False)
class VectorEstimate(Release[Floats]):
    """A private estimate, shape (d,), of a mean vector, of a density's coefficients or of fractions of users.

    Parameters
    ----------
    coordinates
        The estimate of each coordinate that was estimated by itself, on the scale ``[-1, 1]`` and after the
        rotation if there is one, each with its own guarantee; empty for a one-round report. The guarantee of
        the whole is composed over all coordinates that a user took part in.
    """

    coordinates: tuple[MeanEstimate, ...] = ()


@dataclass(frozen=True, eq=False)
class SparseEstimate(Release[Floats]):
    """A private estimate, shape (d,), of a mean vector with few coordinates that are not zero.

    Parameters
    ----------
    selected : shape (at most s,)
        Coordinates kept; outside of them the value is zero.
    scores : shape (d,)
        What the selection looked at: the estimated fraction of votes of each coordinate, or the estimate of
        each coordinate before it was thresholded.
    """

    selected: Ints
    scores: Floats


@dataclass(frozen=True, eq=False)
class MixtureEstimate(Release[Floats]):
    """A private estimate of the means of a mixture's components, shape (k,), in the order of `midpoints`.

    Parameters
    ----------
    midpoints : shape (k,)
        Centres of the chosen bins, increasing.
    proportions : shape (k,)
        Estimated fraction of the users in each component; may be negative.
    votes : shape (bins,)
        Privatised vote totals of the first third.
    """

    midpoints: Floats
    proportions: Floats
    votes: Ints


@dataclass(frozen=True, eq=False)
class CoverEstimate(Release[Floats]):
    """The centre, shape (d,), of a privately chosen ball of a cover.

    Parameters
    ----------
    chosen
        Index of the ball: the first with the most votes.
    votes : shape (balls,)
        Privatised vote totals.
    """

    chosen: int
    votes: Ints


@dataclass(frozen=True, eq=False)
class WeightedEstimate(Release[float]):
    """A weighted mean of users under central privacy, in the units of the data.

    Parameters
    ----------
    weights : shape (users in the last step,)
        Weights of the users averaged, summing to 1; from public or already released quantities, except
        with private sizes, where they are for study and must not be published.
    scale
        Scale of the Laplace noise in `value`.
    initial
        Initial private mean; None where there is none.
    variance
        Private variance of the users' latent means; None where there is none.
    """

    weights: Floats
    scale: float
    initial: float | None = None
    variance: float | None = None


@dataclass(frozen=True, eq=False)
class HistogramEstimate(Release[Floats]):
    """A private histogram of all users' items, shape (d,).

    Over a known domain the counts are not projected, so that some may be negative; over an unknown one they
    are 0 where nothing was released. The guarantee is that of the release, for a bound that is public; a
    private choice of the bound adds its own.

    Parameters
    ----------
    bound
        Contribution bound C.
    scale
        Scale of the noise on each item.
    threshold
        What a noisy count had to exceed to be released; None over a known domain.
    """

    bound: float
    scale: float
    threshold: float | None = None


@dataclass(frozen=True, eq=False)
class CountEstimate(Release[float]):
    """A private estimate of the total count of one item: `rate` times the number of users.

    Parameters
    ----------
    rate
        The estimated mean rate, from 0 to the largest rate allowed.
    clipped_mean
        What the rate was computed from: clipped total plus noise, over the number of users; not projected,
        so that `clipped_mean` times the number of users is the estimate without debiasing.
    bound
        Contribution bound C, public, as for `HistogramEstimate`.
    """

    rate: float
    clipped_mean: float
    bound: int
