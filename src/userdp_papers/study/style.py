"""The one style of all figures: safe for the colour-blind, and legible in grey or on a narrow screen."""

import warnings
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.font_manager import fontManager
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike, NDArray

__all__ = ["use", "interval", "curves", "panels"]

# Okabe and Ito, without the yellow that vanishes on white
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "x")
HERE = Path(__file__).parent

# The face of the captions. What it lacks comes from matplotlib's own.
for file in (HERE / "fonts").glob("*.ttf"):
    fontManager.addfont(file)


def use() -> None:
    """Set the style of all figures that a page draws from here on.

    It changes seaborn's theme and matplotlib's parameters, and with them colours, markers and lettering.
    """
    warnings.filterwarnings("ignore", "The figure layout has changed to tight")
    sns.set_theme(style="ticks")
    plt.style.use(HERE / "book.mplstyle")
    plt.rc("axes", prop_cycle=plt.cycler(color=COLOURS, marker=MARKERS))


def interval(values: NDArray, *, deviations: float = 2.0) -> tuple[NDArray, NDArray]:
    """Mean of repeated results, with an interval of so many standard errors.

    Parameters
    ----------
    values
        Results, the repetitions along the first axis.
    deviations
        Standard errors that half an interval is long.

    Returns
    -------
    mean, half : ndarray
        The mean over the first axis, and half the length of its interval.

    Examples
    --------
    >>> mean, half = interval(np.array([[1.0], [2.0], [3.0]]))
    >>> mean, half.round(2)
    (array([2.]), array([1.15]))
    """
    return values.mean(axis=0), deviations * (values.std(axis=0, ddof=1) / len(values) ** 0.5)


def curves(
    x: ArrayLike,
    ys: Mapping[str, ArrayLike | tuple],
    *,
    theory: Collection[str] = (),
    ax: Axes | None = None,
    **axes: Any,
) -> Axes:
    """Draw several curves: simulations with markers and intervals, theory dashed.

    Parameters
    ----------
    x : array_like, shape (k,)
        Where all curves are known.
    ys
        From the name of each curve to its k values, or to the two arrays that `interval` returns.
    theory
        Names of the curves that are theory.
    ax
        Axes to draw on. By default they are the current ones, and the curves are named at their ends if there
        is room, in a key if not.
    **axes
        What is set on the axes, such as ``xscale="log"`` or ``xlabel="records per user"``.

    Returns
    -------
    Axes
        Those drawn on.
    """
    alone = ax is None
    ax = ax or plt.gca()
    drawn = {}
    for label, y in ys.items():
        values, error = y if isinstance(y, tuple) else (y, None)
        dashed: dict[str, Any] = {"linestyle": "--", "marker": ""} if label in theory else {}
        drawn[label] = ax.errorbar(x, values, error, label=label, **dashed)[0]
    ax.set(**axes)
    if len(ys) > 1 and not (alone and named_at_ends(ax, drawn)):
        ax.legend()
    return ax


def named_at_ends(ax: Axes, lines: Mapping[str, Line2D]) -> bool:
    """Whether there was room to name each line at its right end, in a darker tone of its colour."""
    ends = [(np.asarray(line.get_xdata())[-1], np.asarray(line.get_ydata())[-1]) for line in lines.values()]
    ax.autoscale_view()
    x, y = (ax.transData - ax.transAxes).transform(ends).T
    if np.ptp(x) > 0.01 or not (np.diff(np.sort(y), prepend=-0.07, append=1.07) > 0.06).all():
        return False
    for (label, line), end in zip(lines.items(), ends, strict=True):
        look: dict[str, Any] = {"va": "center", "color": tuple(0.75 * c for c in to_rgb(line.get_color()))}
        ax.annotate(label, end, (8, 0), textcoords="offset points", **look)
    return True


def panels(data: Any, *, hue: str, order: Sequence[str], **options: Any) -> sns.FacetGrid:
    """Draw means of simulated values, with two standard errors, on several panels.

    Parameters
    ----------
    data
        A frame with one row per value.
    hue
        Column with the names of the curves.
    order
        The names, in the order of colours and markers.
    **options
        Parameters of ``seaborn.relplot``, such as ``x``, ``y``, ``row`` and ``col``.

    Returns
    -------
    FacetGrid
        The figure of seaborn.
    """
    look: dict[str, Any] = {"palette": list(COLOURS[: len(order)]), "markers": list(MARKERS[: len(order)])}
    bars = {"err_style": "bars", "errorbar": ("se", 2), "err_kws": {"marker": ""}}
    labels = {"hue": hue, "hue_order": list(order), "style": hue, "style_order": list(order)}
    shape = {"kind": "line", "linestyle": "", "dashes": False, "markersize": 6}
    return sns.relplot(data, **labels | look | bars | shape | options)
