"""When the book is built again, and which pages are made again because of what others print."""

import json
import os
import subprocess
import time
from types import SimpleNamespace

import pytest

from userdp_book.site import build, claims, generated, offline, search

HEAD = "---\nkernelspec: {name: python3}\n---\n"


@pytest.fixture
def book(tmp_path):
    """A repository of one page, its run and the package."""
    write(tmp_path, "_config.yml", "repository: {url: https://example.org/x/userdp}\n")
    write(tmp_path, "book/page.md", HEAD)
    write(tmp_path, "src/userdp/module.py", "'''Words that the reference shows.'''\n")
    run(tmp_path, "holds", 2.0)
    return tmp_path


def write(root, name, text):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def run(root, verdict, taken):
    """What a run of the page leaves: one claim, and how long it took."""
    output = {"data": {claims.MIME: {"id": "x", "verdict": verdict}}}
    noted = {"metadata": {"userdp": {"seconds": taken}}, "cells": [{"outputs": [output]}, {}]}
    write(root, "_build/executed/page.ipynb", json.dumps(noted))
    # a file that is written twice within one tick of the clock would have one time
    os.utime(root / "_build/executed/page.ipynb", ns=(time.time_ns(),) * 2)


# the whole book


@pytest.fixture
def sphinx(monkeypatch):
    """Stands for Sphinx: counts its runs, of which the next ends with ``status``."""
    calls = SimpleNamespace(count=0, status=0)

    def pretend(command, env):
        calls.count += 1
        build.HTML.mkdir(parents=True, exist_ok=True)
        return SimpleNamespace(returncode=calls.status)

    monkeypatch.setattr(subprocess, "run", pretend)
    return calls


EDITS = {
    "page": "book/page.md",
    "new page": "book/new.md",
    "docstring": "src/userdp/module.py",
    "run": "_build/executed/page.ipynb",
    "configuration": "_config.yml",
    "file to offer": "_build/downloads/userdp.pdf",
    "Pyodide": "_build/live/pyodide-lock.json",
}


@pytest.mark.parametrize("name", EDITS.values(), ids=EDITS)
def test_the_book_is_built_again_when_what_it_is_made_of_changes(book, sphinx, monkeypatch, name):
    monkeypatch.chdir(book)
    assert [build.build(book, 1) for _ in range(2)] == [0, 0] and sphinx.count == 1
    write(book, name, "another")
    assert [build.build(book, 1) for _ in range(2)] == [0, 0] and sphinx.count == 2


def test_tests_and_stored_notebooks_are_no_part_of_the_book(book, sphinx, monkeypatch):
    monkeypatch.chdir(book)
    build.build(book, 1)
    for name in ("tests/test_it.py", "notebooks/page.ipynb", "README.md", "src/userdp/__pycache__/a.pyc"):
        write(book, name, "another")
    build.build(book, 1)
    assert sphinx.count == 1


def test_a_build_that_failed_is_tried_again(book, sphinx, monkeypatch):
    monkeypatch.chdir(book)
    build.build(book, 1)
    write(book, "book/page.md", "faulty")
    sphinx.status = 1
    assert [build.build(book, 1) for _ in range(2)] == [1, 1] and sphinx.count == 3
    write(book, "book/page.md", HEAD)
    sphinx.status = 0
    assert build.build(book, 1) == 0 and sphinx.count == 4


# pages made from claims or files


@pytest.fixture
def env(book):
    """Sphinx's memory of three pages, each made of something else, and one of prose."""
    names = ("claims", "places", "downloads")
    made = SimpleNamespace(
        app=SimpleNamespace(srcdir=book), metadata={name: {} for name in (*names, "prose")}
    )
    for made.docname in names:
        generated.made_of(made, made.docname)
    return made


def outdated(env):
    return generated.outdated(None, env, set(), set(), set())


def test_nothing_is_made_again_when_nothing_has_changed(book, env):
    assert outdated(env) == []
    run(book, "holds", 2.0)
    write(book, "book/prose.md", "# New\n")
    assert outdated(env) == []


def test_pages_are_made_again_of_what_has_changed(book, env):
    run(book, "refuted", 2.0)
    assert outdated(env) == ["claims"]
    run(book, "holds", 2.0)
    write(book, offline.DOWNLOADS / "userdp.pdf", "x" * 100_000)
    assert outdated(env) == ["downloads"]


def test_what_a_word_counts_is_by_where_and_how_rarely_it_is_said():
    """A title counts more than its repetition below, and a word that all pages say counts little."""
    said = [
        {"title": {"clip": 1}, "body": {"mean": 9}},
        {"body": {"clip": 3, "mean": 1}},
        {"body": {"mean": 1}},
    ]
    found = search.scored([search.weighed(page, str) for page in said])
    counts = dict(zip(found["clip"][::2], found["clip"][1::2], strict=True))
    assert counts[0] > counts[1] > 0 and 2 not in counts
    assert found["mean"][found["mean"].index(2) + 1] < counts[1]
