"""Three witnesses for every estimator: a result of releases alone, users who enter one, and noise for them.

All randomising calls are answered by a server that looks at public arguments only and notes what it was
given. What is asked next, and what comes out, must then be the same whatever the users hold; and a user who
moves may change what goes into one call, or into as many as the guarantee pays for, and by no more than the
call's noise is for.
"""

import inspect
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

import userdp.privacy as privacy
from fakes import Silent
from good_calls import call, good, parameters, variants
from mechanisms import ESTIMATORS, TABLE
from userdp.central.bounds import Surrogate
from userdp.local import Plan, Round
from userdp.privacy import choice, noise, reports, vector_reports

METHODS = {"privatise", "sample_total", "sample_totals", "sample_total_of_counts"}
METHODS |= {"release", "choose", "passes"}
MODULES = reports, vector_reports, noise, choice
SEEN = [name for name in ESTIMATORS if "all" not in TABLE[name].unseen]
LEVELS = 0.5, 40.0, 1e6
# where it matters who votes for what, and how much
SETTING = {"size": 900, "release_epsilon": 0.3, "largest": 9, "runs": 1}
SETTING["plan"] = Plan(30, 0.1, 400, (Round(30, 0.3, 2.0), Round(30, 0.2, 2.0)))


class Server:
    """Answers every randomising call by what is public, and notes what it was given."""

    def __init__(self, level, seed=0):
        self.level, self.seed, self.calls, self.inside = level, seed, [], False

    def answer(self, inner, mechanism, name, data, places, options):
        if self.inside:  # a total that draws reports is one call
            return inner(mechanism, data, *places, **options)
        given = [data, *places, *options.values()]
        given = [each for each in given if not isinstance(each, np.random.Generator)]
        # what users add to a sum is given as a function of nothing
        given = [each() if callable(each) else each for each in given]
        self.calls.append((mechanism, name, snapshot(given)))
        level = self.level if name != "sample_total_of_counts" else int(min(self.level, places[0]))
        fresh = np.random.default_rng([self.seed, len(self.calls)])
        places = [fresh if isinstance(each, np.random.Generator) else each for each in places]
        options = {key: value if value is None else np.ones_like(value) for key, value in options.items()}
        self.inside = True
        try:
            return inner(mechanism, alike(data, level), *places, **options)
        finally:
            self.inside = False

    def transcript(self):
        """What the server knows of each call: the mechanism, the method and how many rows come."""
        return [f"{shown(mechanism)}.{name} of {shapes(given)}" for mechanism, name, given in self.calls]


def shown(mechanism):
    return "curve" if isinstance(mechanism, Surrogate) else repr(mechanism)


def snapshot(given):
    return [snapshot(each) if isinstance(each, tuple) else np.array(each) for each in given]


def shapes(given):
    return [shapes(each) if isinstance(each, list) else each.shape[:1] for each in given]


def alike(data, level):
    """Something of the shape of the data that says nothing about them."""
    if isinstance(data, tuple):
        return tuple(alike(each, level) for each in data)
    if np.ndim(data) == 0:
        return level
    return np.full(np.shape(data), level)


@contextmanager
def served(level, seed=0):
    server = Server(level, seed)
    with pytest.MonkeyPatch.context() as patch:
        kinds = {kind for module in MODULES for kind in vars(module).values() if inspect.isclass(kind)}
        for kind in {kind for kind in kinds if kind.__module__ in {module.__name__ for module in MODULES}}:
            for name in METHODS & vars(kind).keys():
                patch.setattr(kind, name, through(server, vars(kind)[name], name))
        patch.setattr(Surrogate, "draw", lambda curve, rate, rng: drawn(server, curve, rate))
        yield server


def through(server, inner, name):
    return lambda self, data, *places, **options: server.answer(inner, self, name, data, places, options)


def drawn(server, curve, rate):
    """A bound from the curve's density: the curve is private, its rate and its ends are not."""
    server.calls.append(
        (
            privacy.ExponentialChoice(rate, curve.reach * curve.largest),
            "draw",
            [curve.values(curve.largest / 2)],
        )
    )
    return curve.largest / 2


# --- users and options ---------------------------------------------------------------------------------


def case(name, options):
    label = "-".join(f"{key}={value}" for key, value in options.items())
    marks = [pytest.mark.long] if options else []
    return pytest.param(name, options, id=f"{name}-{label}" if label else name, marks=marks)


every = pytest.mark.parametrize(
    ("name", "options"), [case(name, options) for name in SEEN for options in variants(name)]
)


def users(name, n):
    """Data of users in the middle, whose sizes may be any of the law's."""
    known = good(name)
    data = {key: np.resize(known[key], (n, *known[key].shape[1:])) for key in TABLE[name].private}
    if "size_law" in known and "sizes" in data:
        data["sizes"] = np.resize(known["size_law"].values.astype(int), n)
    if "counts" in data:  # no two norms alike
        data["counts"] = (data["counts"].T + np.linspace(0, 0.5, n)).T
    return data


def public_rows(name, n):
    """What is public and has a row a user."""
    rows = {key: each for key, each in good(name).items() if np.shape(each)[:1] == (90,)}
    return {key: np.resize(x, (n, *x.shape[1:])) for key, x in rows.items() if key not in TABLE[name].private}


def asked(name, data, options, level, seed=0):
    """The result, as text to the last digit, and what the server met."""
    n = len(next(iter(data.values())))
    setting = {key: each for key, each in SETTING.items() if key in parameters(name)}
    values = good(name) | public_rows(name, n) | setting
    with served(level, seed) as server:
        try:
            result = call(name, values | data | options | {"rng": Silent()})
        except (TypeError, ValueError) as error:  # which is an output like others
            return repr(error), server, None
    hidden = {field: None for field in TABLE[name].unseen}
    with np.printoptions(threshold=10**6, floatmode="unique"):
        return repr(replace(result, **hidden)), server, result


OTHERS = {
    "turned round": lambda x: x[::-1],
    "all the least": lambda x: np.full_like(x, x.min()),
    "all the largest": lambda x: np.full_like(x, x.max()),
    "far outside": lambda x: 900.0 * x - 400,
    "no numbers": lambda x: np.full(x.shape, np.nan),
}


@every
def test_the_result_is_a_function_of_releases_alone(name, options):
    data = users(name, 90)
    for seed, level in enumerate(LEVELS):
        expected, server, _ = asked(name, data, options, level, seed)
        for said, change in OTHERS.items():
            found, other, _ = asked(name, {k: change(x) for k, x in data.items()}, options, level, seed)
            assert other.transcript() == server.transcript(), said
            assert found == expected, said


# --- one round -----------------------------------------------------------------------------------------

USERS = 0, 17, 29, 30, 44, 45, 59, 60, 89, 90  # of 91, at the ends of halves, thirds and cohorts
# the share of the budget that no user of so few is sure to move: of the test, whose distance is -1
UNMOVED = {"central.private_size_mean": 0.2}
# halves and thirds, and the plan, leave the last user out
LAST_LEFT_OUT = {f"local.{name}" for name in ("localised_mean", "dame", "improved_mean", "mixture_means")}
LAST_LEFT_OUT |= {"local.localised_vector_mean", "local.rotated_vector_mean", "local.density_coefficients"}


def moves(data, user, name):
    """The data with one user at either end, more than a bin away from where most are."""
    ends = TABLE[name].ends or (-1, 1)
    sizes = np.unique(data["sizes"])[[0, -1]] if "sizes" in data else (0, 9)
    for number, size in zip(ends, sizes, strict=True):
        moved = {key: x.copy() for key, x in data.items()}
        for key, x in moved.items():
            x[user] = size if key in ("sizes", "counts", "values") else number
        yield moved


def entered(base, other):
    """Which calls one user changes."""
    both = enumerate(zip(base.calls, other.calls, strict=True))
    return {k for k, ((*_, a), (*_, b)) in both if not same(a, b)}


def same(a, b):
    return all(same(x, y) if isinstance(x, list) else np.array_equal(x, y) for x, y in zip(a, b, strict=True))


@every
def test_each_user_takes_part_in_one_round(name, options):
    """Or in as many as the table says; and the guarantee pays for all that any user takes part in."""
    data, most, paid = users(name, 91), [], dict.fromkeys(USERS, 0.0)
    for seed, level in enumerate(LEVELS):
        _, base, result = asked(name, data, options, level, seed)
        for user in USERS:
            moved = [asked(name, each, options, level, seed)[1] for each in moves(data, user, name)]
            calls = set().union(*(entered(base, other) for other in moved))
            spent = sum(base.calls[k][0].guarantee.epsilon for k in calls) / result.guarantee.epsilon
            assert len(calls) <= TABLE[name].rounds, (user, calls)
            assert spent <= 1 + 1e-12, (user, calls)
            most.append(spent)
            paid[user] = max(paid[user], spent)
    assert max(most) >= 1 - UNMOVED.get(name, 0) - 1e-9
    closed = name == "local.dame" and options.get("printed")  # a vote on an edge costs more than a report
    if name in LAST_LEFT_OUT and not closed:  # everybody else takes part, for the whole budget
        assert {user: share > 1 - 1e-9 for user, share in paid.items()} == {user: user < 90 for user in USERS}
        assert paid[90] == 0


# --- sensitivity ---------------------------------------------------------------------------------------

WILD = -1e9, 1e9, np.nan
# whose last noise is for what a test found, and whose last counts are drawn at random, those of others too
LAST_APART = "central.private_size_mean", "central.unbounded_histogram"


def wildly(data, user, name):
    """The data with one user anywhere, of the least or the largest size where there are sizes."""
    for number in WILD:
        for size in (0, -1):
            moved = {key: x.copy() for key, x in data.items()}
            for key, x in moved.items():
                x[user] = np.sort(data[key])[size] if key == "sizes" else number
            yield moved


def most_moved(mechanism):
    """By how much the replacement of a user may move what a mechanism is given, and in which norm."""
    times = 2 if mechanism.neighbours == "add-remove" else 1
    if isinstance(mechanism, noise.ThresholdedNoise):
        return 2 * mechanism.bound, lambda change: np.abs(change).sum()
    if isinstance(mechanism, noise.DistanceTest):
        return times, np.abs
    if isinstance(mechanism, choice.ExponentialChoice):
        return times * mechanism.oscillation, np.ptp
    if isinstance(mechanism, choice.NoisyMaximum):
        return times * mechanism.sensitivity, lambda change: np.abs(change).max()
    norm = 2 if isinstance(mechanism, noise.GaussianNoise) else 1
    return times * mechanism.sensitivity, lambda change: np.linalg.norm(np.ravel(change), norm)


@every
def test_no_user_moves_a_value_by_more_than_its_noise_is_for(name, options):
    """Whatever any two users in its place hold; where sizes are public, of one size."""
    data = users(name, 91)
    for seed, level in enumerate(LEVELS):
        for user in USERS:
            served_to = [
                asked(name, each, options, level, seed)[1].calls for each in wildly(data, user, name)
            ]
            for calls in [*zip(*served_to, strict=True)][: -1 if name in LAST_APART else None]:
                mechanism, what, _ = calls[0]
                if what != "draw" and isinstance(mechanism, noise.CentralMechanism):
                    most, size = most_moved(mechanism)
                    values = [given[0].astype(float) for *_, given in calls]
                    moved = max(size(one - other) for one in values for other in values)
                    assert moved <= most * (1 + 1e-9) + 1e-9, (user, mechanism)
