"""Bounds of the code that makes the book, and of the tools: what grows beyond them is to be cut."""

import pytest

from code_lines import code_lines

# tools: what developers run, in no wheel: campaign, tournament, bench, proofs, slides, releases
BOUNDS = {"src/userdp_book": 4900, "tools": 1330}
EXAMPLE = '''"""Words
of a module."""

import math  # why


def root(x):
    """Words."""
    # more words
    return math.sqrt(
        x
    )


TEXT = """two
lines"""
'''


@pytest.mark.parametrize("folder", BOUNDS)
def test_code_stays_within_its_bound(root, folder):
    assert 0 < code_lines(root / folder) <= BOUNDS[folder]


def test_comments_docstrings_and_blank_lines_are_no_code(tmp_path):
    (tmp_path / "example.py").write_text(EXAMPLE)
    assert code_lines(tmp_path / "example.py") == code_lines(tmp_path) == 7
