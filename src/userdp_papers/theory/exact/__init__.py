"""Exact risks, losses and distributions, without simulation."""

from userdp.planning.risk import localised
from userdp.planning.risk.localised import *
from userdp_papers.theory.exact import (
    counts,
    density,
    histograms,
    infinite_records,
    sensitivity,
    user_windows,
    votes,
)
from userdp_papers.theory.exact.counts import *
from userdp_papers.theory.exact.density import *
from userdp_papers.theory.exact.histograms import *
from userdp_papers.theory.exact.infinite_records import *
from userdp_papers.theory.exact.sensitivity import *
from userdp_papers.theory.exact.user_windows import *
from userdp_papers.theory.exact.votes import *

MODULES = counts, density, histograms, infinite_records, sensitivity, user_windows, votes, localised
__all__ = [name for module in MODULES for name in module.__all__]
