"""MathJax without internet: copied from its package into the built book, and loaded where there is math."""

import re
import shutil
from contextlib import suppress
from functools import cache
from html import unescape
from importlib.metadata import distribution
from pathlib import Path

from matplotlib.font_manager import FontProperties
from matplotlib.mathtext import MathTextParser

from . import SAFE

WHEEL = "sphinx-mathjax-offline"
MAIN = "startup.js"
# What a page loads: TeX in, HTML out, MathML for screen readers; no menu and no other input, which are half.
PARTS = ("core", "input/tex", "output/chtml", "a11y/assistive-mml")
# What a part asks for by itself.
FONT = "output/chtml/fonts/tex"
# The fonts, and what MathJax loads on first use of a rarer macro.
FOLDERS = ("output/chtml/fonts/woff-v2", "input/tex/extensions")

INLINE = re.compile(r'(<span class="math notranslate nohighlight")(>\\\((.*?)\\\)</span>)', re.DOTALL)
# A relation or a sum, with the room around it; what is small; and the room of macros that matplotlib has not.
WIDE = r"\\(?:leq?|geq?|approx|sim|to|in|times|cdot|ll|gg|neq?|wedge)(?![a-z])|[=<>]|(?<=[\w)}\]!]) *[+-]"
SMALL = r"[_^]\s*(\{(?:[^{}]|\{[^{}]*\})*\}|\\(?:mathrm|mathcal|text)\s*\{[^{}]*\}|\\[A-Za-z]+|.)"
OURS = {r"\sqrt": 0.8, r"\eps": 0.5, r"\E": 0.7, r"\Var": 1.7, r"\Lap": 3.2, r"\ind": 1.6, r"\norm": 1}
FACE = FontProperties(math_fontfamily="cm", size=1080)  # MathJax shows letters as much larger than 1000


def source() -> Path:
    return Path(str(distribution(WHEEL).locate_file(f"{WHEEL}/static/mathjax")))


def configure(app, config) -> None:
    """Point the pages to the copy."""
    config.mathjax_path = f"mathjax/{MAIN}"
    config.mathjax3_config = (config.mathjax3_config or {}) | {"loader": {"load": list(PARTS)}}


def copy(app) -> None:
    """Put MathJax beside the other static files; before the pages, which carry its checksum."""
    if app.builder.format == "html":
        put(Path(app.outdir) / "_static" / "mathjax")


def put(target: Path) -> None:
    """Write the parts that a page loads into a folder."""
    for part in (MAIN, *(f"{name}.js" for name in (*PARTS, FONT))):
        (target / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source() / part, target / part)
    for folder in FOLDERS:
        shutil.copytree(source() / folder, target / folder, dirs_exist_ok=True)


def width(tex: str) -> float:
    """About how wide a formula will be, in em."""
    return row(re.sub(SMALL, " ", tex)) + 0.72 * sum(map(row, re.findall(SMALL, tex)))


def row(tex: str) -> float:
    """About how wide what stands on one line will be, in em."""
    rest, wide = re.subn(WIDE, " ", tex)
    return 1.34 * wide + sum(map(letter, re.findall(r"\\[A-Za-z]+|\\.|\S", rest)))


@cache
def letter(tex: str) -> float:
    """How wide a letter or a word of TeX is, in em; nothing where it only says how others are set."""
    with suppress(ValueError):
        return MathTextParser("path").parse(f"${tex}$", 72, FACE).width / 1000
    return OURS.get(tex, 0)


def reserve(app, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Keep the room of each formula within a line, so that the page does not move when it is set."""
    styled = lambda found: f'{found[1]} style="--em: {width(unescape(found[3])):.1f}"{found[2]}'  # noqa: E731
    context["body"] = INLINE.sub(styled, context.get("body", ""))


def drop(app, pagename: str, templatename: str, context: dict, doctree) -> None:
    """A page without math does not load MathJax."""
    if 'class="math' not in context.get("body", "") and "script_files" in context:
        context["script_files"] = [script for script in context["script_files"] if not is_engine(script)]


def is_engine(script) -> bool:
    """MathJax or its configuration."""
    body = getattr(script, "attributes", {}).get("body") or ""
    return "mathjax/" in str(script.filename) or body.startswith("window.MathJax")


def setup(app) -> dict:
    app.connect("config-inited", configure)
    app.connect("builder-inited", copy)
    app.connect("html-page-context", drop, priority=600)
    app.connect("html-page-context", reserve)
    return SAFE
