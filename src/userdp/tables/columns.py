"""Checks of the tables that an experimenter or a curator holds: each error names column and row, no value."""

from array import array
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def columns_of(**columns: ArrayLike) -> list[NDArray]:
    """Return two named columns as arrays of objects of one length, each entry as it was given."""
    arrays = [column_of(name, values) for name, values in columns.items()]
    if len(arrays[0]) != len(arrays[1]):
        first, second = columns
        raise ValueError(f"{first} and {second} must have the same length, got {[*map(len, arrays)]}")
    return arrays


def column_of(name: str, values: ArrayLike) -> NDArray:
    """Return a named column as an array of objects, None where it is masked, or of integers if it is one."""
    whole = isinstance(values, np.ndarray) and values.dtype.kind == "i" and not np.ma.isMaskedArray(values)
    column = np.array(values, dtype=None if whole else object)
    if column.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {column.shape}")
    if column.size == 0:
        raise ValueError(f"{name} must not be empty, got shape (0,)")
    if np.ma.isMaskedArray(values):
        column[np.ma.getmaskarray(values)] = None
    return column


class Coded:
    """A column as whole numbers: its distinct entries, the row where each comes first, one number per row."""

    def __init__(self, entries: Iterable = ()) -> None:
        self.places: dict[tuple[type, Any], int] = {}
        self.rows, self.numbers = array("q"), array("q")
        for entry in entries:
            self.append(entry)

    def append(self, entry: Any) -> None:
        place = self.places.setdefault((type(entry), entry), len(self.places))
        if place == len(self.rows):
            self.rows.append(len(self.numbers))
        self.numbers.append(place)

    def entries(self) -> list[Any]:
        """Distinct entries, in the order of their first rows; 1, 1.0 and True are three."""
        return [entry for _, entry in self.places]

    def refuse(self, name: str, rule: str, faults: ArrayLike) -> None:
        """Raise ``ValueError`` naming the first row with one of the entries that are at fault."""
        refuse(name, rule, faults, self.rows)

    def put(self, values: list[int]) -> NDArray[np.int64]:
        """The value of each row, given that of each entry."""
        return np.array(values, dtype=np.int64)[np.frombuffer(self.numbers, dtype=np.int64)]


def is_integer(entry: Any) -> bool:
    """Whether an entry is a whole number that 64 bits hold."""
    number = isinstance(entry, (int, float, np.integer, np.floating)) and not isinstance(entry, bool)
    return number and -(2**63) <= entry < 2**63 and entry == int(entry)


def is_missing(label: Any) -> bool:
    """Whether a label is None, NaN (which differs from itself) or the empty string."""
    return label is None or label != label or label == ""


def refuse(name: str, rule: str, faults: ArrayLike, rows: Any = range(2**63 - 1)) -> None:
    """Raise ``ValueError`` naming the first row of a column that is at fault; the entry is private."""
    if np.any(faults):
        raise ValueError(f"{name} must {rule}: see row {rows[int(np.argmax(faults))]}")
