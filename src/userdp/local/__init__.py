"""Estimators for users who trust nobody: each sends reports that are private by themselves."""

from userdp._face import offered
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

__all__ = offered(__name__)
