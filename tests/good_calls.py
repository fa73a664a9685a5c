"""One good call of every public function and class of the package.

A symbol means one thing throughout the package, so most parameters have one good value, in `COMMON`;
`SPECIAL` has what differs. `test_bad_calls` spoils the calls one parameter at a time; `test_numbers` holds
what they answer against a table.
"""

import inspect
import typing
from functools import cache

import numpy as np

from faces import FACES, face
from mechanisms import COUNTS, LAW, MEANS, ROWS, SIZES, TABLE, N
from userdp import privacy
from userdp.local.improved import Plan, Round
from userdp.local.localise import Bins
from userdp.privacy import BinaryResponse, Guarantee
from userdp.release import Budget
from userdp.tables.counts import count_table
from userdp_papers.data.means import UserCounts
from userdp_papers.populations.densities import TrigonometricDensity
from userdp_papers.populations.records import BetaUsers, Signs
from userdp_papers.populations.sparse import SparseSigns
from userdp_papers.theory.rates.minimax import Mean

BOUNDS = np.array([1, 3])
CHANNEL = np.array([[0.7, 0.2, 0.1], [0.2, 0.7, 0.1]])
SPENT = Guarantee(1.0, 0.0, "central", "replace")


USED = count_table(["u", "u", "v"], ["a", "b", "c"])


@cache
def _known(name):
    """What the good call of a name returns."""
    return call(name, good(name))


GROUPS = {"voters": MEANS[None], "refiners": MEANS[None]}
GROUPS |= {"widths": np.array([0.2]), "theta": np.array([0.2])}
RECORDS = {"user": np.array([1, 1, 2]), "item": np.array([0, 1, 1])}


class Made:
    """A value that is made anew for each call."""

    def __init__(self, make):
        self.make = make


RNG = Made(lambda: np.random.default_rng(5))


# --- the value of a parameter, whoever's it is ---------------------------------------------------------
COMMON = {
    "a": 0.5, "alpha": 1.0, "averages": np.array([0.1, 0.2]), "average": 0.3, "ball": "cube", "beta": 0.05,
    "bias": 0.1, "biases": (0.1,), "bins": Bins(0.2), "bound": 2, "bounds": BOUNDS, "cap": 1.0,
    "centre": 0.1, "channel": CHANNEL, "chosen": np.array([1, 3]), "clip": 1.0, "clipped_mean": 0.4,
    "clips": 2, "components": 2, "constant": 1.0, "count": 5, "counts": COUNTS, "d": 3, "delta": 0.01,
    "deviations": (0.1,), "domain": (0.0, 1.0), "edges": np.linspace(-9, 9, 50), "epsilon": 1.0,
    "epsilons": np.array([1.0]), "error": 0.1, "expected": np.ones(2), "failure": 0.1, "floor": 0.01,
    "guarantee": SPENT, "guess": 1.0, "half_width": 0.2, "half_widths": np.full(5, 0.3),
    "high": 0.9, "hits": 5,
    "interval": np.array([0.1, 0.5]), "clipped_to": (0.1, 0.5), "j": 2, "k": 3, "keep": 0.7, "laplace": False,
    "largest": 4.0, "largest_size": 30, "law": LAW,
    "lengths": np.ones(N), "level": 1e-6, "low": 0.1, "mass": 1.0, "mean": 0.4, "means": MEANS,
    "midpoints": np.array([-0.5, 0.5]), "move": 1.0, "n": N, "name": "x", "noise": 0.1, "norm": 1,
    "ones": 1, "other_hits": 1, "packed": np.arange(36, dtype=np.uint8).reshape(12, 3),
    "parameters": np.array([0.4, 0.6]),
    "plan": Plan(30, 0.1, 400, (Round(60, 0.3, 2.0),)), "points": ROWS, "population": Signs(0.2),
    "problem": Mean(3), "probabilities": np.array([0.4, 0.6]), "proportions": np.array([0.4, 0.6]),
    "p": 0.2, "q": 0.1, "radius": 0.5, "randomiser": BinaryResponse(1.0), "rank": 3.0, "rate": 1.5,
    "rates": np.array([0.5, 1.5]), "reach": 1.0, "records": MEANS, "release_delta": 0.01,
    "release_epsilon": 1.0, "rho": 0.5, "round_": Round(60, 0.3, 2.0), "runs": 4, "scale": 1.0,
    "scores": np.array([0.1, 0.5, 0.3]), "selected": np.array([1]),
    "sensitivity": 1.0, "shape": 2.0, "sigma": 2.0, "sigmas": 2.0,
    "size": 9,
    "size_cap": 900, "size_law": LAW, "sizes": SIZES, "smoothness": 2.0, "sparsity": 1, "spread": 0.1,
    "own_variance": 0.01,
    "steps": 9, "target": 0.01, "terms": 3, "theta": 0.2, "threshold": 0.3, "truth": np.array([2.0, 3.0]),
    "users": 40, "user_coefficients": ROWS, "value": 0.5, "values": np.array([0.1, 0.5]), "variance": 0.1,
    "variance_users": 20, "variances": np.ones(N), "votes": np.arange(9), "weight": 1.0,
    "weights": np.array([0.4, 0.6]),
    "x": MEANS, "totals": np.array([2, 3]), "releases": 2,
    "rng": RNG, "items": ["a", "b", "c"], "item": "item", "user": "user", "key": "kent-lem-28",
}  # fmt: skip
RELEASE = {"epsilon": 1.0, "delta": 0.01}

# --- what differs, and the options that a call gets as **options ---------------------------------------
SPECIAL = {
    "privacy.disjoint": {"guarantees": (SPENT, SPENT)},
    "privacy.sequential": {"guarantees": (SPENT, SPENT)},
    "privacy.order_statistic_law": {"values": MEANS, "largest": 9},
    "privacy.tally": {"categories": np.array([0, 1, 2, 2]), "weights": None},
    "privacy.to_unit_ball": {"x": ROWS},
    "privacy.HistogramEstimate": {"value": np.ones(2)},
    "privacy.WeightedEstimate": {},
    "populations.HistogramDraw": {"truth": np.array([2, 3])},
    "sizes.PowerLawSizes": {"low": 1, "high": 9, "shape": 1.5},
    "sizes.uniform_sizes": {"low": 1, "high": 9},
    "sizes.two_point_sizes": {"small": 2, "large": 9},
    "sizes.FiniteSizes": {"values": np.array([1, 3])},
    "populations.SignMixture": {"thetas": (-0.5, 0.5), "weights": (0.4, 0.6)},
    "populations.TrigonometricDensity": {"later": (0.1, 0.05)},
    "populations.WrappedGammas": {"scale": 0.1},
    "sizes.binomial_sizes": {"trials": 20, "probability": 0.4},
    "populations.evaluate": {"coefficients": np.array([1.0, 0.1, 0.2])},
    "populations.exceedance": {"m": 9},
    "populations.item_level_means": {"population": SparseSigns(3, 1, 0.3)},
    "sizes.variance_of_mean": {"variance": 0.01},
    "local.Ballot": {"reach": 1},
    "local.Cover": {"centres": np.array([[0.0, 0.0, 0.0], [0.5, 0.5, 0.5]]), "differing": 2},
    "local.Plan": {"voters": 30, "vote_size": 400, "rounds": (Round(60, 0.3, 2.0),)},
    "local.Round": {"offset": 0.3},
    "local.decode_pairs": {"votes": np.arange(10), "bins": Bins(0.1)},
    "local.rotation": {"d": 4},
    "local.mixture_half_width": {"n": 200},
    "central.sensitivity": {"neighbours": "replace"},
    "central.Surrogate": {"sizes": np.array([1.0, 2.0]), "weights": np.array([0.5, 0.5])},
    "central.TruncatedMean": {"half_widths": np.full(30, 0.3)},
    "central.Weights": {"value": np.ones(3)},
    "central.initial_error": {"users": 40},
    "central.noise_mass": RELEASE,
    "central.unit_scale": RELEASE,
    "central.release_scales": RELEASE,
    "central.objective_from_totals": RELEASE | {"sizes": np.array([9, 9]), "expected": np.ones((2, 2))},
    "central.optimal_weights": {"counts": 1},
    "central.first_records": {"k": 2, "means": np.full(N, 0.5), "sizes": np.full(N, 2)},
    "audit.bits_channel": {"vectors": np.eye(3, dtype=int)},
    "audit.bits_loss": {"vectors": np.eye(3, dtype=int)},
    "audit.laplace_loss": {"centres": np.array([0.0, 1.0])},
    "audit.mixture_tv": {"channels": [CHANNEL], "laws": np.array([[1.0, 0.0], [0.0, 1.0]])},
    "audit.slack_by_rectangles": {"cdf": lambda x: 1 / (1 + np.exp(-x))},
    "audit.transcript_law": {"channels": [CHANNEL], "inputs": [np.array([0.5, 0.5])]},
    "exact.MeanLaw": {},
    "exact.localised_bound": {"law": Made(lambda: _known("exact.sign_means"))},
    "exact.localised_risk": {"law": Made(lambda: _known("exact.sign_means"))},
    "rates.laplace_mean_risk": {},
    "exact.amplification": {},
    "rates.optimal_report_variance": {"size": 2, "reports": 11},
    "rates.overtakes": {"steps": (0.1, 0.2, 0.3)},
    "exact.density_risk": {"law": TrigonometricDensity((0.1, 0.05))},
    "exact.draw_user_coefficients": {"law": TrigonometricDensity((0.1, 0.05))},
    "exact.integrated_squared_error": {
        "coefficients": np.array([0.1, 0.2]), "law": TrigonometricDensity((0.1, 0.05))
    },
    "exact.expected_error": {"totals": np.array([2.0, 3.0])},
    "exact.expected_loss": RELEASE,
    "exact.exponential_law": {},
    "exact.folded_mean": {"shift": 0.5, "gaussian": True},
    "exact.grid_law": {"curve": Made(lambda: _known("central.surrogate_curve"))},
    "exact.log_density": {"curve": Made(lambda: _known("central.surrogate_curve"))},
    "exact.objective": RELEASE,
    "exact.objective_sensitivity": {"largest": 3},
    "exact.two_approximate_bound": RELEASE,
    "exact.winner_over_users": {"p": np.array([0.2, 0.8])},
    "exact.sensitivity_within": {
        "statistic": Made(lambda: _known("central.TruncatedMean")), "changes": 2
    },
    "printed.family_weights": {"counts": 1},
    "printed.spent_variance": {"counts": 1, "weights": np.full(N, 1 / N)},
    "planning.choose_plan": {"n": 2000},
    "sampled.fair_sign_means": {"m": 9, "shape": (2, 3)},
    "sampled.localised_draws": GROUPS,
    "sampled.risks_given_means": GROUPS,
    "exact.winner_given_votes": {"held": np.array([3, 5])},
    "rates.Mean": {},
    "rates.Sparse": {"s": 2},
    "audit.clopper_pearson": {"runs": 40},
    "audit.loss_lower_bound": {"runs": 40},
    "audit.likely_bound": {"runs": 4000},
    "audit.sampled_loss": {
        "mechanism": lambda x, runs, rng: x + rng.laplace(size=runs), "one": 0.0, "other": 1.0,
        "event": lambda x: x > 0, "runs": 40,
    },
    "exact.window_half_width": {"distances": [0.1, 0.3], "law": [0.5, 0.5], "outside": 0.1},
    "exact.mean_law": {"users": BetaUsers(0.3, 0.01)},
    "planning.Option": {"method": "x", "setting": "y", "basis": "exact", "assumes": "", "estimates": ""},
    "planning.Ranking": {
        "options": Made(lambda: tuple(_known("planning.plan"))), "question": "q", "without_privacy": 0.1
    },
    "planning.plan": {"sizes": 30},
    "planning.plan_all": {
        "questions": {"a": {"n": 400, "sizes": 9}, "b": {"n": 900, "sizes": 9, "domain": (0, 5)}},
        "budget": Made(lambda: Budget(1.0, trust="central")), "importance": {"a": 1.0, "b": 2.0},
    },
    "tables.ItemCounts": {"items": ("a", "b", "c"), "counts": USED.counts, "labels": None},
    "tables.UserMeans": {},
    "tables.count_table": {"users": ["u", "u", "v"], "counts": None},
    "data.draw_users": {"counts": UserCounts("x", np.array([2, 3]), np.array([1, 3]))},
    "data.shuffle_users": {"counts": UserCounts("x", np.array([2, 3]), np.array([1, 3]))},
    "tables.user_means": {"records": RECORDS, "value": "item"},
    "tables.user_table": {"records": RECORDS, "items": [0, 1, 2]},
    "data.words_of": {"text": "Words, words"},
    "study.power_law": {"x": np.arange(1.0, 5), "values": np.arange(2.0, 6), "errors": np.ones(4)},
    "study.seconds": {"action": lambda: None, "repeats": 1},
    "study.stream": {"seed": 1},
    "study.sweep": {"function": lambda rng, n: n, "grid": [{"n": 1}], "repetitions": 2, "seed": 1},
    "data.UserCounts": {"records": np.array([2, 3]), "successes": np.array([1, 3])},
}  # fmt: skip
SPECIAL |= {name: row.values for name, row in TABLE.items() if row.values}
RESULTS = [f"privacy.{name}" for name in privacy.__all__ if name == "Release" or name.endswith("Estimate")]
for name in (*RESULTS, "sampled.MeanRuns"):
    SPECIAL[name] = SPECIAL.get(name, {}) | {"error": ("laplace_average", 9, 1.0)}

# Calls that need a file which is not part of the package, or the tables of the book's judgement.
ELSEWHERE = {
    "tables.from_csv": "data/test_count_tables.py",
    "release.Secure": "privacy/test_exact.py",
    "study.Claim": "study/test_claims.py",
    "study.check": "study/test_claims.py",
}


# options beside the good call, one at a time; flags and names are all tried
OTHER = {"epsilon": 2.7, "delta": 0.01, "release_delta": 0.01, "spread": 0.01, "domain": (-0.5, 2.0)}
OTHER |= {"bounds": np.array([1, 3])}


def is_error(thing):
    return isinstance(thing, type) and issubclass(thing, Exception)


@cache
def offered():
    """Every public callable by room and name, but for those that are tried `ELSEWHERE`."""
    found = {}
    for room in FACES:  # what several rooms show is called by the name of the first
        things = {name: getattr(face(room), name) for name in face(room).__all__}
        met = {id(thing) for thing in found.values()}
        found |= {f"{room}.{name}": thing for name, thing in things.items() if id(thing) not in met}
    return {
        name: thing
        for name, thing in found.items()
        if callable(thing) and name not in ELSEWHERE and not is_error(thing)
    }


@cache
def parameters(name):
    """Parameters of a public callable by name, without those of ``**options``."""
    found = inspect.signature(offered()[name]).parameters
    return {key: each for key, each in found.items() if each.kind is not each.VAR_KEYWORD}


def good(name):
    """The good call of a public callable: a value for each parameter that needs one, and ``**options``."""
    own = SPECIAL.get(name, {})
    needed = [key for key, each in parameters(name).items() if each.default is each.empty]
    chosen = {key: own.get(key, COMMON.get(key)) for key in needed} | own
    return {key: value.make() if isinstance(value, Made) else value for key, value in chosen.items()}


def call(name, values):
    """Call a public callable with values by the names of their parameters."""
    values, places = dict(values), []
    for key, each in parameters(name).items():
        if each.kind is each.VAR_POSITIONAL:
            places = values.pop(key)
        elif each.kind is each.POSITIONAL_ONLY:
            places = [*places, values.pop(key)]
    return offered()[name](*places, **values)


def variants(name):
    """Options of an estimator beside those of its good call, one at a time."""
    yield {}
    for key, each in parameters(name).items():
        if "bool" in str(each.annotation):
            yield from ({key: flag} for flag in (True, False) if flag is not each.default)
        elif typing.get_origin(each.annotation) is typing.Literal and key != "neighbours":
            others = typing.get_args(each.annotation)
            yield from ({key: other} for other in others if other not in (each.default, good(name).get(key)))
        elif key in OTHER and (key != "bounds" or each.default is None):
            yield {key: OTHER[key]}
