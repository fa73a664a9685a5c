"""What the tables of judgement become: every fault once, no statement resting on itself, plain LaTeX."""

import ast
import re
from pathlib import Path

import pytest
import yaml
from docutils import nodes

import findings
from userdp_book.paper.errata import latex, text
from userdp_book.run.pages import code_cells, pages, read
from userdp_book.site import picture
from userdp_book.site.boxes import AUTHORS, own_name
from userdp_book.site.graph import amended, column, places, rests_on
from userdp_book.site.judgement import OURS, Readings, Worst, faults_of, within
from userdp_papers.study.claims import faults, judgements, statements, verdicts

ROOT = Path(__file__).parents[2]
MACROS = yaml.safe_load((ROOT / "_config.yml").read_text())["sphinx"]["config"]["mathjax3_config"]["tex"][
    "macros"
]


def test_no_statement_rests_on_itself():
    for id in verdicts():
        assert id not in rests_on(id)
        assert all(column(below) < column(id) for below in rests_on(id)), id
        assert set(amended(rests_on(id))) <= rests_on(id), id


@pytest.mark.parametrize("paper", AUTHORS)
def test_a_graph_has_no_node_on_another(paper):
    at = list(places(paper).values())
    assert len(set(at)) == len(at)


def test_a_place_does_not_say_the_name_of_its_statement_again():
    for key, fault in faults().items():
        name = own_name(fault["statement"], f"/{statements()[fault['statement']]['paper']}/")
        assert within(fault) and not within(fault).startswith(name), key


def test_a_slip_of_released_code_is_not_charged_to_the_statement():
    listing = Worst.__new__(Worst)
    listing.text = lambda said: [nodes.Text(said)]
    kinds = [(fault["target"], fault["printed"], listing.line(fault).astext()) for fault in faults().values()]
    assert {target == "released code" for target, *_ in kinds} == {False, True}
    for target, printed, said in kinds:
        assert (", released code" in said and printed in said) == (target == "released code"), said


def test_a_reading_is_listed_under_its_paper_and_named_where_it_is_that_of_our_verdict():
    listing = Readings.__new__(Readings)
    listing.text, listing.options = lambda said: [nodes.Text(said)], {}
    parts = {part[0].astext(): part for part in listing.show(faults_of(None))}
    for key, fault in faults().items():
        where = {name for name, part in parts.items() if key in ids(part)}
        own = AUTHORS[statements()[fault["statement"]]["paper"]]
        assert where == ({own} if "readings" in fault else set())
    told = " ".join(part.astext() for part in parts.values())
    adopted = [one for fault in faults().values() for one in fault.get("readings", []) if one.endswith(OURS)]
    assert told.count("Adopted. ") == len(adopted) > 10 and OURS not in told


def ids(part):
    return {id.removeprefix("reading-") for box in part.findall(nodes.container) for id in box["ids"]}


@pytest.mark.parametrize("paper", AUTHORS)
def test_an_erratum_has_every_fault_of_its_paper_in_plain_latex(paper):
    document = latex(paper, MACROS)
    for fault in faults().values():
        if statements()[fault["statement"]]["paper"] == paper:
            assert text(fault["repair"]) in document
    assert document.count("{") == document.count("}")
    prose = re.sub(r"\$[^$]*\$", "", document)
    assert not set(prose) - {chr(code) for code in range(128)} - set("éèüöäñíçôßğãõ")


def test_what_latex_would_misread_is_escaped():
    assert (
        text("50% of `a_b` and $x_i$, *not* **all**")
        == r"50\% of \texttt{a\_b} and $x_i$, \emph{not} \textbf{all}"
    )


def hollow(call: ast.Call) -> bool:
    """Whether both sides of a check are the same expression, or both are written numbers."""
    sides = call.args[1:3]
    return len(sides) == 2 and (
        ast.dump(sides[0]) == ast.dump(sides[1]) or all(isinstance(side, ast.Constant) for side in sides)
    )


def checks(source: str) -> list[ast.Call]:
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "check"]


@pytest.mark.parametrize("planted", ['check("a.1", 1, 2)', 'check("a.1", f(x), f(x))'])
def test_a_planted_hollow_check_is_found(planted):
    assert all(map(hollow, checks(planted)))
    assert not any(map(hollow, checks('check("a.1", f(x), 1)')))


def test_no_check_compares_a_thing_with_itself():
    sources = [cell.source for page in pages(ROOT) for cell in code_cells(read(page.twin))]
    calls = [call for source in sources if "check(" in source for call in checks(source)]
    assert calls and [ast.unparse(call) for call in calls if hollow(call)] == []


# What README and first page say in words, and the claim that a page checks
WORDS = {
    "almost twice the budget": "kent-alg-12.1",
    "about a hundredth of its value at the printed width": "kent-alg-2.6",
    "3ε": "cummings-thm-d.1.13",
    "6ε": "cummings-thm-d.1.9",
    "less than a third of": "cummings-alg-3.12",
    "at most twice": "liu-thm-4.3.2",
    "twice the printed noise": "liu-lem-4.1.3",
}


@pytest.mark.parametrize("words", WORDS)
def test_a_number_of_the_front_door_is_that_of_a_claim(words):
    claim = judgements()[WORDS[words]]
    assert words in f"{claim['claim']} {claim.get('note')}".replace("\\varepsilon", "ε").lower()
    assert all(words in (ROOT / page).read_text(encoding="utf8") for page in ("README.md", "book/index.md"))


def test_readme_says_the_tally_and_shows_the_picture_of_today():
    readme = (ROOT / "README.md").read_text(encoding="utf8")
    assert picture.sentence() in readme and f"({findings.FILE.as_posix()})" in readme
    assert (ROOT / findings.FILE).read_text(encoding="utf8") == findings.draw(), "python tools/findings.py"
