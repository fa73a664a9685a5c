"""From a table of records to what estimators take: one row a user, in an order free of the data."""

from collections.abc import Hashable, Sequence
from os import PathLike, fspath
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from userdp import _validate
from userdp.tables.columns import column_of, missing, refuse

__all__ = ["UserMeans", "user_means", "user_table"]


class UserMeans(NamedTuple):
    """Mean and number of records of each user, shape (n,) both, aligned and in random order."""

    means: NDArray
    sizes: NDArray


def user_means(
    records: Any, *, user: str, value: str, domain: tuple[float, float], rng: np.random.Generator
) -> UserMeans:
    """Average each user's records, clipped to a public domain, and shuffle the users.

    The order of users is public in every local estimator: sorted by size it would carry information.

    Parameters
    ----------
    records
        A table of which ``records[user]`` and ``records[value]`` are columns: a frame of pandas or polars, or
        a dictionary of arrays. A column is taken by position; an index is of no effect. Or the path of a
        Parquet file (of several with ``*``), which may be larger than memory: DuckDB averages it by user.
    user, value
        Names of the columns; users are any labels, values are numbers.
    domain
        Public ends (low, high); a value outside is moved to the nearer end, NaN or none to the low one.

    Examples
    --------
    >>> ratings = {"who": ["a", "b", "a"], "stars": [4, 9, 3]}
    >>> rng = np.random.default_rng(1)
    >>> user_means(ratings, user="who", value="stars", domain=(0, 5), rng=rng)
    UserMeans(means=array([3.5, 5. ]), sizes=array([2, 1]))
    """
    low, high = domain
    _validate.ordered(**{"domain[0]": low, "domain[1]": high})
    _validate.generator(rng=rng)
    averaged = _averages_on_disk if isinstance(records, (str, PathLike)) else _averages
    means, sizes = averaged(records, user, value, float(low), float(high))
    order = rng.permutation(sizes.size)
    return UserMeans(means[order], sizes[order])


def _averages(records: Any, user: str, value: str, low: float, high: float) -> tuple[NDArray, NDArray]:
    """Mean of the clipped values of each user and how many they are, users in the order of labels."""
    row, n = _rows(records, user)
    values = np.asarray(_column(records, value))
    _numbers(value, values, row.shape)
    values = np.clip(np.nan_to_num(values.astype(float), nan=low, posinf=high, neginf=low), low, high)
    sizes = np.bincount(row, minlength=n)
    return np.bincount(row, weights=values, minlength=n) / sizes, sizes


def _averages_on_disk(path: Any, user: str, value: str, low: float, high: float) -> tuple[NDArray, NDArray]:
    """The same for a Parquet file: the engine needs memory for users, not for records."""
    try:
        import duckdb
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("a Parquet file needs DuckDB: pip install 'userdp[tables]'") from error
    with duckdb.connect() as engine:
        engine.execute("set enable_progress_bar = false")
        _numbers(value, engine.read_parquet(fspath(path)).limit(0).fetchnumpy()[value], (0,))
        who, x = (f'"{name.replace(chr(34), chr(34) * 2)}"' for name in (user, value))
        inside = f"greatest(least(coalesce(nullif({x}::double, 'nan'), {low!r}), {high!r}), {low!r})"
        # favg compensates rounding, so that the order in which threads come does not show
        query = f"""
            select favg({inside}) mean, count(*) size,
                any_value({who} is null or {who}::varchar = ''
                    or typeof({who}) in ('DOUBLE', 'FLOAT') and {who}::varchar = 'nan') absent
            from read_parquet(?) group by {who} order by {who}"""
        found = engine.execute(query, [fspath(path)]).fetchnumpy()
    if found["absent"].any():
        raise ValueError(f"{user} must be present, got {found['size'][found['absent']].sum()} rows without")
    if not found["size"].size:
        raise ValueError(f"{user} must not be empty, got shape (0,)")
    return found["mean"], found["size"]


def _numbers(name: str, values: NDArray, shape: tuple[int, ...]) -> None:
    """Raise ``TypeError`` unless a column holds numbers and has a shape."""
    if values.dtype.kind not in "biuf" or values.shape != shape:
        raise TypeError(f"{name} must be a column of numbers, got dtype {values.dtype}, shape {values.shape}")


def user_table(records: Any, *, user: str, item: str, items: Sequence[Hashable]) -> sparse.csr_array:
    """Count each user's records of each public item, shape (users, items), sparse.

    Items that are not among the public `items` are left out, since their names would tell of the data.

    Examples
    --------
    >>> visits = {"who": ["a", "b", "a"], "page": ["x", "y", "x"]}
    >>> user_table(visits, user="who", item="page", items=["x", "y", "z"]).toarray()
    array([[2, 0, 0],
           [0, 1, 0]])
    """
    places = {name: place for place, name in enumerate(items)}
    if len(places) < len(items):
        raise ValueError(f"items must differ, got {list(items)!r}")
    row, n = _rows(records, user)
    held = column_of(item, _column(records, item)).tolist()
    column = np.array([places.get(name, -1) for name in held], dtype=np.int64)
    known = column >= 0
    pairs = np.ones(int(known.sum()), dtype=np.int64), (row[known], column[known])
    return sparse.csr_array(sparse.coo_array(pairs, shape=(n, len(places))))


def _rows(records: Any, user: str) -> tuple[NDArray[np.int64], int]:
    """Number of each record's user, by the order of labels, and how many users there are."""
    users = column_of(user, _column(records, user))
    if users.dtype == object:
        refuse(user, "be present", users, [missing(one) for one in users])
        return _rows_of_labels(user, users)
    labels, row = np.unique(users, return_inverse=True)
    return row, labels.size


def _rows_of_labels(user: str, users: NDArray) -> tuple[NDArray[np.int64], int]:
    """The same for labels of any kind, by the order of their texts: a text stands for one label only."""
    texts: dict[Any, str] = {one: str(one) for one in users}
    known = {str(one): one for one in users}
    unclear = [known[str(one)] != one or str(one) != texts[one] for one in users]
    refuse(user, "differ in more than type", users, unclear)
    place = {text: row for row, text in enumerate(sorted(known))}
    return np.array([place[texts[one]] for one in users]), len(place)


def _column(records: Any, name: str) -> Any:
    """A named column of a table in memory."""
    try:
        return records[name]
    except (LookupError, TypeError) as error:
        raise ValueError(f"records must be a table with a column {name!r}, got {type(records)}") from error
