"""Checks of the tables that an experimenter or a curator holds: each error names column, value and row."""

import numpy as np


def agree(file, found, expected):
    """Raise ``ValueError`` unless a file's SHA-256 is the expected one."""
    if found != str(expected).lower():
        raise ValueError(f"{file} must have SHA-256 {expected}, got {found}")


def columns_of(**columns):
    """Return two named columns as arrays of objects of one length, each entry as it was given."""
    arrays = [column_of(name, values) for name, values in columns.items()]
    if len(arrays[0]) != len(arrays[1]):
        first, second = columns
        lengths = f"{len(arrays[0])} and {len(arrays[1])}"
        raise ValueError(f"{first} and {second} must have the same length, got {lengths}")
    return arrays


def column_of(name, values):
    """Return a named column as an array of objects, or of integers where it is one already."""
    whole = isinstance(values, np.ndarray) and values.dtype.kind == "i"
    column = values if whole else np.asarray(values, dtype=object)
    if column.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {column.shape}")
    if column.size == 0:
        raise ValueError(f"{name} must not be empty, got shape (0,)")
    return column


def integers(name, column):
    """Return a column as 64-bit integers, or raise naming the first entry that is none."""
    if column.dtype == object:
        refuse(name, "be 64-bit integers", column, [not is_integer(entry) for entry in column])
    return column.astype(np.int64)


def is_integer(entry):
    """Whether an entry is a whole number that 64 bits hold."""
    number = isinstance(entry, (int, float, np.integer, np.floating)) and not isinstance(entry, bool)
    return number and -(2**63) <= entry < 2**63 and entry == int(entry)


def missing(label):
    """Whether a label is None, NaN (which differs from itself) or the empty string."""
    return label is None or label != label or label == ""


def refuse(name, rule, column, faults):
    """Raise ``ValueError`` naming the first entry of a column that is at fault, and its row."""
    faults = np.asarray(faults)
    if faults.any():
        row = int(np.argmax(faults))
        raise ValueError(f"{name} must {rule}, got {column.tolist()[row]!r} in row {row}")
