"""Awkward data and extreme sizes: each gets the right answer, or a refusal that names what is wrong."""

import copy
import pickle
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from good_calls import COUNTS, MEANS, SIZES, call, good
from test_bad_calls import answer
from userdp import central, local, planning, privacy, sizes, tables
from userdp.tables.records import user_means
from userdp_papers.data.means import UserCounts
from userdp_papers.theory import exact
from userdp_papers.theory.exact import vote_law


def rng():
    return np.random.default_rng(1)


# --- arrays that are kept -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "kept",
    [
        lambda: vote_law(5, 1.0),
        lambda: exact.sign_means(0.1, 100).probabilities,
        lambda: exact.sign_means(0.1, 100).values,
        lambda: sizes.two_point_sizes(1, 9, 0.5).values,
        lambda: sizes.two_point_sizes(1, 9, 0.5).probabilities,
        lambda: local.Hashes.draw(9, 3, rng()).balance,
        lambda: call("central.surrogate_curve", good("central.surrogate_curve")).pulls,
    ],
)
def test_what_is_kept_cannot_be_spoilt(kept):
    with pytest.raises(ValueError, match="read-only"):
        kept()[:] = 0


TABLES = [
    UserCounts("x", [4, 1], [3, 0]),
    tables.ItemCounts("x", ("a", "b"), [[1, 0], [2, 3]], labels=("u", "v")),
]


@pytest.mark.parametrize("again", [copy.deepcopy, copy.copy, lambda x: pickle.loads(pickle.dumps(x))])
@pytest.mark.parametrize("table", TABLES, ids=lambda table: type(table).__name__)
def test_a_copied_table_is_read_only_as_well(table, again):
    found = again(table)
    arrays = (found.records, found.successes) if isinstance(table, UserCounts) else (found.counts.data,)
    assert not any(array.flags.writeable for array in arrays)
    assert repr(found) == repr(table)


# --- columns with an index, masks, strides ---------------------------------------------------------------
INDICES = {"reversed": range(N := len(MEANS), 0, -1), "equal": [7] * N, "text": [f"u{i}" for i in range(N)]}
MEAN_OF = {
    "uniform": lambda means, held: central.uniform_mean(means, epsilon=1.0, rng=rng()),
    "realistic": lambda means, held: central.realistic_mean(means, held, epsilon=1.0, rng=rng()),
    "dame": lambda means, held: local.dame(
        means, held, size_law=sizes.uniform_sizes(1, 30), size_cap=20, epsilon=1.0, rng=rng()
    ),
    "first": lambda means, held: central.first_records(np.full(N, 0.5), held * 2, 1, rng()).sum(),
}


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


LAYOUTS = {name: lambda x, index=index: pd.Series(x, index=index) for name, index in INDICES.items()}
LAYOUTS |= {
    "read-only": read_only,
    "strided": lambda x: np.repeat(x, 3)[::3],
    "backwards": lambda x: x[::-1].copy()[::-1],
    "objects": lambda x: x.astype(object),
    "big-endian": lambda x: x.astype(x.dtype.newbyteorder(">")),
    "nullable": lambda x: pd.Series(x).convert_dtypes(),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", MEAN_OF)
def test_a_column_is_taken_by_position_whatever_its_layout(name, layout):
    made = LAYOUTS[layout]
    held = SIZES if layout in ("objects", "nullable") else made(SIZES)
    if (name, layout) == ("dame", "objects"):
        with pytest.raises(TypeError, match="means must be real numbers, got dtype object"):
            MEAN_OF[name](made(MEANS), held)
        return
    one, other = MEAN_OF[name](MEANS, SIZES), MEAN_OF[name](made(MEANS), held)
    assert getattr(one, "value", one) == getattr(other, "value", other)


def test_polars_columns_are_taken_too():
    polars = pytest.importorskip("polars")
    found = central.uniform_mean(polars.Series(MEANS), epsilon=1.0, rng=rng())
    assert found.value == central.uniform_mean(MEANS, epsilon=1.0, rng=rng()).value


def test_candidates_with_an_index_are_taken_by_position():
    options = {"largest": 20.0, "release_epsilon": 5.0, "epsilon": 9.0}
    bounds = np.array([1.0, 3.0, 19.0])
    for index in ([2, 1, 0], [5, 5, 5], list("abc")):
        chosen = [
            central.exponential_bound(COUNTS, bounds=each, rng=rng(), **options).value
            for each in (bounds, pd.Series(bounds, index=index))
        ]
        assert chosen[0] == chosen[1]
    scores = pd.Series([0.9, 0.1, 0.8], index=[2, 1, 0])
    assert local.select_coordinates(scores, 2).tolist() == [0, 2]


def test_a_masked_array_is_called_by_its_name():
    with pytest.raises(TypeError, match="means must be real numbers, got a masked array"):
        central.uniform_mean(np.ma.masked_equal(MEANS, MEANS[0]), epsilon=1.0, rng=rng())


# --- users by their labels -------------------------------------------------------------------------------
@pytest.mark.parametrize("pair", [(1, "1"), (True, "True"), (1, True), (1, 1.0), ("None", "None ")])
def test_labels_that_differ_in_type_alone_are_refused_and_others_are_two_users(pair):
    records = {"who": np.array(pair, dtype=object), "x": np.array([0.0, 1.0])}
    if pair[0] == "None":
        assert user_means(records, user="who", value="x", domain=(0, 1), rng=rng()).sizes.tolist() == [1, 1]
    else:
        with pytest.raises(ValueError, match="who must differ in more than type: see row 0"):
            user_means(records, user="who", value="x", domain=(0, 1), rng=rng())


def test_a_nul_at_the_end_of_a_label_makes_another_user_and_tuples_are_labels():
    for labels in (["a", "a\0"], [("a", 1), ("a", 2)]):
        column = np.empty(2, dtype=object)
        column[:] = labels
        records = {"who": column, "x": np.array([0.0, 1.0])}
        assert user_means(records, user="who", value="x", domain=(0, 1), rng=rng()).sizes.tolist() == [1, 1]


def test_a_missing_column_is_named():
    for records in ({"x": [1.0]}, pd.DataFrame({"x": [1.0]}), 3):
        with pytest.raises(ValueError, match="records must be a table with a column 'who'"):
            user_means(records, user="who", value="x", domain=(0, 1), rng=rng())


def test_a_user_called_nan_is_a_user_in_memory_and_on_disk(tmp_path):
    duckdb, path = pytest.importorskip("duckdb"), tmp_path / "records.parquet"
    frame = pd.DataFrame({"who": ["nan", "b"], "x": [0.25, 0.75]})
    duckdb.from_df(frame).write_parquet(str(path))
    for records in (frame, path):
        assert user_means(records, user="who", value="x", domain=(0, 1), rng=rng()).sizes.tolist() == [1, 1]
    duckdb.sql("select 'nan'::double who, 0.25 x").write_parquet(str(path))
    with pytest.raises(ValueError, match="who must be present"):
        user_means(path, user="who", value="x", domain=(0, 1), rng=rng())


# --- tables of counts ------------------------------------------------------------------------------------
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("kind", [np.int8, np.int64, float])
def test_entries_of_one_cell_add_up(form, kind):
    parts = np.array([5, -2, 100, 100, 27], dtype=kind), np.array([0, 0, 1, 1, 1]), np.array([0, 2, 5])
    stored = sparse.csr_array(parts, shape=(2, 2))
    if form != "csr":
        rows = np.repeat([0, 1], np.diff(stored.indptr))
        stored = sparse.coo_array((stored.data, (rows, stored.indices)), shape=(2, 2))
    stored = sparse.csc_array(stored.astype(float)) if form == "csc" else stored
    plain = np.array([[3, 0], [0, 227]])
    assert np.array_equal(central.clipped_totals(stored, [500], norm=1), [plain.sum(0)])
    assert np.array_equal(central.nested_totals(stored, [500], rng()), [plain.sum(0)])
    good_table = sparse.coo_array((np.array([100, 100, 27], np.int8), ([1, 1, 1], [1, 1, 1])), shape=(2, 2))
    assert tables.ItemCounts("x", ("a", "b"), good_table).counts.toarray()[1, 1] == 227


def test_labels_are_one_a_user():
    with pytest.raises(ValueError, match="labels must be one a user, 1, got 3"):
        tables.ItemCounts("n", ("a",), [[1]], labels=("u", "v", "w"))


# --- vectors, rates, domains -----------------------------------------------------------------------------
def test_long_rows_keep_their_direction():
    x = np.array([[3.0, 0.3], [0.3, 0.4], [1e200, -1e200], [0.9, 0.9], [np.nan, 2.0]])
    lengths = np.maximum(np.hypot(*(x[:3] / [[1], [1], [1e200]]).T), [1, 1, 1])
    expected = x[:3] / [[1], [1], [1e200]] / lengths[:, None]
    found = privacy.to_unit_ball(x)
    np.testing.assert_allclose(found[:3], expected, rtol=1e-14)
    np.testing.assert_allclose(found[3:], [[0.5**0.5, 0.5**0.5], [0.0, 1.0]], rtol=1e-14)
    assert np.isfinite(privacy.to_unit_ball([[np.inf, 1.0], [-np.inf, np.inf]])).all()


def test_a_rate_is_no_negative_number_and_an_infinite_one_clips_all():
    assert central.clipped_poisson_mean(np.inf, 3) == 3.0
    for rate in (-1.0, np.nan, [1.0, -1e-9]):
        with pytest.raises(ValueError, match="rate must be at least 0"):
            central.clipped_poisson_mean(rate, 3)


@pytest.mark.parametrize("sparsity", [-1, 1.5, np.int8(-1)])
def test_no_negative_number_of_coordinates_is_selected(sparsity):
    with pytest.raises(ValueError, match="sparsity must be a whole number of at least 0"):
        local.select_coordinates(np.ones(3), sparsity)


def test_a_domain_longer_than_any_number_is_refused():
    with pytest.raises(ValueError, match="the length of domain must be a finite number"):
        central.uniform_mean(MEANS, epsilon=1.0, domain=(-1e308, 1e308), rng=rng())


def test_guarantees_come_one_by_one():
    with pytest.raises(TypeError, match="guarantees must be Guarantee values, one by one, got list"):
        privacy.sequential([privacy.Guarantee(1.0)])


# --- extreme sizes ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("mean", [0.0, 0.5, 0.9, 1.0])
def test_whether_sizes_are_too_large_does_not_depend_on_private_means(mean):
    held = np.full(100, 1_500_000_000)
    with pytest.raises(ValueError, match="sizes of whom the variance is estimated must be in"):
        central.realistic_mean(np.full(100, mean), held, epsilon=1.0, rng=rng())
    assert central.realistic_mean(np.full(100, mean), held, epsilon=1.0, variance=0.01, rng=rng()).scale > 0


def peak(action):
    """Bytes that a call takes at most, and its answer."""
    tracemalloc.start()
    try:
        found = action()
        return tracemalloc.get_traced_memory()[1], found
    finally:
        tracemalloc.stop()


def test_a_report_takes_the_memory_of_a_report():
    taken, report = peak(lambda: privacy.KaryResponse(30_000, 1.0).privatise([0], rng()))
    assert report.sum() == 1 and taken < 10**7  # k^2 numbers are 7e9


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("privacy.order_statistic", {"largest": 2 * 10**8}),
        ("privacy.order_statistic_law", {"largest": 2 * 10**8}),
        ("central.private_size_mean", {"largest_size": 10**10}),
        ("sizes.poisson_sizes", {"rate": 1e8}),
        ("sizes.uniform_sizes", {"high": 10**8}),
        ("sizes.binomial_sizes", {"trials": 10**8}),
        ("exact.miss_probability", {"n": 10**8}),
        ("exact.two_point_risk", {"n": 10**8}),
        ("populations.exceedance", {"m": 10**8}),
    ],
)
def test_what_would_fill_the_memory_is_refused_before_any_is_taken(name, values):
    """An array of ten million numbers is made, one of a hundred million is not begun."""
    taken, said = peak(lambda: answer(name, good(name) | values)[1])
    assert isinstance(said, ValueError) and taken < 10**7
    assert any(f"{key} must be" in str(said) for key in (*values, "largest")), said


def test_a_cover_of_too_many_balls_is_refused_before_any_is_placed():
    taken, said = peak(lambda: pytest.raises(ValueError, local.Cover.on_cube, 9, 9))
    assert said.match("cells must be in") and taken < 10**7
    assert local.Cover.on_cube(3, 9).count == 729


def test_users_with_many_records_take_no_memory_for_each_record():
    counts = np.full((300, 10), 100_000)
    options = {"bound": 5, "epsilon": 9.0, "delta": 1e-6}
    taken, found = peak(lambda: central.unbounded_histogram(counts, rng=rng(), **options))
    assert taken < 10**8 and found.value.sum() == pytest.approx(1500, abs=100)


def test_blocks_of_users_have_the_totals_of_all(monkeypatch):
    """In blocks the same records are drawn, as a random number comes for each in turn."""
    expected = central.nested_totals(COUNTS, [1, 2, 9], rng())
    monkeypatch.setattr("userdp.central.unknown_domain.AT_ONCE", 50)
    assert np.array_equal(central.nested_totals(COUNTS, [1, 2, 9], rng()), expected)
    # where a user holds more than the largest bound, so many are drawn first: of the same distribution
    many = [central.nested_totals(COUNTS, [2], np.random.default_rng(seed))[0] for seed in range(400)]
    share = np.minimum(2 / COUNTS.sum(1), 1) @ COUNTS
    assert np.abs(np.mean(many, axis=0) - share).max() < 6 * np.sqrt(N / 4 / 400)


def test_users_are_halved_by_their_number_and_not_by_their_items(monkeypatch):
    """One user with two thirds of the items leaves half of the users on either side."""
    counts = np.zeros((31, 60), dtype=int)
    counts[0], counts[1:, 0] = 1, 1
    expected = central.nested_totals(counts, [1, 60], rng())
    monkeypatch.setattr("userdp.central.unknown_domain.AT_ONCE", 70)
    assert np.array_equal(central.nested_totals(counts, [1, 60], rng()), expected)


@pytest.mark.parametrize("given", [np.int64(50), 50.0, np.float32(50)])
def test_sizes_of_a_plan_may_be_any_whole_number(given):
    one, other = (planning.plan(n=1000, sizes=each, epsilon=1.0)[0].error for each in (50, given))
    assert one == other


def test_estimates_are_told_apart_without_a_look_at_their_arrays():
    """The truth value of an array is no answer to whether two estimates are one."""
    one, other = (central.uniform_mean(MEANS, epsilon=1.0, rng=rng()) for _ in range(2))
    assert one == one and one != other and len({one, other}) == 2
