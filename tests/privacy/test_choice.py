"""Private choices: exact loss over all neighbours, laws of the draws."""

import itertools

import numpy as np
import pytest
from scipy import stats

from fakes import Silent
from userdp.privacy import LaplaceNoise
from userdp.privacy.choice import (
    ExponentialChoice,
    NoisyMaximum,
    order_statistic,
    order_statistic_law,
    real_quantile,
)
from userdp_papers.theory.audit.exact import exact_loss


def channel(largest, users, rank, epsilon):
    """Rows: every multiset of sizes; neighbours replace one."""
    inputs = list(itertools.combinations_with_replacement(range(1, largest + 1), users))
    return inputs, np.array(
        [order_statistic_law(x, rank=rank, largest=largest, epsilon=epsilon) for x in inputs]
    )


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_the_loss_over_all_neighbours_is_at_most_epsilon_and_nearly_attained(epsilon):
    inputs, law = channel(4, 3, 2, epsilon)
    losses = []
    for (i, x), (j, y) in itertools.combinations(enumerate(inputs), 2):
        common = sum(min(x.count(v), y.count(v)) for v in set(x))
        if common == 2:
            losses.append(exact_loss(law[[i, j]]))
    assert max(losses) <= epsilon + 1e-12
    # less than half would be a wasteful score
    assert max(losses) > 0.5 * epsilon


def test_the_answer_has_that_law_and_about_rank_values_above():
    rng = np.random.default_rng(1)
    values = rng.integers(1, 21, 200)
    law = order_statistic_law(values, rank=30, largest=20, epsilon=0.5)
    answers = [order_statistic(values, rank=30, largest=20, epsilon=0.5, rng=rng).value for _ in range(4000)]
    observed = np.bincount(answers, minlength=21)[1:]
    often = law * 4000 > 5
    counts = np.append(observed[often], observed[~often].sum()), np.append(law[often], law[~often].sum())
    assert stats.chisquare(counts[0], 4000 * counts[1]).pvalue > 1e-6
    uniform = np.full(counts[1].size, 1 / counts[1].size)
    assert stats.chisquare(counts[0], 4000 * uniform).pvalue < 1e-6
    best = int(np.argmax(law)) + 1
    assert abs(np.sum(values >= best) - 30) <= 10


def test_ties_do_not_hide_the_answer():
    law = order_statistic_law(np.full(1000, 20), rank=30, largest=100, epsilon=1.0)
    assert law[19] > 0.99


def test_a_noisy_maximum_prefers_by_at_most_e_to_epsilon():
    # two scores: the difference of two Laplace variables of scale b exceeds x with probability
    # (1 + x / (2 b)) exp(-x / b) / 2
    epsilon, n = 1.0, 40_000
    rng = np.random.default_rng(2)
    maximum = NoisyMaximum.calibrated(epsilon=epsilon, sensitivity=1)
    wins = np.mean([maximum.choose([0, 3], rng) for _ in range(n)])
    x, b = 3.0, 2 / epsilon
    exact = 1 - (1 + x / (2 * b)) * np.exp(-x / b) / 2
    assert abs(wins - exact) < 4.9 * np.sqrt(exact * (1 - exact) / n)


def test_guarantees_are_central():
    rng = np.random.default_rng(3)
    guarantee = order_statistic([1, 2], rank=1, largest=3, epsilon=0.5, rng=rng).guarantee
    assert (guarantee.epsilon, guarantee.delta, guarantee.trust) == (0.5, 0.0, "central")


def law_by_definition(values, rank, largest, epsilon):
    values = [1 if np.isnan(x) else min(max(x, 1), largest) for x in values]
    at_least = [sum(x >= t for x in np.floor(values)) for t in range(largest + 2)]
    scores = [-max(at_least[t + 1] + 1 - rank, rank - at_least[t], 0) for t in range(1, largest + 1)]
    weights = np.exp(epsilon / 2 * np.array(scores))
    return weights / weights.sum()


@pytest.mark.parametrize("values", [[1, 1], [4, 2, 2, 5], [np.nan, 3, -7, 99, 2.9], [np.inf, -np.inf, 3], []])
@pytest.mark.parametrize("rank", [0, 1, 2, 3.5])
def test_the_law_is_that_of_its_definition(values, rank):
    for largest, epsilon in ((1, 1.0), (5, 0.3), (7, 4.0)):
        found = order_statistic_law(values, rank=rank, largest=largest, epsilon=epsilon)
        assert found == pytest.approx(law_by_definition(values, rank, largest, epsilon), rel=1e-12)
        silent = Silent()
        told = order_statistic(values, rank=rank, largest=largest, epsilon=epsilon, rng=silent)
        assert told.value == np.argmax(found) + 1 and np.array_equal(silent.laws[0], found)


def test_a_noisy_maximum_adds_its_noise_to_each_score():
    class Noise(Silent):
        def laplace(self, loc=0.0, scale=1.0, size=None):
            return scale * np.arange(size[0])

    maximum = NoisyMaximum.calibrated(epsilon=1.0, sensitivity=0.5)
    assert maximum.choose([9.0, 7.5, 7.5], Noise()) == 2
    assert maximum.choose([9.5, 7.5, 7.4], Noise()) == 0


@pytest.mark.parametrize("mechanism", [ExponentialChoice, NoisyMaximum, LaplaceNoise])
def test_the_smallest_numbers_are_taken_as_any_others(mechanism):
    made = mechanism.calibrated(sensitivity=5e-324, epsilon=1e-320)
    assert made.guarantee.epsilon == 1e-320 and made.privacy_loss() == pytest.approx(1e-320, rel=1e-2)


def quantile_law(values, share, epsilon):
    rng = Silent()
    real_quantile(values, share=share, epsilon=epsilon, steps=40, rng=rng)
    return rng.laws[-1]


@pytest.mark.parametrize("options", [{}, {"steps": 1}, {"domain": (-2.0, 5.0), "steps": 7}])
@pytest.mark.parametrize(("share", "epsilon"), [(0.0, 0.4), (0.3, 1.0), (1.0, 3.0)])
def test_the_law_of_a_quantile_is_that_of_its_definition(share, epsilon, options):
    values, rng = [0.62, np.nan, -9.0, 0.25, 7.0, 0.25, np.inf], Silent()
    low, high = options.get("domain", (0.0, 1.0))
    places = np.linspace(low, high, options.get("steps", 1000) + 1)
    below = (np.clip(np.nan_to_num(values, nan=low), low, high)[:, None] < places).sum(axis=0)
    weights = np.exp(-epsilon * abs(below - share * 7) / 2)
    found = real_quantile(values, share=share, epsilon=epsilon, rng=rng, **options)
    assert rng.laws[0] == pytest.approx(weights / weights.sum(), rel=1e-12)
    assert found.value == places[np.argmax(rng.laws[0])]


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_a_quantile_loses_its_budget_and_no_more_over_all_neighbours(share, epsilon):
    """All triples of five places, one at each end; an extreme quantile loses half of it at most."""
    places = [0.0, 0.2, 0.55, 0.9, 1.0]
    losses = [
        exact_loss(np.array([quantile_law([*rest, one], share, epsilon) for one in pair]))
        for rest in itertools.combinations_with_replacement(places, 2)
        for pair in itertools.combinations(places, 2)
    ]
    assert max(losses) <= epsilon + 1e-9 and max(losses) > 0.4 * epsilon


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_a_quantile_of_many_is_near_and_has_about_its_share_below(share):
    values, rng = np.random.default_rng(1).normal(3, 1, 2000), np.random.default_rng(2)
    for _ in range(50):
        found = real_quantile(values, share=share, epsilon=1.0, domain=(-10, 10), rng=rng).value
        assert abs(np.mean(values < found) - share) < 0.03  # 60 users off have a chance below exp(-20)
