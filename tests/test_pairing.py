"""Every notebook is what its page says, has been run from top to bottom, and had nothing to complain of."""

import nbformat

from userdp_book.pairing import check


def test_notebooks_match_their_pages(root):
    assert check(root) == []


def test_no_notebook_prints_a_warning(root):
    for path in sorted((root / "notebooks").rglob("*.ipynb")):
        outputs = [o for cell in nbformat.read(path, 4).cells for o in cell.get("outputs", [])]
        assert [o.text for o in outputs if o.get("name") == "stderr"] == [], path.name
