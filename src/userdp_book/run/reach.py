"""What code reaches: the modules behind the names that it imports, theirs in turn, and the data they name.

A module counts as a whole, by its syntax: without comments and docstrings. A package that only imports leads
to where it has a name from, and is all that is in it when that is unknown. What an import does besides does
not count: no module of the packages does anything.
"""

import ast
import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path

# The package of the book, and what runs the book, which a few pages use as well.
PACKAGES = ("userdp", "userdp_papers", "userdp_book")
JUDGEMENT = "judgement"
# What may name a file: letters and the signs of a pattern around the dot of an ending.
FILE = re.compile(r"[\w*?\[\]-]*(\.[A-Za-z]\w*)+")
MODULE = re.compile(r"userdp\w*(\.\w+)+")
ALL = "*"
IMPORT = ast.Import | ast.ImportFrom
DEFINITION = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

# A use: a module and a dotted name there, which is empty for all of the module.
Use = tuple[str, str]


@dataclass(frozen=True)
class Code:
    """What code does, asks for, and which files it names."""

    digest: str
    imports: tuple[Use, ...]
    files: tuple[str, ...]


@dataclass(frozen=True)
class Module(Code):
    """All of a module: from where it has the names that it imports, and those that it binds itself."""

    bound: dict[str, set[Use]]
    own: frozenset[str]
    is_face: bool


class Sources:
    """The modules and the data files of a repository, as they are when this is made."""

    def __init__(self, path: Path):
        self.root = path
        self.folders = [path / "src" / package for package in PACKAGES]
        found = [one for folder in self.folders for one in sorted(folder.rglob("*.*")) if one.is_file()]
        self.paths = {module_name(one, path): one for one in found if one.suffix == ".py"}
        data = [one for one in found if one.suffix not in (".py", ".pyc")]
        self.others = [one for one in data if one.parent.name != JUDGEMENT or one.suffix == ".csv"]
        self._modules: dict[str, Module] = {}

    @cached_property
    def judgements(self) -> dict:
        """Statement -> its claims: of these tables a page depends on its own statements alone."""
        files = sorted(file for folder in self.folders for file in folder.rglob(f"{JUDGEMENT}/*.toml"))
        # kent.toml, but neither kent.faults.toml nor kent.statements.toml
        texts = [file.read_text(encoding="utf8") for file in files if "." not in file.stem]
        return {id: claims for text in texts for id, claims in tomllib.loads(text).items()}

    def module(self, name: str) -> Module:
        if name not in self._modules:
            path = self.paths[name]
            text = path.read_text(encoding="utf8")
            self._modules[name] = read_module(text, name, path.name == "__init__.py")
        return self._modules[name]

    def reach(self, code: Code) -> dict[str, Module]:
        """All modules that the code leads to."""
        found: dict[str, Module] = {}
        waiting = [*code.imports]
        while waiting:
            for name in self.behind(*waiting.pop()) - found.keys():
                found[name] = self.module(name)
                waiting += found[name].imports
        return found

    def behind(self, module: str, use: str) -> set[str]:
        """The modules that a use stands for."""
        if module not in self.paths:
            return set()
        here, (name, _, rest) = self.module(module), use.partition(".")
        inside = f"{module}.{name}"
        if not here.is_face and inside not in self.paths:
            return {module}
        stars = {(origin, use) for origin, _ in here.bound.get(ALL, ()) if self.binds(origin, name)}
        named = {(origin, below(there, rest)) for origin, there in here.bound.get(name, ())}
        within = {(inside, rest)} if inside in self.paths else set()
        origins = (stars | named | within) - {(module, use)}
        if origins and name not in ("", ALL):
            return set().union(*(self.behind(*origin) for origin in origins))
        return {one for one in self.paths if f"{one}.".startswith(f"{module}.")}

    def binds(self, module: str, name: str) -> bool:
        return module in self.paths and name in self.module(module).own

    def data(self, codes: Iterable[Code]) -> list[Path]:
        """The data files that codes name: whole, as a pattern, by an ending, or without a packer's ending."""
        named = {name for code in codes for name in code.files}
        patterns = {pattern for name in named for pattern in (name, f"{name}.*", f"*{name}")}
        return [path for path in self.others if any(fnmatchcase(path.name, one) for one in patterns)]

    def digest(self, code: Code) -> str:
        """One hash of all that the code reaches outside of itself."""
        reached = self.reach(code)
        codes = [code, *reached.values()]
        origins = {use: sorted(self.behind(*use)) for one in codes for use in one.imports}
        data = {
            path.relative_to(self.root).as_posix(): sha256(path.read_bytes()).hexdigest()
            for path in self.data(codes)
        }
        modules = {name: one.digest for name, one in reached.items()}
        said = [sorted(modules.items()), sorted(origins.items()), data]
        return sha256(json.dumps(said).encode()).hexdigest()


def module_name(path: Path, root: Path) -> str:
    parts = path.relative_to(root / "src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def read_module(source: str, name: str, is_package: bool) -> Module:
    tree = ast.parse(source)
    package = name if is_package else name.rpartition(".")[0]
    bound: dict[str, set[Use]] = {}
    for here, module, there in imported(tree.body, package):
        bound.setdefault(here, set()).add((module, there))
    code = read_code(tree, package)
    own = frozenset().union(*map(names_of, tree.body))
    only_imports = all(
        isinstance(node, IMPORT) or names_of(node) & {"__all__", "__version__"} for node in tree.body
    )
    return Module(code.digest, code.imports, code.files, bound, own, is_package and only_imports)


def read_code(tree: ast.AST, package: str = "") -> Code:
    """What is used of imports, here or in a text; relative ones start from ``package``."""
    tree = Wordless().visit(tree)
    nodes = list(ast.walk(tree))
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    used, found = set(names_in(tree)), {(text, "") for text in texts if MODULE.fullmatch(text)}
    for here, module, there in imported(nodes, package):
        rests = {name.partition(".")[2] for name in used if root(name) == here} or {""}
        rests |= {"" for text in texts if here and f"{here}." in text}  # a line of magic is a text
        found |= {(module, below(there, rest)) for rest in rests}
    for text in texts:
        if "userdp" in text and "import" in text:
            found.update(read_code(parsed(text)).imports)
    ours = sorted(use for use in found if root(use[0]) in PACKAGES)
    files = sorted(text for text in texts if FILE.fullmatch(text))
    return Code(sha256(ast.dump(tree).encode()).hexdigest(), tuple(ours), tuple(files))


class Wordless(ast.NodeTransformer):
    """Leaves docstrings out; comments are not in the syntax."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else node


def imported(nodes: Iterable[ast.AST], package: str) -> Iterator[tuple[str, str, str]]:
    """Of each import the name here, and the module and the name there, which is empty for all of it."""
    for node in nodes:
        for alias in node.names if isinstance(node, IMPORT) else ():
            if isinstance(node, ast.ImportFrom):
                start = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
                yield alias.asname or alias.name, ".".join([*start, *filter(None, [node.module])]), alias.name
            elif alias.asname or "." not in alias.name:
                yield alias.asname or alias.name, alias.name, ""
            else:
                yield from ((root(alias.name), root(alias.name), ""), ("", alias.name, ""))


def names_of(node: ast.stmt) -> set[str]:
    """What a statement of a module binds, imports left out."""
    bound = {
        part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    return {node.name} if isinstance(node, DEFINITION) else bound


def names_in(tree: ast.AST) -> Iterator[str]:
    """Each name with the attributes that are asked of it, local ones too."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if name := dotted(node):
            yield name
        else:
            waiting += ast.iter_child_nodes(node)


def dotted(node: ast.AST) -> str:
    """``a.b.c`` where that is all of the syntax, else nothing."""
    if isinstance(node, ast.Attribute):
        return (inner := dotted(node.value)) and f"{inner}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def root(name: str) -> str:
    return name.partition(".")[0]


def below(name: str, rest: str) -> str:
    return ".".join(filter(None, (name, rest)))


def parsed(text: str) -> ast.Module:
    """The syntax of a text, empty when it is no code."""
    try:
        return ast.parse(text)
    except SyntaxError:
        return ast.Module([], [])
