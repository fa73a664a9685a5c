"""Rates and bounds of the papers, and the least risk that any method can have."""

from userdp.planning.risk import least_risk
from userdp.planning.risk.least_risk import *
from userdp_papers.theory.rates import dame, minimax, optimal_report
from userdp_papers.theory.rates.dame import *
from userdp_papers.theory.rates.dame import CORRECTED, PRINTED, UNIT_CONSTANTS
from userdp_papers.theory.rates.minimax import *
from userdp_papers.theory.rates.minimax import HORIZON_CONSTANT
from userdp_papers.theory.rates.optimal_report import *

MODULES = dame, minimax, optimal_report, least_risk
__all__ = [name for module in MODULES for name in module.__all__]
__all__ += ["CORRECTED", "HORIZON_CONSTANT", "PRINTED", "UNIT_CONSTANTS"]
