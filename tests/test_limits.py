"""Where every public parameter ends: the table names a value that is refused and the next one that is taken.

A limit is a promise about inputs: one that moves in silence lets through what nothing behind it was made for,
or refuses what used to work.
"""

import csv
from pathlib import Path

import numpy as np
import pytest

from good_calls import MEANS, good, parameters
from test_bad_calls import answer, kind

with Path(__file__).with_name("limits.csv").open(encoding="utf8", newline="") as table:
    LIMITS = list(csv.DictReader(table))

# the fewest users that an estimator takes, at its good call
FEWEST = {
    "central.initial_mean": 1,
    "central.private_size_mean": 20,
    "central.private_variance": 8,
    "central.realistic_mean": 20,
    "central.uniform_mean": 1,
    "local.cover_select": 1,
    "local.dame": 2,
    "local.density_coefficients": 4,
    "local.duchi_mean": 1,
    "local.duchi_vector_mean": 1,
    "local.laplace_mean": 1,
    "local.localised_mean": 2,
    "local.localised_vector_mean": 6,
    "local.mixture_means": 3,
    "local.rotated_vector_mean": 8,
    "local.sparse_selection": 4,
    "local.sparse_threshold": 6,
}
TABLES = {"means", "sizes", "points", "records", "user_coefficients"}


def told(name, key, text):
    """What a public callable says to a value: '' where it is taken."""
    whole = kind(parameters(name)[key]) == "whole"
    outcome, found = answer(name, good(name) | {key: int(text) if whole else float(text)})
    return str(found) if outcome else ""


@pytest.mark.parametrize("row", LIMITS, ids=lambda row: f"{row['parameter']}-{row['refused']}")
def test_a_limit_is_where_it_was(row):
    key, names = row["parameter"], row["callables"].split()
    refused = {name: told(name, key, row["refused"]) for name in names}
    assert all(f"{key} must" in said for said in refused.values()), refused
    taken = {name: told(name, key, row["taken"]) for name in names}
    assert not any(taken.values()), taken


@pytest.mark.parametrize(("name", "fewest"), FEWEST.items())
def test_one_user_fewer_than_the_fewest_is_refused_and_any_number_more_is_taken(name, fewest):
    values = good(name)

    def of(users):
        outcome, found = answer(name, values | {key: values[key][:users] for key in TABLES & values.keys()})
        return str(found) if outcome else ""

    assert of(fewest - 1) and not any(of(fewest + more) for more in range(9))
    assert not name.startswith("local.") or any(f"{key} must" in of(0) for key in TABLES)


@pytest.mark.parametrize("name", [name for name in FEWEST if good(name).get("means", MEANS).ndim == 2])
def test_a_table_without_a_column_is_refused(name):
    outcome, found = answer(name, good(name) | {"means": np.empty((90, 0))})
    assert outcome and "means must have shape (n, d) with d at least 1" in str(found)
