"""Every public mechanism answers whatever the data: NaN, infinities, denormals, huge numbers, no records."""

from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from good_calls import call, good, variants
from mechanisms import ESTIMATORS, LOCAL_CLASSES, SIZES, TABLE
from userdp.central.unknown_domain import nested_totals
from userdp_papers.theory.exact.histograms import random_clip

USERS = 24
WILD = st.sampled_from([np.nan, np.inf, -np.inf, 5e-324, -5e-324, 1e308, -1e308, -1.0, 1.0, 0.0, -0.0])
WILD |= st.floats()
DATA = st.lists(WILD, min_size=USERS, max_size=USERS).map(np.array)


def report(name, x, rng):
    return TABLE[name].make(1.0).privatise(TABLE[name].wild(x), rng)


def total(name, x, rng):
    return TABLE[name].make(1.0).sample_total(TABLE[name].wild(x), rng)


def estimate(name, x, rng, **options):
    known = good(name)
    data = {key: np.resize(x, known[key].shape) for key in TABLE[name].private}
    value = call(name, known | data | {"rng": rng} | options).value
    return 0.0 if value is None else value  # documented: no scale passed its threshold


TOTAL = {name: partial(report, name) for name in LOCAL_CLASSES}
TOTAL |= {name: partial(estimate, name) for name in ESTIMATORS}
TOTAL |= {
    f"{name}-{options}": partial(estimate, name, **options)
    for name in ESTIMATORS
    for options in variants(name)
    if options
}
TOTAL |= {
    "clips": lambda x, rng: random_clip(x.reshape(-1, 3), 3, rng),
    "nested clips": lambda x, rng: nested_totals(x.reshape(-1, 3), [1, 3], rng),
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


ENDS = {name: row.ends for name, row in TABLE.items() if row.ends}


@pytest.mark.parametrize("name", ENDS)
def test_what_lies_outside_is_taken_for_the_nearer_end(name):
    low, high = ENDS[name]
    sizes = {"sizes": SIZES} if "sizes" in TABLE[name].private else {}
    ends = np.resize([low, high, (low + high) / 2, high], USERS)
    for far in (0.3, 1e6, np.inf):
        wild = np.resize([low - far, high + far, (low + high) / 2, high + far / 2], USERS)
        for seed in range(3):
            for draw in (TOTAL[name], partial(total, name)) if name in LOCAL_CLASSES else (TOTAL[name],):
                one, other = (draw(x, np.random.default_rng(seed), **sizes) for x in (ends, wild))
                assert np.array_equal(one, other)


@pytest.mark.parametrize(
    "rng", [0, None, np.random.RandomState(0), np.random.PCG64(0)], ids=lambda rng: type(rng).__name__
)
@pytest.mark.parametrize("name", [*ESTIMATORS, "clips", "nested clips"])
def test_noise_is_drawn_from_a_generator_or_not_at_all(name, rng):
    with pytest.raises(TypeError, match="rng must be a numpy.random.Generator, got"):
        TOTAL[name](np.linspace(0, 1, USERS), rng)


@pytest.mark.parametrize("name", LOCAL_CLASSES)
def test_nobody_reports_nothing(name):
    randomiser, rng = TABLE[name].make(1.0), np.random.default_rng(0)
    nobody = TABLE[name].wild(np.empty(0))
    assert len(randomiser.privatise(nobody, rng)) == 0
    assert np.all(np.asarray(randomiser.sample_total(nobody, rng)) == 0)
