"""Noise that a curator adds to a value, to a count, or to the distance in a test.

Each mechanism knows its noise and what that costs:

``calibrated(...)``
    makes the mechanism that spends a given budget;
``release(value, rng)``
    returns the value plus noise of `scale`, the same on every entry;
``privacy_loss()``, ``privacy_slack()``
    are the least epsilon, and the least delta at that epsilon, for which this noise is private, computed from
    the noise itself and not from what was asked for;
``guarantee``
    states `epsilon` and `delta`, or where they are not given the least that hold. A guarantee that the noise
    does not keep is refused, so that too small a noise can only state what it costs.

Which inputs are neighbours enters through the sensitivity, the most that one user moves the value. A value
that nobody moves costs nothing and needs no noise.
"""

from dataclasses import KW_ONLY, dataclass
from math import exp, expm1, hypot, log, pi, sqrt
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.special import erfcx, log_ndtr

from userdp import _validate
from userdp._exact import Secure, noisy_sum
from userdp._public import public
from userdp._types import ArrayLike, Floats, Rng
from userdp.privacy.guarantee import Guarantee, Neighbours

# a guarantee counts as kept if this much more noise, which is rounding, would keep it
ROUNDING = 1 + 1e-12
# of the rule by which a difference of two error functions is integrated
NODES, WEIGHTS = np.polynomial.legendre.leggauss(20)


@dataclass(frozen=True, kw_only=True)
class CentralMechanism:
    """What the mechanisms of a curator share: a guarantee, which is refused unless it is kept."""

    neighbours: Neighbours = "replace"
    epsilon: float | None = None
    delta: float | None = 0.0

    def __post_init__(self) -> None:
        loss = self.privacy_loss()
        slack, rounded = self._slack(1.0), self._slack(ROUNDING)
        for name, least, enough in (("epsilon", loss, loss), ("delta", slack, rounded)):
            promised = getattr(self, name)
            if promised is None:
                object.__setattr__(self, name, least)
            elif not enough <= promised * ROUNDING:
                raise ValueError(f"{name} must be at least {least!r} with this noise, got {promised!r}")
        _ = self.guarantee

    def privacy_loss(self) -> float:
        raise NotImplementedError

    def privacy_slack(self) -> float:
        """Least delta at `epsilon`."""
        return self._slack(1.0)

    def _slack(self, more: float) -> float:
        """The slack with so many times the noise."""
        return 0.0

    @property
    def guarantee(self) -> Guarantee:
        """Guarantee of all that is released."""
        return Guarantee(self.epsilon, self.delta, "central", self.neighbours)  # type: ignore[arg-type]


@dataclass(frozen=True)
class AdditiveNoise(CentralMechanism):
    """Independent noise of one scale on every entry of a value."""

    scale: float
    sensitivity: float
    law: ClassVar[str] = "normal"

    def __post_init__(self) -> None:
        _validate.in_range(0, float("inf"), sensitivity=self.sensitivity, scale=self.scale)
        if self.sensitivity > 0:
            _validate.positive(scale=self.scale)
        super().__post_init__()

    def release(self, value: Any, rng: Rng, *, parts: Any = None, offset: Any = 0.0) -> Any:
        """Return `value` plus noise: a float, or an array of its shape.

        Where noise is drawn exactly (`userdp.release.Secure`), the value is summed anew in whole steps, from
        what `parts` returns: what each user adds to a public `offset`, a row each, 0 being possible for all.
        """
        _validate.generator(rng=rng)
        if not self.sensitivity and not self.scale:
            return value
        if isinstance(rng, Secure) and self.law == "laplace" and parts is not None:
            return offset + noisy_sum(parts(), self.scale, self.sensitivity, self.privacy_loss(), rng)
        return value + getattr(rng, self.law)(scale=self.scale, size=np.shape(value) or None)


@public
@dataclass(frozen=True)
class LaplaceNoise(AdditiveNoise):
    """Laplace noise on a value, of which one user moves all entries together by at most `sensitivity`.

    Output distribution: the value plus independent Laplace variables of `scale`; pure privacy of
    ``sensitivity / scale`` (Dwork, McSherry, Nissim and Smith 2006).

    Parameters
    ----------
    scale
        Scale of the noise on each entry.
    sensitivity
        Most that one user moves the value: the sum of the absolute changes of its entries.
    neighbours
        Which inputs are neighbours, as in `Guarantee`.
    epsilon
        Budget that the guarantee states; by default the least that this noise keeps.
    delta
        The delta that the guarantee states.

    Examples
    --------
    >>> noise = LaplaceNoise.calibrated(epsilon=0.5, sensitivity=2.0)
    >>> noise.scale, noise.guarantee.epsilon
    (4.0, 0.5)
    >>> round(noise.release(10.0, np.random.default_rng(1)), 2)
    10.1
    """

    law: ClassVar[str] = "laplace"

    @classmethod
    def calibrated(cls, *, epsilon: float, sensitivity: float, neighbours: Neighbours = "replace") -> Self:
        """Noise that spends `epsilon`."""
        _validate.positive(epsilon=epsilon)
        promise = float(epsilon) if sensitivity else 0.0
        return cls(float(sensitivity / epsilon), float(sensitivity), neighbours=neighbours, epsilon=promise)

    def privacy_loss(self) -> float:
        """Largest log-ratio of the densities around two values `sensitivity` apart."""
        return self.sensitivity / self.scale if self.sensitivity else 0.0


@public
@dataclass(frozen=True)
class GaussianNoise(AdditiveNoise):
    """Normal noise on a value that one user moves by at most `sensitivity` in the Euclidean norm.

    Output distribution: the value plus independent normal variables of standard deviation `scale`. Asked
    `steps` times, each time for a value that may depend on earlier answers, it costs exactly as much as once
    at sensitivity ``sensitivity sqrt(steps)`` (`gaussian_delta`); the guarantee is that of all steps
    together.

    Parameters
    ----------
    scale
        Standard deviation of the noise on each entry.
    sensitivity
        Most that one user moves the value, in the Euclidean norm.
    neighbours
        Which inputs are neighbours, as in `Guarantee`.
    epsilon
        Budget that the guarantee states; it must be given.
    delta
        The delta that the guarantee states; by default the least that this noise keeps.
    steps
        How often the noise is added to a value.

    Examples
    --------
    >>> budget = {"epsilon": 1.0, "delta": 1e-6}
    >>> noise = GaussianNoise.calibrated(sensitivity=2.0, **budget)
    >>> round(noise.scale, 3), noise.guarantee.delta
    (8.449, 1e-06)

    Too little noise is allowed, and states what it costs:

    >>> GaussianNoise(noise.scale, 4.0, epsilon=1.0).guarantee.delta > 1e-3
    True
    """

    _: KW_ONLY
    delta: float | None = None
    steps: int = 1

    def __post_init__(self) -> None:
        _validate.integer(1, steps=self.steps)
        _validate.in_range(0, float("inf"), epsilon=self.epsilon)  # type: ignore[arg-type]
        super().__post_init__()

    @classmethod
    def calibrated(
        cls, *, epsilon: float, delta: float, sensitivity: float = 1.0, steps: int = 1, **relation: Any
    ) -> Self:
        """Noise whose `steps` answers together spend (`epsilon`, `delta`), under `neighbours`."""
        _validate.integer(1, steps=steps)
        scale = float(gaussian_sigma(epsilon=epsilon, delta=delta) * sensitivity * np.sqrt(steps))
        spent = (float(epsilon), float(delta)) if sensitivity else (0.0, 0.0)
        known: Any = {"steps": int(steps), "epsilon": spent[0], "delta": spent[1]}
        return cls(scale, float(sensitivity), **known, **relation)

    def privacy_loss(self) -> float:
        """Return `epsilon`: `delta` is what is computed, at this epsilon."""
        return self.epsilon or 0.0

    def _slack(self, more: float) -> float:
        if not self.sensitivity:
            return 0.0
        apart = self.sensitivity * float(np.sqrt(self.steps))
        return gaussian_delta(self.scale * more, epsilon=self.epsilon or 0.0, sensitivity=apart)


@public
@dataclass(frozen=True)
class ThresholdedNoise(CentralMechanism):
    """Laplace noise on counts of items of which nobody has a list: only what exceeds a threshold is shown.

    A user adds whole numbers to the counts, at most `bound` in total, and an item that occurs must not be
    shown because one user holds it. Output distribution: each item with a positive count gets independent
    Laplace noise of `scale` and is released if the sum exceeds `threshold`; every other one is 0.

    Parameters
    ----------
    scale
        Scale of the noise, positive.
    threshold
        What a noisy count must exceed.
    bound
        Most that one user adds to all counts together, at least 1.
    neighbours
        Which inputs are neighbours, as in `Guarantee`.
    epsilon
        Budget that the guarantee states; by default the least that this noise keeps.
    delta
        The delta that the guarantee states; by default the least that this noise keeps.
    support
        Which items are looked at: those with a positive count ("counted"), or all that anybody holds, also
        where nothing of them was counted ("raw", as Liu et al. print it).
    distinct
        With "raw", the most items that one user holds, public; without it the delta is 1.

    Notes
    -----
    With b the scale, t the threshold and :math:`F` the distribution of the noise, the epsilon is
    ``bound / b`` if users are added or removed, twice that if they are replaced. The delta is the largest
    probability that an item is shown that one user alone holds: log F is concave, so that the worst user
    holds `bound` records of one such item or one of each of `bound`,
    ``1 - min(F(t - bound), F(t - 1)^bound)``; with "raw" ``1 - F(t - bound) F(t)^(distinct - 1)``.

    Examples
    --------
    >>> budget = {"epsilon": 1.0, "delta": 1e-6}
    >>> noise = ThresholdedNoise.calibrated(bound=2, **budget)
    >>> noise.scale, round(noise.threshold, 1), noise.guarantee.delta
    (4.0, 57.3, 1e-06)
    >>> noise.release([0, 2, 900], np.random.default_rng(1)).round()
    array([  0.,   0., 895.])

    At the threshold 0 little is hidden:

    >>> round(ThresholdedNoise(4.0, 0.0, 2).guarantee.delta, 12)
    0.848367335072
    """

    scale: float
    threshold: float
    bound: int
    _: KW_ONLY
    delta: float | None = None
    support: Literal["counted", "raw"] = "counted"
    distinct: int | None = None

    def __post_init__(self) -> None:
        _validate.positive(scale=self.scale)
        _validate.in_range(-np.inf, np.inf, threshold=self.threshold)
        _validate.integer(1, bound=self.bound)
        _validate.one_of(("counted", "raw"), support=self.support)
        if self.distinct is not None:
            _validate.integer(1, distinct=self.distinct)
        super().__post_init__()

    @classmethod
    def calibrated(
        cls,
        *,
        epsilon: float,
        delta: float,
        bound: int,
        neighbours: Neighbours = "replace",
        tight: bool = False,
    ) -> Self:
        """Noise and threshold that spend (`epsilon`, `delta`), delta below 1/2.

        The threshold is ``C + b log(C / (2 delta))`` for the bound C and the scale b (Liu et al. 2023,
        Algorithm 3, line 3, there with ``b = C / epsilon``), or, if `tight`, the smaller
        ``max(C + b log(1 / (2 delta)), 1 + b log(C / (2 delta)))`` that the same proof allows.
        """
        _validate.integer(1, bound=bound)
        _validate.positive(epsilon=epsilon, delta=delta)
        _validate.exceeds_one("1 / (2 delta)", 0.5 / delta, " for a threshold")
        scale = float(_moves(neighbours) * bound / epsilon)
        one_block, singletons = -np.log(2 * delta), np.log(bound) - np.log(2 * delta)
        threshold = bound + scale * singletons
        if tight:
            threshold = max(bound + scale * one_block, 1 + scale * singletons)
        promise: Any = {"epsilon": float(epsilon), "delta": float(delta)}
        return cls(scale, float(threshold), int(bound), neighbours=neighbours, **promise)

    def release(self, counts: ArrayLike, rng: Rng, *, support: ArrayLike | None = None) -> Floats:
        """Return the noisy counts that exceed the threshold, 0 elsewhere.

        With "raw", `support` tells which items anybody holds; what is not a count is taken for 0.
        """
        _validate.generator(rng=rng)
        if (self.support == "raw") != (support is not None):
            raise ValueError(f"support must be given if and only if it is raw, got {support!r}")
        counts = np.clip(np.nan_to_num(np.asarray(counts, dtype=float), nan=0.0), 0, None)
        shown = counts > 0 if support is None else np.asarray(support, dtype=bool)  # type: ignore[operator]
        noisy = counts + rng.laplace(scale=self.scale, size=counts.shape)  # type: ignore[operator, union-attr]
        return np.where(shown & (noisy > self.threshold), noisy, 0.0)

    def privacy_loss(self) -> float:
        """Largest log-ratio of the densities of the counts that several users share."""
        return _moves(self.neighbours) * self.bound / self.scale

    def _slack(self, more: float) -> float:
        if self.support == "raw" and self.distinct is None:
            return 1.0
        kept, beyond = self.bound, (self.distinct or 1) - 1
        block, one, nothing = (_log_hidden((self.threshold * more - k) / self.scale) for k in (kept, 1, 0))
        silent = block + beyond * nothing if self.support == "raw" else min(block, kept * one)
        return float(-np.expm1(silent))


@public
@dataclass(frozen=True)
class DistanceTest(CentralMechanism):
    """Test whether the data are far from all for which a release would be unsafe (propose, test, release).

    Output distribution: whether the distance plus a Laplace variable of `scale` reaches `threshold`. One user
    moves the distance by at most 1. At distance 0 or less the release is unsafe, and the delta is the
    probability that such data pass. A release that follows a passed test has a cost of its own.

    Parameters
    ----------
    scale
        Scale of the noise, positive.
    threshold
        What the noisy distance must reach.
    neighbours
        Which inputs are neighbours, as in `Guarantee`.
    epsilon
        Budget that the guarantee states; by default the least that this noise keeps.
    delta
        The delta that the guarantee states; by default the least that this noise keeps.

    Examples
    --------
    >>> test = DistanceTest.calibrated(epsilon=1.0, delta=1e-6)
    >>> round(test.threshold, 2), test.passes(100, np.random.default_rng(1))
    (13.82, True)
    >>> DistanceTest(1.0, 0.0).guarantee.delta
    0.5
    """

    scale: float
    threshold: float
    _: KW_ONLY
    delta: float | None = None

    def __post_init__(self) -> None:
        _validate.positive(scale=self.scale)
        _validate.in_range(-np.inf, np.inf, threshold=self.threshold)
        super().__post_init__()

    @classmethod
    def calibrated(cls, *, epsilon: float, delta: float, neighbours: Neighbours = "replace") -> Self:
        """Test that spends (`epsilon`, `delta`), with threshold ``log(1 / delta) / epsilon``."""
        _validate.positive(epsilon=epsilon, delta=delta)
        scale, promise = float(1 / epsilon), {"epsilon": float(epsilon), "delta": float(delta)}
        return cls(scale, float(scale * -np.log(delta)), neighbours=neighbours, **promise)

    def passes(self, distance: float, rng: Rng) -> bool:
        """Whether the noisy distance reaches the threshold."""
        _validate.generator(rng=rng)
        return bool(distance + rng.laplace(scale=self.scale) >= self.threshold)

    def privacy_loss(self) -> float:
        """Largest log-ratio of the answers at two distances 1 apart."""
        return 1 / self.scale

    def _slack(self, more: float) -> float:
        return float(-np.expm1(_log_hidden(self.threshold * more / self.scale)))


def _moves(neighbours: Neighbours) -> int:
    """How many users' contributions a change of the data moves."""
    return 1 if neighbours == "add-remove" else 2


def _log_hidden(x: float) -> float:
    """Logarithm of the probability that a Laplace variable of scale 1 is at most `x`."""
    return float(np.log1p(-np.exp(-x) / 2) if x >= 0 else x - np.log(2))


@public
def gaussian_delta(sigma: float, *, epsilon: float, sensitivity: float = 1.0) -> float:
    r"""Smallest delta for which Gaussian noise is (epsilon, delta)-private.

    Parameters
    ----------
    sigma
        Standard deviation of the noise on each coordinate, positive, in the units of `sensitivity`.
    epsilon
        Budget, at least 0.
    sensitivity
        Largest Euclidean distance between the true values of two neighbours, positive.

    Returns
    -------
    float
        ``Phi(a - b) - exp(epsilon) Phi(-a - b)`` with ``a = sensitivity / (2 sigma)`` and
        ``b = epsilon sigma / sensitivity``, to nine digits also where it is 1e-300; :math:`\Phi` is the
        normal distribution function.

    Notes
    -----
    Balle and Wang (2018), Theorem 8. The exact loss is normal with mean ``2 a^2``, so that the value is
    attained by every pair at distance `sensitivity`.

    Examples
    --------
    >>> f"{gaussian_delta(4.224, epsilon=1.0):.1e}"
    '1.0e-06'
    """
    _validate.positive(sigma=sigma, sensitivity=sensitivity)
    _validate.in_range(0, float("inf"), epsilon=epsilon)
    return exp(_log_delta(sigma / sensitivity, epsilon))


@public
def gaussian_sigma(*, epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """Smallest standard deviation of Gaussian noise that is (epsilon, delta)-private.

    Parameters
    ----------
    epsilon
        Budget, positive and at most 1e15, above which rounding decides what is spent.
    delta
        The delta, inside (0, 1).
    sensitivity
        Largest Euclidean distance between the true values of two neighbours, positive.

    Returns
    -------
    float
        The root of ``gaussian_delta(sigma) = delta``.

    Notes
    -----
    Balle and Wang (2018), Algorithm 1, find the root by bisection. Here it is found in the
    logarithm of delta, so that 1e-300 is as exact as 0.1; an epsilon or a delta so small that no float is
    near enough is refused.

    Examples
    --------
    >>> round(gaussian_sigma(epsilon=1.0, delta=1e-6), 3)
    4.225
    """
    _validate.positive(epsilon=epsilon, sensitivity=sensitivity)
    _validate.in_range(0, 1e15, epsilon=epsilon)
    kappa = classical_sigma(epsilon=epsilon, delta=delta)
    # log delta is concave in log sigma, as the tail of the log-concave density exp(-(a^2 + b^2) / 2) / sigma:
    # from above, where Phi(a - b) or a / sqrt(pi / 2) is delta, Newton's steps lead down to the root alone
    sigma = min((kappa + hypot(kappa, sqrt(2 / epsilon))) / 2, 0.4 / delta, 1e304)
    for _ in range(100):
        excess = (spent := _log_delta(sigma, epsilon)) - log(delta)
        steepness = exp(-((0.5 / sigma - epsilon * sigma) ** 2) / 2 - spent) / (sigma * sqrt(2 * pi))
        sigma *= exp(excess / steepness)
        if abs(excess) < 1e-8 * min(1, -log(delta)):  # the next one is of the order of its square
            break
    # beyond all floats sigma spends too much
    _validate.in_range(-1e-3, 1e-3, **{"log(spent / delta)": excess})
    return float(sensitivity * sigma)


@public
def classical_sigma(*, epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """Return the textbook standard deviation ``sensitivity sqrt(2 log(1.32 / delta)) / epsilon``.

    It is (epsilon, delta)-private for epsilon up to 1 and somewhat beyond, not for all; Liu et al. (2023),
    Lemma 4.1, state it for epsilon at most 1.

    Parameters
    ----------
    epsilon
        Budget, positive.
    delta
        The delta, inside (0, 1).
    sensitivity
        Largest Euclidean distance between the true values of two neighbours, positive.

    Examples
    --------
    >>> round(classical_sigma(epsilon=1.0, delta=1e-6), 3)
    5.309
    """
    _validate.positive(epsilon=epsilon, sensitivity=sensitivity)
    _validate.inside(0, 1, delta=delta)
    return float(sensitivity * sqrt(2 * (log(1.32) - log(delta))) / epsilon)


def _log_delta(sigma: float, epsilon: float) -> float:
    """Logarithm of `gaussian_delta` at sensitivity 1."""
    a, b = 0.5 / sigma, epsilon * sigma
    if a < 0.5 and b < 40:  # two nearly equal terms, exp(-(b - a)^2 / 2) erfcx((b -+ a) / sqrt(2)) / 2
        t = (b + a * NODES) / sqrt(2)
        slope = 2 / sqrt(pi) - 2 * t * erfcx(t)  # minus the derivative of erfcx, to be integrated
        return log(a / sqrt(8) * (WEIGHTS @ slope)) - (b - a) ** 2 / 2
    gain, price = log_ndtr(a - b), epsilon + log_ndtr(-a - b)
    return float(gain + log(-expm1(price - gain))) if price < gain else -np.inf
