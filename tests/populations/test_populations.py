import numpy as np
import pytest
from scipy import stats

from laws import has_mean, same_law
from userdp.local import Bins
from userdp.sizes import (
    FiniteSizes,
    PowerLawSizes,
    binomial_sizes,
    constant_size,
    empirical_sizes,
    poisson_sizes,
    two_point_sizes,
    uniform_sizes,
)
from userdp_papers.populations import basis, sobolev_weights
from userdp_papers.populations.densities import TrigonometricDensity
from userdp_papers.populations.records import BetaUsers, PointMass, Signs, Uniforms, draw_halves

LITERAL = {
    "signs": (Signs(0.3), 0.91, lambda rng, m: rng.choice([-1, 1], p=[0.35, 0.65], size=m)),
    "uniforms": (Uniforms(-0.5, 1.0), 0.1875, lambda rng, m: rng.uniform(-0.5, 1.0, m)),
}
LAWS = {
    "constant": constant_size(7),
    "two-point": two_point_sizes(3, 50, 0.2),
    "uniform": uniform_sizes(2, 9),
    "poisson": poisson_sizes(4.0),
    "binomial": binomial_sizes(20, 0.3),
    "empirical": empirical_sizes(np.array([1, 1, 4, 9, 9, 9])),
    "power law": PowerLawSizes(3, 90, 0.4),
    "steep power law": PowerLawSizes(3, 90, 2.5),
}


@pytest.mark.parametrize("name", LITERAL)
def test_means_have_the_law_of_averaged_records(name):
    population, variance, record = LITERAL[name]
    rng = np.random.default_rng(1)
    sizes = np.full(3000, 6)
    literal = np.array([record(rng, 6).mean() for _ in sizes])
    means = population.draw_means(sizes, rng)
    assert same_law(means, literal)
    assert not same_law(population.draw_means(np.full(3000, 12), rng), literal)
    assert has_mean(means, population.mean)
    assert has_mean((means - population.mean) ** 2, variance / 6)


@pytest.mark.parametrize("own_variance", [0.0, 0.05])
def test_users_of_bits_have_a_latent_mean_each_and_as_many_records_as_asked(own_variance):
    population, rng = BetaUsers(0.3, own_variance), np.random.default_rng(4)
    sizes = np.repeat([1, 6], 4000)
    means = population.draw_means(sizes, rng)
    assert set(means[:4000]) == {0.0, 1.0}
    own = np.full(4000, 0.3)
    if own_variance:
        own = rng.beta(0.3 * (0.21 / own_variance - 1), 0.7 * (0.21 / own_variance - 1), 4000)
    literal = (rng.random((4000, 6)) < own[:, None]).mean(axis=1)
    assert same_law(means[4000:], literal)
    assert not same_law(population.draw_means(np.full(4000, 7), rng), literal)
    assert has_mean((means[4000:] - 0.3) ** 2, own_variance + (0.21 - own_variance) / 6)


@pytest.mark.parametrize("name", LITERAL)
def test_of_nobody_there_are_no_means(name):
    assert LITERAL[name][0].draw_means(np.arange(0), np.random.default_rng(1)).size == 0


@pytest.mark.parametrize(
    "population", [Signs(0.3), Uniforms(-0.5, 1.0), PointMass(0.3), BetaUsers(0.3, 0.05)], ids=repr
)
@pytest.mark.parametrize("sizes", [[3, 0], [3, -1], [2.5]])
def test_whoever_has_a_mean_has_a_whole_number_of_records(population, sizes):
    with pytest.raises(ValueError, match="sizes must be"):
        population.draw_means(sizes, np.random.default_rng(0))
    assert population.draw_means([1, 3], np.random.default_rng(0)).shape == (2,)


def test_blocks_have_the_law_of_single_draws():
    rng = np.random.default_rng(2)
    population = Signs(0.4)
    block = population.draw_block(100, 20000, rng)
    assert same_law(block, population.draw_means(np.full(20000, 100), rng))
    assert not same_law(block, population.draw_means(np.full(20000, 110), rng))


@pytest.mark.parametrize("theta", [-1.0, 0.0, 0.9, 1.0])
def test_users_have_their_mean_and_their_sizes(theta):
    law = two_point_sizes(10, 400, 0.3)
    means, sizes = draw_halves(Signs(theta), law, 20001, np.random.default_rng(3))
    assert means.shape == sizes.shape == (20001,)
    for m in (10, 400):
        assert has_mean(means[sizes == m], theta)
        assert has_mean((means[sizes == m] - theta) ** 2, (1 - theta**2) / m)
    for half in (sizes[:10000], sizes[10000:]):
        assert has_mean(half == 400, 0.3)


def test_the_order_within_a_half_says_who_holds_how_many():
    """What `draw_halves` warns of; users drawn one by one stand in random order."""
    law, rng = two_point_sizes(10, 400, 0.3), np.random.default_rng(5)
    _, sizes = draw_halves(Signs(0.2), law, 2001, rng)
    assert all((np.diff(half) >= 0).all() for half in (sizes[:1000], sizes[1000:]))
    assert np.count_nonzero(np.diff(law.draw(2001, rng))) > 500  # 840 expected, Hoeffding: 1e-13


def test_point_masses_do_not_vary():
    np.testing.assert_array_equal(
        PointMass(0.25).draw_means(np.array([1, 5]), np.random.default_rng(0)), 0.25
    )


@pytest.mark.parametrize("name", LAWS)
def test_expectations_of_a_size_law_match_its_draws(name):
    law = LAWS[name]
    sizes = law.draw(40000, np.random.default_rng(4))
    assert law.smallest <= sizes.min() and sizes.max() <= law.largest
    assert has_mean(sizes, law.mean)
    assert not has_mean(sizes, 1.1 * law.mean)
    for a in (1, law.smallest, law.smallest + 1, 8, law.largest, law.largest + 1):
        if 1e-3 < law.survival(a) < 1:  # too rare events have no normal limit at this many draws
            assert has_mean(sizes >= a, law.survival(a))
        assert has_mean(np.sqrt(np.minimum(sizes, a)), law.mean_root(a))
        assert law.small_root(a) == pytest.approx(
            law.mean_root(a) - np.sqrt(a) * law.survival(a + 1), abs=1e-9
        )


@pytest.mark.parametrize("name", LAWS)
def test_survival_never_rises_and_starts_at_one(name):
    law = LAWS[name]
    tail = np.array([law.survival(a) for a in range(1, law.largest + 2)])
    assert tail[0] == law.survival(law.smallest) == 1.0
    assert tail[-1] == 0.0
    assert np.all(np.diff(tail) <= 0)
    # no more users than a fraction are below its quantile
    share = np.append(1 - (tail[:-1] + tail[1:]) / 2, [0.0, 1.0])
    held = tail[:-1] > tail[1:] + 1e-9
    expected = np.append(np.arange(1, law.largest + 1)[held], [law.smallest, law.largest])
    assert law.quantile(share[np.append(held, [True, True])]).tolist() == expected.tolist()


@pytest.mark.parametrize("shape", [0.1, 0.7, 1.0, 2.5])
def test_power_law_sums_match_brute_force(shape):
    law = PowerLawSizes(1000, 60000, shape)
    k = np.arange(1000, 60000)
    probabilities = law.survival(k) - law.survival(k + 1)
    for cap in (1000, 1001, 5096, 5097, 30000, 70000):
        assert law.mean_root(cap) == pytest.approx(probabilities @ np.sqrt(np.minimum(k, cap)), rel=1e-11)
    assert law.mean == pytest.approx(probabilities @ k, rel=1e-11)


@pytest.mark.parametrize("rate", [1e-3, 30.0, 4e4, 1e6])
def test_no_size_of_a_poisson_law_is_left_out_that_has_a_chance(rate):
    k = np.arange(1, int(2 * rate) + 400)
    assert poisson_sizes(rate).values.tolist() == k[stats.poisson.logpmf(k, rate) > np.log(1e-300)].tolist()


def test_a_size_that_nobody_holds_is_none_and_a_fraction_that_is_reached_is_enough():
    assert FiniteSizes([1, 2, 5], [0.0, 0.5, 0.5]).smallest == 2 and two_point_sizes(3, 9, 0.0).largest == 3
    assert FiniteSizes([1, 2, 5], [0.25, 0.5, 0.25]).quantile([0.25, 0.3, 0.75, 0.8]).tolist() == [1, 2, 2, 5]


def test_truncated_laws_are_given_one_record_at_least():
    law = poisson_sizes(1.5)
    expected = stats.poisson.pmf(np.arange(1, 9), 1.5) / stats.poisson.sf(0, 1.5)
    np.testing.assert_allclose(law.probabilities[:8], expected, rtol=1e-12)


@pytest.mark.parametrize("half_width", [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5])
def test_a_mean_on_an_edge_lies_in_the_bin_of_its_quotient(half_width):
    """Drawn means are rounded twice, ``2 (k / m) - 1``: none moves to another bin than ``(2 k - m) / m``."""
    bins = Bins(half_width)
    for m in (1, 3, 10, 40, 99, 400, 1000, 10_000):
        k = np.arange(m + 1)
        assert np.array_equal(bins.index(2 * (k / m) - 1), bins.index((2 * k - m) / m))


def test_the_weights_of_an_ellipsoid_are_those_of_a_derivative():
    """By midpoints, which are exact for trigonometric polynomials, and a difference whose error is known."""
    terms, step = 101, 1e-5
    theta, x = np.random.default_rng(1).normal(size=terms), (np.arange(1000) + 0.5) / 1000
    slope = (basis(x + step, terms) - basis(x - step, terms)) @ theta / (2 * step)
    weighed = np.sum(sobolev_weights(terms, 1.0) ** 2 * theta**2)
    assert weighed == pytest.approx(np.mean(slope**2) / np.pi**2, rel=1e-4)


def test_uniform_sizes_end_where_they_are_said_to():
    law = uniform_sizes(3, 5)
    assert law.values.tolist() == [3, 4, 5] and law.probabilities.tolist() == pytest.approx([1 / 3] * 3)


def test_a_density_that_touches_zero_is_refused():
    TrigonometricDensity((0.7, 0.0))
    with pytest.raises(ValueError, match="^later must hold pairs"):
        TrigonometricDensity((0.5**0.5, 0.0))


@pytest.mark.parametrize("high", [8193, 8194, 8195, 10**6])
def test_no_size_is_left_out_where_the_smooth_part_begins(high):
    """Up to 8,192 sizes are added one by one; of 8,193 one is left to the formula."""
    assert PowerLawSizes(1, high, 0.4).expectation(np.ones_like) == pytest.approx(1, rel=1e-13)


class NoWaiting(np.random.Generator):
    """Exponential variables that are 0, as one in 2^53 is."""

    def standard_exponential(self, size=None, *options, **more):
        return np.zeros(size)


@pytest.mark.parametrize("back", [1, 2, 1000])
@pytest.mark.parametrize("shape", [0.5, 1.0, 2.5])
def test_the_chance_of_the_largest_sizes_has_all_its_digits(shape, back):
    """Of 10**15 sizes the last few hold a part of about 1e-15, which is one minus a number next to one."""
    law, part = PowerLawSizes(1, 10**15, shape), back / (10**15 - 1)
    exact = part * shape * (1 - (shape - 1) * part / 2)  # what follows is below 1e-24 of it
    assert law.survival(10**15 - back) == pytest.approx(exact, rel=1e-13, abs=0)


def test_no_user_is_larger_than_the_largest():
    drawn = PowerLawSizes(1, 50, 0.5).draw(3, NoWaiting(np.random.PCG64(0)))
    assert drawn.tolist() == [49, 49, 49]  # the end 50 itself has probability 0
