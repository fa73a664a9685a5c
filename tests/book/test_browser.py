"""The built book in a real browser, without internet: every page of the table of contents.

Needs Chromium and ``_build/html`` (``make test`` builds it where there is a browser): required where CI=true,
skipped elsewhere.
"""

import json

import lxml.html
import pytest

from browsing import DOCNAMES, HTML, IN_BROWSER, ROOT, visit
from userdp_book.run.pages import Page, pages

NOTEBOOKS = [page.docname for page in pages(ROOT)]
LISTED_NOTEBOOKS = [name for name in NOTEBOOKS if name in DOCNAMES]
pytestmark = IN_BROWSER

FAULTS = """() => {
  const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
  const images = [...document.querySelectorAll('img')];
  const math = [...document.querySelectorAll('.math')];
  const red = e => e.getAttribute('mathcolor') === 'red' || getComputedStyle(e).color === 'rgb(255, 0, 0)';
  return {
    'ids that occur twice': ids.filter((id, i) => ids.indexOf(id) !== i),
    'pictures without alternative text': images.filter(e => !(e.alt || '').trim()).map(e => e.src),
    'math that is not typeset': math.filter(e => !e.querySelector('mjx-container')).map(e => e.textContent),
    'math in error': [...document.querySelectorAll('mjx-merror')].map(e => e.textContent),
    'undefined macros': [...document.querySelectorAll('mjx-mtext')].filter(red).map(e => e.textContent),
  };
}"""
# What runs over the right edge without scrolling in a frame of its own.
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


WIDTHS = (1280, 390)


def overflow(tab, width):
    """What runs over the edge of a screen; a chart may take a moment to follow."""
    tab.set_viewport_size({"width": width, "height": 800})
    for _ in range(10):
        if not tab.evaluate(OVERFLOW):
            break
        tab.wait_for_timeout(200)
    return tab.evaluate(OVERFLOW)


@pytest.mark.parametrize("docname", DOCNAMES)
def test_page_is_sound_and_fits_the_screen(tab, site, docname):
    visit(tab, site, docname)
    found = {fault: where for fault, where in tab.evaluate(FAULTS).items() if where}
    assert found == {}
    assert [overflow(tab, width) for width in WIDTHS] == [0, 0]
    assert tab.complaints == []


def test_a_page_that_is_loaded_narrow_fits_too(tab, site):
    tab.set_viewport_size({"width": 390, "height": 800})
    visit(tab, site, DOCNAMES[0])
    assert tab.evaluate(OVERFLOW) == 0


def test_what_does_not_fit_is_seen(tab, site):
    """Control: a block that is wider than one of the screens."""
    visit(tab, site, DOCNAMES[0])
    block = "<div style='width: 700px'>wide</div>"
    tab.evaluate("html => document.querySelector('article').insertAdjacentHTML('beforeend', html)", block)
    wide, narrow = (overflow(tab, width) for width in WIDTHS)
    assert wide == 0 < narrow


def test_root_leads_to_the_first_page(tab, site):
    tab.goto(f"{site}/index.html")
    tab.wait_for_url(f"**/{DOCNAMES[0]}.html")


def test_dark_mode_toggles(tab, site):
    visit(tab, site, DOCNAMES[0])
    seen = set()
    for _ in range(3):
        tab.locator(".theme-switch-button:visible").first.click()
        seen.add(tab.evaluate("() => document.documentElement.dataset.theme"))
    assert seen == {"light", "dark"}


def test_search_finds_a_page(tab, site):
    tab.goto(f"{site}/search.html?q=randomised+response")
    tab.wait_for_selector("#search-results ul.search li a", timeout=10_000)
    assert tab.complaints == []


@pytest.mark.parametrize("docname", LISTED_NOTEBOOKS)
def test_buttons_open_the_notebook(docname):
    page = Page(ROOT, docname.removeprefix("book/"))
    built = HTML / f"{docname}.html"
    links = lxml.html.parse(built).xpath("//a[contains(@class, 'dropdown-item')]/@href")
    target = f"notebooks/{page.name}.ipynb"
    assert [target in link for link in links if "colab." in link or "binder" in link] == [True, True]
    assert any(link.endswith(f"{docname}.md") for link in links)
    ipynb = next(link for link in links if link.endswith(f"_sources/{docname}.ipynb"))
    downloaded = json.loads((built.parent / ipynb).read_text(encoding="utf8"))
    assert downloaded["cells"][0]["metadata"]["tags"] == ["colab"]
    assert any(cell.get("outputs") for cell in downloaded["cells"])
