"""The plan as a figure that moves, and what it costs to hide a whole person."""

from functools import cache

import numpy as np

from userdp import plan
from userdp.sizes import uniform_sizes
from userdp_book.site.chart import Axis
from userdp_book.site.figure import Slider, figure, large, steps

ERROR, DOMAIN = Axis("error", 1e-5, 1), (0, 1)
CURATOR, NOBODY = "I hold the data: a mean", "nobody may see them: a mean"
COUNTS, ITEMS = "I hold them: counts of items", 30
ALIKE, DIFFER, SPREAD = "have one mean", "differ from each other", 0.1
EQUAL, UNEQUAL = "the same for all", "from 1 to twice that"


SLIDERS = {
    "m": Slider("records of each person", (1, 10, 30, 100, 1000, 10_000), 2, words=large),
    "what": Slider("Who may see the data, and what is wanted?", (CURATOR, NOBODY, COUNTS), 0),
    "sizes": Slider("How many records has each?", (EQUAL, UNEQUAL), 0),
    "people": Slider("The people", (ALIKE, DIFFER), 0),
    "n": Slider("people", (100, 10_000, 10**6), 1, words=large),
    "epsilon": Slider("budget ε", (0.3, 1.0, 3.0), 1),
}


def place(**chosen) -> list[int | None]:
    """Where the sliders stand at a preset; none where it leaves one."""
    return [one.values.index(chosen[name]) if name in chosen else None for name, one in SLIDERS.items()]


@cache
def ranked(m, unequal, spread, **known):
    """The plan for users with m records each, or with any number up to 2m, equally often."""
    sizes = uniform_sizes(1, 2 * int(m)) if unequal else int(m)
    return plan(sizes=sizes, **({} if "estimate" in known else {"spread": spread, "domain": DOMAIN}), **known)


def asked(what, spread) -> str:
    """The arguments of the call that depend on the answers to two questions."""
    if what == COUNTS:
        return f'trust="curator", estimate="histogram", items={ITEMS}'
    who = "curator" if what == CURATOR else "nobody"
    return f'trust="{who}", spread={spread:g}, domain={DOMAIN}'


@figure(
    title="What fits your users?",
    alt="Error of the best method against the records of each user, both logarithmic: where a curator holds "
    "the data, where nobody may see them, and without privacy. The curator's is the smaller, often by far.",
    sliders=SLIDERS,
    y=ERROR,
    lines={"a curator": "a", "nobody trusted": "c", "no privacy": "text-muted"},
    says="Best here: {best}. Its {measure} is {error} of {whole}; without privacy it would be {free}.",
    code="from userdp import plan{also}\n\nbest = plan(\n    n={count}, sizes={open}{top}{close}, "
    "epsilon={epsilon},\n    {asked},\n)[0]\nanswer = best.run({data}, rng=rng)",
    presets={
        "ratings, 10 each": place(what=NOBODY, sizes=EQUAL, people=ALIKE, m=10, n=10_000),
        "sensors, 10,000 each": place(what=NOBODY, sizes=EQUAL, people=ALIKE, m=10_000, n=10_000),
        "visits, unequal": place(what=NOBODY, sizes=UNEQUAL, people=ALIKE, m=30, n=10_000),
        "people who differ": place(what=NOBODY, sizes=EQUAL, people=DIFFER, m=1000, n=10_000),
        "a table of my own": place(what=CURATOR, sizes=UNEQUAL, people=DIFFER, m=30, n=10_000),
        "few people, many records": place(what=CURATOR, sizes=EQUAL, people=ALIKE, m=1000, n=100),
        "counts to publish": place(what=COUNTS, sizes=UNEQUAL, people=ALIKE, m=100, n=10_000),
    },
)
def plan_for(m, what, sizes, people, n, epsilon):
    unequal, spread = sizes == UNEQUAL, SPREAD * (people == DIFFER)
    known = {"n": int(n), "epsilon": epsilon}

    def of(**model):
        return [ranked(size, unequal, 0.0 if what == COUNTS else spread, **known, **model) for size in m]

    held = of(trust="curator", estimate="histogram", items=ITEMS) if what == COUNTS else of(trust="curator")
    sent = None if what == COUNTS else of(trust="nobody")
    chosen = sent if what == NOBODY else held
    records = np.array([n * (int(size) + 0.5 * unequal) for size in m]) if what == COUNTS else 1.0
    curator = np.array([one[0].error for one in held]) / records
    local = np.full(len(m), np.nan) if sent is None else np.array([one[0].error for one in sent])
    free = np.array([one.without_privacy for one in chosen])
    return {
        "a curator": curator,
        "nobody trusted": local,
        "no privacy": free,
        "best": np.array([one[0].method for one in chosen], object),
        "measure": "expected ℓ₁ error" if what == COUNTS else "root mean squared error",
        "error": local if what == NOBODY else curator,
        "whole": "all records" if what == COUNTS else "the domain's length",
        "free": free,
        "also": "\nfrom userdp.sizes import uniform_sizes" * unequal,
        "count": str(int(n)),
        "open": "uniform_sizes(1, " * unequal,
        "top": np.array([str(int(size) * (1 + unequal)) for size in m], object),
        "close": ")" * unequal,
        "asked": asked(what, spread),
        "data": "counts" if what == COUNTS else "means, sizes",
    }


def least(ranking) -> float:
    """The error of the best method that is of use."""
    return min(one.error for one in ranking if not one.unused)


@figure(
    title="What does it cost to hide a whole person?",
    alt="Error of a mean against the records of each user, both logarithmic. Without privacy it falls; with "
    "single records hidden it falls next to that; with whole people hidden it is level until each has some "
    "dozens of records, and then falls as well.",
    sliders={
        "m": Slider("records of each user", steps(0, 5, (1,)), 2, words=large),
        "n": Slider("users", (1000, 10_000), 1, words=large),
        "epsilon": Slider("budget ε", (0.3, 1.0, 3.0), 1),
    },
    y=ERROR,
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
