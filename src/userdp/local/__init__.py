"""Estimators for users who trust nobody: each sends reports that are private by themselves."""

from userdp.local import cover, density, improved, localise, mean, mixture, signs, sparse, unequal, vector
from userdp.local.cover import *
from userdp.local.density import *
from userdp.local.improved import *
from userdp.local.localise import *
from userdp.local.mean import *
from userdp.local.mixture import *
from userdp.local.signs import *
from userdp.local.sparse import *
from userdp.local.unequal import *
from userdp.local.vector import *

MODULES = cover, density, improved, localise, mean, mixture, signs, sparse, unequal, vector
__all__ = [name for module in MODULES for name in module.__all__]
