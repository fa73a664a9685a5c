"""A method with its public parameters and what is known of its error beforehand; a ranking of such."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Literal

import numpy as np

__all__ = ["Option", "Ranking"]

Basis = Literal["exact", "bound", "formula"]
HEAD = ("method", "error", "of it noise", "lost runs", "basis", "which is")


@dataclass(frozen=True, eq=False)
class Option:
    """One way to answer, tuned by public knowledge.

    Parameters
    ----------
    method, setting
        Name of the estimator, and its tuned parameters in words.
    error
        Predicted error in the units of the data: of a mean the root mean squared error, of a histogram the
        expected sum of absolute errors. Infinite where the method cannot be used.
    noise
        What privacy adds to it, beside bias and sampling.
    failure
        Bound on the probability that a localisation chooses a wrong place; its cost is in `error`.
    basis
        Whether `error` is exact at the worst law, a proven bound, or a formula that assumes more.
    assumes
        What must be true of the users, beyond the domain.
    estimates
        What the result is an estimate of.
    unused
        Why it cannot be used here; empty where it can.
    """

    method: str
    setting: str
    error: float
    noise: float
    failure: float
    basis: Basis
    assumes: str
    estimates: str
    unused: str = ""
    _call: Callable[..., Any] | None = field(default=None, repr=False)
    _parameters: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def title(self) -> str:
        """Method and setting."""
        return f"{self.method} ({self.setting})" if self.setting else self.method

    @property
    def parameters(self) -> dict[str, Any]:
        """The public parameters that `run` passes to the estimator."""
        return dict(self._parameters)

    def run(self, *data: Any, rng: np.random.Generator) -> Any:
        """Run the estimator on private data: means and sizes, as two or as one pair, or a table of counts."""
        if self._call is None:
            raise ValueError(f"{self.method} cannot be used: {self.unused}")
        if len(data) == 1 and isinstance(data[0], tuple):
            data = data[0]
        return self._call(*data, rng=rng, **self._parameters)


@dataclass(frozen=True, eq=False)
class Ranking(Sequence[Option]):
    """Methods by predicted error, the best first, the unusable last with their reasons.

    Parameters
    ----------
    options
        In order.
    question
        What was asked, in words.
    without_privacy
        The error of the same estimand from the same users, were nothing hidden.
    guess
        The error of an answer that looks at no data.
    """

    options: tuple[Option, ...]
    question: str
    without_privacy: float
    guess: float

    def __len__(self) -> int:
        return len(self.options)

    def __getitem__(self, index: Any) -> Any:
        return self.options[index]

    def __iter__(self) -> Iterator[Option]:
        return iter(self.options)

    @property
    def useful(self) -> bool:
        """Whether the best method has half the error of a guess, or less."""
        return self.options[0].error <= self.guess / 2

    @property
    def advice(self) -> str:
        """One sentence."""
        best = self.options[0]
        if not self.useful:
            return (
                f"Nothing useful at this budget: the best error, {best.error:.2g}, is more than half of"
                f" {self.guess:.2g}, that of a guess without data."
            )
        return f"Use {best.title}: error {best.error:.2g}, {self._against(best)}."

    def _against(self, option: Option) -> str:
        """The error beside that without privacy; of a histogram, which then has none, beside all records."""
        if self.without_privacy:
            return f"{option.error / self.without_privacy:.3g} times that without privacy"
        return f"{option.error / self.guess:.2%} of all records"

    def _row(self, option: Option) -> tuple[str, ...]:
        if option.unused:
            return option.method, "–", "–", "–", "–", option.unused
        numbers = f"{option.error:.2g}", f"{option.noise:.2g}", f"{option.failure:.1g}"
        return option.title, *numbers, option.basis, self._against(option)

    def _rows(self) -> list[tuple[str, ...]]:
        return list(map(self._row, self.options))

    def __str__(self) -> str:
        rows = [HEAD, *self._rows()]
        widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
        ]
        return "\n".join([self.question, *(line.rstrip() for line in lines), self.advice])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "".join(f"<th scope='col'>{escape(cell)}</th>" for cell in HEAD)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self._rows()
        )
        caption = f"<caption>{escape(self.question)}</caption>"
        table = f"<table class='dataframe'>{caption}<thead><tr>{head}</tr></thead>"
        return f"{table}<tbody>{rows}</tbody></table><p>{escape(self.advice)}</p>"
