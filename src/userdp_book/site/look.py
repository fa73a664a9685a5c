"""The book's style, the scripts of every page, and heads of pages without what the theme need not load."""

from pathlib import Path

from . import SAFE

STATIC, TEMPLATES = (Path(__file__).parent / name for name in ("static", "templates"))


def configure(app, config) -> None:
    config.html_static_path.append(str(STATIC))
    config.templates_path.insert(0, str(TEMPLATES))


def setup(app) -> dict:
    app.connect("config-inited", configure)
    app.add_css_file("userdp.css")
    app.add_css_file("look.css")
    for script in ("filter.js", "reach.js", "page.js"):
        app.add_js_file(script)
    return SAFE
