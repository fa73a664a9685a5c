"""Shared by all tests: the markers and the repository's root.

Figures in notebooks are compared by the plugin ``userdp_book.run.nbval_plugin`` (see pyproject.toml), since
nbval runs on ``notebooks/``, where this file is not seen.
"""

from pathlib import Path

import pytest

from browsing import browser, site, tab  # noqa: F401 (fixtures)

MARKERS = (
    "browser: looks at the built book in Chromium",
    "slow: takes more than a few seconds",
    "statistical: has a stated false-alarm rate",
)


def pytest_configure(config):
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)


@pytest.fixture(scope="session")
def root() -> Path:
    return Path(__file__).parents[1]
