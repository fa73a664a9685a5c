"""What a release guarantees to one user, and the only place where guarantees are composed."""

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
        Budget spent on one user's whole transcript, in nats; at least 0.
    delta
        Slack, in [0, 1]; 0 is pure privacy.
    trust
        Who sees raw data: nobody but the user, or a trusted curator.
    neighbours
        Which inputs are neighbours: one user's records are replaced by any others, or by as many others
        (sizes are public), or one user is added or removed.
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

    Examples
    --------
    >>> sequential(Guarantee(0.5), Guarantee(0.25, 1e-6))
    Guarantee(epsilon=0.75, delta=1e-06, trust='local', neighbours='replace')
    """
    return _combine(math.fsum, guarantees)  # one rounding: equal shares add up to what was shared


@public
def disjoint(*guarantees: Guarantee) -> Guarantee:
    """Guarantee of releases each about other users: the largest counts (parallel composition)."""
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
