"""Beside the paper: its displays and its algorithms' lines, a walk for a statement, a table for a paper."""

import re
from collections import Counter
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives

from userdp_papers.study.claims import STATUSES, displays, judgements, mutants, statements

from . import SAFE
from .boxes import own_name
from .claims import Stored, collect, joined, offered, slug
from .generated import SOURCES, FromData, made_of
from .links import to_statement
from .statements import heading, page_link, row, statement_link, table

KEY = re.compile(
    r"(?P<paper>\w+)-(?:eq-(?P<number>s?\d+)|(?P<place>.+?)-(?P<part>line|display)-(?P<count>\d+))"
)
SYMBOLS = dict(zip(STATUSES, "✗✗✎✎…✓○", strict=True))
SOUND = ("ok", "definition")
TALLY = (
    "Of {rows} displays and lines of algorithms {how[tested]} are tested by a claim or by a test, "
    "{how[step]} more follow by a written step and {how[definition]} only define something."
)
REASONS = " Of {how[reason]} it is said why neither is there."
MUTATED = (
    " A program has changed the formulas that {tests} tests of {displays} displays assert, one at a time: "
    "{killed} of {changes} changes, {share:.1%}, made the test fail; {follows} more only widen an inequality."
)
SOURCES["displays"] = lambda root: [displays(), mutants(displays().values())]


def own_number(key: str) -> str:
    """How the paper numbers it: "(137)", "(S71)", "line 4", "display 2"."""
    found = KEY.fullmatch(key)
    return f"({found['number'].upper()})" if found["number"] else f"{found['part']} {found['count']}"


def of_statement(id: str) -> dict[str, dict]:
    return {key: display for key, display in displays().items() if display["statement"] == id}


def status(said: str, count: str = "") -> nodes.inline:
    """A status as a word in its colour, with a symbol."""
    classes = ["verdict", "status", f"status-{slug(said)}"]
    return nodes.inline(text=f"{SYMBOLS[said]} {count}{said}", classes=classes)


def claims_for(env) -> dict[str, Stored]:
    """The book's claims by their keys, read once for all walks of all pages."""
    for source in ("displays", "places"):
        made_of(env, source)
    known = vars(env.app)
    if "userdp_claims" not in known:
        known["userdp_claims"] = {claim["key"]: claim for claim in collect(Path(env.srcdir))}
    return known["userdp_claims"]


class Beside(FromData):
    """A directive made from the ledger and from the claims that test it."""

    def run(self) -> list[nodes.Node]:
        self.claims = claims_for(self.env)
        return self.show()

    def checks(self, display: dict, brief=False) -> list[nodes.Node]:
        """The claims that test it, and the tests by their names or in brief their number; or nothing."""
        found = display.get("check", [])
        parts = [self.claim(one, display) for one in found if one in self.claims]
        tests = [[nodes.literal(text=one)] for one in found if one not in self.claims]
        parts += [[nodes.Text(f"{len(tests)} test{'s' * (len(tests) > 1)}")]] if brief and tests else tests
        return [nodes.Text("Checked: "), *joined(", ", parts).children, nodes.Text(".")] if parts else []

    def claim(self, key: str, display: dict) -> list[nodes.Node]:
        """A claim by its number, and by its statement where that is another than the display's; its page."""
        id, _, count = key.rpartition(".")
        name = own_name(id, f"/{statements()[id]['paper']}/")
        about = f" about {name}" if id != display["statement"] else ""
        return [nodes.Text(f"claim {count}{about} on "), page_link(self.claims[key])]


class Walk(Beside):
    """What each display of a statement's proof does, why it follows, where ours is shorter; folded."""

    required_arguments = 1

    def show(self):
        found = of_statement(self.arguments[0])
        if not found:
            raise self.error(f"no display belongs to {self.arguments[0]!r}")
        many = f"step by step, {len(found)} displays and lines"
        title = f"In the paper, {many if len(found) > 1 else own_number(next(iter(found)))}"
        steps = [self.step(key, display) for key, display in found.items()]
        return [nodes.admonition("", nodes.title(text=title), *steps, classes=["dropdown", "walk"])]

    def step(self, key: str, display: dict) -> nodes.paragraph:
        """One display: it can be linked by its key, unless that is the statement's own label."""
        name = nodes.strong(text=own_number(key))
        parts = [[name], [status(display["status"])], self.text(display["says"])]
        parts += [self.text(display[field]) for field in ("step", "reason") if field in display]
        parts += [checks] if (checks := self.checks(display)) else []
        if key in statements():
            return joined(" ", parts)
        line = joined(" ", parts, ids=[key])
        labels = self.env.get_domain("std")
        labels.anonlabels[key] = self.env.docname, key
        labels.labels[key] = self.env.docname, key, own_number(key)
        return line


class Ledger(Beside):
    """All displays of one paper in its order: what does not stand as printed, and on request the rest."""

    option_spec = {"paper": directives.unchanged_required}
    head = ["display", "where", "what it says", "status", "how we know"]

    def show(self):
        paper = self.options["paper"]
        mine = {key: one for key, one in displays().items() if KEY.fullmatch(key)["paper"] == paper}
        frame = nodes.container(classes=["userdp-filtered"])
        for title, sound in {"Not as printed": False, "As printed": True}.items():
            rows = [self.row(*item) for item in mine.items() if (item[1]["status"] in SOUND) == sound]
            part = [heading(title), table(self.head, rows, "ledger")]
            frame += offered(*part) if sound else part
        counts, passed = mutants(mine.values())
        many = Counter(one["status"] for one in mine.values())
        sums = joined(" ", [[status(said, f"{many[said]} ")] for said in STATUSES if many[said]])
        told = tally(Counter(map(way, mine.values()))) + MUTATED.format(**counts)
        parts = "test", "before", "after"
        rows = [[*(nodes.literal(text=one[part]) for part in parts), self.text(one["why"])] for one in passed]
        box = nodes.admonition("", nodes.title(text="How they were checked"), classes=["dropdown"])
        box += [nodes.paragraph(text=told), table([*parts, "why it passes"], rows, "ledger")]
        return [sums, box, frame]

    def row(self, key: str, display: dict) -> nodes.row:
        id = display["statement"]
        how = [self.text(display[field]) for field in ("step", "reason") if field in display]
        how += [checks] if (checks := self.checks(display, brief=True)) else []
        place = [to_statement(key, own_number(key))], [statement_link(id)], self.text(display["says"])
        return row([*place, status(display["status"]), joined(" ", how).children], status=display["status"])


def tally(how: Counter[str]) -> str:
    """How many displays are known in which way."""
    return (TALLY + REASONS * bool(how["reason"])).format(rows=how.total(), how=how)


def way(display: dict) -> str:
    """How it is known; tested is what a claim or a test looks at."""
    if any(check in judgements() or check.startswith("test_") for check in display.get("check", [])):
        return "tested"
    if "step" in display:
        return "step"
    return "definition" if display["status"] == "definition" else "reason"


def setup(app) -> dict:
    app.add_directive("ledger", Ledger)
    app.add_directive("walk", Walk)
    return SAFE
