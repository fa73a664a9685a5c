"""A lower bound on the privacy loss of any mechanism, from running it many times.

The mechanism is run equally often on two neighbouring inputs, and the bound comes from how often one event
happens, which is fixed before the runs. The bound is wrong with probability at most `level`, whatever the
mechanism does. Where all reports can be listed, `exact_loss` says more.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from typing import Any

from scipy.special import betainccinv, betaincinv
from scipy.stats import binom

from userdp import _validate
from userdp._public import public
from userdp._types import Rng

# probability that an audit accuses a mechanism that keeps its guarantee
LEVEL = 1e-6
# the search for the number of runs gives up beyond this
MOST_RUNS = 10**12


@public
def clopper_pearson(hits: int, runs: int, *, level: float = LEVEL) -> tuple[float, float]:
    """Exact one-sided bounds on a probability from a count (Clopper and Pearson 1934).

    Parameters
    ----------
    hits
        How often the event happened.
    runs
        Number of independent runs.
    level
        Probability with which each of the two bounds may fail.

    Returns
    -------
    low, high : float
        The probabilities of the event at which `hits` or more, and `hits` or fewer, have probability `level`;
        0 and 1 where there is none.
    """
    _validate.integer(1, 10**15, runs=runs)
    _validate.integer(0, hits=hits)
    _validate.in_range(0, runs, hits=hits)
    _validate.inside(1e-100, 1, level=level)  # less is lost in rounding
    # `scipy.stats.binomtest` gives the same in 4 ms; the search for a number of runs asks thousands of times
    lower = float(betaincinv(hits, runs - hits + 1, level)) if hits > 0 else 0.0
    upper = float(betainccinv(hits + 1, runs - hits, level)) if hits < runs else 1.0
    return lower, upper


@public
def loss_lower_bound(
    hits: int, other_hits: int, runs: int, *, delta: float = 0.0, level: float = LEVEL
) -> float:
    """Lower bound on the epsilon of a mechanism from counts of one event under two neighbouring inputs.

    Parameters
    ----------
    hits
        How often the event happened under the one input.
    other_hits
        How often it happened under the other.
    runs
        Runs under each, at least 1.
    delta
        Slack that the mechanism is granted, from 0 to 1.
    level
        Probability with which the bound may exceed the true epsilon: half of it for each of the counts.

    Returns
    -------
    float
        ``log((p - delta) / q)``, where p is a lower bound on the one probability and q an upper bound on the
        other; at least 0.

    Examples
    --------
    >>> round(loss_lower_bound(700, 300, 1000), 2)  # log(0.7 / 0.3) is 0.85
    0.51
    """
    _validate.in_range(0, 1, delta=delta)
    _validate.inside(2e-100, 1, level=level)
    lower, _ = clopper_pearson(hits, runs, level=level / 2)
    _, upper = clopper_pearson(other_hits, runs, level=level / 2)
    return max(math.log((lower - delta) / upper), 0.0) if lower > delta else 0.0


@public
def sampled_loss(
    mechanism: Callable[..., Any],
    one: Any,
    other: Any,
    event: Callable[[Any], Any],
    *,
    runs: int,
    delta: float = 0.0,
    level: float = LEVEL,
    rng: Rng,
) -> float:
    """Run a mechanism on two neighbouring inputs and bound its epsilon from below.

    Output distribution: `loss_lower_bound` of two independent binomial counts.

    Parameters
    ----------
    mechanism
        Called as ``mechanism(x, runs, rng)``; returns `runs` independent transcripts of all that is
        released, along the first axis.
    one
        An input.
    other
        A neighbouring input.
    event
        From transcripts to an array of bool, shape (runs,); chosen without a look at these runs.
    runs
        Runs under each input, from 1 to ``10^8``; see `runs_needed`.
    delta
        Slack that the mechanism is granted, from 0 to 1.
    level
        Probability with which the bound may exceed the true epsilon.
    rng
        Source of the randomness.

    Returns
    -------
    float
        The lower bound on epsilon.
    """
    _validate.integer(1, 10**8, runs=runs)
    hits, other_hits = (int(event(mechanism(x, int(runs), rng)).sum()) for x in (one, other))
    return loss_lower_bound(hits, other_hits, runs, delta=delta, level=level)


@public
def likely_bound(
    p: float, q: float, runs: int, *, delta: float = 0.0, level: float = LEVEL, failure: float = LEVEL
) -> float:
    """Predict the bound that `sampled_loss` reaches, if the probabilities of the event are known.

    The prediction uses quantiles of the exact binomial distributions of both counts.

    Parameters
    ----------
    p
        Probability of the event under the one input.
    q
        Probability of the event under the other.
    runs
        Runs under each, at least 1.
    delta
        Slack that the mechanism is granted, from 0 to 1.
    level
        Probability with which the bound may exceed the true epsilon.
    failure
        Probability of a smaller result, strictly between 0 and 1: one minus the power.

    Returns
    -------
    float
    """
    _validate.in_range(0, 1, p=p, q=q)
    _validate.inside(0, 1, failure=failure)
    _validate.integer(1, MOST_RUNS, runs=runs)
    few, many = binom.ppf(failure / 2, runs, p), binom.isf(failure / 2, runs, q)
    return loss_lower_bound(int(max(few, 0)), int(max(many, 0)), runs, delta=delta, level=level)


@public
def runs_needed(
    p: float, q: float, target: float, *, delta: float = 0.0, level: float = LEVEL, failure: float = LEVEL
) -> int:
    """Number of runs that `sampled_loss` needs in order to reach a bound.

    Parameters
    ----------
    p
        Probability of the event under the one input.
    q
        Probability of the event under the other.
    target
        The bound to reach, positive and below ``log((p - delta) / q)``.
    delta
        Slack that the mechanism is granted, from 0 to 1.
    level
        Probability with which the bound may exceed the true epsilon.
    failure
        Probability of falling short, strictly between 0 and 1.

    Returns
    -------
    int
        A number that suffices while one run less does not. Since counts are whole, a few larger numbers may
        fall short again, by less than what one run adds.
    """
    _validate.positive(target=target)
    options = {"delta": delta, "level": level, "failure": failure}
    low, high = 0, 1
    while likely_bound(p, q, high, **options) < target:
        low, high = high, 2 * high
        if high > MOST_RUNS:
            raise ValueError(f"target must be below what the event can show, got {target!r}")
    between = range(low + 1, high)
    return low + 1 + bisect_left(between, True, key=lambda k: likely_bound(p, q, k, **options) >= target)
