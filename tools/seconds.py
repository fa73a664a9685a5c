"""``make seconds``: note what the last run of each page took, from which the time of later ones is foretold.

The table also tells which pages are quick enough for a browser (`userdp_book.site.live`) and for a campaign.
"""

import csv
from pathlib import Path

from userdp_book.run.cache import last_run
from userdp_book.run.pages import Page, pages
from userdp_book.run.progress import FILE


def store(chosen: list[Page], file: Path = FILE) -> None:
    rows = sorted((page.name, last_run(page)["seconds"]) for page in chosen)
    with file.open("w", encoding="utf8", newline="") as table:
        csv.writer(table, lineterminator="\n").writerows([("page", "seconds"), *rows])


if __name__ == "__main__":
    store(pages(Path.cwd()))
