"""Which stored outputs are not what was just computed; pages compared before are not compared again."""

import json
from hashlib import sha256
from pathlib import Path

from .pages import Page

MEMORY = Path("_build") / "compared.json"


def report(pages: list[Page], root: Path) -> list[str]:
    """One line for each difference, in the order of the pages."""
    memory = root / MEMORY
    known = json.loads(memory.read_bytes()) if memory.is_file() else {}
    now = {page.name: compared(page, *known.get(page.name, ("", []))) for page in pages}
    memory.parent.mkdir(exist_ok=True)
    memory.write_text(json.dumps(known | now), encoding="utf8")
    return [line for _, said in now.values() for line in said]


def compared(page: Page, digest: str, said: list[str]) -> tuple[str, list[str]]:
    """Digest of both notebooks and of what compares them, and the differences: known if it is the old one."""
    files = (page.twin, page.executed, Path(__file__).with_name("compare.py"))
    contents = [path.read_bytes() if path.is_file() else b"" for path in files]
    new = sha256(b"".join(sha256(content).digest() for content in contents)).hexdigest()
    return new, said if new == digest else differences(page)


def differences(page: Page) -> list[str]:
    """Number and difference of each code cell."""
    from . import compare
    from .execute import computed
    from .pages import read

    stored = read(page.twin)
    if stored is None:
        return [f"{page.docname}: no stored notebook; `make run` writes it"]
    found = compare.differences(stored, computed(page))
    return [f"{page.docname}, code cell {number}: {said}" for number, said in found]
