"""Means under user-level local differential privacy (Kent, Berrett and Yu; DAME of Pla, Vono and Richard).

All estimators take the users' own means, shape (n,); the order of the users is public, the first n/2
localise and the last n/2 refine (an odd last user is left out). Neighbouring inputs replace one user's
whole data; each user sends one report.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from userdp import _validate
from userdp._types import ArrayLike, Domain, NDArray, Rng
from userdp.local.localise import Ballot, Bins
from userdp.privacy.guarantee import disjoint
from userdp.privacy.reports import LaplaceReport, TwoPointReport, literal, project
from userdp.privacy.results import MeanEstimate

__all__ = [
    "KENT_MARGIN",
    "KENT_GENERAL_MARGIN",
    "laplace_mean",
    "duchi_mean",
    "localised_half_width",
    "localised_mean",
]

UNIT: Domain = (-1.0, 1.0)
# extra half-widths of the interval beyond the chosen bin
KENT_MARGIN = 2  # Algorithm 2, eq. (28)
KENT_GENERAL_MARGIN = 5  # Algorithm 10, line 18, epsilon > 1


def _table(axes: str, least: int, epsilon: float, rng: Rng, **data: ArrayLike) -> NDArray:
    """Users' table as floats, after the checks that every estimator makes."""
    _validate.budget(epsilon=epsilon)
    _validate.generator(rng=rng)
    return np.asarray(_numbers(axes, least, **data), dtype=float)


def _numbers(axes: str, least: int, **data: ArrayLike) -> NDArray:
    """Users' data as an array, of which only dtype and shape have been looked at: these are public.

    `axes` has a letter an axis, as in "nd"; the last is of length `least` or more, the others not empty.
    """
    ((name, values),) = data.items()
    values = np.asarray(values)
    if values.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be real numbers, got dtype {values.dtype}")
    if values.ndim != len(axes) or values.shape[-1] < least or 0 in values.shape:
        shape = f"({', '.join(axes)}{',' * (len(axes) == 1)}) with {axes[-1]} at least {least}"
        raise ValueError(f"{name} must have shape {shape}, got shape {values.shape}")
    return values


def _centred(domain: Domain) -> tuple[float, float]:
    """Centre and half-length of a public domain, (0, 1) for [-1, 1]."""
    low, high = domain
    _validate.ordered(**{"domain[0]": low, "domain[1]": high})
    return low / 2 + high / 2, high / 2 - low / 2


def _to_unit(means: NDArray, domain: Domain) -> NDArray:
    """Means projected to the domain and mapped onto [-1, 1]."""
    centre, half = _centred(domain)
    return (project(means, *domain) - centre) / half


def _to_domain(estimate: MeanEstimate, domain: Domain) -> MeanEstimate:
    """The estimate mapped back from [-1, 1]."""
    centre, half = _centred(domain)
    low, high = estimate.interval or UNIT
    ends = centre + half * low, centre + half * high
    return replace(estimate, value=centre + half * estimate.value, interval=ends)


def _average(randomiser: Any, x: Any, n: int, every_report: bool, rng: Rng) -> Any:
    """Average of the reports of the `n` users who hold `x`."""
    randomiser = literal(randomiser) if every_report else randomiser
    return randomiser.unbias(randomiser.sample_total(x, rng), n) / n


def laplace_mean(
    means: ArrayLike, *, epsilon: float, domain: Domain = UNIT, every_report: bool = False, rng: Rng
) -> MeanEstimate:
    """Average of the users' means, each with Laplace noise of scale ``(high - low) / epsilon``.

    Output law: the average of the means plus the average of n Laplace variables.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user; projected to `domain`.
    epsilon
        Local budget of each user.
    domain
        Public ends (low, high) of what a mean can be; the estimate is in the same units.
    every_report
        Draw every user's report instead of the exact law of their sum.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> round(laplace_mean(np.full(10_000, 3.0), epsilon=1.0, domain=(0, 5), rng=rng).value, 2)
    3.0
    """
    return _one_round(LaplaceReport, means, epsilon, domain, every_report, rng)


def duchi_mean(
    means: ArrayLike, *, epsilon: float, domain: Domain = UNIT, every_report: bool = False, rng: Rng
) -> MeanEstimate:
    """Average of the users' two-point reports (Duchi, Jordan and Wainwright 2018).

    Output law: on [-1, 1] the average of n independent points ``+-B``,
    ``B = (e^epsilon + 1) / (e^epsilon - 1)``, whose means are the users' means.

    Parameters as for `laplace_mean`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> round(duchi_mean(np.full(10_000, 0.3), epsilon=1.0, rng=rng).value, 2)
    0.28
    """
    return _one_round(TwoPointReport, means, epsilon, domain, every_report, rng)


def _one_round(
    kind: type, means: ArrayLike, epsilon: float, domain: Domain, every_report: bool, rng: Rng
) -> MeanEstimate:
    x = _table("n", 1, epsilon, rng, means=means)
    randomiser = kind(*domain, epsilon)
    value = _average(randomiser, x, x.size, every_report, rng)
    return MeanEstimate(float(value), randomiser.guarantee)


def _log_information(n: int, size: int, z: float, least: int = 2, **factors: int) -> float:
    """Logarithm of n T z, which sets widths and thresholds, with further factors in front; z is epsilon^2."""
    _validate.integer(least, n=n)
    _validate.integer(1, size=size, **factors)
    # floats: whole numbers of numpy overflow in silence
    information = math.prod(map(float, [*factors.values(), n, size])) * z
    names = " * ".join([*factors, "n", "size", "epsilon**2"])
    return float(np.log(_validate.exceeds_one(names, information, " for the default")))


def localised_half_width(*, n: int, size: int, epsilon: float) -> float:
    """Half-width of a bin, Kent's Delta, eq. (30) and (101), with T* = T as in the paper's simulations.

    For n users of T = `size` records each it is ``sqrt(2 log(n T epsilon^2) / T)``, and for epsilon above 1
    ``sqrt(4 log(n T) / T)``; n T epsilon^2 must exceed 1.
    """
    _validate.positive(epsilon=epsilon)
    factor, z = (4, 1.0) if epsilon > 1 else (2, epsilon**2)
    return float(np.sqrt(factor * _log_information(n, size, z) / size))


def localised_mean(
    means: ArrayLike,
    *,
    size: int,
    epsilon: float,
    half_width: float | None = None,
    general: bool | None = None,
    domain: Domain = UNIT,
    every_report: bool = False,
    rng: Rng,
) -> MeanEstimate:
    """Localise, then refine, for users with equally many records (Kent, Algorithms 2-3 and 10-11).

    Output law: the first half votes for bins of half-width `half_width` by unary encoding, one vote each
    (three in the general procedure); the second half's means, projected to the chosen bin widened by 2
    (5) half-widths on either side, get Laplace noise scaled to that interval and are averaged.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user over `size` records; projected to `domain`.
    size
        Records each user holds, T; it only sets the default half-width.
    epsilon, domain, every_report, rng
        As for `laplace_mean`.
    half_width
        Half-width of a bin in the units of the domain, Delta; by default `localised_half_width`, which is
        for [-1, 1], stretched alike.
    general
        Whether to run the general procedure, Algorithm 10's branch for epsilon above 1; by default it
        runs exactly there. False runs Algorithm 2, which is private at every epsilon, misses less often
        and adds a quarter of the noise variance.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> result = localised_mean(np.full(10_000, 0.3), size=1000, epsilon=1.0, rng=rng)
    >>> round(result.value, 3), result.guarantee.epsilon
    (0.292, 1.0)
    """
    x = _to_unit(_table("n", 2, epsilon, rng, means=means), domain)
    half_width = None if half_width is None else half_width / _centred(domain)[1]
    how = _How(size, epsilon, half_width, general, False, every_report, rng)
    return _to_domain(_localised(x, how), domain)


class _How(NamedTuple):
    """Public options, as one estimator by localisation hands them to another."""

    size: int
    epsilon: float
    half_width: float | None
    general: bool | None
    printed: bool
    every_report: bool
    rng: Rng


def _localised(means: NDArray, how: _How) -> MeanEstimate:
    """Both rounds on means in [-1, 1]."""
    return _rounds(means, how).run(how.every_report, how.rng)


def _rounds(means: NDArray, how: _How) -> "_Rounds":
    half, tau, epsilon = means.size // 2, how.half_width, how.epsilon
    if tau is None:
        tau = localised_half_width(n=2 * half, size=how.size, epsilon=epsilon)
    general = epsilon > 1 if how.general is None else how.general
    margin, reach = (KENT_GENERAL_MARGIN, 1) if general else (KENT_MARGIN, 0)
    ballot = Ballot(Bins(tau), reach, epsilon)

    def refine(j: int) -> _Refinement:
        lower, upper = ballot.bins.ends(j)
        report = LaplaceReport(lower - margin * tau, upper + margin * tau, epsilon)
        return _Refinement(report, means[half : 2 * half])

    return _Rounds(ballot, means[:half], None, refine)


class _Refinement(NamedTuple):
    """What the second half sends, its numbers, and what the server makes of the average report."""

    report: LaplaceReport
    x: NDArray
    finish: Callable[[Any], Any] = lambda average: average


class _Rounds(NamedTuple):
    """Who votes and how, and the second round by the chosen bin; a user takes part in one round."""

    ballot: Ballot
    voters: NDArray
    eligible: NDArray | None
    refine: Callable[[int], _Refinement]

    def run(self, every_report: bool, rng: Rng) -> MeanEstimate:
        """Draw both rounds."""
        votes = self.ballot.count(self.voters, rng, eligible=self.eligible, every_report=every_report)
        report, x, finish = self.refine(int(np.argmax(votes)))
        value = float(finish(_average(report, x, x.size, every_report, rng)))
        guarantee = disjoint(self.ballot.randomiser.guarantee, report.guarantee)
        return MeanEstimate(value, guarantee, (report.low, report.high), votes)
