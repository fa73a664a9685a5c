r"""Undo the bias of clipping when counts are Poisson (Liu et al., Algorithm 5).

If clipping cuts every user's count at C, the total is too small; if the counts are Poisson, one can say by
how much. There is one item and n users, and each user holds a Poisson count of a rate :math:`\lambda`.
Clipping at C replaces the rate by ``h(lambda) = E min(Poi(lambda), C)``, a concave increasing function with
values in [0, C). Since there is one item, the clipped total moves by at most C both when a user is replaced
and when one is added or removed, and the noise is Laplace of scale ``C / epsilon`` under both relations.
"""

import numpy as np
from scipy.special import gammainc, gammaincc

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, Floats, Rng
from userdp.central.histogram import public_users
from userdp.privacy.guarantee import Relation
from userdp.privacy.noise import LaplaceNoise
from userdp.privacy.results import CountEstimate


@public
def clipped_poisson_mean(rate: ArrayLike, bound: int) -> Floats:
    """Mean of a clipped Poisson variable, ``h(rate) = E min(X, C)``, elementwise, for whole ``C >= 1``.

    ``rate P(X <= C - 2) + C P(X >= C)``: a sum of positive terms, so that no digits cancel (Liu et al. 2023,
    Algorithm 5, line 2).
    """
    _validate.integer(1, bound=bound)
    rate = np.asarray(rate, dtype=float).clip(max=np.finfo(float).max)  # at infinity all is clipped
    if not (rate >= 0).all():
        raise ValueError(f"rate must be at least 0, got {rate.min()}")
    return rate * poisson_at_most(bound - 2, rate) + bound * gammainc(bound, rate)


@public
def poisson_rate(clipped_mean: ArrayLike, bound: int, *, largest_rate: float | None = None) -> Floats:
    """Rate at which a clipped Poisson variable has a given mean: the inverse of `clipped_poisson_mean`.

    Parameters
    ----------
    clipped_mean : any shape
        Means; projected to [0, h(largest_rate)], and NaN counts as 0.
    bound
        Bound C, at least 1.
    largest_rate
        Public upper limit of the rate, positive; by default `bound`, where an error of the clipped mean
        grows by a factor of at most e.

    Returns
    -------
    ndarray
        Rates in [0, largest_rate], to a relative error near machine precision times the condition number
        ``h(rate) / (rate h'(rate))``.

    Notes
    -----
    Newton's method from the left: h is concave and below the identity, so that the start ``rate = mean`` and
    all tangents stay below the solution and the steps are positive.
    """
    largest_rate = guard(bound, largest_rate)
    top = float(clipped_poisson_mean(largest_rate, bound))
    mean = np.clip(np.nan_to_num(np.asarray(clipped_mean, dtype=float), nan=0.0), 0.0, top)
    rate = np.array(mean)
    moving = np.full(rate.shape, True)
    # far from the solution a step is about 1 / (hazard of the tail): more steps for larger guards only
    for _ in range(100 + 2 * int(largest_rate)):
        here = rate[moving]
        step = (mean[moving] - clipped_poisson_mean(here, bound)) / poisson_at_most(bound - 1, here)
        rate[moving] = np.clip(here + step, here, largest_rate)
        moving[moving] = rate[moving] > here * (1 + 1e-15)
        if not moving.any():
            break
    return np.where(mean >= top, largest_rate, rate)


@public
def debiased_count(
    counts: ArrayLike,
    *,
    bound: int,
    epsilon: float,
    neighbours: Relation = "replace",
    largest_rate: float | None = None,
    users: int | None = None,
    rng: Rng,
) -> CountEstimate:
    """Estimate the total count of one item, with the bias of clipping undone as if counts were Poisson.

    Output distribution: the sum of ``min(count, C)`` over the users plus Laplace noise of scale
    ``C / epsilon``, divided by their number n; then n times the `poisson_rate` of this. Dividing by a public
    number, projecting and inverting do not look at the data.

    Parameters
    ----------
    counts : shape (n,)
        Count of each user; what is not a count (negative, NaN) is taken for 0.
    bound
        Contribution bound C, at least 1: public, or from a private choice whose guarantee is to be added.
    epsilon
        Budget of the release, positive.
    neighbours
        Which inputs are neighbours: in "replace" the data of one user are replaced, in "add-remove" one user
        is added or removed.
    largest_rate
        Public upper limit of the mean rate, positive; by default `bound`.
    users
        Public number of users by which the total is divided. By default the length of `counts`, which is
        public under replacement; it must be given under add/remove adjacency.
    rng
        Generator of NumPy.

    Returns
    -------
    CountEstimate
        The total `value`, its `guarantee`, the `rate` per user, and the `clipped_mean` without debiasing.

    Notes
    -----
    Liu et al. (2023), Algorithm 5, with limits at both ends: as printed the inverse is not
    defined outside [0, C).

    Examples
    --------
    >>> counts = np.random.default_rng(1).poisson(1.5, 1000)
    >>> rng = np.random.default_rng(2)
    >>> estimate = debiased_count(counts, bound=2, epsilon=1.0, rng=rng)
    >>> clipped = round(1000 * estimate.clipped_mean)
    >>> int(counts.sum()), clipped, round(estimate.value)
    (1464, 1195, 1457)
    """
    largest_rate = guard(bound, largest_rate)  # both are checked before anything is drawn
    counts = np.nan_to_num(_validate.column(counts=counts), nan=0.0)
    users = public_users(users, counts, neighbours)
    noise = LaplaceNoise.calibrated(epsilon=epsilon, sensitivity=bound, neighbours=neighbours)
    mean = noise.release(np.clip(counts, 0, bound).sum(), rng) / users
    rate = float(poisson_rate(mean, bound, largest_rate=largest_rate))
    return CountEstimate(users * rate, noise.guarantee, rate, float(mean), int(bound))


def poisson_at_most(k: int, rate: Floats) -> Floats:
    """P(Poi(rate) <= k)."""
    return gammaincc(k + 1, rate) if k >= 0 else np.zeros(rate.shape)


def guard(bound: int, largest_rate: float | None) -> float:
    """Return the upper guard of the rate, by default the bound, after checking both."""
    _validate.integer(1, bound=bound)
    largest_rate = bound if largest_rate is None else largest_rate
    _validate.positive(largest_rate=largest_rate)
    return float(largest_rate)
