"""Guarantees to one user, and every place where randomness is spent on them.

Reports are what a user sends (local), noise and choices are what a curator draws (central). Guarantees are
composed from them here and nowhere else.
"""

from userdp import _public
from userdp.privacy.choice import *
from userdp.privacy.guarantee import *
from userdp.privacy.noise import *
from userdp.privacy.reports import *
from userdp.privacy.results import *
from userdp.privacy.vector_reports import *

__all__ = _public.offered(vars())
