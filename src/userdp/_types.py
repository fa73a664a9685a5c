"""Short names of the types that signatures repeat."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["ArrayLike", "Floats", "Ints", "NDArray", "Rng"]

Rng = np.random.Generator
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
