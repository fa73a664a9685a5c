"""A plugin of pytest: which functions of the package each test calls, and only those tests that call one.

It writes ``calls.json`` into the folder that it runs in or, if there is ``chosen.json``, runs only the tests
that this names, in its order.
"""

import functools
import json
import sys
import time
from cProfile import Profile
from pathlib import Path

import pytest

CALLS, CHOSEN = Path("calls.json"), Path("chosen.json")
HERE = f"{Path.cwd()}/"
PACKAGES = "userdp/", "userdp_papers/"
found: dict[str, tuple[float, list[str]]] = {}


def _names(profile: Profile) -> list[str]:
    """The functions that were called, as ``module: function``; a lambda counts as the function around it."""
    codes = [entry.code for entry in profile.getstats() if not isinstance(entry.code, str)]
    ours = [code for code in codes if code.co_filename.removeprefix(HERE).startswith(PACKAGES)]
    names = [
        (code.co_filename.removeprefix(HERE), code.co_qualname.replace(".<locals>", "")) for code in ours
    ]
    return sorted({f"{module}: {name.split('.<')[0]}" for module, name in names if name != "<module>"})


def _forget() -> None:
    """Empty the caches, so that each test calls what it needs."""
    for name in [name for name in sys.modules if name.startswith(("userdp.", "userdp_papers."))]:
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
    # that of the standard library costs least: in C, and without the calls of what is not Python
    start, profile = time.process_time(), Profile(subcalls=False, builtins=False)
    profile.enable()
    yield
    profile.disable()
    found[item.nodeid] = time.process_time() - start, _names(profile)


def pytest_sessionfinish() -> None:
    if not CHOSEN.exists():
        CALLS.write_text(json.dumps(found))
