"""All rooms of the site: Sphinx loads each as an extension of its own, and any may be left out here."""

from . import SAFE

# Handlers of one event run in this order.
ROOMS = (
    "repairs",
    "look",
    "twins",
    "mathjax",
    "search",
    "offline",
    "live",
    "outputs",
    "lab_pages",
    "signatures",
    "formulas",
    "generated",
    "outlines",
    "numbers",
    "links",
    "graph",
    "boxes",
    "behind",
    "api_index",
    "moving",
    "sharing",
    "published",
    "light",
    "folds",
    "diagrams",
    "letters",
    "implementation",
    "judgement",
    "statements",
    "proofs",
    "ledger",
)


def setup(app) -> dict:
    for room in ROOMS:
        app.setup_extension(f"{__package__}.{room}")
    return SAFE
