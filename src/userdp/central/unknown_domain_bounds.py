"""Which contribution bound for a histogram over an unknown domain: a computable guide, and a private choice.

The guide V is Liu et al.'s: twice the records that clipping loses plus the mean clipped totals, cut at the
threshold of the release. It bounds the expected loss from above and, up to a logarithm, from below.
"""

import numpy as np

from userdp import _validate
from userdp.central.histogram import RELATIONS, clipped_totals, norms
from userdp.central.unknown_domain import release_threshold, whole_bounds
from userdp.privacy.choice import exponential_choice

__all__ = ["objective", "objective_from_totals", "objective_sensitivity", "objective_range", "private_bound"]


def objective(counts, bounds, *, epsilon, delta, neighbours="replace", weight=1.0):
    """Computable bound V of the expected loss, for each contribution bound.

    Parameters
    ----------
    counts : array_like or scipy.sparse array, shape (n, d)
        Count of each user and item.
    bounds : array_like of int, shape (k,)
        Contribution bounds, at least 1.
    epsilon, delta, neighbours
        Of the release for which the bound is to be chosen; see `release_threshold`.
    weight : float
        Factor of the second sum, from 0 to 2: 1 in the paper's display; 1/2 is the reading that its
        constant 5 C_max / 2 and its Table 1 fit.

    Returns
    -------
    ndarray, shape (k,)
        ``2 sum_u max(m_u - C, 0) + weight sum_j min(E h_j, t)``.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Liu et al. (2023), Section 5, the display before Algorithm 4.
    """
    bounds = whole_bounds(bounds)
    thresholds = _thresholds(bounds, epsilon, delta, neighbours)
    return _objective(norms(counts, 1), clipped_totals(counts, bounds, norm=1), bounds, thresholds, weight)


def objective_from_totals(sizes, expected, bounds, *, epsilon, delta, neighbours="replace", weight=1.0):
    """Return `objective` from its sufficient statistics.

    Parameters
    ----------
    sizes : array_like, shape (n,)
        Number of records of each user.
    expected : array_like, shape (k, d)
        ``E h_j`` for each bound, ``sum_u C N_uj / max(C, m_u)``.
    bounds, epsilon, delta, neighbours, weight
        As for `objective`.

    Returns
    -------
    ndarray, shape (k,)
        V of each bound.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """
    bounds = whole_bounds(bounds)
    thresholds = _thresholds(bounds, epsilon, delta, neighbours)
    return _objective(np.asarray(sizes, dtype=float), np.asarray(expected), bounds, thresholds, weight)


def objective_sensitivity(bounds, *, largest, weight=1.0):
    """Most that one user changes `objective` at any of the bounds, under either relation of neighbours.

    Parameters
    ----------
    bounds : array_like of int, shape (k,)
        Contribution bounds, at least 1.
    largest : int
        Public bound C_max of the records of one user, at least the largest of `bounds`.
    weight : float
        As for `objective`.

    Returns
    -------
    float
        ``2 C_max - (2 - weight) min(bounds)``: a user's share of V lies between 0 and this, and an absent
        user and one with C_max records attain both ends.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """
    bounds = whole_bounds(bounds)
    _validate.in_range(0, 2, weight=weight)
    _validate.integer(int(bounds.max()), largest=largest)
    return float(2 * largest - (2 - weight) * bounds.min())


def objective_range(bounds, *, neighbours="replace", weight=1.0):
    """Largest spread, over the bounds, of the change of `objective` between neighbours.

    What the exponential mechanism gives away depends on this spread alone: a change that is the same for
    all candidates alters no probability.

    Parameters
    ----------
    bounds : array_like of int, shape (k,)
        Contribution bounds, at least 1.
    neighbours : {"replace", "add-remove"}
        Which inputs are neighbours.
    weight : float
        As for `objective`.

    Returns
    -------
    float
        ``2 C_top - (2 - weight) C_min`` if a user is replaced; if one comes or goes
        ``max(2 (C_top - C_min), weight C')``, with C' the second largest bound. For users of any size.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """
    bounds = np.unique(whole_bounds(bounds))
    _validate.one_of(RELATIONS, neighbours=neighbours)
    _validate.in_range(0, 2, weight=weight)
    if neighbours == "replace":
        return float(2 * bounds[-1] - (2 - weight) * bounds[0])
    second = bounds[-2] if bounds.size > 1 else 0
    return float(max(2 * (bounds[-1] - bounds[0]), weight * second))


def private_bound(
    counts,
    bounds,
    *,
    epsilon,
    delta,
    choice_epsilon,
    neighbours="replace",
    weight=1.0,
    sensitivity=None,
    rng,
):
    """Choose a contribution bound for the release over an unknown domain, privately.

    Output law: probability proportional to ``exp(-choice_epsilon V(C) / (2 sensitivity))`` over `bounds`,
    with V from `objective`.

    Parameters
    ----------
    counts : array_like or scipy.sparse array, shape (n, d)
        Count of each user and item.
    bounds : array_like of int, shape (k,)
        The candidates, at least 1, public.
    epsilon, delta
        Of the release for which the bound is chosen.
    choice_epsilon : float
        Budget of the choice, positive.
    neighbours : {"replace", "add-remove"}
        Which inputs are neighbours.
    weight : float
        As for `objective`.
    sensitivity : float or None
        None: half of `objective_range`, the smallest for which the guarantee holds. The paper's
        5 C_max / 2 and `objective_sensitivity` are valid too, and spend less than `choice_epsilon`.
    rng : numpy.random.Generator
        Source of the randomness.

    Returns
    -------
    bound : int
        The chosen candidate.
    guarantee : Guarantee
        ``Guarantee(choice_epsilon, trust="central")`` under `neighbours`; the release costs its own.

    Raises
    ------
    ValueError
        If a parameter is out of range, or `sensitivity` is below half of the range.

    Notes
    -----
    Liu et al. (2023), Algorithm 4. No public bound on the records of a user is needed: those beyond the
    largest candidate change V at all candidates alike.
    """
    bounds = whole_bounds(bounds)
    least = objective_range(bounds, neighbours=neighbours, weight=weight) / 2
    sensitivity = max(least, np.finfo(float).tiny) if sensitivity is None else sensitivity
    _validate.in_range(least, float("inf"), sensitivity=sensitivity)
    options = {"epsilon": epsilon, "delta": delta, "neighbours": neighbours, "weight": weight}
    # a cut at the largest candidate alters no probability, but a huge user would swallow the digits
    sizes = np.minimum(norms(counts, 1), bounds.max())
    expected = clipped_totals(counts, bounds, norm=1)
    scores = -objective_from_totals(sizes, expected, bounds, **options)
    chosen, guarantee = exponential_choice(
        scores, sensitivity=sensitivity, epsilon=choice_epsilon, neighbours=neighbours, rng=rng
    )
    return int(bounds[chosen]), guarantee


def _objective(sizes, expected, bounds, thresholds, weight):
    _validate.in_range(0, 2, weight=weight)
    ordered = np.sort(sizes)
    above = np.append(np.cumsum(ordered[::-1])[::-1], 0.0)  # records of the users from each rank on
    rank = np.searchsorted(ordered, bounds, side="right")
    lost = above[rank] - (ordered.size - rank) * bounds
    return 2 * lost + weight * np.minimum(expected, thresholds[:, None]).sum(axis=1)


def _thresholds(bounds, epsilon, delta, neighbours):
    options = {"epsilon": epsilon, "delta": delta, "neighbours": neighbours}
    return np.array([release_threshold(bound, **options) for bound in bounds.tolist()])
