"""What an estimator returns: the value and everything the server saw on the way."""

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from userdp._types import Floats, Ints
from userdp.privacy.guarantee import Guarantee

__all__ = [
    "Release",
    "MeanEstimate",
    "VectorEstimate",
    "SparseEstimate",
    "MixtureEstimate",
    "CoverEstimate",
    "WeightedEstimate",
    "HistogramEstimate",
    "CountEstimate",
]

Value = TypeVar("Value", covariant=True)


@dataclass(frozen=True)
class Release(Generic[Value]):
    """One private answer, `value`, and the `guarantee` of all that was spent on it."""

    value: Value
    guarantee: Guarantee


@dataclass(frozen=True)
class MeanEstimate:
    """A private estimate of a mean.

    Parameters
    ----------
    value : float
        The estimate of theta; not projected onto the domain.
    interval : tuple of float or None
        The interval (L, U) onto which the second group's means were projected; None without a
        localisation step.
    votes : shape (bins,), or None
        Privatised vote totals, a bin each; None without a localisation step.
    guarantee : Guarantee
        Composed from what the randomisers spent on one user's whole transcript.
    """

    value: float
    interval: tuple[float, float] | None
    votes: Ints | None
    guarantee: Guarantee

    @property
    def chosen(self) -> int | None:
        """Index of the chosen bin: the first with the most votes; None without a localisation step."""
        return None if self.votes is None else int(np.argmax(self.votes))


@dataclass(frozen=True)
class VectorEstimate:
    """A private estimate of a mean vector, of a density's coefficients or of shares of users.

    Parameters
    ----------
    value : shape (d,)
        The estimate of theta; not projected.
    coordinates : tuple of MeanEstimate
        The estimate on the scale [-1, 1] of each coordinate that was estimated by itself (after the
        rotation, if there is one), each with the guarantee of that one estimate; empty for a one-round
        report.
    guarantee : Guarantee
        Composed over one user's whole transcript, all coordinates that the user took part in.
    """

    value: Floats
    coordinates: tuple[MeanEstimate, ...]
    guarantee: Guarantee


@dataclass(frozen=True)
class SparseEstimate:
    """A private estimate of a mean vector with few coordinates that are not zero.

    Parameters
    ----------
    value : shape (d,)
        The estimate of theta, zero outside `selected`.
    selected : shape (at most s,)
        Coordinates kept.
    scores : shape (d,)
        What the selection looked at: the estimated share of votes of each coordinate, or the estimate of
        each coordinate before it was thresholded.
    guarantee : Guarantee
        Composed over one user's whole transcript.
    """

    value: Floats
    selected: Ints
    scores: Floats
    guarantee: Guarantee


@dataclass(frozen=True)
class MixtureEstimate:
    """A private estimate of the means of a mixture's components.

    Parameters
    ----------
    value : shape (k,)
        The estimated means, in the order of `midpoints`.
    midpoints : shape (k,)
        Centres of the chosen bins, increasing.
    proportions : shape (k,)
        Estimated share of the users in each component; may be negative.
    votes : shape (bins,)
        Privatised vote totals of the first third.
    guarantee : Guarantee
        Of the costliest of the three rounds: a user takes part in one.
    """

    value: Floats
    midpoints: Floats
    proportions: Floats
    votes: Ints
    guarantee: Guarantee


@dataclass(frozen=True)
class CoverEstimate:
    """A private choice of one ball of a cover.

    Parameters
    ----------
    value : shape (d,)
        Centre of the chosen ball.
    chosen : int
        Its index: the first with the most votes.
    votes : shape (balls,)
        Privatised vote totals.
    guarantee : Guarantee
        Composed from what the randomiser spent on one user's vote.
    """

    value: Floats
    chosen: int
    votes: Ints
    guarantee: Guarantee


@dataclass(frozen=True)
class WeightedEstimate:
    """A weighted mean of users under central privacy.

    Parameters
    ----------
    value : float
        The estimate, in the units of the data; not projected onto their domain.
    weights : shape (users in the last step,)
        Weights of the users averaged, summing to 1; from public or already released quantities, except
        with private sizes, where they are for study and must not be published.
    scale : float
        Scale of the Laplace noise in `value`.
    initial : float or None
        Initial private mean; None where there is none.
    spread : float or None
        Private variance of the users' own means; None where there is none.
    guarantee : Guarantee
        Composed over all that is released about one user.
    """

    value: float
    weights: Floats
    scale: float
    initial: float | None
    spread: float | None
    guarantee: Guarantee


@dataclass(frozen=True)
class HistogramEstimate:
    """A private histogram of all users' items.

    Parameters
    ----------
    value : shape (d,)
        The released counts; over a known domain not projected, so that some may be negative; over an
        unknown one 0 where nothing was released.
    bound : float
        Contribution bound C.
    scale : float
        Scale of the noise on each item.
    threshold : float or None
        What a noisy count had to exceed to be released; None over a known domain.
    guarantee : Guarantee
        Of the release, for a bound that is public; a private choice of the bound adds its own.
    """

    value: Floats
    bound: float
    scale: float
    threshold: float | None
    guarantee: Guarantee


@dataclass(frozen=True)
class CountEstimate:
    """A private estimate of the total count of one item.

    Parameters
    ----------
    value : float
        The estimate of the total: `rate` times the number of users.
    rate : float
        The estimated mean rate, from 0 to the largest rate allowed.
    clipped_mean : float
        What the rate was computed from: clipped total plus noise, over the number of users; not projected,
        so that `clipped_mean` times the number of users is the estimate without debiasing.
    bound : int
        Contribution bound C.
    guarantee : Guarantee
        As for `HistogramEstimate`.
    """

    value: float
    rate: float
    clipped_mean: float
    bound: int
    guarantee: Guarantee
