"""What a page shows of its code, what its folds are called, how numbers are written, what is left out."""

from base64 import b64decode, b64encode
from io import BytesIO

import numpy as np
import pytest
from docutils import nodes
from docutils.utils import new_document
from PIL import Image

from userdp_book.site import folds, light
from userdp_book.site.claims import number
from userdp_book.site.folds import CHECK, FIGURE, SETTINGS, shown

METHOD = '''def mean(values):
    """The mean."""
    total = sum(values)
    return total / len(values)
'''
LONG = "\n".join(f"x{k} = {k} + 1" for k in range(20))
LAW = "class Law:\n" + "    x = 1\n" * 15
CELLS = {
    "short": ("total = vote(3)\ntotal + 1", None, "total = vote(3)\ntotal + 1"),
    "imports": ("import numpy as np\nSEED = 3\nstyle.use()", SETTINGS, ""),
    "imports, then short": ("import numpy as np\n\nvote(3)", "How it is computed and printed", "vote(3)"),
    "check": ("check('x', 1, 1)", CHECK, ""),
    "method and check": (METHOD + "\ncheck('x', mean([1]), 1)", CHECK, METHOD.strip()),
    "long": (LONG, "How it is computed", ""),
    "method in a long one": (f"{LONG}\n\n\n{METHOD}", "How it is computed", METHOD.strip()),
    "definitions": (
        f"{METHOD}\n\nclass Law:\n" + "    x = 1\n" * 15,
        "Definitions: mean, Law",
        METHOD.strip(),
    ),
    "figure": ("fig, ax = plt.subplots()\nax.plot(x)", FIGURE, ""),
    "table": ("rows = pd.DataFrame(x)\nrows.round(2)", "How the table is made", ""),
    "command": ("%pip install x", None, "%pip install x"),
}


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_shows_its_method(name):
    source, called, text = CELLS[name]
    assert shown(source) == (called, text)


def test_a_cell_that_draws_shows_nothing_else():
    assert shown(METHOD, figure=True) == (FIGURE, "")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-4.64711e-120, "−4.65·10⁻¹²⁰"),
        (1e-9, "10⁻⁹"),
        (0.0, "0"),
        (0.628571, "0.6286"),
        (123456.0, "123,456"),
        (1.5e8, "1.5·10⁸"),
        (float("inf"), "inf"),
        (3, "3"),
        (None, "–"),
    ],
)
def test_numbers_are_written_for_people(value, text):
    assert number(value) == text


def test_a_picture_in_256_colours_is_lighter_and_looks_the_same():
    rough = np.random.default_rng(1).choice([[255, 255, 255], [0, 114, 178], [213, 94, 0]], (12, 18))
    image = Image.fromarray(rough.astype(np.uint8)).resize((720, 480), Image.Resampling.BILINEAR)
    png = BytesIO()
    image.save(png, "png")
    small = b64decode(light.in_palette(b64encode(png.getvalue()).decode()))
    shown = np.asarray(Image.open(BytesIO(small)).convert("RGB")).astype(int)
    assert len(small) < len(png.getvalue()) / 2 and np.abs(shown - np.asarray(image)).max() <= 24


def test_icons_of_the_theme_are_found_by_either_name():
    words = "i.fa-bars, 'fa-pencil-alt' fa-github fa-solid fabric"
    found = light.icons((light.THEME / light.ICONS).read_text("utf8"), set(light.ICON_CLASS.findall(words)))
    assert set(found) == {"fa-bars", "fa-pencil-alt", "fa-github"}
    assert all(path.startswith("M") for _, _, path in found.values())


def cell_with(output, code="vote(3)"):
    """A cell of code as myst-nb gives it to the transform, in a section of its own."""
    source = nodes.container("", nodes.literal_block(text=code), nb_element="cell_code_source")
    cell = nodes.container("", source, nodes.container("", output), nb_element="cell_code", cell_metadata={})
    return nodes.section("", cell)


SHOWN = {"kent/mixture.md": 1, "kent/experiments-mixture.md": 0, "book/data/histograms.md": 0}


@pytest.mark.parametrize(("page", "parts"), SHOWN.items())
def test_a_page_of_experiments_shows_no_functions_of_longer_cells(page, parts):
    document = new_document(page)
    function = 'def vote(k, rng):\n    """One vote."""\n    p = k\n    return rng.random() < p\n\n\n'
    document += cell_with(nodes.paragraph(), function + "x = vote(3, rng)\n" * 20)
    folds.Folds(document).run()
    assert len([one for one in document.findall(nodes.container) if "cell-part" in one["classes"]]) == parts


@pytest.mark.parametrize(("lines", "folded"), [(folds.PRINTED, False), (folds.PRINTED + 1, True)])
def test_long_prints_fold(lines, folded):
    page = new_document("page")
    page += cell_with(nodes.literal_block(text="\n".join("x" * lines), classes=["output", "stream"]))
    folds.Folds(page).run()
    assert bool(list(page.findall(folds.HideCodeCellNode))) == folded


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("The bound is 3,\nand it holds.\n", "The bound is 3, and it holds."),
        ("ε is at most 1.", "ε is at most 1."),
        ("It is in [-0.5, 10^6].", "It is in [−0.5, 10⁶]."),
        ("the bound is 3", None),
        ("Of users  1  2.", None),
        ("Users\n1  0.25", None),
    ],
)
def test_printed_sentences_are_words_and_tables_are_not(printed, said):
    page = new_document("page")
    page += cell_with(nodes.literal_block(text=printed, classes=["output", "stream"]))
    folds.Words(page).run()
    words = [one.astext() for one in page.findall(nodes.paragraph) if "said" in one["classes"]]
    assert words == ([said] if said else []) and bool([*page.findall(folds.is_printed)]) == (not said)


@pytest.mark.parametrize(("heights", "folded"), [([6], 0), ([6, 6], 1), ([11], 1), ([5, 5], 0)])
def test_a_section_shows_one_table_that_is_not_too_long(heights, folded):
    page, section = new_document("page"), nodes.section()
    for height in heights:
        html = f"<table {folds.TABLE}>{'<tr></tr>' * height}</table>"
        section += cell_with(nodes.raw("", html, format="html")).children
    page += section
    folds.Folds(page).run()
    assert len(list(page.findall(folds.HideCodeCellNode))) == folded


@pytest.mark.parametrize(
    ("before", "folded"),
    [
        ("The next table has both.", 0),
        ("The next cell runs it.", 0),
        ("Three tables of users.", 1),
        ("In the output each user has a vote.", 0),
    ],
)
@pytest.mark.parametrize("after", [False, True])
def test_a_table_that_the_text_beside_it_reads_is_shown(before, after, folded):
    page, said = new_document("page"), nodes.paragraph(text=before)
    cell = cell_with(nodes.raw("", f"<table {folds.TABLE}>{'<tr></tr>' * 11}</table>")).children
    page += nodes.section("", *([*cell, said] if after else [said, *cell]))
    folds.Folds(page).run()
    assert len(list(page.findall(folds.HideCodeCellNode))) == folded


def test_a_cell_without_a_result_does_not_part_a_table_from_its_text():
    page, said = new_document("page"), nodes.paragraph(text="The table has both.")
    cell = cell_with(nodes.raw("", f"<table {folds.TABLE}>{'<tr></tr>' * 11}</table>")).children
    silent = nodes.container("", nodes.literal_block(text="import x"), nb_element="cell_code")
    page += nodes.section("", said, silent, *cell)
    folds.Folds(page).run()
    assert not [*page.findall(folds.HideCodeCellNode)]


def test_a_summary_stands_below_the_bar():
    page, summary = new_document("page"), nodes.admonition("", nodes.title(text="Summary"))
    hidden = nodes.container("", folds.HideCodeCellNode(), nodes.container(), nb_element="cell_code")
    page += nodes.section("", hidden, nodes.paragraph(text="It holds."), summary)
    folds.Bars(page).run()
    run, last = page[0].children
    assert run["classes"] == ["run"] and last is summary and summary not in run.children


@pytest.mark.parametrize(
    ("printed", "folded"), [("risk in millionths, theta = 0.3", True), ("the bound is 0.25", False)]
)
def test_a_heading_folds_with_its_table(printed, folded):
    page, section = new_document("page"), nodes.section("", nodes.paragraph(text="Three users."))
    section += cell_with(nodes.raw("", f"<table {folds.TABLE}>{'<tr></tr>' * 11}</table>")).children
    output = section[1][1]
    output.insert(0, nodes.literal_block(text=printed, classes=["output", "stream"]))
    page += section
    folds.Folds(page).run()
    bar = next(page.findall(folds.HideCodeCellNode))
    assert [type(part) for part in output] == [nodes.literal_block] * (not folded) + [folds.HideCodeCellNode]
    assert len(bar) == 1 + folded and bar[-1].astext().startswith("<table")


def judged(*verdicts):
    return [nodes.container(verdict=verdict, statement=f"Theorem {verdict[0]}") for verdict in verdicts]


def test_what_is_false_stays_in_sight_where_its_cell_folds():
    page, claims = new_document("page"), judged("holds", "refuted")
    page += cell_with(claims[0])
    cell = page[0][0]
    cell[1] += claims[1]
    cell["hide_mode"] = "all"
    folds.Folds(page).run()
    assert cell[1].children == claims[:1] and page[0][1].children == claims[1:]
    assert page[0][1]["classes"] == ["cell_output"]  # by which a claim is styled


def test_claims_follow_what_is_shown_and_what_fails_is_the_first():
    told = ("holds", "context", "refuted", "holds after correction", "not reproducible")
    table, claims = nodes.raw(), judged(*told)
    found = folds.in_order([*claims, table])
    assert found == [table, *(claims[place] for place in (2, 4, 3, 0, 1))]


def test_two_claims_that_hold_are_one_row_with_their_statements():
    claims = judged("refuted", "holds", "holds")
    claims[2]["statement"] = "Table 2"
    first, start, badge, said, _, *held, end = folds.in_order(claims)
    assert first is claims[0] and held == claims[1:]
    assert (badge.astext(), said.astext()) == ("✓ holds", "2 claims about Theorem h, Table 2")
    assert "<details" in start.astext() and "</details" in end.astext()


def test_a_verdict_that_nobody_knows_is_not_lost():
    with pytest.raises(KeyError, match="perhaps"):
        folds.in_order(judged("perhaps"))
