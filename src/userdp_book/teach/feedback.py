"""What students read when a lab comes back; ``nbgrader_config.py`` of the course names it."""

from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors import ClearHiddenTests


class HideChecks(ClearHiddenTests):
    """Remove the hidden checks and the lines of code that tracebacks show; what a check says stays."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        what = resources["nbgrader"]
        with Gradebook(what["db_url"]) as book:
            names = what["notebook"], what["assignment"], what["student"]
            if book.find_submission_notebook(*names).needs_manual_grade:
                self.log.warning("The open question of %s has no mark yet", what["student"])
        return super().preprocess(nb, resources)

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict, cell_index: int
    ) -> tuple[NotebookNode, dict]:
        cell, resources = super().preprocess_cell(cell, resources, cell_index)
        for output in cell.get("outputs", []):
            if output.output_type == "error" and cell.metadata.get("nbgrader", {}).get("grade"):
                output.traceback = [f"{output.ename}: {output.evalue}"]
        return cell, resources
