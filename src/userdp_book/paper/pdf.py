"""The book as one PDF: each page printed by Chromium, then joined with contents, index, links and bookmarks.

Chromium needs very long to print the whole book at once; page by page it needs minutes.
"""

import re
import tempfile
from dataclasses import asdict, dataclass
from functools import partial
from itertools import accumulate
from pathlib import Path
from urllib.parse import unquote

import pikepdf
from pikepdf import Array, Dictionary, Name, OutlineItem, String

from ..run.contents import Entry, entries
from . import chromium

MARGINS = {"top": "14mm", "bottom": "16mm", "left": "19mm", "right": "19mm"}
# The number at the foot of a page: its size, and its height above the edge, in points.
FOOT = (8, 28)
# The width of A4 between the margins, in pixels.
WIDTH = 650
CONTENTS, INDEX = Entry(0, "contents"), Entry(0, "index")
# Ledgers, lists and costs are looked up, and labs are worked in, on the site.
SITE_ONLY = re.compile(
    r"/(?:beside|student|grading|how-to-rerun|read-offline|api|scorecard|corrections|dataset|readings|graphs|errata"
    r"|machine-checked|mutants|peers|tournament|costs|larger|statements)\b"
)
GLOSSARY = re.compile(r"^```\{glossary\}$(.*?)^```", re.M | re.S)
# What contents and index are made of, beside the name of a page and its first sheet.
TOLD = ("sheets", "places", "title", "indexed")


@dataclass(frozen=True)
class Part:
    """A printed page of the book: its file and number of sheets, the sheet and height of each place in it.

    Beside its title `paper.js` finds the headings with ids, and what the index names.
    """

    entry: Entry
    file: Path
    sheets: int
    places: dict[str, tuple[int, float]]
    title: str
    headings: list[tuple[str, str]]
    indexed: list[dict]


def write(root: Path, target: Path) -> None:
    """Print the pages of ``_build/html``; join them in ``target``, and those of each part beside it."""
    html = root.resolve() / "_build" / "html"
    target.parent.mkdir(parents=True, exist_ok=True)
    order = [entry for entry in entries(root) if not SITE_ONLY.search(entry.docname)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        act = partial(print_page, html=html, folder=folder, terms=terms(root))
        parts = chromium.over([entry for entry in order if entry.docname], act)
        with chromium.new_tab() as tab:
            for ending, chosen in editions(order).items():
                own = [part for part in parts if part.entry in chosen]
                around = partial(print_around, tab, html, folder, chosen, own)
                sheets = 1
                while sheets != (front := around(CONTENTS, sheets)).sheets:  # its length moves the numbers
                    sheets = front.sheets
                path = target.with_stem(target.stem + ending)
                book = join([front, *own, around(INDEX, sheets)], chosen, html)
                book.save(path, object_stream_mode=pikepdf.ObjectStreamMode.generate)


def terms(root: Path) -> list[str]:
    """The names in the glossary, which the index looks for."""
    path = root / "book" / "reference" / "glossary.md"
    text = path.read_text(encoding="utf8") if path.is_file() else ""
    return re.findall(r"^\S.*", "".join(GLOSSARY.findall(text)), re.M)


def editions(order: list[Entry]) -> dict[str, list[Entry]]:
    """The whole book, and the first page with one part of it, by the ending of the file's name."""
    found = {"": order}
    for entry in order[1:]:
        if entry.caption:
            own = found.setdefault("-" + entry.caption.lower().replace(" ", "-"), [order[0]])
        own.append(entry)
    return found


def print_page(tab, entry: Entry, *, html: Path, folder: Path, terms: list[str] = ()) -> Part:
    tab.emulate_media(media="print", color_scheme="light")
    chromium.load(tab, html / f"{entry.docname}.html")
    print(f"  {entry.docname}", flush=True)
    return print_tab(tab, entry, folder, terms)


def print_tab(tab, entry: Entry, folder: Path, terms: list[str] = ()) -> Part:
    """Print what is in the tab."""
    tab.set_viewport_size({"width": WIDTH, "height": 900})
    tab.add_style_tag(path=chromium.PRINT / "pdf.css")
    found = tab.evaluate((chromium.PRINT / "paper.js").read_text(encoding="utf8"), list(terms))
    file = folder / f"{entry.docname.replace('/', '-')}.pdf"
    tab.pdf(path=file, format="A4", margin=MARGINS, print_background=True)
    with pikepdf.open(file) as pdf:
        return Part(entry, file, len(pdf.pages), named_places(pdf), **found)


def print_around(
    tab, html: Path, folder: Path, order: list[Entry], parts: list[Part], entry: Entry, sheets: int
) -> Part:
    """The title with the table of contents, or the index, of pages that follow this number of sheets."""
    starts = accumulate((part.sheets for part in parts), initial=sheets + 1)
    printed = [
        {name: getattr(part, name) for name in TOLD} | {"docname": part.entry.docname, "first": first}
        for part, first in zip(parts, starts, strict=False)
    ]
    tab.goto((html / f"{order[0].docname}.html").as_uri())
    # The book's own style sheets stay in the head.
    script = (chromium.PRINT / f"{entry.docname}.js").read_text(encoding="utf8")
    tab.evaluate(script, [printed, [asdict(one) for one in order]])
    return print_tab(tab, entry, folder)


def join(parts: list[Part], order: list[Entry], html: Path) -> pikepdf.Pdf:
    """One file of all parts. A place in it is called ``docname`` or ``docname#id``."""
    book = pikepdf.new()
    places: dict[str, Array] = {}
    owners: list[str] = []
    for part in parts:
        first, docname = len(book.pages), part.entry.docname
        owners += [docname] * part.sheets
        with pikepdf.open(part.file) as pdf:
            for page in pdf.pages:
                book.pages.append(page)
        places[docname] = Array([book.pages[first].obj, Name.Fit])
        for name, (number, top) in part.places.items():
            places[f"{docname}#{name}"] = Array([book.pages[first + number].obj, Name.XYZ, 0, top, 0])
    for page, docname in zip(book.pages, owners, strict=True):
        redirect(page, docname, html, places)
    names = pikepdf.NameTree.new(book)
    names.update(places)
    book.Root.Names = Dictionary(Dests=names.obj)
    add_bookmarks(book, parts, order, places)
    number_pages(book)
    book.docinfo["/Title"] = parts[1].title
    book.Root.PageMode = Name.UseOutlines
    book.Root.Lang = String("en-GB")
    return book


def named_places(pdf: pikepdf.Pdf) -> dict[str, tuple[int, float]]:
    """The number of its sheet, and its height there, by the name of a place."""
    found = pdf.Root.get("/Dests", {}).items()
    return {name[1:]: (pikepdf.Page(where[0]).index, float(where[3])) for name, where in found}


def redirect(page: pikepdf.Page, docname: str, html: Path, places: dict[str, Array]) -> None:
    """Let the links of a page lead to places in this file instead of files of the built book.

    Where a place is not printed they lead to its page. Those to what is not in the file go; the words stay.
    """
    kept = []
    for link in page.obj.get("/Annots", []):
        address = str(link.A.get("/URI", "")) if "/A" in link else ""
        if "/Dest" in link or address.startswith("file:"):
            wanted = place_name(address, html) if address else f"{docname}#{str(link.Dest)[1:]}"
            wanted = wanted if wanted in places else wanted.partition("#")[0]
            if wanted not in places:
                continue
            link.Dest = String(wanted)
            if address:
                del link["/A"]
        kept.append(link)
    page.obj.Annots = Array(kept)


def place_name(address: str, html: Path) -> str:
    """``book/page#id`` for the address of a built page."""
    path, _, fragment = address.partition("#")
    docname = unquote(path.removeprefix(html.as_uri() + "/")).removesuffix(".html")
    return f"{docname}#{fragment}" if fragment else docname


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
        outline.root.append(OutlineItem("Index", places[INDEX.docname]))


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
