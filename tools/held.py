"""What is held by stored numbers alone: slips and mutants that no test sees once the sweeping tests are off.

``python tools/held.py`` plants every slip of the list and every mutant of the stored campaign that is still
possible. It comes before stored numbers are written anew: until that is done nothing watches over what it
names. It fails if some of this is in code that states a guarantee.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from campaign import SOURCES, Mutant, Sites, first, passes, planted
from userdp_book.evidence.campaign import RESULTS, SEEN, is_sweeping, judged
from userdp_book.evidence.slips import caught, plant, run, slips


def is_held(mutant: Mutant, test: str) -> bool:
    """Whether no named test sees a mutant: neither the one that did so once, nor any other."""
    with tempfile.TemporaryDirectory() as folder:
        file = plant(None, Path(folder)) / mutant.module
        file.write_bytes(planted(mutant, file.read_bytes()))
        if "::" in test and not is_sweeping(test) and run([test], Path(folder)).returncode and passes(test):
            return False
        return first(mutant, Path(folder), False)[0] not in SEEN


def is_held_slip(slip: dict[str, str]) -> bool:
    """Whether the named test of a slip is a sweeping one, or fails no longer where it should."""
    with tempfile.TemporaryDirectory() as folder:
        return is_sweeping(slip["test"]) or not caught(slip, run([slip["test"]], plant(slip, Path(folder))))


def states(slip: dict[str, str]) -> bool:
    """Whether a slip takes privacy away, or stands in code that states a guarantee."""
    sites = Sites(SOURCES / slip["module"])
    start = sites.source.find(slip["right"].encode())
    end = start + len(slip["right"].encode())
    inside = (one.promise for place in sites.found() for one in place if start <= one.start < end)
    return slip["effect"] == "privacy" or any(inside)


def possible(row: dict[str, str]) -> Mutant | None:
    """The mutant that a row of the campaign is about, if the code still has its line."""
    named = {name: row[name] for name in ("module", "function", "kind", "before", "after")}
    if not (SOURCES / row["module"]).exists():
        return None
    all_of_it = (one for place in Sites(SOURCES / row["module"]).found() for one in place)
    return next((one for one in all_of_it if named.items() <= one._asdict().items()), None)


def asked(campaign: Path) -> Iterator[tuple[str, bool, partial[bool]]]:
    """What is planted: its name, whether it is in code that states a guarantee, and how it is tried."""
    for slip in slips():
        yield f"{slip['module']}: {slip['slip']}", states(slip), partial(is_held_slip, slip)
    for row in judged(campaign):
        if row["outcome"] in SEEN and (mutant := possible(row)):
            name = f"{mutant.module}: {mutant.before} -> {mutant.after}"
            yield name, mutant.promise, partial(is_held, mutant, row["test"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--campaign", type=Path, default=RESULTS)
    options = parser.parse_args()
    names, promises, trials = zip(*asked(options.campaign), strict=True)
    with ThreadPoolExecutor(options.jobs) as pool:
        found = list(pool.map(lambda trial: trial(), trials))
    held = [pair for pair, is_so in zip(zip(names, promises, strict=True), found, strict=True) if is_so]
    for name, promise in held:
        print("states a guarantee: " * promise + name)
    print(
        f"{len(held)} of {len(names)} held by stored numbers alone, {sum(p for _, p in held)} of a guarantee"
    )
    return int(any(promise for _, promise in held))


if __name__ == "__main__":
    sys.exit(main())
