"""A page shows its method and its figures, is soon there, and can be found."""

import os

import lxml.html
import pytest

from browsing import HTML, IN_BROWSER, docnames
from reading import found, measured, share

pytestmark = IN_BROWSER

CODE = 0.12  # of the height of all pages, at most
FIGURES = 0.12  # of it, at least
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


@pytest.mark.skipif(
    "USERDP_READING" not in os.environ, reason="many minutes: the weekly run sets USERDP_READING"
)
def test_the_book_as_a_reader_meets_it(browser, site):
    """All limits in one test: each page is fetched anew, which takes seconds, and one process does it."""
    book = {name: measured(browser, site, name) for name in docnames()}
    limit = dict.fromkeys(book, OTHER) | {docnames()[0]: FIRST}
    # a lab is code, to be written
    read = [page for name, page in book.items() if "/student/" not in name]
    assert share(read, "code") <= CODE
    assert share(read, "figures") >= FIGURES
    assert {name: page.wide for name, page in book.items() if page.wide} == {}
    assert {name: page.kilobytes for name, page in book.items() if page.kilobytes > limit[name]} == {}
    assert {name: book[name].screens for name in EXPERIMENTS if book[name].screens > SCREENS} == {}


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
