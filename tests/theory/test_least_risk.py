"""Lower bounds: against channels and enumeration, and below every risk that is known."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom

from userdp.planning import plan
from userdp.planning.risk.least_risk import CELLS, GAPS, _cells
from userdp.sizes import PowerLawSizes, constant_size, two_point_sizes, uniform_sizes
from userdp_papers.theory.audit import exact_loss
from userdp_papers.theory.exact import localised_risk, sign_means
from userdp_papers.theory.rates import (
    central_least_risk,
    duchi_mean_risk,
    laplace_mean_risk,
    local_least_risk,
    score_limit,
    two_point_least,
)


def scores(theta, size):
    """Probabilities and scores of the sums of `size` signs."""
    k, p = np.arange(size + 1), (1 + theta) / 2
    return binom.pmf(k, size, p), (k - size * p) / (2 * p * (1 - p))


@pytest.mark.parametrize(
    "theta, size, epsilon", [(0.0, 1, 1.0), (0.3, 3, 0.5), (-0.4, 50, 2.0), (0.0, 8, 5.0)]
)
def test_the_limit_is_the_best_of_all_answers_of_yes_or_no(theta, size, epsilon):
    law, score = scores(theta, size)
    odds, best = np.expm1(epsilon), 0.0
    for sign, k in product((1, -1), range(size + 1)):
        yes = sign * score >= sign * score[k]
        best = max(best, odds * (law * sign * score)[yes].sum() / (1 + odds * law[yes].sum()))
    best = min(best, np.sqrt(law @ score**2))
    assert score_limit(theta, constant_size(size), epsilon=epsilon) == pytest.approx(best, rel=1e-9)


@pytest.mark.long
def test_no_private_channel_has_more_information_than_the_limit():
    rng, closest = np.random.default_rng(5), 0.0
    for _ in range(2000):
        theta, size = rng.uniform(-0.8, 0.8), int(rng.integers(1, 7))
        law, score = scores(theta, size)
        levels = np.exp(rng.choice([0.0, 1.0, rng.random()], (size + 1, 3)) * rng.uniform(0.1, 3))
        channel = levels / levels.sum(axis=1, keepdims=True)
        information = ((law * score) @ channel) ** 2 @ (1 / (law @ channel))
        epsilon = max(exact_loss(channel), 1e-3)
        closest = max(
            closest, np.sqrt(information) / score_limit(theta, constant_size(size), epsilon=epsilon)
        )
    assert 0.8 < closest <= 1 + 1e-9


@pytest.mark.parametrize("size, gap", [(1, 0.3), (4, 0.2), (5, 1.0)])
def test_the_two_point_bound_is_the_bayes_risk_of_answers_of_yes_or_no(size, gap, monkeypatch):
    n, epsilon, law = 4, 1.3, constant_size(size)
    least = float(score_limit(0.0, law, epsilon=epsilon))
    monkeypatch.setattr("userdp.planning.risk.least_risk.GAPS", np.array([gap * least * np.sqrt(n)]))
    apart = np.abs(scores(gap, size)[0] - scores(-gap, size)[0]).sum() / 2 if gap < 1 else 1.0
    keep = 1 / (1 + 1 / (1 + np.expm1(epsilon) * apart))
    risk = 0.0
    for answers in product((0, 1), repeat=n):
        plus = np.prod(np.where(answers, keep, 1 - keep))
        minus = np.prod(np.where(answers, 1 - keep, keep))
        risk += 2 * plus * minus / (plus + minus)
    risks = [gap**2 * risk]
    if gap < 1:  # the distance 2 is always tried
        keep = 1 / (1 + np.exp(-epsilon))
        risks.append(
            sum(binom.pmf(k, n, keep) * 2 / (1 + np.exp(epsilon * (2 * k - n))) for k in range(n + 1))
        )
    assert two_point_least(law, n=n, epsilon=epsilon) == pytest.approx(max(risks))


@pytest.mark.parametrize(("size", "epsilon"), [(1, 0.5), (7, 1.3), (50, 4.0), (400, 0.1), (400, 1.3)])
def test_the_limit_of_a_score_solves_its_equation(size, epsilon):
    """x = odds E (S - x)_+ for signs of mean 0, whose score S is the sum of the records."""
    heads = np.arange(size + 1)
    chance, score = binom.pmf(heads, size, 0.5), 2.0 * heads - size
    root = brentq(lambda x: np.expm1(epsilon) * chance @ np.maximum(score - x, 0) - x, 0, size, xtol=1e-13)
    found = float(score_limit(0.0, constant_size(size), epsilon=epsilon))
    assert found == pytest.approx(min(root, np.sqrt(size)), rel=1e-8)


def test_the_largest_budget_hides_nothing_and_no_number_overflows():
    law, n = constant_size(10**12), 10**8
    with np.errstate(over="raise", invalid="raise"):
        assert score_limit(0.3, law, epsilon=700.0) == pytest.approx(1e6 / np.sqrt(1 - 0.3**2), rel=1e-12)
        for least in (local_least_risk, central_least_risk):
            smaller, largest = (least(law, n=n, epsilon=epsilon) for epsilon in (60.0, 700.0))
            assert largest == pytest.approx(smaller, rel=1e-9) == pytest.approx(1 / (n * 1e12), rel=0.1)


def test_for_one_record_the_bound_is_nearly_the_risk_of_two_point_reports():
    setting = {"n": 10**6, "epsilon": 1.0}
    ratio = duchi_mean_risk(0.0, **setting) / local_least_risk(constant_size(1), **setting)
    assert 1 < ratio < 1.05


@pytest.mark.parametrize("n, size, epsilon, half_width", [(40, 300, 2.0, 0.12), (100, 5, 0.5, 0.3)])
def test_no_exact_risk_is_below_the_bound(n, size, epsilon, half_width):
    law = constant_size(size)
    least = local_least_risk(law, n=n, epsilon=epsilon)
    thetas = np.linspace(-1, 1, 9)
    localised = [
        localised_risk(sign_means(t, size), n=n, epsilon=epsilon, half_width=half_width)[0] for t in thetas
    ]
    assert least <= max(localised)
    assert least <= laplace_mean_risk(1 / size, n=n, epsilon=epsilon)
    assert central_least_risk(law, n=n, epsilon=epsilon) <= 8 / (n * epsilon) ** 2 + 1 / (n * size)


@pytest.mark.long
@pytest.mark.parametrize("least", [local_least_risk, central_least_risk])
def test_a_bound_falls_with_users_records_and_budget_and_never_passes_the_trivial(least):
    for law in (constant_size(1), constant_size(10**12), uniform_sizes(3, 50), PowerLawSizes(1, 1000, 0.3)):
        for n, epsilon in ((1, 1e-6), (10, 0.3), (10**5, 30.0)):
            here = least(law, n=n, epsilon=epsilon)
            assert 0 < here <= 1
            assert least(law, n=3 * n, epsilon=epsilon) < here
            assert least(law, n=n, epsilon=3 * epsilon) <= here
    mixed = two_point_sizes(3, 50, 0.5)
    bounds = [least(law, n=100, epsilon=1.0) for law in (constant_size(50), mixed, constant_size(3))]
    assert bounds == sorted(bounds)


def test_cells_round_sizes_up():
    many, few = PowerLawSizes(1, 1000, 0.3), PowerLawSizes(1, 40, 0.3)
    values = np.arange(1, 1000)
    exact = type(constant_size(1))(values, many.survival(values) - many.survival(values + 1))
    for law in (many, exact, few):
        assert local_least_risk(law, n=1000, epsilon=1.0) > 0
    assert local_least_risk(many, n=1000, epsilon=1.0) == pytest.approx(
        local_least_risk(exact, n=1000, epsilon=1.0)
    )


@pytest.mark.long
def test_a_plan_never_promises_what_is_impossible():
    for trust, epsilon, size in product(("nobody", "curator"), (0.1, 1.0, 5.0), (1, 30, 10**5)):
        ranking = plan(n=3000, sizes=size, epsilon=epsilon, trust=trust)
        assert 0 < ranking.least <= ranking[0].error * (1 + 1e-9)
        assert f"{ranking.least:.2g}" in ranking.advice


@pytest.mark.parametrize("shape", [0.3, 2.0])
def test_sizes_are_rounded_up_to_few_and_no_chance_is_lost(shape):
    law = PowerLawSizes(3, 10**6, shape)
    cells = _cells(law)
    assert cells.values.size <= CELLS == 48 and cells.values[-1] == law.largest
    below = 1 - law.survival(cells.values + 1)
    assert np.cumsum(cells.probabilities) == pytest.approx(below, abs=1e-12)


@pytest.mark.parametrize(
    "n, epsilon, sizes",
    [(1, 0.1, (1, 3)), (30, 0.03, (20, 80)), (40, 0.3, (2, 50)), (100, 1.0, (1, 2)), (3, 30.0, (2, 50))],
)
def test_the_smooth_bounds_are_the_best_of_many_priors(n, epsilon, sizes):
    """Of density cos^2 on every reach, as sums over a grid: van Trees and its private kin."""
    law, x, reaches = (
        two_point_sizes(*sizes, 0.5),
        (np.arange(200) + 0.5) / 100 - 1,
        np.geomspace(1e-3, 0.999, 99),
    )
    prior, information = np.cos(np.pi * x / 2) ** 2 / 100, (np.pi / reaches) ** 2
    own = 1 / (1 - np.outer(reaches, x) ** 2) @ prior
    steep = n * (np.exp(epsilon / 2) - np.exp(-epsilon / 2)) / 2**0.5 * np.mean(np.sqrt(sizes))
    central = np.maximum(
        (steep * own**0.5 + information**0.5) ** -2, 1 / (n * np.mean(sizes) * own + information)
    )
    assert 0.97 < central_least_risk(law, n=n, epsilon=epsilon) / central.max() < 1 + 1e-5
    told = score_limit(np.outer(reaches, x), law, epsilon=epsilon) ** 2 @ prior
    smooth, two = (1 / (n * told + information)).max(), two_point_least(law, n=n, epsilon=epsilon)
    local = local_least_risk(law, n=n, epsilon=epsilon)
    assert two <= local == pytest.approx(max(smooth, two), rel=0.03 if smooth > two else 1e-12)


@pytest.mark.parametrize("n, epsilon", [(7, 3.0), (60, 1.3), (801, 0.2)])
def test_the_two_point_bound_is_the_largest_over_its_distances(n, epsilon):
    """Answers of yes or no at the budget that the distance of two distributions leaves, counted."""
    law, k, risks = two_point_sizes(3, 8, 0.5), np.arange(n + 1), []
    root_n = np.sqrt(n) * float(score_limit(0.0, law, epsilon=epsilon))
    for gap in (*GAPS[root_n > GAPS] / root_n, 1.0):
        apart = 1.0
        if gap < 1:
            both = [scores(gap, m)[0] - scores(-gap, m)[0] for m in (3, 8)]
            apart = np.mean([np.abs(each).sum() / 2 for each in both])
        keep = 1 - 1 / (2 + np.expm1(epsilon) * apart)
        plus, minus = binom.pmf(k, n, keep), binom.pmf(k, n, 1 - keep)
        risks.append(gap**2 * np.sum(2 * plus * minus / np.maximum(plus + minus, 1e-300)))
    assert two_point_least(law, n=n, epsilon=epsilon) == pytest.approx(max(risks), rel=1e-9)
    assert max(risks) > 1.01 * risks[-1] or n == 7
