"""Plans: what they foretell is what happens, the first is not beaten, and no private record is looked at."""

import inspect
import warnings
from dataclasses import replace
from functools import partial
from html import escape

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, f

from fakes import Silent
from userdp import planning
from userdp.central import histogram, mean
from userdp.central.mean import initial_error, realistic_mean
from userdp.central.weights import optimal_weights
from userdp.local import duchi_mean
from userdp.planning import NoGain, Ranking, central_methods, local_methods
from userdp.planning.local_methods import ANY, LITTLE, ONE_LAW, by_entry, in_folds, shrinking
from userdp.planning.option import Option, Question
from userdp.planning.plans import ranked
from userdp.planning.risk import improved_plan
from userdp.planning.risk.clipped import Users, choose_clipping
from userdp.planning.risk.localised import sign_risk
from userdp.privacy import CubeReport, LaplaceReport, PiecewiseReport, Release, TwoPointReport
from userdp.privacy.guarantee import nothing_spent
from userdp.sizes import (
    FiniteSizes,
    PowerLawSizes,
    constant_size,
    empirical_sizes,
    two_point_sizes,
    uniform_sizes,
)
from userdp.tables import user_means
from userdp_papers.populations import BetaUsers, Signs
from userdp_papers.theory.exact import calibrated_half_width, localised_bound, localised_risk, sign_means
from userdp_papers.theory.rates import (
    central_least_risk,
    duchi_mean_risk,
    laplace_mean_risk,
    local_least_risk,
)

# users of one distribution, unless a test says otherwise
plan = partial(planning.plan, spread=0.0, sizes_tell=False)
RUNS = 160
CLOSE = 3200  # of two methods where the second looks better than the first
PESSIMISM = 2.5  # times what happens, which a bound may promise
LEVEL = 1e-6 / 200  # false alarms of a comparison, 200 situations making one in a million


def situation(seed):
    """A random question about a mean, with a population that keeps what it assumes."""
    rng = np.random.default_rng([20261122, seed])
    n = int(10 ** rng.uniform(2, 3.7))
    smallest, largest = np.sort(10 ** rng.uniform(0, 3.5, 2)).astype(int) + [1, 3]
    laws = [constant_size(int(largest)), uniform_sizes(int(smallest), int(largest))]
    laws.append(PowerLawSizes(int(smallest), int(largest), float(rng.uniform(0.3, 1))))
    spread = float(rng.choice([0, 0.02, 0.1]))
    law = laws[rng.integers(3)]
    epsilon = float(10 ** rng.uniform(-0.7, 0.7))
    trust = ("nobody", "curator")[int(rng.integers(2))]
    tails = "normal" if law.smallest >= 100 and not spread else "bounded"
    question = {"n": n, "sizes": law, "epsilon": epsilon, "spread": spread, "trust": trust, "tails": tails}
    question["private_sizes"] = bool(rng.integers(2))
    return question, float(rng.uniform(-0.6, 0.6)), rng


def squared_errors(options, question, theta, rng, runs=RUNS):
    """Of each option in every run, all on the same users."""
    population = BetaUsers((1 + theta) / 2, question["spread"] ** 2 / 4)

    def errors():
        sizes = question["sizes"].draw(question["n"], rng)
        means = 2 * population.draw_means(sizes, rng) - 1
        return [option.run(means, sizes, rng=rng).value - theta for option in options]

    return np.square([errors() for _ in range(runs)]).T


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.filterwarnings("ignore::userdp.planning.option.NoGain")
@pytest.mark.parametrize("seed", range(200))
def test_a_plan_foretells_its_error_and_its_first_choice_is_not_beaten(seed):
    question, theta, rng = situation(seed)
    ranking = plan(**question)
    # signs take a thousand times as long as others, and have this test in their own suite
    usable = [option for option in ranking if not option.unused and not option.method.startswith("signs")]
    found, better = squared_errors(usable, question, theta, rng), []
    for option, squares in zip(usable, found, strict=True):
        allowed = 1.0 if option.basis != "formula" else 1.3
        assert squares.sum() / (allowed * option.error) ** 2 < chi2.isf(LEVEL, RUNS), option.method
        sharp = not option.warning  # a prediction that is warned of may be anything
        if sharp:
            assert squares.sum() / (option.error / PESSIMISM) ** 2 > chi2.ppf(LEVEL, RUNS), option.method
        lost = np.mean(squares > max(10 * option.error, 0.1) ** 2)
        assert lost <= np.nan_to_num(option.failure) + 0.01
        if sharp and squares.mean() < found[0].mean():
            better.append(option)
    if better:
        first, *others = squared_errors([usable[0], *better], question, theta, rng, CLOSE).mean(axis=1)
        ratios = {option.method: first / other for option, other in zip(better, others, strict=True)}
        assert all(ratio < 1.25**2 * f.isf(LEVEL, CLOSE, CLOSE) for ratio in ratios.values()), ratios


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 3, 20, 10**6, 10**9])
@pytest.mark.parametrize("size", [1, 10**6, 10**12])
@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 30.0, 700.0])
def test_a_plan_at_the_edges_is_a_plan(n, size, epsilon):
    for trust in ("nobody", "curator"):
        ranking = plan(n=n, sizes=size, epsilon=epsilon, trust=trust)
        assert 0 < ranking[0].error < float("inf") and str(ranking)


def test_a_promise_too_small_by_half_is_noticed():
    question, theta, rng = situation(3)
    best = plan(**question)[0]
    (squares,) = squared_errors([best], question, theta, rng)
    assert squares.sum() / (best.error / 4) ** 2 > chi2.isf(LEVEL, RUNS)


def test_one_round_errors_are_those_of_the_closed_forms():
    local = {one.method: one for one in plan(n=400, sizes=25, epsilon=1.3, spread=0.1)}
    user = 1 / 25 + 0.1**2
    assert local["two-point reports"].error ** 2 == pytest.approx(duchi_mean_risk(0.0, n=400, epsilon=1.3))
    assert local["Laplace reports"].error ** 2 == pytest.approx(laplace_mean_risk(user, n=400, epsilon=1.3))
    central = {one.method: one for one in plan(n=400, sizes=25, epsilon=1.3, trust="curator", domain=(0, 5))}
    average = central["average of all users"]
    released = average.run(np.zeros(400), rng=np.random.default_rng(1))
    assert average.noise == pytest.approx(2**0.5 * released.scale)
    sampled = (average, 2.5**2 / 25), (local["two-point reports"], user), (local["Laplace reports"], user)
    for one, variance in sampled:
        assert one.error**2 - one.noise**2 == pytest.approx(variance / 400)
    for one in plan(n=400, sizes=1, epsilon=9.0, spread=0.5)[:2]:  # of one record: no more than a sign varies
        assert one.assumes == ANY and one.error**2 - one.noise**2 == pytest.approx(1 / 400)


@pytest.mark.parametrize("size, epsilon", [(1, 4.0), (3, 0.5), (3, 2.0), (50, 6.0)])
def test_the_error_of_piecewise_reports_is_that_at_the_worst_mean_of_signs(size, epsilon):
    report, risks = PiecewiseReport(-1.0, 1.0, epsilon), []
    for theta in np.linspace(-1, 1, 41):
        law = sign_means(theta, size)
        noise = law.probabilities @ report.variance(law.values)
        risks.append((noise + law.probabilities @ (law.values - theta) ** 2, noise))
    (row,) = (one for one in plan(n=400, sizes=size, epsilon=epsilon) if one.method == "piecewise reports")
    assert [400 * row.error**2, 400 * row.noise**2] == pytest.approx(max(risks), rel=1e-9)
    assert max(risks)[0] > 1.02 * min(risks)[0]


@pytest.mark.parametrize(
    ("size", "spread", "variance"),
    [(1, 0.0, 1.0), (1, 0.9, 1.0), (4, 0.5, 0.5), (two_point_sizes(1, 4, 0.5), 0.5, 1 / 1.5)],
)
def test_without_privacy_the_error_is_that_of_the_users_means(size, spread, variance):
    """Users of one record have the variance of a sign, the most that there is; others count for more."""
    ranking = plan(n=400, sizes=size, epsilon=1.0, spread=spread)
    assert ranking.without_privacy == pytest.approx(np.sqrt(variance / 400))


def test_the_ranking_is_by_error():
    for trust in ("nobody", "curator"):
        errors = [one.error for one in plan(n=5000, sizes=uniform_sizes(3, 50), epsilon=1.0, trust=trust)]
        assert errors == sorted(errors)


@pytest.mark.parametrize("trust", ["nobody", "curator"])
def test_noise_is_a_part_of_the_error(trust):
    for n in (60, 2000, 100_000):
        for option in plan(n=n, sizes=1000, epsilon=2.0, trust=trust, tails="normal"):
            assert option.unused or 0 < option.noise <= option.error * (1 + 1e-12), option.method


def test_what_is_not_said_is_taken_as_documented():
    """Users differ by a tenth of the domain, and sizes may tell of means; a given spread is not spoken of."""
    asked = {"n": 500, "sizes": two_point_sizes(5, 90, 0.5), "epsilon": 1.0, "domain": (1, 6)}
    found = planning.plan(**asked)
    tell, silent = (plan(**asked, spread=0.5, sizes_tell=told) for told in (True, False))
    errors = [[one.error for one in ranking] for ranking in (found, tell, silent)]
    assert errors[0] == errors[1] != errors[2]
    words = ", spread taken as 0.5, a tenth of the domain, since none is given"
    assert found.question == tell.question + words
    counts = planning.plan(n=500, sizes=5, epsilon=1.0, trust="curator", estimate="histogram", items=3)
    assert "spread" not in counts.question
    assert [counts.without_privacy, counts.guess, counts.least] == [0, 2500, 0]
    users = plan(**asked, target="users")
    assert [users.without_privacy, users.guess, users.least] == [0, 2.5, 0]


@pytest.mark.parametrize("epsilon", [0.002, 0.02, 1.0])
def test_totals_err_by_their_noise_and_by_what_the_cap_leaves_out(epsilon):
    """At each cap: Laplace noise for a user's total, and the records above it, all at one end of [-1, 1]."""
    sizes, share = np.array([1, 40, 2000]), np.array([0.6, 0.39, 0.01])
    law, records = FiniteSizes(sizes, share), 1000 * sizes @ share
    squares = [
        8 * (cap / (records * epsilon)) ** 2 + (1000 * np.maximum(sizes - cap, 0) @ share / records) ** 2
        for cap in sizes
    ]
    (option,) = plan(n=1000, sizes=law, epsilon=epsilon, trust="curator", target="records", domain=(-1, 1))
    assert option.error == pytest.approx(np.sqrt(min(squares)), rel=1e-12)


def test_where_sizes_tell_all_users_count_as_of_their_harmonic_mean():
    laws = [(two_point_sizes(100, 300, 0.5), 150), *((constant_size(m), m) for m in range(90, 130))]
    for law, size in laws:
        asked = Question(9, law, 1.0, 0.0, (0, 5), 0.0, False, "bounded", sizes_tell=True)
        assert asked.weighing_law.values.tolist() == [size]


def test_private_data_are_no_argument():
    names = set(inspect.signature(planning.plan).parameters)
    assert names.isdisjoint({"means", "counts", "data", "values", "rng"})
    assert repr(plan(n=500, sizes=30, epsilon=1.0)) == repr(plan(n=500, sizes=30, epsilon=1.0))


def test_replacing_or_permuting_private_records_cannot_change_a_plan():
    """Not even by what a run leaves behind."""
    question = {"n": 500, "sizes": uniform_sizes(3, 50), "epsilon": 1.0}
    before, rng = plan(**question), np.random.default_rng(3)
    sizes, means = rng.integers(3, 51, 500), rng.random(500)
    for data in ((means, sizes), (means[::-1], sizes[::-1]), (np.ones(500), np.full(500, 50))):
        before[0].run(*data, rng=rng)
        again = plan(**question)
        assert str(again) == str(before) and again[0].parameters.keys() == before[0].parameters.keys()
        assert [option.error for option in again] == [option.error for option in before]


def test_a_law_counted_from_private_sizes_is_refused():
    sizes = [3, 5, 5, 9]
    question = {"n": 100, "epsilon": 1.0, "trust": "curator", "private_sizes": True}
    with pytest.raises(ValueError, match="sizes must not be counted from users"):
        plan(sizes=empirical_sizes(sizes), **question)
    assert plan(sizes=empirical_sizes(sizes, public=True), **question)[0].error < 1
    for tell in (False, True):  # a local guarantee covers the number of records
        question = {"n": 100, "epsilon": 1.0, "spread": 0.1, "sizes_tell": tell}
        with pytest.raises(ValueError, match="sizes must not be counted from users"):
            plan(sizes=empirical_sizes(sizes), **question)
        assert plan(sizes=empirical_sizes(sizes, public=True), **question)[0].error < 1


@pytest.mark.parametrize(("error", "useful"), [(0.4, True), (0.5, True), (0.6, False), (1.1, False)])
def test_a_plan_is_useful_from_half_the_error_of_a_guess(error, useful):
    option = Option("one", "", error, 0.0, 0.0, "exact", "", "")
    assert Ranking((option,), question="", without_privacy=0.1, guess=1.0).useful is useful


def test_no_limit_is_told_where_none_is_known():
    found = ranked([Option("one", "", 0.1, 0.1, 0.0, "exact", "", "")], "", 0.1, 1.0)
    assert "No method can" not in found.advice
    assert "No method can guarantee an error below 0.05." in replace(found, least=0.05).advice


def test_nothing_useful_is_said_aloud():
    poor = plan(n=100, sizes=10, epsilon=0.1)
    assert not poor.useful and "Nothing useful at this budget" in str(poor)
    assert plan(n=100_000, sizes=10, epsilon=1.0).useful


def test_a_method_that_gains_nothing_warns_whatever_the_data_are():
    ranking, rng = plan(n=2000, sizes=1, epsilon=0.5), np.random.default_rng(1)
    signs = next(option for option in ranking if option.method.startswith("signs"))
    for value in (-1.0, 0.3, np.nan):
        with pytest.warns(NoGain, match=f"thresholds errs by {signs.error:.2g}, two-point reports by"):
            signs.run(np.full(2000, value), np.full(2000, 1), rng=rng)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ranking[0].run(np.zeros(2000), np.full(2000, 1), rng=rng)
    poor = plan(n=100, sizes=10, epsilon=0.1)[0]
    with pytest.warns(NoGain, match="a guess without data by 1"):
        poor.run(np.zeros(100), np.full(100, 10), rng=rng)


QUESTIONS = [
    {"tails": "normal"},
    {"trust": "curator", "private_sizes": True, "domain": (0, 5)},
    {"trust": "curator", "estimate": "histogram", "items": 7},
    {"dimension": 37, "epsilon": 2.0},
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_plan_says_all_that_it_knows_in_88_columns(question):
    ranking = plan(**({"n": 3001, "sizes": 1000, "epsilon": 1.0} | question))
    text, html = str(ranking), ranking._repr_html_()
    assert max(map(len, text.splitlines())) <= 88
    flat = " ".join(text.split())
    for option in ranking:
        assert option.title in flat
        for words in (option.method, option.unused or option.estimates, option.assumes):
            assert words in flat and escape(words) in html
    best = ranking[0]
    assert f"{best.error:.2g}" in text and f" {best.basis} " in text and f">{best.basis}<" in html
    lines, usable = text.splitlines(), [one for one in ranking if not one.unused]
    head = next(line for line in lines if line.split()[:2] == ["error", "noise"])
    table = [line for line in lines if len(line) == len(head) and line.split()[0][0].isdigit()]
    cost = best.error / (ranking.without_privacy or ranking.guess)
    written = f"{cost:.3g}" if ranking.without_privacy else f"{cost:.2%}"
    assert len(table) == len(usable) and table[0].endswith(f" {written}"), "columns stand below their heads"
    assert all(f" {one.basis} " in line for one, line in zip(usable, table, strict=True))
    assert " nan " not in text and "in noise" not in text
    terms = [{f"estimates {one.estimates}", f"assumes {one.assumes}"} for one in usable]
    for term in set.union(*terms):  # what all have in common is said once, and all else at each
        holders = sum(term in others for others in terms)
        for shown, told in ((flat, term), (html, escape(term))):
            said = shown.count(told)
            assert said == 1 if holders == len(terms) else said >= holders, term


@pytest.mark.parametrize("dimension, tails", [(2, "normal"), (37, "bounded")])
def test_vectors_get_the_best_of_the_ways_to_share_out_coordinates(dimension, tails):
    n, size, rng = 3001, 1000, np.random.default_rng(8)
    ranking = plan(n=n, sizes=size, epsilon=2.0, dimension=dimension, tails=tails, domain=(2, 7))
    theta = rng.uniform(2.1, 6.9, dimension)
    for option in (one for one in ranking if not one.unused):
        errors = []
        for _ in range(5):
            means = 2 + 5 * rng.binomial(size, (theta - 2) / 5, (n, dimension)) / size
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NoGain)
                found = option.run(means, np.full(n, size), rng=rng)
            assert found.guarantee.epsilon <= 2.0
            errors.append(((found.value - theta) ** 2).sum())
        assert np.sum(errors) / option.error**2 * dimension < chi2.isf(LEVEL, 5 * dimension), option.method


def test_a_curator_answers_for_vectors_at_a_part_of_the_budget_for_each_coordinate():
    n, d, size, rng = 4000, 3, 400, np.random.default_rng(8)
    ranking = plan(n=n, sizes=size, epsilon=3.0, dimension=d, trust="curator", domain=(0, 5))
    theta = np.array([0.7, 2.5, 4.0])
    assert len(ranking) == 2 and not any(one.unused for one in ranking)
    for option in ranking:
        errors = []
        for _ in range(40):
            means = 5 * rng.binomial(size, theta / 5, (n, d)) / size
            found = option.run(means, np.full(n, size), rng=rng)
            assert found.guarantee.epsilon == pytest.approx(3.0) and found.guarantee.trust == "central"
            errors.append(((found.value - theta) ** 2).sum())
        # Laplace noise: the largest of 40 means of squares is within twice what is foretold
        assert 0.2 < np.mean(errors) / option.error**2 < 2, option.method


@pytest.mark.parametrize("trust, least", [("nobody", local_least_risk), ("curator", central_least_risk)])
def test_vectors_are_plans_for_numbers_at_a_part_of_the_users_or_of_the_budget(trust, least):
    """Of either half of the users each coordinate has a fold, of a curator's budget a third; squares add."""
    asked = {"sizes": 1000, "tails": "normal", "domain": (0, 5), "trust": trust}
    n, epsilon = (2 * (3005 // 2 // 3), 2.0) if trust == "nobody" else (3005, 2.0 / 3)
    ranking = plan(n=3005, epsilon=2.0, dimension=3, **asked)
    alone = {one.method: one for one in plan(n=n, epsilon=epsilon, **asked)}
    rows = {row.method.rpartition(",")[0]: row for row in ranking}
    if whole := rows.pop("", None):
        report = CubeReport(3, 2.0).privatise(np.zeros((1, 3)), np.random.default_rng(1))
        assert whole.error**2 == pytest.approx(2.5**2 * (report**2).sum() / 3005, rel=1e-12)
        assert whole.error**2 - whole.noise**2 == pytest.approx(2.5**2 * 3 / 1000 / 3005, rel=1e-9)
    for method, row in rows.items():
        for name in ("error", "noise", "bias"):
            assert getattr(row, name) == pytest.approx(3**0.5 * getattr(alone[method], name), rel=1e-12)
        assert row.failure == pytest.approx(3 * alone[method].failure) and row.failure < 1
    limit = least(constant_size(1000), n=3005, epsilon=2.0)
    scales = [ranking.without_privacy, ranking.guess, ranking.least]
    assert scales == pytest.approx(3**0.5 * 2.5 * np.sqrt([1 / 3005 / 1000, 1, limit]), rel=1e-12)


@pytest.mark.parametrize("private_sizes", [False, True])
def test_the_noise_of_a_weighted_mean_is_what_its_run_asks_for(private_sizes):
    """Of users in the middle, where the centre that is found is the one that was foretold."""
    asked = {"trust": "curator", "private_sizes": private_sizes, "domain": (0, 5), "spread": 0.4}
    ranking = plan(n=5000, sizes=20, epsilon=3.0, **asked)
    (row,) = (one for one in ranking if one.method.startswith(("weighted", "noisy")) and not one.unused)
    made = row.run(np.full(5000, 2.5), np.full(5000, 20), rng=Silent())
    assert row.noise == pytest.approx(2**0.5 * made.scale, rel=1e-9)
    reach = initial_error(0.5, 500, epsilon=2.0 if private_sizes else 3.0, beta=central_methods.BETA)
    lost = 50 * central_methods.BETA * (reach / np.log(2 / central_methods.BETA)) ** 2
    sampled = (2.5**2 / 20 + 0.4**2 * (1 - 1 / 20)) / 4500
    assert row.error**2 - row.noise**2 - lost == pytest.approx(sampled, rel=1e-9)


def test_no_chance_of_failure_is_above_one():
    rows = plan(n=3, sizes=9, epsilon=0.1, trust="curator")
    (row,) = (one for one in rows if one.method.startswith("clipped"))
    assert row.failure == 1 and [by_entry(row, d, whole=True).failure for d in (1, 3)] == [1, 1]
    assert by_entry(replace(row, failure=0.2), 4).failure == 0.8


def test_no_vector_of_equal_weights_is_kept():
    found = mean.uniform_mean(np.full(10**4, 0.3), epsilon=1.0, rng=np.random.default_rng(1))
    assert found.weights.shape == (10**4,) and found.weights.strides == (0,)
    assert found.weights.sum() == pytest.approx(1)


def test_a_plan_takes_few_trials_whatever_is_asked(monkeypatch):
    """Seconds differ between machines; a trial does not: 700 of them took a tenth of one."""
    trials, bound = [], improved_plan._bound
    monkeypatch.setattr(improved_plan, "_bound", lambda *what: trials.append(1) or bound(*what))
    for n, sizes in ((10**4, 1000), (10**8, 10**8), (10**5, PowerLawSizes(1, 10**6, 0.5))):
        trials.clear()
        plan(n=n, sizes=sizes, epsilon=1.0)
        assert 20 < len(trials) < 2000


def test_errors_are_in_the_units_of_the_domain():
    unit, ratings = (plan(n=5000, sizes=20, epsilon=1.0, domain=ends) for ends in ((-1, 1), (0, 5)))
    assert [option.error * 2.5 for option in unit] == pytest.approx([option.error for option in ratings])


def test_an_unusable_method_keeps_its_reason_and_does_not_run():
    last = plan(n=1000, sizes=uniform_sizes(3, 9), epsilon=1.0)[-1]
    assert last.unused and last.unused in str(plan(n=1000, sizes=uniform_sizes(3, 9), epsilon=1.0))
    assert (last.error, last.noise, last.failure) == (np.inf, np.inf, 1)
    with pytest.raises(ValueError, match="with these numbers it is one round of reports"):
        last.run(np.zeros(1000), rng=np.random.default_rng(1))


def test_a_fold_keeps_the_means_and_sizes_of_its_users_together():
    sizes, seen = np.arange(1, 31), []

    def estimator(means, own, *, offset):
        np.testing.assert_array_equal(means % 100, own)
        seen.append(own)
        return Release(float(means[0] // 100) + offset, nothing_spent())

    means = sizes[:, None] + 100 * np.arange(3)
    assert in_folds(estimator, means, sizes, offset=5).value.tolist() == [5, 6, 7]
    assert sorted(np.concatenate(seen)) == sizes.tolist()


@pytest.mark.parametrize("trust, options", [
    ("nobody", {}), ("curator", {}), ("curator", {"private_sizes": True}), ("nobody", {"dimension": 3}),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore::userdp.planning.option.NoGain")
def test_a_released_mean_lies_in_its_domain_and_is_no_worse_for_it(trust, options):
    """At a budget at which what is released would often lie outside."""
    ranking = plan(n=150, sizes=9, epsilon=0.3, trust=trust, domain=(0, 5), **options)
    outside = False
    for option in (one for one in ranking if not one.unused):
        means = np.full((150, options.get("dimension", 1)), 4.9).squeeze()
        for seed in range(9):
            found = option.run(means, np.full(150, 9), rng=np.random.default_rng(seed)).value
            assert np.all((found >= 0) & (found <= 5)), option.method
            rng = np.random.default_rng(seed)
            as_sent = option.call(means, np.full(150, 9), rng=rng, **option.parameters)
            assert np.all(abs(found - 4.9) <= abs(as_sent.value - 4.9))
            outside |= bool(np.any(as_sent.value != found))
    assert outside


# --- few users: an estimate shrunk to the middle


@given(st.floats(1e-4, 30), st.floats(0, 1))
def test_no_other_part_of_an_estimate_has_a_smaller_bound(variance, fraction):
    falls, parts = fraction * min(variance, 1.0), np.linspace(0, 1, 2001)
    keep, risk = shrinking(variance, falls)

    def bound(c):
        at_ends = c**2 * (variance - falls) + (1 - c) ** 2
        worse = at_ends > (variance - falls) * (1 + 1e-9)  # than the estimate as it is
        return np.where(worse, np.inf, np.maximum(c**2 * variance, at_ends))

    best = bound(parts).min()
    if keep == 1:
        assert risk == variance and best >= LITTLE * variance * (1 - 1e-3)
    else:
        assert risk == pytest.approx(bound(keep), rel=1e-12) and risk <= best * (1 + 1e-12)
        assert best <= risk * 1.01 and risk < LITTLE * variance


@pytest.mark.parametrize("target", ["population", "users"])
@pytest.mark.parametrize("n, epsilon, m", [(20, 1.0, 1), (100, 0.3, 5), (10, 1.0, 2), (40, 4.0, 9)])
@pytest.mark.filterwarnings("ignore::userdp.planning.option.NoGain")
def test_the_error_of_few_users_is_right_at_the_worst_mean(n, epsilon, m, target):
    """By the exact variance of each report for signs of every mean; of two points the bound is attained."""
    known = {"sizes": m, "epsilon": epsilon, "target": target, "spread": 0.0}
    thetas, reports = np.linspace(-1, 1, 41), (TwoPointReport, PiecewiseReport, LaplaceReport)
    errors = {one.method: one for one in plan(n=n, **known)}
    for name, kind in zip(
        ("two-point reports", "piecewise reports", "Laplace reports"), reports, strict=True
    ):
        option, risks = errors[name], []
        keep = option.call.keywords.get("keep", 1.0)
        for theta in thetas:
            law = sign_means(theta, m)
            values = law.values if target == "population" else np.array([theta])
            chances = law.probabilities if target == "population" else np.ones(1)
            noise = chances @ np.broadcast_to(kind(-1.0, 1.0, epsilon).variance(values), values.shape)
            spread = chances @ (values - theta) ** 2
            risks.append(keep**2 * (noise + spread) / n + (1 - keep) ** 2 * theta**2)
        assert max(risks) <= option.error**2 * (1 + 1e-9)
        assert option.noise <= option.error and option.bias == 1 - keep
        if kind is TwoPointReport:
            assert max(risks) == pytest.approx(option.error**2, rel=1e-9)
            assert (option.error < 0.999 / np.tanh(epsilon / 2) / np.sqrt(n)) == (keep < 1)
        assert (option.basis == "bound") == (keep < 1) == bool(option.setting) == (epsilon < 4)


@pytest.mark.parametrize("epsilon", [0.5, 3.0])
@pytest.mark.parametrize("small", [0.3, 0.6])
def test_where_sizes_tell_the_worst_users_are_small_in_the_middle_and_large_at_an_end(small, epsilon):
    """One record at 0, which is a sign, and very many at 1: the error foretold is attained."""
    law, spread = two_point_sizes(1, 10**9, 1 - small), np.sqrt(small * (1 - small))
    known = {"n": 5000, "sizes": law, "epsilon": epsilon, "spread": spread, "rounds": 1}
    found = [
        next(one.error**2 for one in plan(sizes_tell=told, **known) if one.method == "piecewise reports")
        for told in (True, False)
    ]
    means, chances = np.array([-1, 1, 1]), np.array([small / 2, small / 2, 1 - small])
    noise = PiecewiseReport(-1.0, 1.0, epsilon).variance(means)
    variance = chances @ (noise + means**2) - (chances @ means) ** 2
    assert variance / 5000 == pytest.approx(found[0], rel=1e-6)
    assert found[1] < (1 - 1e-3) * found[0], "where sizes tell nothing the error is smaller"


def test_where_sizes_tell_no_mean_varies_by_more_than_its_domain():
    """Latent means 0 of one record and -1 or 1 of two: every user's own mean is at an end."""
    ranking = plan(n=5000, sizes=two_point_sizes(1, 2, 0.5), epsilon=2.0, spread=0.9, sizes_tell=True)
    (row,) = (one for one in ranking if one.method == "piecewise reports")
    assert row.error**2 == pytest.approx((PiecewiseReport(-1.0, 1.0, 2.0).variance(1.0) + 1) / 5000)


@pytest.mark.filterwarnings("ignore::userdp.planning.option.NoGain")
def test_an_estimate_of_few_users_is_shrunk_to_the_middle_and_its_interval_stays():
    option = plan(n=30, sizes=5, epsilon=0.5, domain=(-2, 8), spread=0)[0]
    means, keep = np.full(30, 0.0), option.call.keywords["keep"]
    found = option.run(means, np.full(30, 5), rng=np.random.default_rng(1))
    plain = duchi_mean(means, epsilon=0.5, domain=(-2, 8), rng=np.random.default_rng(1))
    assert keep < 0.9 and found.value == np.clip(3 + keep * (plain.value - 3), -2, 8)
    assert found.sent == plain.value and found.interval() == plain.interval()
    assert f"{keep:.2g} of its distance from the middle" in option.setting
    assert plan(n=3000, sizes=5, epsilon=0.5, rounds=1)[0].setting == "", "many users gain nothing"


@pytest.mark.filterwarnings("ignore::userdp.planning.option.NoGain")
def test_a_released_count_is_not_negative():
    best = plan(n=50, sizes=3, epsilon=0.1, trust="curator", estimate="histogram", items=40)[0]
    nothing = np.zeros((50, 40))
    found = best.run(nothing, rng=np.random.default_rng(1)).value
    as_sent = best.call(nothing, rng=np.random.default_rng(1), **best.parameters).value
    assert found.min() == 0 < found.max() and as_sent.min() < 0
    assert found.sum() < 0.7 * abs(as_sent).sum()


def test_an_option_prints_no_function():
    """Which prints as an address that no two runs share; nor after a run."""
    ranking = plan(n=1000, sizes=9, epsilon=1.0)
    ranking[0].run(np.zeros(1000), rng=np.random.default_rng(1))
    assert not any("call" in repr(option) for option in ranking)


def test_a_histogram_counts_as_many_records_as_pay():
    law, n, items, rng = PowerLawSizes(1, 1000, 0.2), 2000, 30, np.random.default_rng(5)
    best = plan(n=n, sizes=law, epsilon=0.5, trust="curator", estimate="histogram", items=items)[0]
    errors = []
    for _ in range(RUNS):
        counts = rng.multinomial(law.draw(n, rng), np.full(items, 1 / items))
        errors.append(abs(best.run(counts, rng=rng).value - counts.sum(axis=0)).sum())
    assert np.mean(errors) == pytest.approx(best.error, rel=0.25)
    assert 1 < best.parameters["bound"] < law.largest and best.basis == "bound"
    options = plan(n=n, sizes=law, epsilon=0.5, trust="curator", estimate="histogram", items=items)
    assert next(one for one in options if one.method == "every record").basis == "exact"


@pytest.mark.parametrize("n, theta", [(60, 0.137), (100, 0.0), (200, -0.43)])
@pytest.mark.parametrize("half_width", [0.05, 0.12, 0.3])
def test_the_bound_encloses_the_exact_risk(n, theta, half_width):
    law = sign_means(theta, 300)
    known = {"n": n, "epsilon": 2.0, "half_width": half_width}
    exact, bound = localised_risk(law, **known), localised_bound(law, **known)
    assert exact[0] <= bound[0] * (1 + 1e-12) and exact[1] <= bound[1] + 1e-12
    assert bound[0] < 3 * exact[0] or bound[1] > 1e-3


@pytest.mark.parametrize("epsilon", [2.0, 3.0])
def test_a_vote_fails_as_often_on_either_side(epsilon):
    """With 301 records no mean lies on an edge, which belongs to the right."""
    sides = [
        localised_bound(sign_means(s, 301), n=200, epsilon=epsilon, half_width=0.05) for s in (0.31, -0.31)
    ]
    assert sides[0] == pytest.approx(sides[1], rel=1e-9)
    assert 0 < sides[0][1] < 1


def test_the_calibrated_width_beats_that_of_the_proofs():
    width, risk, failure = calibrated_half_width(n=10_000, size=1000, epsilon=1.0)
    law = sign_means(0.3, 1000)
    printed, _ = localised_bound(law, n=10_000, epsilon=1.0, half_width=0.19)
    assert 50 * risk < printed and failure < 1e-6 and 0.01 < width < 0.05
    places = [sign_means(width * (1 + k / 4), 1000) for k in range(8)]  # a bin is two half-widths wide
    at = [localised_bound(place, n=10_000, epsilon=1.0, half_width=width) for place in places]
    assert (risk, failure) == pytest.approx(np.max(at, axis=0), rel=1e-9)
    assert Signs(0.3).mean == law.theta


@pytest.mark.long
@pytest.mark.parametrize("tails", ["bounded", "normal"])
@pytest.mark.parametrize("n", [60, 200, 1000, 5000])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.0, 4.0])
def test_no_recommended_method_may_lose_a_run_in_a_hundred(n, epsilon, tails):
    for size in (10, 300, 10**4):
        first = plan(n=n, sizes=size, epsilon=epsilon, tails=tails)[0]
        assert not first.failure > 0.01 and not first.unused


def test_what_may_lose_runs_comes_after_what_does_not():
    safe, bold = (
        Option(name, "", error, 0.0, failure, "bound", "", "")
        for name, error, failure in (("safe", 0.3, 0.0), ("bold", 0.2, 0.02))
    )
    assert [one.method for one in ranked([bold, safe], "", 0.1, 1.0)] == ["safe", "bold"]


@pytest.mark.parametrize("error, first", [(0.203, "free"), (0.205, "bound")])
def test_an_assumption_must_be_worth_two_per_cent(error, first):
    free, bound = (
        Option(name, "", error, 0.0, 0.0, "bound", assumes, "")
        for name, error, assumes in (("free", error, ANY), ("bound", 0.2, "normal tails"))
    )
    assert ranked([free, bound], "", 0.1, 1.0)[0].method == first


@pytest.mark.statistical
def test_where_sizes_tell_of_means_nobody_is_weighed_by_size():
    """Larger users have larger means: weights by size miss the mean of means by several errors."""
    law, n = uniform_sizes(60, 4000), 20_000
    question = {"n": n, "sizes": law, "epsilon": 2.0, "spread": 0.1}
    rng = np.random.default_rng(12)
    sizes = law.draw(n, rng)
    own = 0.1 * (sizes - sizes.mean()) / sizes.std()
    means = 2 * rng.binomial(sizes, (1 + own) / 2) / sizes - 1
    blind, wary = (plan(sizes_tell=told, **question) for told in (False, True))
    assert "sizes say nothing about means" in blind[0].assumes and "sizes" not in wary[0].assumes
    errors = [abs(one[0].run(means, sizes, rng=rng).value - own.mean()) for one in (blind, wary)]
    assert wary[0].method == blind[0].method == "improved mean" and errors[1] < 5 * wary[0].error
    curator = plan(trust="curator", sizes_tell=True, **question)
    unweighed = ["average of all users", "clipped mean about a private window"]
    assert [one.method for one in curator if not one.unused] == unweighed
    assert all(one.estimates == "the mean of the users' latent means" for one in curator if not one.unused)


@pytest.mark.statistical
@pytest.mark.parametrize("least", [20, 50])
def test_a_local_bound_holds_where_sizes_tell_all_of_means(least):
    """Users of the largest size hold the larger latent means; few records of some do not lose all."""
    law, spread, n, runs = FiniteSizes([least, 300, 4000], [0.02, 0.48, 0.5]), 0.05, 20_000, 200
    ranking = plan(n=n, sizes=law, epsilon=1.5, spread=spread, sizes_tell=True)
    (row,) = (one for one in ranking if one.method == "improved mean")
    rng, found = np.random.default_rng(8), []
    for _ in range(runs):
        sizes = law.draw(n, rng)
        own = 0.2 + np.where(sizes > 300, spread, -spread)
        found.append(row.run(2 * rng.binomial(sizes, (1 + own) / 2) / sizes - 1, sizes, rng=rng).value - 0.2)
    assert row is ranking[0]
    assert np.square(found).sum() / row.error**2 < chi2.isf(LEVEL, runs)
    assert not 25 * np.square(found).sum() / row.error**2 < chi2.isf(LEVEL, runs)


def test_the_windows_that_are_foretold_are_those_of_the_estimator(monkeypatch):
    """Half of the chance that something fails is left to them, the other half to the centre."""
    chances = []
    for module in (central_methods, mean):
        spy = partial(spied, module.window, chances)
        monkeypatch.setattr(module, "window", spy)
    plan(n=500, sizes=9, epsilon=1.0, trust="curator", spread=0.1)
    known = {"epsilon": 1.0, "beta": central_methods.BETA, "rng": np.random.default_rng(1)}
    realistic_mean(np.full(500, 0.5), np.full(500, 9), **known)
    assert len(chances) >= 2 and {*chances} == {central_methods.BETA / 2}


def spied(inner, chances, *places, beta, **options):
    chances.append(beta)
    return inner(*places, beta=beta, **options)


def test_each_method_of_a_curator_says_itself_why_it_is_not_used():
    """Each is asked where it cannot be used: its name, and the reason that is its own."""
    asked = {"n": 5000, "sizes": 20, "epsilon": 3.0, "trust": "curator"}
    weighted, quotient = "weighted mean of clipped users", "noisy quotient of weighted sums"
    for change, expected in (
        ({}, {quotient: "public sizes allow more"}),
        ({"private_sizes": True}, {weighted: "needs public sizes"}),
        ({"n": 99}, {weighted: "needs 100 users for its private steps", quotient: "public sizes allow more"}),
        (
            {"private_sizes": True, "n": 99},
            {weighted: "needs public sizes", quotient: "needs 100 users for its private steps"},
        ),
    ):
        ranking = plan(**asked | change)
        assert {option.method: option.unused for option in ranking if option.unused} == expected


def test_one_record_a_user_loses_all_others_whatever_the_sizes_are():
    ranking = plan(n=1000, sizes=30, epsilon=1.0, trust="curator", estimate="histogram", items=4)
    (one,) = (option for option in ranking if option.method == "one record per user")
    assert one.setting == "bound 1" and one.bias == 29 * 1000


def test_the_title_counts_coordinates_where_there_are_several():
    one, three = (str(plan(n=100, sizes=5, epsilon=1.0, dimension=d)).splitlines()[0] for d in (1, 3))
    assert "coordinates" not in one and three.endswith(", 3 coordinates")


# --- formulas, from their parts -------------------------------------------------------------------------


@pytest.mark.parametrize("private_sizes, n, epsilon, rare", [
    (False, 5009, 1.0, 0.01), (False, 100, 0.3, 0.3), (True, 5009, 1.0, 0.01), (True, 5009, 1.0, 0.002),
    (True, 200, 5.0, 0.3), (True, 5000, 0.3 * np.log(5000) * (1 - 1e-9), 0.004),
    (True, 5000, 0.3 * np.log(5000) * (1 + 1e-9), 0.004),
])  # fmt: skip
def test_the_error_of_users_of_unequal_sizes_is_the_sum_of_its_parts(private_sizes, n, epsilon, rare):
    """On [0, 1] about the middle: of nine tenths of the users, the sizes capped where they are private."""
    sizes, chances, beta = np.array([20.0, 300.0, 4000.0]), np.array([0.6, 0.4 - rare, rare]), 1e-4
    asked = {"n": n, "epsilon": epsilon, "trust": "curator", "private_sizes": private_sizes}
    ranking = plan(sizes=FiniteSizes(sizes.astype(int), chances), spread=0.4, domain=(0, 5), **asked)
    (row,) = (one for one in ranking if one.method.startswith(("weighted", "noisy")) and not one.unused)
    step, first = (epsilon / 3, 2 * epsilon / 3) if private_sizes else (epsilon, epsilon)
    if private_sizes:  # as many users as the rank of the cap are expected to hold so much
        sizes = np.minimum(sizes, sizes[n * np.cumsum(chances[::-1])[::-1] >= 2 * np.log(n) / step].max())
    variance = 0.25 / sizes + (1 - 1 / sizes) * 0.08**2
    reach = initial_error(0.5, n // 10, epsilon=first, beta=beta)
    half = reach + mean.window(sizes, n, mean=0.5, variance=0.08**2, beta=beta / 2)
    if private_sizes:
        weights = 1 / variance / (0.9 * n * chances @ (1 / variance))
        scale = 2 * np.max(weights * half) / step
    else:
        half = np.minimum(half, 0.5)
        weights = optimal_weights(variance, 2 * half, epsilon=step, counts=0.9 * n * chances).value
        scale = np.max(weights * 2 * half) / step
    sampled, lost = 0.9 * n * chances @ (weights**2 * variance), 2 * beta * (reach / np.log(2 / beta)) ** 2
    assert row.noise == pytest.approx(5 * 2**0.5 * scale, rel=1e-9)
    assert row.error == pytest.approx(5 * np.sqrt(sampled + 2 * scale**2 + lost), rel=1e-9)
    assert (row.failure, row.basis, row.parameters["variance"]) == (beta, "formula", 0.4**2)
    assert row.parameters.get("largest_size", 4000) == 4000


def test_a_total_drowns_where_its_noise_is_more_than_a_tenth_of_it():
    """The total of 90 users of equal weights, at a third of the budget."""
    for epsilon, drowned in ((0.2, True), (1 / 3 - 1e-9, True), (1 / 3 + 1e-9, False)):
        ranking = plan(n=100, sizes=20, epsilon=epsilon, spread=0.3, trust="curator", private_sizes=True)
        (row,) = (one for one in ranking if one.method.startswith("noisy"))
        assert row.unused == "its noise would exceed a tenth of its total" * drowned


@pytest.mark.parametrize("spread", [0.1, 0.6])
@pytest.mark.parametrize("size, epsilon", [(1, 4.0), (3, 0.5), (50, 6.0)])
def test_the_error_of_piecewise_reports_counts_how_much_own_means_differ(size, epsilon, spread):
    """The worst are own means a deviation about 0, or all at the ends of the domain."""
    report, risks = PiecewiseReport(-1.0, 1.0, epsilon), []
    up = (1 + np.sqrt(1 - spread**2)) / 2
    for own, chances in (((-spread, spread), (0.5, 0.5)), ((-1.0, 1.0), (1 - up, up))):
        parts = [(p, sign_means(one, size)) for p, one in zip(chances, own, strict=True)]
        noise = sum(p * law.probabilities @ report.variance(law.values) for p, law in parts)
        square = sum(p * law.probabilities @ law.values**2 for p, law in parts)
        risks.append((noise + square - np.dot(chances, own) ** 2, noise))
    asked = {"n": 400, "sizes": size, "epsilon": epsilon, "spread": spread}
    rows = [
        next(one for one in plan(**asked, target=target) if one.method == "piecewise reports")
        for target in ("population", "users")
    ]
    assert [400 * rows[0].error ** 2, 400 * rows[0].noise ** 2] == pytest.approx(max(risks), rel=1e-9)
    worst = report.variance([0.0, 1.0]).max()  # of users whose means are what they are
    assert [400 * rows[1].error ** 2, 400 * rows[1].noise ** 2] == pytest.approx([worst, worst], rel=1e-9)


def test_of_these_users_average_only_what_privacy_adds_is_an_error():
    asked = {"n": 400, "sizes": 25, "epsilon": 1.3, "spread": 0.1}
    for trust, methods in (("nobody", ("two-point", "Laplace")), ("curator", ("average",))):
        for row in plan(**asked, trust=trust, target="users"):
            assert row.unused or not row.method.startswith(methods) or row.error == row.noise
    # what is known about the population's mean is off by their sampling, too
    rows = [
        {one.method: one for one in plan(**asked | {"n": 40_000}, target=target)}
        for target in ("population", "users")
    ]
    for name in ("improved mean", "signs at moving thresholds"):
        sampled = np.sqrt((1 / 25 + 0.1**2) / 40_000)
        assert rows[1][name].error == pytest.approx(rows[0][name].error + sampled, rel=1e-9)
        assert rows[1][name].noise == pytest.approx(rows[0][name].noise)


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("tails", ["normal", "bounded"])
def test_a_row_of_the_improved_mean_is_the_bound_of_its_plan(tails, told):
    """Where sizes tell, of users of 180 records, the harmonic mean, with the tails of any."""
    law, asked = two_point_sizes(100, 900, 0.5), {"n": 20_000, "epsilon": 1.5, "tails": tails, "spread": 0.2}
    rows = plan(sizes=law, domain=(0, 5), sizes_tell=told, **asked)
    row = next(one for one in rows if one.method == "improved mean")
    best, weighing = row.parameters["plan"], constant_size(180) if told else law
    shape = improved_plan.mixture(law, 0.08, tails, np.hypot(180**-0.5, 0.08)) if told else tails
    bound = improved_plan._bound(best, weighing, 1.5, shape)
    assert told or bound == improved_plan.risk_bound(best, size_law=law, epsilon=1.5, tails=tails)
    assert row.parameters["size_law"].values.tolist() == weighing.values.tolist()
    means = "users' means are normal", "latent means with normal tails of deviation 0.2"
    assert row.assumes == means[tails == "bounded"] + "; sizes say nothing about means" * (not told)
    assert (row.failure, row.rounds) == (bound.failure, (best.voters > 0) + len(best.rounds))
    assert best.voters + sum(one.users for one in best.rounds) == 20_000
    noise = bound.variance - ((1 / 100 + 1 / 900) / 2 + 0.08**2) / 20_000
    wanted = [bound.risk**0.5, noise**0.5, bound.bias]
    assert [row.error, row.noise, row.bias] == pytest.approx(2.5 * np.array(wanted), rel=1e-9)
    words = f"{best.voters} users vote at half-width {best.half_width:.2g}, " if best.voters else ""
    assert row.setting == f"{words}{len(best.rounds)} round{'s' * (len(best.rounds) > 1)} of reports"


def test_a_row_of_signs_is_its_formula_less_the_sampling():
    law, asked = two_point_sizes(100, 900, 0.5), {"n": 20_000, "epsilon": 1.5, "tails": "normal"}
    (row,) = (one for one in plan(sizes=law, domain=(0, 5), spread=0.2, **asked) if "signs" in one.method)
    found = sign_risk(size_law=law, spread=0.08, **asked)
    noise = (found.risk**0.5 - found.bias) ** 2 - ((1 / 100 + 1 / 900) / 2 + 0.08**2) / 20_000
    wanted = 2.5 * np.array([found.risk**0.5, noise**0.5, found.bias])
    assert [row.error, row.noise, row.bias] == pytest.approx(wanted, rel=1e-9)
    assert np.isnan(row.failure) and row.rounds == local_methods.ROUNDS
    assert row.parameters == {"size_law": law, "epsilon": 1.5, "domain": (0, 5), "spread": 0.2}


def test_a_plan_in_few_rounds_is_the_best_of_so_many():
    """Of one round nothing is left to plan; beyond three none is tried."""
    found = {}
    for rounds in (1, 2, 3, 4, None):
        rows = plan(n=20_000, sizes=400, epsilon=1.0, rounds=rounds)
        (row,) = (one for one in rows if one.method == "improved mean")
        found[rounds] = row.error
        assert row.rounds <= (rounds or 3) and row.assumes == ONE_LAW * (not row.unused)
        assert row.unused == "needs more than one round, and rounds is 1" * (rounds == 1)
    assert found[3] == found[4] == found[None] < found[2] < found[1] == np.inf


def test_no_users_mean_deviates_by_more_than_half_of_the_domain():
    found = Users(9, two_point_sizes(1, 400, 0.5), 0.3, "bounded").deviations
    assert found == pytest.approx([1.0, np.sqrt(1 / 400 + 0.09)], rel=1e-15)


@pytest.mark.parametrize("law, tails, weighed", [
    (constant_size(9), "bounded", False), (constant_size(10), "normal", False),
    (two_point_sizes(9, 90, 0.5), "bounded", True),
])  # fmt: skip
def test_a_row_of_the_clipped_mean_is_the_bound_of_its_window(law, tails, weighed):
    """From ten records on means are taken for normal."""
    asked = {"n": 2000, "sizes": law, "epsilon": 0.8, "spread": 0.25, "domain": (0, 5), "trust": "curator"}
    (row,) = (one for one in plan(**asked) if one.method.startswith("clipped"))
    how, bound = choose_clipping(Users(2000, law, 0.1, tails), epsilon=0.8, weighed=weighed)
    wanted = 2.5 * np.array([bound.risk**0.5, bound.noise**0.5, bound.clipping, how.window, how.reach])
    window, reach = row.parameters["window"], row.parameters["reach"]
    assert [row.error, row.noise, row.bias, window, reach] == pytest.approx(wanted, rel=1e-9)
    assert (row.failure, row.parameters["share"]) == (bound.failure, how.share)
    assert row.basis == ("formula" if weighed else "bound")
    assert row.setting == f"window {window:.2g}, clipped beyond {reach:.2g}"
    own = {"sigmas": how.sigmas, "variance": 0.25**2} if weighed else {}
    assert {name: row.parameters.get(name) for name in own} == own


def test_a_histogram_loses_what_lies_above_the_bound_and_gains_noise_with_it():
    sizes, chances, items, found = np.array([5, 7, 60]), np.array([0.5, 0.4, 0.1]), 3, set()
    for epsilon, delta in ((0.02, 0.0), (0.1, 0.0), (5.0, 0.0), (0.2, 1e-6)):
        budget = {"epsilon": epsilon, "delta": delta, "neighbours": "add-remove"}
        asked = {"trust": "curator", "estimate": "histogram", "n": 100, "items": items, **budget}
        per_bound = histogram.noise_mass(items, **budget)
        costs = {x: 100 * np.maximum(sizes - x, 0) @ chances + per_bound * x for x in (1, *sizes.tolist())}
        bounds = {"best bound": min(costs, key=costs.get), "one record per user": 1, "every record": 60}
        rows = {row.method: row for row in plan(sizes=FiniteSizes(sizes, chances), **asked)}
        assert rows.keys() == bounds.keys()
        for method, bound in bounds.items():
            row, noise = rows[method], per_bound * bound
            assert [row.error, row.noise] == pytest.approx([costs[bound], noise], rel=1e-12)
            assert row.bias == pytest.approx(costs[bound] - noise, abs=1e-9) and row.failure == 0
            assert (row.basis == "exact") == (bound == 60 and not delta)
            assert row.parameters == {"bound": bound, **budget}
        found.add(bounds["best bound"])
    assert {7, 60} <= found


def an_option(method, error, **change):
    return replace(Option(method, "", error, 0.0, 0.0, "bound", "", ""), **change)


def test_a_ranking_turns_where_it_says_and_not_before():
    """Lost runs from more than 1 in 100, a sure method to 2 % more, a warning from more than twice."""
    best, tiny = an_option("best", 0.5), 1 + 1e-9
    for failure, first in ((0.01, "bold"), (0.01 * tiny, "best")):
        assert ranked([best, an_option("bold", 0.2, failure=failure)], "", 0.1, 9.0)[0].method == first
    for error, first in ((0.51, "sure"), (0.51 * tiny, "best")):
        assert ranked([best, an_option("sure", error, assumes=ANY)], "", 0.1, 9.0)[0].method == first
    for error, warned in ((1.0, ""), (tiny, "other errs by 1, best by 0.5")):
        assert ranked([best, an_option("other", error)], "", 0.1, 9.0)[1].warning == warned
    for guess, warned in ((1.0, ""), (1 / tiny, "best errs by 0.5, a guess without data by 1")):
        found = ranked([best], "what", 0.1, guess)
        assert found[0].warning == warned
        assert (found.question, found.without_privacy, found.guess) == ("what", 0.1, guess)
    assert not ranked([best, an_option("none", np.inf, unused="why")], "", 0.1, 9.0)[1].warning


def test_methods_that_need_users_have_just_enough():
    for n, why in ((14, "needs 15 users, one per round"), (15, "")):
        rows = plan(n=n, sizes=9, epsilon=1.0)
        assert next(one for one in rows if one.method.startswith("signs")).unused == why
    for n, why in ((11, "needs 12 users"), (12, "")):
        rows = [one for one in plan(n=n, sizes=9, epsilon=1.0, dimension=3) if "one coordinate" in one.method]
        assert {one.unused for one in rows if "improved" not in one.method} <= {why}
        assert any("two-point reports" in one.method for one in rows) == (n == 12)
    for size, why in ((10**8, ""), (10**8 + 1, "its grid is for 100,000,000 records at most")):
        rows = plan(n=50, sizes=size, epsilon=1.0)
        assert next(one for one in rows if one.method.startswith("signs")).unused == why


@pytest.mark.parametrize("vote_size", [1, 777, 10**7])
def test_sizes_are_rounded_down_to_few_and_no_chance_is_lost(vote_size):
    law = PowerLawSizes(3, 10**6, 0.3)
    cells = improved_plan.size_cells(law, vote_size)
    assert cells.values.size <= improved_plan.CELLS + 1 and cells.values[[0, -1]].tolist() == [3, law.largest]
    assert np.clip(vote_size, 3, law.largest) in cells.values
    tail = np.cumsum(cells.probabilities[::-1])[::-1]
    assert tail == pytest.approx(law.survival(cells.values), rel=1e-9)
    few, many = (FiniteSizes(np.arange(1, k), np.full(k - 1, 1 / (k - 1))) for k in (49, 50))
    assert improved_plan.size_cells(few, 60).values.tolist() == few.values.tolist()
    assert improved_plan.size_cells(many, 60).values.size < 49


def test_voters_are_worth_their_squared_fraction_times_their_records():
    """0.36 times 10, 0.0729 times 100 and 0.0025 times 1,000 are 3.6, 7.29 and 2.5."""
    law = FiniteSizes([1, 10, 100, 1000], [0.4, 0.33, 0.22, 0.05])
    assert improved_plan._vote_sizes(law) == [100, 10]


@pytest.mark.parametrize("trust", ["nobody", "curator"])
@pytest.mark.parametrize(("silent", "mean"), [("abstain", 0.70), ("low", 0.56)])
def test_who_has_no_records_abstains_or_counts_as_was_said(trust, silent, mean):
    """A fifth of the users; a plan that is told the same keeps its error. False alarms: 1e-11."""
    records = {"who": np.repeat(np.arange(20_000), 2), "x": np.tile([0.6, 0.8], 20_000)}
    records["x"][:8_000] = np.nan
    rng = np.random.default_rng(1)
    read = partial(user_means, records, user="who", value="x", domain=(0, 1), missing="drop", rng=rng)
    with pytest.raises(ValueError, match="silent must be 'abstain' or 'low'"):
        read()
    users = read(silent=silent)
    sizes = 2 if silent == "abstain" else two_point_sizes(1, 2, 0.8)
    known = {"n": len(users.means), "sizes": sizes, "epsilon": 2.0, "domain": (0, 1), "target": "users"}
    best = next(one for one in plan(trust=trust, **known) if one.assumes == ANY)
    assert best.error < 0.006 and abs(best.run(users, rng=rng).value - mean) < 20 * best.error
