"""Estimators of a trusted curator: means of users who differ, histograms, contribution bounds."""

from userdp._face import offered
from userdp.central.bound_curve import *
from userdp.central.bounds import *
from userdp.central.bounds_by_descent import *
from userdp.central.debias import *
from userdp.central.histogram import *
from userdp.central.mean import *
from userdp.central.private_sizes import *
from userdp.central.unknown_domain import *
from userdp.central.unknown_domain_bounds import *
from userdp.central.weights import *

__all__ = offered(__name__)
