"""Choose privately, by noise or by weights, how much one user may contribute to a histogram.

The choices look at the curve G of `userdp.central.bound_curve`. A bound goes into
`userdp.central.histogram.bounded_histogram`; the guarantees of the choice and of the release add
(`userdp.privacy.guarantee.sequential`). Choices by descent are in `userdp.central.bounds_by_descent`.
"""

import numpy as np

from userdp import _validate
from userdp.central.bound_curve import public_users, surrogate_curve
from userdp.central.histogram import noise_mass, norms
from userdp.privacy.choice import exponential_law, order_statistic
from userdp.privacy.guarantee import Guarantee

__all__ = ["output_perturbation", "exponential_bound", "grid_law", "private_quantile"]


def output_perturbation(
    counts,
    *,
    largest,
    epsilon,
    delta=0.0,
    choice_epsilon,
    sparsity=None,
    users=None,
    neighbours="replace",
    printed=False,
    rng,
):
    """Choose the bound by a ridge-regularised minimiser of G plus Laplace noise.

    With a ridge ``w C^2 / 2`` on G the minimiser moves by at most ``reach / w`` between neighbours, and w is
    chosen so that what the ridge and what the noise can cost are equal.

    Output law: the minimiser plus a Laplace variable of scale ``reach / (w choice_epsilon)``, projected onto
    [0, largest]; 0 if ``M >= users reach``, where G is minimal at 0 for all data.

    Parameters
    ----------
    counts, largest, epsilon, delta, sparsity, neighbours
        As for `surrogate_curve`.
    choice_epsilon : float
        Budget of the choice, positive.
    users : int, optional
        Public number of users, which scales the ridge; by default the number of rows, which is public only
        if neighbours replace a user.
    printed : bool
        The paper's Algorithm 2: ridge ``2 sqrt(2 s n / epsilon) / largest`` with the budget of the release,
        sensitivity ``4 sqrt(s) / w``, no projection, and the paper's noise in G. The bound may be negative.
    rng : numpy.random.Generator
        Source of the noise.

    Returns
    -------
    bound : float
        The contribution bound.
    guarantee : Guarantee
        ``choice_epsilon``, pure; a quarter of it for ``printed=True``, since its noise is four times what the
        sensitivity asks for.

    Raises
    ------
    ValueError
        If a public parameter is out of range, or `users` is missing with "add-remove".

    Notes
    -----
    Liu et al. (2023), Algorithm 2. The expected G exceeds its minimum by at most
    ``largest reach sqrt(users / choice_epsilon)``, 1 / sqrt(8) of what their Corollary 4.5 allows.
    """
    _validate.positive(choice_epsilon=choice_epsilon)
    options = {"epsilon": epsilon, "delta": delta, "sparsity": sparsity, "neighbours": neighbours}
    curve = surrogate_curve(counts, largest=largest, printed=printed, **options)
    n = public_users(users, counts, neighbours)
    weight = np.sqrt(8 * n / epsilon) if printed else np.sqrt(n / choice_epsilon)
    ridge = curve.reach * weight / largest
    change = (4 if printed else 1) * curve.reach / ridge
    noisy = curve.minimiser(ridge) + rng.laplace(scale=change / choice_epsilon)
    if printed:
        return float(noisy), Guarantee(choice_epsilon / 4, 0.0, "central", neighbours)
    bound = 0.0 if curve.mass >= n * curve.reach else float(np.clip(noisy, 0.0, largest))
    return bound, Guarantee(float(choice_epsilon), 0.0, "central", neighbours)


def exponential_bound(
    counts,
    *,
    largest,
    epsilon,
    delta=0.0,
    choice_epsilon,
    bounds=None,
    sparsity=None,
    neighbours="replace",
    rng,
):
    """Choose the bound by the exponential mechanism on G.

    Between neighbours the slope of G changes by at most `reach`, so that over bounds in [0, largest] the
    *oscillation* of the change is at most ``reach largest``, and the law below loses at most that times its
    rate. A constant added to G changes nothing; the factor 2 of the usual rate is not needed.

    Output law: density proportional to ``exp(-a G(C))`` on [0, largest], or these weights on `bounds`, with
    ``a = choice_epsilon / (reach largest)``.

    Parameters
    ----------
    counts, largest, epsilon, delta, sparsity, neighbours
        As for `surrogate_curve`.
    choice_epsilon : float
        Budget of the choice, positive.
    bounds : array_like, shape (k,), optional
        Public candidates in [0, largest]; by default the whole interval.
    rng : numpy.random.Generator
        Source of the randomness.

    Returns
    -------
    bound : float
        The contribution bound.
    guarantee : Guarantee
        ``choice_epsilon``, pure, for either relation of neighbours.

    Raises
    ------
    ValueError
        If a public parameter is out of range.

    Notes
    -----
    On the interval the expected G exceeds its minimum by at most ``1 / a = reach largest / choice_epsilon``:
    no number of users and no logarithm. Not in Liu et al. (2023), who use Algorithm 1 of Bassily, Smith and
    Thakurta (2014); this is in essence the same authors' Algorithm 2, in one dimension and drawn exactly.
    """
    options = {"epsilon": epsilon, "delta": delta, "sparsity": sparsity, "neighbours": neighbours}
    _validate.positive(choice_epsilon=choice_epsilon)
    curve = surrogate_curve(counts, largest=largest, **options)
    guarantee = Guarantee(float(choice_epsilon), 0.0, "central", neighbours)
    if bounds is None:
        return curve.draw(choice_epsilon / (curve.reach * largest), rng), guarantee
    law = grid_law(curve, bounds, choice_epsilon=choice_epsilon)
    return float(rng.choice(np.asarray(bounds, dtype=float), p=law)), guarantee


def grid_law(curve, bounds, *, choice_epsilon):
    """Law of `exponential_bound` on candidates in [0, curve.largest]: probabilities, shape (k,)."""
    for bound in bounds:
        _validate.in_range(0, curve.largest, bounds=float(bound))
    # `exponential_law` halves its rate; half the oscillation is the sensitivity of a centred score
    change = curve.reach * curve.largest / 2
    return exponential_law(-curve.values(bounds), sensitivity=change, epsilon=choice_epsilon)


def private_quantile(
    counts,
    *,
    largest,
    epsilon,
    delta=0.0,
    choice_epsilon,
    bounds=None,
    neighbours="replace",
    rng,
):
    """Choose the bound as about the M-th largest norm, by the exponential mechanism.

    Output law: `userdp.privacy.choice.order_statistic_law` of the norms, each rounded down to a candidate.

    Parameters
    ----------
    counts, largest, epsilon, delta, neighbours
        As for `surrogate_curve`.
    choice_epsilon : float
        Budget of the choice, positive.
    bounds : array_like, shape (k,), optional
        Public candidates in (0, largest], increasing; by default 1000 equal steps. Where the order of
        magnitude is unknown, a geometric grid spends the budget better.
    rng : numpy.random.Generator
        Source of the randomness.

    Returns
    -------
    bound : float
        The contribution bound, one of the candidates.
    guarantee : Guarantee
        ``choice_epsilon``, pure: a user who is replaced, comes or goes changes each count by at most 1.

    Raises
    ------
    ValueError
        If a public parameter is out of range.

    Notes
    -----
    Liu et al. (2023), Section 7.1, "DP-M-quantile", for Gaussian noise, where the best bound is *not* such a
    quantile. For Laplace noise it is: their Lemma 4.2.
    """
    _validate.positive(largest=largest)
    bounds = np.linspace(0, largest, 1001)[1:] if bounds is None else np.asarray(bounds, dtype=float)
    for low, high in zip([0.0, *bounds], [*bounds, np.nextafter(largest, np.inf)], strict=True):
        _validate.ordered(bounds=float(low), next_bound=float(high))
    mass = noise_mass(np.shape(counts)[1], epsilon=epsilon, delta=delta, neighbours=neighbours)
    reached = np.searchsorted(bounds, norms(counts, 1 if delta == 0 else 2), side="right")
    rank = float(np.ceil(mass * (1 - 1e-12)))
    answer, spent = order_statistic(reached, rank, largest=bounds.size, epsilon=choice_epsilon, rng=rng)
    return float(bounds[answer - 1]), Guarantee(spent.epsilon, 0.0, "central", neighbours)
