"""Formulas of docstrings: which are recognised, and how they are set."""

import inspect
import re

import pytest
from docutils import nodes

from userdp_book.site.api_index import offered, rooms
from userdp_book.site.formulas import CODE, shown, tex

SET = {
    "delta > 0": r"\delta > 0",
    "2 tau": r"2\,\tau",
    "share epsilon": r"\mathit{share}\,\varepsilon",
    "2 C^2 / (n epsilon)^2": r"2\,C^{2} / (n\,\varepsilon)^{2}",
    "n min(epsilon, epsilon**2)": r"n\,\min(\varepsilon, \varepsilon^{2})",
    "sqrt(2 log(n T) / T)": r"\sqrt{2\,\log(n\,T) / T}",
    "k sqrt(1 / m + spread^2) + b": r"k\,\sqrt{1 / m + \mathit{spread}^{2}} + b",
    "(n a)^(-2 beta / (2 beta + 2))": r"(n\,a)^{-2\,\beta / (2\,\beta + 2)}",
    "P(m >= a)**2 >= min(phi(a), 1)": r"P(m \ge  a)^{2} \ge  \min(\phi(a), 1)",
    "max(2 (C_top - C_min), w C')": r"\max(2\,(C_{\mathit{top}} - C_{\min}), w\,C')",
    "288 half_width^2": r"288\,\mathit{half\_width}^{2}",
    "sqrt(min(m, m~) / m~)": r"\sqrt{\min(m, \tilde{m}) / \tilde{m}}",
    "phi_2k+1 = sqrt(2) sin(2 pi k x)": r"\phi_{2k+1} = \sqrt{2}\,\sin(2\,\pi\,k\,x)",
    "||N_u||_1 / ||N_u||": r"\|N_{u}\|_1 / \|N_{u}\|",
    "s +- b": r"s \pm  b",
    "d_u": "d_{u}",
}
CODES = ("epsilon", "rng", "cover.differing", "printed=True", "records[user]", "mechanism(x, runs, rng)", "*")
CODES += ("pip install 'userdp[accounting]'", "f(rng=generator, **parameters)", "plan.vote_size", "n size")


@pytest.mark.parametrize(("code", "formula"), SET.items())
def test_a_formula_is_set(code, formula):
    assert tex(code) == formula
    assert isinstance(shown(code), nodes.math) and shown(code).astext() == formula


@pytest.mark.parametrize("code", CODES)
def test_other_code_stays(code):
    assert tex(code) is None and isinstance(shown(code), nodes.literal)


def test_formulas_of_all_docstrings_are_whole():
    """Every bracket of the text is there, in order, and every group is closed."""
    texts = {inspect.getdoc(inspect.unwrap(thing)) or "" for room in rooms() for thing in offered(room)}
    codes = {code for text in texts for code in re.findall(r"``(.+?)``", text) if not CODE.search(code)}
    set_ = {code: formula for code in codes if (formula := tex(code))}
    assert len(set_) > 150
    for code, formula in set_.items():
        plain = re.sub(r"\\[{}]", "", formula)
        assert plain.count("{") == plain.count("}") and "^(" not in formula and "sqrt(" not in formula, code
        letters = re.sub(r"\\(?:mathit|operatorname|tilde|left|right)|[^A-Za-z]", "", formula)
        assert set(re.findall(r"[A-Z]", code)) <= set(letters), code
