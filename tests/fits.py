"""How a page fits a screen: what runs over, is cut or too small for a thumb, and how far the page jumps."""

from contextlib import suppress

SCREEN = {"width": 1280, "height": 900}
WIDTHS = (1280, 390)
SHIFT, TOUCH = 0.1, 44
# What runs over the right edge without scrolling in a frame of its own.
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
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
WATCH = """() => { window.shifted = 0; new PerformanceObserver(list => {
  for (const one of list.getEntries()) if (!one.hadRecentInput) window.shifted += one.value;
}).observe({ type: 'layout-shift', buffered: true }); }"""


def overflow(tab, width):
    """What runs over the edge of a screen; a chart may take a moment to follow."""
    from playwright.sync_api import TimeoutError

    tab.set_viewport_size(SCREEN | {"width": width})
    beyond = tab.evaluate(OVERFLOW)
    if beyond:
        with suppress(TimeoutError):
            tab.wait_for_function(f"() => ({OVERFLOW})() === 0", timeout=2_000)
            return 0
    return beyond


def jump(tab):
    """How far the page has jumped since it came, where that is more than allowed."""
    shift = tab.evaluate("() => window.shifted")
    return shift if shift > SHIFT else 0


def on_a_telephone(tab):
    """What is cut without a visible edge, and what is too small for a thumb."""
    tab.set_viewport_size(SCREEN | {"width": WIDTHS[-1]})
    tab.evaluate("() => userdpReach.addTabStops()")
    return tab.evaluate(CUT), tab.evaluate(SMALL, TOUCH)
