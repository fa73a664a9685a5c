"""Planted slips: one list that the tests run and that a page of the book shows.

``tools/slip.py`` runs every slip against its test.
"""

import csv
import gc
import os
import re
import resource
import shutil
import sys
from importlib.util import find_spec
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_name("slips.csv")
ROOT = Path(__file__).parents[3]
PLANTED = "userdp", "userdp_papers"
# plugins that look for browsers and notebooks would cost more than most tests
OPTIONS = ("-q", "-x", "--tb=short", "-o", "addopts=", "-p", "no:cacheprovider")
# what the tests import beside the package: imported once, in the process from which each run is forked
OTHERS = ("pytest", "hypothesis.strategies", "scipy.stats", "scipy.optimize", "scipy.sparse")
OTHERS += ("joblib", "tqdm", "numba", "matplotlib.pyplot", "yaml")


class Run(NamedTuple):
    """What pytest returned and printed, and the processor seconds that it took."""

    returncode: int
    stdout: str
    seconds: float


def slips() -> list[dict[str, str]]:
    """The list: what the slip is, what it spoils, where it is planted, which test must see it and where."""
    with FILE.open(encoding="utf8", newline="") as rows:
        return list(csv.DictReader(rows))


def plant(slip: dict[str, str] | None, folder: Path) -> Path:
    """Copy both packages of mechanisms into a folder, with the slip if there is one; return the folder."""
    # compiled modules come along: Python takes those whose source has kept its time and size
    for package in PLANTED:
        source = Path(find_spec(package).origin).parent
        shutil.copytree(source, folder / package, ignore=shutil.ignore_patterns("*.pyc.*"))
    if slip:
        file = folder / slip["module"]
        text = file.read_text(encoding="utf8")
        if text.count(slip["right"]) != 1:
            raise ValueError(f"{slip['right']!r} must occur once in {slip['module']}")
        file.write_text(text.replace(slip["right"], slip["wrong"]), encoding="utf8")
    return folder


def environment(folder: Path) -> dict[str, str]:
    """Environment of a process that imports the package from a folder."""
    own = {"PYTHONPATH": str(folder), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "HYPOTHESIS_PROFILE": "planted"}
    return os.environ | own


def run(tests: list[str], folder: Path, limit: int = 900, *options: str) -> Run:
    """Run tests against the package in a folder, in a process forked from one that has imported the rest.

    What takes more processor seconds than `limit` is ended, and its return code is negative.
    """
    method = "forkserver" if "forkserver" in get_all_start_methods() else "spawn"
    context = get_context(method)
    context.set_forkserver_preload(OTHERS)
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_run_here, args=(tests, folder, theirs, limit, options))
    child.start()
    theirs.close()
    try:
        if not ours.poll(40 * limit):  # beside many others a process gets little
            raise TimeoutError(f"{tests} did not end")
        return ours.recv()
    except EOFError:
        return Run(-1, "", limit)
    finally:
        child.join(5)
        child.kill()


def _run_here(tests: list[str], folder: Path, answer, limit: int, options: tuple[str, ...]) -> None:
    """In a process that has not imported the package: run tests with a folder before all others."""
    assert not {*PLANTED} & {*sys.modules}
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    os.environ.update(environment(folder))
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    import numba
    import pytest

    numba.config.DISABLE_JIT = 1  # to compile a kernel takes longer than to run it once as it is
    gc.freeze()  # pytest collects garbage more than once
    said = folder / "said.txt"
    with said.open("w") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    code = pytest.main([*OPTIONS, *options, *(str(ROOT / "tests" / test) for test in tests)])
    sys.stdout.flush()
    answer.send(Run(int(code), said.read_text(encoding="utf8"), sum(os.times()[:4])))


def caught(slip: dict[str, str], result: Run) -> bool:
    """Whether the named test failed, in a line of its own that says what the list says it sees."""
    frames = re.split(r"^(\S+\.py):\d+: in ", result.stdout, flags=re.MULTILINE)
    if result.returncode != 1 or len(frames) < 3:
        return False
    place, said = frames[-2:]
    # a comparison of arrays raises in numpy, which hides its own frames from the report
    asserts = "AssertionError" in result.stdout or re.search(
        r"^E +(assert |Failed: DID NOT RAISE)", said, flags=re.MULTILINE
    )
    in_test = Path(place).name == Path(slip["test"].split("::")[0]).name
    return bool(asserts) and in_test and slip["seen"] in said
