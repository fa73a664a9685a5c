"""One budget planned for several questions: the split is the best, against a closed form and a search."""

from functools import cache, partial

import numpy as np
import pytest

from userdp.planning import plan, plan_all
from userdp.privacy import Guarantee
from userdp.release import Budget
from userdp.release.budget import Overspent

TOWNS = {name: {"n": n, "sizes": 9, "target": "users"} for name, n in (("A", 500), ("B", 1000), ("C", 8000))}
MIXED = {
    "mean": {"n": 5000, "sizes": 200, "domain": (0, 5), "spread": 0.5},
    "counts": {"n": 5000, "sizes": 200, "estimate": "histogram", "items": 6},
}
LOCAL = {"many": {"n": 20_000, "sizes": 3}, "few": {"n": 1000, "sizes": 100}}


def parts_of(found):
    return {name: part.epsilon for name, (part, _) in found.items()}


def loss(questions, importance, parts, trust):
    """What `plan_all` makes small."""
    found = {name: plan(epsilon=parts[name], trust=trust, **asked) for name, asked in questions.items()}
    return sum(importance[name] * (one[0].error / one.guess) ** 2 for name, one in found.items())


@pytest.mark.parametrize("importance", [(1.0, 1.0, 1.0), (1.0, 8.0, 3.0)])
def test_of_averages_the_split_is_the_closed_form(importance):
    """The error is that of Laplace noise of scale 1 / (n epsilon), so that cube roots of w / n^2 are best."""
    weights = dict(zip(TOWNS, importance, strict=True))
    roots = {name: (weights[name] / asked["n"] ** 2) ** (1 / 3) for name, asked in TOWNS.items()}
    found = plan_all(TOWNS, budget=Budget(0.7, trust="central"), importance=weights)
    assert {one[0].method for _, one in found.values()} == {"average of all users"}
    best = {name: 0.7 * root / sum(roots.values()) for name, root in roots.items()}
    assert parts_of(found) == pytest.approx(best, rel=1e-2)
    assert parts_of(found) != pytest.approx(Budget(0.7).split(weights), rel=0.1)  # control: in proportion


@pytest.mark.slow
@pytest.mark.parametrize(
    ("questions", "budget", "importance"),
    [
        (MIXED, Budget(1.5, trust="central"), (2.0, 1.0)),
        (LOCAL, Budget(4.0), (1.0, 1.0)),
        (LOCAL, Budget(9.0), (5.0, 1.0)),
    ],
    ids=["curator", "local", "weighed"],
)
def test_no_split_of_a_grid_is_much_better(questions, budget, importance):
    trust = {"local": "nobody", "central": "curator"}[budget.trust]
    weights = dict(zip(questions, importance, strict=True))
    of = cache(lambda share: loss(questions, weights, parts_at(share), trust))

    def parts_at(share):
        return dict(zip(questions, (share * budget.epsilon, (1 - share) * budget.epsilon), strict=True))

    made = loss(questions, weights, parts_of(plan_all(questions, budget=budget, importance=weights)), trust)
    least = min(map(of, np.linspace(0.04, 0.96, 24)))
    assert made < 1.02 * least
    assert of(importance[0] / sum(importance)) > 1.1 * least  # control: in proportion


def test_the_parts_are_what_is_left_and_the_rankings_are_those_at_the_parts():
    budget = Budget(1.0, trust="central", neighbours="add-remove")
    budget.spend(Guarantee(0.25, trust="central", neighbours="add-remove"), name="before")
    questions = {name: MIXED["counts"] | {"items": d} for name, d in (("few", 2), ("many", 50))}
    found = plan_all(questions, budget=budget, importance={"many": 1, "few": 1})
    assert list(found) == ["few", "many"] and budget.spent.epsilon == 0.25
    for name, (part, ranking) in found.items():
        same = plan(epsilon=part.epsilon, trust="curator", neighbours="add-remove", **questions[name])
        assert str(ranking) == str(same)
        run = partial(
            lambda counts, call, **_: call(counts, rng=np.random.default_rng(1)), call=ranking[0].run
        )
        counts = np.ones((5000, questions[name]["items"]))
        made = budget.release(run, counts, epsilon=part.epsilon, rng=np.random.default_rng(1), name=name)
        assert made.guarantee == part
    with pytest.raises(Overspent):
        budget.spend(Guarantee(1e-6, trust="central", neighbours="add-remove"))


ONE = dict.fromkeys(TOWNS, 1.0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"importance": {"A": 1.0}}, r"importance must be of \['A', 'B', 'C'\], got that of \['A'\]"),
        ({"importance": dict.fromkeys(TOWNS, 0.0)}, "importance of A must be positive, got 0.0"),
        ({"questions": {}, "importance": {}}, "number of questions must be a whole number of at least 1"),
        ({"questions": TOWNS | {"A": {"n": 1, "sizes": 9}}}, "n must be a whole number of at least 2, got 1"),
        ({"questions": TOWNS | {"A": {"n": 9, "sizes": 9, "epsilon": 1.0}}}, "multiple values .* 'epsilon'"),
        ({"questions": {"A": MIXED["counts"]}, "importance": {"A": 1.0}}, "trust must be 'curator'"),
    ],
)
def test_what_is_no_question_is_named_and_nothing_is_spent(change, words):
    """Nobody is trusted, which no histogram allows."""
    budget = Budget(1.0)
    with pytest.raises((ValueError, TypeError), match=words):
        plan_all(**{"questions": TOWNS, "importance": ONE, "budget": budget} | change)
    assert budget.account == ()
