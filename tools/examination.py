# ruff: noqa: E501
"""The examination in variants that follow the secret, each with solutions and marks, for ``make course``.

Numbers of the questions are drawn from the secret, those of the solutions are computed from them.
"""

import json
import math
import re
import sys
from hashlib import sha256
from pathlib import Path
from random import Random

from slides import markdown

TEMPLATE = Path(__file__).with_suffix(".md")
SOLUTION = re.compile(r"^:::solution\n(.*?)^:::\n", re.MULTILINE | re.DOTALL)
ERRORS = [
    (
        "*Claim.* Each user adds Laplace noise of scale $2/(m_u\\varepsilon)$ to the mean of its $m_u$ records, "
        "since one of $m_u$ records moves the mean by $2/m_u$. All records of a user, and their number, are "
        "therefore protected by $\\varepsilon$. *Proof.* For every $m_u$ the report is $\\varepsilon$-private.",
        "a) The proof compares histories of one length that differ in one record; a user has all records, and "
        "their number may differ (3).\n\nb) One user with one record, or with two: the scales differ, the ratio "
        "of the densities has no bound, and the loss is infinite; already for one length the loss is "
        "$m_u\\varepsilon$ (3).\n\nc) One scale $2/\\varepsilon$ for everybody; for public sizes and records as "
        "the unit the statement survives (2).",
    ),
    (
        "*Claim.* A private test at $\\varepsilon$ says whether the data are far from unsafe data; if so, the "
        "result is released with noise for $\\varepsilon$. *Proof.* The test is $\\varepsilon$-private, and so "
        "is the release; a user is in one data set only, so the procedure is $\\varepsilon$-private.",
        "a) The same user's data enter both the test and the release, so the losses add (3).\n\nb) Two neighbours "
        "at the edge of safety: one passes with a probability smaller by a factor of $e^{-\\varepsilon}$ and its value is "
        "farther away by one sensitivity; the ratio of passing *and* a value in the tail is "
        "$e^{2\\varepsilon}$ (3).\n\nc) Count $2\\varepsilon$, or half the budget for each (1); the procedure survives "
        "as a $2\\varepsilon$-private one, or with twice the noise (1).",
    ),
    (
        "*Claim.* A curator sorts the users by their numbers of records, forms cohorts of ten who stand next to "
        "each other in this order, and publishes the mean of each cohort with Laplace noise for $\\varepsilon$. A "
        "user is protected by $\\varepsilon$, its number of records included. *Proof.* A user is in one cohort "
        "only, and by parallel composition the whole publication costs what one cohort costs.",
        "a) Parallel composition needs groups that one user's data cannot change for others; here a user's number "
        "decides who stands where (3).\n\nb) The smallest user becomes the largest: every other user moves by "
        "one place, one user leaves and one enters *each* cohort, and with $k$ cohorts the bound is "
        "$k\\varepsilon$; two cohorts are enough (3).\n\nc) Cohorts with public limits of the number of records, "
        "and noisy sums instead of means: a replaced user changes at most two, so $2\\varepsilon$ (1), and "
        "$\\varepsilon$ with public sizes, which survives (1).",
    ),
    (
        "*Claim.* A histogram over an unknown domain is private: for each item that occurs in the raw data, "
        "users' records are clipped to one record each, noise is added, and totals above a threshold are "
        "published; a lone item passes with probability at most $\\delta$. *Proof.* After clipping a user has "
        "one record, so at most one item of a user can pass.",
        "a) The *list* of items comes from the raw data, so items that clipping removed still get noise and a "
        "chance to pass (3).\n\nb) One user with two items that nobody else has: one passes with probability "
        "$\\delta$, and the other, noise alone, with a positive one, together more than $\\delta$; a thousand such "
        "items say it as well (3).\n\nc) List the items after clipping (1); the guarantee survives for users with "
        "one item each (1).",
    ),
]


def drawn(secret: str, what: str) -> Random:
    return Random(sha256(f"{secret}, examination {what}".encode()).digest())


def numbers(secret: str, letter: str) -> dict:
    """The numbers of one variant, and what follows from them; no two variants share a number that was drawn."""

    def one_of(what: str, *values: float) -> float:
        return drawn(secret, what).sample(values, 4)["ABCD".index(letter)]

    eps, per_day = one_of("budget", 0.2, 0.5, 1.0, 1.5), one_of("reports", 2, 4, 8, 12)
    days, k = one_of("days", 7, 10, 14, 30), one_of("times", 2, 3, 4, 5)
    n, p = one_of("pupils", 200, 400, 600, 800), one_of("kept", 0.6, 0.7, 0.75, 0.8)
    share, a = one_of("yes", 1, 2, 3, 4), one_of("many", 2, 3, 4, 5)
    ones = round(n * (share / 10 * p + (1 - share / 10) * (1 - p)))
    users, m = one_of("users", 1000, 2000, 4000, 5000), one_of("records", 400, 900, 1600, 2500)
    budget, bins = one_of("local", 0.5, 0.8, 1.0, 2.0), one_of("bins", 20, 30, 40, 60)
    b, central = one_of("one", 50, 70, 90, 110), one_of("central", 5.0, 6.0, 7.0, 8.0)
    sizes = sorted(drawn(secret, letter).sample(range(1, 12), 3))
    sizes += [one_of("fourth", 20, 24, 25, 30), one_of("fifth", 60, 70, 80, 90)]
    release = one_of("release", 0.25, 0.4, 0.5, 0.8)
    short, rank = 6 / bins / budget, math.ceil(1 / release)
    bound = sizes[-rank]
    cut, added = sum(max(size - bound, 0) for size in sizes), bound / release

    def capped(top: float) -> float:
        return (4 * a + top**2 / b + 2 * (top / central) ** 2) / (4 * a + top) ** 2

    best = min(range(a, b + 1), key=capped)
    return {
        "eps": eps, "per_day": per_day, "days": days, "sum": eps * per_day * days, "guess": 1 / (1 + math.exp(-eps)),
        "n": n, "p": p, "k": k, "ones": ones, "loss": math.log(p / (1 - p)), "estimate": (ones / n - 1 + p) / (2 * p - 1),
        "error": math.sqrt(p * (1 - p) / n) / (2 * p - 1), "transcript": k * math.log(p / (1 - p)),
        "users": users, "m": m, "budget": budget, "bins": bins, "scale": 2 / budget, "noise": 8 / (users * budget**2),
        "sampling": 1 / (users * m), "length": 6 / bins, "short": short, "refined": 4 * short**2 / users,
        "keep": 1 / (1 + math.exp(-budget / 2)), "double": 2 * budget, "a": a, "b": b, "central": central,
        "equal": capped(a), "largest": b / (4 * a + b), "inverse": capped(b), "cap": best, "capped": capped(best), "sizes": ", ".join(map(str, sizes)),
        "release": release, "rank": rank, "bound": bound, "cut": cut, "added": added, "both": cut + added,
        "twice": 2 * release,
    }  # fmt: skip


def filled(text: str, secret: str, letter: str) -> str:
    """The paper of one variant with its solutions; each letter has a wrong proof of its own."""
    claim, answer = drawn(secret, "errors").sample(ERRORS, len(ERRORS))["ABCD".index(letter)]
    known = numbers(secret, letter)
    known |= {
        "letter": letter,
        "claim": claim,
        "answer": answer,
        "total": sum(map(int, re.findall(r"^## .*\((\d+) marks", text, re.MULTILINE))),
    }

    def said(name: re.Match) -> str:
        value = known[name[1]]
        short = f"{value:.4g}" if isinstance(value, float) else str(value)
        return re.sub(r"e-0(\d)$", r" \\cdot 10^{-\1}", short)

    return re.sub(r"@(\w+)@", said, text)


def write_papers(root: Path, course: Path) -> int:
    """Write four variants, each as the paper and as its solutions; they need the slides' MathJax."""
    folder, text = course / "examination", TEMPLATE.read_text(encoding="utf8")
    folder.mkdir(parents=True, exist_ok=True)
    secret = (course / "secret.txt").read_text(encoding="utf8")
    for letter in "ABCD":
        whole = filled(text, secret, letter)
        for name, body in (
            (f"paper-{letter}", SOLUTION.sub("", whole)),
            (f"solutions-{letter}", SOLUTION.sub(r"\n---\n\n\1\n---\n", whole)),
        ):
            engine = json.dumps({"loader": {"load": ["core", "input/tex", "output/chtml"]}})
            page = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{name}</title><style>body {{ font: 11pt/1.5 serif; margin: 2em auto; max-width: 40em; }}</style><script>MathJax = {engine}</script><script src="../slides/mathjax/startup.js" defer></script>{markdown(root).render(body)}</html>'  # noqa: E501
            (folder / f"{name}.html").write_text(page, encoding="utf8")
    return 4


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        print(f"{write_papers(Path.cwd(), Path(folder))} variants of the examination")
