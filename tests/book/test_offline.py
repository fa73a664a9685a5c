"""PDF and EPUB: the parts that make them, a tiny book in Chromium, and the files themselves, if there."""

import json
import os
import re
import shutil
import unicodedata
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pikepdf
import pytest
from pikepdf import Dictionary, Name, String
from PIL import Image

from userdp_book.paper import chromium, epub, pdf
from userdp_book.run import contents
from userdp_book.site import mathjax, offline

ROOT = Path(__file__).parents[2]
PDF, EPUB = (one.path(ROOT) for one in offline.BOOK)
APOSTROPHES = str.maketrans("’ʼ", "''")
XHTML = "{http://www.w3.org/1999/xhtml}"
MATH = "{http://www.w3.org/1998/Math/MathML}math"
SVG_LINK = "{http://www.w3.org/2000/svg}a"
OPF = "{http://www.idpf.org/2007/opf}"

TOC = """
format: jb-book
root: book/index
parts:
  - caption: A part
    chapters:
      - file: book/one/index
        sections:
          - file: book/one/two
      - file: book/reproduce/scorecard
      - file: book/reference/glossary
"""
HEAD = """<!DOCTYPE html><html><head><title>t</title>
<script>window.MathJax = {tex: {macros: {eps: "\\\\varepsilon"}}, loader: {load: %s}}</script>
<script src="%s"></script><script>document.title = "run"</script></head><body><div>menu</div><article>"""
PAGES = {
    "index": '<h1 id="top">The book</h1><p>See <a href="one/two.html#deep">deep</a>.</p>',
    "one/index": """<section id="first"><h1>One<a class="headerlink" href="#first">#</a></h1>
        <p>Budget <span class="math">\\(\\eps &lt; 1\\)</span>, <a href="../genindex.html">index</a>.</p>
        <details><summary>Show <span class="math">\\(\\eps\\)</span></summary><p>folded words</p></details>
        <div class="userdp-moving"><p class="moving-controls" hidden>slider</p>still</div>
        <section id="below"><h2>Below</h2><img alt="a dot" src="../../_images/dot.png"></section>
        </section>""",
    "one/two": """<h1>Two &amp; last</h1><p id="deep"><a href="index.html">up</a><br>end</p>
        <p><a download href="a.zip">zip</a></p>
        <div class="cell_output"><div class="claim claim-holds">A row that holds</div>
        <details class="opens held"><summary>holds 3 claims</summary></details></div>
        <div class="claim claim-refuted">What fails <p class="claim-numbers">measured 7</p></div>
        <section id="votes"><h2>How bins are widened</h2><p>One word in passing: report.</p>
        <svg xmlns="http://www.w3.org/2000/svg"><a href="index.html"><text>drawn</text></a></svg>
        <div class="proof" id="thm-2">
        <p class="admonition-title"><span>Theorem 2</span><span class="ribbon">✓</span></p></div>
        <div class="proof" id="thm-10"><p class="admonition-title">Theorem 10</p></div></section>""",
    "reproduce/scorecard": "<h1>Scorecard</h1>",
    "reference/glossary": """<h1>Glossary</h1><dl class="glossary"><dt id="term-bin">bin</dt><dd>A word.</dd>
        <dt id="term-report">report</dt><dd>One too.</dd></dl>""",
}
GLOSSARY = "# Glossary\n\n```{glossary}\nbin\n  A word.\n```\n\n```{glossary}\nreport\n  One too.\n```\n"
DOCNAMES = [f"book/{name}" for name in PAGES]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A built book of three pages."""
    root = tmp_path_factory.mktemp("tiny")
    (root / "_toc.yml").write_text(TOC)
    (root / "_config.yml").write_text("{title: A & B, author: nobody}")
    html = root / "_build" / "html"
    head = HEAD % (json.dumps(mathjax.PARTS), (mathjax.source() / mathjax.MAIN).as_uri())
    for name, text in PAGES.items():
        path = html / "book" / f"{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{head}{text}</article></body></html>")
    (root / "book" / "reference").mkdir(parents=True)
    (root / "book" / "reference" / "glossary.md").write_text(GLOSSARY)
    (html / "_images").mkdir()
    Image.new("RGB", (4, 4), "red").save(html / "_images" / "dot.png")
    return root


def test_order_and_levels_of_the_table_of_contents(root):
    found = [(entry.level, entry.docname or entry.caption) for entry in contents.entries(root)]
    pages = ["one/index", "one/two", "reproduce/scorecard", "reference/glossary"]
    below = [(1 + (name == "one/two"), f"book/{name}") for name in pages]
    assert found == [(0, "book/index"), (0, "A part"), *below]


# PDF


def blank(path, docname, sheets, links=()):
    """A printed page: one place on its last sheet, links on its first."""
    file = path / f"{docname.replace('/', '-')}.pdf"
    with pikepdf.new() as made:
        for _ in range(sheets):
            made.add_blank_page()
        made.Root.Dests = Dictionary({"/deep": [made.pages[-1].obj, Name.XYZ, 0, 700, 0]})
        places = pdf.named_places(made)
        made.pages[0].obj.Annots = made.make_indirect(pikepdf.Array(links))
        made.save(file)
    title, headings = docname.upper(), [("Deep", "deep")]
    return pdf.Part(contents.Entry(0, docname), file, sheets, places, title, headings, [])


def address(target):
    return Dictionary(Subtype=Name.Link, A=Dictionary(S=Name.URI, URI=String(target)))


@pytest.fixture
def joined(root, tmp_path):
    html = root / "_build" / "html"
    targets = ["two.html#deep", "two.html#gone", "two.html", "index.html#deep", "elsewhere.html"]
    links = [address((html / "book/one").as_uri() + "/" + target) for target in targets]
    links += [address("https://example.org/"), Dictionary(Subtype=Name.Link, Dest=Name("/deep"))]
    parts = [blank(tmp_path, "contents", 1), blank(tmp_path, "book/index", 1)]
    parts += [blank(tmp_path, "book/one/index", 2, links), blank(tmp_path, "book/one/two", 3)]
    return pdf.join([*parts, blank(tmp_path, "index", 1)], contents.entries(root)[:4], html)


def test_links_lead_into_the_file_and_dangling_ones_go(joined):
    links = joined.pages[2].obj.Annots
    inside = [str(link.Dest) for link in links if "/Dest" in link]
    two, one = "book/one/two", "book/one/index"
    assert inside == [f"{two}#deep", two, two, f"{one}#deep", f"{one}#deep"]
    assert [str(link.A.URI) for link in links if "/A" in link] == ["https://example.org/"]


def test_places_are_on_the_right_sheets(joined):
    places = pikepdf.NameTree(joined.Root.Names.Dests)
    sheet = {name: pikepdf.Page(where[0]).index for name, where in places.items()}
    assert sheet["book/one/index"] == 2
    assert sheet["book/one/index#deep"] == 3
    assert sheet["book/one/two#deep"] == 6


def outline(items, level=0):
    for item in items:
        where = item.destination
        page = where if isinstance(where, int) else pikepdf.Page(where[0]).index
        yield level, item.title, page
        yield from outline(item.children, level + 1)


def test_bookmarks_nest_like_the_table_of_contents(joined):
    with joined.open_outline() as marks:
        found = list(outline(marks.root))
    assert found == [
        (0, "Contents", 0),
        (0, "BOOK/INDEX", 1),
        (1, "Deep", 1),
        (0, "A part", 2),
        (1, "BOOK/ONE/INDEX", 2),
        (2, "Deep", 3),
        (2, "BOOK/ONE/TWO", 4),
        (3, "Deep", 6),
        (0, "Index", 7),
    ]


def test_every_sheet_has_its_number(joined):
    assert all(
        f"({number}) Tj".encode() in page.Contents[-1].read_bytes()
        for number, page in enumerate(joined.pages, start=1)
    )


def letters(font) -> dict[int, str]:
    """What each code of a font stands for."""
    said = font.ToUnicode.read_bytes().decode()
    found = {}
    for block in re.findall(r"beginbfchar(.*?)endbfchar", said, re.S):
        pairs = re.findall(r"<(\w+)>\s*<(\w+)>", block)
        found |= {int(code, 16): bytes.fromhex(letter).decode("utf-16-be") for code, letter in pairs}
    for block in re.findall(r"beginbfrange(.*?)endbfrange", said, re.S):
        for ends in re.findall(r"<(\w+)>\s*<(\w+)>\s*<(\w+)>", block):
            low, high, letter = (int(end, 16) for end in ends)
            found |= {code: chr(letter + code - low) for code in range(low, high + 1)}
    return found


def printed(page) -> str:
    """The words on a sheet without blanks, which a PDF need not have; its number is not among them."""
    tables = {str(name): letters(font) for name, font in page.resources.Font.items() if "/ToUnicode" in font}
    width = {str(name): 1 + (font.Subtype == Name.Type0) for name, font in page.resources.Font.items()}
    said, font = [], ""
    for operands, operator in pikepdf.parse_content_stream(page, "Tf Tj TJ"):
        if str(operator) == "Tf":
            font = str(operands[0])
        elif font in tables:
            for piece in operands if str(operator) == "Tj" else operands[0]:
                if isinstance(piece, String):
                    codes = bytes(piece)
                    said += [
                        tables[font].get(int.from_bytes(codes[at : at + width[font]]), "")
                        for at in range(0, len(codes), width[font])
                    ]
    return squeezed("".join(said))


def squeezed(words: str) -> str:
    """In small letters, none of them joined, without blanks and hyphens."""
    return re.sub(r"[\s\u00ad-]", "", unicodedata.normalize("NFKC", words).lower().translate(APOSTROPHES))


# EPUB


def page(docname="book/a", body="<body><p>x</p></body>"):
    return epub.Chapter(docname, "T < U", epub.PAGE.format(title="t", style="epub.css", body=body), ())


def test_navigation_nests_and_is_well_formed(root):
    chapters = [page(docname) for docname in DOCNAMES]
    tree = ElementTree.fromstring(epub.navigation(contents.entries(root), chapters))
    assert [link.get("href") for link in tree.iter(f"{XHTML}a")] == [f"{name}.xhtml" for name in DOCNAMES]
    assert len(list(tree.iter(f"{XHTML}ol"))) == 3


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("<p/>", []),
        ('<math xmlns="http://www.w3.org/1998/Math/MathML"/>', ["mathml"]),
        ('<svg xmlns="http://www.w3.org/2000/svg"/>', ["svg"]),
    ],
)
def test_properties_are_what_is_on_the_page(inside, expected):
    assert page(body=f"<body>{inside}</body>").properties == expected


def test_a_page_that_is_not_well_formed_is_refused():
    with pytest.raises(ElementTree.ParseError):
        _ = page(body="<body><p></body>").properties


# the directive


@pytest.fixture
def app(tmp_path):
    builder = SimpleNamespace(name="html")
    return SimpleNamespace(srcdir=tmp_path, outdir=tmp_path / "_build" / "html", builder=builder)


def offer(app, *group):
    """What the directive says on the page ``book/start/x``."""
    directive = object.__new__(offline.Downloads)
    directive.arguments = [*group]
    env = SimpleNamespace(app=app, docname="book/start/x", metadata={"book/start/x": {}})
    directive.state = SimpleNamespace(document=SimpleNamespace(settings=SimpleNamespace(env=env)))
    return [item for items in directive.run() for item in items]


def test_a_file_that_is_there_is_offered_and_a_missing_one_says_how_to_make_it(app):
    path = offline.BOOK[0].path(app.srcdir)
    path.parent.mkdir(parents=True)
    path.write_bytes(bytes(2_500_000))
    first, second = offer(app)
    assert first.astext() == "The book as PDF (2.5 MB)"
    assert "../../_downloads/userdp.pdf" in str(first)
    assert second.astext() == "The book as EPUB is not in this copy: make epub writes it."


def test_of_errata_only_those_that_are_there_are_offered(app):
    """The page that leads to them says once how to make them."""
    assert offer(app, "erratum-kent") == []
    path = offline.ERRATA["erratum-kent"][1].path(app.srcdir)
    path.parent.mkdir(parents=True)
    path.write_bytes(bytes(2_500))
    assert [item.astext() for item in offer(app, "erratum-kent")] == ["The same in LaTeX (0.0025 MB)"]


def test_files_are_copied_into_the_book_and_old_ones_taken_away(app):
    path = offline.BOOK[1].path(app.srcdir)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"new")
    old = app.outdir / offline.FOLDER / "userdp.pdf"
    old.parent.mkdir(parents=True)
    old.write_bytes(b"old")
    offline.copy(app)
    assert [file.name for file in old.parent.iterdir()] == ["userdp.epub"]


# the tiny book in Chromium

in_chromium = [
    pytest.mark.browser,
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(
        not any(map(shutil.which, chromium.NAMES)) and os.environ.get("CI") != "true", reason="no chromium"
    ),
]


def apart(function, *args):
    """Call in a thread of its own: Playwright allows one browser a thread, and the tests may have theirs."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(function, *args).result()


@pytest.fixture(scope="module")
def tiny_epub(root):
    target = root / "tiny.epub"
    apart(epub.write, root, target)
    return zipfile.ZipFile(target)


class TestTinyBook:
    pytestmark = in_chromium

    def test_pdf(self, root):
        target = root / "out" / "tiny.pdf"
        apart(pdf.write, root, target)
        with pikepdf.open(target) as book:
            with book.open_outline() as marks:
                titles = [title for _, title, _ in outline(marks.root)]
            chapters = [
                "The book",
                "A part",
                "One",
                "Below",
                "Two & last",
                "How bins are widened",
                "Glossary",
            ]
            assert titles == ["Contents", *chapters, "Index"]
            assert len(book.pages) == 6
            assert len(book.pages[2].get_images()) == 1
            assert [str(link.Dest) for link in book.pages[1].obj.Annots] == ["book/one/two#deep"]
            contents, _, _, two, _, index = map(printed, book.pages)
        assert "one3two&last4glossary5index6" in contents
        # what holds is looked up on the site, what fails is read
        assert "whatfails" in two and "holds" not in two and "measured" not in two
        # a heading and a definition count, a word in passing does not; 2 comes before 10
        assert "termsbin,4,5report,5statementstheorem2,4theorem10,4" in index
        with pikepdf.open(target.with_stem("tiny-a-part")) as part:
            assert len(part.pages) == 6

    def test_epub_is_sound(self, tiny_epub):
        assert faults(tiny_epub) == []

    def test_epub_has_math_links_and_folded_words(self, tiny_epub):
        one = ElementTree.fromstring(tiny_epub.read("book/one/index.xhtml"))
        math, named = one.iter(MATH)
        assert named.get("alttext") == r"\eps"  # in the name of a fold
        assert math.get("alttext") == r"\eps < 1"
        assert "".join(math.itertext()).split() == ["ε", "<", "1"]
        words = "".join(one.itertext())
        assert "folded words" in words and "menu" not in words
        assert "still" in words and "slider" not in words
        two = tiny_epub.read("book/one/two.xhtml")
        (drawn,) = ElementTree.fromstring(two).iter(SVG_LINK)
        assert drawn.get("href") == "index.xhtml"
        index = ElementTree.fromstring(tiny_epub.read("book/index.xhtml"))
        assert [link.get("href") for link in index.iter(f"{XHTML}a")] == ["one/two.xhtml#deep"]

    def test_a_missing_picture_is_an_error(self, root, tmp_path):
        path = tmp_path / "page.html"
        path.write_text('<article><img alt="x" src="nowhere.png"></article>')
        with pytest.raises(RuntimeError, match="no picture"):
            apart(load_alone, path)


def load_alone(path):
    with chromium.new_tab() as tab:
        chromium.load(tab, path)


# the files themselves


def faults(book: zipfile.ZipFile) -> list[str]:
    """What would not do in an EPUB."""
    package = ElementTree.fromstring(book.read(epub.PACKAGE))
    items = {item.get("href"): item for item in package.iter(f"{OPF}item")}
    names = book.namelist()
    said = [] if names[0] == "mimetype" else ["the type is not first"]
    said += [f"not listed: {name}" for name in names[3:] if name not in items]
    said += [f"not there: {name}" for name in items if name not in names]
    pages = {name: ElementTree.fromstring(book.read(name)) for name in names if name.endswith(epub.ENDING)}
    ids = {name: [e.get("id") for e in tree.iter() if e.get("id")] for name, tree in pages.items()}
    for name, tree in pages.items():
        declared = (items[name].get("properties") or "").split()
        said += [f"{name}: no mathml declared" for _ in tree.iter(MATH) if "mathml" not in declared][:1]
        said += [f"{name}: twice {id}" for id in set(ids[name]) if ids[name].count(id) > 1]
        for picture in tree.iter(f"{XHTML}img"):
            if not (picture.get("alt") or "").strip():
                said.append(f"{name}: no words for {picture.get('src')}")
        for link in tree.iter(f"{XHTML}a"):
            if link.get("download") is not None and link.get("href") is None:
                said.append(f"{name}: a download of nothing")
            path, _, fragment = (link.get("href") or "").partition("#")
            if "://" in path or path.startswith("mailto:"):
                continue
            target = epub.normpath(epub.join(epub.dirname(name), path)) if path else name
            if target not in pages or fragment and fragment not in ids[target]:
                said.append(f"{name}: dangling {link.get('href')}")
    return said


@pytest.mark.skipif(not EPUB.is_file(), reason="no _build/downloads/userdp.epub: make epub")
def test_epub_of_the_book():
    with zipfile.ZipFile(EPUB) as book:
        assert faults(book) == []
        wanted = {entry.docname + epub.ENDING for entry in contents.entries(ROOT) if entry.docname}
        assert wanted <= set(book.namelist())
        text = "".join(book.read(name).decode() for name in sorted(wanted))
    assert text.count("<math ") > 1000
    assert "mjx-container" not in text and "\\(" not in text
    assert text.count("<img ") > 20


@pytest.mark.skipif(not PDF.is_file(), reason="no _build/downloads/userdp.pdf: make pdf")
def test_pdf_of_the_book():
    order = contents.entries(ROOT)
    with pikepdf.open(PDF) as book:
        with book.open_outline() as marks:
            found = list(outline(marks.root))
        places = pikepdf.NameTree(book.Root.Names.Dests)
        named = set(places)
        links = [link for page in book.pages for link in page.obj.get("/Annots", [])]
        figures = sum(len(page.get_images()) for page in book.pages)
    captions = {entry.caption for entry in order if entry.caption}
    assert captions <= {title for _, title, _ in found}
    on_paper = {entry.docname for entry in order if not pdf.SITE_ONLY.search(entry.docname)}
    assert len(on_paper) > 90 and on_paper - {""} <= named
    assert not any(pdf.SITE_ONLY.search(name) for name in named)
    assert len(found) > 2 * len(order)
    assert [str(link.Dest) for link in links if "/Dest" in link and str(link.Dest) not in named] == []
    assert not any("/A" in link and str(link.A.URI).startswith("file:") for link in links)
    assert figures > 20
    assert PDF.stat().st_size < 60e6


MOST_SHEETS = 600


@pytest.fixture(scope="module")
def sheets():
    if not PDF.is_file():
        pytest.skip("no _build/downloads/userdp.pdf: make pdf")
    with pikepdf.open(PDF) as book:
        yield book


def test_the_book_on_paper_is_no_longer_than_it_was_asked_to_be(sheets):
    assert 300 < len(sheets.pages) <= MOST_SHEETS
    for ending in pdf.editions(contents.entries(ROOT)):
        assert PDF.with_stem(PDF.stem + ending).is_file()


def test_the_contents_give_the_page_of_every_chapter(sheets):
    with sheets.open_outline() as marks:
        chapters = [(title, sheet) for _, title, sheet in outline(marks.root)]
        first = next(sheet for title, sheet in chapters if title != "Contents")
    said = "".join(printed(page) for page in sheets.pages[:first])
    places = pikepdf.NameTree(sheets.Root.Names.Dests)
    starts = {pikepdf.Page(where[0]).index for name, where in places.items() if "#" not in name}
    captions = {entry.caption for entry in contents.entries(ROOT)}
    titles = {}  # a chapter is named before the headings on its first sheet
    for title, sheet in chapters:
        if sheet in starts and title not in {"Contents", *captions}:
            titles.setdefault(sheet, squeezed(title))
    assert len(titles) > 90
    assert [title for sheet, title in titles.items() if f"{title}{sheet + 1}" not in said] == []


def index_of(sheets) -> dict[str, list[int]]:
    """The pages at each term of the glossary."""
    places = pikepdf.NameTree(sheets.Root.Names.Dests)
    first = pikepdf.Page(places["index"][0]).index
    said, _, _ = "".join(printed(page) for page in sheets.pages[first:]).partition("statements")
    row = r"(?:(?<=\d)|(?<=terms)){},([\d,]+\d)"
    rows = {term: re.search(row.format(re.escape(squeezed(term))), said) for term in pdf.terms(ROOT)}
    return {term: [int(number) for number in row[1].split(",")] for term, row in rows.items() if row}


def test_the_index_leads_to_pages_that_hold_the_term(sheets):
    """And the page after it often does not, so that a shift by one would be seen."""
    found = index_of(sheets)
    assert found.keys() == {*pdf.terms(ROOT)}
    some = [(term, number) for term, numbers in found.items() for number in numbers][::5]
    held = [squeezed(term) in printed(sheets.pages[number - 1]) for term, number in some]
    assert len(held) > 50 and all(held)
    after = [squeezed(term) in printed(sheets.pages[number]) for term, number in some]
    assert sum(after) < 0.8 * len(after)
