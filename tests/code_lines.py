"""How much code there is: lines that hold a token which is neither comment nor docstring."""

import ast
import io
import sys
import tokenize
from pathlib import Path

NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def code_lines(path: Path) -> int:
    """Lines of code in a file, or in all Python files below a folder."""
    if path.is_dir():
        return sum(map(code_lines, path.rglob("*.py")))
    text = path.read_text(encoding="utf8")
    said: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            said |= spanned(node.body[0].lineno, node.body[0].end_lineno)
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    held = (spanned(one.start[0], one.end[0]) for one in tokens if one.type not in NO_CODE)
    return len(set().union(*held) - said)


def spanned(first: int, last: int) -> set[int]:
    return set(range(first, last + 1))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(f"{code_lines(Path(name)):6} {name}")
