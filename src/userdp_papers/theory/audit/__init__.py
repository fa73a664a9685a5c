"""Audits: the loss of a mechanism from its own probabilities, or from its samples."""

from userdp import _public
from userdp_papers.theory.audit.exact import *
from userdp_papers.theory.audit.sampled import *

__all__ = _public.offered(vars())
