"""Real users: small tables that are shipped, and strict loaders for tables that a reader brings."""

from userdp._face import offered
from userdp.data.histograms import *
from userdp.data.means import *
from userdp.data.originals import *
from userdp.data.records import *
from userdp.data.tables import *

__all__ = offered(__name__, answering=False)  # whose errors name columns and rows
