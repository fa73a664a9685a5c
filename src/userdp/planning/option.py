"""The answer of a plan: methods, what is known of their errors beforehand, and their order."""

import math
import textwrap
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from html import escape
from typing import Any, Literal

import numpy as np

from userdp import _validate
from userdp.planning.risk.improved_plan import Tails
from userdp.privacy.guarantee import Neighbours
from userdp.sizes import SizeLaw, constant_size

__all__ = ["NoGain", "Option", "Ranking"]

Basis = Literal["exact", "bound", "formula"]
Target = Literal["population", "users", "records"]
TARGETS = {
    "population": "the mean of the users' latent means",
    "users": "the average of these users' sample means",
    "records": "the mean over all records",
}
WIDTH = 88  # of a terminal
MUCH = 2.0  # times the best error, from which a method is warned of


class NoGain(UserWarning):
    """The warning of a run that is no better than something simpler, by its public parameters.

    Examples
    --------
    ``warnings.simplefilter("ignore", NoGain)`` silences it, and with "error" in the place of "ignore" such a
    run stops.
    """


@dataclass(frozen=True, eq=False)
class Option:
    """One method for a question, with its best public parameters and its predicted error.

    Parameters
    ----------
    method
        Name of the estimator.
    setting
        Its parameters in words.
    error
        Predicted error in the units of the data: of a mean the root mean squared error, of a histogram the
        expected sum of absolute errors. Infinite where the method cannot be used.
    noise
        The part of the error that is due to the randomness for privacy, next to bias and sampling.
    failure
        Bound on the probability that a localisation chooses a wrong place; its cost is in `error`. NaN where
        it is known as a part of the error only.
    basis
        Whether `error` is "exact" at the worst distribution, a proven "bound", or a "formula" that assumes
        more.
    assumes
        What must be true of the users, beyond the domain.
    estimates
        What the result is an estimate of.
    bias
        What clipping or shrinking adds, at most; NaN where it is known with the noise only.
    unused
        Why it cannot be used here; empty where it can.
    warning
        Why it should not be used here, with the numbers; `run` gives it as a `NoGain` warning.
    call
        The estimator that `run` calls.
    parameters
        The public parameters that `run` passes to it.
    rounds
        Number of times at which users must be asked; each user answers at one of them.
    """

    method: str
    setting: str
    error: float
    noise: float
    failure: float
    basis: Basis
    assumes: str
    estimates: str
    bias: float = 0.0
    unused: str = ""
    warning: str = ""
    call: Callable[..., Any] | None = field(default=None, repr=False)
    parameters: dict[str, Any] = field(default_factory=dict, repr=False)
    rounds: int = 1

    @property
    def title(self) -> str:
        """Method and setting."""
        return f"{self.method} ({self.setting})" if self.setting else self.method

    def run(self, *data: Any, rng: np.random.Generator) -> Any:
        """Run the estimator on private data.

        The data are means and sizes, as two arguments or as the pair that `user_means` returns, or a table of
        counts. The released value is projected to the domain, and a count to 0 or more, which costs no
        privacy.
        """
        if self.call is None:
            raise ValueError(f"{self.method} cannot be used: {self.unused}")
        if self.warning:
            warnings.warn(self.warning, NoGain, stacklevel=2)
        data = data[0] if len(data) == 1 and isinstance(data[0], tuple) else data
        return within(self.call(*data, rng=rng, **self.parameters), self.parameters.get("domain"))


def within(found: Any, domain: tuple[float, float] | None) -> Any:
    """A released mean projected to its domain, released counts to what a count can be: never further off."""
    value = np.clip(found.value, *(domain or (0.0, math.inf)))
    sent = {"sent": found.value} if found.error and found.sent is None else {}  # what an interval is about
    return replace(found, value=value if np.ndim(value) else float(value), **sent)


@dataclass(frozen=True, eq=False)
class Ranking(Sequence[Option]):
    """Methods in the order of their predicted errors, the best first.

    Methods that cannot be used come last, with their reasons. A ranking is a sequence: the first method is
    ``ranking[0]``.

    Parameters
    ----------
    options
        The methods, in order.
    question
        What was asked, in words.
    without_privacy
        Error of an estimate of the same quantity from the same users without privacy.
    guess
        Error of an answer that looks at no data.
    least
        Error below which no method falls at the worst distribution; 0 where nothing is proven.
    guess_is
        What `guess` is, in words.
    """

    options: tuple[Option, ...]
    question: str
    without_privacy: float
    guess: float
    least: float = 0.0
    guess_is: str = "a guess's error"

    def __len__(self) -> int:
        return len(self.options)

    def __getitem__(self, index: Any) -> Any:
        return self.options[index]

    @property
    def useful(self) -> bool:
        """Whether the best method has half the error of a guess, or less."""
        return self.options[0].error <= self.guess / 2

    @property
    def advice(self) -> str:
        """What to use, with its error, or that nothing is useful; and the proven limit."""
        best = self.options[0]
        limit = f" No method can guarantee an error below {self.least:.2g}." if self.least else ""
        if not self.useful:
            half = f"{best.error:.2g}, is more than half of {self.guess:.2g}, that of a guess without data"
            return f"Nothing useful at this budget: the best error, {half}.{limit}"
        return f"Use {best.title}: error {best.error:.2g}, {self._against(best)}.{limit}"

    def _against(self, option: Option) -> str:
        """The error over that without privacy; of a histogram, which then has none, over all records."""
        if self.without_privacy:
            return f"{option.error / self.without_privacy:.3g} times that without privacy"
        return f"{option.error / self.guess:.2%} of {self.guess_is}"

    @property
    def _head(self) -> tuple[str, ...]:
        cost = "× no privacy" if self.without_privacy else f"of {self.guess_is}"
        return "error", "noise", "bias", "failed runs", "rounds", "basis", cost

    @cached_property
    def _shared(self) -> list[str]:
        """What all methods that can be used estimate and assume: it is said once."""
        terms = [_terms(option) for option in self.options if not option.unused]
        return [term for term in sum(terms[:1], []) if all(term in others for others in terms)]

    def _own(self, *parts: str) -> str:
        """What others do not share, in one line."""
        return "; ".join(part for part in parts if part and part not in self._shared)

    @property
    def _said(self) -> str:
        """The advice, and what its methods have in common."""
        return (
            f"{self.advice} Each usable method {'; it '.join(self._shared)}." if self._shared else self.advice
        )

    def _numbers(self, option: Option) -> tuple[str, ...]:
        parts = (f"{part:.2g}" if part == part else "in noise" for part in (option.noise, option.bias))
        cost = self._against(option).split()[0]
        lost = "in error" if math.isnan(option.failure) else f"{option.failure:.1g}"
        return f"{option.error:.2g}", *parts, lost, f"{option.rounds}", option.basis, cost

    def __str__(self) -> str:
        usable = [option for option in self.options if not option.unused]
        rows = [self._head, *map(self._numbers, usable)]
        sizes = [max(map(len, column)) for column in zip(*rows, strict=True)]
        head, *numbers = ["  ".join(map(str.rjust, row, sizes)) for row in rows]
        lines = [*_wrapped(self.question), *_wrapped(self._said), "", head]
        for option, line in zip(usable, numbers, strict=True):
            lines += ["", *_wrapped(option.title), line, *_wrapped(self._own(*_terms(option)))]
        for option in self.options[len(usable) :]:
            lines += ["", *_wrapped(f"not used: {option.method}: {option.unused}")]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "".join(f"<th scope='col'>{cell}</th>" for cell in ("method", *self._head))
        rows = "".join(f"<tr>{self._cells(option)}</tr>" for option in self.options)
        table = f"<table class='dataframe'><caption>{escape(self.question)}</caption><thead><tr>{head}"
        return f"{table}</tr></thead><tbody>{rows}</tbody></table><p>{escape(self._said)}</p>"

    def _cells(self, option: Option) -> str:
        name = f"<th scope='row'>{escape(option.method)}"
        if option.unused:
            return f"{name}</th><td colspan='{len(self._head)}'>not used: {escape(option.unused)}</td>"
        numbers = "".join(f"<td>{escape(cell)}</td>" for cell in self._numbers(option))
        return f"{name}<br><small>{escape(self._own(option.setting, *_terms(option)))}</small></th>{numbers}"


def _terms(option: Option) -> list[str]:
    return [f"estimates {option.estimates}", f"assumes {option.assumes}"]


_wrapped = partial(textwrap.wrap, width=WIDTH)


@dataclass(frozen=True, eq=False)
class Question:
    """Public knowledge: users, their sizes and heterogeneity, the budget, the domain; and what is wanted."""

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
    target: Target = "population"

    def __post_init__(self) -> None:
        _validate.integer(2, n=self.n)
        _validate.budget(epsilon=self.epsilon)
        _validate.in_range(0, 0.5, delta=self.delta)
        _validate.domain(self.domain)
        _validate.in_range(0, self.half, spread=self.spread)
        counts = {"dimension": self.dimension, "items": self.items, "rounds": self.rounds}
        _validate.integer(1, **{name: count for name, count in counts.items() if count is not None})

    @property
    def half(self) -> float:
        """Half the length of the domain: errors on [-1, 1] times this are in the units of the data."""
        return (self.domain[1] - self.domain[0]) / 2

    @property
    def unit_spread(self) -> float:
        """Standard deviation of the users' latent means where the domain is [-1, 1]."""
        return self.spread / self.half

    @property
    def unequal(self) -> bool:
        """Whether users hold different numbers of records."""
        return self.size_law.smallest != self.size_law.largest

    @property
    def telling(self) -> bool:
        """Whether a user's number of records may tell of its mean."""
        return self.unequal and self.sizes_tell

    @property
    def weighing_law(self) -> SizeLaw:
        """Distribution by which users may be weighted: all as of one size where sizes tell of means.

        The mean of so many records, the harmonic mean of the sizes, has at least their mean variance.
        """
        if not self.sizes_tell:
            return self.size_law
        one = int(1 / self.size_law.expectation(lambda m: 1 / m))
        return constant_size(max(one, self.size_law.smallest))

    @cached_property
    def sampling(self) -> float:
        """Variance of a user's mean on [-1, 1], at most: that of signs at 0, and the spread."""
        return float(min(self.size_law.expectation(lambda m: 1 / m) + self.unit_spread**2, 1.0))

    @property
    def drawn(self) -> float:
        """What of `sampling` is an error: nothing where the mean is that of these users."""
        return self.sampling if self.target == "population" else 0.0

    def of_target(self, risk: float) -> float:
        """Bound on the risk from one about the population's mean: these users' is off by their sampling."""
        return (math.sqrt(risk) + math.sqrt((self.sampling - self.drawn) / self.n)) ** 2

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
        estimates: str = "",
        call: Callable[..., Any] | None = None,
        rounds: int = 1,
        **parameters: Any,
    ) -> Option:
        """An option for a mean from variances and a bias on [-1, 1]."""
        if self.rounds and rounds > self.rounds:
            return unused(method, f"needs {rounds} rounds, and rounds is {self.rounds}")
        error, noise = (self.half * math.sqrt(part) for part in (variance, noise))
        terms = assumes, estimates or TARGETS[self.target], self.half * bias
        how: dict[str, Any] = {"call": call, "parameters": parameters, "rounds": rounds}
        return Option(method, setting, error, noise, failure, basis, *terms, **how)

    def unweighed(self, method: str) -> Option | None:
        """The reason not to use a method that weights by size, if there is one."""
        if self.target != "population":
            return unused(method, f"does not estimate {TARGETS[self.target]}")
        if self.telling:
            return unused(method, "weights users by size, and sizes say something about means")
        return None


def unused(method: str, why: str) -> Option:
    """A method that cannot be used, with the reason."""
    return Option(method, "", math.inf, math.inf, 1.0, "bound", "", "", unused=why)
