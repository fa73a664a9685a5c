"""Means, and histograms over a known domain, in the central model, with a trusted curator."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from userdp._types import Floats, Ints
from userdp.central.clipped import clipped_mean
from userdp.central.histogram import bounded_histogram, noise_mass
from userdp.central.mean import initial_error, realistic_mean, uniform_mean, window
from userdp.central.over_records import record_mean
from userdp.central.private_sizes import quotient_mean
from userdp.central.weights import optimal_weights
from userdp.planning.local_methods import TELL_NOTHING, by_entry, common, one_round, tailed, without_sizes
from userdp.planning.option import Basis, Option, Question, unused
from userdp.planning.risk.clipped import Users, choose_clipping
from userdp.planning.risk.improved_plan import size_cells
from userdp.sizes import variance_of_mean

BETA = 1e-4  # chance that the windows of an estimator with an initial mean may fail
ENDS = "records at the ends of the domain; latent means with normal tails"
WEIGHTED = "the weighted mean of the users' latent means, larger users counting for more"
MANY = 10  # records of which a mean exceeds a bound, on average, by at most 1.1 times what a normal one does
LEAST_USERS = 100  # from which `realistic_mean` has users enough for its steps


def options(asked: Question) -> Iterator[Option]:
    """Every method that trusts a curator; of a vector each coordinate has its part of the budget."""
    if asked.target == "records":
        yield totals(asked)
        return
    if (d := asked.dimension) > 1:
        part = replace(asked, epsilon=asked.epsilon / d)
        yield from (by_entry(option, d, whole=True) for option in (uniform(part), clipped(part)))
        return
    yield uniform(asked)
    yield clipped(asked)
    yield weighted(asked)
    yield quotient(asked)


def uniform(asked: Question) -> Option:
    """The average with Laplace noise of variance 2 (2 / (n epsilon))^2."""
    noise = 8 / (asked.n * asked.epsilon) ** 2
    return one_round(asked, "average of all users", uniform_mean, noise + asked.drawn / asked.n, noise=noise)


def totals(asked: Question) -> Option:
    """Clipped totals at the best cap: Laplace noise, and what is lost if heavy users are at one end."""
    if asked.private_sizes:
        return unused("clipped totals", "needs public sizes")
    law, records = asked.size_law, asked.n * asked.size_law.mean

    def parts(cap: int) -> tuple[float, float]:
        over = law.expectation(lambda m: np.maximum(m - cap, 0.0))
        return 8 * (cap / (records * asked.epsilon)) ** 2, float(over) / law.mean

    cap = min(size_cells(law).values.tolist(), key=lambda cap: parts(cap)[0] + parts(cap)[1] ** 2)
    noise, bias = parts(cap)
    return asked.mean_option(
        "clipped totals",
        noise + bias**2,
        setting=f"at most {cap:,} records per user count",
        noise=noise,
        bias=bias,
        basis="bound",
        assumes="sizes follow their distribution, and are public",
        call=record_mean,
        cap=cap,
        **common(asked),
    )


def clipped(asked: Question) -> Option:
    """A private window, then the clipped mean; users are weighted where sizes are public and tell nothing.

    Means of `MANY` records or more are taken for normal: Hoeffding's tails, for any, would widen the window.
    """
    asked = replace(asked, tails="normal") if asked.size_law.smallest >= MANY else asked
    weighed = asked.unequal and not asked.private_sizes and not asked.unweighed("")
    law, of_users = size_cells(asked.size_law), (asked.tails, asked.sizes_tell, asked.target == "population")
    users = Users(asked.n, law, asked.unit_spread, *of_users)
    how, bound = choose_clipping(users, epsilon=asked.epsilon, weighed=weighed)
    own: dict[str, Any] = {"sigmas": how.sigmas, "variance": asked.spread**2} if weighed else {}
    return asked.mean_option(
        "clipped mean about a private window",
        bound.risk,
        setting=f"window {asked.half * how.window:.2g}, clipped beyond {asked.half * how.reach:.2g}",
        noise=bound.noise,
        bias=bound.clipping,
        failure=min(bound.failure, 1.0),
        basis="formula" if weighed else "bound",  # sizes are told apart by groups
        assumes=tailed(asked),
        estimates=WEIGHTED if weighed else "",
        call=clipped_mean if weighed else partial(without_sizes, clipped_mean),
        window=asked.half * how.window,
        reach=asked.half * how.reach,
        share=how.share,
        **own,
        **common(asked),
    )


def in_the_middle(asked: Question, sizes: Ints, epsilon: float) -> tuple[Floats, Floats, float]:
    """Variance and window, on [0, 1], of users with `sizes` records, and what failed runs add to the risk.

    A tenth of all users finds the centre. What its error exceeds its bound by has no heavier a tail than the
    exponential distribution of Laplace noise, so that a failed run costs twice the square of the noise's
    scale.
    """
    spread = asked.unit_spread**2 / 4
    reach = initial_error(0.5, asked.n // 10, epsilon=epsilon, beta=BETA)
    half = reach + window(sizes, asked.n, mean=0.5, variance=spread, beta=BETA / 2)
    return variance_of_mean(sizes, 0.5, spread), half, 2 * BETA * (reach / np.log(2 / BETA)) ** 2


def about_a_centre(asked: Question) -> dict[str, Any]:
    """What the methods with an initial mean have in common."""
    known: dict[str, Any] = {"variance": asked.spread**2, "beta": BETA} | common(asked)
    return known | {"failure": BETA, "basis": "formula", "estimates": WEIGHTED}


def cannot_weigh(asked: Question, name: str, private: bool, why: str) -> Option | None:
    """The reason not to use a method that weights by size after private steps, if there is one."""
    few = unused(name, f"needs {LEAST_USERS} users for its private steps") if asked.n < LEAST_USERS else None
    wrong = unused(name, why) if asked.private_sizes != private else None
    return wrong or asked.unweighed(name) or few


def weighted(asked: Question) -> Option:
    """Weights that hide anyone, for public sizes; the error is its last step's, at a mean in the middle."""
    name = "weighted mean of clipped users"
    if refused := cannot_weigh(asked, name, False, "needs public sizes"):
        return refused
    law = size_cells(asked.size_law)
    counts = 0.9 * asked.n * law.probabilities  # a tenth of the users finds the centre
    variances, half, lost = in_the_middle(asked, law.values, asked.epsilon)
    half = np.minimum(half, 0.5)
    weights = optimal_weights(variances, 2 * half, epsilon=asked.epsilon, counts=counts)
    return asked.mean_option(
        name,
        4 * (weights.variance + lost),
        noise=4 * (weights.variance - float((counts * weights.value**2) @ variances)),
        assumes=f"{ENDS}; sizes public; {TELL_NOTHING}",
        call=realistic_mean,
        **about_a_centre(asked),
    )


def quotient(asked: Question) -> Option:
    """The noisy quotient, for private sizes; the error is that of its quotient at a mean in the middle."""
    name = "noisy quotient of weighted sums"
    if refused := cannot_weigh(asked, name, True, "public sizes allow more"):
        return refused
    law, n, step = size_cells(asked.size_law), asked.n, asked.epsilon / 3
    largest = law.values[n * law.survival(law.values) >= 2 * np.log(n) / step]
    sizes = np.minimum(law.values, largest[-1] if largest.size else law.smallest)
    variances, half, lost = in_the_middle(asked, sizes, 2 * step)
    weights = 1 / variances
    total = 0.9 * n * float(law.probabilities @ weights)
    if float(weights.max()) / step > total / 10:
        return unused(name, "its noise would exceed a tenth of its total")
    noise = 8 * (float(np.max(weights * half)) / (step * total)) ** 2
    return asked.mean_option(
        name,
        4 * (noise + 1 / total + lost),
        noise=4 * noise,
        assumes=f"{ENDS}; {TELL_NOTHING}",
        call=quotient_mean,
        largest_size=asked.size_law.largest,
        **about_a_centre(asked),
    )


def histograms(asked: Question) -> Iterator[Option]:
    """The best bound on a user's contribution, one record per user, and no bound below the largest size."""
    if asked.items is None:
        raise ValueError("items must be the number of items of the histogram, got None")
    law, relation = size_cells(asked.size_law), asked.neighbours
    budget: dict[str, Any] = {"epsilon": asked.epsilon, "delta": asked.delta, "neighbours": relation}
    mass, bounds = noise_mass(asked.items, **budget), np.union1d(law.values, 1)
    lost = asked.n * np.maximum(law.values - bounds[:, None], 0) @ law.probabilities
    best = int(bounds[np.argmin(lost + mass * bounds)])
    for bound, name in ((best, "best bound"), (1, "one record per user"), (law.largest, "every record")):
        noise, cut = mass * bound, float(lost[np.searchsorted(bounds, bound)])
        basis: Basis = "bound" if cut or asked.delta else "exact"  # noise and clipping may cancel
        assumes, counts = "sizes follow their distribution", "the count of each item, less what is clipped"
        how: dict[str, Any] = {"call": bounded_histogram, "parameters": {"bound": float(bound), **budget}}
        yield Option(name, f"bound {bound}", noise + cut, noise, 0, basis, assumes, counts, cut, **how)
