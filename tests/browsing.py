"""The built book and a browser, shared by the tests that look at it."""

import os
import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
HTML = ROOT / "_build" / "html"
CHROMIUM = shutil.which("chromium")
MISSING = "no chromium" if not CHROMIUM else "no _build/html" if not (HTML / "index.html").is_file() else ""

IN_BROWSER = [
    pytest.mark.browser,
    # One worker, hence one browser.
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(bool(MISSING) and os.environ.get("CI") != "true", reason=f"browser tests: {MISSING}"),
]


def entries(node):
    """The documents of a table of contents, in order."""
    if isinstance(node, list):
        for item in node:
            yield from entries(item)
    elif isinstance(node, dict):
        yield from (node[key] for key in ("root", "file") if key in node)
        for key in ("parts", "chapters", "sections"):
            yield from entries(node.get(key))


DOCNAMES = list(entries(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf8"))))


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(scope="session")
def site():
    assert not MISSING, MISSING
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=HTML)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def browser(site):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def tab(browser, site):
    """A fresh tab that collects what the pages complain of and ask for elsewhere."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.complaints = []
    page.on("console", lambda m: m.type in ("error", "warning") and page.complaints.append(m.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("requestfailed", lambda request: page.complaints.append(f"failed: {request.url}"))
    page.route("**/*", partial(only_own_site, page, site))
    yield page
    page.close()


def only_own_site(page, site, route):
    if route.request.url.startswith((site, "data:", "blob:")):
        route.continue_()
    else:
        page.complaints.append(f"off-site: {route.request.url}")
        route.abort()


def visit(tab, site, docname):
    tab.goto(f"{site}/{docname}.html", wait_until="load", timeout=120_000)
    tab.evaluate("async () => window.MathJax && await MathJax.startup.promise")
    return tab
