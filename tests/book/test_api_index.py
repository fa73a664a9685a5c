"""The list of everything public: one plain sentence each, and a place that its link leads to."""

import inspect
from importlib import import_module

import pytest
from docutils import nodes

from userdp_book.site.api_index import first_sentence, offered, rooms


@pytest.mark.parametrize("room", rooms())
def test_every_name_has_a_sentence_and_a_module_that_is_documented(room, root):
    pages = {
        page.stem: page.read_text(encoding="utf8") for page in (root / "book/reference/api").glob("*.md")
    }
    assert room.split(".")[1] in pages
    things = offered(room)
    assert things
    for thing in things:
        parts = [part for part in first_sentence(thing) if not isinstance(part, nodes.math)]
        said = "".join(part.astext() for part in parts)
        assert said.endswith(".") and not set("`\\") & set(said), thing
        home = inspect.unwrap(thing).__module__
        # what several rooms draw with has a private home, and is documented where it is offered
        told = f"autoclass:: {home}.{thing.__name__}" if "._" in home else f"automodule:: {home}"
        assert f"{told}\n" in pages[room.split(".")[1] if "._" in home else home.split(".")[1]]
        assert inspect.unwrap(getattr(import_module(home), thing.__qualname__)) is inspect.unwrap(thing)
