"""From what everybody may know to a ranking of methods; private data are no argument of a plan."""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np

from userdp._public import public
from userdp._types import Floats
from userdp.planning import central_methods, local_methods
from userdp.planning.local_methods import ANY
from userdp.planning.option import MUCH, TARGETS, Option, Question, Ranking, Target
from userdp.planning.risk.improved_plan import Tails
from userdp.planning.risk.least_risk import central_least_risk, local_least_risk
from userdp.privacy.guarantee import Guarantee, Neighbours
from userdp.sizes import SizeLaw, constant_size, refuse_private


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
    spread: float | None = None,
    private_sizes: bool = False,
    sizes_tell: bool = True,
    tails: Tails = "bounded",
    dimension: int = 1,
    items: int | None = None,
    neighbours: Neighbours = "replace",
    rounds: int | None = None,
    target: Target = "population",
) -> Ranking:
    """Rank the methods for a question by their predicted error, each with its best public parameters.

    Everything asked for is public knowledge; no private record can change the answer.

    Parameters
    ----------
    n
        Number of users, at least 2: of those whose means are then given to `Option.run`.
    sizes
        Number of records of every user, or its distribution. Users without a record either abstain, so
        that they are not among the `n` and it is public how many they are, or count as users of one record at
        the low end; `silent` of `user_means` chooses.
    epsilon
        Budget for all that one user ever contributes.
    delta
        The same, for a histogram of a curator; local methods and means spend none of it.
    trust
        Who sees raw data: "nobody" (local privacy) or a "curator" (central).
    estimate
        A "mean" of numbers, or a "histogram" over known items, for which a curator is needed. (In the local
        model a user reports one item, by `UnaryEncoding`, and what is counted are users.) A sum is the mean
        over all "records" times their number, if that is public. For unknown items there is
        `unbounded_histogram`; it is not ranked, because nothing public says how many users hold each item.
    domain
        Public ends of the values; errors and `spread` are in its units.
    spread
        Guess of the standard deviation of the users' latent means: 0 where all users share one distribution.
        With too small a guess the predicted error is wrong, with too large a one the error is somewhat
        larger. If it is not given, users are taken to differ by a tenth of the domain.
    private_sizes
        Whether a user's number of records is private; then the distribution must not come from these users.
    sizes_tell
        Whether a user's number of records may depend on its latent mean, as where people decide how much they
        do; nobody is then weighted by size. False is an assumption about the users.
    tails
        What is known of a user's mean: its records lie in the domain ("bounded"), or they are so many that
        it is as good as "normal". The method with a private window takes ten records for so many.
    dimension
        Number of entries of a mean vector, each in `domain`; the error is that of all entries together.
    items
        Number of items of a histogram.
    neighbours
        What a histogram hides: "replace" or "add-remove".
    rounds
        Largest number of times at which users can be asked; a survey has one. Any number by default.
    target
        What the mean is taken over: the "population" from which the users were drawn, these "users"
        themselves, or all their "records". Only for the first does the drawing of the users add to the error.

    Returns
    -------
    Ranking
        The methods as a sequence of `Option`, the best first.

    Examples
    --------
    >>> import numpy as np
    >>> ranking = plan(n=10_000, sizes=1000, epsilon=1.0, spread=0.02)
    >>> ranking[0].basis, f"{ranking[0].error:.4f}", ranking.useful
    ('bound', '0.0032', True)
    >>> means, sizes = np.full(10_000, 0.3), np.full(10_000, 1000)
    >>> rng = np.random.default_rng(1)
    >>> round(ranking[0].run(means, sizes, rng=rng).value, 2)
    0.3
    """
    if (estimate, trust) not in ANSWERS:
        raise ValueError(f"trust must be 'curator' for a {estimate}, {REASON}, got {trust!r}")
    law = sizes if isinstance(sizes, SizeLaw) else constant_size(sizes)
    if private_sizes or trust == "nobody":  # local guarantees cover the number of records
        refuse_private(sizes=law)
    public = private_sizes, tails, sizes_tell, dimension, items, neighbours, rounds, target
    guess = (domain[1] - domain[0]) / 10 if spread is None else spread
    asked = Question(n, law, epsilon, delta, domain, guess, *public)
    if target != "population" and (dimension > 1 or estimate == "histogram"):
        raise ValueError(f"target must be 'population' but for the mean of numbers, got {target!r}")
    if (target, trust) == ("records", "nobody"):
        raise ValueError(f"trust must be 'curator' for the mean over all records, got {trust!r}")
    if dimension > 1 and estimate == "histogram":
        raise ValueError(f"dimension must be 1 for a histogram, got {dimension!r}")
    about = estimate if target == "population" else TARGETS[target]
    words = f"{about}, n = {n:,} users, epsilon = {epsilon:g}, trust: {trust}"
    words += f", {dimension} coordinates" if dimension > 1 else ""
    if spread is None and estimate == "mean":
        words += f", spread taken as {guess:g}, a tenth of the domain, since none is given"
    options, scales = ANSWERS[estimate, trust]
    return ranked(options(asked), words, *scales(asked))


@public
def plan_all(
    questions: dict[str, dict[str, Any]], *, budget: Any, importance: dict[str, float]
) -> dict[str, tuple[Guarantee, Ranking]]:
    """Divide a budget among several questions by their importance, and rank the methods for each.

    The split makes small the sum, over the questions, of importance times squared error. The error is that
    predicted of the first method, as a fraction of the error of an answer without data. Of two equally
    important questions, the one that suffers more from noise gets the larger part. (`Budget.split` divides in
    proportion to the importance, whatever the errors.)

    Parameters
    ----------
    questions
        From the name of each question to the parameters of `plan`, without the budget, the trust and the
        neighbours.
    budget
        A `Budget`, of which all that is left is divided. Nothing is spent here: `Budget.spend` does that.
    importance
        From the name of each question to a positive number.

    Returns
    -------
    dict
        From the name of each question to a pair: its part of the budget, without delta, and the ranking at
        this part.

    Examples
    --------
    >>> from userdp.release import Budget
    >>> towns = {
    ...     "A": {"n": 1000, "sizes": 9, "target": "users"},
    ...     "B": {"n": 8000, "sizes": 9, "target": "users"},
    ... }
    >>> budget = Budget(1.0, trust="central")
    >>> found = plan_all(towns, budget=budget, importance={"A": 1, "B": 1})
    >>> for name, (part, ranking) in found.items():
    ...     print(name, f"{part.epsilon:.2f} {ranking[0].error:.4f}")
    A 0.80 0.0035
    B 0.20 0.0018
    """
    if questions.keys() != importance.keys():
        raise ValueError(f"importance must be of {[*questions]}, got that of {[*importance]}")
    trust = "nobody" if budget.trust == "local" else "curator"
    known: Any = {"trust": trust, "neighbours": budget.neighbours}

    def planned(parts: dict[str, Guarantee], times: float = 1.0) -> tuple[Floats, dict[str, Ranking]]:
        found = {x: plan(epsilon=times * parts[x].epsilon, **known, **questions[x]) for x in questions}
        return np.array([importance[x] * (y[0].error / y.guess) ** 2 for x, y in found.items()]), found

    shares, tried = importance, []
    while True:
        parts = budget.split(shares)
        losses, found = planned(parts)
        tried.append((losses.sum(), {name: (parts[name], found[name]) for name in questions}))
        if len(tried) == SPLITS:
            return min(tried, key=lambda one: one[0])[1]
        # where parts are best, what each gains by its next per cent is in proportion to its size
        gains = np.maximum(losses - planned(parts, MORE)[0], 1e-9 * losses)
        shares = {x: float(np.cbrt(g * parts[x].epsilon ** 2)) for x, g in zip(questions, gains, strict=True)}


def of_a_mean(least: Callable[..., float], asked: Question) -> list[float]:
    """Errors without privacy, of a guess, and below which no method falls, of all coordinates together."""
    if asked.target != "population":
        return [0.0, asked.half, 0.0]
    limit = asked.half * math.sqrt(least(asked.size_law, n=asked.n, epsilon=asked.epsilon))
    return [math.sqrt(asked.dimension) * one for one in (asked.without_privacy, asked.half, limit)]


def of_a_histogram(asked: Question) -> list[Any]:
    """Errors without privacy, of the empty histogram, of no proven limit, and what the second is."""
    return [0.0, asked.n * asked.size_law.mean, 0.0, "all records"]


REASON = "since local reports count users by one item each"
# what answers a question, and what to hold the errors against, by what is wanted and who is trusted
ANSWERS: dict[tuple[str, str], tuple[Callable[[Question], Iterable[Option]], Callable]] = {
    ("mean", "nobody"): (local_methods.options, partial(of_a_mean, local_least_risk)),
    ("mean", "curator"): (central_methods.options, partial(of_a_mean, central_least_risk)),
    ("histogram", "curator"): (central_methods.histograms, of_a_histogram),
}
SPLITS, MORE = 4, 1.01  # splits that are tried; part by whose next per cent a split is improved
MOST_LOST = 0.01  # chance of a failed localisation that a recommended method may have
NEARLY = 1.02  # times the smallest error: who assumes nothing comes first if two digits hardly tell


def ranked(
    options: Iterable[Option], question: str, without_privacy: float, guess: float, *limits: Any
) -> Ranking:
    """In order of error; what cannot be used comes last, and what should not be used carries a warning.

    What may fail in one run of a hundred comes after all that does not; an exact risk that assumes nothing
    comes first if it is nearly the smallest.
    """
    in_order = sorted(options, key=lambda one: (one.failure > MOST_LOST, one.error))
    sure = [one for one in in_order if one.assumes == ANY and one.error <= NEARLY * in_order[0].error]
    first = (sure or in_order)[0]
    others = [warned(one, first) for one in in_order if one is not first]
    if first.error > guess / 2:
        words = f"{first.method} errs by {first.error:.2g}, a guess without data by {guess:.2g}"
        first = replace(first, warning=words)
    return Ranking((first, *others), question, without_privacy, guess, *limits)


def warned(option: Option, best: Option) -> Option:
    """The option, with a warning if its error is much larger than the best."""
    if option.unused or option.error <= MUCH * best.error:
        return option
    errors = f"{option.method} errs by {option.error:.2g}, {best.method} by {best.error:.2g}"
    return replace(option, warning=errors)
