"""Histograms over a known domain: how many records of each user to count."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from userdp.central.histogram import bounded_histogram, noise_mass
from userdp.planning.option import Option
from userdp.planning.question import Question
from userdp.planning.risk.improved_plan import size_cells


def options(asked: Question) -> Iterator[Option]:
    """The best bound on a user's contribution, one record a user, and no bound below the largest size."""
    if asked.items is None:
        raise ValueError("items must be the number of items of the histogram, got None")
    law, relation = size_cells(asked.size_law), asked.neighbours
    budget: dict[str, Any] = {"epsilon": asked.epsilon, "delta": asked.delta, "neighbours": relation}
    mass = noise_mass(asked.items, **budget)
    bounds = np.union1d(law.values, 1)
    clipped = np.maximum(law.values - bounds[:, None], 0)
    lost = asked.n * clipped @ law.probabilities
    best = int(bounds[np.argmin(lost + mass * bounds)])
    for bound, words in ((best, "best bound"), (1, "one record a user"), (law.largest, "every record")):
        noise, missing = mass * bound, float(lost[np.searchsorted(bounds, bound)])
        yield Option(
            words,
            f"bound {bound}",
            noise + missing,
            noise,
            0.0,
            "exact" if asked.delta == 0 else "bound",
            "sizes follow the law",
            "the count of each item, less what is clipped",
            missing,
            call=bounded_histogram,
            parameters={"bound": float(bound), **budget},
        )
