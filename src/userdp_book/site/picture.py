"""The picture of README and first page: a square a statement, its verdict by colour and symbol."""

from collections import Counter
from pathlib import Path

from userdp_papers.study.claims import faults, statements, verdicts

from .boxes import AUTHORS
from .claims import SYMBOLS

FILE = Path("book") / "_static" / "findings.svg"
SIDE, STEP, ACROSS = 18, 20, 20
WIDE, LINE = STEP * ACROSS, 24
# What the bare number of broken promises would not say.
LESS = {"proof step": "in the count of a single step", "released code": "in released code"}
# dark enough for white symbols, and seen on white and on black
COLOURS = {
    "holds": "#1a7f4b",
    "holds after correction": "#9a6700",
    "refuted": "#c4432b",
    "not reproducible": "#7a4fb0",
    "context": "#6b7682",
}


def numbers(paper: str | None = None) -> dict[str, int | str]:
    """What README and first page say in figures, of one paper or of all."""
    ids = [id for id, item in statements().items() if paper in (None, item["paper"])]
    fate = Counter(verdicts()[id]["verdict"] for id in ids)
    slips = [fault for fault in faults().values() if fault["statement"] in ids]
    bad = Counter(fault["severity"] for fault in slips)
    less = Counter(filter(None, map(weaker, slips)))
    return {
        "statements": len(ids),
        "hold": fate["holds"],
        "corrected": fate["holds after correction"],
        "slips": bad.total(),
        "privacy": bad["privacy broken"],
        "less": f" ({', '.join(f'{count} {words}' for words, count in less.items())})" * bool(less),
        "glyphs": bad["wording or glyph"],
    }


def weaker(fault: dict) -> str | None:
    """In which narrower sense a promise of privacy is broken, if in one."""
    if fault["severity"] == "privacy broken":
        return "under one reading of several" if "readings" in fault else LESS.get(fault["target"])


def sentence(paper: str | None = None) -> str:
    """The figures in words; README and first page say just this, a paper's page its own."""
    found = numbers(paper)
    return (
        "Of {statements} numbered statements {hold} are correct as printed "
        "and {corrected} after a correction. We list {slips} errors, each counted once: "
        "{privacy} invalidate{s} a privacy guarantee{less}, and {glyphs} are misprints."
    ).format(**found, s="s" if found["privacy"] == 1 else "")


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
        x, down = WIDE / 2 * (place % 2), y + 10 + LINE * (place // 2)
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
