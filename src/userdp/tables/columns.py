"""Checks of the tables that an experimenter or a curator holds: each error names column, value and row."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def columns_of(**columns: ArrayLike) -> list[NDArray]:
    """Return two named columns as arrays of objects of one length, each entry as it was given."""
    arrays = [column_of(name, values) for name, values in columns.items()]
    if len(arrays[0]) != len(arrays[1]):
        first, second = columns
        lengths = f"{len(arrays[0])} and {len(arrays[1])}"
        raise ValueError(f"{first} and {second} must have the same length, got {lengths}")
    return arrays


def column_of(name: str, values: ArrayLike) -> NDArray:
    """Return a named column as an array of objects, or of integers where it is one already."""
    column = np.asarray(values, dtype=object)
    if isinstance(values, np.ndarray) and values.dtype.kind == "i":
        column = values
    if column.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {column.shape}")
    if column.size == 0:
        raise ValueError(f"{name} must not be empty, got shape (0,)")
    return column


def integers(name: str, column: NDArray) -> NDArray[np.int64]:
    """Return a column as 64-bit integers, or raise naming the first entry that is none."""
    if column.dtype == object:
        refuse(name, "be 64-bit integers", column, [not is_integer(entry) for entry in column])
    return column.astype(np.int64)


def is_integer(entry: Any) -> bool:
    """Whether an entry is a whole number that 64 bits hold."""
    number = isinstance(entry, (int, float, np.integer, np.floating)) and not isinstance(entry, bool)
    return number and -(2**63) <= entry < 2**63 and entry == int(entry)


def missing(label: Any) -> bool:
    """Whether a label is None, NaN (which differs from itself) or the empty string."""
    return label is None or label != label or label == ""


def refuse(name: str, rule: str, column: NDArray, faults: ArrayLike) -> None:
    """Raise ``ValueError`` naming the first entry of a column that is at fault, and its row."""
    faults = np.asarray(faults)
    if faults.any():
        row = int(np.argmax(faults))
        raise ValueError(f"{name} must {rule}, got {column.tolist()[row]!r} in row {row}")
