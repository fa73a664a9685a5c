"""The Sphinx extension: stored outputs, offline math, links to the twins, generated tables."""

import gc
import os
from hashlib import sha256
from pathlib import Path

from docutils import nodes
from sphinx_proof.domain import ProofDomain

from ..run.execute import computed
from ..run.pages import install_source, repository_url, write
from . import (
    api_index,
    boxes,
    calculator,
    generated,
    graph,
    judgement,
    ledger,
    light,
    live,
    mathjax,
    moving,
    offline,
    outlines,
    outputs,
    preview,
    search,
    sidebar,
    signatures,
)
from .build import JOBS
from .diagrams import Diagram
from .folds import Folds
from .implementation import Implementation
from .lab_pages import Labs, open_lab
from .links import ResolveLinks, allow_breaks, book_link, keep_together
from .statements import NotReproducible, PageSeconds, Scorecard, StatementIndex

PYODIDE = "https://cdn.jsdelivr.net/pyodide/v314.0.3/full/"
STATIC, TEMPLATES = (Path(__file__).parent / name for name in ("static", "templates"))
SHARED_IDS = (["proof"], ["proof-content"], ["exercise-content"], ["solution-content"])


def remove_shared_ids(app, doctree, docname) -> None:
    """sphinx-proof and sphinx-exercise give the contents of every box one id."""
    for node in doctree.findall(nodes.Element):
        if node.get("ids") in SHARED_IDS:
            node["ids"] = []


def point_to_twin(app, pagename, templatename, context, doctree) -> None:
    """Open and download the notebook twin, where the theme offers the Markdown page."""
    twin = outputs.page_of(app, pagename)
    nb = computed(twin)
    if nb is None or not twin.source.is_file():
        return
    text = twin.source.read_text(encoding="utf8")
    nb.cells[0].source = install_source(text, repository_url(twin.root))
    write(nb, Path(app.outdir) / "_sources" / f"{pagename}.ipynb")
    for group in context.get("header_buttons", []):
        if group.get("label") == "launch-buttons":
            for button in group["buttons"]:
                button["url"] = button["url"].replace(f"{pagename}.md", f"notebooks/{twin.name}.ipynb")


def set_address(app, config) -> None:
    """All buttons follow the repository's address."""
    config.html_theme_options["repository_url"] = repository_url(Path(app.srcdir))


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
    for name in ("sphinx_multitoc_numbering", "sphinx_jupyterbook_latex"):
        app.extensions[name].parallel_read_safe = True
    # What this domain knows stands in the environment, where sphinx-proof itself joins it.
    ProofDomain.merge_domaindata = lambda domain, docnames, other: None


def forget_unread_sources(app, env) -> None:
    """Modules of others that sphinx.ext.viewcode came by get no page, in whatever order pages are read."""
    known = env._viewcode_modules
    for name in [name for name, entry in known.items() if entry and not entry[2]]:
        del known[name]


def digest() -> str:
    """What this room and the verdicts consist of: when they change, every page is made anew."""
    room = Path(__file__).parent
    files = [path for path in room.rglob("*.*") if path.suffix in (".py", ".css", ".js", ".html")]
    files += (room.parents[1] / "userdp/study/judgement").glob("*.statements.toml")
    return sha256(b"".join(path.read_bytes() for path in sorted(files))).hexdigest()


def setup(app) -> dict:
    # Pages are trees of many small objects: Python would look through them all, again and again, for garbage.
    gc.set_threshold(200_000, 50, 100)
    # Where Pyodide is: the address of its release, or a folder beside the scripts (`make live`).
    app.add_config_value("userdp_live_base", PYODIDE, "html", types=[str])
    app.add_config_value("userdp_book_digest", digest(), "env", types=[str])
    app.connect("config-inited", drop_thebe)
    app.connect("config-inited", set_address)
    app.connect("config-inited", mathjax.configure)
    app.connect("config-inited", lambda app, config: config.html_static_path.append(str(STATIC)))
    app.connect("config-inited", lambda app, config: config.templates_path.insert(0, str(TEMPLATES)))
    app.connect("config-inited", search.configure)
    app.connect("config-inited", live.configure)
    app.connect("builder-inited", work_side_by_side)
    app.connect("builder-inited", mathjax.copy)
    app.connect("builder-inited", offline.copy)
    app.connect("builder-inited", live.copy)
    app.connect("config-inited", outputs.configure)
    app.connect("env-before-read-docs", outputs.fill)
    app.connect("source-read", outputs.depend_on_outputs)
    app.connect("source-read", open_lab)
    app.connect("autodoc-process-signature", signatures.shorten)
    app.connect("autodoc-process-docstring", signatures.rejoin, priority=600)
    app.connect("env-get-outdated", generated.outdated)
    app.connect("doctree-read", outlines.note, priority=999)
    app.connect("env-get-updated", outlines.lend, priority=499)
    app.connect("env-get-updated", outlines.take_back, priority=501)
    app.connect("env-updated", forget_unread_sources)
    app.connect("doctree-resolved", remove_shared_ids)
    app.connect("doctree-resolved", allow_breaks)
    app.connect("doctree-resolved", keep_together)
    app.connect("doctree-resolved", graph.draw)
    app.connect("doctree-resolved", boxes.name_links)
    app.connect("doctree-resolved", boxes.name_boxes)
    app.connect("doctree-resolved", api_index.fold)
    # After the theme's own handlers, which run at 501.
    app.connect("html-page-context", point_to_twin, priority=600)
    app.connect("html-page-context", sidebar.show, priority=400)
    app.connect("html-page-context", calculator.load)
    app.connect("html-page-context", live.load)
    app.connect("html-page-context", moving.load)
    app.connect("html-page-context", mathjax.drop, priority=600)
    app.connect("html-collect-pages", search.list_entries)
    app.connect("html-collect-pages", search.name_statements)
    app.connect("html-page-context", preview.describe)
    app.connect("build-finished", preview.write)
    app.connect("build-finished", light.lighten)
    app.add_css_file("userdp.css")
    app.add_js_file("filter.js")
    app.add_js_file("reach.js")
    app.add_node(book_link)
    app.add_node(graph.statement_graph)
    app.add_post_transform(Folds)
    app.add_post_transform(ResolveLinks)
    app.add_directive("calculator", calculator.Calculator)
    app.add_directive("api-index", api_index.ApiIndex)
    app.add_directive("diagram", Diagram)
    app.add_directive("downloads", offline.Downloads)
    app.add_directive("implementation", Implementation)
    app.add_directive("labs", Labs)
    app.add_directive("moving", moving.Moving)
    app.add_directive("ledger", ledger.Ledger)
    app.add_directive("live-pages", live.LivePages)
    app.add_directive("walk", ledger.Walk)
    app.add_directive("scorecard", Scorecard)
    app.add_directive("statement-index", StatementIndex)
    app.add_directive("corrections", judgement.Corrections)
    app.add_directive("erratum", judgement.Erratum)
    app.add_directive("fault-tally", judgement.FaultTally)
    app.add_directive("in-figures", judgement.InFigures)
    app.add_directive("readings", judgement.Readings)
    app.add_directive("worst", judgement.Worst)
    app.add_directive("statement-graph", graph.StatementGraph)
    app.add_directive("not-reproducible", NotReproducible)
    app.add_directive("page-seconds", PageSeconds)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
