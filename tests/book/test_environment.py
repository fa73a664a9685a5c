"""``environment.yml``, ``constraints.txt`` and ``pyproject.toml`` describe one environment."""

import ast
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions, requires

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from test_package import HIDE
from userdp_book.run.cache import syntax
from userdp_book.run.pages import code_cells, notebook, pages


@pytest.fixture(scope="module")
def project(root):
    """What the two packages say together: the small one, and what the book needs beside it."""
    both = [
        tomllib.loads((root / place / "pyproject.toml").read_text(encoding="utf8"))["project"]
        for place in ("", "src")
    ]
    small, companion = both
    assert small["requires-python"] == companion["requires-python"]
    extras = small["optional-dependencies"] | companion["optional-dependencies"]
    needed = small["dependencies"] + [need for need in companion["dependencies"] if need != "userdp"]
    return small | {"dependencies": needed, "optional-dependencies": extras}


@pytest.fixture(scope="module")
def conda(root):
    return yaml.safe_load((root / "environment.yml").read_text(encoding="utf8"))["dependencies"]


@pytest.fixture(scope="module")
def pins(root):
    lines = (root / "constraints.txt").read_text(encoding="utf8").splitlines()
    found = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(pin.name): pin.specifier for pin in found}


def test_python_bounds_agree(project, conda):
    python = next(item for item in conda if isinstance(item, str) and item.startswith("python"))
    assert SpecifierSet(python.removeprefix("python")) == SpecifierSet(project["requires-python"])


def test_conda_installs_what_the_notebooks_need_with_the_pins(conda):
    pip = next(item["pip"] for item in conda if isinstance(item, dict))
    assert pip == ["-c constraints.txt", "-e .", "-e src[notebooks,peers]"]


def imported(root):
    """What the pages import, each package by the name that it is imported by."""
    cells = [cell.source for page in pages(root) for cell in code_cells(notebook(page))[1:]]
    tree = [node for source in cells for node in ast.walk(syntax(source))]
    plain = {alias.name for node in tree if isinstance(node, ast.Import) for alias in node.names}
    names = plain | {node.module for node in tree if isinstance(node, ast.ImportFrom)}
    return {name.partition(".")[0] for name in names} - sys.stdlib_module_names


@pytest.mark.slow
def test_the_extra_of_the_notebooks_has_what_the_pages_import(root, project):
    listed = project["dependencies"] + project["optional-dependencies"]["notebooks"]
    offered = {canonicalize_name(Requirement(item).name) for item in listed}
    known = packages_distributions()
    wanted = imported(root) - {"userdp", "userdp_papers", "userdp_book"}
    assert len(wanted) > 5
    assert [name for name in wanted if not offered & {canonicalize_name(one) for one in known[name]}] == []


def brought(needs, found):
    """The names of all that pip installs for some requirements, with the extras that are asked for."""
    for wanted in map(Requirement, needs):
        if (asked := (canonicalize_name(wanted.name), frozenset(wanted.extras))) not in found:
            found.add(asked)
            texts = requires(wanted.name) or []
            brought([one for one in texts if called_for(Requirement(one).marker, wanted.extras)], found)
    return {name for name, _ in found}


def called_for(marker, extras):
    return not marker or any(marker.evaluate({"extra": extra}) for extra in extras | {""})


COURSE = """
sys.path[:0] = ["tools"]
import examination, slides
from pathlib import Path
from userdp_book.__main__ import course_command
course_command([sys.argv[2]], 1)
assert examination.write_papers(Path.cwd(), Path(sys.argv[2])) == 4
assert slides.write_all(Path.cwd(), Path(sys.argv[2], "slides")) == 9
import nbgrader.apps.api
"""


@pytest.mark.slow
@pytest.mark.parametrize("lacking", [None, "seaborn"])
def test_the_tools_for_teaching_are_enough_for_a_course(root, project, tmp_path, monkeypatch, lacking):
    """And not without one of them."""
    # setuptools, once imported, shows what it brings in its own folder
    monkeypatch.setattr(sys, "path", [one for one in sys.path if "_vendor" not in one])
    needs = project["dependencies"] + project["optional-dependencies"]["teach"]
    here = {"userdp", "userdp-companion", *brought(needs, set())} - {lacking}
    names = packages_distributions().items()
    hidden = [name for name, all_of in names if not here & {*map(canonicalize_name, all_of)}]
    assert {"pytest", "numba"} <= {*hidden}
    command = [sys.executable, "-c", HIDE + COURSE, ",".join(hidden), tmp_path / "course"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    assert (done.returncode == 0) == (lacking is None), done.stderr


def test_constraints_are_exact(pins):
    assert all(len(pin) == 1 and str(pin).startswith("==") for pin in pins.values())


def test_constraints_satisfy_every_requirement(project, pins):
    extras = project["optional-dependencies"].values()
    wanted = map(Requirement, project["dependencies"] + [item for extra in extras for item in extra])
    unmet = [
        str(need)
        for need in wanted
        if str(pins.get(canonicalize_name(need.name), ""))[2:] not in need.specifier
    ]
    assert unmet == []


def test_pins_name_no_place(root):
    text = (root / "constraints.txt").read_text(encoding="utf8")
    assert "://" not in text
    assert "--" not in text


@pytest.mark.xdist_group("together")
def test_tests_of_a_group_run_in_one_process(request, worker_id):
    assert worker_id == "master" or request.node.nodeid.endswith("@together")
