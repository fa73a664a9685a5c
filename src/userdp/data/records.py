"""From a table of records to what estimators take: one row a user, in an order free of the data."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from userdp import _validate
from userdp.data._checks import column_of, missing, refuse

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
        a dictionary of arrays. A column is taken by position; an index is of no effect.
    user, value
        Names of the columns; users are any labels, values are numbers.
    domain
        Public ends (low, high); a value outside is moved to the nearer end, NaN to the low one.

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
    row, n = _rows(records, user)
    values = np.asarray(records[value])
    if values.dtype.kind not in "biuf" or values.shape != row.shape:
        raise TypeError(
            f"{value} must be a column of numbers, got dtype {values.dtype}, shape {values.shape}"
        )
    values = np.clip(np.nan_to_num(values.astype(float), nan=low, posinf=high, neginf=low), low, high)
    sizes = np.bincount(row, minlength=n)
    order = rng.permutation(n)
    return UserMeans((np.bincount(row, weights=values, minlength=n) / sizes)[order], sizes[order])


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
    column = np.array([places.get(name, -1) for name in np.asarray(records[item]).tolist()], dtype=np.int64)
    known = column >= 0
    pairs = np.ones(int(known.sum()), dtype=np.int64), (row[known], column[known])
    return sparse.csr_array(sparse.coo_array(pairs, shape=(n, len(places))))


def _rows(records: Any, user: str) -> tuple[NDArray[np.int64], int]:
    """Number of each record's user, by the order of labels, and how many users there are."""
    users = column_of(user, records[user])
    if users.dtype == object:
        refuse(user, "be present", users, [missing(one) for one in users])
        users = users.astype(str)
    labels, row = np.unique(users, return_inverse=True)
    return row, labels.size
