"""Mechanisms as a paper prints them, beside those that `userdp` recommends: each says what it truly costs."""

from userdp_papers.printed import descent, ideal, searched, weights
from userdp_papers.printed.descent import *
from userdp_papers.printed.ideal import *
from userdp_papers.printed.searched import *
from userdp_papers.printed.weights import *

MODULES = descent, ideal, searched, weights
__all__ = [name for module in MODULES for name in module.__all__]
