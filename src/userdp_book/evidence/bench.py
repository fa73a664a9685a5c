"""``make bench``: processor time of the same work by this package and by others, as ratios within one run.

And the memory that a table of records on disk needs.
"""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np

from userdp.privacy.reports import LaplaceReport, UnaryEncoding

from .peers import LAPLACE, SHARES, SIGMA

EPSILON, DELTA = 1.0, 1e-6
SEED = 1
VOTERS, BINS = 10_000, 1000
# The slow ones get fewer users; their work is proportional to the number of users.
USERS = {"userdp": 1_000_000, "diffprivlib": 50_000, "opendp": 20_000}
# What this package aims at: each of these takes at least so many times as long.
TARGETS = {
    "vote totals": (1000, ("pure-ldp", "multi-freq-ldpy")),
    "Laplace mean": (200, ("diffprivlib", "opendp")),
    "Gaussian calibration": (20, ("dp-accounting",)),
}
# Records of a table on disk, its users, and the memory that averaging it by user may take, in MiB.
RECORDS, HOLDERS, MOST_MEMORY = 10**8, 10**6, 2048
# A run is repeated within one reading of the clock until it takes this long, in seconds.
LEAST = 0.02


@dataclass(frozen=True)
class Job:
    """Work of one package; `run` does `units` of it, users or calls."""

    work: str
    package: str
    run: Callable[[], object]
    units: int = 1


def jobs() -> list[Job]:
    return [*votes(), *means(), *calibrations()]


def votes() -> list[Job]:
    """One of many bins from each user, as one randomised bit a bin; the shares of the bins are estimated.

    Beside the packages: what this one cannot do without.
    """
    items, rng = np.random.default_rng(SEED).integers(BINS, size=VOTERS), np.random.default_rng(SEED)
    report, ones = UnaryEncoding(BINS, 1, EPSILON), np.bincount(items, minlength=BINS)
    runs = {package: lambda run=run: run(items, BINS, EPSILON, SEED) for package, run in SHARES.items()}
    runs["two binomials a bin"] = lambda: report.sample_total_of_counts(ones, VOTERS, rng)
    return [Job("vote totals", name, run, VOTERS) for name, run in runs.items()]


def means() -> list[Job]:
    """A number from each user with Laplace noise; the mean of the reports is returned."""
    x = np.random.default_rng(SEED).uniform(-1, 1, max(USERS.values()))
    report, rng = LaplaceReport(-1.0, 1.0, EPSILON), np.random.default_rng(SEED)
    found = [Job("Laplace mean", "userdp", lambda: report.sample_total(x, rng) / len(x), len(x))]
    for package, run in LAPLACE.items():
        n, name = USERS[package], package if package != "userdp" else "userdp, every report"
        found.append(
            Job("Laplace mean", name, lambda n=n, run=run: run(x[:n], -1, 1, EPSILON, SEED).mean(), n)
        )
    return found


def calibrations() -> list[Job]:
    """The least standard deviation of Gaussian noise for epsilon and delta."""
    return [
        Job("Gaussian calibration", package, lambda run=run: run(EPSILON, DELTA))
        for package, run in SIGMA.items()
    ]


def measure(chosen: list[Job], repeats: int = 3) -> list[dict]:
    """Median processor time a unit, runs of all jobs by turns, and the ratio to this package's."""
    for job in chosen:
        job.run()
    loops = {job: enough(job) for job in chosen}
    taken = {job: [] for job in chosen}
    for _ in range(repeats):
        for job in chosen:
            taken[job].append(seconds(job, loops[job]) / job.units)
    own = {job.work: median(times) for job, times in taken.items() if job.package == "userdp"}
    return [
        {
            "work": job.work,
            "package": job.package,
            "nanoseconds a unit": 1e9 * median(times),
            "ratio": median(times) / own[job.work],
        }
        for job, times in taken.items()
    ]


def enough(job: Job) -> int:
    loops = 1
    while loops * seconds(job, loops) < LEAST:
        loops *= 2
    return loops


def seconds(job: Job, loops: int) -> float:
    """Processor time of one run, the average of several."""
    start = process_time()
    for _ in range(loops):
        job.run()
    return (process_time() - start) / loops


def least_ratios(rows: list[dict]) -> dict[str, float]:
    """For each work, the smallest ratio of a package that it is aimed at."""
    return {
        work: min(row["ratio"] for row in rows if row["work"] == work and row["package"] in aimed_at)
        for work, (_, aimed_at) in TARGETS.items()
    }


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
users = user_means(sys.argv[1], user="who", value="stars", domain=(0, 5), rng=np.random.default_rng(1))
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
