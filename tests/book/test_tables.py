"""Tables of stored outputs, tidied for the page: no number lost, an index only where it says something."""

import json
import math
import re

import pandas as pd
import pytest
from lxml import html

from userdp_book.run.pages import pages
from userdp_book.site.tables import tidy

RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def shown(frame):
    return html.fromstring(tidy(frame._repr_html_()))


def words(element):
    return element.text_content().split()


def test_an_index_that_counts_goes_and_one_that_says_something_stays():
    frame = pd.DataFrame({"kind": ["a", "b"], "risk": [4.17e-7, 2.0e-6]})
    table = shown(frame)
    assert words(table) == ["kind", "risk", "a", "4.17·10⁻⁷", "b", "2·10⁻⁶"]
    assert [cell.get("class") for cell in table.findall(".//tbody/tr/td")] == ["words", None] * 2
    assert [cell.get("class") for cell in table.findall(".//thead/tr/th")] == ["words", None]
    assert words(shown(frame.rename_axis("user")).find(".//thead")) == ["user", "kind", "risk"]
    for other in (frame.rename_axis("user"), frame.set_axis([3, 4]), frame.set_axis(["x", "y"])):
        assert len(shown(other).findall(".//tbody/tr/th")) == 2
    assert len(shown(pd.concat({"one": frame}, axis=1)).findall(".//tbody/tr/th")) == 2


@pytest.mark.parametrize("text", ["1", "-0.5", "2.01e-06", "12%", "0.021 ± 3%", "1,000", "×", "-"])
def test_what_a_number_is(text):
    cell = shown(pd.DataFrame({"x": [text]})).find(".//tbody/tr/td")
    assert (cell.get("class") is None) == bool(re.search(r"\d", text))


@pytest.mark.parametrize(
    ("plain", "written"),
    {
        "cap / n eps^2": "cap / n ε<sup>2</sup>",
        "weight, eps'": "weight, ε'",
        "e^(J/8)": "e<sup>J/8</sup>",
        "(2^-10, 2^-9]": "(2<sup>−10</sup>, 2<sup>−9</sup>]",
        "votes, theta_2": "votes, θ<sub>2</sub>",
        "2 C_max": "2 C<sub>max</sub>",
        "l2 / l-infinity": "ℓ<sub>2</sub> / ℓ<sub>∞</sub>",
        "E sqrt(m)": "E √m",
        "likeliest_miss": "likeliest miss",
        "beta-binomial": "beta-binomial",
        "True": "yes",
        "False": "no",
        "True means": "True means",
        "theory/exact_beta.py": "theory/exact_beta.py",
    }.items(),
)
def test_headings_have_letters_for_their_names(plain, written):
    source = tidy(pd.DataFrame({plain: [plain]})._repr_html_())
    assert f'<th class="words">{written}</th>' in source
    # what has a bracket may be code
    assert f'<td class="words">{plain if "(" in plain else written}</td>' in source


def test_a_name_of_an_index_has_no_row_of_its_own():
    frame = pd.DataFrame({(noise, kind): [1.5] for noise in "ab" for kind in "xy"}, index=[3])
    frame = frame.rename_axis("users").rename_axis(["noise", "kind"], axis=1)
    table = shown(frame)
    heads = [words(row) for row in table.findall(".//thead/tr")]
    assert heads == [["noise", *"ab"], ["users", "\\", "kind", *"xyxy"]]
    assert words(shown(frame.rename_axis(None)).findall(".//thead/tr")[-1])[0] == "kind"


@pytest.mark.parametrize(
    ("numbers", "written"),
    [
        ([-2.3505, 0.7027], "−2.350 0.703"),
        ([0.01106, 6.67646], "0.0111 6.676"),
        ([14.5, 12301.361, 218.58], "14.5 12,301 219"),
        ([1.0004, 2.5], "1.0004 2.500"),  # not 1
        ([0.9996, 0.5], "0.9996 0.5000"),
        ([0.125, 0.5], "0.125 0.500"),
        ([9999, 100000], "9,999 100,000"),
        ([999, 9999], "999 9999"),
        ([-0.0, -1.5], "0.0 −1.5"),
    ],
)
def test_a_column_has_about_three_digits(numbers, written):
    column = [cell for cell in shown(pd.DataFrame({"x": numbers})).findall(".//tbody/tr/td")]
    assert [cell.text for cell in column] == written.split()
    assert [number(cell) for cell in column] == numbers


def test_no_table_of_the_book_loses_a_number(root):
    sources = [
        "".join(output["data"]["text/html"])
        for page in pages(root)
        for cell in json.loads(page.twin.read_bytes())["cells"]
        for output in cell.get("outputs", [])
        if "text/html" in output.get("data", {})
    ]
    assert len(sources) > 100
    for source in sources:
        before, after = html.fromstring(f"<div>{source}</div>"), html.fromstring(tidy(source))
        cells = [[number(cell) for cell in box.iter("td")] for box in (before, after)]
        assert [x for x in cells[0] if x is not None] == [x for x in cells[1] if x is not None]
        for cell in after.iterfind(".//td[@title]"):  # two digits at least, and the last of them rounded
            shown = cell.text.replace(",", "").replace("−", "-")
            assert abs(float(shown) - number(cell)) <= 0.5000001 * 10 ** -len(shown.partition(".")[2])
            assert float(shown) == number(cell) or abs(float(shown) / number(cell) - 1) < 0.05


def number(cell):
    """What a cell says, in its title where that has more digits; None where that is no number."""
    text = cell.get("title") or cell.text_content()
    plain = re.sub(r"10([⁻⁰¹²³⁴-⁹]+)$", lambda found: "1e" + found[1].translate(RAISED), text)
    try:
        value = float(plain.replace("·1e", "e").replace("10^", "1e").replace(",", "").replace("−", "-"))
    except ValueError:
        return None
    return None if math.isnan(value) else value


def test_four_digits_have_a_comma_beside_five_though_an_index_spans_rows():
    places = pd.MultiIndex.from_product([["low", "high"], ["few", "many"]])
    table = shown(pd.DataFrame({"users": [1000, 10_000, 2000, 3000], "year": [2013] * 4}, index=places))
    numbers = [cell.text for cell in table.findall(".//tbody/tr/td")]
    assert numbers == ["1,000", "2013", "10,000", "2013", "2,000", "2013", "3,000", "2013"]
