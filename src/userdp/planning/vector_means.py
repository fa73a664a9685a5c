"""Mean vectors where nobody is trusted: whole vectors in one report, or a coordinate for each user."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from userdp.local.vector import duchi_vector_mean, localised_vector_mean, split_users
from userdp.planning.local_means import common, improved, kent, two_points
from userdp.planning.option import Option
from userdp.planning.question import Question, unused
from userdp.privacy.guarantee import disjoint
from userdp.privacy.results import VectorEstimate
from userdp.privacy.vector_reports import CubeReport

WHOLE = "the mean vector of the users' own means; its error is that of all coordinates together"


def options(asked: Question, d: int) -> Iterator[Option]:
    """Reports of whole vectors, then each method for one number, its users cut into d folds."""
    yield whole_vectors(asked, d)
    if asked.n < 4 * d:
        yield unused("one coordinate a user", f"needs {4 * d} users")
        return
    fold = replace(asked, n=2 * (asked.n // 2 // d))
    for option in (improved(fold), two_points(fold)):
        yield by_coordinate(option, d)
    yield kent_vectors(fold, d)


def whole_vectors(asked: Question, d: int) -> Option:
    """Duchi's reports: squared length d B^2, so that the risk is largest at 0."""
    square = d * CubeReport(d, asked.epsilon).magnitude ** 2
    return asked.mean_option(
        "reports of whole vectors",
        square / asked.n,
        noise=max(square - d * asked.sampling, 0.0) / asked.n,
        basis="exact",
        assumes="nothing beyond the domain",
        estimates=WHOLE,
        call=scaled(duchi_vector_mean),
        ball="cube",
        **common(asked),
    )


def by_coordinate(option: Option, d: int) -> Option:
    """The option for each of d coordinates, a fold of the users for each."""
    return together(option, d, _call=in_folds(option._call))


def kent_vectors(fold: Question, d: int) -> Option:
    """Kent's Algorithm 4 at the width with the smallest bound."""
    option = kent(fold)
    width = {"half_width": option._parameters.get("half_width", fold.half) / fold.half}
    known = option._parameters | width
    return together(option, d, _call=scaled(localised_vector_mean), _parameters=known)


def together(option: Option, d: int, **changes: Any) -> Option:
    """The option for d coordinates at once; each of them has its error, and may be lost."""
    if option.unused:
        return option
    sums = {name: math.sqrt(d) * getattr(option, name) for name in ("error", "noise", "bias")}
    failure, name = min(1.0, d * option.failure), f"{option.method}, a coordinate a user"
    return replace(option, method=name, estimates=WHOLE, failure=failure, **sums, **changes)


def scaled(estimator: Callable[..., Any]) -> Callable[..., VectorEstimate]:
    """The estimator of vectors in [-1, 1]^d, for vectors of a domain and with sizes that it does not need."""

    def estimate(means: Any, sizes: Any = None, *, domain: Any, **known: Any) -> VectorEstimate:
        centre, half = (domain[1] + domain[0]) / 2, (domain[1] - domain[0]) / 2
        found = estimator((np.asarray(means) - centre) / half, **known)
        return replace(found, value=centre + half * found.value)

    return estimate


def in_folds(estimator: Callable[..., Any] | None) -> Callable[..., VectorEstimate]:
    """Each coordinate estimated by the users of a fold, who send nothing else."""

    def estimate(means: Any, sizes: Any, **known: Any) -> VectorEstimate:
        means, sizes = np.asarray(means), np.asarray(sizes)
        folds = map(np.concatenate, split_users(*means.shape))
        found = [estimator(means[fold, j], sizes[fold], **known) for j, fold in enumerate(folds)]  # type: ignore[misc]
        value = np.array([one.value for one in found])
        return VectorEstimate(value, disjoint(*(one.guarantee for one in found)), tuple(found))

    return estimate
