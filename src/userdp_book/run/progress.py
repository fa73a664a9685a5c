"""One line on what runs and what is left; the longest first, which saves 11 of 338 seconds on four cores."""

import csv
import sys
import time
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


class Progress:
    """What has been said so far of a run of pages; ``now`` is the clock."""

    def __init__(self, expected: dict[Page, float], jobs: int, now=time.monotonic):
        self.expected, self.jobs, self.now = expected, jobs, now
        self.started: dict[Page, float] = {}
        self.taken: dict[Page, float] = {}

    def line(self, running: list[Page]) -> str:
        """Done, running, and the minutes that are left."""
        for page in running:
            self.started.setdefault(page, self.now())
        names = ", ".join(page.name for page in running)
        return f"{len(self.taken)} of {len(self.expected)} done, {self.left(running)} left; running: {names}"

    def left(self, running: list[Page]) -> str:
        """Time to the end: all the work shared out, or the longest page where that takes longer."""
        pace = self.pace()
        rest = {page: pace * seconds for page, seconds in self.expected.items() if page not in self.taken}
        for page in running:
            rest[page] = max(0.0, rest[page] - (self.now() - self.started[page]))
        seconds = max(sum(rest.values()) / self.jobs, max(rest.values(), default=0.0))
        return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"

    def pace(self) -> float:
        """How much longer than expected the pages took that are done."""
        expected = sum(self.expected[page] for page in self.taken)
        return sum(self.taken.values()) / expected if expected else 1.0

    def end(self, page: Page, seconds: float) -> None:
        self.taken[page] = seconds


def say(text: str, *, for_now: bool = False) -> None:
    """Print a line; one that is said for now is shown in a terminal only, until the next replaces it."""
    if sys.stdout.isatty():
        print(f"\r\x1b[K{text}", end="" if for_now else "\n", flush=True)
    elif not for_now:
        print(text, flush=True)
