"""The exact privacy loss of a mechanism with finitely many reports, by listing them all.

A mechanism is given as a channel: a matrix with one row per input, the distribution of its report.
"""

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, Floats, Ints


def _laws(channel: ArrayLike) -> Floats:
    """The channel as an array, or an error if a row is not a probability distribution."""
    channel = np.asarray(channel, dtype=float)
    if channel.ndim != 2 or np.any(channel < 0) or not np.allclose(channel.sum(axis=1), 1, rtol=0, atol=1e-9):
        raise ValueError(f"channel must have rows that are laws, got rows that sum to {channel.sum(axis=-1)}")
    return channel


@public
def exact_loss(channel: ArrayLike) -> float:
    """Privacy loss of a finite channel: its largest log-ratio.

    Parameters
    ----------
    channel : array_like, shape (inputs, outputs)
        Probability of each output given each input.

    Returns
    -------
    float
        The largest of the logarithms of the ratio of two entries of one column. It is infinite if an output
        is possible under one input and impossible under another.

    Examples
    --------
    >>> round(exact_loss([[0.75, 0.25], [0.25, 0.75]]), 4)  # log 3
    1.0986
    """
    channel = _laws(channel)
    high, low = channel.max(axis=0), channel.min(axis=0)
    with np.errstate(divide="ignore"):
        return float(np.max(np.log(high[high > 0]) - np.log(low[high > 0])))


@public
def hockey_stick(channel: ArrayLike, epsilon: float) -> float:
    """Smallest delta at which a finite channel is private with a given epsilon.

    Parameters
    ----------
    channel : array_like, shape (inputs, outputs)
        Probability of each output given each input.
    epsilon
        From 0 to 700; for much larger ones ``exp(epsilon)`` overflows.

    Returns
    -------
    float
        The largest ``sum max(p_z - exp(epsilon) q_z, 0)`` over the outputs z, with p and q two rows of the
        channel. It is 0 exactly if `exact_loss` is at most `epsilon`.

    Examples
    --------
    >>> round(hockey_stick([[0.75, 0.25], [0.25, 0.75]], 0.0), 4)
    0.5
    """
    channel = _laws(channel)
    _validate.in_range(0, 700, epsilon=epsilon)
    # one input at a time: all pairs at once would need inputs^2 x outputs numbers
    factor = np.exp(epsilon)
    return float(max(np.clip(row - factor * channel, 0, None).sum(axis=1).max() for row in channel))


@public
def slack_by_rectangles(
    cdf: Callable[[Floats], Floats], move: float, epsilon: float, edges: ArrayLike, *, both: bool = True
) -> float:
    """Lower bound on the delta of two noisy counts, one of which moves up and the other down.

    It is the largest excess over unions of rectangles with sides between `edges`. It is never more than the
    exact delta, and finer edges can only find more.

    Parameters
    ----------
    cdf
        Distribution function of the noise of either count.
    move
        How far a count moves, in units of that noise.
    epsilon
        The epsilon for which a delta is sought.
    edges : array_like
        Inner ends of the cells; the outer ones are infinite.
    both
        Whether two counts move, or only one.

    Examples
    --------
    >>> from scipy.stats import laplace
    >>> edges = np.linspace(0, 1, 600)
    >>> round(slack_by_rectangles(laplace.cdf, 1.0, 1.0, edges), 4)
    0.2418
    """
    edges = np.concatenate([[-np.inf], np.asarray(edges, dtype=float), [np.inf]])
    up, down = np.diff(cdf(edges - move)), np.diff(cdf(edges))
    if not both:
        return hockey_stick([up, down], epsilon)
    return hockey_stick([np.outer(up, down).ravel(), np.outer(down, up).ravel()], epsilon)


@public
def transcript_law(channels: Sequence[ArrayLike], inputs: Sequence[ArrayLike]) -> Floats:
    """Distribution of the reports of an interactive protocol, by listing all transcripts.

    Each user's report may depend on the earlier reports.

    Parameters
    ----------
    channels : n arrays
        Channel of each user: a matrix of inputs and outputs if it takes no notice of the past, otherwise one
        such matrix for every past, with an axis in front for the outputs of each earlier user.
    inputs : n arrays
        Distribution of what each user holds; users are independent.

    Returns
    -------
    ndarray
        Probability of each transcript, with one axis for the outputs of each user.
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


@public
def sign_cube(k: int) -> tuple[Ints, Ints]:
    """List all sign vectors of a length.

    Parameters
    ----------
    k
        The length, from 1 to 16.

    Returns
    -------
    signs : shape (2**k, k)
        One vector per row.
    turned : shape (2**k, k)
        Row number of the vector that differs from row v in entry j only.
    """
    _validate.integer(1, 16, k=k)
    signs = np.array(list(itertools.product((-1, 1), repeat=k)))
    return signs, np.arange(2**k)[:, None] ^ (1 << np.arange(k)[::-1])


@public
def mixture_tv(channels: Sequence[ArrayLike], laws: ArrayLike, *, odds: float = 0.5) -> Floats:
    """How well transcripts tell a hidden sign, as a total variation.

    The signs are independent, each ``+1`` with probability `odds`. Given all signs, every user holds an
    independent draw from a distribution that depends on them. For each sign, the distance is that between the
    transcripts given ``+1`` and given ``-1``: these are the mixtures of Assouad's method.

    Parameters
    ----------
    channels
        Channel of each user, as `transcript_law` takes them.
    laws : shape (2**k, inputs)
        Distribution of what one user holds, for each vector of signs in the order of `sign_cube`.
    odds
        Probability of ``+1``, strictly between 0 and 1.

    Returns
    -------
    ndarray, shape (k,)
        The distance for each sign.
    """
    laws = np.asarray(laws, dtype=float)
    k = len(laws).bit_length() - 1
    if k < 1 or len(laws) != 2**k:
        raise ValueError(f"laws must be 2**k laws, got {len(laws)}")
    _validate.inside(0, 1, odds=odds)
    signs, _ = sign_cube(k)
    reports = np.stack([transcript_law(channels, [law] * len(channels)).ravel() for law in laws])
    ups = signs > 0
    prior = np.prod(np.where(ups, odds, 1 - odds), axis=1, keepdims=True)
    given_up = (ups * prior / odds).T @ reports
    given_down = (~ups * prior / (1 - odds)).T @ reports
    return np.abs(given_up - given_down).sum(axis=1) / 2


@public
def bits_channel(vectors: ArrayLike, keep: float) -> Floats:
    """Channel of randomised response to each bit of a vector.

    Parameters
    ----------
    vectors : array_like, shape (inputs, length)
        The possible inputs, vectors of 0 and 1 of length at most 16.
    keep
        Probability that a bit is kept; otherwise it is flipped.

    Returns
    -------
    ndarray, shape (inputs, 2**length)
        Probability of each output.

    Examples
    --------
    >>> bits_channel([[0], [1]], 0.75)
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    vectors = np.asarray(vectors)
    _validate.in_range(0, 1, keep=keep)
    _validate.in_range(1, 16, length=vectors.shape[1])
    outputs = np.array(list(itertools.product((0, 1), repeat=vectors.shape[1])))
    agree = (vectors[:, None, :] == outputs[None, :, :]).sum(axis=2)
    return keep**agree * (1 - keep) ** (vectors.shape[1] - agree)


@public
def bits_loss(vectors: ArrayLike, keep: float) -> float:
    """Privacy loss of randomised response to each bit of a vector, of any length.

    Parameters
    ----------
    vectors : array_like, shape (inputs, length)
        The possible inputs, vectors of 0 and 1.
    keep
        Probability that a bit is kept; otherwise it is flipped.

    Returns
    -------
    float
        The largest Hamming distance of two inputs times the log-odds of `keep`.
    """
    _validate.inside(0, 1, keep=keep)
    vectors = np.unique(np.asarray(vectors), axis=0).astype(np.int64)
    distance = np.abs(vectors[:, None, :] - vectors[None, :, :]).sum(axis=2)
    return float(distance.max() * abs(np.log(keep / (1 - keep))))


@public
def laplace_loss(centres: ArrayLike, scale: float) -> float:
    """Privacy loss of Laplace noise.

    Parameters
    ----------
    centres
        Values to which the noise is added.
    scale
        Scale of the noise.

    Returns
    -------
    float
        The range of the values over the scale.

    Examples
    --------
    >>> laplace_loss([-1.0, 1.0], 4.0)
    0.5
    """
    _validate.positive(scale=scale)
    centres = np.asarray(centres, dtype=float)
    if not np.isfinite(centres).all():
        raise ValueError(f"centres must be finite, got {centres}")
    return float(np.ptp(centres) / scale)
