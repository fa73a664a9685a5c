"""Which contribution bound for a histogram over an unknown domain: a computable guide, and a private choice.

The guide V is Liu et al.'s: twice the records that clipping loses plus the mean clipped totals, cut at the
threshold of the release. It bounds the expected loss from above and, up to a logarithm, from below.
"""

from typing import Any

import numpy as np

from userdp import _validate
from userdp._types import ArrayLike, Floats, Rng
from userdp.central.histogram import RELATIONS, clipped_totals, norms
from userdp.central.unknown_domain import release_scales, whole_bounds
from userdp.privacy.choice import ExponentialChoice
from userdp.privacy.guarantee import Neighbours
from userdp.privacy.results import Release

__all__ = ["objective_from_totals", "objective_range", "private_bound"]


def objective_from_totals(
    sizes: ArrayLike, expected: ArrayLike, bounds: ArrayLike, *, weight: float = 1.0, **release: Any
) -> Floats:
    """Computable bound V of the expected loss, for each contribution bound, from sufficient statistics.

    ``2 sum_u max(m_u - C, 0) + weight sum_j min(E h_j, t)`` (Liu et al. 2023, Section 5, the display before
    Algorithm 4), shape (k,).

    Parameters
    ----------
    sizes : shape (n,)
        Number of records of each user.
    expected : shape (k, d)
        ``E h_j`` for each bound, ``sum_u C N_uj / max(C, m_u)``.
    bounds : shape (k,)
        Contribution bounds, whole numbers of at least 1.
    weight
        Factor of the second sum, from 0 to 2: 1 in the paper's display; 1/2 is the reading that its
        constant 5 C_max / 2 and its Table 1 fit.
    **release
        `epsilon`, `delta` and `neighbours` of the release for which the bound is to be chosen, as for
        `release_noise`.
    """
    bounds = whole_bounds(bounds)
    _validate.in_range(0, 2, weight=weight)
    _, thresholds = release_scales(bounds, **release)
    sizes = np.asarray(sizes, dtype=float)
    # by the whole part of a size, cut at the largest bound: no sorting
    places = np.minimum(sizes, bounds.max()).astype(np.int64)
    # users and their records, of that size or more
    users, records = (np.bincount(places, x, bounds.max() + 1)[::-1].cumsum()[::-1] for x in (None, sizes))
    lost = records[bounds] - users[bounds] * bounds
    return 2 * lost + weight * np.minimum(expected, thresholds[:, None]).sum(axis=1)


def objective_range(bounds: ArrayLike, *, neighbours: Neighbours = "replace", weight: float = 1.0) -> float:
    """Largest spread, over the bounds, of the change of V between neighbours, of users of any size.

    What the exponential mechanism gives away depends on this spread alone: a change that is the same for
    all candidates alters no probability. It is ``2 C_top - (2 - weight) C_min`` if a user is replaced; if one
    comes or goes ``max(2 (C_top - C_min), weight C')``, with C' the second largest bound.
    """
    bounds = np.unique(whole_bounds(bounds))
    _validate.one_of(RELATIONS, neighbours=neighbours)
    _validate.in_range(0, 2, weight=weight)
    if neighbours == "replace":
        return float(2 * bounds[-1] - (2 - weight) * bounds[0])
    second = bounds[-2] if bounds.size > 1 else 0
    return float(max(2 * (bounds[-1] - bounds[0]), weight * second))


def private_bound(
    counts: ArrayLike,
    *,
    bounds: ArrayLike,
    release_epsilon: float,
    release_delta: float,
    epsilon: float,
    neighbours: Neighbours = "replace",
    weight: float = 1.0,
    sensitivity: float | None = None,
    rng: Rng,
) -> Release[int]:
    """Choose a contribution bound for the release over an unknown domain, privately.

    Output law: probability proportional to ``exp(-epsilon V(C) / (2 sensitivity))`` over `bounds`,
    with V from `objective_from_totals`.

    Parameters
    ----------
    counts : shape (n, d), dense or sparse
        Count of each user and item.
    weight
        As for `objective_from_totals`.
    bounds : shape (k,)
        The candidates, whole numbers of at least 1, public.
    release_epsilon, release_delta
        Budget of the release for which the bound is chosen; it costs its own.
    epsilon
        Budget of the choice, positive.
    neighbours
        Which inputs are neighbours.
    sensitivity
        By default half of `objective_range`, the smallest for which the guarantee holds. The paper's
        5 C_max / 2 and `objective_sensitivity` are valid too, and spend less than `epsilon`.

    Notes
    -----
    Liu et al. (2023), Algorithm 4. No public bound on the records of a user is needed: those beyond the
    largest candidate change V at all candidates alike.

    Examples
    --------
    >>> options = {"bounds": [1, 5, 20], "release_epsilon": 1.0, "release_delta": 1e-6, "epsilon": 0.5}
    >>> private_bound(np.full((900, 3), 2), rng=np.random.default_rng(1), **options).value
    20
    """
    bounds = whole_bounds(bounds)
    least = objective_range(bounds, neighbours=neighbours, weight=weight) / 2
    sensitivity = (least or 1.0) if sensitivity is None else sensitivity  # no range: one candidate
    _validate.in_range(least, float("inf"), sensitivity=sensitivity)
    release = {"epsilon": release_epsilon, "delta": release_delta, "neighbours": neighbours}
    # a cut at the largest candidate alters no probability, but a huge user would swallow the digits
    sizes = np.minimum(norms(counts, 1), bounds.max())
    expected = clipped_totals(counts, bounds, norm=1)
    scores = -objective_from_totals(sizes, expected, bounds, weight=weight, **release)
    choice = ExponentialChoice.calibrated(epsilon=epsilon, sensitivity=sensitivity, neighbours=neighbours)
    return Release(int(bounds[choice.choose(scores, rng)]), choice.guarantee)
