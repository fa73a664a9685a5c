"""What pages cost in processor seconds, in this and in another version of the repository.

``python -m userdp_book.evidence.costs FOLDER COLUMN [PAGE ...]`` runs pages of the checkout in a folder and
writes what each took into a column of ``costs.csv``; processor seconds hardly depend on what else the machine
does. Without pages, it runs those of the table that the column does not have.
"""

import csv
import os
import resource
import subprocess
import sys
from pathlib import Path

FILE = Path(__file__).with_name("costs.csv")
COLUMNS = ("before", "now")
# Every cell in one interpreter, as a kernel would, without a second process for the workers.
RUN = """
import sys, jupytext
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for cell in jupytext.read(sys.argv[1]).cells:
    if cell.cell_type == "code":
        shell.run_cell(cell.source).raise_error()
"""


def costs() -> dict[str, dict[str, float]]:
    """Processor seconds of each page that was measured, by column."""
    with FILE.open(encoding="utf8", newline="") as rows:
        read = {row.pop("page"): row for row in csv.DictReader(rows)}
    return {page: {c: float(v) for c, v in row.items() if v} for page, row in read.items()}


def store(table: dict[str, dict[str, float]]) -> None:
    """Write the table."""
    rows = [(page, *(row.get(column, "") for column in COLUMNS)) for page, row in sorted(table.items())]
    with FILE.open("w", encoding="utf8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("page", *COLUMNS), *rows])


def measured(root: Path, page: str) -> float:
    """Processor seconds of the cells of a page, imports and compilation included."""
    own = {
        "PYTHONPATH": str(root / "src"),
        "LOKY_MAX_CPU_COUNT": "1",
        "MPLBACKEND": "agg",
        "TQDM_DISABLE": "1",
    }
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", RUN, str(root / "book" / f"{page}.md")]
    subprocess.run(command, env=os.environ | own, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(folder: str, column: str, *pages: str) -> None:
    for page in pages or [page for page, row in costs().items() if column not in row]:
        seconds = round(measured(Path(folder).resolve(), page), 1)
        table = costs()
        table.setdefault(page, {})[column] = seconds
        store(table)
        print(f"{seconds:7.1f} s  {page}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
