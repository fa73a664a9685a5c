"""Real users: small tables that are shipped, and strict loaders for tables that a reader brings."""

from userdp_papers.data import histograms, means
from userdp_papers.data.histograms import *
from userdp_papers.data.means import *

MODULES = histograms, means
__all__ = [name for module in MODULES for name in module.__all__]
