"""One budget over many questions: an account that is spent before noise is drawn, never after.

Every release about the same users costs some of their privacy. A `Budget` adds these costs up, and refuses a
release that would cost more than was allowed.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from userdp import _validate
from userdp._public import public
from userdp._types import Rng
from userdp.privacy.guarantee import Guarantee, Neighbours, Trust, disjoint, nothing_spent, sequential
from userdp.privacy.noise import ROUNDING, GaussianNoise
from userdp.release.ledger import changing
from userdp.release.losses import composed_epsilon


class Overspent(ValueError):
    """A release would cost more than is left of a budget; nothing is drawn for it, and nothing is spent."""


class Spending(NamedTuple):
    """A line of an account; `deviation` is the standard one of normal noise per unit of sensitivity, or 0."""

    name: str
    group: str
    epsilon: float
    delta: float
    deviation: float


@public
@dataclass(eq=False)
class Budget:
    """An account of what is spent on one user, which refuses what would overspend before noise is drawn.

    Costs about the same users add up (basic composition); of disjoint groups of users the largest counts
    (parallel composition). Groups must be public: a user keeps its group whatever its data are.

    Parameters
    ----------
    epsilon
        What all releases together may cost at most, positive.
    delta
        The delta that they may have together, at least 0 and below 1.
    trust
        Who sees raw data: nobody ("local") or a curator ("central"). Each release must be of this kind.
    neighbours
        Which inputs are neighbours, as in `Guarantee`. Each release must be of this kind.
    exact
        Whether to compose by privacy loss distributions (``pip install 'userdp[accounting]'``) where that
        allows more than adding up. The sizes of all releases, though not the questions, must then be fixed
        beforehand.
    path
        A file (JSON) that keeps the account. If it exists and is of the same budget, the account goes on from
        it; a cost is on disk before the noise that it pays for is drawn.
    account
        What is spent so far, without a file.

    Examples
    --------
    An estimator is run by `release`, which writes down its cost first:

    >>> import numpy as np
    >>> from userdp.central import uniform_mean
    >>> rng, means = np.random.default_rng(1), [0.2, 0.4, 0.9]
    >>> budget = Budget(1.0, trust="central")
    >>> options = {"epsilon": 0.5, "rng": rng, "name": "mean"}
    >>> found = budget.release(uniform_mean, means, **options)
    >>> print(budget)
    spent epsilon 0.5 of epsilon 1
    mean, all users: epsilon 0.5

    What is left can be divided over the questions that are still to come:

    >>> budget.share(2).epsilon
    0.25
    >>> parts = budget.split({"mean": 3, "counts": 1})
    >>> {name: part.epsilon for name, part in parts.items()}
    {'mean': 0.375, 'counts': 0.125}

    Two groups of users, whose costs do not add up, and noise that is drawn by hand:

    >>> from userdp.privacy import LaplaceNoise
    >>> for scale, who in ((4.0, "north"), (2.0, "south")):
    ...     noise = LaplaceNoise(scale, 1.0)
    ...     budget.spend(noise, name="spring", group=who)
    >>> budget.spent.epsilon
    1.0

    What costs too much is refused before anything is drawn:

    >>> budget.release(
    ...     uniform_mean, means, **options
    ... )  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    Overspent: all releases must cost ... at most, got ...
    >>> budget.spent.epsilon
    1.0
    """

    epsilon: float
    delta: float = 0.0
    trust: Trust = "local"
    neighbours: Neighbours = "replace"
    exact: bool = False
    path: str | None = None
    account: tuple = ()

    def __post_init__(self) -> None:
        _validate.budget(epsilon=self.epsilon)
        _validate.one_of((True, False), exact=self.exact)
        self._nothing = nothing_spent(trust=self.trust, neighbours=self.neighbours)
        self._most = replace(self._nothing, epsilon=self.epsilon, delta=self.delta)
        self._change(lambda account: None)

    @property
    def spent(self) -> Guarantee:
        """Guarantee of all releases so far together."""
        return self._cost(self.account)

    def spend(self, what: Any, *, name: str = "", group: str = "") -> None:
        """Write down the cost of a release whose noise is drawn afterwards.

        Parameters
        ----------
        what
            A `Guarantee`, or a mechanism, which has one.
        name
            What the account calls it.
        group
            The group of users whom it is about; all users if none is named.

        Raises
        ------
        Overspent
            If it costs more than is left; then nothing is written down.
        """
        self._change(lambda account: account.append(self._line(what, name, group)))

    def release(
        self, estimator: Any, *data: Any, epsilon: Any, rng: Rng, name: str = "", group: str = "", **more: Any
    ) -> Any:
        """Write down what an estimator costs, then run it.

        Parameters
        ----------
        estimator
            A function of `userdp.local` or `userdp.central`. It is called with all that follows, except
            `name` and `group`.
        *data
            The private data, as the estimator takes them.
        epsilon
            What it may cost; a `delta` may be among the other options.
        rng
            Generator of NumPy, or `Secure` for a release in earnest.
        name
            What the account calls it.
        group
            The group of users whom it is about; all users if none is named.
        **more
            The other options of the estimator.

        Returns
        -------
        Release
            What the estimator returns: its value, and the guarantee that it kept.

        Raises
        ------
        Overspent
            If it would cost more than is left; then nothing is drawn and nothing written down.
        ValueError
            If the estimator refuses its arguments before it draws, which costs nothing; or if its result
            costs more than was written down. The result is then withheld, and the cost stays.
        """
        _validate.generator(rng=rng)
        part = replace(self._nothing, epsilon=epsilon, delta=more.get("delta") or 0.0)
        line, before = self._line(part, name, group), repr(rng.bit_generator.state)
        self._change(lambda account: account.append(line))
        try:
            result = estimator(*data, epsilon=epsilon, rng=rng, **more)
        except (TypeError, ValueError, ModuleNotFoundError):
            if repr(rng.bit_generator.state) == before:
                self._change(lambda account: account.remove(line))
            raise
        if not _covers(part, cost := sequential(self._nothing, result.guarantee)):
            raise ValueError(f"epsilon must cover the result, which is withheld: got {part}, spent {cost}")
        return result

    def share(self, releases: int, of: Callable[[float], Any] | None = None) -> Any:
        """Divide what is left evenly over so many more releases, each about all users.

        Parameters
        ----------
        releases
            How many releases are still to come.
        of
            A function from a number to what is to be spent, such as a mechanism, as for `split`. By default
            it is a `Guarantee` of that epsilon.

        Returns
        -------
        Guarantee
            The part of one release, or what `of` makes of it.
        """
        _validate.integer(1, releases=releases)
        return self.split(dict.fromkeys(map(str, range(releases)), 1.0), of)["0"]

    def split(self, importance: dict[str, float], of: Callable[[float], Any] | None = None) -> dict[str, Any]:
        """Divide what is left over questions about all users, in proportion to their importance.

        If one minimises the sum of the variances of Laplace noise, each times a weight, where costs add up,
        the importance is the cube root of the weight. `userdp.planning.plan_all` finds the split by the
        predicted errors of the questions.

        Parameters
        ----------
        importance
            A positive number for each question, by name.
        of
            A function from a number to what is to be spent, such as a mechanism; the larger the number, the
            more it must cost. By default it is a `Guarantee` of that epsilon.

        Returns
        -------
        dict
            The part of each question: the largest parts that fit together, with `exact` to a millionth.

        Raises
        ------
        Overspent
            If nothing is left.
        """
        _validate.integer(1, **{"number of questions": len(importance)})
        _validate.positive(**{f"importance of {name}": value for name, value in importance.items()})
        total, part = sum(importance.values()), of or (lambda x: replace(self._nothing, epsilon=x))

        def parts(x: float) -> dict[str, Any]:
            return {name: part(x * value / total) for name, value in importance.items()}

        def fits(x: float) -> bool:
            lines = [self._line(what, "", "") for what in parts(x).values()]
            return _covers(self._most, self._cost((*self.account, *lines)))

        low, high = 0.0, self.epsilon
        while fits(high):
            low, high = high, 2 * high
        for _ in range(20 if self.exact else 50):
            middle = (low + high) / 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        if low < 1e-9 * self.epsilon:
            raise Overspent(f"releases must be none, as nothing is left, got {len(importance)}")
        short = float(f"{low:.9g}")  # what one would write, if it fits
        return parts(short if fits(short) else low)

    def __str__(self) -> str:
        parts = (f"{x.name or 'unnamed'}, {x.group or 'all users'}: {_said(x)}" for x in self.account)
        return "\n".join([f"spent {_said(self.spent)} of {_said(self._most)}", *parts])

    def _line(self, what: Any, name: str, group: str) -> Spending:
        cost = sequential(self._nothing, getattr(what, "guarantee", what))
        normal = isinstance(what, GaussianNoise) and what.sensitivity > 0
        noise = what.scale / what.sensitivity / math.sqrt(what.steps) if normal else 0.0
        return Spending(name, group, cost.epsilon, cost.delta, noise)

    def _cost(self, account: tuple[Spending, ...]) -> Guarantee:
        """Of the user who meets most: everybody's releases, and those of its own group."""
        groups = {line.group for line in account} | {""}
        return disjoint(*(self._composed([x for x in account if x.group in ("", one)]) for one in groups))

    def _composed(self, lines: list[Spending]) -> Guarantee:
        costs = [replace(self._nothing, epsilon=x.epsilon, delta=x.delta) for x in lines]
        basic = sequential(self._nothing, *costs)
        if not self.exact or _covers(self._most, basic):
            return basic
        epsilon = composed_epsilon([x[2:] for x in lines], delta=self.delta, budget=self.epsilon)
        return basic if epsilon == math.inf else replace(self._most, epsilon=epsilon)

    def _change(self, rule: Callable[[list[Spending]], None]) -> None:
        """Change the account, as it is by now, on disk first."""
        terms = [self.epsilon, self.delta, self.trust, self.neighbours, self.exact]
        with changing(self.path, {"budget": terms, "account": self.account}) as said:
            if said["budget"] != terms:
                raise ValueError(f"path must be of an account of {terms}, got one of {said['budget']}")
            rule(account := [Spending(*line) for line in said["account"]])
            if not _covers(self._most, cost := self._cost(tuple(account))):
                raise Overspent(f"all releases must cost {self._most} at most, got {cost}")
            said["account"] = account
        self.account = tuple(account)


def _said(cost: Any) -> str:
    return f"epsilon {cost.epsilon:g}" + (f", delta {cost.delta:g}" if cost.delta else "")


def _covers(most: Guarantee, cost: Guarantee) -> bool:
    return cost.epsilon <= most.epsilon * ROUNDING and cost.delta <= most.delta * ROUNDING
