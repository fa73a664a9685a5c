"""The commands behind ``make book``, ``make run`` and ``make sync``."""

import argparse
import os
import sys
from pathlib import Path

from .run import cache, labs, pairing
from .run.compare import differences, keep_exempt
from .run.execute import computed, run_all
from .run.pages import Page, pages, read, write
from .site.offline import OFFERED


def execute(chosen: list[Page], jobs: int, *, afresh: bool = False) -> bool:
    """Run the pages whose outputs are not in the cache (or all, afresh); say whether all went well."""
    due = chosen if afresh else [page for page in chosen if not cache.is_current(page)]
    print(f"{len(due)} of {len(chosen)} notebooks to execute", flush=True)
    failed = False
    for page, error in run_all(due, jobs):
        said = "FAILED" if error else f"{cache.last_run(page)['seconds']:6.1f} s"
        print(f"  {said}  {page.docname}\n{error}".rstrip(), flush=True)
        failed = failed or bool(error)
    return not failed


def report(chosen: list[Page]) -> None:
    """Say which stored outputs are not what was just computed. No error: platforms may differ."""
    count = 0
    for page in chosen:
        stored = read(page.twin)
        if stored is None:
            print(f"  {page.docname}: no stored notebook; `make run` writes it")
            continue
        for number, said in differences(stored, computed(page)):
            print(f"  {page.docname}, code cell {number}: {said}")
            count += 1
    print(f"{count} stored outputs differ from what was computed")


def execute_command(chosen: list[Page], jobs: int) -> int:
    if not execute(chosen, jobs):
        return 1
    report(chosen)
    return 0


def run_command(chosen: list[Page], jobs: int) -> int:
    if not execute(chosen, jobs, afresh=True):
        return 1
    for page in chosen:
        write(keep_exempt(computed(page), read(page.twin)), page.twin)
    return 0


def sync_command(chosen: list[Page], jobs: int) -> int:
    for path in pairing.orphans(Path.cwd()):
        path.unlink()
    for page in chosen:
        pairing.sync(page)
    return 0


def check_command(chosen: list[Page], jobs: int) -> int:
    said = pairing.check(Path.cwd())
    print("\n".join(said) or f"{len(chosen)} notebooks match their pages")
    return int(bool(said))


def labs_command(chosen: list[Page], jobs: int) -> int:
    said = labs.write_all(Path.cwd())
    print("\n".join(said) or f"{len(labs.sources(Path.cwd()))} student copies written")
    return int(bool(said))


def pdf_command(chosen: list[Page], jobs: int) -> int:
    from .paper import pdf  # needs Chromium, which the other commands do not

    pdf.write(Path.cwd(), OFFERED["pdf"].path(Path.cwd()))
    return 0


def epub_command(chosen: list[Page], jobs: int) -> int:
    from .paper import epub

    epub.write(Path.cwd(), OFFERED["epub"].path(Path.cwd()))
    return 0


def bench_command(chosen: list[Page], jobs: int) -> int:
    from .evidence import bench  # needs the packages of the extra "peers"

    print("\n".join(bench.lines(bench.measure(bench.jobs(), repeats=5))))
    return 0


COMMANDS = {
    "execute": (execute_command, "run what is not in the cache, compare with the stored outputs"),
    "run": (run_command, "run afresh and store the outputs in notebooks/"),
    "sync": (sync_command, "write notebooks/ from book/ without running anything"),
    "labs": (labs_command, "write the student copies of the labs, fail if one is not as it should be"),
    "pdf": (pdf_command, "print the built book into _build/downloads/userdp.pdf"),
    "epub": (epub_command, "turn the built book into _build/downloads/userdp.epub"),
    "bench": (bench_command, "time the same work by this package and by others"),
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
    options = parser.parse_intermixed_args()  # pages may follow --jobs
    command, _ = COMMANDS[options.command]
    return command(select(options.pages, Path.cwd()), options.jobs)


if __name__ == "__main__":
    sys.exit(main())
