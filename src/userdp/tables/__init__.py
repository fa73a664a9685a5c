"""From a reader's own records to users' means and counts."""

from userdp.tables import counts, records
from userdp.tables.counts import *
from userdp.tables.records import *

MODULES = counts, records
__all__ = [name for module in MODULES for name in module.__all__]
