import json
import re
from pathlib import Path

import numpy as np
import pytest

from userdp_papers.study import claims
from userdp_papers.study.claims import EVIDENCE, MIME, VERDICTS, Claim, check, judgements, statements

ID = "dame-lem-s6"
PAGES = "\n".join(
    page.read_text(encoding="utf8") for page in (Path(__file__).parents[2] / "book").rglob("*.md")
)

WRITTEN = set(re.findall(r'"((?:kent|dame|cummings|liu)-[\w.-]+\.\d+)"', PAGES)) - statements().keys()
FILLED = set(re.findall(r'f"[\w-]*\{\w+\}\.(\d+)"', PAGES))


@pytest.fixture(autouse=True)
def table(monkeypatch):
    """One claim for each verdict, under the verdict's first word, and one with a place for a word."""
    made = {f"{ID}.{v.split()[-1]}": {"claim": "a claim", "verdict": v} for v in VERDICTS}
    made[f"{ID}.filled"] = {"claim": "at {n} users", "verdict": "holds", "template": True}
    monkeypatch.setattr(claims, "judgements", lambda: made)


def key(verdict):
    return f"{ID}.{verdict.split()[-1]}"


def test_every_statement_has_an_id_of_its_paper():
    rows = statements()
    assert len(rows) == 150
    assert all(key.startswith(row["paper"] + "-") for key, row in rows.items())


@pytest.mark.parametrize(
    ("measured", "expected", "relation", "true"),
    [
        (1.0, 1.0, "==", True),
        (1.0, 1.1, "==", False),
        (1.0, 1.0, "<", False),
        (1.0, 1.0, "<=", True),
        ([1, 2], [2, 2], "<=", True),
        ([1, 3], 2, "<=", False),
        ([3, 3], 2, ">", True),
        (np.nan, 1.0, "<=", False),
    ],
)
def test_a_verdict_must_agree_with_the_measurement(measured, expected, relation, true, capsys):
    right, wrong = ("holds", "refuted") if true else ("refuted", "holds")
    check(key(right), measured, expected, relation=relation)
    assert ID in capsys.readouterr().out
    with pytest.raises(AssertionError, match="disagree"):
        check(key(wrong), measured, expected, relation=relation)


def test_a_reader_is_told_where_a_verdict_ends_and_goes_on(monkeypatch, capsys):
    monkeypatch.delenv("USERDP_STRICT")
    check(key("holds"), 37.0, 4.0)
    said = capsys.readouterr().out
    assert "[not at your settings]" in said and "measured 37 == 4" in said


def test_tolerances_are_those_given():
    check(key("holds"), 1.04, 1.0, rtol=0.05)
    check(key("holds"), 1.04, 1.0, atol=0.05)
    check(key("holds"), -4.18, -4.0, rtol=0.05)  # a part of what is expected
    with pytest.raises(AssertionError):
        check(key("holds"), 1.06, 1.0, rtol=0.05)
    with pytest.raises(AssertionError):
        check(key("holds"), 0.26, 0.25, rtol=0.03)


def test_a_correction_must_correct():
    check(key("holds after correction"), 2.0, 2.0, printed=1.0)
    with pytest.raises(AssertionError, match="printed value would hold too"):
        check(key("holds after correction"), 2.0, 3.0, relation="<=", printed=2.5)
    with pytest.raises(AssertionError, match="disagree"):
        check(key("holds after correction"), 2.0, 1.0, printed=3.0)


def test_the_element_nearest_to_failing_is_reported(capsys):
    check(key("holds"), [1, 5, 3], [9, 6, 9], relation="<=")
    assert "measured 5 <= 6" in capsys.readouterr().out


def test_the_bundle_is_json_with_rounded_numbers(capsys):
    check(key("holds"), 1 / 3, 1, relation="<")
    assert "0.3333" in capsys.readouterr().out
    claim = Claim(key("holds"), ID, "claim", "holds", measured=1.0, expected=2.0, relation="<=")
    bundle = claim._repr_mimebundle_()
    content = json.loads(json.dumps(bundle[MIME]))
    assert {"key", "id", "claim", "verdict", "measured", "expected"} <= content.keys()
    assert bundle["text/plain"] == repr(claim)


@pytest.mark.parametrize(("options", "message"), [
    ({"key": "dame-lem-s6.99"}, "key must be a key of the tables of judgement, got 'dame-lem-s6.99'"),
    ({"relation": "~"}, "relation must be one of .* got '~'"),
    ({"measured": None}, "measured and expected must be given for the verdict 'holds'"),
    ({"users": 3}, "has no place for users"),
])  # fmt: skip
def test_bad_arguments_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        check(**{"key": key("holds"), "measured": 1.0, "expected": 1.0} | options)


def test_context_needs_no_measurement(capsys):
    check(key("context"))
    assert capsys.readouterr().out.startswith(f"[context] {ID}")


def test_words_are_filled_in(capsys):
    check(f"{ID}.filled", 1, 1, n=37)
    assert "at 37 users" in capsys.readouterr().out


# --- the real tables ---------------------------------------------------------------------------------


def test_every_claim_of_the_tables_is_complete_and_on_a_page():
    known = {"claim", "verdict", "evidence", "note", "template", "whose", "target", "locus", "fault"}
    known |= {"theorem", "other_reading", "proof", "missing"}
    for name, fields in judgements().items():
        id, _, number = name.rpartition(".")
        assert id in statements() and (number.isdecimal() or number == "all"), name
        assert fields["verdict"] in VERDICTS and fields["evidence"] in EVIDENCE and fields["claim"], name
        assert fields.keys() <= known, name
        # where a cell makes the same claim about several statements, the id is filled in
        # what is said of all parameters stands in the statement's box
        assert name in WRITTEN or number in FILLED or number == "all"


def test_a_page_names_no_other_claim():
    assert judgements().keys() >= WRITTEN
