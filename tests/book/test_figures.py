"""Every figure of every notebook: colours that any eye can tell apart, and a text in its place.

The palette is checked once: contrast with white, and distance between each two colours as a colour-blind
eye sees them. The figures are then checked to be painted from the palette: every coloured pixel must be a
blend of white with at most two of its colours (what antialiasing and transparency make), or from a safe map.
"""

import base64
import io
import re
from functools import cache
from itertools import combinations
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image

from userdp_book.run.pages import code_cells, pages, read
from userdp_papers.study.style import COLOURS, MARKERS

ROOT = Path(__file__).parents[2]

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
BLINDNESS = {
    "none": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
CONTRAST = 3.0  # of graphical objects, WCAG 2.2, 1.4.11
APART = 10.0  # CIE76 distance in Lab; about 2.3 is just noticeable
SAFE_MAPS = ("viridis", "cividis", "Blues", "Greys")
COLOURED = 30  # grey levels between the largest and the smallest channel
NEAR = 12.0  # grey levels from the nearest blend
UNEXPLAINED = 0.02  # largest share of the coloured pixels that is no blend


def linear(rgb):
    rgb = np.asarray(rgb, float)
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast_with_white(colour):
    return 1.05 / (linear(to_rgb(colour)) @ [0.2126, 0.7152, 0.0722] + 0.05)


def lab(rgb):
    """CIE Lab of linear RGB, white point D65."""
    to_xyz = [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
    t = np.asarray(to_xyz) @ rgb / [0.95047, 1.0, 1.08883]
    f = np.where(t > 216 / 24389, np.cbrt(t), (24389 / 27 * t + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def seen(colour, kind):
    """A colour as an eye of this kind sees it, in Lab."""
    return lab(np.clip(np.asarray(BLINDNESS[kind]) @ linear(to_rgb(colour)), 0, 1))


def closest(colours, kind):
    """Smallest distance between two of the colours, and which they are."""
    pairs = combinations(colours, 2)
    return min((float(np.linalg.norm(seen(a, kind) - seen(b, kind))), a, b) for a, b in pairs)


def test_palette_stands_out_or_brings_its_own_marker():
    assert len(set(MARKERS)) == len(MARKERS) == len(COLOURS)
    pale = [colour for colour in COLOURS if contrast_with_white(colour) < CONTRAST]
    # Sky blue alone: a figure must not rely on it without a marker, which the cycle gives it.
    assert pale == ["#56B4E9"]
    assert contrast_with_white(pale[0]) > 2


@pytest.mark.parametrize("kind", BLINDNESS)
def test_palette_stays_apart_for_the_colour_blind(kind):
    assert closest(COLOURS, kind)[0] > APART


def test_the_usual_ten_colours_do_not_stay_apart():
    assert closest(mpl.colormaps["tab10"].colors, "deuteranopia")[0] < APART


@cache
def blends():
    """Origin and two spanning vectors of the triangle of white and each two colours of the palette."""
    palette = [255 * np.array(to_rgb(colour)) for colour in COLOURS]
    return [(np.full(3, 255.0), a - 255, b - 255) for a, b in combinations(palette, 2)]


def to_triangle(points, origin, u, v):
    """Distance of points to a triangle: inside it by projection, else to the nearest edge."""
    w = points - origin
    share = w @ np.linalg.pinv(np.stack([u, v], axis=1)).T
    plane = np.linalg.norm(w - share @ np.stack([u, v]), axis=1)
    inside = (share >= 0).all(axis=1) & (share.sum(axis=1) <= 1)
    edges = [to_segment(w, np.zeros(3), u), to_segment(w, np.zeros(3), v), to_segment(w, u, v)]
    return np.where(inside, plane, np.min(edges, axis=0))


def to_segment(points, start, end):
    along = np.clip((points - start) @ (end - start) / ((end - start) @ (end - start)), 0, 1)
    return np.linalg.norm(points - start - along[:, None] * (end - start), axis=1)


def to_map(points, name):
    table = 255 * mpl.colormaps[name](np.linspace(0, 1, 128))[:, :3]
    return np.min([np.linalg.norm(points - row, axis=1) for row in table], axis=0)


def foreign(image):
    """Share of the coloured pixels of a picture that neither palette nor safe map explains, and which."""
    pixels = np.asarray(image.convert("RGB"), int).reshape(-1, 3)
    packed, counts = np.unique(pixels @ [65536, 256, 1], return_counts=True)
    colours = np.stack([packed // 65536, packed // 256 % 256, packed % 256], axis=1).astype(float)
    coloured = np.ptp(colours, axis=1) > COLOURED
    colours, counts = colours[coloured], counts[coloured]
    if not len(colours):
        return 0.0, []
    distance = np.min([to_triangle(colours, *triangle) for triangle in blends()], axis=0)
    for name in SAFE_MAPS:
        left = distance > NEAR
        distance[left] = np.minimum(distance[left], to_map(colours[left], name)) if left.any() else 0
    odd = distance > NEAR
    commonest = np.argsort(-counts[odd])[:3]
    return counts[odd].sum() / counts.sum(), colours[odd][commonest].astype(int).tolist()


def figures(nb):
    """The pictures of a notebook as stored, with the header of the cell that drew each."""
    for number, cell in enumerate(code_cells(nb)):
        for output in cell.outputs:
            if "image/png" in output.get("data", {}):
                png = base64.b64decode(output["data"]["image/png"])
                yield number, cell, Image.open(io.BytesIO(png))


STORED = [page for page in pages(ROOT) if page.twin.is_file()]


@pytest.mark.slow
@pytest.mark.parametrize("page", STORED, ids=lambda page: page.name)
def test_figures_are_painted_from_the_palette(page):
    found = {number: foreign(image) for number, _, image in figures(read(page.twin))}
    assert {number: odd for number, odd in found.items() if odd[0] > UNEXPLAINED} == {}


@pytest.mark.parametrize("page", STORED, ids=lambda page: page.name)
def test_figures_have_a_text_of_useful_length(page):
    for number, cell, _ in figures(read(page.twin)):
        alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
        assert 40 <= len(alt) <= 900, (number, len(alt))
        assert not re.match(r"(?i)(figure|image|plot)\W*$", alt)


@plt.style.context("default")  # another test may have put the book's style on
def drawn(*colours, cmap=None):
    """A picture with bars, or with a colour map."""
    figure, ax = plt.subplots(figsize=(3, 2))
    if cmap:
        ax.imshow(np.linspace(0, 1, 100).reshape(10, 10), cmap=cmap)
    for k, colour in enumerate(colours):
        ax.bar(k, 1, color=colour, alpha=0.6)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    plt.close(figure)
    return Image.open(buffer)


def test_the_check_accepts_the_palette_and_catches_what_is_foreign():
    assert foreign(drawn(*COLOURS))[0] <= UNEXPLAINED
    assert foreign(drawn(cmap="viridis"))[0] <= UNEXPLAINED
    assert foreign(drawn(*COLOURS, "#ff0000"))[0] > UNEXPLAINED
    assert foreign(drawn(*COLOURS, "#2ca02c"))[0] > UNEXPLAINED
    assert foreign(drawn(cmap="jet"))[0] > UNEXPLAINED
