"""Figures that move: the package's numbers, curves and words that follow them, a still picture."""

import json
import os
import re
import warnings
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.stats import laplace
from scipy.stats import norm as normal

from browsing import IN_BROWSER, docnames, spare
from fits import SCREEN
from userdp import plan
from userdp.planning import NoGain
from userdp.privacy import KaryResponse, UnaryEncoding
from userdp.sizes import constant_size, uniform_sizes
from userdp_book.site import moving
from userdp_book.site.chart import RIGHT, WIDE
from userdp_book.site.figure import Slider, figure, filled, number, plain, raised
from userdp_papers.study.claims import faults
from userdp_papers.theory.audit import exact_loss, hockey_stick
from userdp_papers.theory.exact import localised_risk, sign_means

ROOT = Path(__file__).parents[2]
FIGURES = moving.figures(ROOT)
# a minute of planning or more: made once where no book is built
PLANNED = pytest.mark.xdist_group("plan-for")
NAMES = [pytest.param(name, marks=PLANNED) if name == "plan-for" else name for name in FIGURES]
SVG = "{http://www.w3.org/2000/svg}"
LETTER = 8.0  # units that a letter of this size takes on average, generously


def markup(name):
    """What stands on a figure's page; of the long table what the book has that the same run has built."""
    page = ROOT / f"_build/html/{moving.placed(ROOT)[name]}.html"
    built = page.read_text("utf8") if name == "plan-for" and "CI" in os.environ and page.exists() else ""
    found = re.search(
        rf'id="moving-{name}">[^{{}}]*?(<div class="userdp-moving.*?</script></div>)', built, re.S
    )
    return found.group(1) if found else moving.markup(FIGURES[name])


def data(name):
    return json.loads(re.search(r'json">(.*?)</script>', markup(name)).group(1))


def test_every_figure_is_on_one_page_and_no_page_asks_for_another(root):
    pages = [page.read_text("utf8") for page in (root / "book").rglob("*.md")]
    asked = [name for page in pages for name in moving.ASKED.findall(page)]
    assert sorted(asked) == sorted(FIGURES) and set(asked) == set(moving.placed(root))


@pytest.mark.parametrize("name", FIGURES)
def test_a_figures_function_stands_beside_its_page(name):
    beside = Path(FIGURES[name].table.__code__.co_filename).parent
    assert beside == (ROOT / moving.placed(ROOT)[name]).parent


def test_a_page_is_read_again_when_its_figures_change(tmp_path):
    (tmp_path / "book").mkdir()
    file = tmp_path / "book/moving.py"
    file.write_text("TONE = 1\n")
    before = moving.digests(tmp_path)
    assert moving.digests(tmp_path) == before
    file.write_text("TONE = 2\n")
    assert moving.digests(tmp_path) != before


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_figure_is_small_says_what_it_shows_and_keeps_inside(name):
    figure, shown = FIGURES[name], markup(name)
    assert len(shown.encode()) < 60_000 and len(figure.alt) > 100
    assert figure.fault is None or figure.fault in faults()
    assert not re.search(r"[{}]", re.search(r'role="status">(.*?)</p>', shown).group(1))
    tree = ElementTree.fromstring(re.search(r'<svg class="userdp-chart".*?</svg></svg>', shown).group())
    for text in tree.iter(f"{SVG}text"):
        wide, x = LETTER * len(text.text), float(text.get("x"))
        left = {"start": x, "middle": x - wide / 2, "end": x - wide}[text.get("text-anchor")]
        assert left >= 0 and left + wide <= WIDE, text.text
    lines = [line.get("points").split() for line in tree.iter(f"{SVG}polyline")]
    assert len(lines) == len(figure.lines) and all(len(points) > 1 for points in lines)
    assert all(float(point.split(",")[0]) <= RIGHT for points in lines for point in points)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, figure in FIGURES.items() if figure.verdict])
def test_moving_the_sliders_changes_the_verdict(name):
    one, other = (expanded(name, column) for column in FIGURES[name].verdict[:2])
    assert set(one > other) == {False, True}


def expanded(name, column):
    """A column at all settings, one number for each."""
    told, numbers = data(name), np.array([*map(number, data(name)["columns"][column].split())])
    return np.repeat(numbers, len(told["at"])) if numbers.size == len(FIGURES[name].rows()) else numbers


@pytest.mark.parametrize("x", [0.001234, 1.0, 0.0, 12345.6, 1e-9, 2.5e7, -0.5])
def test_a_number_is_shown_in_three_digits_that_can_be_read(x):
    assert float(plain(x)) == pytest.approx(x, rel=5e-3)
    assert plain(float("nan")) == "-"


def test_a_power_of_ten_is_written_as_one():
    assert raised("at 1.03e-4, 2e12 and base2e") == "at 1.03 · 10⁻⁴, 2 · 10¹² and base2e"


# --- what the package is asked, asked in another way ---------------------------------------------


def test_reports_have_their_closed_forms():
    at = np.array(FIGURES["reports"].sliders["epsilon"].values)
    found = FIGURES["reports"].table(at, x=0.5)
    grown = np.exp(at)
    assert found["Laplace noise"] == pytest.approx(8 / at**2)
    assert found["Duchi et al."] == pytest.approx(((grown + 1) / (grown - 1)) ** 2 - 0.25)
    found = FIGURES["categories"].table(at, k=16)
    assert found["k-RR"] == pytest.approx((grown + 14) / (grown - 1) ** 2)
    assert found["unary encoding"] == pytest.approx(np.exp(at / 2) / np.expm1(at / 2) ** 2)
    losses = [KaryResponse(16, 1.0).privacy_loss(), UnaryEncoding(16, 1, 1.0).privacy_loss()]
    assert losses == pytest.approx([1, 1])


def test_a_transcript_needs_the_slack_that_is_said():
    found = FIGURES["transcript"].table(np.array([1, 3]), epsilon=0.5, delta=1e-3)
    keep = np.exp(0.5) / (1 + np.exp(0.5))
    bits = np.array(np.meshgrid(*[[0, 1]] * 3)).reshape(3, -1).sum(axis=0)
    channel = [keep**ones * (1 - keep) ** (3 - ones) for ones in (bits, 3 - bits)]
    assert exact_loss(channel) == pytest.approx(found["sum of the budgets"][1])
    assert hockey_stick(channel, found["exact, at δ"][1]) == pytest.approx(1e-3, rel=1e-3)
    right = np.max(channel, axis=0).sum() / 2
    assert found["guess"][1] == pytest.approx(right)


@pytest.mark.parametrize("distance", [3, 14, 60])
@pytest.mark.parametrize("apart", [0.0, 0.5, 1.0])
def test_slack_of_testing_and_releasing_is_that_of_its_channel(distance, apart):
    """The released number in narrow cells, and whether there is one."""
    found = FIGURES["test-and-release"].table(
        np.array([1.0, 1.5]), epsilon=0.5, distance=distance, apart=apart
    )
    passed = laplace.sf(np.log(1e6) - 0.5 * np.array([distance, distance - 1]))
    cells = np.diff(
        laplace.cdf(np.r_[-np.inf, np.linspace(-0.1, 0.6, 20_001), np.inf][:, None] - [0, apart / 2]), axis=0
    )
    channel = np.c_[1 - passed, passed[:, None] * cells.T]
    listed = [hockey_stick(channel, budget) for budget in (0.5, 0.75)]
    # only the cell in which the ratio crosses can differ, and only downwards
    assert found["needed"] == pytest.approx(listed, abs=1e-5)


def test_the_printed_lower_bound_fails_from_the_budget_of_the_page():
    at = np.array([15.0, 16.0])
    found = FIGURES["large-budget"].table(at, delta=0.125, users=1000)
    assert found["error"] == pytest.approx(1 / at[:, None], rel=1e-6)
    assert found["lower bound, printed"] == pytest.approx((1 + np.log(4) / at) / (12 * np.log(4)))
    assert 15 < 11 * np.log(4) < 16 and np.all(np.isnan(found["lower bound, repaired"]))


def test_the_best_width_is_the_best_of_all():
    at = np.array(FIGURES["phase-change"].sliders["m"].values)[[2, 7, 12]]
    whole = FIGURES["phase-change"].table(
        np.array(FIGURES["phase-change"].sliders["m"].values), n=30, epsilon=2.0
    )
    for place, m in zip([2, 7, 12], at, strict=True):
        law = sign_means(0.3, int(m))
        widths = 2.0 ** (-np.arange(24) / 2)
        least = min(localised_risk(law, n=30, epsilon=2.0, half_width=width)[0] for width in widths)
        assert whole["localise, then refine"][place] == pytest.approx(least)


def test_users_of_the_histogram_have_a_median_of_twenty_records():
    users = FIGURES["histogram-bound"].table.__globals__["NORMAL"]
    assert users.size == 300 and np.median(users) == pytest.approx(0, abs=1e-12)
    assert normal.cdf(users[[0, -1]]) == pytest.approx([1 / 600, 599 / 600])


def test_a_column_that_is_missing_at_a_setting_is_refused():
    sliders = {"x": Slider("x", (1, 2), 0), "k": Slider("k", (1, 2), 0)}
    known = {"title": "T", "alt": "", "sliders": sliders, "y": None, "lines": {}, "says": ""}
    assert figure(**known)(lambda x, k: {"a": k * x, "b": k}).columns() == {"a": [*"1224"], "b": [*"12"]}
    with pytest.raises(ValueError, match=r"'T' has other columns at \(2,\)"):
        figure(**known)(lambda x, k: {"a": x} if k == 1 else {}).columns()


def plan_at(**chosen):
    """What the calculator says at its first setting, or another, of each slider."""
    figure = FIGURES["plan-for"]
    first = {name: slider.values[slider.first] for name, slider in figure.sliders.items()} | chosen
    at, size = np.array(figure.along.values), first.pop("m")
    found, place = figure.table(at, **first), figure.along.values.index(size)
    row = {name: np.broadcast_to(np.squeeze(x), at.shape)[place] for name, x in found.items()}
    said = {name: plain(x) for name, x in row.items()} | {"epsilon": plain(first["epsilon"])}
    return row, filled(figure.code, said)


CHOICES = [FIGURES["plan-for"].sliders[name].values for name in ("what", "sizes", "people")]


@pytest.mark.parametrize(("what", "sizes", "people"), [*product(*CHOICES)])
def test_the_lines_of_the_calculator_run_and_have_the_error_that_it_tells(what, sizes, people):
    row, code = plan_at(m=100, n=100, what=what, sizes=sizes, people=people)
    rng, each = np.random.default_rng(1), 100
    law = uniform_sizes(1, 200) if sizes == CHOICES[1][1] else constant_size(each)
    known = {"rng": rng, "sizes": law.draw(100, rng), "means": rng.random(100)}
    known["counts"] = rng.integers(0, 4, (100, 30))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoGain)
        exec(code, known)
    records = 100 * law.expectation(lambda m: m) if "histogram" in code else 1.0
    assert known["best"].method == row["best"]
    assert known["best"].error / records == pytest.approx(row["error"])
    assert known["answer"].guarantee.epsilon == pytest.approx(1.0)


@PLANNED
def test_every_method_that_the_calculator_recommends_is_explained_below_it():
    below = (ROOT / "book/compare.md").read_text("utf8").partition("{moving} plan-for")[2].partition(":::")[0]
    terms = re.findall(r"^(\S.*)\n: ", below, re.M)
    assert sorted({*data("plan-for")["columns"]["best"].replace("\u00a0", "_").split()}) == sorted(
        term.replace(" ", "_") for term in terms
    )


def test_users_who_differ_count_as_users_with_fewer_records():
    """What the caption says: a spread s is worth 1 / (1/m + s^2) records."""
    spread = plan(n=10_000, sizes=10_000, epsilon=1.0, spread=0.03)
    fewer = plan(n=10_000, sizes=1000, epsilon=1.0, spread=0.0)  # 1e-4 + 0.0009 = 1/1000
    for one in fewer:
        if one.method in ("two-point reports", "Laplace reports", "improved mean"):
            other = next(option for option in spread if option.method == one.method)
            assert other.error == pytest.approx(one.error, rel=1e-6)


def test_the_dame_counterexample_is_among_the_settings():
    found = FIGURES["dame-bounds"].table(np.array([10**12]), epsilon=0.1, n=2, share=1.0)
    assert found["upper bound, printed"][0] < found["lower bound"][0] < found["upper bound, corrected"][0]
    assert found["upper bound, printed"][0] == pytest.approx(1.1e-6, rel=0.05)


# --- in a browser ---------------------------------------------------------------------------------
LOOK = """name => {
  const root = document.querySelector(`#moving-${name} .userdp-moving`);
  const all = what => [...root.querySelectorAll(what)];
  return {
    values: Object.fromEntries(all('[data-value]').map(e => [e.dataset.value, e.textContent])),
    points: all('polyline').map(e => e.getAttribute('points')),
    said: root.querySelector('.moving-says').textContent,
    broken: root.classList.contains('moving-broken'),
  };
}"""
CHOOSE = """([name, places]) => {
  const inputs = [...document.querySelectorAll(`#moving-${name} input`)];
  [...new Set(inputs.map(e => e.name))].forEach((slider, i) => {
    const [one, ...others] = inputs.filter(e => e.name === slider);
    if (others.length) [one, ...others][places[i]].checked = true; else one.value = places[i];
  });
  inputs[0].dispatchEvent(new Event('input', {bubbles: true}));
}"""


def browsed(test):
    for mark in IN_BROWSER:
        test = mark(test)
    return test


@pytest.fixture
def at_figure(browser, site, root):
    """Opens the page of a figure, with or without scripts."""
    pages, open_ones = moving.placed(root), []

    def open_page(name, **options):
        if pages[name] not in docnames():
            pytest.skip("the page is not in the book")
        context = browser.new_context(viewport=SCREEN, **options)
        open_ones.append(context)
        tab = context.new_page()
        spare(tab, "*/mathjax/*")  # comes late and has no part in this
        tab.complaints, tab.requests = [], []
        tab.on("pageerror", lambda error: tab.complaints.append(str(error)))
        tab.goto(f"{site}/{pages[name]}.html", wait_until="load", timeout=120_000)
        context.set_offline(True)
        # the browser asks for the sign of the tab when it likes
        tab.on("request", lambda r: "favicon" in r.url or tab.requests.append(r.url))
        return tab

    yield open_page
    for context in open_ones:
        context.close()


def numbers(points):
    return np.array([[*map(float, pair.split(","))] for pair in points.split()])


@browsed
@pytest.mark.parametrize("name", NAMES)
def test_the_still_picture_then_ten_settings_have_the_numbers_of_the_package(at_figure, name):
    tab, figure, rng = at_figure(name), FIGURES[name], np.random.default_rng(5)
    along, *others = figure.sliders
    at = np.array(figure.sliders[along].values)
    still = re.findall(r'<polyline [^>]*points="(.*?)"', markup(name))
    for drawn, stood in zip(tab.evaluate(LOOK, name)["points"], still, strict=True):
        np.testing.assert_allclose(numbers(drawn), numbers(stood), atol=0.11)
    for _ in range(10):
        places = [int(rng.integers(len(slider.values))) for slider in figure.sliders.values()]
        tab.evaluate(CHOOSE, [name, places])
        seen = tab.evaluate(LOOK, name)
        known = {
            key: figure.sliders[key].values[place] for key, place in zip(others, places[1:], strict=True)
        }
        row = {key: np.broadcast_to(np.squeeze(x), at.shape) for key, x in figure.table(at, **known).items()}
        said = {key: plain(x[places[0]]) for key, x in row.items()}
        assert seen["values"] == {key: raised(said[key]) for key in figure.lines}
        said |= {
            key: slider.shown()[place]
            for (key, slider), place in zip(figure.sliders.items(), places, strict=True)
        }
        assert seen["said"] == figure.sentence(said)
        assert seen["broken"] == (bool(figure.fault) and figure.larger(said))
    assert tab.complaints == [] and tab.requests == []


@browsed
def test_without_scripts_the_picture_stands_and_the_sliders_do_not(at_figure):
    still = at_figure("folds", java_script_enabled=False)
    assert still.locator(".userdp-chart").is_visible() and still.locator(".moving-says").is_visible()
    assert still.locator(".moving-key li:visible").count() == len(FIGURES["folds"].lines)
    assert not still.locator(".moving-controls").is_visible()


@browsed
def test_a_preset_sets_buttons_and_sliders_and_shows_one_method(at_figure):
    tab, figure = at_figure("plan-for"), FIGURES["plan-for"]
    for name, places in figure.presets.items():
        tab.get_by_role("button", name=name, exact=True).click()
        inputs = "#moving-plan-for :is(input[type=range], input:checked)"
        found = tab.locator(inputs).evaluate_all("all => all.map(e => Number(e.value))")
        assert all(place in (None, value) for place, value in zip(places, found, strict=True))
        shown = tab.locator("#moving-plan-for dt:visible").all_inner_texts()
        assert len(shown) == 1 and f"Best here: {shown[0]}. " in tab.evaluate(LOOK, "plan-for")["said"]
        assert tab.locator(".moving-code").inner_text().count("plan(\n    n=") == 1


@browsed
def test_arrow_keys_move_curve_words_and_line(at_figure):
    tab = at_figure("folds")
    before, line = tab.evaluate(LOOK, "folds"), tab.locator(".userdp-chart .here").get_attribute("d")
    slider = tab.locator(".userdp-moving input[name=epsilon]")
    slider.focus()
    tab.keyboard.press("ArrowRight")
    after = tab.evaluate(LOOK, "folds")
    assert slider.get_attribute("aria-valuetext") == "1.25"
    assert not before["broken"] and after["broken"] and "spends 2 where 1.25 is stated" in after["said"]
    assert tab.locator(".userdp-chart .here").get_attribute("d") != line
    tab.locator(".userdp-moving input[name=d]").focus()
    tab.keyboard.press("ArrowLeft")
    assert tab.evaluate(LOOK, "folds")["points"] != after["points"]
    link = tab.locator("div.moving a[href*='fault-kent-fold-too-many']")
    assert link.count() == 1 and tab.requests == []


@browsed
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1400])
def test_a_chart_fits_and_can_be_read(at_figure, width, theme):
    tab = at_figure("phase-change", color_scheme=theme)
    tab.set_viewport_size({"width": width, "height": 800})
    box = tab.locator(".userdp-chart").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= width
    assert 14 * box["width"] / WIDE >= 11  # letters, in pixels
    fill = tab.evaluate("getComputedStyle(document.querySelector('.userdp-chart text')).fill")
    shades = [int(x) for x in re.findall(r"\d+", fill)[:3]]
    assert (np.mean(shades) > 150) == (theme == "dark")
