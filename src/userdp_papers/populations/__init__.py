"""Distributions of the data as sufficient statistics: exact draws of user means, counts and sizes."""

from userdp import _public
from userdp_papers.populations.beta_means import *
from userdp_papers.populations.densities import *
from userdp_papers.populations.histograms import *
from userdp_papers.populations.records import *
from userdp_papers.populations.sparse import *

__all__ = _public.offered(vars())
