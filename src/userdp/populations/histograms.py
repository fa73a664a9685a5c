"""Populations of users with histograms, drawn as what contribution bounds leave of them.

A release needs the clipped totals of all users, not their histograms. Two families of users allow these to
be drawn for every bound at once and without an n x d table: users whose records are independent draws
(`independent_draw`, by blocks of positions) and users with a Dirichlet law of their own (`dirichlet_draw`,
by Polya urns). `random_clip` of `independent_histograms` or `dirichlet_histograms` is the slow twin.
"""

from dataclasses import dataclass

import numpy as np

from userdp import _validate
from userdp.populations.urns import urn_blocks

__all__ = [
    "HistogramDraw",
    "independent_draw",
    "dirichlet_draw",
    "independent_histograms",
    "dirichlet_histograms",
]


@dataclass(frozen=True)
class HistogramDraw:
    """What the estimators and their exact errors need to know about one population.

    Parameters
    ----------
    sizes : ndarray of int, shape (n,)
        Records of each user, m_u.
    bounds : ndarray of int, shape (k,)
        Contribution bounds C.
    truth : ndarray of int, shape (d,)
        Totals of all records.
    expected : ndarray, shape (k, d)
        Mean of the clipped totals given all histograms, ``sum_u N_uj min(1, C / m_u)``.
    totals : ndarray of int, shape (clips, k, d)
        Clipped totals: each clip is a fresh random order of every user's records.
    """

    sizes: np.ndarray
    bounds: np.ndarray
    truth: np.ndarray
    expected: np.ndarray
    totals: np.ndarray


def independent_draw(probabilities, sizes, bounds, *, rng):
    """Draw users whose records are independent, with one law for all, and their clipped totals.

    Output law: jointly that of clipping `independent_histograms` at random for each bound. Records at
    positions C_{b-1} + 1 .. C_b of all users of one size are one multinomial draw.

    Parameters
    ----------
    probabilities : array_like, shape (d,)
        Law of a record, at least 0 with sum 1.
    sizes : array_like of int, shape (n,)
        Records of each user, at least 0.
    bounds : array_like of int, shape (k,)
        Contribution bounds, at least 1 and increasing.
    rng : numpy.random.Generator
        Source of the randomness.

    Returns
    -------
    HistogramDraw
        With one clip: a second one of the same users is not a function of the sums drawn here.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    The i.i.d. users of Liu et al. (2023), Section 7.2.
    """
    probabilities = _weights("probabilities", probabilities)
    if abs(probabilities.sum() - 1) > 1e-9:
        raise ValueError(f"probabilities must sum to 1, got {float(probabilities.sum())!r}")
    sizes, bounds = _sizes(sizes), _bounds(bounds)
    values, users = np.unique(sizes, return_counts=True)
    by_size = np.zeros((values.size, probabilities.size), dtype=np.int64)
    by_block = np.zeros((1, bounds.size + 1, probabilities.size), dtype=np.int64)
    for row, (m, count) in enumerate(zip(values, users, strict=True)):
        lengths = np.diff(np.append(np.minimum(bounds, m), m), prepend=0)
        filled = np.flatnonzero(lengths)
        drawn = rng.multinomial(count * lengths[filled], probabilities / probabilities.sum())
        by_size[row] = drawn.sum(axis=0)
        by_block[0, filled] += drawn
    return _draw(sizes, bounds, values, by_size, by_block)


def dirichlet_draw(parameters, sizes, bounds, *, clips=1, rng):
    """Draw users who each have a Dirichlet law of their own, and their clipped totals.

    Output law: jointly that of clipping `dirichlet_histograms` at random for each bound. A user's records are
    a Polya urn, an exchangeable sequence, whose first C are a random clip for every C at once.

    Parameters
    ----------
    parameters : array_like, shape (d,)
        Parameters of the Dirichlet law, positive.
    sizes : array_like of int, shape (n,)
        Records of each user, at least 0.
    bounds : array_like of int, shape (k,)
        Contribution bounds, at least 1 and increasing.
    clips : int
        Random clips of the same users, at least 1: independent of each other given the histograms.
    rng : numpy.random.Generator
        Source of the randomness.

    Returns
    -------
    HistogramDraw
        The population.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    The non-i.i.d. users of Liu et al. (2023), Section 7.2.
    """
    parameters = _weights("parameters", parameters)
    if not (parameters > 0).all():
        raise ValueError(f"parameters must be positive, got {float(parameters.min())!r}")
    _validate.integer(1, clips=clips)
    sizes, bounds = _sizes(sizes), _bounds(bounds)
    values, rows = np.unique(sizes, return_inverse=True)
    by_size = np.zeros((values.size, parameters.size), dtype=np.int64)
    by_block = np.zeros((int(clips), bounds.size + 1, parameters.size), dtype=np.int64)
    blocks = np.searchsorted(bounds, np.arange(sizes.max()), side="right")
    urn_blocks(sizes, rows, np.cumsum(parameters), blocks, int(clips), rng, by_size, by_block)
    return _draw(sizes, bounds, values, by_size, by_block)


def independent_histograms(probabilities, sizes, *, rng):
    """Draw the histogram of each user of `independent_draw`, shape (n, d): multinomial given the size."""
    return rng.multinomial(_sizes(sizes), _weights("probabilities", probabilities))


def dirichlet_histograms(parameters, sizes, *, rng):
    """Draw the histogram of each user of `dirichlet_draw`, shape (n, d): first its law, then its records."""
    sizes = _sizes(sizes)
    return rng.multinomial(sizes, rng.dirichlet(_weights("parameters", parameters), sizes.size))


def _draw(sizes, bounds, values, by_size, by_block):
    kept = np.minimum(1, bounds[:, None] / np.maximum(values, 1))
    totals = np.cumsum(by_block[:, :-1], axis=1)
    return HistogramDraw(sizes, bounds, by_size.sum(axis=0), kept @ by_size.astype(float), totals)


def _weights(name, values):
    values = np.asarray(values, dtype=float)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"{name} must have shape (d,), got {values.shape}")
    if not np.isfinite(values).all() or values.min() < 0:
        raise ValueError(f"{name} must be finite and at least 0, got {values!r}")
    return values


def _sizes(sizes):
    sizes = np.asarray(sizes)
    if sizes.ndim != 1 or sizes.size == 0 or not np.issubdtype(sizes.dtype, np.integer):
        raise ValueError(f"sizes must be whole numbers of shape (n,), got {sizes!r}")
    if sizes.min() < 0:
        raise ValueError(f"sizes must be at least 0, got {sizes.min()} for user {sizes.argmin()}")
    return sizes.astype(np.int64)


def _bounds(bounds):
    bounds = np.asarray(bounds)
    if bounds.ndim != 1 or bounds.size == 0 or not np.issubdtype(bounds.dtype, np.integer):
        raise ValueError(f"bounds must be whole numbers of shape (k,), got {bounds!r}")
    if bounds[0] < 1 or (np.diff(bounds) <= 0).any():
        raise ValueError(f"bounds must be at least 1 and increasing, got {bounds!r}")
    return bounds.astype(np.int64)
