"""Every page as it lies on a desktop and on a telephone: few closed bars, nothing cut, nothing that jumps."""

from contextlib import closing
from statistics import mean, median

import pytest

from browsing import IN_BROWSER, docnames, new_tab, visit

DESKTOP, PHONE = {"width": 1400, "height": 900}, {"width": 390, "height": 844}
MEDIAN_BARS, SHIFT, TOUCH = 12, 0.1, 44
# A row of tabs is one bar; a claim is a line of its own, and what a closed bar holds is not seen.
BARS = """() => {
  const article = document.querySelector('article');
  const closed = [...article.querySelectorAll('details:not([open]), .toggle-hidden')];
  const alone = e => !e.matches('.claim-row, .api-entry') && !e.closest('.behind') && e.checkVisibility();
  const outer = e => e.checkVisibility() && !e.parentElement.closest('.behind');
  const rows = [...article.querySelectorAll('.behind')].filter(outer);
  return closed.filter(alone).length + rows.length;
}"""
# What runs over its frame without a visible edge, and pictures that are wider than the screen.
CUT = """() => {
  const wide = e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'visible';
  const held = e => e.closest('.scrolls') || e.querySelector(':scope > .scrolls');
  const framed = 'article :is(table, figure, .output, .pst-scrollable-table-container)';
  const frames = [...document.querySelectorAll(framed)];
  const pictures = [...document.querySelectorAll('article figure img, article .output img')];
  const beyond = e => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1;
  return [...frames.filter(e => e.checkVisibility() && wide(e) && !held(e)), ...pictures.filter(beyond)]
    .map(e => e.className || e.alt || e.localName);
}"""
SMALL = """touch => {
  const meant = '.bd-header-article button, .bd-header-article a.btn, article summary, .all-folds button';
  const small = e => e.checkVisibility() && e.getBoundingClientRect().height < touch - 0.5;
  return [...document.querySelectorAll(meant)].filter(small).map(e => e.className || e.textContent);
}"""
# How far each formula's width is from the room that was kept for it, in em.
ROOM = """() => {
  const seen = [...document.querySelectorAll('article span.math')].filter(e => e.checkVisibility());
  return seen.map(e => {
    const em = parseFloat(getComputedStyle(e).fontSize), kept = Number(e.style.getPropertyValue('--em'));
    return Math.abs(e.getBoundingClientRect().width / em - kept);
  });
}"""
WATCH = """() => { window.shifted = 0; new PerformanceObserver(list => {
  for (const one of list.getEntries()) if (!one.hadRecentInput) window.shifted += one.value;
}).observe({ type: 'layout-shift', buffered: true }); }"""


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


@pytest.fixture(scope="module")
def measured(browser, site):
    """Of each page: bars and shift on a desktop; what is cut, and too small for a thumb, on a phone."""
    found = {}
    with (
        closing(browser.new_context(viewport=DESKTOP)) as desk,
        closing(browser.new_context(viewport=PHONE, has_touch=True)) as hand,
        new_tab(desk, site) as tab,
        new_tab(hand, site) as phone,
    ):
        # whoever comes for the first time has no face in store: that is when a page jumps
        desk.new_cdp_session(tab).send("Network.setCacheDisabled", {"cacheDisabled": True})
        tab.add_init_script(f"({WATCH})()")
        for name in docnames():
            visit(tab, site, name)
            bars, shift = tab.evaluate(BARS), tab.evaluate("() => window.shifted")
            visit(phone, site, name)
            phone.evaluate("() => userdpReach.addTabStops()")
            found[name] = bars, shift, phone.evaluate(CUT), phone.evaluate(SMALL, TOUCH)
    return found


@pytest.mark.browser
@pytest.mark.skipif(IN_BROWSER[1].args[0], reason="browser tests")
@pytest.mark.slow
@pytest.mark.xdist_group("layout")
class TestInTheBrowser:
    def test_a_page_has_few_closed_bars(self, measured):
        with_some = [bars for bars, *_ in measured.values() if bars]
        assert len(with_some) > 80 and median(with_some) <= MEDIAN_BARS

    def test_no_page_jumps(self, measured):
        assert {name: shift for name, (_, shift, *_) in measured.items() if shift > SHIFT} == {}

    def test_a_formula_gets_about_the_room_that_was_kept_for_it(self, tab, site):
        visit(tab, site, "book/cummings/model")
        assert len(off := tab.evaluate(ROOM)) > 50 and mean(off) < 0.2

    def test_nothing_is_cut_on_a_telephone_without_a_sign(self, measured):
        assert {name: cut for name, (_, _, cut, _) in measured.items() if cut} == {}

    def test_a_thumb_meets_every_button(self, measured):
        assert {name: small for name, (*_, small) in measured.items() if small} == {}
