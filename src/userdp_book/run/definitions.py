"""What code says: the statements of a module, the names that these bind and use, the files that they name.

A statement counts by its syntax: without comments and docstrings, with the types of arguments, since these
are executed. When in doubt, a name is used.
"""

import ast
import builtins
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import sha256

# The package of the book, and what runs the book, which a few pages use as well.
PACKAGES = ("userdp", "userdp_papers", "userdp_book")
# What may name a file: letters and the signs of a pattern around the dot of an ending.
FILE = re.compile(r"[\w*?\[\]-]*(\.[A-Za-z]\w*)+")
ALL = "*"
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
DEFINITION = ast.ClassDef | FUNCTION
ASSIGNMENT = ast.Assign | ast.AnnAssign | ast.AugAssign
IMPORT = ast.Import | ast.ImportFrom
STORED = ast.Attribute | ast.Subscript
# What finds names by text: where it stands, all of the module counts.
DYNAMIC = {"__dict__", "__globals__", "__import__", "__subclasses__", "eval", "exec", "globals"}
DYNAMIC |= {"import_module", "locals", "modules", "vars"}
# Methods that leave an object as it is.
READING = {"copy", "count", "findall", "finditer", "format", "fullmatch", "get", "index", "items", "join"}
READING |= {"keys", "match", "search", "split", "sub", "values"}
# What tells a class of those that are made from it.
HEARING = {"__init_subclass__", "metaclass"}
# Functions of other packages that an import calls for what they do, not for what they return.
WORKING = re.compile(r"set_?\w+|seed|use|(register|append|add|update|insert|install|filter|simplefilter)\w*")

# A use: a module and a dotted name there, which is empty for all of the module.
Use = tuple[str, str]


@dataclass(frozen=True)
class Code:
    """What code does, asks for, and which files it names."""

    digest: str
    imports: tuple[Use, ...]
    files: tuple[str, ...]


@dataclass(frozen=True)
class Statement(Code):
    """One of a module: the names that it binds, and what of the packages an import of it calls.

    One that works counts as soon as the module is imported.
    """

    names: frozenset[str]
    calls: tuple[Use, ...]
    works: bool
    syntax: ast.stmt = field(repr=False, compare=False)

    @cached_property
    def changes(self) -> set[str]:
        return set(changed_by(self.syntax))


@dataclass(frozen=True)
class Module(Code):
    """All of a module: its statements in order, from where it imports names, and its ``__all__``."""

    statements: tuple[Statement, ...]
    bound: dict[str, set[Use]]
    exports: tuple[str, ...] | None

    @cached_property
    def numbers(self) -> dict[str, list[int]]:
        """Of each name the statements that bind it."""
        found: dict[str, list[int]] = {}
        for number, statement in enumerate(self.statements):
            for name in statement.names:
                found.setdefault(name, []).append(number)
        return found


@cache
def read_module(source: str, name: str, package: bool) -> Module:
    tree, at = without_words(ast.parse(source)), name if package else name.rpartition(".")[0]
    tree.body = [node for node in tree.body if not is_script(node)]
    nodes = list(at_import(tree))
    bound = bindings(nodes, at)
    # An import is looked up name by name: it is no part of what a module does.
    for node in nodes:
        for block in {"body", "orelse", "finalbody"} & vars(node).keys():
            if isinstance(inner := getattr(node, block), list):
                inner[:] = [one for one in inner if not isinstance(one, IMPORT) or isinstance(node, FUNCTION)]
    ours = {here for here, origins in bound.items() if any(map(is_ours, origins))}
    ours = ours.union(*map(names_of, tree.body))
    statements = tuple(read_statement(node, name, at, bound.keys(), ours) for node in tree.body)
    files = sorted({file for statement in statements for file in statement.files})
    return Module("", ((name, ""),), tuple(files), statements, bound, listed(tree))


def read_statement(node: ast.stmt, module: str, at: str, bound: Iterable[str], ours: set[str]) -> Statement:
    code, names = read_code(node, at, module, ours.union(bound)), names_of(node)
    called = sorted(set(filter(None, map(dotted, called_by(node)))))
    calls = tuple((module, name) for name in called if root(name) in ours)
    others = (name.rpartition(".")[2] for name in called if root(name) not in ours)
    works = (
        not (isinstance(node, DEFINITION | ASSIGNMENT) and names.isdisjoint(bound) and names)
        or any(isinstance(target, STORED) for target in targets(node))
        or any(map(WORKING.fullmatch, others))
    )
    return Statement(code.digest, code.imports, code.files, names, calls, works, node)


def read_code(tree: ast.AST, package: str = "", module: str = "", known: Iterable[str] = ()) -> Code:
    """What is used of imports, here or in a text, and of the names that are known in the module.

    Relative imports start from ``package``.
    """
    nodes = list(ast.walk(tree))
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    used = set(names_in(tree, *quoted(nodes)))
    # Where all names of another module are imported, any may be one.
    bare = {*vars(builtins), *(node.name for node in nodes if isinstance(node, ast.ExceptHandler))}
    found = {
        (module, name) for name in used if root(name) in known or ALL in known and root(name) not in bare
    }
    if module and any(DYNAMIC.intersection(name.split(".")) for name in used):
        found |= {(module, ""), *((text, "") for text in texts)}
    for here, origins in bindings(nodes, package).items():
        rests = {name.partition(".")[2] for name in used if root(name) == here} or {""}
        # A line of magic is a text.
        rests |= {"" for text in texts if f"{here}." in text}
        found |= {(origin, below(name, rest)) for origin, name in origins for rest in rests}
    for text in texts:
        if "userdp" in text and "import" in text:
            found.update(read_code(parsed(text)).imports)
    files = sorted(text for text in texts if FILE.fullmatch(text))
    digest = sha256(ast.dump(tree).encode()).hexdigest()
    return Code(digest, tuple(sorted(filter(is_ours, found))), tuple(files))


def without_words(tree: ast.Module) -> ast.Module:
    """The tree without docstrings; comments are not in it."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Module | DEFINITION):
            node.body[:] = [
                one for one in node.body if not (isinstance(one, ast.Expr) and is_text(one.value))
            ]
        waiting += (child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr))
    return tree


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def is_script(node: ast.stmt) -> bool:
    """Whether a statement does nothing when its module is imported."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'"


def is_ours(use: Use) -> bool:
    return root(use[0]) in PACKAGES


def root(name: str) -> str:
    return name.partition(".")[0]


def below(name: str, rest: str) -> str:
    return ".".join(filter(None, (name, rest)))


def dotted(node: ast.AST) -> str:
    """``a.b.c`` where that is all of the syntax, else nothing."""
    if isinstance(node, ast.Attribute):
        return (inner := dotted(node.value)) and f"{inner}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def names_in(*nodes: ast.AST) -> Iterator[str]:
    """Each name with the attributes that are asked of it, local ones too."""
    waiting = [*nodes]
    while waiting:
        node = waiting.pop()
        if name := dotted(node):
            yield name
        else:
            waiting += ast.iter_child_nodes(node)


def quoted(nodes: Iterable[ast.AST]) -> Iterator[ast.Module]:
    """The syntax of quoted types."""
    for node in nodes:
        if isinstance(node, ast.arg | ast.AnnAssign | FUNCTION):
            kind = node.returns if isinstance(node, FUNCTION) else node.annotation
            yield from (parsed(part.value) for part in ast.walk(kind or ast.Pass()) if is_text(part))


def names_of(node: ast.stmt) -> frozenset[str]:
    """What a statement of a module binds, imports left out."""
    if isinstance(node, ASSIGNMENT):
        parts = [part for target in targets(node) for part in ast.walk(target)]
    else:
        parts = [node] if isinstance(node, DEFINITION) else [*at_import(node)]
    bound = {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    return frozenset(bound | {part.name for part in parts if isinstance(part, DEFINITION)})


def targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ASSIGNMENT) else []


def at_import(tree: ast.AST) -> Iterator[ast.AST]:
    """All that an import executes: not the bodies of functions."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        body = node.body if isinstance(node, FUNCTION) else ()
        waiting += (child for child in ast.iter_child_nodes(node) if child not in body)


def called_by(node: ast.stmt) -> Iterator[ast.AST]:
    """Functions, decorators and base classes that an import calls for a statement."""
    for part in at_import(node):
        if isinstance(part, ast.Call):
            yield part.func
        if isinstance(part, DEFINITION):
            yield from part.decorator_list
        if isinstance(part, ast.ClassDef):
            yield from (*part.bases, *(keyword.value for keyword in part.keywords))


def changed_by(node: ast.stmt) -> Iterator[str]:
    """Names in which a statement stores, or whose methods it calls; of a class, that it hears of others."""
    for part in ast.walk(node):
        if isinstance(part, STORED) and not isinstance(part.ctx, ast.Load):
            yield f"{dotted(part.value)}.="
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            if part.func.attr not in READING:
                yield dotted(part.func)
        elif isinstance(part, ast.Global):
            yield from (f"{name}.=" for name in part.names)
        elif HEARING & {getattr(part, "name", ""), getattr(part, "arg", "")}:
            yield from (f"{name}.=" for name in names_of(node))


def bindings(nodes: Iterable[ast.AST], package: str) -> dict[str, set[Use]]:
    """Of each imported name what it stands for; without a name, modules that are imported by a dotted one."""
    found: dict[str, set[Use]] = {}
    for node in nodes:
        for alias in node.names if isinstance(node, IMPORT) else ():
            if isinstance(node, ast.ImportFrom):
                start = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
                use = ".".join([*start, *filter(None, [node.module])]), alias.name
            else:
                use = alias.name if alias.asname else root(alias.name), ""
                if "." in alias.name and not alias.asname:
                    found.setdefault("", set()).add((alias.name, ""))
            found.setdefault(alias.asname or root(alias.name), set()).add(use)
    return found


def listed(tree: ast.Module) -> tuple[str, ...] | None:
    """The names in ``__all__`` where that is written once, as a literal."""
    lists = [node for node in tree.body if "__all__" in names_of(node)]
    with suppress(ValueError):
        return tuple(ast.literal_eval(lists[0].value)) if len(lists) == 1 else None
    return None


def parsed(text: str) -> ast.Module:
    """The syntax of a text, empty when it is no code."""
    try:
        return ast.parse(text)
    except SyntaxError:
        return ast.Module([], [])
