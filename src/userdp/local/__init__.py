"""Estimators for users who trust nobody: each sends reports that are private by themselves."""

from userdp.local.cover import *
from userdp.local.density import *
from userdp.local.hashing import *
from userdp.local.improved import *
from userdp.local.improved_plan import *
from userdp.local.localise import *
from userdp.local.mean import *
from userdp.local.mixture import *
from userdp.local.sparse import *
from userdp.local.unequal import *
from userdp.local.vector import *

_MODULES = cover, density, hashing, improved, improved_plan, localise, mean, mixture, sparse, unequal, vector  # noqa: F405
__all__ = [name for module in _MODULES for name in module.__all__]
