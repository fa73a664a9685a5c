"""What stands behind a box, its proof and its code, is one row of tabs, a ``<details>`` each.

They need no script: all are closed, one at a time may be open, a link to what is inside opens it, and paper
shows them all.
"""

from itertools import count, groupby

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from . import SAFE
from .claims import html


class Behind(SphinxPostTransform):
    """Join the folds that follow one another; an opened one closes the others of its row."""

    default_priority = 150
    formats = ("html",)

    def run(self, **kwargs) -> None:
        rows = count(1)
        parents = {id(fold.parent): fold.parent for fold in self.document.findall(is_fold)}
        for parent in reversed(parents.values()):  # folds within folds first
            children = []
            for folded, group in groupby(parent.children, is_fold):
                members = [*group]
                children += [row(next(rows), members)] if folded else members
            parent[:] = children


def is_fold(node: nodes.Node) -> bool:
    return type(node) is nodes.admonition and "dropdown" in node["classes"]


def row(number: int, folds: list[nodes.Element]) -> nodes.container:
    """A row of tabs with what they open."""
    tabs = [part for fold in folds for part in tab(f"behind-{number}", fold)]
    return nodes.container("", *tabs, classes=["behind"])


def tab(name: str, fold: nodes.Element) -> list[nodes.Node]:
    title, *inner = fold.children
    for link in list(title.findall(nodes.reference)):  # a tab opens, and leads nowhere else
        link.replace_self(link.children)
    ids = f' id="{fold["ids"][0]}"' if fold["ids"] else ""
    kinds = " ".join(fold["classes"])
    opened = html(f'<details{ids} name="{name}" class="{kinds}"><summary>')
    return [opened, nodes.inline("", "", *title.children), html("</summary>"), *inner, html("</details>")]


def setup(app) -> dict:
    app.add_post_transform(Behind)
    return SAFE
