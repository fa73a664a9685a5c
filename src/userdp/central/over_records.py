"""The mean over all records: totals of users are clipped, after Rameshwar and Tandon (2025).

This is what AVG means in SQL: a user with twice as many records counts twice. Rameshwar and Tandon show that
clipping each total about that of the middle of the domain is optimal among all ways to bound what users add.
Sizes are public, and neighbours have the same ones.
"""

import math

import numpy as np

from userdp import _validate
from userdp._exact import lost
from userdp._public import public
from userdp._types import ArrayLike, Domain, Rng
from userdp.privacy.noise import LaplaceNoise
from userdp.privacy.reports import project
from userdp.privacy.results import Release


@public
def record_mean(
    means: ArrayLike,
    sizes: ArrayLike,
    *,
    epsilon: float,
    cap: float | None = None,
    domain: Domain = (0.0, 1.0),
    rng: Rng,
) -> Release[float]:
    """Mean over all users' records with Laplace noise, each user's total clipped to what `cap` records add.

    Output distribution: the distance of each user's total from that of as many records at the middle of the
    domain is projected to ``cap (high - low) / 2``; the sum of these over the number N of all records, added
    to the middle, gets one Laplace variable of scale ``cap (high - low) / (N epsilon)``.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user's records; projected to `domain`.
    sizes : shape (n,)
        Records of each user, whole numbers from 1; public.
    epsilon
        Central privacy budget, positive.
    cap
        Records as which a user counts at most. By default it is the k-th largest size, where k is
        ``2 / epsilon`` rounded up: the sum of the largest bias and of the expected absolute noise is then
        least.
    domain : low, high
        Public ends of the data.
    rng
        Generator of NumPy, or `userdp.release.Secure` for a release in earnest.

    Returns
    -------
    Release
        The estimate `value`, its `guarantee`, and an `interval` around the mean of these records.

    Examples
    --------
    >>> sizes = np.array([1] * 900 + [50] * 100)
    >>> means = np.repeat([0.2, 0.6], [900, 100])
    >>> rng = np.random.default_rng(1)
    >>> estimate = record_mean(means, sizes, epsilon=1.0, rng=rng)
    >>> f"{estimate.value:.2f} {sizes @ means / sizes.sum():.2f}"
    '0.54 0.54'
    """
    low, high = domain
    _validate.domain(domain)
    _validate.positive(epsilon=epsilon, **{"the length of domain": high - low})
    x, held = project(_validate.column(means=means), low, high), _validate.whole_numbers(1, sizes=sizes)
    if x.shape != held.shape:
        raise ValueError(f"means and sizes must have one shape (n,), got {x.shape} and {held.shape}")
    if cap is None:
        cap = np.sort(held)[-math.ceil(min(2 / epsilon, held.size))]
    _validate.positive(cap=cap)
    shares, middle = held / held.sum(), low + (high - low) / 2
    most = float(min(cap, held.max()) * (high - low) / held.sum())
    noise = LaplaceNoise.calibrated(epsilon=epsilon, sensitivity=most, neighbours="replace-same-size")
    clipped = np.clip(shares * (x - middle), -most / 2, most / 2)
    value = float(noise.release(middle + clipped.sum(), rng, parts=lambda: clipped, offset=middle))
    gone = float(np.maximum(shares * (high - low) - most, 0).sum() / 2) + lost(x.size, most, rng)
    return Release(value, noise.guarantee, error=("laplace_average", 1, noise.scale, gone))
