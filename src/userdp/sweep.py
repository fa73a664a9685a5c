"""Replicates over a grid of parameters.

The random stream of a cell is derived from the content of its parameters and one seed, so that
reordering the grid, adding cells or changing the number of workers changes no number.
"""

import hashlib
import json

import numpy as np
from joblib import Parallel, delayed
from tqdm import tqdm

from userdp import _validate


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
    content = json.dumps(parameters, sort_keys=True, default=_plain)
    digest = hashlib.sha256(content.encode()).digest()
    return np.random.default_rng([int(seed), *np.frombuffer(digest, dtype=np.uint32).tolist()])


def _plain(value):
    if isinstance(value, np.generic):
        return value.item()
    raise ValueError(f"parameters must be numbers, strings, None or lists of them, got {value!r}")


def _cell(function, parameters, repetitions, seed):
    rng = stream(seed, **parameters)
    return np.array([function(rng=rng, **parameters) for _ in range(repetitions)])


def sweep(function, grid, *, repetitions, seed, n_jobs=1):
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
        ``joblib.parallel_config`` the work goes to that backend.

    Returns
    -------
    list of ndarray, each of shape (repetitions, ...)
        Results in the order of `grid`.

    Raises
    ------
    ValueError
        If `repetitions` or `seed` is out of range or a parameter has no plain content.
    """
    _validate.integer(1, repetitions=repetitions)
    grid = list(grid)
    tasks = (delayed(_cell)(function, cell, repetitions, seed) for cell in grid)
    finished = Parallel(n_jobs=n_jobs, return_as="generator")(tasks)
    # a bar in a terminal; nothing where the standard error is not one
    return list(tqdm(finished, total=len(grid), unit="cell", disable=None))
