"""A baseline from outside: localising by a private search instead of a vote (DAME-BS, Jain 2025).

The algorithm is that of the documentation of a public repository (github.com/kanu2406/DAME-BS, no paper is
known to us), for users with equally many records in [-1, 1]. Three things differ: a voter answers with one
bit, where the released code flips two answers, left and right, with one coin, which tells who is in the
middle; the noise is that of the interval that was found; and noisy reports are not clipped.
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
    """How many steps a search takes, and how many users vote in each.

    Enough steps to come down to the deviation of a mean of `size` records, unless a step would then have
    too few voters for its answer to be safe.

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

    Output distribution: groups of the first n/2 users vote in turn, each user with a two-point report of -1
    (mean in the left third of the current interval), 1 (right third) or 0; the third with the smaller vote
    goes. The others project their means onto the interval, widened by an allowance for their own deviation,
    and report with Laplace noise; the average is the estimate.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user, in an order free of the data; projected to [-1, 1].
    size
        Records behind every mean, at least 7; public.
    epsilon, every_report, rng
        As for `userdp.local.mean.laplace_mean`.

    Examples
    --------
    >>> import numpy as np
    >>> result = searched_mean(np.full(4000, 0.3), size=300, epsilon=2.0, rng=np.random.default_rng(1))
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
