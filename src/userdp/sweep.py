"""Replicates over a grid of parameters.

The random stream of a cell is derived from the content of its parameters and one seed, so that
reordering the grid, adding cells or changing the number of workers changes no number.
"""

import hashlib
import json
from functools import partial

import numpy as np
from joblib import Parallel, delayed
from tqdm import tqdm

from userdp import _validate
from userdp.cell_store import CellStore


def stream(seed, **parameters):
    """Return the generator of one cell, a function of `seed` and of the cell's parameters alone.

    Parameters
    ----------
    seed : int
        Seed of the whole sweep, at least 0.
    **parameters
        The cell: numbers, strings, None, and lists of them; the order of names does not matter.

    Returns
    -------
    numpy.random.Generator
        A generator of its own.
    """
    _validate.integer(0, seed=seed)
    digest = hashlib.sha256(_plain_text(parameters).encode()).digest()
    return np.random.default_rng([int(seed), *np.frombuffer(digest, dtype=np.uint32).tolist()])


def _plain(value):
    if isinstance(value, np.generic):
        return value.item()
    raise ValueError(f"parameters must be numbers, strings, None or lists of them, got {value!r}")


def sweep(function, grid, *, repetitions, seed, n_jobs=1, store=None):
    """Run `function` `repetitions` times in every cell of `grid`.

    Parameters
    ----------
    function : callable
        Called as ``function(rng=generator, **parameters)``; returns a number, or an array or tuple of the
        same shape each time. It must be importable or a notebook's own function.
    grid : iterable of dict
        Parameters of each cell: numbers, strings, None or lists of them.
    repetitions : int
        Replicates a cell, at least 1.
    seed : int
        Seed of the whole sweep, at least 0.
    n_jobs : int
        Workers; -1 for one a processor. The numbers do not depend on it. Within
        ``joblib.parallel_config`` the work goes to that backend, such as a Dask cluster.
    store : path, optional
        Folder in which each cell is kept as soon as it is finished. The same sweep started again takes
        what it finds there and computes the rest; the numbers do not depend on it. The code of `function`
        is not looked at: whoever changes it takes another folder.

    Returns
    -------
    list of ndarray, each of shape (repetitions, ...)
        Results in the order of `grid`.

    Raises
    ------
    ValueError
        If `repetitions` or `seed` is out of range, a parameter has no plain content, a function to be
        stored has no name, or a stored file cannot be read.
    """
    _validate.integer(1, repetitions=repetitions)
    _validate.integer(0, seed=seed)
    grid = list(grid)
    kept = None if store is None else CellStore(store, function, partial(_content, repetitions, seed))
    results = [kept and kept.read(cell) for cell in grid]
    missing = [i for i, result in enumerate(results) if result is None]
    tasks = (delayed(_cell)(i, function, grid[i], repetitions, seed) for i in missing)
    finished = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(tasks)
    # a bar in a terminal; nothing where the standard error is not one
    bar = tqdm(finished, initial=len(grid) - len(missing), total=len(grid), unit="cell", disable=None)
    for i, result in bar:
        results[i] = result
        if kept:
            kept.write(grid[i], result)
    return results


def _cell(i, function, parameters, repetitions, seed):
    """Return the cell's place in the grid and its results, which may come in any order."""
    rng = stream(seed, **parameters)
    return i, np.array([function(rng=rng, **parameters) for _ in range(repetitions)])


def _content(repetitions, seed, parameters):
    return f"{repetitions} {int(seed)} {_plain_text(parameters)}"


def _plain_text(parameters):
    return json.dumps(parameters, sort_keys=True, default=_plain)
