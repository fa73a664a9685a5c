"""What a page's outputs depend on, as one hash: its code, the pins, Python, and the modules it imports."""

import ast
import json
import sys
from hashlib import sha256
from pathlib import Path

from IPython.core.inputtransformer2 import TransformerManager

from .pages import Page, code_cells, notebook, read

# The package of the book, and what runs the book, which a few pages use as well.
PACKAGE, TOOLS = "userdp", "userdp_book"


def modules(root: Path) -> dict[str, Path]:
    """Every module of both packages, by its dotted name."""
    found = {}
    for path in sorted(path for name in (PACKAGE, TOOLS) for path in (root / "src" / name).rglob("*.py")):
        parts = path.relative_to(root / "src").with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(source: str, package: str = "") -> set[str]:
    """Dotted names that the source may import; ``package`` is what its relative imports start from."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*start, *([node.module] if node.module else [])])
            names |= {base} | {f"{base}.{alias.name}" for alias in node.names}
    return {name for name in names if name.split(".")[0] in (PACKAGE, TOOLS)}


def ancestors(name: str) -> set[str]:
    """A name and its packages: importing ``a.b.c`` runs ``a`` and ``a.b`` first."""
    parts = name.split(".")
    return {".".join(parts[:length]) for length in range(1, len(parts) + 1)}


def closure(source: str, known: dict[str, Path]) -> set[str]:
    """The modules among ``known`` that importing the source runs, directly or through one another."""
    found: set[str] = set()
    waiting = imported(source)
    while waiting:
        new = set().union(*map(ancestors, waiting)) & known.keys() - found
        found |= new
        waiting = set().union(*(imports_of(name, known[name]) for name in new))
    return found


def imports_of(name: str, path: Path) -> set[str]:
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    return imported(path.read_text(encoding="utf8"), package)


def dependencies(page: Page) -> list[Path]:
    """The files, besides the page, that decide its outputs."""
    known = modules(page.root)
    source = "".join(cell.source + "\n" for cell in code_cells(notebook(page)))
    used = closure(TransformerManager().transform_cell(source), known)
    data = (page.root / "src" / PACKAGE / "data").rglob("*")
    files = {known[name] for name in used} | {path for path in data if path.is_file()}
    files |= {path.with_suffix(".csv") for path in files if path.with_suffix(".csv").is_file()}
    return sorted(path for path in files if "__pycache__" not in path.parts)


def key(page: Page) -> str:
    """The hash under which the page's outputs are kept."""
    cells = [[cell.source, "raises-exception" in cell.metadata.get("tags", [])] for cell in code(page)]
    digest = sha256(json.dumps([cells, sys.version_info[:2]]).encode())
    for path in [page.root / "constraints.txt", *dependencies(page)]:
        contents = sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(page.root).as_posix()} {contents}\n".encode())
    return digest.hexdigest()


def code(page: Page) -> list:
    """The page's own code cells: all but the installing one."""
    return code_cells(notebook(page))[1:]


def last_run(page: Page) -> dict:
    """The key and the seconds of the page's last execution, empty when there was none."""
    nb = read(page.executed)
    return nb.metadata.get("userdp", {}) if nb else {}


def is_current(page: Page) -> bool:
    return last_run(page).get("key") == key(page)
