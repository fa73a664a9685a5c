"""The figures that move in this part: the phase change, and the folds of a vector."""

import numpy as np

from userdp.local import split_budget
from userdp_book.site.chart import Axis
from userdp_book.site.figure import Slider, figure, large, steps
from userdp_papers.theory.exact import localised_risk, sign_means
from userdp_papers.theory.rates import duchi_mean_risk

THETA = 0.3  # the mean


@figure(
    title="More records of each user, until they help no more",
    alt="Risk against the records of each user, both logarithmic. Without privacy it falls in a "
    "straight line, with Duchi et al.'s two-point reports it is flat, and the localised mean falls with the "
    "line and then bends into a plateau.",
    sliders={
        "m": Slider("records of each user m", steps(1, 7), 8, words=large),
        "n": Slider("users n", (10, 30, 100, 200), 2),
        "epsilon": Slider("budget ε", (0.5, 1.0, 2.0, 3.0, 4.0), 2),
    },
    y=Axis("risk (mean squared error)", 1e-10, 10),
    lines={"localise, then refine": "a", "two-point reports": "c", "no privacy": "text-muted"},
    says="At m = {m}, n = {n} and ε = {epsilon} the best half-width is {width}; with ten million "
    "records the risk would be {at the end}.",
    verdict=(
        "two-point reports",
        "localise, then refine",
        "Two-point reports, for which one record is enough, do at least as well.",
        "Localising helps: two-point reports have the larger risk.",
    ),
)
def phase_change(m, n, epsilon):
    best, halvings = [], 0
    for size in m:
        # what was too wide for fewer records is too wide for more
        risk, halvings = best_width(int(size), n, epsilon, max(halvings - 2, 0))
        best.append((risk, 2 ** (-halvings / 2)))
    best = np.array(best)
    return {
        "localise, then refine": best[:, 0],
        "two-point reports": duchi_mean_risk(THETA, n=n, epsilon=epsilon),
        "no privacy": (1 - THETA**2) / (n * m),
        "width": best[:, 1],
        "at the end": best[-1, 0],
    }


def best_width(m: int, n: int, epsilon: float, first: int) -> tuple[float, int]:
    """Least exact risk over half-widths 2^(-k/2), k from `first` on, until it has risen three times."""
    law, found = sign_means(THETA, m), []
    while len(found) < 4 or found[-4:] != sorted(found[-4:]):
        k = first + len(found)
        found.append((localised_risk(law, n=n, epsilon=epsilon, half_width=2 ** (-k / 2))[0], k))
    return min(found)


@figure(
    title="Move ε until the printed algorithm overspends",
    alt="Budget spent against budget stated. The printed algorithm is on the diagonal up to one, then "
    "a step above it, and meets it again at the dimension; the corrected one is never above.",
    sliders={
        "epsilon": Slider("budget stated ε", tuple(np.arange(0.25, 9.01, 0.25)), 3, log=False),
        "d": Slider("coordinates d", (1, 2, 4, 8), 3),
    },
    y=Axis("budget spent", 0, 10, log=False),
    lines={"stated": "text-muted", "spent as printed": "c", "spent, corrected": "a"},
    says="Folds in which a user takes part: {served} as printed, {right} when corrected.",
    verdict=(
        "spent as printed",
        "stated",
        "The guarantee is kept.",
        "The printed algorithm spends {spent as printed} where {epsilon} is stated.",
    ),
    fault="kent-fold-too-many",
)
def folds(epsilon, d):
    served = np.array([[split_budget(d, epsilon=e, printed=how) for how in (True, False)] for e in epsilon])
    count, budget = np.moveaxis(served, 2, 0)
    return {
        "stated": epsilon,
        "spent as printed": (count * budget)[:, 0],
        "spent, corrected": (count * budget)[:, 1],
        "served": count[:, 0],
        "right": count[:, 1],
    }
