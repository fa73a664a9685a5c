"""The figures that move in this part: what a report is worth, what all of a user give away."""

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom

from userdp.privacy import (
    BinaryResponse,
    KaryResponse,
    LaplaceReport,
    TwoPointReport,
    UnaryEncoding,
    sequential,
)
from userdp_book.site.chart import Axis, power_of_ten
from userdp_book.site.figure import Slider, figure
from userdp_papers.theory.audit import hockey_stick


@figure(
    title="What one report is worth",
    alt="Variance of one unbiased report against the budget, both logarithmic and all falling. Laplace "
    "noise and two points cross; so do one category of k and a vector of k bits.",
    sliders={
        "epsilon": Slider(
            "budget ε", (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.4, 1.8, 2.2, 2.324, 2.5, 3.0, 4.0, 6.0, 8.0), 5
        ),
        "x": Slider("the size of the number, |x|", (0.0, 0.25, 0.5, 0.75, 1.0), 0, log=False),
        "k": Slider("categories k", (2, 4, 16, 64, 256), 2),
    },
    y=Axis("variance of one report", 1e-3, 1e5),
    lines={"Laplace noise": "b", "two points": "a", "one of k": "c", "k bits": "text-muted"},
    says="At ε = {epsilon} Laplace noise on x has the variance {Laplace noise} and two points {two "
    "points}; the count of a category that nobody holds costs {one of k} by one of {k}, {k bits} by {k} "
    "bits.",
    verdict=(
        "two points",
        "Laplace noise",
        "For the number, two points are better.",
        "For the number, Laplace noise is better.",
    ),
)
def reports(epsilon, x, k):
    def share(keep, other):
        return other * (1 - other) / (keep - other) ** 2

    kinds = [
        (LaplaceReport(-1, 1, e), TwoPointReport(-1, 1, e), KaryResponse(k, e), UnaryEncoding(k, 1, e))
        for e in epsilon
    ]
    return {
        "Laplace noise": [2 * noise.scale**2 for noise, *_ in kinds],
        "two points": [points.magnitude**2 - x**2 for _, points, *_ in kinds],
        "one of k": [share(one.keep, one.other) for *_, one, _ in kinds],
        "k bits": [share(bits.keep, 1 - bits.keep) for *_, bits in kinds],
    }


@figure(
    title="The privacy loss of all reports of one user",
    alt="Privacy loss against the number of reports, both logarithmic. The sum of the budgets is a straight "
    "line; the exact loss at a given delta leaves it and grows like the root, until the reports are so "
    "many that it is linear again.",
    sliders={
        "k": Slider("reports k", (1, 2, 3, 5, 7, 10, 20, 30, 50, 70, 100, 200, 300, 500, 700, 1000), 9),
        "epsilon": Slider("budget of one report ε", (0.01, 0.02, 0.05, 0.1, 0.2, 0.5), 3),
        "delta": Slider("δ", (1e-9, 1e-6, 1e-3), 1, words=lambda x: power_of_ten(round(np.log10(x)))),
    },
    y=Axis("privacy loss", 0.003, 1000),
    lines={"sum of the budgets": "a", "exact, at δ": "c"},
    says="Somebody who sees all {k} reports tells two users who differ in every record apart with "
    "probability {guess}; a budget of {epsilon} for the person would allow {allowed}.",
)
def transcript(k, epsilon, delta):
    report = BinaryResponse(epsilon)
    laws = [binom.pmf(np.arange(n + 1), n, [[report.keep], [1 - report.keep]]) for n in k]
    sums = [sequential(*[report.guarantee] * n).epsilon for n in k]
    allowed = BinaryResponse(epsilon).keep
    return {
        "sum of the budgets": sums,
        "exact, at δ": [least_budget(law, delta, most) for law, most in zip(laws, sums, strict=True)],
        "guess": [(1 + hockey_stick(law, 0)) / 2 for law in laws],
        "allowed": allowed,
    }


def least_budget(channel, delta: float, most: float) -> float:
    """The budget at which a channel needs just the slack `delta`."""

    def excess(budget):
        return hockey_stick(channel, budget) - delta

    return brentq(excess, 0, most, xtol=1e-6) if excess(0) > 0 else 0.0
