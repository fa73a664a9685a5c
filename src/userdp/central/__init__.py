"""Estimators in the central model: means of heterogeneous users, histograms, contribution bounds."""

from userdp import _public
from userdp.central.bounds import *
from userdp.central.clipped import *
from userdp.central.debias import *
from userdp.central.histogram import *
from userdp.central.mean import *
from userdp.central.over_records import *
from userdp.central.private_sizes import *
from userdp.central.private_sizes import SAFETY
from userdp.central.unknown_domain import *
from userdp.central.weights import *

__all__ = _public.offered(vars())
