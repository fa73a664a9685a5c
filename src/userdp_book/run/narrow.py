"""An extension of a page's kernel: draws each figure a second time, as wide as a telephone."""

from base64 import b64encode
from io import BytesIO
from itertools import pairwise
from typing import TYPE_CHECKING

from IPython.core.formatters import BaseFormatter
from traitlets import Unicode

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KIND = "image/x-narrow"
WIDTH = 4.0  # inches, shown as 350 pixels: letters of 14
LINE = 0.2  # inches of a line of a key


class Narrow(BaseFormatter):
    """For figures alone. matplotlib takes what is registered for them away, but asks every formatter."""

    format_type = Unicode(KIND)

    def __call__(self, shown: object) -> str | None:
        return drawn(shown) if type(shown).__module__ == "matplotlib.figure" else None


def load_ipython_extension(shell) -> None:
    """Draw it after the picture that the notebook keeps, when nothing else needs the figure."""
    shell.display_formatter.formatters[KIND] = Narrow(parent=shell.display_formatter)


def drawn(figure: "Figure") -> str:
    """The figure with its panels in one column, its key below, and titles in as many lines as they need."""
    figure.set_layout_engine("constrained")  # seaborn's grids leave no room for a title above each panel
    figure.set_size_inches(WIDTH, figure.get_figheight() * stacked(figure) + LINE * keyed_below(figure))
    if figure._suptitle:
        figure.suptitle(figure._suptitle.get_text(), x=0.01, ha="left", wrap=True)
    figure.draw_without_rendering()
    for axes in figure.axes:
        axes._left_title.set_wrap(True)
        names = [one for one in axes.get_xticklabels() if one.get_text() and one.get_visible()]
        if any(a.overlaps(b) for a, b in pairwise(name.get_window_extent() for name in names)):
            axes.tick_params(axis="x", rotation=35)
    figure.draw_without_rendering()  # a bar of colours finds its place at the second time
    box, out = figure.get_tightbbox().frozen(), BytesIO()
    box.x0, box.x1 = min(box.x0, 0), max(box.x1, WIDTH)
    figure.savefig(out, format="png", bbox_inches=box.padded(0.05))
    return b64encode(out.getvalue()).decode("ascii")


def keyed_below(figure: "Figure") -> int:
    """Put the one key of all panels below them, where no line crosses it; return its number of lines."""
    inside = [key for axes in figure.axes if (key := axes.get_legend())]
    names = [[text.get_text() for text in key.get_texts()] for key in inside]
    pairs = [pair for axes in figure.axes for pair in zip(*axes.get_legend_handles_labels(), strict=True)]
    drawn_as = {name: curve for curve, name in pairs}
    shown, title = {}, ""
    for key in [*figure.legends, *(inside if all(one == names[0] for one in names) else ())]:
        for text, handle in zip(key.get_texts(), key.legend_handles, strict=False):
            # of what `errorbar` drew the key keeps one part, without the marker
            curve = drawn_as.get(name := text.get_text())
            shown[name] = curve if hasattr(curve, "has_yerr") else handle
        title = title or key.get_title().get_text()
        key.remove()
    if shown:
        figure.legend(shown.values(), shown, title=title, loc="outside lower left", alignment="left")
    return len(shown)


def stacked(figure: "Figure") -> float:
    """Give panels that stand side by side a row each; return how much higher the figure shall be."""
    panels = {axes: place for axes in figure.axes if (place := axes.get_subplotspec()) and axes.get_visible()}
    grids = {place.get_gridspec() for place in panels.values()}
    if len(grids) != 1 or (grid := grids.pop()).ncols == 1:
        return 0.85
    places = sorted({place.num1 for place in panels.values()})
    column = type(grid)(len(places), 1, figure)
    for axes, place in panels.items():
        axes.set_subplotspec(column[places.index(place.num1)])
        if place.colspan.start and axes.yaxis.get_label_position() == "left":
            axes.tick_params(labelleft=True)
            before = next(one for one, at in panels.items() if at.rowspan.start == place.rowspan.start)
            axes.set_ylabel(axes.get_ylabel() or before.get_ylabel(), visible=True)
    return 0.75 * len(places) / grid.nrows
