"""Every numbered item of a finished paper has one box and at least one check in the book."""

import re
from collections import Counter
from pathlib import Path

from userdp_book.site.claims import collect
from userdp_papers.study.claims import judgements, statements

ROOT = Path(__file__).parents[2]
FINISHED = ("dame", "kent", "cummings", "liu")
LABEL = re.compile(r"^:label: *(\S+)$", re.MULTILINE)

LABELS = Counter(
    label
    for page in (ROOT / "book").rglob("*.md")
    for label in LABEL.findall(page.read_text(encoding="utf-8"))
)
CLAIMS = collect(ROOT)
CLAIMED = {claim["id"] for claim in CLAIMS}
ITEMS = [key for key, row in statements().items() if row["paper"] in FINISHED]
# "Our privacy guarantee for …": neighbours, what a transcript costs printed and repaired; folded, a proof
# and the tests
PROMISE = re.compile(
    r"^`{4}\{prf:theorem\} Our privacy guarantee for [^\n]+\n:label: (\S+)-privacy\n\n"
    r"Suppose that one user(?:(?!`{4}).)+\n`{4}\n\n:::\{admonition\} Proof\n:class: dropdown\n"
    r"(?:(?!\n:::\n).)+\n\nThe privacy loss is measured by ([^\n]+)\.\n:::\n",
    re.MULTILINE | re.DOTALL,
)


def test_every_statement_has_a_box_and_a_check():
    assert [item for item in ITEMS if LABELS[item] != 1 or item not in CLAIMED] == []


def test_each_algorithm_has_the_box_of_its_privacy_and_the_tests_that_measure_it():
    pages = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "book").rglob("*.md"))
    measured = {id: re.findall(r"`(\S+)::(\S+)`", tests) for id, tests in PROMISE.findall(pages)}
    assert measured.keys() == {id for id, row in statements().items() if row["kind"] == "algorithm"}
    for file, test in (one for tests in measured.values() for one in tests or [("none", "none")]):
        assert f"def {test}(" in (ROOT / "tests" / file).read_text(encoding="utf-8")


def test_no_label_is_used_twice():
    assert [label for label, count in LABELS.items() if count > 1] == []


def test_the_book_makes_exactly_the_claims_of_the_tables():
    assert {claim["key"] for claim in CLAIMS} == judgements().keys()


def test_a_correction_says_what_was_corrected():
    verdicts = ("refuted", "holds after correction")
    silent = {claim["id"] for claim in CLAIMS if claim["verdict"] in verdicts}
    explained = {claim["id"] for claim in CLAIMS if claim["verdict"] in verdicts and claim["note"]}
    assert silent == explained


def unpaired(claims):
    """Corrections that neither show that the print fails nor stand with a measured case of it."""
    cases = [claim for claim in claims if claim["verdict"] == "context" and claim["measured"] is not None]
    refuted = {claim["fault"] for claim in claims if claim["verdict"] == "refuted" or claim in cases}
    corrected = [claim for claim in claims if claim["verdict"] == "holds after correction"]
    # what is said of all parameters needs the case in one of the claims about the same fault
    shown = refuted | {claim["fault"] for claim in claims if claim["printed"] is not None}
    return [
        one["key"]
        for one in corrected
        if one["printed"] is None and one["fault"] not in (shown if one["key"].endswith(".all") else refuted)
    ]


def test_a_correction_shows_that_the_print_fails():
    assert unpaired(CLAIMS) == []
    lone = {
        "key": "a.1",
        "verdict": "holds after correction",
        "fault": "slip",
        "printed": None,
        "measured": None,
    }
    assert unpaired([lone]) == ["a.1"]
    assert unpaired([lone, lone | {"key": "a.2", "verdict": "context"}]) == ["a.1"]
    assert unpaired([lone, lone | {"key": "a.2", "verdict": "context", "measured": 2.0}]) == []
    assert unpaired([lone | {"key": "a.all"}]) == ["a.all"]
    assert unpaired([lone | {"key": "a.all"}, lone | {"key": "a.2", "printed": 1.0}]) == []
    assert unpaired([lone | {"printed": 1.0}]) == unpaired([lone, lone | {"verdict": "refuted"}]) == []


def far(claims):
    """The keys of upheld claims that stay below a third of their bound, wherever they show it; 0 has none."""
    shares = {}
    for claim in claims:
        found, bound = claim["measured"], claim["expected"]
        if claim["verdict"] == "holds" and bound and claim["relation"] != "==" and min(found, bound) >= 0:
            low, high = (found, bound) if claim["relation"][0] == "<" else (bound, found)
            shares.setdefault(claim["key"], []).append(low / high if high else 1)
    return [key for key, found in shares.items() if max(found) < 1 / 3]


def test_one_upheld_claim_in_ten_stays_far_from_its_bound():
    """What is said of all parameters measures nothing and does not count."""
    counted = {claim["key"] for claim in CLAIMS if claim["verdict"] == "holds"} - {
        f"{id}.all" for id in CLAIMED
    }
    assert 0 < len(far(CLAIMS)) <= 0.1 * len(counted)
    one = {"key": "a.1", "verdict": "holds", "measured": 1.0, "expected": 4.0, "relation": "<="}
    assert far([one]) == ["a.1"] and far([one, one | {"measured": 2.0}]) == []
    assert far([one | {"relation": ">="}, one | {"verdict": "context"}]) == []
    assert far([one | {"measured": 4.0, "expected": 1.0, "relation": ">="}]) == ["a.1"]
