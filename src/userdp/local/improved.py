"""An improved localised mean for equal and unequal sizes (ours, after Kent's Algorithm 2 and DAME).

One-hot votes, of which the server adds those of adjacent bins; then rounds of two-point reports (Duchi et
al.) about the estimate so far, each user's deviation divided by what it can be at its own size. The plan is
made from public quantities, best by `userdp.planning.choose_plan`. Neighbouring inputs replace one user's
whole data, number of records included; each user sends one report.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, Domain, NDArray, Rng
from userdp.local._rounds import UNIT, average_report, to_domain, to_unit, users_table
from userdp.local.localise import Ballot, Bins
from userdp.local.unequal import matching_sizes
from userdp.privacy.guarantee import disjoint
from userdp.privacy.reports import LaplaceReport, PiecewiseReport, TwoPointReport, project
from userdp.privacy.results import MeanEstimate
from userdp.sizes import SizeLaw

Kind = Literal["two-point", "laplace", "piecewise"]
REPORTS = dict(zip(get_args(Kind), (TwoPointReport, LaplaceReport, PiecewiseReport), strict=True))


@public
@dataclass(frozen=True)
class Round:
    """One round of reports about a public centre s.

    A user with m records reports ``(mean - s) / scale(m)``, projected to [-1, 1].

    Parameters
    ----------
    users
        Users who report, at least 1.
    offset
        Distance of theta from s that is allowed for, b.
    sigmas
        Standard deviations of a user's mean that are allowed for, k; 0 with offset 1 about s = 0 is the
        plain report of the mean itself.
    spread
        Standard deviation of the users' latent means; 0 where all users share one distribution.
    """

    users: int
    offset: float
    sigmas: float
    spread: float = 0.0

    def __post_init__(self) -> None:
        _validate.integer(1, users=self.users)
        _validate.positive(offset=self.offset)
        _validate.in_range(0, float("inf"), sigmas=self.sigmas)
        _validate.in_range(0, 1, spread=self.spread)

    def root(self, sizes: ArrayLike) -> NDArray:
        """One over the standard deviation of the mean of `sizes` records in [-1, 1], at least."""
        sizes = np.asarray(sizes)
        return np.sqrt(sizes / (1 + self.spread**2 * sizes))

    def scale(self, sizes: ArrayLike) -> NDArray:
        """``k sqrt(1 / m + spread^2) + b`` for users with `sizes` records."""
        return self.sigmas / self.root(sizes) + self.offset


@public
@dataclass(frozen=True)
class Plan:
    """What every user can know before the first report.

    Parameters
    ----------
    voters
        Users who vote; 0 for no vote.
    half_width
        Half-width of a bin; without a vote of no effect.
    vote_size
        Records that a voter needs; others vote for no bin.
    rounds
        The rounds of reports that follow, each about the estimate of the one before.
    last
        What is reported in the last round; before it one of two points.
    """

    voters: int
    half_width: float
    vote_size: int
    rounds: tuple[Round, ...]
    last: Kind = "two-point"

    def __post_init__(self) -> None:
        _validate.integer(0, voters=self.voters)
        _validate.positive(half_width=self.half_width, vote_size=self.vote_size)
        _validate.one_of(REPORTS, last=self.last)
        # a pair needs two bins
        _validate.in_range(0, 0.5 if self.voters else float("inf"), half_width=self.half_width)
        if not isinstance(self.rounds, tuple) or not self.rounds:
            raise ValueError(f"rounds must be a tuple of one or more, got {self.rounds!r}")

    @property
    def bins(self) -> Bins:
        """Bins of the vote."""
        return Bins(self.half_width, truncated=True)


@public
def decode_pairs(votes: NDArray, bins: Bins) -> tuple[NDArray, float]:
    """Votes of adjacent bins added up, and the common edge of the pair with the most."""
    pairs = np.convolve(votes, [1, 1], "valid")
    return pairs, float(-1 + 2 * (int(np.argmax(pairs)) + 1) * bins.half_width)


@public
def round_report(
    round_: Round, centre: float, *, epsilon: float, size_law: SizeLaw, kind: Kind = "two-point"
) -> LaplaceReport | PiecewiseReport | TwoPointReport:
    """Randomiser of a round about `centre`: a domain of at most [-1, 1], cut where no mean can lie.

    That of piecewise reports is not cut: they are best at its middle, where most deviations are.
    """
    if kind == "piecewise":
        return PiecewiseReport(-1.0, 1.0, epsilon)
    narrowest = float(round_.scale(size_law.largest))
    low, high = max(-1.0, (-1 - centre) / narrowest), min(1.0, (1 - centre) / narrowest)
    return REPORTS[kind](low, high, epsilon)


def scaled_deviations(means: NDArray, sizes: NDArray, round_: Round, centre: float) -> NDArray:
    """Deviations from `centre` in units of the scale of each user's size, shape (n,)."""
    return (means - centre) / round_.scale(sizes)


@public
def improved_mean(
    means: ArrayLike,
    sizes: ArrayLike,
    *,
    epsilon: float,
    size_law: SizeLaw,
    plan: Plan,
    domain: Domain = UNIT,
    every_report: bool = False,
    rng: Rng,
) -> MeanEstimate:
    """Localise by pairs of bins, then refine in rounds; every user takes part in one step.

    Output distribution: the first users who hold at least ``plan.vote_size`` records vote for their bin by
    unary encoding with a single one, the others for none; the common edge of the two adjacent bins with the
    most votes is the first centre s (0 without a vote). In each round a user's ``(mean - s) / scale(m)``,
    projected to [-1, 1], becomes a two-point report (in the last round the kind of report that the plan
    names); s plus the average over ``E 1 / scale(m)``, projected to [-1, 1], is the next centre, and the last
    is the estimate. The interval is the ``s +- b`` in which the last round took theta to lie; votes are those
    of the pairs of adjacent bins.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user, in an order free of the data; projected to `domain`.
    sizes : shape (n,)
        Records each user holds; private like the means. Projected to the sizes that `size_law` allows.
    epsilon, domain, every_report, rng
        As for `userdp.local.mean.laplace_mean`.
    size_law
        Public distribution of the sizes.
    plan
        Who votes and who reports, for means in [-1, 1]; see `userdp.planning.risk.improved_plan.choose_plan`.

    Examples
    --------
    >>> from userdp.sizes import constant_size
    >>> means, sizes, rng = np.full(20_001, 0.3), np.full(20_001, 900), np.random.default_rng(1)
    >>> options = {"epsilon": 1.0, "size_law": constant_size(900)}
    >>> plan = Plan(8000, 0.1, 900, (Round(12_001, 0.3, 3.0),))
    >>> result = improved_mean(means, sizes, plan=plan, rng=rng, **options)
    >>> round(result.value, 1), result.guarantee.epsilon
    (0.3, 1.0)
    """
    x = to_unit(users_table("n", 2, epsilon, rng, means=means), domain)
    held = project(matching_sizes(sizes, x, size_law), size_law.smallest, size_law.largest)
    planned = plan.voters + sum(r.users for r in plan.rounds)
    if planned > x.size:
        raise ValueError(f"plan must have at most {x.size} users, got {planned}")
    centre, votes, spent, first = 0.0, None, [], plan.voters
    if plan.voters:
        _validate.in_range(0, size_law.largest, vote_size=plan.vote_size)
        ballot = Ballot(plan.bins, 0, epsilon)
        eligible = held[:first] >= plan.vote_size
        counted = ballot.count(x[:first], rng, eligible=eligible, every_report=every_report)
        votes, centre = decode_pairs(counted, plan.bins)
        spent.append(ballot.randomiser.guarantee)
    for number, round_ in enumerate(plan.rounds, 1):
        group = slice(first, first + round_.users)
        first, about = group.stop, centre
        kind = plan.last if number == len(plan.rounds) else "two-point"
        randomiser = round_report(round_, about, epsilon=epsilon, size_law=size_law, kind=kind)
        y = scaled_deviations(x[group], held[group], round_, about)
        gain = size_law.expectation(lambda m, scale=round_.scale: 1 / scale(m))  # type: ignore[misc]
        centre = about + float(average_report(randomiser, y, round_.users, every_report, rng)) / gain
        centre = float(np.clip(centre, -1, 1))
        spent.append(randomiser.guarantee)
    interval = about - plan.rounds[-1].offset, about + plan.rounds[-1].offset
    return to_domain(MeanEstimate(centre, disjoint(*spent), interval, votes), domain)
