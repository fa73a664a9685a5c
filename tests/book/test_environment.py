"""``environment.yml``, ``constraints.txt`` and ``pyproject.toml`` describe one environment."""

import tomllib

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name


@pytest.fixture(scope="module")
def project(root):
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf8"))["project"]


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


def test_conda_installs_the_package_with_the_readers_extras_and_the_pins(project, conda):
    pip = next(item["pip"] for item in conda if isinstance(item, dict))
    extras = sorted(project["optional-dependencies"].keys() - {"teach"})
    assert pip == ["-c constraints.txt", f"-e .[{','.join(extras)}]"]


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
