"""The protocol of rounds that the local estimators share: checks, units, votes, then reports of others.

Two rounds of one protocol serve Kent's Algorithms 2 and 10 and DAME: they differ in who votes and in how the
second half refines.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from userdp import _validate
from userdp._types import ArrayLike, Domain, NDArray, Rng
from userdp.local.localise import Ballot
from userdp.privacy.guarantee import disjoint
from userdp.privacy.reports import LaplaceReport, literal, project
from userdp.privacy.results import MeanEstimate

UNIT: Domain = (-1.0, 1.0)


def users_table(axes: str, least: int, epsilon: float, rng: Rng, **data: ArrayLike) -> NDArray:
    """Users' table as floats, after the checks that every estimator makes."""
    _validate.budget(epsilon=epsilon)
    _validate.generator(rng=rng)
    return np.asarray(real_numbers(axes, least, **data), dtype=float)


def real_numbers(axes: str, least: int, **data: ArrayLike) -> NDArray:
    """Users' data as an array, of which only dtype and shape have been looked at: these are public.

    `axes` has one letter per axis, as in "nd"; the last is of length `least` or more, the others not empty.
    """
    ((name, values),) = data.items()
    values = np.asarray(values)
    if values.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be real numbers, got dtype {values.dtype}")
    if values.ndim != len(axes) or values.shape[-1] < least or 0 in values.shape:
        shape = f"({', '.join(axes)}{',' * (len(axes) == 1)}) with {axes[-1]} at least {least}"
        raise ValueError(f"{name} must have shape {shape}, got shape {values.shape}")
    return values


def centred(domain: Domain) -> tuple[float, float]:
    """Centre and half-length of a public domain, (0, 1) for [-1, 1]."""
    low, high = domain
    _validate.domain(domain)
    return low / 2 + high / 2, high / 2 - low / 2


def to_unit(means: NDArray, domain: Domain) -> NDArray:
    """Means projected to the domain and mapped onto [-1, 1]."""
    centre, half = centred(domain)
    return (project(means, *domain) - centre) / half


def to_domain(estimate: MeanEstimate, domain: Domain) -> MeanEstimate:
    """The estimate mapped back from [-1, 1]."""
    centre, half = centred(domain)
    low, high = estimate.clipped_to or UNIT
    ends = centre + half * low, centre + half * high
    return replace(estimate, value=centre + half * estimate.value, clipped_to=ends)


def average_report(randomiser: Any, x: Any, n: int, every_report: bool, rng: Rng) -> Any:
    """Average of the reports of the `n` users who hold `x`."""
    randomiser = literal(randomiser, every_report, rng)
    return randomiser.unbias(randomiser.sample_total(x, rng), n) / n


def log_information(n: int, size: int, z: float, least: int = 2, **factors: int) -> float:
    """Logarithm of n T z, which sets widths and thresholds, with further factors in front; z is epsilon^2."""
    _validate.integer(least, n=n)
    _validate.integer(1, size=size, **factors)
    # floats: whole numbers of numpy overflow in silence
    information = math.prod(map(float, [*factors.values(), n, size])) * z
    names = " * ".join([*factors, "n", "size", "epsilon**2"])
    return float(np.log(_validate.exceeds_one(names, information, " for the default")))


class Options(NamedTuple):
    """Public options, as one estimator by localisation hands them to another."""

    size: int
    epsilon: float
    half_width: float | None
    general: bool | None
    printed: bool
    every_report: bool
    rng: Rng


class Refinement(NamedTuple):
    """What the second half sends, its numbers, and what the server makes of the average report."""

    report: LaplaceReport
    x: NDArray
    finish: Callable[[Any], Any] = lambda average: average


class Rounds(NamedTuple):
    """Who votes and how, and the second round by the chosen bin; a user takes part in one round."""

    ballot: Ballot
    voters: NDArray
    eligible: NDArray | None
    refine: Callable[[int], Refinement]

    def run(self, every_report: bool, rng: Rng) -> MeanEstimate:
        """Draw both rounds."""
        votes = self.ballot.count(self.voters, rng, eligible=self.eligible, every_report=every_report)
        report, x, finish = self.refine(int(np.argmax(votes)))
        value = float(finish(average_report(report, x, x.size, every_report, rng)))
        guarantee = disjoint(self.ballot.randomiser.guarantee, report.guarantee)
        return MeanEstimate(value, guarantee, (report.low, report.high), votes)
