"""The order of the book, as ``_toc.yml`` has it and Sphinx's own extension reads it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sphinx_external_toc.api import Document, SiteMap
from sphinx_external_toc.parsing import parse_toc_yaml


@dataclass(frozen=True)
class Entry:
    """A page, or the caption of a part (which has no page)."""

    level: int
    docname: str = ""
    caption: str = ""


def entries(root: Path) -> list[Entry]:
    """The first page, then each part's caption and its pages, each one level below what it belongs to."""
    toc = parse_toc_yaml(root / "_toc.yml")
    return [Entry(0, toc.root.docname), *below(toc, toc.root, 0)]


def below(toc: SiteMap, page: Document, level: int) -> Iterator[Entry]:
    for part in page.subtrees:
        if part.caption:
            yield Entry(level, caption=part.caption)
        for docname in part.files():
            inner = level + bool(part.caption)
            yield Entry(inner, str(docname))
            yield from below(toc, toc[docname], inner + 1)
