"""The plan as figures that move: the errors of the methods for users with equally many records."""

import numpy as np

from userdp import plan
from userdp_book.site.chart import Axis
from userdp_book.site.figure import Slider, figure, large, steps

ERROR = Axis("error", 1e-6, 1)
SIGNS, WINDOW = "signs at moving thresholds", "clipped mean about a private window"
LOCAL = {"improved mean": "c", "two-point reports": "a", "piecewise reports": "b", SIGNS: "d"}
CENTRAL = {WINDOW: "c", "average of all users": "a"}


def errors(methods, m, **known) -> dict:
    """Method -> its predicted error at each number of records; not a number where it is of no use."""
    rankings = [plan(sizes=int(size), **{"spread": 0.0, **known}) for size in m]
    found = [{one.method: one.error for one in ranking if not one.unused} for ranking in rankings]
    columns = {name: np.array([row.get(name, np.nan) for row in found]) for name in methods}
    return columns | {"no privacy": np.array([ranking.without_privacy for ranking in rankings])}


@figure(
    title="Nobody is trusted: from how many records does localising pay?",
    alt="Error of each method against the records of each user, both logarithmic. The one-round reports are "
    "level; the improved mean and signs leave them at some number of records and fall beside the error "
    "without privacy.",
    sliders={
        "m": Slider("records of each user m", steps(0, 6, (1,)), 3, words=large),
        "n": Slider("users n", (100, 1000, 10_000, 10**6), 2, words=large),
        "epsilon": Slider("budget ε", (0.3, 1.0, 3.0), 1),
    },
    y=ERROR,
    lines=LOCAL | {"no privacy": "text-muted"},
    says="For {n} users with {m} records each, at ε = {epsilon}, one round of reports errs by {one round} at "
    "best, {times} times as much as without privacy; a guess without data errs by at most 1.",
    verdict=(
        "one round",
        "several rounds",
        "More records do not help here: use the better of the two reports.",
        "Finding the place first pays: the better method of several rounds errs by {several rounds}.",
    ),
)
def plan_nobody(m, n, epsilon):
    found = errors(LOCAL, m, n=n, epsilon=epsilon)
    best = np.fmin(found["two-point reports"], found["piecewise reports"])
    several = np.fmin(found["improved mean"], found[SIGNS])
    return found | {"one round": best, "several rounds": several, "times": best / found["no privacy"]}


@figure(
    title="A curator is trusted: is it worth weighing and clipping?",
    alt="Error of each method against the records of each user, both logarithmic. The average falls with the "
    "error without privacy until its noise keeps it level; the clipped mean about a private window goes on.",
    sliders={
        "m": Slider("records of each user m", steps(0, 6, (1,)), 3, words=large),
        "n": Slider("users n", (100, 1000, 10_000, 10**6), 2, words=large),
        "epsilon": Slider("budget ε", (0.1, 0.3, 1.0, 3.0), 2),
        "spread": Slider("how much users differ, standard deviation", (0.0, 0.02, 0.1, 0.3), 1, log=False),
    },
    y=ERROR,
    lines=CENTRAL | {"no privacy": "text-muted"},
    says="For {n} users with {m} records each, at ε = {epsilon}, the average of all users errs by "
    "{average of all users}, {times} times as much as without privacy.",
    verdict=(
        "average of all users",
        WINDOW,
        "Use it: nothing simpler, and nothing better here.",
        "Finding the range first pays: the clipped mean errs by {clipped mean about a private window}.",
    ),
)
def plan_curator(m, n, epsilon, spread):
    found = errors(CENTRAL, m, n=n, epsilon=epsilon, spread=spread, trust="curator")
    return found | {"times": found["average of all users"] / found["no privacy"]}


def least(ranking) -> float:
    """The error of the best method that is of use."""
    return min(one.error for one in ranking if not one.unused)


@figure(
    title="What does it cost to hide a whole person?",
    alt="Error of a mean against the records of each user, both logarithmic. Without privacy it falls; with "
    "single records hidden it falls beside that; with whole people hidden it is level until each has some "
    "dozens of records, and then falls as well.",
    sliders={
        "m": Slider("records of each user", steps(0, 5, (1,)), 2, words=large),
        "n": Slider("users", (1000, 10_000), 1, words=large),
        "epsilon": Slider("budget ε", (0.3, 1.0, 3.0), 1),
    },
    y=Axis("error", 1e-5, 1),
    lines={"people hidden": "c", "records hidden": "a", "no privacy": "text-muted"},
    says="{n} users with {m} records each, ε = {epsilon}, and nobody to trust: between −1 and 1 the mean "
    "errs by {no privacy} without privacy, by {records hidden} if single records are hidden, by "
    "{people hidden} if whole people are.",
    verdict=(
        "people hidden",
        "records hidden",
        "With one record each this is the same.",
        "To hide all of a person costs {times} times as much as to hide a record.",
    ),
)
def whole_person(m, n, epsilon):
    known = {"epsilon": epsilon, "spread": 0.0}
    whole = [plan(n=n, sizes=int(size), **known) for size in m]
    single = [plan(n=int(n * size), sizes=1, rounds=1, **known) for size in m]
    people, records = (np.array([least(one) for one in rankings]) for rankings in (whole, single))
    no_privacy = np.array([one.without_privacy for one in whole])
    hidden = {"people hidden": people, "records hidden": records}
    return hidden | {"no privacy": no_privacy, "times": people / records}
