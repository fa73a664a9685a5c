"""Laws of the data as sufficient statistics: exact draws of user means, counts and sizes."""

from userdp._face import offered
from userdp.populations.beta_means import *
from userdp.populations.densities import *
from userdp.populations.histograms import *
from userdp.populations.records import *
from userdp.populations.sizes import *
from userdp.populations.sparse import *

__all__ = offered(__name__)
