"""Estimators for users who trust nobody: each sends reports that are private by themselves."""

from userdp.local import (
    cover,
    density,
    hashing,
    improved,
    localise,
    mean,
    mixture,
    sparse,
    unequal,
    vector,
)
from userdp.local.cover import *
from userdp.local.density import *
from userdp.local.hashing import *
from userdp.local.improved import *
from userdp.local.localise import *
from userdp.local.mean import *
from userdp.local.mixture import *
from userdp.local.sparse import *
from userdp.local.unequal import *
from userdp.local.vector import *

__all__ = [
    *cover.__all__,
    *density.__all__,
    *hashing.__all__,
    *improved.__all__,
    *localise.__all__,
    *mean.__all__,
    *mixture.__all__,
    *sparse.__all__,
    *unequal.__all__,
    *vector.__all__,
]
