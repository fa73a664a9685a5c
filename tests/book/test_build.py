"""Which pages are made again because of what others print."""

import json
import os
import time
from types import SimpleNamespace

import pytest

from userdp_book.site import claims, generated, offline, search

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
