"""The student copies of the labs: pages that can be filled in, and the directive ``labs`` that lists them.

A page is the student copy itself, which Sphinx puts beside it: what is handed in is that file, filled in.
"""

import json
import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from ..run.pages import Page, code_cells, read, repository_url
from ..teach.course import times
from ..teach.labs import FOLDER, STUDENT, student_path
from . import SAFE
from .links import to_page
from .outputs import depend_on_outputs, lighten
from .statements import table
from .twins import NOWHERE

COLAB = "https://colab.research.google.com/github/{owner}/blob/main/{path}"
BINDER = "https://mybinder.org/v2/gh/{owner}/main?urlpath=lab/tree/{path}"
HOW = """```{{admonition}} Work in this page
:class: tip lab
▶ *Run here*, at the top, lets you write into the cells and runs them in your browser.
A check says at once whether it passes, and the page's contents keep the tally.
What you write stays in this browser, also when you close the page, until you press *Start again*.
*Save the file to hand in* puts `{name}.ipynb`, with your answers, into your downloads.
```"""

PICTURE = "```{{diagram}} {}\n```\n\n"
# What each lab is about, as the chapters draw it.
PICTURES = {
    "warm-up": "lies-subtracted",
    "randomised-response": "local-and-central",
    "localise-refine": "vote-then-refine",
    "unequal-sizes": "shrink-and-debias",
    "sparse-means": "one-sign-each",
    "central-weights": "capped-weights",
    "contribution-bounds": "nested-clips",
    "break-it": "item-and-user",
    "plan-it": "which-method",
}
MINUTES = re.compile(r", by section [\d, ]+")
HEADING = re.compile(r"^## (.*)$", re.MULTILINE)
ANSWER = "```{{container}} answer\n{}\n```"
DRAWN = "\nUntil you run the cell, the page shows the figure that right answers draw."
WORTH = "\n\n```{{container}} worth\n{} minutes · {} marks\n```"


def lab_of(docname: str) -> str:
    """The lab whose student copy this page is."""
    folder, _, name = docname.rpartition("/")
    return name if folder == STUDENT else ""


def open_lab(app, docname: str, source: list[str]) -> None:
    """Of a lab's page: leave out what installs, say how to work here, show its figure."""
    if name := lab_of(docname):
        page = Page(Path(app.srcdir), f"{FOLDER}/{name}")
        nb = json.loads(source[0])
        for cell in nb["cells"]:
            graded = cell["metadata"].get("nbgrader", {})
            kinds = [kind for kind, key in (("stub", "solution"), ("check", "grade")) if graded.get(key)]
            cell["metadata"]["tags"] = ["show", *kinds]
            cell["source"] = "".join(cell["source"])
        worth = {title: WORTH.format(*rest) for _, title, *rest in times(page)}
        for cell in (one for one in nb["cells"] if one["cell_type"] == "markdown"):
            cell["source"] = HEADING.sub(lambda found: found[0] + worth[found[1]], cell["source"])
        head = nb["cells"][1]
        title, _, rest = head["source"].partition("\n\n")
        picture = PICTURE.format(PICTURES[name]) if name in PICTURES else ""
        head["source"] = f"{title}\n\n{picture}{MINUTES.sub('', rest)}"
        how = {"cell_type": "markdown", "id": "how", "metadata": {}, "source": HOW.format(name=name)}
        nb["cells"][:2] = [head, how]
        question, compared, figure, _ = nb["cells"][-4:]
        question["source"] = ANSWER.format(question["source"])
        if outputs := drawn(page, figure["source"]):
            figure["outputs"], compared["source"] = outputs, compared["source"] + DRAWN
        source[0] = json.dumps(nb)


def drawn(page: Page, source: str) -> list[dict]:
    """What a cell of the lab draws with right answers; what is for telephones is laid by."""
    cells = code_cells(ran) if (ran := read(page.executed)) else []
    same = [cell for cell in cells if cell.source == source]
    lighten(same, page.root)
    outputs = [output for cell in same for output in cell.outputs]
    return [output for output in outputs if "image/png" in output.get("data", {})]


def depend_on_run(app, docname: str, source: list[str]) -> None:
    """Read the page again when its lab was executed again."""
    if name := lab_of(docname):
        depend_on_outputs(app, f"book/{FOLDER}/{name}", source)


class Labs(SphinxDirective):
    """One row a line of the content, ``lab: docname of its chapter``."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        rows = [self.row(*re.split(r":\s*", line, maxsplit=1)) for line in self.content if line.strip()]
        return [table(["lab", "chapter", "minutes", "marks", "student copy"], rows, "labs")]

    def row(self, name: str, chapter: str) -> list:
        page = Page(Path(self.env.srcdir), f"{FOLDER}/{name}")
        self.env.note_dependency(str(page.source))
        text = page.source.read_text(encoding="utf8")
        return [
            to_page(f"{STUDENT}/{name}", said(text, r"^# (.*)$")),
            to_page(f"book/{chapter}"),
            said(text, r"\*\*Time\*\* (\d+) minutes"),
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
        known = [] if owner.startswith(NOWHERE) else links
        return [download, *(node for link in known for node in (nodes.Text(" · "), link))]


def said(text: str, pattern: str) -> str:
    """What a lab says of itself; a lab that does not say it is a fault."""
    if found := re.search(pattern, text, flags=re.MULTILINE):
        return found[1]
    raise ValueError(f"a lab must state {pattern!r}")


def setup(app) -> dict:
    app.add_directive("labs", Labs)
    app.connect("source-read", open_lab)
    app.connect("source-read", depend_on_run)
    return SAFE
