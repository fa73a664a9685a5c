"""The beginning of a page and a repository where it can stand, for tests of what runs and reads pages."""

FRONT = """---
jupytext:
  text_representation: {extension: .md, format_name: myst, format_version: 0.13}
kernelspec: {display_name: Python 3 (ipykernel), language: python, name: python3}
---
"""


def repository(root):
    """The folder as a repository: with an address, pins and a place for pages."""
    (root / "_config.yml").write_text("repository: {url: 'https://example.org/x/userdp'}")
    (root / "constraints.txt").write_text("numpy==2.0\n")
    (root / "book").mkdir(exist_ok=True)
    return root
