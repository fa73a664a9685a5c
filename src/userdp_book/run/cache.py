"""Whether a page's recorded outputs are still its own: one hash of its code and of what that reaches.

A comment in a cell counts, since a stored notebook shows it; one in a module does not.
"""

import ast
import json
import sys
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

from .pages import Page, code_cells, notebook
from .reach import Code, Sources, parsed, read_code

DRAWING = Path(__file__).with_name("narrow.py")


def last_run(page: Page) -> dict:
    """Key, seconds, text and code of the page's last execution, empty when there was none."""
    try:
        return json.loads(page.executed.read_bytes())["metadata"]["userdp"]
    except (FileNotFoundError, ValueError, KeyError):
        return {}


def key(page: Page, sources: Sources, noted: dict | None = None) -> str:
    """The hash under which the page's outputs are kept."""
    found = code(page, last_run(page) if noted is None else noted)
    drawing = DRAWING.read_text(encoding="utf8")  # every figure is drawn by it too
    said = [
        sys.version_info[:2],
        pins(page),
        found.digest,
        sources.digest(found),
        judged(page, sources),
        drawing,
    ]
    return sha256(json.dumps(said).encode()).hexdigest()


def is_current(page: Page, sources: Sources) -> bool:
    noted = last_run(page)
    return noted.get("key") == key(page, sources, noted)


def judged(page: Page, sources: Sources) -> dict:
    """What the tables of judgement say of the statements that the page names."""
    text = page.source.read_text(encoding="utf8")
    return {id: claims for id, claims in sources.judgements.items() if id in text}


def has_text(page: Page) -> bool:
    """Whether the last run was of the page's text to the letter, prose included."""
    return last_run(page).get("text") == text_digest(page)


def pins(page: Page) -> list[str]:
    """What ``constraints.txt`` says, without its comments."""
    lines = (page.root / "constraints.txt").read_text(encoding="utf8").splitlines()
    return [pin for line in lines if (pin := line.partition("#")[0].strip())]


def text_digest(page: Page) -> str:
    return sha256(page.source.read_bytes()).hexdigest()


def code(page: Page, noted: dict) -> Code:
    """The page's code: as its last run noted it while the text is the same, which is quicker to find."""
    if noted.get("text") != text_digest(page):
        return code_in(page)
    found = noted["code"]
    return Code(found["digest"], tuple(map(tuple, found["imports"])), tuple(found["files"]))


def code_in(page: Page) -> Code:
    """The code of the page's own cells, all but the installing one; its digest is that of their text."""
    cells = code_cells(notebook(page))[1:]
    told = [[cell.source, "raises-exception" in cell.metadata.get("tags", [])] for cell in cells]
    tree = ast.Module([node for cell in cells for node in syntax(cell.source).body], [])
    found = read_code(tree)
    return Code(sha256(json.dumps(told).encode()).hexdigest(), found.imports, found.files)


def syntax(source: str) -> ast.Module:
    """The syntax of a cell, whatever magics it has."""
    tree = parsed(source)
    if tree.body or not source.strip():
        return tree
    from IPython.core.inputtransformer2 import TransformerManager

    return ast.parse(TransformerManager().transform_cell(source))


def note(page: Page, sources: Sources) -> dict:
    """What is kept beside the outputs of a run that starts now."""
    found = {"text": text_digest(page), "code": asdict(code_in(page))}
    return found | {"key": key(page, sources, found)}
