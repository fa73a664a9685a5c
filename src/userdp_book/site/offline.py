"""Files to take away: ``{downloads}`` offers what ``make pdf``, ``make epub`` and ``make errata`` wrote."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from . import SAFE
from .boxes import AUTHORS
from .generated import SOURCES, made_of

DOWNLOADS = Path("_build") / "downloads"
# where they are in the built book
FOLDER = "_downloads"


@dataclass(frozen=True)
class Download:
    """A file: its name, the make target that writes it, and what it is called."""

    name: str
    target: str
    words: str

    def path(self, root: Path) -> Path:
        return root / DOWNLOADS / self.name


# by what `{downloads}` is asked for
BOOK = (Download("userdp.pdf", "pdf", "The book as PDF"), Download("userdp.epub", "epub", "The book as EPUB"))
ERRATA = {
    f"erratum-{paper}": (
        Download(f"erratum-{paper}.pdf", "errata", "This erratum as PDF"),
        Download(f"erratum-{paper}.tex", "errata", "The same in LaTeX"),
    )
    for paper in AUTHORS
}
GROUPS = {"book": BOOK, **ERRATA}
OFFERED = [one for group in GROUPS.values() for one in group]


def sizes(root: Path) -> list[str]:
    """The size of each file, as the page shows it; nothing for one that does not exist."""
    return [megabytes(path) if path.is_file() else "" for path in (one.path(root) for one in OFFERED)]


SOURCES["downloads"] = sizes


def megabytes(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:.2g} MB"


class Downloads(SphinxDirective):
    """Links to the files of a group that exist; for a missing book, the command that writes it."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        made_of(self.env, "downloads")
        root, group = Path(self.env.app.srcdir), GROUPS[(self.arguments or ["book"])[0]]
        items = [self.item(one) for one in group if one in BOOK or one.path(root).is_file()]
        return [nodes.bullet_list("", *items)] if items else []

    def item(self, one: Download) -> nodes.list_item:
        path = one.path(Path(self.env.app.srcdir))
        if path.is_file():
            up = "../" * self.env.docname.count("/")
            link = nodes.reference("", one.words, refuri=f"{up}{FOLDER}/{one.name}", internal=True)
            words = [link, nodes.Text(f" ({megabytes(path)})")]
        else:
            command = nodes.literal("", f"make {one.target}")
            words = [nodes.Text(f"{one.words} is not in this copy: "), command, nodes.Text(" writes it.")]
        return nodes.list_item("", nodes.paragraph("", "", *words))


def copy(app: Sphinx) -> None:
    """Put the files that exist into the HTML book, and take away one that does not exist any more."""
    if app.builder.name not in ("html", "dirhtml"):
        return
    target = Path(app.outdir) / FOLDER
    target.mkdir(parents=True, exist_ok=True)
    for one in OFFERED:
        path = one.path(Path(app.srcdir))
        if path.is_file():
            shutil.copy2(path, target)
        else:
            (target / one.name).unlink(missing_ok=True)


def setup(app) -> dict:
    app.add_directive("downloads", Downloads)
    app.connect("builder-inited", copy)
    return SAFE
