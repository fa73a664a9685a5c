"""What holds for the package as a whole: what it needs to be imported, and that its examples run."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from math import exp
from typing import Any, Literal

import numpy as np
import pytest

import userdp
import userdp_papers
from faces import FACES, face
from userdp._public import checked, is_named
from userdp._types import ArrayLike, Rng
from userdp.planning import NoGain

ROOMS = [room for room in FACES if room != "study"]
MODULES = [
    module.name
    for package in (userdp, userdp_papers)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
]

INSTALLED = set(packages_distributions())

# what a call does that does not say: no delta, the corrected variant, the law of all reports at once, half of
# the budget for a first step, audits that accuse wrongly once in a million
DEFAULTS = {
    "delta": (0.0, None),
    "release_delta": (0.0,),
    "printed": (False,),
    "every_report": (False,),
    "tight": (False,),
    "general": (False, None),
    "neighbours": ("replace", "replace-same-size"),
    "half_width": (None,),
    "sensitivity": (1.0, None),
    "spread": (0.0, None),
    "variance": (0.0, None),
    "weight": (1.0,),
    "noise": (2.0,),
    "beta": (0.05,),
    "logs": (False,),
    "closed": (False,),
    "truncated": (False,),
    "split": (False,),
    "empirical": (False,),
    "public": (False,),
    "private_sizes": (False,),
    "sizes_tell": (True,),
    "random_cohorts": (True,),
    "both": (True,),
    "unbiased": (True,),
    "last": (False, "two-point"),
    "vote": (True,),
    "exact": (False,),
    "domain": ((0.0, 1.0), (-1.0, 1.0), None),
    "level": (1e-6,),
    "failure": (1e-6,),
    "share": (0.5,),
    "odds": (0.5,),
    "sigmas": (0.0,),
    "decay": (1.0,),
    "draws": (1,),
    "clips": (1,),
    "counts": (1, None),
    "dimension": (1,),
    "steps": (1000, 1, None, 50),
    "constant": (2.0, 24.0, 1.0, 64.0),
    "rounds": (15, 1, None),
    "most_rounds": (2,),
    "c1": (exp(-9) / 16,),
    "c2": (24.0,),
    "c3": (1570.0,),
    "c4": (8.0,),
    "c5": (868.5,),
    "trivial": (4.0,),
    "largest_rate": (None, 1.0),
    "bound": (1.0,),
    "pairs": (4,),
    "smallest": (1e-8,),
    "safety": (8.0,),
    "bias": (0.0,),
    "least": (0.0,),
    "centre": (0.5,),
    "mean": (1.0, 20.0),
    "shape": (0.5,),
    "start": (1.0,),
    "rate": (0.2,),
    "kappa": (1.0,),
    "reports": (81,),
    "nodes": (6,),
    "radius": (1.0,),
}

HIDE = """
import sys

class Hide:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in hidden else self.finder.find_spec(name, path, target)

    def __getattr__(self, name):
        return getattr(self.finder, name)

hidden = set(sys.argv[1].split(","))
sys.meta_path = [Hide(finder) for finder in sys.meta_path]
"""


def run(code, hidden):
    """Run code in a process that does not find some of the installed packages."""
    command = [sys.executable, "-c", HIDE + code, ",".join(hidden)]
    return subprocess.run(command, capture_output=True, text=True)


def test_all_rooms_but_one_need_numpy_and_scipy_alone():
    rooms = "\n".join(f"import {FACES[room]}" for room in ROOMS)
    done = run(f"import userdp\n{rooms}", INSTALLED - {"userdp", "userdp_papers", "numpy", "scipy"})
    assert done.returncode == 0, done.stderr


def test_what_is_hidden_is_not_found():
    assert "joblib" in INSTALLED and "No module named 'joblib'" in run("import joblib", INSTALLED).stderr
    assert run("import joblib", {"numba"}).returncode == 0


@pytest.mark.slow
def test_numba_comes_with_the_first_call_of_a_kernel():
    code = """
from userdp_papers.populations import dirichlet_draw, urns
import numpy, userdp_papers.theory.sampled
assert "numba" not in sys.modules
dirichlet_draw([1.0, 2.0], [3, 4], [1, 2], rng=numpy.random.default_rng(1))
assert "numba" in sys.modules and urns.count_urns.py_func.__name__ == "count_urns"
"""
    done = run(code, {"nothing"})
    assert done.returncode == 0, done.stderr


@pytest.mark.long
def test_the_wing_that_needs_more_says_what_and_where_from():
    code = """
for missing in sys.argv[1].split(","):
    hidden = {missing}
    ours = "userdp", "userdp_papers", missing
    for name in [name for name in sys.modules if name.partition(".")[0] in ours]:
        del sys.modules[name]
    try:
        import userdp_papers.study
    except ModuleNotFoundError as error:
        print(error)
"""
    needed = ["IPython", "joblib", "matplotlib"]
    said = run(code, needed).stdout.splitlines()
    assert [line.partition(",")[0] for line in said] == [
        f"userdp_papers.study needs {name}" for name in needed
    ]
    assert all(line.endswith("pip install 'userdp-companion[study]'") for line in said)


# what a face shows is tried in its own module, whose names its examples use
@pytest.mark.parametrize("name", [name for name in MODULES if name not in FACES.values()])
def test_examples_run(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_every_public_module_is_on_the_page_of_its_room(root):
    modules = [
        name for name in MODULES if "._" not in name and name not in {*FACES.values()} - {"userdp.sizes"}
    ]
    public = [name for name in modules if hasattr(importlib.import_module(name), "__all__")]
    folder = root / "book" / "reference" / "api"
    shown = {page.stem: page.read_text(encoding="utf8") for page in folder.glob("*.md")}
    assert public and [one for one in public if f"automodule:: {one}\n" not in shown[one.split(".")[1]]] == []


def test_the_ten_lines_of_the_readme_run(root, capsys):
    (block,) = re.findall(r"```python\n(.*?)```", (root / "README.md").read_text(encoding="utf8"), re.DOTALL)
    exec(compile(block, "README.md", "exec"), {})
    *table, answer = capsys.readouterr().out.splitlines()
    assert any("average of all users" in line for line in table) and "Guarantee(epsilon=1.0" in answer
    assert abs(float(answer.split()[0]) - 3.5) < 0.1


def test_a_parameter_has_the_same_default_wherever_it_stands():
    found = {name: set() for name in DEFAULTS}
    for room in ROOMS:
        things = (getattr(face(room), name) for name in face(room).__all__)
        for thing in (one for one in things if callable(one) and one is not NoGain):
            for name, parameter in inspect.signature(thing).parameters.items():
                if name in found and parameter.default is not parameter.empty:
                    found[name].add(parameter.default)
    assert found == {name: set(values) for name, values in DEFAULTS.items()}


def test_no_test_ignores_what_it_is_given_or_compares_constants(root):
    """A body that never reads a parameter tests one case many times; two constants never differ."""
    idle = []
    for file in sorted((root / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf8"))):
            if isinstance(node, ast.FunctionDef):
                marks = [m for m in node.decorator_list if "parametrize" in ast.unparse(m)]
                given = [ast.literal_eval(mark.args[0]) for mark in marks]
                lists = (one.split(",") if isinstance(one, str) else one for one in given)
                names = {name.strip() for one in lists for name in one}
                read = {one.id for part in node.body for one in ast.walk(part) if isinstance(one, ast.Name)}
                idle += [f"{file.name}: {node.name} ignores {name}" for name in names - read]
            elif isinstance(node, ast.Assert) and not any(isinstance(n, ast.Name) for n in ast.walk(node)):
                idle.append(f"{file.name}:{node.lineno} compares constants")
    assert not idle


def test_an_argument_given_twice_is_refused():
    """Both by position and by name: the one by name was taken in silence."""
    for call in (
        lambda: userdp.sizes.constant_size(5, size=7),
        lambda: userdp.privacy.Guarantee(0.5, epsilon=0.1),
        lambda: userdp.privacy.LaplaceReport(-1.0, 1.0, 1.0, epsilon=9.0),
    ):
        with pytest.raises(TypeError, match="multiple values for argument"):
            call()


@checked
def given(
    number: int = 0,
    pair: tuple[float, float] = (0.0, 1.0),
    word: Literal["a", 1] = "a",
    flag: bool = False,
    data: ArrayLike = (),
    perhaps: ArrayLike | None = None,
    maybe: float | None = None,
    either: int | str = 0,
    rng: Rng | None = None,
    free: Any = None,
    *more: Any,
) -> dict[str, Any]:
    return locals()


@checked
class Inverse:
    def __init__(self, n: int, data: ArrayLike = ()):
        if n < 0:
            raise ValueError(f"n must be positive, got {n}")
        self.value = 1 / n

    @classmethod
    def of(cls, n: int) -> "Inverse":
        return cls(n)

    def same(self, x: float) -> Any:
        return x


MIXED = np.array([None, 1.5], dtype=object)


@pytest.mark.parametrize(("name", "value", "taken"), [
    ("number", np.int8(3), 3), ("number", np.float32(0.5), 0.5), ("number", np.array(3), 3),
    ("number", -np.inf, -np.inf), ("pair", [np.int8(0), np.float16(5)], (0, 5.0)),
    ("pair", np.array([0.0, 1.0]), (0.0, 1.0)), ("word", 1.0, 1.0), ("flag", np.bool_(True), True),
    ("data", [1, True], [1, True]), ("data", MIXED, MIXED), ("perhaps", None, None), ("maybe", None, None),
    ("maybe", np.float32(0.5), 0.5), ("either", print, print), ("rng", None, None), ("free", print, print),
])  # fmt: skip
def test_a_checked_call_takes_each_kind_of_argument(name, value, taken):
    """By name and by place; numbers as Python's."""
    defaults = given()
    before = [*defaults.values()][: [*defaults].index(name)]
    for found in (given(**{name: value})[name], given(*before, value)[name]):
        assert type(found) is type(taken) and (found is taken or found == taken)
    assert given(*[*defaults.values()][:-1], np.int8(3))["more"] == (3,)


@pytest.mark.parametrize(("name", "value", "error", "words"), [
    ("number", "3", ValueError, "a finite number, got '3'"), ("number", True, ValueError, "a finite number"),
    ("number", 10**400, ValueError, "a finite number"), ("number", np.nan, ValueError, "a finite number"),
    ("number", np.array([True]), ValueError, r"a finite number, got dtype bool and shape \(1,\)"),
    ("pair", (1, 2, 3), TypeError, "a pair of numbers, got tuple"), ("pair", "ab", TypeError, "a pair of"),
    ("word", "c", ValueError, "one of 'a', 1, got 'c'"), ("word", True, ValueError, "one of 'a', 1"),
    ("word", ["a"], ValueError, "one of 'a', 1, got list"), ("flag", 1, TypeError, "True or False, got 1"),
    ("data", None, TypeError, "real numbers, got None"), ("data", [[1], [1, 2]], TypeError, "real numbers"),
    ("data", ["a"], TypeError, "real numbers"), ("perhaps", [1j], TypeError, "real numbers, got list"),
    ("data", np.array(["a", 1], object), TypeError, r"real numbers, got dtype object and shape \(2,\)"),
    ("maybe", 59 * "x", ValueError, "a finite number or None, got 'x"),
    ("maybe", 60 * "x", ValueError, "a finite number or None, got str"),
    ("rng", 0, TypeError, r"a numpy\.random\.Generator or None, got 0"),
])  # fmt: skip
def test_a_checked_call_refuses_what_is_of_another_kind_in_words(name, value, error, words):
    with pytest.raises(error, match=f"^{name} must be {words}"):
        given(**{name: value})


def test_what_fails_within_a_call_is_told_with_the_call_unless_it_names_a_parameter():
    @checked
    def twice(x: int) -> Any:
        return 2 * Inverse(x, data).value

    data, there, cause = np.ones(2), r"test_\w+\.<locals>\.twice\(x=", "has no answer: .*division by zero$"
    for call, error, words in (
        (lambda: Inverse(0, data), ValueError, rf"Inverse\(n=0, data=dtype f\w+ and shape \(2,\)\) {cause}"),
        (lambda: Inverse.of(0), ValueError, rf"Inverse\.of\(n=0\) {cause}"),
        (lambda: twice(0), ValueError, rf"{there}0\) {cause}"),
        (lambda: Inverse(-1), ValueError, "n must be positive, got -1$"),
        (lambda: twice(-1), ValueError, rf"{there}-1\) has no answer: n must be positive, got -1$"),
        (lambda: Inverse("x"), TypeError, r"Inverse\(n='x'\) has no answer"),
        (lambda: twice(), TypeError, ".* missing 1 required"),
    ):
        with pytest.raises(error, match=f"^{words}"):
            call()
    for made in (Inverse(np.int8(1)), Inverse.of(np.int8(1))):
        assert type(made.same(np.float32(0.5))) is float and made.same("x") == "x"


def test_an_error_names_a_number_by_its_value_or_its_shape():
    assert is_named(ValueError("n must be positive, got 7"), "n", 7)
    assert is_named(ValueError("n must have shape (3,), got (2,)"), "n", 7)
    assert not is_named(ValueError("n must be positive"), "n", 7)
    assert not is_named(ValueError("m must be positive, got 7"), "n", 7)
