"""Tables of numbers as a reader wants them; what the notebooks store stays as pandas printed it."""

import re
from bisect import bisect
from itertools import count
from math import floor, log10

from lxml import etree, html

from .claims import scientific

NUMBER = re.compile(r"[−+-]?[\d.,]+(e[+-]?\d+)?( ?[%×±]( ?[\d.,]+(e[+-]?\d+)?%?)?)?|nan|NaN|[−-]?inf|–|")
PADDED = re.compile(r"(\.\d*?)0+(?=e[+-]\d)")  # 4.170000e-07
POWER = re.compile(r"(?<![\w.])(?:(\d+(?:\.\d+)?)e|10\^)([+-]?\d+)\b")  # 4.17e-07, 10^5
PLAIN = re.compile(r"-?\d+(\.\d+)?")
# headings, and words beside numbers unless they are code
CELL = re.compile(r'(<th[^>]*>|<td class="words">(?=[^<(\[:=]*<))([^<]*)')
LETTERS = {"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eps": "ε", "theta": "θ"}
LETTERS |= {"mu": "μ", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ"}
# what Python has plain names for, as mathematics writes it
SPELLINGS = {
    rf"(?<![a-z_])({'|'.join(LETTERS)})(?![a-z]|-[a-z])": lambda found: LETTERS[found[1]],
    r"\b(?:l-infinity|linf)\b": "ℓ<sub>∞</sub>",
    r"\bl([12])\b": r"ℓ<sub>\1</sub>",
    r"\b(minus )?infinity\b": lambda found: "−∞" if found[1] else "∞",
    r"\blog10\b": "log<sub>10</sub>",
    r"\bsqrt(?: |\((?=\w+\)))(\w+)\)?": r"√\1",
    r"(?<=[a-z]{3})_(?=[a-z]{3})": " ",  # a field of a class
    r"(\w)_(\w+)": r"\1<sub>\2</sub>",
    r"\^\(([^)]*)\)": r"<sup>\1</sup>",
    r"\^(-?)(\w+)": lambda found: f"<sup>{'−' * bool(found[1])}{found[2]}</sup>",
    r"(?<=\w)=(?=\w)": " = ",
    r"^(True|False)$": lambda found: {"True": "yes", "False": "no"}[found[1]],
}


def tidy(source: str) -> str:
    """The same HTML: numbers to the right and whole, words to the left, no index that only counts rows."""
    box = html.fragment_fromstring(source, create_parent="div")
    etree.strip_elements(box, "style", with_tail=False)
    for table in box.find_class("dataframe"):
        raise_names(table)
        drop_bare_index(table)
        align(table)
        for column in zip(*(row.findall("td") for row in table.findall("tbody/tr")), strict=False):
            shorten(column)
        # from the right: an index may span rows
        for column in zip(*(row[::-1] for row in table.iterfind("tbody/tr")), strict=False):
            separate(column)
        for part in table.iter():
            part.text, part.tail = powers(part.text), powers(part.tail)
    return CELL.sub(lambda found: found[1] + spelled(found[2]), html.tostring(box, encoding="unicode"))


def spelled(text: str) -> str:
    """Greek letters, indices and exponents for their plain names; the name of a file stays."""
    for plain, written in SPELLINGS.items():
        text = text if ".py" in text else re.sub(plain, written, text)
    return text


def powers(text: str | None) -> str | None:
    """Powers of ten as in the verdicts, 4.17·10⁻⁷, 100,000 by thousands, a minus before what is not 0.00."""
    said = POWER.sub(lambda found: scientific(found[1] or "1", found[2]), text or "")
    said = re.sub(r"(?<![\w.)\]^])-(?=\d)", "−", re.sub(r"^-(?=0\.0*$)", "", said))
    return re.sub(r"^\d{5,}$", lambda whole: f"{int(whole[0]):,}", said)


def separate(cells: tuple) -> None:
    """1,000 above 10,000: four digits have a comma where five have."""
    if any(re.fullmatch(r"\d{5,}", cell.text or "") for cell in cells):
        for cell in cells:
            cell.text = re.sub(r"^\d{4}$", lambda whole: f"{int(whole[0]):,}", cell.text or "")


def shorten(cells: tuple) -> None:
    """Decimals to three digits of the column's least, unless one would seem to be 1; the title has all."""
    said = {cell: abs(float(cell.text)) for cell in cells if PLAIN.fullmatch(cell.text or "")}
    broken = {value for value in said.values() if value % 1}
    least = max(0, 2 - floor(log10(min(broken, default=1))))
    places = next(many for many in count(least) if all(round(value, many) != 1 for value in broken))
    for cell, value in said.items():
        own = min(places, [places, 3, 1, 0][bisect((2, 10, 100), value)])
        if own < len(cell.text.partition(".")[2]):
            cell.set("title", cell.text)
            cell.text = f"{float(cell.text):,.{own}f}"


def raise_names(table) -> None:
    """The names of an index, to which pandas gives a row, go before the name of the columns."""
    heads = table.findall("thead/tr")
    if len(heads) < 2 or len(heads[-1]) != len(heads[-2]) or heads[-1][-1].text:
        return
    for above, below in zip(heads[-2], heads[-1], strict=True):
        above.text = " \\ ".join(filter(None, [below.text, above.text]))
    heads[-1].getparent().remove(heads[-1])


def drop_bare_index(table) -> None:
    heads, rows = table.findall("thead/tr"), table.findall("tbody/tr")
    index = [[cell.text_content() for cell in row.findall("th")] for row in rows]
    if len(heads) == 1 and not heads[0][0].text_content() and index == [[str(n)] for n in range(len(rows))]:
        for row in [*heads, *rows]:
            row.remove(row[0])


def align(table) -> None:
    """Mark the columns that hold words; numbers lose the zeros that pandas pads them with."""
    rows = table.findall("tbody/tr")
    for cell in table.iterfind("tbody/tr/td"):
        if cell.text:
            cell.text = PADDED.sub(lambda found: found[1].rstrip("."), cell.text).replace("<NA>", "–")
    words = {
        place - len(row)  # from the right: an index may span rows
        for row in rows
        for place, cell in enumerate(row)
        if cell.tag == "td" and not NUMBER.fullmatch(cell.text_content().strip())
    }
    last = table.findall("thead/tr")[-1:]
    for row in [*last, *rows]:
        for cell in (row[place] for place in words & set(range(-len(row), 0))):
            if cell.tag == "td" or row in last:
                cell.set("class", "words")
