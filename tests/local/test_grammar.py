"""What all local mechanisms share: grammar, budgets, generators, tables, domains, widths."""

import inspect

import numpy as np
import pytest

import userdp.local as local
from faces import face, public
from good_calls import good
from mechanisms import MEANS, SIZES, TABLE, N
from userdp.local.localise import MOST_BINS, Bins
from userdp.local.vector import split_budget
from userdp_papers.theory.exact.density import coefficient_noise

ROOMS = "local", "sampled"
OFFERED = {f"{room}.{name}": public(room, name) for room in ROOMS for name in face(room).__all__}
CALLS = [name for name in TABLE if name in OFFERED and "rng" in inspect.signature(OFFERED[name]).parameters]
SCALAR = [
    f"local.{name}_mean" for name in ("laplace", "duchi", "piecewise", "sign", "localised", "improved")
] + ["local.dame"]
SPREAD = "localised_vector_mean", "rotated_vector_mean", "density_coefficients"
TUNED = {"half_width": 0.2, "threshold": 0.2, "constant": 0.01, "size": 900}


def run(name, data=None, epsilon=1.0, rng=0, **options):
    known, (first, *more) = good(name), inspect.signature(OFFERED[name]).parameters
    known |= {key: TUNED[key] for key in TUNED.keys() & {*more}}
    known |= {"sizes": np.full(N, 900)} if {"size_law", "sizes"} <= {*more} else {}
    known[first] = known[first] if data is None else data
    rng = np.random.default_rng(rng) if isinstance(rng, int) and not isinstance(rng, bool) else rng
    return OFFERED[name](known.pop(first), **known | {"epsilon": epsilon, "rng": rng} | options)


def test_every_mechanism_has_the_grammar_and_is_tried_here():
    """Data first, at most two tables of it; then keywords, the generator last and required."""
    mechanisms = {
        name
        for name, function in OFFERED.items()
        if inspect.isfunction(function)
        and {"epsilon", "rng"} <= inspect.signature(function).parameters.keys()
    }
    assert mechanisms == {*CALLS}
    for name in mechanisms:
        parameters = list(inspect.signature(OFFERED[name]).parameters.values())
        kinds = [p.kind for p in parameters]
        positional = kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD)
        assert [p.name for p in parameters[1:positional]] in ([], ["sizes"])
        assert set(kinds[positional:]) == {inspect.Parameter.KEYWORD_ONLY}
        assert parameters[-1].name == "rng" and parameters[-1].default is inspect.Parameter.empty


@pytest.mark.parametrize("name", CALLS)
def test_the_guarantee_is_at_most_what_was_asked_for(name):
    """To the last bit, and not much less; `dame(epsilon=0.1)` once promised 0.10000000000000002."""
    for epsilon in [*np.arange(1, 100) / 10, 22 / 35, 3.3, 1 / 3]:
        spent = run(name, epsilon=float(epsilon)).guarantee.epsilon
        assert spent <= epsilon
        spread = name in (f"local.{each}" for each in SPREAD)
        assert spent >= (min(int(epsilon), 4) if spread and epsilon >= 1 else epsilon) * (1 - 1e-15)


@pytest.mark.parametrize("every_report", [False, True])
@pytest.mark.parametrize("name", [f"local.{each}" for each in SPREAD] + ["local.sparse_threshold"])
def test_a_budget_of_one_and_a_half_pays_for_one_fold_however_reports_are_drawn(name, every_report):
    found = run(name, epsilon=1.5, general=True, every_report=every_report)
    assert found.guarantee.epsilon == 1.0


@pytest.mark.parametrize("general", [None, False, True])
@pytest.mark.parametrize("epsilon", [0.8, 2.3, 9.0])
@pytest.mark.parametrize("name", ["local.localised_vector_mean", "local.rotated_vector_mean"])
def test_a_coordinate_runs_the_procedure_of_its_own_budget(name, epsilon, general):
    """Three bins wide, or six where it has more than 1 to spend, unless the other procedure is ruled out."""
    options = {"half_width": 0.05, "epsilon": epsilon, "general": general}
    found = run(name, np.zeros((600, 2)), **options)
    wide = epsilon / 2 > 1 and general is not False
    assert all(np.ptp(one.clipped_to) == pytest.approx(0.6 if wide else 0.3) for one in found.coordinates)


# A sum of bits is drawn bit by bit anyway.
BITS = "local.sign_mean", "local.sparse_selection"
EVERY = [name for name in CALLS if "every_report" in inspect.signature(OFFERED[name]).parameters]


@pytest.mark.parametrize("name", [name for name in EVERY if name not in BITS])
def test_every_report_is_drawn_where_this_is_asked_for(name):
    """Not the sum of all: a generator is elsewhere afterwards."""
    places = []
    for every_report in (False, True):
        rng = np.random.default_rng(1)
        run(name, rng=rng, every_report=every_report)
        places.append(rng.bit_generator.state)
    assert places[0] != places[1]


@pytest.mark.parametrize("d", [2, 3, 5, 7, 49])
def test_equal_parts_of_a_budget_are_no_more_than_the_budget(d):
    for epsilon in d + np.arange(1, 200) / 10:
        count, step = split_budget(d, epsilon=float(epsilon))
        assert count == d and epsilon * (1 - 1e-15) <= step * d <= epsilon


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("epsilon", [5e-324, 1e-300, 1e-7, 701.0, 1e300])
def test_budgets_beyond_the_public_range_are_refused(name, epsilon):
    with pytest.raises(ValueError, match=r"epsilon must be in \[1e-06, 700.0\], got"):
        run(name, epsilon=epsilon)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("epsilon", [1e-6, 700.0])
def test_budgets_at_the_ends_of_the_range_give_finite_answers(name, epsilon):
    # the threshold is defined for n size epsilon^2 above 1 alone
    options = {"size": 10**16} if name == "local.sparse_threshold" else {}
    assert np.isfinite(run(name, epsilon=epsilon, **options).value).all()


@pytest.mark.parametrize("name", [name for name in CALLS if name != "sampled.simulate_selection"])
def test_tables_of_another_shape_or_kind_are_refused(name):
    parameter, *_ = inspect.signature(OFFERED[name]).parameters
    data = good(name)[parameter]
    for wrong in (data[..., None], data[0], data[:0]):
        with pytest.raises(ValueError, match=rf"{parameter} must have shape \(n,.*got shape"):
            run(name, wrong)
    for kind in (object, str, complex, "datetime64[s]"):
        with pytest.raises(TypeError, match=f"{parameter} must be real numbers, got dtype"):
            run(name, data.astype(int).astype(kind))


@pytest.mark.parametrize("name", ["local.dame", "local.improved_mean"])
def test_sizes_of_another_shape_or_kind_are_refused(name):
    for kind in (object, str, complex, "datetime64[s]"):
        with pytest.raises(TypeError, match="sizes must be real numbers, got dtype"):
            run(name, sizes=SIZES.astype(kind))
    with pytest.raises(ValueError, match=r"sizes must match means in shape, got \(3,\) and \(90,\)"):
        run(name, sizes=SIZES[:3])


# --- domains -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCALAR)
@pytest.mark.parametrize("domain", [(0.0, 1.0), (-3, 40)])
def test_an_estimate_is_in_the_units_of_its_domain(name, domain):
    centre, half = np.mean(domain), np.ptp(domain) / 2
    options = {"half_width": 0.2 * half} if name == "local.localised_mean" else {}
    plain, moved = run(name), run(name, centre + half * MEANS, domain=domain, **options)
    assert moved.value == pytest.approx(centre + half * plain.value, rel=1e-9)
    assert moved.guarantee == plain.guarantee
    if plain.clipped_to:
        assert moved.clipped_to == pytest.approx(centre + half * np.array(plain.clipped_to), rel=1e-9)
        np.testing.assert_array_equal(moved.votes, plain.votes)


@pytest.mark.parametrize("name", SCALAR)
def test_means_are_projected_to_their_domain(name):
    wild = np.concatenate([[7.0, -1e6, 1e308, -np.inf, np.nan, 1.5], np.full(N - 6, 0.5)])
    tame = np.concatenate([[1.0, 0.0, 1.0, 0.0, 0.0, 1.0], np.full(N - 6, 0.5)])
    for data in (wild, wild[::-1]):
        expected = tame if data is wild else tame[::-1]
        assert run(name, data, domain=(0, 1)).value == run(name, expected, domain=(0, 1)).value


@pytest.mark.parametrize("name", SCALAR)
def test_a_domain_that_is_none_is_refused(name):
    with pytest.raises(ValueError, match="must be below .*, got 1 and 0"):
        run(name, domain=(1, 0))
    with pytest.raises(ValueError, match="must be a finite number, got inf"):
        run(name, domain=(0, np.inf))


# --- public parameters -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", [name for name in CALLS if "half_width" in inspect.signature(OFFERED[name]).parameters]
)
def test_no_half_width_asks_for_more_than_a_million_bins(name):
    with pytest.raises(ValueError, match=r"half_width must be in \[1e-06, inf\], got 1e-09"):
        run(name, half_width=1e-9)
    assert Bins(1 / MOST_BINS).count == MOST_BINS


def test_half_widths_do_not_overflow_with_numpy_integers():
    """Columns of data frames are often of 32 bits."""
    n, m, d = np.int32(10**5), np.int32(10**6), np.int32(2000)
    pairs = [
        (local.localised_half_width, {"n": n, "size": m, "epsilon": 1.0}),
        (local.localised_half_width, {"n": n, "size": m, "epsilon": 2.0}),
        (local.mixture_half_width, {"n": n, "size": m, "epsilon": 1.0}),
        (local.rotated_half_width, {"n": n, "size": m, "d": d, "epsilon": 1.0}),
        (local.selection_threshold, {"n": n, "size": m, "d": d, "epsilon": 1.0}),
        (local.dame_half_width, {"size_cap": m, "n": n, "epsilon": 1.0}),
        (coefficient_noise, {"n": n, "size": m, "terms": d, "epsilon": 1.0}),
    ]
    for function, options in pairs:
        plain = {name: x.item() if isinstance(x, np.integer) else x for name, x in options.items()}
        assert function(**options) == function(**plain)


def test_the_default_half_width_at_a_budget_of_one_is_that_of_small_budgets():
    """Eq. (30) up to and including 1, eq. (101) above."""
    root = np.sqrt(np.log(4000 * 25) / 25)
    for epsilon, factor in ((1.0, np.sqrt(2)), (np.nextafter(1, 2), 2.0)):
        found = local.localised_half_width(n=4000, size=25, epsilon=float(epsilon))
        assert found == pytest.approx(factor * root, rel=1e-14)
