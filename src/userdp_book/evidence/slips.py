"""Planted slips: one list that the tests run and that a page of the book shows.

``python -m userdp_book.evidence.slips`` runs every slip against its test, one at a time, and stores the
seconds; with words behind it, only the slips whose names contain one of them.
"""

import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

FILE = Path(__file__).with_name("slips.csv")
ROOT = Path(__file__).parents[3]
# plugins that look for browsers and notebooks would cost more than most tests
OPTIONS = ("-q", "-x", "--tb=short", "-o", "addopts=", "-p", "no:cacheprovider")


def slips() -> list[dict[str, str]]:
    """The list: what the slip is, what it spoils, where it is planted, which test must see it and where."""
    with FILE.open(encoding="utf8", newline="") as rows:
        return list(csv.DictReader(rows))


def plant(slip: dict[str, str] | None, folder: Path) -> Path:
    """Copy the package ``userdp`` into a folder, with the slip if there is one; return the folder."""
    source = Path(find_spec("userdp").origin).parent
    shutil.copytree(source, folder / "userdp", ignore=shutil.ignore_patterns("__pycache__"))
    if slip:
        file = folder / "userdp" / slip["module"]
        text = file.read_text(encoding="utf8")
        if text.count(slip["right"]) != 1:
            raise ValueError(f"{slip['right']!r} must occur once in {slip['module']}")
        file.write_text(text.replace(slip["right"], slip["wrong"]), encoding="utf8")
    return folder


def environment(folder: Path) -> dict[str, str]:
    """Environment of a process that imports the package from a folder."""
    return os.environ | {"PYTHONPATH": str(folder), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def run(tests: list[str], folder: Path) -> subprocess.CompletedProcess:
    """Run tests against the package in a folder."""
    paths = [str(ROOT / "tests" / test) for test in tests]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *OPTIONS, *paths],
        env=environment(folder),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=900,
    )


def caught(slip: dict[str, str], result: subprocess.CompletedProcess) -> bool:
    """Whether the named test failed, in a line of its own that says what the list says it sees."""
    frames = re.split(r"^(\S+\.py):\d+: in ", result.stdout, flags=re.MULTILINE)
    if result.returncode != 1 or len(frames) < 3:
        return False
    place, said = frames[-2:]
    # a comparison of arrays raises in numpy, which hides its own frames from the report
    asserts = "AssertionError" in result.stdout or re.search(r"^E +assert ", said, flags=re.MULTILINE)
    in_test = Path(place).name == Path(slip["test"].split("::")[0]).name
    return bool(asserts) and in_test and slip["seen"] in said


def measured(slip: dict[str, str]) -> tuple[float, subprocess.CompletedProcess]:
    """Processor seconds of the run of a slip's test, and the run."""
    import resource  # not on Windows, where the page needs the rest

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        result = run([slip["test"]], plant(slip, Path(folder)))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, result


def main(words: list[str]) -> int:
    """Run slips and write the processor seconds of each into the list; say how many were missed."""
    rows, missed = slips(), 0
    for slip in rows:
        if words and not any(word in slip["slip"] for word in words):
            continue
        seconds, result = measured(slip)
        slip["seconds"], found = f"{seconds:.1f}", caught(slip, result)
        missed += not found
        print(f"{seconds:6.1f} s  {slip['slip']}: {'caught' if found else 'MISSED'}", flush=True)
        if not found:
            print(result.stdout[-1500:], result.stderr[-500:], flush=True)
    with FILE.open("w", encoding="utf8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return missed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
