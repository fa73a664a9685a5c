"""What a campaign of random mutants has found: `tools/campaign.py` plants them and stores what came of it.

Survivors that change nothing anybody could observe are argued one by one in ``equivalents.csv``.
"""

import csv
from math import sqrt
from pathlib import Path

RESULTS = Path(__file__).with_name("campaign.csv")
EQUIVALENTS = Path(__file__).with_name("equivalents.csv")
SEEN = "killed", "no end"
# they hold stored numbers, printed examples, limits or refusals: they say that something moved, not what is
# right. The witnesses walk over the same calls, but know what must be so.
SWEEPING = "test_numbers.py", "test_bad_calls.py", "test_limits.py", "test_number_types.py"
SWEEPING += "privacy/test_examples.py", "test_package.py::test_examples_run"


def is_sweeping(test: str) -> bool:
    """Whether a test, or a page, sees any change and cannot say which is wrong."""
    return test.startswith(SWEEPING) or ".md::" in test


def table(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf8", newline="") as rows:
        return list(csv.DictReader(rows))


def judged(file: Path = RESULTS) -> list[dict[str, str]]:
    """The stored results; of survivors that are argued to be equivalent the outcome says so, and why."""
    reasons = {_key(row): row["why"] for row in table(EQUIVALENTS)}
    rows = [row | {"why": reasons.get(_key(row), "")} for row in table(file)]
    for row in rows:
        # of a campaign that stopped at a sweeping test nobody knows what a named one would have seen
        row.setdefault("without", "unsure" if is_sweeping(row["test"]) else row["outcome"])
        if row["outcome"] in ("survived", "unsure") and row["why"]:
            row["outcome"] = row["without"] = "equivalent"
    return rows


def _key(row: dict[str, str]) -> tuple[str, ...]:
    return tuple(row[name] for name in ("module", "function", "before", "after"))


def rate(outcomes: list[str]) -> str:
    """The share of mutants that were seen, and its 95 % interval; those called equivalent do not count."""
    counted = [outcome in SEEN for outcome in outcomes if outcome != "equivalent"]
    hits, runs = sum(counted), len(counted)
    low, high = wilson(hits, runs)
    return f"{hits} of {runs} = {hits / runs:.1%} ({low:.0%} to {high:.0%})"


def wilson(hits: int, runs: int, z: float = 1.959964) -> tuple[float, float]:
    """Interval for a share that covers it with probability of about 95 %."""
    middle = (hits + z**2 / 2) / (runs + z**2)
    half = z / (runs + z**2) * sqrt(hits * (runs - hits) / runs + z**2 / 4)
    return middle - half, middle + half
