"""Where every public parameter ends: the table names a value that is refused and the next one that is taken.

A limit is a promise about inputs: one that moves in silence lets through what nothing behind it was made for,
or refuses what used to work.
"""

import csv
from pathlib import Path

import pytest

from good_calls import good, parameters
from test_bad_calls import answer, kind

with Path(__file__).with_name("limits.csv").open(encoding="utf8", newline="") as table:
    LIMITS = list(csv.DictReader(table))


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
