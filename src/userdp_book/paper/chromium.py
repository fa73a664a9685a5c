"""Pages of the built book in Chromium, reduced to what can be read on paper: the source of PDF and EPUB."""

import re
import shutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

PRINT = Path(__file__).parent / "print"
NAMES = ("chromium", "chromium-browser", "google-chrome")
# What runs on a page serves its reader at a screen. `article.js` asks for the one script that is wanted,
# and that one for its parts.
WANTED = re.compile(r"\?wanted$|/mathjax/(core|input|output|a11y)[^?]*\.js$")
OPTIONS = ["--no-sandbox", "--disable-gpu"]


@contextmanager
def new_tab() -> Iterator:
    """A tab of the system's Chromium or, where there is none, of Playwright's own."""
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as playwright:
        found = next(filter(None, map(shutil.which, NAMES)), None)
        try:
            browser = playwright.chromium.launch(executable_path=found, args=OPTIONS)
        except Error as error:
            sys.exit(
                f"Chromium is needed: install it, or run `.venv/bin/playwright install chromium`.\n{error}"
            )
        tab = browser.new_page(color_scheme="light")
        tab.route("**/*", only_files)
        yield tab
        browser.close()


def over(pages: list, act: Callable) -> list:
    """What ``act(tab, page)`` makes of each page, in their order: two browsers take the next one in turn."""
    waiting = iter(pages)

    def browse(_) -> list:
        with new_tab() as tab:
            return [(page, act(tab, page)) for page in waiting]

    with ThreadPoolExecutor(2) as browsers:
        made = dict(chain.from_iterable(browsers.map(browse, range(2))))
    return [made[page] for page in pages]


def only_files(route) -> None:
    request = route.request
    unwanted = request.resource_type == "script" and not WANTED.search(request.url)
    if unwanted or not request.url.startswith(("file:", "data:")):
        route.abort()
    elif "/look.css" in request.url:  # paper waits for a face that a screen does without
        look = (PRINT.parents[1] / "site" / "static" / "look.css").read_text(encoding="utf8")
        route.fulfill(body=look.replace("optional", "block"), content_type="text/css")
    else:
        route.continue_()


def load(tab, path: Path) -> None:
    """Open a page of the built book, typeset it and keep its article only; fail if something is missing."""
    tab.goto(path.as_uri(), wait_until="domcontentloaded", timeout=120_000)
    faults = tab.evaluate((PRINT / "article.js").read_text(encoding="utf8"))
    if faults:
        raise RuntimeError(f"{path.name}: " + "; ".join(faults))
