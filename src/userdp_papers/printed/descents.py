"""Choose a contribution bound step by step from noisy slopes (in the place of Liu et al.'s Algorithm 2).

Two descents with all users in each step, on the curve G (`userdp.central.bounds`) and towards a quantile of
the norms; and as printed that of Bassily, Smith and Thakurta (2014), with one random user a step. What many
noisy looks at one random user prove is computed by Renyi moments.
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
    """Choose the bound by noisy projected gradient descent on G.

    Output distribution: from C = largest / 2, each of `steps` times C moves by ``-eta (G'(C) + noise)`` and
    is projected onto [0, largest]; the bound is the mean of the C at which the slope was asked. The noise is
    `GaussianNoise` for a slope of sensitivity `reach` asked `steps` times: exactly (epsilon, delta).

    Parameters
    ----------
    counts, largest, release_epsilon, release_delta, sparsity, neighbours
        As for `userdp.central.bounds.output_perturbation`.
    epsilon, delta
        Budget of the choice, both positive.
    steps
        Number of steps. By default ``(users / kappa)^2``, rounded up and at most `MOST_STEPS`, with kappa
        the standard deviation of one Gaussian release of sensitivity 1.
    users
        Public number of users, which sets steps and step size; by default the number of rows, which is
        public only if neighbours replace a user.

    Notes
    -----
    Liu et al. (2023), Corollary 4.4. With the default steps, if none are cut off and M <= users reach, the
    expected G exceeds its minimum by at most ``largest reach kappa / sqrt(2)``.

    Examples
    --------
    >>> release = {"release_epsilon": 5.0, "epsilon": 1.0, "delta": 1e-6, "largest": 20.0}
    >>> chosen = private_gradient_descent(np.full((900, 2), 3), rng=np.random.default_rng(1), **release)
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
    """Choose the bound as about the M-th largest norm, by a noisy multiplicative descent.

    Output distribution: from C = `start`, each of `steps` times C is multiplied by
    ``exp(rate (#{u: ||N_u|| > C} - M + noise) / users)`` and cut at `largest`; the noise is `GaussianNoise`
    for a count of sensitivity 1 that is asked `steps` times: exactly (epsilon, delta).

    Parameters
    ----------
    counts, largest, release_epsilon, release_delta, epsilon, delta, users, neighbours
        As for `private_gradient_descent`.
    start
        First bound, positive and at most `largest`.
    rate
        Learning rate, positive.
    steps
        Number of steps; every user takes part in each.

    Notes
    -----
    Andrew, Thakkar, McMahan and Ramaswamy (2021), Section 2, with all users in each round; Liu et al. (2023)
    name this descent and give neither steps, rate nor start.

    Examples
    --------
    >>> release = {"release_epsilon": 5.0, "epsilon": 1.0, "delta": 1e-6, "largest": 20.0}
    >>> chosen = geometric_quantile(np.full((900, 2), 3), rng=np.random.default_rng(1), **release)
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
    """Normal noise on numbers of one user per step, drawn with replacement from `users`; a user is replaced.

    Output distribution: each of `steps` looks is the number of a random user, which lies in a known interval
    of length `sensitivity` and may depend on all earlier looks, plus a normal variable of standard deviation
    `scale`. The guarantee is the epsilon that `sampled_epsilon` proves for all looks together at `delta`.

    Examples
    --------
    >>> round(SampledNoise(20.0, 1.0, users=100, steps=10_000, delta=1e-3).guarantee.epsilon, 3)
    0.106
    """

    _: KW_ONLY
    users: int
    steps: int
    delta: float

    def privacy_loss(self) -> float:
        """Least epsilon proved for all steps."""
        _validate.one_of(("replace",), neighbours=self.neighbours)
        relative = self.scale / self.sensitivity
        return sampled_epsilon(self.steps, self.users, sigma=relative, delta=self.delta)

    def _slack(self, more: float) -> float:
        return self.delta


@public
def sampled_epsilon(steps: int, n: int, *, sigma: float, delta: float) -> float:
    """Smallest epsilon proved for many noisy looks at one of n users at a time, one user replaced.

    Each step releases ``x_J + N(0, sigma^2)`` with J uniform on the n users and every x_u in [0, 1], where
    the x_u may depend on all earlier releases.

    Returns
    -------
    float
        The least over orders lambda up to 1 + 100 sigma of ``steps R(lambda) + log(1 - 1 / lambda) -
        log(delta lambda) / (lambda - 1)``, where R bounds the Renyi divergence of one step.

    Notes
    -----
    For a >= 1 the hockey-stick divergence of one step is at most that of
    ``P = (1 - q) N(0, sigma^2) + q N(1, sigma^2)`` from ``Q = N(0, sigma^2)``, q = 1 / n, in both
    directions (advanced joint convexity, Balle, Barthe and Gaboardi 2018). Integrated against
    ``lambda (lambda - 1) a^(lambda - 2)``, and for a < 1 turned around, that bounds the Renyi moment by
    ``1 + E_Q[phi(P / Q); P > Q]`` with ``phi(x) = x^lambda + x^(1 - lambda) - 1 - x``.
    The conversion is that of Canonne, Kamath and Steinke (2020), Proposition 12.
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
    """Noise that Bassily et al. (2014) prescribe for ``n^2`` steps, per n times the Lipschitz constant."""
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
    """Choose a contribution bound as printed, Algorithm 1 of Bassily et al. on the curve G.

    Output distribution: from C = largest / 2, each of `steps` times, by default ``n^2 - 1``, C moves against
    n times the slope of one user, drawn with replacement, plus `SampledNoise` of scale `sampled_noise`, by a
    step of ``largest / sqrt(t (n^2 L^2 + sigma^2))``, and is projected onto [0, largest]; the bound is the
    last C. The guarantee, for users who are replaced, is what the noise proves at `delta`, usually far below
    `epsilon`. Parameters as for `private_gradient_descent`.

    Examples
    --------
    >>> release = {"release_epsilon": 5.0, "epsilon": 1.0, "delta": 1e-3, "largest": 20.0}
    >>> chosen = sampled_descent(np.full((90, 2), 3), rng=np.random.default_rng(1), **release)
    >>> chosen.guarantee.epsilon < 0.1  # of the 1.0 that the noise was prescribed for
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
