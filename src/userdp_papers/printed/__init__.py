"""Mechanisms as a paper prints them, and those that it only compares with: each says what it truly costs."""

from userdp_papers.printed import descents, ideal, searched, weights
from userdp_papers.printed.descents import *
from userdp_papers.printed.ideal import *
from userdp_papers.printed.searched import *
from userdp_papers.printed.weights import *
from userdp_papers.printed.weights import PRINTED_MEAN

MODULES = descents, ideal, searched, weights
__all__ = [name for module in MODULES for name in module.__all__] + ["PRINTED_MEAN"]
