"""Estimators of a trusted curator: means of users who differ, histograms, contribution bounds."""

from userdp.central import (
    bound_curve,
    bounds,
    bounds_by_descent,
    debias,
    histogram,
    mean,
    private_sizes,
    unknown_domain,
    unknown_domain_bounds,
    weights,
)
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

__all__ = [
    *bound_curve.__all__,
    *bounds.__all__,
    *bounds_by_descent.__all__,
    *debias.__all__,
    *histogram.__all__,
    *mean.__all__,
    *private_sizes.__all__,
    *unknown_domain.__all__,
    *unknown_domain_bounds.__all__,
    *weights.__all__,
]
