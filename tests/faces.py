"""The doors of the packages, by the short name that lists of public things use: ``local.dame``."""

from importlib import import_module

FACES = {
    "privacy": "userdp.privacy",
    "sizes": "userdp.sizes",
    "local": "userdp.local",
    "central": "userdp.central",
    "planning": "userdp.planning",
    "tables": "userdp.tables",
    "release": "userdp.release",
    "populations": "userdp_papers.populations",
    "data": "userdp_papers.data",
    "printed": "userdp_papers.printed",
    "audit": "userdp_papers.theory.audit",
    "rates": "userdp_papers.theory.rates",
    "exact": "userdp_papers.theory.exact",
    "sampled": "userdp_papers.theory.sampled",
    "study": "userdp_papers.study",
}


def face(room):
    """The module that is a room's door."""
    return import_module(FACES[room])


def public(room, name):
    """What a room offers under a name."""
    return getattr(face(room), name)
