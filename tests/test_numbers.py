"""The same numbers as ever: every public callable, option and method beside a stored answer.

Tests of laws and bounds say whether an answer is right; this says that it has moved. Each good call is asked
as it stands, then with one parameter at a time doubled, halved, turned round or set to another option;
classes are asked for their methods. What is stored of an answer: how many numbers, the sum of their sizes,
and a sum that knows their order. Generators start anew for each call, so that noise is the same.

``python tests/test_numbers.py`` writes the table anew; the commit says why its numbers moved.
"""

import csv
import inspect
import math
import sys
import typing
import warnings
from collections import defaultdict
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from zlib import crc32

import numpy as np
import pandas as pd
import pytest

from good_calls import COMMON, SPECIAL, Made, N, call, good, offered, parameters
from test_bad_calls import kind, limit

TABLE = Path(__file__).with_suffix(".csv")
# a case that takes longer is not stored
SECONDS = {"planning.plan": 1.0}
MACHINE = {"study.seconds", "study.sweep"}  # times, and starts processes
ODD = {math.inf: 2345.6, -math.inf: -3456.7}  # in the place of what has no sum
METHODS = {
    "value": 0.3, "distance": 90.0, "total": 7, "support": np.arange(3), "counts": np.array([40.0, 3.0, 0.0]),
    "others": 0.3, "coordinates": np.array([0, 2]), "hashes": np.array([[1, -1, 1], [1, 1, -1]]), "m": 5,
    "chosen": np.array([[True, False, True]]), "reports": np.array([[3, 1], [0, 2]]), "ridge": 0.1,
    "records": 60, "votes": None, "points": np.array([[0.1, 0.6, -0.4], [0.0, 0.0, 0.2]]),
    "low": np.array([-0.5, 0.1]), "high": np.array([0.2, 0.6]),
}  # fmt: skip


def others(parameter, value):
    """Values for a parameter beside its good or its default one, by what is done to it."""
    if isinstance(value, bool):
        return {"other": not value}
    if value is None:
        common = COMMON.get(parameter.name)
        return {"given": common.make() if isinstance(common, Made) else common}
    if kind(parameter) == "name":
        options = [each for each in typing.get_args(parameter.annotation) if each != value]
        return {str(each): each for each in options}
    if isinstance(value, int):
        return {"more": value + 1, "fewer": value - 1, "twice": 2 * value}
    if isinstance(value, float):
        return {"larger": 1.7 * value, "half": value / 2, "large": 9 * value, "small": value / 50}
    if isinstance(value, np.ndarray) and value.dtype.kind in "iuf":
        moved = {"more": value + 1} if value.dtype.kind in "iu" else {"negative": -value}
        return {"turned": np.ascontiguousarray(value[::-1]), "twice": 2 * value, **moved}
    return {}


def ask(name, **other):
    """The good call, made anew, with other values."""
    return call(name, good(name) | other)


def cases(name):
    """Calls of a public callable, by what is asked."""
    yield "as it stands", partial(ask, name)
    values = good(name)
    for key, parameter in parameters(name).items():
        for label, other in others(parameter, values.get(key, parameter.default)).items():
            yield f"{key} {label}", partial(ask, name, **{key: other})
    if tables := [key for key, value in values.items() if isinstance(value, np.ndarray) and len(value) == N]:
        for users in (N - 1, N - 2, N - 9):
            fewer = {key: values[key][:users] for key in tables} | ({"n": users} if "n" in values else {})
            yield f"{users} users", partial(ask, name, **fewer)
    if inspect.isclass(offered()[name]):
        yield from methods(name)


def methods(name):
    """Public methods and properties of what a class makes, at good values of their parameters."""
    for method in sorted(key for key in dir(offered()[name]) if not key.startswith("_")):
        yield f".{method}", partial(ask_method, name, method)


def ask_method(name, method):
    found, known = getattr(ask(name), method), COMMON | METHODS
    if not inspect.ismethod(found):
        return None if callable(found) else found
    needed = [
        key
        for key, each in inspect.signature(found).parameters.items()
        if each.default is each.empty and each.kind is not each.VAR_POSITIONAL or key in METHODS
    ]
    asked = {key: SPECIAL.get(name, {}).get(key, known.get(key)) for key in needed}
    return found(**{key: each.make() if isinstance(each, Made) else each for key, each in asked.items()})


def numbers(thing):
    """All numbers of an answer, one after the other; a text is a number too."""
    if isinstance(thing, pd.DataFrame | pd.Series):
        thing = thing.to_numpy()
    if is_dataclass(thing) and not isinstance(thing, type):
        thing = [getattr(thing, each.name) for each in fields(thing)]
    if isinstance(thing, dict):
        thing = [*thing.keys(), *thing.values()]
    if isinstance(thing, np.ndarray | np.generic):
        thing = thing.tolist()
    if isinstance(thing, list | tuple):
        return [number for each in thing for number in numbers(each)]
    if isinstance(thing, int | float):
        value = float(thing) if abs(thing) < 1e300 or thing != thing else math.inf
        return [1234.5 if math.isnan(value) else ODD.get(value, value)]
    return [float(crc32((thing if isinstance(thing, str) else type(thing).__name__).encode()) % 10**6)]


def summary(asked):
    """What is stored of the answer to a call."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = np.array(numbers(asked()))
    except (ValueError, TypeError) as error:
        return type(error).__name__, "", ""
    order = np.cos(np.arange(len(found)))
    return str(len(found)), f"{np.abs(found).sum():.12g}", f"{found @ order:.12g}"


def stored():
    """Rows of the table by callable and case."""
    found = defaultdict(dict)
    with TABLE.open(encoding="utf8", newline="") as table:
        for row in csv.DictReader(table):
            found[row["call"]][row["case"]] = row
    return found


STORED = stored() if TABLE.exists() else {}


def is_same(row, found):
    if row["count"] != found[0] or not row["size"]:
        return row["count"] == found[0]
    off = max(
        abs(float(row[key]) - float(other)) for key, other in zip(("size", "order"), found[1:], strict=True)
    )
    return off <= 1e-9 * float(row["size"])


@pytest.mark.parametrize("name", sorted(STORED))
def test_the_numbers_are_those_that_are_stored(name):
    rows, asked = STORED[name], dict(cases(name))
    assert rows.keys() <= asked.keys()
    found = {case: summary(asked[case]) for case in rows}
    assert not {case: (rows[case], found[case]) for case in rows if not is_same(rows[case], found[case])}


def test_every_public_callable_is_stored():
    assert STORED.keys() == offered().keys() - MACHINE


def test_a_moved_number_is_seen():
    row = dict(zip(("count", "size", "order"), summary(lambda: np.arange(9.0)), strict=True))
    assert is_same(row, summary(lambda: list(range(9))))
    assert not is_same(row, summary(lambda: np.arange(9)[::-1]))
    assert not is_same(row, summary(lambda: np.arange(9) * (1 + 1e-8)))
    assert not is_same(row, summary(lambda: [*range(9), 0]))


def write():
    with TABLE.open("w", encoding="utf8", newline="") as table:
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(["call", "case", "count", "size", "order"])
        for name in sorted(offered().keys() - MACHINE):
            call(name, good(name))  # compiles and fills caches
            for case, asked in cases(name):
                try:
                    with limit(60 if case == "as it stands" else SECONDS.get(name, 0.25)):
                        first = summary(asked)
                        if first == summary(asked):
                            writer.writerow([name, case, *first])
                        else:
                            print("moves by itself:", name, case, file=sys.stderr)
                except Exception as error:  # what does not answer has no number
                    print(f"{type(error).__name__}: {name}, {case}", file=sys.stderr)


if __name__ == "__main__":
    write()
