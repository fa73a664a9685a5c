"""The house as it shall be: bounds of code, doors, and no private name across a border."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from inspect import isclass, isfunction, unwrap

import jedi
import pytest

import userdp
from code_lines import code_lines
from faces import FACES, face

PACKAGES = ("userdp", "userdp_papers", "userdp_book")
INSTALLED = ("privacy", "sizes", "local", "central", "planning", "tables", "release")
# lines of code: no docstring, comment or blank line
BOUNDS = {
    ("userdp",): 5_100,
    ("userdp/privacy", "userdp/local", "userdp/central"): 2_900,
    ("userdp_papers",): 2_800,
    ("userdp_book",): 4_900,
}
MOST_NAMES = 150
MOST_MODULES = 45  # beside the package itself


def files(root, *folders):
    return [file for folder in folders for file in sorted((root / "src" / folder).rglob("*.py"))]


@pytest.mark.parametrize("folders", BOUNDS, ids=" and ".join)
def test_the_bounds_of_code_are_kept(root, folders):
    assert 0 < sum(map(code_lines, files(root, *folders))) <= BOUNDS[folders]


def test_what_one_installs_has_few_public_names():
    names = {name for room in INSTALLED for name in face(room).__all__} | {*userdp.__all__}
    assert 100 < len(names) <= MOST_NAMES


def test_an_import_loads_few_modules_and_no_heavy_part_of_scipy():
    heavy = "{'scipy.optimize', 'scipy.stats', 'scipy.linalg', 'scipy.spatial'} & {*sys.modules}"
    code = f"import sys, userdp; print(sum(name.startswith('userdp.') for name in sys.modules), *{heavy})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    count, *loaded = done.stdout.split()
    assert 10 < int(count) <= MOST_MODULES and loaded == []


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """What an editor asks; its files on disk are one process's own, since two at once find half a file."""
    shared, jedi.settings.cache_directory = jedi.settings.cache_directory, tmp_path_factory.mktemp("jedi")
    yield jedi
    jedi.settings.cache_directory = shared


@pytest.mark.parametrize("room", FACES)
def test_an_editor_sees_what_a_room_shows(reader, room):
    """By a reader of code that runs nothing, although no list of names is written out."""
    seen = reader.Script(f"import {FACES[room]} as door\ndoor.").complete()
    assert {*face(room).__all__} <= {one.name for one in seen}


def private_imports(text):
    """Private names that a module takes from another: by an import, or as an attribute of one."""
    tree = ast.parse(text)
    taken_from = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    ours = [node for node in taken_from if node.level or (node.module or "").split(".")[0] in PACKAGES]
    taken = [(node, each.name) for node in ours for each in node.names if is_private(each.name)]
    yield from (name for node, name in taken if not is_module(node, name))
    bound = {each.asname or each.name for node in ours for each in node.names if is_module(node, each.name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr) and ast.unparse(node.value) in bound:
            yield f"{ast.unparse(node.value)}.{node.attr}"


def is_private(name):
    return name.startswith("_") and not name.startswith("__")


def is_module(node, name):
    try:
        import_module(f"{node.module}.{name}")
    except (ImportError, TypeError):
        return False
    return True


def test_no_private_name_crosses_the_border_of_a_module(root):
    found = {
        str(file.relative_to(root)): names
        for file in files(root, *PACKAGES)
        if (names := [*private_imports(file.read_text(encoding="utf8"))])
    }
    assert found == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from userdp.local.mean import _one_round", ["_one_round"]),
        ("from userdp.local import mean\nmean._one_round(1)", ["mean._one_round"]),
        ("from userdp import _validate\n_validate.positive(n=1)", []),
        ("from userdp.local._rounds import Rounds", []),
    ],
)
def test_a_private_name_would_be_seen(text, found):
    assert [*private_imports(text)] == found


def test_one_object_by_every_door():
    """The top, a room's face and the module in which it stands show the same function."""
    doors = {"userdp": userdp} | {room: face(room) for room in FACES}
    for door in doors.values():
        for name in door.__all__:
            thing = getattr(door, name)
            if isfunction(unwrap(thing)) or isclass(thing):
                assert thing is getattr(import_module(thing.__module__), name), (door.__name__, name)
                others = [getattr(other, name) for other in doors.values() if name in other.__all__]
                assert all(other is thing for other in others), name


def test_every_public_function_is_checked_and_listed_where_it_stands():
    """`@public` is written at the definition, and no list beside it; tables and data name their rows."""
    for room in FACES.keys() - {"tables", "data", "study"}:
        names = face(room).__all__
        offered = [getattr(face(room), name) for name in names]
        assert [one.__name__ for one in offered if isfunction(one) and not hasattr(one, "__wrapped__")] == []
        assert len({*names}) == len(names) > 0, room


def test_the_first_line_of_a_module_of_estimators_names_its_algorithms(root):
    silent = []
    for file in files(root, "userdp/local", "userdp/central"):
        if not file.name.startswith("_"):
            first = ast.get_docstring(ast.parse(file.read_text(encoding="utf8"))).partition("\n")[0]
            if not re.search(r"Algorithm|Lemma|Section|Theorem|\(\d+\)", first):
                silent.append(f"{file.parent.name}/{file.name}: {first}")
    assert silent == []


def test_the_wheel_holds_the_small_package_alone(root):
    """No verdicts, no tables, nothing of the book: `make check-launch` builds it and installs it alone."""
    said = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf8"))
    assert said["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["src/userdp"]
    needed = {re.match(r"[\w-]+", need)[0] for need in said["project"]["dependencies"]}
    assert needed == {"numpy", "scipy"}
    kinds = {file.suffix for file in (root / "src/userdp").rglob("*.*") if file.suffix != ".pyc"}
    assert kinds <= {".py", ".typed"} | {suffix for suffix in kinds if suffix.startswith((".nbi", ".nbc"))}
