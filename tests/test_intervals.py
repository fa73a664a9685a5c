"""An interval holds the average of the users' data with its probability at least, by exact computation."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy import integrate, stats

from fakes import Silent
from userdp._exact import on_grid
from userdp._intervals import SAFE
from userdp.central import record_mean, uniform_mean
from userdp.local import duchi_mean, improved_mean, laplace_mean, localised_mean
from userdp.local.improved import Plan, Round
from userdp.planning import plan
from userdp.planning.local_methods import ANY
from userdp.privacy import LaplaceReport, MeanEstimate, TwoPointReport
from userdp.privacy.guarantee import nothing_spent
from userdp.release import Secure
from userdp.sizes import constant_size


def coverage(report, means, limits):
    """Probability that an interval holds the average of the users' means."""
    n, law = len(means), np.ones(1)
    for upper in report._upper(means):
        law = np.convolve(law, [1 - upper, upper])
    values = report.centre + report.magnitude * (2 * np.arange(n + 1) / n - 1)
    held = [low <= np.mean(means) <= high for low, high in map(limits, values)]
    return law @ held


def wald(report, n):
    """The usual normal interval, which has no guarantee."""

    def limits(value):
        error = np.sqrt(max(report.magnitude**2 - value**2, 0.0) / n)
        return value - 1.96 * error, value + 1.96 * error

    return limits


def test_two_point_intervals_hold_in_every_situation():
    """Users unlike each other, at the ends and in between; the control fails in many of these."""
    rng, short = np.random.default_rng(1), 0
    for _ in range(200):
        n, epsilon, level = int(rng.integers(1, 40)), rng.uniform(0.1, 6), rng.choice([0.5, 0.8, 0.95, 0.999])
        means = rng.choice([-1.0, 1.0, rng.uniform(-1, 1)], n, p=rng.dirichlet(np.ones(3)))
        report = TwoPointReport(-1.0, 1.0, epsilon)
        error = report.error(n)
        made = lambda value: MeanEstimate(value, report.guarantee, error=error).interval(level)  # noqa: B023, E731
        assert coverage(report, means, made) >= level
        short += level == 0.95 and coverage(report, means, wald(report, n)) < level
    assert short > 10


@pytest.mark.parametrize("n", [1, 2, 30])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_two_point_limits_are_those_of_clopper_and_pearson_one_report_away_and_within_the_reports(n, level):
    """In shares of the reports that are high; from SciPy, but for what is added for rounding."""
    report = TwoPointReport(-1.0, 1.0, 0.5)
    for k in range(n + 1):
        value = report.centre + report.magnitude * (2 * k / n - 1)
        found = MeanEstimate(value, report.guarantee, error=report.error(n)).interval(level)
        low, high = ((x - report.centre) / report.magnitude / 2 + 0.5 for x in found)
        exact = stats.binomtest(k, n).proportion_ci(level)
        assert low == pytest.approx(max(min(exact.low, (k - 1) / n), 0), rel=2e-6, abs=1e-12)
        assert 1 - high == pytest.approx(max(min(1 - exact.high, (n - k - 1) / n), 0), rel=2e-6, abs=1e-12)
        assert low <= exact.low + 1e-12 and high >= exact.high - 1e-12


@pytest.mark.parametrize("n", [2, 7, 100, 10_000])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
def test_laplace_intervals_hold_exactly(n, level):
    """The distribution of a sum of Laplace variables, here from its characteristic function (Gil-Pelaez)."""
    error = LaplaceReport(-1.0, 1.0, 0.5).error(n)
    low, high = MeanEstimate(0.3, None, error=error).interval(level)
    reach = (high - low) / 2 * n / 4.0
    # in units of a standard deviation, so that the integrand is the same for all n
    unit = np.sqrt(2 * n)
    found, _ = integrate.quad(
        lambda u: np.sinc(u * reach / unit / np.pi) * reach / unit * (1 + (u / unit) ** 2) ** -n,
        0, 40, limit=2000, epsabs=1e-12,
    )  # fmt: skip
    assert (low + high) / 2 == pytest.approx(0.3)
    assert 0.5 - found / np.pi == pytest.approx((1 - level) / 2, rel=1e-4, abs=2e-9)


def test_one_laplace_variable_has_its_closed_form_and_many_are_as_good_as_normal():
    one = uniform_mean(np.full(50, 3.0), epsilon=1.0, domain=(0, 5), rng=Silent())
    low, high = one.interval(0.9)
    assert high - low == pytest.approx(2 * 5 / 50 * np.log(10), rel=1e-5)
    report = LaplaceReport(-1.0, 1.0, 1.0)
    low, high = MeanEstimate(0.0, None, error=report.error(10**6)).interval(0.95)
    assert high == pytest.approx(stats.norm.ppf(0.975) * 2 * np.sqrt(2) / 1000, rel=1e-4)


@pytest.mark.parametrize("estimator", [laplace_mean, duchi_mean, uniform_mean])
def test_results_have_intervals_in_the_units_of_the_data_that_widen_with_the_level(estimator):
    made = estimator(np.full(400, 4.0), epsilon=1.0, domain=(0, 5), rng=np.random.default_rng(1))
    narrow, wide = made.interval(0.5), made.interval(1 - 1e-9)
    assert wide[0] < narrow[0] <= made.value <= narrow[1] < wide[1]
    assert wide[0] < 4.0 < wide[1]  # false alarms: 1e-9 each
    assert made.interval() == made.interval(0.95)
    for level in (0, 1, np.nan):
        with pytest.raises(ValueError, match="level must be"):
            made.interval(level)


def test_a_method_without_a_proven_interval_refuses():
    means, sizes, rng = np.full(400, 0.3), np.full(400, 900), np.random.default_rng(1)
    plan = Plan(100, 0.1, 900, (Round(300, 0.3, 3.0),))
    improved = improved_mean(means, sizes, plan=plan, epsilon=1.0, size_law=constant_size(900), rng=rng)
    for made in (localised_mean(means, size=900, epsilon=1.0, rng=rng), improved):
        with pytest.raises(ValueError, match="no interval is proved for this method"):
            made.interval(0.95)
        assert made.clipped_to[0] < made.clipped_to[1]


@pytest.mark.filterwarnings("ignore::userdp.planning.NoGain")
@pytest.mark.parametrize("trust", ["nobody", "curator"])
def test_what_a_plan_shrinks_and_projects_keeps_the_interval_of_what_was_sent(trust):
    """At a budget at which half of all values lie outside; an interval about what is told is another."""
    row = next(one for one in plan(n=60, sizes=9, epsilon=0.05, trust=trust) if one.assumes == ANY)
    means, moved = np.full(60, 0.9), 0
    for seed in range(20):
        made, sent = (
            run(means, rng=np.random.default_rng(seed), **known)
            for run, known in ((row.run, {}), (row.call, row.parameters))
        )
        assert made.interval(0.9) == sent.interval(0.9) and abs(made.value) <= 1 and made.sent == sent.sent
        moved += made.value != made.sent
    assert moved


def test_an_estimate_prints_what_was_projected_and_not_what_was_sent():
    made = MeanEstimate(1.0, nothing_spent(trust="local", neighbours="replace"))
    assert repr(replace(made, sent=1.3, error=("two_point", 9))) == repr(made)
    assert made.chosen is None and replace(made, votes=np.array([1, 4, 4, 0])).chosen == 1


# --- the same of what is drawn exactly


def drawn_means(estimator, n, low, high, epsilon, rng):
    """Users' means of one situation, and a release of them."""
    means = rng.choice([low, high, rng.uniform(low, high)], n, p=rng.dirichlet(np.ones(3)))
    known = {"sizes": np.full(n, 3), "cap": 3} if estimator is record_mean else {}
    return means, partial(estimator, means, epsilon=epsilon, domain=(low, high), rng=Secure(), **known)


@pytest.mark.statistical
@pytest.mark.parametrize("narrow", [False, True], ids=["", "control"])
@pytest.mark.parametrize("estimator", [duchi_mean, laplace_mean, uniform_mean, record_mean])
def test_intervals_of_exact_draws_hold(estimator, narrow):
    """2,000 releases in 20 situations at level 0.9: false alarms 1e-6 a row; two thirds of it are seen."""
    if estimator in (uniform_mean, record_mean):
        pytest.importorskip("opendp", reason="in the extra release")
    rng, held, runs = np.random.default_rng(5), 0, 0
    for _ in range(20):
        n, epsilon, low = int(rng.integers(1, 60)), rng.uniform(0.1, 5), rng.uniform(-9, 9)
        means, release = drawn_means(estimator, max(n, 2), low, low + rng.uniform(0.1, 9), epsilon, rng)
        for _ in range(100):
            below, above = release().interval(0.6 if narrow else 0.9)
            held, runs = held + (below <= means.mean() <= above), runs + 1
    enough = held >= stats.binom.ppf(1e-6, runs, 0.9)
    # of two points the interval is one report wider than it would have to be
    assert enough != narrow or narrow and estimator is duchi_mean


@pytest.mark.parametrize("level", [0.5, 0.9, 0.999])
def test_the_grid_of_exact_draws_is_within_what_an_interval_adds_for_rounding(level):
    """Laplace noise on whole steps is that of real numbers cut to steps: an average differs by two."""
    for epsilon in (1e-3, 0.1, 1.0, 10.0):
        report = LaplaceReport(0.0, 1.0, epsilon)
        step = on_grid(lambda x, *_: np.ones(1, np.int64), np.zeros(1), report, None)[0]
        for n in (1, 10, 10**3, 10**6):
            low, high = MeanEstimate(0.5, None, error=report.error(n)).interval(level)
            assert (high - low) / 2 * (1 - 1 / SAFE) > 2 * step, (epsilon, n)
    report = LaplaceReport(0.0, 1.0, 10.0)  # control: on a coarse grid it would not be
    low, high = MeanEstimate(0.5, None, error=report.error(10**6)).interval(level)
    assert (high - low) / 2 * (1 - 1 / SAFE) < 2 / 2.0**20


def test_an_interval_of_an_exact_sum_allows_for_the_steps_that_each_user_may_lose():
    """2^-30 of the sensitivity of the sum for each user: what is cut off before the noise is added."""
    pytest.importorskip("opendp", reason="in the extra release")
    x, sizes, domain = np.linspace(2, 7, 50), np.full(50, 3), (2.0, 7.0)
    made = uniform_mean(x, epsilon=1.0, domain=domain, rng=Secure())
    assert made.error[3] == pytest.approx(5 * 2.0**-30, rel=1e-12)
    made = record_mean(x, sizes, epsilon=1.0, domain=domain, rng=Secure())
    assert made.error[3] == pytest.approx(50 * (5 / 50) * 2.0**-30, rel=1e-12)
    for estimator, more in ((uniform_mean, ()), (record_mean, (sizes,))):
        assert estimator(x, *more, epsilon=1.0, domain=domain, rng=np.random.default_rng(1)).error[3] == 0
