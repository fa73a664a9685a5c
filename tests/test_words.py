"""The prose uses the field's words: house words are counted per file, and no count may rise.

``words.toml`` has the patterns, ``words.csv`` the counts; a file that is not listed has none.
``python tests/test_words.py`` lists every place of the files named, or writes the counts that have fallen.
"""

import csv
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TABLE = tomllib.loads((ROOT / "tests/words.toml").read_text())
COUNTS = ROOT / "tests/words.csv"
# What is not prose: front matter and cells; comments, options other than text, marks, addresses, names.
BLOCK = re.compile(r"\A---\n.*?^---$|^(`{3,})(?:\{code-cell\}|[a-z]+$).*?^\1$", re.DOTALL | re.MULTILINE)
NOT_PROSE = re.compile(
    r"^%.*$|^:(?!alt|caption)[\w-]+:.*$|\[[^\]]*\]\{[^}]*\}|\{(?:index|cite:\w+|prf:ref|numref|eq|py:\w+)\}`[^`]*`|\{doc\}`[^`<]*`"
    r"|(?<=\]\()[^)]*\)|https?://\S+|(?<![`}])`[^`\n]+`(?!`)|<[^>\n]*>(?=`)",
    re.MULTILINE,
)
FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$\n]+\$", re.DOTALL)
ANY = re.compile("|".join(f"(?:{word['find']})" for word in TABLE["word"]), re.IGNORECASE)


def pages():
    found = [*ROOT.glob("*.md"), *(ROOT / "book").rglob("*.md")]
    return [
        path
        for path in found
        if "student" not in path.parts and path.name not in ("CHANGELOG.md", "LICENSE-text.md")
    ]


def prose(text):
    """Text of the same lines with a letter for each formula and nothing for what is not prose."""
    for pattern, put in ((BLOCK, ""), (FORMULA, "X"), (NOT_PROSE, "")):
        text = pattern.sub(lambda found, put=put: put + "\n" * found[0].count("\n"), text)
    return text


def marks(text, name=""):
    """Line, phrase and better words of each place that a pattern finds and nothing excuses."""
    for place in TABLE["allowed"]:
        text = text.replace(place["text"], "") if place["file"] == name else text
    for number, line in enumerate(prose(text).splitlines(), 1):
        if not ANY.search(line):
            continue
        for word in TABLE["word"]:
            kept = [
                k.span() for right in word.get("keep", {}) for k in re.finditer(right, line, re.IGNORECASE)
            ]
            for found in re.finditer(word["find"], line, re.IGNORECASE):
                if not any(start < found.end() and found.start() < end for start, end in kept):
                    yield number, found[0], word["instead"]


def told(name, line, said, better):
    return f"{name}:{line}: {said!r}: say {better}"


def stored():
    with COUNTS.open(newline="") as file:
        return {row["file"]: int(row["count"]) for row in csv.DictReader(file)}


def counted():
    """Marks of each file by its path in the repository."""
    names = {path.relative_to(ROOT).as_posix(): path.read_text() for path in sorted(pages())}
    return {name: list(marks(text, name)) for name, text in names.items()}


def test_no_file_has_more_house_words_than_it_had():
    allowed = stored()
    more = {name: found for name, found in counted().items() if len(found) > allowed.get(name, 0)}
    assert not more, "\n".join(told(name, *place) for name, found in more.items() for place in found)


@pytest.mark.parametrize("word", TABLE["word"], ids=lambda word: word["like"])
def test_a_pattern_finds_its_phrase(word):
    assert word["like"] in {said for _, said, _ in marks(word["like"])} or any(marks(f"Say {word['like']}."))


def test_what_is_not_prose_is_not_read():
    code = "```{code-cell} ipython3\nx = law\n```\n"
    assert not list(
        marks(f"{code}`law` and $law$\n\n$$\nlaw\n$$\n{{py:func}}`a.law` {{doc}}`words <law>`\n:name: law\n")
    )
    assert [line for line, _, _ in marks(f"{code}A law.\n")] == [4]


JUDGEMENT = sorted((ROOT / "src/userdp_papers/study/judgement").glob("*.toml"))
SENTENCES = ("claim", "note", "other_reading", "says", "step", "sentence", "ribbon", "stated", "missing")
SENTENCES += ("printed", "counterexample", "example", "repair", "really", "reason", "survives")


def sentences(table):
    """What a table of judgement says in words, entry by entry."""
    for key, said in table.items():
        if isinstance(said, dict):
            yield from sentences(said)
        elif key in SENTENCES and isinstance(said, str):
            yield said


@pytest.mark.parametrize("path", JUDGEMENT, ids=lambda path: path.name)
def test_claims_faults_and_displays_use_the_words_of_pages(path):
    said = sentences(tomllib.loads(path.read_text()))
    found = [mark for sentence in said for mark in marks(sentence, path.name)]
    assert not found, "\n".join(told(path.name, *mark) for mark in found)


def test_a_house_word_in_a_claim_is_found():
    planted = {"kent-thm-1": {"1": {"claim": "Noise of the same law.", "fault": "kent-law"}}}
    assert [mark[1] for said in sentences(planted) for mark in marks(said)] == ["law"]


def test_what_is_right_is_kept():
    assert not list(marks("A power law, and the law of total variance."))


# Parts whose pages open with their question; the list grows until it has all parts.
OPENED = ("foundations", "dame", "cummings", "kent", "liu", "data")
BOX = r"\{prf:(?!ref)"
OTHER = {"index", "exercises", "erratum", "beside"}


def opens(text):
    """What is wrong with the first screen: no paragraph under the title, a symbol in it, a box too early."""
    body = re.sub(
        r"```\{index\}.*?```\n+", "", text.split("\n# ", 1)[1].split("\n", 1)[1], flags=re.DOTALL
    ).lstrip()
    first, before = body.split("\n\n", 1)[0], prose(re.split(BOX, body, maxsplit=1)[0])
    wrong = ["no question under the title"] * first.startswith(("`", ":", "#", "|"))
    wrong += ["a symbol in the first paragraph"] * ("$" in first)
    wrong += ["more than its question in the first paragraph"] * ("?" in first[:-1])
    return wrong + ["a numbered box on the first screen"] * (
        bool(re.search(BOX, body)) and len(before.split()) < 150
    )


def test_a_page_opens_with_its_question():
    paths = [
        path for part in OPENED for path in (ROOT / "book" / part).glob("*.md") if path.stem not in OTHER
    ]
    found = {path: opens("\n" + path.read_text()) for path in paths}
    assert {path: wrong for path, wrong in found.items() if wrong} == {}


def test_a_page_that_opens_with_a_box_is_found():
    box = "\n# Title\n\n````{prf:lemma} A\nLet $x$.\n````\n"
    assert opens(box) == ["no question under the title", "a symbol in the first paragraph"] + [
        "a numbered box on the first screen"
    ]


def test_a_question_that_is_answered_in_its_own_paragraph_is_found():
    assert opens("\n# Title\n\nIs it so?\nIt is.\n") == ["more than its question in the first paragraph"]
    assert opens("\n# Title\n\nIs it so?\n\nIt is.\n") == []


CELL = re.compile(r"\b(the next|following|previous|last) cell\b|\bcell (above|below)\b", re.IGNORECASE)


def test_no_sentence_points_at_a_cell_which_may_be_folded():
    """Labs show all of theirs; elsewhere prose says what a cell finds."""
    said = {path: prose(path.read_text()) for path in pages() if "teach" not in path.parts}
    assert len(said) > 100 and not [path for path, text in said.items() if CELL.search(text)]
    assert CELL.search("The next cell computes it.") and CELL.search("as the cell below shows")


def main(names):
    if names:
        for name in names:
            for line, said, better in marks((ROOT / name).read_text(), name):
                print(told(name, line, said, better))
        return
    allowed = stored()
    fallen = {name: min(len(found), allowed.get(name, 0)) for name, found in counted().items()}
    rows = [f"{name},{count}\n" for name, count in sorted(fallen.items()) if count]
    COUNTS.write_text("".join(["file,count\n", *rows]))


if __name__ == "__main__":
    main(sys.argv[1:])
