"""Types in the signatures of the API page, by the short names of the source; properties as they are said."""

import re

from numpy.typing import ArrayLike
from sphinx.util.typing import stringify_annotation

from . import SAFE

ARRAY = re.compile(r"~numpy\.ndarray\[tuple\[~typing\.Any, \.\.\.\], ~numpy\.dtype\[~[\w.]*\b_?(\w+)\]\]")
KINDS = {"float64": "Floats", "int64": "Ints"}
ANY_ARRAY = stringify_annotation(ArrayLike, "smart")


def shorten(app, what, name, obj, options, signature, returned) -> tuple[str | None, str | None]:
    return short(signature), short(returned)


def short(text: str | None) -> str | None:
    if text is None:
        return None
    text = text.replace(ANY_ARRAY, "ArrayLike").replace("<factory>", "...")  # the latter is no Python
    return ARRAY.sub(lambda found: KINDS.get(found[1], "NDArray"), text)


def rejoin(app, what, name, obj, options, lines: list[str]) -> None:
    """Napoleon takes for a type what stands before a colon in a property's first line; put it back."""
    if what == "property" and lines and lines[-1].startswith(":type: "):
        lines[0] = f"{lines.pop().removeprefix(':type: ')}: {lines[0]}"


def setup(app) -> dict:
    app.connect("autodoc-process-signature", shorten)
    app.connect("autodoc-process-docstring", rejoin, priority=600)
    return SAFE
