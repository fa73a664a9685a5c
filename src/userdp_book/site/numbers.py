"""Theorems and figures go by part and page, K6.1 and K6.2: one finds them, and few move with an edit."""

from ..run.contents import entries
from . import SAFE

# by its first letter, but for those whose letter another part has
PARTS = {"data": "R", "compare": "M", "left-to-win": "M", "reproduce": "P", "reference": "A"}


def prefixes(docnames: list[str]) -> dict[str, str]:
    """Of each page its part's letter and its place in it, from 0: K6."""
    seen, found = {}, {}
    for docname in docnames:
        part = docname.removeprefix("book/").split("/")[0]
        letter = PARTS.get(part, part[0].upper())
        found[docname] = f"{letter}{seen.setdefault(letter, 0)}"
        seen[letter] += 1
    return found


def forget(app, env) -> list[str]:
    """Give Sphinx back the numbers that it gave, by which it knows what has moved."""
    env.toc_fignumbers = getattr(env, "userdp_plain_numbers", env.toc_fignumbers)
    return []


def renumber(app, env) -> list[str]:
    """In the place of a count through the book: one through each page."""
    env.userdp_plain_numbers, env.toc_fignumbers = env.toc_fignumbers, {}
    names = prefixes([entry.docname for entry in entries(app.srcdir) if entry.docname])
    for docname, kinds in env.userdp_plain_numbers.items():
        env.toc_fignumbers[docname] = {
            kind: {id: (names.get(docname, ""), place) for place, id in enumerate(numbered, start=1)}
            for kind, numbered in kinds.items()
        }
    return []


def setup(app) -> dict:
    app.connect("env-get-updated", forget, priority=499)
    app.connect("env-get-updated", renumber, priority=501)
    return SAFE
