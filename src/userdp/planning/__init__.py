"""Which method, at which width, with what error: answered before any data are touched."""

from userdp.planning import option, plans
from userdp.planning.option import *
from userdp.planning.plans import *
from userdp.planning.risk import improved_plan
from userdp.planning.risk.improved_plan import *

MODULES = option, plans, improved_plan
__all__ = [name for module in MODULES for name in module.__all__]
