"""The errata: each paper's page printed by Chromium, and the same in LaTeX, from the tables of judgement."""

import re
from pathlib import Path

import yaml

from userdp_papers.study.claims import SEVERITIES

from ..run.contents import Entry
from ..site.boxes import AUTHORS, own_name
from ..site.judgement import MOVES, faults_of, standing, within
from ..site.offline import ERRATA
from . import chromium, pdf

HEAD = r"""\documentclass[10pt, twocolumn]{article}
\usepackage[a4paper, margin=16mm]{geometry}
\usepackage[T1]{fontenc}
\usepackage{amsmath, amssymb}
\setlength{\parindent}{0pt}\setlength{\parskip}{3pt}\raggedright
%s
\begin{document}\small
\section*{Erratum for %s}
"""
LETTER = """We reproduced the paper line by line, and most of it stands.
What follows is unofficial and in good faith: the lines that we would read differently, privacy first.
We worked from a machine transcription{text}; where a symbol may have been lost, we list the readings and
judge by the kindest that the paper's own proof supports.
Numbers of sections, displays and lines are the paper's own."""
PARTIAL = {"cummings": " of the supplement, and judge the main text as the supplement uses it"}
THANKS = "You made your proofs and algorithms checkable, and so we could check them. Thank you."
PLAIN = {"&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_", "^": r"\^{}", "~": r"\~{}", "–": "--", "—": "---"}
PLAIN |= {
    "’": "'",
    "✎": "",
    "ε": r"$\varepsilon$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "×": r"$\times$",
    "…": r"\dots{}",
}
PIECES = re.compile(r"(\$[^$]*\$|`[^`]*`|\*\*[^*]+\*\*|\*[^*]+\*)")


def write(root: Path) -> None:
    """Write the erratum of every paper, as PDF and as LaTeX, among the downloads."""
    html = root.resolve() / "_build" / "html"
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf8"))
    macros = config["sphinx"]["config"]["mathjax3_config"]["tex"]["macros"]
    with chromium.new_tab() as tab:
        for paper in AUTHORS:
            printed, source = (one.path(root) for one in ERRATA[f"erratum-{paper}"])
            source.parent.mkdir(parents=True, exist_ok=True)
            source.write_text(latex(paper, macros), encoding="utf8")
            page = Entry(0, f"book/{paper}/erratum")
            pdf.print_page(tab, page, html=html, folder=source.parent).file.replace(printed)


def latex(paper: str, macros: dict) -> str:
    """The erratum as a document that needs no file of ours."""
    found = faults_of(paper).values()
    holds = ", ".join(own_name(id, f"/{paper}/") for id in standing(paper))
    blocks = [
        HEAD % ("\n".join(map(definition, macros, macros.values())), AUTHORS[paper]),
        LETTER.format(text=PARTIAL.get(paper, "")),
        rf"\textbf{{What stands as printed}}, but for misprints, proofs, code and remarks below: {holds}.",
    ]
    for severity in SEVERITIES:
        of_it = [fault for fault in found if fault["severity"] == severity]
        blocks += [rf"\subsection*{{{severity.capitalize()}}}"] * bool(of_it)
        blocks += [entry(fault, glyph=severity == SEVERITIES[-1]) for fault in of_it]
    return "\n\n".join([*blocks, THANKS, r"\end{document}", ""])


def definition(name: str, meaning: str | list) -> str:
    """A macro of the book, as LaTeX defines it."""
    body, count = (meaning, 0) if isinstance(meaning, str) else meaning
    return rf"\providecommand{{\{name}}}{{}}\renewcommand{{\{name}}}{f'[{count}]' * bool(count)}{{{body}}}"


def entry(fault: dict, *, glyph: bool) -> str:
    """Place and moves; of a glyph the repair alone."""
    place = rf"\textbf{{{own_name(fault['statement'])}}} ({text(within(fault))})"
    if glyph:
        return f"{place}: {text(fault['repair'])}"
    moves = [rf"\emph{{{word}.}} {text(fault[field])}" for field, word in MOVES.items()]
    readings = [rf"\emph{{Reading.}} {text(reading)}" for reading in fault.get("readings", [])]
    return " ".join([f"{place}.", *moves, *readings])


def text(markdown: str) -> str:
    """Markdown of the tables as LaTeX: mathematics as it is, code, bold and slanted words, all else plain."""
    return "".join(map(piece, PIECES.split(markdown)))


def piece(part: str) -> str:
    if part.startswith("$"):
        return part
    for mark, command in (("`", r"\texttt"), ("**", r"\textbf"), ("*", r"\emph")):
        if part.startswith(mark) and len(part) > 2 * len(mark):
            return f"{command}{{{plain(part[len(mark) : -len(mark)])}}}"
    return plain(part)


def plain(words: str) -> str:
    return "".join(PLAIN.get(letter, letter) for letter in words)
