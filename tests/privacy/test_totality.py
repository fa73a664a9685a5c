"""Every public mechanism answers whatever the data: NaN, infinities, denormals, huge numbers, no records."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from userdp.central.bounds import exponential_bound, output_perturbation, private_quantile
from userdp.central.bounds_by_descent import geometric_quantile, private_gradient_descent
from userdp.central.debias import debiased_count
from userdp.central.histogram import bounded_histogram
from userdp.central.mean import initial_mean, private_variance, realistic_mean, uniform_mean
from userdp.central.private_sizes import private_size_mean
from userdp.central.unknown_domain import nested_totals, private_bound, unbounded_histogram
from userdp.local.cover import Cover, cover_select
from userdp.local.density import density_coefficients
from userdp.local.improved import improved_mean
from userdp.local.mean import duchi_mean, laplace_mean, localised_mean
from userdp.local.mixture import mixture_means
from userdp.local.sparse import sparse_selection, sparse_threshold
from userdp.local.unequal import dame
from userdp.local.vector import duchi_vector_mean, localised_vector_mean, rotated_vector_mean
from userdp.planning.risk.improved_plan import choose_plan
from userdp.privacy.choice import order_statistic
from userdp.privacy.reports import (
    BinaryResponse,
    HashedReport,
    KaryResponse,
    LaplaceReport,
    TwoPointReport,
    UnaryEncoding,
)
from userdp.privacy.vector_reports import BallReport, CubeReport
from userdp.sizes import two_point_sizes
from userdp_papers.printed.ideal import ideal_mean
from userdp_papers.theory.exact.histograms import random_clip

USERS = 24
SIZES = np.arange(1, USERS + 1)
WILD = st.sampled_from([np.nan, np.inf, -np.inf, 5e-324, -5e-324, 1e308, -1e308, -1.0, 1.0, 0.0, -0.0])
WILD |= st.floats()
DATA = st.lists(WILD, min_size=USERS, max_size=USERS).map(np.array)
LOCAL = {"epsilon": 1.5, "half_width": 0.2}
RELEASE = {"epsilon": 1.0, "delta": 0.01}
CHOICE = {"largest": 9.0, "release_epsilon": 1.0, "release_delta": 0.01, "epsilon": 0.5}
DESCENT = {"delta": 0.01, "steps": 9} | CHOICE
DAME_LAW = {"size_law": two_point_sizes(2, 900, 0.5), "size_cap": 900, "epsilon": 1.0}
ODD_SIZES = np.resize([3, 0, -7, 2**40, 900], USERS)  # users without records among them
CUBE = Cover.on_cube(2, 3)


def table(x):
    return x.reshape(-1, 3)


@cache
def planned():
    """Public options of the improved mean: its plan does not look at the data."""
    law = {"epsilon": 1.0, "size_law": DAME_LAW["size_law"]}
    return law | {"plan": choose_plan(n=USERS, **law)}


TOTAL = {
    "binary": lambda x, rng: BinaryResponse(1.0).privatise(x, rng),
    "k-ary": lambda x, rng: KaryResponse(4, 1.0).privatise(x, rng),
    "unary": lambda x, rng: UnaryEncoding(5, 3, 1.0).privatise(table(x), rng),
    "laplace": lambda x, rng: LaplaceReport(-1.0, 2.0, 1.0).privatise(x, rng),
    "two-point": lambda x, rng: TwoPointReport(-1.0, 2.0, 1.0).privatise(x, rng),
    "cube": lambda x, rng: CubeReport(3, 1.0).privatise(table(x), rng),
    "ball": lambda x, rng: BallReport(3, 1.0).privatise(table(x), rng),
    "hashed": lambda x, rng: HashedReport(3, 0.5, 1.0).privatise((x, x[::-1]), rng),
    "laplace mean": lambda x, rng: laplace_mean(x, epsilon=1.0, rng=rng).value,
    "two-point mean": lambda x, rng: duchi_mean(x, epsilon=1.0, rng=rng).value,
    "localised mean": lambda x, rng: localised_mean(x, size=9, rng=rng, **LOCAL).value,
    "dame": lambda x, rng: dame(x, ODD_SIZES, rng=rng, **DAME_LAW).value,
    "printed dame": lambda x, rng: dame(x, ODD_SIZES, rng=rng, printed=True, **DAME_LAW).value,
    "improved": lambda x, rng: improved_mean(x, ODD_SIZES, rng=rng, **planned()).value,
    "vector": lambda x, rng: localised_vector_mean(table(x), size=9, rng=rng, **LOCAL).value,
    "rotated": lambda x, rng: rotated_vector_mean(table(x)[:, :2], size=9, rng=rng, **LOCAL).value,
    "cube mean": lambda x, rng: duchi_vector_mean(table(x), epsilon=1.0, ball="cube", rng=rng).value,
    "ball mean": lambda x, rng: duchi_vector_mean(table(x), epsilon=1.0, ball="l2", rng=rng).value,
    "selection": lambda x, rng: sparse_selection(table(x), size=9, sparsity=1, rng=rng, **LOCAL).value,
    "threshold": lambda x, rng: sparse_threshold(table(x), size=9, sparsity=1, rng=rng, **LOCAL).value,
    "density": lambda x, rng: density_coefficients(table(x), size=9, rng=rng, **LOCAL).value,
    "mixture": lambda x, rng: mixture_means(x, size=9, components=2, rng=rng, **LOCAL).value,
    "cover": lambda x, rng: cover_select(x.reshape(-1, 2), cover=CUBE, epsilon=1.0, rng=rng).value,
    "uniform mean": lambda x, rng: uniform_mean(x, epsilon=1.0, rng=rng).value,
    "initial mean": lambda x, rng: initial_mean(x, epsilon=1.0, rng=rng).value,
    "variance": lambda x, rng: private_variance(x, epsilon=1.0, rng=rng).value,
    "ideal mean": lambda x, rng: (
        ideal_mean(x, SIZES, mean=0.3, variance=0.1, epsilon=1.0, beta=0.1, rng=rng).value
    ),
    "realistic mean": lambda x, rng: realistic_mean(x, SIZES, variance=0.1, epsilon=1.0, rng=rng).value,
    "private sizes": lambda x, rng: (
        private_size_mean(x, SIZES, variance=0.1, largest_size=9, rng=rng, **RELEASE).value
    ),
    "order statistic": lambda x, rng: order_statistic(x, rank=3, largest=9, epsilon=1.0, rng=rng).value,
    "laplace histogram": lambda x, rng: bounded_histogram(table(x), bound=2, epsilon=1.0, rng=rng).value,
    "gaussian histogram": lambda x, rng: bounded_histogram(table(x), bound=2, rng=rng, **RELEASE).value,
    "unknown domain": lambda x, rng: unbounded_histogram(table(x), bound=2, rng=rng, **RELEASE).value,
    "debiased count": lambda x, rng: debiased_count(x, bound=2, epsilon=1.0, rng=rng).value,
    "output perturbation": lambda x, rng: output_perturbation(table(x), rng=rng, **CHOICE).value,
    "exponential bound": lambda x, rng: exponential_bound(table(x), rng=rng, **CHOICE).value,
    "quantile": lambda x, rng: private_quantile(table(x), rng=rng, **CHOICE).value,
    "descent": lambda x, rng: private_gradient_descent(table(x), rng=rng, **DESCENT).value,
    "geometric descent": lambda x, rng: geometric_quantile(table(x), rng=rng, **DESCENT).value,
    "choice of a bound": lambda x, rng: (
        private_bound(
            table(x), bounds=[1, 3], epsilon=1.0, release_epsilon=1.0, release_delta=0.01, rng=rng
        ).value
    ),
    "clips": lambda x, rng: random_clip(table(x), 3, rng),
    "nested clips": lambda x, rng: nested_totals(table(x), [1, 3], rng),
}


@cache
def wild_data():
    """Sixty data sets, the same for all mechanisms: to find them takes longer than to answer them."""
    found = []

    @settings(max_examples=60)
    @given(DATA)
    def keep(data):
        found.append(data)

    keep()
    return found


@pytest.mark.parametrize("name", TOTAL)
@pytest.mark.filterwarnings("error")
def test_no_data_raise_or_warn_and_every_answer_is_finite(name):
    for data in wild_data():
        assert np.all(np.isfinite(TOTAL[name](data, np.random.default_rng(0)))), data


# between which numbers a user can say anything; what lies outside is taken for the nearer end
ENDS = {
    "binary": (0, 1),
    "k-ary": (0, 3),
    "laplace": (-1, 2),
    "two-point": (-1, 2),
    "density": (-np.sqrt(2), np.sqrt(2)),
    **dict.fromkeys(
        ("cube", "laplace mean", "two-point mean", "localised mean", "dame", "printed dame"), (-1, 1)
    ),
    **dict.fromkeys(("vector", "rotated", "cube mean", "selection", "threshold", "mixture"), (-1, 1)),
    **dict.fromkeys(
        ("uniform mean", "initial mean", "ideal mean", "realistic mean", "private sizes"), (0, 1)
    ),
}


@pytest.mark.parametrize("name", ENDS)
def test_what_lies_outside_is_taken_for_the_nearer_end(name):
    low, high = ENDS[name]
    ends = np.resize([low, high, (low + high) / 2, high], USERS)
    for far in (0.3, 1e6, np.inf):
        wild = np.resize([low - far, high + far, (low + high) / 2, high + far / 2], USERS)
        for seed in range(3):
            one, other = (TOTAL[name](x, np.random.default_rng(seed)) for x in (ends, wild))
            assert np.array_equal(one, other)


CURATED = list(TOTAL)[list(TOTAL).index("uniform mean") :]


@pytest.mark.parametrize(
    "rng", [0, None, np.random.RandomState(0), np.random.PCG64(0)], ids=lambda rng: type(rng).__name__
)
@pytest.mark.parametrize("name", CURATED)
def test_a_curator_draws_from_a_generator_or_not_at_all(name, rng):
    with pytest.raises(TypeError, match="rng must be a numpy.random.Generator, got"):
        TOTAL[name](np.linspace(0, 1, USERS), rng)


RANDOMISERS = [
    BinaryResponse(1.0),
    KaryResponse(4, 1.0),
    LaplaceReport(-1.0, 2.0, 1.0),
    TwoPointReport(-1.0, 2.0, 1.0),
    CubeReport(3, 1.0),
    BallReport(3, 1.0),
]


@pytest.mark.parametrize("randomiser", RANDOMISERS, ids=lambda r: type(r).__name__)
def test_nobody_reports_nothing(randomiser):
    nobody = np.empty((0, 3) if hasattr(randomiser, "d") else 0)
    rng = np.random.default_rng(0)
    assert len(randomiser.privatise(nobody, rng)) == 0
    assert np.all(np.asarray(randomiser.sample_total(nobody, rng)) == 0)
