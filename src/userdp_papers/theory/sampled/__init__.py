"""What estimators return, drawn without their users: many runs, many populations, exact in distribution."""

from userdp import _public
from userdp_papers.theory.sampled.mean_given_users import *
from userdp_papers.theory.sampled.runs import *

__all__ = _public.offered(vars())
