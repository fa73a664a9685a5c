"""Real users: small tables that are shipped, and strict loaders for tables that a reader brings."""

from userdp.data import histograms, means, originals, tables
from userdp.data.histograms import *
from userdp.data.means import *
from userdp.data.originals import *
from userdp.data.tables import *

__all__ = [
    *histograms.__all__,
    *means.__all__,
    *originals.__all__,
    *tables.__all__,
]
