"""The course folder: all that nbgrader needs to hand out, collect and mark the labs.

The hidden checks draw their numbers from the teacher's secret, which the folder keeps for the next time.
"""

import re
import secrets
import shutil
from pathlib import Path

from ..run.pages import Page, notebook, repository_url, write
from . import otter
from .labs import marking, sources, student

KIT = Path(__file__).parent / "kit"
HOUR = re.compile(r"^## The first hour\n(.*?)^## ", flags=re.MULTILINE | re.DOTALL)


def write_course(root: Path, target: Path, secret: str | None) -> str:
    """Write the folder; sources and student copies are replaced, what belongs to the teacher stays."""
    target.mkdir(parents=True, exist_ok=True)
    kept = target / "secret.txt"
    if secret or not kept.is_file():
        kept.write_text(secret or secrets.token_hex(), encoding="utf8")
    labs = sources(root)
    for page in labs:
        name = Path(page.name).name
        copy = marking(page, kept.read_text(encoding="utf8"))
        write(copy, target / f"source/{name}/{name}.ipynb")
        write(otter.master(copy, name), target / f"otter/{name}.ipynb")
        write(student(page), target / f"students/{name}.ipynb")
    needs = f"jupyterlab\nnumpy\nuserdp @ git+{repository_url(root)}\n"
    (target / "students/requirements.txt").write_text(needs, encoding="utf8")
    if not (target / "nbgrader_config.py").exists():
        shutil.copy(KIT / "nbgrader_config.py", target)
    (target / "README.md").write_text(readme(root, labs), encoding="utf8")
    return f"{len(labs)} labs in {target}"


def readme(root: Path, labs: list[Page]) -> str:
    """The first hour as the book tells it, and the minutes of each lab's sections."""
    text = (root / "book/teach/grading.md").read_text(encoding="utf8")
    rows = [f"| {' | '.join(map(str, row))} |" for lab in sorted(map(times, labs)) for row in lab]
    table = ["| lab | section | minutes | marks |", "|---|---|---|---|", *rows]
    return "\n".join(["# A course", *HOUR.findall(text), "## Time and marks by section", "", *table, ""])


def times(page: Page) -> list[tuple[str, str, int, int]]:
    """Lab, section, minutes and marks; a lab says the minutes of its sections where it says its time."""
    nb = notebook(page)
    text = "\n".join(cell.source for cell in nb.cells if cell.cell_type == "markdown")
    minutes = [int(one) for one in re.search(r"by section ([\d, ]+)", text)[1].split(",")]
    marks: dict[str, int] = {}
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            marks |= dict.fromkeys(re.findall(r"^## (.*)", cell.source, flags=re.MULTILINE), 0)
        if points := cell.metadata.get("nbgrader", {}).get("points"):
            marks[next(reversed(marks))] += points
    rows = zip(marks.items(), minutes, strict=True)
    name = re.search(r"^# (.*)", text, flags=re.MULTILINE)[1]
    return [(name, title, time, points) for (title, points), time in rows]
