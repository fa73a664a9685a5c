"""What code reaches: the definitions behind the names that it uses, and the data files that these name.

Of a module count the statements that bind a name which is asked for, what these use in turn, across modules
and through faces, and what its import does besides. When in doubt, it counts.
"""

import json
import tomllib
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from .definitions import ALL, PACKAGES, Code, Module, Statement, Use, below, read_module, root

JUDGEMENT = "judgement"
# A use, a statement by module and number, or the import of a module.
Node = tuple[str, str | int | None]


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
        self._after: dict[Node, list[Node]] = {}
        self._plants: dict[str, list[tuple[Node, Node]]] = {}

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

    def reach(self, code: Code) -> tuple[dict[str, list[Statement]], list[tuple[Use, list[Use]]]]:
        """By module the statements that matter to the code, in order; and what the uses stand for."""
        nodes: set[Node] = set()
        planted: set[Node] = {*code.imports}
        while not planted <= nodes:
            nodes = closure(nodes | planted, self.after)
            run = [module for module, at in nodes if at is None]
            planted = {new for module in run for kept, new in self.plants(module) if kept in nodes}
        reached: dict[str, list[Statement]] = {}
        for module, number in sorted(node for node in nodes if isinstance(node[1], int)):
            reached.setdefault(module, []).append(self.module(module).statements[number])
        uses = sorted(node for node in nodes if isinstance(node[1], str))
        return reached, [(use, origins) for use in uses if (origins := self.behind(*use))]

    def after(self, node: Node) -> list[Node]:
        """Where a node leads, which is looked up once."""
        if node not in self._after:
            module, at = node
            run = [(module, None)] if isinstance(at, str) else []
            self._after[node] = [*(self.run_by(module) if at is None else self.used_by(node)), *run]
        return self._after[node]

    def used_by(self, node: Node) -> list[Node]:
        """What a use stands for, all of the module when that is unknown, or what a statement uses."""
        module, at = node
        if module not in self.paths:
            return []
        if isinstance(at, int):
            return [*self.module(module).statements[at].imports]
        return [*self.behind(module, at), *self.binding(module, at)] or [(module, "")] * bool(at)

    def binding(self, module: str, use: str) -> list[Node]:
        """The statements that bind the name which a use starts with; without a name, all."""
        here, name = self.module(module), root(use)
        numbers = range(len(here.statements)) if name in ("", ALL) else here.numbers.get(name, [])
        return [(module, number) for number in numbers]

    def behind(self, module: str, use: str) -> list[Use]:
        """From where a module has a name; nothing when it is the module itself that counts."""
        if module not in self.paths:
            return []
        here, (name, _, rest) = self.module(module), use.partition(".")
        if name in ("", ALL):
            return sorted(set().union(*here.bound.values()))
        found = {(origin, below(there, rest)) for origin, there in here.bound.get(name, ())} - {(module, use)}
        if name not in here.numbers:
            # a module of the package, though what is imported with all others may have its name
            if not found and f"{module}.{name}" in self.paths:
                found.add((f"{module}.{name}", rest))
            found |= {(origin, use) for origin, _ in here.bound.get(ALL, ()) if self.shows(origin, name)}
        return sorted(found)

    def shows(self, module: str, name: str) -> bool:
        """Whether ``from module import *`` may bind the name."""
        if module not in self.paths:
            return False
        here = self.module(module)
        if here.exports is not None:
            return name in here.exports
        return not name.startswith("_") and bool({name, ALL} & {*here.numbers, *here.bound})

    def run_by(self, module: str) -> Iterator[Node]:
        """What an import executes: the packages around, statements that work, imports of other modules."""
        if module in self.paths:
            here = self.module(module)
            yield module.rpartition(".")[0], None
            yield from ((module, number) for number, one in enumerate(here.statements) if one.works)
            for origin, name in set().union(*here.bound.values()):
                yield from ((origin, None), (below(origin, name), None))

    def plants(self, module: str) -> list[tuple[Node, Node]]:
        """What an import hands to a registry, or to what else may keep it: (what keeps, statement)."""
        if module not in self._plants:
            statements = self.module(module).statements if module in self.paths else ()
            self._plants[module] = [
                (kept, (module, number))
                for number, statement in enumerate(statements)
                for call in statement.calls
                for kept in self.changed_by(call)
            ]
        return self._plants[module]

    def changed_by(self, call: Use) -> set[Node]:
        """What a call may change: that of which it is a method, and that in which its code stores."""
        called = dict(self.defined(*call))
        found = {node for node, rest in called.items() if rest}
        for module, at in closure(called, self.used_by):
            for name in self.module(module).statements[at].changes if isinstance(at, int) else ():
                if root(name) in {*self.module(module).numbers, *self.module(module).bound}:
                    found |= {node for node, rest in self.defined(module, name) if rest}
        return found

    def defined(self, module: str, use: str) -> Iterator[tuple[Node, str]]:
        """The statements that a use leads to, from wherever it is, and what is asked of them."""
        for origin, there in closure([(module, use)], lambda one: self.behind(*one)):
            if origin in self.paths:
                yield from ((node, there.partition(".")[2]) for node in self.binding(origin, there))

    def data(self, codes: Iterable[Code]) -> list[Path]:
        """The data files that codes name: whole, as a pattern, by an ending, or without a packer's ending."""
        named = {name for code in codes for name in code.files}
        patterns = {pattern for name in named for pattern in (name, f"{name}.*", f"*{name}")}
        return [path for path in self.others if any(fnmatchcase(path.name, one) for one in patterns)]

    def digest(self, code: Code) -> str:
        """One hash of all that the code reaches outside of itself."""
        reached, origins = self.reach(code)
        statements = [one for found in reached.values() for one in found]
        data = {
            path.relative_to(self.root).as_posix(): sha256(path.read_bytes()).hexdigest()
            for path in self.data([code, *statements])
        }
        said = [{name: [one.digest for one in found] for name, found in reached.items()}, origins, data]
        return sha256(json.dumps(said).encode()).hexdigest()


def closure(start: Iterable[Node], steps: Callable[[Node], Iterable[Node]]) -> set[Node]:
    """All nodes to which steps lead, the first ones included."""
    found, waiting = {*start}, [*start]
    while waiting:
        fresh = {*steps(waiting.pop())} - found
        found |= fresh
        waiting += fresh
    return found


def module_name(path: Path, root: Path) -> str:
    parts = path.relative_to(root / "src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
