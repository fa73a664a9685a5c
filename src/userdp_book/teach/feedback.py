"""What students read when a lab comes back; ``nbgrader_config.py`` of the course names it."""

from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors import ClearHiddenTests

from .labs import hidden_lines

STOPPED = "Your code was stopped at the time limit: does every loop of it end?"
UNTOLD = "this check did not pass; its message is withheld, since it shows what is hidden"


class HideChecks(ClearHiddenTests):
    """Remove the hidden checks and all that was printed while they ran; what a check says stays."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        what = resources["nbgrader"]
        with Gradebook(what["db_url"]) as book:
            names = what["notebook"], what["assignment"], what["student"]
            if book.find_submission_notebook(*names).needs_manual_grade:
                self.log.warning("The open question of %s has no mark yet", what["student"])
        self.hidden = [line for cell in nb.cells for line in hidden_lines(cell.source) if len(line) > 12]
        return super().preprocess(nb, resources)

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict, cell_index: int
    ) -> tuple[NotebookNode, dict]:
        cell, resources = super().preprocess_cell(cell, resources, cell_index)
        if cell.cell_type == "code":
            errors = [output for output in cell.outputs if output.output_type == "error"]
            cell.outputs = [self.told(output) for output in errors[:1]]
        return cell, resources

    def told(self, error: NotebookNode) -> NotebookNode:
        """Of an error its words alone, and not those that stand in a hidden check as code."""
        said = f"{error.ename}: {error.evalue}"
        if error.ename in ("KeyboardInterrupt", "CellTimeoutError"):
            said = STOPPED
        elif any(line in said for line in self.hidden):
            said = f"{error.ename}: {UNTOLD}"
        error.traceback, error.evalue = [said], said
        return error
