"""Every algorithm box is followed by the code that implements it, taken from the source."""

import re

import pytest

from userdp.local import dame
from userdp_book.site.implementation import body

BOX = re.compile(r"^(:{3,}|`{3,})\{prf:algorithm\}.*?^\1[ \t]*\n(?=(.*?\n.*?\n))", re.DOTALL | re.MULTILINE)


def test_the_body_is_the_function_without_its_docstring():
    code = body(dame)
    assert code.startswith("def dame(") and "Parameters" not in code and '"""' not in code
    compile(code, "dame", "exec")


def test_every_algorithm_box_shows_its_code(root):
    boxes = [
        (page.name, box[2])
        for page in sorted((root / "book").rglob("*.md"))
        for box in BOX.finditer(page.read_text(encoding="utf8"))
    ]
    assert len(boxes) >= 25
    # the repaired box stands beside the printed one, and their one function below both
    shown = ("```{implementation} userdp", ", repaired (ours)")
    assert [name for name, after in boxes if not any(words in after for words in shown)] == []


@pytest.mark.browser
def test_the_built_page_shows_it(root):
    page = root / "_build/html/book/dame/algorithm.html"
    if not page.is_file():
        pytest.skip("the book is not built")
    assert "def dame(" in re.sub(r"<[^>]+>", "", page.read_text(encoding="utf8"))
