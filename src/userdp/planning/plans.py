"""`plan`: from what everybody may know to a ranking of methods. Private data are no argument of it."""

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from userdp import _validate
from userdp._public import public
from userdp.planning import central_means, histograms, local_means, vector_means
from userdp.planning.option import MUCH, Option, Ranking
from userdp.planning.question import Question
from userdp.planning.risk.improved_plan import Tails
from userdp.planning.risk.least_risk import central_least_risk, local_least_risk
from userdp.privacy.guarantee import Neighbours
from userdp.sizes import SizeLaw, constant_size

__all__ = ["plan"]


@public
def plan(
    *,
    n: int,
    sizes: SizeLaw | int,
    epsilon: float,
    delta: float = 0.0,
    trust: Literal["nobody", "curator"] = "nobody",
    estimate: Literal["mean", "histogram"] = "mean",
    domain: tuple[float, float] = (-1.0, 1.0),
    spread: float = 0.0,
    private_sizes: bool = False,
    sizes_tell: bool = False,
    tails: Tails = "bounded",
    dimension: int = 1,
    items: int | None = None,
    neighbours: Neighbours = "replace",
) -> Ranking:
    """Rank the methods for a question by their predicted error, each with its best public parameters.

    Everything asked for is public knowledge; no private record can change the answer.

    Parameters
    ----------
    n
        Number of users, at least 2.
    sizes
        Records of every user, or the law of how many a user holds.
    epsilon, delta
        Budget for all that one user ever contributes. Local methods and means spend no delta.
    trust
        Who sees raw data: "nobody" (local privacy) or a "curator" (central).
    estimate
        A "mean" of numbers, or a "histogram" over known items (of a curator).
    domain
        Public ends of the values; errors and `spread` are in its units.
    spread
        Standard deviation of the users' own means, a guess: 0 where all users share one law. Too small a
        guess loses runs, too large a one costs error.
    private_sizes
        Whether a user's number of records is private; then the law must not come from these users.
    sizes_tell
        Whether a user's number of records may tell of its own mean, as where people decide how much they do;
        nobody is then weighed by size.
    tails
        What is known of a user's mean: its records lie in the domain ("bounded"), or they are so many that
        it is as good as "normal".
    dimension
        Entries of a mean vector, each in `domain`; above 1 for local methods. The error is of all together.
    items
        Number of items of a histogram.
    neighbours
        What a histogram hides: "replace" or "add-remove".

    Examples
    --------
    >>> import numpy as np
    >>> ranking = plan(n=10_000, sizes=1000, epsilon=1.0)
    >>> ranking[0].basis, f"{ranking[0].error:.4f}", ranking.useful
    ('bound', '0.0033', True)
    >>> means, sizes, rng = np.full(10_000, 0.3), np.full(10_000, 1000), np.random.default_rng(1)
    >>> round(ranking[0].run(means, sizes, rng=rng).value, 2)
    0.3
    """
    _validate.one_of(("nobody", "curator"), trust=trust)
    _validate.one_of(("mean", "histogram"), estimate=estimate)
    law = constant_size(sizes) if isinstance(sizes, int | float) else sizes
    asked = Question(n, law, epsilon, delta, domain, spread, private_sizes, tails, sizes_tell)
    words = f"{estimate}, n = {n:,} users, epsilon = {epsilon:g}, trust: {trust}"
    _validate.integer(1, dimension=dimension)
    if estimate == "mean":
        wing = local_means if trust == "nobody" else central_means
        least = local_least_risk if trust == "nobody" else central_least_risk
        limit, found = asked.half * math.sqrt(least(law, n=n, epsilon=epsilon)), wing.options(asked)
        if dimension > 1:
            if trust != "nobody":
                raise ValueError(f"trust must be 'nobody' for a dimension above 1, got {trust!r}")
            found, words = vector_means.options(asked, dimension), f"{words}, {dimension} coordinates"
        all_of_it = (math.sqrt(dimension) * one for one in (asked.without_privacy, asked.half, limit))
        return ranked(found, words, *all_of_it)
    if items is None:
        raise ValueError("items must be the number of items of the histogram, got None")
    _validate.integer(1, items=items)
    if trust != "curator":
        raise ValueError(f"trust must be 'curator' for a histogram, got {trust!r}")
    return ranked(histograms.options(asked, items, neighbours), words, 0.0, n * law.mean)


MOST_LOST = 0.01  # chance of a failed localisation that a recommended method may have


def ranked(
    options: Iterable[Option], question: str, without_privacy: float, guess: float, least: float = 0.0
) -> Ranking:
    """In order of error; what cannot be used comes last, and what should not be used carries a warning.

    What may lose a run in a hundred comes after all that does not.
    """
    first, *others = sorted(options, key=lambda one: (one.failure > MOST_LOST, one.error))
    if first.error > guess / 2:
        first = replace(
            first, warning=f"{first.method} errs by {first.error:.2g}, a guess without data by {guess:.2g}"
        )
    others = [warned(option, first) for option in others]
    return Ranking((first, *others), question, without_privacy, guess, least)


def warned(option: Option, best: Option) -> Option:
    """The option, with a warning if its error is much larger than the best."""
    if option.unused or option.error <= MUCH * best.error:
        return option
    errors = f"{option.method} errs by {option.error:.2g}, {best.method} by {best.error:.2g}"
    return replace(option, warning=errors)
