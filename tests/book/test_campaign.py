"""Random slips: drawn by a seed, of every kind, planted one by one; what is called equivalent is argued.

And what stored numbers alone would see, of slips that are listed and of those that were drawn.
"""

import pytest

import campaign
import held
from campaign import SOURCES, Sites, draw, judge
from userdp_book.evidence.campaign import (
    EQUIVALENTS,
    RESULTS,
    SWEEPING,
    is_sweeping,
    judged,
    rate,
    table,
    wilson,
)
from userdp_book.evidence.slips import PLANTED, slips

EXAMPLE = '''
def noisy(x, epsilon, delta=0.5, *, bound=2):
    """Words are left alone, and - 1 in them."""
    _validate.positive(epsilon=epsilon)
    if not 0 < x <= 1 and delta:
        raise ValueError(f"epsilon + {delta - 1}")
    low = -np.clip(x[: bound - 1], 0, bound)
    return np.searchsorted(low, max(x, bound), side="left") * True
'''


def changed(tmp_path, monkeypatch, text):
    monkeypatch.setattr(campaign, "SOURCES", tmp_path)
    (tmp_path / "userdp" / "central").mkdir(parents=True)
    file = tmp_path / "userdp" / "central" / "example.py"
    file.write_text(text)
    return [mutant for place in Sites(file).found() for mutant in place]


def test_every_kind_of_slip_is_made_and_words_are_left_alone(tmp_path, monkeypatch):
    mutants = changed(tmp_path, monkeypatch, EXAMPLE)
    assert {mutant.kind for mutant in mutants} == {
        "arithmetic",
        "boolean",
        "budget swapped",
        "comparison",
        "constant",
        "dropped call",
        "dropped check",
        "dropped sign",
        "factor 2",
        "negated",
        "one off",
        "swapped",
        "twin",
    }
    for mutant in mutants:
        assert campaign.is_another(mutant) and mutant.before != mutant.after
        assert "Words" not in mutant.before and "raise" not in mutant.before and not mutant.promise
    found = {mutant.after for mutant in mutants}
    assert "low = -(x[: bound - 1])" in found and "low = -np.clip(x[: bound + 1], 0, bound)" in found
    assert "if 0 < x <= 1 and delta:" in found and "_validate.positive(epsilon=delta)" in found


@pytest.mark.parametrize("line", ["rng.laplace(2)", "disjoint(1, 2)", "other.calibrated(x=2)"])
def test_what_draws_or_composes_makes_a_promise(tmp_path, monkeypatch, line):
    mutants = changed(tmp_path, monkeypatch, f"def f():\n    return {line}\n\ndef g():\n    return 1\n")
    assert {mutant.function for mutant in mutants if mutant.promise} == {"f"}
    assert {mutant.function for mutant in mutants if not mutant.promise} == {"g"}


@pytest.mark.slow
def test_a_seed_says_which_mutants():
    one, same, other = draw(1, 21), draw(1, 21), draw(2, 21)
    assert one == same and set(one).isdisjoint(other)
    assert [mutant.promise for mutant in one] == [True, False] * 10 + [True]
    assert draw(1, 41)[:21] == one


@pytest.mark.slow
def test_the_tests_most_about_a_module_come_first():
    assert campaign.tests_of("userdp/privacy/noise.py")[0] == ["privacy/test_noise.py"]
    assert campaign.tests_of("userdp/central/mean.py")[0] == ["central/test_central_mean.py"]
    for package in PLANTED:
        for file in (SOURCES / package).rglob("*.py"):
            first = campaign.tests_of(file.relative_to(SOURCES).as_posix())
            assert first or file.parent == SOURCES / package or file.name == "__init__.py"


@pytest.mark.slips
def test_only_tests_that_call_the_function_are_run(tmp_path, monkeypatch):
    monkeypatch.setattr(campaign, "RECORDED", tmp_path)
    campaign._calls.cache_clear()
    exact, _ = campaign.TIERS
    file = "privacy/test_guarantee.py"
    composed = f"tests/{file}::test_a_user_in_one_of_two_groups_pays_the_larger"
    assert "userdp/privacy/guarantee.py: disjoint" in campaign.calls(file, exact)[composed][1]
    places = Sites(SOURCES / "userdp/privacy/guarantee.py").found()
    mutant = next(place[0] for place in places if place[0].function == "disjoint")
    tests = campaign.that_call(mutant, [file], exact)
    assert composed in tests and len(tests) < len(campaign.calls(file, exact))
    assert list(tests.values()) == sorted(tests.values())
    assert set(campaign.that_call(mutant._replace(function=""), [file], exact)) > set(tests)
    campaign._calls.cache_clear()


def test_what_is_called_equivalent_is_a_mutant_and_has_a_reason():
    for row in table(EQUIVALENTS):
        assert None not in row, row
        mutants = [mutant for place in Sites(SOURCES / row["module"]).found() for mutant in place]
        known = {(m.function, m.before, m.after) for m in mutants}
        # the stored campaign was one of the code of its day
        known |= {(r["function"], r["before"], r["after"]) for r in table(RESULTS)}
        assert (row["function"], row["before"], row["after"]) in known, row
        assert len(row["why"].split()) >= 5


def test_the_stored_campaign_is_of_one_seed():
    rows = judged()
    assert len({row["seed"] for row in rows}) == 1
    known = {"killed", "no end", "survived", "equivalent", "unsure"}
    assert {row["outcome"] for row in rows} <= known
    assert all(row["test"] for row in rows if row["outcome"] == "killed")


def test_the_interval_is_wilsons():
    assert wilson(84, 97) == pytest.approx((0.784, 0.920), abs=5e-4)
    assert wilson(10, 10)[1] == pytest.approx(1)
    assert (
        rate(["killed"] * 83 + ["no end"] + ["survived"] * 12 + ["unsure"]) == "84 of 97 = 86.6% (78% to 92%)"
    )
    assert rate(["killed"] * 10 + ["equivalent"] * 9).startswith("10 of 10")


def test_sweeping_tests_are_tests_and_the_witnesses_are_none(root):
    assert all((root / "tests" / test.partition("::")[0]).exists() for test in SWEEPING)
    assert is_sweeping("test_numbers.py::test_a[b]") and is_sweeping("liu/debiasing-error.md::cell 3")
    assert not is_sweeping("test_witnesses.py::test_a") and not is_sweeping("privacy/test_noise.py::test_a")
    # what a slip is caught by knows what is wrong
    assert not [slip["slip"] for slip in slips() if is_sweeping(slip["test"])]


def a_mutant(text, module="userdp/privacy/guarantee.py"):
    places = Sites(SOURCES / module).found()
    return next(mutant for place in places for mutant in place if text in mutant.before)


def test_what_stands_in_code_that_states_a_guarantee_is_told():
    by_effect = {slip["effect"]: slip for slip in slips()}
    assert held.states(by_effect["privacy"]) and not held.states(by_effect["bound"])
    noisy = next(slip for slip in slips() if slip["module"] == "userdp/privacy/noise.py")
    assert held.states(noisy | {"effect": "error"})


def test_a_mutant_is_found_again_while_its_line_stands():
    mutant = a_mutant("math.fsum")
    row = {name: str(value) for name, value in mutant._asdict().items()}
    assert held.possible(row) == mutant and held.possible(row | {"before": "no such line"}) is None
    assert held.possible(row | {"module": "userdp/gone.py"}) is None


@pytest.mark.slips
def test_what_only_a_sweeping_test_sees_is_held(monkeypatch):
    mutant, seen = (
        a_mutant("math.fsum"),
        "privacy/test_guarantee.py::test_sequential_releases_add",
    )
    assert not held.is_held(mutant, seen)
    monkeypatch.setattr(campaign, "tests_of", lambda module: [[seen.partition("::")[0]]])
    monkeypatch.setattr(campaign, "is_sweeping", lambda test: True)
    monkeypatch.setattr(held, "is_sweeping", lambda test: True)
    assert held.is_held(mutant, seen) and held.is_held_slip(slips()[0])


@pytest.mark.slips
def test_what_a_test_sees_without_a_mutant_too_is_unsure(monkeypatch):
    seen = "privacy/test_guarantee.py::test_sequential_releases_add"  # as if it swept: others see it, too
    monkeypatch.setattr(campaign, "passes", lambda test: False)
    monkeypatch.setattr(campaign, "tests_of", lambda module: [[seen.partition("::")[0]]])
    monkeypatch.setattr(campaign, "is_sweeping", seen.__eq__)
    row = judge(a_mutant("math.fsum"))
    assert row["test"] == seen and row["outcome"] == row["without"] == "unsure"


@pytest.mark.slips
def test_what_no_test_sees_a_page_may_see(monkeypatch):
    """No test is asked: a quick page shows a bound that the mutant doubles, and would not without it."""
    monkeypatch.setattr(campaign, "TIERS", ())
    mutants = [
        mutant
        for place in Sites(SOURCES / "userdp_papers/theory/exact/counts.py").found()
        for mutant in place
    ]
    mutant = next(m for m in mutants if m.function == "noise_variance" and m.kind == "arithmetic")
    row = judge(mutant)
    assert row["outcome"] == "killed" and row["test"].startswith("liu/debiasing-error.md::cell ")
    assert row["without"] == "survived"
    monkeypatch.setattr(campaign, "passes", lambda test: False)
    assert judge(mutant)["outcome"] == "unsure"


@pytest.mark.slips
def test_a_mutant_is_planted_and_seen():
    row = judge(a_mutant("math.fsum"))
    assert row["outcome"] == row["without"] == "killed" and row["test"].startswith(
        "privacy/test_guarantee.py::"
    )
