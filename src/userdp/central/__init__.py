"""Estimators in the central model: means of heterogeneous users, histograms, contribution bounds."""

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

from . import bounds, clipped, debias, histogram, mean, over_records, private_sizes, unknown_domain, weights

MODULES = bounds, clipped, debias, histogram, mean, over_records, private_sizes, unknown_domain, weights
__all__ = [name for module in MODULES for name in module.__all__] + ["SAFETY"]
