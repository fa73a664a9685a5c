import numpy as np
import pytest
from scipy import stats
from scipy.special import comb, factorial

from laws import same_law
from userdp_papers.populations import beta_means
from userdp_papers.populations.beta_means import BetaMeans

# near signs, arcsine, uniform, bell; sphere coordinates in dimension 8 and 32
LAWS = [(0.1, 100), (0.5, 100), (1.0, 100), (5.0, 100), (3.5, 400), (15.5, 400)]
# whose quantiles come near the ends, where Newton's method leaves the interval
ROUGH = [(4.0, 2), (2.0, 4), (1.0, 8), (2.0, 9), (0.4, 20)]


def irwin_hall(x, size):
    """Distribution function of the mean of `size` uniforms on [-1, 1]."""
    total = (x + 1) * size / 2
    k = np.arange(int(total) + 1)
    return np.sum((-1.0) ** k * comb(size, k) * (total - k) ** size) / factorial(size)


def displacement(law, z, x):
    """How far each mean is from the quantile at its normal score, in standard deviations of the mean."""
    return np.abs(law.cdf(x) - stats.norm.cdf(z)) / (law.pdf(x) * np.sqrt(law.variance))


def test_distribution_function_of_uniforms():
    law = BetaMeans(1.0, 8)
    x = np.array([-1.0, -0.9, -0.41, 0.0, 0.2, 0.77, 1.0])
    assert law.cdf(x) == pytest.approx([irwin_hall(v, 8) for v in x], abs=1e-13)
    assert law.cdf(x) != pytest.approx(stats.norm.cdf(x / np.sqrt(law.variance)), abs=1e-4)


@pytest.mark.parametrize(("shape", "size"), LAWS)
def test_table_displaces_no_draw(shape, size):
    """The table against the series, in standard deviations of the mean: closer than `draw` promises."""
    law = BetaMeans(shape, size)
    z = np.linspace(-5, 5, 4001)
    x = law._from_normal(z)
    assert displacement(law, z, x).max() < 1e-8
    assert np.all(np.diff(x) > 0)


@pytest.mark.parametrize(("shape", "size"), LAWS + ROUGH)
def test_no_draw_leaves_the_interval(shape, size):
    """All but 8e-11 of the mass is where it should be; Newton alone sends 2e-5 of a rough law far out."""
    law = BetaMeans(shape, size)
    z = np.linspace(-6.5, 6.5, 5001)
    x = law._from_normal(z)
    assert displacement(law, z, x).max() < 2e-6
    assert np.all(np.diff(x) > 0) and np.abs(x).max() < 1


@pytest.mark.parametrize("steps", [1, 2])
@pytest.mark.parametrize(("shape", "size"), ROUGH)
def test_a_knot_is_within_a_millionth_of_its_score_or_found_by_halving(shape, size, steps, monkeypatch):
    """After few of Newton's steps knots lie off by as much as one likes, some by less than twice as much."""
    halved, inner = [], BetaMeans._halved
    monkeypatch.setattr(beta_means, "STEPS", steps)
    monkeypatch.setattr(BetaMeans, "_halved", lambda self, z: halved.extend(z) or inner(self, z))
    law, z = BetaMeans(shape, size), np.linspace(0, beta_means.REACH, beta_means.KNOTS)
    x = law._from_normal(z)
    kept = ~np.isin(z, halved)
    assert len(halved) > 0 and kept.any()
    assert np.abs(law._score(x) - z)[kept].max() < 1e-6


def test_normal_approximation_would_not_pass():
    law = BetaMeans(0.5, 100)
    z = np.linspace(-5, 5, 4001)
    x = z * np.sqrt(law.variance)
    assert displacement(law, z, x).max() > 1e-3


@pytest.mark.statistical
@pytest.mark.parametrize("shape", [0.5, 2.0])
def test_draws_have_the_law_of_single_records(shape):
    rng = np.random.default_rng(1)
    fast = BetaMeans(shape, 20).draw(20_000, rng)
    assert same_law(fast, 2 * rng.beta(shape, shape, (20_000, 20)).mean(axis=1) - 1)
    assert not same_law(fast, 2 * rng.beta(2 * shape, 2 * shape, (20_000, 20)).mean(axis=1) - 1)


@pytest.mark.statistical
def test_draws_are_coordinates_of_means_on_the_sphere():
    rng = np.random.default_rng(2)
    x = rng.standard_normal((20_000, 16, 8))
    x /= np.linalg.norm(x, axis=2, keepdims=True)
    literal = x.mean(axis=1)[:, 3]
    assert same_law(BetaMeans(3.5, 16).draw(20_000, rng), literal)
    assert not same_law(BetaMeans(2.5, 16).draw(20_000, rng), literal)


def test_variance():
    assert BetaMeans(0.5, 100).variance == pytest.approx(4 * stats.beta.var(0.5, 0.5) / 100)
