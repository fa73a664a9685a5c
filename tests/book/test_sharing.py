"""What a shared link says: a sentence of the page without a formula, and a picture of the verdicts."""

from types import SimpleNamespace

from docutils import nodes
from docutils.core import publish_doctree

from userdp_book.site import sharing

PAGE = """
Page
====

Short.

Let :math:`x` be a number of which this sentence speaks.

.. figure:: nowhere.png

   A caption that is long enough to be a sentence.

Users "hold" records & more, et al. say so. A second sentence.
"""
SENTENCE = 'Users "hold" records & more, et al. say so.'


def test_the_first_sentence_has_no_formula_and_is_no_caption():
    assert sharing.first_sentence(publish_doctree(PAGE)) == SENTENCE
    assert sharing.first_sentence(publish_doctree("A\n=\n")) == sharing.SUBTITLE.capitalize()


def test_a_long_sentence_is_cut_after_a_word():
    found = sharing.first_sentence(publish_doctree("word " * 100))
    assert len(found) <= sharing.LONGEST + 2 and found.endswith("word …")


def test_the_page_and_who_shares_it_are_told_the_same():
    context = {"meta": None, "metatags": ""}
    sharing.describe(None, "page", "page.html", context, publish_doctree(PAGE))
    told = "Users &quot;hold&quot; records &amp; more, et al. say so."
    assert context["meta"] == {"og:description": told}
    assert context["metatags"] == f'<meta name="description" content="{told}"/>\n'


def test_the_picture_is_written_for_html_unless_the_build_failed(tmp_path):
    (tmp_path / "_static").mkdir()
    config = SimpleNamespace(project="A title", ogp_image="_static/preview.png")
    builder = SimpleNamespace(format="html")
    app = SimpleNamespace(outdir=tmp_path, config=config, builder=builder)
    sharing.write(app, ValueError())
    assert not (tmp_path / config.ogp_image).exists()
    sharing.write(app, None)
    assert (tmp_path / config.ogp_image).read_bytes().startswith(b"\x89PNG")
    assert sharing.draw("A title").size == sharing.SIZE


def test_a_proof_is_no_summary():
    page = nodes.document("", "")
    box = nodes.admonition("", nodes.paragraph(text="A theorem that is long enough."), classes=["proof"])
    page += [box, nodes.paragraph(text="What this page is about, in a sentence.")]
    assert sharing.first_sentence(page) == "What this page is about, in a sentence."
