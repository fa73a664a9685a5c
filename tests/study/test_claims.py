import json

import numpy as np
import pytest

from userdp.study.claims import MIME, Claim, check, statements

ID = "dame-lem-s6"


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
    check(ID, "claim", measured, expected, relation=relation, verdict=right)
    assert ID in capsys.readouterr().out
    with pytest.raises(AssertionError, match="disagree"):
        check(ID, "claim", measured, expected, relation=relation, verdict=wrong)


def test_tolerances_are_those_given():
    check(ID, "claim", 1.04, 1.0, rtol=0.05)
    check(ID, "claim", 1.04, 1.0, atol=0.05)
    with pytest.raises(AssertionError):
        check(ID, "claim", 1.06, 1.0, rtol=0.05)


def test_a_correction_must_correct():
    check(ID, "claim", 2.0, 2.0, verdict="holds after correction", printed=1.0)
    with pytest.raises(AssertionError, match="printed value would hold too"):
        check(ID, "claim", 2.0, 3.0, relation="<=", verdict="holds after correction", printed=2.5)
    with pytest.raises(AssertionError, match="disagree"):
        check(ID, "claim", 2.0, 1.0, verdict="holds after correction", printed=3.0)


def test_the_element_nearest_to_failing_is_reported(capsys):
    check(ID, "claim", [1, 5, 3], [9, 6, 9], relation="<=")
    assert "measured 5 <= 6" in capsys.readouterr().out


def test_the_bundle_is_json_with_rounded_numbers():
    claim = Claim(ID, "claim", "holds", 1.0, 2.0, "<=")
    bundle = claim._repr_mimebundle_()
    content = json.loads(json.dumps(bundle[MIME]))
    assert {"id", "claim", "verdict", "measured", "expected"} <= content.keys()
    assert bundle["text/plain"] == repr(claim)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"id": "dame-lem-s99"}, "id must be an id of statements.csv, got 'dame-lem-s99'"),
        ({"verdict": "true"}, "verdict must be one of .* got 'true'"),
        ({"relation": "~"}, "relation must be one of .* got '~'"),
        ({"evidence": "faith"}, "evidence must be one of .* got 'faith'"),
        ({"measured": None}, "measured and expected must be given for the verdict 'holds'"),
    ],
)
def test_bad_arguments_are_named(options, message):
    arguments = {"id": ID, "claim": "claim", "measured": 1.0, "expected": 1.0} | options
    with pytest.raises(ValueError, match=message):
        check(**arguments)


def test_context_needs_no_measurement(capsys):
    check(ID, "what the paper assumes", verdict="context", evidence="context")
    assert capsys.readouterr().out.startswith(f"[context] {ID}")
