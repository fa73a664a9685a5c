"""Signs at moving thresholds: one bit a user, the fast distribution, what is foretold, and where it errs."""

import mpmath as mp
import numpy as np
import pytest
from scipy.stats import chi2, norm

from laws import has_mean, same_law
from userdp.local import signs
from userdp.local.signs import CELLS, ROUNDS, Posterior, moments, sign_mean
from userdp.planning import plan
from userdp.planning.risk.localised import ASTRAY, BACK, LATE, TAKES, sign_risk
from userdp.privacy.reports import BinaryResponse
from userdp.sizes import FiniteSizes, constant_size, empirical_sizes, two_point_sizes

HOW = {"size_law": constant_size(400), "epsilon": 1.3, "rounds": 9}


def estimates(theta, *, n=600, runs=150, seed=1, **options):
    rng, known = np.random.default_rng(seed), HOW | options
    found = []
    for _ in range(runs):
        sizes = known["size_law"].draw(n, rng)
        found.append(sign_mean(2 * rng.binomial(sizes, (1 + theta) / 2) / sizes - 1, rng=rng, **known).value)
    return np.array(found)


def test_a_user_answers_once_by_randomised_response_of_the_whole_budget(monkeypatch):
    """Each bit is of one user, at a threshold made of earlier answers; all groups together are all users."""
    asked, privatise = [], BinaryResponse.privatise

    def spy(self, x, rng):
        asked.append((self.epsilon, len(np.ravel(x))))
        return privatise(self, x, rng)

    monkeypatch.setattr(BinaryResponse, "privatise", spy)
    found = sign_mean(np.zeros(605), rng=np.random.default_rng(1), every_report=True, **HOW)
    assert [count for _, count in asked[-3:]] == [67, 67, 67] and sum(count for _, count in asked) == 605
    assert {epsilon for epsilon, _ in asked} == {1.3} and len(asked) == 6 * 8 + 3
    assert found.guarantee.epsilon == pytest.approx(BinaryResponse(1.3).privacy_loss(), rel=1e-12)


def test_the_posterior_is_that_of_all_answers_by_enumeration():
    """Three numbers for theta, two thresholds: the probability of what was answered, user by user."""
    known = Posterior(np.array([9.0, 25.0]), 0.1, BinaryResponse(0.7))
    known.learn(np.array([0.2, -0.1]), np.array([3.0, 2.0]), np.array([1.0, 2.0]))
    at = np.searchsorted(known.grid, [-0.5, 0.0, 0.5])
    expected = []
    for theta in known.grid[at]:
        chances = []
        for place in (0.2, -0.1):
            above = np.mean([norm.sf(place, theta, np.sqrt((1 - theta**2) / m + 0.01)) for m in (9, 25)])
            chances.append(above * known.answer.keep + (1 - above) * known.answer.flip)
        expected.append(chances[0] * (1 - chances[0]) ** 2 * chances[1] ** 2)
    found = np.exp(known.log[at])
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    assert not np.allclose(found, expected[::-1], rtol=0.01)


@pytest.mark.parametrize("size, spread", [(9, 0.0), (10**5, 0.0), (10**5, 0.002), (10**12, 0.0)])
def test_the_grid_has_four_cells_to_a_deviation_of_a_mean_within_its_limits(size, spread):
    grid = Posterior(np.array([1.0, size]), spread, BinaryResponse(1.0)).grid
    cells = 8 / np.sqrt(1 / size + spread**2)
    assert grid.size % 2 == 1 and abs(grid.size - np.clip(cells, 513, 4097)) <= 1
    assert (grid[0], grid[grid.size // 2], grid[-1]) == (-1, 0, 1)


@pytest.mark.parametrize("place", [0.2, 0.9998, -0.9998])
def test_the_mean_is_that_of_a_hundred_times_as_fine_a_grid(place):
    """Of what is known to less than a cell; also where the ends of the domain cut it off."""
    known = Posterior(np.array([10.0**4]), 0.0, BinaryResponse(1.0))
    answers = np.array([place, place]), np.array([200.0, 200.0]), np.array([100.0, 100.0])
    known.learn(*answers)
    fine = np.linspace(-1, 1, 100 * known.grid.size)
    mean, deviation = moments(fine, known.likelihood(fine, *answers))
    assert abs(known.mean() - mean) < 0.05 * deviation < 0.05 * (known.grid[1] - known.grid[0])


def test_a_record_varies_by_a_tenth_at_least_even_at_the_ends_of_the_domain():
    """The model: at theta the mean of m signs is normal with variance (1 - theta^2)/m, and 0.01/m near 1."""
    answer, size, threshold, grid = BinaryResponse(1.0), 25.0, 0.95, np.array([0.0, 0.9, 0.999, 1.0])
    known = Posterior(np.array([size]), 0.0, answer)
    said = known.likelihood(grid, np.array([threshold]), np.ones(1), np.ones(1))
    deviations = np.sqrt(np.array([1.0, 0.19, 0.01, 0.01]) / size)
    up = norm.cdf((grid - threshold) / deviations)
    assert np.exp(said) == pytest.approx(answer.flip + (answer.keep - answer.flip) * up, rel=1e-9)
    # and no budget makes an answer less likely than 1e-12
    sure, place, one = Posterior(np.array([size]), 0.0, BinaryResponse(700.0)), np.array([0.0]), np.ones(1)
    never = [sure.likelihood(np.array([-ups]), place, one, np.array([max(ups, 0.0)])) for ups in (1.0, -1.0)]
    assert np.concatenate(never) == pytest.approx(np.full(2, np.log(1e-12)), rel=1e-5)


@pytest.mark.parametrize("at", [0, 300, 512])
def test_a_threshold_lies_anywhere_in_the_cell_that_is_drawn_and_in_the_domain(at):
    known, rng = Posterior(np.array([9.0]), 0.0, BinaryResponse(1.0)), np.random.default_rng(5)
    known.log[np.arange(513) != at] = -800.0
    drawn, cell = known.draw(4000, rng), 1 / 256
    ends = np.clip(known.grid[at] + cell * np.array([-0.5, 0.5]), -1, 1)
    assert has_mean(np.abs(drawn - known.grid[at]), cell / 4 if at == 300 else cell / 8)
    assert [drawn.min(), drawn.max()] == pytest.approx(ends, abs=cell / 200)


def test_moments_of_a_density_are_those_of_the_normal():
    grid = np.linspace(-1, 1, 4001)
    assert moments(grid, -(((grid - 0.2) / 0.05) ** 2) / 2) == pytest.approx((0.2, 0.05), rel=1e-6)


@pytest.mark.parametrize("theta", [0.0, 0.3, -0.8])
def test_the_estimate_has_the_distribution_of_drawing_every_report(theta):
    fast, slow = estimates(theta), estimates(theta, seed=2, every_report=True)
    assert same_law(fast, slow)
    assert not same_law(fast, estimates(theta, seed=3, epsilon=0.4, every_report=True))


@pytest.mark.parametrize("theta", [-0.6, 0.0, 0.4])
def test_it_finds_the_mean_of_normal_means_of_unequal_users(theta):
    law = two_point_sizes(400, 2500, 0.5)
    values = estimates(theta, n=4000, size_law=law, epsilon=2.0)
    assert has_mean(values, theta)
    assert not has_mean(values + 10 * values.std() / 150**0.5, theta)


@pytest.mark.statistical
@pytest.mark.parametrize("theta", [0.0, 0.35, -0.8])
@pytest.mark.parametrize(
    "n, size, epsilon", [(1000, 1000, 1.0), (20_000, 100, 0.4), (300, 40, 3.0), (60, 9, 2.0)]
)
def test_what_is_foretold_happens(n, size, epsilon, theta):
    """The formula is for the worst mean, so that elsewhere it may be too large; not too small."""
    runs, law = 150, constant_size(size)
    tails = "normal" if size >= 100 else "bounded"
    foretold = sign_risk(n=n, size_law=law, epsilon=epsilon, spread=0.0, tails=tails).risk
    squares = (estimates(theta, n=n, size_law=law, epsilon=epsilon, runs=runs, rounds=ROUNDS) - theta) ** 2
    assert squares.sum() / foretold < chi2.isf(1e-6, runs)
    much = 16 if tails == "normal" else 64
    assert theta or not much * squares.sum() / foretold < chi2.isf(1e-6, runs)


@pytest.mark.statistical
def test_users_who_search_are_missing_in_the_last_rounds():
    """Where a search takes nearly half of them. A median of squares, which no search gone astray moves, is
    within 0.07 of itself (a standard deviation), four of which lie between 1.1 and what is found."""
    n, epsilon, runs = 430, 1.0, 1200
    known = {"n": n, "size_law": constant_size(10**6), "epsilon": epsilon}
    squares = (estimates(0.05, rounds=ROUNDS, runs=runs, **known) - 0.05) ** 2
    middle = np.median(squares) / chi2.median(1)
    assert 0.55 < middle / sign_risk(spread=0.0, tails="normal", **known).risk < 1.3
    in_the_last = LATE * np.pi / 2 / 10**6 / (n * np.tanh(epsilon / 2) ** 2)  # if all users were
    assert not middle / in_the_last < 1.1


@pytest.mark.statistical
@pytest.mark.parametrize("n, epsilon", [(100, 0.3), (15, 0.8)])
def test_what_few_answers_leave_open_is_foretold_at_the_worst_mean(n, epsilon):
    """At an end of the domain: 600 squares of at most 4 and of variance 0.3, by Bernstein's inequality."""
    known = {"n": n, "size_law": constant_size(900), "epsilon": epsilon}
    squares = (estimates(1.0, rounds=ROUNDS, runs=600, **known) - 1) ** 2
    ratio = squares.mean() / sign_risk(spread=0.0, tails="normal", **known).risk
    assert squares.var() < 0.3
    assert 0.45 < ratio < 1.15**2
    assert not 2 * ratio < 1.15**2 and not ratio / 3 > 0.45, "a prediction that is wrong by such factors"


@pytest.mark.statistical
def test_skewed_own_means_are_off_by_less_than_what_counts_as_bias():
    """Exponential own means: their median is 0.31 deviations below their mean, and signs find about that."""
    rng, spread, found = np.random.default_rng(6), 0.1, []
    for _ in range(60):
        own = 0.2 + spread * (rng.exponential(size=20_000) - 1)
        means = 2 * rng.binomial(2500, np.clip(1 + own, 0, 2) / 2) / 2500 - 1
        known = {"size_law": constant_size(2500), "epsilon": 2.0, "spread": spread}
        found.append(sign_mean(means, rng=rng, **known).value - 0.2)
    bound = sign_risk(n=20_000, size_law=constant_size(2500), epsilon=2.0, spread=spread, tails="bounded")
    assert spread / 5 < -np.mean(found) < bound.bias < np.sqrt(bound.risk)
    normal = sign_risk(n=20_000, size_law=constant_size(2500), epsilon=2.0, spread=spread, tails="normal")
    assert -np.mean(found) > 3 * np.sqrt(normal.risk), "where means are not normal one must not say so"


def test_sizes_counted_from_its_own_users_are_refused():
    means, law = np.full(30, 0.2), empirical_sizes([5] * 29 + [10**6])
    with pytest.raises(ValueError, match="^size_law must not be counted from users"):
        sign_mean(means, size_law=law, epsilon=1.0, rng=np.random.default_rng(1))


def test_it_meets_users_in_as_many_rounds_as_it_says():
    known = {"n": 10_000, "sizes": 1000, "epsilon": 1.0, "tails": "normal", "spread": 0.0}
    first = plan(**known)[0]
    assert first.method == "signs at moving thresholds" and first.rounds == ROUNDS
    allowed = plan(rounds=3, **known)
    (refused,) = (one for one in allowed if one.method == first.method)
    assert refused.unused == f"needs {ROUNDS} rounds, and rounds is 3"
    assert all(one.rounds <= 3 for one in allowed if not one.unused)
    assert {one.rounds for one in plan(rounds=1, **known) if not one.unused} == {1}


def test_few_sizes_stand_for_all():
    law = two_point_sizes(3, 50, 0.5)
    assert np.unique(law.quantile((np.arange(CELLS) + 0.5) / CELLS), return_counts=True)[1].tolist() == [3, 3]


def test_the_model_has_as_many_users_of_a_size_as_there_are(monkeypatch):
    """Six sizes stand for all: the middles of sixths; the spread is that on [-1, 1]."""
    seen, law = [], two_point_sizes(10, 10**6, 1 / 3)

    class Noted(signs.Posterior):
        def __post_init__(self):
            seen.append((self.sizes.tolist(), self.spread))
            super().__post_init__()

    monkeypatch.setattr(signs, "Posterior", Noted)
    known = {"size_law": law, "epsilon": 1.0, "spread": 0.25, "domain": (0, 5)}
    signs.sign_mean(np.zeros(30), rng=np.random.default_rng(1), **known)
    assert seen == [([10.0] * 4 + [1e6] * 2, 0.1)]


@pytest.mark.parametrize("tails", ["bounded", "normal"])
@pytest.mark.parametrize(
    "n, epsilon, spread", [(40, 0.3, 0.3), (700, 0.1, 0.0), (9, 2.0, 0.1), (3, 700.0, 0.2), (9000, 0.3, 0.0)]
)
def test_the_formula_is_that_of_its_parts(n, epsilon, spread, tails):
    """Sizes 1, 3 and 50: the deviation of one record is at most 1, and its bias at most a deviation."""
    sizes, chances = mp.matrix([1, 3, 50]), mp.matrix(["0.25", "0.25", "0.5"])
    deviations = [min(mp.sqrt(1 / m + mp.mpf(spread) ** 2), 1) for m in sizes]
    steep = mp.fsum(p / s for p, s in zip(chances, deviations, strict=True))
    off = [min(mp.mpf(2) / 3 / m if tails == "normal" else 1.4 / m, 1 / mp.sqrt(m)) for m in sizes]
    bias = mp.fsum(p * x / s for p, x, s in zip(chances, off, deviations, strict=True)) / steep
    bias += 0 if tails == "normal" else spread
    keep = 1 / (1 + mp.exp(-epsilon))
    told = (2 * keep - 1) ** 2 * 2 / mp.pi * steep**2  # by a user who is asked at theta
    capacity = mp.log(2) + mp.fsum(p * mp.log(p) for p in (keep, 1 - keep) if p)
    last = max(n - TAKES * mp.log(steep) / capacity, mp.mpf(n) / 3)
    late = LATE * (1 + mp.mpf(ROUNDS) / n) / (last * told)
    wrong = (mp.mpf(1) / 2 + mp.sqrt(keep * (1 - keep))) ** (BACK * n)
    lost = (1 - ASTRAY) * mp.exp(-n * capacity) + ASTRAY * wrong
    found = sign_risk(
        n=n, size_law=FiniteSizes([1, 3, 50], [0.25, 0.25, 0.5]), epsilon=epsilon, spread=spread, tails=tails
    )
    wanted = (mp.sqrt(late / (1 + late)) + bias) ** 2 + lost
    assert [found.risk, found.bias] == pytest.approx([float(wanted), float(bias)], rel=1e-12)
