"""The command line: previews, answers, refusals before anything is spent, and a kill at each step."""

import json
import os
import re
import sys
from functools import partial
from itertools import count

import numpy as np
import pytest

from deaths import dies_after
from userdp.__main__ import main
from userdp.central import uniform_mean
from userdp.release import Budget

pytest.importorskip("duckdb", reason="in the extra tables")
pytest.importorskip("opendp", reason="in the extra release")

USERS, RECORDS = 40, 3
PUBLIC = ["--users", str(USERS), "--records", str(RECORDS), "--domain", "0", "5", "--epsilon", "0.5"]


@pytest.fixture
def table(tmp_path):
    """A file of ratings, and the mean of its users' means."""
    rng, path = np.random.default_rng(1), tmp_path / "ratings.csv"
    who, stars = np.repeat(np.arange(USERS), RECORDS), rng.integers(0, 6, USERS * RECORDS)
    lines = "".join(f"u{u},{s},{s % 2}\n" for u, s in zip(who, stars, strict=True))
    path.write_text("user,stars,odd\n" + lines)
    return path, stars.mean()


def mean(path, *more):
    return ["mean", str(path), "--user", "user", "--value", "stars", *PUBLIC, *more]


def test_a_plan_reads_no_data(capsys):
    assert main(["plan", *PUBLIC]) == 0
    assert "average of all users" in capsys.readouterr().out


def test_a_mean_is_released_with_its_interval_guarantee_and_account(table, tmp_path, capsys):
    path, truth = table
    account = str(tmp_path / "account.json")
    assert (
        main(mean(path, "--yes", "--json", "--account", account, "--budget", "1", "--level", "0.999999")) == 0
    )
    said, told = capsys.readouterr()
    found = json.loads(said)
    low, high = found["interval"]
    assert low <= truth <= high and low < found["value"] < high  # fails once in a million runs
    assert found["guarantee"] == {"epsilon": 0.5, "delta": 0.0, "trust": "central", "neighbours": "replace"}
    assert "spends epsilon = 0.5" in told and "spent before: 0 of 1" in told and "reading" in told
    assert Budget(1.0, trust="central", path=account).account[0].name == "mean of ratings.csv"
    assert main(mean(path, "--yes", "--account", account, "--budget", "1")) == 0
    assert re.search(
        r"interval: \S+ to \S+\nlevel: 0.95\nguarantee:\n  epsilon: 0.5\n.*\naccount:\n"
        r"  spent epsilon 1 of epsilon 1\n(  mean of ratings.csv, all users: epsilon 0.5\n){2}$",
        capsys.readouterr().out,
        re.DOTALL,
    )
    assert main(mean(path, "--yes", "--account", account, "--budget", "1")) == 2  # nothing is left
    assert "all releases must cost" in capsys.readouterr().err


@pytest.mark.parametrize("bound", [1, RECORDS])
def test_counts_are_released_of_the_items_that_were_named(bound, table, capsys):
    call = ["counts", str(table[0]), "--user", "user", "--item", "odd", "--items", "0", "1", "2"]
    assert main([*call, "--bound", str(bound), "--epsilon", "100", "--yes", "--json"]) == 0
    out = capsys.readouterr().out
    said = json.loads(out)
    counts = said["value"]
    assert out.startswith('{\n "method"')
    assert counts.keys() == {"0", "1", "2"} and abs(sum(counts.values()) - USERS * bound) < 5
    assert min(counts.values()) >= 0 and said["guarantee"]["epsilon"] == 100


COUNTED = {"--user": "user", "--item": "odd", "--items": "0", "--bound": "3", "--epsilon": "1"}
AVERAGED = {"--user": "user", "--value": "stars", "--domain": "0 5", "--users": "40", "--records": "3"}
NEEDED = [("counts", COUNTED, name) for name in COUNTED] + [("mean", AVERAGED, name) for name in AVERAGED]


@pytest.mark.parametrize(("command", "told", "left_out"), NEEDED)
def test_what_must_be_told_is_named(command, told, left_out, table, capsys):
    told = told | {"--epsilon": "1"} if left_out != "--epsilon" else told
    call = [part for name, value in told.items() if name != left_out for part in (name, *value.split())]
    with pytest.raises(SystemExit):
        main([command, str(table[0]), *call, "--yes"])
    assert f"required: {left_out}\n" in capsys.readouterr().err


@pytest.mark.parametrize(("typed", "code"), [("n", 1), ("", 1), ("yes", 0), ("Y", 0)])
def test_nothing_is_spent_unless_it_is_confirmed(typed, code, table, tmp_path, monkeypatch):
    account = str(tmp_path / "account.json")
    monkeypatch.setattr("builtins.input", lambda: typed)
    assert main(mean(table[0], "--account", account)) == code
    assert Budget(0.5, trust="central", path=account).spent.epsilon == (0.5 if code == 0 else 0)


def nobody():
    raise EOFError


def test_the_question_is_not_among_what_is_released(table, monkeypatch, capsys):
    monkeypatch.setattr("builtins.input", lambda: "y")
    assert main(mean(table[0], "--json")) == 0
    said, told = capsys.readouterr()
    assert "value" in json.loads(said) and told.endswith("release? [y/N] ")


def test_a_budget_of_nothing_is_refused(table, capsys):
    assert main(mean(table[0], "--yes", "--budget", "0")) == 2
    assert "epsilon must be positive, got 0.0" in capsys.readouterr().err


def test_a_user_without_a_value_is_refused_or_left_out_as_asked(tmp_path, capsys):
    path = tmp_path / "ratings.csv"
    path.write_text("user,stars\na,1\na,3\nb,\nc,5\nc,4\n")
    call = ["mean", str(path), "--user", "user", "--value", "stars", "--domain", "0", "5", "--users", "3"]
    call += ["--records", "2", "--epsilon", "1", "--missing", "drop", "--yes"]
    assert main(call) == 2 and "silent" in capsys.readouterr().err
    assert main([*call, "--silent", "low"]) == 0


def test_where_nobody_can_be_asked_nothing_is_released(table, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("builtins.input", nobody)
    assert main(mean(table[0])) == 1 and capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"stars": "star"}, "records must have a column 'star'"),
        ({"user": "who"}, "records must have a column 'who'"),
        ({str(USERS): "41"}, "users must be as many as"),
        ({"0.5": "0"}, "epsilon"),
        ({"5": "0"}, "domain"),
        ({"ratings.csv": "other.csv"}, "records must be a file that can be read"),
    ],
)
def test_a_refusal_names_what_is_wrong_and_spends_nothing(change, words, table, tmp_path, capsys):
    account = str(tmp_path / "account.json")
    call = mean(table[0], "--yes", "--account", account, "--budget", "1")
    for old, new in change.items():
        call = [
            one.replace(old, new) if old.endswith(".csv") else (new if one == old else one) for one in call
        ]
    assert main(call) == 2
    said, told = capsys.readouterr()
    assert said == "" and words in told
    assert Budget(1.0, trust="central", path=account).spent.epsilon == 0


def test_a_level_that_is_none_is_refused_before_anything_is_spent(table, tmp_path, capsys):
    account = str(tmp_path / "account.json")
    assert main(mean(table[0], "--yes", "--account", account, "--budget", "1", "--level", "2")) == 2
    assert "level must be strictly between 0 and 1, got 2.0" in capsys.readouterr().err
    assert Budget(1.0, trust="central", path=account).spent.epsilon == 0


def test_a_faulty_value_is_not_quoted(tmp_path, capsys):
    path = tmp_path / "ratings.csv"
    path.write_text("user,stars\na,5\nb,secret\n")
    assert main(["mean", str(path), "--user", "user", "--value", "stars", *PUBLIC, "--yes"]) == 2
    assert "secret" not in capsys.readouterr().err


def test_help_shows_an_example(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["mean", "--help"])
    assert stopped.value.code == 0 and "userdp mean ratings.csv --user user" in capsys.readouterr().out
    with pytest.raises(SystemExit) as stopped:
        main(["mean"])
    assert stopped.value.code == 2
    with pytest.raises(SystemExit):
        main([])


STEPS = "userdp/__main__.py", "release/budget.py", "release/ledger.py", "userdp/_exact.py"


def run_into(out, call):
    """Run a command whose lines go to a file as they are said."""
    sys.stdout = open(out, "w", buffering=1)  # noqa: SIM115
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    return main(call)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a copy of this process")
def test_a_command_killed_at_any_step_has_spent_what_it_may_have_drawn(table, tmp_path, monkeypatch):
    # the engine's threads do not survive a fork
    means = np.linspace(0, 5, USERS)
    from userdp import __main__
    from userdp.tables import UserMeans

    monkeypatch.setattr(__main__, "user_means", lambda *x, **o: UserMeans(means, np.full(USERS, RECORDS)))
    uniform_mean(means, epsilon=1.0, rng=__main__.Secure())  # OpenDP is loaded before
    seen = set()
    for steps in count(0, 7):
        account, out = str(tmp_path / f"{steps}.json"), tmp_path / f"{steps}.out"
        Budget(1.0, trust="central", path=account)
        call = mean(table[0], "--yes", "--account", account, "--budget", "1")
        killed = dies_after(steps, STEPS, partial(run_into, out, call))
        spent = Budget(1.0, trust="central", path=account).spent.epsilon
        shown = out.exists() and "value" in out.read_text()
        assert spent in (0.0, 0.5) and (spent == 0.5 or not shown)
        seen.add((spent, shown))
        if not killed:
            break
    assert steps > 100 and seen == {(0.0, False), (0.5, False), (0.5, True)}
