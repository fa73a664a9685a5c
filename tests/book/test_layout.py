"""Titles that differ, few closed bars, and room that is kept for formulas."""

from statistics import mean, median

import pytest
from sphinx_external_toc.parsing import parse_toc_yaml

from browsing import IN_BROWSER, docnames, spare, visit

MEDIAN_BARS = 12
# A row of tabs is one bar; a claim is a line of its own, and what a closed bar holds is not seen.
BARS = """() => {
  const article = document.querySelector('article');
  const closed = [...article.querySelectorAll('details:not([open]), .toggle-hidden')];
  const alone = e => !e.matches('.claim-row, .api-entry') && !e.closest('.behind') && e.checkVisibility();
  const outer = e => e.checkVisibility() && !e.parentElement.closest('.behind');
  const rows = [...article.querySelectorAll('.behind')].filter(outer);
  return closed.filter(alone).length + rows.length;
}"""
# What no bar depends on: formulas, pictures, faces.
NO_BAR = "*/mathjax/*", "*.svg", "*.png", "*.woff2"
# How far each formula's width is from the room that was kept for it, in em.
ROOM = """() => {
  const seen = [...document.querySelectorAll('article span.math')].filter(e => e.checkVisibility());
  return seen.map(e => {
    const em = parseFloat(getComputedStyle(e).fontSize), kept = Number(e.style.getPropertyValue('--em'));
    return Math.abs(e.getBoundingClientRect().width / em - kept);
  });
}"""


def titles(root):
    """The title of each page that is written by hand."""
    texts = {name: root / f"{name}.md" for name in docnames()}
    heads = {
        name: [line for line in path.read_text("utf8").splitlines() if line.startswith("# ")]
        for name, path in texts.items()
        if path.is_file()
    }
    return {name: lines[0].removeprefix("# ") for name, lines in heads.items()}


def test_no_two_pages_have_one_name(root):
    names = [title.casefold() for title in titles(root).values()]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_a_name_in_the_navigation_takes_one_line(root):
    """Of 260 pixels; a page without a short name shows its title there."""
    toc = parse_toc_yaml(root / "_toc.yml")
    names = {page: toc[page].title or title for page, title in titles(root).items() if page != "book/index"}
    assert len(names) > 100 and {page for page, name in names.items() if len(name) > 34} == set()


@pytest.mark.browser
@pytest.mark.skipif(IN_BROWSER[1].args[0], reason="browser tests")
class TestInTheBrowser:
    @pytest.mark.slow
    def test_a_page_has_few_closed_bars(self, tab, site):
        spare(tab, *NO_BAR)
        bars = []
        for name in docnames():
            tab.goto(f"{site}/{name}.html", wait_until="domcontentloaded")
            bars.append(tab.evaluate(BARS))
        with_some = [count for count in bars if count]
        assert len(with_some) > 80 and median(with_some) <= MEDIAN_BARS

    def test_a_formula_gets_about_the_room_that_was_kept_for_it(self, tab, site):
        visit(tab, site, "book/cummings/model")
        assert len(off := tab.evaluate(ROOM)) > 50 and mean(off) < 0.2
