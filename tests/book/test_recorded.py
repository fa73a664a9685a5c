"""nbval on recorded runs: what it must catch there as it does with live kernels, each planted once."""

import subprocess
import sys
from base64 import b64encode
from io import BytesIO

import nbformat
import pytest
from PIL import Image

from pretended import FRONT, repository
from userdp_book.run import cache
from userdp_book.run.execute import keep
from userdp_book.run.narrow import KIND
from userdp_book.run.pages import Page, code_cells, notebook, read, write
from userdp_book.run.reach import Sources
from userdp_book.site.claims import MIME

pytestmark = pytest.mark.slow

PAGE = f"""{FRONT}
# A page

```{{code-cell}} ipython3
from userdp.planning.risk.dame import rate
print("n", rate(2))
```

```{{code-cell}} ipython3
check(1)
```

```{{code-cell}} ipython3
draw()
```
"""
NUMBER, CLAIM, FIGURE = 1, 2, 3  # the code cells after the installing one


def picture(grey):
    buffer = BytesIO()
    Image.new("L", (20, 20), grey).save(buffer, format="PNG")
    return b64encode(buffer.getvalue()).decode()


def outputs(**drawn):
    """What the three cells of the page print; a run draws the figure for telephones as well."""
    claim = {MIME: {"id": "x", "verdict": "holds"}, "text/plain": "[holds]"}
    figure = {"image/png": picture(200), "text/plain": "<Figure>"} | drawn
    return {
        NUMBER: [nbformat.v4.new_output("stream", text="n 0.25\n")],
        CLAIM: [nbformat.v4.new_output("display_data", data=claim)],
        FIGURE: [nbformat.v4.new_output("display_data", data=figure)],
    }


def put(nb, printed):
    """The notebook as run from top to bottom with these outputs."""
    for count, cell in enumerate(code_cells(nb)):
        cell.execution_count, cell.outputs = count + 1, printed.get(count, [])
    return nb


def make(root, name):
    """A page that has been run, whose stored notebook is what was run."""
    page = Page(root, name)
    page.source.parent.mkdir(parents=True, exist_ok=True)
    page.source.write_text(PAGE)
    write(put(notebook(page), outputs()), page.twin)
    noted = cache.note(page, Sources(root)) | {"seconds": 1.0}
    keep(page, put(notebook(page), outputs(**{KIND: picture(90)})), noted)
    return page


def edit(path, change):
    """Change one of the notebooks of a page."""
    nb = read(path)
    change(code_cells(nb))
    write(nb, path)


def nothing(page):
    """The control: a page as it should be."""


def wrong_digit(page):
    edit(page.twin, lambda cells: cells[NUMBER].outputs[0].update(text="n 0.26\n"))


def wrong_verdict(page):
    edit(page.twin, lambda cells: cells[CLAIM].outputs[0].data[MIME].update(verdict="refuted"))


def missing_output(page):
    edit(page.twin, lambda cells: cells[NUMBER].update(outputs=[]))


def output_too_many(page):
    edit(page.twin, lambda cells: cells[NUMBER].outputs.append(cells[CLAIM].outputs[0]))


def altered_picture(page):
    edit(page.twin, lambda cells: cells[FIGURE].outputs[0].data.update({"image/png": picture(190)}))


def changed_notebook(page):
    edit(page.twin, lambda cells: cells[NUMBER].update(source="print(0.25)"))


def missing_cell(page):
    nb = read(page.twin)
    nb.cells.remove(code_cells(nb)[FIGURE])
    write(nb, page.twin)


def changed_page(page):
    page.source.write_text(PAGE.replace("rate(2)", "rate(3)"))


def changed_pins(page):
    edit_note(page, key="of other pins")


def no_run(page):
    page.executed.unlink()


def stored_for_run(page):
    """A copy of the stored notebook in the place of a run: stored would be compared with stored."""
    write(read(page.twin), page.executed)


def raised_error(page):
    error = nbformat.v4.new_output("error", ename="ValueError", evalue="no", traceback=["ValueError: no"])
    edit(page.executed, lambda cells: cells[NUMBER].update(outputs=[error]))


def edit_note(page, **changes):
    nb = read(page.executed)
    nb.metadata["userdp"].update(changes)
    write(nb, page.executed)


RERUN, SYNC = "use `make execute`", "use `make sync`"
PLANTED = {
    wrong_digit: "mismatch 'stdout'",
    wrong_verdict: f"mismatch '{MIME}'",
    missing_output: "Unexpected output fields",
    output_too_many: "Missing output fields",
    altered_picture: "grey levels apart",
    changed_notebook: SYNC,
    missing_cell: SYNC,
    changed_page: RERUN,
    changed_pins: RERUN,
    no_run: RERUN,
    stored_for_run: RERUN,
    raised_error: "Cell execution caused an exception",
}


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A repository with a page for each planted fault, named after it, and one without."""
    root = repository(tmp_path_factory.mktemp("book"))
    (root / "src/userdp").mkdir(parents=True)
    (root / "src/userdp/rates.py").write_text("def rate(n):\n    return 1 / n**2\n")
    for plant in (nothing, *PLANTED):
        plant(make(root, plant.__name__))
    return root


@pytest.fixture(scope="module")
def judged(book):
    """What nbval says of each page, in one run."""
    options = ["-q", "-rA", "-p", "userdp_book.run.nbval_plugin", "-p", "no:cacheprovider", "--color=no"]
    options += ["--nbval", "--nbval-recorded", "--rootdir", book]
    result = subprocess.run(
        [sys.executable, "-m", "pytest", *options, book / "notebooks"],
        capture_output=True,
        text=True,
        cwd=book,
        timeout=300,
    )
    assert result.returncode == 1, result.stdout + result.stderr
    return result.stdout


def verdicts(judged, plant):
    """What the last lines say of the cells of a page."""
    lines = [line.split() for line in judged.splitlines() if f" notebooks/{plant.__name__}.ipynb::" in line]
    return [words[0] for words in lines if words[0] in ("PASSED", "FAILED", "ERROR")]


def test_a_page_as_it_should_be_passes(judged):
    assert verdicts(judged, nothing) == ["PASSED"] * 4


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_a_planted_fault_is_caught(judged, plant):
    assert {"FAILED", "ERROR"} & set(verdicts(judged, plant))
    reports = [
        part for part in judged.split("\n____") if f"/{plant.__name__}.ipynb" in part.partition("\n")[0]
    ]
    assert PLANTED[plant] in "".join(reports)
