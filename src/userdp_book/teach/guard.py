"""What a check starts from, whatever a student's code did before it.

The kernel that marks imports this first (``nbgrader_config.py``), so that the copies kept here are older than
any cell of a hand-in. It stops what takes a line to write; no notebook resists a determined attack on itself.
"""

import math
import sys
from functools import update_wrapper
from types import FunctionType

import numpy as np
import scipy.stats
from IPython import get_ipython

PACKAGES = {"builtins", "numpy", "scipy", *(one.__name__ for one in (math, np, scipy))}
MODULES = [
    (vars(module), dict(vars(module)))
    for name, module in list(sys.modules.items())
    if name.partition(".")[0] in PACKAGES
]
CODE = {one: one.__code__ for _, then in MODULES for one in then.values() if isinstance(one, FunctionType)}


def restored() -> None:
    """Put back what was changed in numpy, scipy and the built-in functions."""
    for now, then in MODULES:
        now.update(then)
    for function, code in CODE.items():
        if function.__code__ is not code:
            function.__code__ = code


def apart(names: dict) -> None:
    """Give the functions of a notebook a copy of its names: what a check assigns next they do not see."""
    own = dict(names)
    for name, one in names.items():
        if isinstance(one, FunctionType) and one.__globals__ is names:
            copy = FunctionType(one.__code__, own, one.__name__, one.__defaults__, one.__closure__)
            copy.__kwdefaults__ = one.__kwdefaults__
            own[name] = update_wrapper(copy, one)
            del own[name].__wrapped__
    names.update(own)


def watched(shell) -> None:
    """Put back after every cell, since the kernel itself calls ``max``; and let no cell end the kernel."""
    run = shell.run_code

    async def run_code(*given, **known):
        try:
            return await run(*given, **known)
        finally:
            restored()

    shell.run_code, shell.ask_exit = run_code, lambda: None


if shell := get_ipython():
    watched(shell)
