"""The order of the book, as ``_toc.yml`` has it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml


@dataclass(frozen=True)
class Entry:
    """A page, or the caption of a part (which has no page)."""

    level: int
    docname: str = ""
    caption: str = ""


def entries(root: Path) -> list[Entry]:
    """The first page, then each part's caption and its pages, each one level below what it belongs to."""
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf8"))
    found = [Entry(0, toc["root"])]
    for part in toc.get("parts", []):
        found.append(Entry(0, caption=part["caption"]))
        found += below(part, level=1)
    return found + list(below(toc, level=0))


def below(node: dict, level: int) -> Iterator[Entry]:
    for key in ("chapters", "sections"):
        for child in node.get(key, []):
            if "file" in child:
                yield Entry(level, child["file"])
                yield from below(child, level + 1)
