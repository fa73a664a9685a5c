"""Exact privacy loss by enumeration, independent of what a randomiser says of itself."""

import itertools

import numpy as np

from userdp import _validate


def exact_loss(channel):
    """Largest log-ratio of a finite channel.

    Parameters
    ----------
    channel : array_like, shape (inputs, outputs)
        Probability of each output given each input; every row sums to 1.

    Returns
    -------
    float
        ``max log(channel[x, z] / channel[y, z])``; infinite if an output is possible under one input
        and impossible under another.

    Raises
    ------
    ValueError
        If a row is not a law.
    """
    channel = np.asarray(channel, dtype=float)
    if channel.ndim != 2 or np.any(channel < 0) or not np.allclose(channel.sum(axis=1), 1, rtol=0, atol=1e-9):
        raise ValueError(f"channel must have rows that are laws, got rows that sum to {channel.sum(axis=-1)}")
    high, low = channel.max(axis=0), channel.min(axis=0)
    with np.errstate(divide="ignore"):
        return float(np.max(np.log(high[high > 0]) - np.log(low[high > 0])))


def bits_channel(vectors, keep):
    """Channel that flips each bit of each of `vectors` independently, by listing all 2^length outputs.

    Parameters
    ----------
    vectors : array_like of {0, 1}, shape (inputs, length)
        Inputs; length at most 16.
    keep : float
        Probability that a bit is reported as it is.

    Returns
    -------
    ndarray, shape (inputs, 2**length)
        Probability of each output given each input.
    """
    vectors = np.asarray(vectors)
    _validate.in_range(0, 1, keep=keep)
    _validate.in_range(1, 16, length=vectors.shape[1])
    outputs = np.array(list(itertools.product((0, 1), repeat=vectors.shape[1])))
    agree = (vectors[:, None, :] == outputs[None, :, :]).sum(axis=2)
    return keep**agree * (1 - keep) ** (vectors.shape[1] - agree)


def bits_loss(vectors, keep):
    """Largest log-ratio of `bits_channel` for any length: the largest Hamming distance times the log-odds.

    Parameters
    ----------
    vectors : array_like of {0, 1}, shape (inputs, length)
        Inputs.
    keep : float
        Probability that a bit is reported as it is.

    Returns
    -------
    float
        The loss.
    """
    vectors = np.unique(np.asarray(vectors), axis=0).astype(np.int64)
    distance = np.abs(vectors[:, None, :] - vectors[None, :, :]).sum(axis=2)
    return float(distance.max() * abs(np.log(keep / (1 - keep))))


def laplace_loss(centres, scale):
    """Largest log-ratio of Laplace densities with the given centres and one scale: range over scale."""
    _validate.positive(scale=scale)
    return float(np.ptp(centres) / scale)
