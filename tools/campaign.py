"""A campaign of random mutants: small changes of the package that nobody chose, drawn by a seed.

``python tools/campaign.py --seed 1 --count 100`` plants each in a copy of the package, runs the tests that
call its function, quick ones first, until one fails, and stores what came of it. Tests that know what is
right come before the sweeping ones, and what came of the mutant without these is stored beside. Which test
calls what is recorded once for each file of tests, below ``_build``. Tests that are marked as slow do not
run: what they alone would see counts as unseen. What no test has seen meets some pages of the book.

Half of the mutants are drawn from the code that makes a promise: the wing `privacy`, and every function of a
mechanism that draws noise or adds budgets. `userdp_book.evidence.campaign` reads what is stored.
"""

import argparse
import ast
import csv
import json
import random
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import cache
from hashlib import sha256
from itertools import accumulate, chain, islice, pairwise, product
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from on_pages import is_as_stored, seen_by
from userdp_book.evidence.campaign import RESULTS, SEEN, is_sweeping, judged
from userdp_book.evidence.slips import PLANTED, ROOT, plant, run
from userdp_book.run.reach import Sources, read_code

SOURCES = ROOT / "src"
# processor seconds beside four times those of its tests, after which a mutant is seen: it does not end
LIMIT = 20
# processor seconds of tests that one part of a tier may take
MOST = 90
SIGNS = {"+": "-", "*": "/", "**": "*", "//": "/", "%": "//", "and": "or", "&": "|", "<": "<=", ">": ">="}
SIGNS |= {"==": "!=", "is": "is not", "in": "not in"}
SIGNS = {new: old for old, new in SIGNS.items()} | SIGNS
ORDERS = {"<", "<=", ">", ">="}
SIGN = re.compile("|".join(map(re.escape, sorted(SIGNS, key=len, reverse=True))))
TWINS = {"min": "max", "minimum": "maximum", "ceil": "floor", "sequential": "disjoint", "argmax": "argmin"}
TWINS |= {"any": "all", "expm1": "exp", "log1p": "log", "sum": "max", "laplace": "normal"}
TWINS = {new: old for old, new in TWINS.items()} | TWINS
# calls in whose place their first argument could stand
DROPPED = {"clip", "project", "minimum", "maximum", "min", "max", "abs", "sqrt", "exp", "log", "square"}
DROPPED |= {"ceil", "floor", "nan_to_num", "cumsum", "sort", "unique", "permutation", "round", "flip"}
# where the order of arguments does not matter
COMMUTATIVE = {"min", "max", "minimum", "maximum", "logaddexp", "hypot", "array_equal"}
# what noise is scaled by, and what counts users: a factor 2 here is the slip of this field
SCALES = {"epsilon", "delta", "sensitivity", "scale", "sigma", "budget", "bound", "half_width", "spread"}
COUNTS = {"n", "half", "third", "users", "steps", "size", "sizes", "count", "k"}
RECORDED = ROOT / "_build" / "calls"
PLUGIN = ("-p", "calls")
# what runs in turn: tests that say exactly what is so, and those that compare laws
TIERS = ("not slow and not statistical", "statistical and not slow")
LOCKS: defaultdict[tuple[str, str], Lock] = defaultdict(Lock)
# the line of pytest's summary that names what failed
FAILED = r"^(?:FAILED|ERROR) \S*?tests/(\S+?(?:\[.*?\])?)(?: - |$)"
WALKS = "iter_modules", "promising()", "import_module", "from faces", "from good_calls", "from mechanisms"
NOISY = {"rng", "guarantee", "guarantees", "sequential", "disjoint", "calibrated", "Guarantee"}


class Mutant(NamedTuple):
    """One change: where, of what kind, the lines before and after, and the place and text of the change."""

    module: str
    function: str
    promise: bool
    kind: str
    before: str
    after: str
    start: int
    end: int
    text: str


class Sites:
    """All places of one module, and what could go wrong at each."""

    def __init__(self, file: Path):
        self.module = file.relative_to(SOURCES).as_posix()
        self.source = file.read_bytes()
        self.starts = [0]
        for line in self.source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def span(self, node: Any) -> tuple[int, int]:
        first, last = self.starts[node.lineno - 1], self.starts[node.end_lineno - 1]
        return first + node.col_offset, last + node.end_col_offset

    def text(self, *span: int) -> str:
        return self.source[slice(*span)].decode()

    def found(self) -> Iterator[list[Mutant]]:
        """The mutants of each place."""
        yield from self._within(ast.parse(self.source), "", False)

    def _within(self, node: ast.AST, function: str, promise: bool) -> Iterator[list[Mutant]]:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            function = f"{function}.{node.name}".strip(".")
        if isinstance(node, ast.FunctionDef):
            promise = promise or self._promises(node)
        if made := [self._mutant(function, promise, *change) for change in self._changes(node)]:
            yield made
        for name, field in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list"):
                continue
            # twice a function is no number
            field = getattr(field, "value", None) if name == "func" else field
            for child in field if isinstance(field, list) else [field]:
                if isinstance(child, ast.AST) and not self._is_word(child):
                    yield from self._within(child, function, promise)

    def _is_word(self, node: ast.AST) -> bool:
        """Whether a node is a message, a type or a check of lengths, which compute nothing."""
        is_type = isinstance(node, ast.Subscript) and getattr(node.value, "id", "") == "Literal"
        return is_type or isinstance(node, ast.Raise | ast.JoinedStr) or getattr(node, "arg", "") == "strict"

    def _promises(self, function: ast.FunctionDef) -> bool:
        room = self.module.split("/")[1]
        nodes = [node for part in (*function.args.kwonlyargs, *function.body) for node in ast.walk(part)]
        named = {getattr(node, "id", getattr(node, "attr", getattr(node, "arg", None))) for node in nodes}
        return room == "privacy" or room in ("local", "central", "printed") and bool(named & NOISY)

    def _mutant(self, function: str, promise: bool, kind: str, start: int, end: int, text: str) -> Mutant:
        first = self.source.rfind(b"\n", 0, start) + 1
        last = self.source.find(b"\n", end)
        before = " ".join(self.text(first, last).split())
        after = " ".join((self.text(first, start) + text + self.text(end, last)).split())
        return Mutant(self.module, function, promise, kind, before, after, start, end, text)

    def _changes(self, node: ast.AST) -> Iterator[tuple[str, int, int, str]]:
        """Kind, place and new text of each change of one node."""
        if isinstance(node, ast.BinOp):
            yield from self._signs("arithmetic", node.left, node.right)
        elif isinstance(node, ast.Compare):
            yield from self._signs("comparison", node.left, *node.comparators)
        elif isinstance(node, ast.BoolOp):
            yield from self._signs("boolean", *node.values)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
            yield "dropped sign", *self.span(node), self.text(*self.span(node.operand))
        elif isinstance(node, ast.Constant):
            yield from (("constant", *self.span(node), text) for text in _constants(node.value))
        elif isinstance(node, ast.If | ast.IfExp | ast.While):
            yield "negated", *self.span(node.test), f"not ({self.text(*self.span(node.test))})"
        elif isinstance(node, ast.Call):
            yield from self._calls(node)
        elif isinstance(node, ast.Slice):
            ends = [end for end in (node.lower, node.upper) if end and not isinstance(end, ast.Constant)]
            yield from (("one off", *self.span(end), f"{self.text(*self.span(end))} + 1") for end in ends)
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield from self._names(node, getattr(node, "id", getattr(node, "attr", "")))
        elif isinstance(node, ast.Expr) and ast.unparse(node).startswith("_validate."):
            yield "dropped check", *self.span(node), "pass"

    def _signs(self, kind: str, *parts: ast.AST) -> Iterator[tuple[str, int, int, str]]:
        for left, right in pairwise(parts):
            start, end = self.span(left)[1], self.span(right)[0]
            drawn = kind == "comparison" and "rng." in self.text(*self.span(left))  # never equal to anything
            if (sign := SIGN.search(self.text(start, end))) and not (drawn and sign[0] in ORDERS):
                yield kind, start + sign.start(), start + sign.end(), SIGNS[sign[0]]

    def _calls(self, node: ast.Call) -> Iterator[tuple[str, int, int, str]]:
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in TWINS:
            end = self.span(node.func)[1]
            yield "twin", end - len(name), end, TWINS[name]
        if name in DROPPED and node.args:
            yield "dropped call", *self.span(node), f"({self.text(*self.span(node.args[0]))})"
        arguments = [arg for arg in node.args if not isinstance(arg, ast.Starred)]
        # the number and the lower end of three arguments may change places, too
        arguments = arguments[name in ("clip", "project") and len(arguments) == 3 :]
        for left, right in pairwise(arguments if name not in COMMUTATIVE else ()):
            (start, stop), (begin, end) = self.span(left), self.span(right)
            yield (
                "swapped",
                start,
                end,
                self.text(begin, end) + self.text(stop, begin) + self.text(start, stop),
            )

    def _names(self, node: ast.AST, name: str) -> Iterator[tuple[str, int, int, str]]:
        place, text = self.span(node), self.text(*self.span(node))
        if name in SCALES:
            yield from (("factor 2", *place, f"({text} {factor})") for factor in ("* 2", "/ 2"))
        if name in COUNTS:
            yield from (("one off", *place, f"({text} {step})") for step in ("+ 1", "- 1"))
        if name in ("epsilon", "delta"):
            other = "delta" if name == "epsilon" else "epsilon"
            yield "budget swapped", *place, text.removesuffix(name) + other


def _constants(value: object) -> list[str]:
    if isinstance(value, bool):
        return [str(not value)]
    if isinstance(value, int):
        return [str(value + 1), f"({value - 1})", *([str(2 * value)] if value > 1 else [])]
    if isinstance(value, float):
        return [repr(2 * value), repr(value / 2)] if value else ["1.0"]
    return {"left": ['"right"'], "right": ['"left"']}.get(value, []) if isinstance(value, str) else []


def planted(mutant: Mutant, source: bytes) -> bytes:
    return source[: mutant.start] + mutant.text.encode() + source[mutant.end :]


def is_another(mutant: Mutant) -> bool:
    """Whether the changed text is Python, which it need not be, and not the same Python in other words."""
    source = (SOURCES / mutant.module).read_bytes()
    try:
        return ast.dump(ast.parse(planted(mutant, source))) != ast.dump(ast.parse(source))
    except SyntaxError:
        return False


@cache
def places() -> list[list[Mutant]]:
    return [
        place
        for package in PLANTED
        for file in sorted((SOURCES / package).rglob("*.py"))
        for place in Sites(file).found()
    ]


def draw(seed: int, count: int) -> list[Mutant]:
    """In turn one mutant of what makes a promise and one of all else; every place is as likely.

    With a larger count come others behind the same.
    """
    parts = [[place for place in places() if place[0].promise is promise] for promise in (True, False)]
    pairs = zip(*(_drawn(seed, part) for part in parts), strict=False)
    return list(islice(chain.from_iterable(pairs), count))


def _drawn(seed: int, places: list[list[Mutant]]) -> Iterator[Mutant]:
    rng = random.Random(seed)
    return filter(is_another, (rng.choice(place) for place in rng.sample(places, len(places))))


@cache
def reached() -> dict[str, tuple[Counter[str], set[str]]]:
    """Of each unit test, how many names it imports of each module, and all modules that it reaches."""
    sources, found = Sources(ROOT), {}
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        text, name = file.read_text(encoding="utf8"), file.relative_to(ROOT / "tests").as_posix()
        if not name.startswith("book/"):
            code = read_code(ast.parse(text))
            named = Counter(module for one in code.imports for module in sources.behind(*one))
            # what looks things up by name, itself or by a list of them, reaches all of the package
            walks = any(word in text for word in WALKS)
            found[name] = named, {*(sources.paths if walks else sources.reach(code))}
    return found


def tests_of(module: str) -> list[list[str]]:
    """What to run, in turn: the tests most about a module, those that import it, all others that reach it."""
    name = module.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    tests = sorted(reached().items(), key=lambda item: len(item[1][1]))
    shares = {test: named[name] / named.total() for test, (named, _) in tests if named[name]}
    own = sorted(shares, key=lambda test: -shares[test])
    others = [test for test, (_, reach) in tests if name in reach and test not in shares]
    return [part for part in (own[:1], own[1:], others) if part]


def calls(test: str, tier: str) -> dict[str, tuple[float, list[str]]]:
    """Of each test in a file, its processor seconds and the functions of the package that it calls."""
    with LOCKS[test, tier]:
        return _calls(test, tier)


@cache
def _calls(test: str, tier: str) -> dict[str, tuple[float, list[str]]]:
    digest = sha256(tier.encode() + (ROOT / "tests" / test).read_bytes())
    stored = RECORDED / f"{digest.hexdigest()}.json"
    if not stored.exists():
        RECORDED.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            result = run([test], plant(None, Path(folder)), 900, *PLUGIN, "-m", tier)
            if result.returncode not in (0, 5):
                raise RuntimeError(f"{test} fails without a mutant:\n{result.stdout[-2000:]}")
            stored.write_bytes((Path(folder) / "calls.json").read_bytes())
    return json.loads(stored.read_text(encoding="utf8"))


def that_call(mutant: Mutant, files: list[str], tier: str) -> dict[str, float]:
    """The tests of some files that call a mutant's function, and their seconds, quick ones first.

    Of what runs on import, and in a class beside its functions, all that call anything there. What calls
    nothing at all may look at signatures, or run the package in another process.
    """
    place = f"{mutant.module}: {mutant.function}"
    inside = place if not mutant.function else f"{place}."
    tests = sorted(
        (seconds, test)
        for file in files
        for test, (seconds, names) in calls(file, tier).items()
        if not names or any(name == place or name.startswith(inside) for name in names)
    )
    sums = accumulate(seconds for seconds, _ in tests)
    return {test: seconds for (seconds, test), total in zip(tests, sums, strict=True) if total < MOST}


@cache
def passes(test: str) -> bool:
    """Control: whether a test that failed with a mutant, or a page that changed, is well without one."""
    page, _, cell = test.partition(".md::")
    if cell:
        return is_as_stored(page)
    with tempfile.TemporaryDirectory() as folder:
        return run([test], plant(None, Path(folder)), 4 * LIMIT).returncode == 0


def judge(mutant: Mutant) -> dict[str, str]:
    """Plant a mutant and run named tests, then sweeping ones, then pages, until one sees it.

    Returns a row of the list of results. What a test sees that fails without a mutant too is unsure.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = plant(None, Path(folder)) / mutant.module
        file.write_bytes(planted(mutant, file.read_bytes()))
        without, seen, seconds = first(mutant, Path(folder), False)
        outcome = without
        if without not in SEEN:
            outcome, test, more = first(mutant, Path(folder), True)
            if outcome == "survived" and (test := seen_by(mutant.module, Path(folder))):
                outcome = "killed" if passes(test) else "unsure"
            seen, seconds = test or seen, seconds + more
    row = {name: str(getattr(mutant, name)) for name in Mutant._fields[:6]}
    return row | {"outcome": outcome, "without": without, "test": seen, "seconds": f"{seconds:.1f}"}


def first(mutant: Mutant, folder: Path, sweeping: bool) -> tuple[str, str, float]:
    """Of the sweeping tests, or of all others: what came of the mutant, the test that saw it, and seconds."""
    spent = 0.0
    for tier, part in product(TIERS, tests_of(mutant.module)):
        known = that_call(mutant, part, tier).items()
        tests = {test: time for test, time in known if is_sweeping(test.removeprefix("tests/")) == sweeping}
        if not tests:
            continue
        (folder / "chosen.json").write_text(json.dumps(list(tests)))
        files = sorted({test.removeprefix("tests/").partition("::")[0] for test in tests})
        result = run(files, folder, LIMIT + round(4 * sum(tests.values())), *PLUGIN)
        spent += result.seconds
        if result.returncode < 0:
            return "no end", files[0], spent
        if result.returncode not in (0, 5):
            failed = re.search(FAILED, result.stdout, re.MULTILINE)
            is_sure = failed and passes(failed[1])
            return "killed" if is_sure else "unsure", failed[1] if failed else "", spent
    return "survived", "", spent


def main() -> int:
    """Run a campaign, store what came of each mutant, and fail if one survived that nobody has explained."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--store", type=Path, default=RESULTS)
    asked = parser.parse_args()
    mutants, rows = draw(asked.seed, asked.count), {}
    with ThreadPoolExecutor(asked.jobs) as pool:
        places = {pool.submit(judge, mutant): place for place, mutant in enumerate(mutants)}
        for done in as_completed(places):
            rows[places[done]] = row = {"seed": str(asked.seed)} | done.result()
            outcomes = f"{row['outcome']:>9} {row['without']:>9} {row['seconds']:>6} s"
            print(f"{outcomes}  {row['module']}: {row['after']}", flush=True)
            with asked.store.open("w", encoding="utf8", newline="") as file:
                writer = csv.DictWriter(file, list(row), lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows[place] for place in sorted(rows))
    return int(any(row["outcome"] in ("survived", "unsure") for row in judged(asked.store)))


if __name__ == "__main__":
    sys.exit(main())
