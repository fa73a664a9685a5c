"""From records to users: aligned by label, clipped, shuffled, and loud where something would go wrong."""

import sys

import numpy as np
import pandas as pd
import pytest

import bench
from userdp import plan
from userdp.tables import user_means, user_table

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
    assert (first.sizes != second.sizes).any() and (np.diff(first.sizes) < 0).any()
    assert sorted(first.sizes) == list(range(1, 51))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e300, -1e300])
def test_a_wild_value_is_moved_into_the_domain(value):
    records = {"who": ["a"], "stars": [value]}
    users = user_means(records, user="who", value="stars", domain=(0, 5), rng=np.random.default_rng(1))
    assert users.means[0] in (0.0, 5.0)


@pytest.mark.parametrize(
    "change, error, words",
    [
        ({"who": ["a", None, "b"]}, ValueError, "who must be present, got None in row 1"),
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

STARS = {"user": "who", "value": "stars", "domain": (0, 5)}


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
        user_means(table, rng=np.random.default_rng(4), **STARS)
        for table in (tmp_path / "records.parquet", records)
    )
    assert np.array_equal(path.sizes, memory.sizes) and path.means.size == 5000
    np.testing.assert_allclose(path.means, memory.means, rtol=1e-12)


def test_memory_is_that_of_a_process_of_its_own(tmp_path):
    the_engine()
    peak = bench.memory(10**5)
    assert 10 < peak < bench.MOST_MEMORY
    assert bench.memory_line(peak).endswith("reached") and bench.memory_line(3000).endswith("MISSED")


def test_wild_values_on_disk_are_moved_into_the_domain(tmp_path):
    rows = "(1, 'nan'::double), (2, 'inf'), (3, '-inf'), (4, null), (5, 1e300), (6, 4), (6, -9)"
    users = user_means(
        on_disk(tmp_path, f'select * from (values {rows}) t(who, "stars")'),
        rng=np.random.default_rng(1),
        **STARS,
    )
    assert by_size(users) == [(1, 0.0), (1, 0.0), (1, 0.0), (1, 5.0), (1, 5.0), (2, 2.0)]


@pytest.mark.parametrize(
    "select, error, words",
    [
        ("select null::int who, 1.0 stars", ValueError, "who must be present, got 1 rows without"),
        ("select '' who, 1.0 stars", ValueError, "who must be present"),
        ("select 'a' who, '1' stars", TypeError, "stars must be a column of numbers, got dtype object"),
        ("select 'a' who, 1.0 stars where false", ValueError, "who must not be empty"),
        ("select 'a' who, 1.0 points", KeyError, "stars"),
    ],
)
def test_what_would_go_wrong_on_disk_is_refused(tmp_path, select, error, words):
    with pytest.raises(error, match=words):
        user_means(on_disk(tmp_path, select), rng=np.random.default_rng(1), **STARS)


def test_names_of_columns_are_no_queries(tmp_path):
    odd = 'st"ars; drop'
    path = on_disk(tmp_path, 'select 1 who, 2.0 as "st""ars; drop"')
    users = user_means(path, user="who", value=odd, domain=(0, 5), rng=np.random.default_rng(1))
    assert users.means.tolist() == [2.0]


def test_without_the_engine_its_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'userdp\[tables\]'"):
        user_means("records.parquet", rng=np.random.default_rng(1), **STARS)
