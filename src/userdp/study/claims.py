"""One claim of a paper, what was measured and the verdict: shown, and collected by the scorecard."""

import csv
import functools
from dataclasses import asdict, dataclass
from importlib.resources import files

import numpy as np
from IPython.display import display

from userdp import _validate

__all__ = ["statements", "Claim", "check"]

MIME = "application/vnd.userdp.claim+json"
VERDICTS = ("holds", "holds after correction", "refuted", "not reproducible", "context")
EVIDENCE = ("exact", "certified", "proof", "simulated", "context")
UNMEASURED = ("not reproducible", "context")
RELATIONS = ("==", "<=", ">=", "<", ">")


@functools.cache
def statements():
    """Return the numbered items of the four papers: id -> row of ``statements.csv``."""
    text = (files("userdp") / "data" / "statements.csv").read_text(encoding="utf-8")
    return {row["id"]: row for row in csv.DictReader(text.splitlines())}


@dataclass(frozen=True)
class Claim:
    """A verdict on one claim; numbers are rounded to six significant digits.

    Parameters
    ----------
    id : str
        Statement of ``statements.csv`` that makes the claim.
    claim : str
        The claim in one sentence; may hold ``$math$``.
    verdict : str
        One of `VERDICTS`.
    measured, expected : float or None
        The two sides of the comparison, where it is closest to failing.
    relation : str
        What holds between them: one of `RELATIONS`.
    evidence : str
        The strongest evidence given: one of `EVIDENCE`.
    printed : float or None
        The value printed in the paper, where the corrected one differs.
    note : str
        What was corrected or why the claim fails, in a sentence.
    """

    id: str
    claim: str
    verdict: str
    measured: float | None = None
    expected: float | None = None
    relation: str = "=="
    evidence: str = "exact"
    printed: float | None = None
    note: str = ""

    def __repr__(self):
        line = f"[{self.verdict}] {self.id} ({self.evidence}): {self.claim}"
        if self.measured is None:
            return line
        sides = f" | measured {self.measured:.4g} {self._sign()} {self.expected:.4g}"
        return line + sides + ("" if self.printed is None else f" | printed {self.printed:.4g}")

    def _sign(self):
        return f"not {self.relation}" if self.verdict == "refuted" else self.relation

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": repr(self), MIME: asdict(self)}


def check(
    id,
    claim,
    measured=None,
    expected=None,
    *,
    relation="==",
    rtol=0.0,
    atol=0.0,
    verdict="holds",
    evidence="exact",
    printed=None,
    note="",
):
    """Hold a claim against a measurement, show the verdict, and raise if the two disagree.

    The claim is ``measured relation expected``. The verdict "holds" asks that it is true, "refuted" that it
    is false, "holds after correction" that it is true with the corrected `expected` and, where a `printed`
    value is given, false with that one. "context" and "not reproducible" compare nothing unless
    both sides are given.

    Parameters
    ----------
    id : str
        Statement of ``statements.csv``.
    claim : str
        The claim in one sentence.
    measured, expected : float or array_like, optional
        The two sides; of arrays every element must satisfy the claim, and the one nearest to failing
        is reported.
    relation : {"==", "<=", ">=", "<", ">"}
        How the sides compare.
    rtol, atol : float
        Tolerance ``atol + rtol abs(expected)`` of "==", and slack of the others.
    verdict : str
        The verdict written in the page, one of `VERDICTS`.
    evidence : str
        One of `EVIDENCE`.
    printed : float, optional
        The value that the paper prints instead of `expected`.
    note : str
        What was corrected or why the claim fails.

    Raises
    ------
    AssertionError
        If the measurement contradicts the verdict.
    ValueError
        If a parameter is not one of those listed or the measurement is missing.
    """
    if id not in statements():
        raise ValueError(f"id must be an id of statements.csv, got {id!r}")
    _validate.one_of(RELATIONS, relation=relation)
    _validate.one_of(VERDICTS, verdict=verdict)
    _validate.one_of(EVIDENCE, evidence=evidence)
    if measured is None or expected is None:
        if verdict not in UNMEASURED:
            raise ValueError(f"measured and expected must be given for the verdict {verdict!r}")
        display(Claim(id, claim, verdict, relation=relation, evidence=evidence, note=note))
        return
    margin, measured, expected = _closest(measured, expected, relation, rtol, atol)
    result = Claim(
        id,
        claim,
        verdict,
        _rounded(measured),
        _rounded(expected),
        relation,
        evidence,
        _rounded(printed),
        note,
    )
    if _is_true(margin, relation) == (verdict == "refuted"):
        raise AssertionError(f"measurement and verdict disagree: {result!r}")
    if verdict == "holds after correction" and printed is not None:
        margin, *_ = _closest(measured, printed, relation, rtol, atol)
        if _is_true(margin, relation):
            raise AssertionError(f"the printed value would hold too: {result!r}")
    display(result)


def _closest(measured, expected, relation, rtol, atol):
    """Margin by which the claim holds, negative if it fails, and the two sides where it is smallest."""
    measured, expected = np.broadcast_arrays(np.asarray(measured, float), np.asarray(expected, float))
    slack = atol + rtol * np.abs(expected)
    difference = expected - measured
    margins = slack + {"=": -np.abs(difference), "<": difference, ">": -difference}[relation[0]]
    # NaN satisfies nothing
    margins = np.where(np.isnan(margins), -np.inf, margins)
    worst = np.unravel_index(np.argmin(margins), margins.shape)
    return margins[worst], float(measured[worst]), float(expected[worst])


def _is_true(margin, relation):
    return margin > 0 if relation in ("<", ">") else margin >= 0


def _rounded(value):
    return None if value is None else float(f"{value:.6g}")
