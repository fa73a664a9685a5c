"""One suite of laws that every mechanism of the wing inherits: a newcomer fails until it is registered."""

import inspect
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from faces import public
from fakes import Silent
from mechanisms import CLASSES, DELTA, TABLE
from userdp.privacy import (
    DistanceTest,
    ExponentialChoice,
    GaussianNoise,
    LaplaceNoise,
    LaplaceReport,
    NoisyMaximum,
    ThresholdedNoise,
    disjoint,
    gaussian_sigma,
    sequential,
)
from userdp_papers.theory.audit import exact_loss, hockey_stick

BUDGETS = [0.05, 22 / 35, 1.0, 3.0]
WILD = [1e-300, 1e-12, 0.1, 0.3, 1 / 3, 0.7, 2.9, 18.7, 38.0, 300.0, 700.0]
MORE = ["replace", "add-remove", "replace-same-size"]


def reads(m, row):
    return m._upper([m.high])[0] if row.reads == "most" else getattr(m, row.reads)


CENTRAL = [name for name in CLASSES if not TABLE[name].inputs and name != "printed.SampledNoise"]
each = pytest.mark.parametrize("kind", CLASSES)
central = pytest.mark.parametrize("kind", CENTRAL)


@each
@pytest.mark.parametrize("epsilon", BUDGETS)
def test_the_guarantee_is_the_loss_of_its_own_law(kind, epsilon):
    row = TABLE[kind]
    m = row.make(epsilon)
    channel, g = np.asarray(row.channel(m), dtype=float), m.guarantee
    assert hockey_stick(channel, g.epsilon * (1 + 1e-12)) <= g.delta * (1 + 1e-6) + 1e-13
    if g.delta == 0:
        assert exact_loss(channel) <= m.privacy_loss() * (1 + 1e-9)
        assert exact_loss(channel) >= row.attained * m.privacy_loss()
        assert m.privacy_loss() == pytest.approx(g.epsilon, rel=1e-12)
    else:
        assert hockey_stick(channel, g.epsilon) >= row.attained * m.privacy_slack() * (1 - 1e-6) - 1e-13
        assert m.privacy_loss() <= g.epsilon * (1 + 1e-12) and m.privacy_slack() <= g.delta * (1 + 1e-9)


@each
def test_what_is_done_with_the_answer_costs_nothing(kind):
    m, rng = TABLE[kind].make(1.0), np.random.default_rng(1)
    channel = np.asarray(TABLE[kind].channel(m), dtype=float)
    before = hockey_stick(channel, 0.3)
    for _ in range(20):
        merged = channel @ np.eye(3)[rng.integers(3, size=channel.shape[1])]
        assert hockey_stick(merged, 0.3) <= before + 1e-12
        assert hockey_stick(merged, m.guarantee.epsilon) <= m.guarantee.delta * (1 + 1e-6) + 1e-12


@each
@pytest.mark.parametrize("epsilon", BUDGETS)
def test_a_draw_uses_what_the_loss_reads(kind, epsilon):
    m = TABLE[kind].make(epsilon)
    assert TABLE[kind].seen(m) == pytest.approx(reads(m, TABLE[kind]), rel=1e-12)


def test_that_law_notices_another_scale():
    """Control: a mechanism that draws with half of the noise that its guarantee is about."""

    class Cheat(LaplaceNoise):
        def release(self, value, rng):
            return value + rng.laplace(scale=self.scale / 2, size=np.shape(value) or None)

    m = Cheat.calibrated(epsilon=1.0, sensitivity=3.0)
    assert TABLE["privacy.LaplaceNoise"].seen(m) != pytest.approx(m.scale, rel=1e-12)


@each
def test_budgets_compose_by_adding_and_others_do_not_pay(kind):
    g = TABLE[kind].make(0.7).guarantee
    assert disjoint(g, g) == g
    both = sequential(g, g, g)
    assert (both.epsilon, both.delta) == (pytest.approx(3 * g.epsilon), pytest.approx(3 * g.delta))
    assert (both.trust, both.neighbours) == (g.trust, g.neighbours)


@each
def test_a_larger_budget_never_spends_less(kind):
    spent = [TABLE[kind].make(e).privacy_loss() for e in (0.1, 0.5, 1.0, 4.0, 9.0)]
    assert np.all(np.diff(spent) > 0)


@each
@pytest.mark.parametrize("epsilon", WILD)
@pytest.mark.filterwarnings("error")
def test_no_guarantee_exceeds_what_was_asked(kind, epsilon):
    if kind == "printed.SampledNoise":
        return  # nothing is asked of it: the noise decides
    m = TABLE[kind].make(epsilon)
    assert m.guarantee.epsilon == epsilon
    assert m.privacy_loss() <= epsilon * (1 + 1e-12) + 1e-15
    if epsilon > 1e-3 and kind not in CENTRAL:
        assert m.privacy_loss() == pytest.approx(epsilon, rel=1e-12)
    if kind in CENTRAL:
        assert m.guarantee.delta in (0.0, DELTA)


@central
@pytest.mark.parametrize("neighbours", MORE)
def test_a_promise_that_the_noise_does_not_keep_is_refused(kind, neighbours):
    m = TABLE[kind].make(0.7, neighbours=neighbours)
    assert m.guarantee.neighbours == neighbours and m.guarantee.trust == "central"
    with pytest.raises(ValueError, match="must be at least"):
        replace(m, epsilon=0.9 * m.epsilon, delta=0.9 * m.privacy_slack())
    if kind != "privacy.GaussianNoise":
        with pytest.raises(ValueError, match="epsilon must be at least"):
            replace(m, epsilon=m.epsilon * (1 - 1e-9))
        weaker = {"rate": 2 * m.rate} if kind == "privacy.ExponentialChoice" else {"scale": m.scale / 2}
        assert replace(m, epsilon=None, delta=None, **weaker).epsilon == pytest.approx(1.4, rel=1e-12)
    if m.delta:
        with pytest.raises(ValueError, match="delta must be at least"):
            replace(m, delta=m.privacy_slack() * (1 - 1e-6))
        assert replace(m, delta=None).delta == m.privacy_slack()
        assert replace(m, delta=m.privacy_slack() * (1 - 1e-13)).delta == m.privacy_slack() * (1 - 1e-13)


@central
def test_who_does_not_draw_from_a_generator_is_refused(kind):
    m = TABLE[kind].make(1.0)
    ask = getattr(m, "release", None) or getattr(m, "choose", None) or m.passes
    with pytest.raises(TypeError, match="rng must be a numpy.random.Generator, got 0"):
        ask(1.0, 0)


# --- what is asked for, in the words of the papers, and what cannot be -------------------------------

ASKED = {"epsilon": 0.4, "delta": DELTA, "sensitivity": 1.5, "bound": 3, "steps": 5}


@pytest.mark.parametrize(
    ("neighbours", "moves"), [("replace", 2), ("add-remove", 1), ("replace-same-size", 2)]
)
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 7.0])
def test_what_is_calibrated_is_the_printed_formula(neighbours, moves, epsilon):
    def made(kind, **more):
        names = inspect.signature(kind.calibrated).parameters.keys() & ASKED.keys()
        m = kind.calibrated(**{name: ASKED[name] for name in names} | {"epsilon": epsilon} | more)
        assert m.guarantee.epsilon == epsilon and m.guarantee.delta == (DELTA if "delta" in names else 0)
        return m

    near = {"neighbours": neighbours}
    assert made(LaplaceNoise, **near).scale == pytest.approx(1.5 / epsilon)
    assert made(NoisyMaximum, **near).scale == pytest.approx(3 / epsilon)
    choice = made(ExponentialChoice, **near)
    assert (choice.rate, choice.oscillation) == (pytest.approx(epsilon / 3), 3.0)
    test = made(DistanceTest, **near)
    assert (test.scale, test.threshold) == (pytest.approx(1 / epsilon), pytest.approx(np.log(1e3) / epsilon))
    b = moves * 3 / epsilon
    for tight, threshold in (
        (False, 3 + b * np.log(1.5e3)),
        (True, max(3 + b * np.log(500), 1 + b * np.log(1500))),
    ):
        noise = made(ThresholdedNoise, tight=tight, **near)
        assert (noise.scale, noise.threshold) == (pytest.approx(b), pytest.approx(threshold))
        assert (noise.bound, noise.support, noise.distinct) == (3, "counted", None)
    assert made(ThresholdedNoise, **near) == made(ThresholdedNoise, tight=False, **near)
    gauss = made(GaussianNoise, **near)
    once = replace(gauss, scale=gauss.scale / 1.5 / np.sqrt(5), sensitivity=1.0, steps=1, delta=None)
    assert (gauss.steps, gauss.sensitivity) == (5, 1.5) and once.delta == pytest.approx(DELTA, rel=1e-9)


# what is no such parameter, in calibrated and among the fields; every list holds values just beyond the ends
REFUSED = {
    "epsilon": [0, -0.5, np.nan, np.inf],
    "delta": [0, -0.5, 1.5, np.nan],
    "sensitivity": [-0.5, np.nan, np.inf],
    "bound": [0, -1, 2.5],
    "steps": [0, -1, 2.5],
    "neighbours": ["all"],
}
NO_FIELDS = {
    "scale": [-0.5, 0, np.nan, np.inf],
    "rate": [-0.5, np.nan, np.inf],
    "oscillation": [-0.5, np.nan, np.inf],
    "threshold": [-np.inf, np.nan, np.inf],
    "distinct": [0, 2.5],
    "support": ["all"],
    "epsilon": [-0.5, np.nan, np.inf],
    "delta": [-0.5, np.nan, 1.5],
}


@central
def test_what_cannot_be_asked_for_is_refused_by_name(kind):
    m, kind = TABLE[kind].make(1.0), public(*kind.split("."))
    names = inspect.signature(kind.calibrated).parameters.keys()
    asked = {name: ASKED[name] for name in names & ASKED.keys()}
    for name, values in REFUSED.items():
        for value in values if name in names else []:
            with pytest.raises(ValueError, match=rf"^{name} must|: 1 / \(2 {name}\) must exceed 1"):
                kind.calibrated(**asked | {name: value})
    fields = kind.__dataclass_fields__
    for name, values in (REFUSED | NO_FIELDS).items():
        for value in values if name in fields else []:
            with pytest.raises(ValueError, match=rf"^{name} must"):
                replace(m, **{name: value})
    if "sensitivity" in fields and kind is not NoisyMaximum:
        with pytest.raises(ValueError, match="scale must be"):
            replace(m, sensitivity=0.0, scale=-0.5)


def test_what_is_no_count_is_released_as_none():
    noise = ThresholdedNoise(1.0, -9.0, 1, support="raw")
    found = noise.release([-5.0, np.nan, -np.inf, 7.0], Silent(noise=0.5), support=[True] * 4)
    assert found.tolist() == [0.5, 0.5, 0.5, 7.5]


def test_what_is_at_the_threshold_is_hidden_and_a_distance_there_passes():
    noise = ThresholdedNoise(1.0, 3.0, 1)
    assert noise.release([2, 3, 4, 0], Silent()).tolist() == [0, 0, 4, 0]
    assert noise.release([-9, np.nan, 1, 0], Silent(noise=3.5)).tolist() == [0, 0, 4.5, 0]
    raw = replace(noise, support="raw", distinct=4, delta=None)
    assert raw.release([0, 0, 4, 1], Silent(noise=3.5), support=[1, 0, 1, 0]).tolist() == [3.5, 0, 7.5, 0]
    test = DistanceTest(1.0, 3.0)
    assert [test.passes(distance, Silent()) for distance in (2.999, 3.0)] == [False, True]
    assert [test.passes(distance, Silent(noise=0.5)) for distance in (2.499, 2.5)] == [False, True]


# --- what only some have -----------------------------------------------------------------------------


def test_the_smallest_number_is_a_scale():
    assert LaplaceReport(0.0, 5e-324, 1.0).scale == 5e-324


@pytest.mark.parametrize("kind", [LaplaceNoise, GaussianNoise])
def test_what_nobody_moves_costs_nothing_and_needs_no_noise(kind):
    extra = {"delta": DELTA} if kind is GaussianNoise else {}
    m = kind.calibrated(epsilon=1.0, sensitivity=0.0, **extra)
    assert (m.scale, m.guarantee.epsilon, m.guarantee.delta) == (0.0, 0.0, 0.0)
    for scale, asked in ((0.0, []), (2.0, [2.0])):
        assert replace(m, scale=scale).release(5.0, rng := Silent()) == 5.0 and rng.scales == asked
    with pytest.raises(ValueError, match="scale must be positive, got 0.0"):
        replace(m, sensitivity=1.0, epsilon=9.0)


def test_a_threshold_is_for_a_delta_below_one_half():
    assert ThresholdedNoise.calibrated(epsilon=1.0, delta=0.499, bound=1).guarantee.delta == 0.499
    with pytest.raises(ValueError, match=r"1 / \(2 delta\) must exceed 1 for a threshold, got 1.0"):
        ThresholdedNoise.calibrated(epsilon=1.0, delta=0.5, bound=1)


@pytest.mark.parametrize(("bound", "scale"), [(1, 1.0), (1, 5.0), (4, 2.0), (7, 40.0)])
def test_a_threshold_of_nothing_hides_nothing(bound, scale):
    """The largest probability that a lone item shows, by listing all ways to hold at most `bound` records."""

    def ways(rest, largest):
        yield ()
        for first in range(1, min(rest, largest) + 1):
            yield from ((first, *others) for others in ways(rest - first, first))

    for threshold in (-3.0, 0.0, 2.5, 30.0, 90.0):
        shown = [
            1 - np.prod([stats.laplace.cdf(threshold, k, scale) for k in way]) for way in ways(bound, bound)
        ]
        m = ThresholdedNoise(scale, threshold, bound)
        assert m.delta == pytest.approx(max(shown), rel=1e-9)
        assert m.delta >= 0.5 or threshold > 0
        with pytest.raises(ValueError, match="delta must be at least"):
            ThresholdedNoise(scale, threshold, bound, delta=0.9 * max(shown))


def test_without_a_bound_on_the_items_of_a_user_the_raw_support_hides_nothing():
    assert ThresholdedNoise(1.0, 50.0, 1, support="raw").delta == 1.0
    some = [ThresholdedNoise(1.0, 9.0, 2, support="raw", distinct=k).delta for k in (1, 2, 50)]
    shown = [1 - stats.laplace.cdf(7) * stats.laplace.cdf(9) ** (k - 1) for k in (1, 2, 50)]
    assert some == pytest.approx(shown, rel=1e-9) and np.all(np.diff(some) > 0)
    noise = ThresholdedNoise(1.0, 9.0, 2, support="raw", distinct=2)
    for support in (None, [True, False]):
        with pytest.raises(ValueError, match="support must be given"):
            (noise if support is None else replace(noise, support="counted", delta=None)).release(
                [1, 2], np.random.default_rng(1), support=support
            )


@pytest.mark.parametrize("distance", [-1, 0, 3])
def test_the_noisy_test_passes_as_often_as_its_slack_says(distance):
    m, rng, runs = DistanceTest.calibrated(epsilon=1.0, delta=0.2), np.random.default_rng(2), 4000
    passed = sum(m.passes(distance, rng) for _ in range(runs))
    chance = stats.laplace.sf(m.threshold - distance, scale=m.scale)
    assert stats.binomtest(passed, runs, chance).pvalue > 1e-6
    assert (chance <= m.privacy_slack()) == (distance <= 0)
    assert stats.binomtest(passed, runs, min(2 * chance, 0.99)).pvalue < 1e-6


def test_many_asks_of_one_noise_compose_exactly():
    one, many = (GaussianNoise.calibrated(epsilon=1.0, delta=1e-6, steps=k) for k in (1, 400))
    assert many.scale == pytest.approx(20 * one.scale, rel=1e-12)
    assert one == GaussianNoise.calibrated(epsilon=1.0, delta=1e-6)
    assert (one.sensitivity, one.scale) == (1.0, gaussian_sigma(epsilon=1.0, delta=1e-6))
    with pytest.raises(ValueError, match="delta must be at least"):
        replace(many, steps=401)
    assert replace(one, steps=400, delta=None).delta > 0.97


@pytest.mark.parametrize(
    "kind", ["BinaryResponse", "KaryResponse", "TwoPointReport", "CubeReport", "BallReport"]
)
def test_a_budget_of_next_to_nothing_still_gives_a_finite_answer(kind):
    m, rng = TABLE[f"privacy.{kind}"].make(1e-300), np.random.default_rng(3)
    x = np.full((4, m.d), 0.5) if hasattr(m, "d") else np.ones(4)
    assert np.all(np.isfinite(m.privatise(x, rng)))
    assert np.all(np.isfinite(m.unbias(np.asarray(m.sample_total(x, rng), dtype=float), 4)))
