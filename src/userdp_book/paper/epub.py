"""The book as an EPUB: the built pages as XHTML, with MathML made by MathJax in Chromium."""

import zipfile
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from html import escape
from mimetypes import guess_type
from pathlib import Path
from posixpath import dirname, join, normpath
from xml.etree import ElementTree

import yaml

from ..run.contents import Entry, entries
from . import chromium

ENDING = ".xhtml"
STYLE = "epub.css"
PACKAGE = "content.opf"
# A zip has times; one that is always the same keeps equal books equal.
EPOCH = (1980, 1, 1, 0, 0, 0)
NAMESPACES = {"mathml": "{http://www.w3.org/1998/Math/MathML}", "svg": "{http://www.w3.org/2000/svg}"}
PAGE = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"
 lang="en-GB" xml:lang="en-GB">
<head><meta charset="utf-8"/><title>{title}</title>
<link rel="stylesheet" type="text/css" href="{style}"/></head>
{body}
</html>
"""
CONTAINER = f"""<?xml version="1.0" encoding="utf-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="{PACKAGE}" media-type="application/oebps-package+xml"/>
</rootfiles></container>
"""
OPF = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="en-GB">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:sha256:{digest}</dc:identifier><dc:title>{title}</dc:title>
<dc:creator>{author}</dc:creator><dc:language>en-GB</dc:language>
<dc:rights>https://creativecommons.org/licenses/by/4.0/</dc:rights>
<meta property="dcterms:modified">2026-01-01T00:00:00Z</meta>
<meta property="schema:accessMode">textual</meta><meta property="schema:accessMode">visual</meta>
<meta property="schema:accessibilityFeature">alternativeText</meta>
<meta property="schema:accessibilityFeature">MathML</meta>
</metadata>
<manifest>
{items}
</manifest>
<spine>
{spine}
</spine>
</package>
"""


@dataclass(frozen=True)
class Chapter:
    """A page as XHTML, and the paths in the built book of the pictures on it."""

    docname: str
    title: str
    text: str
    images: tuple[str, ...]

    @property
    def path(self) -> str:
        return self.docname + ENDING

    @property
    def properties(self) -> list[str]:
        """What the package must say of this page; an error if it is not well-formed."""
        tags = {element.tag for element in ElementTree.fromstring(self.text).iter()}
        return [name for name, space in NAMESPACES.items() if any(tag.startswith(space) for tag in tags)]


def write(root: Path, target: Path) -> None:
    """Make the EPUB of the pages in ``_build/html``."""
    root = root.resolve()
    html = root / "_build" / "html"
    order = entries(root)
    docnames = [entry.docname for entry in order if entry.docname]
    chapters = chromium.over(docnames, partial(chapter, html=html, docnames=docnames))
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf8"))
    files = package(order, chapters, html, config)
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w") as book:
        for name, content in files.items():
            kind = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            info = zipfile.ZipInfo(name, EPOCH)
            book.writestr(info, content, compress_type=kind)


def chapter(tab, docname: str, *, html: Path, docnames: list[str]) -> Chapter:
    chromium.load(tab, html / f"{docname}.html")
    script = (chromium.PRINT / "mathml.js").read_text(encoding="utf8")
    found = tab.evaluate(script, [docnames, ENDING])
    print(f"  {docname}", flush=True)
    folder = dirname(docname)
    style = "../" * docname.count("/") + STYLE
    text = PAGE.format(title=escape(found["title"]), style=style, body=found["body"])
    local = [source for source in found["images"] if not source.startswith("data:")]
    return Chapter(docname, found["title"], text, tuple(normpath(join(folder, path)) for path in local))


def package(order: list[Entry], chapters: list[Chapter], html: Path, config: dict) -> dict[str, str | bytes]:
    """Every file of the EPUB by its path, the type first."""
    images = sorted({path for page in chapters for path in page.images})
    files: dict[str, str | bytes] = {"mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER}
    files[PACKAGE] = ""
    files[STYLE] = (chromium.PRINT / STYLE).read_text(encoding="utf8")
    files["nav.xhtml"] = navigation(order, chapters)
    files |= {page.path: page.text for page in chapters}
    files |= {path: (html / path).read_bytes() for path in images}
    files[PACKAGE] = OPF.format(
        digest=sha256("".join(page.text for page in chapters).encode()).hexdigest(),
        title=escape(config["title"]),
        author=escape(config["author"]),
        items="\n".join(manifest(chapters, images)),
        spine="\n".join(f'<itemref idref="{identifier(page.path)}"/>' for page in chapters),
    )
    return files


def manifest(chapters: list[Chapter], images: list[str]) -> list[str]:
    items = [item(STYLE, "text/css"), item("nav.xhtml", "application/xhtml+xml", ["nav"])]
    items += [item(page.path, "application/xhtml+xml", page.properties) for page in chapters]
    return items + [item(path, str(guess_type(path)[0])) for path in images]


def item(path: str, kind: str, properties: list[str] = ()) -> str:
    said = f' properties="{" ".join(properties)}"' if properties else ""
    return f'<item id="{identifier(path)}" href="{escape(path)}" media-type="{kind}"{said}/>'


def identifier(path: str) -> str:
    return "f-" + "".join(letter if letter.isalnum() else "-" for letter in path)


def navigation(order: list[Entry], chapters: list[Chapter]) -> str:
    """The table of contents: captions without a link, pages below them."""
    titles = {page.docname: page.title for page in chapters}
    text, level = "", -1
    for entry in order:
        if entry.level > level:
            text += "<ol>" * (entry.level - level)
        else:
            text += "</li>" + "</ol></li>" * (level - entry.level)
        level = entry.level
        if entry.caption:
            text += f"<li><span>{escape(entry.caption)}</span>"
        else:
            text += f'<li><a href="{entry.docname}{ENDING}">{escape(titles[entry.docname])}</a>'
    text += "</li></ol>" * (level + 1)
    body = f'<body><nav epub:type="toc" id="toc"><h1>Contents</h1>{text}</nav></body>'
    return PAGE.format(title="Contents", style=STYLE, body=body)
