"""What code reaches: the modules behind the names that it imports, and the data files that these name.

A face, a package's ``__init__``, is looked through: ``from userdp.local import dame`` reaches the module
whose ``__all__`` has ``dame`` and what that imports in turn, not the whole wing. Of a module counts its
syntax, so that neither a comment, a docstring nor the type of an argument changes anything.
"""

import ast
import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path

# The package of the book, and what runs the book, which a few pages use as well.
PACKAGES = ("userdp", "userdp_papers", "userdp_book")
# What may name a file: letters and the signs of a pattern around the dot of an ending.
FILE = re.compile(r"[\w*?\[\]-]*(\.[A-Za-z]\w*)+")
ALL = "*"
JUDGEMENT = "judgement"
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Code:
    """What code does and asks for; an import is (module, name), without a name for the module itself."""

    digest: str
    imports: tuple[tuple[str, str], ...]
    files: tuple[str, ...]


@dataclass(frozen=True)
class Module(Code):
    """A module's code, and what a face shows: ``bound`` is (name, module, name there)."""

    package: bool
    exports: tuple[str, ...] | None
    bound: tuple[tuple[str, str, str], ...]
    works: bool


@cache
def read_module(source: str, name: str, package: bool) -> Module:
    tree = without_words(ast.parse(source))
    at = name if package else name.rpartition(".")[0]
    nodes = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    bound = [entry for node in nodes for entry in bound_by(node, at)]
    lists = [node for node in tree.body if is_list_of_names(node)]
    exports = tuple(ast.literal_eval(lists[-1].value)) if lists and is_literal(lists[-1]) else None
    # What a module shows is looked up name by name: it is no part of what the module does.
    tree.body = [node for node in tree.body if node not in lists]
    works = not all(isinstance(node, ast.Import | ast.ImportFrom) or is_literal(node) for node in tree.body)
    code = read_code(tree, at)
    return Module(code.digest, code.imports, code.files, package, exports, tuple(bound), works)


def read_code(tree: ast.Module, package: str = "") -> Code:
    """Syntax, imports and names of files; relative imports start from ``package``."""
    texts = [node.value for node in ast.walk(tree) if is_text(node)]
    imports = sorted(set(imports_in(tree, package)))
    digest = sha256(ast.dump(tree).encode()).hexdigest()
    return Code(digest, tuple(imports), tuple(sorted({text for text in texts if FILE.fullmatch(text)})))


def without_words(tree: ast.Module) -> ast.Module:
    """The tree without docstrings and without the types of functions; comments are not in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
        body = node.body if isinstance(node, DOCUMENTED) else []
        if body and isinstance(body[0], ast.Expr) and is_text(body[0].value):
            del body[0]
    return tree


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def is_list_of_names(node: ast.stmt) -> bool:
    """Whether a statement is ``__all__ = ...``: a literal in a module, put together from these in a face."""
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"


def is_literal(node: ast.stmt) -> bool:
    """Whether a statement binds a name to a literal: it does nothing to anybody else."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return False
    with suppress(ValueError):
        ast.literal_eval(node.value)
        return True
    return False


def bound_by(node: ast.ImportFrom, package: str) -> list[tuple[str, str, str]]:
    """Name here, module and name there, for each name of ``from module import name as here``."""
    start = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
    module = ".".join([*start, *([node.module] if node.module else [])])
    return [(alias.asname or alias.name, module, alias.name) for alias in node.names]


def imports_in(tree: ast.AST, package: str) -> Iterator[tuple[str, str]]:
    """What a tree imports of the packages, here or in the code that one of its strings holds."""
    for node in ast.walk(tree):
        found: Iterable[tuple[str, str]] = ()
        if isinstance(node, ast.Import):
            found = [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found = [(module, name) for _, module, name in bound_by(node, package)]
        elif is_text(node) and "userdp" in node.value and "import" in node.value:
            found = imports_in(parsed(node.value), "")
        yield from (pair for pair in found if pair[0].split(".")[0] in PACKAGES)


def parsed(text: str) -> ast.Module:
    """The syntax of a text, empty when it is no code."""
    try:
        return ast.parse(text)
    except SyntaxError:
        return ast.Module([], [])


class Sources:
    """The modules and the data files of a repository, as they are when this is made."""

    def __init__(self, root: Path):
        self.root = root
        folders = [root / "src" / package for package in PACKAGES]
        self.paths = {module_name(path, root): path for top in folders for path in sorted(top.rglob("*.py"))}
        self.others = [
            path
            for top in folders
            for path in sorted(top.rglob("*.*"))
            if path.suffix not in (".py", ".pyc") and path.is_file() and path.parent.name != JUDGEMENT
        ]
        self._modules: dict[str, Module] = {}

    @cached_property
    def judgements(self) -> dict:
        """Statement -> its claims: of these tables a page depends on its own statements alone."""
        files = sorted((self.root / "src/userdp_papers/study" / JUDGEMENT).glob("*.toml"))
        # kent.toml, but neither kent.faults.toml nor kent.statements.toml
        texts = [file.read_text(encoding="utf8") for file in files if "." not in file.stem]
        tables = map(tomllib.loads, texts)
        return {id: claims for table in tables for id, claims in table.items()}

    def module(self, name: str) -> Module:
        if name not in self._modules:
            path = self.paths[name]
            text = path.read_text(encoding="utf8")
            self._modules[name] = read_module(text, name, path.name == "__init__.py")
        return self._modules[name]

    def reach(self, code: Code) -> tuple[set[str], set[tuple[str, ...]]]:
        """The modules that matter to the code, and the names that were looked up through faces."""
        reached: set[str] = set()
        seen: set[tuple[str, str]] = set()
        through: set[tuple[str, ...]] = set()
        waiting = list(code.imports)
        while waiting:
            module, name = waiting.pop()
            if (module, name) in seen or module not in self.paths:
                continue
            seen.add((module, name))
            waiting += [(package, "") for package in self.working_packages(module)]
            behind = list(self.behind(module, name))
            if behind:
                through |= {(module, name, *pair) for pair in behind}
                waiting += behind
            elif module not in reached:
                reached.add(module)
                waiting += self.module(module).imports
        return reached, through

    def working_packages(self, name: str) -> Iterator[str]:
        """Packages around a module that do more than show names: importing the module runs them first."""
        parts = name.split(".")[:-1]
        for length in range(1, len(parts) + 1):
            package = ".".join(parts[:length])
            if package in self.paths and self.module(package).works:
                yield package

    def behind(self, module: str, name: str) -> Iterator[tuple[str, str]]:
        """Where a face has a name from; nothing when it is the module itself that counts."""
        face = self.module(module)
        if not face.package or name in ("", ALL):
            return
        direct = [pair for here, *pair in face.bound if here == name and pair != [module, name]]
        starred = [
            (origin, name)
            for _, origin, there in face.bound
            if there == ALL and origin in self.paths and self.shows(origin, name)
        ]
        inside = [(f"{module}.{name}", "")] if f"{module}.{name}" in self.paths else []
        yield from map(tuple, direct + starred or inside)

    def shows(self, module: str, name: str) -> bool:
        """Whether ``from module import *`` may bind the name."""
        exports = self.module(module).exports
        return exports is None or name in exports

    def data(self, codes: Iterable[Code]) -> list[Path]:
        """The data files that codes name: whole, as a pattern, by an ending, or without a packer's ending."""
        named = {name for code in codes for name in code.files}
        patterns = {pattern for name in named for pattern in (name, f"{name}.*", f"*{name}")}
        return [path for path in self.others if any(fnmatchcase(path.name, one) for one in patterns)]

    def digest(self, code: Code) -> str:
        """One hash of all that the code reaches outside of itself."""
        reached, through = self.reach(code)
        modules = {name: self.module(name) for name in sorted(reached)}
        data = {
            path.relative_to(self.root).as_posix(): sha256(path.read_bytes()).hexdigest()
            for path in self.data([code, *modules.values()])
        }
        said = [{name: one.digest for name, one in modules.items()}, sorted(through), data]
        return sha256(json.dumps(said).encode()).hexdigest()


def module_name(path: Path, root: Path) -> str:
    parts = path.relative_to(root / "src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
