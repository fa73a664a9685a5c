"""Runs of pages: an interruption, what is said while they run, and what forked kernels must not change."""

import os
import signal
import subprocess
import sys
import time

import pytest

from pretended import FRONT, repository
from userdp_book.__main__ import run_due
from userdp_book.run import cache
from userdp_book.run.execute import run
from userdp_book.run.pages import Page, code_cells, read
from userdp_book.run.progress import expected_seconds, stored_seconds
from userdp_book.run.reach import Sources

PAGE = f"""{FRONT}
```{{code-cell}} ipython3
CODE
```
"""


# Seconds; a busy machine starts a kernel in half a minute.
LONG = 300


@pytest.fixture
def book(tmp_path):
    return repository(tmp_path)


def page(book, name, code):
    made = Page(book, name)
    made.source.write_text(PAGE.replace("CODE", code))
    return made


@pytest.fixture
def execute(book):
    """Start the command, as from a terminal; nothing of it outlives the test."""
    started = []

    def start():
        process = subprocess.Popen(
            [sys.executable, "-m", "userdp_book", "execute", "--jobs", "2"],
            cwd=book,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # a shell lets what it starts in the background ignore Ctrl-C, the tests with it
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()


def wait_for(condition, seconds=LONG):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


ENDLESS = """import os, pathlib, time
pathlib.Path(NOTED).write_text(str(os.getpid()))
time.sleep(600)"""


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda blow: blow.name)
def test_an_interruption_loses_no_finished_page_and_leaves_no_kernel(book, execute, blow):
    quick, noted = page(book, "quick", "import joblib; joblib.cpu_count()"), book / "pid"
    long = page(book, "long", ENDLESS.replace("NOTED", repr(str(noted))))
    process = execute()
    wait_for(lambda: quick.executed.is_file() and noted.is_file() and noted.read_text())
    process.send_signal(blow)
    said, _ = process.communicate(timeout=LONG)
    wait_for(lambda: not is_alive(int(noted.read_text())))
    assert process.returncode == (-signal.SIGKILL if blow is signal.SIGKILL else 130), said
    assert blow is signal.SIGKILL or "interrupted: 1 of 2 are done and kept" in said
    assert cache.is_current(quick, Sources(book)) and not long.executed.exists()
    # with two at once, the sweeps of each have half of the processors
    (shown,) = code_cells(read(quick.executed))[1].outputs
    assert int(shown.data["text/plain"]) == max(1, os.cpu_count() // 2)
    page(book, "long", "1 / 4")
    again = execute()
    said, _ = again.communicate(timeout=LONG)
    assert again.returncode == 0 and "1 of 2 notebooks to execute" in said, said


def test_a_page_that_is_kept_and_not_yet_told_counts_when_interrupted(book, monkeypatch, capsys):
    kept, _ = due = [page(book, "kept", "1"), page(book, "running", "2")]

    def interrupted(ordered, jobs):
        kept.executed.parent.mkdir(parents=True)
        kept.executed.write_text("{}")
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr("userdp_book.run.execute.run_all", interrupted)
    monkeypatch.setattr("os._exit", lambda code: print("exit", code))
    monkeypatch.setattr("signal.signal", lambda *_: None)
    run_due(due, 2)
    assert "interrupted: 1 of 2 are done and kept\nexit 130" in capsys.readouterr().out


STATE = """import os, re, sys
import matplotlib.pyplot as plt
import pandas as pd
print(__name__, os.path.basename(sys.argv[0]).removesuffix(".py"), os.listdir(), sys.stdin.isatty())
print(plt.get_backend(), os.environ["MPLBACKEND"])
print(re.findall("currently: (.*)]", pd.describe_option(_print_desc=False).lower()))  # utf-8 is UTF-8
print(*sys.path, sep="\\n")
print("modules", sorted(name for name in sys.modules if "userdp" in name))"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux only")
def test_a_forked_kernel_is_as_a_fresh_one(book, execute):
    """What a page can see of where it runs, whatever has been imported before the fork."""
    one = page(book, "page", STATE)
    said, _ = execute().communicate(timeout=LONG)
    shown = [code_cells(nb)[1].outputs[0].text.splitlines() for nb in (read(one.executed), run(one))]
    forked, fresh = ([line for line in lines if not line.startswith("modules")] for lines in shown)
    assert forked == fresh, said
    *_, own = shown[0]
    assert own == f"modules {[f'userdp_book{room}' for room in ('', '.run', '.run.forked', '.run.narrow')]}"


@pytest.mark.slow
def test_a_failing_page_is_told_and_not_kept(book, execute):
    bad = page(book, "bad", "raise ValueError(3 + 4)")
    process = execute()
    said, _ = process.communicate(timeout=LONG)
    assert process.returncode == 1 and "FAILED  book/bad" in said and "ValueError" in said
    assert not bad.executed.exists()


def test_seconds_are_expected_from_the_last_run_or_the_table_or_the_usual(book, root):
    table = stored_seconds()
    name, seconds = next(iter(table.items()))
    known, new = Page(book, name), Page(book, "new")
    expected = expected_seconds([known, new])
    assert expected == {known: seconds, new: seconds}


def test_the_table_of_seconds_names_pages_of_the_book(root):
    assert all((root / f"book/{name}.md").is_file() for name in stored_seconds())
