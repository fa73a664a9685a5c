"""The tables of judgement: complete, charged to somebody at some place, readable alone, consistent."""

import re

import pytest

from userdp_papers.study.claims import (
    EVIDENCE,
    SEVERITIES,
    TARGETS,
    VERDICTS,
    WHOSE,
    Claim,
    faults,
    judgements,
    statements,
    verdicts,
)

FAULTS, ITEMS, CLAIMS = faults(), verdicts(), judgements()
AMENDED = ("refuted", "holds after correction")
FRAGMENT = re.compile(r"(and|it|so|which|the same|for|this|these|there|both|corrected|see)\b", re.IGNORECASE)
KNOWN = {"claim", "verdict", "evidence", "note", "template", "whose", "target", "locus", "fault", "theorem"}
KNOWN |= {"other_reading", "proof", "missing"}
OF_A_FAULT = {"statement", "target", "locus", "severity", "printed", "counterexample", "repair", "survives"}
OF_A_LOSS = {"stated", "really", "example"}


def faults_of_a_claim(fields):
    """Everything that is wrong with one claim of the tables."""
    amended = fields["verdict"] in AMENDED
    if not fields.keys() <= KNOWN or fields["verdict"] not in VERDICTS or fields["evidence"] not in EVIDENCE:
        yield "unknown field, verdict or evidence"
    if fields.get("whose") not in WHOSE or fields.get("target") not in TARGETS:
        yield "does not say whose it is or what it is about"
    if amended and not (fields.get("locus") and fields.get("fault") in FAULTS):
        yield "is not upheld, but has no place in the paper or no fault"
    if amended and fields.get("whose") == "ours":
        yield "refutes or corrects what is ours"
    if "sanity check" in f"{fields['claim']} {fields.get('note')}" and fields["verdict"] != "context":
        yield "stays far from its bound, and yet counts"
    if fields["verdict"] != "holds" and not fields.get("note"):
        yield "has nothing to say about its verdict"
    if FRAGMENT.match(fields["claim"]) or not re.match(r"[A-Z0-9$`{\\]", fields["claim"]):
        yield "begins in the middle of a sentence"


def test_every_claim_reads_alone_and_is_charged():
    problems = {key: list(faults_of_a_claim(fields)) for key, fields in CLAIMS.items()}
    assert {key: found for key, found in problems.items() if found} == {}


SOUND = {
    "claim": "Algorithm 10 loses at most its budget.",
    "verdict": "holds",
    "evidence": "exact",
    "whose": "paper",
    "target": "algorithm",
}


@pytest.mark.parametrize(
    "planted",
    [
        {"claim": "and it stays there"},
        {"claim": "corrected, it loses"},
        {"whose": "nobody"},
        {"target": ""},
        {"verdict": "refuted", "note": "why"},
        {"verdict": "refuted", "note": "why", "locus": "(3)", "fault": "no such fault"},
        {"verdict": "context"},
        {"claim": "Algorithm 10 loses at most its budget: a sanity check."},
        {"verdict": "true"},
        {"seriousness": "privacy broken"},
    ],
)
def test_a_planted_fault_is_refused(planted):
    assert list(faults_of_a_claim(SOUND)) == []
    assert list(faults_of_a_claim(SOUND | planted))


def test_every_fault_is_charged_to_a_statement_and_shown_by_a_claim():
    shown = {claim.get("fault") for claim in CLAIMS.values()}
    for key, fault in FAULTS.items():
        assert fault.keys() >= OF_A_FAULT and fault.keys() - OF_A_LOSS <= OF_A_FAULT | {"rank", "readings"}, (
            key
        )
        assert (
            (fault["severity"] == SEVERITIES[0])
            == (fault.keys() >= OF_A_LOSS)
            == bool(fault.keys() & OF_A_LOSS)
        )
        assert fault["statement"] in statements() and fault["target"] in TARGETS, key
        assert fault["severity"] in SEVERITIES and all(fault[field] for field in OF_A_FAULT), key
        assert key in shown


GREEK = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau upsilon"
)
GREEK += " phi psi chi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
SYMBOL = re.compile(rf"\\({GREEK.replace(' ', '|')})(?![A-Za-z])|(?<![A-Za-z\\])([A-Za-z])(?![A-Za-z])")


def symbols(text):
    """The letters in the mathematics of a text; words, names of commands and places of a template aside."""
    inner = re.findall(r"\$([^$]+)\$", re.sub(r"(?<![\\^_A-Za-z}])\{\w+(:[^}]*)?\}", "", text))
    plain = [re.sub(r"\\(operatorname\*?|text|mathrm)\{[^}]*\}", "", math) for math in inner]
    return {greek or latin for math in plain for greek, latin in SYMBOL.findall(math)}


def test_a_claim_uses_letters_of_the_notation_page(root):
    known = symbols((root / "book" / "start" / "notation.md").read_text(encoding="utf8"))
    undefined = {key: symbols(claim["claim"]) - known for key, claim in CLAIMS.items()}
    assert {key: letters for key, letters in undefined.items() if letters} == {}
    assert symbols(r"The $\aleph$ of $Q_7 \le \chi$ and $\mathrm{Lap}(b)$.") == {"Q", "chi", "b"}


def unweighed(claims, faults):
    """Refutations of what can be read in several ways that do not say what follows under the others."""
    refuted = {key: claim for key, claim in claims.items() if claim["verdict"] == "refuted"}
    read = [key for key, claim in refuted.items() if "readings" in faults[claim["fault"]]]
    return [key for key in read if not refuted[key].get("other_reading", "").endswith(".")]


def test_a_refutation_weighs_the_other_reading():
    assert unweighed(CLAIMS, FAULTS) == []
    # the referee's six, and the theorem on private sizes
    named = "kent-thm-6.10 kent-fig-5.8 kent-lem-22.3 liu-alg-2.4 liu-lem-a.2.1 cummings-thm-d.1.13"
    assert all("other_reading" in CLAIMS[key] for key in named.split())
    planted = {"kent-alg-9.9": {**CLAIMS["kent-alg-9.9"], "other_reading": ""}}
    assert unweighed(planted, FAULTS) == ["kent-alg-9.9"]


def misjudged(fault):
    """Why a slip cannot have its severity: these exclude each other."""
    severity, target = fault["severity"], fault["target"]
    if severity == "statement false" and target not in ("statement", "figure or table"):
        return "a step or an algorithm is no statement"
    if severity == "proof gap" and target not in ("proof step", "remark"):
        return "only what is proved has a gap"
    if target == "transcription" and severity != "wording or glyph":
        return "a damaged line is nobody's"
    return ""


def test_severities_exclude_each_other():
    assert {key: why for key, fault in FAULTS.items() if (why := misjudged(fault))} == {}
    false = FAULTS["kent-one-density"]
    assert misjudged(false | {"target": "proof step"}) and misjudged(false | {"target": "transcription"})
    assert misjudged(false | {"severity": "proof gap"})


def test_ten_faults_are_ranked():
    assert sorted(fault["rank"] for fault in FAULTS.values() if "rank" in fault) == list(range(1, 11))


def test_a_claim_is_about_the_statement_of_its_key():
    key = next(key for key, claim in judgements().items() if not claim.get("template"))
    assert Claim.judged(key).id == key.rpartition(".")[0] in statements()


def test_every_statement_is_judged():
    assert ITEMS.keys() == statements().keys()


def test_every_statement_has_one_verdict_that_its_claims_bear_out():
    refuted = {
        key.rpartition(".")[0]
        for key, claim in CLAIMS.items()
        if (claim.get("whose"), claim.get("target"), claim["verdict"]) == ("paper", "statement", "refuted")
    }
    for id, item in ITEMS.items():
        assert item["verdict"] in VERDICTS and item["sentence"].endswith("."), id
        assert set(item["uses"]) <= statements().keys() - {id}, id
        assert not (item["verdict"] == "holds" and id in refuted), id
