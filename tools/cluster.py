"""A sweep on a cluster of processes to which everything happens: does it give the bits of a serial run?

``python tools/cluster.py`` starts a scheduler, four workers and a client, each a process of
its own, and lets them work through a sweep. On the way it kills a worker, the scheduler and the client, fills
the disk and spoils a stored cell. Each time it starts again what is gone, as one would by hand, and goes on
from what is stored. What happened is kept in ``cluster.log``. Needs Linux, for ``unshare`` makes the small
disk, and the package ``distributed``.
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

from userdp.local import localised_mean
from userdp_papers.populations import Signs
from userdp_papers.study import sweep

FILE = Path(__file__).with_name("cluster.log")
WORKERS, DISK = 4, "2m"
N, EPSILONS, SIZES = (100_000, 200_000), (0.5, 0.7, 1.0, 1.4, 2.0), np.arange(20, 420, 20).tolist()
GRID = [{"n": n, "epsilon": epsilon, "size": size} for n in N for epsilon in EPSILONS for size in SIZES]
SETTINGS = {"repetitions": 8, "seed": 16}
RUNS = 50  # of the estimator in each replicate
SERIAL = slice(7, None, 23)  # the cells that are computed again, one after the other
JOURNAL = "CLUSTER_JOURNAL"  # variable of the environment: where each replicate leaves a line
# every process imports this file, wherever it runs
ENVIRONMENT = os.environ | {
    "PYTHONPATH": os.pathsep.join([str(FILE.parent.resolve()), *filter(None, sys.path)])
}
PATIENCE = 150.0  # seconds after which a process that should have ended is said to hang


def error(rng, n, epsilon, size):
    """Mean squared error of the localised mean, over `RUNS` runs."""
    begin, cpu = time.time(), time.process_time()
    errors = [
        localised_mean(
            Signs(0.2).draw_means(np.full(n, size), rng), size=size, epsilon=epsilon, rng=rng
        ).value
        - 0.2
        for _ in range(RUNS)
    ]
    if JOURNAL in os.environ:
        with open(os.environ[JOURNAL], "a") as file:
            spent = time.process_time() - cpu, time.time() - begin
            file.write(f"{n} {epsilon} {size} {os.getpid()} {begin} {spent[0]} {spent[1]}\n")
    return np.mean(np.square(errors))


def client(address: str, store: str) -> None:
    """The process that asks: the sweep of the page, on the cluster at an address."""
    from distributed import Client
    from joblib import parallel_config

    with (
        Client(address, timeout=PATIENCE),
        parallel_config(backend="dask", wait_for_workers_timeout=PATIENCE),
    ):
        sweep(error, GRID, store=store, **SETTINGS)


class Trial:
    """The processes, their folder, and what is said of them.

    Parameters
    ----------
    folder
        With the small disk in it, ``cells``.
    """

    def __init__(self, folder: Path) -> None:
        self.cells, self.journal, self.folder = folder / "cells", folder / "journal", folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        self.began, self.lines = time.time(), list[str]()
        self.running: dict[str, subprocess.Popen] = {}

    def say(self, text: str) -> None:
        minutes, seconds = divmod(round(time.time() - self.began), 60)
        self.lines.append(
            f"{minutes:3d}:{seconds:02d}  {len(self.stored()):3d} of {len(GRID)} stored  {text}"
        )
        print(self.lines[-1], flush=True)

    def stored(self) -> list[Path]:
        return sorted(self.cells.glob("*.npz"), key=lambda path: path.stat().st_mtime)

    def start(self, name: str) -> None:
        """Start a process, the scheduler, a worker or the client, anew if it has ended."""
        host, port = self.address.split(":")
        command = {
            "scheduler": f"-m distributed.cli.dask_scheduler --host {host} --port {port} --no-dashboard",
            "client": f"-c from\tcluster\timport\tclient;client('{self.address}','{self.cells}')",
        }.get(
            name,
            f"-m distributed.cli.dask_worker {self.address} --no-nanny --nthreads 1 --no-dashboard",
        )
        if name not in self.running or self.running[name].poll() is not None:
            with (self.folder / f"{name}.log").open("w") as log:
                self.running[name] = subprocess.Popen(
                    [sys.executable, *(word.replace("\t", " ") for word in command.split(" "))],
                    env=ENVIRONMENT | {JOURNAL: str(self.journal)},
                    stdout=log,
                    stderr=log,
                    cwd=self.folder,
                    start_new_session=True,
                )

    def start_all(self) -> None:
        for name in ("scheduler", *(f"worker-{i}" for i in range(WORKERS)), "client"):
            self.start(name)

    def kill(self, name: str) -> None:
        self.running[name].kill()
        self.running[name].wait()

    def until(self, count: int) -> None:
        """Wait until so many cells are stored."""
        while len(self.stored()) < count:
            if self.running["client"].poll() is not None:
                raise RuntimeError(f"the client ended too early: {self.last_words()}")
            time.sleep(0.5)

    def last_words(self) -> str:
        """Wait for the client's end; return its error."""
        begin = time.time()
        while self.running["client"].poll() is None and time.time() < begin + PATIENCE:
            time.sleep(0.5)
        if self.running["client"].poll() is None:
            self.kill("client")
            return f"NOTHING in {PATIENCE:.0f} s, and was killed"
        said = (self.folder / "client.log").read_text().strip().splitlines() or ["nothing"]
        return f"{said[-1].replace(str(self.folder), '')!r} after {time.time() - begin:.0f} s"


def strike(trial: Trial, count: int, what: str) -> None:
    """Let something happen once `count` cells are stored, and start again what it ended."""
    trial.until(count)
    if what == "full disk":
        with (trial.cells / "ballast").open("wb", buffering=0) as ballast, suppress(OSError):
            while ballast.write(bytes(4096)):
                pass
        trial.say("the disk is full")
        trial.say(f"the client ended with {trial.last_words()}")
        left = [path.name for path in trial.cells.iterdir() if path.suffix == ".part"]
        trial.say(f"the disk is cleared; {len(left)} half cells lay there")
        (trial.cells / "ballast").unlink()
    elif what == "corrupt cell":
        trial.kill("client")
        spoilt = trial.stored()[len(trial.stored()) // 2]
        spoilt.write_bytes(spoilt.read_bytes()[:100])
        trial.say(f"the client is stopped and {spoilt.name} cut short; another client is started")
        trial.start("client")
        trial.say(f"it ended with {trial.last_words()}")
        spoilt.unlink()
        trial.say("the spoilt cell is deleted")
    else:
        trial.kill(what)
        trial.say(f"killed: {what}")
        if what == "scheduler":
            trial.say(f"the client ended with {trial.last_words()}")
            for name in trial.running:
                trial.kill(name)  # workers that have lost their scheduler end by themselves, sooner or later
    trial.start_all()
    trial.say("all processes that had ended are started again")


STRIKES = [(25, "worker-1"), (60, "scheduler"), (95, "client"), (130, "full disk"), (160, "corrupt cell")]


def judged(trial: Trial) -> None:
    """Say what was done, and hold it against a serial run."""
    rows = [line.split() for line in trial.journal.read_text().splitlines()]
    busy, clock = (sum(float(row[column]) for row in rows) / 60 for column in (-2, -1))
    needed = len(GRID) * SETTINGS["repetitions"]
    trial.say(f"{len(rows)} replicates were computed, {needed} are needed")
    trial.say(
        f"the workers were at work for {clock:.1f} minutes and took {busy:.1f} minutes of processor time"
    )
    stored_at = {}
    for path in trial.stored():
        with np.load(path) as file:
            stored_at[str(file["content"])] = path.stat().st_mtime
    begun: dict[tuple, list] = {}
    for n, epsilon, size, pid, begin, *_ in rows:
        begun.setdefault((f'{{"epsilon": {epsilon}, "n": {n}, "size": {size}}}', pid), []).append(
            float(begin)
        )
    late = 0
    for (cell, _), times in begun.items():
        (stored,) = [when for content, when in stored_at.items() if content.endswith(cell)]
        late += sum(begin > stored for begin in times[:: SETTINGS["repetitions"]])
    trial.say(f"cells whose computation began after they were stored: {late}")
    found = sweep(error, GRID, store=trial.cells, **SETTINGS)[SERIAL]
    again = sweep(error, GRID[SERIAL], **SETTINGS)
    same = np.array_equal(found, again)
    trial.say(f"{len(again)} cells computed again, one after the other: same bits: {same}")
    assert same and late == 0 and len(trial.stored()) == len(GRID)


def inside(folder: Path) -> None:
    """In a name space of our own: mount the small disk and run the trial."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", folder / "cells"], check=True)
    trial = Trial(folder)
    try:
        trial.start_all()
        trial.say(f"a scheduler, {WORKERS} workers and a client are started")
        for count, what in STRIKES:
            strike(trial, count, what)
        trial.until(len(GRID))
        code = trial.running["client"].wait(PATIENCE)
        trial.say(f"the client ended with return code {code}")
        judged(trial)
    finally:
        for process in trial.running.values():
            process.kill()
    FILE.write_text("\n".join(trial.lines) + "\n")


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "cells").mkdir()
        call = f"import cluster; cluster.inside(cluster.Path({folder!r}))"
        return subprocess.run(
            ["unshare", "--map-root-user", "--mount", sys.executable, "-c", call], env=ENVIRONMENT
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
