"""The figures that move in this part: the bound on contributions, debiasing, the printed lower bound."""

import numpy as np
from scipy.stats import norm

from userdp.central import noise_mass, surrogate_curve
from userdp.privacy import ThresholdedNoise
from userdp_book.site.chart import Axis
from userdp_book.site.figure import Slider, figure, steps
from userdp_papers.theory.exact import (
    debiased_risk,
    expected_error,
    expected_loss,
    plain_risk,
    two_approximate_bound,
)

NORMAL = norm.ppf((np.arange(300) + 0.5) / 300)  # 300 users at the quantiles of their distribution


@figure(
    title="The error of the rule is never far above the smallest",
    alt="Against the contribution bound, both logarithmic: the records that are cut fall, the noise "
    "rises, and the exact error has its least value where the two are about equal. A level line, the "
    "error of the rule, is near that value at most settings.",
    sliders={
        "bound": Slider("bound C", steps(0, 3, (1, 1.5, 2, 3, 5, 7)), 9),
        "epsilon": Slider("budget ε", (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0), 3),
        "d": Slider("items d", (1, 5, 20, 50), 2),
        "tail": Slider("how unequal users are", (0.5, 1.0, 1.5), 1, log=False),
    },
    y=Axis("records (ℓ₁ error)", 10, 1e6),
    lines={
        "error": "a",
        "noise": "b",
        "cut": "c",
        "noise + cut": "text-muted",
        "error of the rule": "d",
    },
    says="300 users with a median of 20 records. The rule takes the bound {rule} and errs by {error of the "
    "rule} records; the best bound on the slider is {best}, with the error {least}.",
)
def histogram_bound(bound, epsilon, d, tail):
    sizes = 20 * np.exp(tail * NORMAL)
    popularity = 1 / np.arange(1, d + 1)
    counts = np.outer(sizes, popularity / popularity.sum())
    known = {"epsilon": epsilon, "neighbours": "replace"}
    mass, guide = noise_mass(d, **known) * bound, surrogate_curve(counts, **known).values(bound)
    loss, rule = expected_loss(counts, bound, **known), two_approximate_bound(counts, **known)
    return {
        "error": loss,
        "noise": mass,
        "cut": guide - mass,
        "noise + cut": guide,
        "best": bound[loss.argmin()],
        "least": loss.min(),
        "rule": rule,
        "error of the rule": expected_loss(counts, [rule], **known),
    }


@figure(
    title="Clip, or clip and debias",
    alt="Mean squared error against the contribution bound. The clipped mean is biased at small bounds, "
    "the debiased one is not where users are alike; at large bounds both have the error of the noise.",
    sliders={
        "bound": Slider("bound C", (1, 2, 3, 4, 6, 8, 12), 1, log=False),
        "rate": Slider("average records of a user", (0.5, 1.0, 2.0, 4.0), 1),
        "epsilon": Slider("budget ε", (0.1, 0.5, 2.0), 1),
        "apart": Slider("how far users differ (0: all alike)", (0.0, 0.5, 1.0), 1, log=False),
    },
    y=Axis("mean squared error of the rate", 1e-3, 10),
    lines={"clipped": "a", "clipped and debiased": "c"},
    says="100 users, half of them with the rate {low} and half with {high}. At C = {bound} the clipped "
    "mean errs by {clipped}, the debiased one by {clipped and debiased}.",
    verdict=(
        "clipped and debiased",
        "clipped",
        "Debiasing helps.",
        "Debiasing makes it worse: the inverse enlarges the noise, or users are too heterogeneous.",
    ),
)
def clip_debias(bound, rate, epsilon, apart):
    rates = rate * np.array([1 - apart, 1 + apart])
    known = {"epsilon": epsilon, "users": [50, 50]}
    return {
        "clipped": [plain_risk(rates, bound=C, **known) for C in bound.tolist()],
        "clipped and debiased": [debiased_risk(rates, bound=C, **known) for C in bound.tolist()],
        "low": rates[0],
        "high": rates[1],
    }


@figure(
    title="Move ε until the printed lower bound is false",
    alt="Error and printed lower bound against the budget, both logarithmic. The error falls like one "
    "over the budget; the bound falls alike and then flattens, so that it crosses the error.",
    sliders={
        "epsilon": Slider(
            "budget ε", (1, 2, 4, 6, 8, 10, 12, 14, 15, 16, 18, 20, 30, 40, 60, 80, 100, 150, 200), 4
        ),
        "delta": Slider("δ of the guarantee", (1e-6, 1e-4, 1e-3, 0.01, 0.05, 0.125), 5),
        "users": Slider("users, one record each", (100, 300, 1000), 2),
    },
    y=Axis("records (ℓ₁ error)", 1e-3, 1),
    lines={"error": "a", "lower bound, printed": "c", "lower bound, repaired": "text-muted"},
    says="At ε = {epsilon} the release errs by {error}, and the printed bound says at least {lower "
    "bound, printed}. The repaired theorem speaks of budgets up to {limit}.",
    verdict=(
        "lower bound, printed",
        "error",
        "The printed bound holds here.",
        "The printed lower bound is above the error: it is false here.",
    ),
    fault="liu-threshold-term",
)
def large_budget(epsilon, delta, users):
    noise = [
        ThresholdedNoise.calibrated(epsilon=e, delta=delta, bound=1, neighbours="add-remove") for e in epsilon
    ]
    logarithm = np.log(1 / (2 * delta))
    bound = np.array([min(users, one.threshold) for one in noise]) / (12 * logarithm)
    one = [expected_error([users], [users], scale=b.scale, threshold=b.threshold) for b in noise]
    return {
        "error": one,
        "lower bound, printed": bound,
        "lower bound, repaired": np.where(epsilon <= 9 * logarithm, bound, np.nan),
        "limit": 9 * logarithm,
    }
