"""Keep ``notebooks/`` in step with ``book/``, in that direction only."""

from collections.abc import Iterator
from pathlib import Path

from nbformat import NotebookNode

from .pages import Page, code_cells, notebook, pages, read, write


def sync(page: Page) -> None:
    """Write the twin from the page, keeping outputs up to the first code cell that changed.

    The first cell may change: it installs what the outputs were made with.
    """
    new, old = notebook(page), read(page.twin)
    pairs = zip(code_cells(new), code_cells(old) if old else [], strict=False)
    for number, (cell, before) in enumerate(pairs):
        if number and cell.source != before.source:
            break
        cell.outputs, cell.execution_count = before.outputs, before.execution_count
    write(new, page.twin)


def orphans(root: Path) -> list[Path]:
    """Notebooks whose page is gone."""
    twins = {page.twin for page in pages(root)}
    return sorted(path for path in (root / "notebooks").rglob("*.ipynb") if path not in twins)


def check(root: Path) -> list[str]:
    """Everything in which the notebooks are not what their pages say; empty when all is well."""
    said = [f"{path.relative_to(root)}: its page is gone (make sync removes it)" for path in orphans(root)]
    for page in pages(root):
        old = read(page.twin)
        if old is None:
            said.append(f"{page.docname}: has no notebook (make run writes it)")
            continue
        said += [f"{page.docname}: {fault}" for fault in faults(notebook(page, old), old)]
        if str(root.resolve()) in page.twin.read_text(encoding="utf8"):
            said.append(f"{page.docname}: an output shows a path of this machine")
    return said


def faults(new: NotebookNode, old: NotebookNode) -> Iterator[str]:
    """How a stored notebook departs from the one that its page makes."""
    if new.metadata != old.metadata:
        yield "metadata of the notebook differs"
    if len(new.cells) != len(old.cells):
        yield f"{len(new.cells)} cells in the page, {len(old.cells)} in the notebook"
    for number, (cell, before) in enumerate(zip(new.cells, old.cells, strict=False), start=1):
        for field in ("cell_type", "source", "metadata", "id"):
            if cell[field] != before.get(field):
                yield f"cell {number} differs in its {field}"
    counts = [cell.execution_count for cell in code_cells(old)]
    if counts != list(range(1, len(counts) + 1)):
        yield f"not run from top to bottom: execution counts are {counts}"
