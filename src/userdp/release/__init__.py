"""What a release in earnest needs beside an estimator: an account of what is spent."""

from userdp.release import budget
from userdp.release.budget import *

MODULES = (budget,)
__all__ = [name for module in MODULES for name in module.__all__]
