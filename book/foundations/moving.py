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

BUDGETS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.4, 1.8, 2.2, 2.5, 3.0, 4.0, 6.0, 8.0)
EQUAL = 2.324  # where the two reports of the number 0 have one variance


@figure(
    title="A number: Laplace noise, or the mechanism of Duchi et al.",
    alt="Variance of one report of a number against the budget, both logarithmic and falling. The mechanism "
    "of Duchi et al. starts at half the variance of Laplace noise and levels off; the curves cross.",
    sliders={
        "epsilon": Slider("budget ε", tuple(sorted((*BUDGETS, EQUAL))), 5),
        "x": Slider("the size of the number, |x|", (0.0, 0.25, 0.5, 0.75, 1.0), 0, log=False),
    },
    y=Axis("variance of one report", 1e-3, 1e3),
    lines={"Laplace noise": "b", "Duchi et al.": "a"},
    says="For a number of size {x} at the budget {epsilon},",
    verdict=(
        "Duchi et al.",
        "Laplace noise",
        "the mechanism of Duchi et al. has the smaller variance.",
        "Laplace noise has the smaller variance.",
    ),
)
def reports(epsilon, x):
    kinds = [(LaplaceReport(-1, 1, e), TwoPointReport(-1, 1, e)) for e in epsilon]
    return {
        "Laplace noise": [2 * noise.scale**2 for noise, _ in kinds],
        "Duchi et al.": [points.magnitude**2 - x**2 for _, points in kinds],
    }


@figure(
    title="A category: k-RR, or unary encoding",
    alt="Variance per user of the count of a category that nobody holds, against the budget, both "
    "logarithmic and falling. More categories raise the curve of k-RR and not that of unary encoding.",
    sliders={
        "epsilon": Slider("budget ε", BUDGETS, 5),
        "k": Slider("categories k", (2, 4, 16, 64, 256), 2),
    },
    y=Axis("variance per user", 1e-4, 1e5),
    lines={"k-RR": "c", "unary encoding": "d"},
    says="For a category that nobody holds, one of {k}, at the budget {epsilon},",
    verdict=(
        "k-RR",
        "unary encoding",
        "k-RR has the smaller variance.",
        "unary encoding has the smaller variance.",
    ),
)
def categories(epsilon, k):
    def share(keep, other):
        return other * (1 - other) / (keep - other) ** 2

    kinds = [(KaryResponse(k, e), UnaryEncoding(k, 1, e)) for e in epsilon]
    return {
        "k-RR": [share(one.keep, one.other) for one, _ in kinds],
        "unary encoding": [share(bits.keep, 1 - bits.keep) for _, bits in kinds],
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
