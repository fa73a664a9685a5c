"""Compilation with numba where it is installed; the plain versions do the work where it is not.

numba takes a second to import and a kernel seconds to compile: neither happens before the first call of one.
"""

from collections.abc import Callable
from functools import wraps
from importlib.util import find_spec
from typing import Any


def _compile(function: Callable) -> Callable:
    from numba import njit

    # no fastmath and no parallel reductions: the same bits everywhere; nogil for threads; compiled once.
    # What is kept is dropped when its own file changes: kernels call, and take constants from, no other.
    return njit(nogil=True, error_model="numpy", cache=True)(function)


# None where there is no numba, which a module that holds kernels and their plain versions asks
njit = _compile if find_spec("numba") else None
_kernels: dict[str, list[Callable]] = {}  # of each module


def jit(function: Callable) -> Callable:
    """Compile a kernel when it is first called, and with it all kernels of its module, which it may call."""
    if njit is None:
        return function
    kernels = _kernels.setdefault(function.__module__, [])
    kernels.append(function)

    @wraps(function)
    def first_call(*arguments: Any) -> Any:
        module = function.__globals__
        if module[function.__name__] is first_call:
            # in the order of the file: a kernel stands below those that it calls
            module.update((kernel.__name__, _compile(kernel)) for kernel in kernels)
        return module[function.__name__](*arguments)

    return first_call
