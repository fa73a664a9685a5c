"""A page is ``book/<name>.md``, its twin ``notebooks/<name>.ipynb``; its last run is in ``_build/executed``.

The notebook is a function of the page: cell ids, metadata and the first cell do not depend on who ran it.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from nbformat import NotebookNode

# jupytext and nbformat take seconds to import; they are imported where a page has to be read or written,
# since most often nothing has changed.

# No versions: they would make a notebook differ from machine to machine.
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "pygments_lexer": "ipython3",
    },
}
KEPT = ("editable", "mystnb", "nbgrader", "tags")
INSTALL = """# Installs the package where it is missing: on Colab, or where a browser alone runs the page.
import importlib.util
import sys

if importlib.util.find_spec("userdp_papers") is None:
    if sys.platform == "emscripten":
        %pip install -q "userdp-companion{extra}"
    else:
        %pip install -q "userdp @ git+{url}" "userdp-companion{extra} @ git+{url}#subdirectory=src\""""
# A lab that needs the sciences' packages alone installs no more.
LAB = """# Installs what this lab needs where it is missing.
import importlib.util

if not all(map(importlib.util.find_spec, {listed})):
    %pip install -q {needs}"""
# Who has not said where the repository is: the address follows the forge or the git remote.
UNKNOWN = "https://github.com/OWNER/"
GITHUB = re.compile(r"github\.com[:/]([\w.-]+/[\w.-]+?)(?:\.git)?/?\s*$")


@dataclass(frozen=True)
class Page:
    """One executable page, by its name without folder and suffix, such as ``dame/theorems``."""

    root: Path
    name: str

    @property
    def docname(self) -> str:
        return f"book/{self.name}"

    @property
    def source(self) -> Path:
        return self.root / f"{self.docname}.md"

    @property
    def twin(self) -> Path:
        return self.root / f"notebooks/{self.name}.ipynb"

    @property
    def executed(self) -> Path:
        return self.root / f"_build/executed/{self.name}.ipynb"


def pages(root: Path) -> list[Page]:
    """Every page that has code, in alphabetical order."""
    book = root / "book"
    found = sorted(path for path in book.rglob("*.md") if is_executable(path))
    return [Page(root, path.relative_to(book).as_posix().removesuffix(".md")) for path in found]


def is_executable(path: Path) -> bool:
    """Whether the page's front matter names a kernel."""
    opening, _, rest = path.read_text(encoding="utf8").partition("---\n")
    lines = rest.partition("\n---")[0].splitlines()
    return not opening and any(line.startswith("kernelspec:") for line in lines)


@cache
def repository_url(root: Path) -> str:
    """The repository's address: from `_config.yml`, else from the forge that builds, else the git remote."""
    written = yaml.safe_load((root / "_config.yml").read_text(encoding="utf8"))["repository"]["url"]
    if not written.startswith(UNKNOWN):
        return written
    if name := os.environ.get("GITHUB_REPOSITORY"):
        return f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{name}"
    asked = subprocess.run(
        ["git", "remote", "get-url", "origin"], cwd=root, capture_output=True, text=True, check=False
    )
    found = GITHUB.search(asked.stdout)
    return f"https://github.com/{found[1]}" if found else written


def notebook(page: Page, like: NotebookNode | None = None) -> NotebookNode:
    """The page as a notebook that has not been run, with the installing cell in front.

    It installs from the repository's address, or from where another notebook does.
    """
    import jupytext
    import nbformat

    text = page.source.read_text(encoding="utf8")
    cells = jupytext.reads(text, fmt={"extension": ".md", "format_name": "myst"}).cells
    url = (like and installs_from(like)) or repository_url(page.root)
    install = nbformat.v4.new_code_cell(install_source(text, url), metadata={"tags": ["colab"]})
    return tidy(nbformat.v4.new_notebook(cells=[install, *cells]))


def install_source(text: str, url: str) -> str:
    """The first cell of a page: the package from this address, with what its notebooks need."""
    if "nbgrader: {" in text:
        imported = set(re.findall(r"^(?:from|import) (\w+)", text, flags=re.MULTILINE))
        if imported & {"userdp", "userdp_papers"}:
            return INSTALL.format(url=url, extra="")
        needs = sorted(imported & {"matplotlib", "numpy", "scipy"})
        return LAB.format(needs=" ".join(needs), listed=tuple(needs))
    extra = "[notebooks,peers]" if "userdp_book.evidence.peers" in text else "[notebooks]"
    return INSTALL.format(url=url, extra=extra)


def installs_from(nb: NotebookNode) -> str | None:
    """The address in the first cell of a notebook."""
    found = re.search(r'@ git\+([^"]+)"', nb.cells[0].source)
    return found and found[1]


def tidy(nb: NotebookNode) -> NotebookNode:
    """Set the notebook's metadata and give each cell an id that follows from the contents alone."""
    import nbformat

    nb.metadata, nb.nbformat, nb.nbformat_minor = nbformat.from_dict(METADATA), 4, 5
    seen: Counter = Counter()
    for cell in nb.cells:
        kind = (cell.cell_type, cell.source)
        cell.id = sha256(f"{cell.cell_type}\n{cell.source}\n{seen[kind]}".encode()).hexdigest()[:8]
        cell.metadata = {key: value for key, value in cell.metadata.items() if key in KEPT}
        seen[kind] += 1
    return nb


def code_cells(nb: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in nb.cells if cell.cell_type == "code"]


def read(path: Path) -> NotebookNode | None:
    """The notebook in a file, or None when there is no such file."""
    import nbformat

    return nbformat.read(path, as_version=4) if path.is_file() else None


def write(nb: NotebookNode, path: Path) -> None:
    """Write the file at once or not at all: an interruption leaves what was there."""
    import nbformat

    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(".part")
    nbformat.write(nb, half)
    half.replace(path)
