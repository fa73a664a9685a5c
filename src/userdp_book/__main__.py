"""The commands behind ``make book``, ``make run`` and ``make sync``.

Each imports what it needs itself: most often nothing has changed, and then a command is over in a second.
"""

import argparse
import os
import signal
import sys
import time
from contextlib import closing
from functools import partial
from importlib import import_module
from pathlib import Path

from .run import cache
from .run.pages import Page, pages
from .run.reach import Sources

BAR = "  {percentage:.0f}% done, {remaining} left; running: {postfix}"


def execute(chosen: list[Page], jobs: int, *, afresh: bool = False) -> bool:
    """Run the pages whose outputs are not in the cache (or all, afresh); say whether all went well."""
    sources = Sources(Path.cwd())
    due = [page for page in chosen if afresh or not cache.is_current(page, sources)]
    print(f"{len(due)} of {len(chosen)} notebooks to execute", flush=True)
    reworded = [page for page in chosen if page not in due and not cache.has_text(page)]
    if reworded:
        from .run.execute import refresh

        for page in reworded:
            refresh(page, sources)
    return not due or run_due(due, jobs)


def run_due(due: list[Page], jobs: int) -> bool:
    """Run pages, the longest first, and say how far it is; an interruption keeps what is done."""
    from tqdm import tqdm

    from .run.execute import run_all
    from .run.progress import expected_seconds

    expected, start, failed = expected_seconds(due), time.time(), False
    bar = tqdm(total=sum(expected.values()), bar_format=BAR, file=sys.stdout, disable=None, leave=False)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with bar, closing(run_all(sorted(due, key=expected.get, reverse=True), jobs)) as runs:
            for page, error, running in runs:
                if page:
                    said = "FAILED" if error else f"{cache.last_run(page)['seconds']:6.1f} s"
                    bar.update(expected[page])
                    bar.write(f"  {said}  {page.docname}\n{error}".rstrip())
                    failed = failed or bool(error)
                bar.set_postfix_str(", ".join(page.name for page in running))
    except KeyboardInterrupt:
        # The files are asked: a page may be kept and not yet told.
        kept = sum(page.executed.is_file() and page.executed.stat().st_mtime >= start for page in due)
        print(f"interrupted: {kept} of {len(due)} are done and kept", flush=True)
        # The kernels end with this process; their threads would wait for them.
        os._exit(130)
    return not failed


def execute_command(chosen: list[Page], jobs: int) -> int:
    from .run.report import report

    if not execute(chosen, jobs):
        return 1
    found = report(chosen)
    print("".join(f"  {line}\n" for line in found), end="")
    print(f"{len(found)} stored outputs differ from what was computed")
    return 0


def run_command(chosen: list[Page], jobs: int) -> int | None:
    from .run.compare import keep_exempt
    from .run.execute import computed
    from .run.pages import read, write

    if not execute(chosen, jobs, afresh=True):
        return 1
    for page in chosen:
        write(keep_exempt(computed(page), read(page.twin)), page.twin)


def sync_command(chosen: list[Page], jobs: int) -> None:
    from .run import pairing

    for path in pairing.orphans(Path.cwd()):
        path.unlink()
    for page in chosen:
        pairing.sync(page)


def told(faults: list[str], well: str) -> int:
    print("\n".join(faults) or well)
    return int(bool(faults))


def check_command(chosen: list[Page], jobs: int) -> int:
    from .run import pairing

    return told(pairing.check(Path.cwd()), f"{len(chosen)} notebooks match their pages")


def labs_command(chosen: list[Page], jobs: int) -> int:
    from .teach import labs

    return told(labs.write_all(Path.cwd()), f"{len(labs.sources(Path.cwd()))} student copies written")


def course_command(folders: list[str], jobs: int, *, secret: str | None = None) -> int:
    from .teach.course import write_course

    for folder in folders:
        print(write_course(Path.cwd(), Path(folder), secret))
    return 0


def handins_command(folders: list[str], jobs: int, *, mend: bool = False) -> int:
    from .teach.handins import check

    said = [line for folder in folders for line in check(Path(folder), mend=mend)]
    return told(said, "every hand-in is whole") * (not mend)


def html_command(chosen: list[Page], jobs: int) -> int:
    from .site.build import build

    return build(Path.cwd(), jobs)


def paper_command(chosen: list[Page], jobs: int, *, kind: str) -> None:
    from .site.offline import BOOK

    # what needs Chromium, which the other commands do not
    made = import_module(f".paper.{kind}", __package__)
    made.write(Path.cwd(), *(one.path(Path.cwd()) for one in BOOK if one.target == kind))


COMMANDS = {
    "execute": (execute_command, "run what is not in the cache, compare with the stored outputs"),
    "run": (run_command, "run afresh and store the outputs in notebooks/"),
    "sync": (sync_command, "write notebooks/ from book/ without running anything"),
    "labs": (labs_command, "write the student copies of the labs, fail if one is not as it should be"),
    "course": (course_command, "write the folder of a course for nbgrader (--secret: of the hidden checks)"),
    "handins": (handins_command, "look for accidents in the hand-ins of a course's folder (--mend: repair)"),
    "html": (html_command, "build the book from the last runs"),
    "pdf": (partial(paper_command, kind="pdf"), "print the built book into _build/downloads/userdp.pdf"),
    "epub": (partial(paper_command, kind="epub"), "turn the built book into _build/downloads/userdp.epub"),
    "errata": (
        partial(paper_command, kind="errata"),
        "write the erratum of each paper into _build/downloads, as PDF and LaTeX",
    ),
    "check": (check_command, "fail unless notebooks/ matches book/"),
}


def select(names: list[str], root: Path) -> list[Page]:
    """The pages with these paths, such as ``book/dame/index.md``; all pages when there are none."""
    found = {f"{page.docname}.md": page for page in pages(root)}
    if unknown := set(names) - found.keys():
        sys.exit(f"not an executable page: {', '.join(sorted(unknown))}")
    return [found[name] for name in names] or list(found.values())


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m userdp_book", description=__doc__)
    listing = "; ".join(f"{name}: {what}" for name, (_, what) in COMMANDS.items())
    parser.add_argument("command", choices=COMMANDS, help=listing)
    parser.add_argument("pages", nargs="*", help="paths such as book/dame/index.md; all by default")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (one a core)")
    parser.add_argument(
        "--secret", default=argparse.SUPPRESS, help="of a course: what its hidden checks draw from"
    )
    parser.add_argument("--mend", action="store_true", default=argparse.SUPPRESS, help="repair hand-ins")
    options = parser.parse_intermixed_args()  # pages may follow --jobs
    command, _ = COMMANDS[options.command]
    # what these two are given are not pages
    named = options.pages if options.command in ("course", "handins") else select(options.pages, Path.cwd())
    more = {name: value for name, value in vars(options).items() if name in ("secret", "mend")}
    return command(named, options.jobs, **more) or 0


if __name__ == "__main__":
    sys.exit(main())
