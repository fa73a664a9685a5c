"""Every algorithm box is followed by the code that implements it, taken from the source."""

import ast
import inspect
import re

import pytest

from userdp.central import bounded_histogram, realistic_mean
from userdp.local import dame, improved_mean, localised_mean
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


MAIN = {
    "kent/univariate": localised_mean,
    "dame/algorithm": dame,
    "cummings/realistic": realistic_mean,
    "liu/bounded": bounded_histogram,
    "beyond": improved_mean,
}


@pytest.mark.parametrize("page", MAIN)
def test_the_page_of_a_main_method_has_its_call_for_your_own_users(root, page):
    text = (root / f"book/{page}.md").read_text(encoding="utf8")
    cell = re.search(r"^## Your own users\n.*?:tags: \[show\]\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)[1]
    method = MAIN[page]
    called = [node for node in ast.walk(ast.parse(cell)) if isinstance(node, ast.Call)]
    call = next(one for one in called if ast.unparse(one.func) == method.__name__)
    needed = inspect.signature(inspect.unwrap(method)).parameters.values()
    data = [one.name for one in needed if one.kind is not one.KEYWORD_ONLY]
    assert [ast.unparse(given) for given in call.args] == [f"my_{name}" for name in data]
    asked = {one.name for one in needed if one.kind is one.KEYWORD_ONLY and one.default is one.empty}
    assert asked <= {given.arg for given in call.keywords}


@pytest.mark.browser
def test_the_built_page_shows_it(root):
    page = root / "_build/html/book/dame/algorithm.html"
    if not page.is_file():
        pytest.skip("the book is not built")
    assert "def dame(" in re.sub(r"<[^>]+>", "", page.read_text(encoding="utf8"))
