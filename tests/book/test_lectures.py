"""The lectures: what each must have, and every slide as a room sees it, in light and on paper."""

import re

import numpy as np
import pytest

from browsing import CHROMIUM
from slides import lectures, slide, write_all
from userdp_book.site.diagrams import DRAWINGS
from userdp_book.site.moving import figures

MINUTES = re.compile(r"^Notes \((\d+) minutes\): ", re.MULTILINE)
PARTS = re.compile(r"^---$", re.MULTILINE)
HIGH, WIDE = 720, 1280


def texts(root):
    return {path.stem: path.read_text(encoding="utf8") for path in lectures(root)}


def test_every_lecture_has_what_a_lecture_needs(root):
    assert [*texts(root)] == [f"lecture-{number}" for number in range(9)]
    for name, text in texts(root).items():
        slides = PARTS.split(text)
        assert 1500 <= len(text.split()) <= 3500, (name, len(text.split()))
        assert sum(map(int, MINUTES.findall(text))) == 90, name
        assert all(len(MINUTES.findall(one)) == 1 for one in slides), name
        assert sum("{moving} " in one and "\n{predict} " in one for one in slides) >= 3, name
        assert re.search(r"[Ff]ive|Ten users", text), name
        assert "](/book/" in text, name
        for one in slides[1:]:
            (title,) = re.findall(r"^## (.*)", one, re.MULTILINE)
            assert len(title) <= 90, (name, title)


def test_every_link_and_figure_of_a_lecture_exists(root):
    for name, text in texts(root).items():
        for page in re.findall(r"\]\(/(book/[^)]*)\)", text):
            assert (root / f"{page}.md").is_file() or (root / f"{page}.ipynb").is_file(), (name, page)
        assert set(re.findall(r"^```\{diagram\} (.*)", text, re.MULTILINE)) <= {
            file.stem for file in DRAWINGS.glob("*.svg")
        }
        assert set(re.findall(r"^```\{moving\} (.*)", text, re.MULTILINE)) <= figures(root).keys()
    moved = {figure for text in texts(root).values() for figure in re.findall(r"\{moving\} (.*)", text)}
    assert len(moved) >= 8


def test_the_sections_to_read_are_headings_of_their_pages(root):
    """In the table of reading, and where a lecture ends."""
    rows = re.findall(r"^\| \d: .*", (root / "book/teach/index.md").read_text(encoding="utf8"), re.M)
    ends = [line for text in texts(root).values() for line in text.splitlines() if line.startswith("Read [")]
    quoted = 0
    for line in rows + ends:
        pages = re.findall(r"/(book/[\w/-]+)", line)
        named = [root / f"{page}.md" for page in pages if (root / f"{page}.md").is_file()]
        heads = [head for path in named for head in re.findall(r"^#+ (.*)", path.read_text("utf8"), re.M)]
        sections = re.findall(r'"([^"]+)"', line)
        quoted += len(sections)
        assert [one for one in sections if one not in heads] == [], line
    assert len(rows) == 9 and quoted >= 12


# What answers say that the figure of the lecture shows: its setting, the column, and where it stands.
TRANSCRIPT = {"delta": 1e-6}
READ = [
    (0, "transcript", {"k": 10, "epsilon": 0.1} | TRANSCRIPT, "guess", "0.56"),
    (0, "transcript", {"k": 1000, "epsilon": 0.01} | TRANSCRIPT, "guess", "0.563"),
    (0, "transcript", {"k": 70, "epsilon": 0.1} | TRANSCRIPT, "exact, at δ", "3.88"),
    (0, "transcript", {"k": 70, "epsilon": 0.1, "delta": 1e-3}, "exact, at δ", "2.5"),
    (0, "transcript", {"k": 657, "epsilon": 0.1} | TRANSCRIPT, "guess", "0.9"),
    (1, "transcript", {"k": 100, "epsilon": 0.2} | TRANSCRIPT, "guess", "0.84"),
    (1, "transcript", {"k": 300, "epsilon": 0.1} | TRANSCRIPT, "guess", "0.807"),
    (1, "transcript", {"k": 500, "epsilon": 0.1} | TRANSCRIPT, "guess", "0.868"),
    (1, "transcript", {"k": 2, "epsilon": 0.05} | TRANSCRIPT, "guess", "0.512"),
    (1, "transcript", {"k": 700, "epsilon": 0.05} | TRANSCRIPT, "guess", "0.746"),
    (2, "categories", {"epsilon": 1.0, "k": 2}, "k-RR", "0.921"),
    (2, "categories", {"epsilon": 1.0, "k": 256}, "k-RR", "86.9"),
    (2, "categories", {"epsilon": 1.0, "k": 256}, "unary encoding", "3.92"),
    (3, "phase-change", {"m": 10, "n": 100, "epsilon": 2.0}, "localise, then refine", "0.0159"),
    (3, "phase-change", {"m": 10, "n": 100, "epsilon": 2.0}, "two-point reports", "0.0163"),
    (3, "phase-change", {"m": 300, "n": 100, "epsilon": 1.0}, "localise, then refine", "0.0391"),
    (3, "phase-change", {"m": 300, "n": 100, "epsilon": 1.0}, "two-point reports", "0.0459"),
    (3, "phase-change", {"m": 10**7, "n": 100, "epsilon": 0.5}, "localise, then refine", "0.157"),
    (3, "phase-change", {"m": 10, "n": 10, "epsilon": 1.0}, "localise, then refine", "0.394"),
    (3, "phase-change", {"m": 10**7, "n": 10, "epsilon": 1.0}, "localise, then refine", "0.349"),
    (3, "phase-change", {"m": 10**7, "n": 10, "epsilon": 4.0}, "localise, then refine", "0.0134"),
    (4, "phase-change", {"m": 10**7, "n": 30, "epsilon": 1.0}, "localise, then refine", "0.144"),
    (4, "phase-change", {"m": 10**7, "n": 100, "epsilon": 1.0}, "localise, then refine", "0.0245"),
    (4, "phase-change", {"m": 10**7, "n": 30, "epsilon": 2.0}, "localise, then refine", "0.0191"),
    (4, "phase-change", {"m": 10**7, "n": 30, "epsilon": 4.0}, "localise, then refine", "3.06e-5"),
    (5, "size-cap", {"cap": 1e3, "n": 20_000, "epsilon": 0.4, "share": 0.4}, "DAME", "0.0216"),
    (5, "size-cap", {"cap": 1e5, "n": 20_000, "epsilon": 0.4, "share": 0.9}, "DAME", "0.000306"),
    (5, "size-cap", {"cap": 1e5, "n": 20_000, "epsilon": 0.4, "share": 0.9}, "Laplace reports", "0.0025"),
    (6, "weights", {"records": 1e5, "spread": 0.02, "epsilon": 1.0}, "optimal", "378"),
    (6, "weights", {"records": 1e5, "spread": 0.02, "epsilon": 0.01}, "optimal", "6.16"),
    (6, "weights", {"records": 1e5, "spread": 0.02, "epsilon": 0.01}, "inverse variance", "522"),
    (6, "weights", {"records": 100, "spread": 0.1, "epsilon": 1.0}, "inverse variance", "17.5"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("lecture", "name", "setting", "column", "said"), READ)
def test_an_answer_says_what_its_figure_shows(root, lecture, name, setting, column, said):
    first, *others = figures(root)[name].sliders
    along = np.array([1.0, setting[first]]) if name == "weights" else np.array([setting[first]])
    table = figures(root)[name].table(along, **{other: setting[other] for other in others})
    assert float(said) == pytest.approx(np.ravel(table[column])[-1], rel=0.006)
    assert re.search(rf"(?<![\d.]){re.escape(said)}(?!\d)", texts(root)[f"lecture-{lecture}"])


def test_a_question_is_folded_and_notes_are_the_speakers(root):
    html = slide(root, "## A\n\nText $x < 1$.\n\n{predict} Why?\n> Because.\n\nNotes (3 minutes): Wait.\n")
    assert '<details class="predict"><summary>Why?</summary>\n<p>Because.</p>\n</details>' in html
    assert html.endswith('<aside class="notes"><p>(3 minutes): Wait.</p>\n</aside>')
    assert r"\(x &lt; 1\)" in html


LOOK = r"""() => [...document.querySelectorAll(".slides section")].map((one, place) => {
  if (!/print-pdf/.test(location.search)) Reveal.slide(place);
  const words = one.cloneNode(true), left = one.getBoundingClientRect().left;
  words.querySelectorAll("aside, svg, script, .moving-controls").forEach((part) => part.remove());
  const shown = [...one.children].filter((part) => part.offsetHeight && part.localName !== "aside");
  const wide = [...one.querySelectorAll("p, table, pre, svg, h1, h2, li, mjx-container")];
  return {
    foot: Math.max(one.scrollHeight, ...shown.map((part) => part.offsetTop + part.offsetHeight)),
    side: Math.max(0, ...wide.map((part) => part.getBoundingClientRect().right - left)),
    words: words.textContent.trim().split(/\s+/).filter((word) => /\w/.test(word)).length,
    drawn: one.querySelectorAll(".drawn").length,
    sliders: one.querySelectorAll(".moving-controls:not([hidden]) input").length,
    moving: one.querySelectorAll(".userdp-moving").length,
    errors: one.querySelectorAll("mjx-merror, [data-mjx-error]").length,
    raw: /\\\(|\$|\{predict\}/.test(words.textContent),
  };
})"""


def faults(found):
    """What is wrong with a slide as it is shown."""
    return [
        *(["empty"] if not (found["words"] or found["drawn"]) else []),
        *(["without words"] if found["words"] < 8 else []),
        *(["over the foot"] if found["foot"] > HIGH + 1 else []),
        *(["over the side"] if found["side"] > WIDE + 1 else []),
        *(["a figure without its slider"] if found["moving"] > found["sliders"] else []),
        *(["a formula that is not set"] if found["errors"] or found["raw"] else []),
    ]


@pytest.fixture(scope="module")
def decks(root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("decks")
    assert write_all(root, folder) == 9
    return folder


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM, reason="no chromium")
@pytest.mark.parametrize(("query", "unfolded"), [("", False), ("", True), ("?print-pdf", True)])
def test_no_slide_is_empty_or_runs_over_the_foot(root, decks, chromium, query, unfolded):
    tab = chromium.new_page(viewport={"width": WIDE, "height": HIGH})
    asked, said = [], []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    for path in sorted(decks.glob("*.html")):
        tab.goto(f"{path.as_uri()}{query}")
        tab.wait_for_function("Reveal.isReady() && MathJax.startup?.promise !== undefined")
        tab.evaluate("MathJax.startup.promise")
        count = len(PARTS.split((root / f"book/teach/lectures/{path.stem}.md").read_text(encoding="utf8")))
        tab.wait_for_function(f"document.querySelectorAll('.slides section').length === {count}")
        folds = tab.locator(".predict")
        assert not query or folds.evaluate_all("(all) => all.every((one) => one.open)")
        folds.evaluate_all("(all, open) => all.forEach((one) => { one.open = open; })", unfolded)
        found = tab.evaluate(LOOK)
        assert len(found) == count
        wrong = {place: faults(one) for place, one in enumerate(found, start=1) if faults(one)}
        assert not wrong, (path.stem, wrong)
        assert query or tab.locator(".slide-number").inner_text().split("/")[1].strip() == str(len(found))
    assert all(url.startswith("file:") for url in asked) and said == []


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM, reason="no chromium")
def test_a_slide_with_too_much_or_nothing_is_found(decks, chromium):
    tab = chromium.new_page(viewport={"width": WIDE, "height": HIGH})
    tab.goto((decks / "lecture-1.html").as_uri())
    tab.wait_for_function("Reveal.isReady()")
    tab.evaluate(
        """() => { const [one, two, three] = document.querySelectorAll(".slides section");
        one.innerHTML += "<p>more</p>".repeat(30); two.innerHTML = "";
        three.innerHTML = "<table><td>1</td></table>"; }"""
    )
    found = [faults(one) for one in tab.evaluate(LOOK)]
    assert "over the foot" in found[0] and "empty" in found[1] and "without words" in found[2]


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM, reason="no chromium")
def test_the_slider_moves_the_figure_and_the_answer_unfolds(decks, chromium):
    tab = chromium.new_page(viewport={"width": WIDE, "height": HIGH})
    tab.goto((decks / "lecture-3.html").as_uri())
    tab.wait_for_function("Reveal.isReady()")
    tab.evaluate(
        """() => Reveal.slide([...document.querySelectorAll(".slides section")]
        .findIndex((one) => one.querySelector(".userdp-moving")))"""
    )
    here = tab.locator("section.present")
    before = here.locator(".moving-says").inner_text()
    here.locator("input").first.focus()
    tab.keyboard.press("ArrowRight")
    assert here.locator(".moving-says").inner_text() != before
    assert not here.locator(".predict p").is_visible()
    here.locator("summary").click()
    assert here.locator(".predict p").is_visible() and here.locator(".userdp-moving").count() == 1
