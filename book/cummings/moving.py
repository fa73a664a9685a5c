"""The figures that move in this part: weights, and testing before releasing."""

from functools import partial

import numpy as np
from scipy.stats import laplace

from userdp.central import optimal_weights, window
from userdp.privacy import DistanceTest
from userdp_book.site.chart import Axis
from userdp_book.site.figure import Slider, figure, large, steps
from userdp_papers.populations import BetaUsers
from userdp_papers.printed import spent_variance

THETA = 0.3  # the mean


@figure(
    title="How much weight a user with many records may have",
    alt="Weight of a user relative to one with a single record, against the records, both logarithmic. "
    "The optimal weights follow the inverse variances up to a cap and then grow slowly; a smaller budget "
    "lowers the cap.",
    sliders={
        "records": Slider("records of the user", steps(0, 5), 6, words=large),
        "spread": Slider(
            "between-user standard deviation", (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3), 2, log=False
        ),
        "epsilon": Slider("budget ε", (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0), 3),
    },
    y=Axis("relative weight", 0.5, 1e5),
    lines={"optimal": "a", "inverse variance": "c", "equal": "text-muted"},
    says="A user with {records} records has {optimal} times the weight of one with a single record. Standard "
    "deviation of the estimate from 1,000 users, noise included: optimal {best}, inverse variances "
    "{naive}, equal weights {plain}.",
)
def weights(records, spread, epsilon):
    sizes = np.geomspace(1, 10**5, 1000).round().astype(int)
    users = BetaUsers(THETA, spread**2)

    def lengths(sizes):
        half = window(sizes, 1000, mean=THETA, variance=spread**2, beta=0.05)
        return np.minimum(THETA + half, 1) - np.maximum(THETA - half, 0)

    variances, widths = users.variance(sizes), lengths(sizes)
    best = optimal_weights(variances, widths, epsilon=epsilon)
    inverse = 1 / users.variance(records)
    raw = np.minimum(inverse, best.cap / lengths(records))
    cost = partial(spent_variance, variances=variances, lengths=widths, epsilon=epsilon)
    naive = 1 / variances / (1 / variances).sum()
    return {
        "optimal": raw / raw[0],
        "inverse variance": inverse / inverse[0],
        "equal": 1,
        "best": best.variance**0.5,
        "naive": cost(naive) ** 0.5,
        "plain": cost(np.full(1000, 1e-3)) ** 0.5,
    }


@figure(
    title="Move the budget until propose–test–release is private enough",
    alt="The δ that propose–test–release needs, against the budget in units of that of one step; a "
    "dotted line shows the δ that is stated. The curve is above the line at one budget and below "
    "it at two.",
    sliders={
        "times": Slider("budget, in units of ε", tuple(np.linspace(1, 2, 11).round(1)), 0, log=False),
        "epsilon": Slider("budget of each step ε", (0.1, 0.2, 0.5, 1.0, 2.0), 3),
        "distance": Slider("distance to unsafe data", (1, 2, 3, 5, 7, 10, 14, 20, 30, 60, 100), 6),
        "apart": Slider("values apart, in units of Λ", (0.0, 0.2, 0.5, 0.8, 1.0), 4, log=False),
    },
    y=Axis("δ needed", 1e-9, 1),
    lines={"needed": "c", "stated": "text-muted"},
    says="At the budget {times} ε, ε = {epsilon}, neighbours at the distances {distance} and one less "
    "need δ = {needed}.",
    verdict=(
        "needed",
        "stated",
        "That is within the stated 10⁻⁶.",
        "That is more than the stated 10⁻⁶.",
    ),
    fault="cummings-test-and-release",
)
def test_and_release(times, epsilon, distance, apart):
    promise = 1e-6
    test = DistanceTest.calibrated(epsilon=epsilon, delta=promise)
    margins = (test.threshold - np.array([distance, distance - 1])) / test.scale
    passed, failed = laplace.sf(margins), laplace.cdf(margins)
    both = [slack_of_pair(passed[o], failed[o], apart * epsilon, times * epsilon) for o in ([0, 1], [1, 0])]
    return {"needed": np.maximum(*both), "stated": promise}


def slack_of_pair(passed, failed, apart, budget):
    """Exact slack of a test and, once it is passed, a number with Laplace noise, `apart` scales apart."""
    more = budget - np.log(passed[0] / passed[1])
    near = -np.expm1((np.clip(more, -apart, apart) - apart) / 2)
    value = np.where(more >= -apart, near, -np.expm1(np.minimum(more, 0)))
    return np.maximum(failed[0] - np.exp(budget) * failed[1], 0) + passed[0] * value
