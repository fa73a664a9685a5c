"""The directive ``diagram``: eight ideas as small drawings, made at build time and set in the page.

Words have the page's own colour and the others are seen on white and on black, so that one drawing serves
light, dark and print. It is as wide as a telephone.
"""

from collections.abc import Callable
from html import escape
from math import exp

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from . import SAFE

INK, FAINT, ONE, TWO = "currentColor", "#8a929a", "#2f7fc4", "#cf6420"
WIDE = 400
# name -> height, what it shows in words, the function that draws it
DIAGRAMS: dict[str, tuple[int, str, Callable[[], list[str]]]] = {}


def diagram(name: str, high: int, alt: str):
    def note(draw):
        DIAGRAMS[name] = high, alt, draw
        return draw

    return note


def svg(name: str) -> str:
    high, alt, draw = DIAGRAMS[name]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {high}" width="100%" role="img" '
        f'aria-label="{escape(alt)}" font-family="sans-serif" font-size="13" fill="none">'
        f"{''.join(draw())}</svg>"
    )


class Diagram(SphinxDirective):
    """A drawing by its name; the content is its caption."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        frame = nodes.container(classes=["diagram"])
        frame += nodes.raw("", svg(self.arguments[0]), format="html")
        self.state.nested_parse(self.content, self.content_offset, frame)
        return [frame]


def text(x: float, y: float, words: str, anchor: str = "middle") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{INK}">{escape(words)}</text>'


def box(x, y, wide, high, colour=INK, *, ground=0.0, dashed=False, round=4) -> str:
    """A frame; `ground` says how much of the colour fills it."""
    dashes = ' stroke-dasharray="4 3"' if dashed else ""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{wide:g}" height="{high:g}" rx="{round}" stroke="{colour}"'
        f'{dashes} fill="{colour}" fill-opacity="{ground:g}" stroke-width="1.5"/>'
    )


def dot(x, y, colour=INK) -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="5" fill="{colour}"/>'


def path(points, colour=INK, *, wide=1.5, dashed=False) -> str:
    dashes = ' stroke-dasharray="4 3"' if dashed else ""
    told = "L".join(f"{x:g} {y:g}" for x, y in points)
    return f'<path d="M{told}" stroke="{colour}" stroke-width="{wide}"{dashes}/>'


def arrow(x, y, u, v, colour=INK) -> str:
    """From (x, y) to (u, v), with a head."""
    length = ((u - x) ** 2 + (v - y) ** 2) ** 0.5
    a, b = 7 * (u - x) / length, 7 * (v - y) / length
    head = f"M{u:g} {v:g}L{u - a - b / 2:.1f} {v - b + a / 2:.1f}L{u - a + b / 2:.1f} {v - b - a / 2:.1f}Z"
    return path([(x, y), (u - a, v - b)], colour) + f'<path d="{head}" fill="{colour}"/>'


@diagram(
    "item-and-user",
    150,
    "Rows of dots are the records of Ann, Bob and Cleo. On the left a frame around one dot of Bob's: what "
    "may change without being noticed is one record. On the right the frame holds all of Bob's row: it is "
    "the whole person.",
)
def item_and_user():
    parts = []
    for left, title in ((0, "a record is protected"), (210, "a person is protected")):
        parts.append(text(left + 95, 16, title))
        for row, (who, count) in enumerate((("Ann", 7), ("Bob", 5), ("Cleo", 6))):
            y = 48 + 36 * row
            parts.append(text(left + 4, y + 5, who, "start"))
            for place in range(count):
                bob = who == "Bob" and (left or place == 2)
                parts.append(dot(left + 58 + 20 * place, y, TWO if bob else FAINT))
    return [*parts, box(87, 73, 22, 22, TWO, dashed=True), box(256, 73, 104, 22, TWO, dashed=True)]


@diagram(
    "local-and-central",
    186,
    "Left, local privacy: three users each add noise to their own data, inside a frame of their own, and "
    "send the result to a server. Right, central privacy: one frame holds the users and a curator, who "
    "adds noise once before the release.",
)
def local_and_central():
    parts = [text(92, 16, "local: nobody is trusted"), text(303, 16, "central: a curator is")]
    for y in (52, 100, 148):
        parts += [
            box(4, y - 16, 94, 32, ONE, dashed=True, ground=0.1),
            text(51, y + 5, "data + noise"),
            arrow(100, y, 134, 100 + (y - 100) / 4),
            text(238, y + 5, "data"),
            arrow(256, y, 280, 100 + (y - 100) / 4),
        ]
    return [
        *parts,
        box(136, 78, 52, 44),
        text(162, 105, "server"),
        box(216, 32, 126, 136, ONE, dashed=True, ground=0.1),
        box(282, 76, 54, 48),
        text(309, 96, "sum +"),
        text(309, 112, "noise"),
        arrow(338, 100, 366, 100),
        text(368, 90, "release"),
    ]


@diagram(
    "vote-then-refine",
    236,
    "Above, bars count the votes of half of the users for nine bins of the range from -1 to 1; one bin "
    "wins. Below, the winning bin and its neighbours are the short interval in which the other half "
    "reports: the law of its noise is narrow and high, that of noise for the whole range wide and flat.",
)
def vote_then_refine():
    votes = [6, 9, 7, 12, 16, 54, 24, 10, 7]
    bars = [
        box(22 + 40 * place, 92 - high, 36, high, ONE if high == max(votes) else FAINT, ground=0.5)
        for place, high in enumerate(votes)
    ]
    return [
        text(20, 16, "1. half of the users vote", "start"),
        *bars,
        path([(20, 92), (380, 92)]),
        box(180, 96, 120, 100, ONE, dashed=True, ground=0.1),
        text(20, 120, "2. the others report", "start"),
        text(20, 137, "within the short interval", "start"),
        path([(x, 194 - 12 * exp(-abs(x - 240) / 120)) for x in range(20, 381, 4)], FAINT, wide=2),
        path([(x, 194 - 84 * exp(-abs(x - 240) / 20)) for x in range(20, 381, 4)], TWO, wide=2),
        path([(20, 196), (380, 196)]),
        text(20, 212, "−1"),
        text(380, 212, "1"),
        text(312, 150, "noise now", "start"),
        text(20, 178, "noise without a vote", "start"),
        text(240, 212, "winning bin, widened"),
    ]


@diagram(
    "shrink-and-debias",
    236,
    "Three users with 100, 25 and 6 records; a bar shows how far the mean of each may stray. Above, the "
    "fewer records the longer the bar, and the last sticks out of the interval. Below, each is shrunk "
    "towards the middle of the interval: the bars are equally short, inside it, and the server stretches "
    "their average back.",
)
def shrink_and_debias():
    middle, truth, parts = 210, 270, []
    for top, title in ((24, "how far each mean strays"), (128, "shrunk towards the middle: all alike")):
        parts += [
            text(0, top - 8, title, "start"),
            box(middle - 80, top, 160, 76, ONE, dashed=True, ground=0.1),
            path([(middle, top), (middle, top + 76)], ONE, dashed=True),
        ]
        for row, (records, weight) in enumerate(((100, 1.0), (25, 0.5), (6, 0.25))):
            y, shrunk = top + 14 + 24 * row, top > 100
            centre, half = (middle + weight * (truth - middle), 16) if shrunk else (truth, 16 / weight)
            parts += [
                text(0, y + 5, f"{records} records", "start"),
                path([(centre - half, y), (centre + half, y)], TWO, wide=5),
                dot(centre, y, TWO),
            ]
    return [*parts, text(0, 225, "and the server stretches back", "start"), arrow(210, 221, 268, 221, TWO)]


@diagram(
    "capped-weights",
    196,
    "Bars are the weights of users, from those who know the mean least exactly to those who know it best. "
    "A line caps them: what is above it is cut off, and the noise is as large as the cap.",
)
def capped_weights():
    base, cap = 166, 84
    parts = []
    for place, high in enumerate((12, 16, 21, 27, 35, 45, 57, 72, 92, 118, 146)):
        x = 6 + 25 * place
        parts.append(box(x, base - min(high, cap), 19, min(high, cap), ONE, ground=0.5, round=0))
        if high > cap:
            parts.append(box(x, base - high, 19, high - cap, FAINT, dashed=True, round=0))
    return [
        *parts,
        path([(0, base), (280, base)]),
        path([(0, base - cap), (292, base - cap)], TWO, dashed=True),
        text(4, base - cap - 8, "the cap", "start"),
        arrow(300, base - cap / 2, 300, base - cap, TWO),
        arrow(300, base - cap / 2, 300, base, TWO),
        text(310, base - cap / 2 - 4, "the noise", "start"),
        text(310, base - cap / 2 + 13, "hides this", "start"),
        text(140, base + 20, "users, the best informed last"),
    ]


@diagram(
    "nested-clips",
    170,
    "Twelve records of one user, items a, b and c, in one random order. Below, the bounds 2, 5 and 9 keep "
    "the first two, five and nine of them: a larger bound keeps all that a smaller one keeps.",
)
def nested_clips():
    parts = [text(0, 16, "the records of one user, in random order", "start")]
    colours = {"a": ONE, "b": TWO, "c": FAINT}
    for place, item in enumerate("bacabbcaabca"):
        x = 2 + 30 * place
        parts += [box(x, 30, 24, 24, colours[item], ground=0.35), text(x + 12, 47, item)]
    for row, bound in enumerate((2, 5, 9)):
        y, end = 84 + 30 * row, 30 * bound - 2
        parts += [
            path([(1, y - 8), (1, y), (end, y), (end, y - 8)]),
            path([(end, 58), (end, y - 8)], FAINT, dashed=True),
            text(end + 10, y + 4, f"bound {bound}", "start"),
        ]
    return parts


@diagram(
    "propose-test-release",
    214,
    "A chain of boxes: propose a sensitivity; test, with noise, how far the data are from any for which "
    "it is too small. Far: release with noise of that size. Near: say nothing. Both the test and the "
    "release spend budget.",
)
def propose_test_release():
    return [
        box(100, 4, 200, 32, ONE, ground=0.1),
        text(200, 25, "propose a sensitivity Λ"),
        arrow(200, 38, 200, 62),
        box(40, 64, 320, 52, ONE, ground=0.1),
        text(200, 86, "how far are the data from any"),
        text(200, 104, "for which Λ is too small? + noise"),
        arrow(110, 118, 110, 154),
        arrow(290, 118, 290, 154),
        text(100, 141, "far", "end"),
        text(300, 141, "near", "start"),
        box(10, 156, 190, 32, ONE, ground=0.1),
        text(105, 177, "release + noise Λ/ε"),
        box(220, 156, 140, 32, FAINT, dashed=True),
        text(290, 177, "say nothing"),
        text(200, 208, "the test spends ε, and so does the release"),
    ]


@diagram(
    "phase-change",
    200,
    "The risk against the records of each user, both on logarithmic scales: it falls as if each record "
    "belonged to a user of its own, until the records are exponentially many in the number of users, and "
    "then stays where it is.",
)
def phase_change():
    return [
        path([(30, 10), (30, 176), (392, 176)]),
        text(38, 18, "risk", "start"),
        text(392, 194, "records of each user", "end"),
        path([(262, 124), (262, 176)], FAINT, dashed=True),
        path([(262, 124), (390, 164)], FAINT, dashed=True),
        path([(36, 53), (262, 124), (390, 124)], ONE, wide=3),
        text(140, 50, "as if every record", "start"),
        text(140, 67, "had a user of its own", "start"),
        text(326, 112, "no gain"),
        text(256, 166, "exponentially many", "end"),
    ]


def setup(app) -> dict:
    app.add_directive("diagram", Diagram)
    return SAFE
