"""One budget over many questions: what overspends is refused before noise, and a crash leaves it spent."""

import json
import os
import sys
from dataclasses import replace
from functools import partial
from itertools import count

import numpy as np
import pytest
from scipy import stats

from deaths import dies_after
from fakes import Silent
from userdp.central import bounded_histogram, debiased_count, realistic_mean, uniform_mean
from userdp.local import duchi_mean
from userdp.privacy import GaussianNoise, Guarantee, LaplaceNoise, gaussian_delta, gaussian_sigma
from userdp.release import Budget
from userdp.release.budget import Overspent
from userdp.release.ledger import changing
from userdp.release.losses import composed_epsilon

CENTRAL = Guarantee(0.25, trust="central")
STARS = [0.1, 0.5, 0.3]


def drawn_from(budget, **options):
    """A release, with the generator that it used."""
    rng = np.random.default_rng(1)
    return budget.release(uniform_mean, STARS, rng=rng, **options), rng


def test_parts_add_up_to_the_budget_and_no_further():
    budget = Budget(1.0, 1e-6, "central")
    for _ in range(4):
        budget.spend(CENTRAL)
    assert budget.spent == Guarantee(1.0, 0.0, "central")
    for more, total in ((1.5e-12, "1.0000000000015"), (1e-9, "1.000000001"), (1.0, "2.0")):
        with pytest.raises(Overspent, match=f"all releases must cost .*1.0.* at most, got .*epsilon={total}"):
            budget.spend(replace(CENTRAL, epsilon=more))
    with pytest.raises(Overspent, match="delta=1e-06"):
        budget.spend(Guarantee(0.0, 2e-6, "central"))
    assert budget.spent.epsilon == 1.0 and len(budget.account) == 4
    budget.spend(replace(CENTRAL, epsilon=9e-13))  # as much as rounding may add
    assert str(budget).split("\n")[:2] == [
        "spent epsilon 1 of epsilon 1, delta 1e-06", "unnamed, all users: epsilon 0.25",
    ]  # fmt: skip
    with pytest.raises(Overspent, match="delta=1e-300"):
        Budget(1.0, trust="central").spend(Guarantee(0.0, 1e-300, "central"))


def test_of_disjoint_users_the_largest_counts_beside_what_meets_all():
    budget = Budget(1.0, trust="central")
    for users, epsilon in {"north": 0.5, "south": 0.25, "": 0.25}.items():
        budget.spend(replace(CENTRAL, epsilon=epsilon), group=users)
    assert budget.spent.epsilon == 0.75
    budget.spend(replace(CENTRAL, epsilon=0.5), group="south")
    with pytest.raises(Overspent):
        budget.spend(replace(CENTRAL, epsilon=0.5), group="north")
    with pytest.raises(Overspent, match="releases must be none, as nothing is left, got 1"):
        budget.share(1)


def test_the_number_of_users_reaches_the_estimator_and_names_no_group():
    """It did name one, and two releases about the same people were paid for once."""
    counts, rng = np.array([3.0, 1.0, 2.0]), np.random.default_rng(1)
    budget, options = Budget(1.0, trust="central"), {"bound": 2, "epsilon": 1.0, "rng": rng}
    known = budget.release(debiased_count, counts, users=3000, **options)
    own = debiased_count(counts, users=3000, **options | {"rng": np.random.default_rng(1)})
    assert budget.account[0].group == "" and known.value == own.value
    with pytest.raises(Overspent):
        budget.release(debiased_count, counts, users=2000, **options)


def test_what_wants_an_extra_that_is_not_there_is_taken_off_the_account():
    def wants(values, *, epsilon, rng):
        raise ModuleNotFoundError("exact needs opendp")

    budget = Budget(1.0, trust="central")
    with pytest.raises(ModuleNotFoundError):
        budget.release(wants, STARS, epsilon=0.5, rng=np.random.default_rng(1))
    assert budget.account == ()


def test_what_no_user_moves_costs_nothing():
    budget = Budget(1.0, 1e-6, trust="central")
    budget.spend(GaussianNoise.calibrated(epsilon=0.5, delta=1e-7, sensitivity=0.0))
    assert (budget.spent.epsilon, budget.spent.delta) == (0.0, 0.0)
    assert budget.account[0].deviation == 0.0


def test_normal_noise_is_written_down_per_unit_of_what_moves_it_in_all_steps():
    budget = Budget(1.0, 0.9, "central")
    budget.spend(GaussianNoise(18.0, 2.0, epsilon=0.5, steps=9))
    assert budget.account[0].deviation == 18 / 2 / 9**0.5


def test_less_than_a_billionth_of_the_budget_is_nothing():
    for epsilon in (0.5, 4.0):
        budget, scarce = Budget(epsilon, trust="central"), Budget(epsilon, trust="central")
        budget.spend(replace(CENTRAL, epsilon=epsilon * (1 - 1.3e-9)))
        assert budget.share(1).epsilon == pytest.approx(1.3e-9 * epsilon, rel=0.01)  # sums are rounded
        scarce.spend(replace(CENTRAL, epsilon=epsilon * (1 - 0.7e-9)))
        with pytest.raises(Overspent, match="nothing is left"):
            scarce.share(1)


def test_a_release_that_would_overspend_draws_no_noise():
    budget = Budget(1.0, trust="central")
    assert drawn_from(budget, epsilon=0.75)[0].guarantee.epsilon == 0.75
    rng = np.random.default_rng(1)
    before = rng.bit_generator.state
    with pytest.raises(Overspent):
        budget.release(uniform_mean, STARS, epsilon=0.5, rng=rng)
    assert rng.bit_generator.state == before and budget.spent.epsilon == 0.75
    both, known = Budget(1.0, 1e-6, "central"), {"bound": 1, "epsilon": 1.0, "delta": 1e-6, "rng": rng}
    assert both.release(bounded_histogram, [[1, 0], [0, 2]], **known).guarantee == both.spent
    assert both.spent == Guarantee(1.0, 1e-6, "central")


def test_what_is_refused_before_a_draw_costs_nothing_and_what_fails_after_it_does():
    budget = Budget(1.0, trust="central")
    with pytest.raises(TypeError, match=r"rng must be a numpy.random.Generator, got 0"):
        budget.release(uniform_mean, STARS, epsilon=0.5, rng=0)
    with pytest.raises(ValueError, match="means must have shape"):
        budget.release(uniform_mean, [STARS], epsilon=0.5, rng=np.random.default_rng(1))
    assert budget.account == ()

    def draws_and_fails(data, *, epsilon, rng):
        raise ValueError(f"late: {rng.random()}")

    with pytest.raises(ValueError, match="late"):
        budget.release(draws_and_fails, STARS, epsilon=0.5, rng=np.random.default_rng(1))
    assert budget.spent.epsilon == 0.5


def test_an_answer_that_costs_more_than_was_written_down_is_withheld():
    def greedy(data, *, epsilon, rng):
        return uniform_mean(data, epsilon=2 * epsilon, rng=rng)

    budget = Budget(1.0, trust="central")
    with pytest.raises(ValueError, match="epsilon must cover the result, which is withheld"):
        budget.release(greedy, STARS, epsilon=0.5, rng=np.random.default_rng(1))
    assert budget.spent.epsilon == 0.5


@pytest.mark.parametrize(
    ("call", "options"),
    [(duchi_mean, {}), (realistic_mean, {"sizes": np.full(90, 4)})],
    ids=["local", "sizes"],
)
def test_a_release_of_another_kind_is_refused(call, options):
    budget = Budget(1.0, trust="central")
    with pytest.raises(ValueError, match="guarantees must agree in trust and neighbours"):
        budget.release(call, np.full(90, 0.5), epsilon=0.5, rng=np.random.default_rng(1), **options)


# --- a budget split over questions


def test_a_budget_is_split_by_importance_and_spent_to_its_end():
    budget = Budget(2.0, trust="central")
    budget.spend(replace(CENTRAL, epsilon=0.5), name="before")
    parts = budget.split({"mean": 3, "counts": 1, "quantile": 2})
    assert {name: part.epsilon for name, part in parts.items()} == pytest.approx(
        {"mean": 0.75, "counts": 0.25, "quantile": 0.5}, rel=1e-9
    )
    for name, part in parts.items():
        budget.spend(part, name=name)
    with pytest.raises(Overspent):
        budget.spend(replace(CENTRAL, epsilon=1e-6))
    with pytest.raises(Overspent, match="releases must be none, as nothing is left, got 1"):
        budget.split({"more": 1.0})
    assert Budget(1.0).split({"one": 1e-7}) == {"one": Budget(1.0).share(1)} == {"one": Guarantee(1.0)}
    thirds = Budget(2 / 3)  # rounded to nine digits it is more
    thirds.spend(thirds.share(1))


def test_cube_roots_of_weights_make_the_weighted_variances_of_laplace_noise_least():
    """A claim of `split`; the weights themselves and equal parts are the controls."""
    weights = {"a": 1.0, "b": 8.0, "c": 27.0}

    def loss(importance):
        parts = Budget(1.0).split(importance)
        return sum(weights[name] * 2 / parts[name].epsilon ** 2 for name in weights)

    best = loss({name: weight ** (1 / 3) for name, weight in weights.items()})
    assert best == pytest.approx(2 * sum(w ** (1 / 3) for w in weights.values()) ** 3, rel=1e-8)
    rng = np.random.default_rng(1)
    others = [dict(zip(weights, rng.dirichlet(np.ones(3)) + 1e-3, strict=True)) for _ in range(100)]
    assert min(map(loss, [weights, dict.fromkeys(weights, 1.0), *others])) > best


def test_an_exact_account_lets_the_parts_be_larger_and_no_larger():
    pytest.importorskip("dp_accounting", reason="in the extra accounting")
    importance = {f"week {week}": 1.0 + week % 2 for week in range(20)}
    budget = Budget(1.0, 1e-6, "central", exact=True)
    parts = budget.split(importance)
    assert parts["week 1"].epsilon == pytest.approx(2 * parts["week 0"].epsilon)
    assert parts["week 0"].epsilon > 1.05 / 30  # adding up allows 1 / 30, control
    for part in parts.values():
        budget.spend(part)
    more = Budget(1.0, 1e-6, "central", exact=True)
    with pytest.raises(Overspent):
        for part in parts.values():
            more.spend(replace(part, epsilon=1.001 * part.epsilon))


@pytest.mark.parametrize(
    ("importance", "words"),
    [
        ({}, "number of questions must be a whole number of at least 1, got 0"),
        ({"mean": 0.0}, "importance of mean must be positive, got 0.0"),
        ({"mean": 1.0, "counts": -1.0}, "importance of counts must be positive, got -1.0"),
        ({"mean": np.nan}, "importance of mean must be a finite number, got nan"),
    ],
)
def test_what_is_no_importance_is_named(importance, words):
    with pytest.raises(ValueError, match=words):
        Budget(1.0).split(importance)


# --- exact composition, against what needs no library


def least_laplace_noise(releases, epsilon, delta):
    """Scale at which so many Laplace releases together cost `delta`, by convolving the loss on a grid."""
    step = 1e-4

    def slack(scale):
        ends = np.arange(-1 / scale, 1 / scale + step, step)
        # the loss of a draw x from the first is (|x - 1| - |x|) / scale, which falls in x from 0 to 1
        place = np.clip((1 - ends * scale) / 2, 0, 1)
        beyond = np.where(
            ends > 1 / scale, 0.0, np.where(ends <= -1 / scale, 1.0, stats.laplace.cdf(place / scale))
        )
        one = -np.diff(np.append(beyond, 0.0))
        size = 1 << int(releases * ends.size).bit_length()
        many = np.fft.irfft(np.fft.rfft(one, size) ** releases, size)
        losses = releases * ends[0] + step * np.arange(size)
        over = losses > epsilon
        return float(many[over] @ -np.expm1(epsilon - losses[over]))

    low, high = 1.0 / epsilon, releases / epsilon
    for _ in range(25):
        middle = (low + high) / 2
        low, high = (low, middle) if slack(middle) <= delta else (middle, high)
    return high


def test_52_weekly_releases_cost_within_5_percent_of_the_least_noise():
    pytest.importorskip("dp_accounting", reason="in the extra accounting")
    total, delta = 1.0, 1e-6
    budget = Budget(total, delta, "central", exact=True)
    least = least_laplace_noise(52, total, delta)
    assert 52 / least > 1.7  # what adding up would need, control
    laplace = budget.share(52, lambda x: LaplaceNoise(1 / x, 1.0))
    normal = budget.share(52, lambda x: GaussianNoise(1 / x, 1.0, epsilon=0.02))
    assert 0.999 < laplace.scale / least < 1.05 and 0.999 < 1 / budget.share(52).epsilon / least < 1.05
    assert 1 <= normal.scale / (gaussian_sigma(epsilon=total, delta=delta) * 52**0.5) < 1.05
    for noise in (laplace, normal, budget.share(52)):
        year = Budget(total, delta, "central", exact=True)
        for week in range(52):
            year.spend(noise, name=f"week {week}")
        with pytest.raises(Overspent):
            year.spend(noise)


def test_exact_composition_is_never_below_the_truth():
    """Of Gaussian noise it is known; a mixed account costs more than its parts."""
    pytest.importorskip("dp_accounting", reason="in the extra accounting")
    budget = Budget(2.0, 1e-5, "central", exact=True)
    for _ in range(9):
        budget.spend(GaussianNoise(9.0, 1.0, epsilon=0.5))
    before = budget.spent
    assert (
        gaussian_delta(3.0, epsilon=before.epsilon)
        <= before.delta
        < 1.01 * gaussian_delta(3.0, epsilon=before.epsilon)
    )
    budget.spend(LaplaceNoise(9.0, 1.0))
    assert composed_epsilon([(0.5, 0.0, 0.0), (0.0, 1e-6, 0.0)], delta=9e-7, budget=1.0) == np.inf
    assert before.epsilon < budget.spent.epsilon < before.epsilon + 1 / 9


@pytest.mark.parametrize(
    ("release", "width"),
    [
        ((0.5, 0.0, 10.0), 4e-5),
        ((30.0, 0.0, 0.0), 3e-4),
        ((0.5, 0.0, 0.03), (0.5 / 0.03**2 + 8 / 0.03) / 1e5),
    ],
    ids=["as fine as the budget asks", "a loud release of unknown noise", "little normal noise"],
)
def test_losses_are_counted_in_cells_that_the_loudest_release_leaves_few(release, width, monkeypatch):
    """A loud release in fine cells would fill the memory."""
    losses = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    widths, identity = [], losses.identity
    monkeypatch.setattr(losses, "identity", lambda **cell: widths.append(*cell.values()) or identity(**cell))
    composed_epsilon([release, (0.1, 0.0, 0.0)], delta=1e-6, budget=2.0)
    assert widths == [pytest.approx(width, rel=1e-12)]


def test_without_the_library_its_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "dp_accounting.pld", None)
    budget = Budget(1.0, 1e-6, "central", exact=True)
    budget.spend(replace(CENTRAL, epsilon=1.0))  # what adds up needs no library
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'userdp\[accounting\]'"):
        budget.spend(CENTRAL)


# --- the file


def test_an_account_goes_on_where_its_file_stopped(tmp_path):
    path = str(tmp_path / "account.json")
    first, second = Budget(1.0, trust="central", path=path), Budget(1.0, trust="central", path=path)
    first.spend(CENTRAL, name="spring")
    second.spend(CENTRAL, name="autumn", group="north")  # knows what another has spent meanwhile
    again = Budget(1.0, trust="central", path=path)
    assert [line.name for line in again.account] == ["spring", "autumn"] and again.spent == second.spent
    assert "autumn" in str(again) and json.loads((tmp_path / "account.json").read_text())["budget"][0] == 1.0
    with pytest.raises(ValueError, match="path must be of an account of .*2.0.*, got one of .*1.0"):
        Budget(2.0, trust="central", path=path)
    (tmp_path / "account.json").write_text("{")
    with pytest.raises(
        ValueError, match="path must be of an account, got a file that is not JSON: .*account.json"
    ):
        first.spend(CENTRAL)
    with pytest.raises(ValueError, match="path must be of an account"):
        Budget(1.0, trust="central", path=path)


def test_an_account_is_locked_while_it_changes(tmp_path):
    fcntl, path = pytest.importorskip("fcntl"), str(tmp_path / "account.json")
    with changing(path, {}), open(f"{path}.lock") as other, pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


STEPS = "release/budget.py", "release/ledger.py", "privacy/noise.py"  # whose lines are steps


class Marked(Silent):
    """A generator that leaves a mark when noise is drawn."""

    def laplace(self, *place, **options):
        os.close(os.open(os.environ["DRAWN"], os.O_CREAT))
        return super().laplace(*place, **options)


def release_once(path):
    budget, rng = Budget(1.0, trust="central", path=path), Marked()
    budget.release(uniform_mean, STARS, epsilon=0.5, rng=rng, name="x")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a copy of this process")
def test_a_release_killed_at_any_step_counts_as_spent_if_noise_may_be_drawn(tmp_path, monkeypatch):
    seen = set()
    for steps in count():
        mark, path = tmp_path / f"{steps}.drawn", str(tmp_path / f"{steps}.json")
        monkeypatch.setenv("DRAWN", str(mark))
        Budget(1.0, trust="central", path=path)
        killed = dies_after(steps, STEPS, partial(release_once, path))
        spent = Budget(1.0, trust="central", path=path).spent.epsilon
        assert spent in (0.0, 0.5) and (spent == 0.5 or not mark.exists())
        seen.add((spent, mark.exists()))
        if not killed:
            break
    assert steps > 50 and seen == {(0.0, False), (0.5, False), (0.5, True)}


@pytest.mark.parametrize("releases", [0, -1, 2.5])
def test_a_share_is_of_a_number_of_releases(releases):
    with pytest.raises(ValueError, match=f"releases must be a whole number of at least 1, got {releases}"):
        Budget(1.0).share(releases)
