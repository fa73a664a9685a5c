"""Pages that run in the browser: the cells' runner against the stored outputs, here and in Chromium."""

import ast
import json
import os
import re
import subprocess
import sys
from zipfile import ZipFile

import matplotlib.pyplot as plt
import pytest

from browsing import HTML, IN_BROWSER
from fetch_live import FOLDER, LOCK, PYTHON, closure, unpack
from userdp_book.live import cells
from userdp_book.run.pages import Page, code_cells, notebook, pages, read
from userdp_book.run.progress import stored_seconds
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
# As the page's script knows a line that suggests values (names, values, which name, options) and its commas.
COMMA, TRY = re.findall("(?:COMMA|TRY) = /(.+)/;", (live.ROOM / "live.js").read_text("utf8"))
# Without a value to try: labs, whose checks expect their numbers; pages that ask whether anything changes.
# Pages that are long at the settings of a paper's own figures need not have one in a cell that is not.
UNMARKED = "teach/", "reproduce/"
SHORT = "cummings/exercises", "dame/bias-variance", "kent/model", "liu/exercises"
CHANGED = (
    *SHORT,
    "data/different-users",
    "data/equal-sizes",
    "data/unequal-sizes",
    "kent/density",
    "liu/experiments",
)


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


def run(sources):
    """The outputs of cells, by the runner in a process of its own."""
    command = [sys.executable, "-c", RUN, str(live.ROOM)]
    # as a reader's: a verdict that ends says so and the page goes on
    environment = {name: value for name, value in os.environ.items() if name != "USERDP_STRICT"}
    environment["MPLBACKEND"] = "agg"
    done = subprocess.run(
        command, input=json.dumps(sources), env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kent/model", "cummings/windows", "dame/algorithm"])
def test_cells_print_what_their_notebook_stores(root, name):
    stored = code_cells(read(root / f"notebooks/{name}.ipynb"))[1:]
    assert [*map(facts, run([cell.source for cell in stored]))] == [facts(cell.outputs) for cell in stored]


def suggested(source):
    """Where a cell suggests values: the cell with each of them in the place of its own."""
    for found in re.finditer(TRY, source, re.MULTILINE):
        names, values, name, options = found.groups()
        places, parts = names.split(", "), re.split(COMMA, values) if name else [values]
        assert len(parts) == (len(places) if name else 1), found[0]
        for option in options.split(" or "):
            parts[places.index(name or names)] = option
            yield source.replace(found[0], f"{names} = {', '.join(parts)}")


def test_a_suggested_value_takes_the_place_of_the_own():
    assert [*suggested("x = 1  # try 2 or [3, 4]")] == ["x = 2", "x = [3, 4]"]
    assert [*suggested("n, m = [1, 2], f(3, 4)  # try m = 5\n")] == ["n, m = [1, 2], 5\n"]


def test_every_page_suggests_what_to_change_or_has_a_reason(root):
    seconds = stored_seconds()
    asked = [page for page in pages(root) if not page.name.startswith(UNMARKED)]
    asked = [page for page in asked if seconds.get(page.name, 0) < live.LONG]
    sources = {page.name: [cell.source for cell in code_cells(notebook(page))] for page in asked}
    assert [name for name, cells in sources.items() if not any(map(list, map(suggested, cells)))] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGED)
def test_no_suggested_value_ends_in_an_error(root, name):
    sources = [cell.source for cell in code_cells(notebook(Page(root, name)))[1:]]
    changed = [list(suggested(source)) for source in sources]
    if stored_seconds().get(name, 0) >= live.LONG:
        sources = sources[: 1 + max(place for place, new in enumerate(changed) if new)]
    for turn in range(max(map(len, changed))):
        cells = [new[turn % len(new)] if new else own for own, new in zip(sources, changed, strict=False)]
        assert [output["evalue"] for cell in run(cells) for output in cell if "evalue" in output] == []


def test_what_a_page_asserts_it_says_in_words(root):
    for page in pages(root):
        for cell in code_cells(notebook(page))[1:]:
            asserted = [node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Assert)]
            assert [ast.unparse(node) for node in asserted if not node.msg] == [], page.name


@pytest.fixture
def outputs():
    """The runner with names of its own, and no figure that another test left open."""
    plt.close("all")
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


@pytest.mark.parametrize(
    ("source", "lacking"),
    [
        ("import no_such_module", "package no_such_module"),
        ('raise RuntimeError("can\'t start new thread")', "threads"),
        ("raise OSError(138, 'emscripten does not support processes.')", "processes"),
    ],
)
def test_what_a_browser_has_not_is_said_kindly(outputs, source, lacking):
    said = outputs(source)[0]["traceback"][-1]
    assert said == f"A browser has no {lacking}: open this page as a notebook."


def test_the_archive_holds_the_package_and_its_tables(tmp_path):
    live.pack(tmp_path / "userdp.zip")
    with ZipFile(tmp_path / "userdp.zip") as archive:
        names = archive.namelist()
    assert {"cells.py", "userdp/__init__.py", "userdp_papers/data/statements.csv"} <= set(names)
    assert not any("__pycache__" in name for name in names)


LOCKED = {
    "pandas": {"file_name": "pandas.whl", "sha256": "?", "depends": ["numpy"]},
    "numpy": {"file_name": "numpy.whl", "sha256": "?", "depends": []},
}


def test_a_package_brings_what_it_depends_on():
    assert closure(LOCKED, ["pandas"]) == ["numpy", "pandas"]


def test_a_changed_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("fetch_live.PACKAGES", ("pandas",))
    with ZipFile(tmp_path / "carrier.whl", "w") as archive:
        for name in {*PYTHON, "pandas.whl", "numpy.whl"} - {LOCK}:
            archive.writestr(FOLDER + name, b"content")
        archive.writestr(FOLDER + LOCK, json.dumps({"packages": LOCKED}))
    with pytest.raises(ValueError, match="is not what its release lists"):
        unpack(tmp_path / "carrier.whl", tmp_path / "live")


def lines_due(listed, name, found):
    """What is to be done to differs.csv when these cells of a page print something else."""
    own, reason = listed.get(name, ([], "say why"))
    old, new = (f'{name},{" ".join(map(str, cells))},"{reason}"' for cells in (own, found))
    return [
        f"{act} {line}"
        for act, line, due in (("take out", old, own), ("put in", new, found))
        if due and old != new
    ]


def test_a_page_that_differs_otherwise_says_which_line_comes_and_goes():
    listed = {"x": ([3, 5], "Other logarithms.")}
    assert lines_due(listed, "x", [3, 5]) == lines_due(listed, "y", []) == []
    assert lines_due(listed, "x", []) == ['take out x,3 5,"Other logarithms."']
    assert lines_due(listed, "x", [3]) == [
        'take out x,3 5,"Other logarithms."',
        'put in x,3,"Other logarithms."',
    ]
    assert lines_due(listed, "y", [1]) == ['put in y,1,"say why"']


def test_every_page_that_differs_is_one_that_is_tried():
    assert set(live.differing()) <= set(live.tried())


SAID = "document.querySelector('.live-bar output').value"
LOADED = pytest.mark.skipif(
    not (HTML / "_static/live/pyodide").is_dir(), reason="no Pyodide: `make live` first"
)
# A few of those that take little; all of them once a week.
CHOSEN = os.environ.get("USERDP_LIVE", "kent/model dame/exercises")
# Integers have 32 bits there: arrays of 64 say so when they are printed.
EXAMPLES = """
import doctest, importlib, pkgutil
import userdp

class Checker(doctest.OutputChecker):
    def check_output(self, want, got, flags):
        return super().check_output(want, got.replace(", dtype=int64", ""), flags)

class Runner(doctest.DocTestRunner):
    def report_failure(self, out, test, example, got):
        print(test.name, example.source, got)

runner = Runner(Checker())
# faces show the functions of their modules once more
modules = [found.name for found in pkgutil.walk_packages(userdp.__path__, "userdp.") if not found.ispkg]
for name in modules:
    for test in doctest.DocTestFinder().find(importlib.import_module(name)):
        runner.run(test, out=lambda text: None)
runner.tries > 100, runner.failures
"""


def started(tab, site, name):
    """The page, ready to run."""
    tab.goto(f"{site}/book/{name}.html", timeout=120_000)
    tab.click(".live-start")
    tab.wait_for_function(f"/^(ready|could)/.test({SAID})", timeout=600_000)
    return tab


def all_run(tab):
    """What the page says when all cells have run."""
    tab.wait_for_function(f"/^(done|could)/.test({SAID})", timeout=600_000)
    return tab.evaluate(SAID)


class TestInChromium:
    pytestmark = IN_BROWSER

    def test_nothing_is_loaded_before_the_click(self, tab, site):
        asked = []
        tab.on("request", lambda request: asked.append(request.url))
        tab.goto(f"{site}/book/kent/model.html")
        tab.wait_for_selector(".live-start")
        assert not any("pyodide" in url or "userdp.zip" in url for url in asked)

    @LOADED
    @pytest.mark.slow
    @pytest.mark.parametrize("name", live.tried() if CHOSEN == "all" else CHOSEN.split())
    def test_a_page_runs_as_it_is_stored(self, tab, site, name):
        started(tab, site, name).click(".live-bar >> text=Run all")
        assert all_run(tab).startswith("done: ")
        differ = "outputs => outputs.map((one, n) => one.querySelector('.live-differs') ? n + 1 : 0)"
        found = [*filter(None, tab.locator(".live-output").evaluate_all(differ))]
        assert not lines_due(live.differing(), name, found), "src/userdp_book/live/differs.csv is out of date"
        assert tab.complaints == []

    @LOADED
    @pytest.mark.slow
    def test_a_verdict_that_ends_at_a_readers_value_turns_red_and_the_page_goes_on(self, tab, site):
        started(tab, site, "dame/optimality").click("text=try EPSILON = 0.1")
        all_run(tab)
        red = tab.locator(".live-output .claim-not-at-your-settings").first.inner_text()
        assert "At your settings" in red and "measured" in red and "expected" in red
        assert tab.locator(".traceback").count() == 0 and tab.locator(".live-waiting").count() == 0

    @LOADED
    @pytest.mark.slow
    def test_the_examples_of_the_package_hold_where_an_integer_has_32_bits(self, tab, site):
        cell = started(tab, site, "kent/model").locator(".cell_input pre").first
        cell.evaluate("(code, text) => { code.textContent = text; }", EXAMPLES)
        tab.locator(".live-run").first.dispatch_event("click")
        all_run(tab)
        assert tab.locator(".live-output pre").all_text_contents() == ["(True, 0)"]
