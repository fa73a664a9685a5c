"""Mean vectors where nobody is trusted: whole vectors in one report, or a coordinate for each user."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from userdp.local.vector import duchi_vector_mean, localised_vector_mean, split_users
from userdp.planning import local_means
from userdp.planning.local_means import common, improved, kent, two_points
from userdp.planning.option import Option
from userdp.planning.question import Question, unused
from userdp.privacy.guarantee import disjoint
from userdp.privacy.results import VectorEstimate
from userdp.privacy.vector_reports import CubeReport

WHOLE = "the mean vector of the users' own means; its error is that of all coordinates together"


def options(asked: Question) -> Iterator[Option]:
    """Reports of whole vectors, then each method for one number, its users cut into d folds."""
    d = asked.dimension
    if d == 1:
        yield from local_means.options(asked)
        return
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
        call=partial(scaled, duchi_vector_mean),
        ball="cube",
        **common(asked),
    )


def by_coordinate(option: Option, d: int) -> Option:
    """The option for each of d coordinates, a fold of the users for each."""
    return together(option, d, call=partial(in_folds, option.call))


def kent_vectors(fold: Question, d: int) -> Option:
    """Kent's Algorithm 4 at the width with the smallest bound."""
    option = kent(fold)
    width = {"half_width": option.parameters.get("half_width", fold.half) / fold.half}
    known = option.parameters | width
    return together(option, d, call=partial(scaled, localised_vector_mean), parameters=known)


def together(option: Option, d: int, **changes: Any) -> Option:
    """The option for d coordinates at once; each of them has its error, and may be lost."""
    if option.unused:
        return option
    sums = {name: math.sqrt(d) * getattr(option, name) for name in ("error", "noise", "bias")}
    failure, name = min(1.0, d * option.failure), f"{option.method}, a coordinate a user"
    return replace(option, method=name, estimates=WHOLE, failure=failure, **sums, **changes)


def scaled(
    estimator: Callable[..., VectorEstimate], means: Any, sizes: Any = None, *, domain: Any, **known: Any
) -> VectorEstimate:
    """What an estimator of vectors in [-1, 1]^d makes of vectors in a domain; it needs no sizes."""
    centre, half = (domain[1] + domain[0]) / 2, (domain[1] - domain[0]) / 2
    found = estimator((np.asarray(means) - centre) / half, **known)
    return replace(found, value=centre + half * found.value)


def in_folds(estimator: Any, means: Any, sizes: Any, **known: Any) -> VectorEstimate:
    """Each coordinate estimated by the users of a fold, who send nothing else."""
    means, sizes = np.asarray(means), np.asarray(sizes)
    folds = map(np.concatenate, split_users(*means.shape))
    found = [estimator(means[fold, j], sizes[fold], **known) for j, fold in enumerate(folds)]
    value = np.array([one.value for one in found])
    return VectorEstimate(value, disjoint(*(one.guarantee for one in found)), tuple(found))
