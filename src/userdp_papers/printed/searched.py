"""A baseline from outside the papers: localise by a private search instead of a vote (DAME-BS, Jain 2025).

The algorithm follows the documentation of a public repository, https://github.com/kanu2406/DAME-BS; no paper
is known to us. Users hold equally many records in ``[-1, 1]``. Ours differs from the released code in three
places.

- A voter answers with one bit. The released code flips two answers, left and right, with one coin, and
  thereby reveals who is in the middle.
- The noise is scaled to the interval that was found.
- Noisy reports are not clipped.
"""

import math

from scipy.special import lambertw

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, Rng
from userdp.local._rounds import average_report, users_table
from userdp.privacy.guarantee import disjoint
from userdp.privacy.reports import LaplaceReport, TwoPointReport, project
from userdp.privacy.results import MeanEstimate

GROWTH = math.log(3 / 2)  # a step keeps two thirds of the interval


@public
def search_groups(*, n: int, size: int, epsilon: float) -> tuple[int, int]:
    """Number of steps of a search, and of voters in each.

    There are enough steps to come down to the order of the standard deviation of a mean of `size` records,
    unless a step would then have too few voters for its answer to be safe.

    Parameters
    ----------
    n
        Number of users, at least 2.
    size
        Records of each, at least 7.
    epsilon
        Budget of each, positive.

    Returns
    -------
    steps, voters : int

    Examples
    --------
    >>> search_groups(n=500, size=300, epsilon=3.3)
    (5, 44)
    """
    _validate.integer(2, n=n)
    _validate.integer(7, size=size)
    _validate.positive(epsilon=epsilon)
    half, gap = n // 2, math.tanh(epsilon / 2) ** 2
    certain = math.log(2 * n) - n * gap / 2
    shape, users = math.log(81 / (8 * epsilon**2)), math.log(n)
    root = math.hypot(shape - 2 * users, math.sqrt(2 * n * gap * GROWTH))
    log_failure = min(max(certain, (shape - root) / 2), 0.0)
    steps = math.log(2 * size / math.log(12)) - 2 * GROWTH
    needed = 2 / gap * (math.log(2 * half) - log_failure)
    voters = math.ceil(max(2 * half * GROWTH / steps, needed))
    return half // voters, voters


@public
def searched_mean(
    means: ArrayLike, *, size: int, epsilon: float, every_report: bool = False, rng: Rng
) -> MeanEstimate:
    """Localise by repeated private questions "left or right?", then report with Laplace noise (DAME-BS).

    Output distribution: groups of the first half of the users vote in turn, each user with a two-point report
    of ``-1`` if its mean lies in the left third of the current interval, of ``+1`` in the right third, and
    else of 0; the outer third with the smaller vote is cut off. The users of the second half project their
    means to the interval that is left, widened by an allowance for their own deviation, and report with
    Laplace noise. The average of these reports is the estimate.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user, in an order free of the data; projected to ``[-1, 1]``.
    size
        Records behind every mean, at least 7; public.
    epsilon
        Local privacy budget of each user, positive.
    every_report
        Whether to draw each user's report; by default their sum is drawn from its exact distribution, which
        is faster.
    rng
        Source of the randomness.

    Returns
    -------
    MeanEstimate

    Examples
    --------
    >>> import numpy as np
    >>> means, rng = np.full(4000, 0.3), np.random.default_rng(1)
    >>> result = searched_mean(means, size=300, epsilon=2.0, rng=rng)
    >>> round(result.value, 1), result.guarantee.epsilon
    (0.3, 2.0)
    """
    x = project(users_table("n", 2, epsilon, rng, means=means), -1.0, 1.0)
    half, vote = x.size // 2, TwoPointReport(-1.0, 1.0, epsilon)
    low, high = -1.0, 1.0
    steps, voters = search_groups(n=x.size, size=size, epsilon=epsilon)
    for group in x[: steps * voters].reshape(steps, voters):
        third = (high - low) / 3
        side = (group > high - third).astype(float) - (group < low + third)
        if average_report(vote, side, voters, every_report, rng) > 0:
            low += third
        else:
            high -= third
    reach = math.sqrt(lambertw(32 * epsilon**2 * x.size * size / 81).real / size)
    low, high = max(low - reach, -1.0), min(high + reach, 1.0)
    report = LaplaceReport(low, high, epsilon)
    value = float(average_report(report, x[half : 2 * half], half, every_report, rng))
    return MeanEstimate(value, disjoint(vote.guarantee, report.guarantee), (low, high))
