"""Slides for the lectures of the syllabus, cut from the built book: a file each that asks for nothing else.

A page becomes its title, then of each section what a room can follow: its first words, its boxes, formulas,
figures and tables. Proofs, code and exercises stay in the book, to which every title leads. (nbconvert cuts
notebooks, whose boxes are MyST's source there, and its slides load reveal.js from another site.)
"""

import re
import shutil
from base64 import b64encode
from mimetypes import guess_type
from pathlib import Path

from ..run.pages import repository_url

KIT = Path(__file__).parent / "kit"
DOC = re.compile(r"{doc}`(?:[^`<]*<)?/?(book/[^`>]*)>?`")
SHOWN = (
    "self::div[contains(@class, 'proof')] or self::figure or self::div[contains(@class, 'math')]"
    " or self::img or self::table or self::svg"
)
DROPPED = (
    "//a[contains(@class, 'headerlink')] | //*[contains(@class, 'dropdown') or contains(@class, 'cell_input')"
    " or contains(@class, 'exercise')] | //details[not(ancestor::*[contains(@class, 'correction')])]"
    " | //script | //button"
)


def lectures(syllabus: str) -> list[list[str]]:
    """The pages of each lecture, from the two columns of the syllabus's table of weeks."""
    weeks = re.findall(r"^\| \d \|(.*?)\|(.*?)\|", syllabus, flags=re.MULTILINE)
    return [DOC.findall(cell) for week in weeks for cell in week]


def write_all(root: Path, target: Path) -> int:
    """Write the decks and MathJax beside them; return how many, none while there is no book."""
    book = root / "_build/html"
    decks = lectures((root / "book/teach/index.md").read_text(encoding="utf8"))
    if not all((book / f"{name}.html").is_file() for deck in decks for name in deck):
        return 0
    target.mkdir(parents=True, exist_ok=True)
    shutil.copytree(book / "_static/mathjax", target / "mathjax", dirs_exist_ok=True)
    for number, names in enumerate(decks, start=1):
        text = deck_of([book / f"{name}.html" for name in names], number, f"{repository_url(root)}/blob/main")
        (target / f"lecture-{number}.html").write_text(text, encoding="utf8")
    return len(decks)


def deck_of(pages: list[Path], number: int, address: str) -> str:
    """One lecture as HTML."""
    from lxml import html

    slides, engine = [], ""
    for path in pages:
        tree = html.parse(path).getroot()
        for script in tree.xpath("//script[starts-with(., 'window.MathJax')]"):
            engine = script.text
        for node in tree.xpath(DROPPED):
            node.drop_tree()
        for image in tree.xpath("//article//img"):
            image.set("src", inlined(path.parent / image.get("src")))
        for node in tree.xpath("//article//a | //article//details | //article//summary"):
            node.drop_tag()
        (article,) = tree.xpath("//article")
        source = f"{address}/{'/'.join(path.parts[path.parts.index('book') :])}".replace(".html", ".md")
        slides += cut(article, source)
    frame = (KIT / "slides.html").read_text(encoding="utf8")
    title = re.sub(r"<[^>]*>", "", slides[0].partition("</h1>")[0])
    return (
        frame.replace("{title}", f"Lecture {number}: {title}")
        .replace("{mathjax}", engine)
        .replace("{slides}", "\n".join(slides))
    )


def cut(article, source: str) -> list[str]:
    """The slides of one page."""
    from lxml import html

    def text(node) -> str:
        return html.tostring(node, encoding="unicode", with_tail=False)

    (title,) = article.xpath(".//h1")
    aims = article.xpath(".//div[contains(@class, 'tip')]/p[not(@class)]")[:1]
    slides = [f'<section class="title"><h1>{title.text_content()}</h1>{"".join(map(text, aims))}</section>']
    for section in article.xpath(".//section[h2]"):
        head = f'<h2><a href="{source}">{section.xpath("h2")[0].text_content()}</a></h2>'
        opening = "".join(map(text, section.xpath("p")[:1]))
        shown = section.xpath(f".//*[{SHOWN}][not(ancestor::*[{SHOWN}])]")
        first, *others = map(text, shown or section.xpath("p")[1:2] or [html.Element("p")])
        if opening or shown:
            slides.append(f"<section>{head}{opening}{first}</section>")
        slides += [f"<section>{head}{body}</section>" for body in others]
    # A page of corrections has no sections, but a list of those that matter most.
    for rubric in article.xpath("(.//p[contains(@class, 'rubric')])[1]"):
        head = f'<h2><a href="{source}">{rubric.text_content()}</a></h2>'
        boxes = rubric.xpath("following-sibling::div[1]/div")
        slides += [f"<section>{head}{text(box)}</section>" for box in boxes]
    for summary in article.xpath(".//div[contains(@class, 'note') and p[.='Summary']]"):
        slides.append(f"<section><h2>Summary</h2>{text(summary)}</section>")
    return slides


def inlined(path: Path) -> str:
    kind = guess_type(path.name)[0]
    return f"data:{kind};base64,{b64encode(path.read_bytes()).decode()}"
