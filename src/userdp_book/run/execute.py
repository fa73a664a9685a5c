"""Run pages, some side by side, and keep what they printed in ``_build/executed``."""

import copy
import os
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext
from tempfile import TemporaryDirectory
from threading import Lock, Semaphore
from typing import Any

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from nbformat import NotebookNode

from . import cache, forked
from .narrow import KIND
from .pages import Page, code_cells, notebook, read, tidy, write
from .reach import Sources

CLIENT: dict[str, Any] = {
    "kernel_name": "python3",
    "timeout": None,
    "record_timing": False,
    # One stream output a cell, however the kernel's messages happened to be cut.
    "coalesce_streams": True,
    # Errors only: the kernel's advice on its own transport is no news to a reader.
    "extra_arguments": ["--log-level=40"],
}
# Python 3.11 counts the depth of syntax that it builds for all threads together.
PARSING = Lock()
NARROW = "--IPKernelApp.extensions=userdp_book.run.narrow"


def run(page: Page, scratch: str | None = None, turn: AbstractContextManager | None = None) -> NotebookNode:
    """Execute the page in a kernel of its own, at its turn; return its notebook with outputs.

    A kernel that starts or stops mostly waits, which does not take a turn.
    """
    nb = notebook(page)
    # An empty folder: a page that reads a file by a relative path should fail here, not at the reader's.
    with TemporaryDirectory(dir=scratch) as folder:
        arguments = [*CLIENT["extra_arguments"], NARROW]
        client = NotebookClient(nb, **CLIENT | {"extra_arguments": arguments})
        with client.setup_kernel(cwd=folder), turn or nullcontext():
            client.execute(cleanup_kc=False)
    return tidy(nb)


def run_and_keep(page: Page, scratch: str, turns: Semaphore) -> str:
    """Execute the page into the cache; return the traceback of the cell that failed, or nothing."""
    with PARSING:
        noted = cache.note(page, Sources(page.root))
    try:
        nb = run(page, scratch, taken(turns, noted))
    except (CellExecutionError, DeadKernelError) as error:
        return str(error)
    keep(page, nb, noted)
    return ""


@contextmanager
def taken(turns: Semaphore, noted: dict) -> Iterator[None]:
    """Wait for a turn, and note how many seconds it took."""
    with turns:
        start = time.perf_counter()
        yield
        noted["seconds"] = round(time.perf_counter() - start, 1)


def keep(page: Page, nb: NotebookNode, noted: dict) -> None:
    nb.metadata["userdp"] = noted
    write(nb, page.executed)


def refresh(page: Page, sources: Sources) -> None:
    """Give the last run the page's new prose, where no code has changed."""
    nb, ran = notebook(page), read(page.executed)
    for cell, before in zip(code_cells(nb), code_cells(ran), strict=True):
        cell.outputs, cell.execution_count = before.outputs, before.execution_count
    keep(page, nb, cache.note(page, sources) | {"seconds": cache.last_run(page)["seconds"]})


def run_all(ordered: list[Page], jobs: int) -> Iterator[tuple[Page | None, str, list[Page]]]:
    """Execute pages in their order; yield each with its error as it ends, nothing each second; and who runs.

    A thread holds each kernel, so that an interruption ends all of them and loses no page that is done.
    """
    forked.offer()
    jobs = min(jobs, len(ordered))
    # The sweeps of a page share its part of the processors out, not all of them; joblib asks for this.
    os.environ.setdefault("LOKY_MAX_CPU_COUNT", str(max(1, (os.cpu_count() or 1) // jobs)))
    # one more than have a turn: its kernel starts while the others run
    pool, turns = ThreadPoolExecutor(jobs + 1), Semaphore(jobs)
    with TemporaryDirectory() as scratch:
        waiting: dict[Future, Page] = {
            pool.submit(run_and_keep, page, scratch, turns): page for page in ordered
        }
        try:
            while waiting:
                ended, _ = wait(waiting, timeout=1, return_when=FIRST_COMPLETED)
                done = [(waiting.pop(future), future.result()) for future in ended]
                running = [page for future, page in waiting.items() if future.running()]
                yield from ((page, error, running) for page, error in done or [(None, "")])
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def computed(page: Page) -> NotebookNode | None:
    """The notebook as last executed, without the cache's own notes and pictures."""
    nb = copy.deepcopy(read(page.executed))
    if nb is not None:
        nb.metadata.pop("userdp", None)
        for output in (output for cell in code_cells(nb) for output in cell.outputs):
            output.get("data", {}).pop(KIND, None)
    return nb
