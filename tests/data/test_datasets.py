"""The packaged tables are the recorded ones, and a faulty table never passes."""

import shutil
from importlib import resources

import numpy as np
import pytest

from laws import same_law
from userdp_papers.data import means as datasets
from userdp_papers.data.means import (
    UserCounts,
    draw_users,
    shuffle_users,
)
from userdp_papers.data.packaged import recorded

TABLES = {
    "flights.csv": datasets.flights,
    "batting.csv": datasets.batting,
    "ratings.csv": datasets.ratings,
}


@pytest.mark.parametrize(
    ("load", "users", "records", "successes"),
    [
        (datasets.flights, 4_037, 327_346, 77_630),
        (datasets.batting, 18_220, 15_801_435, 4_118_501),
        (datasets.ratings, 2_972, 73_421, 16_921 + 15_754),
    ],
)
def test_totals_are_the_sources(load, users, records, successes):
    table = load()
    assert (table.users, table.sizes.sum(), table.successes.sum()) == (users, records, successes)


def test_the_longest_careers_are_the_public_ones():
    """Pete Rose: 4,256 hits in 14,053 at-bats, the most of both; Ty Cobb is second in hits."""
    table = datasets.batting()
    assert (table.records[-1], table.successes[-1]) == (14_053, 4_256)
    assert np.sort(table.successes)[-2] > 4_100


@pytest.mark.parametrize(
    ("load", "pooled", "mean_of_rates", "correlation"),
    [
        (datasets.flights, 0.2371, 0.2343, -0.0513),
        (datasets.batting, 0.2606, 0.1887, 0.4340),
        (datasets.ratings, 0.4450, 0.4501, -0.0739),
    ],
)
def test_facts_about_the_tables(load, pooled, mean_of_rates, correlation):
    table = load()
    assert table.successes.sum() / table.sizes.sum() == pytest.approx(pooled, abs=5e-5)
    assert table.rates.mean() == pytest.approx(mean_of_rates, abs=5e-5)
    assert np.corrcoef(np.log(table.sizes), table.rates)[0, 1] == pytest.approx(correlation, abs=5e-5)


def test_ratings_by_department_are_the_ratings():
    """14 departments; the largest has 0.13 of the ratings, and every student rated in at least one."""
    given, good = datasets.ratings_by_department()
    assert given.shape == good.shape == (2_972, 14)
    assert (good <= given).all() and good.min() == 0
    assert np.count_nonzero(given) == 16_246  # pairs of student and department in the source
    assert given.sum(axis=0).max() / given.sum() == pytest.approx(0.13, abs=0.005)
    table = datasets.ratings()
    assert (given.sum(axis=1) == table.records).all() and (good.sum(axis=1) == table.successes).all()
    assert (table.records.min(), table.records.max()) == (1, 92)


@pytest.mark.parametrize("load", TABLES.values(), ids=TABLES)
def test_rows_are_sorted_so_that_order_says_nothing(load):
    rows = list(zip(load().records.tolist(), load().successes.tolist(), strict=True))
    assert rows == sorted(rows)


@pytest.mark.parametrize("file", TABLES)
def test_a_changed_table_is_refused_with_both_digests(file, tmp_path):
    for name in (file, "SHA256SUMS"):
        shutil.copy(resources.files("userdp_papers") / "data" / name, tmp_path / name)
    datasets._table(file, tmp_path)
    content = (tmp_path / file).read_bytes()
    changed = content.replace(b",0\n", b",1\n", 1)
    assert changed != content
    (tmp_path / file).write_bytes(changed)
    with pytest.raises(ValueError, match=rf"^{file} must have SHA-256 [0-9a-f]{{64}}, got [0-9a-f]{{64}}$"):
        datasets._table(file, tmp_path)


@pytest.mark.parametrize("planted", ["0" * 64 + "  flights.csv\n", ""])
def test_a_wrong_or_missing_checksum_is_refused(planted, tmp_path):
    shutil.copy(resources.files("userdp_papers") / "data" / "flights.csv", tmp_path)
    (tmp_path / "SHA256SUMS").write_text(planted)
    with pytest.raises(ValueError, match=r"^flights\.csv must have SHA-256 (0{64}|None), got 82ea7b"):
        datasets._read("flights", "flights.csv", tmp_path)


@pytest.mark.parametrize("file", TABLES)
def test_every_table_has_a_licence_and_a_checksum(file):
    folder = resources.files("userdp_papers") / "data"
    assert (folder / file.replace(".csv", ".licence.txt")).read_text().startswith(f"Licence of {file}\n")
    assert len(recorded(file, folder)) == 64


@pytest.mark.parametrize(
    ("records", "successes", "message"),
    [
        ([[1, 2]], [1, 2], "records must be one-dimensional, got shape (1, 2)"),
        (3, [1], "records must be one-dimensional, got shape ()"),
        ([1, 2], [[1], [2]], "successes must be one-dimensional, got shape (2, 1)"),
        ([1, 2, 3], [1, 2], "records and successes must have the same length, got [3, 2]"),
        ([], [], "records must not be empty, got shape (0,)"),
        ([2, 2.5], [1, 1], "records must be 64-bit integers: see row 1"),
        ([2, 2], [1, 0.5], "successes must be 64-bit integers: see row 1"),
        ([2, np.nan], [1, 1], "records must be 64-bit integers: see row 1"),
        ([2, 2], [np.nan, 1], "successes must be 64-bit integers: see row 0"),
        ([np.inf, 2], [1, 1], "records must be 64-bit integers: see row 0"),
        ([2, 2**63], [1, 1], "records must be 64-bit integers: see row 1"),
        ([1e30, 2], [1, 1], "records must be 64-bit integers: see row 0"),
        (["2", 2], [1, 1], "records must be 64-bit integers: see row 0"),
        ([2, None], [1, 1], "records must be 64-bit integers: see row 1"),
        ([2, 2], [1, True], "successes must be 64-bit integers: see row 1"),
        ([[1], [1, 2]], [1, 1], "records must be 64-bit integers: see row 0"),
        ([4, 4, 4, 0], [1, 1, 1, 0], "records must be positive: see row 3"),
        ([4, -2], [1, 0], "records must be positive: see row 1"),
        ([4, 4], [-1, 0], "successes must not be negative: see row 0"),
        ([4, 4, 4], [4, 0, 5], "successes must not exceed records: see row 2"),
    ],
)
def test_impossible_counts_are_refused(records, successes, message):
    with pytest.raises(ValueError) as error:
        UserCounts("faulty", records, successes)
    assert str(error.value) == message


def test_rates_and_means_are_those_of_signs():
    table = UserCounts("four users", [1, 4, 4, 2.0], [0, 1, 4, 1])
    signs = [[-1], [1, -1, -1, -1], [1, 1, 1, 1], [1, -1]]
    assert table.rates.tolist() == [0, 0.25, 1, 0.5]
    assert table.means.tolist() == [np.mean(user) for user in signs]
    assert table.sizes.dtype == np.int64


def test_a_table_is_a_read_only_copy():
    records = np.array([3, 4])
    table = UserCounts("two users", records, [1, 2])
    records[0] = 0
    assert table.records[0] == 3
    with pytest.raises(ValueError, match="read-only"):
        table.records[0] = 0


def test_drawn_users_are_users_of_the_table_and_repeat():
    table = UserCounts("ten users", np.arange(1, 11), np.arange(10))
    drawn = draw_users(table, 200, np.random.default_rng(1))
    assert (drawn.users, drawn.name) == (200, "ten users, 200 drawn")
    assert (drawn.records - drawn.successes == 1).all()  # the two columns stay together
    assert set(drawn.records.tolist()) == set(range(1, 11))  # each missed with probability 7e-10


def test_the_order_of_drawn_users_says_nothing_of_them():
    """The first and the last half have one law; in the order of the table, which is by size, they do not."""
    drawn = draw_users(datasets.flights(), 4000, np.random.default_rng(3)).records
    assert same_law(drawn[:2000], drawn[2000:])
    assert not same_law(*np.split(np.sort(drawn), 2))


def test_drawn_users_follow_the_empirical_law():
    """Hoeffding on the mean of 40,000 rates in [0, 1]: off by 0.0135 with probability below 1e-6."""
    table = datasets.batting()
    drawn = draw_users(table, 40_000, np.random.default_rng(2))
    assert abs(drawn.rates.mean() - table.rates.mean()) < 0.0135
    first_half = table.rates[: table.users // 2].mean()
    assert abs(first_half - table.rates.mean()) > 0.0135  # negative control: no draw, the smaller half


def test_shuffled_users_are_the_same_users_in_another_order():
    table = datasets.flights()
    shuffled = shuffle_users(table, np.random.default_rng(1))
    assert shuffled.records.tolist() != table.records.tolist()
    rows = zip(shuffled.records.tolist(), shuffled.successes.tolist(), strict=True)
    assert sorted(rows) == list(zip(table.records.tolist(), table.successes.tolist(), strict=True))


# --- the file behind Kent et al.'s Figure 4, made small ------------------------------------------

HEADER = "raw_row_number,date,district,officer_id_hash,subject_race,contraband_found,search_conducted"


def stop(officer, day="2015-03-01", district="A", race="white", searched="FALSE"):
    """One row of the file; no contraband is recorded where nothing was searched."""
    return f"7,{day},{district},{officer},{race},NA,{searched}"


@pytest.fixture
def stops_file(tmp_path):
    def make(*rows, header=HEADER):
        path = tmp_path / "tx.csv"
        path.write_text("\n".join([header, *rows]) + "\n")
        return path

    return make
