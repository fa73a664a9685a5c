"""A pytest plugin that makes ``--nbval`` stricter about pictures, and lets it judge what was run already.

nbval itself skips PNG outputs. Here a picture may differ from the stored one by no more than
:data:`userdp_book.run.compare.PICTURE_TOLERANCE`. And nbval keeps the kernel from storing its history,
without which IPython does not see the semicolon that hides a cell's value; here it may.

With ``--nbval-recorded`` the kernel is a record: it answers nbval with what the page's last run printed, the
one that the book shows, and only while that run is of the page, the package and the pins as they are now.
"""

from functools import cache
from pathlib import Path

import pytest


def pytest_addoption(parser):
    parser.addoption(
        "--nbval-recorded",
        action="store_true",
        help="let nbval judge the outputs in _build/executed, which must be current, instead of running anew",
    )


def pytest_configure(config):
    if config.getoption("nbval", False):
        from nbval.kernel import RunningKernel
        from nbval.plugin import IPyNbCell, IPyNbFile

        IPyNbCell.compare_outputs = with_pictures(IPyNbCell.compare_outputs)
        RunningKernel.execute_cell_input = execute_with_history
        if config.getoption("nbval_recorded"):
            IPyNbFile.setup = set_up_with_record


def with_pictures(compare_text):
    """nbval's comparison, followed by that of the pictures."""
    from .compare import pictures_differ

    def compare_outputs(cell, test, ref, skip_compare=None):
        same = compare_text(cell, test, ref, skip_compare)
        said = pictures_differ(ref, test)
        if said:
            cell.comparison_traceback.append(said)
        return same and not said

    return compare_outputs


def execute_with_history(kernel, source, allow_stdin=None):
    return kernel.kc.execute(source, store_history=True, allow_stdin=allow_stdin, stop_on_error=False)


def set_up_with_record(notebook):
    notebook.kernel = RecordedKernel(record_of(notebook.path, notebook.nb, notebook.config.rootpath))
    notebook.setup_sanitize_files()


def record_of(path: Path, stored, root: Path) -> list:
    """The cells of the last run of a notebook's page; a failure unless that was a run of the page of now."""
    from .cache import is_current
    from .execute import computed
    from .pages import Page, code_cells

    page = Page(root, path.relative_to(root / "notebooks").with_suffix("").as_posix())
    if not page.source.is_file() or not is_current(page, sources(root)):
        pytest.fail(f"{page.docname} has not been run as it is now: use `make execute`", pytrace=False)
    cells = code_cells(computed(page))
    if [cell.source for cell in cells] != [cell.source for cell in code_cells(stored)]:
        pytest.fail(f"the notebook of {page.docname} has other code: use `make sync`", pytrace=False)
    return cells


@cache
def sources(root: Path):
    from .reach import Sources

    return Sources(root)


class RecordedKernel:
    """What nbval asks of a kernel, answered from the cells of a run, in their order."""

    def __init__(self, cells: list):
        self.cells = iter(cells)
        self.messages = iter(())

    def execute_cell_input(self, source, allow_stdin=None):
        # Cells before it may be left out, by an option of pytest or by a tag of nbval.
        cell = next(cell for cell in self.cells if cell.source == source)
        self.messages = messages(cell)
        return cell.id

    def get_message(self, stream, timeout=None):
        return next(self.messages)

    def await_reply(self, msg_id, timeout=None):
        """The run is over."""

    def await_idle(self, msg_id, timeout):
        """What came after an error does not matter."""

    def is_alive(self):
        return True

    def stop(self):
        """There is no process."""


def messages(cell):
    """What a kernel sends while it runs a cell with these outputs."""
    header = {"msg_id": cell.id}
    for output in cell.outputs:
        content = {name: value for name, value in output.items() if name != "output_type"}
        yield {"msg_type": output.output_type, "content": content, "parent_header": header}
    yield {"msg_type": "status", "content": {"execution_state": "idle"}, "parent_header": header}
