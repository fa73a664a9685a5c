"""Every notebook is what its page says, has been run from top to bottom, and had nothing to complain of."""

import re

import nbformat
import pytest

from userdp_book.run.pairing import check


def test_notebooks_match_their_pages(root):
    assert check(root) == []


@pytest.fixture(scope="module")
def outputs(root):
    """Every stored output, with the name of its notebook."""
    return [
        (path.name, output)
        for path in sorted((root / "notebooks").rglob("*.ipynb"))
        for cell in nbformat.read(path, 4).cells
        for output in cell.get("outputs", [])
    ]


def test_no_notebook_prints_a_warning(outputs):
    assert [(name, o.text) for name, o in outputs if o.get("name") == "stderr"] == []


def test_no_notebook_stores_what_changes_from_run_to_run(outputs):
    """Addresses of objects, and the random ids that pandas gives to a styled table."""
    changing = re.compile(r" at 0x[0-9a-f]+|id=\"T_")
    found = [
        (name, kind)
        for name, output in outputs
        for kind, data in {"text": output.get("text", ""), **output.get("data", {})}.items()
        if isinstance(data, str) and kind != "image/png" and changing.search(data)
    ]
    assert found == []
