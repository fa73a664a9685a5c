"""Choose privately in the central model: the exponential mechanism and report noisy max.

Each candidate has a score, and one with a high score is likely to be chosen. Like the noise of
`userdp.privacy.noise`, a mechanism knows what it costs.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import log_softmax

from userdp import _validate
from userdp._exact import Secure, likeliest
from userdp._public import public
from userdp._types import ArrayLike, Domain, Floats, Rng
from userdp.privacy.guarantee import Neighbours
from userdp.privacy.noise import CentralMechanism
from userdp.privacy.reports import project
from userdp.privacy.results import Release


@public
@dataclass(frozen=True)
class ExponentialChoice(CentralMechanism):
    """The exponential mechanism: a candidate is the likelier the larger its score (McSherry and Talwar 2007).

    Output distribution: probability proportional to ``exp(rate score)``. A change of the data that adds the
    same to all scores changes nothing, so that the privacy loss is at most the rate times the oscillation.
    The oscillation, the most that one user changes the difference of two scores, is at most twice the
    sensitivity of a single score.

    Parameters
    ----------
    rate
        Factor of the scores in the exponent.
    oscillation
        Most that one user changes the difference of two scores.
    neighbours
        Which inputs are neighbours, as in `Guarantee`.
    epsilon
        Budget that the guarantee states; by default the least that this choice keeps.
    delta
        The delta that the guarantee states.

    Examples
    --------
    >>> choice = ExponentialChoice.calibrated(epsilon=1.0, sensitivity=2.0)
    >>> choice.rate, choice.guarantee.epsilon
    (0.25, 1.0)
    >>> choice.law([0.0, 8.0]).round(3)
    array([0.119, 0.881])
    >>> choice.choose([0.0, 1e3], np.random.default_rng(1))
    1
    """

    rate: float
    oscillation: float

    def __post_init__(self) -> None:
        _validate.in_range(0, float("inf"), rate=self.rate, oscillation=self.oscillation)
        super().__post_init__()

    @classmethod
    def calibrated(cls, *, epsilon: float, sensitivity: float, neighbours: Neighbours = "replace") -> Self:
        """Choice that spends `epsilon`, for scores that one user moves by at most `sensitivity`, positive."""
        _validate.positive(sensitivity=sensitivity, epsilon=epsilon)
        rate, oscillation = float(epsilon / (2 * sensitivity)), float(2 * sensitivity)
        return cls(rate, oscillation, neighbours=neighbours, epsilon=float(epsilon))

    def law(self, scores: ArrayLike) -> Floats:
        """Probability of each candidate, shape (k,) as the scores."""
        return np.exp(log_softmax(self.rate * np.asarray(scores, dtype=float)))

    def choose(self, scores: ArrayLike, rng: Rng) -> int:
        """Draw the index of a candidate."""
        _validate.generator(rng=rng)
        if isinstance(rng, Secure):
            return likeliest(np.asarray(scores, dtype=float), self.rate, rng)
        return int(rng.choice(np.size(scores), p=self.law(scores)))

    def privacy_loss(self) -> float:
        """Largest log-ratio of the probability of a candidate."""
        return self.rate * self.oscillation


@public
@dataclass(frozen=True)
class NoisyMaximum(CentralMechanism):
    """Report noisy max: the index of the largest score after noise, and nothing else.

    Output distribution: the index of the maximum of independent Laplace variables of `scale` around the
    scores, each of which one user moves by at most `sensitivity`: pure privacy of ``2 sensitivity / scale``.

    Parameters
    ----------
    scale
        Scale of the noise on each score, positive.
    sensitivity
        Most that one user moves a score, positive.
    neighbours
        Which inputs are neighbours, as in `Guarantee`.
    epsilon
        Budget that the guarantee states; by default the least that this choice keeps.
    delta
        The delta that the guarantee states.

    Examples
    --------
    >>> maximum = NoisyMaximum.calibrated(epsilon=0.5, sensitivity=1.0)
    >>> maximum.scale, maximum.choose([0.0, 500.0], np.random.default_rng(1))
    (4.0, 1)
    """

    scale: float
    sensitivity: float

    def __post_init__(self) -> None:
        _validate.positive(scale=self.scale, sensitivity=self.sensitivity)
        super().__post_init__()

    @classmethod
    def calibrated(cls, *, epsilon: float, sensitivity: float, neighbours: Neighbours = "replace") -> Self:
        """Noise that spends `epsilon`."""
        _validate.positive(sensitivity=sensitivity, epsilon=epsilon)
        scale = float(2 * sensitivity / epsilon)
        return cls(scale, float(sensitivity), neighbours=neighbours, epsilon=float(epsilon))

    def choose(self, scores: ArrayLike, rng: Rng) -> int:
        """Draw the index of a candidate."""
        _validate.generator(rng=rng)
        scores = np.asarray(scores, dtype=float)
        return int(np.argmax(scores + rng.laplace(scale=self.scale, size=scores.shape)))

    def privacy_loss(self) -> float:
        """Bound on the log-ratio of the probability of an index, approached where one is far behind."""
        return 2 * self.sensitivity / self.scale


def _rank_scores(values: ArrayLike, rank: float, largest: int) -> Floats:
    """Minus the number of values that must change until t is the right answer, for t = 1 .. largest."""
    _validate.integer(1, _validate.LISTED, largest=largest)
    _validate.in_range(0, float("inf"), rank=rank)
    values = np.nan_to_num(np.asarray(values, dtype=float))
    counts = np.bincount(np.clip(values, 1, largest).astype(np.int64), minlength=int(largest) + 1)
    at_least = np.append(counts[::-1].cumsum()[::-1][1:], 0)
    too_small, too_large = at_least[1:] + 1 - rank, rank - at_least[:-1]
    return -np.maximum(np.maximum(too_small, too_large), 0)


@public
def order_statistic_law(values: ArrayLike, *, rank: float, largest: int, epsilon: float) -> Floats:
    """Distribution of `order_statistic`: probability of each answer from 1 to `largest`.

    With :math:`N(t)` the number of values that are at least t, t is the right answer if
    ``N(t + 1) < rank <= N(t)``. Its score is minus the number of values that must change for that,
    ``max(N(t + 1) + 1 - rank, rank - N(t), 0)``. A user who is replaced, added or removed changes each score
    by at most 1.

    Parameters
    ----------
    values : shape (n,)
        One number per user.
    rank
        Which of the values, counted from the largest.
    largest
        Public upper bound of the answer.
    epsilon
        Budget of the choice, positive.

    Examples
    --------
    >>> law = order_statistic_law([1, 2, 3], rank=1, largest=3, epsilon=9.0)
    >>> law.round(3)
    array([0.   , 0.011, 0.989])
    """
    choice = ExponentialChoice.calibrated(epsilon=epsilon, sensitivity=1.0)
    return choice.law(_rank_scores(values, rank, largest))


@public
def order_statistic(
    values: ArrayLike,
    *,
    rank: float,
    largest: int,
    epsilon: float,
    neighbours: Neighbours = "replace",
    rng: Rng,
) -> Release[int]:
    """Choose an order statistic by the exponential mechanism.

    Output distribution: `order_statistic_law`.

    Parameters
    ----------
    values : shape (n,)
        One number per user; projected to the range from 1 to `largest`, NaN counts as 1.
    rank
        Which of the values, counted from the largest: the answer has about `rank` values at or above it.
    largest
        Public upper bound of the answer, at least 1 and at most 10 million, since each has its score.
    epsilon
        Budget of the choice, positive.
    neighbours
        Which inputs are neighbours, as in `Guarantee`.
    rng
        Generator of NumPy, or `userdp.release.Secure` for a release in earnest.

    Returns
    -------
    Release
        The answer `value`, and its `guarantee`.

    Examples
    --------
    >>> options = {"rank": 10, "largest": 99, "epsilon": 5.0}
    >>> rng = np.random.default_rng(1)
    >>> order_statistic(range(100), rng=rng, **options).value
    90
    """
    scores = _rank_scores(_validate.column(values=values), rank, largest)
    choice = ExponentialChoice.calibrated(epsilon=epsilon, sensitivity=1.0, neighbours=neighbours)
    return Release(choice.choose(scores, rng) + 1, choice.guarantee)


@public
def real_quantile(
    values: ArrayLike,
    *,
    share: float,
    epsilon: float,
    domain: Domain = (0.0, 1.0),
    steps: int = 1000,
    neighbours: Neighbours = "replace",
    rng: Rng,
) -> Release[float]:
    """Choose a quantile of real numbers by the exponential mechanism (after Smith 2011, Algorithm 2).

    Output distribution: one of ``steps + 1`` places, even over the domain, with probability proportional to
    ``exp(-epsilon |N(t) - share n| / 2)``, where :math:`N(t)` is the number of values below t. A user who is
    replaced, added or removed changes the difference by at most 1.

    Parameters
    ----------
    values : shape (n,)
        One number per user; projected to `domain`, NaN to its low end.
    share
        Fraction of the values that lie below the quantile, from 0 to 1: 0.5 for a median.
    epsilon
        Budget of the choice, positive.
    domain : low, high
        Public ends of the answer. Where no value lies in a long stretch, it may well be chosen.
    steps
        Steps from one end to the other, at least 1 and at most 10 million, since each place has its score.
    neighbours
        Which inputs are neighbours, as in `Guarantee`.
    rng
        Generator of NumPy, or `userdp.release.Secure` for a release in earnest.

    Returns
    -------
    Release
        The quantile `value`, and its `guarantee`.

    Examples
    --------
    >>> rng, values = np.random.default_rng(1), np.linspace(0, 1, 999)
    >>> found = real_quantile(values, share=0.9, epsilon=5.0, rng=rng)
    >>> round(found.value, 1), found.guarantee.epsilon
    (0.9, 5.0)
    """
    _validate.in_range(0, 1, share=share)
    _validate.domain(domain)
    _validate.integer(1, _validate.LISTED, steps=steps)
    x, places = np.sort(project(_validate.column(values=values), *domain)), np.linspace(*domain, steps + 1)
    choice = ExponentialChoice.calibrated(epsilon=epsilon, sensitivity=1.0, neighbours=neighbours)
    at = choice.choose(-abs(np.searchsorted(x, places) - share * x.size), rng)
    return Release(float(places[at]), choice.guarantee)
