"""Mechanisms as a paper prints them, and those that it only compares with: each says what it truly costs."""

from userdp import _public
from userdp_papers.printed.descents import *
from userdp_papers.printed.ideal import *
from userdp_papers.printed.searched import *
from userdp_papers.printed.weights import *
from userdp_papers.printed.weights import PRINTED_MEAN

__all__ = _public.offered(vars())
