"""An improved localised mean for equal and unequal sizes (ours, after Kent's Algorithm 2 and DAME).

Each user votes for one bin, and the server adds the votes of adjacent bins. Rounds of two-point reports
(Duchi et al.) about the estimate so far follow, in which each user's deviation is divided by how large it can
be with as many records. Who votes and who reports is a `Plan`, which `userdp.planning.choose_plan` makes from
public quantities. The whole data of one user are protected, number of records included, and each user sends
one report.
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
    """One round of reports about a public centre.

    A user with m records reports ``(mean - s) / scale(m)`` about the centre s, projected to ``[-1, 1]``.

    Parameters
    ----------
    users
        Users who report, at least 1.
    offset
        Distance b of the common mean from the centre that is allowed for.
    sigmas
        Standard deviations k of a user's mean that are allowed for. With 0, an offset of 1 and the centre 0 a
        user reports the mean itself.
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
        """One over a bound on the standard deviation of a mean of `sizes` records in ``[-1, 1]``."""
        sizes = np.asarray(sizes)
        return np.sqrt(sizes / (1 + self.spread**2 * sizes))

    def scale(self, sizes: ArrayLike) -> NDArray:
        """``k sqrt(1 / m + spread^2) + b`` for users with `sizes` records."""
        return self.sigmas / self.root(sizes) + self.offset


@public
@dataclass(frozen=True)
class Plan:
    """What every user can know before the first report.

    It is rarely written by hand: `userdp.planning.choose_plan` finds one from public quantities.

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
        Kind of report in the last round; in the rounds before it is one of two points.
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
    """Add the votes of adjacent bins, and find the common edge of the pair with the most.

    Parameters
    ----------
    votes : shape (count,)
        Vote total of each bin.
    bins
        The bins voted for.

    Returns
    -------
    tuple
        The vote total of each pair of adjacent bins, and the edge.
    """
    pairs = np.convolve(votes, [1, 1], "valid")
    return pairs, float(-1 + 2 * (int(np.argmax(pairs)) + 1) * bins.half_width)


@public
def round_report(
    round_: Round, centre: float, *, epsilon: float, size_law: SizeLaw, kind: Kind = "two-point"
) -> LaplaceReport | PiecewiseReport | TwoPointReport:
    """Randomiser of a round about `centre`: a domain of at most ``[-1, 1]``, cut where no mean can lie.

    The domain of piecewise reports is not cut, because they are best at its middle, where most deviations
    are.

    Parameters
    ----------
    round_
        The round.
    centre
        The public centre of the reports.
    epsilon
        Local privacy budget of each user, positive.
    size_law
        Public distribution of the sizes.
    kind
        Kind of report.
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

    Output distribution:

    1. The first ``plan.voters`` users vote by unary encoding with a single one: who holds at least
       ``plan.vote_size`` records votes for the bin that contains its mean, the others for none. The common
       edge of the two adjacent bins with the most votes is the first centre s; without a vote it is 0.
    2. In each round that follows, a user with m records reports ``(mean - s) / scale(m)``, projected to
       ``[-1, 1]``, by one of two points; in the last round by the kind of report that the plan names. The
       average of the reports over ``E 1 / scale(m)`` is added to s and projected to ``[-1, 1]``, which is the
       next centre.
    3. The last centre is the estimate.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user, in an order free of the data; projected to `domain`.
    sizes : shape (n,)
        Records that each user holds; private like the means. Projected to the sizes that `size_law` allows.
    epsilon
        Local privacy budget of each user, positive.
    size_law
        Public distribution of the sizes.
    plan
        Who votes and who reports, for means in ``[-1, 1]``; `userdp.planning.risk.improved_plan.choose_plan`
        finds it.
    domain : low, high
        Public ends of what a mean can be; the estimate is in the same units.
    every_report
        Whether to draw each user's report; by default their sum is drawn from its exact
        distribution, which is faster.
    rng
        Generator of NumPy, or `userdp.release.Secure` for a release in earnest.

    Returns
    -------
    MeanEstimate
        The estimate `value`, its `guarantee`, the `votes` for each pair of adjacent bins, and the interval
        `clipped_to`: the ``s +- b`` in which the last round took the mean to lie.

    Examples
    --------
    >>> from userdp.planning import choose_plan
    >>> from userdp.sizes import constant_size
    >>> means, sizes = np.full(20_000, 0.3), np.full(20_000, 900)
    >>> known = {"epsilon": 1.0, "size_law": constant_size(900)}
    >>> plan, rng = choose_plan(n=20_000, **known), np.random.default_rng(1)
    >>> result = improved_mean(means, sizes, plan=plan, rng=rng, **known)
    >>> round(result.value, 2), result.guarantee.epsilon
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
