"""Exact risks, losses and distributions, without simulation."""

from userdp import _public
from userdp.planning.risk.localised import *
from userdp_papers.theory.exact.counts import *
from userdp_papers.theory.exact.density import *
from userdp_papers.theory.exact.histograms import *
from userdp_papers.theory.exact.infinite_records import *
from userdp_papers.theory.exact.sensitivity import *
from userdp_papers.theory.exact.user_windows import *
from userdp_papers.theory.exact.votes import *

__all__ = _public.offered(vars())
