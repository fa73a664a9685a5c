"""What a release guarantees to one user, and the only place where guarantees are composed.

Every result of an estimator has such a guarantee. Two releases about the same users are composed by
`sequential`, two releases about different users by `disjoint`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from userdp import _validate
from userdp._public import checked, public

Trust = Literal["local", "central"]
Neighbours = Literal["replace", "replace-same-size", "add-remove"]
Replaced = Literal["replace", "replace-same-size"]  # where the number of users is public
Relation = Literal["replace", "add-remove"]  # where a user has counts, of any size


@public
@dataclass(frozen=True)
class Guarantee:
    """A user-level differential privacy guarantee.

    For every two inputs that differ in the whole data of one user, and every set S of outputs,
    ``P(output in S | one) <= exp(epsilon) P(output in S | other) + delta``.

    Parameters
    ----------
    epsilon
        Budget spent on one user's whole transcript, in natural logarithms; at least 0.
    delta
        Slack, from 0 to 1; 0 is pure privacy.
    trust
        Who sees raw data: nobody but the user ("local"), or a trusted curator ("central").
    neighbours
        Which inputs are neighbours: one user's records are replaced by any others ("replace"), or by as many
        others, so that sizes are public ("replace-same-size"), or one user is added or removed
        ("add-remove").

    Examples
    --------
    >>> Guarantee(1.0, trust="central")
    Guarantee(epsilon=1.0, delta=0.0, trust='central', neighbours='replace')
    """

    epsilon: float
    delta: float = 0.0
    trust: Trust = "local"
    neighbours: Neighbours = "replace"

    def __post_init__(self) -> None:
        _validate.in_range(0, float("inf"), epsilon=self.epsilon)
        _validate.in_range(0, 1, delta=self.delta)
        _validate.one_of(get_args(Trust), trust=self.trust)
        _validate.one_of(get_args(Neighbours), neighbours=self.neighbours)


@checked
def nothing_spent(*, trust: Trust = "local", neighbours: Neighbours = "replace") -> Guarantee:
    """Guarantee of a release that looks at nobody's data."""
    return Guarantee(0.0, 0.0, trust, neighbours)


@public
def sequential(*guarantees: Guarantee) -> Guarantee:
    """Guarantee of several releases about the same user: budgets add (basic composition).

    Parameters
    ----------
    *guarantees
        Those of the single releases, of one kind of trust and neighbours.

    Examples
    --------
    >>> sequential(Guarantee(0.5), Guarantee(0.25, 1e-6)).epsilon
    0.75
    """
    return _combine(math.fsum, guarantees)  # one rounding: equal shares add up to what was shared


@public
def disjoint(*guarantees: Guarantee) -> Guarantee:
    """Guarantee of releases each about other users: the largest counts (parallel composition).

    Parameters
    ----------
    *guarantees
        Those of the single releases, of one kind of trust and neighbours.

    Examples
    --------
    >>> disjoint(Guarantee(0.5), Guarantee(0.25, 1e-6)).epsilon
    0.5
    """
    return _combine(max, guarantees)


def _combine(rule: Callable[[list[float]], float], guarantees: tuple[Guarantee, ...]) -> Guarantee:
    if not guarantees:
        raise ValueError("guarantees must not be empty, got ()")
    others = [type(g).__name__ for g in guarantees if not isinstance(g, Guarantee)]
    if others:
        raise TypeError(f"guarantees must be Guarantee values, one by one, got {others[0]}")
    kinds = {(g.trust, g.neighbours) for g in guarantees}
    if len(kinds) > 1:
        raise ValueError(f"guarantees must agree in trust and neighbours, got {sorted(kinds)}")
    epsilon = rule([g.epsilon for g in guarantees])
    delta = min(1.0, rule([g.delta for g in guarantees]))
    return Guarantee(epsilon, delta, *kinds.pop())
