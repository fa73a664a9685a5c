"""Which stored outputs are not what was just computed."""

from . import compare
from .execute import computed
from .pages import Page, read


def report(pages: list[Page]) -> list[str]:
    """One line for each difference, in the order of the pages."""
    return [line for page in pages for line in differences(page)]


def differences(page: Page) -> list[str]:
    """Number and difference of each code cell."""
    if (stored := read(page.twin)) is None:
        return [f"{page.docname}: no stored notebook; `make run` writes it"]
    found = compare.differences(stored, computed(page))
    return [f"{page.docname}, code cell {number}: {said}" for number, said in found]
