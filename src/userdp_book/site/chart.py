"""Curves in a frame, drawn once by the build in SVG; where scripts run, `chart.js` moves them in it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, isfinite, log10

from matplotlib.ticker import MaxNLocator

from .claims import SUPERSCRIPTS

WIDE, HIGH = 400, 280
LEFT, RIGHT, TOP, BOTTOM = 46, 384, 26, 232
DOT = 6  # radius with its line
MOST_TICKS = 7
# colour and dashes where no style sheet is read; the page's own colours are those of its theme
TONES = {
    "a": ("#0072b2", ""),
    "b": ("#b0548c", "6 4"),
    "c": ("#d55e00", ""),
    "d": ("#00795a", "8 3 2 3"),
    "text-muted": ("#57606a", "2 4"),
}


@dataclass(frozen=True)
class Axis:
    """What an axis shows, its ends, and whether it shows powers of ten."""

    label: str
    low: float
    high: float
    log: bool = True

    def line(self, start: float, end: float) -> tuple[float, float, bool]:
        """Place of a number x on paper: the first plus the second times x, or times its logarithm."""
        low, high = (log10(end) if self.log else end for end in (self.low, self.high))
        slope = (end - start) / (high - low)
        return start - slope * low, slope, self.log

    def ticks(self) -> dict[float, str]:
        if self.log:
            first, last = ceil(log10(self.low) - 1e-9), floor(log10(self.high) + 1e-9)
            step = ceil((last - first + 1) / MOST_TICKS)
            return {10.0**power: power_of_ten(power) for power in range(first, last + 1, step)}
        places = MaxNLocator(MOST_TICKS, steps=[1, 2, 5, 10]).tick_values(self.low, self.high)
        return {place: f"{place:g}" for place in places if self.low <= place <= self.high}


def power_of_ten(power: int) -> str:
    return {-1: "0.1", 0: "1", 1: "10"}.get(power, "10" + str(power).translate(SUPERSCRIPTS))


def place(line: tuple[float, float, bool], x: float) -> float:
    """Where a number is on paper; not finite for one that a logarithmic axis has no place for."""
    start, slope, log = line
    return start + slope * ((log10(x) if x > 0 else float("nan")) if log else x)


def chart(
    x: Axis,
    y: Axis,
    at: Sequence[float],
    curves: Mapping[str, Sequence[float]],
    tones: Mapping[str, str],
    *,
    here: float,
    dots: Mapping[str, float],
    label: str,
) -> str:
    """The curves of the numbers `at`, in their tones, a line at `here` and a dot on every curve."""
    across, up = x.line(LEFT, RIGHT), y.line(BOTTOM, TOP)
    parts = [written(LEFT, 14, y.label, "start"), written((LEFT + RIGHT) / 2, HIGH - 8, x.label)]
    for value, said in y.ticks().items():
        parts.append(f'<path class="grid" stroke="#8883" d="M{LEFT} {place(up, value):.1f}H{RIGHT}"/>')
        parts.append(written(LEFT - 6, place(up, value) + 4, said, "end", "tick"))
    parts += [written(place(across, value), BOTTOM + 18, said) for value, said in x.ticks().items()]
    line = place(across, here)
    inner = [f'<path class="here" stroke="#888" stroke-dasharray="2 3" d="M{line:.1f} {TOP}V{BOTTOM}"/>']
    for name, tone in tones.items():
        pairs = zip(at, curves.get(name, []), strict=name in curves)
        places = [(place(across, a), place(up, b)) for a, b in pairs]
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in places if isfinite(b))
        inner.append(f'<polyline data-line="{escape(name)}" points="{points}" {look(tone)}/>')
        height = place(up, dots.get(name, float("nan")))
        dot = f'cx="{line:.1f}" cy="{height:.1f}" r="4"' if isfinite(height) else 'r="0"'
        inner.append(f'<circle data-line="{escape(name)}" {dot} {look(tone, dashed=False)}/>')
    # a drawing inside of the drawing cuts off what leaves the frame, but no dot on its edge
    x0, y0, wide, high = LEFT - DOT, TOP - DOT, RIGHT - LEFT + 2 * DOT, BOTTOM - TOP + 2 * DOT
    frame = f'x="{x0}" y="{y0}" width="{wide}" height="{high}" viewBox="{x0} {y0} {wide} {high}"'
    return (
        f'<svg class="userdp-chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" '
        f'width="100%" role="img" aria-label="{escape(label)}" '
        f'data-axes="{escape(json.dumps([across, up]))}" '
        f'font-family="sans-serif" font-size="14" fill="none">{"".join(parts)}'
        f"<svg {frame}>{''.join(inner)}</svg></svg>"
    )


def written(x: float, y: float, said: str, anchor: str = "middle", kind: str = "word") -> str:
    where = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text class="{kind}" {where} fill="currentColor">{escape(said)}</text>'


def look(tone: str, *, dashed: bool = True) -> str:
    colour, dashes = TONES[tone]
    dashes = f' stroke-dasharray="{dashes}"' if dashes and dashed else ""
    return f'class="tone-{tone}" stroke="{colour}" stroke-width="2.5"{dashes}'


def swatch(tone: str) -> str:
    """A piece of the curve, to stand before its name."""
    return f'<svg aria-hidden="true" width="26" height="10"><path d="M0 5H26" {look(tone)}/></svg>'
