"""Tables of (user, item[, count]) records, read strictly as a matrix of counts, one row a user.

A faulty table raises, naming the column, the value and the row (counted from 0, a header not counted):
this is data that a curator holds, not a report that a user sends.
Show these messages to nobody who may not see the data.
"""

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse

from userdp import _validate
from userdp._public import public
from userdp.tables.columns import column_of, columns_of, integers, is_integer, missing, refuse

__all__ = ["ItemCounts", "count_table", "from_csv"]

_WHOLE = re.compile(r"[+-]?[0-9]+(\.0*)?")  # 3 and 3.0, not 1_000 or 1e3
# counts are summed as floating-point numbers later; below this they stay exact
_LARGEST_TOTAL = 2**53


@dataclass(frozen=True, eq=False)
class ItemCounts:
    """How often each user holds each item.

    Parameters
    ----------
    name
        What the table is, for captions.
    items : tuple, length d
        Label of each item.
    counts : array_like or scipy.sparse array of int, shape (n, d)
        Row u is the histogram of user u, n at least 1; an empty row is a user without a record. Kept as a
        sparse array of int64, copied, canonical and read-only.
    labels : tuple, length n, optional
        Label of each user, where the table keeps them.
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
            raise ValueError(f"counts must be whole numbers of at least 0, got {faults[0]}")
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
        """Number of users n."""
        return self.counts.shape[0]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of records m_u of each user, shape (n,)."""
        return self.counts.sum(axis=1)

    @property
    def distinct(self) -> NDArray[np.int64]:
        """Number of different items of each user, shape (n,)."""
        return np.diff(self.counts.indptr)

    @property
    def totals(self) -> NDArray[np.int64]:
        """Number of records of each item, shape (d,)."""
        return self.counts.sum(axis=0)

    @public
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
    users, items : array_like, shape (records,)
        Labels of the user and the item of each record: all strings or all whole numbers.
        None, NaN, an empty string and white space at the ends of a string are refused.
    counts : array_like of int, shape (records,), optional
        How often the user holds the item in this record, at least 0; by default once.
        Several records of one user and item add up; one that counts 0 only says that the user exists.
    domain
        The items, if they are known without looking at the data: the columns of the result, in this order.
        By default the items are those that somebody holds, and which these are is private.
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
    return _count_table(name, ("users", users), ("items", items), ("counts", counts), domain)


def from_csv(
    path: str | PathLike, *, user: str, item: str, count: str | None = None, domain: Iterable | None = None
) -> ItemCounts:
    """Read a CSV file with a header, in UTF-8, as `count_table` counts its lines; its path is the name.

    Parameters
    ----------
    path
        The file: comma-separated, one record a line; blank lines are skipped.
    user, item
        Names of the columns that hold the labels; labels are text, never numbers.
    count
        Name of the column that holds the counts; by default a line counts once.
    domain
        As for `count_table`.

    Raises
    ------
    ValueError
        If the file is not well-formed or `count_table` refuses the table; columns go by their names in the
        file.
    """
    names = [user, item] if count is None else [user, item, count]
    if len(set(names)) < len(names):
        raise ValueError(f"user, item and count must be different columns, got {names}")
    columns = _read_columns(path, names)
    counts = None if count is None else _parsed(count, columns[2])
    return _count_table(str(path), (user, columns[0]), (item, columns[1]), (count, counts), domain)


def _count_table(name: str, users: tuple, items: tuple, counts: tuple, domain: Iterable | None) -> ItemCounts:
    """Each column comes with the name under which errors speak of it."""
    user, item, (count, given) = users[0], items[0], counts
    who, what = columns_of(**dict([users, items]))
    held_by, held = _labels(user, who), _labels(item, what)
    weights = np.ones(len(who), np.int64) if given is None else _counts(user, who, count, given)
    rows = {label: row for row, label in enumerate(sorted(set(held_by)))}
    if len(rows) < 2:
        raise ValueError(f"{user} must name at least two users, got only {next(iter(rows))!r}")
    if domain is None:
        seen = sorted({label for label, weight in zip(held, weights, strict=True) if weight})
        columns = {label: column for column, label in enumerate(seen)}
    else:
        columns = _domain(domain)
        refuse(item, "be in the public domain", what, [label not in columns for label in held])
    if not columns:
        raise ValueError(f"{count} must not all be 0 unless a domain is given, got {len(weights)} zeros")
    at = [rows[label] for label in held_by], [columns.get(label, 0) for label in held]
    table = csr_array((weights, at), shape=(len(rows), len(columns)))
    return ItemCounts(name, tuple(columns), table, tuple(rows))


def _counts(user: str, users: NDArray, count: str, given: ArrayLike) -> NDArray[np.int64]:
    _, column = columns_of(**{user: users, count: given})
    weights = integers(count, column)
    refuse(count, "not be negative", column, weights < 0)
    if weights.sum(dtype=float) >= _LARGEST_TOTAL:
        raise ValueError(f"{count} must add up to less than 2**53, got {weights.sum(dtype=float):.3g}")
    return weights


def _labels(name: str, column: NDArray) -> list[Any]:
    """Return labels as plain strings or whole numbers, all of one kind."""
    labels = column.tolist()
    refuse(name, "be present", column, [missing(label) for label in labels])
    text = isinstance(labels[0], str)
    good = [isinstance(label, str) if text else is_integer(label) for label in labels]
    refuse(name, "be all text or all whole numbers", column, np.logical_not(good))
    if text:
        spaced = [label != label.strip() for label in labels]
        refuse(name, "have no white space at its ends", column, spaced)
    return [str(label) if text else int(label) for label in labels]


def _domain(domain: Iterable) -> dict[Any, int]:
    """Return the domain as a dict from item to column, in the given order."""
    if isinstance(domain, str):
        raise ValueError(f"domain must be a sequence of labels, got {domain!r}")
    column = column_of("domain", list(domain))
    labels = _labels("domain", column)
    first = {label: row for row, label in reversed(list(enumerate(labels)))}
    refuse("domain", "name each item once", column, [first[label] < row for row, label in enumerate(labels)])
    return {label: row for row, label in enumerate(labels)}


def _read_columns(path: str | PathLike, names: list[str]) -> list[list[str]]:
    """Return the named columns of a CSV file, lists of text."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        try:
            rows = [row for row in csv.reader(file, strict=True) if row]
        except csv.Error as error:
            raise ValueError(f"{path} must be comma-separated text, got: {error}") from error
    header, records = (rows[0], rows[1:]) if rows else ([], [])
    for name in names:
        if header.count(name) != 1:
            raise ValueError(f"{path} must have the column {name!r} once, got the columns {header}")
    if not records:
        raise ValueError(f"{path} must hold at least one record, got only the header {header}")
    for row, record in enumerate(records):
        if len(record) != len(header):
            raise ValueError(f"{path} must have {len(header)} fields a line, got {record} in row {row}")
    positions = [header.index(name) for name in names]
    return [[record[position] for record in records] for position in positions]


def _parsed(name: str, texts: list[str]) -> list[int]:
    """Return counts read as text as whole numbers."""
    column = np.asarray(texts, dtype=object)
    refuse(name, "be present", column, [text == "" for text in texts])
    refuse(name, "be whole numbers", column, [not _WHOLE.fullmatch(text) for text in texts])
    return [int(text.partition(".")[0]) for text in texts]
