"""A private window, then the clipped mean of all users (after Levy et al. 2021, Algorithm 1): pure privacy.

If users hold many records of similar distributions, their means lie close together, and a short interval
contains most of them. The window with most of them is chosen by the exponential mechanism; then everybody is
clipped to an interval about it and averaged, with noise for that interval only. Every user takes part in both
steps, so that the budgets add (basic composition). Data lie in a public `domain`; NaN counts as its low end.
Neighbouring inputs replace one user's whole data.
"""

import numpy as np

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, Domain, Floats, Rng
from userdp.central.weights import optimal_weights
from userdp.privacy.choice import ExponentialChoice
from userdp.privacy.guarantee import Neighbours, sequential
from userdp.privacy.noise import LaplaceNoise
from userdp.privacy.reports import project
from userdp.privacy.results import Release, WeightedEstimate

STEP = 0.25  # half-widths of a window from one centre to the next (ours)
MOST_CENTRES = 10**6


def centres(window: float, domain: Domain) -> Floats:
    """Candidate centres, shape (k,), at most `STEP` half-widths apart; no number is further off than half."""
    length = domain[1] - domain[0]
    count = int(np.ceil(length / (STEP * window)))
    return np.asarray(domain[0] + length * (np.arange(count) + 0.5) / count)


@public
def densest_window(
    means: ArrayLike,
    *,
    window: float,
    epsilon: float,
    domain: Domain = (0.0, 1.0),
    neighbours: Neighbours = "replace",
    rng: Rng,
) -> Release[float]:
    """Choose the centre of the window that contains most users' means, by the exponential mechanism.

    Output distribution: one of the centres, at most a quarter of `window` apart, with probability
    proportional to ``exp(epsilon N / 2)`` for the N means within `window` of it; one user moves each N by at
    most 1.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user; projected to `domain`.
    window
        Half-width of a window, in the units of the data; public.
    epsilon
        Central privacy budget, positive.
    domain : low, high
        Public ends of the data.
    neighbours
        Which inputs are neighbours; the guarantee names them.
    rng
        Generator of NumPy, or `userdp.release.Secure` for a release in earnest.

    Returns
    -------
    Release
        The centre `value`, and its `guarantee`.

    Examples
    --------
    >>> means, rng = np.full(100, 0.3), np.random.default_rng(1)
    >>> found = densest_window(means, window=0.02, epsilon=1.0, rng=rng)
    >>> abs(found.value - 0.3) < 0.025
    True
    """
    _validate.domain(domain)
    _validate.in_range((domain[1] - domain[0]) / (STEP * MOST_CENTRES), float("inf"), window=window)
    choice = ExponentialChoice.calibrated(epsilon=epsilon, sensitivity=1.0, neighbours=neighbours)
    x, middles = np.sort(project(_validate.column(means=means), *domain)), centres(window, domain)
    held = np.searchsorted(x, middles + window, "right") - np.searchsorted(x, middles - window)
    return Release(float(middles[choice.choose(held, rng)]), choice.guarantee)


@public
def clipped_mean(
    means: ArrayLike,
    sizes: ArrayLike | None = None,
    *,
    epsilon: float,
    window: float,
    reach: float,
    share: float = 0.5,
    sigmas: float = 0.0,
    variance: float = 0.0,
    domain: Domain = (0.0, 1.0),
    rng: Rng,
) -> WeightedEstimate:
    """Find the range privately, then clip, average and add noise.

    Output distribution:

    1. A centre is chosen by `densest_window`, at the budget ``share epsilon``.
    2. The means, each projected to a public distance from the centre, are averaged and get one Laplace
       variable that hides any one of them at the rest of the budget.

    With `sizes` the distance is `reach` plus `sigmas` times the largest standard deviation that a mean of so
    many records can have, and users are weighted by `userdp.central.weights.optimal_weights`.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user; projected to `domain`.
    sizes : shape (n,), optional
        Records of each user; public, so that neighbours have the same sizes.
    epsilon
        Central privacy budget of both steps together, positive.
    window
        Half-width of a window, in the units of the data; public.
    reach
        Distance from the chosen centre, in the units of the data.
    share
        Part of the budget that the choice gets, between 0 and 1.
    sigmas
        Standard deviations of a user's mean that are added to `reach`; of use with `sizes` only.
    variance
        Variance of the users' latent means; with `sizes` only.
    domain : low, high
        Public ends of the data.
    rng
        Generator of NumPy, or `userdp.release.Secure` for a release in earnest.

    Returns
    -------
    WeightedEstimate
        The estimate `value`, the `guarantee` of both steps, the centre as `initial`, the users' `weights` and
        the `scale` of the noise.

    Examples
    --------
    >>> means = np.random.default_rng(1).normal(0.3, 0.01, 200)
    >>> options = {"epsilon": 1.0, "window": 0.02, "reach": 0.05}
    >>> rng = np.random.default_rng(2)
    >>> estimate = clipped_mean(means, rng=rng, **options)
    >>> round(estimate.value, 2), estimate.guarantee.epsilon
    (0.3, 1.0)
    """
    _validate.domain(domain)
    _validate.positive(epsilon=epsilon, reach=reach)
    _validate.inside(0, 1, share=share)
    _validate.in_range(0, float("inf"), sigmas=sigmas, variance=variance)
    x, rest = project(_validate.column(means=means), *domain), epsilon - share * epsilon
    _validate.integer(1, users=x.size)
    half, weights = np.array(reach), np.broadcast_to(1 / x.size, x.size)
    if sizes is not None:
        half, weights = weighed(x, sizes, reach, sigmas, variance, domain, rest)
    same: Neighbours = "replace" if sizes is None else "replace-same-size"
    first = densest_window(x, window=window, epsilon=share * epsilon, domain=domain, neighbours=same, rng=rng)
    low, high = np.maximum(first.value - half, domain[0]), np.minimum(first.value + half, domain[1])
    most = float(np.max(weights * (high - low)))
    noise = LaplaceNoise.calibrated(epsilon=rest, sensitivity=most, neighbours=same)
    kept, least = np.clip(x, low, high), weights * low
    value = noise.release(weights @ kept, rng, parts=lambda: weights * kept - least, offset=least.sum())
    total = sequential(first.guarantee, noise.guarantee)
    return WeightedEstimate(float(value), total, weights, noise.scale, initial=first.value)


def weighed(
    x: Floats, sizes: ArrayLike, reach: float, sigmas: float, variance: float, domain: Domain, epsilon: float
) -> tuple[Floats, Floats]:
    """Distance from the centre, and weight, of each user, from public sizes alone; shape (n,) each."""
    held = _validate.whole_numbers(1, sizes=sizes)
    if held.shape != x.shape:
        raise ValueError(f"sizes must match means in shape, got {held.shape} and {x.shape}")
    kinds, own, counts = np.unique(held, return_inverse=True, return_counts=True)
    length = domain[1] - domain[0]
    variances = np.minimum(length**2 / 4 / kinds + variance, length**2 / 4)
    half = reach + sigmas * np.sqrt(variances)
    weights = optimal_weights(variances, np.minimum(2 * half, length), epsilon=epsilon, counts=counts)
    return half[own], weights.value[own]
