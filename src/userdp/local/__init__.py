"""Estimators in the local model: nobody is trusted, and the reports are private by themselves."""

from userdp import _public
from userdp.local.cover import *
from userdp.local.density import *
from userdp.local.improved import *
from userdp.local.localise import *
from userdp.local.mean import *
from userdp.local.mean import KENT_MARGIN
from userdp.local.mixture import *
from userdp.local.mixture import MIXTURE_MARGIN, MIXTURE_SIMULATION_CONSTANT
from userdp.local.signs import *
from userdp.local.sparse import *
from userdp.local.sparse import SPARSE_CUT
from userdp.local.unequal import *
from userdp.local.unequal import DAME_MARGIN
from userdp.local.vector import *

__all__ = _public.offered(vars())
