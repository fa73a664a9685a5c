"""User-level differential privacy: a small, mathematical companion package.

For research and teaching, not for deployment: the noise is drawn in floating point.
"""

from userdp.guarantee import Guarantee
from userdp.results import MeanEstimate

__all__ = ["Guarantee", "MeanEstimate"]
__version__ = "0.1.0"
