"""A new randomiser fails until the table knows it, and once it does, if it is wrong."""

import warnings
from dataclasses import dataclass

import numpy as np
import pytest
from test_reports import test_total_has_the_law_of_the_summed_reports as totals_agree
from test_totality import report, wild_data

from mechanisms import TABLE, Row, lacking
from userdp.privacy.reports import KaryResponse, LocalReport, project

test_reports_are_not_run_here = totals_agree.__test__ = False


@dataclass(frozen=True)
class RoundedReport(LocalReport):
    """A number rounded at random to -1, 0 or 1, of which randomised response tells one."""

    epsilon: float
    factor = 1.0

    def _rounded(self, x, rng):
        place = project(x, -1.0, 1.0) + 1
        return (place + rng.random(place.shape)).astype(np.int64)

    def privatise(self, x, rng):
        return KaryResponse(3, self.epsilon).privatise(self._rounded(x, rng), rng) @ [-1.0, 0.0, 1.0]

    def sample_total(self, x, rng):
        drawn = KaryResponse(3, self.epsilon).sample_total(self._rounded(x, rng), rng)
        return self.factor * float(drawn @ [-1.0, 0.0, 1.0])

    def privacy_loss(self):
        return self.epsilon


class TooLarge(RoundedReport):
    factor = 1.02


class Warns(RoundedReport):
    def _rounded(self, x, rng):
        place = np.clip(x, -1, 1) + 1
        return (place + rng.random(place.shape)).astype(np.int64)


def row(kind, **more):
    return Row(make=kind, inputs=lambda n, rng: rng.uniform(0, 1, n), wild=np.array, **more)


def failures(monkeypatch, kind):
    """Which of the suites that read the table a newcomer fails."""
    monkeypatch.setitem(TABLE, "new", row(kind))
    for epsilon in (1.0, 40.0):
        try:
            totals_agree("new", epsilon)
        except AssertionError:
            yield "total"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            assert all(np.isfinite(report("new", x, np.random.default_rng(0))).all() for x in wild_data())
        except (AssertionError, RuntimeWarning):
            yield "wild"


@pytest.mark.parametrize(
    ("kind", "found"), [(RoundedReport, set()), (TooLarge, {"total"}), (Warns, {"wild"})]
)
def test_a_newcomer_whose_total_is_too_large_or_that_warns_fails(monkeypatch, kind, found):
    assert set(failures(monkeypatch, kind)) == found


def test_one_message_says_which_fields_of_a_newcomer_are_missing():
    fields = "witness, make, channel, seen, reads, inputs, wild"
    assert lacking("new", RoundedReport) == f"new: tests/mechanisms.py lacks {fields}"
    known = {"new": row(RoundedReport, witness=("a",), seen=len, reads="keep")}
    assert lacking("new", RoundedReport, known) == "new: tests/mechanisms.py lacks channel"
    assert not lacking("privacy.BinaryResponse", RoundedReport)

    def new_mean(means, *, epsilon, rng): ...

    assert lacking("new", new_mean) == "new: tests/mechanisms.py lacks witness, private or unseen"
