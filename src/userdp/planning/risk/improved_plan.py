"""A proven bound on the risk of `improved_mean`, and the public parameters with the smallest bound.

The parameters depend on public quantities alone: the number of users, the budget and the distribution of the
sizes. The bound holds for every distribution of the records on ``[-1, 1]`` and every mean, or, with the tails
"normal", where the users' means have normal tails. Users may be heterogeneous: their latent means are then
sub-Gaussian, or normal, with standard deviation :math:`s`, and the mean of a user with m records is so with
variance ``1 / m + s^2``. The bound is ours; the book proves it.
"""

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from userdp import _validate
from userdp._public import public
from userdp._types import Floats
from userdp.local.improved import REPORTS, Kind, Plan, Round
from userdp.local.localise import MOST_BINS
from userdp.sizes import FiniteSizes, SizeLaw

Tails = Literal["bounded", "normal"]
WITHIN = 3  # half-widths of the chosen edge within which theta lies unless the vote fails
CELLS = 48  # sizes told apart when a bound is computed
VOTE_SIZES = 2  # thresholds of a vote that are tried
LARGEST_HALF_WIDTH = 0.25
USUAL_SQUARE = 0.25  # of a deviation in the last round, in units of what is not cut


class Mixture(NamedTuple):
    """Tails of the mean of a user of unknown size, where sizes may tell of latent means.

    A user is far off if its latent mean is, or if its records are far from that; and no user is further off
    than one of the least size may be.

    Parameters
    ----------
    kind
        Tails of each deviation.
    worst
        Standard deviation of a mean of the fewest records.
    parts
        Deviations that add, their probabilities, and the fraction of a distance that each may have.
    """

    kind: Tails
    worst: float
    parts: list[tuple[Floats, Floats, float]]


def mixture(law: FiniteSizes, spread: float, tails: Tails, unit: float = 1.0) -> Mixture:
    """Tails of users whose sizes may tell of their means, distances in units of `unit`."""
    records = 1 / (unit * np.sqrt(law.values))
    own, typical = spread / unit, float(law.probabilities @ records)
    share = own / (own + typical)
    parts = [(np.array([own]), np.ones(1), share)] if spread else []
    parts.append((records, law.probabilities, 1 - share))
    return Mixture(tails, min(math.hypot(own, records[0]), 1 / unit), parts)


def tail(x: Any, tails: Tails | Mixture) -> Any:
    """Bound on P(root(m) (mean - theta) > x), x >= 0, one side: Hoeffding's, or the normal tail."""
    if isinstance(tails, Mixture):
        wide, kind = np.expand_dims(x, -1), tails.kind
        apart = sum(tail(share * wide / s, kind) @ p for s, p, share in tails.parts)
        return np.minimum(apart, tail(x / tails.worst, kind))
    return np.exp(-(x**2) / 2) if tails == "bounded" else ndtr(-x)


def excess(x: Any, tails: Tails | Mixture) -> tuple[Any, Any]:
    """Bounds on the expected excess over x >= 0 on one side, and on its expected square on both together."""
    if isinstance(tails, Mixture):
        worst, kind = np.array([tails.worst, tails.worst**2]), tails.kind
        each = [(p, s, excess(share * x / s, kind)) for s, p, share in tails.parts]
        apart = sum(np.array([p @ (s * mean), len(each) * p @ (s**2 * two)]) for p, s, (mean, two) in each)
        return tuple(np.minimum(apart, worst * excess(x / tails.worst, kind)).tolist())
    if tails == "bounded":  # y <= exp(l y - 1) / l and y^2 <= 4 exp(l y - 2) / l^2, each at its best l
        one, two = (x + np.sqrt(x**2 + 4)) / 2, (x + np.sqrt(x**2 + 8)) / 2
        return np.exp(one * (one / 2 - x) - 1) / one, 8 * np.exp(two * (two / 2 - x) - 2) / two**2
    density, above = np.exp(-(x**2) / 2), math.sqrt(2 * math.pi) * ndtr(-x)
    square = 2 * ((1 + x**2) * above - x * density) / math.sqrt(2 * math.pi)
    return (density - x * above) / math.sqrt(2 * math.pi), np.maximum(square, 0)


PLAIN = Round(1, 1.0, 0.0)


@public
@dataclass(frozen=True)
class RiskBound:
    """A proven bound on the risk, and its parts.

    Parameters
    ----------
    variance
        Bound on the variance of the last round's reports.
    bias
        Bound on the bias of the projection, with what the rounds before may have failed to localise.
    failure
        Bound on the probability that the vote chooses an edge more than ``3 tau`` from the mean, where
        ``2 tau`` is the width of a bin.
    deviations
        Standard deviation of each round, if the rounds before localised as they should.
    biases
        Bias of each round, on the same condition.
    """

    variance: float
    bias: float
    failure: float
    deviations: tuple[float, ...]
    biases: tuple[float, ...]

    @property
    def risk(self) -> float:
        """Bound on the mean squared error: variance, squared bias, and four times `failure`."""
        return self.variance + self.bias**2 + 4 * self.failure


def size_cells(size_law: SizeLaw, vote_size: int = 1) -> FiniteSizes:
    """Distribution of sizes rounded down to few values, `vote_size` among them, so that no bound falls."""
    values = getattr(size_law, "values", None)
    if values is None or values.size > CELLS:
        grid = np.geomspace(size_law.smallest, size_law.largest, CELLS)
        threshold = np.clip(vote_size, size_law.smallest, size_law.largest)
        values = np.unique(np.floor(np.append(grid, threshold)).astype(np.int64))
    above = size_law.survival(values)
    return FiniteSizes(values, np.maximum(above - np.append(above[1:], 0.0), 0.0))


def vote_factors(epsilon: float, up: NDArray) -> tuple[tuple[NDArray, NDArray], tuple[NDArray, NDArray]]:
    """What a one and a zero of a one-hot vote contribute to the moment E up^(chase - lead).

    First for the bin whose lead is feared to fail, then for one that chases it.
    """
    keep, flip = expit(epsilon / 2), expit(-epsilon / 2)
    return (keep / up + flip, flip / up + keep), (keep * up + flip, flip * up + keep)


@lru_cache(maxsize=8)
def _pair_factors(epsilon: float) -> tuple[NDArray, NDArray, NDArray]:
    """Contributions to the moment of a voter in the leading pair of bins, in neither pair, in the other."""
    up = np.exp(np.linspace(0.02, 1, 40) * epsilon / 2)  # e^lambda; every lambda gives a valid bound
    lead, chase = vote_factors(epsilon, up)
    neither = lead[1] ** 2 * chase[1] ** 2
    return lead[0] * lead[1] * chase[1] ** 2, neither, lead[1] ** 2 * chase[0] * chase[1]


def _vote_failure(plan: Plan, size_law: FiniteSizes, epsilon: float, tails: Tails | Mixture) -> float:
    """Bound on the probability that the chosen edge is more than 3 tau from theta (Chernoff and union).

    Two adjacent bins, theta's own and the nearer of those next to it, contain a voter's mean unless it is
    more than tau off on one side or 2 tau on the other. An edge that lies further off belongs to another
    pair, which wins only with at least as many votes: a disjoint one, or next to an end of [-1, 1] one that
    shares the inner bin, and is the less likely to win for it.
    """
    others = plan.bins.count - 2
    if others <= 0:
        return 0.0
    voting = size_law.values >= plan.vote_size
    held, root = size_law.probabilities[voting], plan.rounds[0].root(size_law.values[voting])
    tau = plan.half_width
    right = held @ np.maximum(1 - tail(tau * root, tails) - tail(2 * tau * root, tails), 0)
    wrong, abstain = held.sum() - right, 1 - held.sum()
    leading, neither, chasing = _pair_factors(epsilon)
    moment = right * leading + abstain * neither + wrong * chasing
    return min(others * math.exp(plan.voters * min(math.log(moment.min()), 0.0)), 1.0)


@public
def risk_bound(plan: Plan, *, size_law: SizeLaw, epsilon: float, tails: Tails = "bounded") -> RiskBound:
    """Bound on the risk of `improved_mean` with a given plan, at every mean in ``[-1, 1]``.

    Parameters
    ----------
    plan
        Public parameters of `improved_mean`, as `choose_plan` returns them.
    size_law
        Distribution of the number of records.
    epsilon
        Budget of a user.
    tails
        What is assumed of a user's mean. With "bounded", records lie in ``[-1, 1]`` and latent means are
        sub-Gaussian with the `spread` of the plan's rounds. With "normal", the mean of a user with m records
        has normal tails of variance ``1 / m + spread^2``.

    Returns
    -------
    RiskBound

    Examples
    --------
    >>> from userdp.sizes import constant_size
    >>> known = {"epsilon": 1.0, "size_law": constant_size(1000)}
    >>> found = choose_plan(n=10_000, **known)
    >>> f"{risk_bound(found, **known).risk:.0e}"
    '8e-06'
    """
    _validate.budget(epsilon=epsilon)
    return _bound(plan, size_cells(size_law, plan.vote_size), epsilon, tails)


def _bound(plan: Plan, law: FiniteSizes, epsilon: float, tails: Tails | Mixture) -> RiskBound:
    failure = _vote_failure(plan, law, epsilon, tails) if plan.voters else 0.0
    kind = tails.kind if isinstance(tails, Mixture) else tails  # of an average, whoever it is of
    deviations: list[float] = []
    biases: list[float] = []
    spill = 0.0
    for number, round_ in enumerate(plan.rounds):
        if number:
            slack = (round_.offset - biases[-1]) / deviations[-1]
            spill += deviations[-1] * math.sqrt(excess(slack, kind)[1]) if slack >= 0 else math.inf
        last = number + 1 == len(plan.rounds)
        deviation, bias = _round(round_, law, epsilon, tails, plan.last if last else "two-point", spill)
        deviations.append(deviation)
        biases.append(bias)
    return RiskBound(deviations[-1] ** 2, biases[-1] + spill, failure, tuple(deviations), tuple(biases))


def _round(
    round_: Round,
    law: FiniteSizes,
    epsilon: float,
    tails: Tails | Mixture,
    kind: Kind = "two-point",
    spill: float = 0.0,
) -> tuple[float, float]:
    """Standard deviation and bias of a round of one kind of reports, by the spill before it."""
    root = round_.root(law.values)
    scale = round_.sigmas / root + round_.offset  # `Round.scale`, which would take the root once more
    gain, square = law.probabilities @ (1 / scale), 1.0
    if kind != "two-point":
        roots = np.sqrt(1 / law.values + round_.spread**2 + round_.offset**2) + spill
        square = min(float(law.probabilities @ (roots / scale) ** 2), 1.0)
    report = report_square(kind, epsilon, square)
    lost = law.probabilities @ (1 / (scale * root)) * excess(round_.sigmas, tails)[0]
    bias = 0.0 if round_.sigmas == 0 else lost / gain  # the plain report projects nothing
    return float(math.sqrt(report / round_.users) / gain), float(bias)


def report_square(kind: Kind, epsilon: float, square: float) -> float:
    """Expected square of a report on [-1, 1] of a number whose expected square is at most `square`."""
    if kind == "two-point":
        return 1 / math.tanh(epsilon / 2) ** 2
    if kind == "laplace":
        return 8 / epsilon**2 + square
    odds = math.expm1(epsilon / 2)
    return (1 / 3 + 4 / (3 * odds)) / odds + (1 + 1 / odds) * square


@public
def choose_plan(
    *,
    n: int,
    epsilon: float,
    size_law: SizeLaw,
    spread: float = 0.0,
    tails: Tails = "bounded",
    most_rounds: int = 2,
    vote: bool = True,
) -> Plan:
    """Choose the public parameters of `improved_mean` with the smallest bound on the risk.

    The choice is deterministic. Where no localisation has a smaller bound, all users report in one round on
    the whole domain.

    Parameters
    ----------
    n
        Number of users, at least 2.
    epsilon
        Budget of a user.
    size_law
        Distribution of the number of records.
    spread
        Standard deviation of the users' latent means, on ``[-1, 1]``.
    tails
        What is assumed of a user's mean, "bounded" or "normal", as in `risk_bound`.
    most_rounds
        Largest number of rounds of reports.
    vote
        Whether a vote may come before them.

    Returns
    -------
    Plan
    """
    _validate.integer(2, n=n)
    _validate.integer(1, 9, most_rounds=most_rounds)
    _validate.budget(epsilon=epsilon)
    _validate.in_range(0, 1, spread=spread)
    return best_plan(Known(n, epsilon, size_cells(size_law), tails, spread), most_rounds, vote)[0]


class Known(NamedTuple):
    """What a plan is made from."""

    n: int
    epsilon: float
    law: FiniteSizes
    tails: Tails | Mixture
    spread: float

    @property
    def kind(self) -> Kind:
        """Kind of the last reports for which the other parameters are sought: most deviations are small."""
        return min(REPORTS, key=lambda kind: report_square(kind, self.epsilon, USUAL_SQUARE))


def best_plan(known: Known, most_rounds: int, vote: bool = True) -> tuple[Plan, RiskBound]:
    """The plan of `choose_plan`, and its bound."""
    n, epsilon, law, tails, _ = known
    plans = [Plan(0, 1.0, 1, (replace(PLAIN, users=n),))]
    for size in [None, *(_vote_sizes(law) if vote else [])]:
        for rounds in range(1 if size else 2, most_rounds + 1 + (size is None)):
            if rounds + bool(size) <= n:
                plans.append(_best(known, size, rounds))
    plans = [replace(plan, last=kind) for kind in REPORTS for plan in plans]
    tried = [(plan, _bound(plan, law, epsilon, tails)) for plan in plans]
    return min(tried, key=lambda one: one[1].risk)


def _vote_sizes(law: FiniteSizes) -> list[int]:
    """A few thresholds, those with the largest squared fraction of voters times the size."""
    worth = law.survival(law.values) ** 2 * law.values
    return [int(law.values[i]) for i in np.argsort(-worth, kind="stable")[:VOTE_SIZES]]


def _best(known: Known, vote_size: int | None, rounds: int) -> Plan:
    """Minimise the bound over fractions of users, bin width, sigmas and slacks by the simplex method."""

    def objective(x: NDArray) -> float:
        plan = _plan(x, known, vote_size, rounds)
        return math.log(_bound(plan, known.law, known.epsilon, known.tails).risk)

    size = 3 * rounds - 1 + (2 if vote_size else 0)
    simplex = np.vstack([np.zeros(size), -0.4 * np.eye(size)])
    options = {"maxfev": 400 * rounds, "xatol": 0.03, "fatol": 1e-3, "initial_simplex": simplex}
    best = scipy.optimize.minimize(objective, simplex[0], method="Nelder-Mead", options=options).x
    return _plan(best, known, vote_size, rounds)


def _plan(x: NDArray, known: Known, vote_size: int | None, rounds: int) -> Plan:
    """Plan from unconstrained numbers; all zero is a sensible start."""
    x = np.minimum(np.maximum(x, -6), 6)
    opens = 1 if vote_size else 0
    groups = rounds + opens
    shares, rest = np.exp(x[:groups]), x[groups:]
    users = [max(int(share), 1) for share in (known.n * shares / shares.sum()).tolist()]
    users[-1] = max(known.n - sum(users[:-1]), 1)
    users[users.index(max(users))] -= sum(users) - known.n
    deviation = math.sqrt(1 / (vote_size or 1) + known.spread**2)
    tau = min(max(3 * deviation * math.exp(rest[0]), 1 / MOST_BINS), LARGEST_HALF_WIDTH) if opens else 1.0
    sigmas, slacks = 3 * np.exp(rest[opens : opens + rounds]), 2 * np.exp(rest[opens + rounds :])
    made, offset = [], WITHIN * tau if opens else 1.0
    for number in range(rounds):
        allowed = 0.0 if number == 0 and not opens else float(sigmas[number])
        made.append(Round(users[opens + number], float(offset), allowed, known.spread))
        if number + 1 < rounds:
            error, bias = _round(made[-1], known.law, known.epsilon, known.tails)
            offset = bias + slacks[number] * error
    votes = users[0] if opens else 0, float(tau), int(vote_size or 1)
    return Plan(*votes, tuple(made), known.kind)
