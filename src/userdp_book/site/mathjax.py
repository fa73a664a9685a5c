"""MathJax without internet: copied from its package into the built book, about two megabytes."""

import shutil
from importlib.metadata import distribution
from pathlib import Path

WHEEL = "sphinx-mathjax-offline"
MAIN = "tex-mml-chtml.js"
# The fonts, and what MathJax loads on first use of a rarer macro.
FOLDERS = ("output/chtml/fonts/woff-v2", "input/tex/extensions")


def source() -> Path:
    return Path(str(distribution(WHEEL).locate_file(f"{WHEEL}/static/mathjax")))


def configure(app, config) -> None:
    """Point the pages to the copy."""
    config.mathjax_path = f"mathjax/{MAIN}"


def copy(app) -> None:
    """Put MathJax beside the other static files; before the pages, which carry its checksum."""
    if app.builder.format != "html":
        return
    target = Path(app.outdir) / "_static" / "mathjax"
    target.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source() / MAIN, target)
    for folder in FOLDERS:
        shutil.copytree(source() / folder, target / folder, dirs_exist_ok=True)
