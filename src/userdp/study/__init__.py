"""How the book works: claims with verdicts, sweeps over grids, the style of its figures."""

from userdp.study import claims, style, sweeps
from userdp.study.claims import *
from userdp.study.sweeps import *

__all__ = [
    *claims.__all__,
    *sweeps.__all__,
    "style",
]
