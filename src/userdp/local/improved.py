"""A localised mean of smaller risk at the same guarantee, for users with equally or unequally many records.

One-hot votes, of which the server adds those of neighbouring bins; then rounds of two-point reports about
the estimate so far, each user's deviation divided by what it can be at its own size. The plan comes from
public quantities (`userdp.local.improved_plan`). Neighbouring inputs replace one user's whole data, number of
records included; each user sends one report.
"""

import numpy as np

from userdp.local.improved_plan import choose_plan
from userdp.local.localise import Ballot
from userdp.local.mean import _average, _means
from userdp.privacy.guarantee import disjoint
from userdp.privacy.reports import LaplaceReport, TwoPointReport, project
from userdp.privacy.results import MeanEstimate

__all__ = ["decode_pairs", "report", "deviations", "improved_mean"]


def decode_pairs(votes, bins):
    """Votes of neighbouring bins added up, and the common edge of the pair with the most."""
    pairs = votes[:-1] + votes[1:]
    return pairs, float(-1 + 2 * (int(np.argmax(pairs)) + 1) * bins.tau)


def report(round_, centre, *, epsilon, size_law, laplace=False):
    """Randomiser of a round about `centre`: a domain of at most [-1, 1], cut where no mean can lie."""
    narrowest = float(round_.scale(size_law.largest))
    low, high = max(-1.0, (-1 - centre) / narrowest), min(1.0, (1 - centre) / narrowest)
    return (LaplaceReport if laplace else TwoPointReport)(low, high, epsilon)


def deviations(means, sizes, round_, centre):
    """Deviations from `centre` in units of the scale of each user's size, shape (n,)."""
    return (means - centre) / round_.scale(sizes)


def improved_mean(means, sizes, *, epsilon, size_law, rng, plan=None, tails="bounded", every_report=False):
    """Localise by pairs of bins, then refine in rounds; every user takes part in one step.

    Output law: the first users who hold at least ``plan.vote_size`` records vote for their bin by unary
    encoding with one one, the others for none; the common edge of the two neighbouring bins with the most
    votes is the first centre s (0 without a vote). In each round a user's ``(mean - s) / scale(m)``,
    projected to [-1, 1], becomes a two-point report (with Laplace noise in the last round if the plan says
    so); s plus the average over ``E 1 / scale(m)``, projected to [-1, 1], is the next centre, and the last
    is the estimate.

    Parameters
    ----------
    means : array_like, shape (n,)
        Mean of each user, in an order free of the data; projected to [-1, 1].
    sizes : array_like of int, shape (n,)
        Records each user holds; private like the means. Projected to the sizes that `size_law` allows.
    epsilon : float
        Local budget of each user, positive.
    size_law : FiniteSizes or PowerLawSizes
        Public law of the sizes.
    rng : numpy.random.Generator
        Source of the randomness.
    plan : userdp.local.improved_plan.Plan, optional
        By default `userdp.local.improved_plan.choose_plan`.
    tails : {"bounded", "normal"}
        What the default plan assumes of the users' means.
    every_report : bool
        Draw every user's report instead of the exact laws of their sums.

    Returns
    -------
    MeanEstimate
        Estimate in [-1, 1]; the interval ``s +- b`` in which the last round took theta to lie; the votes of
        each pair of neighbouring bins; the guarantee of the costliest step.

    Raises
    ------
    ValueError
        If a public parameter is out of range, the plan has more users than there are, or `means` and
        `sizes` differ in shape.
    """
    means = project(_means(means, at_least=2), -1.0, 1.0)
    sizes = np.asarray(sizes)
    if sizes.shape != means.shape:
        raise ValueError(f"sizes must match means in shape, got {sizes.shape} and {means.shape}")
    sizes = project(sizes, size_law.smallest, size_law.largest)
    if plan is None:
        plan = choose_plan(n=means.size, epsilon=epsilon, size_law=size_law, tails=tails)
    planned = plan.voters + sum(r.users for r in plan.rounds)
    if planned > means.size:
        raise ValueError(f"plan must have at most {means.size} users, got {planned}")
    centre, votes, spent, first = 0.0, None, [], plan.voters
    if plan.voters:
        ballot = Ballot(plan.bins, 0, epsilon)
        eligible = sizes[:first] >= plan.vote_size
        counted = ballot.count(means[:first], rng, eligible=eligible, every_report=every_report)
        votes, centre = decode_pairs(counted, plan.bins)
        spent.append(ballot.randomiser.guarantee)
    for round_ in plan.rounds:
        group = slice(first, first + round_.users)
        first, about = group.stop, centre
        laplace = plan.laplace and round_ is plan.rounds[-1]
        randomiser = report(round_, about, epsilon=epsilon, size_law=size_law, laplace=laplace)
        x = deviations(means[group], sizes[group], round_, about)
        centre = about + _average(randomiser, x, rng, every_report) / _gain(round_, size_law)
        centre = float(np.clip(centre, -1, 1))
        spent.append(randomiser.guarantee)
    interval = about - plan.rounds[-1].offset, about + plan.rounds[-1].offset
    return MeanEstimate(centre, interval, votes, disjoint(*spent))


def _gain(round_, size_law):
    """E 1 / scale(m): by how much the average of the reports changes with theta."""
    return size_law.expectation(lambda m: 1 / round_.scale(m))
