"""Short names of the types that signatures repeat; a domain is the public ends (low, high) of the data."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["ArrayLike", "Domain", "Floats", "Ints", "NDArray", "Rng"]

Rng = np.random.Generator
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Domain = tuple[float, float]
