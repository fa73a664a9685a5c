"""The picture of README and first page: a square a statement, its verdict by colour and symbol.

``python tools/findings.py`` draws it anew, after a verdict has changed.
"""

from collections import Counter
from pathlib import Path

from userdp_book.site.boxes import AUTHORS
from userdp_book.site.claims import SYMBOLS
from userdp_book.site.picture import COLOURS, numbers
from userdp_papers.study.claims import statements, verdicts

FILE = Path("book") / "_static" / "findings.svg"
SIDE, STEP, ACROSS = 18, 20, 20
WIDE, LINE = STEP * ACROSS, 24


def draw() -> str:
    """The picture as SVG: under each paper's name its squares in its own order, then what they mean."""
    parts, y = [], 0
    for paper, name in AUTHORS.items():
        ids = [id for id, item in statements().items() if item["paper"] == paper]
        parts.append(written(0, y + 14, name))
        y += LINE
        for place, id in enumerate(ids):
            across, down = place % ACROSS, place // ACROSS
            parts.append(square(STEP * across, y + STEP * down, verdicts()[id]["verdict"]))
        y += STEP * ((len(ids) - 1) // ACROSS + 1) + 6
    fates = Counter(item["verdict"] for item in verdicts().values()).most_common()
    for place, (verdict, count) in enumerate(fates):
        x, down = 0.45 * WIDE * (place % 2), y + 10 + LINE * (place // 2)
        parts += [square(x, down, verdict), written(x + 25, down + 14, f"{verdict}: {count}")]
    high = y + 10 + LINE * ((len(fates) + 1) // 2)
    title = f"{numbers()['statements']} statements of four papers, a square each, by verdict"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {high}" width="{WIDE}" height="{high}" '
        f'role="img" font-family="sans-serif" font-size="14"><title>{title}</title>{"".join(parts)}</svg>\n'
    )


def written(x: float, y: float, said: str) -> str:
    return f'<text x="{x}" y="{y}" fill="#6b7682">{said}</text>'


def square(x: float, y: float, verdict: str) -> str:
    symbol = (
        f'<text x="{x + SIDE / 2}" y="{y + 13.5}" fill="#fff" text-anchor="middle">{SYMBOLS[verdict]}</text>'
    )
    return f'<rect x="{x}" y="{y}" width="{SIDE}" height="{SIDE}" rx="3" fill="{COLOURS[verdict]}"/>{symbol}'


if __name__ == "__main__":
    FILE.write_text(draw(), encoding="utf8")
