"""Compilation with numba where it is installed; the plain versions do the work where it is not."""

try:
    from numba import njit
except ModuleNotFoundError:
    njit = None


def _jit(function):
    # no fastmath and no parallel reductions: the same bits everywhere; nogil for threads
    return function if njit is None else njit(nogil=True, error_model="numpy")(function)
