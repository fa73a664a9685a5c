"""Votes that a test runs through to enumerate what one user can send."""

import numpy as np


def vote_vectors(ballot):
    """Votes of a mean inside each bin and of a user without enough records."""
    bins = ballot.bins
    inside = np.array([-1 + (2 * j + 0.5) * bins.half_width for j in range(bins.count)])
    positions = ballot.positions(np.minimum(inside, 1))
    return ballot.randomiser.vectors(np.concatenate([positions, np.full((1, positions.shape[1]), -1)]))
