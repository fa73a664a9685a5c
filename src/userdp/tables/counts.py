"""From records of a user and an item to a matrix of counts, one row per user.

A table with a fault is refused. The error names the column and the row, counted from 0 without the header,
but no value. It still reveals that there is a fault, and where: do not publish the message.
"""

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse

from userdp import _validate
from userdp._public import checked
from userdp.tables.columns import Coded, column_of, columns_of, is_integer, is_missing

__all__ = ["ItemCounts", "count_table", "from_csv"]

_WHOLE = re.compile(r"[+-]?[0-9]+(\.0*)?")  # 3 and 3.0, not 1_000 or 1e3
# counts are summed as floating-point numbers later; below this they stay exact
_LARGEST_TOTAL = 2**53


@dataclass(frozen=True, eq=False)
class ItemCounts:
    """How often each of n users holds each of d items.

    Parameters
    ----------
    name
        What the table is, for captions.
    items : tuple, length d
        Label of each item.
    counts : array_like or scipy.sparse array of int, shape (n, d)
        One row per user, at least one; a row of zeros is a user without a record. The array is copied, and
        kept sparse and read-only.
    labels : tuple, length n, optional
        Label of each user, where the table keeps them.

    Examples
    --------
    >>> visits = ItemCounts("visits", ("x", "y"), [[0, 1], [2, 0], [1, 1]])
    >>> visits.users, visits.sizes, visits.totals
    (3, array([1, 2, 2]), array([3, 2]))
    """

    name: str
    items: tuple
    counts: csr_array
    labels: tuple | None = None

    def __post_init__(self) -> None:
        # in eight bytes before entries of one cell are added up
        given = self.counts if issparse(self.counts) else np.asarray(self.counts)
        given, d = csr_array(given.astype(np.result_type(given.dtype, np.int64)), copy=True), len(self.items)
        if given.ndim != 2 or given.shape[0] < 1 or given.shape[1] != d:
            raise ValueError(f"counts must have shape (n, {d}), n at least 1, got {given.shape}")
        faults = given.data[~(given.data >= 0) | (given.data % 1 != 0)]
        if faults.size:
            raise ValueError(f"counts must be whole numbers of at least 0, got others in {faults.size} cells")
        if self.labels is not None and len(self.labels) != given.shape[0]:
            raise ValueError(f"labels must be one a user, {given.shape[0]}, got {len(self.labels)}")
        counts = given.astype(np.int64)
        counts.sum_duplicates()
        counts.eliminate_zeros()
        for part in (counts.data, counts.indices, counts.indptr):
            _validate.locked(part)
        object.__setattr__(self, "items", tuple(self.items))
        object.__setattr__(self, "counts", counts)

    def __reduce__(self) -> tuple:
        return ItemCounts, (self.name, self.items, self.counts, self.labels)  # checked and locked again

    @property
    def users(self) -> int:
        """Number of users."""
        return self.counts.shape[0]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of records of each user."""
        return self.counts.sum(axis=1)

    @property
    def distinct(self) -> NDArray[np.int64]:
        """Number of different items of each user."""
        return np.diff(self.counts.indptr)

    @property
    def totals(self) -> NDArray[np.int64]:
        """Number of records of each item."""
        return self.counts.sum(axis=0)

    @checked
    def top(self, d: int) -> "ItemCounts":
        """Keep the `d` items with the most records, and all users, also those who hold none of them.

        The items come in descending order of their totals, equal ones in the order of the table. The choice
        looks at the data and is not private.
        """
        _validate.integer(1, len(self.items), d=d)
        kept = np.argsort(-self.totals, kind="stable")[: int(d)]
        items = tuple(self.items[j] for j in kept)
        return ItemCounts(f"{self.name}, top {d}", items, self.counts[:, kept], self.labels)


def count_table(
    users: ArrayLike,
    items: ArrayLike,
    counts: ArrayLike | None = None,
    *,
    domain: Iterable | None = None,
    name: str = "counts",
) -> ItemCounts:
    """Count records by user and item.

    Parameters
    ----------
    users : array_like, shape (records,)
        Label of the user of each record: all strings or all whole numbers.
        None, NaN, an empty string and white space at the ends of a string are refused.
    items : array_like, shape (records,)
        Label of the item of each record, of the same kinds.
    counts : array_like of int, shape (records,), optional
        How often the user holds the item in this record, at least 0; by default once.
        Several records of one user and item add up; one that counts 0 only says that the user exists.
    domain
        The items, if they are known without looking at the data; the columns of the result have this order,
        and a record of another item is refused. By default the items are those that somebody holds, and which
        these are is private.
    name
        What the table is, for captions.

    Returns
    -------
    ItemCounts
        At least two users, sorted by label, so that their order says nothing about the order of the records.

    Examples
    --------
    >>> count_table(["b", "a", "b"], ["x", "y", "x"]).counts.toarray()
    array([[0, 1],
           [2, 0]])
    """
    columns = columns_of(users=users, items=items)
    columns += [] if counts is None else columns_of(users=users, counts=counts)[1:]
    coded = [Coded(column.tolist()) for column in columns]
    return _count_table(name, ("users", "items", "counts"), coded, domain)


def from_csv(
    path: str | PathLike, *, user: str, item: str, count: str | None = None, domain: Iterable | None = None
) -> ItemCounts:
    """Count the lines of a CSV file by user and item.

    Parameters
    ----------
    path
        The file, comma-separated text in UTF-8: a header, then one record per line. Blank lines are skipped.
    user
        Name of the column that holds the users; labels are text, even if they look like numbers.
    item
        Name of the column that holds the items.
    count
        Name of the column that holds the counts; by default a line counts once.
    domain
        The items, if they are known without looking at the data; by default those that somebody holds.

    Returns
    -------
    ItemCounts
        What `count_table` makes of the lines; its name is the path.

    Raises
    ------
    ValueError
        If the file is not well-formed or `count_table` refuses the table; columns go by their names in the
        file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "visits.csv")
    ...     size = file.write_text("who,page\\na,x\\nb,y\\na,x\\n")
    ...     visits = from_csv(file, user="who", item="page")
    >>> visits.items, visits.counts.toarray().tolist()
    (('x', 'y'), [[2, 0], [0, 1]])
    """
    names = [user, item] if count is None else [user, item, count]
    if len(set(names)) < len(names):
        raise ValueError(f"user, item and count must be different columns, got {names}")
    return _count_table(str(path), (user, item, count or "counts"), _read_columns(path, names), domain)


def _count_table(
    name: str, names: Sequence[str], columns: list[Coded], domain: Iterable | None
) -> ItemCounts:
    """From users, items and perhaps counts, each with the name under which errors speak of it."""
    (user, item, count), (who, what, *given) = names, columns
    held_by, held = _labels(user, who), _labels(item, what)
    weights = _counts(count, *given) if given else np.ones(len(who.numbers), np.int64)
    rows = {label: row for row, label in enumerate(sorted(set(held_by)))}
    if len(rows) < 2:
        raise ValueError(f"{user} must name at least two users, got one")
    if domain is None:
        used = what.put([*range(len(held))])[weights > 0]
        places = {label: place for place, label in enumerate(sorted({held[one] for one in np.unique(used)}))}
    else:
        places = _domain(domain)
        what.refuse(item, "be in the public domain", [label not in places for label in held])
    if not places:
        raise ValueError(f"{count} must not all be 0 unless a domain is given")
    at = who.put([rows[label] for label in held_by]), what.put([places.get(label, 0) for label in held])
    table = csr_array((weights, at), shape=(len(rows), len(places)))
    return ItemCounts(name, tuple(places), table, tuple(rows))


def _counts(name: str, given: Coded) -> NDArray[np.int64]:
    """Counts, from whole numbers or from texts of such."""
    entries = given.entries()
    given.refuse(name, "be present", [entry == "" for entry in entries])
    if all(isinstance(entry, str) for entry in entries):
        given.refuse(name, "be whole numbers", [not _WHOLE.fullmatch(entry) for entry in entries])
        entries = [int(entry.partition(".")[0]) for entry in entries]
    given.refuse(name, "be 64-bit integers", [not is_integer(entry) for entry in entries])
    given.refuse(name, "not be negative", [entry < 0 for entry in entries])
    weights = given.put(entries)
    if weights.sum(dtype=float) >= _LARGEST_TOTAL:
        raise ValueError(f"{name} must add up to less than 2**53")
    return weights


def _labels(name: str, column: Coded) -> list[Any]:
    """Return distinct labels as plain strings or whole numbers, all of one kind."""
    labels = column.entries()
    column.refuse(name, "be present", [is_missing(label) for label in labels])
    text = isinstance(labels[0], str)
    good = [isinstance(label, str) if text else is_integer(label) for label in labels]
    column.refuse(name, "be all text or all whole numbers", np.logical_not(good))
    if text:
        column.refuse(name, "have no white space at its ends", [one != one.strip() for one in labels])
    return [str(label) if text else int(label) for label in labels]


def _domain(domain: Iterable) -> dict[Any, int]:
    """Return the domain as a dict from item to column, in the given order."""
    if isinstance(domain, str):
        raise ValueError(f"domain must be a sequence of labels, got {domain!r}")
    given = column_of("domain", list(domain)).tolist()
    labels = _labels("domain", Coded(given))
    if len(set(labels)) < len(given):
        raise ValueError(f"domain must name each item once, got {len(given)} labels of {len(set(labels))}")
    return {label: place for place, label in enumerate(labels)}


def _read_columns(path: str | PathLike, names: list[str]) -> list[Coded]:
    """Return the named columns of a CSV file, of which no line is kept."""
    columns = [Coded() for _ in names]
    with open(path, encoding="utf-8-sig", newline="") as file:
        lines = (line for line in csv.reader(file, strict=True) if line)
        try:
            header = next(lines, [])
            for name in names:
                if header.count(name) != 1:
                    raise ValueError(f"{path} must have the column {name!r} once, got the columns {header}")
            positions = [header.index(name) for name in names]
            for row, line in enumerate(lines):
                if len(line) != len(header):
                    raise ValueError(f"{path} must have {len(header)} fields a line: see row {row}")
                for column, position in zip(columns, positions, strict=True):
                    column.append(line[position])
        except (csv.Error, UnicodeDecodeError) as error:
            reason = getattr(error, "reason", error)
            raise ValueError(f"{path} must be comma-separated text in utf-8, got: {reason}") from None
    if not columns[0].numbers:
        raise ValueError(f"{path} must hold at least one record, got only the header {header}")
    return columns
