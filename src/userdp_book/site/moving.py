"""The directive ``moving``: a figure with sliders, all of whose settings the build computes with the package.

The page holds the numbers of every setting as text, the script only chooses among them; the picture of the
first setting stands where no script runs.
"""

import ast
import json
import re
from functools import cache
from hashlib import sha256
from html import escape
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from ..run.reach import Sources, read_code
from . import SAFE
from .chart import Axis, chart, swatch
from .figure import Figure, filled, number, raised
from .generated import SOURCES, made_of
from .links import to_page

SCRIPTS = ("chart.js", "moving.js")
ASKED = re.compile(r"^:+\{moving\} (\S+)", re.M)


def files(root: Path) -> list[Path]:
    """Where the figures of each part of the book stand."""
    return sorted((root / "book").rglob("moving.py"))


@cache
def figures(root: Path) -> dict[str, Figure]:
    """The figures of the book by name, which is their function's with strokes."""
    found: dict[str, Figure] = {}
    for file in files(root):
        spec = spec_from_file_location(f"{file.parent.name}_moving", file)
        spec.loader.exec_module(module := module_from_spec(spec))
        own = {name: value for name, value in vars(module).items() if isinstance(value, Figure)}
        found |= {name.replace("_", "-"): value for name, value in own.items()}
    return found


def placed(root: Path) -> dict[str, str]:
    """On which page each figure stands, by name."""
    found = {}
    for path in sorted((root / "book").rglob("*.md")):
        for name in ASKED.findall(path.read_text(encoding="utf8")):
            found[name] = path.relative_to(root).with_suffix("").as_posix()
    return found


def digests(root: Path) -> list[str]:
    """Of the figures and of the code that they reach: pages with one are read again when it changes."""
    sources, texts = Sources(root), [file.read_text(encoding="utf8") for file in files(root)]
    reached = [sources.digest(read_code(ast.parse(text))) for text in texts]
    return [*reached, *(sha256(text.encode()).hexdigest() for text in texts)]


SOURCES["moving"] = digests
SOURCES["moving-places"] = placed


@cache
def markup(figure: Figure) -> str:
    """Sliders, the picture of the first setting, its numbers and its words, and the table of all settings."""
    columns = figure.columns()
    curves, said = figure.still(columns)
    broken = bool(figure.fault) and figure.larger(said)
    told = json.dumps(table(figure, columns), separators=(",", ":"), ensure_ascii=False)
    lines = f'<div class="highlight"><pre class="moving-code">{escape(filled(figure.code, said))}</pre></div>'
    return (
        f'<div class="userdp-moving{" moving-broken" * broken}" role="group" '
        f'aria-label="{escape(figure.title)}">'
        f'<p class="moving-title">{escape(figure.title)}</p>'
        f'<div class="moving-controls"></div>{picture(figure, curves, said)}'
        f'<ul class="moving-key">{keys(figure, said)}</ul>'
        f'<p class="moving-says" role="status">{escape(figure.sentence(said))}</p>{lines * bool(figure.code)}'
        f'<script type="application/json">{told}</script></div>'
    )


def table(figure: Figure, columns: dict[str, list[str]]) -> dict:
    """What the script reads."""
    return {
        "at": [float(x) for x in figure.along.values],
        "sliders": {name: [one.label, one.first, *one.shown()] for name, one in figure.sliders.items()},
        "columns": {name: " ".join(text) for name, text in columns.items()},
        "breaks": bool(figure.fault),
        **{name: getattr(figure, name) for name in ("says", "verdict", "code", "presets")},
    }


def picture(figure: Figure, curves: dict[str, list[str]], said: dict[str, str]) -> str:
    along = figure.along
    return chart(
        Axis(along.label, along.values[0], along.values[-1], along.log),
        figure.y,
        along.values,
        {name: [number(x) for x in curves[name]] for name in figure.lines},
        figure.lines,
        here=along.values[along.first],
        dots={name: number(said[name]) for name in figure.lines},
        label=f"{figure.title}. {figure.alt}",
    )


def keys(figure: Figure, said: dict[str, str]) -> str:
    return "".join(
        f'<li>{swatch(tone)} {escape(name)} <b data-value="{escape(name)}">{raised(said[name])}</b></li>'
        for name, tone in figure.lines.items()
    )


class Moving(SphinxDirective):
    """A figure by its name; the content is its caption."""

    required_arguments = 1
    has_content = True
    option_spec = {"class": directives.class_option}

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        figure = figures(Path(self.env.srcdir))[name]
        self.env.metadata[self.env.docname]["moving"] = True
        made_of(self.env, "moving")
        frame = nodes.container(classes=["moving"], ids=[f"moving-{name}"])
        frame += nodes.raw("", markup(figure), format="html")
        self.state.nested_parse(self.content, self.content_offset, frame)
        if figure.fault:
            four = "The correction in four lines"
            link = to_page("book/reproduce/corrections", four, f"fault-{figure.fault}")
            frame += nodes.paragraph("", "", link, nodes.Text("."))
        return [frame]


def load(app, pagename, templatename, context, doctree) -> None:
    """Load the scripts into the pages with such a figure only."""
    if "moving" in app.env.metadata.get(pagename, {}):
        for script in SCRIPTS:
            app.add_js_file(script)


def setup(app) -> dict:
    app.add_directive("moving", Moving)
    app.connect("html-page-context", load)
    return SAFE
