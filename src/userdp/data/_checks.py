"""Checks of the tables that an experimenter or a curator holds: each error names column, value and row."""

import hashlib
import lzma
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FOLDER = Path(__file__).parent


def packaged(file: str, folder: Path = FOLDER) -> list[str]:
    """Return the lines of a packaged table, perhaps compressed, after the check of its sum."""
    packed = folder / f"{file}.xz"
    content = lzma.decompress(packed.read_bytes()) if packed.is_file() else (folder / file).read_bytes()
    agree(file, hashlib.sha256(content).hexdigest(), recorded(file, folder))
    return content.decode().splitlines()


def recorded(file: str, folder: Path = FOLDER) -> str | None:
    """Return the SHA-256 of a packaged table that is on record."""
    lines = (folder / "SHA256SUMS").read_text(encoding="ascii").splitlines()
    return {name: digest for digest, name in map(str.split, lines)}.get(file)


def digest_of(path: str | PathLike, algorithm: str) -> str:
    """Hexadecimal digest of a file, read in pieces."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


def agree(file: str | PathLike, found: str, expected: str | None, kind: str = "SHA-256") -> None:
    """Raise ``ValueError`` unless a file's digest is the expected one."""
    if found != str(expected).lower():
        raise ValueError(f"{file} must have {kind} {expected}, got {found}")


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
