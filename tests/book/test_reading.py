"""A page shows its method and its figures, is soon there, and can be found."""

import lxml.html
import pytest

from browsing import HTML, IN_BROWSER, docnames
from reading import found, measured, share

pytestmark = [*IN_BROWSER, pytest.mark.xdist_group("reading")]

CODE = 0.12  # of the height of all pages, at most
SCREENS = 15  # of a page of experiments
FIRST, OTHER = 600, 2000  # kilobytes of the first page and of any other
EXPERIMENTS = [name for name in docnames() if "experiments" in name or name.endswith("phase-transition")]
SEARCHES = {
    "Kent": "book/kent/index.html",
    "DAME": "book/dame/index.html",
    "clipping bound": "book/liu/index.html",
    "Theorem 3": "#kent-prop-3",
    "Kent Theorem 7": "#kent-thm-7",
    "DAME Theorem 2": "#dame-thm-2",
    "is DAME's Theorem 2 true?": "#dame-thm-2",
    "where does Kent's Algorithm 9 leak?": "#kent-alg-9",
    "which method should I use": "book/compare.html",
}


@pytest.fixture(scope="module")
def book(browser, site):
    return {name: measured(browser, site, name) for name in docnames()}


def test_the_method_is_shown_and_the_rest_folds(book):
    assert share(book.values(), "code") <= CODE


def test_no_visible_line_scrolls_sideways(book):
    assert {name: page.wide for name, page in book.items() if page.wide} == {}


def test_a_page_of_experiments_is_not_too_long(book):
    screens = {name: book[name].screens for name in EXPERIMENTS}
    assert {name: high for name, high in screens.items() if high > SCREENS} == {}


def test_pages_are_light(book):
    first, *others = docnames()
    assert book[first].kilobytes <= FIRST
    assert {name: book[name].kilobytes for name in others if book[name].kilobytes > OTHER} == {}


@pytest.mark.parametrize("words", SEARCHES)
def test_a_search_finds_the_page_or_the_box(tab, site, words):
    first = found(tab, site, words)
    assert any(SEARCHES[words] in address for address in first), first


@pytest.mark.parametrize("docname", docnames())
def test_a_shared_link_says_what_the_page_is_about(docname):
    head = lxml.html.parse(HTML / f"{docname}.html")
    said = {meta.get("property") or meta.get("name"): meta.get("content") for meta in head.iter("meta")}
    assert said["description"] == said["og:description"] and 20 <= len(said["description"]) <= 210
    assert said["og:title"] and said["og:image"].endswith("_static/preview.png")
