"""The drawings are sound SVG, say in words what they show, and keep their words inside."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from userdp.central import optimal_weights
from userdp.local import shrink
from userdp_book.site import diagrams, lab_pages

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
    assert asked | {*lab_pages.PICTURES.values()} == {*NAMES}


def words_of(name):
    return [text.text for text in ElementTree.parse(diagrams.DRAWINGS / f"{name}.svg").iter(f"{SVG}text")]


def test_the_five_users_of_dame_are_shrunk_as_the_method_shrinks():
    sizes = np.array([100, 64, 25, 9, 4])
    factors = [shrink(1.0, size, centre=0.0, size_cap=100) for size in sizes]
    said = words_of("strip-dame")
    assert {f"× {factor:g}" for factor in factors} | {*map(str, sizes)} < {*said}
    assert f"then divide by {np.mean(factors):g}." in said


def test_the_five_users_of_cummings_have_the_weights_of_the_method():
    variances = 0.01 + 0.25 / np.array([1, 4, 16, 64, 256])
    plain = 1 / variances / np.sum(1 / variances)
    best = optimal_weights(variances, np.ones(5), epsilon=5.0).value
    said = [words for words in words_of("strip-cummings") if words.endswith("%")]
    assert said == [f"{100 * weight:.0f}%" for weight in [*plain, *best]]
    assert 0.6 < best.max() / plain.max() < 0.7  # a third less noise


def test_the_bound_of_the_five_users_of_liu_is_the_best():
    sizes, noise = np.array([1, 2, 3, 8, 12]), 3 / 1.2
    errors = {bound: np.maximum(sizes - bound, 0).sum() + noise * bound for bound in range(1, 13)}
    assert min(errors, key=errors.get) == 3 and f"least: {errors[3]:g}" in words_of("strip-liu")
