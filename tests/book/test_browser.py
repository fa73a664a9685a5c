"""The built book in a real browser, without internet: every page of the table of contents.

Needs Chromium and ``_build/html`` (``make test`` builds it where there is a browser): required where CI=true,
skipped elsewhere.
"""

import json
import re

import lxml.html
import pytest

from browsing import FAULTS, HTML, IN_BROWSER, ROOT, SOUND, docnames, visit
from fits import OVERFLOW, WATCH, WIDTHS, jump, on_a_telephone, overflow
from userdp_book.run.pages import UNKNOWN, Page, pages, repository_url
from userdp_papers.study.claims import SEVERITIES, displays, statements

NOTEBOOKS = [page.docname for page in pages(ROOT)]
LISTED_NOTEBOOKS = [name for name in NOTEBOOKS if name in docnames()]
NARROW = ["book/index", "book/compare", "book/kent/mixture", "book/dame/experiments", "book/cummings/windows"]
NARROW += ["book/liu/debiasing-error", "book/data/index"]
pytestmark = IN_BROWSER


@pytest.mark.parametrize("docname", docnames())
def test_page_is_sound_fits_the_screen_and_is_accessible(look, docname):
    assert look(docname) == SOUND


@pytest.mark.parametrize("docname", ["search", "genindex"])
def test_page_without_a_source_is_accessible(look, docname):
    assert look(docname).findings == {}


@pytest.mark.parametrize("docname", NARROW)
def test_a_page_that_is_loaded_narrow_fits_too(tab, site, docname):
    tab.set_viewport_size({"width": 390, "height": 800})
    visit(tab, site, docname)
    assert tab.evaluate(OVERFLOW) == 0 and on_a_telephone(tab) == ([], [])


def test_what_does_not_fit_is_seen(tab, site):
    """Control: a block that is wider than one of the screens."""
    visit(tab, site, docnames()[0])
    block = "<div style='width: 700px'>wide</div>"
    tab.evaluate("html => document.querySelector('article').insertAdjacentHTML('beforeend', html)", block)
    wide, narrow = (overflow(tab, width) for width in WIDTHS)
    assert wide == 0 < narrow


def test_what_jumps_is_cut_or_too_small_is_seen(tab, site):
    """Control: a late block above all, a figure wider than its frame and a flat bar."""
    tab.add_init_script(f"({WATCH})()")
    visit(tab, site, docnames()[0])
    before = jump(tab), *on_a_telephone(tab)
    tab.evaluate("""() => {
      const add = (where, html) => document.querySelector('article').insertAdjacentHTML(where, html);
      add('beforeend', "<figure style='overflow-x: hidden'><p style='width: 700px'>wide</p></figure>");
      add('beforeend', "<details><summary style='all: unset; display: block'>low</summary></details>");
      // what follows a change of width does not count as a jump
      setTimeout(() => add('afterbegin', "<p style='height: 600px'>late</p>"), 1000);
    }""")
    tab.wait_for_function("() => window.shifted > 0.1")
    after = jump(tab), *on_a_telephone(tab)
    assert before == (0, [], []) and after[0] > 0.1 and after[1:] == (["figure"], ["low"])


def test_an_opening_drawing_below_the_first_screen_is_seen(tab, site):
    visit(tab, site, "book/kent/rotation")
    fault = "opening drawings below the first screen"
    assert tab.evaluate(FAULTS)[fault] == []
    block = "<p style='height: 600px'>above</p>"
    tab.evaluate("html => document.querySelector('article').insertAdjacentHTML('afterbegin', html)", block)
    assert len(tab.evaluate(FAULTS)[fault]) == 1


def test_the_box_that_opens_a_page_has_its_width_before_its_words(tab, site):
    """A page that is shown while it arrives does not jump when they come."""
    visit(tab, site, "book/kent/regimes")
    widths = """() => ['.admonition.tip', '.admonition.tip > .diagram'].map(
      (name) => document.querySelector(name).getBoundingClientRect().width)"""
    before = tab.evaluate(widths)
    words = ".admonition.tip > p:not(.admonition-title)"
    tab.evaluate(f"() => document.querySelectorAll('{words}').forEach(e => e.remove())")
    assert tab.evaluate(widths) == before


def test_what_is_asked_elsewhere_or_not_there_is_seen(tab, site):
    """Control: a page that wants a picture of another machine, and one that this one has not."""
    visit(tab, site, docnames()[0])
    for url in ("https://example.org/x.png", f"{site}/x.png"):
        tab.evaluate("url => new Promise(r => { const i = new Image(); i.onerror = r; i.src = url; })", url)
    said = " ".join(tab.complaints)
    assert "off-site: https://example.org/x.png" in said and "404" in said


def test_root_leads_to_the_first_page(tab, site):
    tab.goto(f"{site}/index.html")
    tab.wait_for_url(f"**/{docnames()[0]}.html")


def test_dark_mode_toggles(tab, site):
    visit(tab, site, docnames()[0])
    seen = set()
    for _ in range(3):
        tab.locator(".theme-switch-button:visible").first.click()
        seen.add(tab.evaluate("() => document.documentElement.dataset.theme"))
    assert seen == {"light", "dark"}


def test_the_sidebar_shows_where_one_is(tab, site):
    """Also where the page before left it at its end."""
    seen = """() => {
      const bar = document.querySelector('.bd-sidebar-primary'), frame = bar.getBoundingClientRect();
      const here = [...bar.querySelectorAll('a.current')].at(-1).getBoundingClientRect();
      return [here.top >= frame.top && here.bottom <= frame.bottom, bar.scrollTop];
    }"""
    visit(tab, site, "book/liu/experiments")
    tab.evaluate("() => { document.querySelector('.bd-sidebar-primary').scrollTop = 1e6; }")
    assert tab.evaluate(seen)[1] > 300
    visit(tab, site, "book/start/notation")
    assert tab.evaluate(seen)[0]


def test_the_sidebar_leads_to_every_page(tab, site):
    visit(tab, site, "book/kent/univariate")
    links = tab.locator(".bd-sidebar-primary a.reference").evaluate_all("all => all.map(e => e.href)")
    assert {f"{site}/{name}.html" for name in docnames()} <= {link.partition("#")[0] for link in links}


def test_a_closed_claim_says_in_four_lines_what_fits(tab, site):
    """Opened, it says all, and once."""
    visit(tab, site, "book/kent/multivariate")
    for held in tab.locator(".held > summary:visible").all():
        held.click()
    rows = tab.locator(".claim:not(.claim-context) > .claim-row:visible")
    shown = rows.first.locator("summary > span").last
    line = shown.evaluate("e => parseFloat(getComputedStyle(e).lineHeight)")
    high = rows.evaluate_all("all => all.map(e => e.firstElementChild.lastElementChild.clientHeight)")
    whole = rows.evaluate_all("all => all.map(e => e.firstElementChild.lastElementChild.scrollHeight)")
    assert len(high) > 10 and all(0 < one < 4.2 * line for one in high) and max(whole) > 2.5 * line
    rows.first.locator("summary").click()
    assert not shown.is_visible() and rows.first.locator("p").first.is_visible()


def test_a_closed_claim_shows_that_it_opens_and_one_that_fails_that_it_is_claimed(tab, site):
    rows = visit(tab, site, "book/kent/infinite-rates").locator(".cell_output .claim > .claim-row")
    assert rows.first.locator("summary").evaluate("e => getComputedStyle(e, '::after').content") == '"+"'
    said = {name: tab.locator(f".claim-{name} > .claim-row > summary") for name in ("refuted", "holds")}
    assert all(said[name].count() for name in said)
    assert all("Claimed: " in text for text in said["refuted"].all_text_contents())
    assert not any("Claimed: " in text for text in said["holds"].all_text_contents())


@pytest.mark.parametrize(
    ("tex", "part", "lines"),
    [
        (r"a \le b \qquad c \ge d", 0.6, [r"a \le b ", r" c \ge d"]),
        (r"a + b + c \le d + e + f", 0.6, ["a + b + c ", r"\quad{}\le d + e + f"]),
        (
            r"a + b + c \le d + e + f",
            0.3,
            ["a ", r"\quad{}+ b ", r"\quad{}+ c ", r"\quad{}\le d ", r"\quad{}+ e ", r"\quad{}+ f"],
        ),
        (r"\begin{aligned} a &\le b \\ &= c \end{aligned}", 0.7, [" a ", r"\quad{}\le b ", r"\quad{} = c "]),
        (r"(a - b)_+ + c = -1 + d", 0.3, ["(a - b)_+ ", r"\quad{}+ c ", r"\quad{}= -1 ", r"\quad{}+ d"]),
        (r"f(a \le b, c = d)", 0.3, None),
        (r"\left(a = b\right) \begin{cases} a = b \end{cases}", 0.3, None),
        (r"a = b \tag{1}", 0.3, None),
    ],
)
def test_a_formula_is_broken_at_its_top_level_alone(tab, site, tex, part, lines):
    visit(tab, site, docnames()[0])
    found = tab.evaluate("([tex, part]) => userdpPage.broken(tex, part)", [tex, part])
    rows = r"\\&".join(lines or ())
    assert found == (rf"\begin{{aligned}}&{rows}\end{{aligned}}" if lines else tex)


def test_formulas_fit_a_telephone_and_one_that_cannot_be_broken_scrolls(tab, site):
    tab.set_viewport_size({"width": 390, "height": 800})
    shown = """[...document.querySelectorAll("article mjx-container[display='true']")]"""
    wide = f"() => {shown}.filter(e => e.clientWidth && e.scrollWidth > e.clientWidth + 2).length"
    visit(tab, site, "book/kent/sparse")
    tab.wait_for_function(f"() => ({wide})() === 0")
    assert (
        tab.evaluate(f"() => Math.min(...{shown}.map(e => parseFloat(getComputedStyle(e).fontSize)))") >= 14
    )
    visit(tab, site, "book/kent/mixture")
    assert tab.evaluate(wide) > 0


def test_a_wide_table_of_words_is_a_block_for_each_row_on_a_telephone(tab, site):
    """Each cell has its head before it. Nothing changes on a wide screen, or in a table of numbers."""
    assert visit(tab, site, "book/open-questions").locator(".stacked").count() == 0
    tab.set_viewport_size({"width": 390, "height": 800})
    table = visit(tab, site, "book/open-questions").locator("table.stacked").first
    heads = table.locator("thead th").all_text_contents()
    told = table.locator("tbody tr").first.locator("td:not(:first-child) > .head:first-child")
    assert len(heads) > 3 and told.all_text_contents() == [f"{head}: " for head in heads[1:]]
    assert table.evaluate("e => e.scrollWidth <= e.parentElement.clientWidth")
    assert visit(tab, site, "book/dame/experiments").locator(".cell_output table").count() > 3
    assert tab.locator(".cell_output .stacked").count() == 0
    # one with long cells too
    assert visit(tab, site, "book/liu/practice").locator("table.stacked").count() >= 1
    # what is mathematics in a head is mathematics before its cells
    heads = visit(tab, site, "book/kent/regimes").locator(".stacked tbody .head mjx-container")
    heads.first.wait_for()
    assert heads.count() > 3 and "\\(" not in "".join(tab.locator(".stacked .head").all_text_contents())


def test_a_line_of_code_that_is_too_long_goes_on_further_in_on_a_telephone(tab, site):
    """And what is copied is the same."""
    code = "[...document.querySelectorAll('article .highlight pre')]"
    read = f"() => {code}.map(one => one.textContent.trimEnd())"
    wide = visit(tab, site, "book/use/tutorial").evaluate(read)
    assert tab.locator(".highlight .line").count() == 0
    tab.set_viewport_size({"width": 390, "height": 800})
    assert visit(tab, site, "book/use/tutorial").evaluate(read) == wide
    starts = tab.evaluate(f"""() => {code}.flatMap(one => [...one.querySelectorAll('.line')]).map(line => {{
        const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT), range = document.createRange();
        const found = [], height = parseFloat(getComputedStyle(line).lineHeight);
        while (walker.nextNode()) for (let at = 0; at < walker.currentNode.length; at++) {{
            if (!walker.currentNode.data[at].trim()) continue;
            range.setStart(walker.currentNode, at); range.setEnd(walker.currentNode, at + 1);
            const {{ left, top }} = range.getBoundingClientRect();
            if (!found.length || top > found.at(-1)[1] + height / 2) found.push([left, top]);
        }}
        return found.map(([left]) => left);
    }})""")
    wrapped = [lefts for lefts in starts if len(lefts) > 1]
    assert len(wrapped) > 5 and any(lefts[0] > 50 for lefts in wrapped)
    assert all(min(lefts[1:]) > lefts[0] + 10 for lefts in wrapped)


def test_the_tables_of_a_plan_fit_a_telephone_and_the_first_method_stands_out(tab, site):
    tab.set_viewport_size({"width": 390, "height": 800})
    tables = visit(tab, site, "book/compare").locator(".text_html table:has(> caption)")
    assert tables.count() > 5
    assert tables.evaluate_all("found => found.every(e => e.scrollWidth <= e.closest('.output').clientWidth)")
    weights = "e => [...e.querySelectorAll('tbody th')].map(head => getComputedStyle(head).fontWeight)"
    first, *others = tables.nth(1).evaluate(weights)
    assert first == "600" and others and "600" not in others


def test_a_claim_does_not_touch_the_table_above_it(tab, site):
    for page in ("book/kent/sparse", "book/cummings/private-sizes"):
        claims = visit(tab, site, page).locator(".output.text_html:visible + .claim:visible")
        gap = "e => e.getBoundingClientRect().top - e.previousElementSibling.getBoundingClientRect().bottom"
        assert claims.count() and min(one.evaluate(gap) for one in claims.all()) > 8, page


def test_the_letters_of_a_drawing_can_be_read_on_a_telephone(tab, site):
    tab.set_viewport_size({"width": 390, "height": 800})
    size = "parseFloat(getComputedStyle(e).fontSize) * e.clientWidth / e.viewBox.baseVal.width"
    for page in ("book/liu/bounded", "book/cummings/index", "book/kent/floor"):
        drawings = visit(tab, site, page).locator(".diagram svg")
        assert drawings.count() and min(drawings.evaluate_all(f"found => found.map(e => {size})")) >= 12, page


def test_a_formula_that_is_a_little_too_wide_is_set_smaller_on_a_telephone_but_can_be_read(tab, site):
    tab.set_viewport_size({"width": 390, "height": 800})
    formulas = visit(tab, site, "book/kent/density").locator("mjx-container[display='true']:visible")
    tab.wait_for_function("document.querySelector('mjx-container[style*=px]') !== null")
    measured = (
        "all => all.map(e => [parseFloat(getComputedStyle(e).fontSize), e.scrollWidth - e.clientWidth])"
    )
    sizes = formulas.evaluate_all(measured)
    whole = max(size for size, _ in sizes)
    assert all(size >= 14 for size, _ in sizes) and min(size for size, _ in sizes) < whole
    assert all(hidden <= 0 for size, hidden in sizes if size < whole)


def test_what_scrolls_fades_by_no_more_than_is_hidden(tab, site):
    """Among it a table of which twenty pixels are."""
    tab.set_viewport_size({"width": 390, "height": 800})
    frame = "class='pst-scrollable-table-container' style='overflow-x: auto; width: 300px'"
    block = f"<div {frame}><p style='width: 320px'>wide</p></div>"
    visit(tab, site, "book/start/notation").evaluate(
        "html => document.querySelector('article').insertAdjacentHTML('beforeend', html)", block
    )
    tab.set_viewport_size({"width": 389, "height": 800})
    tab.wait_for_selector("article > .scrolls")
    boxes = tab.locator("article .scrolls:not(mjx-container)")
    measured = """all => all.map(e => {
      const style = getComputedStyle(e), given = parseFloat(style.getPropertyValue('--hidden'));
      return [e.scrollWidth - e.clientWidth, given, 2 * parseFloat(style.getPropertyValue('--shade'))];
    })"""
    seen = boxes.evaluate_all(measured)
    assert all(hidden == given and 0 < fades <= hidden + 0.1 for hidden, given, fades in seen)
    assert 20 in [hidden for hidden, _, _ in seen] and len(seen) > 1


def test_an_erratum_has_its_kinds_of_errors_in_its_contents_and_their_words_in_a_column(tab, site):
    visit(tab, site, "book/liu/erratum")
    listed = tab.locator(".bd-sidebar-secondary nav a").all_text_contents()
    assert {"Privacy broken", "Statement false", "Proof gap"} <= {entry.strip() for entry in listed}
    measured = """all => all.map(e => {
      const word = e.firstElementChild.getBoundingClientRect(), all = e.getBoundingClientRect();
      return word.right - all.left - parseFloat(getComputedStyle(e).paddingLeft);
    })"""
    places = tab.locator(".erratum-entry > .said").evaluate_all(measured)
    assert len(places) > 8 and all(place <= 0 for place in places)
    entries = tab.locator(".erratum-entry")
    ids = entries.evaluate_all("all => all.map(one => one.id)")
    own = entries.locator("> p:first-child > a:last-child").evaluate_all("all => all.map(one => one.hash)")
    assert len({*ids}) == len(ids) > 8 and own == [f"#{id}" for id in ids]


def test_a_reference_page_shows_calls_formulas_and_links(tab, site):
    visit(tab, site, "book/reference/api/local")
    calls = tab.locator(".api-entry > summary > .parameters")
    assert calls.first.text_content() == "(users, offset, sigmas, spread)" and calls.count() > 30
    assert "(half_width, truncated)" in calls.all_text_contents()
    assert tab.locator(".api-entry mjx-container").count() > 30
    assert tab.locator(".api-entry:not([open])").count() > 30
    visit(tab, site, "book/reference/api/release")
    assert tab.locator(".api-entry:not([open])").count() == 0 < tab.locator(".api-entry").count()
    links = tab.locator(".api-entry dd a:has-text('Guarantee')")
    assert links.first.get_attribute("href").endswith("privacy.html#userdp.privacy.guarantee.Guarantee")


def test_search_stays_in_sight_beside_a_long_navigation(tab, site):
    visit(tab, site, "book/reproduce/statements")
    bar, here = tab.locator(".bd-sidebar-primary"), tab.locator(".bd-sidebar-primary a.current").last
    search = bar.locator(".search-button-field").bounding_box()
    assert bar.evaluate("bar => bar.scrollTop") > 200 and search["y"] >= 0
    assert search["y"] + search["height"] <= here.bounding_box()["y"]


def test_what_is_context_waits_behind_its_bar_unless_a_link_leads_to_it(tab, site):
    notes = visit(tab, site, "book/kent/infinite-rates").locator(".claim-context")
    assert notes.count() > 1 and not any(note.is_visible() for note in notes.all())
    tab.goto(f"{tab.url}#{notes.first.get_attribute('id')}")
    assert notes.first.is_visible() and not notes.last.is_visible()
    for bar in tab.locator(".run-bar > summary").all():
        bar.click()
    assert all(note.is_visible() for note in notes.all())


def test_search_finds_a_page(tab, site):
    tab.goto(f"{site}/search.html?q=randomised+response")
    tab.wait_for_selector("#search-results ul.search li a", timeout=10_000)
    assert tab.complaints == []


@pytest.mark.parametrize(
    ("page", "entries"),
    [("book/reproduce/corrections", ".correction"), ("book/reference/api/local", "details.opens dt[id]")],
)
def test_a_link_opens_what_it_leads_to(tab, site, page, entries):
    visit(tab, site, page)
    where = tab.locator(f"article {entries}").filter(has_not=tab.locator("[open]")).last.get_attribute("id")
    folds = tab.locator(f"details.opens:has([id='{where}']), [id='{where}'] > details.opens")
    before = folds.last.get_attribute("open")
    tab.evaluate("id => { location.hash = id; }", where)
    for fold in folds.element_handles():  # its own, and the one around it
        tab.wait_for_function("fold => fold.open", arg=fold)
    assert before is None


def test_a_link_to_what_is_proved_opens_its_tab_and_leads_there(tab, site):
    visit(tab, site, "book/liu/private-bounds-error")
    tab.evaluate("location.hash = 'claim-liu-cor-4.5.all'")
    line = tab.locator("[id='claim-liu-cor-4.5.all']")
    line.wait_for(state="visible", timeout=5_000)
    seen = """e => {
      const { top, bottom } = e.getBoundingClientRect();
      return 0 < top && top < bottom && bottom < innerHeight;
    }"""
    tab.wait_for_function(seen, arg=line.element_handle(), timeout=5_000)


def test_rows_are_chosen_by_the_address_and_sorted_by_a_click(tab, site):
    tab.goto(f"{site}/book/reproduce/statements.html?paper=dame", wait_until="domcontentloaded")
    wanted = sum(item["paper"] == "dame" for item in statements().values())
    said = tab.locator(".userdp-filter output").inner_text()
    assert said == f"{wanted} of {len(statements())} rows shown" and tab.url.endswith("?paper=dame")
    rows = "() => [...document.querySelectorAll('tr.by-paper-dame')].map((row) => row.cells[0].textContent)"
    as_written = tab.evaluate(rows)
    head = tab.locator("tr:visible th button", has_text="statement").first
    seen = []
    for _ in range(3):
        head.click()
        seen.append(tab.evaluate(rows))
    assert sorted(as_written, key=str.casefold)[0] == seen[0][0] == seen[1][-1] and seen[2] == as_written


def test_a_part_without_a_row_that_is_asked_for_is_hidden_with_its_title(tab, site):
    visit(tab, site, "book/reproduce/corrections")
    parts = tab.locator("section.userdp-filtered section > h3")
    assert parts.count() == len(SEVERITIES) == parts.locator("visible=true").count()
    row = tab.locator(".correction").last
    assert not row.is_visible()  # rows of the lesser kinds wait until one asks for some
    tab.locator(".userdp-filter select[name=severity]").select_option("wording-or-glyph")
    assert row.is_visible()
    assert [title.strip("#") for title in parts.locator("visible=true").all_text_contents()] == [
        "Wording or glyph"
    ]


def counted(status):
    """How many displays have a status, and its words as the choice has them."""
    return re.search(r"(\d+) (.+)", status.inner_text()).groups()


def test_what_stands_as_printed_comes_when_asked_and_is_chosen_from_with_the_rest(tab, site):
    visit(tab, site, "book/liu/beside")
    rows, said = tab.locator(".userdp-filtered tbody tr"), tab.locator(".userdp-filter output")
    few, whole = rows.count(), sum(key.startswith("liu-") for key in displays())
    assert said.inner_text() == f"{few} of {few} rows shown" and 0 < few < whole
    tab.get_by_role("button", name=f"Show {whole - few} more rows").click()
    assert rows.count() == whole and said.inner_text() == f"{whole} of {whole} rows shown"
    sums = tab.locator("article section > p > .status").all()
    counts = {words: int(count) for count, words in map(counted, sums)}
    assert sum(counts.values()) == whole
    offered = tab.locator(".userdp-filter option").all_inner_texts()[1:]
    assert sorted(offered) == sorted(f"{words} ({count})" for words, count in counts.items())
    tab.locator(".userdp-filter select").select_option("ok")
    assert said.inner_text().endswith(f" of {whole} rows shown") and not rows.first.is_visible()
    tab.locator("th button", has_text="display").last.click()
    assert tab.locator("th[aria-sort]").count() == 1


@pytest.mark.parametrize("docname", LISTED_NOTEBOOKS)
def test_buttons_open_the_notebook(docname):
    page = Page(ROOT, docname.removeprefix("book/"))
    built = HTML / f"{docname}.html"
    links = lxml.html.parse(built).xpath("//a[contains(@class, 'dropdown-item')]/@href")
    target = f"notebooks/{page.name}.ipynb"
    # while nobody has said where the repository is, no button leads there
    known = not repository_url(ROOT).startswith(UNKNOWN)
    assert [target in link for link in links if "colab." in link or "binder" in link] == [True, True] * known
    assert any(link.endswith(f"{docname}.md") for link in links)
    ipynb = next(link for link in links if link.endswith(f"_sources/{docname}.ipynb"))
    downloaded = json.loads((built.parent / ipynb).read_text(encoding="utf8"))
    assert downloaded["cells"][0]["metadata"]["tags"] == ["colab"]
    assert any(cell.get("outputs") for cell in downloaded["cells"])
