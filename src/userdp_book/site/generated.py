"""Pages made from more than their source are read again when that has changed, and only then."""

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from . import SAFE

# What such a page may be made of, by name: how to find it in a repository.
SOURCES: dict[str, Callable[[Path], object]] = {}


class FromData(SphinxDirective):
    """A directive made from data whose words are Markdown of one line."""

    def text(self, markdown: str | None) -> list[nodes.Node]:
        return self.state.inline_text(markdown or "", self.lineno)[0]


def made_of(env, name: str) -> None:
    """Note in the page that is being read what it is made of, which is the same for all pages of a build."""
    known = vars(env.app).setdefault("userdp_digests", {})
    if name not in known:
        known[name] = digest(env, name)
    env.metadata[env.docname].setdefault("generated", {})[name] = known[name]


def digest(env, name: str) -> str:
    # a page may have been made of what is gone since
    made = SOURCES[name](Path(env.app.srcdir)) if name in SOURCES else None
    return sha256(json.dumps(made).encode()).hexdigest()


def of_this_room() -> str:
    """What this room and the verdicts consist of: when they change, every page is made anew."""
    room = Path(__file__).parent
    files = [path for path in room.rglob("*.*") if path.suffix in (".py", ".css", ".js", ".html", ".svg")]
    files += (room.parents[1] / "userdp_papers/study/judgement").glob("*.statements.toml")
    return sha256(b"".join(path.read_bytes() for path in sorted(files))).hexdigest()


def outdated(app, env, added, changed, removed) -> list[str]:
    """The pages that are made of something else by now."""
    noted = {docname: data["generated"] for docname, data in env.metadata.items() if "generated" in data}
    now = {name: digest(env, name) for name in {name for names in noted.values() for name in names}}
    return [docname for docname, names in noted.items() if any(now[name] != names[name] for name in names)]


def setup(app) -> dict:
    app.add_config_value("userdp_book_digest", of_this_room(), "env", types=[str])
    app.connect("env-get-outdated", outdated)
    return SAFE
