"""Mutants of displays: the formulas that the tests of the ledger assert, changed one by one.

``python tests/displays/mutants.py`` changes every formula of an asserted comparison in this folder: a sign, a
factor, an exponent, a term that is dropped, a minimum for a maximum, a direction. A side that is a name or
calls a helper is changed where it is computed. It runs the test with each mutant and stores what came of it
beside the ledger, whose page shows it. A mutant that only widens the inequalities of its test is true
wherever the display is: it follows, and no sound check could fail.
"""

import argparse
import ast
import copy
import csv
import operator
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import mpmath
import numpy as np
import pytest

from userdp_papers.study.claims import displays

FOLDER = Path(__file__).parent
STORED = Path(str(files("userdp_papers"))) / "study" / "judgement" / "mutants.csv"
COLUMNS = ("test", "outcome", "count", "kind", "before", "after", "why")
SIGNS = {ast.Add: ast.Sub, ast.Sub: ast.Add}
TWINS = {"min": "max", "minimum": "maximum", "ceil": "floor"}
TWINS |= {new: old for old, new in TWINS.items()}
# What came of a mutant is the first of these that some case says: one that passes may narrow an asserted
# inequality, or only widen some, which follows, or change nothing.
OUTCOMES = {"killed": "killed", "narrower": "survived", "wider": "follows", "same": "survived"}
COMPARE = {"Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt, "GtE": operator.ge}
ORDERS = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
DROPPED = ("sqrt", "exp", "log", "square")
# what is read through on the way from a side to the name that it is
THROUGH = ("approx", "float", "abs", "iv")
# a program that cannot run shows nothing about a display
NO_FORMULA = (TypeError, AttributeError, NameError, IndexError, KeyError, UnboundLocalError)
# processor seconds after which a mutant counts as seen: it does not end
LIMIT = 5

Place = tuple[ast.AST, str, int | None]


def at(place: Place) -> Any:
    node, field, index = place
    found = getattr(node, field)
    return found if index is None else found[index]


def put(place: Place, new: ast.AST) -> None:
    node, field, index = place
    if index is None:
        setattr(node, field, new)
    else:
        getattr(node, field)[index] = new


def children(node: ast.AST) -> Iterator[Place]:
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            yield node, field, None
        elif isinstance(value, list):
            yield from ((node, field, i) for i, one in enumerate(value) if isinstance(one, ast.AST))


def called(node: ast.AST) -> str:
    """The name of what a call calls, without its module."""
    return getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""


def comparisons(test: ast.FunctionDef) -> Iterator[ast.Compare]:
    """All asserted comparisons but negative controls; of alternatives the last, behind its conditions."""
    queue: list[ast.AST] = [one.test for one in ast.walk(test) if isinstance(one, ast.Assert)]
    while queue:
        node = queue.pop(0)
        if isinstance(node, ast.Compare):
            if any(isinstance(op, ast.NotEq) for op in node.ops):
                continue
            yield node
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            queue.append(node.values[-1])
        else:
            queue += map(at, inner(node))


class Formulas:
    """The places of a test, and of the helpers of its module, that hold an asserted formula."""

    def __init__(self, code: list[ast.FunctionDef]):
        self.assigned: defaultdict[str, list[Place]] = defaultdict(list)
        self.returned: defaultdict[str, list[Place]] = defaultdict(list)
        for function in (node for one in code for node in ast.walk(one) if isinstance(node, ast.FunctionDef)):
            for node in ast.walk(function):
                if isinstance(node, ast.Return | ast.Yield) and node.value:
                    self.returned[function.name].append((node, "value", None))
        for node in (node for one in code for node in ast.walk(one)):
            self._assign(node)
        self.compared = [*comparisons(code[-1])]
        self.asserted = [
            (node, *place)
            for node in self.compared
            for place in [("left", None), *(("comparators", i) for i in range(len(node.comparators)))]
        ]

    def _assign(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            target = node.targets[0]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                for i, one in enumerate(target.elts):
                    self.assigned[getattr(one, "id", "")].append((node.value, "elts", i))
            else:
                for one in getattr(target, "elts", [target]):
                    self.assigned[getattr(one, "id", "")].append((node, "value", None))
        elif isinstance(node, ast.AugAssign):
            self.assigned[getattr(node.target, "id", "")].append((node, "value", None))
        elif isinstance(node, ast.For | ast.comprehension):
            for place in self.returned.get(called(node.iter), ()):
                if isinstance(node.target, ast.Tuple) and isinstance(at(place), ast.Tuple):
                    for i, one in enumerate(node.target.elts):
                        self.assigned[getattr(one, "id", "")].append((at(place), "elts", i))

    def found(self) -> list[Place]:
        """Asserted sides, and where the names and helpers that they are get their value."""
        queue, found = [*self.asserted], []
        while queue:
            place = queue.pop(0)
            if place in found:
                continue
            found.append(place)
            queue += self._behind(at(place))
        return found

    def _behind(self, node: ast.AST) -> Iterator[Place]:
        for one in ast.walk(node):
            if isinstance(one, ast.Call) and isinstance(one.func, ast.Name):
                places = self.returned.get(one.func.id, ())
                yield from (place for place in places if not isinstance(at(place), ast.Tuple))
        while isinstance(node, ast.Attribute) or called(node) in THROUGH:
            node = node.args[0] if isinstance(node, ast.Call) else node.value
        if isinstance(node, ast.Name):
            yield from self.assigned.get(node.id, ())


def inner(node: ast.AST) -> Iterator[Place]:
    """The parts of a formula: no options, indices, ranges, drawn numbers or names of functions."""
    if "rng" in ast.unparse(node).split(".") or called(node) in (
        "range",
        "product",
        "linspace",
        "Fraction",
        "F",
    ):
        return
    for place in children(node):
        if place[1] not in ("keywords", "slice", "func", "iter", "target", "ifs", "ops", "op", "ctx"):
            yield place


def is_slack(node: ast.AST) -> bool:
    """Whether it is a tolerance for rounding, such as 1e-9 or 1 + 1e-9: no part of a display."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float) and 0 < node.value < 1e-7
    if isinstance(node, ast.UnaryOp):
        return is_slack(node.operand)
    return isinstance(node, ast.BinOp) and isinstance(node.left, ast.Constant) and is_slack(node.right)


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Kind and new form of each change of one part of a formula."""
    if is_slack(node) or isinstance(node, ast.BinOp) and (is_slack(node.left) or is_slack(node.right)):
        return
    if isinstance(node, ast.BinOp):
        if type(node.op) in SIGNS:
            yield "sign", ast.BinOp(node.left, SIGNS[type(node.op)](), node.right)
            yield "dropped term", node.left
            yield "dropped term", node.right
        elif isinstance(node.op, ast.Pow):
            yield "exponent", node.left
            yield (
                "exponent",
                ast.BinOp(node.left, ast.Pow(), ast.BinOp(node.right, ast.Add(), ast.Constant(1))),
            )
        elif isinstance(node.op, ast.Mult | ast.Div):
            yield "dropped factor", node.left
            if isinstance(node.op, ast.Mult):
                yield "dropped factor", node.right
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "sign", node.operand
    elif isinstance(node, ast.Call) and called(node) in TWINS:
        new = copy.deepcopy(node)
        setattr(new.func, "attr" if isinstance(new.func, ast.Attribute) else "id", TWINS[called(node)])
        yield "twin", new
    elif called(node) in DROPPED and node.args:
        yield "dropped call", node.args[0]


def doubled(node: ast.AST) -> ast.AST:
    """Twice a side; a side that is 0 becomes 1."""
    if isinstance(node, ast.Constant) and node.value == 0:
        return ast.Constant(1)
    if called(node) == "approx":
        new = copy.deepcopy(node)
        new.args[0] = doubled(new.args[0])
        return new
    return ast.BinOp(ast.Constant(2), ast.Mult(), node)


class Mutant(NamedTuple):
    kind: str
    before: str
    after: str
    code: ast.Module


def mutants(code: list[ast.FunctionDef]) -> Iterator[Mutant]:
    """All mutants of the last of some functions, the test."""
    formulas = Formulas(code)

    def made(kind: str, place: Place, new: ast.AST, show: Place | ast.AST) -> Mutant:
        def text() -> str:
            return ast.unparse(at(show) if isinstance(show, tuple) else show)

        old, before = at(place), text()
        put(place, new)
        after, module = text(), copy.deepcopy(ast.Module(code, []))
        put(place, old)
        return Mutant(kind, before, after, module)

    for root in formulas.found():
        show: Place | ast.AST = root[0] if isinstance(root[0], ast.Compare) else root
        queue = [root]
        while queue:
            place = queue.pop()
            node = at(place)
            yield from (made(kind, place, new, show) for kind, new in changes(node))
            queue += inner(node)
    for node in formulas.compared:
        last: Place = (node, "comparators", len(node.comparators) - 1)
        yield made("factor", last, doubled(at(last)), node)
        for i, op in enumerate(node.ops):
            if type(op) in ORDERS:
                yield made("direction", (node, "ops", i), ORDERS[type(op)](), node)


class Orders(ast.NodeTransformer):
    """Lets asserted inequalities tell both of their sides."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        pairs = pairwise([node.left, *node.comparators])
        parts = [
            ast.Call(ast.Name("__told", ast.Load()), [ast.Constant(type(op).__name__), left, right], [])
            if type(op) in ORDERS
            else ast.Compare(left, [op], [right])
            for op, (left, right) in zip(node.ops, pairs, strict=True)
        ]
        return parts[0] if len(parts) == 1 else ast.BoolOp(ast.And(), parts)

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        node.test = self.visit(node.test)
        return node


class Run:
    """A test's code, to be called: it says how it ends, and the slack of each asserted inequality."""

    def __init__(self, code: ast.Module, names: dict[str, Any]):
        tree = copy.deepcopy(code)
        for function in tree.body:
            function.decorator_list = []
        for node in [node for node in ast.walk(tree) if isinstance(node, ast.Assert)]:
            Orders().visit(node)
        known = names | {"__told": self.told}
        exec(compile(ast.fix_missing_locations(tree), "<mutant>", "exec"), known)
        self.function: Callable[..., None] = known[code.body[-1].name]
        self.slacks: list[float] = []

    def told(self, order: str, left: Any, right: Any) -> Any:
        low, high = (left, right) if order.startswith("Lt") else (right, left)
        try:
            difference = high - low
            self.slacks += map(
                middle, difference.flat if isinstance(difference, np.ndarray) else [difference]
            )
        except TypeError:  # what has an order but no difference
            self.slacks.append(np.nan)
        return COMPARE[order](left, right)

    def __call__(self, arguments: dict[str, Any]) -> str:
        """Whether the test fails with it, or cannot run, or passes."""
        self.slacks = []
        signal.signal(signal.SIGVTALRM, late)
        signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
        try:
            with np.errstate(all="ignore"):
                self.function(**arguments)
        except NO_FORMULA:
            return "no formula"
        except Exception:  # whatever goes wrong in it, the test fails
            return "killed"
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        return "passes"


def middle(x: Any) -> float:
    """A number, or the lower end of an interval."""
    return float(mpmath.mp.make_mpf(x._mpi_[0]) if hasattr(x, "_mpi_") else x)


class Late(Exception):
    """A mutant that does not end."""


def late(*_: object) -> None:
    raise Late


class Planter:
    """A plugin of pytest: beside each case of a test it runs those of its mutants that are not yet killed."""

    def __init__(self) -> None:
        self.runs: dict[str, tuple[Run, list[tuple[Mutant, Run, set[str]]]]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: Any) -> Iterator[None]:
        done = yield
        name, known = pyfuncitem.originalname, vars(pyfuncitem.module)
        if name not in self.runs:
            code = functions(pyfuncitem.path, name)
            made = [(mutant, Run(mutant.code, known), set()) for mutant in mutants(code)]
            self.runs[name] = Run(ast.Module(code, []), known), made
        plain, made = self.runs[name]
        arguments = {one: pyfuncitem.funcargs[one] for one in pyfuncitem._fixtureinfo.argnames}
        if plain(arguments) != "passes":
            raise RuntimeError(f"{name} fails without a mutant")
        for _, run, cases in made:
            if not cases & {"killed", "no formula"}:
                outcome = run(arguments)
                cases.add(outcome if outcome != "passes" else compared(plain.slacks, run.slacks))
        return done

    def rows(self) -> Iterator[dict[str, str]]:
        """How many mutants of each test were killed, and how many only follow; each survivor by itself."""
        for name, (_, made) in sorted(self.runs.items()):
            left = [(mutant, cases) for mutant, _, cases in made if "no formula" not in cases]
            ended = [next(OUTCOMES[one] for one in OUTCOMES if one in cases) for _, cases in left]
            for outcome in ("killed", "follows"):
                yield {"test": name, "outcome": outcome, "count": str(ended.count(outcome))}
            for (mutant, _), outcome in zip(left, ended, strict=True):
                if outcome == "survived":
                    texts = dict(zip(COLUMNS[3:6], mutant[:3], strict=True))
                    yield {"test": name, "outcome": outcome, "count": "1"} | texts


def compared(slacks: list[float], changed: list[float]) -> str:
    """Whether a mutant that passes narrows some of what is asserted, or only widens it, or does nothing."""
    if len(slacks) != len(changed):
        return "narrower"
    before, after = np.array(slacks), np.array(changed)
    same = np.isclose(before, after, rtol=1e-12, atol=0, equal_nan=True)
    if same.all():
        return "same"
    return "wider" if (same | (after > before)).all() else "narrower"


@cache
def trees(file: Path) -> dict[str, ast.FunctionDef]:
    body = ast.parse(file.read_text(encoding="utf8")).body
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef)}


def functions(file: Path, name: str) -> list[ast.FunctionDef]:
    """A test, behind the helpers of its module that it calls."""
    known, wanted = trees(file), {name}
    while more := {called(node) for one in wanted for node in ast.walk(known[one])} & known.keys() - wanted:
        wanted |= more
    return [known[one] for one in known if one in wanted and one != name] + [known[name]]


def checks() -> dict[str, Path]:
    """The tests of this folder that the ledger names, and their files."""
    named = {check for one in displays().values() for check in one.get("check", [])}
    return {name: file for file in sorted(FOLDER.glob("test_*.py")) for name in trees(file) if name in named}


def read(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf8", newline="") as rows:
        return list(csv.DictReader(rows))


def main() -> int:
    """Run tests with their mutants and store what came of them; other rows and the reasons stay."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tests", nargs="*", default=sorted(checks()))
    parser.add_argument("--store", type=Path, default=STORED)
    asked, planter = parser.parse_args(), Planter()
    places = [f"{checks()[name]}::{name}" for name in asked.tests]
    failed = pytest.main(["-q", "-p", "no:cacheprovider", *places], plugins=[planter])
    why = {(row["test"], row["before"], row["after"]): row["why"] for row in read(STORED)}
    kept = read(asked.store) if asked.store.exists() else []
    rows = [row for row in kept if row["test"] in checks().keys() - asked.tests]
    for row in planter.rows():
        place = (row["test"], row.get("before", ""), row.get("after", ""))
        rows.append(row | {"why": why.get(place, "")})
    with asked.store.open("w", encoding="utf8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: row["test"]))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
