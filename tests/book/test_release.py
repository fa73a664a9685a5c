"""A release writes one version in two places and dates what has changed; the two never part."""

import shutil
import tomllib

import pytest
import yaml

import release
import userdp

FILES = (release.PACKAGE, release.CITATION, release.CHANGES)


@pytest.fixture
def copy(root, tmp_path):
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, tmp_path / name)
    path = tmp_path / release.CHANGES
    path.write_text(path.read_text().replace(release.OPEN, f"{release.OPEN}\n\n- Something.", 1))
    return tmp_path


def test_package_and_citation_name_one_version(root):
    citation = yaml.safe_load((root / release.CITATION).read_text(encoding="utf8"))
    assert str(release.current(root)) == citation["version"] == userdp.__version__
    assert {"title", "authors", "license", "keywords", "abstract"} <= citation.keys()  # what an archive asks


def test_a_release_writes_the_version_and_the_day(copy):
    release.prepare(copy, "9.1.0")
    citation = yaml.safe_load((copy / release.CITATION).read_text(encoding="utf8"))
    assert str(release.current(copy)) == citation["version"] == "9.1.0"
    day = citation["date-released"].isoformat()
    assert f"{release.OPEN}\n\n## 9.1.0, {day}\n" in (copy / release.CHANGES).read_text(encoding="utf8")


def test_no_release_goes_back_or_says_nothing(copy):
    with pytest.raises(ValueError, match="must not go back from .*, got 0.0.1"):
        release.prepare(copy, "0.0.1")
    release.prepare(copy, "9.1.0")
    with pytest.raises(ValueError, match="what has changed"):
        release.prepare(copy, "9.2.0")


def test_the_version_is_written_in_the_package_alone(root):
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf8"))
    assert "version" not in project["project"]
    assert project["tool"]["hatch"]["version"] == {"path": release.PACKAGE}
