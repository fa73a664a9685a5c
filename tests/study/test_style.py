"""The helpers draw what they are given."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
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
