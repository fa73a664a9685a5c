"""The calculator of the page that compares the papers: its numbers, its words, its chart."""

from contextlib import closing
from itertools import product
from math import isinf, isnan

import pytest

from browsing import IN_BROWSER, SCREEN, docnames, new_tab, visit
from userdp.theory.rates import Density, Mean, Mixture, Sparse, infinite, item_level, transition, user_level

PAGE = "book/compare"
pytestmark = [
    *IN_BROWSER,
    pytest.mark.skipif(PAGE not in docnames(), reason="the page is not in the book"),
]

USERS = {"n": [10, 300, 10_000, 10**8], "m": [1, 20, 10**4, 10**12], "epsilon": [0.01, 0.5, 1.0, 10.0]}
PROBLEMS = {
    "mean": ({"d": [1, 10, 10**5]}, lambda d: Mean(d)),
    "sparse": ({"d": [10, 10**5], "s": [1, 7]}, lambda d, s: Sparse(d, s)),
    "density": ({"beta": [0.5, 1.0, 5.0]}, lambda beta: Density(beta)),
    "mixture": ({"k": [1, 3, 100]}, lambda k: Mixture(k)),
}
JS = """([name, grid]) => grid.map(p => [
  userdpRates.itemLevel(name, p), userdpRates.userLevel(name, p), userdpRates.infinite(name, p),
  userdpRates.transition(name, p), userdpRates.trivial(name, p)])"""


def grid(axes):
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]


def by_the_package(problem, p):
    n, m, budget = p["n"], p["m"], {"epsilon": p["epsilon"]}
    item = float("nan") if isinstance(problem, Mixture) else item_level(problem, n, m, **budget)
    rates = [item, user_level(problem, n, m, **budget), infinite(problem, n, **budget)]
    return [*map(float, rates), float(transition(problem, n, **budget)), float(problem.trivial)]


@pytest.fixture(scope="module")
def calculator(browser, site):
    """The page, once for all: each test sets what it needs."""
    with closing(browser.new_context(viewport=SCREEN)) as context, new_tab(context, site) as tab:
        visit(tab, site, PAGE).wait_for_selector(".calculator-chart .main-svg")
        yield tab


@pytest.mark.parametrize("name", PROBLEMS)
def test_numbers_are_those_of_the_package(calculator, name):
    axes, problem = PROBLEMS[name]
    points = grid(USERS | axes)
    expected = [by_the_package(problem(**{axis: p[axis] for axis in axes}), p) for p in points]
    found = calculator.evaluate(JS, [name, points])
    for p, ours, theirs in zip(points, expected, found, strict=True):
        assert theirs == pytest.approx(ours, rel=1e-9, abs=1e-300, nan_ok=True), p
    # The grid reaches what only large numbers reach.
    assert any(isinf(row[3]) for row in expected) == (name != "density")
    assert all(isnan(row[0]) for row in expected) == (name == "mixture")


def choose(tab, problem, **values):
    """Set the problem and sliders, which count powers of ten."""
    tab.locator(".userdp-calculator select").select_option(problem)
    for name, value in values.items():
        tab.locator(f".userdp-calculator input[name={name}]").evaluate(
            "(e, x) => { e.value = x; e.dispatchEvent(new Event('input', {bubbles: true})); }", str(value)
        )
    return tab.locator(".calculator-regime").inner_text()


# problem, sliders as powers of ten, what the sentence says, when that is so
REGIMES = [
    ("density", {"n": 1, "epsilon": -1}, "Too few users", lambda top, rate, floor, turn, m: floor == top),
    ("mixture", {"n": 3, "m": 0, "k": 1.5}, "Too few records", lambda top, rate, floor, turn, m: rate == top),
    ("mean", {"m": 2}, "still help: the rate falls until", lambda top, rate, floor, turn, m: rate > floor),
    ("mean", {"n": 4}, "as anyone could hold", lambda top, rate, floor, turn, m: isinf(turn)),
    (
        "density",
        {"n": 2, "m": 9},
        "no longer help",
        lambda top, rate, floor, turn, m: rate == floor and m > turn,
    ),
]


@pytest.mark.parametrize(("problem", "powers", "said", "holds"), REGIMES)
def test_the_sentence_agrees_with_the_numbers(calculator, problem, powers, said, holds):
    p = {"n": 2, "m": 2, "epsilon": 0, "d": 1, "s": 0.48, "beta": 0, "k": 0.48} | powers
    sentence = choose(calculator, problem, **p)
    values = {name: 10**power for name, power in p.items()}
    axes, law = PROBLEMS[problem]
    numbers = by_the_package(law(**{axis: round(values[axis]) for axis in axes}), values)
    _, rate, floor, turn, top = numbers
    assert holds(top, rate, floor, turn, values["m"]), numbers
    assert said in sentence


def test_arrow_keys_move_a_slider_and_change_text_and_table(calculator):
    tab = calculator
    choose(tab, "mean", n=2)
    slider = tab.locator(".userdp-calculator input[name=n]")
    before = tab.locator(".userdp-calculator tbody").inner_text()
    slider.focus()
    for _ in range(20):
        tab.keyboard.press("ArrowRight")
    assert float(slider.input_value()) == pytest.approx(2.2)
    assert slider.get_attribute("aria-valuetext") == "158"
    assert tab.locator("label:has(input[name=n]) output").inner_text() == slider.get_attribute(
        "aria-valuetext"
    )
    assert tab.locator(".userdp-calculator tbody").inner_text() != before


@pytest.mark.parametrize("problem", PROBLEMS)
def test_only_the_sliders_of_the_problem_show(calculator, problem):
    choose(calculator, problem)
    inputs = calculator.locator(".userdp-calculator input:visible").all()
    assert {item.get_attribute("name") for item in inputs} == {*USERS, *PROBLEMS[problem][0]}


def test_the_theme_switch_redraws_the_chart(calculator):
    colour = "() => getComputedStyle(document.querySelector('.calculator-chart .xtitle')).fill"
    for theme in ("dark", "light"):
        before = calculator.evaluate(colour)
        calculator.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
        calculator.wait_for_function(f"before => ({colour})() !== before", arg=before, timeout=10_000)


@pytest.mark.parametrize("width", [390, 1280])
def test_the_chart_fits_and_nothing_complains(calculator, width):
    calculator.set_viewport_size({"width": width, "height": 800})
    chart = "document.querySelector('.calculator-chart .main-svg').getBoundingClientRect()"
    calculator.wait_for_function(f"() => {chart}.left >= 0 && {chart}.right <= {width}", timeout=10_000)
    assert calculator.complaints == []
