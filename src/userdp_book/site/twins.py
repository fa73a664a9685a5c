"""Each page with code offers its notebook, and every button follows the repository's address."""

from pathlib import Path

from ..run.execute import computed
from ..run.pages import install_source, repository_url, write
from . import SAFE
from .outputs import page_of

NOWHERE = "OWNER/"


def point_to_twin(app, pagename, templatename, context, doctree) -> None:
    """Open and download the notebook twin, where the theme offers the Markdown page."""
    if NOWHERE in repository_url(Path(app.srcdir)):
        leave_out(context)
    twin = page_of(app, pagename)
    if (nb := computed(twin)) is None or not twin.source.is_file():
        return
    nb.cells[0].source = install_source(twin.source.read_text(encoding="utf8"), repository_url(twin.root))
    write(nb, Path(app.outdir) / "_sources" / f"{pagename}.ipynb")
    for group in context.get("header_buttons", []):
        if group.get("label") == "launch-buttons":
            for button in group["buttons"]:
                button["url"] = button["url"].replace(f"{pagename}.md", f"notebooks/{twin.name}.ipynb")


def leave_out(context: dict) -> None:
    """While the repository has no address no button leads to a place that does not exist."""
    groups = [one for one in context.get("header_buttons", []) if NOWHERE not in one.get("url", "")]
    for group in [one for one in groups if one["type"] == "group"]:
        group["buttons"] = [one for one in group["buttons"] if NOWHERE not in one.get("url", "")]
    context["header_buttons"] = [one for one in groups if one.get("buttons", True)]


def set_address(app, config) -> None:
    """All buttons follow the repository's address."""
    config.html_theme_options["repository_url"] = repository_url(Path(app.srcdir))


def setup(app) -> dict:
    app.connect("config-inited", set_address)
    # After the theme's own handlers, which run at 501.
    app.connect("html-page-context", point_to_twin, priority=600)
    return SAFE
