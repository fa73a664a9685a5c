import itertools
import pickle

import numpy as np
import pytest
from scipy import stats

from laws import has_mean, same_law
from mechanisms import LOCAL_CLASSES, TABLE
from userdp.privacy.reports import (
    BinaryResponse,
    EveryReport,
    HashedReport,
    KaryResponse,
    LaplaceReport,
    PiecewiseReport,
    TwoPointReport,
    UnaryEncoding,
)
from userdp_papers.theory.audit.exact import bits_channel, exact_loss, laplace_loss

BUDGETS = [0.05, 22 / 35, 1.0, 3.0]
USERS = 400
DRAWS = 4000
# whose totals are not drawn report by report either way
FAST = [name for name in LOCAL_CLASSES if name != "privacy.CubeReport"]


def example(name, epsilon=1.0, users=USERS):
    """A randomiser with the inputs of some users."""
    row = TABLE[name]
    return row.make(epsilon), row.inputs(users, np.random.default_rng(1))


def totals(randomiser, x, seed, draws=DRAWS):
    rng = np.random.default_rng(seed)
    return np.array([randomiser.sample_total(x, rng) for _ in range(draws)])


@pytest.mark.parametrize("epsilon", BUDGETS)
@pytest.mark.parametrize("kind", LOCAL_CLASSES)
def test_loss_is_epsilon(kind, epsilon):
    randomiser, _ = example(kind, epsilon)
    assert randomiser.privacy_loss() == pytest.approx(epsilon, rel=1e-12)
    assert randomiser.guarantee.epsilon == epsilon


@pytest.mark.parametrize("epsilon", BUDGETS)
def test_loss_of_a_category_by_enumeration(epsilon):
    randomiser = KaryResponse(5, epsilon)
    channel = np.full((5, 5), randomiser.other) + (randomiser.keep - randomiser.other) * np.eye(5)
    assert exact_loss(channel) == pytest.approx(epsilon, rel=1e-12)


@pytest.mark.parametrize(("length", "ones"), [(1, 1), (2, 1), (5, 1), (6, 3), (8, 3), (7, 4)])
def test_loss_of_unary_encoding_by_enumeration(length, ones):
    randomiser = UnaryEncoding(length, ones, 1.3)
    vectors = [v for v in itertools.product((0, 1), repeat=length) if sum(v) <= ones]
    enumerated = exact_loss(bits_channel(vectors, randomiser.keep))
    assert enumerated == pytest.approx(randomiser.privacy_loss(), rel=1e-12)
    assert enumerated <= randomiser.epsilon * (1 + 1e-12)


def test_loss_of_laplace_report_is_range_over_scale():
    randomiser = LaplaceReport(-0.25, 0.5, 0.7)
    projected = [-0.25, 0.5]  # what the extreme inputs become
    assert laplace_loss(projected, randomiser.scale) == pytest.approx(0.7, rel=1e-12)


@pytest.mark.parametrize("epsilon", BUDGETS)
def test_a_piecewise_report_has_the_loss_and_the_moments_of_its_density(epsilon):
    """Integrated piece by piece: the ends of windows and of all that can be reported cut the line."""
    report, x = PiecewiseReport(-0.5, 1.0, epsilon), np.array([-0.5, 0.0, 0.3, 1.0])
    starts = x - report.window * (1.0 - x) / 1.5
    ends = [*starts, *(starts + report.window), -0.5 - report.window, 1.0 + report.window]
    cuts = np.sort(ends)[np.diff(np.sort(ends), prepend=-np.inf) > 1e-9]  # one end, but for rounding, once
    middle, length = (cuts[1:] + cuts[:-1]) / 2, np.diff(cuts)
    density = report.density(middle, x[:, None])
    squares = middle**2 + length**2 / 12
    assert np.log(density.max(axis=0) / density.min(axis=0)).max() == pytest.approx(epsilon, rel=1e-12)
    np.testing.assert_allclose(density @ length, 1.0, rtol=1e-12)
    np.testing.assert_allclose(density @ (middle * length), x, atol=1e-11 / epsilon)
    np.testing.assert_allclose(density @ (squares * length) - x**2, report.variance(x), rtol=1e-11)
    assert np.all(report.density([cuts[0] - 0.01, cuts[-1] + 0.01], 0.3) == 0)


@pytest.mark.parametrize(("low", "high"), [(-0.25, 0.5), (2.0, 5.0)])
def test_two_points_have_the_stated_mean_and_variance(low, high):
    """On a domain whose centre is not 0."""
    report, x = TwoPointReport(low, high, 0.9), np.linspace(low, high, 5)
    points = (low + high) / 2 + report.magnitude * np.array([-1.0, 1.0])
    upper = 0.5 + (x - (low + high) / 2) / (2 * report.magnitude)
    variance = upper * (1 - upper) * (points[1] - points[0]) ** 2
    np.testing.assert_allclose(report.variance(x), variance, rtol=1e-12)
    np.testing.assert_allclose(points[0] + upper * np.ptp(points), x, rtol=1e-12)


def test_a_window_too_short_for_a_float_is_refused():
    with pytest.raises(ValueError, match="has no answer: window must be positive"):
        PiecewiseReport(0.0, 1e-200, 700.0)


def test_piecewise_reports_are_drawn_from_their_density():
    report, rng = PiecewiseReport(-0.5, 1.0, 2.0), np.random.default_rng(11)
    drawn = report.privatise(np.full(40_000, 0.3), rng)
    edges = np.linspace(-0.5 - report.window, 1.0 + report.window, 33)
    fine = (edges[:-1, None] + np.diff(edges)[:, None] * (np.arange(200) + 0.5) / 200).ravel()

    def fits(of):
        expected = 40_000 * of.density(fine, 0.3).reshape(32, 200).mean(axis=1) * np.diff(edges)
        return stats.chisquare(np.histogram(drawn, edges)[0], expected, sum_check=False).pvalue > 1e-6

    assert fits(report) and not fits(PiecewiseReport(-0.5, 1.0, 1.8))


@pytest.mark.parametrize("epsilon", [1.0, 40.0])
@pytest.mark.parametrize("kind", FAST)
def test_total_has_the_law_of_the_summed_reports(kind, epsilon):
    """At the large budget reports are next to the truth, so that a total off by a user or two shows."""
    randomiser, x = example(kind, epsilon)
    draws = DRAWS if epsilon < 2 else 2000
    assert same_law(totals(randomiser, x, 2, draws), totals(EveryReport(randomiser), x, 3, draws))


@pytest.mark.parametrize("kind", FAST)
def test_the_total_of_two_users_has_the_law_of_their_reports(kind):
    """So few that one user more or less is another law."""
    randomiser, x = example(kind, users=2)
    _, more = example(kind, users=3)
    assert same_law(totals(randomiser, x, 7), totals(EveryReport(randomiser), x, 8))
    assert not same_law(totals(randomiser, x, 7), totals(randomiser, more, 9))


def test_totals_of_two_point_reports_are_sums_of_two_points():
    randomiser, rng = TwoPointReport(-0.5, 1.0, 1.0), np.random.default_rng(10)
    x = np.linspace(-0.5, 1.0, 7)
    drawn = np.append(
        randomiser.sample_totals(x, 40, rng), [randomiser.sample_total(x, rng) for _ in range(40)]
    )
    ups = (drawn - 7 * (randomiser.centre - randomiser.magnitude)) / (2 * randomiser.magnitude)
    assert np.allclose(ups, np.rint(ups), atol=1e-9) and 0 <= ups.min() < ups.max() <= 7 + 1e-9


@pytest.mark.parametrize("kind", ["privacy.LaplaceReport", "privacy.TwoPointReport"])
def test_totals_of_many_rounds_have_the_law_of_one(kind):
    randomiser, x = example(kind)
    many = randomiser.sample_totals(x, DRAWS, np.random.default_rng(2))
    assert same_law(many, totals(randomiser, x, 3))
    other, _ = example(kind, 1.5)
    assert not same_law(many, totals(other, x, 3))


@pytest.mark.parametrize("kind", FAST)
def test_the_law_test_has_power(kind):
    """Control: a budget off by a half must be told apart."""
    randomiser, x = example(kind)
    other, _ = example(kind, 1.5)
    assert not same_law(totals(randomiser, x, 4), totals(EveryReport(other), x, 5))


@pytest.mark.parametrize("kind", ["BinaryResponse", "KaryResponse", "UnaryEncoding"])
def test_unbias_recovers_counts(kind):
    randomiser, x = example(f"privacy.{kind}")
    truth = {
        "BinaryResponse": lambda: [x.sum()],
        "KaryResponse": lambda: np.bincount(x, minlength=4),
        "UnaryEncoding": lambda: randomiser.vectors(x).sum(axis=0),
    }[kind]()
    estimates = randomiser.unbias(totals(randomiser, x, 6), USERS).reshape(DRAWS, -1)
    assert all(has_mean(column, value) for column, value in zip(estimates.T, truth, strict=True))
    assert not has_mean(estimates[:, 0] + USERS / 10, truth[0])


@pytest.mark.parametrize("kind", [f"privacy.{kind}Report" for kind in ("Laplace", "TwoPoint", "Piecewise")])
def test_numeric_reports_are_unbiased_with_the_stated_variance(kind):
    randomiser, x = example(kind)
    projected = np.clip(x, -0.5, 1.0)
    sums = totals(randomiser, x, 7)
    assert has_mean(sums, projected.sum())
    assert has_mean((sums - projected.sum()) ** 2, randomiser.variance(x).sum())
    assert not has_mean((sums - projected.sum()) ** 2, 1.3 * randomiser.variance(x).sum())


@pytest.mark.parametrize("kind", LOCAL_CLASSES)
def test_randomisers_travel_to_workers(kind):
    randomiser, _ = example(kind)
    assert pickle.loads(pickle.dumps(EveryReport(randomiser))) == EveryReport(randomiser)


def test_two_point_reports_are_two_points():
    randomiser = TwoPointReport(-1.0, 1.0, 0.4)
    reports = randomiser.privatise(np.linspace(-1, 1, 50), np.random.default_rng(0))
    np.testing.assert_allclose(np.abs(reports), (np.exp(0.4) + 1) / (np.exp(0.4) - 1))


def test_repeated_and_absent_positions_count_once_and_never():
    randomiser, x = UnaryEncoding(4, 3, 3000.0), np.array([[1, 1, 3], [-1, 4, 99], [0, -5, 0]])
    np.testing.assert_array_equal(randomiser.vectors(x), [[0, 1, 0, 1], [0, 0, 0, 0], [1, 0, 0, 0]])
    assert randomiser.sample_total(x, np.random.default_rng(1)).tolist() == [1, 1, 0, 1]


def test_a_user_has_no_more_ones_than_are_paid_for():
    with pytest.raises(ValueError, match="x must have at most 1 columns, got 2"):
        UnaryEncoding(9, 1, 1.0).vectors([[1, 2]])


@pytest.mark.parametrize("stranger", [None, 7, np.random.RandomState(1), np.random])
@pytest.mark.parametrize("kind", LOCAL_CLASSES)
def test_a_report_refuses_what_is_no_generator_by_name(kind, stranger):
    randomiser, x = example(kind, users=2)
    with pytest.raises(TypeError, match=r"rng must be a numpy\.random\.Generator, got"):
        randomiser.privatise(x, stranger)


def test_a_stack_of_users_is_hashed_by_the_signs_of_each_user_s_own_component():
    """At a large budget the report, times the sign of the component, is the number itself."""
    numbers, components = np.array([[0.3, -0.2, 0.1], [-0.4, 0.2, 0.5]]), np.array([[0, 1, 2], [2, 2, 0]])
    sent = HashedReport(3, 0.5, 700.0).privatise((numbers, components), np.random.default_rng(1))
    own = np.take_along_axis(sent, components[..., None], axis=-1)[..., 0]
    assert own == pytest.approx(numbers, abs=0.05)
    two = numbers[:, :2], components[:, :2]  # fewer users than patterns of signs
    assert HashedReport(3, 0.5, 700.0).sample_total(two, np.random.default_rng(1)).shape == (2, 3)


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
def test_debiasing_undoes_the_expectation_whatever_the_number_of_users(k, epsilon):
    """With three users one too many or too few shows, which no law of hundreds would tell."""
    report = KaryResponse(k, epsilon)
    held = np.bincount([0, 0, 1], minlength=k)
    expected = held * report.keep + (3 - held) * report.other
    assert report.unbias(expected, 3) == pytest.approx(held, abs=1e-12)
    for bits in (BinaryResponse(epsilon), UnaryEncoding(k, 2, epsilon)):
        assert bits.unbias(held * bits.keep + (3 - held) * bits.flip, 3) == pytest.approx(held, abs=1e-12)


def test_votes_in_which_no_entry_can_differ_lose_nothing():
    randomiser = UnaryEncoding(4, 1, 2.0, 0)
    assert randomiser.guarantee.epsilon == randomiser.privacy_loss() == 0.0
    assert UnaryEncoding(4, 1, 3.0, 1).guarantee.epsilon == 1.5  # of two that could differ, one


def test_positions_are_rows_of_users():
    randomiser, rng = UnaryEncoding(4, 3, 1000.0), np.random.default_rng(1)
    for call in (randomiser.privatise, randomiser.sample_total):
        with pytest.raises(ValueError, match=r"x must have shape \(n, d\)"):
            call([0, 2, 1], rng)
    assert randomiser.sample_total([[0, 2, 1]], rng).tolist() == [1, 1, 1, 0]


def test_totals_of_certain_reports_can_be_drawn():
    """At a large budget the chance of the upper end is rounded to 1, and each user is one of the sum."""
    for x in ([1.0, 1.0], [1.0, -1.0, 1.0, 1.0]):
        totals = TwoPointReport(-1.0, 1.0, 50.0).sample_totals(x, 9, np.random.default_rng(1))
        assert totals == pytest.approx(2.0)
