"""Claims of the papers, each compared with what a page measured.

A page calls ``check(key, measured, expected)``. The key names a claim, whose text and verdict are on record;
the page supplies the two numbers, and `check` shows the verdict or says that the two disagree. The scorecard
collects what the pages show.

The records are tables in the folder ``judgement``, and a function returns the tables of all four papers
together: the claims (`judgements`), the errors found (`faults`), one verdict for each statement
(`verdicts`) and the numbered displays (`displays`).
"""

import csv
import functools
import os
import tomllib
from dataclasses import asdict, dataclass, replace
from importlib.resources import files

import numpy as np
from IPython.display import display

from userdp import _validate

__all__ = ["statements", "judgements", "faults", "verdicts", "displays", "Claim", "check"]

MIME = "application/vnd.userdp.claim+json"
VERDICTS = ("holds", "holds after correction", "refuted", "not reproducible", "context")
EVIDENCE = ("machine-checked", "exact", "certified", "proof", "simulated", "context")
WHOSE = ("paper", "ours")
TARGETS = (
    "statement",
    "proof step",
    "algorithm",
    "figure or table",
    "remark",
    "released code",
    "transcription",
)
SEVERITIES = (
    "privacy broken",
    "statement false",
    "proof gap",
    "constant or range",
    "figure's reading",
    "wording or glyph",
)
STATUSES = (
    "false, repaired",
    "false, not needed",
    "needs a condition",
    "ok with another constant",
    "glyph",
    "ok",
    "definition",
)
# What a reader sees who changes a page until its verdict fails; and the variable that makes it an error.
CONTRADICTED, STRICT = "not at your settings", "USERDP_STRICT"
UNMEASURED = ("not reproducible", "context")
RELATIONS = ("==", "<=", ">=", "<", ">")
# Fields of the tables that no claim carries: pages look them up.
BESIDE = ("theorem", "other_reading", "proof", "missing")


def _rows(*place):
    text = files("userdp_papers").joinpath(*place).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@functools.cache
def statements():
    """Return the numbered statements of the four papers.

    Returns
    -------
    dict
        From the id of a statement to its row: id, paper, kind, number and content.

    Examples
    --------
    >>> row = statements()["kent-ex-1"]
    >>> row["kind"], row["number"], row["content"]
    ('example', '1', 'two lower bounds for one-dimensional means')
    """
    return {row["id"]: row for row in _rows("data", "statements.csv")}


def _tables(kind):
    """Tables of one kind of all papers, joined: ``kent.toml``, ``kent.faults.toml``, ..."""
    folder = files("userdp_papers") / "study" / "judgement"
    papers = dict.fromkeys(row["paper"] for row in statements().values())
    found = [folder / f"{paper}{kind}.toml" for paper in papers]
    texts = [file.read_text(encoding="utf-8") for file in found if file.is_file()]
    return {key: fields for text in texts for key, fields in tomllib.loads(text).items()}


@functools.cache
def judgements():
    """Return the claims that the pages check.

    Returns
    -------
    dict
        From the key of a claim, its statement's id with a number, to the fields of `Claim` that are on
        record. A claim about all parameters has the ending ``.all`` instead of a number.

    Examples
    --------
    >>> claim = judgements()["kent-ex-1.1"]
    >>> claim["verdict"], claim["evidence"], claim["target"]
    ('holds', 'machine-checked', 'proof step')
    """
    claims = {f"{id}.{number}": fields for id, some in _tables("").items() for number, fields in some.items()}
    return claims | {f"{id}.all": _whole(id) | fields for id, fields in _tables(".proved").items()}


def _whole(id):
    """What a claim about all of a statement shares with the statement's verdict."""
    row, item = statements()[id], verdicts()[id]
    place = {"whose": "paper", "target": "statement", "locus": f"{row['kind'].capitalize()} {row['number']}"}
    return place | {"verdict": item["verdict"], "note": item["sentence"]}


def theorems_for(key):
    """Return the names of the Coq theorems that prove a claim, in whole where its evidence says so."""
    named = judgements()[key].get("theorem", [])
    return [named] if isinstance(named, str) else named


@functools.cache
def faults():
    """Return the errors that the book found.

    Returns
    -------
    dict
        From the key of an error to its fields: among others the statement and the place, what is
        printed, a counterexample, how severe it is, the repair, and what survives.

    Examples
    --------
    >>> error = faults()["kent-two-points"]
    >>> error["severity"], error["statement"]
    ('constant or range', 'kent-ex-1')
    """
    return _tables(".faults")


@functools.cache
def verdicts():
    """Return the verdict on each statement.

    Returns
    -------
    dict
        From the id of a statement to its verdict, a sentence on it, and the statements that it uses.

    Examples
    --------
    >>> verdicts()["kent-rem-1"]["sentence"].partition(",")[0]
    'A user with many records is one item with a product distribution'
    """
    return _tables(".statements")


@functools.cache
def displays():
    """Return what was found of each numbered display and each line of an algorithm.

    Returns
    -------
    dict
        From the key of a display to its fields: the statement that it belongs to, what it says, its
        status, and where there are any, the step by which it follows and the tests that check it.

    Examples
    --------
    >>> display = displays()["kent-eq-1"]
    >>> display["statement"], display["status"]
    ('kent-rem-1', 'definition')
    """
    return _tables(".displays")


def mutants(some):
    """Return what came of changing the formulas that tests of `some` displays assert, one at a time.

    Counts of ``mutants.csv``: with how many ``changes`` a test failed, and how many more only follow from
    the display, since they widen an inequality; and the rows of those that survived, with the reason.
    """
    named = [set(display.get("check", [])) for display in some]
    rows = [row for row in _rows("study", "judgement", "mutants.csv") if row["test"] in set().union(*named)]
    tests = {row["test"] for row in rows}
    counts = {"tests": len(tests), "displays": sum(bool(tests & checks) for checks in named)}
    for outcome in ("killed", "survived", "follows"):
        counts[outcome] = sum(int(row["count"]) for row in rows if row["outcome"] == outcome)
    counts["changes"] = counts["killed"] + counts["survived"]
    counts["share"] = counts["killed"] / max(counts["changes"], 1)
    return counts, [row for row in rows if row["outcome"] == "survived"]


@dataclass(frozen=True)
class Claim:
    """A claim with its verdict and the numbers that were compared, to six significant digits.

    Parameters
    ----------
    key
        Key of `judgements`, by which the claim can be cited.
    id
        Statement of ``statements.csv`` that makes the claim.
    claim
        The claim in one sentence; may hold ``$math$``.
    verdict
        "holds", "holds after correction", "refuted", "not reproducible" or "context".
    evidence
        The strongest there is: "machine-checked", "exact", "certified", "proof", "simulated" or "context".
    note
        What was corrected or why the claim fails, in a sentence.
    whose
        Who says so: the "paper", or "ours" if it is a claim of this book.
    target
        What the claim is about, such as a "statement", a "proof step" or an "algorithm".
    locus
        Where the paper says so.
    fault
        Key of `faults`, where the claim is not upheld as printed.
    measured
        The left side of the comparison, where it is closest to failing.
    expected
        The right side, at the same place.
    relation
        What is claimed of the two: "==", "<=", ">=", "<" or ">".
    printed
        The value printed in the paper, where the corrected one differs.
    """

    key: str
    id: str
    claim: str
    verdict: str
    evidence: str = "exact"
    note: str = ""
    whose: str = "paper"
    target: str = "statement"
    locus: str = ""
    fault: str = ""
    measured: float | None = None
    expected: float | None = None
    relation: str = "=="
    printed: float | None = None

    @classmethod
    def judged(cls, key, **words):
        """Return the claim under a key, `words` filled into the places in braces of its text."""
        if key not in judgements():
            raise ValueError(f"key must be a key of the tables of judgement, got {key!r}")
        # the machine's part and the other reading are no measurements
        fields = {name: said for name, said in judgements()[key].items() if name not in BESIDE}
        if fields.pop("template", False):
            fields |= {name: text.format(**words) for name, text in fields.items()}
        elif words:
            raise ValueError(f"{key} has no place for {', '.join(words)}")
        return cls(key, key.rpartition(".")[0], **fields)

    def __repr__(self):
        line = f"[{self.verdict}] {self.key} ({self.evidence}): {self.claim}"
        if self.measured is None:
            return line
        sides = f" | measured {self.measured:.4g} {self._sign()} {self.expected:.4g}"
        return line + sides + ("" if self.printed is None else f" | printed {self.printed:.4g}")

    def _sign(self):
        return f"not {self.relation}" if self.verdict == "refuted" else self.relation

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": repr(self), MIME: asdict(self)}


def check(key, measured=None, expected=None, *, relation="==", rtol=0.0, atol=0.0, printed=None, **words):
    """Compare a measurement with a claim, and show the verdict or that the two disagree.

    A reader who changes a page's numbers sees where a verdict ends, and the page goes on. When the book
    itself is computed, with the environment variable ``USERDP_STRICT`` set, a disagreement is an error.

    The comparison has to be true for the verdict "holds" and false for "refuted". For "holds after
    correction" it has to be true with the corrected `expected` and, where a `printed` value is given, false
    with that one. For "context" and "not reproducible" nothing is compared unless both sides are given.

    Parameters
    ----------
    key
        Which claim, by its key in `judgements`.
    measured
        What the page computed; of an array every element must satisfy the claim, and the one nearest to
        failing is reported.
    expected
        What the claim compares it with, of a shape that broadcasts with `measured`.
    relation
        How the two compare: "==", "<=", ">=", "<" or ">".
    rtol
        Tolerance as a fraction of `expected`.
    atol
        Tolerance in the units of `expected`, in addition.
    printed
        The value that the paper prints instead of `expected`.
    **words
        What is filled into the claim's text, where it has places in braces.

    Raises
    ------
    AssertionError
        If the measurement contradicts the verdict in a strict run.
    ValueError
        If the key or the relation is not one of those listed or the measurement is missing.

    Examples
    --------
    >>> epsilons = np.linspace(0.01, 1, 100)
    >>> ratios = (np.expm1(epsilons) / epsilons) ** 2
    >>> check("kent-ex-1.2", ratios, 3, relation="<=")  # doctest: +ELLIPSIS
    [holds] kent-ex-1.2 (proof): The inequality ... | measured 2.952 <= 3
    """
    _validate.one_of(RELATIONS, relation=relation)
    judged = replace(Claim.judged(key, **words), relation=relation)
    if measured is None or expected is None:
        if judged.verdict not in UNMEASURED:
            raise ValueError(f"measured and expected must be given for the verdict {judged.verdict!r}")
        display(judged)
        return
    margin, *sides = _closest(measured, expected, relation, rtol, atol)
    measured_, expected_ = map(_rounded, sides)
    result = replace(judged, measured=measured_, expected=expected_, printed=_rounded(printed))
    if _is_true(margin, relation) == (judged.verdict == "refuted"):
        return _contradicted("measurement and verdict disagree", result)
    if judged.verdict == "holds after correction" and printed is not None:
        margin, *_ = _closest(measured, printed, relation, rtol, atol)
        if _is_true(margin, relation):
            return _contradicted("the printed value would hold too", result)
    display(result)


def _contradicted(how, result):
    """Stop the book's own run; tell a reader what happens at the reader's settings."""
    if os.environ.get(STRICT):
        raise AssertionError(f"{how}: {result!r}")
    note = f"At your settings {how}; the book has: {result.verdict}."
    display(replace(result, verdict=CONTRADICTED, note=note))


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
