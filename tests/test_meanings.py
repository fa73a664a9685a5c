"""What a number means says what it cannot be: no budget is negative, no probability above 1, no user half."""

import numpy as np
import pytest

from good_calls import good, offered, parameters
from test_bad_calls import HOLDERS, answer

PROBABILITIES = {"delta", "release_delta", "beta", "failure", "level", "flip", "keep", "p", "q", "rho"}
PROBABILITIES |= {"share"}
COUNTS = {"n", "d", "k", "m", "size", "users", "rounds", "steps", "runs", "terms", "components", "sparsity"}
COUNTS |= {"repetitions", "hits", "variance_users", "largest_size", "cells"}
SIZES = {"epsilon", "release_epsilon", "scale", "sensitivity", "half_width", "sigma", "radius", "spread"}
SIZES |= {"bound", "reach", "largest_rate", "variance", "own_variance", "oscillation", "clip", "smoothness"}
SIZES |= {"decay", "size_cap", "rank"}
IMPOSSIBLE = dict.fromkeys(PROBABILITIES, (-0.1, 1.1, np.nan)) | dict.fromkeys(SIZES, (-1.0, np.nan))
IMPOSSIBLE |= dict.fromkeys(COUNTS, (-1, 0.5))
# the probabilities of three steps, and what counts in each row of a table that has been checked
OTHERS = {("rates.overtakes", "steps"), ("privacy.tally", "k")}
ASKED = [
    (name, key, value)
    for name in sorted(offered().keys() - HOLDERS)
    for key in parameters(name)
    for value in IMPOSSIBLE.get(key, ())
    # rates are of any real numbers of users and records
    if (name, key) not in OTHERS and not (name.startswith(("rates.", "local.dame_log")) and value == 0.5)
]


@pytest.mark.parametrize(("name", "key", "value"), ASKED)
def test_what_a_number_cannot_be_is_refused_and_named(name, key, value):
    outcome, found = answer(name, good(name) | {key: value})
    assert outcome == "refused" and key in str(found) and " must " in str(found), found


NO_DOMAIN = [None, 3.0, "ab", (), (0.0, 1.0, 2.0), [[0.0, 1.0]], np.array([[0.0, 1.0]]), np.float64(1.0)]
NO_DOMAIN += [(1.0, 0.0), (0.0, 0.0), (np.nan, 1.0), (0.0, np.inf), ("0", "1"), [0.0, [1.0, 2.0]]]
# of one table the domain is its items; the other has a door of its own, which quotes no data
BOUNDED = [name for name in sorted(offered()) if "domain" in parameters(name) and "tables." not in name]


@pytest.mark.parametrize("domain", NO_DOMAIN, ids=repr)
@pytest.mark.parametrize("name", BOUNDED)
def test_a_domain_is_two_finite_numbers_in_order(name, domain):
    outcome, found = answer(name, good(name) | {"domain": domain})
    assert outcome == "refused" and "domain" in str(found) and " must " in str(found), found


@pytest.mark.parametrize("name", BOUNDED)
def test_a_domain_may_be_a_tuple_a_list_or_an_array(name):
    for domain in ((-1, 1), [-1.0, 1.0], np.array([-1.0, 1.0])):
        outcome, found = answer(name, good(name) | {"domain": domain})
        assert not outcome, found
