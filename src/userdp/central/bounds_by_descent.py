"""Choose the contribution bound of a histogram step by step, each step from a noisy look at all data.

Two descents: on the curve G (`userdp.central.bound_curve`) and towards a quantile of the norms. The one user
a step of Bassily, Smith and Thakurta (2014) is here too, with what it truly costs.
"""

import numpy as np
from scipy.integrate import simpson

from userdp import _validate
from userdp._compiled import _jit
from userdp.central.bound_curve import public_users, surrogate_curve
from userdp.central.histogram import noise_mass, norms
from userdp.privacy.guarantee import Guarantee
from userdp.privacy.noise import gaussian_sigma

__all__ = ["private_gradient_descent", "sampled_noise", "sampled_epsilon", "geometric_quantile"]

# more steps than this improve the bound by less than they cost
MOST_STEPS = 10**6
# steps whose noise is drawn at once
BLOCK = 2**16


def private_gradient_descent(
    counts,
    *,
    largest,
    epsilon,
    delta=0.0,
    choice_epsilon,
    choice_delta,
    steps=None,
    sparsity=None,
    users=None,
    neighbours="replace",
    printed=False,
    rng,
):
    """Choose the bound by noisy projected gradient descent on G.

    Output law: from C = largest / 2, each of `steps` times C moves by ``-eta (G'(C) + noise)`` and is
    projected onto [0, largest]; the bound is the mean of the C at which the slope was asked. The noise is
    normal, of standard deviation `gaussian_sigma` for a slope of sensitivity `reach` asked `steps` times.

    Parameters
    ----------
    counts, largest, epsilon, delta, sparsity, neighbours
        As for `userdp.central.bound_curve.surrogate_curve`.
    choice_epsilon, choice_delta : float
        Budget of the choice, both positive.
    steps : int, optional
        Number of steps. By default ``(users / kappa)^2``, rounded up and at most `MOST_STEPS`, with kappa
        the standard deviation of one Gaussian release of sensitivity 1; with ``printed=True`` n^2 - 1.
    users : int, optional
        Public number of users, which sets steps and step size; by default the number of rows, which is
        public only if neighbours replace a user.
    printed : bool
        Algorithm 1 of Bassily et al.: each step looks at one user, drawn with replacement, with slope
        times n, noise `sampled_noise` and step size ``largest / sqrt(t (n^2 L^2 + sigma^2))``; the bound
        is the last C.
    rng : numpy.random.Generator
        Source of the randomness.

    Returns
    -------
    bound : float
        The contribution bound, in [0, largest].
    guarantee : Guarantee
        ``(choice_epsilon, choice_delta)``, exact: the steps are one Gaussian release of sensitivity
        ``reach sqrt(steps)``. For ``printed=True`` the epsilon that `sampled_epsilon` proves at
        `choice_delta`, usually far below `choice_epsilon`.

    Raises
    ------
    ValueError
        If a public parameter is out of range, `users` is missing with "add-remove", or ``printed=True``
        with "add-remove".

    Notes
    -----
    Liu et al. (2023), Corollary 4.4. With the default steps, if none are cut off and M <= users reach, the
    expected G exceeds its minimum by at most ``largest reach kappa / sqrt(2)``.
    """
    _validate.positive(choice_epsilon=choice_epsilon)
    if printed:
        _validate.one_of(("replace",), neighbours=neighbours)
    options = {"epsilon": epsilon, "delta": delta, "sparsity": sparsity, "neighbours": neighbours}
    curve = surrogate_curve(counts, largest=largest, printed=printed, **options)
    n = public_users(users, counts, neighbours)
    if printed:
        return _sampled_descent(curve, choice_epsilon, choice_delta, steps, rng)
    kappa = gaussian_sigma(epsilon=choice_epsilon, delta=choice_delta)
    steps = min(int(np.ceil((n / kappa) ** 2)), MOST_STEPS) if steps is None else steps
    _validate.integer(1, steps=steps)
    sigma = kappa * curve.reach * np.sqrt(steps)
    steepest = max(curve.mass, n * curve.reach - curve.mass)
    eta = largest / 2 / np.sqrt(steps * (steepest**2 + sigma**2))
    bound, total, data = largest / 2, 0.0, (curve.sizes, curve.pulls, curve.mass, curve.largest)
    for _, block in _blocks(int(steps)):
        bound, part = _descend(*data, bound, rng.normal(scale=sigma, size=block), eta)
        total += part
    guarantee = Guarantee(float(choice_epsilon), float(choice_delta), "central", neighbours)
    return float(total / steps), guarantee


def sampled_noise(n, *, epsilon, delta):
    """Noise that Bassily et al. (2014) prescribe for n^2 steps, per unit of n times Lipschitz constant."""
    _validate.integer(1, n=n)
    _validate.positive(epsilon=epsilon, delta=delta)
    _validate.ordered(delta=delta, one=1)
    return float(np.sqrt(32 * np.log(n / delta) * np.log(1 / delta)) / epsilon)


def sampled_epsilon(steps, n, *, sigma, delta):
    """Smallest epsilon proved for many noisy looks at one of n users at a time, one user replaced.

    Each step releases ``x_J + N(0, sigma^2)`` with J uniform on the n users and every x_u in [0, 1], where
    the x_u may depend on all earlier releases.

    Parameters
    ----------
    steps, n : int
        Number of steps and of users.
    sigma : float
        Standard deviation of the noise, positive.
    delta : float
        Slack, above 0 and below 1.

    Returns
    -------
    float
        The least over orders lambda up to 1 + 100 sigma of ``steps R(lambda) + log(1 - 1 / lambda) -
        log(delta lambda) / (lambda - 1)``, where R bounds the Renyi divergence of one step.

    Raises
    ------
    ValueError
        If a parameter is out of range.

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
    _validate.positive(sigma=sigma, delta=delta)
    _validate.ordered(delta=delta, one=1)
    # beyond 100 sigma the nodes of `_moment` would be too far apart
    orders = 1 + np.geomspace(1e-3, 100 * sigma, 121)
    logs = np.array([np.log1p(_moment(x, 1 / n, sigma)) for x in orders]) / (orders - 1)
    proved = steps * logs + np.log1p(-1 / orders) - np.log(delta * orders) / (orders - 1)
    return float(max(proved[np.isfinite(proved)].min(), 0.0))


def _moment(order, q, sigma, nodes=1001):
    """``E_Q[phi(P / Q); P > Q]`` of `sampled_epsilon`, by Simpson's rule; infinite if it overflows."""
    z = np.linspace(0.5, 0.5 + 12 * sigma + 2 * order, nodes)
    with np.errstate(over="ignore", invalid="ignore"):
        log_ratio = np.log1p(q * np.expm1((2 * z - 1) / (2 * sigma**2)))
        phi = _beyond_linear(order * log_ratio) + _beyond_linear((1 - order) * log_ratio)
        phi = phi - _beyond_linear(log_ratio)
        weight = np.exp(-((z / sigma) ** 2) / 2) / (sigma * np.sqrt(2 * np.pi))
        value = simpson(phi * weight, x=z)
    return value if np.isfinite(value) else np.inf


def _beyond_linear(t):
    """``exp(t) - 1 - t``, exact for small t too."""
    series = t**2 / 2 * (1 + t / 3 * (1 + t / 4 * (1 + t / 5 * (1 + t / 6))))
    return np.where(np.abs(t) < 1e-2, series, np.expm1(t) - t)


def _sampled_descent(curve, choice_epsilon, choice_delta, steps, rng):
    """Bound and guarantee of Algorithm 1 of Bassily et al."""
    n = curve.sizes.size
    steps = max(n**2 - 1, 1) if steps is None else steps
    _validate.integer(1, steps=steps)
    lipschitz = curve.reach + curve.mass / n
    sigma = n * lipschitz * sampled_noise(n, epsilon=choice_epsilon, delta=choice_delta)
    step = curve.largest / np.hypot(n * lipschitz, sigma)
    bound, data = curve.largest / 2, (curve.sizes, n * curve.weights, curve.mass, curve.largest)
    for first, block in _blocks(int(steps)):
        noise, users = rng.normal(scale=sigma, size=block), rng.integers(n, size=block)
        bound = _descend_sampled(*data, bound, noise, users, step, first)
    spent = sampled_epsilon(steps, n, sigma=sigma / (n * curve.reach), delta=choice_delta)
    return float(bound), Guarantee(spent, float(choice_delta), "central", "replace")


def _blocks(steps):
    """First step and length of each block of steps that is drawn at once."""
    for first in range(0, steps, BLOCK):
        yield first, min(BLOCK, steps - first)


@_jit
def _descend(sizes, pulls, mass, largest, bound, noise, eta):
    """Last iterate and sum of the iterates of the descent with all users in each step."""
    total = 0.0
    for z in noise:
        total += bound
        slope = mass - pulls[np.searchsorted(sizes, bound, side="right")]
        bound = min(max(bound - eta * (slope + z), 0.0), largest)
    return bound, total


@_jit
def _descend_sampled(sizes, slopes, mass, largest, bound, noise, users, step, first):
    """Last iterate of the descent with one user a step."""
    for i in range(noise.size):
        slope = mass - (slopes[users[i]] if sizes[users[i]] > bound else 0.0)
        bound = min(max(bound - step / np.sqrt(first + i + 1) * (slope + noise[i]), 0.0), largest)
    return bound


def geometric_quantile(
    counts,
    *,
    largest,
    epsilon,
    delta=0.0,
    choice_epsilon,
    choice_delta,
    start=1.0,
    rate=0.2,
    steps=50,
    users=None,
    neighbours="replace",
    rng,
):
    """Choose the bound as about the M-th largest norm, by a noisy multiplicative descent.

    Output law: from C = `start`, each of `steps` times C is multiplied by
    ``exp(rate (#{u: ||N_u|| > C} - M + noise) / users)`` and cut at `largest`; the noise is normal, of
    standard deviation `gaussian_sigma` for a count of sensitivity 1 that is asked `steps` times.

    Parameters
    ----------
    counts, largest, epsilon, delta, neighbours
        As for `surrogate_curve`.
    choice_epsilon, choice_delta : float
        Budget of the choice, both positive.
    start : float
        First bound, positive and at most `largest`.
    rate : float
        Learning rate, positive.
    steps : int
        Number of steps; every user takes part in each.
    users : int, optional
        Public number of users; by default the number of rows, public only if neighbours replace a user.
    rng : numpy.random.Generator
        Source of the noise.

    Returns
    -------
    bound : float
        The contribution bound, positive.
    guarantee : Guarantee
        ``(choice_epsilon, choice_delta)``: the steps compose exactly, as one Gaussian release of sensitivity
        ``sqrt(steps)``.

    Raises
    ------
    ValueError
        If a public parameter is out of range, or `users` is missing with "add-remove".

    Notes
    -----
    Andrew, Thakkar, McMahan and Ramaswamy (2021), Section 2, with all users in each round; Liu et al. (2023)
    name this descent and give neither steps, rate nor start.
    """
    _validate.positive(largest=largest, rate=rate, start=start)
    _validate.in_range(0, largest, start=start)
    _validate.integer(1, steps=steps)
    sigma = gaussian_sigma(epsilon=choice_epsilon, delta=choice_delta, sensitivity=float(np.sqrt(steps)))
    mass = noise_mass(np.shape(counts)[1], epsilon=epsilon, delta=delta, neighbours=neighbours)
    sizes, n = np.sort(norms(counts, 1 if delta == 0 else 2)), public_users(users, counts, neighbours)
    bound = float(start)
    for noise in rng.normal(scale=sigma, size=int(steps)):
        above = sizes.size - np.searchsorted(sizes, bound, side="right")
        # the exponent is cut too: a product must neither overflow nor become 0
        bound = min(bound * float(np.exp(np.clip(rate * (above - mass + noise) / n, -50, 50))), largest)
        bound = max(bound, np.finfo(float).tiny)
    return bound, Guarantee(float(choice_epsilon), float(choice_delta), "central", neighbours)
