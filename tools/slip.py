"""Run every slip of the list against its test, one at a time, and store the processor seconds of each.

With words behind it, ``python tools/slip.py word ...`` runs only the slips whose names contain one of them.
"""

import csv
import sys
import tempfile
from pathlib import Path

from userdp_book.evidence.slips import FILE, caught, plant, run, slips


def main(words: list[str]) -> int:
    """Run slips and write the processor seconds of each into the list; say how many were missed."""
    rows, missed = slips(), 0
    for slip in rows:
        if words and not any(word in slip["slip"] for word in words):
            continue
        with tempfile.TemporaryDirectory() as folder:
            result = run([slip["test"]], plant(slip, Path(folder)))
        slip["seconds"], found = f"{result.seconds:.1f}", caught(slip, result)
        missed += not found
        print(f"{slip['seconds']:>6} s  {slip['slip']}: {'caught' if found else 'MISSED'}", flush=True)
        if not found:
            print(result.stdout[-1500:], flush=True)
    with FILE.open("w", encoding="utf8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return missed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
