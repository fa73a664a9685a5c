"""The helpers draw what they are given."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.font_manager import FontProperties, findfont, get_font
from scipy.stats import sem

from userdp_papers.study import style


def test_panels_draw_the_mean_of_each_label_with_its_marker():
    data = pd.DataFrame({"x": [0, 0, 1, 1] * 2, "y": np.arange(8.0), "rule": ["b"] * 4 + ["a"] * 4})
    style.use()
    lines = style.panels(data, x="x", y="y", hue="rule", order=["b", "a"]).ax.lines
    drawn = {line.get_marker(): line.get_ydata().tolist() for line in lines if len(line.get_ydata())}
    assert drawn[style.MARKERS[0]] == [0.5, 2.5]
    assert drawn[style.MARKERS[1]] == [4.5, 6.5]


def test_an_interval_is_two_standard_errors_on_either_side():
    values = np.random.default_rng(1).normal(size=(50, 3))
    middle, half = style.interval(values)
    assert middle == pytest.approx(values.mean(axis=0))
    assert half == pytest.approx(2 * sem(values))


def test_labels_have_room():
    style.use()
    figure, _ = plt.subplots(1, 2)
    assert figure.get_layout_engine() is not None


@pytest.mark.parametrize(
    ("ends", "named"), [((1.0, 2.0, 3.0), True), ((1.0, 1.01, 3.0), False), ((1.0, 2.0, np.inf), False)]
)
def test_curves_are_named_where_they_end_apart_and_else_in_a_key(ends, named):
    style.use()
    plt.figure()
    ax = style.curves([1, 2], {f"to {end}": [0.0, end] for end in ends})
    assert [text.get_text() for text in ax.texts] == [f"to {end}" for end in ends] * named
    assert [text.xy for text in ax.texts] == [(2, end) for end in ends] * named
    assert (ax.get_legend() is None) == named
    _, panels = plt.subplots(1, 2)
    assert style.curves([1, 2], {"a": [0, 1], "b": [0, 2]}, ax=panels[0]).get_legend() is not None


@pytest.mark.parametrize(("weight", "file"), [("normal", "400"), ("bold", "700")])
def test_figures_are_lettered_in_a_face_that_has_greek(weight, file):
    found = Path(findfont(FontProperties(family="Companion Sans", weight=weight)))
    assert found == style.HERE / "fonts" / f"Companion Sans-{file}.ttf"
    assert set(map(ord, "aε≤−√")) <= set(get_font(found).get_charmap())
    style.use()
    assert plt.rcParams["font.family"][0] == "Companion Sans"
