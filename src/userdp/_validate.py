"""Checks of public parameters: each error names the parameter and the value.

Only public parameters come here. Data of users never do: a randomiser projects them
instead, because an exception is an output and leaks.
"""

import math
import numbers

import numpy as np

# exp(710) is no finite number; below 1e-6 what a report says is lost beside rounding in the sum of 1e9
BUDGETS = 1e-6, 700.0


def _number(name, value):
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number, got {value!r}")


def positive(**parameters):
    """Raise ``ValueError`` unless every parameter is a finite number above zero."""
    for name, value in parameters.items():
        _number(name, value)
        if not value > 0:
            raise ValueError(f"{name} must be positive, got {value!r}")


def in_range(low, high, /, **parameters):
    """Raise ``ValueError`` unless every parameter is a finite number in ``[low, high]``."""
    for name, value in parameters.items():
        _number(name, value)
        if not low <= value <= high:
            raise ValueError(f"{name} must be in [{low}, {high}], got {value!r}")


def integer(minimum, /, **parameters):
    """Raise ``ValueError`` unless every parameter is a whole number of at least `minimum`."""
    for name, value in parameters.items():
        _number(name, value)
        if value != int(value) or value < minimum:
            raise ValueError(f"{name} must be a whole number of at least {minimum}, got {value!r}")


def budget(**parameters):
    """Raise ``ValueError`` unless every privacy budget is positive and within `BUDGETS`."""
    positive(**parameters)
    in_range(*BUDGETS, **parameters)


def generator(**parameters):
    """Raise ``TypeError`` unless every parameter is a numpy Generator."""
    for name, value in parameters.items():
        if not isinstance(value, np.random.Generator):
            raise TypeError(f"{name} must be a numpy.random.Generator, got {value!r}")


def one_of(allowed, /, **parameters):
    """Raise ``ValueError`` unless every parameter is one of the `allowed` values."""
    for name, value in parameters.items():
        if value not in allowed:
            raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")


def ordered(**parameters):
    """Raise ``ValueError`` unless the two parameters are finite and strictly increasing."""
    for name, value in parameters.items():
        _number(name, value)
    (low_name, low), (high_name, high) = parameters.items()
    if not low < high:
        raise ValueError(f"{low_name} must be below {high_name}, got {low!r} and {high!r}")


def exceeds_one(formula, value, use=""):
    """Return `value`, of which a logarithm is to be taken, or raise ``ValueError`` if it is at most 1."""
    if value <= 1:
        raise ValueError(f"{formula} must exceed 1{use}, got {value!r}")
    return value
