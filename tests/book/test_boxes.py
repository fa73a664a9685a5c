"""A box of a paper goes by the paper's own number and says its verdict."""

import pytest
from docutils import nodes

from userdp_book.site import boxes


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
