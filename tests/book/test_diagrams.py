"""The drawings are sound SVG, say in words what they show, and keep their words inside."""

import re
from xml.etree import ElementTree

import pytest

from userdp_book.site import diagrams

SVG = "{http://www.w3.org/2000/svg}"
LETTER = 7.2  # units that a letter of this size takes on average, generously
SIDES = {"start": (0, 1), "middle": (0.5, 0.5), "end": (1, 0)}
NAMES = sorted(file.stem for file in diagrams.DRAWINGS.glob("*.svg"))


@pytest.mark.parametrize("name", NAMES)
def test_a_drawing_says_what_it_shows_and_keeps_inside(name):
    tree = ElementTree.parse(diagrams.DRAWINGS / f"{name}.svg").getroot()
    wide, high = map(float, tree.get("viewBox").split()[2:])
    assert tree.get("role") == "img" and len(tree.get("aria-label")) > 100 and wide == 400
    for text in tree.iter(f"{SVG}text"):
        left, right = (side * LETTER * len(text.text) for side in SIDES[text.get("text-anchor")])
        x, y = float(text.get("x")), float(text.get("y"))
        assert x - left >= -4 and x + right <= wide + 4 and 10 <= y <= high - 3, text.text


def test_every_drawing_is_on_a_page_and_no_page_asks_for_another(root):
    pages = (root / "book").rglob("*.md")
    asked = {name for page in pages for name in re.findall(r"\{diagram\} ([\w-]+)", page.read_text("utf8"))}
    assert asked == {*NAMES}
