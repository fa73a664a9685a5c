"""MathJax without internet: copied from its package into the built book, and loaded where there is math."""

import re
import shutil
from html import unescape
from importlib.metadata import distribution
from pathlib import Path

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
# What takes no room of its own, what takes most, and words that are written out.
UNSEEN = r"\\(?:left|right|[bB]ig[glrm]*|math[a-z]+|text|[td]?frac|sqrt|[hb]a[tr]|[,;!: ])|[{}_^\s]"
WIDE = r"\\(?:leq?|geq?|approx|sim|to|in|times|cdot|ll|gg|neq?|pm|subset|mapsto|Rightarrow)(?![a-z])|[=<>+-]"
WORD = r"\\(log|exp|min|max|sup|inf|sinh|cosh|tanh)(?![a-z])"
EM, WIDE_EM = 0.58, 1.24  # of a letter and of a relation, fitted to 1,352 formulas as they are set


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
    rest, wide = re.subn(WIDE, "", tex)
    letters = re.sub(r"\\[A-Za-z]+|\\.", "x", re.sub(UNSEEN, "", re.sub(WORD, r"\1", rest)))
    return EM * len(letters) + WIDE_EM * wide


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
