"""Formulas of docstrings, which are plain text there, set as mathematics on the reference pages."""

import re

from docutils import nodes
from sphinx.transforms import SphinxTransform

from . import SAFE

PAGES = "book/reference/api/"
LETTERS = "alpha beta chi delta eta kappa lambda phi pi sigma tau theta Phi"
FUNCTIONS = "cos exp log max min sin sum in"
OPERATORS = "Bin Laplace Poi expit floor hypot"
SAID = {word: rf"\{word}" for word in f"{LETTERS} {FUNCTIONS}".split()} | {"epsilon": r"\varepsilon"}
SAID |= {word: rf"\operatorname{{{word}}}" for word in OPERATORS.split()}
SIGNS = {"+-": r"\pm ", "<=": r"\le ", ">=": r"\ge ", "||": r"\|", "{": r"\{", "}": r"\}"}
SIGN = re.compile("|".join(map(re.escape, SIGNS)))
BRACKETS = r"\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)"
NAME = re.compile(r"(?<!\\)\b([A-Za-z][A-Za-z0-9]*)(?:_([A-Za-z0-9+]+))?(~?)")
# calls, attributes, strings, keywords: what is code and no formula
CODE = re.compile(
    r"[A-Za-z_]\.[A-Za-z_]|[\"#%@`]|\[\w*\]|\.\.\.|\b(True|False|of|over|pip)\b|\w=|\*\*[a-z]+\)|://"
)
# what only a formula has: a sign, a function with its bracket, a product with a Greek letter, or an index
OPERATION = re.compile(
    r"[-+/^<>=|~]|\*\*|\b(exp|log|max|min|sqrt)\(| (delta|epsilon|sigma|tau)\b|\b\w_(\w|min|max)\b"
)


def tex(code: str) -> str | None:
    """A formula in TeX; nothing for other code, such as a name, a call or a setting."""
    if CODE.search(code) or not OPERATION.search(code):
        return None
    text = SIGN.sub(lambda sign: SIGNS[sign[0]], code.replace("**", "^"))
    text = re.sub(rf"\^(?:{BRACKETS}|(-?\w+|[+*]))", lambda power: f"^{{{power[1] or power[2]}}}", text)
    while (inner := re.sub(rf"(?<!\\)\bsqrt{BRACKETS}", r"\\sqrt{\1}", text)) != text:
        text = inner
    return re.sub(r"(?<=[\w)}']) (?=[\w(\\])(?!\\(?:le|ge|in|pm)\b)", r"\\,", NAME.sub(named, text))


def named(name: re.Match) -> str:
    """A letter, a function or a word, with what stands below it; a parameter of two words keeps its line."""
    word, below, tilde = name.groups()
    if below and len(word) > 1 and word not in SAID:
        return rf"\mathit{{{word}\_{below}}}"
    said = SAID.get(word, word if len(word) == 1 else rf"\mathit{{{word}}}")
    said = rf"\tilde{{{said}}}" if tilde else said
    below = NAME.sub(named, below) if below and below.isalpha() and len(below) > 2 else below
    return f"{said}_{{{below}}}" if below else said


def shown(code: str) -> nodes.Element:
    formula = tex(code)
    return nodes.math(formula, formula) if formula else nodes.literal(text=code)


class Formulas(SphinxTransform):
    """On the reference pages; before equations are counted, so that a page with one loads MathJax."""

    default_priority = 700

    def apply(self, **kwargs) -> None:
        if self.env.docname.startswith(PAGES):
            for literal in list(self.document.findall(nodes.literal)):
                if literal.parent.tagname != "pending_xref":
                    literal.replace_self(shown(literal.astext()))


def setup(app) -> dict:
    app.add_transform(Formulas)
    return SAFE
