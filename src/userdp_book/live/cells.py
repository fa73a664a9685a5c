"""Cells one after another, in a browser: there is no kernel, and what pages need of IPython is here.

A cell's outputs have the form in which a notebook stores them, so that the two can be compared.
This file is read by the page's worker; it imports nothing of this project.
"""

import ast
import base64
import builtins
import io
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout
from types import ModuleType, TracebackType
from typing import Any

import matplotlib.pyplot as plt

Output = dict[str, Any]
OUTPUTS: list[Output] = []
REPRESENTATIONS = {
    "text/html": "_repr_html_",
    "text/latex": "_repr_latex_",
    "text/markdown": "_repr_markdown_",
    "image/svg+xml": "_repr_svg_",
}
# How Pyodide refuses what it lacks.
REFUSALS = {"threads": "can't start new thread", "processes": "does not support processes"}


def bundle(value: object) -> dict[str, Any]:
    """Every form in which the value shows itself."""
    data = {"text/plain": repr(value)}
    for kind, method in REPRESENTATIONS.items():
        shown = getattr(value, method, lambda: None)()
        if shown is not None:
            data[kind] = shown
    return data | getattr(value, "_repr_mimebundle_", dict)()


def display(*values: object) -> None:
    OUTPUTS.extend({"output_type": "display_data", "data": bundle(value)} for value in values)


class Stream(io.TextIOBase):
    """What is printed: one output a cell, as the stored notebooks have it."""

    def __init__(self, name: str):
        self.name = name

    def write(self, text: str) -> int:
        new = {"output_type": "stream", "name": self.name, "text": ""}
        printed = next((output for output in OUTPUTS if output.get("name") == self.name), new)
        printed["text"] += text
        if printed is new:
            OUTPUTS.append(new)
        return len(text)


def show_figures(*_: object, **__: object) -> None:
    """As a notebook does at a cell's end: show the figures that are open, and close them."""
    for number in plt.get_fignums():
        file = io.BytesIO()
        plt.figure(number).savefig(file, format="png", bbox_inches="tight")
        picture = base64.b64encode(file.getvalue()).decode()
        OUTPUTS.append({"output_type": "display_data", "data": {"image/png": picture}})
    plt.close("all")


def evaluate(source: str, names: dict[str, Any]) -> None:
    """Run the cell; show the value of its last line, unless that ends in a semicolon."""
    tree = ast.parse(source, "<cell>")
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr) and not source.rstrip().endswith(";"):
        tree.body.pop()
        exec(compile(tree, "<cell>", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
        if value is not None:
            OUTPUTS.append({"output_type": "execute_result", "data": bundle(value)})
    else:
        exec(compile(tree, "<cell>", "exec"), names)


def own(error: BaseException) -> TracebackType | None:
    """The traceback without the frames of this file."""
    step = error.__traceback__
    while step and step.tb_frame.f_code.co_filename == __file__:
        step = step.tb_next
    return step


def absent(error: BaseException) -> str:
    """What the cell asked for in vain, where that is what a browser has not."""
    if isinstance(error, ModuleNotFoundError):
        return f"package {error.name}"
    return next((what for what, said in REFUSALS.items() if said in str(error)), "")


def run(source: str, names: dict[str, Any]) -> list[Output]:
    """The outputs of one cell; an error is one of them."""
    OUTPUTS.clear()
    with redirect_stdout(Stream("stdout")), redirect_stderr(Stream("stderr")):
        try:
            evaluate(source, names)
        except BaseException as error:
            show_figures()
            # From the reader's own line on: what calls it here says nothing.
            said = traceback.format_exception(error.with_traceback(own(error)))
            if what := absent(error):
                said.append(f"A browser has no {what}: open this page as a notebook.")
            OUTPUTS.append(
                {
                    "output_type": "error",
                    "ename": type(error).__name__,
                    "evalue": str(error),
                    "traceback": said,
                }
            )
        else:
            show_figures()
    return list(OUTPUTS)


def stand_in() -> None:
    """Take the place of IPython, of which pages and package use `display` alone, and show figures."""
    plt.show = show_figures
    ipython, shown = ModuleType("IPython"), ModuleType("IPython.display")
    shown.display = ipython.display = display  # type: ignore[attr-defined]
    # matplotlib asks for both.
    ipython.version_info, ipython.get_ipython = (9, 0), lambda: None  # type: ignore[attr-defined]
    sys.modules |= {"IPython": ipython, "IPython.display": shown}
    builtins.display = display  # type: ignore[attr-defined]
