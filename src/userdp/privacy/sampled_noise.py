"""Many noisy looks at one random user at a time: what they prove, by Renyi moments."""

from dataclasses import KW_ONLY, dataclass

import numpy as np
from scipy.integrate import simpson

from userdp import _validate
from userdp._types import Floats
from userdp.privacy.noise import _Noise

__all__ = ["SampledNoise", "sampled_epsilon"]


@dataclass(frozen=True)
class SampledNoise(_Noise):
    """Normal noise on numbers of one user a step, drawn with replacement from `users`; a user is replaced.

    Output law: each of `steps` looks is the number of a random user, which lies in a known interval of length
    `sensitivity` and may depend on all earlier looks, plus a normal variable of standard deviation `scale`.
    The guarantee is the epsilon that `sampled_epsilon` proves for all looks together at `delta`.

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
    _validate.positive(sigma=sigma, delta=delta)
    _validate.ordered(delta=delta, one=1)
    # beyond 100 sigma the nodes of `_moment` would be too far apart
    orders = 1 + np.geomspace(1e-3, 100 * sigma, 121)
    logs = np.array([np.log1p(_moment(x, 1 / n, sigma)) for x in orders]) / (orders - 1)
    proved = steps * logs + np.log1p(-1 / orders) - np.log(delta * orders) / (orders - 1)
    return float(max(proved[np.isfinite(proved)].min(), 0.0))


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
