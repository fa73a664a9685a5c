"""What estimators return, drawn without their users: many runs, many populations, exact in distribution."""

from userdp_papers.theory.sampled import mean_given_users, runs
from userdp_papers.theory.sampled.mean_given_users import *
from userdp_papers.theory.sampled.runs import *

MODULES = mean_given_users, runs
__all__ = [name for module in MODULES for name in module.__all__]
