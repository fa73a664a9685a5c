"""What of a page's code is shown: the few lines that are the method. The rest folds, under a name of its own.

The rule is one of syntax. A cell is shown when it is short and neither checks nor draws nor mostly makes a
table; of every other cell the short functions with a docstring are shown, except on pages of experiments and
of data, and the whole cell folds. A cell's tag overrules it: ``show``, ``hide-input`` or ``hide-cell``.
Outputs stay, and the notebook twins are whole.
"""

import ast
import re
from itertools import chain, zip_longest

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.transforms.post_transforms import SphinxPostTransform

from . import SAFE
from .claims import badge, folded
from .tables import powers

LINES = range(1, 16)  # of a cell that is shown
FUNCTION = range(4, 13)  # of a function that is shown out of a longer cell
EXCERPT = 14  # lines shown of one cell
TABLE = 'class="dataframe"'
ROWS = 5  # of a table that stays open beside a figure, with its head
MANY = 10  # of a table that stays open at all
PRINTED = 6  # lines that stay open
HELD = 2  # claims of one cell that hold, and are folded
WORST_FIRST = ("refuted", "not reproducible", "holds after correction", "holds", "context")
NUMBERS, PRINT = "The table", "What is printed"
BAR = "Code, checks and numbers"
CHECK, FIGURE, SETTINGS = "How it is checked", "How the figure is drawn", "Imports and settings"
DRAWING = {"plt", "sns", "style", "panels"}
TABLES = {"pd", "DataFrame", "Series", "print", "format", "round",
          "unstack", "pivot", "to_html", "query", "show"}  # fmt: skip
# words beside a table that is read and not looked up
ANNOUNCED = re.compile(r"\b(the|this|next|last|first) (table|column)s?\b|next cell|each row|the output", re.I)
REPORTS = re.compile("experiments|/data/")  # pages that show results and no method
# of what is printed, whole sentences; two blanks in a row are a table's
SENTENCES = re.compile(r"(?!.*\S  )[A-ZÀ-ÿΑ-ω].*\.", re.DOTALL)
STATED = re.compile(r"(?<!= )\d\.\d")  # a result, in what else may be the heading of the table below


def names_in(node: ast.AST) -> set[str]:
    """Names and attributes in a piece of code."""
    return {getattr(part, "id", "") or getattr(part, "attr", "") for part in ast.walk(node)}


def length(statement: ast.stmt) -> int:
    decorators = getattr(statement, "decorator_list", [])
    return (statement.end_lineno or 0) - min(part.lineno for part in [statement, *decorators]) + 1


def is_setting(statement: ast.stmt) -> bool:
    """An import, the style, or a constant in capitals."""
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    is_style = isinstance(statement, ast.Expr) and {"style", "use"} <= names_in(statement)
    is_import = isinstance(statement, ast.Import | ast.ImportFrom)
    return is_import or is_style or bool(names and all(map(str.isupper, names)))


def is_method(statement: ast.stmt) -> bool:
    """A short function that says what it does, and neither draws nor writes."""
    return (
        isinstance(statement, ast.FunctionDef)
        and ast.get_docstring(statement) is not None
        and length(statement) in FUNCTION
        and not names_in(statement) & (DRAWING | TABLES | {"check"})
    )


def is_writing(statement: ast.stmt) -> bool:
    """Something is printed, put into words, or made into a table or a part of one."""
    is_part = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Subscript)
    is_text = any(isinstance(part, ast.JoinedStr) for part in ast.walk(statement))
    return is_part or is_text or bool(names_in(statement) & TABLES)


def purpose(body: list[ast.stmt], figure: bool) -> str:
    """What a cell does, in words."""
    used = set().union(*map(names_in, body)) if body else set()
    if "check" in used:
        return CHECK
    rest = [statement for statement in body if not is_setting(statement)]
    if not rest:
        return SETTINGS
    done = [statement for statement in rest if not isinstance(statement, ast.FunctionDef | ast.ClassDef)]
    if figure or "plt" in set().union(*map(names_in, done)):
        return FIGURE
    if not done:
        return "Definitions: " + ", ".join(statement.name for statement in rest)
    if isinstance(rest[-1], ast.Expr):
        return "How the table is made" if "pd" in used else "How it is computed and printed"
    return "How it is computed"


def shown(source: str, figure: bool = False) -> tuple[str | None, str]:
    """The name of a cell's fold, none where all of it is shown, and the lines that are shown."""
    try:
        body = ast.parse(source).body
    except SyntaxError:  # a command of IPython
        return None, source
    called = purpose(body, figure)
    rest = [statement for statement in body if not is_setting(statement)]
    writing, whole = sum(map(length, filter(is_writing, rest))), sum(map(length, rest))
    machinery = called in (CHECK, FIGURE, SETTINGS) or 2 * writing > whole
    if not machinery and whole in LINES:
        return (None, source) if len(rest) == len(body) else (called, lines(source, rest))
    return called, "" if figure else lines(source, excerpt(rest))


def excerpt(body: list[ast.stmt]) -> list[ast.stmt]:
    """The methods among the statements, as many as fit."""
    chosen: list[ast.stmt] = []
    for statement in filter(is_method, body):
        if sum(map(length, [*chosen, statement])) <= EXCERPT:
            chosen.append(statement)
    return chosen


def lines(source: str, statements: list[ast.stmt]) -> str:
    """The statements as they are written; what is left out between them leaves a blank line or two."""
    written, out, last = source.splitlines(), [], 0
    for statement in statements:
        first = min(part.lineno for part in [statement, *getattr(statement, "decorator_list", [])])
        between = written[last : first - 1]
        gap = [] if not out else ["", ""] if "".join(between).strip() else between
        out += [*gap, *written[first - 1 : statement.end_lineno]]
        last = statement.end_lineno or 0
    return "\n".join(out)


class Folds(SphinxPostTransform):
    """Mark the cells for myst-nb's own transform, which folds at 199."""

    default_priority = 198
    formats = ("html",)

    def run(self, **kwargs) -> None:
        cells = list(filter(is_code, self.document.findall(nodes.container)))
        # sections that show a figure or a long table
        seen = {cell.parent for cell in cells if is_figure(cell)}
        for cell in cells:
            for text in long_prints(cell):
                put_behind(PRINT, text)
            told = " ".join(one.astext() for one in beside(cell) if isinstance(one, nodes.paragraph))
            for table in long_tables(cell):
                if (cell.parent in seen or rows(table) > MANY) and not ANNOUNCED.search(told):
                    put_behind(NUMBERS, table)
                seen.add(cell.parent)
            fold(cell, whole=bool(REPORTS.search(str(self.document.get("source")))))
            for output in cell.children[1:]:
                output[:] = in_order(output.children)
            if cell.get("hide_mode") == "all" and (false := refuted(cell)):
                cell.parent.insert(cell.parent.index(cell) + 1, false)


class Bars(SphinxPostTransform):
    """One bar for all that is folded about a figure: in the stretch of a section that ends with it.

    What comes after a section's last figure shares its bar. A cell of which nothing is seen joins the next
    one, or the solution that it stands behind. Else folds stay where they are, since a page that runs looks
    for its cells in their order; style shows them, where the bar is open, at the end of their stretch.
    """

    default_priority = 200  # after myst-nb has made the folds
    formats = ("html",)

    def run(self, **kwargs) -> None:
        join_silent([*self.document.findall(is_cell)])
        parents = {id(cell.parent): cell.parent for cell in self.document.findall(is_cell)}
        for parent in (one for one in parents.values() if not is_solution(one)):
            stretches: list[list[nodes.Node]] = [[]]
            for place, child in enumerate(parent.children):
                drawn = all(any(map(has_figure, part)) for part in (stretches[-1], parent.children[place:]))
                if isinstance(child, nodes.section) or is_summary(child) or drawn and not is_cell(child):
                    stretches.append([])
                stretches[-1].append(child)
            parent[:] = [part for stretch in stretches for part in with_bar(stretch)]


def join_silent(cells: list[nodes.Element]) -> None:
    """Put each cell of which nothing is seen into the solution before it, or before the next cell."""
    for cell, after in reversed([*zip_longest(cells, cells[1:])]):
        before = cell.parent[max(cell.parent.index(cell) - 1, 0)]
        if len(cell) > 1 or not isinstance(cell[0], HideCodeCellNode) or "cell-part" in before["classes"]:
            continue
        if is_solution(before) or after is not None and not is_solution(after.parent):
            cell.parent.remove(cell)
            put = before if is_solution(before) else after.parent
            put.insert(len(put) if put is before else put.index(after), cell)


def is_solution(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Admonition) and "solution" in node["classes"]


def is_summary(node: nodes.Node) -> bool:
    """The box that closes a page, which stands below the bar."""
    return isinstance(node, nodes.admonition) and node[0].astext() == "Summary"


def has_figure(node: nodes.Node) -> bool:
    return next(node.findall(nodes.figure), None) is not None


def is_cell(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and node.get("nb_element") in ("cell_code", "cell_part")


def with_bar(stretch: list[nodes.Node]) -> list[nodes.Node]:
    """A stretch in a frame with a bar for its folds, if any; the section's title stays outside."""
    rest = [part for part in stretch if not isinstance(part, nodes.title | nodes.section)]
    if not any(next(part.findall(HideCodeCellNode), None) for part in rest):
        return stretch
    bar = nodes.raw("", f'<details class="run-bar"><summary>{BAR}</summary></details>', format="html")
    return [*stretch[: -len(rest)], nodes.container("", bar, *rest, classes=["run"])]


def is_code(cell: nodes.container) -> bool:
    return cell.get("nb_element") == "cell_code" and cell[0].get("nb_element") == "cell_code_source"


def beside(cell: nodes.container) -> list[nodes.Node]:
    """What stands before and after a cell, but for cells without a result."""
    near = [one for one in cell.parent if one is cell or not (is_cell(one) and len(one) == 1)]
    at = near.index(cell)
    return near[max(at - 1, 0) : at + 2]


def is_figure(cell: nodes.container) -> bool:
    return "figure" in cell["cell_metadata"].get("mystnb", {})


def in_order(parts: list[nodes.Element]) -> list[nodes.Node]:
    """Claims come last, and first of them what fails; where many hold, one row opens to them."""
    told: dict[str | None, list[nodes.Node]] = {verdict: [] for verdict in (None, *WORST_FIRST)}
    for part in parts:
        told[part.get("verdict")].append(part)
    if len(held := told["holds"]) >= HELD:
        names = ", ".join(dict.fromkeys(claim["statement"] for claim in held))
        row = [badge("holds"), nodes.inline(text=f"{len(held)} claims about {names}")]
        told["holds"] = folded(row, held, classes="held")
    return [*chain(*told.values())]


def refuted(cell: nodes.container) -> nodes.container:
    """Take out what is false: it stays in sight where its cell folds."""
    false = [part for output in cell[1:] for part in output if part.get("verdict") == "refuted"]
    for part in false:
        part.parent.remove(part)
    return nodes.container("", *false, classes=["cell_output"])


def put_behind(name: str, output: nodes.Element) -> None:
    """Fold a long output, a table with its heading: a section shows one figure or long table."""
    place, at = output.parent, output.parent.index(output)
    before = [part for part in place[max(at - 1, 0) : at] if name == NUMBERS and is_printed(part)]
    heading = [part for part in before if not STATED.search(part.astext())]
    bar = HideCodeCellNode("", *heading, output, prompt_show=name, prompt_hide=name, classes=["above-output"])
    place[at - len(heading) : at + 1] = [bar]


def rows(table: nodes.raw) -> int:
    return table.astext().count("<tr>") if TABLE in table.astext() else 0


def long_tables(cell: nodes.container) -> list[nodes.raw]:
    return [table for table in cell.findall(nodes.raw) if rows(table) > ROWS]


def long_prints(cell: nodes.container) -> list[nodes.literal_block]:
    return [block for block in cell.findall(is_printed) if block.astext().count("\n") >= PRINTED]


def is_printed(node: nodes.Node) -> bool:
    return isinstance(node, nodes.literal_block) and "stream" in node["classes"]


def is_silent(cell: nodes.container) -> bool:
    """Whether all that a cell puts out is folded, so that its code would stand there without a result."""
    return len(cell) > 1 and all(isinstance(one, HideCodeCellNode) for part in cell[1:] for one in part)


def fold(cell: nodes.container, whole: bool = False) -> None:
    """Fold what is not the method, and show its short functions, where `whole` is false, above."""
    called, text = shown(cell[0].astext(), is_figure(cell))
    asked = "show" in cell["cell_metadata"].get("tags", [])
    if asked or not (called or cell.get("hide_mode") or is_silent(cell)):
        return
    cell["prompt_show"] = called or "How it is computed"
    if not cell.get("hide_mode"):
        cell["hide_mode"] = "input"
        if text and not whole and not is_silent(cell):
            cell["prompt_show"] = "The whole cell: " + called[0].lower() + called[1:]
            cell.parent.insert(cell.parent.index(cell), part(cell, text))
    cell["prompt_hide"] = cell["prompt_show"]


def part(cell: nodes.container, text: str) -> nodes.container:
    """A cell that shows these lines of another one."""
    source = cell[0].deepcopy()
    block = next(source.findall(nodes.literal_block))
    block[:], block.rawsource = [nodes.Text(text)], text
    return nodes.container("", source, nb_element="cell_part", classes=["cell", "cell-part"])


class Words(SphinxPostTransform):
    """What a cell prints in whole sentences is set as words, not as code."""

    default_priority = 210
    formats = ("html",)

    def run(self, **kwargs) -> None:
        for block in [*self.document.findall(is_printed)]:
            if SENTENCES.fullmatch(text := block.astext().strip()):
                block.replace_self(nodes.paragraph("", powers(" ".join(text.split())), classes=["said"]))


def setup(app) -> dict:
    app.add_post_transform(Folds)
    app.add_post_transform(Words)
    app.add_post_transform(Bars)
    return SAFE
