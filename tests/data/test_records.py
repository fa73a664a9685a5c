"""From records to users: aligned by label, clipped, shuffled, and loud where something would go wrong."""

import os
import subprocess
import sys
import traceback
from functools import partial

import numpy as np
import pandas as pd
import pytest

import bench
from userdp import plan
from userdp.tables import user_means, user_table

STARS = {"user": "who", "value": "stars", "domain": (0, 5)}
FRAME = pd.DataFrame({"who": ["b", "a", "b", "c"], "stars": [4.0, 1.0, 2.0, 99.0]}, index=[7, 7, 3, 0])


def by_size(users):
    return sorted(zip(users.sizes.tolist(), users.means.tolist(), strict=True))


@pytest.mark.parametrize("records", [FRAME, FRAME.to_dict("list"), FRAME.sample(frac=1, random_state=1)])
def test_users_are_averaged_by_label_and_clipped(records):
    users = user_means(records, user="who", value="stars", domain=(0, 5), rng=np.random.default_rng(1))
    assert by_size(users) == [(1, 1.0), (1, 5.0), (2, 3.0)]


def test_users_come_in_random_order():
    records = {"who": np.repeat(np.arange(50), np.arange(50) + 1), "stars": np.zeros(1275)}
    first, second = (
        user_means(records, user="who", value="stars", domain=(0, 5), rng=np.random.default_rng(seed))
        for seed in (1, 2)
    )
    with pytest.raises(TypeError, match="rng must be a numpy.random.Generator"):
        user_means(records, rng=1, **STARS)
    assert (first.sizes != second.sizes).any() and (np.diff(first.sizes) < 0).any()
    assert sorted(first.sizes) == list(range(1, 51))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e300, -1e300])
def test_a_wild_value_is_moved_into_the_domain(value):
    records = {"who": ["a"], "stars": [value]}
    users = user_means(records, missing="low", rng=np.random.default_rng(1), **STARS)
    assert users.means[0] in (0.0, 5.0)


@pytest.mark.parametrize(
    "change, error, words",
    [
        ({"who": ["a", None, "b"]}, ValueError, "who must be present: see row 1"),
        ({"who": ["a"] * 200 + [None]}, ValueError, "who must be present: see row 200"),
        ({"who": np.array(["a", "", "b"])}, ValueError, "who must be present: see row 1"),
        ({"who": np.array([1.5, np.nan, 2.0])}, ValueError, "who must be present: see row 1"),
        ({"stars": [1.0, 2.0, np.nan]}, ValueError, "missing must be 'drop' or 'low'"),
        ({"stars": ["1", "2", "3"]}, TypeError, "stars must be a column of numbers"),
        ({"stars": [1.0, 2.0]}, TypeError, "stars must be a column of numbers"),
    ],
)
def test_what_would_silently_go_wrong_is_refused(change, error, words):
    records = {"who": ["a", "a", "b"], "stars": [1.0, 2.0, 3.0]} | change
    with pytest.raises(error, match=f"^{words}"):
        user_means(records, user="who", value="stars", domain=(0, 5), rng=np.random.default_rng(1))


def test_a_table_counts_public_items_only():
    visits = {"who": [1, 2, 1, 1], "page": ["x", "y", "x", "secret"]}
    assert user_table(visits, user="who", item="page", items=["x", "y"]).toarray().tolist() == [
        [2, 0],
        [0, 1],
    ]
    with pytest.raises(ValueError, match="items must differ"):
        user_table(visits, user="who", item="page", items=["x", "x"])


def test_from_records_to_an_answer():
    rng = np.random.default_rng(1)
    who = np.repeat(np.arange(4000), 50)
    records = pd.DataFrame({"who": who, "stars": rng.binomial(5, 0.7, who.size)})
    users = user_means(records, user="who", value="stars", domain=(0, 5), rng=rng)
    ranking = plan(n=4000, sizes=50, epsilon=1.0, domain=(0, 5))
    found = ranking[0].run(users, rng=rng)
    assert found.guarantee.epsilon == 1.0
    assert abs(found.value - records.stars.mean()) < 6 * ranking[0].error


# a table on disk


def the_engine():
    return pytest.importorskip("duckdb", reason="DuckDB is in the extras tables and test")


def on_disk(folder, select):
    path = folder / "records.parquet"
    with the_engine().connect() as engine:
        engine.sql(select).write_parquet(str(path))
    return path


def test_a_million_records_on_disk_are_averaged_as_in_memory(tmp_path):
    duckdb = the_engine()
    bench.write_records(tmp_path / "records.parquet", 10**6, 5000)
    with duckdb.connect() as engine:
        held = engine.read_parquet(str(tmp_path / "records.parquet")).fetchnumpy()
    assert held["stars"].mask.any() and held["stars"].min() < 0 and held["stars"].max() > 5
    records = {"who": held["who"].astype(int), "stars": held["stars"].filled(np.nan)}
    path, memory = (
        user_means(table, missing="low", rng=np.random.default_rng(4), **STARS)
        for table in (tmp_path / "records.parquet", records)
    )
    assert np.array_equal(path.sizes, memory.sizes) and path.means.size == 5000
    np.testing.assert_allclose(path.means, memory.means, rtol=1e-12)


def test_items_on_disk_are_counted_in_several_readings(tmp_path, monkeypatch):
    """The last reading has one item; the labels have quotes, and some users hold none of the items."""
    rng = np.random.default_rng(2)
    labels = np.array([f"o'{i}" for i in range(9)])
    visits = {"who": rng.choice([f"{i:02}" for i in range(40)], 500), "page": rng.choice(labels, 500)}
    visits["page"][visits["who"] < "03"] = labels[8]
    pd.DataFrame(visits).to_csv(tmp_path / "visits.csv", index=False)
    named = {"user": "who", "item": "page", "items": [*labels[:7]]}
    held = user_table(visits, **named).toarray()
    for readings in (3, 64):
        monkeypatch.setattr("userdp.tables.records.ITEMS_AT_ONCE", readings)
        found = user_table(tmp_path / "visits.csv", **named).toarray()
        assert np.array_equal(found, held) and not held[:3].any() and found.dtype == np.int64
    assert user_table(tmp_path / "visits.csv", **named | {"items": []}).shape == (40, 0)


# Users, items and their memory in MiB, of a process alone.
COUNT = r"""
import re, sys
from userdp.tables import user_table
table = sys.argv[1]
if sys.argv[2] == "memory":
    import pandas
    table = pandas.read_csv(table)
counts = user_table(table, user="who", item="page", items=[f"p{i}" for i in range(30)])
print(counts.sum(), int(re.search(r"VmHWM:\s+(\d+)", open("/proc/self/status").read())[1]) // 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="no peak of memory to read")
def test_counting_two_million_lines_takes_less_than_200_mib(tmp_path):
    path, lines = tmp_path / "visits.csv", 2 * 10**6
    with the_engine().connect() as engine:
        who, page = "'u' || (hash(i) % 50000)", "'p' || (hash(i + 0.5) % 30)"
        engine.sql(f"select {who} who, {page} page from range({lines}) t(i)").write_csv(str(path))
    for way in ("path", "memory"):
        run = [sys.executable, "-c", COUNT, path, way]
        counted, peak = map(
            int, subprocess.run(run, check=True, capture_output=True, text=True).stdout.split()
        )
        assert counted == lines and (peak < 200) == (way == "path")


def test_memory_is_that_of_a_process_of_its_own(tmp_path):
    the_engine()
    peak = bench.memory(10**5)
    assert 10 < peak < bench.MOST_MEMORY
    assert bench.memory_line(peak).endswith("reached") and bench.memory_line(3000).endswith("MISSED")


def test_wild_values_on_disk_are_moved_into_the_domain(tmp_path):
    rows = "(1, 'nan'::double), (2, 'inf'), (3, '-inf'), (4, null), (5, 1e300), (6, 4), (6, -9)"
    users = user_means(
        on_disk(tmp_path, f'select * from (values {rows}) t(who, "stars")'),
        missing="low",
        rng=np.random.default_rng(1),
        **STARS,
    )
    assert by_size(users) == [(1, 0.0), (1, 0.0), (1, 0.0), (1, 5.0), (1, 5.0), (2, 2.0)]


@pytest.mark.parametrize(
    "select, error, words",
    [
        ("select null::int who, 1.0 stars", ValueError, "who must be present in all rows"),
        ("select '' who, 1.0 stars", ValueError, "who must be present"),
        ("from (values ('', 1.0), ('a', 2.0)) t(who, stars)", ValueError, "who must be present"),
        ("select 'a' who, '1' stars", TypeError, "stars must be a column of numbers, got dtype object"),
        (
            "select 'a' who, 1.0 stars where false",
            ValueError,
            "who must be present in all rows, and in one at least",
        ),
        ("select 'a' who, 1.0 points", ValueError, "records must have a column 'stars', got the columns"),
    ],
)
def test_what_would_go_wrong_on_disk_is_refused(tmp_path, select, error, words):
    with pytest.raises(error, match=words):
        user_means(on_disk(tmp_path, select), rng=np.random.default_rng(1), **STARS)


# the same table by every door: user c holds nothing, one value of a and one of b is missing

WHO = ["a", "b", "a", "c", "b", "b"]
GIVEN, GONE = [4.0, 1.0, 0.0, 0.0, 9.0, 0.0], [False, False, True, True, False, True]
PAGES = ["x", "y", "secret", "x", "x", "x"]


def columns(gone):
    """The table with something in the place of each missing value."""
    return {
        "who": WHO,
        "stars": [gone if out else x for x, out in zip(GIVEN, GONE, strict=True)],
        "page": PAGES,
    }


def by_door(door, folder):
    if door == "masked dictionary":
        values = {name: np.ma.array(column) for name, column in columns(0.0).items()}
        return values | {"stars": np.ma.array(GIVEN, mask=GONE)}
    if door in ("pandas", "dictionary"):
        return pd.DataFrame(columns(np.nan)) if door == "pandas" else columns(np.nan)
    if door in ("polars", "pyarrow"):
        kind = pytest.importorskip(door, reason="in no extra: tried where it is installed")
        return kind.DataFrame(columns(None)) if door == "polars" else kind.table(columns(None))
    if door.startswith("ibis"):
        return in_a_warehouse(door.split()[1], pd.DataFrame(columns(None)))
    duckdb, frame, path = the_engine(), pd.DataFrame(columns(None)), folder / f"records.{door}"
    if door == "csv":
        frame.to_csv(path, index=False)
        return path
    relation = duckdb.from_df(frame)
    if door == "relation":
        return relation
    relation.write_parquet(str(path))
    return str(path)


def in_a_warehouse(engine, frame):
    ibis = pytest.importorskip("ibis", reason="tried in an environment of its own")
    return getattr(ibis, engine).connect().create_table("records", frame)


ENGINES = "duckdb", "sqlite"
every_door = pytest.mark.parametrize(
    "door",
    ["dictionary", "masked dictionary", "pandas", "polars", "pyarrow", "relation", "csv", "parquet"]
    + [f"ibis {engine}" for engine in ENGINES],
)


@every_door
def test_a_table_is_the_same_by_every_door(door, tmp_path):
    table, rng = by_door(door, tmp_path), np.random.default_rng(1)
    for missing, silent, expected in [
        ("low", "refuse", [(1, 0.0), (2, 2.0), (3, 2.0)]),
        ("drop", "abstain", [(1, 4.0), (2, 3.0)]),
        ("drop", "low", [(0, 0.0), (1, 4.0), (2, 3.0)]),
    ]:
        found = user_means(table, missing=missing, silent=silent, rng=rng, **STARS)
        assert by_size(found) == expected
    with pytest.raises(ValueError, match="^missing must be 'drop' or 'low' where stars is missing"):
        user_means(table, rng=rng, **STARS)
    with pytest.raises(ValueError, match="^silent must be 'abstain' or 'low' where a who has no records"):
        user_means(table, missing="drop", rng=rng, **STARS)
    counted = user_table(table, user="who", item="page", items=["y", "x", "unseen"])
    assert counted.toarray().tolist() == [[0, 1, 0], [1, 2, 0], [0, 1, 0]]
    for ask in (
        partial(user_table, items=["x"], item="no"),
        partial(user_means, value="no", domain=(0, 5), rng=rng),
    ):
        with pytest.raises(ValueError, match="records must .* a column 'no'"):
            ask(table, user="who")


PRIVATE = "Ms Smith"


@pytest.mark.parametrize(
    "text",
    [
        f"who,stars\na,{PRIVATE}\n",
        f"who,stars\na,1\n{PRIVATE},1,2\n",
        f'who,stars\n"{PRIVATE},1\n',
        f"who\n{PRIVATE}\n",
    ],
    ids=["no number", "too long", "open quote", "no column"],
)
def test_a_faulty_file_is_refused_and_not_quoted(text, tmp_path):
    the_engine()
    path = tmp_path / "records.csv"
    path.write_text(text)
    with pytest.raises((ValueError, TypeError), match="must ") as refused:
        user_means(path, rng=np.random.default_rng(1), **STARS)
    assert PRIVATE not in "".join(traceback.format_exception(refused.value))
    path.write_text(f"who,stars\na,1\nb,{PRIVATE}\n")
    with pytest.raises(TypeError, match="^stars must be a column of numbers, got text"):
        user_means(path, missing="drop", rng=np.random.default_rng(1), **STARS)


@pytest.mark.parametrize("end", ["csv", "parquet"])
def test_a_file_that_is_not_there_is_named(end):
    the_engine()
    with pytest.raises(
        FileNotFoundError, match=f"records must be a file that can be read, got no/file.{end}"
    ):
        user_means(f"no/file.{end}", rng=np.random.default_rng(1), **STARS)


def test_labels_in_a_csv_file_are_text(tmp_path):
    """007 and 7 are two users, as are 1 and "1" where a column can hold both: there they are refused."""
    the_engine()
    path = tmp_path / "records.csv"
    path.write_text("who,stars\n007,1\n7,3\n")
    assert by_size(user_means(path, rng=np.random.default_rng(1), **STARS)) == [(1, 1.0), (1, 3.0)]
    with pytest.raises(ValueError, match="who must differ in more than type"):
        user_means({"who": [1, "1"], "stars": [1, 3]}, rng=np.random.default_rng(1), **STARS)


def test_a_masked_user_is_no_user():
    records = {"who": np.ma.array([1, 2], mask=[False, True]), "stars": [1.0, 2.0]}
    with pytest.raises(ValueError, match="who must be present: see row 1"):
        user_means(records, rng=np.random.default_rng(1), **STARS)


def test_names_of_columns_are_no_queries(tmp_path):
    odd = 'st"ars; drop'
    path = on_disk(tmp_path, 'select 1 who, 2.0 as "st""ars; drop"')
    users = user_means(path, user="who", value=odd, domain=(0, 5), rng=np.random.default_rng(1))
    assert users.means.tolist() == [2.0]


def test_without_the_engine_its_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'userdp\[tables\]'"):
        user_means("records.parquet", rng=np.random.default_rng(1), **STARS)


# tables of ibis, averaged where they are


@pytest.mark.parametrize("engine", ENGINES)
def test_of_a_table_of_ibis_one_row_per_user_comes_back_and_no_label(engine, monkeypatch):
    from userdp.tables import warehouse

    users, answers = 500, []
    rng = np.random.default_rng(3)
    who, stars = rng.permutation(np.repeat(np.arange(users), 20)), rng.uniform(-1, 6, users * 20)
    frame = pd.DataFrame({"who": who, "stars": stars, "page": who % 3})
    table, fetched = in_a_warehouse(engine, frame), warehouse._fetched
    monkeypatch.setattr(warehouse, "_fetched", lambda rows: answers.append(fetched(rows)) or answers[-1])
    there, here = (user_means(one, rng=np.random.default_rng(4), **STARS) for one in (table, frame))
    np.testing.assert_allclose(by_size(there), by_size(here), rtol=1e-12)
    assert [*answers[0]] == ["mean", "size", "records", "absent"] and answers[0]["mean"].size == users
    items = {"user": "who", "item": "page", "items": [2, 0]}
    held = {name: frame[name].to_numpy() for name in frame}
    assert (user_table(table, **items) != user_table(held, **items)).nnz == 0
    assert answers[1]["records"].size == users  # each has one page


@pytest.mark.parametrize("engine", ENGINES)
def test_a_faulty_table_of_ibis_is_refused_and_not_quoted(engine):
    rng = np.random.default_rng(1)
    for frame, words in (
        ({"who": ["a", None], "stars": [1.0, 2.0]}, "who must be present in all rows"),
        ({"who": ["a", ""], "stars": [1.0, 2.0]}, "who must be present in all rows"),
        ({"who": [1.5, np.nan], "stars": [1.0, 2.0]}, "who must be present in all rows"),
        ({"who": ["a"], "stars": [PRIVATE]}, "stars must be a column of numbers, got string"),
    ):
        with pytest.raises((ValueError, TypeError), match=words) as refused:
            user_means(in_a_warehouse(engine, pd.DataFrame(frame)), rng=rng, **STARS)
        assert PRIVATE not in "".join(traceback.format_exception(refused.value))
    table = in_a_warehouse(engine, FRAME)
    table.get_backend().drop_table("records")
    with pytest.raises(ValueError, match="records must be a table that answers, got ") as refused:
        user_means(table, rng=rng, **STARS)
    assert refused.value.__suppress_context__


@pytest.mark.slow
def test_in_an_environment_of_its_own_ibis_asks_two_engines(root):
    """Its engines need Arrow, which changes how pandas keeps text: it lies beside what the pages import."""
    folder = root / ".venv/ibis"
    if not (folder / ".ready").exists():
        pytest.skip("`make test` makes .venv/ibis")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-k",
        "ibis and not own",
        __file__,
    ]
    own = {**os.environ, "PYTHONPATH": str(folder), "PYTEST_ADDOPTS": ""}
    said = subprocess.run(command, cwd=root, env=own, capture_output=True, text=True)
    assert said.returncode == 0 and "6 passed" in said.stdout and "skipped" not in said.stdout, said.stdout
