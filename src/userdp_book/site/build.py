"""``make book``: Jupyter Book's command in a process of its own, quick and strict."""

import os
import subprocess
import sys
from pathlib import Path

# Jupyter Book has no option for it: our extension reads it.
JOBS = "USERDP_BOOK_JOBS"
# Its command, after what our own room does to be quick; a tenth of the time would go in looking for garbage
# among documents that are all still needed, and another in taking them apart when all is done.
JUPYTER_BOOK = """import gc, os, sys, userdp_book.run
gc.set_threshold(200_000, 50, 100)
from jupyter_book.cli.main import main
status = main(standalone_mode=False)
sys.stdout.flush()
sys.stderr.flush()
os._exit(status or 0)"""
OPTIONS = ("--path-output", ".", "-W", "-n", "--keep-going")


def build(root: Path, jobs: int) -> int:
    """Build the book with so many processes; return the exit status."""
    command = [sys.executable, "-c", JUPYTER_BOOK, "build", *OPTIONS, root]
    return subprocess.run(command, env=os.environ | {JOBS: str(jobs)}).returncode
