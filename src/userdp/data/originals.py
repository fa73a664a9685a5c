"""Strict loaders of public files that a reader brings: nothing here is shipped or fetched by a page."""

import csv
import gzip
import html
import io
import re
import zipfile
import zlib
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike
from typing import Any, TextIO

import numpy as np
from scipy.sparse import csr_array

from userdp import _validate
from userdp._types import NDArray, Rng
from userdp.data._checks import agree, digest_of
from userdp.data.histograms import words_of
from userdp.data.tables import ItemCounts

__all__ = [
    "Stops",
    "texas_stops",
    "SENTIMENT140_SHA256",
    "GOWALLA_MD5",
    "words_of_tweet",
    "sentiment140",
    "snap_checkins",
]

# the columns of the Stanford Open Policing Project's TX-Statewide file that Figure 4 needs
STOP_COLUMNS = ("date", "district", "officer_id_hash", "search_conducted", "subject_race")
STOP_GROUPS = ("white", "black", "hispanic", "other")
# Kent et al., Section 6.2, merge the last three; releases of the file spell two of them as one
_GROUP_OF = {"white": 0, "black": 1, "hispanic": 2} | dict.fromkeys(
    ("asian/pacific islander", "other", "unknown", "other/unknown"), 3
)
_SEARCHED = {"TRUE": True, "FALSE": False}


@dataclass(frozen=True, eq=False)
class Stops:
    """Traffic stops of officers who hold equally many of them, each officer's in random order.

    Parameters
    ----------
    searched : ndarray of bool, shape (officers, size)
        Whether the stop led to a search.
    group : ndarray of int, shape (officers, size)
        Recorded race of the person stopped, an index of `STOP_GROUPS`.
    kept
        Stops that passed the filters, before officers with too few were left out.
    """

    searched: NDArray[np.bool]
    group: NDArray[np.int8]
    kept: int


def texas_stops(
    path: str | PathLike,
    *,
    sha256: str,
    rng: Rng,
    size: int = 300,
    district: str = "A",
    years: tuple[int, ...] = (2015, 2016),
    chunk: int = 250_000,
) -> Stops:
    """Read the TX-Statewide file of the Stanford Open Policing Project as Kent et al., Section 6.2, do.

    Complete stops of one district and some years are kept, officers with fewer than `size` of them left
    out, each officer's stops put in random order and the first `size` taken. A stop is complete if none of
    `STOP_COLUMNS` is missing: over all columns none would be, since most describe a search. The file is
    read in chunks, so that its 27 million rows fit in memory; it needs pandas.

    Parameters
    ----------
    path
        The CSV file, or a ZIP archive of it.
    sha256
        SHA-256 of the file at `path`, 64 hexadecimal digits. We know of no published one: note down that
        of your copy (`userdp.data.means.sha256_of`) once, so that a later run fails if the file has changed.
    rng
        Source of the random orders.
    size, district, years
        Stops of each officer, at least 1; the district; the years.
    chunk
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
    agree(path, digest_of(path, "sha256"), sha256)
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


def _stops_of(rows: Any, district: str, years: set[str]) -> Any:
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


def _refuse_rows(column: Any, good: Any, rule: str) -> None:
    if not good.all():
        row = good.idxmin()
        raise ValueError(f"{column.name} must {rule}, got {column[row]!r} in row {row}")


def _first_of_each(user: NDArray, size: int, rng: Rng) -> NDArray:
    """Rows of the first `size` records of each user in random order, shape (users with enough, size)."""
    order = rng.permutation(len(user))
    order = order[np.argsort(user[order], kind="stable")]
    held = np.bincount(user)
    start = np.cumsum(held) - held
    return order[start[held >= size][:, None] + np.arange(size)]


# of trainingandtestdata.zip, as TensorFlow Datasets and others record it
SENTIMENT140_SHA256 = "004a3772c8a7ff9bbfeb875880f47f0679d93fc63e5cf9cff72d54a8a6162e57"
# of loc-gowalla_totalCheckins.txt.gz, as one other project records it; we know of no SHA-256 of it
GOWALLA_MD5 = "8ebd5ed2dd376d8982987c49429cb9f9"
_TWEETS = "training.1600000.processed.noemoticon.csv"
_NOT_WORDS = re.compile(r"@\w+|(?:https?://|www\.)\S+")


def words_of_tweet(text: str) -> list[str]:
    """Split a tweet into words as `words_of`, without its user names (@...) and web addresses.

    Character references such as ``&amp;`` are decoded first.
    """
    return words_of(_NOT_WORDS.sub(" ", html.unescape(text)))


def sentiment140(path: str | PathLike, *, sha256: str, chunk: int = 100_000) -> ItemCounts:
    """Read the tweets of Sentiment140 as word counts by author.

    A user is an account; an item is a word (`words_of_tweet`); a record is its use. Accounts whose tweets
    hold no word stay, with nothing. How Liu et al. split tweets into words is not stated, so that their
    counts may differ.

    Parameters
    ----------
    path
        The archive ``trainingandtestdata.zip``, or the training file in it,
        ``training.1600000.processed.noemoticon.csv``.
    sha256
        SHA-256 of the file at `path`: of the archive, `SENTIMENT140_SHA256`.
    chunk
        Tweets that are held before they are counted, at least 1.

    Returns
    -------
    ItemCounts
        Users and items in the order of first appearance; the names of the accounts are dropped.

    Raises
    ------
    ValueError
        If the file is not the stated one, is empty, or a row has not six fields, no polarity 0, 2 or 4 or no
        user.
    """
    _validate.integer(1, chunk=chunk)
    agree(path, digest_of(path, "sha256"), sha256)
    tally = _Tally(chunk)
    with _tweets(path) as file:
        rows, row = csv.reader(file), 0
        while (fields := _next_row(path, rows, row)) is not None:
            _refuse_tweet(path, fields, row)
            tally.add(fields[4], words_of_tweet(fields[5]))
            row += 1
    return tally.counts("words by account", path)


def snap_checkins(
    path: str | PathLike,
    *,
    sha256: str | None = None,
    md5: str | None = None,
    skip_incomplete: bool = False,
    chunk: int = 500_000,
) -> ItemCounts:
    """Read check-ins of Gowalla or Brightkite, from the collection SNAP, as counts by user and location.

    A user is an account; an item is a location, by its code; a record is a check-in. Times and coordinates
    are not looked at.

    Parameters
    ----------
    path
        ``loc-gowalla_totalCheckins.txt.gz`` or ``loc-brightkite_totalCheckins.txt.gz``: lines of user, time,
        latitude, longitude and location, separated by tabs.
    sha256, md5
        One of the two sums of the file at `path`. For Gowalla `GOWALLA_MD5` is on record; for a file without
        a published sum note down that of your copy (`userdp.data.means.sha256_of`), so that a later run fails
        if it has changed.
    skip_incomplete
        Whether to leave out lines with a user and no location, instead of refusing them.
    chunk
        Check-ins that are held before they are counted, at least 1.

    Returns
    -------
    ItemCounts
        Users and items in the order of first appearance; the numbers of the accounts are dropped.

    Raises
    ------
    ValueError
        If not exactly one sum is given, the file is not the stated one, is not a whole gzip file, is empty,
        or a row has not five fields, a user that is no number or no location.
    """
    _validate.integer(1, chunk=chunk)
    if (sha256 is None) == (md5 is None):
        raise ValueError(f"one of sha256 and md5 must be given, got {sha256!r} and {md5!r}")
    if md5 is None:
        agree(path, digest_of(path, "sha256"), sha256)
    else:
        agree(path, digest_of(path, "md5"), md5, "MD5")
    tally = _Tally(chunk)
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for row, line in enumerate(file):
                fields = line.rstrip("\r\n").split("\t")
                _refuse_checkin(path, fields, row, skip_incomplete)
                if fields[4]:
                    tally.add(int(fields[0]), fields[4:])
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{path} must be a whole gzip file, got: {error}") from error
    return tally.counts("check-ins by user and location", path)


class _Tally:
    """Counts of (user, item) pairs; pairs wait in a buffer until they are as many as a chunk has records."""

    def __init__(self, chunk: int) -> None:
        self._chunk, self._records = int(chunk), 0
        self._users: dict = {}
        self._items: dict = {}
        self._waiting, self._counted = array("q"), list[Any]()

    def add(self, user: str | int, items: Iterable[str]) -> None:
        row = self._users.setdefault(user, len(self._users))
        for item in items:
            self._waiting.append(row << 32 | self._items.setdefault(item, len(self._items)))
        self._records += 1
        if self._records % self._chunk == 0:
            self._count()

    def _count(self) -> None:
        self._counted.append(np.unique(np.array(self._waiting, dtype=np.int64), return_counts=True))
        self._waiting = array("q")

    def counts(self, name: str, path: str | PathLike) -> ItemCounts:
        if not self._users:
            raise ValueError(f"{path} must hold at least one record, got none")
        self._count()
        pairs, counts = (np.concatenate(part) for part in zip(*self._counted, strict=True))
        at, shape = (pairs >> 32, pairs & 0xFFFFFFFF), (len(self._users), len(self._items))
        return ItemCounts(name, tuple(self._items), csr_array((counts, at), shape=shape))


def _tweets(path: str | PathLike) -> TextIO:
    """Open the training file, in the archive or by itself; it is in Latin 1."""
    if not zipfile.is_zipfile(path):
        return open(path, encoding="latin-1", newline="")
    archive = zipfile.ZipFile(path)
    if _TWEETS not in archive.namelist():
        raise ValueError(f"{path} must hold the file {_TWEETS}, got {', '.join(archive.namelist())}")
    return io.TextIOWrapper(archive.open(_TWEETS), encoding="latin-1", newline="")


def _next_row(path: str | PathLike, rows: Iterator[list[str]], row: int) -> list[str] | None:
    try:
        return next(rows, None)
    except csv.Error as error:
        raise ValueError(f"{path} must be comma-separated text, got: {error} in row {row}") from error


def _refuse_tweet(path: str | PathLike, fields: list[str], row: int) -> None:
    if len(fields) != 6:
        raise ValueError(f"{path} must have six fields a row, got {len(fields)} in row {row}")
    if fields[0] not in ("0", "2", "4"):
        raise ValueError(f"polarity must be 0, 2 or 4, got {fields[0]!r} in row {row}")
    if not fields[4].strip():
        raise ValueError(f"user must be present, got {fields[4]!r} in row {row}")


def _refuse_checkin(path: str | PathLike, fields: list[str], row: int, skip_incomplete: bool) -> None:
    if len(fields) != 5:
        raise ValueError(f"{path} must have five fields a row, got {len(fields)} in row {row}")
    if not (fields[0].isascii() and fields[0].isdigit()):
        raise ValueError(f"user must be a whole number, got {fields[0]!r} in row {row}")
    if not fields[4] and not skip_incomplete:
        raise ValueError(f"location must be present, got {fields[4]!r} in row {row}")
