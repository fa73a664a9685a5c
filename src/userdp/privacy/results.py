"""What an estimator returns: the value and everything the server saw on the way."""

from dataclasses import dataclass

import numpy as np

from userdp.privacy.guarantee import Guarantee

__all__ = [
    "MeanEstimate",
    "VectorEstimate",
    "SparseEstimate",
    "MixtureEstimate",
    "CoverEstimate",
    "WeightedEstimate",
    "HistogramEstimate",
    "CountEstimate",
]


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
    votes : ndarray of int, shape (bins,), or None
        Privatised vote totals, a bin each; None without a localisation step.
    guarantee : Guarantee
        Composed from what the randomisers spent on one user's whole transcript.
    """

    value: float
    interval: tuple[float, float] | None
    votes: np.ndarray | None
    guarantee: Guarantee

    @property
    def chosen(self):
        """Index of the chosen bin: the first with the most votes; None without a localisation step."""
        return None if self.votes is None else int(np.argmax(self.votes))


@dataclass(frozen=True)
class VectorEstimate:
    """A private estimate of a mean vector, of a density's coefficients or of shares of users.

    Parameters
    ----------
    value : ndarray, shape (d,)
        The estimate of theta; not projected.
    coordinates : tuple of MeanEstimate
        The estimate on the scale [-1, 1] of each coordinate that was estimated by itself (after the
        rotation, if there is one), each with the guarantee of that one estimate; empty for a one-round
        report.
    guarantee : Guarantee
        Composed over one user's whole transcript, all coordinates that the user took part in.
    """

    value: np.ndarray
    coordinates: tuple[MeanEstimate, ...]
    guarantee: Guarantee


@dataclass(frozen=True)
class SparseEstimate:
    """A private estimate of a mean vector with few coordinates that are not zero.

    Parameters
    ----------
    value : ndarray, shape (d,)
        The estimate of theta, zero outside `selected`.
    selected : ndarray of int, shape (at most s,)
        Coordinates kept.
    scores : ndarray, shape (d,)
        What the selection looked at: the estimated share of votes of each coordinate, or the estimate of
        each coordinate before it was thresholded.
    guarantee : Guarantee
        Composed over one user's whole transcript.
    """

    value: np.ndarray
    selected: np.ndarray
    scores: np.ndarray
    guarantee: Guarantee


@dataclass(frozen=True)
class MixtureEstimate:
    """A private estimate of the means of a mixture's components.

    Parameters
    ----------
    value : ndarray, shape (k,)
        The estimated means, in the order of `midpoints`.
    midpoints : ndarray, shape (k,)
        Centres of the chosen bins, increasing.
    proportions : ndarray, shape (k,)
        Estimated share of the users in each component; may be negative.
    votes : ndarray of int, shape (bins,)
        Privatised vote totals of the first third.
    guarantee : Guarantee
        Of the costliest of the three rounds: a user takes part in one.
    """

    value: np.ndarray
    midpoints: np.ndarray
    proportions: np.ndarray
    votes: np.ndarray
    guarantee: Guarantee


@dataclass(frozen=True)
class CoverEstimate:
    """A private choice of one ball of a cover.

    Parameters
    ----------
    value : ndarray, shape (d,)
        Centre of the chosen ball.
    chosen : int
        Its index: the first with the most votes.
    votes : ndarray of int, shape (balls,)
        Privatised vote totals.
    guarantee : Guarantee
        Composed from what the randomiser spent on one user's vote.
    """

    value: np.ndarray
    chosen: int
    votes: np.ndarray
    guarantee: Guarantee


@dataclass(frozen=True)
class WeightedEstimate:
    """A weighted mean of users under central privacy.

    Parameters
    ----------
    value : float
        The estimate; not projected onto [0, 1].
    weights : ndarray, shape (users in the last step,)
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
    weights: np.ndarray
    scale: float
    initial: float | None
    spread: float | None
    guarantee: Guarantee


@dataclass(frozen=True)
class HistogramEstimate:
    """A private histogram of all users' items.

    Parameters
    ----------
    value : ndarray, shape (d,)
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

    value: np.ndarray
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
        Of the release, for a bound that is public; a private choice of the bound adds its own.
    """

    value: float
    rate: float
    clipped_mean: float
    bound: int
    guarantee: Guarantee
