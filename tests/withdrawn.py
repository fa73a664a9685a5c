"""Which claims once stood in the book as refuted and no longer do, from the history of its tables.

Run in a clone with its whole history: ``python tests/withdrawn.py`` writes ``judgement/withdrawn.csv``.
"""

import csv
import subprocess
import tomllib
from pathlib import Path

from userdp_papers.study.claims import judgements

HOMES = [f"src/{package}/study/judgement" for package in ("userdp", "userdp_papers")]
PAPERS = ("kent", "dame", "cummings", "liu")


def git(*words: str) -> str:
    return subprocess.run(["git", *words], capture_output=True, text=True).stdout


def refuted_once() -> dict[str, tuple[str, str]]:
    """Claims that were refuted at some commit: key -> the first such commit, and the last such sentence."""
    found: dict[str, tuple[str, str]] = {}
    for commit in git("log", "--reverse", "--format=%h", "--abbrev=12", "--", *HOMES).split():
        for table in [f"{home}/{paper}.toml" for home in HOMES for paper in PAPERS]:
            for id, claims in tomllib.loads(git("show", f"{commit}:{table}")).items():
                for number, claim in claims.items():
                    if claim["verdict"] == "refuted":
                        key = f"{id}.{number}"
                        found[key] = (found.get(key, (commit,))[0], claim["claim"])
    return found


def rows() -> list[list[str]]:
    now = judgements()
    return [
        [key, commit, sentence]
        for key, (commit, sentence) in sorted(refuted_once().items())
        if now.get(key, {}).get("verdict") != "refuted"
    ]


def main() -> None:
    path = Path(HOMES[1]) / "withdrawn.csv"
    with path.open("w", encoding="utf8", newline="") as file:
        written = csv.writer(file, lineterminator="\n")
        written.writerows([["key", "commit", "was"], *rows()])


if __name__ == "__main__":
    main()
