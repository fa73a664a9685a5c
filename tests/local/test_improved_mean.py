from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import chi2

from laws import has_mean, same_law
from userdp.local.improved import Plan, Round, decode_pairs, improved_mean, round_report, scaled_deviations
from userdp.local.localise import MOST_BINS, Ballot, Bins
from userdp.local.mean import duchi_mean
from userdp.planning.risk.improved_plan import (
    Known,
    RiskBound,
    _plan,
    _round,
    _vote_failure,
    choose_plan,
    excess,
    mixture,
    risk_bound,
    tail,
)
from userdp.privacy.reports import LaplaceReport, PiecewiseReport, project
from userdp.sizes import (
    FiniteSizes,
    PowerLawSizes,
    constant_size,
    empirical_sizes,
    poisson_sizes,
    two_point_sizes,
)
from userdp_papers.populations.records import PointMass, Signs
from userdp_papers.theory.audit.exact import bits_loss, exact_loss, laplace_loss

EPSILON = 22 / 35
LAW = two_point_sizes(400, 4000, 0.5)
THREE = Plan(600, 0.1, 400, (Round(600, 0.3, 2.0), Round(801, 0.05, 2.0)))


def estimates(theta, *, seed, n=2001, runs=200, law=LAW, plan=THREE, epsilon=2.0, **options):
    rng, values = np.random.default_rng(seed), []
    for _ in range(runs):
        sizes = law.draw(n, rng)
        means = Signs(theta).draw_means(sizes, rng)
        made = improved_mean(means, sizes, epsilon=epsilon, size_law=law, plan=plan, rng=rng, **options)
        values.append(made.value)
    return np.array(values)


def test_equal_plans_give_equal_estimates():
    """Two rounds that are one value: the first was taken for the last, whose reports differ."""
    sizes, shared = np.full(1600, 400), Round(800, 0.5, 3.0)
    means = Signs(0.1).draw_means(sizes, np.random.default_rng(1))
    plans = [Plan(0, 1.0, 1, (shared, second), last="laplace") for second in (shared, replace(shared))]
    options = {"epsilon": 2.0, "size_law": LAW}
    one, other = (
        improved_mean(means, sizes, plan=made, rng=np.random.default_rng(2), **options).value
        for made in plans
    )
    assert one == other


# --- privacy ---------------------------------------------------------------------------------------


def transcript_loss(plan, law, epsilon, centre):
    """Largest log-ratio of whatever step a user takes part in, from the channels; any input allowed."""
    losses = []
    if plan.voters:
        ballot = Ballot(plan.bins, 0, epsilon)
        edges = [plan.bins.ends(j)[0] for j in range(plan.bins.count)]
        inputs = np.concatenate([edges, np.nextafter(edges, -2), [1.0, np.nan, np.inf, -7.0]])
        voting = ballot.positions(inputs)
        vectors = ballot.randomiser.vectors(np.concatenate([voting, np.full((1, 1), -1)]))
        losses.append(bits_loss(vectors, ballot.randomiser.keep))
    for i, round_ in enumerate(plan.rounds):
        kind = plan.last if i + 1 == len(plan.rounds) else "two-point"
        randomiser = round_report(round_, centre, epsilon=epsilon, size_law=law, kind=kind)
        grid = np.concatenate([np.linspace(-1, 1, 201), [centre, np.nan, np.inf, -np.inf, 5e-324, 9.0]])
        sizes = np.array([law.smallest, law.largest])[:, None]
        x = scaled_deviations(project(grid, -1, 1), sizes, round_, centre).ravel()
        if kind == "piecewise":
            reports = np.linspace(-1 - randomiser.window, 1 + randomiser.window, 401)
            density = randomiser.density(reports, np.sort(x)[:: x.size // 40, None])
            losses.append(np.log(density.max(axis=0) / density.min(axis=0)).max())
        elif kind == "laplace":
            ends = np.clip(x, randomiser.low, randomiser.high)
            losses.append(laplace_loss(ends, randomiser.scale))
        else:
            up = randomiser._upper(x)
            losses.append(exact_loss(np.stack([up, 1 - up], axis=1)))
    return losses


@pytest.mark.parametrize("epsilon", [0.1, EPSILON, 1.0, 3.7])
@pytest.mark.parametrize("centre", [-1.0, -0.8, 0.0, 0.3, 1.0])
@pytest.mark.parametrize("last", ["two-point", "laplace", "piecewise"])
def test_loss_of_the_whole_transcript_is_the_guarantee(epsilon, centre, last):
    plan = Plan(600, 0.1, 400, THREE.rounds, last)
    losses = transcript_loss(plan, LAW, epsilon, centre)
    sizes = np.full(2001, 400)
    made = improved_mean(
        np.zeros(2001), sizes, epsilon=epsilon, size_law=LAW, plan=plan, rng=np.random.default_rng(0)
    )
    assert losses == pytest.approx(np.full(3, epsilon), rel=1e-12)
    assert made.guarantee.epsilon == pytest.approx(max(losses), rel=1e-12)


def test_who_holds_just_enough_records_votes_and_who_holds_one_less_does_not(monkeypatch):
    told, count = [], Ballot.count

    def spy(self, means, rng, *, eligible, **options):
        told.append((self, eligible))
        return count(self, means, rng, eligible=eligible, **options)

    monkeypatch.setattr(Ballot, "count", spy)
    sizes = np.where(np.arange(2001) % 2, 400, 399)
    law = two_point_sizes(399, 400, 0.5)
    rng = np.random.default_rng(6)
    improved_mean(np.full(2001, 0.15), sizes, epsilon=2.0, size_law=law, plan=THREE, rng=rng)
    ((ballot, eligible),) = told
    assert ballot == Ballot(THREE.bins, 0, 2.0) and np.array_equal(eligible, sizes[:600] == 400)


@pytest.mark.parametrize("kind", ["two-point", "laplace", "piecewise"])
@pytest.mark.parametrize("centre", [-0.9, 0.0, 0.9])
def test_a_report_is_for_deviations_that_some_mean_has(centre, kind):
    report = round_report(Round(9, 0.3, 2.0), centre, epsilon=1.0, size_law=LAW, kind=kind)
    ends = np.clip((np.array([-1, 1]) - centre) / (2 / np.sqrt(4000) + 0.3), -1, 1)
    assert (report.low, report.high) == pytest.approx((-1, 1) if kind == "piecewise" else ends)


@pytest.mark.parametrize("last", ["two-point", "laplace", "piecewise"])
def test_the_last_round_alone_reports_what_the_plan_names(last):
    """One user a round, who holds 0: two points are two steps of known length, all else is anywhere."""
    plan = Plan(0, 1.0, 1, tuple(Round(1, offset, 0.0) for offset in (0.04, 0.02, 0.01)), last)
    data, step = (np.zeros(3), np.full(3, 400)), 1 / np.tanh(1 / 2)
    made = improved_mean(*data, epsilon=1.0, size_law=LAW, plan=plan, rng=np.random.default_rng(4))
    low, high = made.clipped_to
    assert high - low == pytest.approx(0.02)
    assert min(abs(abs(low + high) / 2 - step * x) for x in (0.02, 0.06)) < 1e-12
    assert (abs(abs(made.value - (low + high) / 2) - 0.01 * step) < 1e-12) == (last == "two-point")


ANY_MEANS = st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=6, max_size=12)


@given(ANY_MEANS, st.integers(-(2**40), 2**62))
def test_no_data_raise(means, size):
    plan = Plan(2, 0.2, 400, (Round(2, 0.3, 2.0), Round(2, 0.1, 1.0)))
    sizes = np.full(len(means), size)
    options = {"epsilon": 1.0, "size_law": LAW, "plan": plan, "rng": np.random.default_rng(1)}
    made = improved_mean(means, sizes, **options)
    assert -1 <= made.value <= 1
    assert -1 <= improved_mean(means, np.full(len(means), np.nan), **options).value <= 1


# --- laws ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("last", ["two-point", "laplace", "piecewise"])
def test_estimate_has_the_law_of_drawing_every_report(last):
    plan = Plan(600, 0.1, 400, THREE.rounds, last)
    fast = estimates(0.3, seed=6, plan=plan, runs=400)
    slow = estimates(0.3, seed=7, plan=plan, runs=400, every_report=True)
    other = estimates(0.3, seed=8, plan=plan, runs=400, epsilon=0.5)
    assert same_law(fast, slow)
    assert not same_law(fast, other)


@pytest.mark.parametrize("theta", [-0.97, -0.4, 0.0, 0.3, 0.7, 0.97])
def test_estimate_is_unbiased_where_nothing_is_cut(theta):
    plan = Plan(3000, 0.1, 400, (Round(3000, 0.3, 6.0), Round(4001, 0.2, 6.0)))
    values = estimates(theta, seed=9, n=10_001, plan=plan, runs=200)
    assert has_mean(values, theta)
    assert not has_mean(values + 20 * values.std() / 200**0.5, theta)


@pytest.mark.parametrize("spread", [0.0, 0.3])
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
@pytest.mark.parametrize("kind, report", [("laplace", LaplaceReport), ("piecewise", PiecewiseReport)])
def test_a_round_of_unequal_noise_has_its_variance_where_nothing_is_cut(epsilon, spread, kind, report):
    """That of the noise and the second moment of signs as far from the centre as the round foresees."""
    round_, m, q = Round(100, 0.1, 30.0, spread), LAW.values, LAW.probabilities
    scale = 30 * np.sqrt(1 / m + spread**2) + 0.1
    square = q @ ((1 / m + spread**2 + 0.1**2) / scale**2)
    variance = square + report(-1.0, 1.0, epsilon).variance([np.sqrt(square)])[0]
    deviation, _ = _round(round_, LAW, epsilon, "normal", kind)
    assert deviation * (q @ (1 / scale)) == pytest.approx(np.sqrt(variance / 100), rel=1e-12)


@pytest.mark.statistical
def test_the_bound_of_a_plan_with_a_piecewise_last_round_is_kept_and_not_by_much_too_large():
    """At a budget of 3 such a plan is chosen; the bound without its last round would be broken."""
    law = constant_size(400)
    plan = choose_plan(n=3001, epsilon=3.0, size_law=law)
    promised = risk_bound(plan, size_law=law, epsilon=3.0).risk
    assert plan.last == "piecewise"
    squares = (estimates(0.3, seed=21, n=3001, law=law, plan=plan, epsilon=3.0, runs=2000) - 0.3) ** 2
    limit = chi2.isf(1e-6, 2000) / 2000
    assert promised / 2.5 < squares.mean() < limit * promised
    assert not squares.mean() < limit * promised / 2.5


@pytest.fixture(scope="module", params=["bounded", "normal"])
def bounded_plan(request):
    """The best plan under an assumption on tails, and its bound."""
    options = {"epsilon": 1.0, "size_law": LAW, "tails": request.param}
    plan = choose_plan(n=4001, **options)
    return plan, risk_bound(plan, **options).risk


@pytest.mark.parametrize("theta", [-1.0, -0.51, 0.0, 0.3, 0.999])
def test_risk_obeys_its_bound(theta, bounded_plan):
    plan, bound = bounded_plan
    errors = (estimates(theta, seed=10, n=4001, plan=plan, epsilon=1.0) - theta) ** 2
    assert errors.mean() - 5 * errors.std() / 200**0.5 <= bound
    if abs(theta) < 0.9:  # near the ends the noise is smaller still
        assert errors.mean() > bound / 8


def test_a_failed_vote_may_cost_the_whole_range_squared():
    assert RiskBound(0.25, 0.5, 0.125, (0.5,), (0.5,)).risk == 0.25 + 0.5**2 + 2**2 * 0.125


def test_bounds_on_tails_hold_for_signs():
    x = np.linspace(0, 5, 26)
    counts = np.random.default_rng(2).binomial(100, 0.5, 10**6)
    above = (np.abs(counts - 50)[:, None] / 5 > x).mean(axis=0) / 2
    assert np.all(above <= tail(x, "bounded") + 1e-4)


@pytest.mark.parametrize(
    "votes, pairs, edge", [([4, 0, 3, 2], [4, 3, 5], 0.5), ([1, 1, 1, 1], [2, 2, 2], -0.5)]
)
def test_the_edge_is_that_of_the_first_pair_with_the_most_votes(votes, pairs, edge):
    found = decode_pairs(np.array(votes), Bins(0.25))
    assert (found[0].tolist(), found[1]) == (pairs, edge)


@pytest.mark.parametrize("theta", [-0.99, 0.0, 0.17, 0.2, 0.25])
def test_chosen_edge_is_within_three_half_widths(theta):
    """At every position in a bin, on an edge too; means that do not vary never fail with a safe vote."""
    bins, rng = Bins(0.1, truncated=True), np.random.default_rng(3)
    for _ in range(50):
        votes = Ballot(bins, 0, 2.0).count(np.full(1500, theta), rng)
        assert abs(decode_pairs(votes, bins)[1] - theta) <= 3 * bins.half_width + 1e-12


def test_vote_fails_no_more_often_than_its_bound():
    law, rng, theta, fails = constant_size(2000), np.random.default_rng(4), 0.09, 0
    plan = Plan(80, 0.1, 150, (Round(10, 0.3, 1.0),))
    for _ in range(3000):
        means = Signs(theta).draw_means(law.draw(80, rng), rng)
        fails += abs(decode_pairs(Ballot(plan.bins, 0, 1.0).count(means, rng), plan.bins)[1] - theta) > 0.3
    bound = _vote_failure(plan, law, 1.0, "bounded")
    assert 0 < fails / 3000 <= bound < 1


def test_the_bound_on_a_failed_vote_counts_all_edges_but_the_two_nearest():
    """Users who know theta: the chance of one pair of bins to win does not depend on the width."""
    rounds, law = (Round(10, 0.3, 1.0),), constant_size(10**8)
    few, many = (_vote_failure(Plan(300, tau, 150, rounds), law, 1.0, "bounded") for tau in (0.3, 0.15))
    assert 0 < many < 1 and many / few == pytest.approx((7 - 2) / (4 - 2), rel=1e-9)
    assert _vote_failure(Plan(300, 0.5, 150, rounds), law, 1.0, "bounded") == 0


def test_the_bound_on_a_failed_vote_takes_the_spread_of_the_round_that_follows():
    narrow, wide = (Round(10, 0.3, 1.0, spread) for spread in (0.05, 0.3))
    first, both, wider = (
        _vote_failure(Plan(300, 0.15, 150, rounds), constant_size(10**8), 1.0, "bounded")
        for rounds in ((narrow,), (narrow, wide), (wide, narrow))
    )
    assert first == both < wider


@pytest.mark.parametrize("tails", ["bounded", "normal"])
def test_the_bound_of_a_plain_report_is_its_variance(tails):
    plan = Plan(0, 1.0, 1, (Round(50, 1.0, 0.0),))
    bound = risk_bound(plan, size_law=constant_size(7), epsilon=0.8, tails=tails)
    assert bound.risk == pytest.approx(1 / np.tanh(0.4) ** 2 / 50, rel=1e-12)


# --- plans -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("law", [PowerLawSizes(1000, 5000, 0.3), poisson_sizes(5), constant_size(7)])
def test_expectation_is_that_of_the_sizes(law):
    values = getattr(law, "values", np.arange(law.smallest, law.largest + 1))
    probabilities = law.survival(values) - law.survival(values + 1)

    def inverse(m):
        return 1 / (2 / np.sqrt(m) + 0.01)

    assert law.expectation(inverse) == pytest.approx(probabilities @ inverse(values), rel=1e-9)


def test_whom_the_shares_leave_over_reports_in_the_last_round():
    """Shares of e : 1 : 1 of 1,000 users are 576.1, 211.9 and 211.9."""
    known = Known(1000, 1.0, LAW, "bounded", 0.0)
    plan = _plan(np.concatenate([[1.0], np.zeros(7)]), known, None, 3)
    assert [round_.users for round_ in plan.rounds] == [576, 211, 213]


def test_without_a_better_plan_all_users_report_plainly():
    plan = choose_plan(n=60, epsilon=0.5, size_law=constant_size(100))
    assert (plan.voters, plan.rounds) == (0, (Round(60, 1.0, 0.0),))
    means, rng = np.random.default_rng(5).uniform(-0.4, 0.4, 60), np.random.default_rng
    made = improved_mean(
        means, np.full(60, 100), epsilon=0.5, size_law=constant_size(100), plan=plan, rng=rng(6)
    )
    assert made.value == pytest.approx(np.clip(duchi_mean(means, epsilon=0.5, rng=rng(6)).value, -1, 1))


def test_a_plan_that_votes_allows_for_three_half_widths_and_by_default_for_two_rounds():
    """Within these the bound has theta unless the vote fails; as many rounds may follow as were asked for."""
    known = {"n": 2000, "epsilon": 2.0, "size_law": constant_size(10**4)}
    for most in (1, 2, 3):
        plan = choose_plan(most_rounds=most, **known)
        assert plan.voters > 0 and len(plan.rounds) == most
        assert plan.rounds[0].offset == pytest.approx(3 * plan.half_width, rel=1e-12)
    assert choose_plan(**known) == choose_plan(most_rounds=2, vote=True, **known)
    assert choose_plan(vote=False, **known).voters == 0
    users = Known(1000, 1.0, LAW, "bounded", 0.0)
    widths = [_plan(np.zeros(4), users, size, 1).half_width for size in (1, 10**14)]
    assert widths == [0.25, 1 / MOST_BINS]


@pytest.mark.slow
def test_plan_is_deterministic_and_more_choice_is_no_worse():
    options = {"n": 3000, "epsilon": 1.0, "size_law": LAW}

    def bound(**more):
        return risk_bound(choose_plan(**options, **more), size_law=LAW, epsilon=1.0).risk

    assert choose_plan(**options) == choose_plan(**options)
    assert bound(most_rounds=2) <= bound(most_rounds=1)
    assert bound() <= bound(vote=False)


def test_users_without_spread_are_found():
    sizes = np.full(4001, 4000)
    plan = choose_plan(n=4001, epsilon=4.0, size_law=LAW)
    options = {"epsilon": 4.0, "size_law": LAW, "plan": plan, "rng": np.random.default_rng(7)}
    made = improved_mean(PointMass(0.37).draw_means(sizes, options["rng"]), sizes, **options)
    assert made.value == pytest.approx(0.37, abs=0.01)


@pytest.mark.parametrize(("change", "match"), [
    ({"plan": THREE}, "plan must have at most 20 users, got 2001"),
    ({"plan": Plan(9, 0.1, 4001, (Round(9, 1.0, 0.0),))}, r"vote_size must be in \[0, 4000\], got 4001"),
    ({"size_law": empirical_sizes([9])}, "size_law must not be counted from users"),
])  # fmt: skip
def test_errors_name_the_parameter_and_the_value(change, match):
    data = {"means": np.zeros(20), "sizes": np.full(20, 400)}
    options = (
        data | {"epsilon": 1.0, "size_law": LAW, "plan": Plan(0, 1.0, 1, (Round(20, 1.0, 0.0),))} | change
    )
    with pytest.raises(ValueError, match=match):
        improved_mean(**options, rng=np.random.default_rng(0))


@pytest.mark.parametrize("n", [2, 3, 5, 9])
@pytest.mark.parametrize("tails", ["bounded", "normal"])
def test_plans_never_have_more_users_than_there_are(n, tails):
    plan = choose_plan(n=n, epsilon=20.0, size_law=constant_size(10**6), tails=tails)
    assert plan.voters + sum(r.users for r in plan.rounds) == n


@pytest.mark.parametrize("x", [0.0, 0.7, 2.5, 6.0])
def test_what_is_expected_beyond_a_point_is_an_integral_or_the_least_of_exponential_bounds(x):
    """Of |Z| for a normal Z the integral of its tail; of what is sub-Gaussian the best multiplier's."""
    normal = [
        quad(lambda t, p=p: p * p * (t - x) ** (p - 1) * ndtr(-t), x, 40, epsabs=1e-14)[0] for p in (1, 2)
    ]
    assert excess(x, "normal") == pytest.approx(normal, rel=1e-6)
    assert np.min(excess(x + np.linspace(0, 40, 99), "normal")) >= 0  # rounding counts for nothing far out
    multipliers = np.geomspace(0.1, 20, 2001)
    moments = np.exp(multipliers * (multipliers / 2 - x))
    for power, found in enumerate(excess(x, "bounded"), 1):
        # y^p <= (p / (e l))^p exp(l y), with equality at y = p / l
        least = power * np.min(moments * (power / (np.e * multipliers)) ** power)
        assert least * (1 - 1e-4) < found <= least * (1 + 1e-12) and found > normal[power - 1]


@pytest.mark.parametrize("last, square", [("two-point", 1 / np.tanh(0.5) ** 2), ("laplace", 8 + 1)])
def test_a_report_of_a_projected_number_has_a_square_of_at_most_one(last, square):
    """Where theta may be anywhere, a mean of one record has a deviation of up to the root of two."""
    plan = Plan(0, 1.0, 1, (Round(100, 1.0, 0.0),), last)
    bound = risk_bound(plan, size_law=constant_size(1), epsilon=1.0)
    assert bound.variance == pytest.approx(square / 100, rel=1e-12)


@pytest.mark.parametrize("last", ["two-point", "laplace", "piecewise"])
@pytest.mark.parametrize("spread, users", [(0.0, 40), (0.2, 4)])
def test_the_bound_of_three_rounds_is_the_sum_of_its_parts(spread, users, last):
    """Normal tails: each round's noise and what it cuts off; later ones pay for the errors before."""
    epsilon, m, p = 0.9, np.array([9.0, 400.0]), np.array([0.3, 0.7])
    rounds = [Round(users, 0.8, 1.2, spread), Round(100, 0.5, 2.1, spread), Round(500, 0.3, 2.5, spread)]
    s, two_point, spill, found = np.sqrt(1 / m + spread**2), 1 / np.tanh(epsilon / 2) ** 2, 0.0, []
    for number, one in enumerate(rounds):
        if number:
            slack = (one.offset - found[-1][1]) / found[-1][0]
            tail_square = quad(lambda t: 4 * (t - slack) * ndtr(-t), slack, 40, epsabs=1e-15)[0]  # noqa: B023
            spill += found[-1][0] * tail_square**0.5
        scale, square = one.sigmas * s + one.offset, two_point
        if number == 2 and last != "two-point":
            report = (LaplaceReport if last == "laplace" else PiecewiseReport)(-1.0, 1.0, epsilon)
            square = min(p @ ((np.sqrt(s**2 + one.offset**2) + spill) / scale) ** 2, 1)
            square += report.variance([np.sqrt(square)])[0]
        cut = quad(lambda t: ndtr(-t), one.sigmas, 40, epsabs=1e-15)[0]
        gain = p @ (1 / scale)
        found.append((np.sqrt(square / one.users) / gain, p @ (s / scale) * cut / gain))
    known = {"size_law": FiniteSizes([9, 400], p), "epsilon": epsilon, "tails": "normal"}
    bound = risk_bound(Plan(0, 1.0, 1, tuple(rounds), last), **known)
    assert [*zip(bound.deviations, bound.biases, strict=True)] == pytest.approx(np.array(found), rel=1e-6)
    assert spill > 0.01 and bound.risk == pytest.approx(found[-1][0] ** 2 + (found[-1][1] + spill) ** 2)
    # what a round may miss by more than is allowed for has no bound
    astray = replace(rounds[1], offset=found[0][1] * 0.99)
    assert risk_bound(Plan(0, 1.0, 1, (rounds[0], astray), last), **known).risk == np.inf


@pytest.mark.parametrize("tails", ["normal", "bounded"])
@pytest.mark.parametrize("x", [0.03, 0.4, 2.0])
@pytest.mark.parametrize("fewest", [1, 4])
def test_tails_where_sizes_may_tell_of_means_are_the_better_of_two_bounds(fewest, x, tails):
    """Of the own mean and of the records, a part of the distance each; or of the fewest records a user."""
    m, p, spread, unit = np.array([fewest, 10**4]), [0.01, 0.99], 0.1, 0.7
    own, records = spread / unit, 1 / np.sqrt(m) / unit
    share = own / (own + records @ p)
    worst = min(np.hypot(own, records[0]), 1 / unit)  # no mean in [-1, 1] deviates by more
    parts = [(1.0, own, share * x), *((q, s, (1 - share) * x) for q, s in zip(p, records, strict=True))]
    shape = mixture(FiniteSizes(m, p), spread, tails, unit)
    apart = sum(q * tail(y / s, tails) for q, s, y in parts)
    assert tail(np.array([x, x]), shape) == pytest.approx(min(apart, tail(x / worst, tails)), rel=1e-12)
    mean = sum(q * s * excess(y / s, tails)[0] for q, s, y in parts)
    square = 2 * sum(q * s**2 * excess(y / s, tails)[1] for q, s, y in parts)
    one, two = excess(x / worst, tails)
    assert excess(x, shape) == pytest.approx((min(mean, worst * one), min(square, worst**2 * two)), rel=1e-12)


@pytest.mark.parametrize("tails, voters, tau", [
    ("normal", 40, 0.2), ("bounded", 80, 0.2), ("normal", 9, 0.34), ("bounded", 2, 0.02), ("normal", 1, 0.1),
    ("bounded", 1000, 0.05),
])  # fmt: skip
def test_a_vote_fails_by_a_moment_that_enumeration_finds(tails, voters, tau):
    """Bits of two bins beside theta and of two others, of users right, wrong or without a vote."""
    epsilon, sizes, p = 1.7, np.array([9.0, 100.0, 9000.0]), np.array([0.2, 0.3, 0.5])
    far = [ndtr(-k * tau * np.sqrt(sizes)) if tails == "normal" else np.exp(-k * k * tau**2 * sizes / 2)
           for k in (1, 2)]  # fmt: skip
    votes = sizes >= 100
    right = p[votes] @ np.maximum(1 - far[0] - far[1], 0)[votes]
    chances = [right, p[votes].sum() - right, 1 - p[votes].sum()]
    keep, least = 1 / (1 + np.exp(-epsilon / 2)), 1.0
    for up in np.exp(np.linspace(0.02, 1, 40) * epsilon / 2):
        moment = 0.0
        for chance, held in zip(chances, ((1, 0, 0, 0), (0, 0, 1, 0), (0, 0, 0, 0)), strict=True):
            for bits in product((0, 1), repeat=4):
                likely = np.prod([keep if a == b else 1 - keep for a, b in zip(bits, held, strict=True)])
                moment += chance * likely * up ** (bits[2] + bits[3] - bits[0] - bits[1])
        least = min(least, moment)
    plan = Plan(voters, tau, 100, (Round(9, 0.3, 1.0),))
    known = {"size_law": FiniteSizes(sizes.astype(int), p), "epsilon": epsilon, "tails": tails}
    wanted = min((plan.bins.count - 2) * least**voters, 1.0)
    assert 0 < risk_bound(plan, **known).failure == pytest.approx(wanted, rel=1e-9)
