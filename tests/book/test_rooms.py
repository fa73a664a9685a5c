"""Each room of the site is a Sphinx extension of its own: it says that it is safe, and can be left out."""

from importlib import import_module
from types import SimpleNamespace

import pytest
from sphinx.application import Sphinx

from userdp_book.site import SAFE, extension

OTHERS = ["myst_nb", "sphinx_proof", "sphinx_exercise", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
SITE = "userdp_book.site"
PAGE = "Page\n====\n\nA word, and :math:`x` of it.\n"


@pytest.fixture
def made(tmp_path):
    """Builds a page with some rooms."""

    def build(rooms):
        (tmp_path / "index.rst").write_text(PAGE)
        (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: index\n")
        (tmp_path / "_config.yml").write_text("repository: {url: https://example.org/x/userdp}\n")
        settings = {"extensions": OTHERS + [f"{SITE}.{room}" for room in rooms], "ogp_image": "picture.png"}
        folders = [tmp_path, None, tmp_path / "out", tmp_path / "trees"]
        app = Sphinx(*folders, "dummy", confoverrides=settings, status=None, warning=None, freshenv=True)
        app.build()
        return app

    return build


def test_every_module_with_a_setup_is_a_room(root):
    modules = [path.stem for path in (root / "src/userdp_book/site").glob("[a-z]*.py")]
    with_setup = {name for name in modules if hasattr(import_module(f"{SITE}.{name}"), "setup")}
    assert with_setup == {*extension.ROOMS, "extension"} and len(set(extension.ROOMS)) == len(extension.ROOMS)


def test_the_extension_loads_the_rooms_and_does_nothing_else():
    loaded = []
    assert extension.setup(SimpleNamespace(setup_extension=loaded.append)) == SAFE
    assert loaded == [f"{SITE}.{room}" for room in extension.ROOMS]


@pytest.mark.parametrize("left_out", extension.ROOMS)
def test_each_room_can_be_left_out(made, left_out):
    rooms = [room for room in extension.ROOMS if room != left_out]
    app = made(rooms)
    assert app.env.found_docs == {"index"} and f"{SITE}.{left_out}" not in app.extensions
    for room in rooms:
        found = app.extensions[f"{SITE}.{room}"]
        assert found.parallel_read_safe and found.parallel_write_safe
