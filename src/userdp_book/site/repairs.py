"""Repairs of other extensions, which do each a thing that this book cannot have."""

import os

from docutils import nodes
from sphinx_proof.domain import ProofDomain

from . import SAFE
from .build import JOBS

SHARED_IDS = (["proof"], ["proof-content"], ["exercise-content"], ["solution-content"])


def remove_shared_ids(app, doctree, docname) -> None:
    """sphinx-proof and sphinx-exercise give the contents of every box one id."""
    for node in doctree.findall(nodes.Element):
        if node.get("ids") in SHARED_IDS:
            node["ids"] = []


def drop_thebe(app, config) -> None:
    """Jupyter Book always runs sphinx-thebe, which loads a script from another site into every page."""
    for event in ("env-before-read-docs", "doctree-resolved"):
        for listener in list(app.events.listeners[event]):
            if listener.handler.__module__ == "sphinx_thebe":
                app.disconnect(listener.id)


def work_side_by_side(app) -> None:
    """Pages are read and written by several processes, also where an extension does not say that it can."""
    app.parallel = int(os.environ.get(JOBS, "1"))
    # These number sections and print: they keep nothing of a page that is read.
    for name in app.extensions.keys() & {"sphinx_multitoc_numbering", "sphinx_jupyterbook_latex"}:
        app.extensions[name].parallel_read_safe = True
    # What this domain knows stands in the environment, where sphinx-proof itself joins it.
    ProofDomain.merge_domaindata = lambda domain, docnames, other: None


def forget_unread_sources(app, env) -> None:
    """Modules of others that sphinx.ext.viewcode came by get no page, in whatever order pages are read."""
    known = getattr(env, "_viewcode_modules", {})
    for name in [name for name, entry in known.items() if entry and not entry[2]]:
        del known[name]


def setup(app) -> dict:
    app.connect("config-inited", drop_thebe)
    app.connect("builder-inited", work_side_by_side)
    app.connect("env-updated", forget_unread_sources)
    app.connect("doctree-resolved", remove_shared_ids)
    return SAFE
