"""What a release in earnest needs next to an estimator: an account of what is spent, and exact draws."""

from userdp._exact import Secure
from userdp.release.budget import Budget

__all__ = ["Budget", "Secure"]
