"""The picture that a shared link shows, the verdicts; sphinxext-opengraph says what the page is about."""

from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from userdp.study.claims import statements, verdicts

from . import SAFE
from .boxes import AUTHORS
from .picture import COLOURS

# what the networks ask for
SIZE = (1200, 630)
SUBTITLE = "a reproducibility companion to four papers"
LEFT, TOP, STEP, SIDE, ACROSS = 330, 230, 31, 26, 27


def configure(app, config) -> None:
    """Links are in full where the book's address is known."""
    config.ogp_site_url = config.ogp_site_url or config.html_baseurl


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
    app.connect("build-finished", write)
    return SAFE
