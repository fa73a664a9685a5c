"""The directive ``calculator``: sliders and a chart of the rates, in the page, without a server."""

import shutil
from importlib.resources import files
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

CHART = "plotly.min.js"
SCRIPT = "calculator.js"
PROBLEMS = {
    "mean": "mean in [-1, 1]^d",
    "sparse": "sparse mean",
    "density": "density",
    "mixture": "mixture",
}
# what the slider is called, its smallest, largest and first value (as powers of ten)
SLIDERS = {
    "n": ("users n", 1, 8, 2),
    "m": ("records of each user m", 0, 12, 2),
    "epsilon": ("budget ε", -2, 1, 0),
    "d": ("dimension d", 0, 5, 1),
    "s": ("non-zero entries s", 0, 5, 0.48),
    "beta": ("smoothness β", -0.3, 0.7, 0),
    "k": ("components k", 0, 2, 0.48),
}


def markup() -> str:
    options = "".join(f'<option value="{key}">{text}</option>' for key, text in PROBLEMS.items())
    sliders = "".join(
        f'<label>{text} <output></output><input type="range" name="{name}" min="{low}" max="{high}"'
        f' step="0.01" value="{first}"></label>'
        for name, (text, low, high, first) in SLIDERS.items()
    )
    return (
        '<div class="userdp-calculator"><div class="calculator-controls">'
        f"<label>problem <select>{options}</select></label>{sliders}</div>"
        '<p class="calculator-regime" role="status"></p>'
        '<div class="calculator-chart" role="img" aria-label="The rates as functions of the number of'
        ' records; the table below has the numbers at the chosen point."></div>'
        '<table class="userdp-table"><thead><tr><th scope="col">rate</th><th scope="col">value</th></tr>'
        "</thead><tbody></tbody></table></div>"
    )


class Calculator(SphinxDirective):
    """The calculator in the HTML book, a sentence in its place elsewhere."""

    def run(self) -> list[nodes.Node]:
        self.env.metadata[self.env.docname]["calculator"] = True
        if self.env.app.builder.name not in ("html", "dirhtml"):
            return [nodes.paragraph(text="The calculator needs a browser: it is in the HTML book.")]
        return [nodes.raw("", markup(), format="html")]


def load(app, pagename, templatename, context, doctree) -> None:
    """Load the chart's library, five megabytes, into the pages with a calculator only."""
    if "calculator" in app.env.metadata.get(pagename, {}):
        app.add_js_file(CHART)
        app.add_js_file(SCRIPT)


def copy(app) -> None:
    """Put the chart's library beside the other static files."""
    if app.builder.name in ("html", "dirhtml"):
        target = Path(app.outdir) / "_static"
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy2(Path(str(files("plotly") / "package_data" / CHART)), target)
