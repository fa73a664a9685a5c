"""Signs at moving thresholds: one bit per user, in rounds (private search after Horstein 1963, Section III).

Each user answers one question, "is your mean above this threshold?", by randomised response. The answer tells
nearly as much about the mean as privacy allows, if the threshold is near. The server therefore keeps a
posterior distribution of the mean on a grid, draws the first thresholds from it, and later asks at the
posterior mean, which in the end is the estimate. Such signs find a median, which is the mean where the users'
means are symmetric about it. The whole data of one user are protected, and each user answers once.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtr

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, Domain, Floats, Rng
from userdp.local._rounds import UNIT, to_domain, to_unit, users_table
from userdp.privacy.reports import BinaryResponse, literal
from userdp.privacy.results import MeanEstimate
from userdp.sizes import SizeLaw, refuse_private

ROUNDS = 15
SEARCH = 2 / 3  # of the rounds draw their thresholds (ours, as are the others)
THRESHOLDS = 8  # drawn per round
CELLS = 6  # sizes that stand for all
LEAST_VARIANCE = 0.01  # of a record, in the model: means at the ends of the domain have less
POSSIBLE = 1e-12, 1 - 1e-12  # chances of an answer: no budget makes the model certain
GRID = 513, 4097  # least and most points, of which a deviation of a user's mean shall hold a few


@dataclass
class Posterior:
    """What the answers say of theta in [-1, 1], uniform before: users' means are normal about it."""

    sizes: Floats
    spread: float
    answer: BinaryResponse
    asked: list[tuple[Floats, Floats, Floats]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.kinds, counts = np.unique(self.sizes, return_counts=True)
        self.often = counts / self.sizes.size
        few, many = GRID
        points = 8 / math.sqrt(1 / self.sizes.max() + self.spread**2)
        self.grid = np.linspace(*UNIT, int(min(max(points, few), many)) | 1)
        self.log = np.zeros(self.grid.size)

    def likelihood(self, grid: Floats, thresholds: Floats, users: Floats, ups: Floats) -> Floats:
        """Logarithm of the probability of the answers at each point of a grid."""
        variance = np.maximum(1 - grid**2, LEAST_VARIANCE) / self.kinds[:, None] + self.spread**2
        away = (grid - thresholds[:, None])[:, None, :] / np.sqrt(variance)
        keep, flip = self.answer.keep, self.answer.flip
        up = np.clip(flip + (keep - flip) * (self.often @ ndtr(away)), *POSSIBLE)
        return ups @ np.log(up) + (users - ups) @ np.log1p(-up)

    def learn(self, *answers: Floats) -> None:
        """Take in the answers of a round: thresholds, users and signs that were reported as up."""
        self.asked.append(answers)  # type: ignore[arg-type]
        self.log = self.log + self.likelihood(self.grid, *answers)

    def draw(self, count: int, rng: Rng) -> Floats:
        """Draw thresholds, shape (count,), anywhere in the cells of the grid."""
        law = np.cumsum(np.exp(self.log - self.log.max()))
        drawn = self.grid[np.searchsorted(law, law[-1] * rng.random(count))]
        return np.clip(drawn + (self.grid[1] - self.grid[0]) * (rng.random(count) - 0.5), *UNIT)

    def mean(self) -> float:
        """Mean of theta, on a grid as fine as what is known."""
        centre, deviation = moments(self.grid, self.log)
        reach = 9 * max(deviation, self.grid[1] - self.grid[0])
        fine = np.linspace(max(centre - reach, -1.0), min(centre + reach, 1.0), GRID[0])
        return moments(fine, self.likelihood(fine, *map(np.concatenate, zip(*self.asked, strict=True))))[0]


def moments(grid: Floats, log: Floats) -> tuple[float, float]:
    """Mean and deviation of a density on an even grid, from its logarithm."""
    law = np.exp(log - np.max(log))
    mean = float(grid @ law / law.sum())
    return mean, math.sqrt(float((grid - mean) ** 2 @ law / law.sum()))


@public
def sign_mean(
    means: ArrayLike,
    *,
    size_law: SizeLaw,
    epsilon: float,
    spread: float = 0.0,
    rounds: int = ROUNDS,
    domain: Domain = UNIT,
    every_report: bool = False,
    rng: Rng,
) -> MeanEstimate:
    """Ask every user for one sign, at thresholds that earlier answers choose.

    Output distribution:

    1. The users are cut into as many groups as there are `rounds`, and each user of a group answers by
       randomised response whether its mean is above a threshold.
    2. In the first two thirds of the rounds eight thresholds are drawn from the posterior distribution of the
       mean, and the group is cut into as many parts; in the other rounds all are asked at the posterior mean.
    3. The estimate is the posterior mean after the last round. The posterior takes the users' means for
       normal about the common mean, with the variance of the mean of as many signs in addition to that of the
       users' latent means.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user, in an order free of the data; projected to `domain`.
    size_law
        Public distribution of how many records a user holds.
    epsilon
        Local privacy budget of each user, positive.
    spread
        Standard deviation of the users' latent means, in the units of the data.
    rounds
        Times at which users are asked; each user is asked once.
    domain : low, high
        Public ends of what a mean can be; the estimate is in the same units.
    every_report
        Whether to draw each user's report; by default their sum is drawn from its exact
        distribution, which is faster.
    rng
        Generator of NumPy.

    Returns
    -------
    MeanEstimate
        The estimate `value` and the `guarantee` of one user's answer.

    Examples
    --------
    >>> from userdp.sizes import constant_size
    >>> rng, law = np.random.default_rng(1), constant_size(900)
    >>> means = 2 * rng.binomial(900, 0.65, 5000) / 900 - 1
    >>> result = sign_mean(means, size_law=law, epsilon=1.0, rng=rng)
    >>> round(result.value, 2), result.guarantee.epsilon
    (0.3, 1.0)
    """
    x = to_unit(users_table("n", 1, epsilon, rng, means=means), domain)
    refuse_private(size_law=size_law)
    _validate.integer(1, x.size, rounds=rounds)
    _validate.in_range(0, domain[1] - domain[0], spread=spread)
    answer = BinaryResponse(epsilon)
    asked = literal(answer, every_report, rng)
    sizes = np.asarray(size_law.quantile((np.arange(CELLS) + 0.5) / CELLS), dtype=float)
    known = Posterior(sizes, 2 * spread / (domain[1] - domain[0]), answer)
    for number, group in enumerate(np.array_split(x, rounds)):
        several = number < SEARCH * rounds
        places = known.draw(min(THRESHOLDS, group.size), rng) if several else np.array([known.mean()])
        parts = np.array_split(group, places.size)
        users = np.array([float(part.size) for part in parts])
        ups = [asked.sample_total(part > place, rng) for part, place in zip(parts, places, strict=True)]
        known.learn(places, users, np.array(ups, dtype=float))
    return to_domain(MeanEstimate(known.mean(), answer.guarantee, UNIT), domain)
