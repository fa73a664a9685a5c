"""Repeated experiments over a grid of parameters.

Each cell of the grid has a random stream of its own, derived from its parameters and one seed. The numbers
therefore do not change when the grid is reordered, cells are added or more workers compute them.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import process_time
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray

from userdp import _validate
from userdp._public import checked

try:
    from tqdm import tqdm
except ModuleNotFoundError:  # a browser has no terminal to draw a bar in

    def tqdm(iterable: Iterable, **_: Any) -> Iterable:
        return iterable


__all__ = ["stream", "sweep", "power_law", "seconds"]

Cell = dict[str, Any]


class CellStore:
    """A folder with one file for each finished cell, named after all that determines its numbers.

    The code of the function is not part of the name: if you change it, take another folder.

    Parameters
    ----------
    folder
        Made if it is not there. Several sweeps may share it.
    function
        The function of the sweep; it must have a module and a name.
    repetitions, seed
        Those of the sweep.
    """

    def __init__(self, folder: str | Path, function: Callable, repetitions: int, seed: int) -> None:
        name = getattr(function, "__qualname__", "<lambda>")
        if "<lambda>" in name:
            raise ValueError(f"function must have a name under which its cells are stored, got {function!r}")
        self.folder = Path(folder).absolute()
        self.sweep = f"{function.__module__}.{name} {repetitions} {int(seed)}"
        self.folder.mkdir(parents=True, exist_ok=True)

    def read(self, cell: Cell) -> NDArray | None:
        """Return the result of a cell, or None if it is not there."""
        path, content = self._place(cell)
        if not path.is_file():
            return None
        try:
            with np.load(path, allow_pickle=False) as file:
                stored, result = str(file["content"]), file["result"]
        except Exception as error:
            raise ValueError(f"store: {path} cannot be read, delete it to go on: {error}") from error
        if stored != content:
            raise ValueError(f"store: {path} belongs to another cell, {stored}")
        return result

    def write(self, cell: Cell, result: NDArray) -> None:
        """Keep the result of a cell: whole or not at all, whenever the process ends."""
        path, content = self._place(cell)
        file = NamedTemporaryFile(dir=self.folder, suffix=".part", delete=False)  # noqa: SIM115
        try:
            with file:
                np.savez(file, content=content, result=result)
        except OSError as error:  # a full disk, perhaps only when closing: leave no half cell on it
            Path(file.name).unlink()
            raise OSError(f"store: {path} cannot be written: {error}") from error
        Path(file.name).replace(path)

    def _place(self, cell: Cell) -> tuple[Path, str]:
        content = f"{self.sweep} {_plain_text(cell)}"
        return self.folder / f"{hashlib.sha256(content.encode()).hexdigest()[:32]}.npz", content


def stream(seed: int, **parameters: Any) -> np.random.Generator:
    """Return the random generator of one cell, which depends on `seed` and the cell's parameters alone.

    Parameters
    ----------
    seed
        Seed of the whole sweep, at least 0.
    **parameters
        The cell: numbers, strings, None, and lists of them; the order of names does not matter. The last bits
        of powers and logarithms depend on the processor, and a stream on all bits: round such numbers.

    Examples
    --------
    >>> stream(1, n=100, epsilon=0.5).integers(10, size=3)
    array([0, 8, 3])
    """
    _validate.integer(0, seed=seed)
    digest = hashlib.sha256(_plain_text(parameters).encode()).digest()
    return np.random.default_rng([int(seed), *np.frombuffer(digest, dtype=np.uint32).tolist()])


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise ValueError(f"parameters must be numbers, strings, None or lists of them, got {value!r}")


def sweep(
    function: Callable, grid: Iterable, *, repetitions: int, seed: int, n_jobs: int = 1, store: Any = None
) -> list[NDArray]:
    """Run an experiment several times in every cell of a grid.

    Parameters
    ----------
    function
        Called as ``function(rng=generator, **parameters)``; returns a number, or an array or tuple of the
        same shape each time. It must be importable or a notebook's own function.
    grid
        Parameters of each cell: numbers, strings, None or lists of them.
    repetitions
        Replicates per cell, at least 1.
    seed
        Seed of the whole sweep, at least 0.
    n_jobs
        Workers; -1 for one a processor. The numbers do not depend on it. Within
        ``joblib.parallel_config`` the work goes to that backend, such as a Dask cluster.
    store
        Folder in which each cell is kept as soon as it is finished. The same sweep started again takes
        what it finds there and computes the rest; the numbers do not depend on it. Workers that see the
        folder look there too, should a cell be asked for twice. The code of `function` is not looked at: if
        you change it, take another folder.

    Returns
    -------
    list of ndarray
        For each cell, in the order of `grid`, its results along the first axis.

    Examples
    --------
    >>> def average(rng, n):
    ...     return rng.random(n).mean()
    >>> grid = [{"n": 10}, {"n": 1000}]
    >>> few, many = sweep(average, grid, repetitions=200, seed=1)
    >>> few.shape, bool(few.std() > 5 * many.std())
    ((200,), True)
    """
    _validate.integer(1, 10**9, repetitions=repetitions)
    _validate.integer(0, seed=seed)
    _validate.integer(-(2**15), 2**15, n_jobs=n_jobs)
    grid = list(grid)
    kept = None if store is None else CellStore(store, function, repetitions, seed)
    results: list[Any] = [kept and kept.read(cell) for cell in grid]
    missing = [i for i, result in enumerate(results) if result is None]
    tasks = (delayed(_cell)(i, function, grid[i], repetitions, seed, kept) for i in missing)
    finished = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(tasks)
    # a bar in a terminal; nothing where the standard error is not one
    bar = tqdm(finished, initial=len(grid) - len(missing), total=len(grid), unit="cell", disable=None)
    for i, result in bar:
        results[i] = result
        if kept:
            kept.write(grid[i], result)
    return results


def _cell(
    i: int, function: Callable, parameters: Cell, repetitions: int, seed: int, kept: CellStore | None
) -> tuple[int, NDArray]:
    """Return the cell's place in the grid and its results, which may come in any order."""
    # A scheduler that loses a worker asks again for what that one held, though it may be stored by now.
    if kept is not None and (stored := kept.read(parameters)) is not None:
        return i, stored
    rng = stream(seed, **parameters)
    return i, np.array([function(rng=rng, **parameters) for _ in range(int(repetitions))])


def _plain_text(parameters: Cell) -> str:
    return json.dumps(parameters, sort_keys=True, default=_plain)


@checked
def power_law(x: ArrayLike, values: ArrayLike, errors: ArrayLike) -> tuple[float, float]:
    """Fit the exponent of a power law by weighted least squares of logarithms.

    Parameters
    ----------
    x
        Where the values were measured, positive.
    values
        What was measured, positive.
    errors
        Standard errors of the values; all three arrays have one shape.

    Returns
    -------
    exponent : float
        Slope of the logarithm of the values in that of `x`.
    error : float
        Its standard error.

    Examples
    --------
    >>> values, errors = [3, 0.3, 0.03], [0.3, 0.03, 0.003]
    >>> exponent, error = power_law([1, 10, 100], values, errors)
    >>> round(float(exponent), 6)
    -1.0
    """
    x, values, errors = map(np.asarray, (x, values, errors))
    weights = (values / errors) ** 2
    centred = np.log(x) - np.average(np.log(x), weights=weights)
    scale = np.sum(weights * centred**2)
    return np.sum(weights * centred * np.log(values)) / scale, scale**-0.5


@checked
def seconds(action: Callable[[], Any], repeats: int = 1) -> float:
    """Measure the CPU seconds of a call.

    Parameters
    ----------
    action
        What is called, without arguments.
    repeats
        Calls over which the time is averaged, after a first one that compiles and fills caches.

    Returns
    -------
    float
        Seconds per call.
    """
    _validate.integer(1, 10**6, repeats=repeats)
    action()
    start = process_time()
    for _ in range(int(repeats)):
        action()
    return (process_time() - start) / repeats
