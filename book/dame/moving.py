"""The figures that move in this part: the cap on the sizes, and the printed bounds."""

import numpy as np

from userdp.sizes import two_point_sizes
from userdp_book.site.chart import Axis
from userdp_book.site.figure import Slider, figure, large, steps
from userdp_papers.theory.rates import dame_lower, dame_noise_risk, dame_risk, dame_upper, laplace_mean_risk

THETA = 0.3  # the mean


@figure(
    title="The cap on the sizes: less noise, until the vote fails",
    alt="Risk of DAME against the cap on the sizes, both logarithmic. It follows the noise, which falls "
    "while users with many records are many, and jumps up where too few users are left to vote.",
    sliders={
        "cap": Slider("cap on the sizes", steps(0, 6), 6, words=large),
        "share": Slider(
            "fraction of users with a million records", (0.05, 0.1, 0.2, 0.4, 0.6, 0.9), 5, log=False
        ),
        "n": Slider("users n", (2000, 5000, 20_000), 1, words=large),
        "epsilon": Slider("budget ε", (0.2, 0.4, 0.6), 2),
    },
    y=Axis("risk (mean squared error)", 1e-5, 100),
    lines={"DAME": "a", "its noise alone": "b", "Laplace reports": "text-muted"},
    says="The other users have 25 records. With the cap {cap} the vote fails with probability at most "
    "{failure}; the best cap here is {best}.",
    verdict=(
        "DAME",
        "Laplace reports",
        "DAME does at least as well as a Laplace report of every mean.",
        "At the chosen cap a Laplace report of every mean is better.",
    ),
)
def size_cap(cap, share, n, epsilon):
    law, known = two_point_sizes(25, 10**6, share), {"n": n, "epsilon": epsilon}
    found = np.array([dame_risk(THETA, size_law=law, size_cap=int(c), **known) for c in cap])
    variance = law.probabilities @ (1 / np.array(law.values)) * (1 - THETA**2)
    return {
        "DAME": found[:, 1],
        "its noise alone": [dame_noise_risk(law, size_cap=int(c), **known) for c in cap],
        "Laplace reports": laplace_mean_risk(variance, **known),
        "failure": found[:, 2],
        "best": cap[found[:, 1].argmin()],
    }


@figure(
    title="Move m and ε until the printed upper bound is false",
    alt="Bounds on the best possible risk against the records of the large users, both logarithmic. The "
    "corrected upper bound levels off above the lower bound; the printed one goes on falling and crosses "
    "it.",
    sliders={
        "m": Slider("records of a large user m", steps(1, 15, (1,)), 5, words=large),
        "epsilon": Slider("budget ε", (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6), 1),
        "n": Slider("users n", (2, 10, 100, 1000, 10**6), 0, words=large),
        "share": Slider("fraction of large users", (0.1, 0.5, 1.0), 2, log=False),
    },
    y=Axis("risk (mean squared error)", 1e-9, 10),
    lines={"upper bound, printed": "c", "upper bound, corrected": "a", "lower bound": "text-muted"},
    says="The other users have one record. The lower bound is {lower bound}, the printed upper bound "
    "{upper bound, printed}, the corrected one {upper bound, corrected}.",
    verdict=(
        "lower bound",
        "upper bound, printed",
        "Here the printed bound does not contradict the lower bound.",
        "The printed upper bound is below the lower bound: it is false here.",
    ),
    fault="dame-minimum",
    presets={
        "two users": [11, 1, 0, 2],
        "a million, half of them large": [3, 6, 4, 1],
        "a million, a tenth large": [3, 6, 4, 0],
    },
)
def dame_bounds(m, epsilon, n, share):
    laws, known = [two_point_sizes(1, int(size), share) for size in m], {"n": n, "epsilon": epsilon}
    return {
        "upper bound, printed": [dame_upper(law, form="printed", **known) for law in laws],
        "upper bound, corrected": [dame_upper(law, **known) for law in laws],
        "lower bound": [dame_lower(law, **known) for law in laws],
    }
