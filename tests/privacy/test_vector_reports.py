"""Reports of one vector a user: exact channel by enumeration, means, ties, totality."""

import itertools

import mpmath
import numpy as np
import pytest
from scipy import integrate, special, stats

from laws import has_mean
from userdp.privacy.vector_reports import BallReport, CubeReport, to_unit_ball
from userdp_papers.theory.audit.exact import exact_loss


def corners(d):
    return np.array(list(itertools.product((-1, 1), repeat=d)))


def cube_channel(report, inputs, ties=0.0):
    """Law of the report over all corners, summed over the rounding, written down afresh.

    `ties` is the share of a corner of the near side that a tie gets beyond one of the far side.
    """
    z = corners(report.d)
    side = z @ z.T
    weight = np.exp(report.epsilon * ((side > 0) + ties * (side == 0)))
    rounding = np.prod((1 + inputs[:, None, :] * z[None, :, :]) / 2, axis=2)
    return rounding @ (weight / weight.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_a_cube_report_has_the_stated_loss_and_mean(d, epsilon):
    report = CubeReport(d, epsilon)
    inputs = np.vstack([corners(d), np.zeros(d), np.linspace(-0.7, 0.9, d)])
    channel = cube_channel(report, inputs)
    assert exact_loss(channel) == pytest.approx(epsilon, abs=1e-12)
    assert report.privacy_loss() == pytest.approx(epsilon, abs=1e-12)
    assert report.guarantee.epsilon == epsilon
    np.testing.assert_allclose(report.magnitude * channel @ corners(d), inputs, atol=1e-12)


@pytest.mark.parametrize("d", [2, 3, 4])
def test_cube_reports_are_drawn_from_that_channel(d):
    report, x, n = CubeReport(d, 1.2), np.linspace(-0.7, 0.9, d)[None, :], 40_000
    law = cube_channel(report, x)[0]
    drawn = report.privatise(np.repeat(x, n, axis=0), np.random.default_rng(5)) / report.magnitude
    codes = ((drawn > 0) @ (1 << np.arange(d)[::-1])).astype(int)
    observed = np.bincount(codes, minlength=2**d)
    assert stats.chisquare(observed, n * law).pvalue > 1e-6
    # control: ties on the near side, which exist in even dimension only
    wrong = cube_channel(report, x, ties=1.0)[0]
    assert (stats.chisquare(observed, n * wrong).pvalue < 1e-6) == (d % 2 == 0)


@pytest.mark.parametrize("d", [2, 4])
def test_ties_on_both_sides_would_cost_more(d):
    epsilon = 0.7
    z = corners(d)
    side, keep = z @ z.T, 1 / (1 + np.exp(-epsilon))
    half = (side >= 0).sum(axis=1)
    printed = keep * (side >= 0) / half + (1 - keep) * (side <= 0) / half
    assert exact_loss(printed) == pytest.approx(np.log1p(np.exp(epsilon)), abs=1e-12)


@pytest.mark.parametrize("d", [1, 2, 3, 8, 33])
def test_ball_reports_have_the_stated_mean_and_radius(d):
    report, rng = BallReport(d, 0.8), np.random.default_rng(6)
    x = rng.standard_normal(d)
    x *= 0.6 / np.linalg.norm(x)
    drawn = report.privatise(np.tile(x, (30_000, 1)), rng)
    np.testing.assert_allclose(np.linalg.norm(drawn, axis=1), report.magnitude)
    assert all(has_mean(drawn[:, j], x[j]) for j in range(d))
    assert not has_mean(drawn @ x, 0.36 * 2)


@pytest.mark.parametrize("d", [2, 3, 10])
def test_the_radius_undoes_the_mean_of_a_half_sphere(d):
    # first coordinate u of a uniform point on the sphere has density proportional to (1 - u^2)^((d - 3)/2)
    constant = 2 / special.beta(0.5, (d - 1) / 2)
    half_mean = constant * integrate.quad(lambda t: np.sin(t) * np.cos(t) ** (d - 2), 0, np.pi / 2)[0]
    report = BallReport(d, 2.0)
    assert report.magnitude * half_mean * (2 * report.keep - 1) == pytest.approx(1, rel=1e-10)


@pytest.mark.parametrize("d", [1, 1000, 1001, 10**6])
def test_the_radius_has_twelve_digits_in_any_dimension(d):
    with mpmath.workdps(40):
        half = mpmath.gammaprod([mpmath.mpf(d) / 2 + 1], [(mpmath.mpf(d) + 1) / 2])
        radius = mpmath.sqrt(mpmath.pi) * d / (2 * half * mpmath.tanh(1))
    assert BallReport(d, 2.0).magnitude == pytest.approx(float(radius), rel=2e-12)


@pytest.mark.parametrize("kind", [CubeReport, BallReport])
def test_a_total_is_the_sum_of_the_reports_of_all_users(kind):
    """At a large budget, of users at ends of one axis."""
    report, x = kind(1, 40.0), np.array([[1.0], [-1.0], [1.0], [1.0]])
    assert report.sample_total(x, np.random.default_rng(1)) == pytest.approx([2.0], rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_a_ball_report_favours_half_the_sphere_by_e_to_epsilon(epsilon):
    report, n = BallReport(3, epsilon), 20_000
    x = np.tile([0.0, 1.0, 0.0], (n, 1))
    share = np.mean(report.privatise(x, np.random.default_rng(7))[:, 1] > 0)
    assert abs(share - report.keep) < 4.9 * np.sqrt(report.keep * (1 - report.keep) / n)
    # given the input's sign, the density is constant on each half: keep and 1 - keep, for every input
    assert np.log(report.keep / (1 - report.keep)) == pytest.approx(report.guarantee.epsilon, abs=1e-12)
    assert report.privacy_loss() == pytest.approx(epsilon, abs=1e-12)


def test_rows_beyond_the_ball_are_scaled():
    np.testing.assert_allclose(
        to_unit_ball([[0.3, 0.4], [0.6, 0.8001], [np.nan, 2], [3, 4]])[:, 1], [0.4, 0.8, 1, 0.8], atol=1e-4
    )


@pytest.mark.parametrize("kind", [CubeReport, BallReport])
def test_errors_name_the_parameter_and_the_value(kind):
    with pytest.raises(ValueError, match=r"x must have shape \(n, d\) with d at least 1, got \(3,\)"):
        kind(2, 1.0).privatise(np.zeros(3), np.random.default_rng(0))
