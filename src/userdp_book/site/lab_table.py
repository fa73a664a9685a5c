"""The directive ``labs``: chapter, lab, minutes, marks, and the buttons that open the student copy."""

import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from ..run.pages import Page, repository_url
from ..teach.labs import FOLDER, student_path
from .links import to_page
from .statements import table

COLAB = "https://colab.research.google.com/github/{owner}/blob/main/{path}"
BINDER = "https://mybinder.org/v2/gh/{owner}/main?urlpath=lab/tree/{path}"


class Labs(SphinxDirective):
    """One row a line of the content, ``lab: docname of its chapter``."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        rows = [self.row(*re.split(r":\s*", line, maxsplit=1)) for line in self.content if line.strip()]
        return [table(["lab", "chapter", "time", "marks", "student copy"], rows, "labs")]

    def row(self, name: str, chapter: str) -> list:
        page = Page(Path(self.env.srcdir), f"{FOLDER}/{name}")
        self.env.note_dependency(str(page.source))
        text = page.source.read_text(encoding="utf8")
        return [
            said(text, r"^# (.*)$"),
            to_page(f"book/{chapter}", chapter),
            said(text, r"\*\*Time\*\* (\d+ minutes)"),
            said(text, r"\*\*Marks\*\* (\d+)"),
            self.buttons(page),
        ]

    def buttons(self, page: Page) -> list[nodes.Node]:
        path = student_path(page).relative_to(page.root).as_posix()
        owner = repository_url(page.root).removeprefix("https://github.com/")
        download = addnodes.download_reference(
            "", "", nodes.Text("download"), refdoc=self.env.docname, reftarget=f"/{path}", refexplicit=True
        )
        links = [
            nodes.reference("", name, refuri=url.format(owner=owner, path=path), internal=False)
            for name, url in (("Colab", COLAB), ("Binder", BINDER))
        ]
        return [download, nodes.Text(" · "), links[0], nodes.Text(" · "), links[1]]


def said(text: str, pattern: str) -> str:
    """What a lab says of itself; a lab that does not say it is a fault."""
    found = re.search(pattern, text, flags=re.MULTILINE)
    if not found:
        raise ValueError(f"a lab must state {pattern!r}")
    return found.group(1)
