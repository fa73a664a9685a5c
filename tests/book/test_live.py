"""Pages that run in the browser: the cells' runner against the stored outputs, here and in Chromium."""

import ast
import json
import os
import subprocess
import sys
from zipfile import ZipFile

import pytest

from browsing import HTML, IN_BROWSER
from userdp_book.live import cells
from userdp_book.live.fetch import FOLDER, LOCK, PYTHON, closure, unpack
from userdp_book.run.pages import code_cells, notebook, pages, read
from userdp_book.site import live

CLAIM = "application/vnd.userdp.claim+json"
# As a script beside the runner, without IPython: the outputs of all cells of a notebook, as JSON.
RUN = """
import json, sys
sys.path.insert(0, sys.argv[1])
import cells
cells.stand_in()
names = {"__name__": "__main__"}
print(json.dumps([cells.run(source, names) for source in json.load(sys.stdin)]), file=sys.__stdout__)
"""


def facts(outputs):
    """What live.js compares: text without its spaces, claims by their numbers, that there is a figure."""
    found = []
    for output in outputs:
        data = output.get("data", {})
        if CLAIM in data:
            found.append([data[CLAIM][name] for name in ("key", "verdict", "measured", "expected")])
        elif "image/png" in data:
            found.append("a figure")
        else:
            text = output.get("text") or output.get("evalue") or data.get("text/html") or data["text/plain"]
            found.append("".join("".join(text).split()))
    return found


@pytest.mark.parametrize("name", ["kent/model", "cummings/windows", "dame/algorithm"])
def test_cells_print_what_their_notebook_stores(root, name):
    stored = code_cells(read(root / f"notebooks/{name}.ipynb"))[1:]
    command = [sys.executable, "-c", RUN, str(live.ROOM)]
    environment = os.environ | {"MPLBACKEND": "agg"}
    sources = json.dumps([cell.source for cell in stored])
    ran = subprocess.run(command, input=sources, env=environment, capture_output=True, text=True, check=True)
    assert [*map(facts, json.loads(ran.stdout))] == [facts(cell.outputs) for cell in stored]


def test_what_a_page_asserts_it_says_in_words(root):
    for page in pages(root):
        for cell in code_cells(notebook(page))[1:]:
            asserted = [node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Assert)]
            assert [ast.unparse(node) for node in asserted if not node.msg] == [], page.name


@pytest.fixture
def outputs():
    """The runner with names of its own."""
    names = {}
    return lambda source: cells.run(source, names)


def test_the_last_value_is_shown_unless_it_ends_in_a_semicolon(outputs):
    assert outputs("1 + 1")[0]["data"]["text/plain"] == "2"
    assert outputs("1 + 1;") == outputs("x = 3") == outputs("") == outputs("None") == []


def test_an_error_begins_at_the_readers_line_and_ends_nothing(outputs):
    [printed, error] = outputs("print('before')\n1 / 0")
    assert printed["text"] == "before\n" and error["ename"] == "ZeroDivisionError"
    assert "cells.py" not in "".join(error["traceback"])
    assert outputs("2")[0]["data"]["text/plain"] == "2"


def test_what_a_browser_has_not_is_said_kindly(outputs):
    assert "open this page as a notebook" in outputs("import no_such_module")[0]["traceback"][-1]


def test_the_archive_holds_the_package_and_its_tables(tmp_path):
    live.pack(tmp_path / "userdp.zip")
    with ZipFile(tmp_path / "userdp.zip") as archive:
        names = archive.namelist()
    assert {"cells.py", "userdp/__init__.py", "userdp/data/statements.csv"} <= set(names)
    assert not any("__pycache__" in name for name in names)


LOCKED = {
    "pandas": {"file_name": "pandas.whl", "sha256": "?", "depends": ["numpy"]},
    "numpy": {"file_name": "numpy.whl", "sha256": "?", "depends": []},
}


def test_a_package_brings_what_it_depends_on():
    assert closure(LOCKED, ["pandas"]) == ["numpy", "pandas"]


def test_a_changed_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("userdp_book.live.fetch.PACKAGES", ("pandas",))
    with ZipFile(tmp_path / "carrier.whl", "w") as archive:
        for name in {*PYTHON, "pandas.whl", "numpy.whl"} - {LOCK}:
            archive.writestr(FOLDER + name, b"content")
        archive.writestr(FOLDER + LOCK, json.dumps({"packages": LOCKED}))
    with pytest.raises(ValueError, match="is not what its release lists"):
        unpack(tmp_path / "carrier.whl", tmp_path / "live")


SAID = "document.querySelector('.live-bar output').value"


class TestInChromium:
    pytestmark = IN_BROWSER

    def test_nothing_is_loaded_before_the_click(self, tab, site):
        asked = []
        tab.on("request", lambda request: asked.append(request.url))
        tab.goto(f"{site}/book/kent/model.html")
        tab.wait_for_selector(".live-start")
        assert not any("pyodide" in url or "userdp.zip" in url for url in asked)

    @pytest.mark.slow
    @pytest.mark.skipif(not (HTML / "_static/live/pyodide").is_dir(), reason="no Pyodide: `make live` first")
    @pytest.mark.parametrize("name", os.environ.get("USERDP_LIVE", "kent/model").split())
    def test_a_page_runs_as_it_is_stored(self, tab, site, name):
        tab.goto(f"{site}/book/{name}.html")
        tab.click(".live-start")
        tab.wait_for_function(f"/^(ready|could)/.test({SAID})", timeout=240_000)
        tab.click("text=Run all")
        tab.wait_for_function(f"/^(done|could)/.test({SAID})", timeout=240_000)
        cells = tab.locator(".live-output").count()
        assert tab.evaluate(SAID) == f"done: 0 of {cells} cells differ from the book"
        assert tab.complaints == []
