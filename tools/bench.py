"""``make bench``: the work that the page on peers times, and the memory of averaging a table on disk.

Needs the packages of the extra ``peers``.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from userdp_book.evidence.bench import TARGETS, jobs, least_ratios, measure

# Records of a table on disk, its users, and the memory that averaging it by user may take, in MiB.
RECORDS, HOLDERS, MOST_MEMORY = 10**8, 10**6, 2048


def lines(rows: list[dict]) -> list[str]:
    """The table for a terminal, and whether each target is reached."""
    said = [f"{'work':22}{'package':24}{'ns a unit':>14}{'ratio':>10}"]
    for row in rows:
        said.append(
            f"{row['work']:22}{row['package']:24}{row['nanoseconds a unit']:14,.1f}{row['ratio']:10,.1f}"
        )
    for work, ratio in least_ratios(rows).items():
        aim, aimed_at = TARGETS[work]
        verdict = "reached" if ratio >= aim else "MISSED"
        said.append(
            f"{work}: {' and '.join(aimed_at)} take {ratio:,.0f} times as long, aim {aim:,}: {verdict}"
        )
    return said


def write_records(path: Path, records: int, holders: int = HOLDERS) -> None:
    """A Parquet file of ratings from 0 to 5, some outside and some missing, of users in no order."""
    import duckdb

    with duckdb.connect() as engine:
        engine.execute("set enable_progress_bar = false")
        who = f"(hash(i) % {holders})::bigint"
        stars = "if(i % 1000 = 0, null, hash(i + 0.5) % 7001 / 1000 - 1)"
        engine.sql(f"select {who} who, {stars} stars from range({records}) t(i)").write_parquet(str(path))


# Of this process alone: what getrusage says begins with the memory of the process that started it.
AVERAGE = r"""
import re, sys
import numpy as np
from userdp.tables import user_means
options = {"domain": (0, 5), "missing": "low", "rng": np.random.default_rng(1)}
users = user_means(sys.argv[1], user="who", value="stars", **options)
peak = re.search(r"VmHWM:\s+(\d+)", open("/proc/self/status").read())[1]
print(users.sizes.sum(), int(peak) // 1024)
"""


def memory(records: int = RECORDS) -> int:
    """Peak memory in MiB of a process that averages so many records on disk by user."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "records.parquet"
        write_records(path, records)
        run = subprocess.run(
            [sys.executable, "-c", AVERAGE, path], check=True, stdout=subprocess.PIPE, text=True
        )
    counted, peak = map(int, run.stdout.split())
    if counted != records:
        raise AssertionError(f"{counted} of {records} records were counted")
    return peak


def memory_line(peak: int, records: int = RECORDS) -> str:
    verdict = "reached" if peak <= MOST_MEMORY else "MISSED"
    return f"users' means of {records:,} records on disk: {peak:,} MiB, aim {MOST_MEMORY:,}: {verdict}"


def main() -> None:
    print(memory_line(memory()))
    print("\n".join(lines(measure(jobs(), repeats=5))))


if __name__ == "__main__":
    main()
