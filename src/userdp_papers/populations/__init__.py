"""Distributions of the data as sufficient statistics: exact draws of user means, counts and sizes."""

from userdp_papers.populations import beta_means, densities, histograms, records, sparse
from userdp_papers.populations.beta_means import *
from userdp_papers.populations.densities import *
from userdp_papers.populations.histograms import *
from userdp_papers.populations.records import *
from userdp_papers.populations.sparse import *

MODULES = beta_means, densities, histograms, records, sparse
__all__ = [name for module in MODULES for name in module.__all__]
