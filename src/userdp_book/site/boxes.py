"""Boxes of the papers' statements go by the paper's own number; a ribbon says the worst that befell them.

Below the title of one that does not hold as printed stands what holds, and a link to the repair; behind the
box, for which parameters it is proved.
"""

import re

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_proof.nodes import NODE_TYPES

from userdp_papers.study.claims import SEVERITIES, faults, judgements, statements, verdicts

from . import SAFE
from .claims import AUTHORS, SYMBOLS, anchor, joined, own_name, slug
from .links import resolved, to_page, to_statement

# "Sparse means, the paper's Proposition 4": the number is said by `own_name`
NUMBER_IN_TITLE = re.compile(
    r"(?:Pla et al\. \(DAME\)|\w+ et al\.), \w+ [\w.]+|, repaired \(ours\)|, called Algorithm 1 here"
    r"|,? the (?:paper|supplement)['’]s \w+ [\w.]+|\w+ [\w.]+ of the paper"
)
NUMBERED = re.compile(r"^\w+ [A-Z]?[\d.]+$")
CORRECTIONS = "book/reproduce/corrections"
CODE = ("released code", "transcription")  # slips that are not the statement's
# what a ribbon says where nothing is broken or false: by the worst slip in the statement or its proof
WORDS = {
    "proof gap": "with a step of its proof repaired",
    "constant or range": "with another constant or range",
    "figure's reading": "with a correction to its reading",
    "wording or glyph": "with a word or symbol corrected",
}


def boxes_in(document: nodes.document) -> list[nodes.Element]:
    """All boxes with a label, the papers' and ours, as a list, since whoever asks changes the page."""
    return list(document.findall(lambda node: type(node) in NODE_TYPES.values()))


def name_boxes(app, doctree, docname: str) -> None:
    """In the place of the book's own count: the paper's number, the box's title, and its ribbon."""
    for box in boxes_in(doctree):
        id, dash, suffix = box.get("label").partition("-repaired")
        if id in statements() and not suffix:
            kind = [] if dash else [f"is-{tone(id)}"]
            classes = ["proof", "statement", *kind, *box["classes"]]
            plain = nodes.admonition("", *box.children, ids=box["ids"], classes=classes)
            title = plain[plain.first_child_matching_class(nodes.title)]
            given = given_title(id, title)
            # ", with constants (ours)" says already what is ours
            said = bool(dash and given) and given[0].astext().startswith(",")
            colon = [nodes.Text(": ")] if given and not said else []
            ours = [nodes.Text(", repaired (ours)")] if dash and not said else []
            title[:] = [nodes.inline("", "", nodes.strong("", own_name(id)), *colon, *given, *ours)]
            if not dash:
                title += ribbon(id)
                plain.insert(1, true_of_it(app.builder, docname, id))
            box.replace_self(plain)


def slips(id: str) -> list[dict]:
    """What is wrong with the statement or its proof, the worst first; not what code or our text did to it."""
    own = [fault for fault in faults().values() if fault["statement"] == id and fault["target"] not in CODE]
    return sorted(own, key=lambda fault: SEVERITIES.index(fault["severity"]))


def tone(id: str) -> str:
    """The colour of a ribbon: red for what is broken or false, whatever a repair makes of it."""
    judged = verdicts()[id]
    return "refuted" if "ribbon" in judged else slug(judged["verdict"])


def ribbon(id: str) -> nodes.inline:
    """The worst that befell the statement, in plain words, after its sign."""
    judged, kinds = verdicts()[id], [slip["severity"] for slip in slips(id)]
    words = judged.get("ribbon", judged["verdict"])
    sign = SYMBOLS["refuted" if "ribbon" in judged else judged["verdict"]]
    if words == "holds after correction":
        # a gap in the proof leaves the statement as it is
        own = next((kind for kind in kinds if kind != "proof gap"), "")
        words = f"holds {WORDS.get(own, 'after correction')}"
    elif words == "holds":
        how = "as inferred" if judged.get("inferred") else "as printed"
        words = f"holds {WORDS['proof gap'] if 'proof gap' in kinds else how}"
    return nodes.inline(text=f"{sign} {words}", classes=["ribbon"])


def true_of_it(builder, docname: str, id: str) -> list[nodes.Node]:
    """What is true of a statement that does not hold as printed, and where it is repaired."""
    judged, (worst, *_) = verdicts()[id], [*slips(id), {}]
    if judged["verdict"] == "holds" or not worst:
        return []
    key = next(key for key, fault in faults().items() if fault is worst)
    own = f"{id}-repaired"
    has_own = own in getattr(builder.env, "proof_list", {})
    link = to_statement(own, "The repair") if has_own else to_page(CORRECTIONS, "The repair", f"fault-{key}")
    line = [*with_math(judged["sentence"]), nodes.Text(" "), *resolved(builder, docname, link)]
    return [nodes.paragraph("", "", *line, nodes.Text("."), classes=["true-of-it"])]


class ProvedBehind(SphinxPostTransform):
    """The first tab behind the box of a statement that is proved: for which parameters, and where."""

    default_priority = 4  # before links are resolved, and before tabs are joined

    def run(self, **kwargs) -> None:
        for box in boxes_in(self.document):
            if said := judgements().get(key := f"{box.get('label')}.all"):
                title = nodes.title(text=f"What is {'refuted' if said['verdict'] == 'refuted' else 'proved'}")
                line = nodes.paragraph("", "", *proved(said), ids=[anchor(key)])
                fold = nodes.admonition("", title, line, classes=["dropdown"])
                box.parent.insert(box.parent.index(box) + 1, fold)


def proved(said: dict) -> list[nodes.Node]:
    """For which parameters it is proved, and under which title, and what is not."""
    line = with_math(f"{said['claim']} {said.get('missing', '')}".strip())
    proofs = []
    for page, _, words in (title.rpartition(": ") for title in titles(said)):
        here = with_math("below" if words == "Proof" else words)
        proofs.append([to_page(f"book/{page}", words)] if page else here)
    return line + [nodes.Text(" See "), *joined(", ", proofs).children, nodes.Text(".")] * bool(proofs)


def titles(claim: dict) -> list[str]:
    """The proofs that a claim names by their titles, each after its page where that is another one."""
    named = claim.get("proof", [])
    return [named] if isinstance(named, str) else named


def with_math(text: str) -> list[nodes.Node]:
    """A sentence in which ``$...$`` is math."""
    parts = enumerate(text.split("$"))
    return [nodes.math(part, part) if place % 2 else nodes.Text(part) for place, part in parts]


def given_title(id: str, title: nodes.title) -> list[nodes.Node]:
    """The words of the page, without sphinx-proof's brackets and without the number, which stands before."""
    kept = [node.deepcopy() for node in title.children] or [nodes.Text("")]
    kept[0] = nodes.Text(kept[0].astext().lstrip().removeprefix("("))
    kept[-1] = nodes.Text(NUMBER_IN_TITLE.sub("", kept[-1].astext().rstrip().removesuffix(")")))
    words = "".join(node.astext() for node in kept)
    return [] if words in ("", own_name(id), AUTHORS[statements()[id]["paper"]]) else kept


def name_links(app, doctree, docname: str) -> None:
    """A link to such a box reads as its title does, where the page gives it no words of its own."""
    for link in doctree.findall(nodes.reference):
        target = link.get("refid") or link.get("refuri", "").rpartition("#")[2]
        id, dash, suffix = target.partition("-repaired")
        if id in statements() and not (suffix or link.get("worded")) and NUMBERED.match(link.astext()):
            link[:] = [nodes.Text(own_name(id, f"/{docname}") + (", repaired" if dash else ""))]


def setup(app) -> dict:
    app.connect("doctree-resolved", name_links)
    app.connect("doctree-resolved", name_boxes)
    app.add_post_transform(ProvedBehind)
    return SAFE
