"""Composition by privacy loss distributions; the one home of `dp_accounting`."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

FINE, CELLS = 2e-5, 1e5  # width of a cell of the loss as a part of the budget; cells of one release, about


def composed_epsilon(spent: Iterable[tuple], *, delta: float, budget: float) -> float:
    """Upper bound on the epsilon, at `delta`, of releases (epsilon, delta, deviation) together.

    Losses are rounded up to a multiple of a small width, so that the bound is on the safe side. A release
    without a `deviation`, that of its normal noise a unit of sensitivity, counts as the worst that keeps its
    epsilon and delta, randomised response: of Laplace noise as large as of 52 releases for epsilon 1 that
    asks for 0.6 % more than its own loss.
    """
    try:
        from dp_accounting.pld import privacy_loss_distribution as losses
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("exact needs dp-accounting: pip install 'userdp[accounting]'") from error
    counted = Counter(one for one in spent if one[0] or one[1])
    most = max(0.5 / x**2 + 8 / x if x else epsilon for epsilon, _, x in counted)
    cell: Any = {"value_discretization_interval": max(FINE * budget, most / CELLS)}
    total: Any = losses.identity(**cell)
    for (epsilon, slack, deviation), times in counted.items():
        promise = losses.common.DifferentialPrivacyParameters(epsilon, slack)
        normal = deviation and losses.from_gaussian_mechanism(deviation, **cell)
        total = total.compose((normal or losses.from_privacy_parameters(promise, **cell)).self_compose(times))
    return float(total.get_epsilon_for_delta(delta))
