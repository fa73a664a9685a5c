"""Every guarantee has a named witness; mechanisms are total; what no other file proves is proved here."""

import ast
import inspect
import re
import types
import typing

import numpy as np
import pytest

import userdp
from faces import face, public
from fakes import Silent
from mechanisms import TABLE, Threshold, lacking
from userdp.central.bounds import output_perturbation
from userdp.central.mean import initial_mean, realistic_mean, uniform_mean
from userdp.central.unknown_domain import private_bound
from userdp.local import vector as local_vector
from userdp.local.mean import duchi_mean, laplace_mean, localised_mean, piecewise_mean
from userdp.local.sparse import sparse_selection
from userdp.local.vector import duchi_vector_mean
from userdp.privacy.choice import ExponentialChoice, NoisyMaximum
from userdp.privacy.reports import LaplaceReport
from userdp.privacy.vector_reports import CubeReport
from userdp_papers.populations.sparse import SparseSigns
from userdp_papers.printed.ideal import ideal_mean
from userdp_papers.theory.audit.exact import exact_loss, laplace_loss, sign_cube
from userdp_papers.theory.sampled.runs import simulate_selection

# --- the list ----------------------------------------------------------------------------------------


def promises(thing):
    """Whether a function returns something with a guarantee, or a class has one."""
    result = thing if inspect.isclass(thing) else typing.get_type_hints(thing).get("return")
    result = typing.get_origin(result) or result
    if isinstance(result, types.UnionType) or result is types.UnionType:
        return any(_carries(part) for part in typing.get_args(typing.get_type_hints(thing)["return"]))
    if not inspect.isclass(result):  # a signature that says nothing: look into the docstring
        said = re.search(r"Returns\n\s+-+\n(.*?)(\n\s*\n\s*\w+\n\s+-+\n|\Z)", thing.__doc__ or "", re.DOTALL)
        return bool(said) and bool(re.search(r"Estimate\b|Guarantee\b|guarantee :", said[1]))
    return _carries(result) and (result is not thing or "guarantee" not in thing.__dataclass_fields__)


def _carries(result):
    """Whether a class has a guarantee, as a field or computed."""
    field = "guarantee" in getattr(result, "__dataclass_fields__", ())
    return field or isinstance(getattr(result, "guarantee", None), property)


def promising():
    """Every function or class that a face offers and that promises something, as ``wing.name``."""
    for room in ("privacy", "local", "central", "printed", "sampled"):
        for name in face(room).__all__:
            thing = public(room, name)
            if (inspect.isfunction(thing) or inspect.isclass(thing)) and promises(thing):
                yield f"{room}.{name}"


def test_every_guarantee_has_a_witness():
    """One message, which names the mechanism and the fields of its row."""
    lacks = [lacking(name, public(*name.split("."))) for name in promising()]
    assert not "\n".join(filter(None, lacks))
    assert not TABLE.keys() - {*promising()}


def test_every_witness_is_a_test(root):
    named = {witness for row in TABLE.values() for witness in row.witness}
    there = {
        f"{file}::{node.name}"
        for file in {witness.split("::")[0] for witness in named}
        for node in ast.parse((root / "tests" / file).read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
    assert not named - there


def test_the_list_would_notice_a_newcomer():
    """Control: what the package's own estimators look like is recognised, and a helper is not."""
    assert promises(localised_mean) and promises(LaplaceReport) and promises(private_bound)
    assert not promises(local_vector.split_users) and not promises(userdp.Guarantee)


def test_guarantees_are_written_where_noise_is_and_nowhere_else(root):
    """What a curator promises is composed from mechanisms, and what it draws is drawn by them."""
    typed, drawn = [], []
    for file in (root / "src/userdp").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                if called.split(".")[-1] == "Guarantee" and file.parent.name != "privacy":
                    typed.append(f"{file.name}:{node.lineno}")
                if called.split(".")[-1] in ("laplace", "normal") and file.parent.name == "central":
                    drawn.append(f"{file.name}:{node.lineno}")
    assert not typed and not drawn


# --- one round, local --------------------------------------------------------------------------------

BUDGETS = [0.05, 22 / 35, 1.0, 3.0]
EXTREMES = [-np.inf, -1e6, -1.0, 0.0, 0.3, 1.0, 7.0, np.inf, np.nan, 5e-324]


@pytest.mark.parametrize("epsilon", BUDGETS)
def test_the_loss_of_a_laplace_mean_is_its_guarantee(epsilon):
    noise = Silent()
    runs = [laplace_mean([x], epsilon=epsilon, rng=noise, every_report=True) for x in EXTREMES]
    loss = laplace_loss([run.value for run in runs], noise.scales[0])
    assert loss == pytest.approx(runs[0].guarantee.epsilon, rel=1e-12)
    assert runs[0].guarantee.epsilon == epsilon and len(set(noise.scales)) == 1


class Words(np.random.Generator):
    """All bytes of the first draw are the same, the words of later ones too."""

    def __init__(self, byte, word):
        super().__init__(np.random.PCG64(0))
        self.byte, self.word = byte, word

    def integers(self, low, high, size, dtype):
        word, self.byte = (self.word, None) if self.byte is None else (self.byte * 0x0101010101010101, None)
        return np.full(size, word, dtype=np.uint64)


def is_up(x, epsilon, rng):
    return duchi_mean([x], epsilon=epsilon, rng=rng, every_report=True).value > 0


def measured(low, high, steps, holds):
    """Where `holds` stops to be true, by bisection."""
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def upper_probability(x, epsilon):
    """Measure of the bytes for which a user with mean x reports the upper point: a coin, then a rounding."""
    keep = measured(0.0, 1.0, 60, lambda u: is_up(np.inf, epsilon, Threshold(u)))
    up = measured(0, 2**53, 60, lambda w: is_up(x, epsilon, Words(0, int(w)))) / 2**53
    flipped = measured(0, 2**53, 60, lambda w: not is_up(x, epsilon, Words(255, int(w)))) / 2**53
    assert up == flipped
    return keep * up + (1 - keep) * (1 - up)


@pytest.mark.parametrize("epsilon", BUDGETS)
def test_the_loss_of_a_two_point_mean_is_its_guarantee(epsilon):
    ups = np.array([upper_probability(x, epsilon) for x in EXTREMES])
    result = duchi_mean([0.0], epsilon=epsilon, rng=np.random.default_rng(1))
    loss = exact_loss(np.stack([ups, 1 - ups], axis=1))
    assert loss == pytest.approx(result.guarantee.epsilon, rel=1e-12)


class Scripted(np.random.Generator):
    """A generator of a coin, then of a place."""

    def __init__(self, coin, place):
        super().__init__(np.random.PCG64(0))
        self.numbers = iter([coin, place])

    def random(self, shape):
        return np.full(shape, next(self.numbers))


@pytest.mark.parametrize("epsilon", BUDGETS)
def test_the_loss_of_a_piecewise_mean_is_its_guarantee(epsilon):
    """From what is sent at every coin and place: two intervals, and how often it is the long one."""

    def sent(x, coin, place):
        return piecewise_mean([x], epsilon=epsilon, rng=Scripted(coin, place), every_report=True).value

    def silent_share(x):
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            silent = sent(x, middle, 1.0) - sent(x, middle, 0.0) > sent(x, 1.0, 1.0) - sent(x, 1.0, 0.0)
            low, high = (middle, high) if silent else (low, middle)
        return low

    whole = sent(0.3, 0.0, 0.0), sent(0.3, 0.0, 1.0)
    ratios = []
    for x in EXTREMES:
        start, end, share = sent(x, 1.0, 0.0), sent(x, 1.0, 1.0), silent_share(x)
        assert (sent(x, 0.0, 0.0), sent(x, 0.0, 1.0)) == pytest.approx(whole, rel=1e-12)
        assert whole[0] - 1e-9 <= start < end <= whole[1] + 1e-9
        ratios.append(1 + (1 - share) / (end - start) / (share / (whole[1] - whole[0])))
    guarantee = piecewise_mean([0.0], epsilon=epsilon, rng=np.random.default_rng(1)).guarantee
    # windows of the two ends of the domain are disjoint, so that the ratio is met
    assert np.log(ratios) == pytest.approx(np.full(len(ratios), guarantee.epsilon), rel=1e-9)
    assert sent(-1.0, 1.0, 1.0) <= sent(1.0, 1.0, 0.0) + 1e-12


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_the_loss_of_a_cube_mean_is_its_guarantee_and_a_user_reports_once(monkeypatch, d):
    reported = []

    class Spy(CubeReport):
        def privatise(self, x, rng):
            reported.append((self, len(x)))
            return super().privatise(x, rng)

    monkeypatch.setitem(local_vector.BALLS, "cube", Spy)
    result = duchi_vector_mean(np.zeros((7, d)), epsilon=1.3, ball="cube", rng=np.random.default_rng(0))
    ((report, users),) = reported
    corners, _ = sign_cube(d)
    weights = np.where(corners @ corners.T > 0, 1.0, report.far)
    loss = exact_loss(weights / weights.sum(axis=1, keepdims=True))
    assert users == 7 and loss == pytest.approx(result.guarantee.epsilon, rel=1e-12)


@pytest.mark.parametrize("general", [False, True])
@pytest.mark.parametrize("epsilon", [0.4, 1.0, 2.7, 3.4])
def test_a_simulated_selection_promises_what_the_selection_does(epsilon, general):
    population, rng = SparseSigns(6, 3, 1.0), np.random.default_rng(2)
    options = {"sparsity": 3, "epsilon": epsilon, "rng": rng, "general": general}
    options |= {"threshold": 0.5, "clip": 2.0, "half_width": 0.2}
    # many users, so that both select the same three coordinates
    simulated = simulate_selection(population, n=4000, size=100, **options)
    drawn = sparse_selection(population.draw_means(100, 4000, rng), size=100, **options)
    np.testing.assert_array_equal(simulated.selected, drawn.selected)
    assert simulated.guarantee == drawn.guarantee


# --- central -----------------------------------------------------------------------------------------


def test_the_exponential_mechanism_spends_its_whole_budget_on_two_far_candidates():
    """One score falls and the other rises by the sensitivity; the far one gains exp(epsilon)."""
    for epsilon in BUDGETS:
        far = 200.0 / epsilon
        scores = np.array([[0.0, -far], [-0.5, -far + 0.5]])
        choice = ExponentialChoice.calibrated(sensitivity=0.5, epsilon=epsilon)
        law = np.array([choice.law(s) for s in scores])
        assert exact_loss(law) == pytest.approx(epsilon, rel=1e-12)
        assert choice.guarantee.epsilon == epsilon


def test_the_noisy_maximum_of_two_scores_spends_at_most_its_budget_and_nearly_all():
    lead = np.arange(2.0, 20_000.0)
    for epsilon in BUDGETS:
        noise, maximum = Silent(), NoisyMaximum.calibrated(sensitivity=1.0, epsilon=epsilon)
        assert maximum.choose([0.0, 1.0], noise) == 1
        b, guarantee = noise.scales[0], maximum.guarantee

        def log_lost(x, b=b):  # probability that the score behind by x wins
            return np.log1p(x / (2 * b)) - x / b

        losses = log_lost(lead - 2) - log_lost(lead)
        assert losses.max() <= guarantee.epsilon * (1 + 1e-9)
        assert losses.max() > 0.98 * guarantee.epsilon


SIZES = np.arange(1, 31)


def run_central(name, means):
    noise, epsilon = Silent(), 0.7
    if name == "uniform":
        return uniform_mean(means, epsilon=epsilon, rng=noise).value, noise.scales[-1]
    if name == "initial":
        return initial_mean(means, epsilon=epsilon, rng=noise).value, noise.scales[-1]
    known = {"variance": 0.01, "epsilon": epsilon, "rng": noise}
    if name == "ideal":
        result = ideal_mean(means, SIZES, mean=0.5, beta=0.05, **known)
    else:
        result = realistic_mean(means, SIZES, **known)
    return result.value, noise.scales[-1]


@pytest.mark.parametrize("name", ["uniform", "initial", "ideal", "realistic"])
def test_the_loss_of_the_user_who_moves_a_central_mean_most_is_its_guarantee(name):
    """All users but the smallest tenth, whose only release is that of `initial_mean`."""
    means, losses = np.full(30, 0.5), []
    for user in range(3 if name == "realistic" else 0, 30):
        ends = []
        for x in EXTREMES:
            changed = means.copy()
            changed[user] = x
            ends.append(run_central(name, changed))
        values, scales = np.array(ends).T
        assert np.ptp(scales) == 0
        losses.append(laplace_loss(values, scales[0]))
    assert max(losses) == pytest.approx(0.7, rel=1e-12)


def test_the_loss_of_output_perturbation_is_its_guarantee():
    """Three users with more of everything than any bound; one of them is replaced by nobody's data."""
    data = np.full((3, 4), 1e6)
    options = {"largest": 1e3, "release_epsilon": 1e3, "release_delta": 0.01, "epsilon": 0.01}
    noise = Silent()
    runs = [output_perturbation(x, rng=noise, **options) for x in (data, data * [[1], [1], [0]])]
    assert all(0 < run.value < 1e3 for run in runs)  # neither end of the projection
    loss = laplace_loss([run.value for run in runs], noise.scales[0])
    assert loss == pytest.approx(runs[0].guarantee.epsilon, rel=1e-12)
