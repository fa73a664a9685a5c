"""Every public function and class answers a bad call: an error that names parameter and value, or the truth.

Of each good call one parameter at a time is replaced by values that are bad for its kind, which is read from
its annotation. What counts as an answer: ValueError or TypeError with the parameter's name in it; or a result
without NaN, the same to the last bit where the values are the same in another type. Never another exception,
nor one that does not say what is wrong, nor more than a few seconds, nor changed inputs.
"""

import os
import re
import resource
import signal
import warnings
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from zlib import crc32

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

try:
    import polars
except ModuleNotFoundError:  # the same columns are tried as pandas' then
    polars = None

from faces import FACES, face
from good_calls import ELSEWHERE, SPECIAL, call, good, offered, parameters

PART = int(os.environ.get("ONE_BAD_CALL_IN", "40"))  # all 20,000 take minutes
# values without a check of their own: they hold what an estimator or a population made
CLASSES = {name: thing for name, thing in offered().items() if isinstance(thing, type)}
HOLDERS = {name for name, thing in CLASSES.items() if not hasattr(thing, "__post_init__")}
# the bias of an option that cannot be told from its noise, the terms that nobody is asked for
MAY_BE_NAN = HOLDERS | {"planning.plan", "exact.draw_user_coefficients"}
NOTHING = {"labels"}  # where None is a value like others
# kernels are compiled anew, for many seconds, for each type and layout: tried only where all is
COMPILED = {"populations.dirichlet_draw", "sampled.localised_draws", "sampled.risks_given_means"}
TRIED = offered().keys() - (COMPILED if PART > 1 else set())
WORK = {"repetitions", "repeats"}  # as much of it as is asked for
SECONDS = 2.0  # of processor time, for a call

GENERATORS = [
    0,
    None,
    True,
    np.random.SeedSequence(0),
    np.random.PCG64(0),
    np.random.RandomState(0),
    np.random,
]
WORDS = ["3", b"3", object(), None, 1j, np.datetime64("2020-01-01"), pd.Timestamp(0), pd.NA]
SHAPES = [[], [1.0, 2.0], np.ones((2, 2)), pd.Series([1.0, 2.0]), sparse.eye_array(2)]
NUMBERS = [True, np.bool_(True), np.nan, np.inf, -np.inf, *WORDS, *SHAPES]
EXTREMES = [-1, 0, 5e-324, 1e-320, 1e-300, 1e-9, 0.5, 1, 1e9, 1e18, 1e30, 1e300, 10**400]
WHOLE = [np.int32(2**31 - 1), np.uint8(255), 2**62, -(2**40)]
NAMES = ["nonsense", 0, None, ["replace"], object()]
THINGS = [None, 0, "text", object(), np.ones(3)]


def others(array):
    """The values of a good array in kinds, shapes and types that are not its own."""
    array = np.atleast_1d(array)
    types = (object, str, complex, "datetime64[s]") if array.dtype.kind in "biuf" else (object,)
    kinds = [array.astype(kind) for kind in types]
    shapes = [array[..., None], array[:0], array.ravel()[0], np.ma.masked_equal(array, array.ravel()[0])]
    if array.ndim == 2:
        shapes += [sparse.csr_array(np.asarray(array, dtype=float)), array[0]]
    return [None, "text", object(), {1, 2}, *kinds, *shapes]


def same(array):
    """The same values in other types and layouts; the answer must be the same."""
    found = [list(array), np.repeat(array, 2, axis=0)[::2], np.asfortranarray(array), array.copy()]
    found[-1].flags.writeable = False
    if array.ndim == 1:
        found += [pd.Series(array, index=index) for index in (range(len(array), 0, -1), [7] * len(array))]
        found += [] if polars is None else [polars.Series(array)]
    if array.ndim == 2:
        found.append(pd.DataFrame(array, index=range(len(array), 0, -1)))
    if array.dtype.kind in "iu" and array.size and 0 <= array.min() <= array.max() < 128:
        found += [array.astype(kind) for kind in (np.uint8, np.int8, np.int32, np.uint64)]
    return found


def kind(parameter):
    """What a parameter takes, from its annotation."""
    said = str(parameter.annotation)
    for word, found in {
        "Generator": "generator", "Literal": "name", "SupportsArray": "array", "ndarray": "array",
    }.items():  # fmt: skip
        if word in said:
            return found
    said = said.removeprefix("<class '").removesuffix("'>").removesuffix(" | None")
    return {"float": "number", "int": "whole", "bool": "flag", "str": "text"}.get(said, "thing")


def bad_values(name, key, values):
    """Values that are bad, or ought not to matter, for a parameter."""
    parameter = parameters(name)[key]
    given = values.get(key, parameter.default)
    if parameter.kind is parameter.VAR_POSITIONAL:
        return [(thing,) for thing in THINGS]
    match kind(parameter):
        case "generator":
            return GENERATORS
        case "number":
            return NUMBERS + EXTREMES
        case "whole":
            return NUMBERS + ([] if key in WORK else EXTREMES + WHOLE)
        case "name":
            return NAMES
        case "array" if given is not None and given is not parameter.empty and not callable(given):
            return others(given)
        case "thing" if str(parameter.annotation).startswith("<class 'userdp."):
            return THINGS
    return []


@contextmanager
def limit(seconds):
    """Interrupt what takes longer, in processor seconds."""

    def stop(*_):
        raise TimeoutError(f"took more than {seconds} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def numbers_in(thing):
    """All floating-point numbers in a result."""
    if is_dataclass(thing):
        return np.concatenate([[0.0], *(numbers_in(getattr(thing, each.name)) for each in fields(thing))])
    if isinstance(thing, tuple | list):
        return np.concatenate([[0.0], *map(numbers_in, thing)])
    try:
        return np.zeros(1) if thing is None else np.ravel(np.asarray(thing, dtype=float))
    except (TypeError, ValueError, OverflowError):
        return np.zeros(1)


def answer(name, values):
    """What is wrong with the answer to a call, with the answer: '' where nothing is."""
    try:
        with limit(600 if name in COMPILED else SECONDS), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return "", call(name, values)
    except (ValueError, TypeError) as error:
        return "refused", error
    except Exception as error:  # the test is that there is none
        return f"{type(error).__name__}", error


def is_told(text, name, values, key):
    """Whether an error names the parameter and the number given, or another and what that means for it."""
    got = re.search(rf"\b{key} must (?!.*shape).*, got (.*)", text)
    if got and isinstance(values[key], int | float) and 1e-300 < abs(values[key]) < 1e12:
        return str(values[key]) in got[1]
    if re.search(rf"\b{key}\b", text):
        return True
    others = [each for each in parameters(name) if each != key and re.search(rf"\b{each}\b", text)]
    return bool(others) and (str(values[key]) in text or "got" in text)


def verdict(name, key, value):
    """What is wrong with the answer to one bad value: '' where nothing is."""
    values = good(name)
    before = {each: np.array(held) for each, held in values.items() if isinstance(held, np.ndarray)}
    asked = values | {key: value}
    outcome, found = answer(name, asked)
    for each, held in before.items():
        if not np.array_equal(held, values[each]):
            return f"changed {each}"
    if outcome == "refused":
        return "" if is_told(str(found), name, asked, key) else f"unnamed: {found}"
    if outcome:
        return f"{outcome}: {found}"
    if kind(parameters(name)[key]) == "generator":
        return f"accepted: {found}"[:200]
    if name not in MAY_BE_NAN and np.isnan(numbers_in(found)).any():
        return "nan"
    return ""


@pytest.fixture(autouse=True)
def memory():
    """What would take more than 8 GiB is refused, as it is on a small machine."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (8 * 2**30, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


def test_every_parameter_has_a_good_value_and_every_good_value_a_parameter():
    for name in offered():
        needed = {key for key, each in parameters(name).items() if each.default is each.empty}
        assert needed <= {key for key, value in good(name).items() if value is not None} | NOTHING, name
    assert not (SPECIAL.keys() | ELSEWHERE.keys()) - {
        f"{room}.{name}" for room in FACES for name in face(room).__all__
    }


def spoilt(name):
    """Bad calls of a public callable: -1 and one in `PART`, the same whenever asked."""
    for key in parameters(name):
        for place, value in enumerate(bad_values(name, key, good(name))):
            if value is EXTREMES[0] or crc32(f"{name} {key} {place}".encode()) % PART == 0:
                yield key, value


@pytest.mark.parametrize("name", sorted(TRIED))
def test_bad_calls_are_answered(name):
    call(name, good(name))  # compiles and fills caches
    found = {(key, repr(value)[:60]): verdict(name, key, value) for key, value in spoilt(name)}
    assert not {call: wrong for call, wrong in found.items() if wrong}


@pytest.mark.parametrize("name", sorted(TRIED - HOLDERS))
def test_the_same_numbers_in_another_type_give_the_same_answer(name):
    """Columns of int32 or uint8 overflow nowhere; a list may be refused where an array is asked for."""
    expected = numbers_in(call(name, good(name)))
    for key, value in good(name).items():
        if isinstance(value, np.ndarray) and key in parameters(name):
            for other in same(value):
                asked = good(name) | {key: other}
                outcome, found = answer(name, asked)
                if outcome and not isinstance(other, np.ndarray):
                    assert outcome == "refused" and is_told(str(found), name, asked, key), found
                else:
                    assert not outcome, found
                    # sums over a column that is not in one piece may differ in the last digits
                    assert numbers_in(found) == pytest.approx(expected, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("flag", [True, False, np.True_])
def test_a_truth_is_no_number(flag):
    with pytest.raises(ValueError, match="epsilon must be"):
        call("privacy.BinaryResponse", {"epsilon": flag})


def test_a_user_without_a_mean_stops_nobody_and_words_are_no_means():
    """Of an object column: None is a value outside the domain, a word is not a column of numbers."""
    known = good("central.uniform_mean")
    with_none, with_nan = np.array([None, 0.5, 0.25], dtype=object), np.array([np.nan, 0.5, 0.25])
    one, other = (
        call("central.uniform_mean", known | {"means": means, "rng": np.random.default_rng(1)})
        for means in (with_none, with_nan)
    )
    assert one.value == other.value
    with pytest.raises(TypeError, match="means must be real numbers, got dtype object"):
        call("central.uniform_mean", known | {"means": np.array(["0.5", "0.25"], dtype=object)})
