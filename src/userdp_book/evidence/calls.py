"""A plugin of pytest: which functions of the package each test calls, and only those tests that call one.

It writes ``calls.json`` into the folder that it runs in or, if there is ``chosen.json``, runs only the tests
that this names, in its order.
"""

import functools
import json
import sys
import time
from pathlib import Path
from types import FrameType

import pytest

CALLS, CHOSEN = Path("calls.json"), Path("chosen.json")
PACKAGE = f"{Path.cwd() / 'userdp'}/"
codes, found = {}, {}


def _called(frame: FrameType, *_) -> None:
    """Note the code of a call, but no line of it, which would take long."""
    codes[id(frame.f_code)] = frame.f_code


def _names() -> list[str]:
    """The functions noted since, as ``module: function``; a lambda counts as the function around it."""
    ours = [code for code in codes.values() if code.co_filename.startswith(PACKAGE)]
    names = [(code.co_filename[len(PACKAGE) :], code.co_qualname.replace(".<locals>", "")) for code in ours]
    codes.clear()
    return sorted({f"{module}: {name.split('.<')[0]}" for module, name in names if name != "<module>"})


def _forget() -> None:
    """Empty the caches, so that each test calls what it needs."""
    for name in [name for name in sys.modules if name.startswith("userdp.")]:
        for value in vars(sys.modules[name]).values():
            if isinstance(value, functools._lru_cache_wrapper):
                value.cache_clear()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if CHOSEN.exists():
        place = {test: k for k, test in enumerate(json.loads(CHOSEN.read_text()))}
        items[:] = sorted((item for item in items if item.nodeid in place), key=lambda x: place[x.nodeid])


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item):
    if CHOSEN.exists():
        yield
        return
    _forget()
    start = time.process_time()
    sys.settrace(_called)
    yield
    sys.settrace(None)
    found[item.nodeid] = time.process_time() - start, _names()


def pytest_sessionfinish() -> None:
    if not CHOSEN.exists():
        CALLS.write_text(json.dumps(found))
