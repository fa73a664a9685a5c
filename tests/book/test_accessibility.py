"""The accessibility checker sees what is planted; and the book by keyboard alone."""

import pytest

from axe import findings
from browsing import IN_BROWSER, docnames, visit

pytestmark = IN_BROWSER


# the rule that must be broken, in which theme, by what
PLANTED = [
    ("button-name", "light", "<button></button>"),
    ("image-alt", "light", "<img src='data:,'>"),
    ("color-contrast", "light", "<p style='color: #aaa; background: #fff'>too pale</p>"),
    ("color-contrast", "dark", "<p style='color: #555; background: #000'>too dim</p>"),
    ("color-contrast", "light", "<pre>x <span style='color: #aaa; background: #fff'>def</span></pre>"),
    (
        "link-in-text-block",
        "light",
        "<p>Words <a href='#' style='color: #333; text-decoration: none'>link</a></p>",
    ),
]


@pytest.mark.parametrize(("rule", "theme", "html"), PLANTED)
def test_axe_catches_a_planted_fault(tab, site, rule, theme, html):
    visit(tab, site, docnames()[0])
    tab.evaluate("html => document.querySelector('article').insertAdjacentHTML('beforeend', html)", html)
    assert rule in {found.partition(":")[0] for found in findings(tab)[theme]}


def test_what_fades_in_is_judged_as_it_will_stand(tab, site):
    visit(tab, site, docnames()[0])
    fading = "<style>@keyframes fade { from { opacity: .1 } }</style><p style='animation: fade 60s'>Words</p>"
    tab.evaluate("html => document.querySelector('article').insertAdjacentHTML('beforeend', html)", fading)
    assert findings(tab) == {}


def focused(tab, expression):
    return tab.evaluate(f"() => {{ const e = document.activeElement; return {expression}; }}")


def test_first_tab_stop_skips_to_the_text(tab, site):
    visit(tab, site, docnames()[0])
    tab.keyboard.press("Tab")
    assert focused(tab, "e.getAttribute('href')") == "#main-content"
    tab.keyboard.press("Enter")
    tab.keyboard.press("Tab")
    assert focused(tab, "!!e.closest('main')")


def test_search_opens_and_answers_by_keyboard(tab, site):
    visit(tab, site, docnames()[0])
    tab.keyboard.press("Control+k")
    tab.wait_for_function("() => document.activeElement.matches('input[type=search]')")
    tab.keyboard.type("randomised response")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#search-results ul.search li a", timeout=30_000)


def test_theme_switches_by_keyboard(tab, site):
    visit(tab, site, docnames()[0])
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


@pytest.mark.parametrize(
    "folded", ["button.toggle-button", ".held > summary", ".claim-holds:not(.held *) > .claim-row > summary"]
)
def test_folded_boxes_open_and_close_by_keyboard(tab, site, folded):
    visit(tab, site, "book/kent/sparse")
    fold = tab.locator(f"article {folded}:visible").first.element_handle()
    assert not fold.evaluate(SHOWN)
    for shown in (True, False):
        fold.focus()
        tab.keyboard.press("Enter")
        # the box slides open
        tab.wait_for_function(f"([e, shown]) => ({SHOWN})(e) === shown", arg=[fold, shown], timeout=10_000)
