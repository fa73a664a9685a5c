"""What stands beside formulas and links."""

from docutils import nodes

from userdp_book.site import links


def test_a_full_stop_stays_with_its_formula_and_with_no_other_sentence():
    """Among the texts of a paragraph several are equal: each is the full stop of its own sentence."""
    end, line = ".", "\n"
    before = [nodes.Text("It is "), nodes.emphasis("", "worse"), nodes.Text(end), nodes.Text(line)]
    formula, after = nodes.math("", "na"), [nodes.Text(end), nodes.Text(line), nodes.Text("So")]
    paragraph = nodes.paragraph("", "", *before, formula, *after)
    links.keep_together(None, nodes.section("", paragraph), "page")
    assert paragraph.astext() == "It is worse.\nna.\nSo"
    assert formula.parent.astext() == "na." and formula.parent["classes"] == ["unbroken"]


def test_a_full_stop_stays_with_its_formula_and_an_equal_one_where_it_is():
    first = nodes.literal(text="x"), nodes.Text("."), nodes.Text(" Of ")
    paragraph = nodes.paragraph("", "", *first, nodes.math(text="t"), nodes.Text("."))
    links.keep_together(None, paragraph, "")
    assert paragraph.astext() == "x. Of t."
    assert [both.astext() for both in paragraph.findall(nodes.inline)] == ["t."]
