"""What one user is promised, and every place where randomness is spent on that promise.

Reports are what a user sends (local), noise and choice what a curator draws (central); guarantees are
composed from them here and nowhere else.
"""

from userdp.privacy import (
    choice,
    guarantee,
    noise,
    reports,
    results,
    vector_reports,
)
from userdp.privacy.choice import *
from userdp.privacy.guarantee import *
from userdp.privacy.noise import *
from userdp.privacy.reports import *
from userdp.privacy.results import *
from userdp.privacy.vector_reports import *

__all__ = [
    *choice.__all__,
    *guarantee.__all__,
    *noise.__all__,
    *reports.__all__,
    *results.__all__,
    *vector_reports.__all__,
]
