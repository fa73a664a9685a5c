"""From records to users: aligned by label, clipped, shuffled, and loud where something would go wrong."""

import numpy as np
import pandas as pd
import pytest

from userdp import plan
from userdp.data import user_means, user_table

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
    with pytest.raises(error, match=words):
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
