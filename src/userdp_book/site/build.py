"""``make book``: Sphinx, unless nothing has changed: then a quarter of a second, not fourteen seconds."""

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

from ..run.pages import repository_url

HTML = Path("_build") / "html"
STAMP = HTML / ".made-of"
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
# What Sphinx reads: pages, the package with its docstrings, this one, outputs, files to offer, and
# of Pyodide, fifty megabytes, the list of its files with their checksums.
READ = (
    "_config.yml",
    "_toc.yml",
    "book",
    "src",
    "_build/executed",
    "_build/downloads",
    "_build/live/pyodide-lock.json",
)


def build(root: Path, jobs: int) -> int:
    """Build the book with so many processes; return the exit status."""
    wanted, stamp = digest(root), root / STAMP
    if stamp.is_file() and stamp.read_text(encoding="ascii") == wanted:
        print("nothing has changed that the book is made of")
        return 0
    stamp.unlink(missing_ok=True)
    command = [sys.executable, "-c", JUPYTER_BOOK, "build", *OPTIONS, root]
    status = subprocess.run(command, env=os.environ | {JOBS: str(jobs)}).returncode
    if status == 0:
        stamp.write_text(wanted, encoding="ascii")
    return status


def digest(root: Path) -> str:
    """One hash of every file that is read, of the address and of the names of the packages installed."""
    installed = {path.name for folder in sys.path for path in Path(folder).glob("*.dist-info")}
    said = [sys.version, repository_url(root), *sorted(installed)]
    for path in files(root):
        said.append(f"{path.relative_to(root).as_posix()} {sha256(path.read_bytes()).hexdigest()}")
    return sha256("\n".join(said).encode()).hexdigest()


def files(root: Path) -> list[Path]:
    found = [path for name in READ for path in [root / name, *(root / name).rglob("*")]]
    return sorted(path for path in found if path.is_file() and "__pycache__" not in path.parts)
