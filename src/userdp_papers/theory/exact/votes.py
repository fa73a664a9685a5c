"""Which bin wins a vote, and the exact risk of the localised mean of Kent, Berrett and Yu.

The users' means, their votes and the noise are all integrated out. Given the users' means,
`risks_given_means` integrates out the rest.
"""

import functools

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, gammaln, xlog1py, xlogy

from userdp import _validate
from userdp._public import public
from userdp.local.localise import MOST_BINS, Bins
from userdp.local.mean import KENT_MARGIN
from userdp.planning.risk.improved_plan import vote_factors
from userdp.planning.risk.localised import MeanLaw, sign_means
from userdp.privacy.reports import LaplaceReport

NEGLIGIBLE = 1e-19  # probabilities below this are left out
POSITIONS = 8  # of theta within a bin
WIDTHS = np.geomspace(0.25, 16.0, 37)  # half-widths that are tried, in standard deviations of a user's mean


@public
def shifted_sign_means(theta: float, size: int) -> MeanLaw:
    """Distribution of a number plus the mean of fair signs (the records of Kent's Figure 5).

    Parameters
    ----------
    theta
        The number.
    size
        How many signs.

    Returns
    -------
    MeanLaw
    """
    fair = sign_means(0.0, size)
    return MeanLaw(theta, theta + fair.values, fair.probabilities)


@public
def winner_over_users(p: ArrayLike, users: int, epsilon: float) -> NDArray:
    """Probability that each bin wins the vote of Kent's Algorithm 2, for users of one distribution.

    Output distribution: no randomness. Given how many users vote for each bin, the vote totals are
    independent. The multinomial distribution of these numbers is summed bin by bin, over the number of users
    not yet placed.

    Parameters
    ----------
    p : array_like, shape (K,)
        Probability that a user's mean lies in each bin; they sum to 1.
    users
        Number h of users who vote; the work grows as ``h^3`` for each bin of positive probability.
    epsilon
        Budget of a vote.

    Returns
    -------
    ndarray, shape (K,)
        They sum to 1; ties go to the first bin.
    """
    p = _validate.vector(0, p=p)
    if abs(p.sum() - 1) > 1e-9:
        raise ValueError(f"p must sum to 1, got {float(p.sum())!r}")
    p = np.minimum(p, 1.0)  # rounding may leave a bin that contains everybody above 1
    equal = vote_law(users, float(epsilon))
    at_most = np.cumsum(equal, axis=1)
    below = np.hstack([np.zeros((users + 1, 1)), at_most[:, :-1]])
    held = np.flatnonzero(p > NEGLIGIBLE)
    shares = p[held] / np.cumsum(p[held][::-1])[::-1]
    likely = [_likely(users, p[j]) for j in held]
    placings = [(c, _binomial(c, users, share)) for c, share in zip(likely, shares, strict=True)]
    lefts, rights = [_start(users, equal)], [_start(users, equal)]
    for placing in placings:
        lefts.append(_place(lefts[-1], below, *placing, -1))
    for placing in placings[::-1]:
        rights.insert(0, _place(rights[0], at_most, *placing, 1))
    gaps = np.array([(x * y[::-1]).sum(axis=0) for x, y in zip(lefts, rights, strict=True)])
    law = gaps[np.searchsorted(held, np.arange(p.size))] * equal[0]
    for i, j in enumerate(held):
        law[j] = _win(lefts[i], rights[i + 1], equal, *placings[i])
    empty = np.ones(p.size)
    empty[held] = 0
    before = (np.cumsum(empty) - empty)[:, None]
    after = empty.sum() - empty[:, None] - before
    return (law * below[0] ** before * at_most[0] ** after).sum(axis=1)


def _start(users: int, equal: NDArray) -> NDArray:
    """No user placed yet, whatever the winner's votes: shape (users + 1, votes)."""
    state = np.zeros((users + 1, equal.shape[1]))
    state[0] = 1
    return state


def _likely(users: int, p: float) -> NDArray[np.int64]:
    counts = np.arange(users + 1)
    return counts[_binomial(counts, users, p)[:, -1] > NEGLIGIBLE]


def _binomial(counts: NDArray, users: int, share: float) -> NDArray:
    """P(Bin(n, share) = c) for each c of `counts` and n = 0 .. users, shape (counts, users + 1)."""
    n, c = np.arange(users + 1), counts[:, None]
    rest, logs = np.maximum(n - c, 0), gammaln(n + 1)
    chances = np.exp(logs - logs[c] - logs[rest] + xlogy(c, share) + xlog1py(rest, -min(share, 1.0)))
    return np.where(n >= c, chances, 0.0)


def _place(state: NDArray, table: NDArray, counts: NDArray, chances: NDArray, step: int) -> NDArray:
    """Place c of `counts` users, at the `chances` of `_binomial`, in one bin whose votes obey `table`.

    From the left, `step` -1, state[t] speaks of t users placed, and c of the others come here; from the
    right, `step` 1, state[u] is given that u users are here or further right.
    """
    users, new = len(state) - 1, np.zeros_like(state)
    for c, chance in zip(counts, chances, strict=True):
        new[c:] += state[: users + 1 - c] * chance[c:][::step, None] * table[c]
    return new


def _win(left: NDArray, right: NDArray, equal: NDArray, counts: NDArray, chances: NDArray) -> NDArray:
    """Probability, by the winner's votes, that one bin has as many and no other bin prevents it."""
    users, total = len(left) - 1, np.zeros(left.shape[1])
    for c, chance in zip(counts, chances, strict=True):
        others = left[: users + 1 - c] * right[: users + 1 - c][::-1]
        total += (chance[c:][::-1] @ others) * equal[c]
    return total


def risks_by_bin(law: MeanLaw, bins: Bins, *, n: int, epsilon: float) -> NDArray:
    """Mean squared error of the refinement, given each chosen bin (Kent, Algorithm 3).

    Parameters
    ----------
    law
        Distribution of a user's mean, a `MeanLaw`.
    bins
        The bins.
    n
        Number of users of both halves.
    epsilon
        Budget of a user.

    Returns
    -------
    ndarray
        One number for each bin.
    """
    half, margin = n // 2, KENT_MARGIN * bins.half_width
    lower, upper = bins.ends(np.arange(bins.count))
    bias, square = law.projected(lower - margin, upper + margin)
    noise = 2 * LaplaceReport(0.0, 2 * (1 + KENT_MARGIN) * bins.half_width, epsilon).scale ** 2
    return bias**2 + (square - bias**2 + noise) / half


@public
def localised_risk(law: MeanLaw, *, n: int, epsilon: float, half_width: float) -> tuple[float, float]:
    """Exact risk of the localised mean for users of one size (Kent, Algorithm 2).

    Parameters
    ----------
    law
        Distribution of a user's mean.
    n
        Number of users; some hundreds are quick.
    epsilon
        Budget of a user.
    half_width
        Half-width of a bin.

    Returns
    -------
    risk, missed : float
        Mean squared error, and probability that the chosen bin is neither that of the mean nor next to it.

    Examples
    --------
    >>> law = sign_means(0.137, 5000)
    >>> setting = {"n": 20, "epsilon": 1.0, "half_width": 0.25}
    >>> risk, missed = localised_risk(law, **setting)
    >>> f"{risk:.4g} {missed:.4g}"
    '0.4526 0.1394'
    """
    _validate.integer(2, 10**8, n=n)
    bins, half = Bins(half_width), n // 2
    wins = winner_over_users(law.in_bins(bins), half, epsilon)
    risks = risks_by_bin(law, bins, n=n, epsilon=epsilon)
    far = np.abs(np.arange(bins.count) - bins.index(np.array([law.theta]))) > 1
    return float(wins @ risks), float(wins @ far)


@public
def localised_bound(law: MeanLaw, *, n: int, epsilon: float, half_width: float) -> tuple[float, float]:
    """Upper bounds on the risk of Kent's Algorithm 2 at any width, and on the probability of a failed vote.

    A vote fails if the chosen bin is neither that of the mean nor next to it. For the bound on the risk, each
    bin gets all the probability of winning that its own bound allows, the costliest first.

    Parameters
    ----------
    law
        Distribution of a user's mean.
    n
        Number of users.
    epsilon
        Budget of a user.
    half_width
        Half-width of a bin.

    Returns
    -------
    risk, failure : float

    Examples
    --------
    >>> setting = {"n": 10_000, "epsilon": 1.0, "half_width": 0.02}
    >>> risk, failure = localised_bound(sign_means(0.1, 1000), **setting)
    >>> f"{risk:.1e} {failure < 1e-3}"
    '5.9e-06 True'
    """
    _validate.integer(2, n=n)
    _validate.budget(epsilon=epsilon)
    bins = Bins(half_width)
    p, risks = law.in_bins(bins), risks_by_bin(law, bins, n=n, epsilon=epsilon)
    home = int(np.argmax(p))
    chances = _beats(p, p[home], n // 2, epsilon)
    chances[home] = 1.0
    far = np.abs(np.arange(bins.count) - bins.index(np.array([law.theta]))) > 1
    costliest = np.argsort(-risks, kind="stable")
    before = np.append(0.0, np.cumsum(chances[costliest])[:-1])
    shares = np.clip(1 - before, 0, chances[costliest])
    return float(shares @ risks[costliest]), float(min(chances[far].sum(), 1.0))


def _beats(p: NDArray, home: float, voters: int, epsilon: float) -> NDArray:
    """Chernoff's bound on the probability that a bin has as many votes as the home bin, for each bin."""
    up = np.exp(np.linspace(0.01, 1, 50) * epsilon / 2)[:, None]
    (home_one, home_zero), (one, zero) = vote_factors(epsilon, up)  # the home bin's votes count down
    rest = np.maximum(1 - p - home, 0)
    moment = home * home_one * zero + p * home_zero * one + rest * home_zero * zero
    return np.exp(voters * np.minimum(np.log(moment.min(axis=0)), 0.0))


@public
def calibrated_half_width(*, n: int, size: int, epsilon: float) -> tuple[float, float, float]:
    """Choose the half-width of a bin with the smallest bound on the risk, for signs near 0.

    Signs have the largest variance that records in ``[-1, 1]`` can have, and the largest at mean 0. The bound
    is that at the worst of eight positions of the mean in a bin.

    Parameters
    ----------
    n
        Number of users.
    size
        Records of each.
    epsilon
        Budget of a user.

    Returns
    -------
    half_width, risk, failure : float
        The width, and the bounds of `localised_bound` at its worst position.
    """
    _validate.integer(1, 10**8, size=size)
    widths = [float(width) for width in WIDTHS / np.sqrt(size) if 1 / MOST_BINS <= width <= 1]
    tried = [(*_worst(n, size, epsilon, width), width) for width in widths or [1 / MOST_BINS]]
    risk, failure, width = min(tried)
    return width, risk, failure


def _worst(n: int, size: int, epsilon: float, half_width: float) -> tuple[float, float]:
    places = half_width * (1 + 2 * np.arange(POSITIONS) / POSITIONS)
    laws = [sign_means(float(theta), size) for theta in np.clip(places, -1, 1)]
    found = [localised_bound(law, n=n, epsilon=epsilon, half_width=half_width) for law in laws]
    return max(risk for risk, _ in found), max(failure for _, failure in found)


@public
@functools.lru_cache(maxsize=64)
def vote_law(users: int, epsilon: float) -> NDArray:
    """Distribution of the votes that a bin gets in Kent's Algorithm 2, by its true votes.

    Parameters
    ----------
    users
        Number h of users who vote.
    epsilon
        Budget of a vote, positive.

    Returns
    -------
    ndarray, shape (h + 1, h + 1), read-only
        Row c has the probabilities of 0 to h votes for a bin with c true ones: of a sum of two binomial
        counts, ``Bin(c, p)`` and ``Bin(h - c, 1 - p)`` with ``p = expit(epsilon / 2)``.
    """
    _validate.integer(1, users=users)
    _validate.positive(epsilon=epsilon)
    flip, votes = expit(-epsilon / 2), np.arange(users + 1)  # 1 - keep would lose its digits
    flipped = scipy.stats.binom.pmf(votes, votes[:, None], flip)
    law = [np.convolve(flipped[c, c::-1], flipped[users - c, : users - c + 1]) for c in votes]
    return _validate.locked(np.array(law))


@public
def winner_given_votes(held: ArrayLike, epsilon: float) -> NDArray:
    """Probability that each bin wins the vote of Kent's Algorithm 2, given the true votes.

    Parameters
    ----------
    held : array_like of int, shape (K,)
        True votes for each bin.
    epsilon
        Budget of a vote.

    Returns
    -------
    ndarray, shape (K,)
        They sum to 1; ties go to the first bin.

    Examples
    --------
    >>> winner_given_votes([2, 0, 1], epsilon=2.0).round(3)
    array([0.769, 0.085, 0.145])
    """
    held = _validate.whole_numbers(0, held=held)
    equal = vote_law(int(held.sum()), float(epsilon))[held]
    at_most = np.cumsum(equal, axis=1)
    below = np.hstack([np.zeros((held.size, 1)), at_most[:, :-1]])
    one = np.ones((1, equal.shape[1]))
    earlier = np.cumprod(np.vstack([one, below[:-1]]), axis=0)
    later = np.cumprod(np.vstack([one, at_most[:0:-1]]), axis=0)[::-1]
    return (equal * earlier * later).sum(axis=1)
