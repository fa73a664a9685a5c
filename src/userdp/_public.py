"""The check at the door: `@public` stands at each definition that a user calls, and lists it in ``__all__``.

The annotations are the table of what may come: a generator, a number, one of a ``Literal``, an array of real
numbers, an instance of a class of these packages. A number of NumPy's becomes Python's, so that nothing is
computed in 8 or 16 bits.
"""

import functools
import inspect
import math
import numbers
import re
import sys
import types
import typing
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from userdp._validate import is_finite

FAULTS = ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError
NO_ANSWER = " has no answer: "
NAMED = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
PAIR = tuple[float, float]
Thing = typing.TypeVar("Thing", bound=Callable[..., Any])
PYTHONS = float, int, bool, str, type(None)


class Kind(NamedTuple):
    """What a parameter takes: a test, the words for it, and the error of what fails the test."""

    fits: Callable[[Any], bool]
    words: str
    error: type[Exception] = TypeError


def public(thing: Thing) -> Thing:
    """Add a function or a class to its module's ``__all__``, which is its only list, and check its calls."""
    vars(sys.modules[thing.__module__]).setdefault("__all__", []).append(thing.__name__)
    return checked(thing)


def offered(face: dict[str, Any]) -> list[str]:
    """What a room shows at its door: all that its ``__init__`` imports from modules, and not these."""
    return [name for name, thing in face.items() if name[0] != "_" and not inspect.ismodule(thing)]


def checked(thing: Thing) -> Thing:
    """Return a function that answers, or raises ``ValueError`` or ``TypeError`` with the parameter's name.

    Of a class, which checks its own parts, the constructor and the methods that take numbers get Python's
    numbers and errors in words. What fails although each argument is of its kind, for it is too large or has
    another shape than others, raises an error that shows the call; arrays, which may be private, by their
    shapes alone.
    """
    if not isinstance(thing, type):
        return typing.cast(Thing, answered(thing))
    if "__init__" in vars(thing):
        thing.__init__ = answered(thing.__init__, checking=False)  # type: ignore[misc]
    for name, method in list(vars(thing).items()):
        plain = getattr(method, "__func__", method)
        if name[0] != "_" and isinstance(plain, types.FunctionType) and takes_numbers(plain):
            call = answered(plain, checking=False)
            setattr(thing, name, call if plain is method else type(method)(call))
    return thing


def takes_numbers(function: Callable[..., Any]) -> bool:
    """Whether a parameter is annotated as a number or as a pair of numbers."""
    return any(is_numeric(each.annotation) for each in inspect.signature(function).parameters.values())


def answered(function: Callable[..., Any], *, checking: bool = True) -> Callable[..., Any]:
    """The function behind a check of what comes, and errors in words for what goes wrong within."""

    @functools.cache
    def table() -> tuple[tuple[str, ...], dict[str, Kind], dict[str, Callable[[Any], Any]]]:
        # what annotations say is found at the first call: an import has no time for it
        parameters = [each for each in inspect.signature(function).parameters.values() if each.kind in NAMED]
        found = {each.name: converter(each.annotation) for each in parameters}
        numeric = {name: each for name, each in found.items() if each}
        tests = {each.name: kind(each.annotation) for each in parameters if checking}
        kinds = {name: each for name, each in tests.items() if each}
        return tuple(each.name for each in parameters), kinds, numeric

    def taken(name: str, value: Any) -> Any:
        _, kinds, numeric = table()
        value = numeric[name](value) if type(value) not in PYTHONS and name in numeric else value
        if name in kinds and not kinds[name].fits(value):
            raise kinds[name].error(f"{name} must be {kinds[name].words}, got {shown(value)}")
        return value

    @functools.wraps(function)
    def call(*places: Any, **options: Any) -> Any:
        names = table()[0][: len(places)]  # what is beyond the named ones has no name
        places = (*map(taken, names, places), *places[len(names) :])
        options = {name: taken(name, value) for name, value in options.items()}
        try:
            return function(*places, **options)
        except FAULTS as error:
            answer = told(function, error, places, options)
            if answer is error:
                raise
            raise answer from error

    return call


def as_number(value: Any) -> Any:
    """A number of NumPy's as Python's, all else as it is."""
    value = value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value
    if isinstance(value, np.bool_ | np.integer):
        return value.item()
    return float(value) if isinstance(value, np.floating) else value


def as_pair(value: Any) -> Any:
    """A pair of numbers as a tuple of Python's, all else as it is."""
    return tuple(map(as_number, value)) if isinstance(value, tuple | list) or np.ndim(value) == 1 else value


def is_numeric(annotation: Any) -> bool:
    """Whether an annotation is a number, a pair of numbers, or one of these or something else."""
    return annotation in (int, float, bool, PAIR) or any(map(is_numeric, union_of(annotation)))


def converter(annotation: Any) -> Callable[[Any], Any] | None:
    """What makes Python's numbers, or an array without an index, of what comes; None for all else."""
    if is_array(annotation):
        return by_position
    if is_numeric(annotation):
        return as_pair if PAIR in (annotation, *union_of(annotation)) else as_number
    return None


def is_array(annotation: Any) -> bool:
    """Whether an annotation is an array of numbers, perhaps among others."""
    named = bool(union_of(annotation)) and "SupportsArray" in str(annotation)
    return named or typing.get_origin(annotation) is np.ndarray


def by_position(value: Any) -> Any:
    """A column with an index of its own as an array; arrays, lists and sparse tables as they are."""
    value = as_number(value)
    indexed = hasattr(value, "__array__") and not isinstance(value, np.ndarray | np.generic)
    return np.asarray(value) if indexed else value


def union_of(annotation: Any) -> tuple[Any, ...]:
    """The parts of a union; nothing of all else."""
    union = typing.get_origin(annotation) in (typing.Union, types.UnionType)
    return typing.get_args(annotation) if union else ()


def told(function: Callable, error: Exception, places: tuple, options: dict[str, Any]) -> Exception:
    """The error itself where it names a parameter and its value, else one that shows the call."""
    try:
        given = inspect.signature(function).bind(*places, **options).arguments
    except TypeError:
        return error  # an argument is missing or has a name of its own, which the error says
    if isinstance(error, TypeError | ValueError) and any(is_named(error, *each) for each in given.items()):
        return error
    text = ", ".join(f"{name}={shown(value)}" for name, value in given.items() if name not in ("self", "cls"))
    answer = TypeError if isinstance(error, TypeError) else ValueError
    # the call that was made, and what the innermost one said
    said = str(error).rpartition(NO_ANSWER)[2]
    return answer(f"{function.__qualname__.removesuffix('.__init__')}({text}){NO_ANSWER}{said}")


def is_named(error: Exception, name: str, value: Any) -> bool:
    """Whether an error tells of a parameter, and if that is a number of its value or shape."""
    text = str(error)
    told_value = not isinstance(value, numbers.Real) or str(value) in text or "shape" in text
    return told_value and NO_ANSWER not in text and re.search(rf"\b{name}\b.* must ", text) is not None


def kind(annotation: Any) -> Kind | None:
    """What a parameter with this annotation takes; None where anything may come."""
    parts = typing.get_args(annotation)
    if is_array(annotation):
        optional = types.NoneType in parts
        return Kind(lambda value: is_real(value) or optional and value is None, "real numbers")
    if typing.get_origin(annotation) is typing.Literal:
        return Kind(lambda value: is_among(parts, value), f"one of {', '.join(map(repr, parts))}", ValueError)
    if union_of(annotation):
        kinds = [each for part in parts if (each := kind(part))]
        if len(kinds) < len(parts):  # to one of them anything may come
            return None
        words = " or ".join(each.words for each in kinds)
        return Kind(lambda value: any(each.fits(value) for each in kinds), words, kinds[0].error)
    if annotation in (int, float):
        return Kind(is_number, "a finite number", ValueError)
    if annotation is bool:
        return Kind(lambda value: isinstance(value, bool), "True or False")
    if annotation is types.NoneType:
        return Kind(lambda value: value is None, "None")
    if annotation == PAIR:
        return Kind(lambda value: is_real(value) and np.shape(value) == (2,), "a pair of numbers")
    if isinstance(annotation, type) and annotation.__module__.startswith(("userdp", "numpy.random")):
        name = f"a {annotation.__module__.split('._')[0]}.{annotation.__name__}"
        return Kind(lambda value: isinstance(value, annotation), name)
    return None


def is_number(value: Any) -> bool:
    """Whether a value is a real number but nan, or an array of such."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "iuf"
    return is_finite(value) or isinstance(value, float | np.floating) and abs(value) == math.inf


def is_real(value: Any) -> bool:
    """Whether a value is an array of real numbers, sparse or not, or can be made one without loss."""
    if value is None or isinstance(value, np.ma.MaskedArray):
        return False
    try:
        array = value if issparse(value) else np.asarray(value)
    except (TypeError, ValueError):  # rows of different lengths
        return False
    if array.dtype == object:
        return all(each is None or isinstance(each, numbers.Real) for each in np.ravel(array))
    return array.dtype.kind in "biuf"


def is_among(names: tuple, value: Any) -> bool:
    """Whether a value is one of some names or numbers; True is not 1."""
    return isinstance(value, str | numbers.Real) and not isinstance(value, bool) and value in names


def shown(value: Any) -> str:
    """A value in a message: a number or a short text as it is, all else by its type and shape."""
    if value is None or isinstance(value, numbers.Real) or isinstance(value, str) and len(value) < 60:
        return repr(value)
    if isinstance(value, np.ma.MaskedArray):
        return "a masked array"
    if isinstance(value, np.ndarray):
        return f"dtype {value.dtype} and shape {value.shape}"
    return type(value).__name__
