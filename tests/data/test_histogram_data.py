"""Packaged histograms are the recorded ones; files that a reader brings are verified and read as stated."""

import gzip
import lzma
import shutil
import zipfile
from importlib import resources

import numpy as np
import pytest
from scipy.sparse import csr_array

from userdp.tables.counts import ItemCounts
from userdp_papers.data import histograms as data
from userdp_papers.data import means as datasets
from userdp_papers.data.histograms import words_of
from userdp_papers.data.packaged import recorded

FOLDER = resources.files("userdp_papers") / "data"
PACKED = ("destinations.csv", "teams.csv", "words.csv")
TWEETS = "training.1600000.processed.noemoticon.csv"


@pytest.fixture(scope="module")
def words():
    return data.words_by_part()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("load", "users", "records", "items", "pairs"),
    [
        (data.flight_destinations, 4_037, 327_346, 104, 44_173),
        (data.player_teams, 20_985, 5_804_945, 149, 50_372),
        (data.department_ratings, 2_972, 73_421, 14, 16_246),
        (data.words_by_part, 1_426, 835_297, 25_230, 329_974),
    ],
)
def test_totals_are_the_sources(load, users, records, items, pairs):
    table = load()
    assert (table.users, table.sizes.sum(), len(table.items)) == (users, records, items)
    assert table.counts.nnz == table.distinct.sum() == pairs
    assert table.totals.sum() == records and table.totals.min() > 0 and table.sizes.min() > 0
    assert len(set(table.items)) == items


def test_flights_by_destination_are_the_flights():
    table = data.flight_destinations()
    assert (np.sort(table.sizes) == datasets.flights().sizes).all()
    assert table.top(3).items == ("ATL", "ORD", "LAX")  # public: the busiest routes out of New York


def test_ratings_are_the_table_of_the_other_module():
    assert (data.department_ratings().counts.toarray() == datasets.ratings_by_department()[0]).all()


def test_the_most_games_are_the_public_ones():
    """Pete Rose: 3,562 games for three teams, the most of all; nobody has played for more than 14 teams."""
    table = data.player_teams()
    most = np.argmax(table.sizes)
    assert (table.sizes[most], table.distinct[most], table.distinct.max()) == (3_562, 3, 14)


def test_words_are_those_of_the_plays(words):
    parts = data.speaking_parts()
    assert len(parts) == len(set(parts)) == words.users
    assert parts[0] == ("hamlet", "HAMLET") and len({play for play, _ in parts}) == 38
    assert words.items[:3] == ("the", "and", "i")
    assert (np.diff(words.sizes) <= 0).all() and (np.diff(words.totals) <= 0).all()
    # a line that nobody else speaks: "Exit, pursued by a bear" is a direction, and no word of it
    assert words.totals[words.items.index("bear")] > 0 and "pursued" in words.items
    lear = words.counts[[parts.index(("king-lear", "KING LEAR"))]].toarray()[0]
    assert lear[words.items.index("never")] >= 9  # five of them in one line


@pytest.mark.parametrize("file", [*PACKED, "parts.csv"])
def test_every_table_has_a_licence_and_a_checksum(file):
    licence = (FOLDER / file.replace(".csv", ".licence.txt")).read_text()
    assert licence.startswith(f"Licence of {file}\n{'=' * len('Licence of ' + file)}\n")
    assert len(recorded(file, FOLDER)) == 64
    assert "make_tables.py" in licence


@pytest.mark.parametrize("file", PACKED)
def test_tables_are_small(file):
    assert len((FOLDER / f"{file}.xz").read_bytes()) < 400_000


@pytest.mark.slow
@pytest.mark.parametrize("file", PACKED)
def test_a_changed_table_is_refused_with_both_digests(file, tmp_path):
    for name in (f"{file}.xz", "SHA256SUMS"):
        shutil.copy(FOLDER / name, tmp_path / name)
    assert len(data._lines(file, tmp_path)) > 1000
    content = lzma.decompress((tmp_path / f"{file}.xz").read_bytes())
    (tmp_path / f"{file}.xz").write_bytes(lzma.compress(content[:-2] + b"9\n"))
    with pytest.raises(ValueError, match=rf"^{file} must have SHA-256 [0-9a-f]{{64}}, got [0-9a-f]{{64}}$"):
        data._lines(file, tmp_path)


def test_top_keeps_users_and_the_largest_items():
    table = ItemCounts("small", ["a", "b", "c", "d"], [[1, 5, 0, 0], [0, 0, 0, 2], [2, 0, 2, 0]])
    top = table.top(3)
    assert (top.items, top.users) == (("b", "a", "c"), 3)  # c before d, which has as many records
    assert (top.counts.toarray() == [[5, 1, 0], [0, 0, 0], [0, 2, 2]]).all()
    assert (top.sizes.tolist(), top.distinct.tolist()) == ([6, 0, 4], [2, 0, 2])
    alone = table.top(1)
    assert alone.sizes.tolist() == [5, 0, 0] and alone.name == "small, top 1"
    for d in (0, 2.5, 5):
        with pytest.raises(ValueError, match=f"^d must be .*, got {d}$"):
            table.top(d)


def test_counts_are_canonical_copied_and_read_only():
    given = csr_array(([1, 2, 0, 4], ([0, 0, 0, 1], [1, 1, 0, 0])), shape=(2, 2))
    table = ItemCounts("small", ["a", "b"], given)
    assert table.counts.toarray().tolist() == [[0, 3], [4, 0]] and table.counts.nnz == 2
    given.data[:] = 9
    assert table.sizes.tolist() == [3, 4]
    with pytest.raises(ValueError, match="read-only"):
        table.counts.data[0] = 1


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[1, 2, 3]], "counts must have shape (n, 2), n at least 1, got (1, 3)"),
        (np.zeros((0, 2), int), "counts must have shape (n, 2), n at least 1, got (0, 2)"),
        ([[1, 2.5]], "counts must be whole numbers of at least 0, got others in 1 cells"),
        ([[1, np.nan]], "counts must be whole numbers of at least 0, got others in 1 cells"),
        ([[1, -2]], "counts must be whole numbers of at least 0, got others in 1 cells"),
    ],
)
def test_impossible_counts_are_refused(counts, message):
    with pytest.raises(ValueError) as error:
        ItemCounts("faulty", ["a", "b"], counts)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("'Tis a well-known fact: Don't!", ["tis", "a", "well", "known", "fact", "don't"]),
        ("o’er 2day, naïve_one the players'", ["o'er", "day", "naïve", "one", "the", "players"]),
        ("  ", []),
    ],
)
def test_words_are_runs_of_letters(text, words):
    assert words_of(text) == words


ROWS = [
    '"0","1","Mon","NO_QUERY","ann","The cat, the hat"',
    '"4","2","Mon","NO_QUERY","bob","@ann an \xe9t\xe9"',
    '"4","3","Tue","NO_QUERY","ann","CAT"',
    '"0","4","Tue","NO_QUERY","eve","http://x.co/1"',
]


def tweets(folder, rows, packed=False):
    """Write a made training file, by itself or in an archive."""
    path = folder / TWEETS
    path.write_bytes("".join(row + "\n" for row in rows).encode("latin-1"))
    if not packed:
        return path
    archive = folder / "made.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.write(path, TWEETS)
    return archive


LINES = [
    "7\t2010-10-19T23:55:27Z\t30.2\t-97.7\t22847",
    "7\t2010-10-18T22:17:43Z\t30.3\t-97.8\tee8b",
    "9\t2010-10-17T23:42:03Z\t30.3\t-97.8\t22847",
    "7\t2010-10-17T19:26:05Z\t30.2\t-97.7\t22847",
]


def checkins(folder, lines):
    path = folder / "made.txt.gz"
    path.write_bytes(gzip.compress("".join(line + "\n" for line in lines).encode(), mtime=0))
    return path
