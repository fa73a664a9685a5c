"""A public parameter means the same in every type of number: NumPy's small ones compute nothing."""

import inspect
import re
import types
from functools import cache

import numpy as np
import pytest

from good_calls import COMMON, MEANS, Made, N, call, good, offered
from test_bad_calls import CLASSES, COMPILED, HOLDERS, PART, WORK, answer, numbers_in
from userdp._public import PAIR, is_numeric, union_of
from userdp.central import uniform_mean
from userdp.local import split_budget
from userdp.local.sparse import Hashes
from userdp.privacy import BinaryResponse, KaryResponse, TwoPointReport, UnaryEncoding
from userdp.release import Budget
from userdp.sizes import empirical_sizes

TYPES = np.int8, np.uint8, np.int32, np.uint64, np.float16, np.float32
# 2 * 100 is no int8, -1 no unsigned number, exp(12) no half: what a small type gets wrong
TRIED = 1, 12, 100
PAIRS = (-100, 100), (100, 200), (-1, 1)
SLOW = {"exact.calibrated_half_width", "planning.choose_plan", "planning.plan", "study.sweep"}
# results of estimators hold what these have computed
RESULTS = {name for name in HOLDERS if not hasattr(offered()[name].__init__, "__wrapped__")}
CLOCKS = {"study.seconds"}  # no two runs take as long
TRIED_NAMES = sorted(offered().keys() - RESULTS - CLOCKS - (COMPILED | SLOW if PART > 1 else set()))


def numeric(function):
    """Parameters of a function that are annotated as numbers, or as a pair of them."""
    found = inspect.signature(function).parameters.values()
    return {each.name: each for each in found if is_numeric(each.annotation)}


def is_pair(parameter):
    return PAIR in (parameter.annotation, *union_of(parameter.annotation))


def twins(parameter, given, others):
    """Values of a parameter in NumPy's types, each beside the same in Python's."""
    pair = is_pair(parameter)
    given = given if pair or isinstance(given, int | float) else None
    for value in [given, *(PAIRS if pair else others)]:
        for kind in TYPES if value is not None else ():
            ends = np.array(value if pair else [value], dtype=float)
            if kind(0).dtype.kind == "f" or (ends == np.clip(np.trunc(ends), *limits(kind))).all():
                made = tuple(map(kind, ends.tolist()))
                plain = tuple(each.item() for each in made)
                yield (made, plain) if pair else (made[0], plain[0])


def limits(kind):
    return np.iinfo(kind).min, min(np.iinfo(kind).max, 2**53)


def told(outcome):
    """What a call answered, in words that show the types of numbers, too."""
    wrong, found = outcome
    if wrong:
        return wrong, str(found)
    return re.sub(" at 0x[0-9a-fA-F]+", "", repr(found)), numbers_in(found).tobytes()


def differing(parameter, given, others, ask):
    """Values of one parameter that mean another thing in another type."""
    expected = cache(lambda plain: told(ask({parameter.name: plain})))
    return {
        f"{parameter.name}={other!r}": (there, expected(plain))
        for other, plain in twins(parameter, given, others)
        if (there := told(ask({parameter.name: other}))) != expected(plain)
    }


@pytest.mark.parametrize("name", TRIED_NAMES)
def test_a_number_means_the_same_in_every_type(name):
    found = {}
    for key, parameter in numeric(offered()[name]).items():
        given = good(name).get(key, None if parameter.default is parameter.empty else parameter.default)
        others = [] if key in WORK or name in SLOW else TRIED
        found |= differing(parameter, given, others, lambda new: answer(name, good(name) | new))
    assert found == {}


def methods(thing):
    """Public methods of a class, its makers among them, that take numbers."""
    for name in dir(thing):
        method = inspect.getattr_static(thing, name)
        plain = getattr(method, "__func__", method)
        if name[0] != "_" and isinstance(plain, types.FunctionType) and numeric(plain):
            yield name


OF_METHODS = {"total": 5.0, "others": 5, "cells": 9, "coordinates": np.array([0, 1]), "m": 9, "clipped": 3.0}
OF_METHODS |= {"hashes": Hashes.draw(N, 3, np.random.default_rng(1)), "function": np.sqrt, "scale": 9.0}
OF_METHODS |= {"d": 2, "differing": 2, "counts": MEANS, "bins": 9}
OF_METHODS |= {"distance": 3.0}


def asked(name, method, new):
    """Call a method of a good value, with values for each of its parameters by their names."""
    held = call(name, good(name))
    function = getattr(held, method)
    known = COMMON | OF_METHODS
    values = {
        key: known[key]
        for key, each in inspect.signature(function).parameters.items()
        if each.default is each.empty and each.kind is not each.VAR_KEYWORD
    }
    values = {key: each.make() if isinstance(each, Made) else each for key, each in values.items()}
    try:
        return "", function(**values | new)
    except (ValueError, TypeError) as error:
        return "refused", error


METHODS = [(name, method) for name, thing in sorted(CLASSES.items()) for method in methods(thing)]


@pytest.mark.parametrize(("name", "method"), METHODS)
def test_so_it_does_for_the_methods_of_a_class(name, method):
    found = {}
    for key, parameter in numeric(getattr(CLASSES[name], method)).items():
        given = COMMON.get(key, None if parameter.default is parameter.empty else parameter.default)
        found |= differing(parameter, given, TRIED, lambda new: asked(name, method, new))
    assert found == {}


@pytest.mark.parametrize("users", range(3, 401))
def test_a_budget_of_half_precision_is_as_good_as_another_for_all_numbers_of_users(users):
    """`epsilon` was refused for 172 of these, as 1 / (users epsilon) was rounded to seven digits."""
    means, rng = np.full(users, 0.5), np.random.default_rng(1)
    found = [uniform_mean(means, epsilon=one, rng=rng) for one in (np.float32(1), np.float16(1), np.int8(1))]
    assert {each.guarantee.epsilon for each in found} == {1.0}
    assert {type(each.guarantee.epsilon) for each in found} == {float}


def test_a_guarantee_holds_over_a_domain_of_bytes():
    """The length of the domain was -56: a user moved the value by 3.57 scales."""
    domain = np.int8(-100), np.int8(100)
    low, high = (
        uniform_mean(
            np.append(np.full(49, 100.0), last), epsilon=1.0, domain=domain, rng=np.random.default_rng(1)
        )
        for last in (-100.0, 100.0)
    )
    assert abs(high.value - low.value) == pytest.approx(low.scale) and low.guarantee.epsilon == 1.0
    assert TwoPointReport(-1.0, 1.0, np.int8(12)).privacy_loss() == pytest.approx(12)
    assert BinaryResponse(np.uint64(1)).unbias(731, 1000) == pytest.approx(1000, rel=1e-3)
    assert UnaryEncoding(1000, np.uint8(200), 1.0).privacy_loss() == pytest.approx(1.0)
    reports = KaryResponse(3, np.uint64(1)).privatise(np.zeros(3000, int), np.random.default_rng(1))
    assert reports.sum(0).argmax() == 0


def test_what_is_true_or_false_is_so_in_numpy_too():
    assert split_budget(4, epsilon=3.0, general=np.False_) == split_budget(4, epsilon=3.0, general=False)
    assert split_budget(4, epsilon=3.0, general=False) != split_budget(4, epsilon=3.0, general=True)
    with pytest.raises(TypeError, match="^general must be True or False or None, got 0"):
        split_budget(4, epsilon=3.0, general=0)
    with pytest.raises(TypeError, match="^public must be True or False, got 'no'"):
        empirical_sizes([1, 2], public="no")
    assert Budget(1.0, exact=np.True_).exact is True
