"""Where two runs of a notebook differ, said in one line a cell."""

from base64 import b64decode
from collections.abc import Iterator
from io import BytesIO
from itertools import zip_longest
from math import inf

import numpy as np
from nbformat import NotebookNode
from PIL import Image

from .pages import code_cells

# Root mean square over a block and its channels, in grey levels of 255. The same matplotlib draws the same
# bytes; another platform moves a block by a level or two, an erased marker or a changed digit by tens.
PICTURE_TOLERANCE = 8.0
BLOCK = 16  # pixels


def picture_distance(first: str, second: str) -> float:
    """Distance of two base64 pictures in the block where it is largest; infinite when their sizes differ."""
    if first == second:
        return 0.0
    a, b = (np.asarray(Image.open(BytesIO(b64decode(png))).convert("RGBA"), float) for png in (first, second))
    if a.shape != b.shape:
        return inf
    squares = ((a - b) ** 2).mean(axis=2)
    ends = [range(0, length, BLOCK) for length in squares.shape]
    sums = np.add.reduceat(np.add.reduceat(squares, ends[0], axis=0), ends[1], axis=1)
    return float(np.sqrt(sums.max()) / BLOCK)


def pictures(outputs: list[NotebookNode]) -> list[str]:
    """The PNG pictures among a cell's outputs."""
    return [output["data"]["image/png"] for output in outputs if "image/png" in output.get("data", {})]


def pictures_differ(first: list[NotebookNode], second: list[NotebookNode]) -> str:
    """Say how the pictures of two lists of outputs differ, or nothing."""
    a, b = pictures(first), pictures(second)
    if len(a) != len(b):
        return f"{len(a)} pictures before, {len(b)} now"
    distance = max(map(picture_distance, a, b), default=0.0)
    return f"pictures are {distance:.1f} grey levels apart" if distance > PICTURE_TOLERANCE else ""


def lines(outputs: list[NotebookNode]) -> list[str]:
    """All text in a cell's outputs, line by line, each with its kind in front."""
    texts = []
    for output in outputs:
        if output.output_type == "stream":
            texts.append((output.name, output.text))
        elif output.output_type == "error":
            texts.append((output.ename, output.evalue))
        else:
            texts += [(kind, data) for kind, data in sorted(output.data.items()) if kind != "image/png"]
    return [f"{kind}: {line}" for kind, text in texts for line in str(text).splitlines()]


def difference(first: list[NotebookNode], second: list[NotebookNode]) -> str:
    """The first line in which two lists of outputs differ, or nothing."""
    for a, b in zip_longest(lines(first), lines(second), fillvalue="(nothing)"):
        if a != b:
            return f"{a!r} before, {b!r} now"
    return pictures_differ(first, second)


def is_exempt(cell: NotebookNode) -> bool:
    """Whether a cell's outputs are seconds, which no two runs share: nbval's own tag for it."""
    return "nbval-ignore-output" in cell.metadata.get("tags", [])


def keep_exempt(computed: NotebookNode, stored: NotebookNode | None) -> NotebookNode:
    """The computed notebook, with what was stored for exempt cells, so that a new run changes no file."""
    before = {cell.id: cell.outputs for cell in code_cells(stored)} if stored else {}
    for cell in code_cells(computed):
        if is_exempt(cell) and before.get(cell.id):
            cell.outputs = before[cell.id]
    return computed


def differences(stored: NotebookNode, computed: NotebookNode) -> Iterator[tuple[int, str]]:
    """Number and difference of each code cell whose outputs are not what was stored."""
    empty = NotebookNode(source="(no cell)", outputs=[], metadata={})
    pairs = zip_longest(code_cells(stored), code_cells(computed), fillvalue=empty)
    for number, (before, now) in enumerate(pairs, start=1):
        if before.source != now.source:
            yield number, "the code has changed"
        elif not is_exempt(now) and (said := difference(before.outputs, now.outputs)):
            yield number, said
