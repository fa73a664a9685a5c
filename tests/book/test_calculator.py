"""The plan in the page: the package's numbers, words that follow them, a setting kept in the address."""

import re
from contextlib import closing

import numpy as np
import pytest

from browsing import IN_BROWSER, SCREEN, docnames, new_tab, visit
from userdp.local import Plan, Round
from userdp.planning import plan, risk_bound
from userdp.sizes import constant_size
from userdp_book.site.calculator import still
from userdp_book.site.chart import BOTTOM, TOP

PAGE = "book/compare"
NEAR = 0.03  # the page and the package search for a plan in different ways
POINTS = "lines => lines.map(line => line.getAttribute('points'))"
pytestmark = [
    *IN_BROWSER,
    pytest.mark.skipif(PAGE not in docnames(), reason="the page is not in the book"),
]


def settings(trust, number=100):
    rng = np.random.default_rng(7)
    for _ in range(number):
        yield {
            "n": int(10 ** rng.uniform(1, 9)),
            "m": int(10 ** rng.uniform(0, 12)),
            "epsilon": float(10 ** rng.uniform(-2, 1)),
            "spread": float(rng.choice([0.0, 0.01, 0.1, 0.3])),
            "trust": trust,
        }


@pytest.fixture(scope="module")
def calculator(browser, site):
    """The page, once for all: each test sets what it needs."""
    with closing(browser.new_context(viewport=SCREEN)) as context, new_tab(context, site) as tab:
        visit(tab, site, PAGE).wait_for_selector(".calculator-controls")
        yield tab


@pytest.mark.parametrize("trust", ["nobody", "curator"])
def test_numbers_are_those_of_the_package_at_a_hundred_settings(calculator, trust):
    asked = list(settings(trust))
    found = calculator.evaluate("grid => grid.map(userdpPlan.errors)", asked)
    for setting, errors in zip(asked, found, strict=True):
        known = {name: value for name, value in setting.items() if name != "m"}
        ranking = plan(sizes=setting["m"], **known)
        assert errors.pop("no privacy") == pytest.approx(ranking.without_privacy)
        ours = {option.method: option.error for option in ranking if not option.unused}
        for method, error in errors.items():
            if method != "improved mean":
                assert error == pytest.approx(ours[method], rel=1e-5), setting
        if ranking.useful:  # where nothing is of use the two searches may end in different places
            assert min(errors.values()) == pytest.approx(ranking[0].error, rel=NEAR), setting
        else:
            assert min(errors.values()) > 0.45, setting


@pytest.mark.parametrize("setting", list(settings("nobody", 30)))
def test_a_bound_in_the_page_is_the_bound_of_the_package_for_its_plan(calculator, setting):
    n, m, epsilon, spread = (setting[name] for name in ("n", "m", "epsilon", "spread"))
    root = (1 / m + spread**2) ** 0.5
    made = calculator.evaluate("([n, r, e]) => userdpPlan.improved(n, r, e).plan", [n, root, epsilon])
    bounds = calculator.evaluate("([f, r, e]) => userdpPlan.bound(f, r, e)", [made, root, epsilon])
    rounds, before = [], (3 * made["tau"] if made["voters"] else 1.0)
    for number, one in enumerate(made["rounds"]):
        if number:
            partial = Plan(made["voters"], made["tau"], m, tuple(rounds))
            known = risk_bound(partial, size_law=constant_size(m), epsilon=epsilon)
            before = known.biases[-1] + one["slack"] * known.deviations[-1]
        rounds.append(Round(one["users"], before, one["sigmas"], spread))
    for name, laplace in (("twoPoint", False), ("laplace", True)):
        whole = Plan(made["voters"], made["tau"], m, tuple(rounds), laplace)
        assert sum(one.users for one in rounds) + made["voters"] == n
        risk = risk_bound(whole, size_law=constant_size(m), epsilon=epsilon).risk
        assert bounds[name] == pytest.approx(risk, rel=1e-4)


def choose(tab, **values):
    """Set trust and sliders, of which all but the spread count powers of ten."""
    for name, value in values.items():
        field = tab.locator(f".userdp-calculator [name={name}]")
        field.evaluate(
            "(e, x) => { e.value = x; e.dispatchEvent(new Event('input', {bubbles: true})); }", str(value)
        )
    return tab.locator(".calculator-advice").inner_text()


SENTENCES = [
    ({"n": 2, "m": 1, "epsilon": -1, "trust": "nobody"}, "Nothing useful at this budget"),
    ({"n": 4, "m": 0, "epsilon": 0}, "Use two-point reports: error 0.022"),
    ({"m": 3}, "Use improved mean: error 0.003"),
    ({"m": 3, "trust": "curator"}, "Use weighted mean of clipped users"),
    ({"m": 0}, "Use average of all users"),
]


def test_the_sentence_is_the_advice_of_the_plan(calculator):
    for powers, said in SENTENCES:
        words = choose(calculator, **powers)
        assert words.startswith(said), (powers, words)
        numbers = re.findall(r"\d[\d,]*\.?\d*(?:e[+-]\d+)?", words)
        assert all(float(x.replace(",", "")) <= 1e12 for x in numbers)


def test_localising_pays_from_where_the_plan_changes(calculator):
    words = choose(calculator, n=4, m=3, epsilon=0, spread=0, trust="nobody")
    first = float(re.search(r"pays from about ([\d,.]+) records", words).group(1).replace(",", ""))
    best = [plan(n=10_000, sizes=int(first * factor), epsilon=1.0)[0].method for factor in (0.3, 1.1)]
    assert best == ["two-point reports", "improved mean"]


def test_the_address_keeps_the_setting(calculator, site):
    words = choose(calculator, n=5, m=2.5, epsilon=-0.3, spread=0.05, trust="nobody")
    table = calculator.locator(".userdp-calculator tbody").inner_text()
    calculator.goto(calculator.url)
    calculator.wait_for_selector(".calculator-controls")
    assert "n=5&m=2.5" in calculator.url and calculator.url.startswith(site)
    assert calculator.locator(".calculator-advice").inner_text() == words
    assert calculator.locator(".userdp-calculator tbody").inner_text() == table


def test_arrow_keys_move_a_slider_and_change_text_and_table(calculator):
    tab = calculator
    choose(tab, n=2, trust="nobody")
    slider = tab.locator(".userdp-calculator input[name=n]")
    before = tab.locator(".userdp-calculator tbody").inner_text()
    slider.focus()
    for _ in range(2):
        tab.keyboard.press("ArrowRight")
    assert float(slider.input_value()) == pytest.approx(2.2)
    assert slider.get_attribute("aria-valuetext") == "160"
    assert tab.locator("label:has(input[name=n]) output").inner_text() == "160"
    assert tab.locator(".userdp-calculator tbody").inner_text() != before
    label = tab.locator(".userdp-chart").get_attribute("aria-label")
    assert tab.locator(".calculator-advice").inner_text() in label


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_chart_fits_and_can_be_read(calculator, width, theme):
    calculator.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
    calculator.set_viewport_size({"width": width, "height": 800})
    svg = "document.querySelector('.userdp-chart')"
    calculator.wait_for_function(
        f"() => {svg}.getBoundingClientRect().left >= 0 && {svg}.getBoundingClientRect().right <= {width}"
    )
    style = f"getComputedStyle({svg}.querySelector('text'))"
    assert float(calculator.evaluate(f"parseFloat({style}.fontSize)")) >= 11
    shades = [int(x) for x in re.findall(r"\d+", calculator.evaluate(f"{style}.fill"))[:3]]
    assert (np.mean(shades) > 150) == (theme == "dark")
    assert calculator.complaints == []


def test_a_picture_and_a_table_stand_where_no_script_runs(browser, site):
    with closing(browser.new_context(java_script_enabled=False)) as context, new_tab(context, site) as tab:
        tab.goto(f"{site}/{PAGE}.html")
        root = tab.locator(".userdp-calculator")
        assert (
            root.locator("tbody tr:visible").count() == 10 and root.locator("svg.userdp-chart").is_visible()
        )
        drawn = root.locator("polyline").evaluate_all(POINTS)
        assert sum(map(bool, drawn)) == root.locator(".moving-key li:visible").count() == 4
        assert not root.locator(".calculator-controls").is_visible()
    assert "improved mean" in still() and "two-point reports" in still()


def test_at_first_the_curves_fill_the_frame(calculator, site):
    """What the methods of the first setting need: most of the height, nothing above it."""
    visit(calculator, site, PAGE).wait_for_selector(".calculator-controls")
    drawn = calculator.locator(".userdp-calculator polyline").evaluate_all(POINTS)
    heights = [float(pair.split(",")[1]) for points in drawn for pair in points.split()]
    assert min(heights) >= TOP and max(heights) - min(heights) > 0.6 * (BOTTOM - TOP)
    ticks = calculator.locator(".userdp-calculator .tick").all_text_contents()
    assert ticks == ["10⁻⁴", "10⁻³", "10⁻²", "0.1"]
