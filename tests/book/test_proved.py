"""What is proved for all parameters: of each theorem, lemma, proposition and corollary, and of others."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document
from sphinx_proof.nodes import NODE_TYPES

from userdp_book.evidence import proofs
from userdp_book.site import boxes, links
from userdp_papers.study.claims import displays, judgements, statements, theorems_for

BOOK = Path(__file__).parents[2] / "book"
KINDS = ("theorem", "lemma", "proposition", "corollary")
FOLD = re.compile(r"^:::\{admonition\} (.+)\n:class: dropdown\n((?:(?!^:::$).*\n)+)", re.MULTILINE)
PAGES = {
    page.relative_to(BOOK).with_suffix("").as_posix(): page.read_text(encoding="utf8")
    for page in BOOK.rglob("*.md")
}
HOME = {id: name for name, text in PAGES.items() for id in re.findall(r"^:label: (\S+)$", text, re.MULTILINE)}
PROVED = {key.removesuffix(".all"): claim for key, claim in judgements().items() if key.endswith(".all")}
NUMBERED = {id for id, item in statements().items() if item["kind"] in KINDS}
CHECKED = re.compile(r"^This is checked by (.+)\.$", re.MULTILINE)
MACHINE = "machine-checked"
EMPTY = {"dame-eq-s16", "dame-eq-s29", "kent-eq-131"}


def proof(id, title):
    """The text of a fold on the statement's own page, or on the one that stands before a colon."""
    page, _, words = title.rpartition(": ")
    return dict(FOLD.findall(PAGES[page or HOME[id]])).get(words, "")


def exists(check):
    """Whether a proof's check is a claim or a test, given after its file."""
    file, _, test = check.rpartition("::")
    return check in judgements() or f"def {test}(" in (BOOK.parent / "tests" / file).read_text("utf8")


def problems(id, claim):
    """Everything that is wrong with what is said of all parameters of a statement."""
    names, titles = (
        theorems_for(f"{id}.all") if claim is PROVED[id] else [claim.get("theorem")],
        boxes.titles(claim),
    )
    stored = {each["theorem"]: each for each in proofs.of_statement(id)}
    if not set(names) <= stored.keys():
        yield "names a theorem that is about something else"
    if claim["evidence"] == MACHINE:
        if [stored[name]["whole"] for name in names if name in stored] != [True] or "missing" in claim:
            yield "is called machine-checked, but no single theorem is the whole statement"
    elif claim["evidence"] != "proof" or not titles:
        yield "names no proof"
    if any(len(proof(id, title)) < 100 for title in titles):
        yield "names a proof that is not on the page"
    if not (
        claim["verdict"] == "refuted"
        or re.search(r"\b(is|are) proved\b.* (for|at) (all|every|each|any)\b", claim["claim"])
    ):
        yield "does not say for which parameters"
    texts = {proof(id, title) for title in titles}
    checks = re.findall("`(.+?)`", " ".join(CHECKED.findall("".join(texts))))
    shared = {proof(one, title) for one in NUMBERED for title in boxes.titles(PROVED[one])}
    if id not in NUMBERED and not checks and not texts <= shared or not all(map(exists, checks)):
        yield "rests on a proof that nothing checks"
    if not claim.get("missing", ".").endswith("."):
        yield "breaks off where it says what is missing"


def test_every_theorem_has_one_claim_for_all_parameters_or_says_what_is_missing():
    assert PROVED.keys() >= NUMBERED
    found = {id: list(problems(id, claim)) for id, claim in PROVED.items()}
    assert {id: wrong for id, wrong in found.items() if wrong} == {}
    # a part is called a part: these and no others
    assert {id for id in NUMBERED if "missing" in PROVED[id]} == {
        "cummings-thm-4.1",
        "cummings-thm-d.1",
        "cummings-lem-d.2",
        "cummings-lem-4.2",
        "cummings-lem-g.1",
        "cummings-lem-g.2",
        "liu-cor-4.4",
    }


def test_no_display_of_a_proved_statement_is_left_open():
    """Each follows by a step, is checked or only defines something; an empty line with a number is none."""
    rows = {key: row for key, row in displays().items() if row["statement"] in PROVED}
    claims = {key for key, row in rows.items() if row["status"] != "definition"}
    bare = {key for key in claims if not {"step", "check"} & rows[key].keys()}
    assert {key for key in bare if "missing" not in PROVED[rows[key]["statement"]]} == EMPTY and len(
        claims
    ) > 300


@pytest.mark.parametrize(
    ("id", "planted"),
    [
        ("kent-lem-28", {"theorem": "rotation_flattens"}),
        ("kent-lem-28", {"theorem": "vote_with_r_ones_loses"}),
        ("kent-lem-28", {"missing": "Large budgets."}),
        ("kent-lem-28", {"evidence": "exact"}),
        ("kent-thm-1", {"proof": "Proof of another theorem"}),
        ("kent-thm-1", {"proof": "kent/floor: Proof of the lower bounds"}),
        ("kent-thm-1", {"proof": []}),
        ("kent-thm-1", {"claim": "Theorem 1 holds at $n = 5$."}),
        ("kent-thm-1", {"claim": "Theorem 1 is proved at $n = 5$."}),
        ("cummings-thm-d.1", {"missing": "Its accuracy"}),
        ("kent-rem-3", {"proof": "Proof"}),
    ],
)
def test_a_planted_fault_is_refused(id, planted):
    assert list(problems(id, PROVED[id])) == []
    assert list(problems(id, PROVED[id] | planted))


def tabs_behind(id, home, found=()):
    """The tabs behind the box of a statement, with their links."""
    env = SimpleNamespace(docname=home, found_docs=set(found))
    builder = SimpleNamespace(env=env, get_relative_uri=lambda here, there, typ=None: f"{there}.html")
    page = new_document("page")
    page.settings.env, env.app = env, SimpleNamespace(builder=builder)
    page += NODE_TYPES["lemma"](label=id)
    for each in (boxes.ProvedBehind, links.ResolveLinks):
        each(page).run()
    return page.children[1:]


def test_behind_a_box_stands_what_is_proved_of_it_and_where():
    (tab,) = tabs_behind("liu-cor-4.5", "book/liu/private-bounds-error", ["book/liu/private-bounds"])
    title, line = tab.children
    assert line["ids"] == ["claim-liu-cor-4.5.all"] and title.astext() == "What is proved"
    assert line.astext().startswith("Corollary 4.5 is proved")
    (link,) = line.findall(nodes.reference)
    assert link["refuri"] == "book/liu/private-bounds.html" and link.astext() == "Proof of the sharper bound"
    assert tabs_behind("kent-rem-1", "book/kent/model") == []


def test_what_is_refuted_is_not_called_proved():
    (tab,) = tabs_behind("kent-lem-22", "book/kent/mixture")
    assert tab[0].astext() == "What is refuted"
