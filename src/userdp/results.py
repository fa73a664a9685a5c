"""What an estimator returns: the value and everything the server saw on the way."""

from dataclasses import dataclass

import numpy as np

from userdp.guarantee import Guarantee


@dataclass(frozen=True)
class MeanEstimate:
    """A private estimate of a mean.

    Parameters
    ----------
    value : float
        The estimate of theta; not projected onto [-1, 1].
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
