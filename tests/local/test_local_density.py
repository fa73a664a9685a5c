import numpy as np
import pytest
from scipy import stats

from laws import FALSE_ALARM, has_mean, same_law
from userdp.local.density import density_coefficients
from userdp.local.mean import localised_half_width
from userdp.local.vector import split_budget
from userdp_papers.populations.densities import (
    TrigonometricDensity,
    WrappedGammas,
    basis,
    basis_function,
    evaluate,
    sobolev_weights,
)
from userdp_papers.theory.audit.exact import bits_loss, laplace_loss
from userdp_papers.theory.exact.density import (
    coefficient_noise,
    density_cutoff,
    density_risk,
    draw_user_coefficients,
    integrated_squared_error,
    printed_cutoff,
)

GRID = (np.arange(20_000) + 0.5) / 20_000
WAVE = TrigonometricDensity((0.3, -0.2, 0.0, 0.15))
LAPLACE = WrappedGammas(shape=1, scale=0.1, centre=0.35)
ROUGH = WrappedGammas(shape=0.6, scale=0.3, centre=0.9)
LAWS = [WAVE, LAPLACE, ROUGH]


def wrapped_laplace(x, law):
    u = np.abs((x - law.centre + 0.5) % 1 - 0.5)
    return np.cosh((0.5 - u) / law.scale) / (2 * law.scale * np.sinh(0.5 / law.scale))


def test_wrapping_is_the_remainder_to_the_last_bit():
    difference = np.random.default_rng(1).laplace(size=10_000)
    turns = 0.35 + 0.1 * difference
    assert np.array_equal(LAPLACE.draw(10_000, np.random.default_rng(1)), turns % 1.0)


def test_basis_is_orthonormal_and_in_the_papers_order():
    values = basis(GRID, 9)
    assert np.allclose(values.T @ values / len(GRID), np.eye(9), atol=1e-9)
    assert np.allclose(values[:, 3], np.sqrt(2) * np.cos(4 * np.pi * GRID))
    assert np.allclose(values[:, 4], np.sqrt(2) * np.sin(4 * np.pi * GRID))
    assert np.array_equal(values[:, 2], basis_function(GRID, 3))
    assert np.abs(values).max() <= np.sqrt(2)


def test_coefficients_of_the_wrapped_laplace_law_are_integrals_of_its_closed_form():
    density = wrapped_laplace(GRID, LAPLACE)
    assert np.allclose(basis(GRID, 9).T @ density / len(GRID), LAPLACE.coefficients(9), atol=1e-5)
    assert np.allclose(evaluate(LAPLACE.coefficients(801), GRID[::50]), density[::50], atol=2e-2)


def test_the_peak_is_in_the_middle_unless_said_otherwise():
    """The sine terms of a density that is even about 1/2 are 0, and its first cosine term is negative."""
    found = WrappedGammas(shape=1, scale=0.1).coefficients(3)
    assert found[1] < -0.5 and abs(found[2]) < 1e-15


@pytest.mark.parametrize("law", [WAVE, LAPLACE])
def test_records_have_the_density(law):
    density = evaluate(law.coefficients(5), GRID) if law is WAVE else wrapped_laplace(GRID, law)
    cdf = np.concatenate([[0], np.cumsum(density) / len(GRID)])
    records = law.draw((40_000,), np.random.default_rng(1))
    edges = np.linspace(0, 1, len(cdf))
    test = stats.kstest(records, lambda x: np.interp(x, edges, cdf))
    assert test.pvalue > FALSE_ALARM
    assert stats.kstest((records + 0.02) % 1, lambda x: np.interp(x, edges, cdf)).pvalue < FALSE_ALARM


@pytest.mark.parametrize("law", LAWS)
def test_means_of_the_basis_are_the_coefficients(law):
    values = basis(law.draw((50, 4000), np.random.default_rng(2)), 6).reshape(-1, 6)
    for column, coefficient in zip(values.T, law.coefficients(6), strict=True):
        assert has_mean(column, coefficient)
    assert not has_mean(values[:, 1], law.coefficients(6)[1] + 0.05)


@pytest.mark.parametrize("law", LAWS)
def test_tail_is_the_rest_of_parsevals_sum(law):
    whole = np.square(law.coefficients(40_001)).sum()
    for terms in (1, 2, 3, 6):
        expected = whole - np.square(law.coefficients(terms)).sum()
        assert law.tail(terms) == pytest.approx(expected, abs=2e-4)


def test_integrated_squared_error_is_the_integral():
    estimate = np.array([1.0, 0.5, 0.1])
    for law, density in (
        (WAVE, evaluate(WAVE.coefficients(5), GRID)),
        (LAPLACE, wrapped_laplace(GRID, LAPLACE)),
    ):
        integral = np.mean((evaluate(estimate, GRID) - density) ** 2)
        assert integrated_squared_error(estimate, law) == pytest.approx(integral, rel=1e-4)


def test_weights_are_those_of_a_derivative():
    """sum a_j^2 theta_j^2 is the squared norm of the derivative over pi^(2 beta), by differences."""
    step = np.diff(evaluate(WAVE.coefficients(5), np.append(GRID, GRID[0] + 1))) * len(GRID)
    energy = np.square(sobolev_weights(5, 1) * WAVE.coefficients(5)).sum()
    assert energy == pytest.approx(np.mean(step**2) / np.pi**2, rel=1e-6)
    assert sobolev_weights(5, 2).tolist() == [0, 4, 4, 16, 16]


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 1.7, 2.4, 9.0])
def test_users_need_only_the_coefficients_they_serve(epsilon):
    n, size, terms = 83, 7, 5
    means = draw_user_coefficients(
        ROUGH, n=n, size=size, terms=terms, rng=np.random.default_rng(3), epsilon=epsilon
    )
    unserved = np.isnan(means)
    count, _ = split_budget(terms - 1, epsilon=epsilon)
    assert np.all((~unserved[: n - 1, 1:]).sum(axis=1) == count)
    noise = np.random.default_rng(4).uniform(-1, 1, means.shape)

    def run(values):
        return density_coefficients(
            values, size=size, epsilon=epsilon, rng=np.random.default_rng(5), half_width=0.2
        )

    assert np.array_equal(run(means).value, run(np.where(unserved, noise, means)).value)


def test_a_user_computes_all_coefficients_from_the_same_records():
    means = draw_user_coefficients(LAPLACE, n=60, size=1, terms=5, rng=np.random.default_rng(6), epsilon=20.0)
    assert np.allclose(means[:, 1] ** 2 + means[:, 2] ** 2, 2)
    assert np.allclose(means[:, 3], (means[:, 1] ** 2 - 1) * np.sqrt(2))


def test_served_and_all_coefficients_have_one_law():
    def column(j, epsilon, seed):
        rng = np.random.default_rng(seed)
        means = draw_user_coefficients(LAPLACE, n=8000, size=3, terms=3, rng=rng, epsilon=epsilon)[:, j]
        return means[~np.isnan(means)]

    assert same_law(column(1, 0.5, 7), column(1, None, 8))
    assert not same_law(column(1, 0.5, 7), column(2, None, 8))


@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 1.5, 2.5, 7.0])
def test_loss_of_a_whole_transcript_is_the_guarantee(epsilon, printed):
    """Folds in which a user serves times the costlier of a fold's two rounds, from its own channels."""
    terms, width = 4, 0.11
    rng = np.random.default_rng(9)
    means = draw_user_coefficients(LAPLACE, n=121, size=50, terms=terms, rng=rng)
    run = density_coefficients(means, size=50, epsilon=epsilon, rng=rng, half_width=width, printed=printed)
    d = terms if printed else terms - 1
    assert len(run.coordinates) == d and run.value.shape == (terms,)
    if epsilon <= 1:
        served, budget, general = 1, epsilon, False
    elif epsilon <= d:
        served, budget, general = int(epsilon), 1.0, False
    else:
        served, budget, general = d, epsilon / d, True
    bins = len(run.coordinates[0].votes)
    reach = 1 if general else 0
    vectors = [[abs(i - j) <= reach for i in range(bins)] for j in range(bins)]
    votes = bits_loss(vectors, 1 / (1 + np.exp(-budget / (6 if general else 2))))
    scale = (12 if general else 6) * width / budget
    reports = max(laplace_loss(e.clipped_to, scale) for e in run.coordinates)
    assert served * max(votes, reports) == pytest.approx(run.guarantee.epsilon, rel=1e-12)
    assert run.guarantee.epsilon <= epsilon * (1 + 1e-12)


@pytest.mark.parametrize("theta", [-1.3, -0.4, 0.0, 0.9, 1.38])
def test_estimates_are_unbiased_over_the_whole_range_and_the_printed_ones_are_not(theta):
    known = np.tile([1.0, theta, -theta / 2], (4801, 1))

    def runs(printed):
        rng = np.random.default_rng(14)
        return np.array(
            [
                density_coefficients(
                    known, size=1, epsilon=1.0, rng=rng, half_width=0.04, printed=printed
                ).value[1:]
                for _ in range(300)
            ]
        )

    assert has_mean(runs(False)[:, 0], theta) and has_mean(runs(False)[:, 1], -theta / 2)
    # beyond 1 and the margin of two half-widths there is nothing to find
    assert has_mean(runs(True)[:, 0], theta) == (abs(theta) < 1.1)


@pytest.mark.parametrize(("epsilon", "general"), [(0.8, None), (2.3, None), (9.0, None)])
def test_noise_and_risk_are_the_stated_ones(epsilon, general):
    n, size, terms = 2400, 12, 4
    rng, errors = np.random.default_rng(15), []
    for _ in range(500):
        means = draw_user_coefficients(LAPLACE, n=n, size=size, terms=terms, rng=rng, epsilon=epsilon)
        run = density_coefficients(
            means, size=size, epsilon=epsilon, rng=rng, half_width=0.6, general=general
        )
        errors.append(integrated_squared_error(run.value, LAPLACE))
    risk = density_risk(LAPLACE, n, size, terms, epsilon=epsilon, half_width=0.6)
    assert has_mean(errors, risk)
    assert not has_mean(errors, 1.5 * (risk - LAPLACE.tail(terms)) + LAPLACE.tail(terms))
    known = np.broadcast_to(LAPLACE.coefficients(terms), (n, terms))
    runs = [
        density_coefficients(known, size=1, epsilon=epsilon, rng=rng, half_width=0.6).value[2]
        for _ in range(800)
    ]
    noise = coefficient_noise(n=n, size=1, terms=terms, epsilon=epsilon, half_width=0.6)
    assert has_mean((np.array(runs) - LAPLACE.coefficients(3)[2]) ** 2, noise)


@pytest.mark.parametrize("epsilon", [0.8, 3.0])
@pytest.mark.parametrize("law", [WAVE, LAPLACE])
def test_records_add_the_variance_of_their_basis_functions(law, epsilon):
    n, size, terms = 2400, 12, 5
    coordinates, _ = split_budget(terms - 1, epsilon=epsilon)
    held = basis(GRID, terms)[:, 1:]
    density = evaluate(law.coefficients(400), GRID)[:, None]
    variance = (held**2 * density).mean(axis=0) - (held * density).mean(axis=0) ** 2
    noise = (terms - 1) * coefficient_noise(n=n, size=size, terms=terms, epsilon=epsilon, half_width=0.6)
    records = density_risk(law, n, size, terms, epsilon=epsilon, half_width=0.6) - noise - law.tail(terms)
    users = n // 2 * coordinates / (terms - 1)
    assert records == pytest.approx(variance.sum() / (size * users), rel=1e-6)


def test_noise_is_the_printed_formula():
    width = localised_half_width(n=500, size=300, epsilon=0.5)
    expected = 288 * 4 * width**2 / (2000 * 0.25)
    assert coefficient_noise(n=2000, size=300, terms=5, epsilon=0.5) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
@pytest.mark.parametrize(
    "n", [50, 2186, 2187, 3000, 40_000]
)  # from 2187 users on three pay, with 1000 records
def test_cutoff_is_the_best_odd_number_that_leaves_voters(n, epsilon):
    information = n * min(epsilon, epsilon**2)
    most = information / (64 * np.log(max(information, np.e)))
    for size in (20, 1000, 10**7):
        for radius in (0.5, 4.0):
            bounds = {1: radius**2 / 16}
            for terms in range(3, int(most) + 2, 2):
                noise = (terms - 1) * coefficient_noise(n=n, size=size, terms=terms, epsilon=epsilon)
                bounds[terms] = noise + radius**2 / (terms + 1) ** 4
            J = density_cutoff(n=n, size=size, epsilon=epsilon, smoothness=2, radius=radius)
            assert min(bounds, key=bounds.get) == J
            assert J % 2 and n >= 2 * (J - 1)


@pytest.mark.parametrize("epsilon", [1.0, 0.5])
def test_three_coefficients_are_allowed_up_to_the_stated_constant(epsilon):
    n = 100
    information = n * min(epsilon, epsilon**2)
    largest = information / (2 * np.log(information))
    asked = {"n": n, "size": 10**6, "epsilon": epsilon, "smoothness": 0.5, "radius": 100.0}
    found = [density_cutoff(**asked, constant=share * largest) for share in (1 - 1e-9, 1 + 1e-9)]
    assert found == [3, 1]


def test_a_class_whose_radius_is_not_said_has_radius_one():
    asked = {"n": 10**5, "size": 100, "epsilon": 1.0, "smoothness": 1, "constant": 1.0}
    unit, half = (density_cutoff(**asked, radius=radius) for radius in (1.0, 0.5))
    assert density_cutoff(**asked) == unit > half


def test_printed_cutoff_is_continuous_and_grows_with_the_records_until_the_horizon():
    options = dict(epsilon=1.0, smoothness=1, constant=2.0)
    n = 5000
    horizon = n**3 / (2 * np.log(n)) ** 4
    below, at, beyond = (printed_cutoff(n, int(m), **options) for m in (horizon / 16, horizon, 100 * horizon))
    assert below == pytest.approx(at / 2, rel=1e-3)
    assert beyond == pytest.approx(at, rel=1e-3) and beyond == pytest.approx(n / (2 * np.log(n)))
    # the proof's constant leaves less than one coefficient below n epsilon^2 = 3e5
    assert printed_cutoff(300_000, 10**12, epsilon=1.0, smoothness=1, constant=3 * 8536) < 1


def test_one_coefficient_asks_nobody():
    run = density_coefficients(np.ones((3, 1)), size=10, epsilon=1.0, rng=np.random.default_rng(0))
    assert run.value.tolist() == [1.0] and run.guarantee.epsilon == 0 and run.coordinates == ()
    assert density_cutoff(n=20, size=10, epsilon=1.0, smoothness=1) == 1


def test_without_a_budget_every_user_has_every_coefficient():
    means = draw_user_coefficients(LAPLACE, n=3, size=9, terms=4, rng=np.random.default_rng(1))
    assert means.shape == (3, 4) and np.isfinite(means).all() and np.all(means[:, 1:] != 0)


def test_one_coefficient_is_known_beforehand():
    means = draw_user_coefficients(LAPLACE, n=3, size=9, terms=1, epsilon=1.0, rng=np.random.default_rng(1))
    assert (means == np.ones((3, 1))).all()
    assert density_risk(LAPLACE, n=40, size=9, terms=1, epsilon=1.0) == LAPLACE.tail(1)
