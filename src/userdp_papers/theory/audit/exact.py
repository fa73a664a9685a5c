"""Exact privacy loss by enumeration, independent of what a randomiser says of itself."""

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
    """Largest log-ratio of a finite channel, shape (inputs, outputs), each row a distribution.

    ``max log(channel[x, z] / channel[y, z])``; infinite if an output is possible under one input and
    impossible under another.

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
    """Smallest delta for which a finite channel is (epsilon, delta)-private.

    The largest ``sum over z of max(channel[x, z] - exp(epsilon) channel[y, z], 0)`` over pairs of inputs,
    for epsilon from 0 to 700 (beyond it ``exp(epsilon)`` is no floating-point number); 0 exactly if
    `exact_loss` is at most `epsilon`. The channel is as for `exact_loss`.
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
    """Excess at `epsilon` of two noisy counts, one of which moves up and the other down.

    The largest over unions of rectangles with sides between `edges`, so that it is never more than the
    exact delta, and finer edges can only find more.

    Parameters
    ----------
    cdf
        Distribution function of the noise of either count.
    move
        How far a count moves, in units of that noise.
    edges : array_like
        Inner ends of the cells; the outer ones are infinite.
    both
        Whether two counts move, or only one.

    Examples
    --------
    >>> from scipy.stats import laplace
    >>> round(slack_by_rectangles(laplace.cdf, 1.0, 1.0, np.linspace(0, 1, 600)), 4)
    0.2418
    """
    edges = np.concatenate([[-np.inf], np.asarray(edges, dtype=float), [np.inf]])
    up, down = np.diff(cdf(edges - move)), np.diff(cdf(edges))
    if not both:
        return hockey_stick([up, down], epsilon)
    return hockey_stick([np.outer(up, down).ravel(), np.outer(down, up).ravel()], epsilon)


@public
def transcript_law(channels: Sequence[ArrayLike], inputs: Sequence[ArrayLike]) -> Floats:
    """Distribution of all reports of a protocol whose users may see the earlier reports, by listing them.

    Parameters
    ----------
    channels : n arrays
        Channel of each user: shape (inputs, outputs) if it takes no notice of the past, otherwise one such
        matrix for every past, shape (outputs of user 1, ..., outputs of user t - 1, inputs, outputs).
    inputs : n arrays
        Distribution of what each user holds, shape (inputs,); users are independent.

    Returns
    -------
    ndarray, shape (outputs of user 1, ..., outputs of user n)
        Probability of each transcript.
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
    """All sign vectors of length `k`, from 1 to 16.

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
    """Total variation between the transcripts given that a hidden sign is +1 and given that it is -1.

    The signs V are independent, each +1 with probability `odds`; given V = v every user holds an independent
    draw from ``laws[v]``. These are the mixtures of Assouad's method.

    Parameters
    ----------
    channels
        As for `transcript_law`.
    laws : shape (2**k, inputs)
        Distribution of what one user holds, in the order of `sign_cube`.
    odds
        Strictly between 0 and 1.

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
    """Channel that keeps each bit with probability `keep`, else flips it: ``2^length`` outputs are listed.

    From `vectors` of 0 and 1, shape (inputs, length), length at most 16, to shape (inputs, 2**length).
    """
    vectors = np.asarray(vectors)
    _validate.in_range(0, 1, keep=keep)
    _validate.in_range(1, 16, length=vectors.shape[1])
    outputs = np.array(list(itertools.product((0, 1), repeat=vectors.shape[1])))
    agree = (vectors[:, None, :] == outputs[None, :, :]).sum(axis=2)
    return keep**agree * (1 - keep) ** (vectors.shape[1] - agree)


@public
def bits_loss(vectors: ArrayLike, keep: float) -> float:
    """Largest log-ratio of `bits_channel` for any length: the largest Hamming distance times the log-odds."""
    _validate.inside(0, 1, keep=keep)
    vectors = np.unique(np.asarray(vectors), axis=0).astype(np.int64)
    distance = np.abs(vectors[:, None, :] - vectors[None, :, :]).sum(axis=2)
    return float(distance.max() * abs(np.log(keep / (1 - keep))))


@public
def laplace_loss(centres: ArrayLike, scale: float) -> float:
    """Largest log-ratio of Laplace densities with the given centres and one scale: range over scale."""
    _validate.positive(scale=scale)
    centres = np.asarray(centres, dtype=float)
    if not np.isfinite(centres).all():
        raise ValueError(f"centres must be finite, got {centres}")
    return float(np.ptp(centres) / scale)
