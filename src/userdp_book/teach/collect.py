"""Whose file is it, and which lab: read from the names that Moodle and Canvas give to what they collected.

Imported by ``nbgrader_config.py`` of the course, whose ``zip_collect`` asks for one file at a time;
run in the course's folder with a lab's name, it packs the feedback for the way back.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path
from zipfile import ZipFile

from nbgrader.plugins import FileNameCollectorPlugin

SENT = re.compile(
    r"(?:.*/)?(?P<who>[^/]+?)_(?:(?P<number>\d+)_assignsubmission_file|(?:LATE_)?\d+_\d+)_?/?(?:.*/)?_?"
    r"(?P<file>[^/]*)\.ipynb"
)


def sorted_out(extracted: Path) -> dict[Path, tuple[str, str] | None]:
    """Student and lab of each file of ``downloaded/<lab>/extracted``, None where a name does not tell them.

    Two students of one name are told apart by Moodle's number; of two files of one student for one lab the
    one with the longer name counts, which browsers give to later ones.
    """
    lab = extracted.parent.name
    files = [path for path in sorted(extracted.rglob("*")) if path.is_file() and path.name[0] != "."]
    read = {path: SENT.fullmatch(path.relative_to(extracted).as_posix()) for path in files}
    numbers = defaultdict(set)
    for found in filter(None, read.values()):
        numbers[found["who"]].add(found["number"])
    chosen: dict[tuple[str, str], Path] = {}
    for path in sorted(filter(read.get, files), key=lambda path: len(path.name)):
        who, number, file = read[path].group("who", "number", "file")
        words = re.sub(r"[\W_]+", "-", file.lower())
        name = lab if lab in words else re.sub(r"[-\d]+$", "", words)
        chosen[f"{who} {number}" if len(numbers[who]) > 1 else who, name] = path
    return dict.fromkeys(files) | {path: one for one, path in chosen.items()}


class Collect(FileNameCollectorPlugin):
    def collect(self, submitted_file: str) -> dict[str, str] | None:
        path = Path(submitted_file)
        above = (one for one in path.parents if one.parts[-3::2] == ("downloaded", "extracted"))
        found = sorted_out(next(above))[path]
        return dict(zip(("student_id", "file_id"), found, strict=True)) if found else None


def packed(course: Path, lab: str) -> Path:
    """The feedback under the names that the platform gave to the files: by them it knows whose a page is."""
    extracted, target = course / f"downloaded/{lab}/extracted", course / f"feedback/{lab}.zip"
    with ZipFile(target, "w") as archive:
        for path, found in sorted_out(extracted).items():
            sent = path.relative_to(extracted).as_posix()
            if found and (page := course / f"feedback/{found[0]}/{found[1]}/{lab}.html").is_file():
                archive.write(page, sent[SENT.fullmatch(sent).start("who") :].removesuffix("ipynb") + "html")
    return target


if __name__ == "__main__":
    print(packed(Path(), sys.argv[1]))
