"""Exact draws from random bytes: coins, whole numbers, Laplace and piecewise noise on a grid, choices.

No logarithm and no exponential of a floating-point number enters a draw: a byte is compared with the digits
of the probability, and where it ties more are drawn, so that no more digits are computed than are needed.
Budgets are the rational numbers that they are as floats. `Secure` is a generator that draws in this way
alone, from the system's own randomness; what needs another draw is refused.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import floor, prod
from typing import Any

import numpy as np

from userdp._types import Floats, Ints, NDArray, Rng

__all__ = ["Secure"]

CUT = 2.0**-30  # of the sensitivity: a step of a sum
EXACT = {"bit_generator", "bytes", "permutation", "shuffle"}
FLOATING = {name for name in dir(np.random.Generator) if not name.startswith("_")} - EXACT


class Secure(np.random.Generator):
    """A generator that draws from the system's own randomness, exactly, for a release in earnest.

    Votes, reports, noise and choices are drawn without rounding, because the last digits of noise that is
    drawn in floating point can reveal the data. It is given as ``rng`` to an estimator. A method that would
    have to draw in floating point raises ``TypeError`` instead, and its entry then names a generator of NumPy
    alone. There is no seed, and no draw can be repeated. The order into which a table of users is put is
    public, and comes from a generator that the system seeds.

    Examples
    --------
    >>> from userdp.privacy import BinaryResponse
    >>> BinaryResponse(1.0).privatise([0, 1, 1, 0], Secure()).shape
    (4,)
    """

    def __init__(self) -> None:
        super().__init__(np.random.PCG64())

    def bytes(self, length: int) -> bytes:
        """Draw random bytes from the system.

        Parameters
        ----------
        length
            How many bytes.
        """
        self.bit_generator.random_raw()  # an account sees by its state that something is drawn
        return secrets.token_bytes(length)

    def __getattribute__(self, name: str) -> Any:
        if name in FLOATING:
            raise TypeError(f"rng must draw exactly, and this method asks for {name!r} in floating point")
        return super().__getattribute__(name)

    def __reduce__(self) -> tuple:
        return Secure, ()


def random_bytes(count: int, rng: Rng) -> NDArray[np.uint8]:
    """Uniform bytes, shape (count,)."""
    if isinstance(rng, Secure):
        return np.frombuffer(rng.bytes(count), np.uint8)
    return rng.integers(0, 2**64, -(-count // 8), dtype=np.uint64).view(np.uint8)[:count]


@dataclass(frozen=True)
class Coin:
    """True with probability exactly ``1 / (1 + ratio (exp(x) - shift))``, all three rational, x not 0.

    Such a probability is transcendental (Lindemann): its digits are those of any close enough enclosure.
    """

    x: Fraction
    ratio: Fraction = Fraction(1)
    shift: int = 0

    def toss(self, shape: Any, rng: Rng) -> NDArray[np.bool_]:
        """Independent tosses."""
        drawn, digit, place = random_bytes(prod(shape), rng), _digit(self, 0), 0
        found, tied = drawn < digit, np.flatnonzero(drawn == digit)
        while tied.size:
            place += 1
            drawn, digit = random_bytes(tied.size, rng), _digit(self, place)
            found[tied] = drawn < digit
            tied = tied[drawn == digit]
        return found.reshape(shape)


@cache
def _digit(coin: Coin, place: int) -> int:
    """A digit of the probability to the base 256, the first after the point at place 0."""
    bits = 8 * (place + 1)
    for digits in range(bits // 3 + 20, 10**6, 100):
        chances = [1 / (1 + coin.ratio * (ends - coin.shift)) for ends in _exponential(coin.x, digits)]
        low, high = (floor(chance * 2**bits) for chance in chances)
        if low == high:
            return low % 256
    raise AssertionError("no probability of this kind is rational")


def _exponential(x: Fraction, digits: int) -> list[Fraction]:
    """Ends of an interval that contains exp(x): `decimal` rounds an exponential correctly."""
    found = []
    for rounding, beyond in ((ROUND_FLOOR, "next_minus"), (ROUND_CEILING, "next_plus")):
        with localcontext(prec=digits, rounding=rounding, Emax=MAX_EMAX, Emin=MIN_EMIN):
            found.append(Fraction(getattr((Decimal(x.numerator) / x.denominator).exp(), beyond)()))
    return found


def below(count: int, shape: Any, rng: Rng) -> Ints:
    """Uniform whole numbers 0 .. count - 1, count below 2**63."""
    found = random_bytes(8 * prod(shape), rng).view(np.uint64).copy()
    while (bad := np.flatnonzero(found > np.uint64(2**64 - 2**64 % count - 1))).size:
        found[bad] = random_bytes(8 * bad.size, rng).view(np.uint64)
    return (found % np.uint64(count)).astype(np.int64).reshape(shape)


def fair_signs(shape: Any, rng: Rng) -> NDArray:
    """Independent signs, -1 or 1."""
    return 2.0 * below(2, shape, rng) - 1 if isinstance(rng, Secure) else rng.choice((-1.0, 1.0), size=shape)


def rounded(x: Floats, rng: Rng) -> Ints:
    """Whole numbers next to `x`, each up or down so that its mean is `x`: of 53 random bits."""
    down = np.floor(x)
    return down.astype(np.int64) + (below(2**53, x.shape, rng) < (x - down) * 2.0**53)


def geometric(scale: Fraction, shape: Any, rng: Rng) -> Ints:
    """Whole numbers g from 0 with probability proportional to ``exp(-g / scale)``.

    Their binary digits are independent, that of ``2**j`` being 1 with odds ``exp(-2**j / scale)``; what is
    above the last digit drawn is again such a number.
    """
    places = int(scale).bit_length()
    found = np.zeros(prod(shape), dtype=np.int64)
    for place in range(places):
        found += Coin(2**place / scale).toss(found.shape, rng) * np.int64(2**place)
    on, more = np.arange(found.size), Coin(2**places / scale, shift=1)
    while (on := on[more.toss(on.shape, rng)]).size:
        found[on] += 2**places
    return found.reshape(shape)


def is_up(share: Floats, epsilon: float, rng: Rng) -> NDArray[np.bool_]:
    """Randomised response of numbers in [0, 1], rounded at random to 0 or 1."""
    kept = Coin(-Fraction(epsilon)).toss(share.shape, rng)
    return kept == (rounded(share, rng) > 0)


def on_grid(draw: Callable[..., Ints], x: Floats, report: Any, rng: Rng) -> Floats:
    """Reports on a grid of a domain: a million millions of steps, fewer at budgets below 1/1000."""
    grid, length = int(2.0 ** min(40, 50 + np.floor(np.log2(report.epsilon)))), report.high - report.low
    drawn = draw((x - report.low) / length * grid, grid, Fraction(report.epsilon), rng)
    return report.low + length * (drawn / grid)


def laplace_steps(x: Floats, grid: int, epsilon: Fraction, rng: Rng) -> Ints:
    """Reports on whole numbers of `x` in [0, grid]: rounded, and noise of scale ``grid / epsilon``."""
    scale = grid / epsilon
    return rounded(x, rng) + geometric(scale, x.shape, rng) - geometric(scale, x.shape, rng)


def piecewise_steps(x: Floats, grid: int, epsilon: Fraction, rng: Rng) -> Ints:
    """Piecewise reports on whole numbers of `x` in [0, grid]: a window of places, or any place.

    With ``w = ceil(grid / (exp(epsilon / 2) - 1))`` places beyond either end, a report is one of all
    ``grid + 2 w + 1`` places at the probability that makes a place within the window, one of ``w + 1``,
    exactly ``exp(epsilon)`` times as likely as one outside it; the window lies so that the mean is `x`.
    """
    beyond = int(np.ceil(grid / np.expm1(float(epsilon) / 2)))
    places, window = grid + 2 * beyond + 1, beyond + 1
    silent = Coin(epsilon, Fraction(window, places), 1).toss(x.shape, rng)
    odds = places / window / np.expm1(float(epsilon))  # of a silent report
    start = np.clip((1 + odds) * x - odds * grid / 2 - beyond / 2, -beyond, grid)
    told = rounded(start, rng) + below(window, x.shape, rng)
    return np.where(silent, below(places, x.shape, rng) - beyond, told)


def likeliest(scores: Floats, rate: float, rng: Rng) -> int:
    """Index of a score, with probability proportional to ``exp(rate score)``: proposed, then accepted."""
    behind = [(int(gap), gap % 1) for gap in (Fraction(rate) * Fraction(x) for x in np.max(scores) - scores)]
    while True:
        index = int(below(len(behind), (), rng))
        whole, part = behind[index]
        kept = all(Coin(Fraction(1), shift=1).toss((), rng) for _ in range(whole))
        if kept and (not part or Coin(part, shift=1).toss((), rng)):
            return index


def lost(parts: int, sensitivity: float, rng: Rng) -> float:
    """How much of a sum of so many parts is cut off, at most."""
    return parts * sensitivity * CUT if isinstance(rng, Secure) else 0.0


def noisy_sum(parts: Any, scale: float, sensitivity: float, epsilon: float, rng: Rng) -> Any:
    """Sum of what users add, a row each, in whole steps, with Laplace noise of OpenDP in whole steps.

    A sum of whole numbers has no rounding, so that neither the order of users nor their number shows in it.
    Each user's row is cut towards 0 by itself; two steps beyond the sensitivity pay for earlier rounding.
    """
    try:
        import opendp.prelude as dp
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("exact noise needs OpenDP: pip install 'userdp[release]'") from error
    dp.enable_features("contrib")
    step = 2.0 ** floor(np.log2(sensitivity * CUT))
    cut = parts / step
    total = np.asarray((cut if isinstance(cut, np.ndarray) else cut.tocsr()).astype(np.int64).sum(axis=0))
    moved = floor(sensitivity / step) + 2
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    noise = dp.m.make_laplace(*space, scale=scale / sensitivity * moved * (1 + 1e-14))
    if not noise.map(moved) <= epsilon:
        raise ValueError(f"epsilon must be at least {noise.map(moved)} with this noise, got {epsilon}")
    rng.bytes(1)  # an account sees by the state that something is drawn
    return (np.array(noise(total.ravel().tolist())) * step).reshape(total.shape)[()]
