"""The book as one PDF: each page printed by Chromium, then joined, with links, bookmarks and page numbers.

Chromium needs very long to print the whole book at once; page by page it needs minutes.
"""

import re
import tempfile
from dataclasses import dataclass
from html import escape
from pathlib import Path
from urllib.parse import unquote

import pikepdf
from pikepdf import Array, Dictionary, Name, OutlineItem, String

from ..run.contents import Entry, entries
from . import chromium

MARGINS = {"top": "15mm", "bottom": "17mm", "left": "19mm", "right": "19mm"}
# The number at the foot of a page: its size, and its height above the edge, in points.
FOOT = (8, 28)
# The width of A4 between the margins, in pixels.
WIDTH = 650
CONTENTS = "contents"
# Ledgers, lists and costs are looked up, on the site.
SITE_ONLY = re.compile(r"/(?:beside|scorecard|statements|costs|mutants|larger|peers|api)\b")
COLOPHON = (
    "The pages of the HTML book, printed: text and figures under CC BY 4.0, code under BSD-3-Clause. "
    "Proofs and solutions are open; implementations, machine-checked sources and walks are on the site."
)


@dataclass(frozen=True)
class Part:
    """A printed page of the book: its file, number of sheets, title, and headings with ids."""

    entry: Entry
    file: Path
    sheets: int
    title: str
    headings: list[tuple[str, str]]


def write(root: Path, target: Path) -> None:
    """Print the pages of ``_build/html``; join them in ``target``, and those of each part beside it."""
    html = root.resolve() / "_build" / "html"
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, chromium.new_tab() as tab:
        order = [entry for entry in entries(root) if not SITE_ONLY.search(entry.docname)]
        parts = [print_page(tab, html, entry, Path(folder)) for entry in order if entry.docname]
        for name, chosen in {"": order, **editions(order)}.items():
            own = [part for part in parts if part.entry in chosen]
            front = print_contents(tab, html, chosen, own, Path(folder))
            path = target.with_stem(f"{target.stem}{name and '-'}{name}")
            join([front, *own], chosen, html).save(
                path, object_stream_mode=pikepdf.ObjectStreamMode.generate, recompress_flate=True
            )


def editions(order: list[Entry]) -> dict[str, list[Entry]]:
    """The first page and one part of the book, by the part's name."""
    found: dict[str, list[Entry]] = {}
    for entry in order[1:]:
        if entry.caption:
            own = found.setdefault(entry.caption.lower().replace(" ", "-"), [order[0]])
        own.append(entry)
    return found


def print_page(tab, html: Path, entry: Entry, folder: Path) -> Part:
    tab.emulate_media(media="print", color_scheme="light")
    chromium.load(tab, html / f"{entry.docname}.html")
    print(f"  {entry.docname}", flush=True)
    return print_tab(tab, entry, folder)


def print_tab(tab, entry: Entry, folder: Path) -> Part:
    """Print what is in the tab."""
    tab.set_viewport_size({"width": WIDTH, "height": 900})
    tab.add_style_tag(path=chromium.PRINT / "pdf.css")
    found = tab.evaluate((chromium.PRINT / "paper.js").read_text(encoding="utf8"))
    file = folder / f"{entry.docname.replace('/', '-')}.pdf"
    tab.pdf(path=file, format="A4", margin=MARGINS, print_background=True)
    with pikepdf.open(file) as pdf:
        return Part(
            entry, file, len(pdf.pages), found["title"], [(text, id) for text, id in found["headings"]]
        )


def print_contents(tab, html: Path, order: list[Entry], parts: list[Part], folder: Path) -> Part:
    """The title and the table of contents; printed twice, since its own length moves the page numbers."""
    sheets = 1
    while True:
        tab.goto((html / f"{order[0].docname}.html").as_uri())
        # The book's own style sheets stay in the head.
        tab.evaluate("markup => { document.body.innerHTML = markup }", contents_markup(order, parts, sheets))
        part = print_tab(tab, Entry(0, CONTENTS), folder)
        if part.sheets == sheets:
            return part
        sheets = part.sheets


def contents_markup(order: list[Entry], parts: list[Part], sheets: int) -> str:
    starts, known = {}, {part.entry.docname: part for part in parts}
    for part in parts:
        starts[part.entry.docname] = sheets + 1
        sheets += part.sheets
    root = order[0].docname
    up = "../" * root.count("/")
    rows = []
    for entry in order:
        indent = f'style="margin-left: {1.5 * entry.level}em"'
        if entry.caption:
            rows.append(f'<p class="caption">{escape(entry.caption)}</p>')
        else:
            link = f'<a href="{up}{entry.docname}.html">{escape(known[entry.docname].title)}</a>'
            rows.append(f'<p {indent}>{link}<span class="page">{starts[entry.docname]}</span></p>')
    heading = f"<h1>{escape(parts[0].title)}</h1><p>{COLOPHON}</p><h2>Contents</h2>"
    return f'<article>{heading}<nav class="of-the-book">{"".join(rows)}</nav></article>'


def join(parts: list[Part], order: list[Entry], html: Path) -> pikepdf.Pdf:
    """One file of all parts. A place in it is called ``docname`` or ``docname#id``."""
    book = pikepdf.new()
    places: dict[str, Array] = {}
    for part in parts:
        first, docname = len(book.pages), part.entry.docname
        with pikepdf.open(part.file) as pdf:
            local = {name: number_and_top(where) for name, where in named_places(pdf).items()}
            for page in pdf.pages:
                book.pages.append(page)
        places[docname] = Array([book.pages[first].obj, Name.Fit])
        for name, (number, top) in local.items():
            places[f"{docname}#{name}"] = Array([book.pages[first + number].obj, Name.XYZ, 0, top, 0])
        for page in book.pages[first:]:
            redirect(page, docname, html)
    drop_dangling(book, places)
    name_places(book, places)
    add_bookmarks(book, parts, order, places)
    number_pages(book)
    book.docinfo["/Title"] = parts[1].title
    book.Root.PageMode = Name.UseOutlines
    book.Root.Lang = String("en-GB")
    return book


def named_places(pdf: pikepdf.Pdf) -> dict[str, Array]:
    return {name.removeprefix("/"): where for name, where in pdf.Root.get("/Dests", {}).items()}


def number_and_top(where: Array) -> tuple[int, float]:
    return pikepdf.Page(where[0]).index, float(where[3])


def redirect(page: pikepdf.Page, docname: str, html: Path) -> None:
    """Let the links of a page lead to places in this file instead of files of the built book."""
    for link in page.obj.get("/Annots", []):
        if "/Dest" in link:
            link.Dest = String(f"{docname}#{str(link.Dest).removeprefix('/')}")
        elif "/A" in link and str(link.A.get("/URI", "")).startswith("file:"):
            link.Dest = String(place_name(str(link.A.URI), html))
            del link["/A"]


def place_name(address: str, html: Path) -> str:
    """``book/page#id`` for the address of a built page."""
    path, _, fragment = address.partition("#")
    docname = unquote(path.removeprefix(html.as_uri() + "/")).removesuffix(".html")
    return f"{docname}#{fragment}" if fragment else docname


def drop_dangling(book: pikepdf.Pdf, places: dict[str, Array]) -> None:
    """Links to what is not printed, such as the index of functions or a file, go; the words stay."""
    for page in book.pages:
        links = page.obj.get("/Annots", [])
        kept = []
        for link in links:
            wanted = str(link.get("/Dest", ""))
            if wanted and wanted not in places:
                wanted = wanted.partition("#")[0]
                link.Dest = String(wanted)
            if not wanted or wanted in places:
                kept.append(link)
        if len(kept) < len(links):
            page.obj.Annots = Array(kept)


def name_places(book: pikepdf.Pdf, places: dict[str, Array]) -> None:
    tree = pikepdf.NameTree.new(book)
    for name in sorted(places):
        tree[name] = places[name]
    book.Root.Names = Dictionary(Dests=tree.obj)


def add_bookmarks(book: pikepdf.Pdf, parts: list[Part], order: list[Entry], places: dict[str, Array]) -> None:
    """Captions, pages below them, headings below those; a caption leads to its first page."""
    known = {part.entry.docname: part for part in parts}
    with book.open_outline() as outline:
        outline.root.append(OutlineItem("Contents", 0))
        lists = {0: outline.root}
        for entry, after in zip(order, [*order[1:], order[-1]], strict=True):
            part = known[entry.docname or after.docname]
            mark = OutlineItem(entry.caption or part.title, places[part.entry.docname])
            mark.is_closed = True
            lists[entry.level].append(mark)
            lists[entry.level + 1] = mark.children
            for heading, id in part.headings if entry.docname else []:
                mark.children.append(OutlineItem(heading, places[f"{entry.docname}#{id}"]))


def number_pages(book: pikepdf.Pdf) -> None:
    size, height = FOOT
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
    font = book.make_indirect(font)
    for number, page in enumerate(book.pages, start=1):
        name = page.add_resource(font, Name.Font, prefix="Number")
        middle = float(page.mediabox[2]) / 2 - size * len(str(number)) / 4
        text = f"Q BT {name} {size} Tf {middle:.1f} {height} Td ({number}) Tj ET"
        page.contents_add(b"q", prepend=True)
        page.contents_add(text.encode())
