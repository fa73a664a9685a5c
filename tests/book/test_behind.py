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


def test_a_tab_holds_no_link():
    page = new_document("page")
    proof = fold("Proof of ")
    proof[0] += nodes.reference("", "", nodes.emphasis(text="Lemma 3"), refuri="#lemma-3")
    page += proof
    behind.Behind(page).run()
    assert not list(page.findall(nodes.reference)) and "Proof of Lemma 3" in page.astext()


def test_a_note_that_does_not_fold_stays():
    page = new_document("page")
    page += [
        nodes.admonition("", nodes.title(text="On this page")),
        nodes.note("", nodes.paragraph(text="x")),
    ]
    behind.Behind(page).run()
    assert len(page.children) == 2 and not list(page.findall(nodes.raw))


def cell(*inside):
    return nodes.container("", HideCodeCellNode(), *inside, nb_element="cell_code")


def section_with(*parts):
    page, section = new_document("page"), nodes.section("", nodes.title(text="Title"), *parts)
    page += section
    folds.Bars(page).run()
    return section


def test_what_is_folded_up_to_a_figure_has_one_bar_which_the_rest_after_the_last_shares():
    seen, words = nodes.paragraph(text="seen"), nodes.paragraph(text="words")
    parts = [cell(seen), words, cell(nodes.figure()), cell(seen.deepcopy()), words.deepcopy()]
    parts += [cell(nodes.figure()), words.deepcopy(), cell(seen.deepcopy())]
    section = section_with(*parts, nodes.section("", nodes.paragraph(text="no cell")))
    kinds = [type(node).__name__ for node in section.children]
    assert kinds == ["title", "container", "container", "section"]
    found = [
        [len(list(run.findall(kind))) for kind in (nodes.raw, HideCodeCellNode)]
        for run in section.children[1:3]
    ]
    assert found == [[1, 3], [1, 2]]


def test_a_cell_of_which_nothing_is_seen_joins_the_next_and_cells_keep_their_order():
    first, shown = cell(), cell(nodes.paragraph(text="seen"))
    inner = nodes.section("", nodes.title(text="Below"), shown)
    section = section_with(first, nodes.paragraph(text="words"), inner)
    assert [type(node).__name__ for node in section.children] == ["title", "paragraph", "section"]
    bar, *cells = inner.children[1].children
    assert isinstance(bar, nodes.raw) and cells == [first, shown]


def test_the_cell_of_a_solution_stands_in_it_without_a_bar():
    solution = nodes.admonition("", nodes.title(text="Solution"), classes=["solution", "dropdown"])
    own, words = cell(), nodes.note("", nodes.paragraph(text="The conclusion."))
    section = section_with(cell(nodes.paragraph(text="seen")), solution, own, words)
    assert solution.children[-1] is own and not list(solution.findall(nodes.raw))
    assert section.children[-1].children[-1] is words


def test_numbers_go_by_part_and_page_and_sphinx_gets_its_own_back(root):
    found = numbers.prefixes(
        ["book/index", "book/kent/index", "book/kent/model", "book/data/index", "book/dame/index"]
    )
    assert list(found.values()) == ["I0", "K0", "K1", "R0", "D0"]
    plain = {"book/kent/univariate": {"theorem": {"a": (151,), "b": (152,)}}}
    env, app = SimpleNamespace(toc_fignumbers=plain), SimpleNamespace(srcdir=root)
    numbers.renumber(app, env)
    assert env.toc_fignumbers["book/kent/univariate"]["theorem"] == {"a": ("K2", 1), "b": ("K2", 2)}
    numbers.forget(app, env)
    assert env.toc_fignumbers == plain
