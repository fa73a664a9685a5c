"""What stands at the top has the best known defaults, and says so where something simpler is better."""

import warnings

import numpy as np
import pytest

from userdp import dame, local, localised_vector_mean, realistic_mean
from userdp.planning import NoGain
from userdp.populations import PowerLawSizes, constant_size, two_point_sizes
from userdp.theory import dame_risk, dame_size_cap


def test_the_default_cap_has_a_smaller_risk_than_the_paper_s():
    law, n, epsilon = two_point_sizes(3, 50, 0.5), 5001, 1.0
    sizes, rng = law.draw(n, np.random.default_rng(1)), np.random.default_rng(2)
    papers, known_to_all = dame_size_cap(law, n=n, epsilon=epsilon), {"epsilon": epsilon, "size_law": law}
    with pytest.warns(NoGain, match=r"DAME's noise alone: .* and two-point reports 0\.031"):
        dame(np.full(n, 0.3), sizes, epsilon=epsilon, size_law=law, rng=rng)
    known = known_to_all | {"n": n}
    tuned = local.dame(np.full(n, 0.3), sizes, size_cap=50, rng=np.random.default_rng(3), **known_to_all)
    with pytest.warns(NoGain):
        found = dame(np.full(n, 0.3), sizes, rng=np.random.default_rng(3), **known_to_all)
    assert found.value == tuned.value
    assert papers == 1
    assert dame_risk(0.1, size_cap=50, **known)[1] < dame_risk(0.1, size_cap=papers, **known)[0] / 10


def test_ten_million_users_do_not_hide_that_the_noise_is_too_much():
    law, n = PowerLawSizes(1, 50, 0.5), 10**7
    with pytest.warns(NoGain, match="DAME's noise alone"):
        dame(np.zeros(n), np.ones(n), epsilon=1.0, size_law=law, rng=np.random.default_rng(1))


def test_a_warning_does_not_depend_on_the_data():
    said = set()
    for value in (-1.0, 0.2, np.nan):
        means, rng = np.full(2000, value), np.random.default_rng(1)
        with pytest.warns(NoGain) as found:
            dame(means, np.full(2000, 9), epsilon=1.0, size_law=constant_size(9), rng=rng)
        said.add(str(found[0].message))
    assert len(said) == 1


def test_a_warning_points_at_the_line_that_called():
    rng, known = np.random.default_rng(1), {"epsilon": 1.0, "size_law": constant_size(9)}
    with pytest.warns(NoGain) as found:
        dame(np.zeros(2000), np.full(2000, 9), rng=rng, **known)
        localised_vector_mean(np.zeros((90, 3)), size=9, epsilon=1.0, rng=rng)
    assert [said.filename for said in found] == [__file__, __file__]


def test_no_warning_where_a_method_gains():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rng = np.random.default_rng(1)
        law = constant_size(10**6)
        dame(np.zeros(10**5), np.full(10**5, 10**6), epsilon=1.0, size_law=law, rng=rng)
        localised_vector_mean(np.zeros((20_000, 2)), size=1000, epsilon=1.0, rng=rng)


def squared_error(estimator, theta, rng, **known):
    n, size = 3001, 1000
    means = 2 * rng.binomial(size, (1 + theta) / 2, (n, theta.size)) / size - 1
    return ((estimator(means, size=size, epsilon=2.0, rng=rng, **known).value - theta) ** 2).sum()


@pytest.mark.long
def test_vectors_at_the_default_width_err_less_than_at_the_paper_s():
    rng = np.random.default_rng(5)
    theta = rng.uniform(-0.2, 0.2, 10)
    ours, papers = (
        np.mean([squared_error(one, theta, rng) for _ in range(20)])
        for one in (localised_vector_mean, local.localised_vector_mean)
    )
    assert ours < papers / 4


def test_vectors_that_are_not_worth_it_are_said_to_be_so():
    with pytest.warns(NoGain, match="localised vectors: .* two-point reports of a coordinate a user"):
        localised_vector_mean(np.zeros((400, 10)), size=5, epsilon=1.0, rng=np.random.default_rng(1))


@pytest.mark.parametrize("n", [20, 37, 79, 80, 100])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 60.0, 410.0])
def test_twenty_users_are_enough_for_the_realistic_mean(n, epsilon):
    rng = np.random.default_rng(1)
    assert np.isfinite(realistic_mean(np.full(n, 0.4), np.arange(1, n + 1), epsilon=epsilon, rng=rng).value)


@pytest.mark.parametrize("n", [3, 5])
def test_too_few_users_are_told_how_many_there_must_be(n):
    with pytest.raises(ValueError, match=f"n must be a whole number of at least 6, got {n}"):
        localised_vector_mean(np.zeros((n, 3)), size=9, epsilon=1.0, rng=np.random.default_rng(1))
