"""What makes a page run again and what does not: modules that its names lead to, their data, the pins."""

import ast
import json
import re
import subprocess
import sys
from dataclasses import replace

import pytest

from faces import FACES
from good_calls import call, good, offered
from pretended import FRONT, repository
from userdp_book.run import cache
from userdp_book.run.execute import keep, refresh
from userdp_book.run.pages import Page, code_cells, notebook, read
from userdp_book.run.reach import Code, Sources, read_code

PAGE = f"""{FRONT}
Words.

```{{code-cell}} ipython3
IMPORT
use(2)
```
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
    "busy/__init__": "try:\n    from userdp import flat\n    from userdp.busy import still\n"
    "except ModuleNotFoundError: raise\n",
    "busy/still": "y = 1\n",
    "dotted/__init__": "import userdp.base\n",
    "dotted/within": "z = 1\n",
    "leaves": "from userdp import base, wing\ndef green(): return base.zero, wing.leaf.x\n",
    "tables": "FILES = ('words.csv',)\ndef rows():\n    '''other.csv'''\n    return FILES\n",
    "stars": "from userdp.base import *\ndef star(): return zero\n",
    "globs": "def rows(folder):\n    return folder.glob('*.csv')\n",
    "endings": "def rows(name):\n    return f'{name}.xz'\n",
    "late": "def later():\n    import_module('userdp.wing.leaf')\n",
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
    """The modules and data files that a page depends on, by their last names."""
    sources, code = Sources(page.root), cache.code_in(page)
    modules = sources.reach(code)
    data = sources.data([code, *modules.values()])
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
        ("from userdp import wing\nwing.dame()", {"wing.near", "base"}),
        ("import userdp.wing.leaf as x", {"wing.leaf"}),
        ("def later():\n    from userdp.base import zero", {"base"}),
        ("%time from userdp.base import zero", {"base"}),
        ('run("""\nfrom userdp.base import zero\n""")', {"base"}),
        ("from userdp.late import later", {"late", "wing.leaf"}),
        ("from userdp.busy import flat", {"busy", "busy.still", "flat", "base"}),
        ("from userdp.busy import still", {"busy.still"}),
        ("import userdp.base as b\nb.zero", {"base"}),
        ("import userdp.tables, userdp\nuserdp.base.zero", {"base", *TABLES}),
        ("from userdp.leaves import green", {"leaves", "base", "wing.leaf"}),
        ("from userdp.stars import star", {"stars", "base"}),
        ("from userdp.wing import no", {"wing", "wing.near", "wing.far", "wing.leaf", "base", *TABLES}),
        ("from userdp.wing import *", {"wing", "wing.near", "wing.far", "wing.leaf", "base", *TABLES}),
        (
            "import userdp.wing as w\nw.leaf\n%timeit w.dame()",
            {"wing", "wing.near", "wing.far", "wing.leaf", "base", *TABLES},
        ),
        ("from userdp.globs import rows", {"globs", "other.csv", "words.csv.xz"}),
        ("from userdp.endings import rows", {"endings", "words.csv.xz"}),
        ("from userdp.base import zero\nopen('other.csv')", {"base", "other.csv"}),
        ("import numpy as np", set()),
    ],
)  # fmt: skip
def test_names_lead_to_modules_and_these_to_data(book, code, expected):
    assert reached(page_with(book, code)) == expected


@pytest.mark.parametrize(
    "code",
    [
        "import userdp",
        "import userdp as u\ngetattr(u, name)",
        "from userdp import *",
        "from userdp import dotted\nrun(dotted)",  # it imports by the name of the whole
    ],
)
def test_a_whole_face_is_all_that_is_in_it(book, code):
    names = {name.removesuffix("/__init__").replace("/", ".") for name in MODULES} - {"__init__"}
    assert reached(page_with(book, code)) >= names


# edits of files: what is there, what it becomes
SILENT = {
    "comment": ("src/userdp/base.py", "zero = 0", "zero = 0  # none\n# at all"),
    "layout": ("src/userdp/wing/near.py", "def dame(): ", "def dame(\n):\n\n    "),
    "docstring": ("src/userdp/wing/near.py", "def dame(): ", "def dame():\n    'Words.'\n    "),
    "docstring of a module": ("src/userdp/base.py", "zero", "'''Words.'''\nzero"),
    "another module of the wing": ("src/userdp/wing/far.py", "def vector", "def vectors"),
    "another name in the face": ("src/userdp/wing/__init__.py", "import leaf", "import leaf, more"),
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
    "a default": ("src/userdp/wing/near.py", "def dame()", "def dame(x=1)"),
    "a decorator": ("src/userdp/wing/near.py", "def dame()", "@cache\ndef dame()"),
    "another definition of the module": ("src/userdp/wing/near.py", "def deep()", "def deep(x)"),
    "what it imports": ("src/userdp/base.py", "zero = 0", "zero = 1"),
    "another name from there": ("src/userdp/wing/near.py", "import zero", "import one as zero"),
    "another origin of the name": ("src/userdp/wing/__init__.py", "near import *", "far import x as dame"),
    "the name in another module": ("src/userdp/wing/far.py", "['vector']", "['vector']\ndame = 1"),
    "a face that does something": ("src/userdp/wing/__init__.py", "from . import leaf", "print(1)"),
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


def test_a_name_that_moves_between_modules_which_both_count_reruns_the_page(book):
    page = page_with(book, "from userdp.wing import dame, vector")
    change(book, "src/userdp/wing/far.py", "def vector", "dame = 1\ndef vector")
    change(book, "src/userdp/wing/__init__.py", "from userdp.wing.near import *", "from .near import dame")
    before = key(page)
    change(book, "src/userdp/wing/__init__.py", "from .near import dame", "from .near import deep")
    assert key(page) != before


BINDS = (
    ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign | ast.AugAssign
)


def does_something(node):
    """Whether a statement of a module does more than bind names."""
    words = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    stored = [part for part in ast.walk(node) if isinstance(part, ast.Attribute | ast.Subscript)]
    inside = isinstance(node, ast.FunctionDef | ast.ClassDef)
    hears = "__init_subclass__" in ast.unparse(node) or "register" in "".join(
        map(ast.unparse, getattr(node, "decorator_list", []))
    )
    stores = not inside and any(isinstance(part.ctx, ast.Store) for part in stored)
    if isinstance(node, ast.Try | ast.If):
        return any(map(does_something, node.body))
    return hears or stores or not (words or isinstance(node, BINDS))


DOING = ("print(1)", "KEPT['a'] = 1", "base.zero = 1", "numpy.seterr(all='raise')", "for x in y: keep(x)")
DOING += ("@shown.register\ndef f(x): ...", "class Plugin:\n    def __init_subclass__(cls): ...")


@pytest.mark.parametrize("text", DOING)
def test_what_a_module_does_is_seen(text):
    assert does_something(ast.parse(text).body[0])


def test_no_module_of_the_packages_does_anything(root):
    """So an import of a package, which executes all of it, changes nothing in what is asked for."""
    fonts = "userdp_papers.study.style"  # gives matplotlib its fonts; who imports from its package counts it
    for name, path in Sources(root).paths.items():
        if re.match(r"userdp(_papers)?\.(?!__main__)", name) and name != fonts:
            tree = ast.parse(path.read_text(encoding="utf8"))
            assert not [ast.unparse(node) for node in tree.body if does_something(node)], name


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
        counted = [sources.module(name), *sources.reach(sources.module(name)).values()]
        assert paths <= set(map(str, sources.data(counted)))


def executed(name, sources):
    """The modules of the packages whose code a good call runs."""
    names, found, values = {str(path): module for module, path in sources.paths.items()}, set(), good(name)

    def is_import(frame):
        own = frame.f_code.co_name == "<module>" and frame.f_code.co_filename in names
        return own or bool(frame.f_back) and is_import(frame.f_back)

    def seen(frame, event, _):
        if event == "call" and frame.f_code.co_filename in names and not is_import(frame):
            found.add(names[frame.f_code.co_filename])

    sys.setprofile(seen)
    try:
        call(name, values)
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.slow
def test_every_module_that_a_call_executes_is_reached(root):
    """Good calls of all public names; what their arguments are made of is imported beside them."""
    sources = Sources(root)
    before = {*sources.reach(read_code(ast.parse((root / "tests/good_calls.py").read_text())))}
    missed, apart = {}, 0
    for name in offered():
        ran, (room, _, own) = executed(name, sources), name.partition(".")
        missed[name] = ran - before - {*sources.reach(Code("", ((FACES[room], own),), ()))}
        apart += not ran <= before
    assert not any(missed.values()), {name: gone for name, gone in missed.items() if gone}
    # without the name itself many calls execute what is not reached
    assert apart > len(missed) / 5


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
