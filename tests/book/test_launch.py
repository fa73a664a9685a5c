"""What Colab and Binder do, as far as it goes here: the package from nothing in an empty environment.

Minutes and a package index: run by ``make check-launch``, which sets USERDP_LAUNCH.
"""

import os
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from userdp_book.run.pages import Page, code_cells, notebook

pytestmark = [
    pytest.mark.slow,
    # One after the other: both install much.
    pytest.mark.xdist_group("launch"),
    pytest.mark.skipif(not os.environ.get("USERDP_LAUNCH"), reason="run by `make check-launch`"),
]

LIGHT = "dame/exercises"
EXECUTE = """
import sys, nbformat
from nbclient import NotebookClient
nb = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(nb, kernel_name="python3", timeout=600).execute(cwd=sys.argv[2])
"""


def run(*command, cwd):
    """Run a command without anything of this environment in sight."""
    own = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))
    }
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, env=own, capture_output=True, text=True, timeout=1800
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def empty(tmp_path):
    """The python of a new environment, which lacks the package."""
    run(sys.executable, "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    python = tmp_path / "venv/bin/python"
    look = "import importlib.util; print(importlib.util.find_spec('userdp'))"
    assert run(python, "-c", look, cwd=tmp_path).strip() == "None"
    return python


@pytest.fixture
def clone(root, tmp_path):
    """The tree as it is, committed or not, as a repository of its own."""
    target = tmp_path / "clone"
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=root)
    for name in filter(None, listed.split("\0")):
        if (root / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes((root / name).read_bytes())
    run("git", "init", "-q", cwd=target)
    run("git", "add", "-A", cwd=target)
    run("git", "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "-m", "x", cwd=target)
    return target


def test_first_cell_on_colab(empty, clone, tmp_path):
    nb = notebook(Page(clone, LIGHT))
    line = re.search(r"^\s+%pip (install .*git\+.*)$", code_cells(nb)[0].source, flags=re.MULTILINE)[1]
    local, replaced = re.subn(r"git\+https://[^\"#]*", f"git+file://localhost{clone}", line)
    assert replaced == 2
    # Colab brings the kernel and its libraries; the versions are ours, so that both runs are of one thing.
    pins = ("-c", clone / "constraints.txt")
    run(empty, "-m", "pip", "install", "-q", "ipykernel", "nbclient", "nbformat", *pins, cwd=tmp_path)
    run(empty, "-m", "pip", *shlex.split(local), cwd=tmp_path)
    execute(empty, nb, tmp_path)


TRY = """
import importlib.metadata, importlib.util, userdp
# the small package alone
assert not any(map(importlib.util.find_spec, ("userdp_papers", "userdp_book", "pandas")))
assert importlib.metadata.version("userdp") == userdp.__version__
assert "site-packages" in userdp.__file__, userdp.__file__
"""


@pytest.mark.parametrize("kind", ["*.whl", "*.tar.gz"])
def test_a_distribution_installs_and_works_in_an_empty_environment(empty, clone, tmp_path, kind):
    uv = Path(sys.executable).with_name("uv")
    run(uv, "build", "--quiet", "--python", sys.executable, "--out-dir", tmp_path / "dist", cwd=clone)
    (made,) = (tmp_path / "dist").glob(kind)
    if kind == "*.whl":
        names = zipfile.ZipFile(made).namelist()
        assert all(name.startswith(("userdp/", "userdp-")) for name in names)
        assert not [name for name in names if name.endswith((".toml", ".csv", ".xz"))]
    run(empty, "-m", "pip", "install", "-q", made, "-c", clone / "constraints.txt", cwd=tmp_path)
    (ten,) = re.findall(r"```python\n(.*?)```", (clone / "README.md").read_text(encoding="utf8"), re.DOTALL)
    assert "Guarantee(epsilon=1.0" in run(empty, "-c", TRY + ten, cwd=tmp_path)


def test_environment_as_repo2docker_reads_it(empty, clone, tmp_path):
    listed = yaml.safe_load((clone / "environment.yml").read_text(encoding="utf8"))["dependencies"]
    pip = next(item["pip"] for item in listed if isinstance(item, dict))
    # conda writes the section into a requirements file beside environment.yml and hands it to pip.
    (clone / "condaenv.requirements.txt").write_text("\n".join(pip) + "\n", encoding="utf8")
    run(empty, "-m", "pip", "install", "-q", "-r", "condaenv.requirements.txt", cwd=clone)
    execute(empty, notebook(Page(clone, LIGHT)), tmp_path)


def execute(python, nb, folder):
    """Run the whole notebook, its first cell included, in a kernel of that environment."""
    import nbformat

    nbformat.write(nb, folder / "page.ipynb")
    (folder / "empty").mkdir()
    run(python, "-c", EXECUTE, folder / "page.ipynb", folder / "empty", cwd=folder)
