"""The way from page to notebook: what invalidates what, what is kept, what a comparison must catch."""

import subprocess
import sys
from base64 import b64encode
from io import BytesIO
from types import SimpleNamespace

import nbformat
import pytest
from docutils import nodes
from PIL import Image, ImageDraw

from pretended import FRONT, repository
from userdp_book.run import compare, pairing
from userdp_book.run.pages import Page, code_cells, notebook, pages, read, repository_url, write
from userdp_book.site import claims
from userdp_book.site.links import box

PAGE = f"""{FRONT}
# A page

```{{code-cell}} ipython3
from userdp.planning.risk.dame import rate
```

Words.

```{{code-cell}} ipython3
:tags: [hide-input]
rate(2)
```
"""


@pytest.fixture
def book(tmp_path):
    """A repository with one page and one page of prose."""
    (repository(tmp_path) / "book/part").mkdir()
    (tmp_path / "book/part/page.md").write_text(PAGE)
    (tmp_path / "book/prose.md").write_text("# Prose\n\n---\nkernelspec: no\n---\n")
    return tmp_path


@pytest.fixture
def page(book):
    return Page(book, "part/page")


def run_pretend(page):
    """Store the notebook as if it had been run."""
    nb = notebook(page)
    for count, cell in enumerate(code_cells(nb), start=1):
        cell.execution_count = count
        cell.outputs = [nbformat.v4.new_output("stream", text=f"{count}\n")]
    write(nb, page.twin)


def test_only_pages_with_a_kernel_have_a_notebook(book, page):
    assert pages(book) == [page]


def test_first_cell_installs_from_the_configured_address(page):
    first = notebook(page).cells[0]
    assert first.metadata.tags == ["colab"]
    assert '"userdp @ git+https://example.org/x/userdp"' in first.source
    companion = "userdp-companion[notebooks] @ git+https://example.org/x/userdp#subdirectory=src"
    assert f'"{companion}"' in first.source
    page.source.write_text(PAGE.replace("rate(2)", "from userdp_book.evidence.peers import BITS"))
    assert '"userdp-companion[notebooks,peers] @ git+' in notebook(page).cells[0].source


@pytest.mark.parametrize(
    ("remote", "forge", "found"),
    [
        (None, "", "https://github.com/OWNER/userdp"),
        ("/somewhere/hub.git", "", "https://github.com/OWNER/userdp"),
        ("git@github.com:ann/her.userdp.git", "", "https://github.com/ann/her.userdp"),
        ("https://github.com/ann/userdp", "", "https://github.com/ann/userdp"),
        ("https://github.com/ann/userdp", "bob/userdp", "https://github.com/bob/userdp"),
    ],
)
def test_an_address_that_nobody_wrote_follows_the_forge_or_the_remote(
    book, page, monkeypatch, remote, forge, found
):
    (book / "_config.yml").write_text("repository: {url: 'https://github.com/OWNER/userdp'}")
    monkeypatch.setenv("GITHUB_REPOSITORY", forge)
    subprocess.run(["git", "init", "-q"], cwd=book, check=True)
    if remote:
        subprocess.run(["git", "remote", "add", "origin", remote], cwd=book, check=True)
    repository_url.cache_clear()
    assert repository_url(book) == found
    # What is stored may come from another copy: its address is no fault.
    assert notebook(page, notebook(page)) == notebook(page)


def test_a_notebook_with_another_address_is_in_step_and_keeps_its_outputs(book, page):
    run_pretend(page)
    before = read(page.twin)
    (book / "_config.yml").write_text("repository: {url: 'https://github.com/ann/userdp'}")
    repository_url.cache_clear()
    assert pairing.check(book) == []
    pairing.sync(page)
    after = read(page.twin)
    assert "git+https://github.com/ann/userdp" in after.cells[0].source
    assert [cell.get("outputs") for cell in after.cells] == [cell.get("outputs") for cell in before.cells]


@pytest.mark.parametrize(
    ("address", "fit"), [("github.com/OWNER/userdp", False), ("github.com/ann/userdp", True)]
)
def test_a_book_that_leads_to_nobody_is_not_deployed(root, tmp_path, address, fit):
    for folder in ("_build/html", "notebooks", "book/teach/student"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.txt").write_text(f"https://{address}/blob")
    done = subprocess.run(["make", "-f", root / "Makefile", "deployable"], cwd=tmp_path, capture_output=True)
    assert (done.returncode == 0) == fit
    workflows = [(root / f".github/workflows/{name}.yml").read_text() for name in ("book", "release")]
    assert all("make deployable" in text for text in workflows)


def test_notebook_is_a_function_of_the_page(page):
    first, second = notebook(page), notebook(page)
    assert first == second
    assert len({cell.id for cell in first.cells}) == len(first.cells)


def test_ids_of_equal_cells_differ(page):
    page.source.write_text(FRONT + "```{code-cell} ipython3\n1\n```\n\n" * 2)
    ids = [cell.id for cell in notebook(page).cells]
    assert len(set(ids)) == 3


def test_sync_keeps_outputs_up_to_the_first_changed_cell(page):
    run_pretend(page)
    page.source.write_text(PAGE.replace("from userdp.planning.risk.dame", "from userdp.other"))
    pairing.sync(page)
    assert [len(cell.outputs) for cell in code_cells(read(page.twin))] == [1, 0, 0]


def test_sync_keeps_all_outputs_when_only_prose_changed(book, page):
    run_pretend(page)
    page.source.write_text(PAGE.replace("Words", "Other words"))
    pairing.sync(page)
    assert pairing.check(book) == []


def test_check_accepts_a_run_notebook(book, page):
    run_pretend(page)
    assert pairing.check(book) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("Words", "Other words", "cell 4 differs in its source"),
        ("rate(2)", "rate(3)", "cell 5 differs in its source"),
        ("hide-input", "hide-output", "cell 5 differs in its metadata"),
        ("Words.", "Words.\n\n+++\n\nMore.", "6 cells in the page, 5 in the notebook"),
    ],
)
def test_check_catches_a_page_edited_after_the_run(book, page, old, new, fault):
    run_pretend(page)
    page.source.write_text(PAGE.replace(old, new))
    assert any(fault in said for said in pairing.check(book))


def test_check_catches_a_notebook_that_was_not_run(book, page):
    pairing.sync(page)
    assert "not run from top to bottom" in pairing.check(book)[0]


def test_check_catches_missing_and_orphaned_notebooks(book, page):
    assert "has no notebook" in pairing.check(book)[0]
    run_pretend(page)
    page.source.unlink()
    assert "its page is gone" in pairing.check(book)[0]


def test_check_catches_a_path_of_this_machine(book, page):
    run_pretend(page)
    nb = read(page.twin)
    code_cells(nb)[1].outputs[0].text = f"{book}/src/userdp/rates.py:1: UserWarning"
    write(nb, page.twin)
    assert "a path of this machine" in pairing.check(book)[0]


CLAIM = {
    "id": "dame-thm-1",
    "key": "none",
    "claim": "It holds.",
    "verdict": "holds",
    "evidence": "exact",
    "measured": 0.5,
    "expected": 1.0,
}


def store(claim, page, path):
    """Store the notebook with one claim among its outputs."""
    nb = notebook(page)
    data = {claims.MIME: claim, "text/plain": "[holds]"}
    code_cells(nb)[-1].outputs = [nbformat.v4.new_output("display_data", data=data)]
    write(nb, path)


def test_claims_come_from_the_last_run_or_else_from_the_stored_notebook(book, page):
    assert claims.collect(book) == []
    store(CLAIM, page, page.twin)
    assert claims.collect(book) == [claims.Stored(page, CLAIM)]
    store(CLAIM | {"verdict": "refuted"}, page, page.executed)
    assert [claim["verdict"] for claim in claims.collect(book)] == ["refuted"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "✓ holds exact dame-thm-1 It holds. | measured 0.5, expected 1"),
        ({"relation": "<="}, "✓ holds exact dame-thm-1 It holds. | measured 0.5, expected ≤ 1"),
        ({"verdict": "refuted"}, "✗ refuted exact dame-thm-1 It holds. | measured 0.5, claimed 1"),
        (
            {"measured": -4.64711e-120},
            "✓ holds exact dame-thm-1 It holds. | measured −4.65·10⁻¹²⁰, expected 1",
        ),
        ({"measured": None, "note": "Why."}, "✓ holds exact dame-thm-1 It holds. | Why."),
        ({"measured": None, "evidence": "proof"}, "✓ holds proof dame-thm-1 It holds."),
    ],
)
def test_a_claim_reads_in_two_lines(more, said):
    claim = dict.fromkeys(claims.OPTIONAL) | CLAIM | more
    key = nodes.Text("dame-thm-1.2")
    shown = claims.claim_box(claim, nodes.Text(claim["id"]), lambda text: [nodes.Text(text)], key)
    lines = [line.astext().removesuffix("dame-thm-1.2").removesuffix(" · ") for line in shown]
    assert " | ".join(filter(None, lines)) == said


def picture(slope):
    """A drawn line, as a notebook stores it."""
    image = Image.new("RGB", (200, 150), "white")
    ImageDraw.Draw(image).line([(10, 10), (190, 10 + 120 * slope)], fill="navy", width=2)
    buffer = BytesIO()
    image.save(buffer, format="PNG")
    return b64encode(buffer.getvalue()).decode()


def shown(png):
    return nbformat.v4.new_output("display_data", data={"image/png": png, "text/plain": "<Figure>"})


def test_comparison_names_the_first_differing_line():
    first, second = (nbformat.v4.new_output("stream", text=f"a\n{value}\n") for value in (1, 2))
    assert compare.difference([first], [first]) == ""
    assert compare.difference([first], [second]) == "'stdout: 1' before, 'stdout: 2' now"


def test_comparison_sees_another_picture():
    first, second = shown(picture(0.5)), shown(picture(0.55))
    assert compare.difference([first], [first]) == ""
    assert "grey levels apart" in compare.difference([first], [second])
    assert "1 pictures before, 0 now" in compare.pictures_differ([first], [])


def marked(x, y):
    """A picture of 600 by 400 pixels with one small marker."""
    image = Image.new("RGB", (600, 400), "white")
    ImageDraw.Draw(image).ellipse([(x - 2, y - 2), (x + 2, y + 2)], fill="navy")
    buffer = BytesIO()
    image.save(buffer, format="PNG")
    return shown(b64encode(buffer.getvalue()).decode())


@pytest.mark.parametrize("x, y", [(100, 100), (112, 112), (128, 96), (595, 395)])
def test_comparison_sees_one_marker_move_or_vanish(x, y):
    assert compare.difference([marked(x, y)], [marked(x, y)]) == ""
    assert "grey levels apart" in compare.difference([marked(x, y)], [marked(x - 4, y)])
    assert "grey levels apart" in compare.difference([marked(x, y)], [marked(-9, -9)])


DRAW = f"""from IPython.display import Image
from base64 import b64decode
Image(b64decode("{picture(0.5)}"))"""
HIDDEN = "'the semicolon hides this';"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "slope", "passes"), [("4", 0.5, True), ("5", 0.5, False), ("4", 0.55, False)]
)
def test_nbval_catches_a_wrong_number_and_a_wrong_picture(tmp_path, number, slope, passes):
    figure = {"image/png": picture(slope), "text/plain": "<IPython.core.display.Image object>"}
    nb = nbformat.v4.new_notebook(
        cells=[run_cell("2 + 2", {"text/plain": number}), run_cell(DRAW, figure), run_cell(HIDDEN)]
    )
    write(nb, tmp_path / "planted.ipynb")
    options = ["-q", "-p", "userdp_book.run.nbval_plugin", "-p", "no:cacheprovider"]
    options += ["--nbval", "--nbval-current-env", "--rootdir", tmp_path]
    command = [sys.executable, "-m", "pytest", *options, tmp_path]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert run.returncode == (0 if passes else 1), run.stdout
    assert ("1 failed, 2 passed" in run.stdout) is not passes


def run_cell(source, *shown):
    """A cell as stored after a run, with one output for each of its data."""
    outputs = [nbformat.v4.new_output("execute_result", data=data, execution_count=1) for data in shown]
    return nbformat.v4.new_code_cell(source, outputs=outputs, execution_count=1)


def test_a_statement_is_found_wherever_it_is_labelled():
    domain = SimpleNamespace(anonlabels={"fig": ("b", "fig")}, equations={"eq": ("c", 1)})
    env = SimpleNamespace(get_domain=lambda name: domain, proof_list={"thm": {"docname": "a"}})
    found = [box(env, label) for label in ("thm", "fig", "eq", "nowhere")]
    assert found == [("a", "thm"), ("b", "fig"), ("c", "equation-eq"), None]
