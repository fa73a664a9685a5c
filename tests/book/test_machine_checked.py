"""What the site shows of the proofs: a fold behind a statement's box, tables, files that come along."""

import shutil

import pytest
from docutils import nodes
from sphinx.addnodes import download_reference
from sphinx.application import Sphinx

from userdp_book.evidence import proofs

ROOMS = ("generated", "links", "boxes", "judgement", "statements", "proofs")
PAGE = """
Page
====

.. prf:lemma::
   :label: kent-lem-28

   A vote is private.

.. prf:lemma:: Ours
   :label: kent-lem-28-repaired

   A vote is private.

.. formal-statement:: vote_with_r_ones_is_private

.. machine-checked::

.. trusted-definitions::
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory, root):
    """The page as it is read, with the proofs beside it."""
    folder = tmp_path_factory.mktemp("book")
    shutil.copytree(root / "proofs", folder / "proofs", ignore=shutil.ignore_patterns("*.vo*"))
    (folder / "index.rst").write_text(PAGE)
    rooms = ["sphinx_proof", *(f"userdp_book.site.{room}" for room in ROOMS)]
    places = [folder, None, folder / "out", folder / "trees"]
    app = Sphinx(*places, "dummy", confoverrides={"extensions": rooms}, status=None, warning=None)
    app.build()
    return app.env.get_doctree("index")


def folds(page):
    return [node for node in page.findall(nodes.admonition) if "machine-checked" in node["classes"]]


def test_the_box_of_a_statement_has_one_fold_and_its_repair_none(page):
    (fold,) = folds(page)
    assert fold[0].astext() == "Machine-checked in whole"
    told = [block.astext() for block in fold.findall(nodes.literal_block) if block["language"] == "coq"]
    assert told == [each["statement"] for each in proofs.of_statement("kent-lem-28")]


def test_a_proof_that_is_stored_with_its_goals_is_stepped_through(page):
    (first, *others) = [each["steps"] for each in proofs.of_statement("kent-lem-28") if "steps" in each]
    (steps,) = folds(page)[0].findall(nodes.enumerated_list)
    assert others == [] and [item.astext() for item in steps] == ["\n\n".join(step) for step in first]


def test_a_theorem_says_what_it_rests_on_and_brings_its_file(page):
    (fold,) = folds(page)
    assert "It rests on sig_forall_dec, sig_not_dec, functional_extensionality_dep" in fold.astext()
    files = [link for link in page.findall(download_reference) if "filename" in link]
    assert {link["reftarget"] for link in files} >= {"/proofs/kent/Univariate.v", "/proofs/Privacy.v"}


def test_the_table_has_a_row_for_each_statement_that_a_theorem_is_about(page):
    (table,) = [node for node in page.findall(nodes.table) if "machine-checked" in node["classes"]]
    about = {id for each in proofs.stored() for id in each["ids"]}
    assert len(list(table.findall(nodes.row))) == 1 + len(about)
    assert f"{len(proofs.stored())} theorems about {len(about)} of " in page.astext()


def test_every_trusted_definition_is_shown(page):
    shown = page.astext()
    assert all(each["text"] in shown for each in proofs.definitions())
