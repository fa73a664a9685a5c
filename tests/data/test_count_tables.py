"""A table is read to the matrix that a plain loop gives, and every fault is named with its column and row."""

import re
from collections import Counter

import numpy as np
import pytest

from userdp.central.histogram import clip
from userdp.central.unknown_domain import nested_totals
from userdp.tables.counts import count_table, from_csv

USERS = ["b", "a", "b", "c", "b"]
ITEMS = ["x", "y", "x", "z", "y"]


def says(text):
    return pytest.raises(ValueError, match=re.escape(text))


@pytest.fixture
def csv_file(tmp_path):
    def write(text, encoding="utf-8"):
        path = tmp_path / "table.csv"
        path.write_bytes(text.encode(encoding))
        return path

    return write


def test_each_record_counts_once():
    table = count_table(USERS, ITEMS)
    assert table.labels == ("a", "b", "c") and table.items == ("x", "y", "z") and table.users == 3
    assert table.counts.toarray().tolist() == [[0, 1, 0], [2, 1, 0], [0, 0, 1]]
    assert table.sizes.tolist() == [1, 3, 1]
    assert table.counts.dtype == np.int64 and table.counts.has_canonical_format


@pytest.mark.parametrize("seed", range(5))
def test_same_as_a_plain_count(seed):
    rng = np.random.default_rng(seed)
    users, items, counts = rng.integers(9, size=300), rng.integers(50, size=300), rng.integers(4, size=300)
    table = count_table(users, items, counts, domain=range(50))
    expected = Counter()
    for user, item, count in zip(users.tolist(), items.tolist(), counts.tolist(), strict=True):
        expected[user, item] += count
    dense = table.counts.toarray()
    found = {(u, i): dense[row, i] for row, u in enumerate(table.labels) for i in range(50) if dense[row, i]}
    assert found == +expected
    assert all(isinstance(user, int) for user in table.labels)


def test_order_of_the_records_leaves_no_trace():
    forward = count_table(USERS, ITEMS)
    backward = count_table(USERS[::-1], ITEMS[::-1])
    assert forward.labels == backward.labels and forward.items == backward.items
    assert (forward.counts.toarray() == backward.counts.toarray()).all()


def test_a_public_domain_keeps_its_order_and_its_unused_items():
    table = count_table(USERS, ITEMS, domain=["z", "unused", "y", "x"])
    assert table.items == ("z", "unused", "y", "x")
    assert table.counts.sum(axis=0).tolist() == [1, 0, 2, 2]


def test_a_count_of_zero_makes_a_user_but_no_item():
    table = count_table(["a", "b", "c"], ["x", "y", "x"], [2, 0, 1])
    assert table.labels == ("a", "b", "c") and table.items == ("x",)
    assert table.sizes.tolist() == [2, 0, 1] and table.counts.nnz == 2


def test_whole_floats_are_counts():
    assert count_table(["a", "b"], ["x", "x"], [2.0, 1.0]).sizes.tolist() == [2, 1]


def test_a_table_goes_into_the_releases():
    table = count_table(USERS, ITEMS, [1, 1, 2, 3, 4])
    dense = table.counts.toarray()
    assert (clip(table.counts, 2, norm=1).toarray() == clip(dense, 2, norm=1)).all()
    totals = nested_totals(table.counts, [1, 99], np.random.default_rng(0))
    assert totals.sum(axis=1).tolist() == [3, 11] and (totals[1] == dense.sum(axis=0)).all()


@pytest.mark.parametrize(
    ("users", "items", "counts", "message"),
    [
        ([], [], None, "users must not be empty"),
        (["a", "b"], ["x"], None, "users and items must have the same length, got [2, 1]"),
        (["a", "b"], ["x", "y"], [1], "users and counts must have the same length, got [2, 1]"),
        ([["a"], ["b"]], ["x", "y"], None, "users must be one-dimensional, got shape (2, 1)"),
        (["a", None], ["x", "y"], None, "users must be present: see row 1"),
        (["a", "b"], ["x", ""], None, "items must be present: see row 1"),
        (["a", "b"], [float("nan"), "x"], None, "items must be present: see row 0"),
        (["a", 2], ["x", "y"], None, "users must be all text or all whole numbers: see row 1"),
        ([1, "2"], ["x", "y"], None, "users must be all text or all whole numbers: see row 1"),
        ([1.5, 2], ["x", "y"], None, "users must be all text or all whole numbers: see row 0"),
        ([True, False], ["x", "y"], None, "users must be all text or all whole numbers: see row 0"),
        (["a", "b"], ["x", "y "], None, "items must have no white space at its ends: see row 1"),
        (["a", "b"], ["x", "y"], [1, -2], "counts must not be negative: see row 1"),
        (["a", "b"], ["x", "y"], [0.5, 1], "counts must be 64-bit integers: see row 0"),
        (["a", "b"], ["x", "y"], [1, float("nan")], "counts must be 64-bit integers: see row 1"),
        (["a", "b"], ["x", "y"], [1, float("inf")], "counts must be 64-bit integers: see row 1"),
        (["a", "b"], ["x", "y"], [1, None], "counts must be 64-bit integers: see row 1"),
        (["a", "b"], ["x", "y"], ["1", 1], "counts must be 64-bit integers: see row 0"),
        (["a", "b"], ["x", "y"], [2**52, 2**52], "counts must add up to less than 2**53"),
        (["a", "b"], ["x", "y"], [0, 0], "counts must not all be 0 unless a domain is given"),
        (["a", "a"], ["x", "y"], None, "users must name at least two users, got one"),
    ],
)
def test_faults_are_named(users, items, counts, message):
    with says(message):
        count_table(users, items, counts)


@pytest.mark.parametrize(
    ("domain", "message"),
    [
        (["x", "y"], "items must be in the public domain: see row 3"),
        ("xyz", "domain must be a sequence of labels, got 'xyz'"),
        ([], "domain must not be empty"),
        (["x", "y", "x", "z"], "domain must name each item once, got 4 labels of 3"),
        (["x", None], "domain must be present: see row 1"),
        ([1, 2], "items must be in the public domain: see row 0"),
    ],
)
def test_faults_of_the_domain_are_named(domain, message):
    with says(message):
        count_table(USERS, ITEMS, domain=domain)


def test_labels_and_counts_may_be_as_large_as_their_types_hold():
    low, high = -(2**63), 2**63 - 1
    assert count_table([low, high], ["x", "x"]).labels == (low, high)
    for beyond in (low - 1, high + 1, float(2**63)):
        with says("users must be all text or all whole numbers: see row 1"):
            count_table([1, beyond], ["x", "x"])
    assert count_table(["a", "b"], ["x", "x"], [2**52, 2**52 - 1]).sizes.sum() == 2**53 - 1


def test_all_empty_histograms_over_a_domain_are_a_table():
    assert count_table(["a", "b"], ["x", "x"], [0, 0], domain=["x"]).sizes.tolist() == [0, 0]


def test_csv(csv_file):
    path = csv_file("who,what,note,how often\nann,tea,,2\n\nbo,tea,'',1\nann,milk,x,3.0\n")
    table = from_csv(path, user="who", item="what", count="how often")
    assert table.labels == ("ann", "bo") and table.items == ("milk", "tea")
    assert table.counts.toarray().tolist() == [[3, 2], [0, 1]]
    once = from_csv(path, user="who", item="what", domain=["tea", "milk"])
    assert once.counts.toarray().tolist() == [[1, 1], [1, 0]]


def test_csv_labels_are_text_with_quotes_accents_and_byte_order_mark(csv_file):
    path = csv_file('\ufeffuser,item\n007,"thé, vert"\n7,"thé, vert"\n')
    table = from_csv(path, user="user", item="item")
    assert table.labels == ("007", "7") and table.items == ("thé, vert",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must have the column 'user' once, got the columns []"),
        ("user,thing,n\na,x,1\n", "must have the column 'item' once, got the columns ['user', 'thing', 'n']"),
        ("user, item,n\na,x,1\n", "must have the column 'item' once, got the columns ['user', ' item', 'n']"),
        ("user,item,item,n\na,x,y,1\n", "must have the column 'item' once"),
        ("user,item,n\n", "must hold at least one record, got only the header ['user', 'item', 'n']"),
        ("user,item,n\na,x,1\nb,x\n", "must have 3 fields a line: see row 1"),
        ("user,item,n\na,x,1\nb,x,1,000\n", "must have 3 fields a line: see row 1"),
        (
            'user,item,n\na,"x,1\nb,y,1\n',
            "must be comma-separated text in utf-8, got: unexpected end",
        ),
        ("user,item,n\na,x,1\n,x,1\n", "user must be present: see row 1"),
        ("user,item,n\na,x,1\nb,,1\n", "item must be present: see row 1"),
        ("user,item,n\na,x,1\nb,x,\n", "n must be present: see row 1"),
        ("user,item,n\na,x,1\nb,x,-1\n", "n must not be negative: see row 1"),
        ("user,item,n\na,x,1\nb,x,1.5\n", "n must be whole numbers: see row 1"),
        ("user,item,n\na,x,nan\nb,x,1\n", "n must be whole numbers: see row 0"),
        ("user,item,n\na,x,1_0\nb,x,1\n", "n must be whole numbers: see row 0"),
        ("user,item,n\na,x,1e3\nb,x,1\n", "n must be whole numbers: see row 0"),
        ("user,item,n\na,x," + "9" * 25 + "\nb,x,1\n", "n must be 64-bit integers: see row 0"),
        ("user,item,n\na,x,1\na,y,1\n", "user must name at least two users, got one"),
        ("user,item,n\na,x,1\nb,w,1\n", "item must be in the public domain: see row 1"),
    ],
)
def test_faults_of_a_csv_are_named(csv_file, text, message):
    with says(message):
        from_csv(csv_file(text), user="user", item="item", count="n", domain=["x", "y"])


def test_a_column_serves_once(csv_file):
    with says("user, item and count must be different columns, got ['user', 'user']"):
        from_csv(csv_file("user,item\na,x\nb,x\n"), user="user", item="user")


def test_another_encoding_is_refused(csv_file):
    path = csv_file("user,item\na,th\xe9\nb,x\n", encoding="latin-1")
    with pytest.raises(ValueError, match="utf-8"):
        from_csv(path, user="user", item="item")
