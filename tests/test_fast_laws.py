"""What an estimator draws at once has the distribution of drawing every report, whatever the options."""

import numpy as np
import pytest

from good_calls import call, good, offered, parameters, variants
from laws import same_law
from mechanisms import ESTIMATORS

SETTING = {"size": 900, "half_width": 0.2, "constant": 0.01}
CASES = [
    pytest.param(name, options, marks=[pytest.mark.long] * bool(options))
    for name in ESTIMATORS
    # so few users hardly move a posterior: signs are asked in their own suite
    if "every_report" in parameters(name) and name != "local.sign_mean"
    for options in variants(name)
    if "every_report" not in options
]


def draws(name, seed, **options):
    """Value, and the fullest and all votes, of 800 runs on the same users."""
    known = {key: each for key, each in SETTING.items() if key in parameters(name)}
    known = good(name) | known | options | {"rng": np.random.default_rng(seed)}
    runs = [call(name, known) for _ in range(800)]
    votes = [getattr(run, "votes", None) for run in runs]
    seen = [[0, 0] if each is None else [each.max(), each.sum()] for each in votes]
    return np.column_stack([[run.value for run in runs], seen])


@pytest.mark.parametrize(("name", "options"), CASES)
def test_what_is_drawn_at_once_has_the_law_of_every_report(name, options):
    """Control: a ninth of the budget is told apart."""
    fast, slow = draws(name, 1, **options), draws(name, 2, **options, every_report=True)
    other = draws(name, 3, **options | {"epsilon": options.get("epsilon", 1.0) / 9})
    assert same_law(fast, slow) and not same_law(fast, other)


def test_totals_are_drawn_at_once_unless_every_report_is_asked_for():
    chosen = {
        name: parameters(name)["every_report"].default
        for name in offered()
        if "every_report" in parameters(name)
    }
    assert len(chosen) > 9 and {*chosen.values()} == {False}
