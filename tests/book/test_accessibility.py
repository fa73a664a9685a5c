"""An accessibility checker, axe-core, on every page, light and dark; and the book by keyboard alone.

No page may have a finding that axe calls serious or critical. Two things make this affordable. The glyphs
that MathJax draws are taken out first: they are hidden from screen readers, which read the MathML beside
them. And the contrast of text is measured on one or two elements for each way in which the page paints text
(colour, size, weight, everything behind it) instead of on every word.
"""

from importlib.resources import files

import pytest

from browsing import DOCNAMES, IN_BROWSER, visit

pytestmark = IN_BROWSER

AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf8")
UNFOLD = """() => {
  // Colours change at once with the theme, not over a fraction of a second.
  const still = document.head.appendChild(document.createElement('style'));
  still.textContent = '* { transition: none !important }';
  document.querySelectorAll('details').forEach(e => { e.open = true; });
  document.querySelectorAll('.toggle-hidden').forEach(e => e.classList.remove('toggle-hidden'));
  document.querySelectorAll('mjx-math').forEach(e => e.remove());
}"""
MARK = """theme => {
  document.documentElement.dataset.theme = theme;
  const behind = new Map(), painted = new Map();
  const backdrop = e => {
    if (!e) return '';
    if (!behind.has(e)) {
      const s = getComputedStyle(e);
      const look = `${s.backgroundColor} ${s.backgroundImage} ${s.opacity}|`;
      const own = look === 'rgba(0, 0, 0, 0) none 1|' ? '' : look;
      behind.set(e, own + backdrop(e.parentElement));
    }
    return behind.get(e);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !e.checkVisibility()) continue;
    const s = getComputedStyle(e);
    const key = [s.color, s.fontSize, s.fontWeight, s.textDecorationLine, backdrop(e)].join(';');
    painted.set(key, [...(painted.get(key) || []), e].slice(0, 2));
  }
  document.querySelectorAll('[data-painted]').forEach(e => e.removeAttribute('data-painted'));
  [...painted.values()].flat().forEach(e => e.setAttribute('data-painted', ''));
}"""
CHECK = """async ([context, options]) => {
  const found = await axe.run(context, {resultTypes: ['violations'], preload: false, ...options});
  return found.violations.filter(v => ['serious', 'critical'].includes(v.impact)).flatMap(
    v => v.nodes.map(n => `${v.id}: ${n.target.join(' ')}: ${n.failureSummary}`));
}"""
OF_COLOUR = ["color-contrast", "link-in-text-block"]
STRUCTURE = {"rules": {rule: {"enabled": False} for rule in OF_COLOUR}}
COLOUR = {"runOnly": OF_COLOUR}
PAINTED = {"include": [["[data-painted]"]]}


def findings(tab):
    """What axe finds serious or critical in the page as it is, and in the colours of both themes."""
    tab.evaluate(UNFOLD)
    tab.evaluate(AXE)
    found = {"structure": tab.evaluate(CHECK, [{"include": [["html"]]}, STRUCTURE])}
    for theme in ("light", "dark"):
        tab.evaluate(MARK, theme)
        found[theme] = tab.evaluate(CHECK, [PAINTED, COLOUR])
    return {where: faults for where, faults in found.items() if faults}


@pytest.mark.slow
@pytest.mark.parametrize("docname", [*DOCNAMES, "search", "genindex"])
def test_axe_has_no_serious_finding(tab, site, docname):
    tab.set_default_timeout(180_000)
    assert findings(visit(tab, site, docname)) == {}


PLANTED = {
    "structure": "<button></button><img src='data:,'>",
    "light": "<p style='color: #aaa; background: #fff'>too pale</p>",
    "dark": "<p style='color: #555; background: #000'>too dim</p>",
}


@pytest.mark.parametrize("where", PLANTED)
def test_axe_catches_a_planted_fault(tab, site, where):
    visit(tab, site, DOCNAMES[0])
    tab.evaluate(
        "html => document.querySelector('article').insertAdjacentHTML('beforeend', html)", PLANTED[where]
    )
    assert where in findings(tab)


def focused(tab, expression):
    return tab.evaluate(f"() => {{ const e = document.activeElement; return {expression}; }}")


def test_first_tab_stop_skips_to_the_text(tab, site):
    visit(tab, site, DOCNAMES[0])
    tab.keyboard.press("Tab")
    assert focused(tab, "e.getAttribute('href')") == "#main-content"
    tab.keyboard.press("Enter")
    tab.keyboard.press("Tab")
    assert focused(tab, "!!e.closest('main')")


def test_search_opens_and_answers_by_keyboard(tab, site):
    visit(tab, site, DOCNAMES[0])
    tab.keyboard.press("Control+k")
    tab.wait_for_function("() => document.activeElement.matches('input[type=search]')")
    tab.keyboard.type("randomised response")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#search-results ul.search li a", timeout=30_000)


def test_theme_switches_by_keyboard(tab, site):
    visit(tab, site, DOCNAMES[0])
    tab.locator(".theme-switch-button:visible").first.focus()
    seen = set()
    for _ in range(3):
        tab.keyboard.press("Enter")
        seen.add(tab.evaluate("() => document.documentElement.dataset.theme"))
        tab.wait_for_function("() => document.activeElement.matches('.theme-switch-button')")
    assert seen == {"light", "dark"}


SHOWN = """e => {
  const box = e.closest('details') ?? document.getElementById(e.dataset.target);
  const body = [...box.children].find(child => !child.matches('summary, .admonition-title'));
  const seen = body.checkVisibility({visibilityProperty: true, opacityProperty: true});
  return seen && body.getBoundingClientRect().height > 0;
}"""


@pytest.mark.parametrize("folded", ["button.toggle-button", "details:not([open]) > summary"])
def test_folded_boxes_open_and_close_by_keyboard(tab, site, folded):
    fold = visit(tab, site, "book/dame/lower-bound").locator(f"article {folded}").first.element_handle()
    seen = [fold.evaluate(SHOWN)]
    for _ in range(2):
        fold.focus()
        tab.keyboard.press("Enter")
        tab.wait_for_timeout(500)  # the box slides open
        seen.append(fold.evaluate(SHOWN))
    assert seen == [False, True, False]
