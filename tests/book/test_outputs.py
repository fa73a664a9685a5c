"""myst-nb shows the outputs of the last run and executes nothing, whatever is missing."""

import subprocess
import sys

import nbformat
import pytest

from pretended import FRONT, repository
from userdp_book.run import cache
from userdp_book.run.execute import keep
from userdp_book.run.pages import Page, code_cells, notebook
from userdp_book.run.reach import Sources

PAGE = f"""{FRONT}
# A page

```{{code-cell}} ipython3
:tags: [hide-input]
open("FOLDER/executed", "w")
```
"""
CONFIGURATION = """
extensions = ["myst_nb"]
exclude_patterns = ["_build"]
root_doc = "book/index"
nb_execution_mode = "cache"

def setup(app):
    from userdp_book.site import outputs
    app.connect("config-inited", outputs.configure)
    app.connect("env-before-read-docs", outputs.fill)
    app.connect("source-read", outputs.depend_on_outputs)
"""


@pytest.fixture
def page(tmp_path):
    """A page that would leave a file behind if it were executed here; it has been run elsewhere."""
    repository(tmp_path)
    (tmp_path / "conf.py").write_text(CONFIGURATION)
    made = Page(tmp_path, "index")
    made.source.write_text(PAGE.replace("FOLDER", str(tmp_path)))
    ran(made, "planted")
    return made


def ran(page, printed):
    nb = notebook(page)
    code_cells(nb)[1].outputs = [nbformat.v4.new_output("stream", text=f"{printed}\n")]
    keep(page, nb, cache.note(page, Sources(page.root)) | {"seconds": 1.0})


def build(page):
    """Whether the build went well, what it said, and the page that it made."""
    options = ["-q", "-W", "-b", "html", ".", "_build/html"]
    made = subprocess.run(
        [sys.executable, "-m", "sphinx", *options], cwd=page.root, capture_output=True, text=True
    )
    assert not (page.root / "executed").exists()
    shown = page.root / f"_build/html/{page.docname}.html"
    return made.returncode == 0, made.stderr, shown.read_text() if shown.is_file() else ""


@pytest.mark.slow
def test_a_page_shows_its_last_run(page):
    good, said, shown = build(page)
    assert good and "planted" in shown, said
    ran(page, "another")
    good, said, shown = build(page)
    assert good and "another" in shown and "planted" not in shown, said


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["no run", "changed code"])
def test_a_page_that_was_not_run_as_it_is_fails_the_build(page, fault):
    if fault == "no run":
        page.executed.unlink()
    else:
        page.source.write_text(page.source.read_text().replace("open(", "print(1); open("))
    good, said, _ = build(page)
    assert not good and "book/index: has not been executed as it is now: use `make book`" in said
