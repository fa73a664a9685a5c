"""A release: version in package and citation, the changelog dated; ``make release`` does the rest."""

import re
import sys
from datetime import UTC, datetime
from pathlib import Path

from packaging.version import Version

PACKAGE, CITATION, CHANGES = "src/userdp/__init__.py", "CITATION.cff", "CHANGELOG.md"
WRITTEN = re.compile(r'^__version__ = "(.*)"$', re.MULTILINE)
OPEN = "## Unreleased"


def current(root: Path) -> Version:
    return Version(WRITTEN.search((root / PACKAGE).read_text(encoding="utf8"))[1])


def prepare(root: Path, wanted: str) -> None:
    """Write the version and the day; raise ValueError where it is no step forward or nothing has changed."""
    today = datetime.now(UTC).date().isoformat()
    changes = (root / CHANGES).read_text(encoding="utf8")
    _, found, rest = changes.partition(f"{OPEN}\n")
    if Version(wanted) < current(root):
        raise ValueError(f"version must not go back from {current(root)}, got {wanted}")
    if not rest.partition("\n## ")[0].strip():
        raise ValueError(f"{CHANGES} must say under {OPEN!r} what has changed")
    replace(root / PACKAGE, WRITTEN, f'__version__ = "{wanted}"')
    replace(root / CITATION, re.compile(r"^version: .*$", re.MULTILINE), f"version: {wanted}")
    replace(root / CITATION, re.compile(r"^date-released: .*$", re.MULTILINE), f"date-released: {today}")
    replace(root / CHANGES, re.compile(f"^{OPEN}$", re.MULTILINE), f"{OPEN}\n\n## {wanted}, {today}")


def replace(path: Path, pattern: re.Pattern, text: str) -> None:
    old = path.read_text(encoding="utf8")
    new, count = pattern.subn(text, old)
    assert count == 1, f"{path}: {pattern.pattern} must stand there once, stands {count} times"
    path.write_text(new, encoding="utf8")


if __name__ == "__main__":
    prepare(Path.cwd(), sys.argv[1])
