"""Audits: the loss of a mechanism from its own probabilities, or from its samples."""

from userdp_papers.theory.audit import exact, sampled
from userdp_papers.theory.audit.exact import *
from userdp_papers.theory.audit.sampled import *

MODULES = exact, sampled
__all__ = [name for module in MODULES for name in module.__all__]
