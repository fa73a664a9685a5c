"""Means and mean vectors in the local model: every local estimator at its best public parameters."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from userdp.local.improved import improved_mean
from userdp.local.mean import duchi_mean, laplace_mean, piecewise_mean
from userdp.local.signs import ROUNDS, sign_mean
from userdp.local.vector import duchi_vector_mean, split_users
from userdp.planning.option import Option, Question, unused
from userdp.planning.risk.improved_plan import Known, Mixture, Tails, best_plan, mixture, size_cells
from userdp.planning.risk.localised import sign_risk
from userdp.privacy.guarantee import disjoint, sequential
from userdp.privacy.reports import LaplaceReport, PiecewiseReport, TwoPointReport
from userdp.privacy.results import VectorEstimate
from userdp.privacy.vector_reports import CubeReport
from userdp.sizes import constant_size

WHOLE = "the mean vector of the users' latent means; its error is that of all coordinates together"
ANY = "nothing beyond the domain"
NORMAL = "users' means are normal"
TELL_NOTHING = "sizes say nothing about means"
ONE_LAW = "all users' records have one distribution"
MOST_ROUNDS = 3  # in which the improved mean may meet its users
LITTLE = 0.9  # of a risk, from which shrinking an estimate gains too little
MOST_RECORDS = 10**8  # of which the distribution of a mean is listed


def options(asked: Question) -> Iterator[Option]:
    """Every method that needs no trust, each with its error at the worst mean."""
    if asked.dimension > 1:
        yield from vector_options(asked, asked.dimension)
        return
    yield two_points(asked)
    yield laplace(asked)
    yield piecewise(asked)
    yield improved(asked)
    yield signs(asked)


def without_sizes(estimator: Callable[..., Any], means: Any, sizes: Any = None, **known: Any) -> Any:
    """What the estimator makes of the means, given sizes that it does not need."""
    return estimator(means, **known)


def common(asked: Question) -> dict[str, Any]:
    return {"epsilon": asked.epsilon, "domain": asked.domain}


def one_round(
    asked: Question, method: str, estimator: Any, variance: float, *, noise: float, falls: float = 0.0
) -> Option:
    """A method that needs no sizes and assumes nothing, by its variance on [-1, 1] and its noise.

    At the mean theta it has a variance of at most ``variance - falls theta^2``.
    """
    keep, risk = shrinking(variance, falls)
    how: dict[str, Any] = {"basis": "exact", "call": partial(without_sizes, estimator)}
    if keep < 1:
        how = {"basis": "bound", "bias": 1 - keep, "call": partial(shrunk, estimator, keep=keep)}
        how["setting"] = f"shrunk to {keep:.2g} of its distance from the middle"
    return asked.mean_option(method, risk, noise=keep**2 * noise, assumes=ANY, **how, **common(asked))


def shrinking(variance: float, falls: float) -> tuple[float, float]:
    """What to keep of an estimate's way from 0, and the risk then; all of it where that gains little.

    With a part c kept, the risk is at most ``c^2 (variance - falls theta^2) + (1 - c)^2 theta^2``, which is
    linear in theta^2: the least of what is larger, at 0 or at 1, among those parts that are no worse than all
    of it at any theta.
    """
    ends = variance - falls
    keep = max(min(1 / (1 + math.sqrt(falls)), 1 / (1 + ends)), (1 - ends) / (1 + ends))
    risk = max(keep**2 * variance, keep**2 * ends + (1 - keep) ** 2)
    return (keep, risk) if risk < LITTLE * variance else (1.0, variance)


def shrunk(estimator: Callable[..., Any], means: Any, sizes: Any = None, *, keep: float, **known: Any) -> Any:
    """What the estimator makes of the means, shrunk to the middle of the domain; `sent` is what it was."""
    found, middle = estimator(means, **known), sum(known["domain"]) / 2
    return replace(found, value=middle + keep * (found.value - middle), sent=found.value)


def two_points(asked: Question) -> Option:
    """Two-point reports have variance at most B^2 / n, which is reached where the mean is 0."""
    bound = TwoPointReport(-1.0, 1.0, asked.epsilon).magnitude
    noise, variance = max(bound**2 - asked.drawn, 0.0) / asked.n, bound**2 / asked.n
    return one_round(asked, "two-point reports", duchi_mean, variance, noise=noise, falls=1 / asked.n)


def laplace(asked: Question) -> Option:
    """Laplace reports of the means themselves."""
    noise = 2 * LaplaceReport(-1.0, 1.0, asked.epsilon).scale ** 2 / asked.n
    return one_round(asked, "Laplace reports", laplace_mean, noise + asked.drawn / asked.n, noise=noise)


def piecewise(asked: Question) -> Option:
    """Piecewise reports: with s the variance of a user's mean, c0 + c1 E x^2 + s, at the worst of two ends.

    Given its latent mean, a user's mean of m records has a variance of at most ``(1 - own^2) / m``, so that
    the risk is linear in the expected square of the latent means: worst where that is least or where it is 1.
    If sizes tell of means, the users at the ends may have many records and those in the middle few.
    """
    least, most = PiecewiseReport(-1.0, 1.0, asked.epsilon).variance([0.0, 1.0]).tolist()
    varies = asked.target == "population"  # else the users' means are what they are
    own, record = varies * asked.unit_spread**2, varies * asked.size_law.expectation(lambda m: 1 / m)
    sampling = min(own + record, 1.0) if asked.telling else own + (1 - own) * record
    middle, ends = least + (most - least) * sampling + sampling, most + (sampling if asked.telling else own)
    variance, noise = max((middle, middle - sampling), (ends, most))
    how = {"noise": noise / asked.n, "falls": (variance - ends) / asked.n}
    return one_round(asked, "piecewise reports", piecewise_mean, variance / asked.n, **how)


def improved(asked: Question) -> Option:
    """The improved localised mean at the plan with the smallest bound."""
    most = min((asked.rounds or MOST_ROUNDS) - 1, MOST_ROUNDS - 1)
    if not most:
        return unused("improved mean", "needs more than one round, and rounds is 1")
    tails: Tails | Mixture = asked.tails
    law, spread = size_cells(asked.weighing_law), asked.unit_spread
    if asked.telling:
        unit = math.hypot(law.smallest**-0.5, spread)
        tails = mixture(size_cells(asked.size_law), spread, asked.tails, unit)
    plan, bound = best_plan(Known(asked.n, asked.epsilon, law, tails, spread), most)
    if not plan.voters and plan.rounds[-1].sigmas == 0:
        return unused("improved mean", "with these numbers it is one round of reports")
    votes = f"{plan.voters} users vote at half-width {plan.half_width:.2g}, " if plan.voters else ""
    return asked.mean_option(
        "improved mean",
        asked.of_target(bound.risk),
        setting=f"{votes}{len(plan.rounds)} round{'s' * (len(plan.rounds) > 1)} of reports",
        noise=max(bound.variance - asked.sampling / asked.n, 0.0),
        bias=bound.bias,
        failure=bound.failure,
        basis="bound",
        assumes=tailed(asked),
        call=improved_mean,
        rounds=bool(plan.voters) + len(plan.rounds),
        plan=plan,
        size_law=asked.weighing_law,
        **common(asked),
    )


def tailed(asked: Question) -> str:
    """What is assumed of the users' means."""
    sizes = f"; {TELL_NOTHING}" if asked.unequal and not asked.sizes_tell else ""
    tails = f"latent means with normal tails of deviation {asked.spread:g}" if asked.spread else ONE_LAW
    return (NORMAL if asked.tails == "normal" else tails) + sizes


def signs(asked: Question) -> Option:
    """Signs at moving thresholds: they find a median, which counts as bias unless means are normal."""
    name, law = "signs at moving thresholds", asked.size_law
    law = constant_size(law.smallest) if asked.sizes_tell else law  # its model has means independent of sizes
    if asked.n < ROUNDS:
        return unused(name, f"needs {ROUNDS} users, one per round")
    if law.smallest > MOST_RECORDS:
        return unused(name, f"its grid is for {MOST_RECORDS:,} records at most")
    known: dict[str, Any] = {"size_law": law, "epsilon": asked.epsilon}
    found = sign_risk(n=asked.n, spread=asked.unit_spread, tails=asked.tails, **known)
    return asked.mean_option(
        name,
        asked.of_target(found.risk),
        noise=max((math.sqrt(found.risk) - found.bias) ** 2 - asked.sampling / asked.n, 0.0),
        bias=found.bias,
        failure=math.nan,
        basis="formula",
        assumes=tailed(asked),
        call=partial(without_sizes, sign_mean),
        rounds=ROUNDS,
        spread=asked.spread,
        **known | common(asked),
    )


# --- vectors ------------------------------------------------------------------------------------------------


def vector_options(asked: Question, d: int) -> Iterator[Option]:
    """Reports of whole vectors, then each method for one number, its users cut into d folds."""
    yield whole_vectors(asked, d)
    if asked.n < 4 * d:
        yield unused("one coordinate a user", f"needs {4 * d} users")
        return
    fold = replace(asked, n=2 * (asked.n // 2 // d))
    for option in (improved(fold), two_points(fold)):
        yield by_entry(option, d)


def whole_vectors(asked: Question, d: int) -> Option:
    """Duchi's reports: squared length d B^2, so that the risk is largest at 0."""
    square = d * CubeReport(d, asked.epsilon).magnitude ** 2
    noise = max(square - d * asked.sampling, 0.0) / asked.n
    how: dict[str, Any] = {"basis": "exact", "assumes": ANY, "ball": "cube", **common(asked)}
    how |= {"estimates": WHOLE, "call": partial(scaled, duchi_vector_mean)}
    return asked.mean_option("reports of whole vectors", square / asked.n, noise=noise, **how)


def by_entry(option: Option, d: int, *, whole: bool = False) -> Option:
    """The option for each of d coordinates, a fold of the users for each or all of them; any may be lost."""
    if option.unused:
        return option
    sums = {name: math.sqrt(d) * getattr(option, name) for name in ("error", "noise", "bias")}
    call, failure = partial(in_folds, option.call, whole=whole), min(1.0, d * option.failure)
    name = f"{option.method}, {'each coordinate' if whole else 'one coordinate per user'}"
    return replace(option, method=name, estimates=WHOLE, failure=failure, call=call, **sums)


def scaled(
    estimator: Callable[..., VectorEstimate], means: Any, sizes: Any = None, *, domain: Any, **known: Any
) -> VectorEstimate:
    """What an estimator of vectors in [-1, 1]^d makes of vectors in a domain; it needs no sizes."""
    centre, half = (domain[1] + domain[0]) / 2, (domain[1] - domain[0]) / 2
    found = estimator((np.asarray(means) - centre) / half, **known)
    return replace(found, value=centre + half * found.value)


def in_folds(estimator: Any, means: Any, sizes: Any, *, whole: bool = False, **known: Any) -> VectorEstimate:
    """Each coordinate estimated by a fold of users, who send nothing else, or by all (basic composition)."""
    means, sizes = np.asarray(means), np.asarray(sizes)
    folds = [slice(None)] * means.shape[1] if whole else map(np.concatenate, split_users(*means.shape))
    found = [estimator(means[fold, j], sizes[fold], **known) for j, fold in enumerate(folds)]
    value, spent = np.array([one.value for one in found]), [one.guarantee for one in found]
    return VectorEstimate(value, (sequential if whole else disjoint)(*spent), tuple(found))
