"""Which method, at which width, with what error: answered before any data are touched."""

from userdp import _public
from userdp.planning.option import *
from userdp.planning.plans import *
from userdp.planning.risk.improved_plan import *

__all__ = _public.offered(vars())
