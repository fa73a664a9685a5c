"""A box of a paper goes by the paper's own number and says its verdict."""

from types import SimpleNamespace

import pytest
from docutils import nodes

from userdp_book.site import boxes
from userdp_papers.study.claims import SEVERITIES, statements, verdicts


@pytest.mark.parametrize(
    ("id", "given", "shown"),
    [
        ("kent-thm-7", " (Sparse means, the paper’s Theorem 7)", "Sparse means"),
        ("kent-thm-7", " (Kent et al., Theorem 7)", ""),
        ("dame-alg-1", " (DAME, the paper's Algorithm 1)", ""),
        ("cummings-alg-1", " (The ideal estimator, called Algorithm 1 here)", "The ideal estimator"),
        ("kent-fig-5", " (Figure 5 of the paper)", ""),
        ("kent-lem-28", "", ""),
    ],
)
def test_the_number_is_said_once(id, given, shown):
    title = nodes.title("", "", *([nodes.Text(given)] if given else []))
    assert "".join(node.astext() for node in boxes.given_title(id, title)) == shown


def test_a_link_names_the_authors_outside_of_their_part():
    assert boxes.own_name("kent-thm-7", "/book/dame/index") == "Kent et al., Theorem 7"
    assert boxes.own_name("kent-thm-7", "/book/kent/sparse") == "Theorem 7"
    assert boxes.NUMBERED.match("Theorem K6.1") and not boxes.NUMBERED.match("this theorem")


@pytest.mark.parametrize(
    ("target", "words", "shown"),
    [
        ("liu-lem-4.1", "Lemma 12", "Lemma 4.1"),
        ("liu-lem-4.1-repaired", "Lemma 13", "Lemma 4.1, repaired"),
        ("liu-lem-4.1-repaired", "the repaired lemma", "the repaired lemma"),
        ("liu-descent", "Proposition 3", "Proposition 3"),
    ],
)
def test_a_link_to_a_repaired_box_says_so(target, words, shown):
    link = nodes.reference("", words, refid=target)
    page = nodes.paragraph("", "", link)
    boxes.name_links(None, page, "book/liu/model")
    assert link.astext() == shown


@pytest.mark.parametrize(("worded", "shown"), [(True, "Lemma 4.1"), (False, "Liu et al., Lemma 4.1")])
def test_words_that_a_list_gives_its_link_stay(worded, shown):
    link = nodes.reference("", "Lemma 4.1", refid="liu-lem-4.1", worded=worded)
    boxes.name_links(None, nodes.paragraph("", "", link), "book/reproduce/statements")
    assert link.astext() == shown


@pytest.mark.parametrize(
    ("id", "says"),
    [
        ("dame-thm-2", "✗ false as printed · true without the minimum"),
        ("kent-alg-12", "✗ privacy loss up to 2ε · repaired below"),
        ("kent-lem-22", "✗ false · another bound in its place"),
        ("cummings-lem-f.1", "✎ holds with another constant or range"),  # and its proof has a gap
        ("cummings-lem-f.3", "✓ holds with a step of its proof repaired"),
        ("liu-cor-5.3", "✎ holds after correction"),  # though all that is charged is its proof
        ("dame-alg-1", "✓ holds as printed"),  # the slip is in released code
        ("cummings-alg-1", "✓ holds as inferred"),  # it is nowhere printed
    ],
)
def test_a_ribbon_says_the_worst_of_this_statement_and_not_of_its_proof_alone(id, says):
    assert boxes.ribbon(id).astext() == says
    assert (boxes.tone(id) == "refuted") == says.startswith("✗")


def test_what_is_broken_or_false_has_a_ribbon_of_its_own_and_nothing_else_has():
    grave = {id for id in statements() for slip in boxes.slips(id)[:1] if slip["severity"] in SEVERITIES[:2]}
    assert {id for id, judged in verdicts().items() if "ribbon" in judged} == grave


def test_what_holds_is_said_below_the_title_with_a_link_to_the_repair():
    place = {"docname": "book/dame/upper-bound"}
    env = SimpleNamespace(
        proof_list={"dame-thm-2-repaired": place},
        get_domain=lambda name: SimpleNamespace(anonlabels={}, equations={}),
        found_docs=set(),
    )
    builder = SimpleNamespace(env=env, get_relative_uri=lambda here, there, typ=None: f"{there}.html")
    (line,) = boxes.true_of_it(builder, "book/dame/index", "dame-thm-2")
    (link,) = line.findall(nodes.reference)
    assert link["refuri"].endswith("upper-bound.html#dame-thm-2-repaired") and link.astext() == "The repair"
    assert boxes.true_of_it(builder, "book/dame/index", "kent-alg-4") == []
