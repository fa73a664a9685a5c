"""The directive ``moving``: a figure with sliders, all of whose settings the build computes with the package.

The page holds the numbers of every setting as text, the script only chooses among them; the picture of the
first setting stands where no script runs.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import product
from pathlib import Path

import numpy as np
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from ..run.reach import Sources
from .chart import Axis, chart, key
from .generated import SOURCES, made_of
from .links import to_page

SCRIPTS = ("chart.js", "moving.js")
FIGURES = "userdp_book.site.moving_figures"
ASKED = re.compile(r"^:+\{moving\} (\S+)", re.M)
# The digest of the code that the figures reach: pages with one are read again when it changes.
SOURCES["moving"] = lambda root: digest(Sources(root))


@dataclass(frozen=True)
class Slider:
    """What a slider is called, its settings, the place of the first, and how a setting is written."""

    label: str
    values: Sequence[float]
    first: int
    log: bool = True
    words: Callable[[float], str] | None = None

    def shown(self) -> list[str]:
        return [(self.words or plain)(value) for value in self.values]


@dataclass(frozen=True)
class Figure:
    """A figure as data; `table` gives the columns at all settings of the first slider and one of the others.

    Numbers in a column are along the first slider, or one for all of it. `lines` are the columns that are
    drawn, with their tones; `says` may name sliders and columns. `verdict` has two columns and what to add
    where the first is at most the second, and where it is larger; `fault` is the slip that this shows.
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

    @property
    def along(self) -> str:
        return next(iter(self.sliders))

    def rows(self) -> list[tuple[float, ...]]:
        """The settings of all sliders but the first, in the order of the columns."""
        return list(product(*(slider.values for slider in list(self.sliders.values())[1:])))

    def columns(self) -> dict[str, list[str]]:
        """Every column over all rows, in the digits that are shown."""
        found: dict[str, list[str]] = {}
        at, others = np.array(self.sliders[self.along].values), list(self.sliders)[1:]
        for row in self.rows():
            for name, numbers in self.table(at, **dict(zip(others, row, strict=True))).items():
                found.setdefault(name, []).extend(map(plain, np.ravel(numbers)))
        return found


def plain(x: float) -> str:
    """Three digits, which a script can read as well."""
    if x != x:
        return "-"
    short = float(f"{x:.3g}")
    if short == 0 or 1e-3 <= abs(short) < 1e6:
        return f"{short:.10f}".rstrip("0").rstrip(".")
    digits, power = f"{short:.2e}".split("e")
    return f"{digits.rstrip('0').rstrip('.')}e{int(power)}"


def digest(sources: Sources) -> str:
    return sources.digest(sources.module(FIGURES))


def figures() -> dict[str, Figure]:
    """By name; imported late, since they import most of the package."""
    from . import moving_figures

    return moving_figures.FIGURES


@cache
def markup(name: str) -> str:
    """Sliders, the picture of the first setting, its numbers and its words, and the table of all settings."""
    figure, columns = figures()[name], figures()[name].columns()
    first = figure.sliders[figure.along]
    row = 0
    for slider in list(figure.sliders.values())[1:]:
        row = row * len(slider.values) + slider.first
    curves, said = {}, {key: slider.shown()[slider.first] for key, slider in figure.sliders.items()}
    for column, text in columns.items():
        count = len(first.values)
        whole = len(text) > len(figure.rows())
        curves[column] = text[row * count : (row + 1) * count] if whole else [text[row]] * count
        said[column] = curves[column][first.first]
    axis = Axis(first.label, first.values[0], first.values[-1], first.log)
    picture = chart(
        axis,
        figure.y,
        first.values,
        {name: [number(x) for x in curves[name]] for name in figure.lines},
        figure.lines,
        here=first.values[first.first],
        dots={name: number(said[name]) for name in figure.lines},
        label=f"{figure.title}. {figure.alt}",
    )
    broken = bool(figure.fault) and larger(figure, said)
    data = {
        "along": figure.along,
        "at": [float(x) for x in first.values],
        "rows": len(figure.rows()),
        "sliders": {key: slider.shown() for key, slider in figure.sliders.items()},
        "columns": {column: " ".join(text) for column, text in columns.items()},
        "says": figure.says,
        "verdict": figure.verdict,
        "breaks": bool(figure.fault),
    }
    told = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return (
        f'<div class="userdp-moving{" moving-broken" * broken}" role="group" '
        f'aria-label="{escape(figure.title)}">'
        f'<p class="moving-title">{escape(figure.title)}</p>'
        f'<div class="calculator-controls moving-controls" hidden>{inputs(figure)}</div>{picture}'
        f'<ul class="moving-key">{keys(figure, said)}</ul>'
        f'<p class="moving-says" role="status">{escape(sentence(figure, said))}</p>'
        f'<script type="application/json">{told}</script></div>'
    )


def number(text: str) -> float:
    return float("nan") if text == "-" else float(text)


def larger(figure: Figure, said: dict[str, str]) -> bool:
    """Whether the first column of the verdict is larger than the second."""
    return figure.verdict is not None and number(said[figure.verdict[0]]) > number(said[figure.verdict[1]])


def sentence(figure: Figure, said: dict[str, str]) -> str:
    words = figure.says
    if figure.verdict:
        words += " " + figure.verdict[3 if larger(figure, said) else 2]
    return words.format_map(said)


def inputs(figure: Figure) -> str:
    return "".join(
        f'<label>{escape(slider.label)} <output></output><input type="range" name="{name}" min="0"'
        f' max="{len(slider.values) - 1}" step="1" value="{slider.first}"></label>'
        for name, slider in figure.sliders.items()
    )


def keys(figure: Figure, said: dict[str, str]) -> str:
    return "".join(
        f'<li>{key(tone)} {escape(name)} <b data-value="{escape(name)}">{said[name]}</b></li>'
        for name, tone in figure.lines.items()
    )


class Moving(SphinxDirective):
    """A figure by its name; the content is its caption."""

    required_arguments = 1
    has_content = True
    option_spec = {"class": directives.class_option}

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        self.env.metadata[self.env.docname]["moving"] = True
        made_of(self.env, "moving")
        frame = nodes.container(classes=["moving"], ids=[f"moving-{name}"])
        frame += nodes.raw("", markup(name), format="html")
        self.state.nested_parse(self.content, self.content_offset, frame)
        if fault := figures()[name].fault:
            link = to_page("book/reproduce/corrections", "The correction in four lines", f"fault-{fault}")
            frame += nodes.paragraph("", "", link, nodes.Text("."))
        return [frame]


def placed(root: Path) -> dict[str, str]:
    """On which page each figure stands, by name."""
    found = {}
    for path in sorted((root / "book").rglob("*.md")):
        for name in ASKED.findall(path.read_text(encoding="utf8")):
            found[name] = path.relative_to(root).with_suffix("").as_posix()
    return found


SOURCES["moving-places"] = placed


def load(app, pagename, templatename, context, doctree) -> None:
    """Load the scripts into the pages with such a figure only."""
    if "moving" in app.env.metadata.get(pagename, {}):
        for script in SCRIPTS:
            app.add_js_file(script)
