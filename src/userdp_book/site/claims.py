"""Verdicts as notebooks store them (``application/vnd.userdp.claim+json``): collect them, show them."""

import json
import math
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path

from docutils import nodes

from userdp_papers.study.claims import MIME, Claim, judgements, statements

from ..run.pages import Page, pages
from .generated import SOURCES
from .links import to_page, to_statement

AUTHORS = {"kent": "Kent et al.", "dame": "DAME", "cummings": "Cummings et al.", "liu": "Liu et al."}
# A colour alone would say nothing to some readers.
SYMBOLS = {
    "holds": "✓",
    "holds after correction": "✎",
    "refuted": "✗",
    "not reproducible": "?",
    "context": "○",
}
OPTIONAL = ("measured", "expected", "relation", "printed", "note", "evidence")
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LABEL = re.compile(r"^:label: (\S+)$", re.MULTILINE)
RELATIONS = {"==": "", "<=": "≤ ", ">=": "≥ ", "<": "< ", ">": "> "}


@dataclass(frozen=True)
class Stored:
    """A claim and the page that makes it."""

    page: Page
    data: dict

    def __getitem__(self, name: str):
        return self.data.get(name)


def collect(root: Path) -> list[Stored]:
    """All claims of the book in page order: from the last run, or from the stored notebooks before any."""
    return [
        Stored(page, data)
        for page in pages(root)
        for path, read in (
            (page.executed if page.executed.is_file() else page.twin, claims_in),
            (page.source, proved_in),
        )
        if path.is_file()
        for data in read(path, path.stat().st_mtime_ns)
    ]


@cache
def proved_in(path: Path, mtime: int) -> list[dict]:
    """What the boxes of a page say of all parameters."""
    keys = [f"{id}.all" for id in LABEL.findall(path.read_text(encoding="utf8"))]
    return [asdict(Claim.judged(key)) for key in keys if key in judgements()]


@cache
def claims_in(path: Path, mtime: int) -> list[dict]:
    """The claims in a notebook, which is read once for all pages that are made of claims."""
    cells = json.loads(path.read_bytes())["cells"]
    data = [output.get("data", {}) for cell in cells for output in cell.get("outputs", [])]
    return [bundle[MIME] for bundle in data if MIME in bundle]


SOURCES["claims"] = lambda root: [statements(), [(claim.page.name, claim.data) for claim in collect(root)]]


def own_name(id: str, docname: str = "") -> str:
    """What the paper calls the statement, with its authors unless the page is about their paper."""
    item = statements()[id]
    number = f"{item['kind'].capitalize()} {item['number']}"
    return number if f"/{item['paper']}/" in docname else f"{AUTHORS[item['paper']]}, {number}"


# Where a claim is checked, whatever came of it.
SOURCES["places"] = lambda root: [(claim["key"], claim.page.name) for claim in collect(root)]


def badge(verdict: str) -> nodes.inline:
    """The verdict as a coloured word with its symbol."""
    text = f"{SYMBOLS.get(verdict, '')} {verdict}"
    return nodes.inline(text=text, classes=["verdict", f"verdict-{slug(verdict)}"])


def evidence(claim) -> nodes.inline:
    """How it is known, where there is something to know."""
    return nodes.inline(text=(claim["evidence"] or "").replace("context", ""), classes=["evidence"])


def slug(verdict: str) -> str:
    return verdict.replace(" ", "-")


def number(value) -> str:
    """A number as one writes it by hand: four digits, 4.65·10⁻¹²⁰ where zeros would have to be counted."""
    if not isinstance(value, float) or not math.isfinite(value):
        return "–" if value is None else str(value).replace("-", "−")
    if value and not 1e-4 <= abs(value) < 1e7:
        said = scientific(*f"{value:.3g}".split("e"))
    else:
        said = f"{value:.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    return said.replace("-", "−")


def scientific(digits: str, power: str) -> str:
    times = {"1": "", "-1": "-"}.get(digits, f"{digits}·")
    return f"{times}10{str(int(power)).translate(SUPERSCRIPTS)}"


def measured(claim) -> str:
    """What was measured, with the digits that tell it from a bound that it keeps away from."""
    value, bound, said = claim["measured"], claim["expected"], number(claim["measured"])
    near = claim["relation"] in ("<", ">") and value != bound and said == number(bound)
    return f"{value:.7g}".replace("-", "−") if near else said


def expectation(claim) -> str:
    """What was expected, with its relation; what is refuted was claimed, and its relation fails."""
    if claim["expected"] is None:
        return "–"
    sign = RELATIONS.get(claim["relation"] or "==", f"{claim['relation']} ")
    return ("claimed " if claim["verdict"] == "refuted" else "") + sign + number(claim["expected"])


def anchor(key: str) -> str:
    """Where the box of a claim can be found on its page; under its statement's id the first one's."""
    return f"claim-{key}"


class ClaimRenderer:
    """myst-nb's plugin: a claim is a row, its verdict and a line of it, which opens to all of it."""

    mime_priority_overrides = [("*", MIME, 1)]

    @staticmethod
    def handle_mime(renderer, data, inline):
        if data.mime_type != MIME:
            return None
        claim, markdown = dict.fromkeys(OPTIONAL) | data.content, renderer.renderer
        link = to_statement(claim["id"], own_name(claim["id"], f"/{markdown.sphinx_env.docname}"))
        render = partial(inline_nodes, markdown, data.line or 0)
        address = to_page(markdown.sphinx_env.docname, claim["key"], anchor(claim["key"]))
        box = claim_box(claim | {"note": None}, link, render, address)
        if claim["note"]:
            box += nodes.paragraph("", "", *render(claim["note"]), classes=["claim-numbers"])
        word = [nodes.emphasis(text="Claimed: ")] * (claim["verdict"] == "refuted")
        said = nodes.inline("", " ", *word, *render(claim["claim"]))
        box[:] = folded([badge(claim["verdict"]), said], box.children, classes="claim-row")
        # By its key, where it is not shown twice; the first about a statement by the statement's id as well.
        names = [anchor(claim[field]) for field in ("key", "id")]
        box["ids"] = [name for name in names if markdown.document.ids.setdefault(name, box) is box]
        box["verdict"], box["statement"] = claim["verdict"], link.astext()
        return [box]


def html(tag: str) -> nodes.raw:
    return nodes.raw("", tag, format="html")


def offered(*parts: nodes.Node) -> list[nodes.Node]:
    """Parts in a template, of which a browser makes nothing until `filter.js` is asked to."""
    return [html('<template class="on-demand">'), *parts, html("</template>")]


def folded(row: list[nodes.Node], rest: list[nodes.Node], *, classes="", opened=False) -> list[nodes.Node]:
    """A row that a click opens; on paper it is open."""
    start = f'<details class="opens {classes}"{" open" * opened}><summary>'
    return [html(start), *row, html("</summary>"), *rest, html("</details>")]


def inline_nodes(renderer, line: int, text: str) -> list[nodes.Node]:
    """Markdown of one line, in which ``$...$`` is math."""
    parent = nodes.Element()
    with renderer.current_node_context(parent):
        renderer.nested_render_text(text, line, inline=True)
    return parent.children


def claim_box(
    claim, link: nodes.Node, render: Callable[[str], list[nodes.Node]], address: nodes.Node
) -> nodes.container:
    """The claim: verdict, evidence, statement and sentence; then the numbers, the note and its key."""
    box = nodes.container(classes=["claim", f"claim-{slug(claim['verdict'])}"])
    box += joined(" ", [[badge(claim["verdict"])], [evidence(claim)], [link], render(claim["claim"])])
    tail = [[nodes.Text(text)] for text in numbers(claim)]
    if claim["note"]:
        tail.append(render(claim["note"]))
    if other := judgements().get(claim["key"], {}).get("other_reading"):
        tail.append([nodes.Text("Read otherwise: "), *render(other)])
    key = nodes.inline("", "", address, classes=["claim-key"])
    box += joined(" · ", [*tail, [key]], classes=["claim-numbers"])
    return box


def joined(separator: str, parts: list[list[nodes.Node]], **attributes) -> nodes.paragraph:
    paragraph = nodes.paragraph("", "", **attributes)
    for number, part in enumerate(parts):
        paragraph += [nodes.Text(separator), *part] if number else part
    return paragraph


def numbers(claim) -> list[str]:
    said = []
    if claim["printed"] is not None:
        said.append(f"printed {number(claim['printed'])}")
    if claim["measured"] is not None:
        found, expected = measured(claim), expectation(claim)
        word = "" if claim["verdict"] == "refuted" else "expected "
        said.append(f"measured {found}, {'as expected' if found == expected else word + expected}")
    return said
