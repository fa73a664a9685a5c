"""From a table of records to one row per user: means and sizes, or counts of public items."""

from collections.abc import Hashable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from userdp import _validate
from userdp.tables import warehouse
from userdp.tables.columns import column_of, is_missing, refuse
from userdp.tables.engine import absent, is_csv, is_elsewhere, named, opened

__all__ = ["UserMeans", "user_means", "user_table"]

ITEMS_AT_ONCE = 64  # counted in one reading of a table on disk, a number for each user and item in memory


class UserMeans(NamedTuple):
    """Mean and number of records of each user, in random order.

    Parameters
    ----------
    means : ndarray, shape (n,)
        Mean of each user's records, in the domain.
    sizes : ndarray of int, shape (n,)
        Number of records of the same users.
    """

    means: NDArray
    sizes: NDArray


def user_means(
    records: Any,
    *,
    user: str,
    value: str,
    domain: tuple[float, float],
    missing: Literal["refuse", "drop", "low"] = "refuse",
    silent: Literal["refuse", "abstain", "low"] = "refuse",
    rng: np.random.Generator,
) -> UserMeans:
    """Average each user's records, clipped to a public domain, and shuffle the users.

    Local estimators treat the order of users as public, and an order by size would reveal something.

    Parameters
    ----------
    records
        A table in memory: a frame of pandas or polars, an Arrow table, or a dictionary of arrays, masked or
        not. Rows are taken by position, whatever the index. A table may also be larger than memory: the path
        of a CSV or Parquet file (of several with ``*``), or a relation of DuckDB, which DuckDB averages by
        user; or a table of ibis in a warehouse, which is averaged there and sends one row per user. Labels in
        a CSV file are text.
    user
        Name of the column of users, which may be any labels.
    value
        Name of the column of values, which are numbers.
    domain
        Public ends of the values; a value outside is moved to the nearer end.
    missing
        What to do with a record that has no value (NaN, none, masked): "refuse" the table, "drop" the record,
        or count it as a value at the "low" end of the domain.
    silent
        What to do with a user of whom all records were dropped: "refuse" the table; let the user "abstain",
        so that the number of users depends on the data; or keep a user of size 0 with a mean at the "low"
        end.
    rng
        Source of the random order.

    Returns
    -------
    UserMeans
        A pair of two arrays, the means and the sizes.

    Examples
    --------
    >>> ratings = {"who": ["a", "b", "a"], "stars": [4, 9, 3]}
    >>> rng = np.random.default_rng(1)
    >>> columns = {"user": "who", "value": "stars"}
    >>> user_means(ratings, **columns, domain=(0, 5), rng=rng)
    UserMeans(means=array([3.5, 5. ]), sizes=array([2, 1]))
    """
    low, high = domain
    _validate.domain(domain)
    _validate.one_of(("refuse", "drop", "low"), missing=missing)
    _validate.one_of(("refuse", "abstain", "low"), silent=silent)
    _validate.generator(rng=rng)
    averaged = _averages_elsewhere if is_elsewhere(records) else _averages
    if warehouse.is_there(records):
        averaged = _averages_there
    means, sizes, rows = averaged(records, user, value, float(low), float(high))
    if missing == "refuse" and (sizes < rows).any():
        raise ValueError(f"missing must be 'drop' or 'low' where {value} is missing, got 'refuse'")
    if missing == "low":
        means, sizes = np.where(sizes < rows, low + (means - low) * (sizes / rows), means), rows
    if silent == "refuse" and not sizes.all():
        raise ValueError(f"silent must be 'abstain' or 'low' where a {user} has no records, got 'refuse'")
    order = rng.permutation(np.flatnonzero(sizes) if silent == "abstain" else sizes.size)
    return UserMeans(means[order], sizes[order])


def _averages(records: Any, user: str, value: str, low: float, high: float) -> tuple[NDArray, ...]:
    """Mean of each user's clipped values, `low` without any, how many they are, and how many rows."""
    row, n = _rows(records, user)
    column = np.asanyarray(_column(records, value))  # with its mask if it has one
    _numbers(value, column, row.shape)
    values = np.ma.filled(column.astype(float), np.nan)
    there = ~np.isnan(values)
    sizes = np.bincount(row[there], minlength=n)
    sums = np.bincount(row[there], weights=np.clip(values[there], low, high), minlength=n)
    return np.where(sizes, sums / np.maximum(sizes, 1), low), sizes, np.bincount(row)


def _averages_elsewhere(records: Any, user: str, value: str, *domain: float) -> tuple[NDArray, ...]:
    """The same where DuckDB reads: the engine needs memory for users, not for records."""
    who, x, (low, high) = named(user), named(value), domain
    with opened(records, user, value) as table:
        if not is_csv(records):
            _numbers(value, table.limit(0).fetchnumpy()[value], (0,))
        text = f"nullif({x}, '')" if is_csv(records) else "null"
        # favg compensates rounding, so that the order in which threads come does not show
        query = f"""
            with clean as (select {who} who, {text} given, nullif(try_cast({x} as double), 'nan') x
                from records)
            select favg(if(x is null, null, greatest(least(x, {high!r}), {low!r}))) mean, count(x) size,
                count(*) records, any_value({absent("who")}) absent,
                bool_or(given is not null and x is null and lower(given) <> 'nan') words
            from clean group by who order by who"""
        found = _present(user, table.query("records", query).fetchnumpy())
    if found["words"].any():
        raise TypeError(f"{value} must be a column of numbers, got text")
    return np.ma.filled(found["mean"], low), found["size"], found["records"]


def _averages_there(records: Any, user: str, value: str, *domain: float) -> tuple[NDArray, ...]:
    """The same where ibis asks: a warehouse sends one row per user, and no label."""
    found = _present(user, warehouse.averages(records, user, value, *domain))
    return np.where(found["size"], found["mean"], domain[0]), found["size"], found["records"]


def _present(user: str, found: dict[str, NDArray]) -> dict[str, NDArray]:
    """An answer with at least one row per user, unless a user is missing."""
    if found["absent"].any() or not found["absent"].size:
        raise ValueError(f"{user} must be present in all rows, and in one at least")
    return found


def _numbers(name: str, values: NDArray, shape: tuple[int, ...]) -> None:
    """Raise ``TypeError`` unless a column holds numbers and has a shape."""
    if values.dtype.kind not in "biuf" or values.shape != shape:
        raise TypeError(f"{name} must be a column of numbers, got dtype {values.dtype}, shape {values.shape}")


def user_table(records: Any, *, user: str, item: str, items: Sequence[Hashable]) -> sparse.csr_array:
    """Count each user's records of each public item.

    Items that are not on the public list are left out, because their names would reveal something of the
    data.

    Parameters
    ----------
    records
        A table in memory or on disk, as `user_means` takes it.
    user
        Name of the column of users.
    item
        Name of the column of items.
    items
        The public items. In a file and in a table of ibis, items are compared as texts.

    Returns
    -------
    sparse array of int, shape (users, items)
        The counts; users are in the order of their labels, items in that of `items`.

    Examples
    --------
    >>> visits = {"who": ["a", "b", "a"], "page": ["x", "y", "x"]}
    >>> columns = {"user": "who", "item": "page"}
    >>> table = user_table(visits, **columns, items=["x", "y", "z"])
    >>> table.toarray()
    array([[2, 0, 0],
           [0, 1, 0]])
    """
    places = {name: place for place, name in enumerate(items)}
    if len(places) < len(items):
        raise ValueError(f"items must differ, got {list(items)!r}")
    if is_elsewhere(records):
        return _counted_elsewhere(records, user, item, list(map(str, items)))
    often: Any = np.int64(1)
    if warehouse.is_there(records):
        places = {str(name): place for name, place in places.items()}
        records, often = warehouse.counts(records, user, item, list(map(str, items)))
    row, n = _rows(records, user)
    held = column_of(item, _column(records, item)).tolist()
    column = np.array([places.get(name, -1) for name in held], dtype=np.int64)
    known = column >= 0
    pairs = np.broadcast_to(often, row.shape)[known], (row[known], column[known])
    return sparse.csr_array(sparse.coo_array(pairs, shape=(n, len(places))))


def _counted_elsewhere(records: Any, user: str, item: str, items: list[str]) -> sparse.csr_array:
    """The same where DuckDB reads, some items at a time: no label comes into memory."""
    who, blocks = named(user), []
    for first in range(0, len(items) or 1, ITEMS_AT_ONCE):
        texts = enumerate(text.replace("'", "''") for text in items[first : first + ITEMS_AT_ONCE])
        cells = [f", count(*) filter ({named(item)}::varchar = '{text}') c{at}" for at, text in texts]
        asked = f"any_value({absent(who)}) absent{''.join(cells)}"
        with opened(records, user, item) as table:
            query = f"select {asked} from records group by {who} order by {who}"
            found = _present(user, table.query("records", query).fetchnumpy())
        columns = [sparse.csc_array(found.pop(name)[:, None]) for name in [*found]]  # nobody is absent
        blocks.append(sparse.hstack(columns, "csc", dtype=np.int64)[:, 1:])
    return sparse.csr_array(sparse.hstack(blocks, "csr"))


def _rows(records: Any, user: str) -> tuple[NDArray[np.int64], int]:
    """Number of each record's user, by the order of labels, and how many users there are."""
    users = column_of(user, _column(records, user))
    if users.dtype == object:
        refuse(user, "be present", [is_missing(one) for one in users])
        return _rows_of_labels(user, users)
    labels, row = np.unique(users, return_inverse=True)
    return row, labels.size


def _rows_of_labels(user: str, users: NDArray) -> tuple[NDArray[np.int64], int]:
    """The same for labels of any kind, by the order of their texts: a text stands for one label only."""
    texts: dict[Any, str] = {one: str(one) for one in users}
    known = {str(one): one for one in users}
    unclear = [known[str(one)] != one or str(one) != texts[one] for one in users]
    refuse(user, "differ in more than type", unclear)
    place = {text: row for row, text in enumerate(sorted(known))}
    return np.array([place[texts[one]] for one in users]), len(place)


def _column(records: Any, name: str) -> Any:
    """A named column of a table in memory."""
    try:
        return records[name]
    except Exception as error:  # of polars, of Arrow, of whatever it is
        raise ValueError(f"records must be a table with a column {name!r}, got {type(records)}") from error
