"""The directive ``calculator``: the plan in the page, with native inputs, a chart and no server."""

from functools import cache
from html import escape

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from userdp import plan

SCRIPTS = ("calculator.js", "calculator_page.js")
TRUST = {"nobody": "nobody is trusted", "curator": "a curator is trusted"}
# what the slider is called, its smallest, largest and first value, and its step; all but the spread count
# powers of ten
SLIDERS = {
    "n": ("users", 1, 9, 4, 0.1),
    "m": ("records of each user", 0, 12, 3, 0.1),
    "epsilon": ("budget ε", -2, 1, 0, 0.05),
    "spread": ("how much users differ, standard deviation", 0, 0.3, 0, 0.005),
}
STILL = {"n": 10_000, "epsilon": 1.0}  # what is shown where no script runs
RECORDS = (1, 10, 100, 1000, 10_000)


@cache
def still() -> str:
    """The best method at a few numbers of records, as a table."""
    rows = []
    for trust, words in TRUST.items():
        for m in RECORDS:
            best = plan(sizes=m, trust=trust, **STILL)[0]
            cells = (words, f"{m:,}", best.method, f"{best.error:.2g}")
            rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    head = "".join(f'<th scope="col">{name}</th>' for name in ("trust", "records", "best method", "error"))
    caption = "<caption>The best method for 10,000 users at budget 1, on the domain from -1 to 1</caption>"
    table = f"{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
    return f'<table class="userdp-table">{table}</table>'


def markup() -> str:
    choices = "".join(f'<option value="{key}">{text}</option>' for key, text in TRUST.items())
    sliders = "".join(
        f'<label>{escape(text)} <output></output><input type="range" name="{name}" min="{low}" max="{high}"'
        f' step="{step}" value="{first}"></label>'
        for name, (text, low, high, first, step) in SLIDERS.items()
    )
    return (
        f"<noscript>{still()}</noscript>"
        '<div class="userdp-calculator" hidden><div class="calculator-controls">'
        f'<label>trust <select name="trust">{choices}</select></label>{sliders}</div>'
        '<p class="calculator-advice" role="status"></p><div class="calculator-chart"></div>'
        '<table class="userdp-table"><thead><tr><th scope="col">method</th><th scope="col">error</th>'
        '<th scope="col">times no privacy</th></tr></thead><tbody></tbody></table></div>'
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
