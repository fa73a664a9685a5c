"""The command line: what a question can be answered with, and the answer, of a curator who holds a table.

examples:
  userdp plan --users 5000 --records 200 --epsilon 1 --domain 0 5
  userdp mean ratings.csv --user user --value stars --domain 0 5 --users 5000 --records 200 --epsilon 1
  userdp counts visits.parquet --user card --item room --items hall garden --bound 4 --epsilon 1

Before a release you see what it spends, and are asked; `--account` keeps the total in a file, and `--budget`
is the most that it allows. Noise is drawn exactly. Exit codes: 0 released, 1 declined, 2 refused.
"""

import argparse
import json
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from userdp import __version__, _validate, bounded_histogram, plan
from userdp.planning.option import Option, within
from userdp.privacy import Release
from userdp.release import Budget, Secure
from userdp.tables import user_means, user_table

EXACT = "average of all users", "clipped mean about a private window", "clipped totals"


def parser() -> argparse.ArgumentParser:
    """What may be asked."""
    shape: Any = {"formatter_class": argparse.RawDescriptionHelpFormatter}
    found = argparse.ArgumentParser("userdp", description=__doc__, **shape)
    found.add_argument("--version", action="version", version=__version__)
    commands = found.add_subparsers(dest="command", required=True)
    for name, words in (
        ("plan", "rank the methods for a mean by predicted error; no data are read"),
        ("mean", "release the mean of a column: each user's mean counts once"),
        ("counts", "release how often each of a list of items occurs"),
    ):
        add = commands.add_parser(name, help=words, description=words, epilog=__doc__, **shape).add_argument
        if name != "counts":
            add("--domain", type=float, nargs=2, required=True, help="public ends of the values")
            add("--users", type=int, required=True, help="how many users there are; public")
            add("--records", type=int, required=True, help="how many records a user has; public")
            add("--spread", type=float, help="standard deviation of the users' latent means, a guess")
        if name != "plan":
            add("table", type=Path, help="a CSV or Parquet file")
            add("--user", required=True, help="column that says who a record is of")
            add("--account", help="file that keeps what is spent (JSON)")
            add("--budget", type=float, help="most that the account allows; this release, by default")
            add("--yes", action="store_true", help="do not ask")
            add("--json", action="store_true", help="print JSON")
        add("--epsilon", type=float, required=True, help="what the release spends on every user")
        if name == "plan":
            add("--trust", choices=("nobody", "curator"), default="curator", help="who sees the data")
        if name == "mean":
            add("--value", required=True, help="column of numbers")
            add("--missing", choices=("refuse", "drop", "low"), default="refuse", help="if there is no value")
            add("--silent", choices=("refuse", "abstain", "low"), default="refuse", help="if a user has none")
            add("--level", type=float, default=0.95, help="of the interval")
        if name == "counts":
            add("--item", required=True, help="column of items")
            add("--items", nargs="+", required=True, help="the items, known without the data")
            add("--bound", type=float, required=True, help="records as which a user counts at most")
    return found


def ranking(asked: argparse.Namespace) -> Any:
    """Methods for the mean."""
    trust: Any = getattr(asked, "trust", "curator")
    known: Any = {"epsilon": asked.epsilon, "domain": tuple(asked.domain), "spread": asked.spread}
    return plan(n=asked.users, sizes=asked.records, trust=trust, **known)


def mean(asked: argparse.Namespace, rng: Secure) -> tuple[str, tuple, Any]:
    """The method in words, the users' means and sizes, and the release."""
    _validate.inside(0, 1, level=asked.level)
    best: Option = next(option for option in ranking(asked) if option.method in EXACT)
    known: Any = {"domain": tuple(asked.domain), "missing": asked.missing, "silent": asked.silent, "rng": rng}
    users = user_means(asked.table, user=asked.user, value=asked.value, **known)
    if len(users.means) != asked.users:
        raise ValueError(f"users must be as many as {asked.table} has, got {asked.users}")
    words = f"{best.title}, predicted error {best.error:.2g}"
    return words, (users,), lambda users, **_: best.run(users, rng=rng)


def counts(asked: argparse.Namespace, rng: Secure) -> tuple[str, tuple, Any]:
    """The same for a histogram."""
    table = user_table(asked.table, user=asked.user, item=asked.item, items=asked.items)
    call = partial(bounded_histogram, bound=asked.bound)
    words = f"histogram, at most {asked.bound:g} records per user"
    return words, (table,), lambda *x, **o: within(call(*x, **o), None)


def answer(asked: argparse.Namespace, found: Release, words: str, budget: Budget) -> dict[str, Any]:
    """What is published."""
    said: dict[str, Any] = {"method": words, "value": found.value}
    if asked.command == "counts":
        said["value"] = dict(zip(asked.items, np.asarray(found.value).tolist(), strict=True))
    elif found.error:
        said |= {"interval": list(found.interval(asked.level)), "level": asked.level}
    return said | {"guarantee": asdict(found.guarantee), "account": str(budget).splitlines()}


def release(asked: argparse.Namespace) -> int:
    """Say what will be spent, ask, spend it, draw, print."""
    rng, about = Secure(), {"mean": mean, "counts": counts}[asked.command]
    most = asked.epsilon if asked.budget is None else asked.budget
    budget = Budget(most, trust="central", path=asked.account)
    print(f"reading {asked.table} ...", file=sys.stderr, flush=True)
    words, data, call = about(asked, rng)
    before = f"spent before: {budget.spent.epsilon:g} of {budget.epsilon:g}"
    part = f"epsilon = {asked.epsilon:g} on every user of {asked.table}; {before}"
    asking = "" if asked.yes else "release? [y/N] "  # not among what is released
    print(f"{words}\nspends {part}\n{asking}", end="", file=sys.stderr, flush=True)
    if asking and input().strip().lower() not in ("y", "yes"):
        return 1
    named: Any = {"epsilon": asked.epsilon, "name": f"{asked.command} of {asked.table.name}"}
    said = answer(asked, budget.release(call, *data, rng=rng, **named), words, budget)
    print(json.dumps(said, indent=1) if asked.json else "\n".join(told(*one) for one in said.items()))
    return 0


def told(name: str, value: Any) -> str:
    """A part of what is published, for people: a line, or one line per entry below its name."""
    if isinstance(value, dict):
        value = [f"{key}: {one}" for key, one in value.items()]
    elif name == "interval":
        value = " to ".join(map(str, value))
    return "\n  ".join([f"{name}:", *value]) if isinstance(value, list) else f"{name}: {value}"


def main(given: list[str] | None = None) -> int:
    """Answer one command."""
    asked = parser().parse_args(given)
    try:
        if asked.command != "plan":
            return release(asked)
        print(ranking(asked))
    except EOFError:  # nobody is there to be asked
        return 1
    except (ValueError, TypeError, OSError, ModuleNotFoundError) as error:
        print(f"userdp: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
