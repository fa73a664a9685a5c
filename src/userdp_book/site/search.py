"""What a search finds first: the box of a statement by its number, a paper's first page by its authors.

Other questions are answered by pages: any word of them counts, by how rare it is and by where a page says it;
formulas, code and menus do not.
"""

import re
from collections import Counter
from collections.abc import Iterator
from math import log
from pathlib import Path

from docutils import nodes

from userdp_papers.study.claims import statements

from ..run.contents import entries
from . import SAFE
from .links import box

# papers count these together, and readers remember the number
MAIN = ("theorem", "proposition", "corollary")
SCORER = Path(__file__).parent / "search.js"
# What a word counts by the place where a page says it: asked is what the page wants to be found by.
PLACES = {"title": 8, "asked": 8, "heading": 3, "lead": 3, "body": 1}
LEAD = 3  # paragraphs
# Repetition counts less and less, and a long page says more by chance (BM25's k and b).
ENOUGH, LENGTH = 4, 0.5
WORD = re.compile(r"[^\W\d_]+|\d+")
SILENT = nodes.math | nodes.literal | nodes.literal_block | nodes.raw | nodes.math_block | nodes.comment


def configure(app, config) -> None:
    config.html_search_scorer = str(SCORER)


def note(app, doctree: nodes.document) -> None:
    """Count the words of a page by their places."""
    said: dict[str, Counter] = {place: Counter() for place in PLACES}
    for place, text in said_in(doctree):
        said[place].update(WORD.findall(text.lower()))
    app.env.metadata[app.env.docname]["words"] = said


def said_in(doctree: nodes.document) -> Iterator[tuple[str, str]]:
    """What a page says in words, and where."""
    paragraphs = 0
    for block in doctree.findall(lambda node: isinstance(node, nodes.title | nodes.paragraph | nodes.term)):
        if not (isinstance(block.parent, nodes.container) or in_cell(block)):
            place = "body" if paragraphs >= LEAD else "lead"
            if isinstance(block, nodes.title) and isinstance(block.parent, nodes.section):
                place = "title" if isinstance(block.parent.parent, nodes.document) else "heading"
            paragraphs += isinstance(block, nodes.paragraph)
            texts = (text for text in block.findall(nodes.Text) if not isinstance(text.parent, SILENT))
            yield place, " ".join(texts)


def in_cell(node: nodes.Node | None) -> bool:
    """Whether it is an output or a claim."""
    return node is not None and ("nb_element" in getattr(node, "attributes", {}) or in_cell(node.parent))


def add_words(app) -> list:
    """Give the search, beside what Sphinx knows, how much each word says of each page."""
    indexer, env = app.builder.indexer, app.env
    order = [entry.docname for entry in entries(app.srcdir) if entry.docname in env.all_docs]
    known, pages = env.get_domain("index").entries, []
    for docname in order:
        said = dict(env.metadata[docname]["words"])
        asked = " ".join(entry[1] for entry in known.get(docname, [])) + " " + docname
        said["asked"] = Counter(WORD.findall(asked.lower()))
        pages.append(weighed(said, indexer.lang.stem))
    found = {"docs": order, "words": scored(pages)}
    freeze = indexer.freeze
    indexer.freeze = lambda: freeze() | {"userdp": found}
    return []


def weighed(said: dict[str, Counter], stem) -> Counter:
    """How much a page says of each stem."""
    total: Counter = Counter()
    for place, words in said.items():
        for word, count in words.items():
            total[stem(word)] += PLACES[place] * count
    return total


def scored(pages: list[Counter]) -> dict[str, list[int]]:
    """Of each stem, in turns the pages that say it and what this counts there."""
    mean = sum(page.total() for page in pages) / len(pages)
    spread = Counter(stem for page in pages for stem in page)
    found: dict[str, list[int]] = {}
    for place, page in enumerate(pages):
        enough = ENOUGH * (1 - LENGTH + LENGTH * page.total() / mean)
        for stem, count in page.items():
            rare = log(1 + len(pages) / spread[stem])
            found.setdefault(stem, []).extend([place, round(100 * rare * count / (count + enough))])
    return found


def name_statements(app) -> list:
    """Give the search the names of the book's boxes, also those on pages that are not written this time."""
    known = app.builder.indexer._index_entries
    for id in statements():
        docname, anchor = box(app.env, id) or (None, None)
        if docname:
            told = {(name, anchor, "main") for name in names(id)}
            known[docname] = sorted(told.union(known.get(docname, [])))
    return []


def names(id: str) -> list[str]:
    """How readers ask for a statement: "Theorem 3", "Kent Theorem 3", whatever of the main results it is."""
    item = statements()[id]
    kinds = dict.fromkeys([item["kind"], "theorem"] if item["kind"] in MAIN else [item["kind"]])
    numbers = [f"{kind} {item['number']}" for kind in kinds]
    return [*numbers, *(f"{item['paper']} {number}" for number in numbers)]


def setup(app) -> dict:
    app.connect("config-inited", configure)
    app.connect("doctree-read", note)
    app.connect("html-collect-pages", name_statements)
    app.connect("html-collect-pages", add_words)
    return SAFE
