"""The directive ``diagram``: an idea as a small drawing, a file of ``drawings/``, set in the page.

Words have the page's own colour and the others are seen on white and on black, so that one drawing serves
light, dark and print. It is as wide as a telephone, and says in its label what it shows.
"""

from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from . import SAFE

DRAWINGS = Path(__file__).parent / "drawings"


class Diagram(SphinxDirective):
    """A drawing by its name; the content is its caption."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        file = DRAWINGS / f"{self.arguments[0]}.svg"
        self.env.note_dependency(str(file))
        frame = nodes.container(classes=["diagram"])
        frame += nodes.raw("", file.read_text(encoding="utf8"), format="html")
        self.state.nested_parse(self.content, self.content_offset, frame)
        return [frame]


def setup(app) -> dict:
    app.add_directive("diagram", Diagram)
    return SAFE
