"""A pytest plugin that makes ``--nbval`` stricter about pictures and faithful about semicolons.

nbval itself skips PNG outputs. Here a picture may differ from the stored one by no more than
:data:`userdp_book.run.compare.PICTURE_TOLERANCE`. And nbval keeps the kernel from storing its history,
without which IPython does not see the semicolon that hides a cell's value; here it may.
"""

from .compare import pictures_differ


def pytest_configure(config):
    if config.getoption("nbval", False):
        from nbval.kernel import RunningKernel
        from nbval.plugin import IPyNbCell

        IPyNbCell.compare_outputs = with_pictures(IPyNbCell.compare_outputs)
        RunningKernel.execute_cell_input = execute_with_history


def with_pictures(compare_text):
    """nbval's comparison, followed by that of the pictures."""

    def compare_outputs(cell, test, ref, skip_compare=None):
        same = compare_text(cell, test, ref, skip_compare)
        said = pictures_differ(ref, test)
        if said:
            cell.comparison_traceback.append(said)
        return same and not said

    return compare_outputs


def execute_with_history(kernel, source, allow_stdin=None):
    return kernel.kc.execute(source, store_history=True, allow_stdin=allow_stdin, stop_on_error=False)
