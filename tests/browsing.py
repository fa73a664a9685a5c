"""The built book and a browser, shared by the tests that look at it."""

import os
import shutil
import threading
from contextlib import closing, contextmanager
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import pytest

from axe import findings
from fits import SCREEN, WATCH, WIDTHS, jump, on_a_telephone, overflow
from userdp_book.run import contents

ROOT = Path(__file__).parents[1]
HTML = ROOT / "_build" / "html"
CHROMIUM = shutil.which("chromium")
MISSING = "no chromium" if not CHROMIUM else "no _build/html" if not (HTML / "index.html").is_file() else ""

IN_BROWSER = [
    pytest.mark.browser,
    pytest.mark.skipif(bool(MISSING) and os.environ.get("CI") != "true", reason=f"browser tests: {MISSING}"),
]


@cache
def docnames():
    """The documents of the table of contents, in order."""
    return [entry.docname for entry in contents.entries(ROOT) if entry.docname]


class Quiet(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass


@contextmanager
def served():
    """The address of a server of the built book."""
    assert not MISSING, MISSING
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=HTML)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def launched():
    """A browser that finds no other machine."""
    from playwright.sync_api import sync_playwright

    alone = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", alone])
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def site():
    with served() as address:
        yield address


@pytest.fixture(scope="session")
def chromium():
    """One browser a worker."""
    with launched() as found:
        yield found


@pytest.fixture(scope="session")
def browser(site, chromium):
    """The browser, for tests of the built book."""
    return chromium


@pytest.fixture
def tab(browser, site):
    """A tab of a reader who has not been here before."""
    with closing(browser.new_context(viewport=SCREEN)) as context, new_tab(context, site) as tab:
        yield tab


def failed(request):
    """The address of a request that failed; what a reader leaves or loads anew ends before it is there."""
    return [] if request.failure == "net::ERR_ABORTED" else [f"failed: {request.url}"]


@contextmanager
def new_tab(context, site):
    """A tab that collects what the pages complain of and ask for elsewhere."""
    page, own = context.new_page(), (site, "data:", "blob:")
    page.complaints = []
    page.on("console", lambda m: m.type in ("error", "warning") and page.complaints.append(m.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("requestfailed", lambda request: page.complaints.extend(failed(request)))
    page.on("request", lambda r: r.url.startswith(own) or page.complaints.append(f"off-site: {r.url}"))
    yield page
    page.close()


def spare(tab, *urls):
    """Fetch nothing at such addresses, at no cost for the others."""
    wire = tab.context.new_cdp_session(tab)
    wire.send("Network.enable")
    wire.send("Network.setBlockedURLs", {"urls": urls})


def visit(tab, site, docname):
    tab.goto(f"{site}/{docname}.html", wait_until="load", timeout=120_000)
    tab.evaluate("async () => window.MathJax && await MathJax.startup.promise")
    return tab


FAULTS = """() => {
  const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
  const images = [...document.querySelectorAll('img')];
  const math = [...document.querySelectorAll('.math')];
  const red = e => e.getAttribute('mathcolor') === 'red' || getComputedStyle(e).color === 'rgb(255, 0, 0)';
  const drawn = [...document.querySelectorAll('.admonition.tip > .diagram svg')];
  const low = e => e.getBoundingClientRect().bottom + scrollY > innerHeight;
  return {
    'opening drawings below the first screen': drawn.filter(low).map(e => e.ariaLabel),
    'ids that occur twice': ids.filter((id, i) => ids.indexOf(id) !== i),
    'pictures without alternative text': images.filter(e => !(e.alt || '').trim()).map(e => e.src),
    'math that is not typeset': math.filter(e => !e.querySelector('mjx-container')).map(e => e.textContent),
    'math in error': [...document.querySelectorAll('mjx-merror')].map(e => e.textContent),
    'undefined macros': [...document.querySelectorAll('mjx-mtext')].filter(red).map(e => e.textContent),
  };
}"""


class Look(NamedTuple):
    """What there is to be said against a page."""

    faults: dict
    jump: float
    overflow: list
    cut: list
    small: list
    complaints: list
    findings: dict


SOUND = Look({}, 0, [0] * len(WIDTHS), [], [], [], {})


@pytest.fixture(scope="session")
def look(browser, site):
    """A page from all sides, seen in one visit."""
    known = {"light": set(), "dark": set()}

    def look(docname):
        tab.complaints.clear()
        visit(tab, site, docname)
        faults = {fault: where for fault, where in tab.evaluate(FAULTS).items() if where}
        shift = jump(tab)
        beyond = [overflow(tab, width) for width in WIDTHS]
        cut, small = on_a_telephone(tab)
        tab.set_viewport_size(SCREEN)
        return Look(faults, shift, beyond, cut, small, list(tab.complaints), findings(tab, known))

    # one tab for all: it keeps MathJax compiled, but no face in store, as whoever comes for the first time
    with closing(browser.new_context(viewport=SCREEN)) as context, new_tab(context, site) as tab:
        tab.set_default_timeout(180_000)
        context.new_cdp_session(tab).send("Network.setCacheDisabled", {"cacheDisabled": True})
        tab.add_init_script(f"({WATCH})()")
        yield look
