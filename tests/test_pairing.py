"""Every notebook is what its page says, and has been run from top to bottom."""

from userdp_book.pairing import check


def test_notebooks_match_their_pages(root):
    assert check(root) == []
