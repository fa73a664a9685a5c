"""Directives made from the notebooks: scorecard, statement-index, not-reproducible."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from docutils import nodes

from userdp_papers.study.claims import VERDICTS, statements, verdicts

from ..evidence.proofs import extent
from . import SAFE
from .boxes import AUTHORS, own_name, ribbon, tone
from .claims import Stored, anchor, badge, claim_box, collect, evidence, expectation, measured, offered, slug
from .generated import FromData, made_of
from .graph import amended, rests_on, uses
from .links import to_page, to_statement


def table(head: list[str], rows: list[list], kind: str) -> nodes.table:
    """A table whose cells are texts, nodes or lists of nodes."""
    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in head), cols=len(head))
    group += nodes.thead("", row(head))
    group += nodes.tbody("", *(cells if isinstance(cells, nodes.row) else row(cells) for cells in rows))
    return nodes.table("", group, classes=["colwidths-auto", "userdp-table", kind])


def heading(text: str) -> nodes.rubric:
    """A heading that the page's own table of contents leaves out."""
    return nodes.rubric(text=text, **{"heading-level": 3})


def section(title: str, parts: Iterable[nodes.Node], classes: list[str] | None = None) -> nodes.section:
    """A part with a heading that the page's own table of contents lists."""
    return nodes.section("", nodes.title(text=title), *parts, ids=[slug(title)], classes=classes or [])


def row(cells: list, **by: str) -> nodes.row:
    """A row; what it is `by` paper, verdict and so on lets a reader choose it."""
    classes = [f"by-{field}-{slug(value)}" for field, value in by.items()]
    return nodes.row("", *map(entry, cells), classes=classes)


def entry(cell) -> nodes.entry:
    return nodes.entry("", paragraph(cell), classes=["nothing"] if cell == "" else [])


def paragraph(cell) -> nodes.paragraph:
    if isinstance(cell, str):
        return nodes.paragraph(text=cell)
    return nodes.paragraph("", "", *(cell if isinstance(cell, list) else [cell]))


def statement_link(id: str) -> nodes.Node:
    """The statement's kind and number in its paper, linked to its box."""
    return to_statement(id, own_name(id, f"/{statements()[id]['paper']}/"))


def page_link(claim: Stored):
    """Where the claim is checked: the page's short name in words; an index page goes by its folder's."""
    short = claim.page.name.removesuffix("/index").rpartition("/")[2].replace("-", " ")
    return to_page(claim.page.docname, short, anchor(claim["key"]))


class Generated(FromData):
    """A directive made from the claims in the stored outputs."""

    def run(self) -> list[nodes.Node]:
        made_of(self.env, "claims")
        return self.show(collect(Path(self.env.srcdir)))

    def show(self, claims: list[Stored]) -> list[nodes.Node]:
        """A heading for each paper, and what the directive makes of its statements."""
        shown = []
        for paper in AUTHORS:
            items = [item for item in statements().values() if item["paper"] == paper]
            about = [[claim for claim in claims if claim["id"] == item["id"]] for item in items]
            rows = [row for item, own in zip(items, about, strict=True) for row in self.rows(item, own)]
            if rows:
                shown += self.headed(AUTHORS[paper], self.arrange(rows))
        return shown

    def headed(self, title: str, parts: list[nodes.Node]) -> list[nodes.Node]:
        return [heading(title), *parts]

    def arrange(self, rows: list) -> list[nodes.Node]:
        return [table(self.head, rows, self.name)]


class Scorecard(Generated):
    """Every statement with its verdict, and under it every claim, after the counts of each paper."""

    head = ["statement", "claim", "verdict", "measured", "expected", "page"]

    def show(self, claims):
        rows = offered(*super().show(claims))
        return [nodes.container("", counts(claims), *rows, classes=["userdp-filtered"])]

    def rows(self, item, claims):
        judged, paper = verdicts()[item["id"]], item["paper"]
        said = [nodes.strong("", "", *self.text(judged["sentence"]))]
        name, checked = statement_link(item["id"]), extent(item["id"], Path(self.env.srcdir))
        proved = nodes.inline(text=f"machine-checked {checked}" if checked else "", classes=["evidence"])
        verdict = [pill(item["id"]), nodes.Text(" "), proved]
        yield row([name, said, verdict, "", "", ""], paper=paper, row="statement")
        for claim in claims:
            cells = ["", self.text(claim["claim"]), *result(claim), page_link(claim)]
            by = {"verdict": claim["verdict"], "whose": claim["whose"], "evidence": claim["evidence"]}
            yield row(cells, paper=paper, row="claim", **by)


def result(claim: Stored) -> list:
    verdict = [badge(claim["verdict"]), nodes.Text(" "), evidence(claim)]
    return [verdict, measured(claim), expectation(claim)]


def counts(claims: list[Stored]) -> nodes.table:
    """How many claims of each paper have which verdict, our own results apart."""
    paper_of = {id: item["paper"] for id, item in statements().items()}
    tally = Counter(
        (paper_of[claim["id"]], "ours" if claim["whose"] == "ours" else claim["verdict"]) for claim in claims
    )
    rows = [
        [name, *(str(tally[paper, verdict]) for verdict in VERDICTS), str(tally[paper, "ours"])]
        for paper, name in AUTHORS.items()
    ]
    head = ["the paper's claims", *map(badge, VERDICTS), "our own results"]
    return table(head, rows, "counts scorecard-counts")


class StatementIndex(Generated):
    """Every numbered item of the papers: its box, its ribbon, what is true of it and what its proof uses."""

    head = ["statement", "as printed", "what is true of it"]

    def show(self, claims):
        return [section("Every statement", super().show(claims), ["userdp-filtered", "whole"])]

    def headed(self, title, parts):
        return [section(title, parts)]

    def rows(self, item, claims):
        id, judged = item["id"], verdicts()[item["id"]]
        verdict = "false or broken" if tone(id) == "refuted" else judged["verdict"]
        cells = [statement_link(id), pill(id), self.text(judged["sentence"])]
        line = row(cells, paper=item["paper"], verdict=verdict)
        line[0] += nodes.paragraph(text=item["content"], classes=["beneath"])
        for words, ids in ("Uses ", uses(id)), ("Amended of these: ", amended(rests_on(id))):
            if links := links_to(ids):
                line[2] += nodes.paragraph("", words, *links, classes=["beneath"])
        return [line]


def pill(id: str) -> nodes.inline:
    """What the ribbon of the statement's box says, in a table."""
    return nodes.inline(text=ribbon(id).astext(), classes=["verdict", f"verdict-{tone(id)}"])


def links_to(ids: Iterable[str]) -> list[nodes.Node] | str:
    """The statements by their own names, with commas; nothing for none."""
    return [node for id in ids for node in (statement_link(id), nodes.Text(", "))][:-1] or ""


class NotReproducible(Generated):
    """Every claim that the text does not suffice to check, as the box that its page shows."""

    def show(self, claims):
        return super().show(claims) or [nodes.paragraph(text="None so far.")]

    def rows(self, item, claims):
        return [self.box(item, claim) for claim in claims if claim["verdict"] == "not reproducible"]

    def arrange(self, rows):
        return rows

    def box(self, item, claim):
        address = to_page(claim.page.docname, claim["key"], anchor(claim["key"]))
        box = claim_box(claim, statement_link(item["id"]), self.text, address)
        box[0] += [nodes.Text(" → "), page_link(claim)]
        return box


def setup(app) -> dict:
    app.add_directive("not-reproducible", NotReproducible)
    app.add_directive("scorecard", Scorecard)
    app.add_directive("statement-index", StatementIndex)
    return SAFE
