"""Guarantees to one user, and every place where randomness is spent on them.

Reports are what a user sends (local), noise and choice what a curator draws (central); guarantees are
composed from them here and nowhere else.
"""

from userdp.privacy import choice, guarantee, noise, reports, results, vector_reports
from userdp.privacy.choice import *
from userdp.privacy.guarantee import *
from userdp.privacy.noise import *
from userdp.privacy.reports import *
from userdp.privacy.results import *
from userdp.privacy.vector_reports import *

MODULES = choice, guarantee, noise, reports, results, vector_reports
__all__ = [name for module in MODULES for name in module.__all__]
