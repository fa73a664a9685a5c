"""The one style of all figures: colour-blind safe, grey-readable by marker and dash, legible when narrow."""

import matplotlib.pyplot as plt
from numpy.typing import NDArray

__all__ = ["use", "interval"]

# Okabe and Ito, without the yellow that vanishes on white
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "x")


def use() -> None:
    """Set matplotlib's parameters for a page."""
    plt.rcParams.update(
        {
            "axes.grid": True,
            "axes.prop_cycle": plt.cycler(color=COLOURS, marker=MARKERS),
            "axes.spines.right": False,
            "axes.spines.top": False,
            "figure.constrained_layout.use": True,
            "figure.dpi": 110,
            "figure.facecolor": "white",
            "figure.figsize": (7.0, 4.0),
            "font.size": 10.5,
            "grid.alpha": 0.3,
            "legend.frameon": False,
            "lines.linewidth": 1.4,
            "lines.markersize": 4.5,
            "savefig.facecolor": "white",
            "svg.hashsalt": "userdp",
        }
    )


def interval(values: NDArray, *, deviations: float = 2.0) -> tuple[NDArray, NDArray]:
    """Mean of replicates and `deviations` standard errors of it, both along the first axis."""
    error = values.std(axis=0, ddof=1) / len(values) ** 0.5
    return values.mean(axis=0), deviations * error
