"""What a shared link shows: by sphinxext-opengraph, with a first sentence and a picture of the verdicts.

Its own descriptions are the first two hundred letters, which on a third of our pages are formulas in TeX.
"""

import re
from html import escape
from pathlib import Path

from docutils import nodes
from PIL import Image, ImageDraw, ImageFont

from userdp_papers.study.claims import statements, verdicts

from . import SAFE
from .boxes import AUTHORS
from .picture import COLOURS

# what the networks ask for
SIZE = (1200, 630)
SUBTITLE = "a reproducibility companion to four papers"
LEFT, TOP, STEP, SIDE, ACROSS = 330, 230, 31, 26, 27
SHORTEST, LONGEST = 20, 200
SENTENCE = re.compile(r"(?<=[.?!])(?<!al\.)\s")


def configure(app, config) -> None:
    """Links are in full where the book's address is known."""
    config.ogp_site_url = config.ogp_site_url or config.html_baseurl


def first_sentence(doctree: nodes.document) -> str:
    """The first sentence of a page that has no formula and some length, cut after a word where it is long."""
    for paragraph in doctree.findall(nodes.paragraph):
        if not next(paragraph.findall(nodes.math), None) and not in_box(paragraph):
            words = SENTENCE.split(" ".join(paragraph.astext().split()))[0]
            if len(words) >= SHORTEST:
                return words if len(words) <= LONGEST else words[:LONGEST].rpartition(" ")[0] + " …"
    return SUBTITLE.capitalize()


def in_box(paragraph: nodes.Node) -> bool:
    """Whether the paragraph is part of an output or of a box, other than the one that opens the page."""
    parent = paragraph.parent
    classes = parent.get("classes", [])
    return "proof" in classes or "run" not in classes and isinstance(parent, nodes.container | nodes.caption)


def describe(app, pagename: str, templatename: str, context: dict, doctree) -> None:
    """What opengraph takes in the place of its own words."""
    if doctree is not None:
        words = escape(first_sentence(doctree))
        context["meta"] = {**(context["meta"] or {}), "og:description": words}
        context["metatags"] += f'<meta name="description" content="{words}"/>\n'


def write(app, error) -> None:
    """Put the picture where the tags say that it is."""
    if not error and app.builder.format == "html":
        draw(app.config.project).save(Path(app.outdir) / app.config.ogp_image, optimize=True)


def draw(title: str) -> Image.Image:
    """A square a statement, coloured by its verdict, a row or two a paper."""
    image = Image.new("RGB", SIZE, "white")
    pen = ImageDraw.Draw(image)
    pen.text((60, 60), title, "#14181e", ImageFont.load_default(64))
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


def setup(app) -> dict:
    app.setup_extension("sphinxext.opengraph")
    app.connect("config-inited", configure)
    # Before opengraph's own handler.
    app.connect("html-page-context", describe, priority=400)
    app.connect("build-finished", write)
    return SAFE
