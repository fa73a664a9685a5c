"""User-level differential privacy: a small, mathematical companion package.

`plan` says which method fits a question, and the mechanisms that most people want stand here; everything
else is one room further down: `userdp.privacy`, `userdp.sizes`, `userdp.local`, `userdp.central`,
`userdp.planning`, `userdp.tables` and `userdp.release`. With `userdp.release.Secure` as generator reports and
noise are drawn exactly; with any other they are for research and teaching.
"""

from userdp.central import (
    bounded_histogram,
    debiased_count,
    private_size_mean,
    realistic_mean,
    unbounded_histogram,
    uniform_mean,
)
from userdp.local import (
    dame,
    duchi_mean,
    improved_mean,
    laplace_mean,
    localised_mean,
    localised_vector_mean,
    sparse_selection,
)
from userdp.planning import plan
from userdp.privacy import Guarantee

__all__ = ["Guarantee", "bounded_histogram", "dame", "debiased_count", "duchi_mean", "improved_mean"]
__all__ += ["laplace_mean", "localised_mean", "localised_vector_mean", "plan", "private_size_mean"]
__all__ += ["realistic_mean", "sparse_selection", "unbounded_histogram", "uniform_mean"]
__version__ = "0.1.0"
