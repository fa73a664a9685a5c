"""The localised mean on many populations, at many widths and budgets at once.

For users whose means are already drawn, `risks_given_means` integrates out the votes and the noise of
Algorithm 2 of Kent, Berrett and Yu, and `localised_draws` draws one run. Both are compiled with numba where
it is installed. Without it the draws run the same code, bit for bit, and the risks come from
`risks_reference`. The tests compare both with that and with `localised_mean`.
"""

import functools
import math
from typing import Any

import numpy as np

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, NDArray, Rng
from userdp.local.localise import Bins
from userdp.local.mean import KENT_MARGIN
from userdp.planning.risk.localised import binomial_window
from userdp.privacy.reports import LaplaceReport
from userdp_papers._compiled import jit, njit
from userdp_papers.theory.exact.votes import vote_law, winner_given_votes

# events of smaller probability are left out: far below what 1e9 runs can show
NEGLIGIBLE = 1e-14
POWERS = 5
MARGIN = 2  # `KENT_MARGIN`, as compiled code that is kept sees changes of this file alone


def risks_reference(
    voters: ArrayLike, refiners: ArrayLike, theta: ArrayLike, *, widths: Any, epsilons: Any
) -> NDArray:
    """The uncompiled version of `risks_given_means`, with one bin after the other."""
    voters, refiners, theta = _populations(voters, refiners, theta)
    out = np.empty((len(widths), len(theta), len(epsilons), 3))
    for w, width in enumerate(widths):
        bins = Bins(width)
        lower, upper = bins.ends(np.arange(bins.count))
        ends = lower - KENT_MARGIN * width, upper + KENT_MARGIN * width
        for r, (x, y, centre) in enumerate(zip(voters, refiners, theta, strict=True)):
            held = np.bincount(bins.index(x), minlength=bins.count)
            errors = np.clip(y[:, None], *ends).mean(axis=0) - centre
            missed = np.abs(np.arange(bins.count) - bins.index(np.array([centre]))) > 1
            for e, epsilon in enumerate(epsilons):
                law = winner_given_votes(held, epsilon)
                out[w, r, e] = law @ errors**2, law @ errors**4, law @ missed
    return _with_noise(out, widths, epsilons, refiners.shape[1])


@public
def risks_given_means(
    voters: ArrayLike, refiners: ArrayLike, theta: ArrayLike, *, widths: ArrayLike, epsilons: ArrayLike
) -> NDArray:
    """Exact risk of the localised mean given the users' means (Kent, Algorithm 2, eqs. (26) to (29)).

    The distribution of the chosen bin given the means is explicit (`winner_given_votes`), and so are the mean
    and the variance of the refined estimate given that bin. There is no randomness.

    Parameters
    ----------
    voters, refiners : array_like, shape (R, h)
        Means of the users of the first and of the second half, in each of R populations.
    theta : array_like, shape (R,)
        True mean of each population.
    widths : array_like, shape (W,)
        Half-widths of a bin.
    epsilons : array_like, shape (E,)
        Budgets of a user, positive.

    Returns
    -------
    ndarray, shape (W, R, E, 3)
        For each width, population and budget: the mean of the squared error, the mean of its square, and the
        probability that the chosen interval does not contain the true mean. Events of probability below 1e-14
        are left out. A mean that is not finite is refused.
    """
    widths, epsilons = _parameters(widths, epsilons)
    if njit is None:
        return risks_reference(voters, refiners, theta, widths=widths, epsilons=epsilons)
    voters, refiners, theta = _populations(voters, refiners, theta)
    laws = map(np.stack, zip(*(_winning(voters.shape[1], float(e)) for e in epsilons), strict=True))
    out = np.empty((len(widths), len(theta), len(epsilons), 3))
    _integrate(voters, refiners, _sums(refiners), theta, widths, _counts(widths), *laws, out)
    return _with_noise(out, widths, epsilons, refiners.shape[1])


@public
def localised_draws(
    voters: ArrayLike,
    refiners: ArrayLike,
    theta: ArrayLike,
    *,
    widths: ArrayLike,
    epsilons: ArrayLike,
    rng: Rng,
) -> NDArray:
    """Draw the squared error of one run of the localised mean, for each population, width and budget.

    Output distribution: in every entry that of a run of `localised_mean` with ``general=False``. Entries of
    one population share its users and its Laplace noise up to scale; the votes are drawn afresh.

    Parameters
    ----------
    voters : array_like, shape (R, h)
        Means of the users of the first half, in each of R populations.
    refiners : array_like, shape (R, h)
        Means of the users of the second half.
    theta : array_like, shape (R,)
        True mean of each population.
    widths : array_like, shape (W,)
        Half-widths of a bin.
    epsilons : array_like, shape (E,)
        Budgets of a user, positive.
    rng
        Source of the randomness.

    Returns
    -------
    ndarray, shape (W, R, E)
        Squared errors.
    """
    widths, epsilons = _parameters(widths, epsilons)
    voters, refiners, theta = _populations(voters, refiners, theta)
    out, half = np.empty((len(widths), len(theta), len(epsilons))), refiners.shape[1]
    noise = (rng.standard_gamma(half, len(theta)) - rng.standard_gamma(half, len(theta))) / half
    users = voters, refiners, _sums(refiners), theta, noise
    for e, epsilon in enumerate(epsilons):
        scales = np.array([_scale(width, epsilon) for width in widths])
        tables = _votes(half, float(epsilon))
        _run(*users, widths, _counts(widths), scales, *tables, rng, out[:, :, e])
    return out


@public
def fair_sign_means(m: int, shape: int | tuple[int, ...], rng: Rng) -> NDArray:
    """Draw means of fair signs, several times as fast as one binomial number each.

    Output distribution: that of ``Signs(0.0).draw_means``; values of probability below 1e-20 are left out.

    Parameters
    ----------
    m
        Number of signs in a mean.
    shape
        Shape of the array of means.
    rng
        Source of the randomness.

    Returns
    -------
    ndarray of that shape
    """
    _validate.integer(1, m=m)
    u, (values, cumulative, guide) = rng.random(shape), _inverse(m)
    if njit is None:
        return values[np.searchsorted(cumulative, u, side="right")]
    _invert(u.reshape(-1), values, cumulative, guide)
    return u


@functools.lru_cache(maxsize=8)
def _inverse(m: int) -> tuple[NDArray, NDArray, NDArray]:
    """Values of the mean, its distribution function there, and where to start searching that for k / K."""
    counts, probabilities = binomial_window(m, 0.5)
    cumulative = np.cumsum(probabilities)
    cumulative[-1] = 1.0
    places = 4 * counts.size
    guide = np.searchsorted(cumulative, np.arange(places) / places, side="right")
    return 2 * (counts / m) - 1, cumulative, guide


def _parameters(widths: ArrayLike, epsilons: ArrayLike) -> list[NDArray]:
    widths, epsilons = _validate.positive_arrays(widths=np.ravel(widths), epsilons=np.ravel(epsilons))
    return [_validate.vector(widths=widths), _validate.vector(epsilons=epsilons)]  # kernels take no empty one


def _populations(
    voters: ArrayLike, refiners: ArrayLike, theta: ArrayLike
) -> tuple[NDArray, NDArray, NDArray]:
    voters, refiners = _validate.table(voters=voters), _validate.table(refiners=refiners)
    theta = _validate.vector(theta=theta)
    if voters.shape != refiners.shape or theta.shape != voters.shape[:1]:
        shapes = voters.shape, refiners.shape, theta.shape
        raise ValueError(f"voters, refiners and theta must have shapes (R, h), (R, h), (R,), got {shapes}")
    _validate.vector(voters=voters.ravel())
    _validate.vector(refiners=refiners.ravel())
    return np.sort(voters, axis=1), np.sort(refiners, axis=1), theta


def _sums(refiners: NDArray) -> NDArray:
    return np.hstack([np.zeros((len(refiners), 1)), np.cumsum(refiners, axis=1)])


def _scale(width: float, epsilon: float) -> float:
    """Scale of the Laplace noise, 6 Delta / epsilon, eq. (29)."""
    return LaplaceReport(0.0, 2 * (1 + KENT_MARGIN) * float(width), float(epsilon)).scale


def _with_noise(out: NDArray, widths: NDArray, epsilons: NDArray, half: int) -> NDArray:
    """Add the Laplace noise's part to the first two moments of the squared error."""
    scale = np.array([[[_scale(w, e) for e in epsilons]] for w in widths])
    variance, fourth = 2 * scale**2 / half, 12 * scale**4 / half**3
    out[..., 1] += 6 * variance * out[..., 0] + 3 * variance**2 + fourth
    out[..., 0] += variance
    return out


def _counts(widths: NDArray) -> NDArray:
    return np.array([Bins(width).count for width in widths])


@functools.lru_cache(maxsize=8)
def _winning(users: int, epsilon: float) -> tuple[NDArray, NDArray, NDArray]:
    """P(votes <= b), P(votes = b | votes <= b) and P(votes >= b) by true votes c, shapes (h + 1, h + 1)."""
    equal = vote_law(users, epsilon)
    up_to = np.cumsum(equal, axis=1)
    exactly = np.divide(equal, up_to, out=np.zeros_like(equal), where=up_to > 0)
    return up_to, exactly, np.cumsum(equal[:, ::-1], axis=1)[:, ::-1]


@functools.lru_cache(maxsize=8)
def _votes(users: int, epsilon: float) -> tuple[NDArray, NDArray]:
    """P(votes < b) by true votes c, shape (h + 1, h + 2), and where to start searching for its quantiles."""
    below = np.hstack([np.zeros((users + 1, 1)), np.cumsum(vote_law(users, epsilon), axis=1)])
    places = np.linspace(0, 1, 4 * users + 1)
    return below, np.array([np.searchsorted(row, places) for row in below[:, 1:]]).clip(max=users)


@jit
def _invert(u, values, cumulative, guide):
    """Replace each number of [0, 1) by the quantile there."""
    for i in range(u.size):
        k = guide[int(u[i] * guide.size)]
        while cumulative[k] <= u[i]:
            k += 1
        u[i] = values[k]


@jit
def _bin(x, width, count):
    """Bin of a mean, as `userdp.local.localise.Bins.index`."""
    return min(int((min(max(x, -1.0), 1.0) + 1) / (2 * width)), count - 1)


@jit
def _end_of_run(x, start, j, width, count):
    """First position after `start` in the sorted `x` that lies beyond bin `j`."""
    if _bin(x[-1], width, count) == j:
        return x.size
    low, high, step = start + 1, start + 1, 1
    while high < x.size and _bin(x[high], width, count) == j:
        low, high, step = high + 1, high + step, 2 * step
    high = min(high, x.size)
    while low < high:
        middle = (low + high) // 2
        if _bin(x[middle], width, count) > j:
            high = middle
        else:
            low = middle + 1
    return low


@jit
def _below(x, bound):
    """How many of the sorted `x` are below `bound`."""
    low, size = 0, x.size
    while size > 1:  # halved by arithmetic, since half of the branches would be guessed wrong
        low += size // 2 * (x[low + size // 2 - 1] < bound)
        size -= size // 2
    return low + (x[low] < bound)


@jit
def _reach(j, width):
    """Ends of bin `j` widened by the margin."""
    return -1 + 2 * j * width - MARGIN * width, -1 + 2 * (j + 1) * width + MARGIN * width


@jit
def _refined(j, y, sums, width):
    """Mean of the sorted `y`, projected to bin `j` widened by the margin; `sums` are its partial sums."""
    (low, high), h = _reach(j, width), y.size
    if low <= y[0] and y[h - 1] <= high:
        return sums[h] / h
    under, up_to = _below(y, low), _below(y, high)
    return (under * low + (sums[up_to] - sums[under]) + (h - up_to) * high) / h


@jit
def _integrate(voters, refiners, sums, theta, widths, counts, up_to, exactly, at_least, out):
    """Moments of the error over the votes, without the noise; the first axis of tables is the budget."""
    for w in range(widths.size):
        users = voters, refiners, sums, theta, widths[w], counts[w]
        first, last, widest, most = _span(*users)
        held, errors = _tally(*users, first, last, widest)
        for e in range(out.shape[2]):
            tables = up_to[e], exactly[e], at_least[e]
            sides = _empty_bins(*tables, widths[w], counts[w], most)
            _expect(first, last, held, errors, theta, widths[w], counts[w], *tables[:2], *sides, out[w, :, e])


@jit
def _span(voters, refiners, sums, theta, width, count):
    """First and last bin of each population's data and theta, and one bin more on either side.

    After them come the most bins of a population and the most bins on one side of any.
    """
    h, widest, most = voters.shape[1], 0, 0
    first, last = np.empty(theta.size, np.int64), np.empty(theta.size, np.int64)
    for r in range(theta.size):
        low = min(voters[r, 0], refiners[r, 0], theta[r])
        high = max(voters[r, h - 1], refiners[r, h - 1], theta[r])
        first[r] = max(_bin(low, width, count) - 1, 0)
        last[r] = min(_bin(high, width, count) + 1, count - 1)
        widest = max(widest, last[r] - first[r] + 1)
        most = max(most, first[r], count - 1 - last[r])
    return first, last, widest, most


@jit
def _tally(voters, refiners, sums, theta, width, count, first, last, widest):
    """True votes of, and error after choosing, each bin first .. last; both of shape (R, widest)."""
    h = voters.shape[1]
    held = np.zeros((theta.size, widest), np.int64)
    errors = np.zeros((theta.size, widest))
    for r in range(theta.size):
        i = 0
        while i < h:
            j = _bin(voters[r, i], width, count)
            end = _end_of_run(voters[r], i, j, width, count)
            held[r, j - first[r]] = end - i
            i = end
        under, up_to, y = 0, 0, refiners[r]
        for k in range(last[r] - first[r] + 1):
            low, high = _reach(first[r] + k, width)
            while under < h and y[under] < low:
                under += 1
            while up_to < h and y[up_to] < high:
                up_to += 1
            inner = sums[r, up_to] - sums[r, under]
            errors[r, k] = (under * low + inner + (h - up_to) * high) / h - theta[r]
    return held, errors


@jit
def _empty_bins(up_to, exactly, at_least, width, count, most):
    """What J = 0 .. most bins without votes on one side of the data contribute, by votes b, the last axis.

    From bin to bin the chance that none before has b votes or more, and none after more, falls by the share
    q = P(Z = b | Z <= b) that wins. On the left entry k < 5 sums x_j^k q (1 - q)^j over j < J, where x_j is
    the end of the interval of bin j that is nearest to the data, and the last entry is (1 - q)^J; on the
    right it is the same from the data onwards. Before them stand the least votes of a winner and the most of
    one with at most c true ones (events of probability below 1e-14 are left out), and after them P(Z <=
    b)^(count - s) for s = 0 .. h, where s bins contain data.
    """
    votes = exactly.shape[1]
    low, high = 0, np.empty(votes, np.int64)
    while up_to[0, low] ** count < NEGLIGIBLE:
        low += 1
    for c in range(votes):
        high[c] = max(low, high[c - 1]) if c > 0 else low
        while high[c] < votes and count * at_least[c, high[c]] > NEGLIGIBLE:
            high[c] += 1
    left, right = np.zeros((most + 1, POWERS + 1, votes)), np.zeros((most + 1, POWERS, votes))
    share, left[0, POWERS] = exactly[0], 1.0
    for j in range(most):
        x_left, x_right = -1 + 2 * (j + 2) * width, -1 + 2 * (count - 2 - j) * width
        for k in range(POWERS):
            left_power, right_power = x_left**k, x_right**k
            for b in range(votes):
                left[j + 1, k, b] = left[j, k, b] + left_power * (share[b] * left[j, POWERS, b])
                right[j + 1, k, b] = right[j, k, b] * (1 - share[b]) + right_power * share[b]
        for b in range(votes):
            left[j + 1, POWERS, b] = left[j, POWERS, b] * (1 - share[b])
    others = np.ones((votes, votes))
    for b in range(votes):
        others[-1, b] = up_to[0, b] ** max(count - votes + 1, 0)
    for s in range(min(votes - 1, count) - 1, -1, -1):
        for b in range(votes):
            others[s, b] = others[s + 1, b] * up_to[0, b]
    return low, high, left, right, others


@jit
def _powers(chance, side, low, weights):
    """Sums over the votes b of `chance` times each of the `POWERS` first rows of `side`, in one pass."""
    end, s0, s1, s2, s3, s4 = low + chance.size, 0.0, 0.0, 0.0, 0.0, 0.0
    x0, x1, x2 = side[0, low:end], side[1, low:end], side[2, low:end]
    x3, x4 = side[3, low:end], side[4, low:end]
    for b in range(chance.size):
        s0 += chance[b] * x0[b]
        s1 += chance[b] * x1[b]
        s2 += chance[b] * x2[b]
        s3 += chance[b] * x3[b]
        s4 += chance[b] * x4[b]
    weights[0], weights[1], weights[2], weights[3], weights[4] = s0, s1, s2, s3, s4


@jit
def _times(chance, row):
    """Multiply `chance` by a row of a table, in place."""
    for b in range(chance.size):
        chance[b] *= row[b]


@jit
def _weigh(held, up_to, exactly, low, high, left, right, others, chance, weights):
    """Powers of the ends of the empty bins on either side and P(win) of the bins between, as `weights`.

    All that is summed is cut to its votes first: from 0 on the compiler makes loops faster.
    """
    size, fullest = 0, 0
    for k in range(held.size):
        size, fullest = size + (held[k] > 0), max(fullest, held[k])
    cut, end = 0, high[fullest] - low
    chance, start = chance[:end], others[size, low : low + end]
    for b in range(end):
        chance[b] = start[b]
    for k in range(held.size):
        if held[k] > 0:
            _times(chance, up_to[held[k], low : low + end])
    # the most votes of all bins lie between these
    while cut < end - 1 and chance[cut] < NEGLIGIBLE:
        cut += 1
    while cut < end - 1 and 1 - chance[end - 2] < NEGLIGIBLE:
        end -= 1
    chance, low, end = chance[cut:end], low + cut, low + end
    whole = chance.size - chance.size % 4
    _powers(chance, left, low, weights[:POWERS])
    _times(chance, left[POWERS, low:end])
    for k in range(held.size):
        # four strands, the same order on every machine
        q, s, t, u, v = exactly[held[k], low:end], 0.0, 0.0, 0.0, 0.0
        for b in range(0, whole, 4):
            w, x = chance[b] * q[b], chance[b + 1] * q[b + 1]
            y, z = chance[b + 2] * q[b + 2], chance[b + 3] * q[b + 3]
            chance[b] -= w
            chance[b + 1] -= x
            chance[b + 2] -= y
            chance[b + 3] -= z
            s += w
            t += x
            u += y
            v += z
        for b in range(whole, chance.size):
            w = chance[b] * q[b]
            chance[b] -= w
            s += w
        weights[2 * POWERS + k] = (s + t) + (u + v)
    _powers(chance, right, low, weights[POWERS:])


@jit
def _expect(
    first, last, held, errors, theta, width, count, up_to, exactly, low, high, left, right, others, out
):
    """Moments of the error over the votes, for one width and one budget; the last axis of tables is b.

    Where one bin contains all data the chances of the bins depend on its place alone and are kept.
    """
    users = exactly.shape[1] - 1
    alone, known = np.empty((count, 2 * POWERS + 3)), np.zeros(count, np.bool_)
    scratch, chance = np.empty(2 * POWERS + held.shape[1]), np.empty(users + 1)
    for r in range(theta.size):
        near, lefts, rights = last[r] - first[r] + 1, first[r], count - 1 - last[r]
        weights, keep = scratch, near == 3 and held[r, 1] == users
        if keep:
            weights = alone[lefts]
        if not (keep and known[lefts]):
            sides = left[lefts], right[rights], others
            _weigh(held[r, :near], up_to, exactly, low, high, *sides, chance, weights)
            known[lefts] |= keep
        square, fourth, missed, t = 0.0, 0.0, 0.0, theta[r]
        for side in (0, POWERS):
            s0, s1, s2 = weights[side], weights[side + 1], weights[side + 2]
            square += s2 - 2 * t * s1 + t * t * s0
            rest = weights[side + 4] - 4 * t * weights[side + 3]
            fourth += rest + 6 * t**2 * s2 - 4 * t**3 * s1 + t**4 * s0
            missed += s0
        home = _bin(t, width, count) - first[r]
        for k in range(near):
            p, error = weights[2 * POWERS + k], errors[r, k] ** 2
            square += p * error
            fourth += p * error**2
            missed += p if abs(k - home) > 1 else 0.0
        out[r, 0], out[r, 1], out[r, 2] = square, fourth, missed


@jit
def _quantile(below, guide, u):
    """Smallest b with P(votes <= b) >= u, searched from a b that is not larger."""
    b = guide[int(u * (guide.size - 1))]
    while b < below.size - 2 and below[b + 1] < u:
        b += 1
    return b


@jit
def _first_of(count, ratio, u):
    """First of `count` bins that attains their maximum: geometric with `ratio`, cut off at `count`."""
    if 1 - ratio < 1e-12:
        return min(int(u * count), count - 1)
    return min(int(math.log1p(-u * (1 - math.pow(ratio, count))) / math.log(ratio)), count - 1)


@jit
def _place_of(j, bins):
    """The j-th of the bins without votes; `bins` are those that have some, in order."""
    for k in range(bins.size):
        j += bins[k] <= j
    return j


@jit
def _run(voters, refiners, sums, theta, noise, widths, counts, scales, below, guide, rng, out):
    """One run for each width and population: squared errors.

    The fullest bin votes first. Bin by bin, and the empty ones at once, a uniform number is compared with the
    chance that none so far has as many votes; the one where it is passed has, and the number, given that, is
    where its votes are drawn.
    """
    h = voters.shape[1]
    held, bins = np.empty(h, np.int64), np.empty(h, np.int64)
    for w in range(widths.size):
        width, count = widths[w], counts[w]
        for r in range(theta.size):
            i, size, top, x = 0, 0, 0, voters[r]
            while i < h:
                bins[size] = _bin(x[i], width, count)
                end = _end_of_run(x, i, bins[size], width, count)
                held[size] = end - i
                top = size if held[size] > held[top] else top
                i, size = end, size + 1
            c, chosen, empty = held[top], bins[top], count - size
            most, u, none = _quantile(below[c], guide[c], rng.random()), rng.random(), 1.0
            for k in range(size):
                c = held[k]
                fewer = none * below[c, most]
                if k != top and u >= fewer:
                    votes = _quantile(below[c], guide[c], u / none)
                    if votes > most or (votes == most and bins[k] < chosen):
                        most, chosen = votes, bins[k]
                    u, none = rng.random(), 1.0
                elif k != top:
                    none = fewer
            # (1 - p)^empty >= 1 - empty p: there is almost never more to do
            if empty > 0 and u >= none * (1 - empty * (1 - below[0, most])):
                # `math`: numpy's powers of numbers and of arrays need not agree with compiled ones
                votes = _quantile(below[0], guide[0], math.pow(u / none, 1 / empty))
                if votes >= most:
                    j = _first_of(empty, below[0, votes] / below[0, votes + 1], rng.random())
                    j = _place_of(j, bins[:size])
                    if votes > most or j < chosen:
                        chosen = j
            error = _refined(chosen, refiners[r], sums[r], width) - theta[r] + scales[w] * noise[r]
            out[w, r] = error * error
