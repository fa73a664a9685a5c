"""What the tournament of plans and rivals found, as `tools/tournament.py` stores it."""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).with_suffix(".csv")
KNOWN = ("situation", "trust", "n", "epsilon", "sizes", "spread", "shape", "sizes tell")
COLUMNS = (*KNOWN, "method", "kind", "basis", "assumed", "foretold", "seen", "against first", "useful")
KEPT, SOME, MUCH = 1.15, 1.1, 1.25


def write(rows: Iterable[dict[str, Any]], path: Path, seed: int) -> None:
    """Store a tournament, its seed in each row."""
    with path.open("w", encoding="utf8", newline="") as table:
        writer = csv.DictWriter(table, ("seed", *COLUMNS), lineterminator="\n")
        writer.writeheader()
        writer.writerows({"seed": seed, **row} for row in rows)


def read(path: Path = RESULTS) -> list[dict[str, str]]:
    with path.open(encoding="utf8", newline="") as table:
        return [*csv.DictReader(table)]


def kept(row: dict[str, Any]) -> bool:
    """Whether an option erred by little more than was predicted, at most."""
    return float(row["seen"]) <= KEPT * float(row["foretold"])


def best_rivals(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The best rival of each situation in which it is of use: it errs by less than half of a guess."""
    useful = [row for row in rows if row["kind"] == "rival" and float(row["seen"]) <= float(row["useful"])]
    ordered = sorted(useful, key=lambda row: -float(row["against first"]))
    return [*{row["situation"]: row for row in ordered}.values()]


def beaten(rows: list[dict[str, Any]], by: float) -> list[dict[str, Any]]:
    """The best rivals that err by less than the plan's first, by a factor."""
    return [row for row in best_rivals(rows) if float(row["against first"]) * by < 1]


def sound(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of methods whose assumptions are true, where those of the plan's first are."""
    true = [row for row in rows if str(row["assumed"]) == "True"]
    firsts = {row["situation"] for row in true if is_first(row)}
    return [row for row in true if row["situation"] in firsts]


def is_first(row: dict[str, Any]) -> bool:
    """Whether a row is that of the plan's first option."""
    return row["kind"] == "option" and float(row["against first"]) == 1


def verdict(rows: list[dict[str, Any]]) -> str:
    """How often predictions came true and the first was beaten, in words."""
    options = [row for row in rows if row["kind"] == "option"]
    true = [row for row in options if str(row["assumed"]) == "True"]
    kinds = ("options", options), ("sound options", true), ("sound firsts", [*filter(is_first, true)])
    lines = [
        f"{name} within {KEPT} times what was predicted: {sum(map(kept, some))} of {len(some)}"
        for name, some in kinds
    ]
    for words, some in (("any first", rows), ("a sound first", sound(rows))):
        for by in (SOME, MUCH):
            lost, situations = beaten(some, by), len({row["situation"] for row in some})
            lines.append(f"{words} beaten by a factor of {by}: {len(lost)} of {situations}")
    return "\n".join(lines)
