"""What makes a page run again and what does not: definitions that its names lead to, their data, the pins."""

import ast
import json
import random
import re
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest

from faces import FACES
from good_calls import call, good, offered
from pretended import FRONT, repository
from userdp_book.run import cache
from userdp_book.run.definitions import names_of, read_code
from userdp_book.run.execute import keep, refresh
from userdp_book.run.pages import Page, code_cells, notebook, pages, read
from userdp_book.run.reach import Sources, closure

PAGE = f"""{FRONT}
Words.

```{{code-cell}} ipython3
IMPORT
use(2)
```
"""
SHAPES = """
from functools import cache, singledispatch
from math import floor as rounded
import userdp.base as base
from userdp import leaves
LIMIT = 3
TABLE = {"a": LIMIT}
KEPT = []
OTHERS = {}
class Base:
    def shift(self): return base.zero
class Shape(Base):
    side: int = 1
    def area(self): return TABLE["a"]
class Plugin:
    def __init_subclass__(cls): OTHERS[cls.__name__] = cls
class Added(Plugin): step = 1
def keep(function):
    remember(function)
    return function
def remember(function): KEPT.append(function)
@keep
def kept(): return 1
@singledispatch
def shown(x): return x
@shown.register
def _(x: int): return 10
def odd(n): return n and even(n - 1)
def even(n): return not n or odd(n - 1)
def unrelated(x=1): return x
@cache
def scale(x: "Quoted", y=2): return rounded(Shape().shift()) + shown(x)
class Quoted: mark = 4
def top(): return scale(1.0), len(KEPT), odd(3), leaves.green(), Plugin.__name__
def look(name): return globals()[name]
"""
MODULES = {
    "__init__": '"""Face."""\nfrom .flat import top\nfrom .wing import deep\n__version__ = "1"\n',
    "flat": "from .base import zero\n__all__ = ['top']\ndef top(): return zero\n",
    "base": "zero = 0\none = 1\n",
    "wing/__init__": "from userdp.wing.near import *\nfrom userdp.wing.far import *\nfrom . import leaf\n",
    "wing/near": "from userdp.base import zero\n__all__ = ['dame', 'deep']\n"
    "def dame(): return zero\ndef deep(): return zero\n",
    "wing/far": "from ..tables import rows\n__all__ = ['vector']\ndef vector(): rows()\n",
    "wing/leaf": "x = 1\n",
    "busy/__init__": "from userdp import flat\nprint('a side effect')\n",
    "busy/still": "y = 1\n",
    "leaves": "def green(): return 1\ndef brown(): return 2\n",
    "tables": "FILES = ('words.csv',)\ndef rows():\n    '''other.csv'''\n    return FILES\n",
    "shapes": SHAPES,
    "stars": "from userdp.base import *\ndef star(): return zero\n",
    "globs": "def rows(folder):\n    return folder.glob('*.csv')\n",
    "endings": "def rows(name):\n    return f'{name}.xz'\n",
}
TABLES = ("tables", "words.csv.xz")
DATA = ("words.csv.xz", "other.csv", "words.licence.txt", "SHA256SUMS", "make_tables.py")


@pytest.fixture
def book(tmp_path):
    """A repository with one page and a package of two wings, loose modules and data."""
    repository(tmp_path)
    files = {f"src/userdp/{name}.py": text for name, text in MODULES.items()}
    files |= {f"src/userdp/data/{name}": "1\n" for name in DATA}
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def page_with(book, code):
    page = Page(book, "page")
    page.source.write_text(PAGE.replace("IMPORT", code))
    return page


@pytest.fixture
def page(book):
    return page_with(book, "from userdp.wing import dame")


def key(page):
    return cache.key(page, Sources(page.root))


def reached(page):
    """Modules of which something counts, and data files, that a page depends on, by their last names."""
    sources, code = Sources(page.root), cache.code_in(page)
    modules, _ = sources.reach(code)
    data = sources.data([code, *(one for found in modules.values() for one in found)])
    return {name.removeprefix("userdp.") for name in modules} | {path.name for path in data}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("from userdp.wing import dame", {"wing.near", "base"}),
        ("from userdp.wing import dame as d, vector", {"wing.near", "wing.far", "base", *TABLES}),
        ("from userdp import top", {"flat", "base"}),
        ("from userdp import deep", {"wing.near", "base"}),
        ("from userdp import base, tables", {"base", *TABLES}),
        ("from userdp.wing import leaf", {"wing.leaf"}),
        ("import userdp.wing.leaf as x", {"wing.leaf"}),
        ("def later():\n    from userdp.base import zero", {"base"}),
        ("%time from userdp.base import zero", {"base"}),
        ('run("""\nfrom userdp.base import zero\n""")', {"base"}),
        ("from userdp.busy.still import y", {"busy", "busy.still"}),
        ("import userdp.base as b\nb.zero", {"base"}),
        ("import userdp.tables, userdp\nuserdp.base.zero", {"base", "tables", "words.csv.xz"}),
        ("from userdp.stars import star", {"stars", "base"}),
        ("from userdp.wing import unknown", {"wing.near", "wing.far", "wing.leaf", "base", *TABLES}),
        ("from userdp.globs import rows", {"globs", "other.csv", "words.csv.xz"}),
        ("from userdp.endings import rows", {"endings", "words.csv.xz"}),
        ("from userdp.base import zero\nopen('other.csv')", {"base", "other.csv"}),
        ("import numpy as np", set()),
    ],
)  # fmt: skip
def test_names_lead_to_modules_and_these_to_data(book, code, expected):
    assert reached(page_with(book, code)) == expected


def test_a_whole_face_is_all_that_it_shows(book):
    assert reached(page_with(book, "import userdp")) >= {"flat", "wing.near", "base"}


# edits of files: what is there, what it becomes
SILENT = {
    "comment": ("src/userdp/base.py", "zero = 0", "zero = 0  # none\n# at all"),
    "layout": ("src/userdp/wing/near.py", "def dame(): ", "def dame(\n):\n\n    "),
    "docstring": ("src/userdp/wing/near.py", "def dame(): ", "def dame():\n    'Words.'\n    "),
    "another definition": ("src/userdp/wing/near.py", "def deep()", "def deep(x)"),
    "a new name": ("src/userdp/wing/near.py", "'deep']", "'deep', 'more']\ndef more(): return zero"),
    "what nobody asks for": ("src/userdp/base.py", "one = 1", "one = 2"),
    "a side effect elsewhere": ("src/userdp/busy/still.py", "y = 1", "print(1)"),
    "docstring of a module": ("src/userdp/base.py", "zero", "'''Words.'''\nzero"),
    "another module of the wing": ("src/userdp/wing/far.py", "def vector", "def vectors"),
    "another name shown": ("src/userdp/wing/near.py", "'deep'", "'deep', 'more'"),
    "another module in the face": ("src/userdp/wing/__init__.py", ". import leaf", "userdp.flat import *"),
    "version": ("src/userdp/__init__.py", '"1"', '"2"'),
    "data of others": ("src/userdp/data/other.csv", "1", "2"),
    "licence": ("src/userdp/data/words.licence.txt", "1", "2"),
    "sums": ("src/userdp/data/SHA256SUMS", "1", "2"),
    "script of the tables": ("src/userdp/data/make_tables.py", "1", "2"),
    "comment on a pin": ("constraints.txt", "numpy==2.0", "# why\nnumpy==2.0  # because\n"),
    "prose": ("book/page.md", "Words", "Other words"),
}  # fmt: skip
TELLING = {
    "a definition": ("src/userdp/wing/near.py", "def dame(): return zero", "def dame(): return 1"),
    "types of a function": ("src/userdp/wing/near.py", "def dame()", "def dame() -> None"),
    "a side effect of another module": ("src/userdp/wing/leaf.py", "x = 1", "print(1)"),
    "what it imports": ("src/userdp/base.py", "zero = 0", "zero = 1"),
    "another origin of the name": ("src/userdp/wing/__init__.py", "near import *", "far import x as dame"),
    "the name in another module": ("src/userdp/wing/far.py", "['vector']", "['vector', 'dame']"),
    "a side effect of a face": ("src/userdp/wing/__init__.py", "from . import leaf", "print(1)"),
    "a pin": ("constraints.txt", "2.0", "2.1"),
    "code": ("book/page.md", "use(2)", "use(3)"),
    # The stored notebook shows the cell, comments included.
    "comment in a cell": ("book/page.md", "use(2)", "use(2)  # twice"),
}  # fmt: skip


def change(book, path, old, new):
    text = (book / path).read_text()
    assert old in text
    (book / path).write_text(text.replace(old, new))


@pytest.mark.parametrize("edit", SILENT.values(), ids=SILENT)
def test_what_does_not_matter_reruns_nothing(book, page, edit):
    before = key(page)
    change(book, *edit)
    assert key(page) == before


@pytest.mark.parametrize("edit", TELLING.values(), ids=TELLING)
def test_what_matters_reruns_the_page(book, page, edit):
    before = key(page)
    change(book, *edit)
    assert key(page) != before


# Edits of `shapes`, of which a page asks for `top`.
UNUSED = {
    "function": ("unrelated(x=1)", "unrelated(x=2)"),
    "comment": ("LIMIT = 3", "LIMIT = 3  # at most"),
    "docstring": ("def shift(self): ", "def shift(self):\n        'Words.'\n        "),
    "words below an attribute": ("side: int = 1", "side: int = 1\n    'Words.'"),
    "new constant": ("LIMIT = 3", "LIMIT = 3\nMORE = {1: LIMIT}"),
    "what only a script does": ("def top()", "if __name__ == '__main__':\n    print(1)\ndef top()"),
    "function of another module": ("leaves.py", "brown(): return 2", "brown(): return 3"),
}  # fmt: skip
USED = {
    "type": ("y=2)", "y: int = 2)"),
    "type of a method": ("def area(self)", "def area(self) -> int"),
    "type of an attribute": ("side: int", "side: float"),
    "quoted type": ("mark = 4", "mark = 5"),
    "default": ("y=2", "y=3"),
    "decorator": ("@cache", ""),
    "base class": ("class Shape(Base)", "class Shape"),
    "method": ("base.zero", "base.one"),
    "constant of a constant": ("LIMIT = 3", "LIMIT = 4"),
    "table": ('{"a": LIMIT}', '{"a": LIMIT, "b": 1}'),
    "another origin of an import": ("floor as", "ceil as"),
    "mutual recursion": ("even(n): return not n", "even(n): return n"),
    "what is registered": ("kept(): return 1", "kept(): return 2"),
    "what registers": ("KEPT.append(", "KEPT.insert(0, "),
    "new in a registry": ("def top()", "@keep\ndef more(): ...\ndef top()"),
    "case of a dispatch": ("(x: int): return 10", "(x: int): return 11"),
    "new case of a dispatch": ("def top()", "@shown.register\ndef text(x: str): ...\ndef top()"),
    "new subclass of what hears of it": ("def top()", "class Plug(Plugin): ...\ndef top()"),
    "side effect": ("def top()", "KEPT[0] = 1\ndef top()"),
    "effect on another package": ("def top()", "old = numpy.seterr(all='raise')\ndef top()"),
    "bound twice": ("def top()", "LIMIT = 5\ndef top()"),
    "attribute of a module": ("leaves.py", "green(): return 1", "green(): return 3"),
}  # fmt: skip


def change_of_shapes(book, code, edit):
    """Whether an edit changes the key of a page."""
    page = page_with(book, code)
    before = key(page)
    *other, old, new = edit
    change(book, f"src/userdp/{(other or ['shapes.py'])[0]}", old, new)
    return key(page) != before


@pytest.mark.parametrize("code", ["from userdp.shapes import top", "import userdp.shapes as s\ns.top()"])
@pytest.mark.parametrize("edit", [*UNUSED.values(), *USED.values()], ids=[*UNUSED, *USED])
def test_what_is_executed_counts(book, edit, code):
    assert change_of_shapes(book, code, edit) == (edit in USED.values())


WHOLE = {
    "module as a value": "import userdp.shapes as s\ngetattr(s, name)",
    "by its text": "from userdp.shapes import look",
    "star": "from userdp.shapes import *",
    "in a line of magic": "import userdp.shapes as s\ns.Quoted\n%timeit s.unrelated()",
}


@pytest.mark.parametrize("code", WHOLE.values(), ids=WHOLE)
def test_whatever_may_be_asked_for_counts(book, code):
    assert change_of_shapes(book, code, UNUSED["function"])


REGISTRIES = {
    "KEPT": ("kept(): return 1", "kept(): return 2"),
    "OTHERS": ("step = 1", "step = 2"),
    "Plugin": ("step = 1", "step = 2"),
    "Added": ("OTHERS[", "OTHERS['a' + "),
}


@pytest.mark.parametrize(("asked", "edit"), REGISTRIES.items(), ids=REGISTRIES)
def test_a_registry_is_what_is_planted_in_it(book, asked, edit):
    assert change_of_shapes(book, f"from userdp.shapes import {asked}", edit)


def test_data_count_where_they_are_read(book):
    page = page_with(book, "from userdp.wing import vector")
    before = key(page)
    change(book, "src/userdp/data/words.csv.xz", "1", "2")
    assert key(page) != before


def run_pretend(page):
    keep(page, notebook(page), cache.note(page, Sources(page.root)) | {"seconds": 2.0})


def test_a_run_is_current_until_something_matters(book, page):
    assert not cache.is_current(page, Sources(book))
    run_pretend(page)
    assert cache.is_current(page, Sources(book)) and cache.has_text(page)
    change(book, *TELLING["a definition"])
    assert not cache.is_current(page, Sources(book))


def test_the_noted_code_of_a_page_is_that_of_its_text(page):
    run_pretend(page)
    noted = cache.last_run(page)
    assert cache.code(page, noted) == cache.code_in(page)
    page.source.write_text(PAGE.replace("IMPORT", "from userdp import top"))
    assert cache.code(page, noted) == cache.code_in(page) != replace(cache.code_in(page), digest="")


def test_new_prose_is_taken_into_the_last_run(book, page):
    run_pretend(page)
    change(book, *SILENT["prose"])
    assert not cache.has_text(page)
    refresh(page, Sources(book))
    ran = read(page.executed)
    assert cache.has_text(page) and cache.is_current(page, Sources(book))
    assert "Other words" in ran.cells[1].source and ran.metadata["userdp"]["seconds"] == 2.0
    assert len(code_cells(ran)) == 2


@pytest.mark.parametrize("half", ["", "{", json.dumps({"metadata": {}})])
def test_half_a_file_is_no_run(page, half):
    run_pretend(page)
    page.executed.write_text(half)
    assert cache.last_run(page) == {}


# In another process: what listens to opened files cannot be taken away again.
LOADERS = """
import importlib, inspect, json, sys
from pathlib import Path
opened = []
def listen(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, Path)):
        opened.append(str(arguments[0]))
def callable_as_it_is(one):
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    of = inspect.signature(one).parameters.values()
    return all(p.default is not p.empty or p.kind in kinds for p in of)
sys.addaudithook(listen)
found = {}
for name in sys.argv[1:]:
    module = importlib.import_module(name)
    for function in vars(module).values():
        of_module = inspect.isroutine(inspect.unwrap(function)) and function.__module__ == name
        if of_module and function.__name__ != "main" and callable_as_it_is(function):
            opened.clear()
            function()
            found.setdefault(name, []).extend(opened)
print(json.dumps(found))
"""


@pytest.mark.slow
def test_every_table_that_a_loader_opens_is_counted(root):
    """Whatever a module opens under the packages when its functions are called as they are."""
    sources = Sources(root)
    names = [name for name in sources.paths if re.match(r"userdp(_book\.evidence)?\.(?!.*make_|.*\._)", name)]
    names = [name for name in names if sources.data([sources.module(name)])]
    made = subprocess.run([sys.executable, "-c", LOADERS, *names], capture_output=True, text=True, check=True)
    tables = {
        str(path) for path in sources.others if re.search(r"/(userdp|evidence)/.*\.csv(\.xz)?$", str(path))
    }
    opened = {name: tables & set(paths) for name, paths in json.loads(made.stdout).items()}
    assert set().union(*opened.values()) == tables
    for name, paths in opened.items():
        modules, _ = sources.reach(sources.module(name))
        assert paths <= set(map(str, sources.data(one for found in modules.values() for one in found)))


@pytest.fixture(scope="module")
def codes(root):
    """The code of every page, which takes seconds to read."""
    return {page.name: cache.code_in(page) for page in pages(root)}


@pytest.fixture
def copied(root, tmp_path):
    """A copy of the sources, to plant changes in."""
    shutil.copytree(root / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def digests(where, codes):
    sources = Sources(where)
    return {name: sources.digest(code) for name, code in codes.items()}


CLASS = """

@public
@dataclass(frozen=True)
class RoundedReport(LocalReport):
    levels: int = 3

    def privatise(self, x: ArrayLike, rng: Rng) -> Floats:
        return project(x, 0, self.levels)
"""


@pytest.mark.slow
def test_a_new_class_reruns_few_pages(copied, codes):
    reports, before = copied / "src/userdp/privacy/reports.py", digests(copied, codes)
    text = reports.read_text()
    reports.write_text(text + CLASS)
    after = digests(copied, codes)
    assert len(codes) > 70 and sum(after[name] != before[name] for name in codes) <= 5
    # A class that all randomisers have as a base is another matter.
    reports.write_text(text.replace("class LocalReport:", "class LocalReport(object):"))
    after = digests(copied, codes)
    assert sum(after[name] != before[name] for name in codes) > 20


def all_of_modules(sources, code):
    """The modules that code reaches when each counts with all that it imports, and what these keep."""

    def steps(use):
        if behind := sources.behind(*use):
            return behind
        if use[0] not in sources.paths:
            return []
        module = sources.module(use[0])
        return [*set().union(*module.bound.values()), *(i for one in module.statements for i in one.imports)]

    found = {module for module, _ in closure(code.imports, steps)}
    kept = {name: {keeper for (keeper, _), _ in sources.plants(name)} for name in sources.paths}
    return found | {name for name, keepers in kept.items() if keepers & found}


@pytest.mark.slow
def test_a_changed_definition_reruns_pages_that_reach_its_module(copied, codes):
    """A seeded sample of definitions, a statement more in each: far fewer pages than by module."""
    sources, before = Sources(copied), digests(copied, codes)
    wide = {name: all_of_modules(sources, code) for name, code in codes.items()}
    definitions = [
        (module, number)
        for module in sources.paths
        for number, one in enumerate(sources.module(module).statements)
        if module.startswith("userdp.") and isinstance(one.syntax, ast.FunctionDef | ast.ClassDef)
    ]
    reruns = by_module = 0
    for module, number in random.Random(29).sample(definitions, 15):
        path = sources.paths[module]
        text = path.read_text()
        tree = ast.parse(text)
        (node,) = (
            one for one in tree.body if names_of(one) == sources.module(module).statements[number].names
        )
        node.body.append(ast.parse("planted = 0").body[0])
        path.write_text(ast.unparse(tree))
        after = digests(copied, codes)
        path.write_text(text)
        changed = {name for name in codes if after[name] != before[name]}
        assert changed <= {name for name in codes if module in wide[name]}
        reruns, by_module = reruns + len(changed), by_module + sum(module in wide[name] for name in codes)
    assert 0 < reruns < 0.7 * by_module


def executed(name, sources):
    """The statements of the package whose code a good call runs, by module and number."""
    names, found, values = {str(path): module for module, path in sources.paths.items()}, set(), good(name)

    def is_import(frame):
        own = frame.f_code.co_name == "<module>" and frame.f_code.co_filename in names
        return own or bool(frame.f_back) and is_import(frame.f_back)

    def seen(frame, event, _):
        if event == "call" and frame.f_code.co_filename in names and not is_import(frame):
            found.add((names[frame.f_code.co_filename], frame.f_code.co_firstlineno))

    sys.setprofile(seen)
    try:
        call(name, values)
    finally:
        sys.setprofile(None)
    return {(module, of_line(sources.module(module), line)) for module, line in found}


def of_line(module, line):
    for number, one in enumerate(module.statements):
        first = min(part.lineno for part in [one.syntax, *getattr(one.syntax, "decorator_list", [])])
        if first <= line <= one.syntax.end_lineno:
            return number
    raise LookupError(line)


@pytest.mark.slow
def test_every_definition_that_a_call_executes_is_reached(root):
    """Good calls of all public names; what their arguments are made of is imported beside them."""
    sources = Sources(root)
    known = read_code(ast.parse((root / "tests/good_calls.py").read_text())).imports
    before = closure(known, sources.after)
    missed, apart = {}, 0
    for name in offered():
        ran, (room, _, own) = executed(name, sources), name.partition(".")
        missed[name] = ran - closure([*known, (FACES[room], own)], sources.after)
        apart += not ran <= before
    assert not any(missed.values()), {name: gone for name, gone in missed.items() if gone}
    # Without the name itself most calls execute what is not reached.
    assert apart > len(missed) / 2


def test_the_whole_question_is_quick(root, page):
    """Nothing heavy is imported to find that nothing has changed."""
    run_pretend(page)
    code = (
        "import sys\nfrom pathlib import Path\nfrom userdp_book.run import cache\n"
        "from userdp_book.run.pages import pages\nfrom userdp_book.run.reach import Sources\n"
        "root = Path(sys.argv[1])\nprint([cache.is_current(page, Sources(root)) for page in pages(root)])\n"
        "print({'numpy', 'nbformat', 'jupytext', 'IPython', 'sphinx'} & set(sys.modules))"
    )
    made = subprocess.run([sys.executable, "-c", code, page.root], capture_output=True, text=True, check=True)
    assert made.stdout.split("\n")[:2] == ["[True]", "set()"]
