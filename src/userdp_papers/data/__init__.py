"""Real users: small tables that are shipped, and strict loaders for tables that a reader brings."""

from userdp import _public
from userdp_papers.data.histograms import *
from userdp_papers.data.means import *

__all__ = _public.offered(vars())
