"""Rates and bounds of the papers, and the least risk that any method can have."""

from userdp import _public
from userdp.planning.risk.least_risk import *
from userdp_papers.theory.rates.dame import *
from userdp_papers.theory.rates.dame import CORRECTED, PRINTED, UNIT_CONSTANTS
from userdp_papers.theory.rates.minimax import *
from userdp_papers.theory.rates.minimax import HORIZON_CONSTANT
from userdp_papers.theory.rates.optimal_report import *

__all__ = _public.offered(vars())
