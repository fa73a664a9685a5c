"""Types in the signatures of the API page, by the short names of the source; properties as they are said."""

import re

from numpy.typing import ArrayLike
from sphinx.ext import autodoc
from sphinx.util.typing import stringify_annotation

from . import SAFE

ARRAY = re.compile(r"~numpy\.ndarray\[tuple\[~typing\.Any, \.\.\.\], ~numpy\.dtype\[~[\w.]*\b_?(\w+)\]\]")
KINDS = {"float64": "Floats", "int64": "Ints"}
ANY_ARRAY = stringify_annotation(ArrayLike, "smart")


def shorten(app, what, name, obj, options, signature, returned) -> tuple[str | None, str | None]:
    return short(signature), short(returned)


def short(text: str | None) -> str | None:
    plain = (text or "").replace(ANY_ARRAY, "ArrayLike").replace("<factory>", "...")  # no Python
    return ARRAY.sub(lambda found: KINDS.get(found[1], "NDArray"), plain) or None


def rejoin(app, what, name, obj, options, lines: list[str]) -> None:
    """Napoleon takes for a type what stands before a colon in a property's first line; put it back."""
    if what == "property" and lines and lines[-1].startswith(":type: "):
        lines[0] = f"{lines.pop().removeprefix(':type: ')}: {lines[0]}"


def setup(app) -> dict:
    # no event has the types of properties
    autodoc.stringify_annotation = lambda *said: short(stringify_annotation(*said))
    app.connect("autodoc-process-signature", shorten)
    app.connect("autodoc-process-docstring", rejoin, priority=600)
    return SAFE
