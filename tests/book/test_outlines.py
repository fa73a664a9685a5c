"""What Sphinx numbers, without going through the whole book for each page."""

import pytest
from sphinx.application import Sphinx
from sphinx.environment.collectors.toctree import TocTreeCollector

from userdp_book.site import outlines

INDEX = """
Book
====

.. toctree::
   :caption: Part & one
   :numbered:

   first
   second
"""
FIRST = """
*First* page
============

Section
-------

.. figure:: nowhere.png

   A caption.

.. figure:: no-caption.png

.. note::

   .. table:: Another

      == ==
      1  2
      == ==

.. math:: 1 = 1
   :label: one

.. toctree::

   below
"""
SECOND = """
Second
======

.. code-block:: python
   :caption: Some code

   x = 1

.. figure:: nowhere.png

   Its caption is the second.
"""


@pytest.fixture
def small(tmp_path):
    """A small book in Sphinx, with our outlines."""
    for name, text in {"index": INDEX, "first": FIRST, "second": SECOND, "below": "Below\n=====\n"}.items():
        (tmp_path / f"{name}.rst").write_text(text)
    folders = [tmp_path, None, tmp_path / "out", tmp_path / "trees"]
    app = Sphinx(*folders, "html", confoverrides={"numfig": True}, status=None, warning=None)
    app.connect("doctree-read", outlines.note, priority=999)
    app.connect("env-get-updated", outlines.lend, priority=499)
    app.connect("env-get-updated", outlines.take_back, priority=501)
    return app


def test_an_outline_has_the_numbers_of_its_page(small):
    small.build()
    found = small.env.toc_fignumbers
    TocTreeCollector().assign_figure_numbers(small.env)
    assert found == small.env.toc_fignumbers
    assert {page: set(kinds) for page, kinds in found.items()} == {
        "first": {"figure", "table", "displaymath"},
        "second": {"code-block", "figure"},
    }


def test_without_their_titles_figures_would_have_no_number(small, monkeypatch):
    monkeypatch.setattr(outlines, "MARKS", ())
    small.build()
    assert small.env.toc_fignumbers == {"first": {"displaymath": {"equation-one": (1, 1)}}}
