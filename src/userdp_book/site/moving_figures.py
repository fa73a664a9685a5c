"""The figures that move, as data: each function computes its columns, for one row of settings."""

from functools import partial

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom, laplace, norm

from userdp.central import noise_mass, optimal_weights, surrogate_curve, window
from userdp.local import split_budget
from userdp.privacy import (
    BinaryResponse,
    DistanceTest,
    KaryResponse,
    LaplaceReport,
    ThresholdedNoise,
    TwoPointReport,
    UnaryEncoding,
    sequential,
)
from userdp.sizes import two_point_sizes
from userdp_papers.populations import BetaUsers
from userdp_papers.printed import spent_variance
from userdp_papers.theory.audit import hockey_stick
from userdp_papers.theory.exact import (
    dame_risk,
    debiased_risk,
    expected_error,
    expected_loss,
    localised_risk,
    plain_risk,
    sign_means,
    two_approximate_bound,
)
from userdp_papers.theory.rates import (
    dame_lower,
    dame_noise_risk,
    dame_upper,
    duchi_mean_risk,
    laplace_mean_risk,
)

from .chart import Axis, power_of_ten
from .moving import Figure, Slider

FIGURES: dict[str, Figure] = {}
THETA = 0.3  # the mean, where one is needed
NORMAL = norm.ppf((np.arange(300) + 0.5) / 300)  # 300 users at the quantiles of their law


def moving(name: str, **known):
    def note(table):
        FIGURES[name] = Figure(table=table, **known)
        return table

    return note


def steps(first: int, last: int, between=(1, 3)) -> tuple[float, ...]:
    """Such multiples of each power of ten, up to the last power."""
    return tuple(digit * 10**power for power in range(first, last) for digit in between) + (10**last,)


def large(x: float) -> str:
    """A count of one digit, as a power of ten where it is long."""
    if x < 1e5:
        return f"{x:,.0f}"
    digit, power = f"{x:.0e}".split("e")
    return (f"{digit} · " if digit != "1" else "") + power_of_ten(int(power))


EPSILONS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 4.0, 6.0, 8.0)


@moving(
    "phase-change",
    title="More records of each user, until they help no more",
    alt="Risk against the records of each user, both logarithmic. Without privacy it falls in a "
    "straight line, with two-point reports it is flat, and the localised mean falls with the line and "
    "then bends into a plateau.",
    sliders={
        "m": Slider("records of each user m", steps(1, 7), 8, words=large),
        "n": Slider("users n", (10, 30, 100), 2),
        "epsilon": Slider("budget ε", (0.5, 1.0, 2.0, 3.0, 4.0), 2),
    },
    y=Axis("risk (mean squared error)", 1e-7, 10),
    lines={"localise, then refine": "a", "two-point reports": "c", "no privacy": "text-muted"},
    says="At m = {m}, n = {n} and ε = {epsilon} the best half-width is {width}; with ten million "
    "records the risk would be {at the end}.",
    verdict=(
        "two-point reports",
        "localise, then refine",
        "Two-point reports, for which one record is enough, do at least as well.",
        "Localising pays: two-point reports have the larger risk.",
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


@moving(
    "size-cap",
    title="The cap on the sizes: less noise, until the vote fails",
    alt="Risk of DAME against the cap on the sizes, both logarithmic. It follows the noise, which falls "
    "while users with many records are many, and leaps up where too few users are left to vote.",
    sliders={
        "cap": Slider("cap on the sizes", steps(0, 6), 6, words=large),
        "share": Slider(
            "share of users with a million records", (0.05, 0.1, 0.2, 0.4, 0.6, 0.9), 5, log=False
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
        "At the chosen cap a plain Laplace report of every mean is better.",
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


@moving(
    "weights",
    title="What a user with many records may weigh",
    alt="Weight of a user relative to one with a single record, against the records, both logarithmic. "
    "The optimal weights follow the inverse variances up to a cap and then grow slowly; a smaller budget "
    "lowers the cap.",
    sliders={
        "records": Slider("records of the user", steps(0, 5), 6, words=large),
        "spread": Slider("spread of the users' means", (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3), 2, log=False),
        "epsilon": Slider("budget ε", (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0), 3),
    },
    y=Axis("relative weight", 0.5, 1e5),
    lines={"optimal": "a", "inverse variance": "c", "equal": "text-muted"},
    says="A user with {records} records weighs {optimal} times one with a single record. Standard "
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


@moving(
    "histogram-bound",
    title="The bound on contributions: what is cut and what is added",
    alt="Against the contribution bound, both logarithmic: the records that are cut fall, the noise "
    "rises, and the exact error has its least value where the two are about equal.",
    sliders={
        "bound": Slider("bound C", steps(0, 3, (1, 1.5, 2, 3, 5, 7)), 7),
        "epsilon": Slider("budget ε", (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0), 3),
        "d": Slider("items d", (1, 5, 20, 50), 2),
        "tail": Slider("how unequal users are", (0.5, 1.0, 1.5), 1, log=False),
    },
    y=Axis("records (ℓ₁ error)", 10, 1e6),
    lines={"error": "a", "noise": "b", "cut": "c", "noise + cut": "text-muted"},
    says="300 users with a median of 20 records. Of the bounds on the slider {best} is the best, with the "
    "error {least}; the rule of the order statistic, free to choose between them, takes {rule} "
    "and errs by {its error}.",
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
        "its error": expected_loss(counts, [rule], **known),
    }


@moving(
    "reports",
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
    "points}; the share of a category that nobody holds costs {one of k} by one of {k}, {k bits} by {k} "
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


@moving(
    "transcript",
    title="What all reports of one user give away together",
    alt="Loss against the number of reports, both logarithmic. The sum of the budgets is a straight "
    "line; the exact loss at a slack delta leaves it and grows like the root, until the reports are so "
    "many that it is linear again.",
    sliders={
        "k": Slider("reports k", (1, 2, 3, 5, 7, 10, 20, 30, 50, 70, 100, 200, 300, 500, 700, 1000), 9),
        "epsilon": Slider("budget of one report ε", (0.01, 0.02, 0.05, 0.1, 0.2, 0.5), 3),
        "delta": Slider("slack δ", (1e-9, 1e-6, 1e-3), 1, words=lambda x: power_of_ten(round(np.log10(x)))),
    },
    y=Axis("loss", 0.003, 1000),
    lines={"sum of the budgets": "a", "exact, at slack δ": "c"},
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
        "exact, at slack δ": [least_budget(law, delta, most) for law, most in zip(laws, sums, strict=True)],
        "guess": [(1 + hockey_stick(law, 0)) / 2 for law in laws],
        "allowed": allowed,
    }


def least_budget(channel, delta: float, most: float) -> float:
    """The budget at which a channel needs just the slack `delta`."""

    def excess(budget):
        return hockey_stick(channel, budget) - delta

    return brentq(excess, 0, most, xtol=1e-6) if excess(0) > 0 else 0.0


@moving(
    "dame-bounds",
    title="Move m and ε until the printed upper bound is false",
    alt="Bounds on the best possible risk against the records of the large users, both logarithmic. The "
    "corrected upper bound levels off above the lower bound; the printed one goes on falling and crosses "
    "it.",
    sliders={
        "m": Slider("records of a large user m", steps(1, 15, (1,)), 5, words=large),
        "epsilon": Slider("budget ε", (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6), 1),
        "n": Slider("users n", (2, 10, 100, 1000, 10**6), 0, words=large),
        "share": Slider("share of large users", (0.1, 0.5, 1.0), 2, log=False),
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
)
def dame_bounds(m, epsilon, n, share):
    laws, known = [two_point_sizes(1, int(size), share) for size in m], {"n": n, "epsilon": epsilon}
    return {
        "upper bound, printed": [dame_upper(law, form="printed", **known) for law in laws],
        "upper bound, corrected": [dame_upper(law, **known) for law in laws],
        "lower bound": [dame_lower(law, **known) for law in laws],
    }


@moving(
    "clip-debias",
    title="Clip, or clip and debias",
    alt="Mean squared error against the contribution bound. The clipped mean is biased at small bounds, "
    "the debiased one is not where users are alike; at large bounds both have the error of the noise.",
    sliders={
        "bound": Slider("bound C", (1, 2, 3, 4, 6, 8, 12), 1, log=False),
        "rate": Slider("records of a user on average", (0.5, 1.0, 2.0, 4.0), 1),
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
        "Debiasing makes it worse: the inverse enlarges the noise, or users differ too much.",
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


@moving(
    "folds",
    title="Move ε until the printed algorithm overspends",
    alt="Budget spent against budget promised. The printed algorithm is on the diagonal up to one, then "
    "a step above it, and meets it again at the dimension; the corrected one is never above.",
    sliders={
        "epsilon": Slider("budget promised ε", tuple(np.arange(0.25, 9.01, 0.25)), 3, log=False),
        "d": Slider("coordinates d", (1, 2, 4, 8), 3),
    },
    y=Axis("budget spent", 0, 10, log=False),
    lines={"promised": "text-muted", "spent as printed": "a", "spent, corrected": "c"},
    says="Folds that a user serves in: {served} as printed, {right} when corrected.",
    verdict=(
        "spent as printed",
        "promised",
        "The promise is kept.",
        "The printed algorithm spends {spent as printed} where {epsilon} is promised.",
    ),
    fault="kent-fold-too-many",
)
def folds(epsilon, d):
    served = np.array([[split_budget(d, epsilon=e, printed=how) for how in (True, False)] for e in epsilon])
    count, budget = np.moveaxis(served, 2, 0)
    return {
        "promised": epsilon,
        "spent as printed": (count * budget)[:, 0],
        "spent, corrected": (count * budget)[:, 1],
        "served": count[:, 0],
        "right": count[:, 1],
    }


@moving(
    "test-and-release",
    title="Move the budget until testing and releasing keeps its promise",
    alt="Slack that testing and releasing needs, against the budget in units of that of one step; a "
    "dotted line shows the slack that is promised. The curve is above the line at one budget and below "
    "it at two.",
    sliders={
        "times": Slider("budget, in units of ε", tuple(np.linspace(1, 2, 11).round(1)), 0, log=False),
        "epsilon": Slider("budget of either step ε", (0.1, 0.2, 0.5, 1.0, 2.0), 3),
        "distance": Slider("distance to unsafe data", (1, 2, 3, 5, 7, 10, 14, 20, 30, 60, 100), 6),
        "apart": Slider("values apart, in units of Λ", (0.0, 0.2, 0.5, 0.8, 1.0), 4, log=False),
    },
    y=Axis("slack needed", 1e-9, 1),
    lines={"needed": "c", "promised": "text-muted"},
    says="At the budget {times} ε, ε = {epsilon}, neighbours at the distances {distance} and one less "
    "need the slack {needed}.",
    verdict=(
        "needed",
        "promised",
        "That is within the promised 10⁻⁶.",
        "10⁻⁶ is promised: it is broken.",
    ),
    fault="cummings-test-and-release",
)
def test_and_release(times, epsilon, distance, apart):
    promise = 1e-6
    test = DistanceTest.calibrated(epsilon=epsilon, delta=promise)
    margins = (test.threshold - np.array([distance, distance - 1])) / test.scale
    passed, failed = laplace.sf(margins), laplace.cdf(margins)
    both = [slack_of_pair(passed[o], failed[o], apart * epsilon, times * epsilon) for o in ([0, 1], [1, 0])]
    return {"needed": np.maximum(*both), "promised": promise}


def slack_of_pair(passed, failed, apart, budget):
    """Exact slack of a test and, once it is passed, a number with Laplace noise, `apart` scales apart."""
    more = budget - np.log(passed[0] / passed[1])
    near = -np.expm1((np.clip(more, -apart, apart) - apart) / 2)
    value = np.where(more >= -apart, near, -np.expm1(np.minimum(more, 0)))
    return np.maximum(failed[0] - np.exp(budget) * failed[1], 0) + passed[0] * value


@moving(
    "large-budget",
    title="Move ε until the printed lower bound is false",
    alt="Error and printed lower bound against the budget, both logarithmic. The error falls like one "
    "over the budget; the bound falls alike and then flattens, so that it crosses the error.",
    sliders={
        "epsilon": Slider(
            "budget ε", (1, 2, 4, 6, 8, 10, 12, 14, 15, 16, 18, 20, 30, 40, 60, 80, 100, 150, 200), 4
        ),
        "delta": Slider("slack δ", (1e-6, 1e-4, 1e-3, 0.01, 0.05, 0.125), 5),
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
