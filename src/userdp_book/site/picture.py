"""How the papers fare, in figures: what README and first page say, and the colours of the verdicts."""

from collections import Counter

from userdp_papers.study.claims import faults, statements, verdicts

# dark enough for white symbols, and seen on white and on black
COLOURS = {
    "holds": "#1a7f4b",
    "holds after correction": "#9a6700",
    "refuted": "#c4432b",
    "not reproducible": "#7a4fb0",
    "context": "#6b7682",
}


def numbers(paper: str | None = None) -> dict[str, int]:
    """What README and first page say in figures, of one paper or of all."""
    ids = [id for id, item in statements().items() if paper in (None, item["paper"])]
    fate = Counter(verdicts()[id]["verdict"] for id in ids)
    bad = Counter(fault["severity"] for fault in faults().values() if fault["statement"] in ids)
    return {
        "statements": len(ids),
        "hold": fate["holds"],
        "corrected": fate["holds after correction"],
        "slips": bad.total(),
        "privacy": bad["privacy broken"],
        "glyphs": bad["wording or glyph"],
    }


def sentence(paper: str | None = None) -> str:
    """The figures in words; README and first page say just this, a paper's page its own."""
    found = numbers(paper)
    return (
        "Of {statements} numbered statements {hold} are correct as printed "
        "and {corrected} after a correction. We list {slips} errors, each counted once: "
        "{privacy} invalidate{s} a privacy guarantee, and {glyphs} are misprints."
    ).format(**found, s="s" if found["privacy"] == 1 else "")
