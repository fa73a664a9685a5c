"""The figure that a page's head names stands in the box that opens it, as a link to itself."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document
from sphinx.errors import ExtensionError

from userdp_book.site.opening import SMALL, put_figure


def opened(name, *parts):
    doctree = new_document("page")
    doctree += parts
    app = SimpleNamespace(env=SimpleNamespace(metadata={"page": {"opening": name} if name else {}}))
    put_figure(app, doctree, "page")
    return doctree


def box(kind="tip"):
    return nodes.admonition("", nodes.title(text="On this page"), nodes.paragraph(), classes=[kind])


def figure(name):
    return nodes.figure("", nodes.image(uri=f"{name}.png", alt=f"what {name} shows"), ids=[name])


def test_the_figure_stands_behind_the_title_of_the_box_and_stays_below():
    doctree = opened("fig-b", box("note"), box(), figure("fig-a"), figure("fig-b"))
    first, second, *figures = doctree.children
    title, link, words = second.children
    (picture,) = link.children
    assert isinstance(title, nodes.title) and isinstance(words, nodes.paragraph) and len(first.children) == 2
    assert link["refid"] == "fig-b" and picture["uri"] == "fig-b.png" and picture["classes"] == [SMALL]
    assert [next(one.findall(nodes.image))["alt"] for one in figures] == [
        "what fig-a shows",
        "what fig-b shows",
    ]


def test_a_page_that_names_none_stays_as_it_is():
    assert not [*opened(None, box(), figure("fig-a")).findall(nodes.reference)]


@pytest.mark.parametrize("parts", [(box(), figure("fig-a")), (box("note"), figure("fig-b"))])
def test_a_figure_or_box_that_is_not_there_is_told(parts):
    with pytest.raises(ExtensionError, match="page: opening: 'fig-b'"):
        opened("fig-b", *parts)
