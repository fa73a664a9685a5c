"""Shared by all tests: the markers, the number of examples and the repository's root.

Figures in notebooks are compared by the plugin ``userdp_book.run.nbval_plugin`` (see pyproject.toml), since
nbval runs on ``notebooks/``, where this file is not seen.
"""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from browsing import browser, chromium, look, site, tab  # noqa: F401 (fixtures)

MARKERS = (
    "browser: looks at the built book in Chromium",
    "slips: runs a test against a planted slip",
    "slow: takes more than a second or two",
    "long: so many, or so much, that `make check` leaves them out; mutants meet them, and not the slow",
    "statistical: has a stated false-alarm rate",
)
# The same examples every time, however busy the machine: a test that passes keeps passing.
settings.register_profile(
    "fixed",
    max_examples=100,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
# Of a test that shall fail, no smaller example is looked for.
settings.register_profile("planted", settings.get_profile("fixed"), phases=[Phase.explicit, Phase.generate])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


def pytest_configure(config):
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)


def pytest_collection_modifyitems(items):
    """Mark what compares laws."""
    for item in items:
        names = getattr(item.function, "hypothesis", item.function)
        code = getattr(names, "inner_test", item.function).__code__
        if {"same_law", "has_mean"} & {*code.co_names}:
            item.add_marker("statistical")


@pytest.fixture(scope="session")
def root() -> Path:
    return Path(__file__).parents[1]
