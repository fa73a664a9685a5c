"""What a reader meets on each page of the built book, as Chromium lays it out.

``python tests/reading.py`` prints it; ``tests/book/test_reading.py`` holds it against the book's own limits.
"""

import sys
from typing import NamedTuple

from browsing import docnames, launched, new_tab, served, visit

DESKTOP = {"width": 1400, "height": 900}
# Heights of what can be seen within the article; folded code has none. A line of 88 characters must fit.
HEIGHTS = """() => {
  const article = document.querySelector('article');
  const seen = selector => [...article.querySelectorAll(selector)].filter(e => e.checkVisibility());
  const height = elements => elements.reduce((sum, e) => sum + e.getBoundingClientRect().height, 0);
  const code = seen('div.cell_input');
  const wide = code.flatMap(e => [...e.querySelectorAll('pre')]).filter(e => e.scrollWidth > e.clientWidth);
  const images = 'div.output > img, p > img, section > img, img.dark-light';
  const drawn = seen(`figure, .diagram, .userdp-chart, .statement-graph, ${images}`);
  const figures = drawn.filter(e => !e.parentElement.closest('figure'));
  return {
    height: article.getBoundingClientRect().height, code: height(code), figures: height(figures),
    cells: code.length, wide: wide.length,
  };
}"""


class Page(NamedTuple):
    """One page on a desktop: pixels of height, visible cells, those that scroll, kilobytes fetched."""

    docname: str
    height: float
    code: float
    figures: float
    cells: int
    wide: int
    kilobytes: float

    @property
    def screens(self):
        return self.height / DESKTOP["height"]


def measured(browser, site, docname):
    """The page as somebody meets it who was never here: nothing is in the browser's memory."""
    with browser.new_context(viewport=DESKTOP) as context, new_tab(context, site) as tab:
        answers = []
        tab.on("response", lambda answer: answers.append(answer))
        visit(tab, site, docname)
        tab.wait_for_load_state("networkidle")
        said = tab.evaluate(HEIGHTS)
        fetched = sum(int(answer.headers.get("content-length", 0)) for answer in answers)
    return Page(docname, kilobytes=fetched / 1000, **said)


def found(tab, site, words):
    """Addresses of the first five results of a search, in full."""
    tab.goto(f"{site}/search.html?q={words.replace(' ', '+')}")
    tab.wait_for_selector("#search-results ul.search li a", timeout=10_000)
    tab.wait_for_function("() => document.querySelector('#search-results h2')?.textContent !== 'Searching'")
    links = tab.locator("#search-results ul.search li > a").all()[:5]
    return [link.evaluate("link => link.href") for link in links]


def share(pages, what):
    """Share of the height of all pages."""
    return sum(getattr(page, what) for page in pages) / sum(page.height for page in pages)


def main(wanted):
    with served() as site, launched() as browser:
        pages = [measured(browser, site, name) for name in docnames() if not wanted or name in wanted]
    print(f"{'page':42}{'screens':>9}{'code':>7}{'figures':>9}{'cells':>7}{'wide':>6}{'kB':>7}")
    for page in sorted(pages, key=lambda page: -page.height):
        shares = [page.code / page.height, page.figures / page.height]
        rest = f"{shares[0]:7.0%}{shares[1]:9.0%}{page.cells:7}{page.wide:6}{page.kilobytes:7.0f}"
        print(f"{page.docname:42}{page.screens:9.1f}{rest}")
    print(f"code {share(pages, 'code'):.1%}, figures {share(pages, 'figures'):.1%} of the height;", end=" ")
    print(f"{sum(page.wide for page in pages)} of {sum(page.cells for page in pages)} cells scroll sideways")


if __name__ == "__main__":
    main(sys.argv[1:])
