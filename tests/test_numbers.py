"""The same numbers as ever: every public callable, option and method beside a stored answer.

Tests of laws and bounds say whether an answer is right; this says that it has moved. Each good call is asked
as it stands, then with one parameter at a time doubled, halved, turned round or set to another option;
classes are asked for their methods. What is stored of an answer: how many numbers and texts, a checksum of
the texts, and two sums of the numbers' logarithms, of which one knows their order. Generators start anew for
each call, so that noise is the same.

``python tests/test_numbers.py`` writes the table anew; the commit says why its numbers moved.
"""

import csv
import inspect
import sys
import typing
import warnings
from collections import defaultdict
from dataclasses import fields, is_dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from zlib import crc32

import numpy as np
import pandas as pd
import pytest

from good_calls import COMMON, LAW, MEANS, ROWS, SIZES, Made, N, call, good, offered, parameters
from test_bad_calls import kind, limit
from userdp.local import duchi_mean
from userdp.privacy import Guarantee

TABLE = Path(__file__).with_suffix(".csv")
# a case that takes longer is not stored
SECONDS = {"planning.plan": 1.0}
MACHINE = {"study.seconds", "study.sweep"}  # times, and starts processes
BUDGETS = {"epsilon": 7.3, "release_epsilon": 6.1, "delta": 1e-5, "release_delta": 1e-5}
COLUMNS = ("count", "texts", "total", "order")
# what takes more than one change
TOGETHER = {
    "planning.plan": {"histogram": {"estimate": "histogram", "trust": "curator", "items": 4, "sizes": LAW}},
}
METHODS = {
    "value": 0.3, "distance": 90.0, "total": 7, "counts": np.array([40.0, 3.0, 0.0]), "others": 0.3,
    "coordinates": np.array([0, 2]), "hashes": Made(lambda: ask("local.Hashes")), "m": 5, "cells": 2,
    "chosen": ROWS > 0.2, "reports": MEANS, "report": MEANS,
    "ridge": 0.1, "records": 61, "shape": (4, 3), "function": np.sqrt, "share": np.array([0.2, 0.9]),
    "points": np.array([[0.1, 0.6, -0.4], [0.0, 0.0, 0.2]]), "x": 3 * MEANS - 1.2,
    "what": Guarantee(0.5), "estimator": Made(lambda: lambda **options: duchi_mean(MEANS, **options)),
    "low": np.array([-0.5, 0.1]), "high": np.array([0.2, 0.6]),
}  # fmt: skip
# what is privatised lies outside the domain, too
PRIVATISED = {"privacy.KaryResponse": SIZES % 3, "privacy.UnaryEncoding": SIZES[:, None] % 5}
PRIVATISED |= {"privacy.HashedReport": (3 * MEANS - 1.2, SIZES % 3)}
PRIVATISED |= dict.fromkeys(("privacy.BallReport", "privacy.CubeReport"), 3 * ROWS - 1.2)
# further out, rounding decides the density, and differs from machine to machine
PRIVATISED |= {"populations.BetaMeans": MEANS - 0.4}


def others(parameter, value):
    """Values for a parameter beside its good or its default one, by what is done to it."""
    if isinstance(value, bool):
        return {"other": not value}
    if isinstance(value, tuple) and len(value) == 2 and all(isinstance(end, float) for end in value):
        return {"wider": (value[0] - 0.3, value[1] + 0.2)}
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


def tables(values):
    """The values that have a row a user."""
    return {key: value for key, value in values.items() if isinstance(value, np.ndarray) and len(value) == N}


def crowd(values):
    """What makes of a good call one with twelve times the users and little noise."""
    more = {
        key: np.concatenate([np.repeat(value, 12, axis=0), value[:1]])
        for key, value in tables(values).items()
    }
    budgets = {key: value for key, value in BUDGETS.items() if isinstance(values.get(key), float)}
    return more | budgets | ({"n": 12 * N + 1} if "n" in values else {})


def cases(name):
    """Calls of a public callable, by what is asked."""
    values = good(name)
    for place, base in {"": {}, "crowd ": crowd(values)}.items():
        if base or not place:
            yield f"{place}as it stands", partial(ask, name, **base)
            for key, parameter in parameters(name).items():
                value = (values | base).get(key, parameter.default)
                for label, other in others(parameter, value).items():
                    yield f"{place}{key} {label}", partial(ask, name, **base | {key: other})
    for label, together in TOGETHER.get(name, {}).items():
        yield label, partial(ask, name, **together)
    if tables(values) or "n" in values:
        for users in (N - 1, N - 2, 7):
            fewer = {key: value[:users] for key, value in tables(values).items()}
            yield f"{users} users", partial(ask, name, **fewer | ({"n": users} if "n" in values else {}))
    if inspect.isclass(offered()[name]):
        yield from methods(name)


def methods(name):
    """Public methods and properties of what a class makes, at good values of their parameters."""
    for method in sorted(key for key in dir(offered()[name]) if not key.startswith("_")):
        yield f".{method}", partial(ask_method, name, method)


def ask_method(name, method):
    found, known = getattr(ask(name), method), COMMON | METHODS
    known |= {"x": PRIVATISED[name]} if name in PRIVATISED else {}
    if not inspect.ismethod(found):
        return None if callable(found) else found
    needed = [
        key
        for key, each in inspect.signature(found).parameters.items()
        if key in METHODS or each.default is each.empty and not each.kind.description.startswith("variadic")
    ]
    asked = {key: known.get(key) for key in needed}
    return found(**{key: each.make() if isinstance(each, Made) else each for key, each in asked.items()})


def leaves(thing):
    """All numbers and texts of an answer, one after the other."""
    if isinstance(thing, pd.DataFrame | pd.Series):
        thing = thing.to_numpy()
    if is_dataclass(thing) and not isinstance(thing, type):
        parts = [(each.repr or not each.kw_only, getattr(thing, each.name)) for each in fields(thing)]
        thing = [part for shown, part in parts if shown or part is not None]  # neither shown nor there
    if isinstance(thing, dict):
        thing = [*thing.keys(), *thing.values()]
    if isinstance(thing, np.ndarray | np.generic):
        thing = thing.tolist()
    if isinstance(thing, list | tuple):
        return [leaf for each in thing for leaf in leaves(each)]
    return [thing if isinstance(thing, int | float | str) else type(thing).__name__]


def summary(asked):
    """What is stored of the answer to a call."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = leaves(asked())
    except (ValueError, TypeError) as error:
        return type(error).__name__, "", "", ""
    texts = [each for each in found if isinstance(each, str)]
    # a digit counts the same in a large and in a small number; what is not a number counts as a word
    large = np.arcsinh(1e9 * np.clip([each for each in found if not isinstance(each, str)], -1e290, 1e290))
    order = large @ np.cos(np.arange(len(large)))
    sums = "nan" if np.isnan(order) else f"{large.sum():.9f}", "nan" if np.isnan(order) else f"{order:.9f}"
    return str(len(found)), str(crc32(" ".join(texts).encode())), *sums


def stored():
    """Rows of the table by callable and case."""
    found = defaultdict(dict)
    with TABLE.open(encoding="utf8", newline="") as table:
        for row in csv.DictReader(table):
            found[row.pop("call")][row.pop("case")] = row
    return found


STORED = stored() if TABLE.exists() else {}
PART = 10  # cases a test


def parts(name):
    return range(0, len(STORED[name]), PART)


def is_same(row, found):
    """Whether an answer is what is stored, to about eight digits."""
    *exact, total, order = zip(row.values(), found, strict=True)
    return all(a == b for a, b in exact) and all(
        a == b or abs(float(a) - float(b)) < 1e-7 for a, b in (total, order)
    )


@pytest.mark.long
@pytest.mark.parametrize(("name", "part"), [(name, part) for name in sorted(STORED) for part in parts(name)])
def test_the_numbers_are_those_that_are_stored(name, part):
    rows, asked = dict(islice(STORED[name].items(), part, part + PART)), dict(cases(name))
    assert rows.keys() <= asked.keys()
    found = {case: summary(asked[case]) for case in rows}
    assert not {case: (rows[case], found[case]) for case in rows if not is_same(rows[case], found[case])}


def test_every_public_callable_is_stored():
    assert STORED.keys() == offered().keys() - MACHINE


def test_every_method_is_asked_for_what_it_can_answer():
    """A refusal holds no number: what cannot run has none, and 0.3 no place in a ranking."""
    refused = {
        name + case
        for name, rows in STORED.items()
        for case, row in rows.items()
        if case.startswith(".") and row["count"].endswith("Error")
    }
    assert refused == {"planning.Option.run", "planning.Ranking.index"}


def test_a_moved_number_is_seen():
    row = dict(zip(COLUMNS, summary(lambda: np.arange(9.0)), strict=True))
    assert is_same(row, summary(lambda: list(range(9))))
    assert not is_same(row, summary(lambda: np.arange(9)[::-1]))
    assert not is_same(row, summary(lambda: np.arange(9) * (1 + 1e-7)))
    assert not is_same(row, summary(lambda: [*range(9), 0]))


def write():
    with TABLE.open("w", encoding="utf8", newline="") as table:
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(["call", "case", *COLUMNS])
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
