"""Slides for the lectures, from ``book/teach/lectures``: a file each for reveal.js, which needs no internet.

A lecture is Markdown; ``---`` parts its slides, ``{moving}`` and ``{diagram}`` name the figures of the book,
``{predict}`` asks a question and folds its answer, and what follows ``Notes`` is the speaker's alone.
"""

import json
import re
import shutil
import sys
from html import escape
from importlib.metadata import distribution
from pathlib import Path

import yaml
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from userdp_book.run.pages import repository_url
from userdp_book.site import mathjax
from userdp_book.site.diagrams import DRAWINGS
from userdp_book.site.moving import SCRIPTS, figures, markup

KIT, STATIC = Path(__file__).parent / "slides.html", Path(mathjax.__file__).parent / "static"
LECTURES = "book/teach/lectures"
REVEAL = ("dist/reset.css", "dist/reveal.css", "dist/reveal.js", "plugin/notes/notes.js", "LICENSE")
WHEEL = "sphinx-revealjs"


def lectures(root: Path) -> list[Path]:
    return sorted((root / LECTURES).glob("lecture-*.md"))


def write_all(root: Path, target: Path) -> int:
    """Write the decks, and beside them all that they load; return how many."""
    source = Path(str(distribution(WHEEL).locate_file("sphinx_revealjs/_static/revealjs")))
    for name in REVEAL:
        (target / "reveal" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source / name, target / "reveal" / name)
    for name in SCRIPTS:
        shutil.copy2(STATIC / name, target)
    shutil.copytree(STATIC / "fonts", target / "fonts", dirs_exist_ok=True)
    mathjax.put(target / "mathjax")
    for path in lectures(root):
        (target / f"{path.stem}.html").write_text(deck(root, path), encoding="utf8")
    return len(lectures(root))


def deck(root: Path, path: Path) -> str:
    """One lecture as HTML."""
    settings = yaml.safe_load((root / "_config.yml").read_text(encoding="utf8"))["sphinx"]["config"]
    engine = settings["mathjax3_config"] | {"loader": {"load": list(mathjax.PARTS)}}
    text = path.read_text(encoding="utf8")
    slides = "\n".join(
        f"<section>{slide(root, one)}</section>" for one in re.split(r"^---$", text, flags=re.M)
    )
    frame = KIT.read_text(encoding="utf8").replace("{title}", escape(re.search(r"^# (.*)", text, re.M)[1]))
    return frame.replace("{mathjax}", json.dumps(engine)).replace("{slides}", slides)


def slide(root: Path, text: str) -> str:
    """One slide: its words, its figures whole, its questions with their answers folded, the notes."""
    shown, _, notes = text.partition("\nNotes (")
    html = markdown(root).render(shown)
    folded = r'<details class="predict"><summary>\1</summary>\2</details>'
    html = re.sub(r"<p>\{predict\} (.*?)</p>\n<blockquote>(.*?)</blockquote>", folded, html, flags=re.S)
    return html + f'<aside class="notes">{markdown(root).render(notes and f"({notes}")}</aside>'


def address(root: Path) -> str:
    """Where the rendered book stands."""
    owner, name = repository_url(root).split("/")[-2:]
    return f"https://{owner.lower()}.github.io/{name}"


def markdown(root: Path) -> MarkdownIt:
    """Markdown with mathematics, the book's figures, and links to its pages."""

    def mathematics(text: str, options: dict) -> str:
        return rf"\[{escape(text)}\]" if options["display_mode"] else rf"\({escape(text)}\)"

    def figure(renderer, tokens: list, place: int, *rest) -> str:
        kind, _, name = tokens[place].info.partition(" ")
        draw = {
            "{moving}": lambda: markup(figures(root)[name]),
            "{diagram}": lambda: (DRAWINGS / f"{name}.svg").read_text("utf8"),
        }.get(kind)
        return f'<div class="drawn">{draw()}</div>' if draw else renderer.fence(tokens, place, *rest)

    md = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin, renderer=mathematics)
    md.add_render_rule("fence", figure)
    md.normalizeLink = lambda url: re.sub(r"^(/book/.*)", rf"{address(root)}\1.html", url)
    return md


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        print(f"{write_all(Path.cwd(), Path(folder))} decks of slides in {folder}")
