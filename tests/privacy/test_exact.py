"""Exact draws: distributions by following every byte, in rational arithmetic, beside the mechanisms' own."""

import pickle
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

import mpmath
import numpy as np
import pytest
from scipy import stats
from scipy.sparse import csr_array

from userdp import _exact, privacy
from userdp._exact import (
    Coin,
    below,
    fair_signs,
    geometric,
    laplace_steps,
    likeliest,
    noisy_sum,
    on_grid,
    piecewise_steps,
    rounded,
)
from userdp.central import bounded_histogram, clipped_mean, realistic_mean, record_mean, uniform_mean
from userdp.local import Plan, Round, duchi_mean, improved_mean, localised_mean, piecewise_mean
from userdp.release import Budget, Secure
from userdp.sizes import constant_size

E = Fraction(1, 2)  # a budget


class UnfinishedError(Exception):
    """More bytes were asked for than were laid down."""


def law(draw, monkeypatch, chances, depth=40, least=Fraction(1, 10**9)):
    """Probability of each result of `draw`, and what is lost, by following all its random choices.

    `chances` says what a choice can be: the bytes of a coin, or the coins and whole numbers of a mechanism.
    """
    found, lost, open_paths, answers = {}, Fraction(0), [((), Fraction(1))], []

    def ask(*what):
        if not answers:
            raise UnfinishedError(*what)
        return answers.pop()

    chances.patch(monkeypatch, ask)
    while open_paths:
        path, mass = open_paths.pop()
        if len(path) > depth or mass < least:
            lost += mass
            continue
        answers[:] = reversed(path)
        try:
            result = draw()
            found[result] = found.get(result, 0) + mass
        except UnfinishedError as asked:
            open_paths += [((*path, x), mass * p) for x, p in chances.of(*asked.args).items() if p]
    return found, lost


class Bytes:
    """The 256 bytes, as many at once as are wanted."""

    @staticmethod
    def patch(monkeypatch, ask):
        monkeypatch.setattr(
            _exact, "random_bytes", lambda n, rng: np.array([ask() for _ in range(n)], dtype=np.uint8)
        )

    @staticmethod
    def of():
        return dict.fromkeys(range(256), Fraction(1, 256))


class Choices:
    """Coins and whole numbers, of the probabilities that they have."""

    @staticmethod
    def patch(monkeypatch, ask):
        def toss(coin, shape, rng):
            return np.array([ask(coin) for _ in range(int(np.prod(shape)))], dtype=bool).reshape(shape)

        def whole(count, shape, rng):
            drawn = [ask(count) for _ in range(int(np.prod(shape)))]
            return np.array(drawn, dtype=np.int64).reshape(shape)

        monkeypatch.setattr(Coin, "toss", toss)
        monkeypatch.setattr(_exact, "below", whole)
        monkeypatch.setattr("userdp.privacy.reports.below", whole)

        def rounded(x, rng):
            drawn = [ask(Fraction(float(y))) for y in np.ravel(x)]
            return np.array(drawn, dtype=np.int64).reshape(np.shape(x))

        monkeypatch.setattr(_exact, "rounded", rounded)

    @staticmethod
    def of(what):
        if isinstance(what, Coin):
            return {True: (p := chance(what)), False: 1 - p}
        if isinstance(what, Fraction):
            return {what // 1: 1 - what % 1, what // 1 + 1: what % 1}
        return dict.fromkeys(range(what), Fraction(1, what))


@cache
def chance(coin):
    """The probability of a coin to fifty digits, of which the sum with its complement is exactly 1."""
    with mpmath.workdps(60):
        x, ratio = mpmath.mpf(coin.x.numerator) / coin.x.denominator, coin.ratio
        p = 1 / (1 + mpmath.mpf(ratio.numerator) / ratio.denominator * (mpmath.exp(x) - coin.shift))
        return Fraction(int(mpmath.nint(p * mpmath.mpf(10) ** 50)), 10**50)


COINS = [
    Coin(E),
    Coin(-E),
    Coin(Fraction(1, 3)),
    Coin(-E, Fraction(3)),
    Coin(Fraction(7), shift=1),
    Coin(E, Fraction(2, 9), 1),
    Coin(Fraction(30)),
    Coin(Fraction(-700)),
    Coin(Fraction(1, 10**12), shift=1),
]


@pytest.mark.parametrize("coin", COINS, ids=str)
def test_a_coin_has_its_probability_by_following_every_byte(coin, monkeypatch):
    """After three bytes 256^-3 is not followed: the probability lies between what is found and that more."""
    found, lost = law(lambda: bool(coin.toss((), None)), monkeypatch, Bytes, 3)
    assert lost == Fraction(1, 256**3)
    assert found.get(True, 0) <= chance(coin) <= found.get(True, 0) + lost


def test_another_probability_is_outside(monkeypatch):
    found, lost = law(lambda: bool(Coin(E).toss((), None)), monkeypatch, Bytes, 3)
    assert not found[True] <= chance(Coin(E + Fraction(1, 10**6))) <= found[True] + lost


def test_digits_go_on_where_bytes_tie(monkeypatch):
    """The same digits as of a reference with fifty decimals, also far behind the point."""
    assert _exact._digit(Coin(Fraction(-700)), 17) == 255
    for coin in COINS[:7] + COINS[8:]:
        digits = [_exact._digit(coin, place) for place in range(18)]
        assert int.from_bytes(bytes(digits), "big") == chance(coin) * 2**144 // 1


def test_whole_numbers_are_uniform(monkeypatch):
    """2^64 - 1 is a multiple of 5: one word of 2^64 is thrown away, and each answer has equally many."""
    words = iter([2**64 - 1, 2**64 - 2])
    monkeypatch.setattr(
        _exact, "random_bytes", lambda n, rng: np.array([next(words)], dtype=np.uint64).view(np.uint8)
    )
    assert below(5, (), None) == (2**64 - 2) % 5 and next(words, None) is None
    monkeypatch.undo()
    counted = np.bincount(below(5, (100_000,), Secure()))
    assert (stats.binom.ppf(1e-7, 100_000, 0.2) <= counted).all() and counted.size == 5
    assert (counted <= stats.binom.isf(1e-7, 100_000, 0.2)).all()


# --- reports -------------------------------------------------------------------------------------------


def reports(randomiser, x, monkeypatch):
    return law(lambda: tuple(np.ravel(randomiser.privatise(x, RNG)).tolist()), monkeypatch, Choices)


RNG = np.random.default_rng(1)
BITS = {
    "bit": (privacy.BinaryResponse(0.5), [1], lambda m: {(1,): m.keep, (0,): m.flip}),
    "category": (
        privacy.KaryResponse(3, 0.5),
        [2],
        lambda m: {(0, 0, 1): m.keep, (1, 0, 0): m.other, (0, 1, 0): m.other},
    ),
    "vote": (
        privacy.UnaryEncoding(3, 1, 1.0),
        [[1]],
        lambda m: {
            o: m.keep ** (n := 3 - sum(map(abs, np.subtract(o, (0, 1, 0))))) * m.flip ** (3 - n)
            for o in product((0, 1), repeat=3)
        },
    ),
    "three votes": (
        privacy.UnaryEncoding(3, 3, 1.0),
        [[1, -1, 1]],  # the same place twice, and none
        lambda m: {
            o: m.keep ** (n := 3 - sum(map(abs, np.subtract(o, (0, 1, 0))))) * m.flip ** (3 - n)
            for o in product((0, 1), repeat=3)
        },
    ),
    "two points": (
        privacy.TwoPointReport(-1.0, 1.0, 0.5),
        [0.25],
        lambda m: {(m.magnitude,): (p := float(m._upper(0.25))), (-m.magnitude,): 1 - p},
    ),
}


@pytest.mark.parametrize("name", BITS)
def test_a_report_of_bits_has_the_law_of_its_mechanism_by_enumeration(name, monkeypatch):
    randomiser, x, expected = BITS[name]
    found, lost = reports(randomiser, x, monkeypatch)
    said = expected(randomiser)
    assert lost == 0 and sum(found.values()) == 1 and found.keys() == said.keys()
    for report, p in said.items():
        assert float(found[report]) == pytest.approx(p, rel=1e-14)
    other = expected(replace(randomiser, epsilon=randomiser.epsilon + 1e-9))  # control
    assert any(float(found.get(r, 0)) != pytest.approx(p, rel=1e-11) for r, p in other.items())


def largest_loss(laws):
    """Largest log-ratio of two laws, each with what was not followed in its favour or against it."""
    places = set().union(*(found for found, _ in laws))
    ratios = [
        one[k] / other[k] for one, _ in laws for other, _ in laws for k in places if k in one and k in other
    ]
    return float(mpmath.log(mpmath.mpf(max(ratios).numerator) / max(ratios).denominator))


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(1), Fraction(3), Fraction(7, 2)])
def test_a_geometric_number_has_its_law_by_enumeration(scale, monkeypatch):
    found, lost = law(lambda: int(geometric(scale, (), RNG)), monkeypatch, Choices, least=1e-6)
    q = np.exp(-1 / float(scale))
    assert lost < 1e-3 and len(found) > 6
    for k, p in found.items():
        assert float(p) * (1 - 1e-12) <= (1 - q) * q**k <= float(p + lost)


def test_laplace_reports_on_a_grid_have_their_law_and_their_loss(monkeypatch):
    grid, epsilon = 2, Fraction(4)
    laws = [
        law(
            lambda x=x: int(laplace_steps(np.array(float(x)), grid, epsilon, RNG)),
            monkeypatch,
            Choices,
            least=1e-7,
        )
        for x in range(grid + 1)
    ]
    q = np.exp(-float(epsilon) / grid)
    for x, (found, lost) in enumerate(laws):
        assert lost < 1e-4
        for k, p in found.items():
            assert float(p) * (1 - 1e-12) <= (1 - q) / (1 + q) * q ** abs(k - x) <= float(p + lost) + 1e-15
    near = [({k: p for k, p in found.items() if 0 <= k <= grid}, lost) for found, lost in laws]
    assert largest_loss(near) == pytest.approx(float(epsilon), abs=1e-3)


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(2), Fraction(9, 2)])
def test_piecewise_reports_on_a_grid_have_loss_epsilon_and_mean_x(epsilon, monkeypatch):
    grid, laws = 4, []
    for x in (0.0, 1.3, 2.0, 4.0):
        draw = lambda x=x: int(piecewise_steps(np.array(x), grid, epsilon, RNG))  # noqa: E731
        found, lost = law(draw, monkeypatch, Choices)
        assert lost == 0 and float(sum(k * p for k, p in found.items())) == pytest.approx(x, abs=1e-12)
        laws.append((found, lost))
    assert len({frozenset(found) for found, _ in laws}) == 1  # all places are possible for all
    assert largest_loss(laws) == pytest.approx(float(epsilon), rel=1e-12)


def test_reports_on_the_grid_have_the_moments_of_the_real_ones():
    """Of 20,000 reports each; a normal quantile of 1e-7 with the exact variance, which a fifth more fails."""
    x = np.full(20_000, 0.3)
    for kind in (privacy.LaplaceReport, privacy.PiecewiseReport, privacy.TwoPointReport):
        randomiser = kind(-1.0, 1.0, 2.0)
        y, spread = randomiser.privatise(x, Secure()), float(randomiser.variance(x)[0])
        assert abs(y.mean() - 0.3) < 6 * np.sqrt(spread / y.size)
        assert 0.85 < y.var() / spread < 1.15


@pytest.mark.parametrize(("epsilon", "bits"), [(1.0, 40), (2.0**-10, 40), (2.0**-11, 39), (1e-6, 30)])
def test_a_grid_has_a_million_millions_of_steps_and_fewer_at_small_budgets(epsilon, bits):
    def draw(x, grid, budget, rng):
        assert (grid, budget, x.tolist()) == (2**bits, Fraction(epsilon), [0, grid / 4, grid])
        return x.astype(np.int64)

    x = np.array([-1.0, 0.0, 3.0])
    assert on_grid(draw, x, privacy.LaplaceReport(-1.0, 3.0, epsilon), RNG).tolist() == x.tolist()


@pytest.mark.parametrize(("word", "expected"), [(0, [3, 4, -1]), (2**53 - 1, [3, 3, -2])])
def test_a_whole_number_is_never_rounded(word, expected, monkeypatch):
    monkeypatch.setattr(_exact, "below", lambda count, shape, rng: np.full(shape, word))
    assert rounded(np.array([3.0, 3.5, -1.5]), RNG).tolist() == expected


def test_strange_numbers_are_projected_and_shapes_are_kept():
    for kind in (privacy.LaplaceReport, privacy.PiecewiseReport, privacy.TwoPointReport):
        y = kind(-1.0, 1.0, 1e-4).privatise([np.nan, np.inf, -np.inf, 1e308], Secure())
        assert np.isfinite(y).all() and y.shape == (4,)
    assert {*fair_signs((200,), Secure())} == {-1.0, 1.0}  # false alarms: 2^-199
    hashed = privacy.HashedReport(3, 0.5, 1.0).privatise(([0.3, np.nan], [0, 9]), Secure())
    assert hashed.shape == (2, 3) and (np.ptp(np.abs(hashed), axis=1) < 1e-9).all()


# --- choices and sums of a curator ---------------------------------------------------------------------


def test_a_choice_has_the_law_of_the_exponential_mechanism_by_enumeration(monkeypatch):
    scores, rate = [3.0, 1.0, 2.5], 0.75
    found, lost = law(lambda: likeliest(np.array(scores), rate, RNG), monkeypatch, Choices, least=1e-5)
    said = privacy.ExponentialChoice(rate, 1.0).law(scores)
    assert lost < 1e-2
    for index, p in enumerate(said):
        assert float(found[index]) <= p * (1 + 1e-12) and p <= float(found[index] + lost)
    assert not float(found[1]) <= said[1] * 0.97  # control


@pytest.fixture
def noiseless(monkeypatch):
    """OpenDP's noise is none, so that the sum itself is seen; the scales that were asked for."""
    dp = pytest.importorskip("opendp.prelude", reason="in the extra release")
    scales = []

    class Noise:
        def __init__(self, *space, scale):
            scales.append(scale)

        def map(self, moved):
            return moved / scales[-1]

        def __call__(self, values):
            return values

    monkeypatch.setattr(dp.m, "make_laplace", Noise)
    return scales


def test_exact_noise_has_the_scale_and_the_steps_of_its_mechanism(noiseless):
    parts = np.array([0.25, 0.5])
    made = privacy.LaplaceNoise(3.0, 0.7).release(0.0, Secure(), parts=lambda: parts, offset=2.0)
    moved = 0.7 * 2**31 // 1 + 2  # steps of 2^-31, the power of 2 below 0.7 times 2^-30
    assert made == 2.75 and noiseless == [pytest.approx(3.0 / 0.7 * moved, rel=1e-13)]


def test_the_order_of_users_does_not_show_in_a_sum(noiseless):
    """Casacuberta et al. (2022): it does in a sum of floating-point numbers, control."""
    rng = np.random.default_rng(1)
    x = rng.random(10_001) / 10_001
    orders = [rng.permutation(x) for _ in range(50)]
    assert len({noisy_sum(one, 1e-4, 1e-4, 1.0, Secure()) for one in orders}) == 1
    assert len({float(np.cumsum(one)[-1]) for one in orders}) > 10


@pytest.mark.parametrize("d", [1, 3])
def test_a_replaced_user_moves_the_sum_by_no_more_than_the_noise_is_made_for(d, noiseless):
    rng, bound = np.random.default_rng(2), 0.7
    for _ in range(300):
        rows = rng.dirichlet(np.ones(d + 1), 20)[:, :d] * bound if d > 1 else rng.random((20, 1)) * bound
        other = rows.copy()
        other[3] = [bound] + [0.0] * (d - 1)
        sensitivity = bound * (1 if d == 1 else 2)
        one, two = (noisy_sum(each, sensitivity, sensitivity, 1.0, Secure()) for each in (rows, other))
        step = 2.0 ** (np.floor(np.log2(sensitivity)) - 30)
        assert np.abs(one - two).sum() / step <= noiseless[-1] <= sensitivity / step + 3


@pytest.mark.parametrize("whole", [2**30 + 6, 2**31 - 2])
def test_rows_that_rounding_made_larger_are_paid_for_by_two_steps(whole, noiseless):
    """Bounded a hair below a whole number of steps, which the last digit of a row rounds up to it."""
    step = 2.0**-30
    bound, rows = np.nextafter(whole * step, 0), np.zeros((20, 2))
    rows[3], other = [whole * step, 0.0], rows.copy()
    other[3] = [0.0, -whole * step]
    one, two = (noisy_sum(each, 2 * bound, 2 * bound, 1.0, Secure()) for each in (rows, other))
    least = 2.0 ** (np.floor(np.log2(2 * bound)) - 30)
    moved = np.abs(one - two).sum() / least
    assert moved > np.floor(2 * bound / least)  # control: the sensitivity in whole steps is too little
    assert moved <= noiseless[-1] == pytest.approx(np.floor(2 * bound / least) + 2, rel=2e-14)


def test_too_little_noise_is_refused_before_it_is_drawn():
    pytest.importorskip("opendp", reason="in the extra release")
    with pytest.raises(ValueError, match="epsilon must be at least"):
        noisy_sum(np.full(9, 0.1), 0.05, 0.1, 1.0, Secure())


M = np.random.default_rng(3).normal(0.6, 0.01, 600)
LAW = constant_size(1000)
GOOD = {
    "duchi": lambda rng: duchi_mean(M, epsilon=1.0, rng=rng),
    "piecewise": lambda rng: piecewise_mean(M, epsilon=3.0, rng=rng),
    "localised": lambda rng: localised_mean(M, size=1000, epsilon=3.0, rng=rng),
    "improved": lambda rng: improved_mean(
        M,
        np.full(600, 1000),
        epsilon=3.0,
        size_law=LAW,
        plan=Plan(200, 0.2, 1000, (Round(400, 0.4, 3.0),)),
        rng=rng,
    ),
    "average": lambda rng: uniform_mean(M, epsilon=1.0, rng=rng),
    "window": lambda rng: clipped_mean(M, epsilon=2.0, window=0.02, reach=0.1, rng=rng),
    "weighed window": lambda rng: clipped_mean(
        M, np.full(600, 1000), epsilon=2.0, window=0.02, reach=0.1, sigmas=3.0, rng=rng
    ),
    "records": lambda rng: record_mean(M, np.full(600, 3), epsilon=1.0, rng=rng),
}


@pytest.mark.parametrize("name", GOOD)
def test_an_estimator_gives_the_same_kind_of_result_with_exact_draws(name):
    pytest.importorskip("opendp", reason="in the extra release")
    drawn, usual = [GOOD[name](Secure()) for _ in range(8)], GOOD[name](np.random.default_rng(1))
    assert all(type(each) is type(usual) and each.guarantee == usual.guarantee for each in drawn)
    # a mean of 600 bits is a given number with chance 0.03 at most: eight are equal with 0.03**7 < 1e-10
    assert all(abs(each.value - M.mean()) < 0.6 for each in drawn) and len({each.value for each in drawn}) > 1


def test_a_histogram_is_released_from_whole_counts():
    pytest.importorskip("opendp", reason="in the extra release")
    options = {"bound": 4, "epsilon": 200.0, "neighbours": "add-remove"}
    for counts in (np.array([[3, 0], [4, 4], [900, 0]]), csr_array([[3, 0], [4, 4], [900, 0]])):
        found = bounded_histogram(counts, rng=Secure(), **options)
        # clipped in l1; in the Euclidean norm each would be 0.8 larger
        assert abs(found.value - [9, 2]).max() < 0.6 and found.guarantee.epsilon == 200.0


@pytest.mark.parametrize("name", ["average", "window", "weighed window", "records"])
def test_what_is_summed_anew_for_exact_draws_is_the_value(name, monkeypatch):
    seen, release = [], privacy.LaplaceNoise.release

    def spy(self, value, rng, *, parts, offset=0.0):
        seen.append((value, offset + np.sum(parts(), axis=0)))
        return release(self, value, rng)

    monkeypatch.setattr(privacy.LaplaceNoise, "release", spy)
    GOOD[name](np.random.default_rng(1))
    assert seen[0][0] == pytest.approx(seen[0][1], rel=1e-12)


@pytest.mark.parametrize(
    "call",
    [
        lambda rng: realistic_mean(M, np.full(600, 9), epsilon=1.0, rng=rng),
        lambda rng: bounded_histogram([[1, 2]], bound=1, epsilon=1.0, delta=1e-6, rng=rng),
        lambda rng: privacy.CubeReport(2, 1.0).privatise([[0.5, 0.5]], rng),
        lambda rng: privacy.LaplaceNoise(1.0, 1.0).release(3.0, rng),
        lambda rng: privacy.NoisyMaximum(1.0, 1.0).choose([1.0, 2.0], rng),
        lambda rng: rng.standard_normal(),
    ],
)
def test_what_is_not_drawn_exactly_is_refused(call):
    with pytest.raises(TypeError, match="rng must draw exactly"):
        call(Secure())


def test_a_secure_generator_stays_one_and_an_account_sees_it_draw():
    rng = pickle.loads(pickle.dumps(Secure()))
    assert type(rng) is Secure and rng.bytes(20) != rng.bytes(20)
    budget = Budget(1.0, trust="central")

    def refused(data, *, epsilon, rng):
        return rng.normal()

    def draws_and_fails(data, *, epsilon, rng):
        rng.bytes(1)
        raise ValueError("late")

    with pytest.raises(TypeError):
        budget.release(refused, M, epsilon=0.5, rng=rng)
    assert budget.spent.epsilon == 0
    with pytest.raises(ValueError, match="late"):
        budget.release(draws_and_fails, M, epsilon=0.5, rng=rng)
    assert budget.spent.epsilon == 0.5


def test_whole_numbers_below_any_count_are_uniform():
    """Below 2^62 + 1 a quarter of what is drawn is drawn again; fails once in a million runs."""
    count, draws = 2**62 + 1, 4000
    found = below(count, (draws,), Secure())
    assert found.min() >= 0 and found.max() < count
    thirds = np.bincount(found // (count // 3 + 1), minlength=3)
    assert np.sum((thirds - draws / 3) ** 2 / (draws / 3)) < 27.7
