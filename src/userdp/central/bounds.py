"""Choose privately how much a user may contribute to a histogram (Liu et al., Algorithm 2, and ours).

A small bound loses the records of large users, a large bound needs much noise. Both costs together are a
curve over the bounds C, ``G(C) = sum_u max(1 - C / ||N_u||, 0) ||N_u||_1 + C M``, where user u has the counts
``N_u`` and M is the `noise_mass` of the release (Liu et al., equation (3)). The curve is convex and piecewise
linear in C, and at most twice the expected loss.

The choices look at this curve and guard it by how much one user bends it: the slope moves by at most `reach`.
In the Euclidean norm that is ``sqrt(s)`` if users hold at most s items; each user's ratio
``||N_u||_1 / ||N_u||_2`` is cut at ``sqrt(s)``, so that the guarantee covers users who hold more. For Laplace
noise, where the norm is the sum, every ratio is 1.

A bound goes into `userdp.central.histogram.bounded_histogram`; the guarantees of the choice and of the
release add (`userdp.privacy.guarantee.sequential`). Choices by descent are in
`userdp_papers.printed.descents`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import log_softmax

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, Floats, Rng
from userdp.central.histogram import noise_mass, norms, public_users
from userdp.privacy.choice import ExponentialChoice, order_statistic
from userdp.privacy.guarantee import Relation
from userdp.privacy.noise import LaplaceNoise
from userdp.privacy.results import Release


@public
@dataclass(frozen=True)
class Surrogate:
    """The curve G on [0, largest], less the loss that no bound in that interval avoids.

    Parameters
    ----------
    sizes : shape (n,)
        Norm of each user's counts, cut at `largest`, increasing.
    weights : shape (n,)
        Minus the slope of each user's term of G below that user's size, in [0, reach].
    mass
        The expected sum M of the absolute noise over all items, per unit of the bound.
    reach
        Most that one user moves the slope of G.
    largest
        Largest bound considered.
    """

    sizes: Floats
    weights: Floats
    mass: float
    reach: float
    largest: float

    @cached_property
    def pulls(self) -> Floats:
        """Total weight of each user and of all larger ones, who want a larger bound; shape (n + 1,)."""
        return _validate.locked(np.append(np.cumsum(self.weights[::-1])[::-1], 0.0))

    def values(self, bounds: ArrayLike) -> Floats:
        """G at each bound, same shape: sum of ``weights (sizes - bound)^+``, plus `mass` times the bound."""
        bounds = np.asarray(bounds, dtype=float)
        held = np.append(np.cumsum((self.weights * self.sizes)[::-1])[::-1], 0.0)
        first = np.searchsorted(self.sizes, bounds, side="right")
        return held[first] - bounds * self.pulls[first] + self.mass * bounds

    def minimiser(self, ridge: float = 0.0) -> float:
        """Largest minimiser of ``G(C) + ridge C^2 / 2`` on [0, largest], exact.

        Left of C the slope is ``mass + ridge C`` less the pull of the users of size at least C, so that it
        is at most 0 if and only if some user u has ``C <= sizes[u]`` and ``mass + ridge C <= pulls[u]``.
        """
        if ridge > 0:
            stop = (self.pulls[:-1] - self.mass) / ridge
        else:  # the margin is for sums that are equal but for rounding
            stop = np.where(self.pulls[:-1] >= self.mass * (1 - 1e-12), np.inf, 0.0)
        return float(np.minimum(self.sizes, stop).max(initial=0.0))

    def segments(self, rate: float) -> tuple[Floats, ...]:
        """Ends of the linear pieces, shape (k + 1,), `rate` times G there, log-mass of ``exp(-rate G)``."""
        ends = np.unique(np.concatenate([[0.0], self.sizes, [self.largest]]))
        height = rate * self.values(ends)
        steep = np.abs(np.diff(height))
        mean = np.divide(-np.expm1(-steep), steep, out=np.ones(steep.shape), where=steep > 0)
        return ends, height, np.log(np.diff(ends) * mean) - np.minimum(height[:-1], height[1:])

    def draw(self, rate: float, rng: Rng) -> float:
        """One draw from the density proportional to ``exp(-rate G)``: a piece, then a cut exponential."""
        ends, height, mass = self.segments(rate)
        i = rng.choice(mass.size, p=np.exp(log_softmax(mass)))
        rise, uniform = abs(height[i + 1] - height[i]), rng.random()
        part = -np.log1p(uniform * np.expm1(-rise)) / rise if rise > 0 else uniform
        low, high = (ends[i], ends[i + 1]) if height[i] <= height[i + 1] else (ends[i + 1], ends[i])
        return float(low + part * (high - low))


@public
def surrogate_curve(
    counts: ArrayLike,
    *,
    largest: float | None = None,
    epsilon: float,
    delta: float = 0.0,
    sparsity: int | None = None,
    neighbours: Relation = "replace",
    printed: bool = False,
) -> Surrogate:
    """Return the curve G that the private choices look at; itself *not* private.

    Parameters
    ----------
    counts : shape (n, d), dense or sparse
        Count of each user and item; what is not a count is taken for 0.
    largest
        Public upper end C_max of the bounds considered, positive; by default the largest norm in the data,
        for study: then the curve is all of G.
    epsilon
        Budget of the *release*, against whose noise the bound is balanced.
    delta
        The delta of the release: 0 for Laplace noise, positive for Gaussian noise.
    sparsity
        Most items s that a user is expected to hold, from 1 to d; by default d. Without effect if
        ``delta = 0``.
    neighbours
        Which inputs are neighbours: in "replace" the data of one user are replaced, in "add-remove" one user
        is added or removed.
    printed
        Whether the release uses the paper's noise, as in `histogram_noise`.
    """
    total, size = norms(counts, 1), norms(counts, 1 if delta == 0 else 2)
    largest = largest if largest is not None else max(size.max(initial=0.0), np.finfo(float).tiny)
    _validate.positive(largest=largest)
    d = np.shape(counts)[1]
    sparsity = d if sparsity is None else sparsity
    _validate.integer(1, d, sparsity=sparsity)
    reach = 1.0 if delta == 0 else float(np.sqrt(sparsity))
    mass = noise_mass(d, epsilon=epsilon, delta=delta, neighbours=neighbours, printed=printed)
    ratio = np.divide(total, size, out=np.zeros(size.shape), where=size > 0)
    order = np.argsort(size)
    weights = np.minimum(ratio, reach)[order]
    return Surrogate(np.minimum(size, largest)[order], weights, float(mass), reach, float(largest))


@public
def output_perturbation(
    counts: ArrayLike,
    *,
    largest: float,
    release_epsilon: float,
    release_delta: float = 0.0,
    epsilon: float,
    sparsity: int | None = None,
    users: int | None = None,
    neighbours: Relation = "replace",
    printed: bool = False,
    rng: Rng,
) -> Release[float]:
    """Choose the bound by a ridge-regularised minimiser of G plus Laplace noise.

    With a ridge ``w C^2 / 2`` on G the minimiser moves by at most ``reach / w`` between neighbours, and w is
    chosen so that what the ridge and what the noise can cost are equal.

    Output distribution: the minimiser plus a Laplace variable of scale ``reach / (w epsilon)``, projected
    onto ``[0, largest]``; 0 if ``M >= users reach``, where G is minimal at 0 for all data.

    Parameters
    ----------
    counts : shape (n, d), dense or sparse
        Count of each user and item; what is not a count is taken for 0.
    largest
        Public upper end of the bounds considered, positive.
    release_epsilon
        Budget of the *release* for which the bound is chosen; the choice has its own.
    release_delta
        The delta of the release: 0 for Laplace noise, positive for Gaussian noise.
    epsilon
        Budget of the choice, positive.
    sparsity
        Most items s that a user is expected to hold, from 1 to d; by default d. Without effect if
        ``release_delta = 0``.
    users
        Public number of users, which scales the ridge; by default the number of rows, which is public only
        if neighbours replace a user.
    neighbours
        Which inputs are neighbours: in "replace" the data of one user are replaced, in "add-remove" one user
        is added or removed.
    printed
        Whether to follow the paper's Algorithm 2: ridge ``2 sqrt(2 s n / epsilon) / largest`` with the budget
        of the release, sensitivity ``4 sqrt(s) / w``, no projection, and the paper's noise in G. The bound
        may be negative; since its noise is four times what the sensitivity asks for, it spends a quarter of
        `epsilon`.
    rng
        Generator of NumPy.

    Returns
    -------
    Release
        The chosen bound `value`, and the `guarantee` of the choice alone.

    Notes
    -----
    Liu et al. (2023), Algorithm 2. The expected G exceeds its minimum by at most
    ``largest reach sqrt(users / epsilon)``, ``1 / sqrt(8)`` of what their Corollary 4.5 allows.

    Examples
    --------
    >>> options = {"release_epsilon": 5.0, "epsilon": 0.5, "largest": 20.0}
    >>> counts, rng = np.full((900, 2), 3), np.random.default_rng(1)
    >>> chosen = output_perturbation(counts, rng=rng, **options)
    >>> 0 < chosen.value < 20, chosen.guarantee.epsilon
    (True, 0.5)
    """
    _validate.positive(epsilon=epsilon)
    release: dict[str, Any] = {"epsilon": release_epsilon, "delta": release_delta, "neighbours": neighbours}
    curve = surrogate_curve(counts, largest=largest, sparsity=sparsity, printed=printed, **release)
    n = public_users(users, counts, neighbours)
    weight = np.sqrt(8 * n / release_epsilon) if printed else np.sqrt(n / epsilon)
    ridge = curve.reach * weight / largest
    moved = curve.reach / ridge
    noise = LaplaceNoise.calibrated(epsilon=epsilon, sensitivity=moved, neighbours=neighbours)
    if printed:
        noise = LaplaceNoise(4 * moved / epsilon, moved, neighbours=neighbours)
    bound = float(noise.release(curve.minimiser(ridge), rng))
    if not printed:
        bound = 0.0 if curve.mass >= n * curve.reach else float(np.clip(bound, 0.0, largest))
    return Release(bound, noise.guarantee)


def bound_choice(curve: Surrogate, epsilon: float, neighbours: Relation = "replace") -> ExponentialChoice:
    """The mechanism of `exponential_bound`: half the oscillation is the sensitivity of a centred score."""
    change = curve.reach * curve.largest / 2
    return ExponentialChoice.calibrated(epsilon=epsilon, sensitivity=change, neighbours=neighbours)


@public
def exponential_bound(
    counts: ArrayLike,
    *,
    largest: float,
    release_epsilon: float,
    release_delta: float = 0.0,
    epsilon: float,
    bounds: Sequence[float] | Floats | None = None,
    sparsity: int | None = None,
    neighbours: Relation = "replace",
    rng: Rng,
) -> Release[float]:
    """Choose the bound by the exponential mechanism on G.

    Between neighbours the slope of G changes by at most `reach`, so that over bounds in ``[0, largest]`` the
    *oscillation* of the change is at most `reach` times `largest`, and the privacy loss of the distribution
    below is at most that times its rate. A constant added to G changes nothing; the factor 2 of the usual
    rate is not needed.

    Output distribution: density proportional to ``exp(-a G(C))`` on ``[0, largest]``, or these weights on
    `bounds`, with ``a = epsilon / (reach largest)``.

    Parameters
    ----------
    counts : shape (n, d), dense or sparse
        Count of each user and item; what is not a count is taken for 0.
    largest
        Public upper end of the bounds considered, positive.
    release_epsilon
        Budget of the *release* for which the bound is chosen; the choice has its own.
    release_delta
        The delta of the release: 0 for Laplace noise, positive for Gaussian noise.
    epsilon
        Budget of the choice, positive.
    bounds : shape (k,), optional
        Public candidates in ``[0, largest]``; by default the whole interval.
    sparsity
        Most items s that a user is expected to hold, from 1 to d; by default d. Without effect if
        ``release_delta = 0``.
    neighbours
        Which inputs are neighbours: in "replace" the data of one user are replaced, in "add-remove" one user
        is added or removed.
    rng
        Generator of NumPy; with `bounds` also `userdp.release.Secure`, for a release in earnest.

    Returns
    -------
    Release
        The chosen bound `value`, and the `guarantee` of the choice alone.

    Notes
    -----
    On the interval the expected G exceeds its minimum by at most
    ``1 / a = reach largest / epsilon``, with no number of users and no logarithm in it. The choice is not in
    Liu et al. (2023), who use Algorithm 1 of Bassily, Smith and Thakurta (2014); this is in essence the same
    authors' Algorithm 2, in one dimension and drawn exactly.

    Examples
    --------
    >>> options = {"release_epsilon": 5.0, "epsilon": 0.5, "largest": 20.0}
    >>> counts, rng = np.full((900, 2), 3), np.random.default_rng(1)
    >>> chosen = exponential_bound(counts, rng=rng, **options)
    >>> round(chosen.value, 1), chosen.guarantee.epsilon
    (19.2, 0.5)
    """
    _validate.positive(epsilon=epsilon)
    release: dict[str, Any] = {"epsilon": release_epsilon, "delta": release_delta, "neighbours": neighbours}
    curve = surrogate_curve(counts, largest=largest, sparsity=sparsity, **release)
    choice = bound_choice(curve, epsilon, neighbours)
    if bounds is None:
        return Release(curve.draw(choice.rate, rng), choice.guarantee)
    candidates = _validate.vector(0, curve.largest, bounds=bounds)
    return Release(float(candidates[choice.choose(-curve.values(candidates), rng)]), choice.guarantee)


@public
def private_quantile(
    counts: ArrayLike,
    *,
    largest: float,
    release_epsilon: float,
    release_delta: float = 0.0,
    epsilon: float,
    bounds: ArrayLike | None = None,
    neighbours: Relation = "replace",
    rng: Rng,
) -> Release[float]:
    """Choose the bound as about the M-th largest norm, by the exponential mechanism.

    Output distribution: `userdp.privacy.choice.order_statistic_law` of the norms, each rounded down to a
    candidate; M is the `noise_mass` of the release.

    Parameters
    ----------
    counts : shape (n, d), dense or sparse
        Count of each user and item; what is not a count is taken for 0.
    largest
        Public upper end of the bounds considered, positive.
    release_epsilon
        Budget of the *release* for which the bound is chosen; the choice has its own.
    release_delta
        The delta of the release: 0 for Laplace noise, positive for Gaussian noise.
    epsilon
        Budget of the choice, positive.
    bounds : shape (k,), optional
        Public candidates in ``(0, largest]``, increasing; by default 1000 equal steps. Where the order of
        magnitude is unknown, a geometric grid spends the budget better.
    neighbours
        Which inputs are neighbours: in "replace" the data of one user are replaced, in "add-remove" one user
        is added or removed.
    rng
        Generator of NumPy, or `userdp.release.Secure` for a release in earnest.

    Returns
    -------
    Release
        The chosen bound `value`, and the `guarantee` of the choice alone.

    Notes
    -----
    Liu et al. (2023), Section 7.1, "DP-M-quantile", for Gaussian noise, where the best bound is *not* such a
    quantile. For Laplace noise it is, by their Lemma 4.2.

    Examples
    --------
    >>> options = {"release_epsilon": 0.5, "epsilon": 5.0, "largest": 20.0}
    >>> counts, rng = np.arange(20)[:, None], np.random.default_rng(1)
    >>> private_quantile(counts, rng=rng, **options).value
    18.0
    """
    _validate.positive(largest=largest)
    grid = np.linspace(0, largest, 1001) if bounds is None else np.append(0.0, bounds)
    bounds = _validate.vector(0, largest, least=2, increasing=True, bounds=grid)[1:]
    release: dict[str, Any] = {"epsilon": release_epsilon, "delta": release_delta, "neighbours": neighbours}
    reached = np.searchsorted(bounds, norms(counts, 1 if release_delta == 0 else 2), side="right")
    mass = noise_mass(np.shape(counts)[1], **release)
    how: dict[str, Any] = {"rank": float(np.ceil(mass * (1 - 1e-12))), "largest": bounds.size}
    chosen = order_statistic(reached, **how, epsilon=epsilon, neighbours=neighbours, rng=rng)
    return Release(float(bounds[chosen.value - 1]), chosen.guarantee)
