"""Laws of the data as sufficient statistics: exact draws of user means, counts and sizes."""

from userdp.populations import beta_means, densities, histograms, records, sizes, sparse
from userdp.populations.beta_means import *
from userdp.populations.densities import *
from userdp.populations.histograms import *
from userdp.populations.records import *
from userdp.populations.sizes import *
from userdp.populations.sparse import *

__all__ = [
    *beta_means.__all__,
    *densities.__all__,
    *histograms.__all__,
    *records.__all__,
    *sizes.__all__,
    *sparse.__all__,
]
