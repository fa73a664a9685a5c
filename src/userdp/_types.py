"""Short names of the types that signatures repeat."""

import numpy as np
from numpy.typing import NDArray

Rng = np.random.Generator
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
