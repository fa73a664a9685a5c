"""Exact privacy loss by enumeration, independent of what a randomiser says of itself."""

import itertools

import numpy as np

from userdp import _validate

__all__ = [
    "exact_loss",
    "hockey_stick",
    "transcript_law",
    "sign_cube",
    "mixture_tv",
    "bits_channel",
    "bits_loss",
    "laplace_loss",
]


def _laws(channel):
    """The channel as an array, or an error if a row is not a law."""
    channel = np.asarray(channel, dtype=float)
    if channel.ndim != 2 or np.any(channel < 0) or not np.allclose(channel.sum(axis=1), 1, rtol=0, atol=1e-9):
        raise ValueError(f"channel must have rows that are laws, got rows that sum to {channel.sum(axis=-1)}")
    return channel


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
    channel = _laws(channel)
    high, low = channel.max(axis=0), channel.min(axis=0)
    with np.errstate(divide="ignore"):
        return float(np.max(np.log(high[high > 0]) - np.log(low[high > 0])))


def hockey_stick(channel, epsilon):
    """Smallest delta for which a finite channel is (epsilon, delta)-private.

    Parameters
    ----------
    channel : array_like, shape (inputs, outputs)
        Probability of each output given each input; every row sums to 1.
    epsilon : float
        Budget, from 0 to 700 (beyond it ``exp(epsilon)`` is no floating-point number).

    Returns
    -------
    float
        Largest ``sum over z of max(channel[x, z] - exp(epsilon) channel[y, z], 0)`` over pairs of inputs: the
        largest excess of the probability of an event under one input over ``exp(epsilon)`` times that under
        another. Zero exactly if `exact_loss` is at most `epsilon`.

    Raises
    ------
    ValueError
        If a row is not a law or `epsilon` is outside [0, 700].
    """
    channel = _laws(channel)
    _validate.in_range(0, 700, epsilon=epsilon)
    # one input at a time: all pairs at once would need inputs^2 x outputs numbers
    factor = np.exp(epsilon)
    return float(max(np.clip(row - factor * channel, 0, None).sum(axis=1).max() for row in channel))


def transcript_law(channels, inputs):
    """Law of all reports of a protocol in which each user may see the reports before it, by listing them.

    Parameters
    ----------
    channels : sequence of n array_like
        Channel of each user: shape (inputs, outputs) if it takes no notice of the past, otherwise one such
        matrix for every past, shape (outputs of user 1, ..., outputs of user t - 1, inputs, outputs).
    inputs : sequence of n array_like
        Law of what each user holds, shape (inputs,); users are independent.

    Returns
    -------
    ndarray, shape (outputs of user 1, ..., outputs of user n)
        Probability of each transcript.

    Raises
    ------
    ValueError
        If the lengths differ or a law of inputs does not fit its channel.
    """
    if len(channels) != len(inputs):
        raise ValueError(f"inputs must hold {len(channels)} laws, one for each channel, got {len(inputs)}")
    law = np.ones(())
    for channel, held in zip(channels, inputs, strict=True):
        channel, held = np.asarray(channel, dtype=float), np.asarray(held, dtype=float)
        if held.shape != channel.shape[-2:-1]:
            raise ValueError(f"inputs must fit their channel, got {held.shape} for {channel.shape}")
        law = law[..., None] * (held @ channel)
    return law


def sign_cube(k):
    """All sign vectors of length `k`.

    Parameters
    ----------
    k : int
        Length, from 1 to 16.

    Returns
    -------
    signs : ndarray of {-1, 1}, shape (2**k, k)
        One vector a row.
    turned : ndarray of int, shape (2**k, k)
        Row number of the vector that differs from row v in entry j only.
    """
    _validate.integer(1, k=k)
    _validate.in_range(1, 16, k=k)
    signs = np.array(list(itertools.product((-1, 1), repeat=k)))
    return signs, np.arange(2**k)[:, None] ^ (1 << np.arange(k)[::-1])


def mixture_tv(channels, laws, *, odds=0.5):
    """Total variation between the transcripts given that a hidden sign is +1 and given that it is -1.

    The signs V are independent, each +1 with probability `odds`; given V = v every user holds an independent
    draw from ``laws[v]``. These are the mixtures of Assouad's method.

    Parameters
    ----------
    channels : sequence of n array_like
        Channels of the users, as `transcript_law` takes them.
    laws : array_like, shape (2**k, inputs)
        Law of what one user holds, in the order of `sign_cube`.
    odds : float
        Probability of +1, strictly between 0 and 1.

    Returns
    -------
    ndarray, shape (k,)
        The distance for each sign.

    Raises
    ------
    ValueError
        If the number of laws is not a power of two or `odds` is not a probability inside (0, 1).
    """
    laws = np.asarray(laws, dtype=float)
    k = len(laws).bit_length() - 1
    if k < 1 or len(laws) != 2**k:
        raise ValueError(f"laws must be 2**k laws, got {len(laws)}")
    _validate.ordered(zero=0, odds=odds)
    _validate.ordered(odds=odds, one=1)
    signs, _ = sign_cube(k)
    reports = np.stack([transcript_law(channels, [law] * len(channels)).ravel() for law in laws])
    ups = signs > 0
    prior = np.prod(np.where(ups, odds, 1 - odds), axis=1, keepdims=True)
    given_up = (ups * prior / odds).T @ reports
    given_down = (~ups * prior / (1 - odds)).T @ reports
    return np.abs(given_up - given_down).sum(axis=1) / 2


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
