"""Run pages, one process a core, and keep what they printed in ``_build/executed``."""

import copy
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from math import inf
from tempfile import TemporaryDirectory

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from . import cache
from .pages import Page, notebook, read, tidy, write

CLIENT = {
    "kernel_name": "python3",
    "timeout": None,
    "record_timing": False,
    # One stream output a cell, however the kernel's messages happened to be cut.
    "coalesce_streams": True,
    # Errors only: the kernel's advice on its own transport is no news to a reader.
    "extra_arguments": ["--log-level=40"],
}


def run(page: Page) -> tuple[NotebookNode, float]:
    """Execute the page in a fresh kernel; return its notebook with outputs and the seconds it took."""
    nb, start = notebook(page), time.perf_counter()
    # An empty folder: a page that reads a file by a relative path should fail here, not at the reader's.
    with TemporaryDirectory() as folder:
        client = NotebookClient(nb, **CLIENT)
        client.execute(cwd=folder)
    return tidy(nb), time.perf_counter() - start


def run_and_keep(page: Page) -> str:
    """Execute the page into the cache; return the traceback of the cell that failed, or nothing."""
    key = cache.key(page)
    try:
        nb, seconds = run(page)
    except CellExecutionError as error:
        return str(error)
    nb.metadata["userdp"] = {"key": key, "seconds": round(seconds, 1)}
    write(nb, page.executed)
    return ""


def run_all(pages: list[Page], jobs: int) -> Iterator[tuple[Page, str]]:
    """Execute pages in parallel, the longest first; yield each with its error as it ends."""
    longest_first = sorted(pages, key=lambda page: -cache.last_run(page).get("seconds", inf))
    with ProcessPoolExecutor(max_workers=jobs) as pool:
        futures = {pool.submit(run_and_keep, page): page for page in longest_first}
        for future in as_completed(futures):
            yield futures[future], future.result()


def computed(page: Page) -> NotebookNode | None:
    """The notebook as last executed, without the cache's own notes."""
    nb = copy.deepcopy(read(page.executed))
    if nb is not None:
        nb.metadata.pop("userdp", None)
    return nb
