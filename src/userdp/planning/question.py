"""What is asked, in public numbers alone, checked once."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from userdp import _validate
from userdp.planning.option import Basis, Option
from userdp.planning.risk.improved_plan import TAILS, Tails
from userdp.privacy.guarantee import Neighbours
from userdp.sizes import SizeLaw, constant_size, refuse_private


@dataclass(frozen=True, eq=False)
class Question:
    """Public knowledge: users, their sizes, the budget, the domain, how much users differ; what is wanted."""

    n: int
    size_law: SizeLaw
    epsilon: float
    delta: float
    domain: tuple[float, float]
    spread: float
    private_sizes: bool
    tails: Tails
    sizes_tell: bool = False
    dimension: int = 1
    items: int | None = None
    neighbours: Neighbours = "replace"
    rounds: int | None = None

    def __post_init__(self) -> None:
        _validate.integer(2, n=self.n)
        _validate.budget(epsilon=self.epsilon)
        _validate.in_range(0, 0.5, delta=self.delta)
        _validate.ordered(**{"domain[0]": self.domain[0], "domain[1]": self.domain[1]})
        _validate.in_range(0, self.half, spread=self.spread)
        _validate.one_of(TAILS, tails=self.tails)
        _validate.integer(1, dimension=self.dimension)
        if self.items is not None:
            _validate.integer(1, items=self.items)
        if self.rounds is not None:
            _validate.integer(1, rounds=self.rounds)
        if self.private_sizes:
            refuse_private(sizes=self.size_law)

    @property
    def half(self) -> float:
        """Half the length of the domain: errors on [-1, 1] times this are in the units of the data."""
        return (self.domain[1] - self.domain[0]) / 2

    @property
    def unit_spread(self) -> float:
        """Standard deviation of the users' own means where the domain is [-1, 1]."""
        return self.spread / self.half

    @property
    def unequal(self) -> bool:
        """Whether users hold different numbers of records."""
        return self.size_law.smallest != self.size_law.largest

    @property
    def weighing_law(self) -> SizeLaw:
        """Law by which users may be weighed: all as the least where sizes tell of means."""
        return constant_size(self.size_law.smallest) if self.sizes_tell else self.size_law

    @cached_property
    def sampling(self) -> float:
        """Variance of a user's mean on [-1, 1], at most: that of signs at 0, and the spread."""
        return float(min(self.size_law.expectation(lambda m: 1 / m) + self.unit_spread**2, 1.0))

    @property
    def without_privacy(self) -> float:
        """Root mean squared error of the best weighted mean of the users, were nothing hidden."""
        worth = self.size_law.expectation(lambda m: 1 / np.minimum(1 / m + self.unit_spread**2, 1.0))
        return self.half / math.sqrt(self.n * worth)

    def mean_option(
        self,
        method: str,
        variance: float,
        /,
        *,
        noise: float,
        basis: Basis,
        assumes: str,
        bias: float = 0.0,
        setting: str = "",
        failure: float = 0.0,
        estimates: str = "the mean of the users' own means",
        call: Callable[..., Any] | None = None,
        rounds: int = 1,
        **parameters: Any,
    ) -> Option:
        """An option for a mean from variances and a bias on [-1, 1]."""
        if self.rounds and rounds > self.rounds:
            return unused(method, f"meets users at {rounds} times, and rounds is {self.rounds}")
        error, noise = (self.half * math.sqrt(part) for part in (variance, noise))
        terms = assumes, estimates, self.half * bias
        how: dict[str, Any] = {"call": call, "parameters": parameters, "rounds": rounds}
        return Option(method, setting, error, noise, failure, basis, *terms, **how)

    def unweighed(self, method: str) -> Option | None:
        """The reason not to use a method that weighs by size, if there is one."""
        if self.sizes_tell and self.unequal:
            return unused(method, "weighs by size, and sizes tell of means")
        return None


def unused(method: str, why: str) -> Option:
    """A method that cannot be used, with the reason."""
    return Option(method, "", math.inf, math.inf, 1.0, "bound", "", "", unused=why)
