"""Choose a contribution bound step by step from noisy slopes (in the place of Liu et al.'s Algorithm 2).

Two descents: on the curve G (`userdp.central.bounds`) and towards a quantile of the norms. The one user
a step of Bassily, Smith and Thakurta (2014), as printed, is in `userdp_papers.printed.descent`.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, Rng
from userdp.central.bounds import surrogate_curve
from userdp.central.histogram import noise_mass, norms, public_users
from userdp.privacy.guarantee import Neighbours
from userdp.privacy.noise import GaussianNoise, gaussian_sigma
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
    neighbours: Neighbours = "replace",
    rng: Rng,
) -> Release[float]:
    """Choose the bound by noisy projected gradient descent on G.

    Output law: from C = largest / 2, each of `steps` times C moves by ``-eta (G'(C) + noise)`` and is
    projected onto [0, largest]; the bound is the mean of the C at which the slope was asked. The noise is
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
    neighbours: Neighbours = "replace",
    rng: Rng,
) -> Release[float]:
    """Choose the bound as about the M-th largest norm, by a noisy multiplicative descent.

    Output law: from C = `start`, each of `steps` times C is multiplied by
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
