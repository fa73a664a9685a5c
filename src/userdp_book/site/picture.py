"""How the papers fare, in figures: what README and first page say, and the colours of the verdicts."""

from collections import Counter

from userdp_papers.study.claims import faults, statements, verdicts

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


OTHERS = {"refuted": "refuted", "not reproducible": "not reproducible", "context": "without a claim to test"}


def numbers(paper: str | None = None) -> dict[str, int | str]:
    """What README and first page say in figures, of one paper or of all."""
    ids = [id for id, item in statements().items() if paper in (None, item["paper"])]
    fate = Counter(verdicts()[id]["verdict"] for id in ids)
    slips = [fault for fault in faults().values() if fault["statement"] in ids]
    bad = Counter(fault["severity"] for fault in slips)
    less = Counter(filter(None, map(weaker, slips)))
    others = [f"{fate[one]} {said}" for one, said in OTHERS.items() if fate[one]]
    return {
        "statements": len(ids),
        "hold": fate["holds"],
        "corrected": fate["holds after correction"],
        "others": f" (the others: {', '.join(others)})" * bool(others),
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
        "and {corrected} after a correction{others}. We list {slips} errors, each counted once: "
        "{privacy} invalidate{s} a privacy guarantee{less}, and {glyphs} are misprints."
    ).format(**found, s="s" if found["privacy"] == 1 else "")
