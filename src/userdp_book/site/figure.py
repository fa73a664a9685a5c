"""A figure that moves, as data; its function stands in ``moving.py`` beside the page that shows it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from .chart import SUPERSCRIPTS, Axis, power_of_ten


@dataclass(frozen=True)
class Slider:
    """What a slider is called, its settings, the place of the first, and how a setting is written.

    Settings that are words are buttons, of which one is down; no two figures on a page may name them alike.
    """

    label: str
    values: Sequence[float] | Sequence[str]
    first: int
    log: bool = True
    words: Callable[[float], str] | None = None

    def shown(self) -> list[str]:
        return [(self.words or plain)(value) for value in self.values]


@dataclass(frozen=True, eq=False)
class Figure:
    """A figure as data; `table` gives the columns at all settings of the first slider and one of the others.

    Numbers in a column are along the first slider, or one for all of it. `lines` are the columns that are
    drawn, with their tones; `says` may name sliders and columns. `verdict` has two columns and what to add
    where the first is at most the second, and where it is larger; `fault` is the slip that this shows.
    `code` are lines to copy that may name the same, `presets` are places of the sliders by name, none where
    one stays, and of a list of terms below the figure only that is shown which the column "best" names.
    """

    title: str
    alt: str
    sliders: dict[str, Slider]
    y: Axis
    lines: dict[str, str]
    says: str
    table: Callable[..., dict]
    verdict: tuple[str, str, str, str] | None = None
    fault: str | None = None
    code: str = ""
    presets: dict[str, list[int | None]] = field(default_factory=dict)

    @property
    def along(self) -> Slider:
        return next(iter(self.sliders.values()))

    @property
    def others(self) -> dict[str, Slider]:
        return dict(list(self.sliders.items())[1:])

    def rows(self) -> list[tuple[float, ...]]:
        """The settings of all sliders but the first, in the order of the columns."""
        return list(product(*(slider.values for slider in self.others.values())))

    def columns(self) -> dict[str, list[str]]:
        """Every column over all rows, in the digits that are shown."""
        found: dict[str, list[str]] = {}
        at, kinds = np.array(self.along.values), []
        for row in self.rows():
            table = self.table(at, **dict(zip(self.others, row, strict=True)))
            kinds.append({name: np.size(numbers) for name, numbers in table.items()})
            if kinds[-1] != kinds[0]:
                raise ValueError(f"{self.title!r} has other columns at {row} than at its first setting")
            for name, numbers in table.items():
                found.setdefault(name, []).extend(map(plain, np.ravel(numbers)))
        return found

    def still(self, columns: dict[str, list[str]]) -> tuple[dict[str, list[str]], dict[str, str]]:
        """Of the first setting: its curves, and all that can be said at it, by name."""
        count, row = len(self.along.values), 0
        for slider in self.others.values():
            row = row * len(slider.values) + slider.first
        curves, said = {}, {name: slider.shown()[slider.first] for name, slider in self.sliders.items()}
        for name, text in columns.items():
            whole = len(text) > len(self.rows())
            curves[name] = text[row * count : (row + 1) * count] if whole else [text[row]] * count
            said[name] = curves[name][self.along.first]
        return curves, said

    def larger(self, said: dict[str, str]) -> bool:
        """Whether the first column of the verdict is larger than the second."""
        return self.verdict is not None and number(said[self.verdict[0]]) > number(said[self.verdict[1]])

    def sentence(self, said: dict[str, str]) -> str:
        verdict = f" {self.verdict[3 if self.larger(said) else 2]}" if self.verdict else ""
        return raised(filled(self.says + verdict, said))


def figure(**known) -> Callable[[Callable[..., dict]], Figure]:
    """Make a function the table of a figure, which goes by the function's name."""
    return lambda table: Figure(table=table, **known)


def filled(words: str, said: dict[str, str]) -> str:
    return words.format_map(said).replace("\xa0", " ")


def plain(x: float | str) -> str:
    """Three digits, which a script can read as well, or words without the space that ends a number there."""
    if isinstance(x, str):
        return x.replace(" ", "\xa0")
    if x != x:
        return "-"
    short = float(f"{x:.3g}")
    if short == 0 or 1e-3 <= abs(short) < 1e6:
        return f"{short:.10f}".rstrip("0").rstrip(".")
    return np.format_float_scientific(short, trim="-", exp_digits=1).replace("e+", "e")


def raised(words: str) -> str:
    """Words in which 1.03e-4 is written as a power of ten."""
    return re.sub(r"(?<=\d)e(-?\d+)\b", lambda found: f" · 10{found[1].translate(SUPERSCRIPTS)}", words)


def number(text: str) -> float:
    return float("nan") if text == "-" else float(text)


def steps(first: int, last: int, between=(1, 3)) -> tuple[float, ...]:
    """Such multiples of each power of ten, up to the last power."""
    return tuple(digit * 10**power for power in range(first, last) for digit in between) + (10**last,)


def large(x: float) -> str:
    """A count of one digit, as a power of ten where it is long."""
    if x < 1e5:
        return f"{x:,.0f}"
    digit, power = f"{x:.0e}".split("e")
    return (f"{digit} · " if digit != "1" else "") + power_of_ten(int(power))
