"""DAME and localised vectors with defaults from a plan: these stand at the top of the package.

`userdp.local` has the papers' recipes, whose widths make proofs work. Here what the caller leaves open is the
best that public knowledge allows, and a `NoGain` warning, which depends on public parameters alone, tells
where something simpler errs less.
"""

import math
import warnings
from typing import Any

import numpy as np

from userdp import _validate, local
from userdp._face import answered
from userdp._types import ArrayLike, Domain, Rng
from userdp.local.unequal import SizeLaw
from userdp.planning.local_means import MOST_RECORDS, tuned_dame
from userdp.planning.option import NoGain
from userdp.privacy.results import MeanEstimate, VectorEstimate
from userdp.theory.calibration import calibrated_half_width
from userdp.theory.dame_bounds import dame_noise_risk, dame_size_cap, duchi_mean_risk

__all__ = ["dame", "localised_vector_mean"]


def compare(method: str, risk: float, simple: str, other: float, *, calls: int) -> None:
    """Warn the user, so many calls away, if the risk on [-1, 1] is more than that of something simpler."""
    if risk > other:
        numbers = f"root mean squared error {math.sqrt(risk):.2g}, and {simple} {math.sqrt(other):.2g}"
        warnings.warn(f"{method}: on the domain [-1, 1] {numbers}", NoGain, stacklevel=calls + 1)


@answered
def dame(
    means: ArrayLike,
    sizes: ArrayLike,
    *,
    epsilon: float,
    size_law: SizeLaw,
    size_cap: int | None = None,
    domain: Domain = (-1.0, 1.0),
    rng: Rng,
    **options: Any,
) -> MeanEstimate:
    """`userdp.local.unequal.dame` at the best of a few caps, with a warning where its noise is too much.

    Parameters
    ----------
    means, sizes : shape (n,)
        As for `userdp.local.unequal.dame`, as all others.
    size_cap
        By default the cap with the smallest bound on the risk, or that of the paper where none is known.

    Examples
    --------
    >>> from userdp.populations import constant_size
    >>> means, sizes, rng = np.full(20_001, 0.3), np.full(20_001, 9000), np.random.default_rng(1)
    >>> result = dame(means, sizes, epsilon=1.0, size_law=constant_size(9000), rng=rng)
    >>> round(result.value, 1), result.guarantee.epsilon
    (0.3, 1.0)
    """
    _validate.budget(epsilon=epsilon)
    known: dict[str, Any] = {"size_law": size_law, "n": np.size(means), "epsilon": epsilon}
    _validate.integer(2, n=known["n"])
    if size_cap is None:
        tuned = tuned_dame(**known)
        size_cap = dame_size_cap(**known) if isinstance(tuned, str) else tuned[2]
    noise = dame_noise_risk(size_cap=size_cap, **known)
    simple = duchi_mean_risk(0.0, n=known["n"], epsilon=epsilon)
    compare("DAME's noise alone", noise, "two-point reports", simple, calls=3)
    public: dict[str, Any] = {"size_law": size_law, "size_cap": size_cap, "domain": domain} | options
    return local.dame(means, sizes, epsilon=epsilon, rng=rng, **public)


@answered
def localised_vector_mean(
    means: ArrayLike,
    *,
    size: int,
    epsilon: float,
    half_width: float | None = None,
    general: bool | None = False,
    rng: Rng,
    **options: Any,
) -> VectorEstimate:
    """`userdp.local.vector.localised_vector_mean` at the best width, with a warning where it gains nothing.

    Parameters
    ----------
    means : shape (n, d)
        As for `userdp.local.vector.localised_vector_mean`, as all others.
    half_width
        By default `userdp.theory.calibration.calibrated_half_width` for the users of one coordinate, or the
        paper's width above 10^8 records.
    general
        False by default, which at ordinary budgets has the smaller risk.

    Examples
    --------
    >>> means, rng = np.tile([0.3, -0.6], (40_000, 1)), np.random.default_rng(1)
    >>> localised_vector_mean(means, size=1000, epsilon=1.0, rng=rng).value.round(2)
    array([ 0.3, -0.6])
    """
    shape = np.shape(means)
    if half_width is None and not general and len(shape) == 2 and shape[0] >= 2 * shape[1] > 0:
        half_width = _calibrated(*shape, size, epsilon)
    public: dict[str, Any] = {"half_width": half_width, "general": general} | options
    return local.localised_vector_mean(means, size=size, epsilon=epsilon, rng=rng, **public)


def _calibrated(n: int, d: int, size: int, epsilon: float) -> float | None:
    """Best half-width of each coordinate, or none where it cannot be computed."""
    _validate.integer(1, size=size)
    _validate.budget(epsilon=epsilon)
    users = 2 * (n // 2 // d)
    if size > MOST_RECORDS:
        return None
    width, risk, _ = calibrated_half_width(n=users, size=size, epsilon=epsilon)
    simple = duchi_mean_risk(0.0, n=users, epsilon=epsilon)
    compare("localised vectors", d * risk, "two-point reports of a coordinate a user", d * simple, calls=4)
    return width
