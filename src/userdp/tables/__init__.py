"""From a reader's own records to users' means and counts."""

from userdp import _public
from userdp.tables.counts import *
from userdp.tables.records import *

__all__ = _public.offered(vars())
