"""Public packages behind one face, and the benchmark's arithmetic (its times are never tested)."""

import re

import numpy as np
import pytest
from scipy.stats import binomtest, kstest, laplace

import bench
from userdp.privacy.reports import UnaryEncoding
from userdp_book.evidence import bench as timing
from userdp_book.evidence.peers import BITS, LAPLACE, SHARES, SIGMA

LEVEL = 1e-6
USERS, K, EPSILON = 4000, 5, 1.0


def test_the_table_at_the_head_is_the_one_that_a_cell_compares_with_what_was_measured(root):
    page = (root / "book/reproduce/peers.md").read_text("utf8")
    head = re.findall(r"^\| ([a-z-]+) \| ([✓✗–](?: \| [✓✗–])+) \|$", page, re.M)
    compared = re.findall(r'^    "([a-z-]+)": "([✓✗– ]+)",$', page, re.M)
    assert len(head) == 6 and [(name, marks.replace(" | ", " ")) for name, marks in head] == compared


@pytest.mark.statistical
@pytest.mark.parametrize("package", BITS)
def test_bits_have_the_law_of_unary_encoding(package):
    """Level 1e-6 / K each; a keep probability that is off by 0.05 would be seen with power above 0.999."""
    bits = BITS[package](np.full(USERS, 2), K, EPSILON, 1)
    keep = UnaryEncoding(K, 1, EPSILON).keep
    ones = [binomtest(int(bits[:, j].sum()), USERS, keep if j == 2 else 1 - keep).pvalue for j in range(K)]
    assert bits.shape == (USERS, K) and min(ones) > LEVEL / K
    assert binomtest(int(bits[:, 2].sum()), USERS, keep - 0.05).pvalue < LEVEL


@pytest.mark.statistical
@pytest.mark.parametrize("package", LAPLACE)
def test_numbers_have_laplace_noise_of_the_width_over_epsilon(package):
    y = LAPLACE[package](np.full(USERS, 0.5), -1.0, 1.0, EPSILON, 1)
    assert y.shape == (USERS,) and kstest(y, laplace(0.5, 2 / EPSILON).cdf).pvalue > LEVEL
    assert kstest(y, laplace(0.5, 1.5 / EPSILON).cdf).pvalue < LEVEL


@pytest.mark.slow
@pytest.mark.parametrize("package", SHARES)
def test_shares_are_near_the_truth(package):
    """Five standard errors of a share are 0.17 here; without its unbiasing a share of 1 would be 0.62."""
    found = SHARES[package](np.full(USERS, 2), K, EPSILON, 1)
    assert found == pytest.approx([0, 0, 1, 0, 0], abs=0.17)


@pytest.mark.slow
@pytest.mark.parametrize("package", SIGMA)
def test_sigma_is_the_least_one_where_it_is_easy(package):
    assert SIGMA[package](EPSILON, 1e-6) == pytest.approx(4.224678889326819, rel=1e-9)


SEEDED = [*BITS.values(), *SHARES.values()]


@pytest.mark.parametrize("run", SEEDED, ids=[run.__name__ for run in SEEDED])
def test_a_seed_determines_the_outcome(run):
    items = np.arange(K)
    one, same, other = (run(items, K, EPSILON, seed) for seed in (1, 1, 2))
    assert np.array_equal(one, same) and not np.array_equal(one, other)


# the benchmark


@pytest.fixture
def clock(monkeypatch):
    """A clock that only jobs advance."""
    time = [0.0]
    monkeypatch.setattr(timing, "process_time", lambda: time[0])
    return time


def job(clock, package, seconds, units=1, work="vote totals"):
    def run():
        clock[0] += seconds

    return timing.Job(work, package, run, units)


def test_ratios_are_of_the_time_a_unit(clock):
    rows = timing.measure([job(clock, "userdp", 0.002, units=10), job(clock, "pure-ldp", 0.5, units=5)])
    assert [row["ratio"] for row in rows] == pytest.approx([1, 500])
    assert rows[1]["nanoseconds a unit"] == pytest.approx(1e8)


def test_a_missed_aim_is_said(clock):
    chosen = [
        job(clock, package, seconds, work=work)
        for work, (aim, aimed_at) in timing.TARGETS.items()
        for package, seconds in [("userdp", 1.0), *((p, aim * 1.1) for p in aimed_at), ("userdp, slow", 1.0)]
    ]
    said = bench.lines(timing.measure(chosen, repeats=1))
    assert sum("reached" in line for line in said) == len(timing.TARGETS)
    chosen.append(job(clock, "multi-freq-ldpy", 999.0))
    said = bench.lines(timing.measure(chosen, repeats=1))
    assert [line for line in said if "MISSED" in line] == [
        "vote totals: pure-ldp and multi-freq-ldpy take 999 times as long, aim 1,000: MISSED"
    ]


def test_every_aim_is_timed():
    there = {(job.work, job.package) for job in timing.jobs()}
    assert {(work, name) for work, (_, aimed_at) in timing.TARGETS.items() for name in aimed_at} <= there
    assert {(work, "userdp") for work in timing.TARGETS} <= there
