"""Each figure is drawn a second time for telephones, and pages offer both."""

from base64 import b64decode, b64encode
from io import BytesIO
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from IPython.core.formatters import DisplayFormatter
from PIL import Image

from userdp_book.run.narrow import KIND, WIDTH, drawn, load_ipython_extension
from userdp_book.site import light
from userdp_papers.study import style

TITLE = "A title of so many words that it cannot stand in one line of a telephone"
NAMES = ("one record each", "10 or a million", "power law of exponent two")


@pytest.fixture(autouse=True)
def figures():
    with plt.rc_context():
        style.use()
        plt.switch_backend("agg")
        yield
        plt.close("all")


def side_by_side(labels):
    figure, panels = plt.subplots(1, 2, figsize=(7, 3.8), sharey=True)
    for panel, key in zip(panels, labels, strict=True):
        style.curves(np.arange(3), {name: np.arange(3) for name in key}, ax=panel)
        panel.set(title=TITLE)
        panel.set_xticks(range(3), NAMES)
    panels[0].set_ylabel("risk")
    return figure, panels


def size(png):
    return Image.open(BytesIO(b64decode(png))).size


def test_panels_come_below_each_other_with_their_labels_and_one_key():
    figure, panels = side_by_side([("exact", "bound"), ("exact", "bound")])
    wide, high = size(drawn(figure))
    assert WIDTH * figure.dpi <= wide < 1.1 * WIDTH * figure.dpi and high > wide
    first, second = (panel.get_position() for panel in panels)
    assert first.x0 == pytest.approx(second.x0) and first.y0 > second.y1
    assert [panel.get_ylabel() for panel in panels] == ["risk", "risk"]
    assert all(label.get_visible() for label in panels[1].get_yticklabels())
    (key,) = figure.legends
    assert key.get_window_extent().y1 <= panels[1].get_window_extent().y0
    assert [panel.get_legend() for panel in panels] == [None, None]


def test_long_titles_take_lines_and_long_names_are_turned():
    figure, panels = side_by_side([("exact", "bound"), ("exact", "bound")])
    drawn(figure)
    edge = figure.bbox.x1
    assert all(panel._left_title.get_window_extent().x1 <= edge for panel in panels)
    assert all(name.get_rotation() == 35 for name in panels[1].get_xticklabels())


def test_a_key_of_the_figure_and_that_of_its_panels_are_one():
    figure, panels = side_by_side([("exact", "bound"), ("exact", "bound")])
    figure.legend(panels[0].lines[:1], ["exact"])
    figure.legend(panels[0].lines[-1:], ["another"])
    drawn(figure)
    (key,) = figure.legends
    assert [text.get_text() for text in key.get_texts()] == ["exact", "another", "bound"]


@pytest.mark.parametrize("error", [0.1, None])
def test_a_curve_with_or_without_error_bars_keeps_its_marker_in_the_key(error):
    figure, axes = plt.subplots()
    axes.errorbar([1, 2], [1, 2], error, marker="s", color="C1", label="simulated")
    axes.plot([1, 2], [1, 2], "--", label="exact")
    axes.legend()
    drawn(figure)
    (key,) = figure.legends
    assert {text.get_text() for text in key.get_texts()} == {"exact", "simulated"}
    assert "s" in {line.get_marker() for line in key.findobj(plt.Line2D)}
    assert "--" in {line.get_linestyle() for line in key.get_lines()}


def test_a_title_that_was_placed_by_hand_keeps_off_the_panels():
    figure, panels = side_by_side([("exact", "bound"), ("exact", "bound")])
    figure.suptitle(f"{TITLE}, and longer still", y=1.02, x=0.01, ha="left")
    drawn(figure)
    lowest = figure._suptitle.get_window_extent().y0
    assert lowest > panels[0]._left_title.get_window_extent().y1


def test_keys_that_differ_stay_in_their_panels():
    figure, panels = side_by_side([("exact", "bound"), ("exact", "simulation")])
    drawn(figure)
    assert not figure.legends and all(panel.get_legend() for panel in panels)


def test_what_is_in_one_column_keeps_its_order():
    figure, panels = plt.subplots(2, 1, height_ratios=(3, 1))
    drawn(figure)
    upper, lower = (panel.get_position().height for panel in panels)
    assert upper > 2 * lower


def test_only_figures_are_drawn_twice():
    shell = SimpleNamespace(display_formatter=DisplayFormatter())
    load_ipython_extension(shell)
    found, _ = shell.display_formatter.format(plt.figure())
    assert KIND in found and KIND not in shell.display_formatter.format("a word")[0]


@pytest.fixture
def image(tmp_path):
    """What becomes of an image of a page, of which a wide and a narrow drawing are kept."""
    pictures = []
    for width in (14, 8):
        file = BytesIO()
        Image.new("RGB", (width, 5)).save(file, "png")
        pictures.append(b64encode(file.getvalue()).decode())
    light.lay_by(tmp_path, *pictures)
    (narrow,) = (tmp_path / light.NARROW).iterdir()
    (tmp_path / "wide.png").write_bytes(b64decode(pictures[0]))
    app = SimpleNamespace(
        builder=SimpleNamespace(images={"wide.png": narrow.name}), srcdir=tmp_path, outdir=tmp_path
    )

    def written(attributes):
        context = {"body": f'<img {attributes} src="../_images/{narrow.name}" />'}
        light.reserve(app, "page", "page.html", context, None)
        assert (tmp_path / "_images" / f"narrow-{narrow.name}").read_bytes() == b64decode(pictures[1])
        return context["body"].replace(narrow.name, "NAME")

    return written


def test_a_page_offers_both_and_says_their_sizes(image):
    assert image('alt="risk"') == (
        '<picture><source media="(max-width: 48rem)" width="8" height="5" '
        'srcset="../_images/narrow-NAME">'
        '<img width="14" height="5" alt="risk" src="../_images/NAME" /></picture>'
    )
