"""Directives made from the tables of judgement: corrections, tallies, worst, readings, erratum."""

from collections import Counter
from itertools import groupby
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives

from userdp_papers.study.claims import SEVERITIES, VERDICTS, faults, statements, verdicts

from . import SAFE, picture
from .boxes import AUTHORS, CORRECTIONS, own_name
from .claims import badge, collect, folded, joined, slug
from .generated import SOURCES, FromData, made_of
from .links import to_page, to_statement
from .moving import figures, placed
from .statements import page_link, section, statement_link, table

MOVES = {
    "printed": "As printed",
    "counterexample": "Why it fails",
    "repair": "Repair",
    "survives": "What stands",
}
LOSS = {"stated": "stated", "really": "really", "smallest example": "example"}
READ = {"printed": "printed", "to be read": "repair"}
OURS = " This is the reading of the verdict."
SOURCES["judgement"] = lambda root: [faults(), verdicts()]


def paper(id: str) -> str:
    return statements()[id]["paper"]


def faults_of(wanted: str | None) -> dict[str, dict]:
    """The errors of one paper, or of all, each with its key."""
    return {k: one | {"key": k} for k, one in faults().items() if wanted in (None, paper(one["statement"]))}


def within(fault: dict) -> str:
    """The line in the paper, without the statement's own name, which stands before it."""
    name = own_name(fault["statement"], f"/{paper(fault['statement'])}/")
    return fault["locus"].removeprefix(name).lstrip(",; ")


def standing(one: str) -> list[str]:
    """The statements of a paper that hold as printed."""
    return [id for id, item in verdicts().items() if paper(id) == one and item["verdict"] == "holds"]


def severity(fault: dict) -> nodes.inline:
    """How bad it is, as a word in a frame."""
    said = fault["severity"]
    return nodes.inline(text=said, classes=["verdict", "severity", f"severity-{slug(said)}"])


class Judged(FromData):
    """A directive made from the faults of one paper, or of all."""

    option_spec = {"paper": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        made_of(self.env, "judgement")
        return self.show(faults_of(self.options.get("paper")))

    def said(self, word: str, markdown: str) -> nodes.paragraph:
        return nodes.paragraph("", "", nodes.strong(text=f"{word}. "), *self.text(markdown), classes=["said"])

    def place(self, fault: dict) -> list[nodes.Node]:
        """The statement that is charged, linked to its box, and the line in the paper."""
        id = fault["statement"]
        name = to_statement(id, own_name(id, f"/{self.options.get('paper')}/"))
        return [nodes.strong("", "", name), nodes.Text(" · "), *self.text(within(fault))]

    def moves(self, fault: dict) -> list[nodes.Node]:
        return [*(self.said(word, fault[field]) for field, word in MOVES.items()), *self.readings(fault)]

    def readings(self, fault: dict) -> list[nodes.Node]:
        """Each in a paragraph; that of our verdict is called the adopted one."""
        told = enumerate(fault.get("readings", []), start=1)
        names = {one: "Adopted" if one.endswith(OURS) else f"Reading {k}" for k, one in told}
        return [self.said(name, one.removesuffix(OURS)) for one, name in names.items()]


class Corrections(Judged):
    """Each fault once, by severity and rank; the gravest two kinds are seen, the others open by kind."""

    def show(self, chosen):
        made_of(self.env, "claims")
        made_of(self.env, "moving-places")
        pages = shown_on(Path(self.env.srcdir))
        frame = section("Every error", [], ["userdp-filtered"])
        for kind, group in groupby(sorted(chosen.values(), key=gravity), lambda fault: fault["severity"]):
            boxes = [self.box(fault, pages.get(fault["key"], [])) for fault in group]
            if kind not in SEVERITIES[:2]:
                boxes = folded([nodes.Text(f"{len(boxes)} errors of this kind")], boxes, classes="part")
            frame += section(kind.capitalize(), boxes)
        return [*self.losses(chosen), frame]

    def losses(self, chosen: dict[str, dict]) -> list[nodes.Node]:
        """Where more is lost than is stated, in one letter for the budget, whatever the papers call it."""
        worst = sorted((fault for fault in chosen.values() if "stated" in fault), key=gravity)
        rows = [[self.charged(fault), *(self.text(fault[one]) for one in LOSS.values())] for fault in worst]
        return [table(["where", *LOSS], rows, "losses stack")] if rows else []

    def charged(self, fault: dict) -> list[nodes.Node]:
        """The statement, or the code that is released with it."""
        code = ", released code" if fault["target"] == "released code" else ""
        return [to_statement(fault["statement"], own_name(fault["statement"])), nodes.Text(code)]

    def box(self, fault, links):
        by = [f"by-paper-{paper(fault['statement'])}", f"by-severity-{slug(fault['severity'])}"]
        box = nodes.container(classes=["claim", "correction", *by], ids=[f"fault-{fault['key']}"])
        links = [to_statement(fault["statement"], "the statement's box"), *links]
        where = joined(" · ", [[link] for link in links], classes=["claim-numbers"])
        row = [nodes.strong(text=own_name(fault["statement"])), *self.text(f" · {within(fault)} ")]
        printed, why, repair, *rest = self.moves(fault)
        if opened := "rank" in fault:
            row, rest = [*row, severity(fault)], [printed, why, repair, *rest]
        else:
            row += [nodes.emphasis(text="printed: "), *printed[1:]]
            row, rest = [*row, nodes.emphasis(text=" repair: "), *repair[1:]], [why, *rest]
        box += folded([nodes.inline("", "", *row)], [*rest, where], opened=opened)
        return box


def shown_on(root: Path) -> dict[str, list[nodes.Node]]:
    """Fault -> a link to each page whose claims show it, and to each figure that does."""
    found: dict[str, dict[str, nodes.Node]] = {}
    for claim in collect(root):
        if claim["fault"]:
            found.setdefault(claim["fault"], {}).setdefault(claim.page.name, page_link(claim))
    for name, docname in placed(root).items():
        if fault := figures(root)[name].fault:
            found.setdefault(fault, {})[name] = to_page(docname, "a figure that moves", f"moving-{name}")
    return {key: list(links.values()) for key, links in found.items()}


class FaultTally(Judged):
    """How many faults of which severity each paper has; then how its statements fare."""

    def show(self, chosen):
        slips = Counter((paper(fault["statement"]), fault["severity"]) for fault in chosen.values())
        fates = Counter((paper(id), item["verdict"]) for id, item in verdicts().items())
        severities = {kind: kind.capitalize() for kind in SEVERITIES}
        return [
            counted("errors", severities, slips, "fault-tally"),
            counted("statements", {one: badge(one) for one in VERDICTS}, fates, "scorecard-counts"),
        ]


def counted(what: str, kinds: dict, count: Counter, style: str) -> nodes.table:
    """A row a kind, a column a paper, and the sum of the row."""
    numbers = {kind: [count[one, kind] for one in AUTHORS] for kind in kinds}
    rows = [[words, *map(str, numbers[kind]), str(sum(numbers[kind]))] for kind, words in kinds.items()]
    names = [name.removesuffix(" et al.") for name in AUTHORS.values()]
    return table([what, *names, "all"], rows, f"counts {style}")


class InFigures(Judged):
    """The tally in one sentence."""

    def show(self, chosen):
        return [nodes.paragraph(text=picture.sentence(self.options.get("paper")))]


def gravity(fault: dict) -> tuple[int, int]:
    """By severity, then by rank."""
    return SEVERITIES.index(fault["severity"]), fault.get("rank", 99)


class Worst(Judged):
    """How many errors one paper has of each kind, and the gravest, a line each with what is true instead."""

    def show(self, chosen):
        grave: dict[str, dict] = {}
        for fault in sorted(chosen.values(), key=gravity):
            if fault["severity"] == SEVERITIES[0] or "rank" in fault:
                grave.setdefault(fault["statement"], fault)
        lines = nodes.bullet_list("", *map(self.line, grave.values()))
        count = Counter(fault["severity"] for fault in chosen.values())
        one = self.options["paper"]
        shown = [
            [to_page(CORRECTIONS, f"{kind}: {count[kind]}", query=f"paper={one}&severity={slug(kind)}")]
            for kind in filter(count.get, SEVERITIES)
        ]
        return [joined(" · ", [[nodes.Text("All errors")], *shown]), lines]

    def line(self, fault):
        id = fault["statement"]
        # the verdict is the statement's: what code does to it is said by the fault
        code = fault["target"] == "released code"
        where, sentence = (", released code", fault["printed"]) if code else ("", verdicts()[id]["sentence"])
        whose = nodes.strong("", "", statement_link(id), nodes.Text(where))
        said = [whose, nodes.Text(" "), severity(fault), nodes.Text(" "), *self.text(sentence)]
        return nodes.list_item("", nodes.paragraph("", "", *said))


class Readings(Judged):
    """By paper, every fault that hangs on how a damaged line is read, and what follows under each reading."""

    def show(self, chosen):
        read = [fault for fault in chosen.values() if "readings" in fault]
        parts = groupby(read, lambda fault: paper(fault["statement"]))
        return [section(AUTHORS[one], map(self.box, group)) for one, group in parts]

    def box(self, fault: dict) -> nodes.container:
        told = [self.said("As transcribed", fault["printed"]), *self.readings(fault)]
        place, id = nodes.paragraph("", "", *self.place(fault)), f"reading-{fault['key']}"
        return nodes.container("", place, *told, classes=["claim", "correction"], ids=[id])


class Erratum(Judged):
    """For a paper's authors: how much, what stands, the errors by severity, misprints in a table."""

    def show(self, chosen):
        found = {kind: [one for one in chosen.values() if one["severity"] == kind] for kind in SEVERITIES}
        *kinds, last = SEVERITIES
        parts = [section(kind.capitalize(), map(self.entry, found[kind])) for kind in kinds if found[kind]]
        listed = table(["where", *READ], [*map(self.misprint, found[last])], "misprints")
        parts.append(section(f"{last.capitalize()}, to be read differently", [listed]))
        named, here = zip(filter(found.get, SEVERITIES), parts, strict=False), self.env.docname
        counts = [[to_page(here, f"{kind}: {len(found[kind])}", part["ids"][0])] for kind, part in named]
        return [joined(" · ", counts), self.standing(), *parts]

    def standing(self):
        """Which statements hold as printed, by their own names, behind how many they are."""
        names = [[statement_link(id)] for id in standing(self.options["paper"])]
        but = "as printed, but for misprints, proofs, code and remarks below"
        title = nodes.title(text=f"{len(names)} statements stand {but}")
        return nodes.admonition("", title, joined(", ", names), classes=["dropdown"])

    def entry(self, fault):
        id = f"fault-{fault['key']}"
        place = nodes.paragraph("", "", *self.place(fault), nodes.reference("", "#", refid=id))
        return nodes.container("", place, *self.moves(fault), classes=["erratum-entry"], ids=[id])

    def misprint(self, fault):
        return [self.place(fault), *(self.text(fault[field]) for field in READ.values())]


def setup(app) -> dict:
    app.add_directive("corrections", Corrections)
    app.add_directive("erratum", Erratum)
    app.add_directive("fault-tally", FaultTally)
    app.add_directive("in-figures", InFigures)
    app.add_directive("readings", Readings)
    app.add_directive("worst", Worst)
    return SAFE
