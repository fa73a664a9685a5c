"""What a shared link shows: the first sentence of the page, and a picture of the verdicts."""

import re
from pathlib import Path

from docutils import nodes
from PIL import Image, ImageDraw, ImageFont

from userdp_papers.study.claims import statements, verdicts

from .boxes import AUTHORS
from .picture import COLOURS

FILE = "_static/preview.png"
# what the networks ask for
SIZE = (1200, 630)
SHORTEST, LONGEST = 20, 200
SENTENCE = re.compile(r"(?<=[.?!])(?<!al\.)\s")
TITLE = "User-Level Differential Privacy"
SUBTITLE = "a reproducibility companion to four papers"
LEFT, TOP, STEP, SIDE, ACROSS = 330, 230, 31, 26, 27


def first_sentence(doctree: nodes.document) -> str:
    """The first sentence of a page that has no formula and some length, cut after a word where it is long."""
    for paragraph in doctree.findall(nodes.paragraph):
        if not next(paragraph.findall(nodes.math), None) and not in_box(paragraph):
            words = SENTENCE.split(" ".join(paragraph.astext().split()))[0]
            if len(words) >= SHORTEST:
                return words if len(words) <= LONGEST else words[:LONGEST].rpartition(" ")[0] + " …"
    return ""


def in_box(paragraph: nodes.Node) -> bool:
    """Whether the paragraph is part of an output or of a box, other than the one that opens the page."""
    parent = paragraph.parent
    return isinstance(parent, nodes.container | nodes.caption) or "proof" in parent.get("classes", [])


def describe(app, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Give the page's template a description, and the picture's address: in full where that is known."""
    if doctree is not None:
        base = app.config.html_baseurl
        context["summary"] = first_sentence(doctree) or SUBTITLE.capitalize()
        context["preview"] = f"{base.rstrip('/')}/{FILE}" if base else context["pathto"](FILE, 1)


def write(app, error) -> None:
    """Put the picture beside the other static files."""
    if not error and app.builder.format == "html":
        draw().save(Path(app.outdir) / FILE, optimize=True)


def draw() -> Image.Image:
    """A square a statement, coloured by its verdict, a row or two a paper."""
    image = Image.new("RGB", SIZE, "white")
    pen = ImageDraw.Draw(image)
    pen.text((60, 60), TITLE, "#14181e", ImageFont.load_default(64))
    pen.text((60, 145), SUBTITLE, "#57606a", ImageFont.load_default(36))
    y = TOP
    for paper, name in AUTHORS.items():
        pen.text((60, y - 4), name, "#14181e", ImageFont.load_default(28))
        ids = [id for id, item in statements().items() if item["paper"] == paper]
        for place, id in enumerate(ids):
            x, down = LEFT + STEP * (place % ACROSS), y + STEP * (place // ACROSS)
            pen.rounded_rectangle([x, down, x + SIDE, down + SIDE], 4, COLOURS[verdicts()[id]["verdict"]])
        y += STEP * ((len(ids) - 1) // ACROSS + 1) + 20
    return image
