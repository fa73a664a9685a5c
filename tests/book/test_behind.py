"""Folds behind a box are one row of tabs, those about a figure have one bar, and numbers say their page."""

from types import SimpleNamespace

from docutils import nodes
from docutils.utils import new_document
from myst_nb.sphinx_ import HideCodeCellNode

from userdp_book.site import behind, folds, numbers


def fold(title, *inner):
    return nodes.admonition("", nodes.title(text=title), *inner, classes=["dropdown"])


def names(page):
    return [
        node.astext().split('name="')[1].split('"')[0]
        for node in page.findall(nodes.raw)
        if "name=" in node.astext()
    ]


def test_folds_that_follow_one_another_are_one_row_of_which_one_is_open():
    page = new_document("page")
    inner = nodes.container("", fold("step by step"))
    page += [fold("Proof", inner), fold("Code"), nodes.paragraph(text="between"), fold("Proof of the next")]
    behind.Behind(page).run()
    rows = [node for node in page.children if "behind" in node.get("classes", [])]
    assert len(rows) == 2 and not list(page.findall(nodes.admonition))
    first, other = names(rows[0]), names(rows[1])
    # Proof, the fold within it, Code
    assert first[0] == first[2] != first[1] and not {*first} & {*other}


def test_a_note_that_does_not_fold_stays():
    page = new_document("page")
    page += [
        nodes.admonition("", nodes.title(text="On this page")),
        nodes.note("", nodes.paragraph(text="x")),
    ]
    behind.Behind(page).run()
    assert len(page.children) == 2 and not list(page.findall(nodes.raw))


def test_cells_about_a_figure_have_one_bar_and_stay_cells():
    page, section = new_document("page"), nodes.section()
    cells = [nodes.container("", HideCodeCellNode(), nb_element="cell_code") for _ in range(3)]
    shown = nodes.container("", nodes.paragraph(text="x"), nb_element="cell_code")
    section += [*cells, nodes.paragraph(text="words"), shown]
    page += section
    folds.Bars(page).run()
    runs = [node for node in section.children if "run" in node.get("classes", [])]
    bars = [len([raw for raw in run.children if isinstance(raw, nodes.raw)]) for run in runs]
    assert bars == [1, 0] and [len(list(run.findall(HideCodeCellNode))) for run in runs] == [3, 0]


def test_numbers_go_by_part_and_page_and_sphinx_gets_its_own_back(root):
    found = numbers.prefixes(
        ["book/index", "book/kent/index", "book/kent/model", "book/data/index", "book/dame/index"]
    )
    assert list(found.values()) == ["I0", "K0", "K1", "R0", "D0"]
    plain = {"book/kent/univariate": {"theorem": {"a": (151,), "b": (152,)}}}
    env, app = SimpleNamespace(toc_fignumbers=plain), SimpleNamespace(srcdir=root)
    numbers.renumber(app, env)
    assert env.toc_fignumbers["book/kent/univariate"]["theorem"] == {"a": ("K6", 1), "b": ("K6", 2)}
    numbers.forget(app, env)
    assert env.toc_fignumbers == plain
