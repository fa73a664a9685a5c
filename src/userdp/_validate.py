"""Checks of public parameters: each error names the parameter and the value.

Of users' data only type and shape are looked at, by `column` and `table`: a randomiser projects the
values instead, because an exception is an output and leaks.
"""

import math
import numbers
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from userdp._types import Domain

# exp(710) is no finite number; below 1e-6 what a report says is lost in the rounding in the sum of 1e9
BUDGETS = 1e-6, 700.0
# what stands in one array, a number for each: 80 MB, of which a few are held at once
LISTED = 10**7


def is_finite(value: Any) -> bool:
    """Whether a value is a real number that a float can hold."""
    # the most common type, then others that are: whether another is Real takes a search
    if type(value) is float:
        return math.isfinite(value)
    if isinstance(value, bool) or not isinstance(value, (float, int, numbers.Real)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond all floats
        return False


def _numbers(parameters: dict[str, float]) -> Iterator[tuple[str, float]]:
    for name, value in parameters.items():
        if not is_finite(value):
            raise ValueError(f"{name} must be a finite number, got {value!r}")
        yield name, value


def positive(**parameters: float) -> None:
    """Raise ``ValueError`` unless every parameter is a finite number above zero."""
    for name, value in _numbers(parameters):
        if not value > 0:
            raise ValueError(f"{name} must be positive, got {value!r}")


def in_range(low: float, high: float, /, **parameters: float) -> None:
    """Raise ``ValueError`` unless every parameter is a finite number in ``[low, high]``."""
    for name, value in _numbers(parameters):
        if not low <= value <= high:
            raise ValueError(f"{name} must be in [{low}, {high}], got {value!r}")


def inside(low: float, high: float, /, **parameters: float) -> None:
    """Raise ``ValueError`` unless every parameter is a number strictly between `low` and `high`."""
    for name, value in _numbers(parameters):
        if not low < value < high:
            raise ValueError(f"{name} must be strictly between {low} and {high}, got {value!r}")


def integer(minimum: int, most: float = math.inf, /, **parameters: float) -> None:
    """Raise ``ValueError`` unless every parameter is a whole number from `minimum` to `most`."""
    for name, value in _numbers(parameters):
        if value != int(value) or value < minimum:
            raise ValueError(f"{name} must be a whole number of at least {minimum}, got {value!r}")
        if value > most:
            in_range(minimum, most, **{name: value})


def budget(**parameters: float) -> None:
    """Raise ``ValueError`` unless every privacy budget is positive and within `BUDGETS`."""
    positive(**parameters)
    in_range(*BUDGETS, **parameters)


def generator(**parameters: object) -> None:
    """Raise ``TypeError`` unless every parameter is a numpy Generator."""
    for name, value in parameters.items():
        if not isinstance(value, np.random.Generator):
            raise TypeError(f"{name} must be a numpy.random.Generator, got {value!r}")


def one_of(allowed: Iterable[object], /, **parameters: object) -> None:
    """Raise ``ValueError`` unless every parameter is one of the `allowed` values."""
    for name, value in parameters.items():
        if value not in allowed:
            raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")


def ordered(**parameters: float) -> None:
    """Raise ``ValueError`` unless the two parameters are finite and strictly increasing."""
    (low_name, low), (high_name, high) = _numbers(parameters)
    if not low < high:
        raise ValueError(f"{low_name} must be below {high_name}, got {low!r} and {high!r}")


def domain(ends: Domain) -> None:
    """Raise ``ValueError`` unless the ends of a domain are finite and strictly increasing."""
    ordered(**{"domain[0]": ends[0], "domain[1]": ends[1]})


def exceeds_one(formula: str, value: float, use: str = "") -> float:
    """Return `value`, of which a logarithm is to be taken, or raise ``ValueError`` if it is at most 1."""
    if value <= 1:
        raise ValueError(f"{formula} must exceed 1{use}, got {value!r}")
    return value


# --- arrays: each takes one parameter by its name and returns it as an array --------------------------
def vector(
    low: float = -math.inf,
    high: float = math.inf,
    /,
    *,
    least: int = 1,
    increasing: bool = False,
    **parameter: ArrayLike,
) -> NDArray[np.float64]:
    """Return a parameter as finite floats in ``[low, high]``, shape (k,), k at least `least`, or raise."""
    ((name, value),) = parameter.items()
    array = _one_dimensional(name, np.asarray(value, dtype=float), least)
    bad = ~(np.isfinite(array) & (low <= array) & (array <= high))
    if bad.any():
        raise ValueError(f"{name} must hold numbers in [{low}, {high}], got {array[bad][0]}")
    return _increasing(name, array) if increasing else array


def whole_numbers(
    low: int, /, *, least: int = 1, increasing: bool = False, **parameter: ArrayLike
) -> NDArray[np.int64]:
    """Return a parameter as integers of at least `low`, shape (k,), k at least `least`, or raise."""
    ((name, value),) = parameter.items()
    array = _one_dimensional(name, np.asarray(value), least)
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} must be whole numbers, got {value!r}")
    if array.size and array.min() < low:
        raise ValueError(f"{name} must be at least {low}, got {array.min()} at place {array.argmin()}")
    return (_increasing(name, array) if increasing else array).astype(np.int64, copy=False)


def table(**parameter: ArrayLike) -> NDArray[np.float64]:
    """Return a parameter as floats of shape (n, d), d at least 1, or raise; its entries may be anything."""
    ((name, value),) = parameter.items()
    array = np.asarray(value, dtype=float)
    if array.ndim != 2 or array.shape[1] < 1:
        raise ValueError(f"{name} must have shape (n, d) with d at least 1, got {array.shape}")
    return array


def column(**data: ArrayLike) -> NDArray:
    """Return data of users as floats of shape (n,), or raise; the entries may be anything."""
    ((name, value),) = data.items()
    array = np.asarray(value, dtype=float)
    if array.ndim != 1:
        raise ValueError(f"{name} must have shape (n,), got {array.shape}")
    return array


def positive_arrays(**parameters: ArrayLike) -> list[NDArray[np.float64]]:
    """Return parameters as finite positive floats, numbers or arrays of any shape, or raise."""
    arrays = [np.asarray(value, dtype=float)[()] for value in parameters.values()]
    for name, array in zip(parameters, arrays, strict=True):
        bad = ~(np.isfinite(array) & (array > 0))
        if bad.any():
            raise ValueError(f"{name} must be positive and finite, got {float(array[bad][0])!r}")
    return arrays


def locked(array: NDArray) -> NDArray:
    """Return an array, read-only: what is kept is the same for whoever asks next."""
    array.flags.writeable = False
    return array


def _one_dimensional(name: str, array: NDArray, least: int) -> NDArray:
    if array.ndim != 1 or array.size < least:
        raise ValueError(f"{name} must have shape (k,) with k at least {least}, got {array.shape}")
    return array


def _increasing(name: str, array: NDArray) -> NDArray:
    if (np.diff(array) <= 0).any():
        raise ValueError(f"{name} must be strictly increasing, got {array!r}")
    return array
