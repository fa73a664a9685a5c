"""The directive ``calculator``: the plan in the page, with native inputs, a chart and no server."""

from functools import cache
from html import escape

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from userdp import plan

from .chart import Axis, chart, key

SCRIPTS = ("chart.js", "calculator.js", "calculator_page.js")
TRUST = {"nobody": "nobody is trusted", "curator": "a curator is trusted"}
# what the slider is called, its smallest, largest and first value, and its step; all but the spread count
# powers of ten
SLIDERS = {
    "n": ("users", 1, 9, 4, 0.1),
    "m": ("records of each user", 0, 8, 3, 0.1),
    "epsilon": ("budget ε", -2, 1, 0, 0.05),
    "spread": ("how much users differ, standard deviation", 0, 0.3, 0.02, 0.005),
}
FIRST = {"n": 10_000, "epsilon": 1.0, "spread": 0.02}  # what is shown where no script runs
RECORDS = tuple(10**power for power in range(9))
TONES = {
    "no privacy": "text-muted",
    "two-point reports": "a",
    "average of all users": "a",
    "Laplace reports": "b",
    "improved mean": "c",
    "weighted mean of clipped users": "c",
}


@cache
def errors(trust: str) -> list[dict[str, float]]:
    """Method -> error, for each number of records."""
    rankings = [plan(sizes=m, trust=trust, **FIRST) for m in RECORDS]
    return [
        {option.method: option.error for option in ranking if not option.unused}
        | {"no privacy": ranking.without_privacy}
        for ranking in rankings
    ]


def picture() -> str:
    """The errors of the methods that trust nobody, in the first setting."""
    found, here = errors("nobody"), 3
    curves = {name: [row.get(name, float("nan")) for row in found] for name in TONES}
    x, y = Axis("records of each user", RECORDS[0], RECORDS[-1]), Axis("error", 1e-4, 0.1)
    dots = {name: curve[here] for name, curve in curves.items()}
    label = "Error of each method against the records of each user."
    return chart(x, y, RECORDS, curves, TONES, here=RECORDS[here], dots=dots, label=label)


def still() -> str:
    """The best method at a few numbers of records, as a table."""
    rows = []
    for trust, words in TRUST.items():
        for m, found in list(zip(RECORDS, errors(trust), strict=True))[:5]:
            best = min(found.keys() - {"no privacy"}, key=found.get)
            cells = (words, f"{m:,}", best, f"{found[best]:.2g}")
            rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    head = "".join(f'<th scope="col">{name}</th>' for name in ("trust", "records", "best method", "error"))
    caption = (
        "<caption>The best method for 10,000 users whose means have the standard deviation 0.02, "
        "at budget 1, on the domain from -1 to 1</caption>"
    )
    table = f"{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
    return f'<table class="userdp-table">{table}</table>'


def markup() -> str:
    choices = "".join(f'<option value="{key}">{text}</option>' for key, text in TRUST.items())
    sliders = "".join(
        f'<label>{escape(text)} <output></output><input type="range" name="{name}" min="{low}" max="{high}"'
        f' step="{step}" value="{first}"></label>'
        for name, (text, low, high, first, step) in SLIDERS.items()
    )
    keys = "".join(
        f"<li>{key(tone)} {name}</li>" for name, tone in TONES.items() if name in errors("nobody")[-1]
    )
    return (
        '<div class="userdp-calculator"><div class="calculator-controls" hidden>'
        f'<label>trust <select name="trust">{choices}</select></label>{sliders}</div>'
        f'<p class="calculator-advice" role="status"></p><div class="calculator-chart">{picture()}</div>'
        f'<div class="calculator-numbers"><ul class="moving-key">{keys}</ul>{still()}</div></div>'
    )


class Calculator(SphinxDirective):
    """The calculator in the HTML book, a sentence in its place elsewhere."""

    def run(self) -> list[nodes.Node]:
        self.env.metadata[self.env.docname]["calculator"] = True
        if self.env.app.builder.name not in ("html", "dirhtml"):
            return [nodes.paragraph(text="The calculator needs a browser: it is in the HTML book.")]
        return [nodes.raw("", markup(), format="html")]


def load(app, pagename, templatename, context, doctree) -> None:
    """Load the scripts into the pages with a calculator only."""
    if "calculator" in app.env.metadata.get(pagename, {}):
        for script in SCRIPTS:
            app.add_js_file(script)
