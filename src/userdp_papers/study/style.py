"""The one style of all figures: colour-blind safe, grey-readable by marker and dash, legible when narrow."""

import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import seaborn as sns
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

__all__ = ["use", "interval", "curves", "panels"]

# Okabe and Ito, without the yellow that vanishes on white
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "x")


def use() -> None:
    """Set seaborn's theme and matplotlib's parameters for a page."""
    warnings.filterwarnings("ignore", "The figure layout has changed to tight")
    sns.set_theme(
        style="ticks",
        rc={
            "axes.grid": True,
            "axes.prop_cycle": plt.cycler(color=COLOURS, marker=MARKERS),
            "axes.spines.right": False,
            "axes.spines.top": False,
            "figure.constrained_layout.hspace": 0.08,  # a title keeps off the axis above it
            "figure.constrained_layout.use": True,
            "figure.dpi": 200,
            "figure.facecolor": "white",
            "figure.figsize": (7.0, 4.0),
            "font.size": 10.5,
            "grid.alpha": 0.3,
            "legend.frameon": False,
            "lines.linewidth": 1.4,
            "lines.markersize": 4.5,
            "savefig.facecolor": "white",
            "svg.hashsalt": "userdp",
        },
    )


def interval(values: NDArray, *, deviations: float = 2.0) -> tuple[NDArray, NDArray]:
    """Mean of replicates and `deviations` standard errors of it, both along the first axis."""
    error = values.std(axis=0, ddof=1) / len(values) ** 0.5
    return values.mean(axis=0), deviations * error


def curves(
    x: ArrayLike,
    ys: Mapping[str, ArrayLike | tuple],
    *,
    theory: Collection[str] = (),
    ax: Axes | None = None,
    **axes: Any,
) -> Axes:
    """Draw a curve a label over the same `x`: simulation by markers with intervals, theory dashed.

    Parameters
    ----------
    x : array_like, shape (k,)
    ys
        Label -> values, shape (k,), or the two arrays that `interval` returns.
    theory
        Labels of the curves that nothing was drawn for: dashed, without markers.
    ax
        By default the current one.
    **axes
        What is set on the axes: ``xscale="log"``, ``xlabel="records a user"``, ...
    """
    ax = plt.gca() if ax is None else ax
    for label, y in ys.items():
        values, error = y if isinstance(y, tuple) else (y, None)
        dashed: dict[str, Any] = {"linestyle": "--", "marker": ""} if label in theory else {}
        ax.errorbar(x, values, error, label=label, **dashed)
    ax.set(**axes)
    if len(ys) > 1:
        ax.legend()
    return ax


def panels(data: Any, *, hue: str, order: Sequence[str], **options: Any) -> sns.FacetGrid:
    """Draw means of simulated values with two standard errors on panels: `seaborn.relplot` in this style.

    Parameters
    ----------
    data
        One row a value.
    hue
        Column of the labels.
    order
        The labels, in the order of colours and markers.
    **options
        As for `seaborn.relplot`: ``x``, ``y``, ``row``, ``col``, ``errorbar``, ...
    """
    look: dict[str, Any] = {"palette": list(COLOURS[: len(order)]), "markers": list(MARKERS[: len(order)])}
    bars = {"err_style": "bars", "errorbar": ("se", 2), "err_kws": {"marker": ""}}
    order = list(order)
    labels = {"hue": hue, "hue_order": order, "style": hue, "style_order": order}
    shape = {"kind": "line", "linestyle": "", "dashes": False, "markersize": 6}
    return sns.relplot(data, **labels | look | bars | shape | options)
