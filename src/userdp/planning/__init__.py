"""Which method, at which width, with what error: answered before any data are touched."""

from userdp._face import offered
from userdp.planning.option import *
from userdp.planning.plans import *

__all__ = offered(__name__)
