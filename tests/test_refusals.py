"""What is refused, and in which words: the table changes a parameter or two of a good call.

Unlike the sweeping tests, which ask for any error that names the parameter, each row says what one check is
for: a value next to where its docstring ends, and the words that a reader gets.
"""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from good_calls import call, good

with Path(__file__).with_name("refusals.csv").open(encoding="utf8", newline="") as table:
    REFUSALS = list(csv.DictReader(table))


@pytest.mark.parametrize("row", REFUSALS, ids=lambda row: f"{row['call']}-{row['change']}")
def test_a_bad_value_is_refused_in_words(row):
    values = good(row["call"])
    for key, value in json.loads(row["change"]).items():
        listed = isinstance(values.get(key), np.ndarray) and isinstance(value, list)
        values[key] = np.array(value) if listed else value
    with pytest.raises(ValueError, match=row["said"]):
        call(row["call"], values)


def test_no_row_stands_twice_and_every_good_call_is_taken():
    assert len({(row["call"], row["change"]) for row in REFUSALS}) == len(REFUSALS)
    for name in {row["call"] for row in REFUSALS}:
        call(name, good(name))
