"""Intervals enclose, by Arb and widened alike; the certificates of the pages hold with both."""

import itertools
import re

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath.ctx_iv import MPIntervalContext

from userdp_papers.theory import enclosures
from userdp_papers.theory.enclosures import Enclosing

pytestmark = pytest.mark.filterwarnings("error")
WIDENED = Enclosing(exact=False)
BOTH = [WIDENED] if enclosures.flint is None else [WIDENED, Enclosing(exact=True)]
FINITE = st.floats(-300, 300)
FUNCTIONS = st.sampled_from(["exp", "log", "sqrt"])


def test_arb_computes_where_it_is_installed():
    assert Enclosing().exact == enclosures.iv.exact == (enclosures.flint is not None)


@given(FUNCTIONS, FINITE, st.floats(0, 5))
def test_both_enclose_the_true_values_closely(name, low, width):
    low = low if name == "exp" else abs(low) + 1e-3
    with mpmath.workprec(500):
        at = [getattr(mpmath, name)(mpmath.mpf(end)) for end in (low, low + width)]
        for iv in BOTH:
            a, b = (mpmath.mpf(end) for end in ends(getattr(iv, name)(iv.mpf([low, low + width]))))
            assert a <= at[0] and at[1] <= b
            slack = mpmath.mpf(2) ** -39
            assert at[0] - a <= slack * abs(at[0]) and b - at[1] <= slack * abs(at[1])


def ends(x):
    """The ends of an interval, as they are."""
    return [mpmath.mp.make_mpf(end) for end in x._mpi_]


# Of issue 1181 of mpmath: one of its own examples, and one of the discussion of a repair.
MISSED = (mpmath.mpf(3893924827815215) / 1125899906842624, -(mpmath.mpf(2) ** -53))


def holds(iv, x):
    """Whether the interval for exp(x) contains the value to 500 bits."""
    with mpmath.workprec(500):
        a, b = ends(iv.exp(iv.mpf(x)))
        return a <= mpmath.exp(x) <= b


@pytest.mark.parametrize("x", MISSED)
def test_ours_contain_what_those_of_mpmath_miss(x):
    assert all(holds(iv, x) for iv in BOTH)
    assert not holds(MPIntervalContext(), x), "mpmath is repaired: is this module still needed?"


@pytest.mark.parametrize("iv", BOTH)
def test_constants_and_powers_enclose(iv):
    iv = Enclosing(exact=iv.exact)  # which computes its constants
    with mpmath.workprec(500):
        for found, true in [(iv.pi, +mpmath.pi), (iv.e, +mpmath.e), (iv.mpf(3) / 7, mpmath.mpf(3) / 7)]:
            a, b = ends(found)
            assert a <= true <= b and b - a < 1e-11
        a, b = ends((iv.mpf(3) / 7) ** -5)
        assert a <= (mpmath.mpf(7) / 3) ** 5 <= b


def kept(iv, x):
    return iv.exp(x) / (1 + iv.exp(x))


def distance(iv, y):
    return 1 - 2 * (1 - iv.exp(-y)) / (y + 1)


def cells(iv, low, high, count):
    return [
        iv.mpf([low + (high - low) * k / count, low + (high - low) * (k + 1) / count]) for k in range(count)
    ]


def h2(iv, x):
    return 2 - iv.exp(-x) * (2 + x)


def log_cosh(iv, x):
    return iv.log((iv.exp(x) + iv.exp(-x)) / 2)


# The certified inequalities of the pages: what must not be negative, with an interval arithmetic.
CERTIFIED = {
    "kent-ex-1.1": lambda iv: 1 - 1 / (2 * (1 - iv.mpf([0, 0.45]))),
    "kent-alg-3.1": lambda iv: 8536 - 128 / (kept(iv, iv.mpf(1) / 2) - iv.mpf(1) / 2) ** 2,
    "kent-alg-11.1": lambda iv: log_cosh(iv, iv.mpf(1) / 12) - iv.mpf(1) / 289,
    "kent-lem-15.7": lambda iv: 1 - iv.mpf(7) / 2 * ((iv.exp(0.5) - iv.exp(-0.5)) / 2) ** 2,
    "kent-lem-24.2": lambda iv: 2 * log_cosh(iv, iv.mpf(1) / 4) - 1 / iv.mpf("16.17"),
    "dame-h3.1": lambda iv: 2 - ((iv.exp(iv.mpf(22) / 35) - 1) / (iv.mpf(22) / 35)) ** 2,
    "dame-lem-s2.2": lambda iv: 3 - 2 / (1 - iv.mpf([0, 0.5]) ** 2),
    "dame-lem-s6.1": lambda iv: 579 - 1 / (kept(iv, iv.mpf(1) / 6) - iv.mpf(1) / 2) ** 2,
    "liu-thm-5.2.5": lambda iv: least(y / 2 + iv.exp(-y) - 0.846 for y in cells(iv, 0, 4, 4000)),
    "liu-lem-b.3.1": lambda iv: least(distance(iv, y) - iv.mpf(1) / 3 for y in cells(iv, 0, 4, 4000)),
    "liu-thm-c.2.7": lambda iv: h2(iv, iv.mpf(2)) / 2 - iv.mpf("0.729"),
    "liu-thm-c.3.3": lambda iv: iv.mpf("0.83") - iv.sqrt(iv.e) / 2,
}


def least(intervals):
    return min(intervals, key=lambda x: float(x.a))


@pytest.mark.parametrize(("claim", "iv"), list(itertools.product(CERTIFIED, BOTH)))
def test_the_certificates_of_the_pages_hold_with_both(claim, iv):
    assert float(CERTIFIED[claim](iv).a) > 0


def test_no_page_and_no_module_computes_with_intervals_that_do_not_enclose(root):
    paths = [*(root / "book").rglob("*.md"), *(root / "src").rglob("*.py"), *(root / "tests").rglob("*.py")]
    used = re.compile(r"mpmath\.iv\.|= mpmath\.iv\b|from mpmath import .*\biv\b")
    here = {"enclosures.py", "test_enclosures.py"}
    assert [
        path.name for path in paths if path.name not in here and used.search(path.read_text("utf8"))
    ] == []
