"""What people ask comes first in the search: the questions of a newcomer, and thirty of our own."""

import csv

import pytest

from browsing import IN_BROWSER

pytestmark = [*IN_BROWSER, pytest.mark.slow]
RANK = """async questions => {
  const stemmer = new Stemmer(), { userdp } = Search._index;
  const ranked = asked => userdpRank(userdp, asked, word => stemmer.stemWord(word));
  return questions.map(asked => ranked(asked).map(([page]) => userdp.docs[page]));
}"""
FIRST, AMONG_THREE = 0.85, 0.97


@pytest.fixture(scope="module")
def questions(root):
    """Each question with the pages that answer it."""
    with (root / "tests" / "questions.csv").open(encoding="utf8", newline="") as rows:
        return {row["question"]: row["pages"].split() for row in csv.DictReader(rows)}


def ranks(found, wanted):
    """The place of the first page that answers, from 1; none of them is as good as the last place of all."""
    places = [place for place, name in enumerate(found, start=1) if name.removeprefix("book/") in wanted]
    return min(places, default=10**6)


def share(found, limit):
    return sum(place <= limit for place in found.values()) / len(found)


def test_the_right_page_comes_first(tab, site, questions):
    tab.goto(f"{site}/search.html?q=mean")
    tab.wait_for_selector("#search-results ul.search li a", timeout=30_000)
    answers = tab.evaluate(RANK, list(questions))
    found = {asked: ranks(got, questions[asked]) for asked, got in zip(questions, answers, strict=True)}
    late = {asked: place for asked, place in found.items() if place > 1}
    assert share(found, 1) >= FIRST and share(found, 3) >= AMONG_THREE, late


def test_every_answer_is_a_page(root, questions):
    assert len(questions) >= 48
    missing = {
        page for pages in questions.values() for page in pages if not any((root / "book").glob(f"{page}.*"))
    }
    assert not missing
