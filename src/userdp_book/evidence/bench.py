"""Processor time of the same work by this package and by others, as ratios within one run."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import process_time

import numpy as np

from userdp.privacy.reports import LaplaceReport, UnaryEncoding

from .peers import BITS, LAPLACE, SHARES, SIGMA

EPSILON, DELTA, SEED = 1.0, 1e-6, 1
VOTERS, BINS = 10_000, 1000
# The slow ones get fewer users; their work is proportional to the number of users.
USERS = {"userdp": 1_000_000, "diffprivlib": 50_000, "opendp": 20_000}
# What this package aims at: each of these takes at least so many times as long.
TARGETS = {
    "vote totals": (1000, ("pure-ldp", "multi-freq-ldpy")),
    "vote reports": (8, ("pure-ldp", "multi-freq-ldpy")),
    "Laplace mean": (200, ("diffprivlib", "opendp")),
    "Gaussian calibration": (20, ("dp-accounting",)),
}
# A run is repeated within one reading of the clock until it takes this long, in seconds.
LEAST = 0.02
COLUMNS = ("work", "package", "nanoseconds a unit", "ratio")


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

    Beside the packages: what this one cannot do without. Then the reports themselves, as devices draw them.
    """
    items, rng = np.random.default_rng(SEED).integers(BINS, size=VOTERS), np.random.default_rng(SEED)
    report, ones = UnaryEncoding(BINS, 1, EPSILON), np.bincount(items, minlength=BINS)
    runs = {package: lambda run=run: run(items, BINS, EPSILON, SEED) for package, run in SHARES.items()}
    runs["two binomials per bin"] = lambda: report.sample_total_of_counts(ones, VOTERS, rng)
    found = [Job("vote totals", name, run, VOTERS) for name, run in runs.items()]
    few = {package: lambda run=run: run(items[:1000], BINS, EPSILON, SEED) for package, run in BITS.items()}
    return found + [Job("vote reports", name, run, 1000) for name, run in few.items()]


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
    work = "Gaussian calibration"
    return [Job(work, package, lambda run=run: run(EPSILON, DELTA)) for package, run in SIGMA.items()]


def measure(chosen: list[Job], repeats: int = 3) -> list[dict]:
    """Median processor time a unit, runs of all jobs by turns, and the ratio to this package's."""
    for job in chosen:
        job.run()
    loops = {job: enough(job) for job in chosen}
    taken = {job: [] for job in chosen}
    for _ in range(repeats):
        for job in chosen:
            taken[job].append(seconds(job, loops[job]) / job.units)
    middle = {job: median(times) for job, times in taken.items()}
    own = {job.work: time for job, time in middle.items() if job.package == "userdp"}
    rows = [(job.work, job.package, 1e9 * time, time / own[job.work]) for job, time in middle.items()]
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows]


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
