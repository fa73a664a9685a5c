"""Pictures of few bytes, known size and the width that suits; of two thousand icons those that are used."""

import re
import shutil
from base64 import b64decode, b64encode
from hashlib import sha256
from importlib.resources import files
from io import BytesIO
from pathlib import Path

from PIL import Image

from . import SAFE

ICONS = "scripts/fontawesome.js"
THEME = files("pydata_sphinx_theme") / "theme" / "pydata_sphinx_theme" / "static"
ICON_CLASS = re.compile(r"\bfa-[\w-]+")
# Its name, width, height, other names and outline.
ICON = re.compile(r'"?([\w-]+)"?:\[(\d+),(\d+),\[([^\]]*)\],"\w+","([^"]+)"')
PICTURE = re.compile(r'<img( [^>]*src="([^"]*_images/([^"]+\.png))"[^>]*>)')
SIZED = '<img width="%d" height="%d"%s'
# The drawings for telephones, by the names of those for wider screens.
NARROW = Path("_build") / "narrow"
CHOICE = '<picture><source media="(max-width: 48rem)" width="%d" height="%d" srcset="%s">%s</picture>'
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
    if not png:
        return ""
    image, out = Image.open(BytesIO(b64decode(png))).convert("RGB"), BytesIO()
    colours = image.quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    colours.save(out, "png", compress_level=6)  # what more would save costs more time
    return b64encode(out.getvalue()).decode("ascii")


def lay_by(folder: Path, png: str, narrow: str) -> None:
    """Keep a drawing for telephones under the name that myst-nb gives the other."""
    if narrow:
        (folder / NARROW).mkdir(parents=True, exist_ok=True)
        name = sha256(b64decode(png)).hexdigest()
        (folder / NARROW / f"{name}.png").write_bytes(b64decode(narrow))


def reserve(app, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Say how large each picture is, so that the page does not move when it comes."""
    paths = {name: path for path, name in app.builder.images.items()}
    images = Path(app.outdir) / "_images"
    images.mkdir(exist_ok=True)

    def sized(found: re.Match) -> str:
        rest, src, name = found.groups()
        image = SIZED % (*Image.open(Path(app.srcdir) / paths[name]).size, rest)
        if not (narrow := Path(app.srcdir) / NARROW / name).is_file():
            return image
        shutil.copy(narrow, images / f"narrow-{name}")
        size, there = Image.open(narrow).size, src.replace(name, f"narrow-{name}")
        return CHOICE % (*size, there, image)

    context["body"] = PICTURE.sub(sized, context.get("body", ""))


def lighten(app, error) -> None:
    """Leave only the icons that a page or a script of the book mentions: 6 kB of 1.5 MB."""
    if error or app.builder.name != "html":
        return
    out, all_icons = Path(app.outdir), (THEME / ICONS).read_text(encoding="utf8")
    (out / "_static" / ICONS).write_text(SCRIPT % icons(all_icons, mentioned(out)), encoding="utf8")


def mentioned(out: Path) -> set[str]:
    """Names of icons on all pages and in the scripts."""
    scripts = (file for file in (out / "_static").rglob("*.js") if file.name != Path(ICONS).name)
    texts = (file.read_text(encoding="utf8") for file in (*out.rglob("*.html"), *scripts))
    return {name for text in texts for name in ICON_CLASS.findall(text)}


def icons(script: str, used: set[str]) -> dict[str, list]:
    """Width, height and outline of the icons mentioned; of two styles the last, which is the solid one."""
    own: dict[str, list] = {}
    others: dict[str, list] = {}
    for name, width, height, names, path in ICON.findall(script):
        own[name] = [int(width), int(height), path]
        others |= dict.fromkeys(re.findall(r'"([\w-]+)"', names), own[name])
    drawn = others | own
    wanted = {word: word.removeprefix("fa-") for word in sorted(used)}
    return {word: drawn[name] for word, name in wanted.items() if name in drawn}


def setup(app) -> dict:
    app.connect("html-page-context", reserve)
    app.connect("build-finished", lighten)
    return SAFE
