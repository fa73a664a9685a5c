import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_config

from userdp_papers.study.sweeps import power_law, seconds, stream, sweep


def draw(rng, theta, n):
    return theta + rng.standard_normal(), n


GRID = [{"theta": theta, "n": n} for theta in (0.0, 0.5) for n in (3, np.int64(4))]


@pytest.mark.slow
def test_workers_change_no_bit():
    one = sweep(draw, GRID, repetitions=3, seed=1, n_jobs=1)
    two = sweep(draw, GRID, repetitions=3, seed=1, n_jobs=2)
    assert np.array_equal(one, two)


def test_order_and_company_of_cells_change_no_bit():
    forward = sweep(draw, GRID, repetitions=2, seed=1)
    backward = sweep(draw, GRID[::-1], repetitions=2, seed=1)
    alone = sweep(draw, GRID[2:3], repetitions=2, seed=1)
    assert np.array_equal(forward, backward[::-1]) and np.array_equal(forward[2], alone[0])


def test_cells_seeds_and_replicates_have_streams_of_their_own():
    values = np.concatenate([c[:, 0] for s in (1, 2) for c in sweep(draw, GRID, repetitions=5, seed=s)])
    noise = np.concatenate([values[:10], values[10:20] - 0.5, values[20:30], values[30:] - 0.5])
    assert np.unique(np.round(noise, 12)).size == noise.size


def test_order_of_names_and_kind_of_number_do_not_matter():
    assert stream(1, a=1, b=2.5).random() == stream(np.int64(1), b=np.float64(2.5), a=np.int64(1)).random()


def test_a_cell_without_plain_content_is_named():
    with pytest.raises(ValueError, match="parameters must be numbers, strings, None or lists"):
        stream(1, law=object())


def test_repetitions_are_a_thousand_millions_at_most():
    assert sweep(draw, [], repetitions=10**9, seed=1) == []
    for repetitions in (0, 10**9 + 1):
        with pytest.raises(ValueError, match="repetitions must be"):
            sweep(draw, [], repetitions=repetitions, seed=1)


@pytest.mark.parametrize("most", [-(2**15), 2**15])
def test_workers_are_some_ten_thousands_at_most(most):
    assert sweep(draw, [], repetitions=1, seed=1, n_jobs=most) == []
    with pytest.raises(ValueError, match="n_jobs must be"):
        sweep(draw, [], repetitions=1, seed=1, n_jobs=most + (1 if most > 0 else -1))


def test_the_progress_bar_stays_out_of_files(capsys):
    sweep(draw, GRID, repetitions=1, seed=1)
    assert capsys.readouterr() == ("", "")


# a store: what an interruption leaves, and what the next run makes of it

DIES = """
import os, sys
from userdp_papers.study.sweeps import sweep
from test_sweep import GRID, draw

def dies_late(rng, theta, n):
    if (theta, n) == (0.5, 4):
        os._exit(9)  # as if the machine lost its power
    return draw(rng, theta, n)

dies_late.__module__, dies_late.__qualname__ = draw.__module__, draw.__qualname__
sweep(dies_late, GRID, repetitions=3, seed=1, store=sys.argv[1])
"""


def forbidden(rng, theta, n):
    raise AssertionError("this cell was stored and must not be computed again")


forbidden.__qualname__ = draw.__qualname__


def kept_in(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.slow
def test_a_killed_sweep_loses_no_finished_cell(tmp_path, root):
    folder = tmp_path / "cells"
    done = subprocess.run([sys.executable, "-c", DIES, folder], cwd=root / "tests" / "study")
    assert done.returncode == 9 and len(kept_in(folder)) == 3
    assert np.array_equal(
        sweep(forbidden, GRID[:3], repetitions=3, seed=1, store=folder),
        sweep(draw, GRID[:3], repetitions=3, seed=1),
    )
    resumed = sweep(draw, GRID, repetitions=3, seed=1, store=folder)
    assert np.array_equal(resumed, sweep(draw, GRID, repetitions=3, seed=1))
    assert len(kept_in(folder)) == 4


def test_a_cell_asked_for_again_is_not_computed_if_it_is_stored_by_now(tmp_path):
    """As when a scheduler loses the worker that held a result which the client has stored."""
    called = []

    def stores_all_meanwhile(rng, theta, n):
        called.append((theta, n))
        sweep(draw, GRID[1:], repetitions=3, seed=1, store=tmp_path)
        return draw(rng, theta, n)

    stores_all_meanwhile.__module__, stores_all_meanwhile.__qualname__ = draw.__module__, draw.__qualname__
    results = sweep(stores_all_meanwhile, GRID, repetitions=3, seed=1, store=tmp_path)
    assert len(called) == 3 and len(set(called)) == 1
    assert np.array_equal(results, sweep(draw, GRID, repetitions=3, seed=1))


def fails_at_four(rng, theta, n):
    if n == 4:
        raise RuntimeError("no such luck")
    return draw(rng, theta, n)


def test_a_full_disk_is_named_and_keeps_no_half_cell(tmp_path, monkeypatch):
    def fills_the_disk(file, **_):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", fills_the_disk)
    with pytest.raises(OSError, match=r"store: .*npz cannot be written: .*No space left on device"):
        sweep(draw, GRID, repetitions=3, seed=1, store=tmp_path)
    assert kept_in(tmp_path) == []


def test_an_error_in_one_cell_loses_none_of_the_others(tmp_path):
    with pytest.raises(RuntimeError, match="no such luck"):
        sweep(fails_at_four, GRID, repetitions=3, seed=1, store=tmp_path)
    assert len(kept_in(tmp_path)) == 1


@pytest.mark.parametrize("change", [{"seed": 2}, {"repetitions": 2}, {"function": fails_at_four}])
def test_another_sweep_does_not_take_the_stored_cells(tmp_path, change):
    settings = {"function": draw, "repetitions": 3, "seed": 1}
    sweep(grid=GRID[::2], store=tmp_path, **settings)
    other = sweep(grid=GRID[::2], store=tmp_path, **settings | change)
    assert np.array_equal(other, sweep(grid=GRID[::2], **settings | change))
    assert len(kept_in(tmp_path)) == 4


def test_a_file_that_is_not_a_cell_is_named(tmp_path):
    sweep(draw, GRID[:2], repetitions=1, seed=1, store=tmp_path)
    one, other = tmp_path.iterdir()
    one.write_bytes(other.read_bytes())
    with pytest.raises(ValueError, match=f"store: {one} belongs to another cell"):
        sweep(draw, GRID[:2], repetitions=1, seed=1, store=tmp_path)
    one.write_bytes(b"half")
    with pytest.raises(ValueError, match=f"store: {one} cannot be read, delete it"):
        sweep(draw, GRID[:2], repetitions=1, seed=1, store=tmp_path)


@pytest.mark.parametrize("nameless", [partial(draw), lambda rng, theta, n: 0.0])
def test_a_function_without_a_name_cannot_be_stored(tmp_path, nameless):
    with pytest.raises(ValueError, match="function must have a name under which its cells are stored"):
        sweep(nameless, GRID, repetitions=1, seed=1, store=tmp_path)


# a Dask cluster of two processes, by joblib's backend


@pytest.fixture(scope="module")
def cluster():
    from distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        yield client


@pytest.mark.slow
class TestDask:
    def test_same_bits(self, cluster):
        with parallel_config(backend="dask"):
            there = sweep(draw, GRID, repetitions=3, seed=1)
        assert np.array_equal(there, sweep(draw, GRID, repetitions=3, seed=1))

    def test_the_work_is_done_by_the_workers(self, cluster):
        with parallel_config(backend="dask"):
            found = sweep(where, [{"i": i} for i in range(8)], repetitions=1, seed=1)
        workers = {worker["pid"] for worker in cluster.run(lambda: {"pid": os.getpid()}).values()}
        assert {int(pid) for pid in np.ravel(found)} <= workers

    def test_a_lost_worker_changes_no_bit(self, cluster, tmp_path):
        grid = [{"i": i, "folder": str(tmp_path)} for i in range(12)]
        with parallel_config(backend="dask"):
            there = sweep(loses_its_worker, grid, repetitions=2, seed=1, store=tmp_path / "cells")
        assert (tmp_path / "died").is_file() and len(kept_in(tmp_path / "cells")) == len(grid)
        assert np.array_equal(there, sweep(loses_its_worker, grid, repetitions=2, seed=1))


def where(rng, i):
    return os.getpid()


def loses_its_worker(rng, i, folder):
    """Kill the process that runs the sixth cell, the first time."""
    if i == 5 and not (mark := Path(folder) / "died").exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return rng.standard_normal()


def test_a_power_law_is_found_within_its_error():
    x, rng = np.array([1.0, 2, 5, 10, 30]), stream(3)
    exact, errors = 7 * x**-2, 0.01 * x**-2 * [1, 2, 3, 2, 1]
    assert np.isclose(power_law(x, exact, errors)[0], -2, rtol=1e-12)
    fits = np.array([power_law(x, exact + errors * rng.standard_normal(5), errors) for _ in range(2000)])
    scaled = (fits[:, 0] + 2) / fits[:, 1]
    # mean and spread of 2000 standard normal variables; five standard deviations of each
    assert abs(scaled.mean()) < 5 / 2000**0.5 and abs(scaled.std() - 1) < 5 / 4000**0.5


def test_seconds_count_the_repeats_and_not_the_first_call():
    calls = []
    assert seconds(lambda: calls.append(1), 3) >= 0.0
    assert len(calls) == 4
    assert seconds(lambda: calls.append(1), 1000) >= 0.0
    assert len(calls) == 1005
