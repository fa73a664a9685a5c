"""Private choices of the contribution bound: sensitivity, laws, exact loss, descents and their cost."""

import mpmath
import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from fakes import Silent
from laws import same_law
from userdp.central.bounds import (
    Surrogate,
    exponential_bound,
    output_perturbation,
    private_quantile,
    surrogate_curve,
)
from userdp.central.histogram import clip, noise_mass
from userdp.privacy.choice import order_statistic_law
from userdp.privacy.noise import gaussian_delta, gaussian_sigma
from userdp_papers.printed import descents as private_descent
from userdp_papers.printed.descents import (
    geometric_quantile,
    private_gradient_descent,
    sampled_descent,
    sampled_epsilon,
    sampled_noise,
)
from userdp_papers.theory.audit.exact import exact_loss
from userdp_papers.theory.exact.histograms import grid_law, log_density, two_approximate_bound

RELEASE = {"epsilon": 1.0, "delta": 0.01}
CHOICE = {"largest": 20.0, "release_epsilon": 1.0, "release_delta": 0.01, "epsilon": 0.5}


def users(rng, n=None, d=None):
    """A small data set: some users empty, some heavy, some with one item."""
    n, d = n or rng.integers(1, 9), d or rng.integers(1, 6)
    return rng.poisson(rng.choice([0.0, 0.5, 3.0, 30.0], (n, 1)) * rng.random((n, d))).astype(float)


def neighbours(rng, replace):
    """Two data sets that differ in one user."""
    data, other = users(rng), rng
    row = users(other, n=1, d=data.shape[1])
    return (data, np.vstack([data[1:], row])) if replace else (data, np.vstack([data, row]))


def curves(rng, replace, **change):
    options = RELEASE | {"largest": 20.0, "delta": float(rng.choice([0.0, 0.01]))} | change
    return [surrogate_curve(x, **options) for x in neighbours(rng, replace)]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("ridge", [0.0, 0.01, 3.0])
def test_the_minimiser_is_exact(seed, ridge):
    curve = curves(np.random.default_rng(seed), True)[0]

    def objective(x):
        return curve.values(x) + ridge * x**2 / 2

    found = minimize_scalar(objective, bounds=(0, 20), method="bounded", options={"xatol": 1e-10})
    best = min(found.fun, objective(0.0), objective(20.0))
    assert objective(curve.minimiser(ridge)) <= best + 1e-9 * (1 + abs(best))


@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_the_curve_is_the_surrogate_up_to_a_constant(delta):
    data, grid = users(np.random.default_rng(1), 30, 5), np.linspace(0, 20, 50)
    options = RELEASE | {"delta": delta}
    ours = surrogate_curve(data, largest=20.0, **options).values(grid)
    lost = [data.sum() - clip(data, bound, norm=1 if delta == 0 else 2).sum() for bound in grid]
    whole = np.array(lost) + grid * noise_mass(5, **options)
    assert np.ptp(ours - whole) < 1e-9 * ours.max()
    np.testing.assert_allclose(surrogate_curve(data, **options).values(grid), whole, rtol=1e-12)
    assert surrogate_curve(data, largest=1e3, **options).minimiser() == pytest.approx(
        two_approximate_bound(data, **options)
    )
    held = surrogate_curve(sparse.csr_array(data), largest=20.0, **options).values(grid)
    assert np.allclose(held, ours)


@pytest.mark.long
@pytest.mark.parametrize("replace", [True, False])
def test_one_user_moves_the_minimiser_by_at_most_reach_over_ridge(replace):
    rng = np.random.default_rng(2)
    for _ in range(2000):
        one, two = curves(rng, replace)
        ridge = rng.exponential()
        moved = abs(one.minimiser(ridge) - two.minimiser(ridge))
        assert moved <= one.reach / ridge * (1 + 1e-9)


def test_the_sensitivity_is_attained_and_a_quarter_of_the_printed_one():
    data = np.full((3, 4), 50.0)
    other = np.vstack([data[1:], np.zeros((1, 4))])
    one, two = (surrogate_curve(x, largest=1e3, epsilon=1e3, delta=0.01) for x in (data, other))
    assert one.minimiser(0.1) - two.minimiser(0.1) == pytest.approx(one.reach / 0.1, rel=1e-12)


def test_without_the_cut_of_the_ratio_the_sensitivity_would_be_exceeded():
    # ten items each, said to be at most one
    data = np.full((3, 10), 50.0)
    moved = []
    for cut in (True, False):
        pair = []
        for x in (data, np.vstack([data[1:], np.zeros((1, 10))])):
            curve = surrogate_curve(x, largest=1e3, epsilon=1e3, delta=0.01, sparsity=1)
            weights = curve.weights if cut else np.where(curve.sizes > 0, np.sqrt(10), 0.0)
            pair.append(Surrogate(curve.sizes, weights, curve.mass, 1.0, 1e3).minimiser(0.1))
        moved.append(pair[0] - pair[1])
    assert moved[0] <= 10 * (1 + 1e-12) < moved[1]


@pytest.mark.long
@pytest.mark.parametrize("replace", [True, False])
def test_the_exponential_choices_lose_at_most_their_budget(replace):
    rng = np.random.default_rng(3)
    grid = np.linspace(0, 20, 41)
    for _ in range(500):
        pair = curves(rng, replace)
        law = np.array([grid_law(curve, grid, epsilon=0.7) for curve in pair])
        assert exact_loss(law) <= 0.7 * (1 + 1e-9)
        points = np.concatenate([grid, *(curve.sizes for curve in pair)])
        one, two = (log_density(curve, points, 0.7 / (20 * curve.reach)) for curve in pair)
        assert np.abs(one - two).max() <= 0.7 * (1 + 1e-9)


def test_the_budget_of_the_exponential_choice_is_attained_and_twice_the_rate_is_too_much():
    data = np.full((400, 4), 50.0)
    grid = np.linspace(0, 20, 41)
    one, two = (
        surrogate_curve(np.vstack([data, x]), largest=20.0, epsilon=50.0, delta=0.01)
        for x in (np.full((1, 4), 50.0), np.zeros((1, 4)))
    )
    losses = [exact_loss(np.array([grid_law(x, grid, epsilon=e) for x in (one, two)])) for e in (0.7, 1.4)]
    assert 0.99 * 0.7 < losses[0] <= 0.7 < losses[1]


def test_the_exponential_bound_has_its_density():
    data, rng = users(np.random.default_rng(4), 40, 5), np.random.default_rng(5)
    options = CHOICE | {"release_epsilon": 3.0, "epsilon": 20.0}
    drawn = [exponential_bound(data, rng=rng, **options).value for _ in range(3000)]
    curve = surrogate_curve(data, largest=20.0, epsilon=3.0, delta=0.01)
    fine = np.linspace(0, 20, 400_001)

    def from_density(rate):
        weights = np.exp(log_density(curve, fine, rate))
        return np.interp(rng.random(3000), np.cumsum(weights) / weights.sum(), fine)

    rate = 20.0 / (20.0 * curve.reach)
    assert np.trapezoid(np.exp(log_density(curve, fine, rate)), fine) == pytest.approx(1, rel=1e-6)
    assert same_law(drawn, from_density(rate))
    assert not same_law(drawn, from_density(rate / 2))


@pytest.mark.parametrize("rise", [0.0, 0.5, 1.0, 6.0])
def test_a_draw_from_one_piece_inverts_its_distribution(rise):
    """Few records: the curve rises in a straight line, by `rise` over the whole range at this rate."""
    curve = surrogate_curve(np.array([[0.1]]), largest=20.0, **RELEASE)
    bounds, rng = np.linspace(0.1, 20, 100_001), Silent()
    rate = rise / np.ptp(curve.values(bounds[[0, -1]]))
    weights = np.exp(-rate * curve.values(bounds))
    for uniform in (0.1, 0.5, 0.9):
        rng.random = lambda uniform=uniform: uniform
        below = bounds <= curve.draw(rate, rng)
        share = np.trapezoid(weights[below], bounds[below]) / np.trapezoid(weights, bounds)
        assert share == pytest.approx(uniform, abs=1e-4)


def test_the_mean_of_the_curve_exceeds_its_minimum_by_at_most_one_over_the_rate():
    rng = np.random.default_rng(6)
    fine = np.linspace(0, 20, 100_001)
    for _ in range(50):
        curve = curves(rng, True)[0]
        rate = rng.exponential()
        weights = np.exp(log_density(curve, fine, rate))
        mean = np.average(curve.values(fine), weights=weights)
        assert mean - curve.values(curve.minimiser()) <= 1 / rate * (1 + 1e-3)


def test_output_perturbation_has_its_law_in_both_variants():
    data, rng = users(np.random.default_rng(7), 60, 4), np.random.default_rng(8)
    options = CHOICE | {"release_epsilon": 30.0}
    for printed, ridge, scale in (
        (False, np.sqrt(4 * 60 / 0.5) / 20, 1 / 0.5),
        (True, np.sqrt(8 * 4 * 60 / 30) / 20, 4 / 0.5),
    ):
        centre = surrogate_curve(data, largest=20.0, epsilon=30.0, delta=0.01, printed=printed).minimiser(
            ridge
        )
        drawn = [output_perturbation(data, printed=printed, rng=rng, **options).value for _ in range(3000)]
        noisy = centre + rng.laplace(scale=scale * 2 / ridge, size=3000)
        assert same_law(drawn, noisy if printed else np.clip(noisy, 0, 20))
        assert not same_law(drawn, centre + 1.4 * (noisy - centre))


def test_output_perturbation_is_zero_where_clipping_at_zero_is_best_for_all_data():
    rng = np.random.default_rng(9)
    options = CHOICE | {"release_epsilon": 0.1, "release_delta": 0.125}
    chosen = output_perturbation(np.eye(4), rng=rng, **options)
    assert chosen.value == 0 and chosen.guarantee.epsilon == 0.5


def test_output_perturbation_is_zero_from_that_mass_on_and_projected_below_it():
    mass = noise_mass(1, **RELEASE)
    n = int(np.ceil(mass))
    assert n - 1 < mass < n
    for users, far, chosen in ((n, 1e9, 20), (n, -1e9, 0), (n - 1, 1e9, 0)):
        found = output_perturbation(np.full((users, 1), 9), rng=Silent(noise=far), **CHOICE).value
        assert found == chosen
    # two items and a budget of 1 have the mass 4: as many users are too few
    options = CHOICE | {"release_epsilon": 1.0, "release_delta": 0.0}
    assert output_perturbation(np.full((4, 2), 9), rng=Silent(noise=1e9), **options).value == 0
    # who may hold four items pulls twice as hard: five users outweigh a mass between 8 and 10
    assert 8 < noise_mass(4, **RELEASE) < 10
    found = [output_perturbation(np.full((n, 4), 9), rng=Silent(noise=1e9), **CHOICE) for n in (4, 5)]
    assert [one.value for one in found] == [0, 20]


def test_a_geometric_search_whose_steps_are_not_said_takes_fifty():
    data, options = users(np.random.default_rng(10), 200, 4), CHOICE | {"delta": 1e-3, "users": 200}
    asked = [Silent(), Silent()]
    first = geometric_quantile(data, rng=asked[0], **options)
    second = geometric_quantile(data, steps=50, rng=asked[1], **options)
    assert first.value == second.value and asked[0].scales == asked[1].scales


@pytest.mark.parametrize("relation", ["replace", "add-remove"])
def test_the_descents_spend_exactly_what_they_say(relation):
    data = users(np.random.default_rng(10), 200, 4)
    options = CHOICE | {"delta": 1e-3, "neighbours": relation, "users": 200}
    for choose, steps, reach in ((private_gradient_descent, 3000, 2.0), (geometric_quantile, 50, 1.0)):
        rng = Silent()
        guarantee = choose(data, steps=steps, rng=rng, **options).guarantee
        assert sum(np.prod(size) for _, _, size in rng.asked) == steps
        (scale,) = set(rng.scales)
        spent = gaussian_delta(scale, epsilon=0.5, sensitivity=reach * np.sqrt(steps))
        assert spent == pytest.approx(1e-3, rel=1e-9)
        assert (guarantee.epsilon, guarantee.delta, guarantee.neighbours) == (0.5, 1e-3, relation)


def test_without_noise_the_descents_find_what_they_look_for():
    data = users(np.random.default_rng(11), 400, 4)
    options = CHOICE | {"delta": 1e-3}
    best = two_approximate_bound(data, **RELEASE)
    # the step size allows for the noise that is not there
    found = private_gradient_descent(data, steps=200_000, rng=Silent(), **options | {"epsilon": 1e3}).value
    curve = surrogate_curve(data, largest=20.0, **RELEASE)
    assert curve.values(found) - curve.values(best) < 0.01 * curve.values(best)
    found = geometric_quantile(data, steps=4000, rng=Silent(), **options | {"largest": 80.0}).value
    sizes, mass = np.sort(np.sqrt((data**2).sum(axis=1))), noise_mass(4, **RELEASE)
    assert abs(np.sum(sizes > found) - mass) <= 2


@pytest.mark.parametrize("largest", [20.0, 21.0])
def test_a_descent_goes_as_far_and_as_often_as_its_proof_says(largest, monkeypatch):
    """Without noise the mean of two iterates shows the first step."""
    data, options, middle = np.full((3, 1), 15.0), CHOICE | {"delta": 1e-3, "largest": largest}, largest / 2
    curve, rng = surrogate_curve(data, largest=largest, **RELEASE), Silent()
    chosen = private_gradient_descent(data, steps=2, rng=rng, **options).value
    slope = np.diff(curve.values(np.array([middle, middle + 1])))[0]  # straight there
    steepest, (scale,) = max(curve.mass, 3 * curve.reach - curve.mass), set(rng.scales)
    step = middle / np.sqrt(2 * (steepest**2 + scale**2)) * slope
    assert step != 0 and chosen == pytest.approx(middle - step / 2, rel=1e-12)
    steps = np.ceil((3 / gaussian_sigma(epsilon=50.0, delta=1e-3)) ** 2)
    for most in (private_descent.MOST_STEPS, 100):
        monkeypatch.setattr(private_descent, "MOST_STEPS", most)
        private_gradient_descent(data, rng=(rng := Silent()), **options | {"epsilon": 50.0})
        assert sum(np.prod(size) for _, _, size in rng.asked) == min(steps, most) and steps > 100


def test_a_sampled_step_follows_n_times_the_slope_of_one_user():
    data, options = np.tile([12.0, 9.0], (3, 1)), CHOICE | {"delta": 1e-3}
    curve, rng = surrogate_curve(data, largest=20.0, printed=True, **RELEASE), Silent()
    chosen = sampled_descent(data, steps=1, rng=rng, **options).value
    step = 20 / np.hypot(3 * curve.reach + curve.mass, *set(rng.scales))
    assert chosen == pytest.approx(10 - step * (curve.mass - 3 * curve.weights[0]), rel=1e-12)
    assert abs(chosen - 10) > 1e-6


@pytest.mark.parametrize(("size", "above"), [(9.5, 0), (10.0, 0), (10.5, 1)])
def test_a_sampled_step_counts_a_user_above_the_bound_alone(size, above):
    """The descent starts at 10."""
    data, options = np.full((3, 1), size), CHOICE | {"delta": 1e-3}
    curve, rng = surrogate_curve(data, largest=20.0, printed=True, **RELEASE), Silent()
    chosen = sampled_descent(data, steps=1, rng=rng, **options).value
    step = 20 / np.hypot(3 * curve.reach + curve.mass, *set(rng.scales))
    assert chosen == pytest.approx(10 - step * (curve.mass - 3 * above * curve.weights[0]), rel=1e-12)


def test_the_quantile_is_sought_in_a_million_steps_at_most():
    options = CHOICE | {"delta": 1e-3}
    with pytest.raises(ValueError, match=r"steps must be in \[1, 1000000\], got 1000001"):
        geometric_quantile([[1.0]], steps=10**6 + 1, rng=Silent(), **options)
    assert geometric_quantile([[1.0]], steps=10**6, rng=Silent(), **options).guarantee.delta == 1e-3


def test_every_step_of_a_descent_follows_the_slope_where_it_stands():
    data = users(np.random.default_rng(14), 12, 3)
    curve, rng, steps = surrogate_curve(data, largest=20.0, **RELEASE), Silent(), 40
    chosen = private_gradient_descent(data, steps=steps, rng=rng, **CHOICE | {"delta": 1e-3, "epsilon": 50.0})
    steepest, (scale,) = max(curve.mass, 12 * curve.reach - curve.mass), set(rng.scales)
    rate, bound, iterates = 10 / np.sqrt(steps * (steepest**2 + scale**2)), 10.0, []
    for _ in range(steps):
        iterates.append(bound)
        slope = np.diff(curve.values(bound + np.array([-1e-7, 1e-7])))[0] / 2e-7
        bound = np.clip(bound - rate * slope, 0, 20)
    assert chosen.value == pytest.approx(np.mean(iterates), rel=1e-6)
    assert np.ptp(iterates) > 1


def test_the_compiled_descents_are_the_plain_ones():
    rng = np.random.default_rng(12)
    curve = surrogate_curve(users(rng, 30, 4), largest=20.0, **RELEASE)
    noise, drawn = rng.normal(size=500, scale=100), rng.integers(30, size=500)
    data = (curve.sizes, curve.pulls, curve.mass, 20.0, 10.0, noise, 0.01)
    assert private_descent._descend(*data) == _plain(private_descent._descend)(*data)
    data = (curve.sizes, 30 * curve.weights, curve.mass, 20.0, 10.0, noise, drawn, 0.01, 7)
    assert private_descent._descend_sampled(*data) == _plain(private_descent._descend_sampled)(*data)


def _plain(function):
    return getattr(function, "py_func", function)


@pytest.mark.parametrize(("order", "sigma"), [(1.5, 0.7), (4.0, 2.0), (30.0, 10.0), (300.0, 200.0)])
def test_the_moment_of_a_step_that_looks_at_all_users_is_that_of_gaussian_noise(order, sigma):
    exact = np.expm1(order * (order - 1) / (2 * sigma**2))
    assert private_descent._moment(order, 1.0, sigma) == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize(("n", "sigma"), [(2, 1.0), (5, 0.7), (20, 2.0)])
def test_one_step_with_one_user_loses_at_most_what_is_proved(n, sigma):
    x = np.linspace(-12 * sigma, 1 + 12 * sigma, 20_001)
    rng = np.random.default_rng(13)
    for delta in (0.2, 0.01, 1e-4):
        epsilon = sampled_epsilon(1, n, sigma=sigma, delta=delta)
        for _ in range(20):
            ones, y = rng.binomial(n - 1, 0.5), rng.integers(2)
            one, two = (
                ((ones + z) * norm.pdf(x, 1, sigma) + (n - ones - z) * norm.pdf(x, 0, sigma)) / n
                for z in (y, 1 - y)
            )
            assert np.trapezoid(np.maximum(one - np.exp(epsilon) * two, 0), x) <= delta


def test_many_steps_cost_no_more_than_the_general_bound_for_sampling_without_replacement():
    dp_accounting = pytest.importorskip("dp_accounting")
    for n, sigma, steps in ((100, 5.0, 1000), (500, 40.0, 250_000)):
        accountant = dp_accounting.rdp.RdpAccountant(
            neighboring_relation=dp_accounting.NeighboringRelation.REPLACE_ONE
        )
        step = dp_accounting.SampledWithoutReplacementDpEvent(n, 1, dp_accounting.GaussianDpEvent(sigma))
        accountant.compose(step, steps)
        general = accountant.get_epsilon(1e-3)
        ours = sampled_epsilon(steps, n, sigma=sigma, delta=1e-3)
        # n^2 looks at one of n users cannot cost less than the limit, one look at all of them
        limit = n / np.sqrt(steps)
        assert gaussian_delta(sigma * limit, epsilon=ours) <= 1e-3
        assert ours <= general


def test_the_prescribed_noise_is_that_of_the_paper():
    found = sampled_noise(10, epsilon=2.0, delta=0.05)
    assert found == pytest.approx(np.sqrt(32 * np.log(200) * np.log(20)) / 2, rel=1e-14)


def test_the_prescribed_noise_is_far_more_than_enough():
    for n, epsilon in ((10, 1.0), (500, 0.1), (2000, 5.0)):
        sigma = sampled_noise(n, epsilon=epsilon, delta=1 / (2 * n))
        assert sampled_epsilon(n**2 - 1, n, sigma=sigma, delta=1 / (2 * n)) < epsilon / 10


def test_what_a_moment_has_beyond_linear_is_exact_on_both_sides_of_the_series():
    t = np.array([-0.5, -0.011, -0.0099, -1e-3, -1e-6, 1e-9, 1e-4, 0.0099, 0.011, 2.0])
    exact = [float(mpmath.expm1(x) - mpmath.mpf(x)) for x in map(float, t)]
    assert private_descent._beyond_linear(t) == pytest.approx(exact, rel=1e-10)


def test_the_printed_descent_pays_for_all_of_its_steps():
    # few users, so that the price of many steps can be seen; one that forgot the square would state less
    data, options = np.full((3, 1), 1.0), CHOICE | {"epsilon": 400.0, "delta": 0.01}
    rng = Silent()
    guarantee = sampled_descent(data, steps=20_000, rng=rng, **options).guarantee
    assert sum(np.prod(size) for _, _, size in rng.asked) == 20_000
    (scale,) = set(rng.scales)
    paid, forgot = (sampled_epsilon(t, 3, sigma=scale / 3, delta=0.01) for t in (20_000, 141))
    assert guarantee.epsilon == pytest.approx(paid, rel=1e-9)
    assert paid > 1.5 * forgot > 0


@pytest.mark.parametrize(("n", "steps"), [(1, 1), (2, 3), (7, 48)])
def test_the_printed_descent_takes_a_step_less_than_the_square_of_the_users(n, steps):
    rng = Silent()
    sampled_descent(np.full((n, 1), 1.0), delta=0.01, rng=rng, **CHOICE)
    assert sum(np.prod(size) for _, _, size in rng.asked) == steps


def test_the_printed_descent_states_what_it_costs():
    data, rng = users(np.random.default_rng(14), 40, 4), np.random.default_rng(15)
    chosen = sampled_descent(data, delta=0.01, rng=rng, **CHOICE | {"epsilon": 50.0})
    # the Lipschitz constant of the paper counts the noise of the release, which no user moves
    mass = noise_mass(4, **RELEASE, printed=True)
    sigma = sampled_noise(40, epsilon=50.0, delta=0.01) * (2 + mass / 40) / 2
    proved = sampled_epsilon(1599, 40, sigma=sigma, delta=0.01)
    assert chosen.guarantee.epsilon == pytest.approx(proved, rel=1e-9) and proved > 1
    assert 0 <= chosen.value <= 20 and chosen.guarantee.delta == 0.01


@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_the_quantile_has_about_m_users_above_it(delta):
    data, rng = users(np.random.default_rng(16), 4000, 4), np.random.default_rng(17)
    release = {"epsilon": 0.05, "delta": delta}
    options = {"release_epsilon": 0.05, "release_delta": delta, "largest": 80.0, "epsilon": 5.0}
    size = data.sum(axis=1) if delta == 0 else np.sqrt((data**2).sum(axis=1))
    mass = noise_mass(4, **release)
    for _ in range(20):
        chosen = private_quantile(data, rng=rng, **options)
        bound, guarantee = chosen.value, chosen.guarantee
        assert np.sum(size >= bound + 0.5) - 30 < mass < np.sum(size >= bound - 0.5) + 30
    assert (guarantee.epsilon, guarantee.delta) == (5.0, 0.0)


def test_a_choice_weighs_the_noise_of_the_release_and_no_other():
    data, grid = users(np.random.default_rng(20), 200, 4), np.linspace(1, 20, 20)
    for delta in (0.0, 0.01):
        options = CHOICE | {"release_epsilon": 0.7, "release_delta": delta}
        curve = surrogate_curve(data, largest=20.0, epsilon=0.7, delta=delta)
        rng = Silent()
        chosen = [exponential_bound(data, bounds=grid, rng=rng, **options).value]
        np.testing.assert_allclose(rng.laws[0], grid_law(curve, grid, epsilon=0.5), rtol=1e-12)
        chosen.append(private_quantile(data, bounds=grid, rng=rng, **options).value)
        reached = np.searchsorted(grid, data.sum(1) if delta == 0 else np.linalg.norm(data, axis=1), "right")
        law = order_statistic_law(reached, rank=np.ceil(curve.mass), largest=20, epsilon=0.5)
        np.testing.assert_allclose(rng.laws[1], law, rtol=1e-12)
        assert chosen == [grid[np.argmax(law)] for law in rng.laws]
        chosen = output_perturbation(data, rng=Silent(), **options).value
        ridge = curve.reach * np.sqrt(200 / 0.5) / 20
        assert chosen == pytest.approx(curve.minimiser(ridge), rel=1e-12)
        rng = Silent()
        output_perturbation(data, printed=True, rng=rng, **options)
        weight = np.sqrt(8 * 200 / 0.7)  # reach / ridge is largest / weight
        assert rng.scales == [pytest.approx(4 * 20 / weight / 0.5, rel=1e-12)]


def test_the_default_candidates_are_a_thousand_and_the_rank_is_whole_but_for_rounding():
    """Five items at this budget have a noise mass of 23, computed as 23 and a bit."""
    counts, rng, epsilon = np.arange(60.0)[:, None] * np.ones(5) / 5, Silent(), 10 / 23
    assert 23 < noise_mass(5, epsilon=epsilon) < 23 + 1e-12
    private_quantile(counts, largest=60.0, release_epsilon=epsilon, epsilon=0.5, rng=rng)
    reached = np.floor(np.arange(60.0) / 0.06 + 1e-6)
    law = order_statistic_law(reached, rank=23, largest=1000, epsilon=0.5)
    np.testing.assert_allclose(rng.laws[0], law, rtol=1e-12)


@pytest.mark.parametrize("relation", ["replace", "add-remove"])
@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_the_loss_of_a_quantile_over_neighbouring_tables_is_at_most_its_budget(delta, relation):
    """The default grid must not look at the data: one user holds far more than `largest`."""
    others = np.array([[3.0, 0], [0, 5], [1, 1], [19, 0]])
    rows = [[0, 0], [0.03, 0], [7, 2], [20, 20], [1e4, 1e4], [np.nan, np.inf]]
    tables = [np.vstack([others, row]) for row in rows] + ([others] if relation == "add-remove" else [])
    options = CHOICE | {"release_epsilon": 2.0, "release_delta": delta, "neighbours": relation}
    rng = Silent()
    chosen = [private_quantile(table, rng=rng, **options) for table in tables]
    law = np.array(rng.laws)
    pairs = [law] if relation == "replace" else [law[[i, -1]] for i in range(len(rows))]
    assert 0.2 < max(exact_loss(pair) for pair in pairs) <= 0.5 + 1e-12
    assert all(0 < one.value <= 20 and one.guarantee.epsilon == 0.5 for one in chosen)


class Given(np.random.Generator):
    """Normal noise that is given, whatever its scale."""

    def __init__(self, noise):
        super().__init__(np.random.PCG64(0))
        self.noise = noise

    def normal(self, loc=0.0, scale=1.0, size=None):
        return self.noise


@pytest.mark.parametrize("choose", [private_gradient_descent, geometric_quantile, sampled_descent])
def test_a_descent_sees_noisy_sums_alone(choose):
    """Other users, and noise that takes away what they change: no other trace of them may be left."""
    one, other, moved = [[100.0, 0.0]] * 4 + [[0.0, 0.0]] * 8, [[100.0, 0.0]] * 5 + [[0.0, 0.0]] * 7, 1.0
    if choose is geometric_quantile:
        moved = -1.0  # it adds the count that the others subtract
    if choose is sampled_descent:  # a random user's slope: all hold one item, or all hold two
        one, other, moved = [[100.0, 0.0]] * 12, [[100.0, 100.0]] * 12, 12 * (np.sqrt(2) - 1)
    delta = 0.01 if choose is sampled_descent else 0.0
    options = {"largest": 50.0, "epsilon": 0.5, "delta": 0.01, "steps": 9}
    options |= {"release_epsilon": 1.0, "release_delta": delta}  # for a mass of 4, the number of users above
    noise = np.random.default_rng(4).normal(0, 2, 9)
    found = [
        choose(data, rng=Given(z), **options).value for data, z in ((one, noise), (other, noise + moved))
    ]
    assert found[0] == pytest.approx(found[1], rel=1e-12)
    assert found[0] != choose(one, rng=Given(noise + moved), **options).value


@pytest.mark.parametrize("start", [1.0, 3.0])
def test_a_user_at_a_tie_counts_once_in_a_geometric_step(start):
    """One user: at the bound or below, the first step sees nobody above it."""
    options = CHOICE | {"release_delta": 0.0, "delta": 0.01, "steps": 1, "start": start, "rate": 1.0}
    steps = []
    for size in (0.0, start, np.nextafter(start, 9), 9.0):
        chosen = geometric_quantile([[size]], users=1, rng=Silent(), **options)
        steps.append(np.log(chosen.value / start) + noise_mass(1, epsilon=1.0))
    np.testing.assert_allclose(steps, [0, 0, 1, 1], atol=1e-9)


@pytest.mark.parametrize("choose", [private_gradient_descent, geometric_quantile, sampled_descent])
def test_a_descent_takes_one_step_or_more(choose):
    """None at all would spend its budget and tell nothing."""
    options = CHOICE | {"delta": 0.01, "rng": Silent()}
    choose(np.full((3, 1), 2.0), steps=1, **options)
    with pytest.raises(ValueError, match="steps must be a whole number of at least 1, got 0"):
        choose(np.full((3, 1), 2.0), steps=0, **options)


def test_a_geometric_descent_starts_at_one():
    options = CHOICE | {"release_delta": 0.0, "delta": 0.01, "steps": 1, "rate": 1.0}
    chosen = geometric_quantile([[0.0]], users=1, rng=Silent(), **options)
    assert chosen.value == pytest.approx(np.exp(-noise_mass(1, epsilon=1.0)), rel=1e-12)


@pytest.mark.parametrize("noise, moved", [(-1e6, np.exp(-50)), (-40.0, np.exp(-40)), (3e5, np.exp(50))])
def test_a_geometric_step_is_cut_where_floats_would_end(noise, moved):
    options = {"largest": 1e30, "release_epsilon": 1e9, "epsilon": 0.5, "delta": 0.01, "steps": 1}
    found = geometric_quantile([[1.0]], users=1, rate=1.0, start=3.0, rng=Given(np.array([noise])), **options)
    assert found.value == pytest.approx(3 * moved, rel=1e-6)


@pytest.mark.parametrize(("delta", "above"), [(0.0, 1), (0.01, 0)])
def test_a_geometric_step_counts_in_the_norm_of_the_release(delta, above):
    """Three records and four: 7 in the norm of Laplace noise, 5 in that of Gaussian."""
    options = CHOICE | {"release_delta": delta, "delta": 0.01, "steps": 1, "start": 6.0, "rate": 1.0}
    chosen = geometric_quantile([[3.0, 4.0]], users=1, rng=Silent(), **options).value
    step = np.log(chosen / 6) + noise_mass(2, epsilon=1.0, delta=delta)
    assert step == pytest.approx(above, abs=1e-9)


def all_choices(data, rng, **change):
    """Every choice once; those that take a parameter that others do not get it here."""
    options = CHOICE | change
    approximate = options | {"delta": 0.01}
    public = {"users": 5} if change.get("neighbours") == "add-remove" else {}
    sampled = {key: value for key, value in approximate.items() if key != "neighbours"}
    return [
        output_perturbation(data, rng=rng, **options, **public),
        output_perturbation(data, rng=rng, **options, **public, printed=True),
        exponential_bound(data, rng=rng, **options),
        exponential_bound(data, rng=rng, **options, bounds=[1.0, 2.0]),
        private_quantile(data, rng=rng, **options),
        geometric_quantile(data, rng=rng, **approximate, **public),
        private_gradient_descent(data, rng=rng, **approximate, **public),
        *([] if public else [sampled_descent(data, rng=rng, **sampled)]),
    ]


@pytest.mark.parametrize("delta", [0.0, 0.01])
@pytest.mark.parametrize("relation", ["replace", "add-remove"])
def test_no_data_raise_and_every_guarantee_is_central(delta, relation):
    rng = np.random.default_rng(18)
    for data in (
        [[np.nan, np.inf], [-3.0, 1e300], [0.0, 0.0]],
        [[0.0, 0.0]],
        [[1e-300, 0.0], [5.0, 5.0]],
    ):
        chosen = all_choices(np.array(data), rng, release_delta=delta, neighbours=relation)
        for i, choice in enumerate(chosen):
            assert np.isfinite(choice.value) and (i == 1 or 0 <= choice.value <= 20)
            assert (choice.guarantee.trust, choice.guarantee.neighbours) == ("central", relation)
            # the printed Algorithm 2 has four times the noise that it needs
            assert choice.guarantee.epsilon <= 0.5
            assert i != 1 or choice.guarantee.epsilon == pytest.approx(0.125, rel=1e-12)


def test_the_curve_of_nobody_s_records_ends_at_the_smallest_bound():
    assert surrogate_curve(np.zeros((3, 2)), epsilon=1.0, delta=0.0).largest == np.finfo(float).tiny
