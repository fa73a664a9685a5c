"""The register of letters: where one looks a symbol up, and that each link leads to its row."""

import pytest
from docutils import nodes
from docutils.utils import new_document

from userdp_book.site.letters import Register, letter_of


@pytest.mark.parametrize(
    ("tex", "letter"),
    [
        (r"\hat\jmath", "j"),
        (r"[L, U]", "L"),
        (r"\lceil 1/\tau \rceil", "τ"),
        (r"n\eps^2", "n"),
        (r"\eps'", "ε"),
        (r"\bar\lambda", "λ"),
        (r"\Lambda", "Λ"),
        (r"\varrho", "ρ"),
        (r"\mathcal D", "D"),
        (r"\Lap(b)", ""),
        ("1", ""),
    ],
)
def test_a_symbol_stands_under_its_letter(tex, letter):
    assert letter_of(tex) == letter


def row(*symbols):
    entries = [nodes.entry("", nodes.paragraph("", "", *(nodes.math(text=tex) for tex in symbols)))]
    return nodes.row("", *entries, nodes.entry("", nodes.paragraph("", "", nodes.math(text="x"))))


def test_each_symbol_of_a_first_column_leads_to_its_row_and_a_second_meaning_is_numbered():
    page = new_document("page")
    page += [waiting := nodes.pending(Register)]
    page += nodes.table(
        "", nodes.thead("", row("q")), nodes.tbody("", row("m", r"\tilde m"), row("m"), row(r"\eps"))
    )
    Register(page, waiting).apply()
    (register,) = [one for one in page.findall(nodes.container) if "letters" in one["classes"]]
    assert [line.astext() for line in register] == [r"m m \tilde m 2", r"ε \eps"]
    rows = [one["ids"] for one in page.findall(nodes.row)]
    links = [link["refid"] for link in register.findall(nodes.reference)]
    assert rows[0] == [] and links == [rows[1][0], rows[1][0], rows[2][0], rows[3][0]]
    assert len({*links}) == 3
