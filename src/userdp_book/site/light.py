"""Only what pages use: the theme brings all of Bootstrap's rules and two thousand icons, for the few used."""

import re
from base64 import b64decode, b64encode
from collections.abc import Iterator
from importlib.resources import files
from io import BytesIO
from pathlib import Path

from PIL import Image

from . import SAFE

STYLES, ICONS = "styles/pydata-sphinx-theme.css", "scripts/fontawesome.js"
THEME = files("pydata_sphinx_theme") / "theme" / "pydata_sphinx_theme" / "static"
# Engines whose words are no classes of a page.
ENGINES = ("mathjax", "fontawesome.js", "tippy/")
WORD = re.compile(r"[A-Za-z_][\w-]*")
IN_PAGE = re.compile(r'class="([^"]*)"')
CLASS = re.compile(r"\.(-?[A-Za-z_][\w-]*)")
PARENTHESES = re.compile(r"\([^()]*\)")
COMMA = re.compile(r",(?![^()]*\))")
# Its name, width, height, other names and outline.
ICON = re.compile(r'"?([\w-]+)"?:\[(\d+),(\d+),\[([^\]]*)\],"\w+","([^"]+)"')
PICTURE = re.compile(r' (?<=<img )(?=[^>]*src="[^"]*_images/([^"]+\.png)")')
SIZED = ' width="%d" height="%d"'
# What stands in the place of each <i class="fa-...">, as the theme's styles expect it.
SCRIPT = """// The icons that this book uses, from Font Awesome Free (CC BY 4.0).
for (const [name, [width, height, path]] of Object.entries(%s))
  for (const mark of document.querySelectorAll(`i.${name}, span.${name}`)) {
    const icon = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    for (const { name, value } of mark.attributes) icon.setAttribute(name, value);
    icon.classList.add("svg-inline--fa");
    icon.setAttribute("aria-hidden", "true");
    icon.setAttribute("viewBox", `0 0 ${width} ${height}`);
    icon.innerHTML = `<path fill="currentColor" d="${path}"/>`;
    mark.replaceWith(icon);
  }
"""


def in_palette(png: str) -> str:
    """A picture in base64 with the 256 colours that serve it best, a third of the bytes."""
    image, out = Image.open(BytesIO(b64decode(png))).convert("RGB"), BytesIO()
    colours = image.quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    colours.save(out, "png", compress_level=6)  # what more would save costs more time
    return b64encode(out.getvalue()).decode("ascii")


def reserve(app, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Say how large each picture is, so that the page does not move when it comes."""
    paths = {name: path for path, name in app.builder.images.items()}

    size = lambda found: Image.open(Path(app.srcdir) / paths[found[1]]).size  # noqa: E731
    context["body"] = PICTURE.sub(lambda found: SIZED % size(found) + found[0], context.get("body", ""))


def lighten(app, error) -> None:
    """Leave only the rules and the icons that a page or a script of the book mentions."""
    if error or app.builder.name != "html":
        return
    out = Path(app.outdir)
    used = mentioned(out)
    (out / "_static" / STYLES).write_text("".join(kept(read(STYLES), used)), encoding="utf8")
    (out / "_static" / ICONS).write_text(SCRIPT % icons(read(ICONS), used), encoding="utf8")


def read(name: str) -> str:
    return (THEME / name).read_text(encoding="utf8")


def mentioned(out: Path) -> set[str]:
    """Classes of all pages, and every word of the scripts."""
    used: set[str] = set()
    for page in out.rglob("*.html"):
        for classes in set(IN_PAGE.findall(page.read_text(encoding="utf8"))):
            used.update(classes.split())
    for script in (out / "_static").rglob("*.js"):
        if not any(engine in script.as_posix() for engine in ENGINES):
            used.update(WORD.findall(script.read_text(encoding="utf8")))
    return used


def kept(css: str, used: set[str]) -> Iterator[str]:
    """The rules of which some selector asks for mentioned classes only."""
    for head, body in rules(css):
        if head.startswith(("@media", "@supports")):
            inner = "".join(kept(body, used))
            yield f"{head}{{{inner}}}" if inner else ""
        elif head.startswith("@"):
            yield "" if "Awesome" in body else f"{head}{{{body}}}" if body else f"{head};"
        else:
            chosen = ",".join(part for part in COMMA.split(head) if can_match(part, used))
            yield f"{chosen}{{{body}}}" if chosen else ""


def rules(css: str) -> Iterator[tuple[str, str]]:
    """Head and body of every rule of one level; a line of import or charset has no body."""
    css, place = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL), 0
    while place < len(css.rstrip()):
        start, end = css.find("{", place), css.find(";", place)
        if start < 0 or 0 <= end < start:
            yield css[place:end].strip(), ""
            place = end + 1
            continue
        depth, stop = 1, start + 1
        while depth:
            depth += {"{": 1, "}": -1}.get(css[stop], 0)
            stop += 1
        yield css[place:start].strip(), css[start + 1 : stop - 1]
        place = stop


def can_match(selector: str, used: set[str]) -> bool:
    """Whether all classes outside of parentheses are mentioned."""
    while PARENTHESES.search(selector):
        selector = PARENTHESES.sub("", selector)
    return "\\" in selector or used.issuperset(CLASS.findall(selector))


def icons(script: str, used: set[str]) -> dict[str, list]:
    """Width, height and outline of the icons mentioned; of two styles the last, which is the solid one."""
    own: dict[str, list] = {}
    others: dict[str, list] = {}
    for name, width, height, names, path in ICON.findall(script):
        own[name] = [int(width), int(height), path]
        others |= dict.fromkeys(re.findall(r'"([\w-]+)"', names), own[name])
    drawn = others | own
    wanted = {word: word.removeprefix("fa-") for word in sorted(used) if word.startswith("fa-")}
    return {word: drawn[name] for word, name in wanted.items() if name in drawn}


def setup(app) -> dict:
    app.connect("html-page-context", reserve)
    app.connect("build-finished", lighten)
    return SAFE
