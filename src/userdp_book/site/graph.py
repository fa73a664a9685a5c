"""What each statement's proof uses, as a drawing whose nodes are links and as words in a table.

Two channels, as Lean's blueprints have them: the border is the verdict on the printed statement, the ground
says whether all that it rests on holds as printed.
"""

from functools import cache
from html import escape

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from userdp_papers.study.claims import statements, verdicts

from . import SAFE
from .boxes import own_name
from .claims import SYMBOLS, slug
from .generated import made_of
from .links import box

AMENDED = ("holds after correction", "refuted")
WIDTH, HEIGHT, ACROSS, DOWN = 74, 24, 100, 32
SHORT = {
    "theorem": "Thm",
    "lemma": "Lem",
    "proposition": "Prop",
    "corollary": "Cor",
    "algorithm": "Alg",
    "definition": "Def",
    "example": "Ex",
    "remark": "Rem",
    "table": "Tab",
    "figure": "Fig",
    "equation": "",
    "assumption": "",
}


class statement_graph(nodes.General, nodes.Element):  # noqa: N801 (docutils' own habit)
    """The graph of one paper, drawn when all pages are known."""


class StatementGraph(SphinxDirective):
    """The directive: a place for the drawing."""

    option_spec = {"paper": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        made_of(self.env, "judgement")
        return [statement_graph(paper=self.options["paper"])]


def uses(id: str) -> list[str]:
    """The statements that the proof uses directly."""
    return verdicts()[id]["uses"]


@cache
def rests_on(id: str) -> frozenset[str]:
    """The statements that the proof uses, directly or through others."""
    return frozenset(uses(id)).union(*map(rests_on, uses(id)))


def amended(ids) -> list[str]:
    """Those of the statements that do not hold as printed."""
    return [id for id in statements() if id in ids and verdicts()[id]["verdict"] in AMENDED]


@cache
def column(id: str) -> int:
    """How many steps lie below the statement, at most."""
    return 1 + max(map(column, uses(id)), default=-1)


def places(paper: str) -> dict[str, tuple[float, float]]:
    """Corner of each statement that is joined to another: by steps across, near its neighbours down."""
    near: dict[str, list[str]] = {id: [] for id, item in statements().items() if item["paper"] == paper}
    for id in near:
        for below in uses(id):
            if below in near:  # what another paper lends stands in the index
                near[id].append(below)
                near[below].append(id)
    ids = [id for id in near if near[id]]
    columns = [
        [id for id in ids if column(id) == number] for number in range(max(map(column, ids), default=0) + 1)
    ]
    height: dict[str, float] = {}
    for _ in range(9):  # each column in the order of its neighbours' mean heights
        for members in columns:
            members.sort(key=lambda id: sum(height.get(one, 0) for one in near[id]) / len(near[id]))
            height |= {id: row - len(members) / 2 for row, id in enumerate(members)}
    top = min(height.values(), default=0)
    return {id: (column(id) * ACROSS + 4, (height[id] - top) * DOWN + 4) for id in ids}


def drawing(paper: str, address) -> str:
    """The graph as SVG; `address` gives each statement's link or nothing."""
    at = places(paper)
    wide = max((x for x, _ in at.values()), default=0) + WIDTH + 4
    high = max((y for _, y in at.values()), default=0) + HEIGHT + 4
    lines = "".join(line(below, id, at) for id in at for below in uses(id) if below in at)
    boxes = "".join(node(id, *at[id], address(id)) for id in at)
    return (
        '<div class="statement-graph" tabindex="0" role="group" aria-label="What each statement uses">'
        f'<svg viewBox="0 0 {wide:.0f} {high:.0f}" width="{wide:.0f}" height="{high:.0f}">'
        f"{lines}{boxes}</svg></div>"
    )


def line(start: str, end: str, at: dict[str, tuple[float, float]]) -> str:
    (x, y), (u, v) = at[start], at[end]
    x, y, v = x + WIDTH, y + HEIGHT / 2, v + HEIGHT / 2
    bend = (x + u) / 2
    bent = f"M{x:.0f} {y:.0f}C{bend:.0f} {y:.0f} {bend:.0f} {v:.0f} {u:.0f} {v:.0f}"
    return f'<path data-from="{start}" data-to="{end}" d="{bent}"/>'


def node(id: str, x: float, y: float, address: str | None) -> str:
    """A frame with the verdict's colour and symbol; a darker ground where it rests on what is amended."""
    item, verdict = statements()[id], verdicts()[id]
    rests = amended(rests_on(id))
    words = f"{own_name(id)}: {verdict['verdict']}. {verdict['sentence']}"
    if rests:
        words += " It uses, as amended: " + ", ".join(map(own_name, rests)) + "."
    kinds = f"verdict-{slug(verdict['verdict'])}" + (" shaken" if rests else "")
    text = " ".join(filter(None, (SYMBOLS[verdict["verdict"]], SHORT[item["kind"]], item["number"])))
    drawn = (
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{WIDTH}" height="{HEIGHT}" rx="5"/>'
        f'<text x="{x + WIDTH / 2:.0f}" y="{y + 16:.0f}">{escape(text)}</text>'
    )
    shown = f'<g class="{kinds}" data-id="{id}"><title>{escape(words)}</title>{drawn}</g>'
    return f'<a href="{escape(address)}">{shown}</a>' if address else shown


def draw(app, doctree, docname: str) -> None:
    """Put the drawings in their places, in HTML."""

    def address(id: str) -> str | None:
        found = box(app.env, id)
        return f"{app.builder.get_relative_uri(docname, found[0])}#{found[1]}" if found else None

    for place in list(doctree.findall(statement_graph)):
        place.replace_self(nodes.raw("", drawing(place["paper"], address), format="html"))


def setup(app) -> dict:
    app.add_node(statement_graph)
    app.add_directive("statement-graph", StatementGraph)
    app.connect("doctree-resolved", draw)
    return SAFE
