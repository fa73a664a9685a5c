"""Choose a contribution bound by a descent, from noisy slopes: alternatives to Liu et al.'s Algorithm 2.

Two of the descents ask all users in each step: `private_gradient_descent` for the slope of the curve G, which
is smallest at a good bound (`surrogate_curve`), and `geometric_quantile` for the number of users
above the bound. The third, `sampled_descent`, is that of Bassily, Smith and Thakurta (2014) as printed, and
asks one random user in each step; `sampled_epsilon` proves what so many looks cost together.
"""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.integrate import simpson

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, Floats, Rng
from userdp.central.bounds import surrogate_curve
from userdp.central.histogram import noise_mass, norms, public_users
from userdp.privacy.guarantee import Relation
from userdp.privacy.noise import AdditiveNoise, GaussianNoise, gaussian_sigma
from userdp.privacy.results import Release
from userdp_papers._compiled import jit

# more steps than this improve the bound by less than they cost
MOST_STEPS = 10**6
# steps whose noise is drawn at once
BLOCK = 2**16


@public
def private_gradient_descent(
    counts: ArrayLike,
    *,
    largest: float,
    release_epsilon: float,
    release_delta: float = 0.0,
    epsilon: float,
    delta: float,
    steps: int | None = None,
    sparsity: int | None = None,
    users: int | None = None,
    neighbours: Relation = "replace",
    rng: Rng,
) -> Release[float]:
    r"""Choose the bound by noisy gradient descent, all users in each step (for Liu et al., Corollary 4.4).

    Output distribution: the bound C starts at half of `largest`. In each step it moves by
    ``-eta (G'(C) + Z)``, with a fixed step size :math:`\eta` and a normal variable Z, and is projected to the
    interval from 0 to `largest`.
    The bound returned is the average of those at which the slope was asked. The noise is `GaussianNoise` for
    the slope of G, asked in every step; the guarantee is exactly `epsilon` and `delta`.

    Parameters
    ----------
    counts : shape (n, d), dense or sparse
        Count of each user and item.
    largest
        Public upper end of the bounds considered, positive.
    release_epsilon
        Budget of the release that follows, which decides the noise that the bound is balanced against.
    release_delta
        The same for delta; with 0 the release has Laplace noise, otherwise Gaussian noise.
    epsilon
        Budget of the choice, positive.
    delta
        The same for delta, positive.
    steps
        Number of steps. By default ``(n / kappa)^2``, rounded up and at most a million, where :math:`\kappa`
        is the standard deviation of one Gaussian release of sensitivity 1.
    sparsity
        Largest number of items that a user is expected to hold; all by default. Without effect if
        `release_delta` is 0.
    users
        Public number n of users, which sets steps and step size; by default the number of rows, which is
        public only if neighbours replace a user.
    neighbours
        Whether a user is replaced, or added or removed.
    rng
        Source of the randomness.

    Returns
    -------
    Release
        The bound `value` and its `guarantee`.

    Notes
    -----
    With the default steps, if they are not cut off and the noise mass M is at most n times the reach r of a
    user, the expected G exceeds its minimum by at most ``L r kappa / sqrt(2)`` with :math:`L` for `largest`.

    Examples
    --------
    >>> counts, rng = np.full((900, 2), 3), np.random.default_rng(1)
    >>> options = {"largest": 20.0, "release_epsilon": 5.0}
    >>> options |= {"epsilon": 1.0, "delta": 1e-6}
    >>> chosen = private_gradient_descent(counts, rng=rng, **options)
    >>> round(chosen.value, 1), chosen.guarantee.delta
    (15.8, 1e-06)
    """
    release: dict[str, Any] = {"epsilon": release_epsilon, "delta": release_delta, "neighbours": neighbours}
    curve = surrogate_curve(counts, largest=largest, sparsity=sparsity, **release)
    n = public_users(users, counts, neighbours)
    kappa = gaussian_sigma(epsilon=epsilon, delta=delta)
    steps = min(int(np.ceil((n / kappa) ** 2)), MOST_STEPS) if steps is None else steps
    noise = GaussianNoise.calibrated(
        epsilon=epsilon, delta=delta, sensitivity=curve.reach, steps=steps, neighbours=neighbours
    )
    steepest = max(curve.mass, n * curve.reach - curve.mass)
    eta = largest / 2 / np.sqrt(steps * (steepest**2 + noise.scale**2))
    bound, total, data = largest / 2, 0.0, (curve.sizes, curve.pulls, curve.mass, curve.largest)
    for _, block in blocks_of_steps(steps):
        bound, part = _descend(*data, bound, noise.release(np.zeros(block), rng), eta)
        total += part
    return Release(float(total / steps), noise.guarantee)


def blocks_of_steps(steps: float) -> Iterator[tuple[int, int]]:
    """First step and length of each block of steps that is drawn at once."""
    _validate.integer(1, 5 * 10**8, steps=steps)  # a minute
    for first in range(0, int(steps), BLOCK):
        yield first, min(BLOCK, int(steps) - first)


@jit
def _descend(sizes, pulls, mass, largest, bound, noise, eta):  # type: ignore[no-untyped-def]
    """Last iterate and sum of the iterates of the descent with all users in each step."""
    total = 0.0
    for z in noise:
        total += bound
        slope = mass - pulls[np.searchsorted(sizes, bound, side="right")]
        bound = min(max(bound - eta * (slope + z), 0.0), largest)
    return bound, total


@public
def geometric_quantile(
    counts: ArrayLike,
    *,
    largest: float,
    release_epsilon: float,
    release_delta: float = 0.0,
    epsilon: float,
    delta: float,
    start: float = 1.0,
    rate: float = 0.2,
    steps: int = 50,
    users: int | None = None,
    neighbours: Relation = "replace",
    rng: Rng,
) -> Release[float]:
    r"""Choose the bound near a quantile of the users' norms, by a descent with noise.

    The bound aims at the M-th largest norm, where M is the noise mass of the release.

    Output distribution: the bound C begins at `start`. In each step it is multiplied by
    ``exp(eta (K - M + Z) / n)`` and cut at `largest`, where :math:`\eta` is the rate, K the number of users
    with a norm above C, and Z the noise, `GaussianNoise` for a count that is asked in every step. The
    guarantee is exactly `epsilon` and `delta`.

    Parameters
    ----------
    counts : shape (n, d), dense or sparse
        Count of each user and item.
    largest
        Public upper end of the bounds considered, positive.
    release_epsilon
        Budget of the release that follows, which decides the noise that the bound is balanced against.
    release_delta
        The same for delta; with 0 the release has Laplace noise, otherwise Gaussian noise.
    epsilon
        Budget of the choice, positive.
    delta
        The same for delta, positive.
    start
        First bound, positive and at most `largest`.
    rate
        Learning rate, positive.
    steps
        Number of steps; every user takes part in each.
    users
        Public number n of users; by default the number of rows, which is public only if neighbours replace a
        user.
    neighbours
        Whether a user is replaced, or added or removed.
    rng
        Source of the randomness.

    Returns
    -------
    Release
        The bound `value` and its `guarantee`.

    Notes
    -----
    Andrew, Thakkar, McMahan and Ramaswamy (2021), Section 2, with all users in each round. Liu et al. (2023)
    name this descent and leave steps, rate and start open.

    Examples
    --------
    >>> counts, rng = np.full((900, 2), 3), np.random.default_rng(1)
    >>> options = {"largest": 20.0, "release_epsilon": 5.0}
    >>> options |= {"epsilon": 1.0, "delta": 1e-6}
    >>> chosen = geometric_quantile(counts, rng=rng, **options)
    >>> round(chosen.value, 1), chosen.guarantee.delta
    (7.2, 1e-06)
    """
    _validate.positive(largest=largest, rate=rate, start=start)
    _validate.in_range(0, largest, start=start)
    _validate.integer(1, 10**6, steps=steps)
    asked = GaussianNoise.calibrated(epsilon=epsilon, delta=delta, steps=steps, neighbours=neighbours)
    release: dict[str, Any] = {"epsilon": release_epsilon, "delta": release_delta, "neighbours": neighbours}
    mass = noise_mass(np.shape(counts)[1], **release)
    sizes = np.sort(norms(counts, 1 if release_delta == 0 else 2))
    n, bound = public_users(users, counts, neighbours), float(start)
    for noise in asked.release(np.zeros(int(steps)), rng):
        above = sizes.size - np.searchsorted(sizes, bound, side="right")
        # the exponent is cut too: a product must neither overflow nor become 0
        bound = min(bound * float(np.exp(np.clip(rate * (above - mass + noise) / n, -50, 50))), largest)
        bound = max(bound, np.finfo(float).tiny)
    return Release(bound, asked.guarantee)


# --- one random user a step -------------------------------------------------------------------------
@public
@dataclass(frozen=True)
class SampledNoise(AdditiveNoise):
    """Normal noise on the numbers of users who are asked one at a time, at random.

    Output distribution: in each step a user is drawn, with replacement, and what is released is its number
    plus a normal variable. The number lies in a known interval of length `sensitivity` and may depend on all
    earlier releases. The guarantee, for users who are replaced, is what `sampled_epsilon` proves for all
    steps together.

    Parameters
    ----------
    scale
        Standard deviation of the noise.
    sensitivity
        Length of the interval that contains a user's number.
    users
        Number of users.
    steps
        Number of steps.
    delta
        The delta of the guarantee.

    Examples
    --------
    >>> noise = SampledNoise(20.0, 1.0, users=100, steps=10_000, delta=1e-3)
    >>> round(noise.guarantee.epsilon, 3)
    0.106
    """

    _: KW_ONLY
    users: int
    steps: int
    delta: float

    def privacy_loss(self) -> float:
        """Smallest epsilon that is proved for all steps together."""
        _validate.one_of(("replace",), neighbours=self.neighbours)
        relative = self.scale / self.sensitivity
        return sampled_epsilon(self.steps, self.users, sigma=relative, delta=self.delta)

    def _slack(self, more: float) -> float:
        return self.delta


@public
def sampled_epsilon(steps: int, n: int, *, sigma: float, delta: float) -> float:
    """Smallest epsilon that is proved for many noisy looks at one random user at a time.

    Each step draws a user and releases its number, which lies between 0 and 1 and may depend on all earlier
    releases, plus a normal variable. Neighbouring inputs replace one user.

    Parameters
    ----------
    steps
        Number of steps.
    n
        Number of users.
    sigma
        Standard deviation of the noise.
    delta
        The delta of the guarantee.

    Returns
    -------
    float
        With :math:`k` steps, the smallest value of
        ``k R(lambda) + log(1 - 1 / lambda) - log(delta lambda) / (lambda - 1)`` over 121 orders
        ``1 < lambda <= 1 + 100 sigma``, where ``R(lambda)`` bounds the Rényi divergence of one step.

    Notes
    -----
    For ``a >= 1`` the hockey-stick divergence of one step is at most that of
    ``P = (1 - q) N(0, sigma^2) + q N(1, sigma^2)`` from ``Q = N(0, sigma^2)`` with ``q = 1 / n``, in both
    directions (advanced joint convexity, Balle, Barthe and Gaboardi 2018). Integrated against
    ``lambda (lambda - 1) a^(lambda - 2)``, and for ``a < 1`` turned around, that bounds the Rényi moment by
    ``1 + E_Q[phi(P / Q); P > Q]`` with ``phi(x) = x^lambda + x^(1 - lambda) - 1 - x``.
    The conversion is that of Canonne, Kamath and Steinke (2020), Proposition 12.

    Examples
    --------
    >>> round(sampled_epsilon(10_000, 100, sigma=20.0, delta=1e-3), 3)
    0.106
    """
    _validate.integer(1, steps=steps, n=n)
    _validate.positive(sigma=sigma)
    _validate.inside(0, 1, delta=delta)
    # beyond 100 sigma the nodes of `_moment` would be too far apart
    orders = 1 + np.geomspace(1e-3, 100 * sigma, 121)
    logs = np.array([np.log1p(_moment(x, 1 / n, sigma)) for x in orders]) / (orders - 1)
    proved = steps * logs + np.log1p(-1 / orders) - np.log(delta * orders) / (orders - 1)
    return float(max(proved.min(initial=np.inf, where=np.isfinite(proved)), 0.0))


# the guarantee of a mechanism is asked for again at each of its runs
@lru_cache(maxsize=4096)
def _moment(order: float, q: float, sigma: float, nodes: int = 1001) -> float:
    """``E_Q[phi(P / Q); P > Q]`` of `sampled_epsilon`, by Simpson's rule; infinite if it overflows."""
    z = np.linspace(0.5, 0.5 + 12 * sigma + 2 * order, nodes)
    with np.errstate(over="ignore", invalid="ignore"):
        log_ratio = np.log1p(q * np.expm1((2 * z - 1) / (2 * sigma**2)))
        phi = _beyond_linear(order * log_ratio) + _beyond_linear((1 - order) * log_ratio)
        phi = phi - _beyond_linear(log_ratio)
        weight = np.exp(-((z / sigma) ** 2) / 2) / (sigma * np.sqrt(2 * np.pi))
        value = float(simpson(phi * weight, x=z))
    return value if np.isfinite(value) else np.inf


def _beyond_linear(t: Floats) -> Floats:
    """``exp(t) - 1 - t``, exact for small t too."""
    series = t**2 / 2 * (1 + t / 3 * (1 + t / 4 * (1 + t / 5 * (1 + t / 6))))
    return np.where(np.abs(t) < 1e-2, series, np.expm1(t) - t)


@public
def sampled_noise(n: int, *, epsilon: float, delta: float) -> float:
    """Standard deviation of the noise that Bassily et al. (2014) prescribe.

    It is in units of n times the Lipschitz constant, and for as many steps as the square of the number of
    users.

    Parameters
    ----------
    n
        Number of users.
    epsilon
        Budget of all steps, positive.
    delta
        The same for delta, strictly between 0 and 1.

    Returns
    -------
    float
        ``sqrt(32 log(n / delta) log(1 / delta)) / epsilon``.
    """
    _validate.integer(1, n=n)
    _validate.positive(epsilon=epsilon)
    _validate.inside(0, 1, delta=delta)
    return float(np.sqrt(32 * np.log(n / delta) * np.log(1 / delta)) / epsilon)


@jit
def _descend_sampled(sizes, slopes, mass, largest, bound, noise, users, step, first):  # type: ignore[no-untyped-def]
    """Last iterate of the descent with one user a step."""
    for i in range(noise.size):
        slope = mass - (slopes[users[i]] if sizes[users[i]] > bound else 0.0)
        bound = min(max(bound - step / np.sqrt(first + i + 1) * (slope + noise[i]), 0.0), largest)
    return bound


@public
def sampled_descent(
    counts: ArrayLike,
    *,
    largest: float,
    release_epsilon: float,
    release_delta: float = 0.0,
    epsilon: float,
    delta: float,
    steps: int | None = None,
    sparsity: int | None = None,
    rng: Rng,
) -> Release[float]:
    r"""Choose the bound as printed, with one random user in each step (Bassily et al., Algorithm 1, on G).

    Output distribution: the bound C starts at half of `largest`. In each step a user is drawn, with
    replacement, and C moves against n times its slope plus `SampledNoise` of the scale that `sampled_noise`
    prescribes; then it is projected to the interval from 0 to `largest`. The step size at step t is
    ``B / sqrt(t (n^2 L^2 + sigma^2))``, with :math:`B` for `largest`, the Lipschitz constant :math:`L` and
    the standard deviation :math:`\sigma` of the noise. The bound returned is the last one. The guarantee, for
    users who are replaced, is what the noise proves at `delta`, usually far below `epsilon`.

    Parameters
    ----------
    counts : shape (n, d), dense or sparse
        Count of each user and item.
    largest
        Public upper end of the bounds considered, positive.
    release_epsilon
        Budget of the release that follows, which decides the noise that the bound is balanced against.
    release_delta
        The same for delta; with 0 the release has Laplace noise, otherwise Gaussian noise.
    epsilon
        Budget for which the noise is prescribed, positive.
    delta
        The same for delta, positive.
    steps
        Number of steps; by default ``n^2 - 1`` for n users.
    sparsity
        Largest number of items that a user is expected to hold; all by default. Without effect if
        `release_delta` is 0.
    rng
        Source of the randomness.

    Returns
    -------
    Release
        The bound `value` and its `guarantee`.

    Examples
    --------
    >>> counts, rng = np.full((90, 2), 3), np.random.default_rng(1)
    >>> budgets = {"release_epsilon": 5.0, "epsilon": 1.0, "delta": 1e-3}
    >>> chosen = sampled_descent(counts, largest=20.0, rng=rng, **budgets)
    >>> chosen.guarantee.epsilon < 0.1  # the noise was prescribed for 1.0
    True
    """
    curve = surrogate_curve(
        counts, largest=largest, epsilon=release_epsilon, delta=release_delta, sparsity=sparsity, printed=True
    )
    n = curve.sizes.size
    _validate.budget(epsilon=epsilon)
    steps = max(n**2 - 1, 1) if steps is None else steps
    _validate.integer(1, steps=steps)
    lipschitz = curve.reach + curve.mass / n
    sigma = n * lipschitz * sampled_noise(n, epsilon=epsilon, delta=delta)
    noise = SampledNoise(sigma, n * curve.reach, users=n, steps=int(steps), delta=float(delta))
    step = curve.largest / np.hypot(n * lipschitz, sigma)
    bound, data = curve.largest / 2, (curve.sizes, n * curve.weights, curve.mass, curve.largest)
    for first, block in blocks_of_steps(steps):
        noises, users = noise.release(np.zeros(block), rng), rng.integers(n, size=block)
        bound = _descend_sampled(*data, bound, noises, users, step, first)
    return Release(float(bound), noise.guarantee)
