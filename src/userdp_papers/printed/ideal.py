"""The private mean of someone who knows the population: a yardstick, which cannot be used in practice."""

from functools import partial

from userdp._public import public
from userdp._types import ArrayLike, Domain, Rng
from userdp.central.mean import checked_users, clipped_and_weighed, in_domain, window
from userdp.central.weights import optimal_weights
from userdp.privacy.results import WeightedEstimate


@public
def ideal_mean(
    means: ArrayLike,
    sizes: ArrayLike,
    *,
    mean: float,
    variance: float,
    epsilon: float,
    beta: float,
    domain: Domain = (0.0, 1.0),
    rng: Rng,
) -> WeightedEstimate:
    """Estimate a mean with the best weights for a known population (Cummings et al., eq. (3)).

    Output distribution: the weighted mean of the users' means, each clipped to an interval about the known
    mean, plus a Laplace variable scaled to the most that one user can change it. This is the yardstick of
    Theorem 4.1; in practice the mean that it uses is not known.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user.
    sizes : shape (n,)
        Records of each user, whole numbers; public.
    mean
        Mean of the users' latent means.
    variance
        Variance of the users' latent means.
    epsilon
        Central budget, positive.
    beta
        Probability that some user is clipped.
    domain : (low, high)
        Public ends of the data.
    rng
        Source of the randomness.

    Returns
    -------
    WeightedEstimate

    Examples
    --------
    >>> import numpy as np
    >>> means, sizes = np.full(50, 0.4), np.arange(1, 51)
    >>> known = {"mean": 0.4, "variance": 0.01}
    >>> options = {"epsilon": 5.0, "beta": 0.05, "rng": np.random.default_rng(1)}
    >>> round(ideal_mean(means, sizes, **known, **options).value, 2)
    0.4
    """
    means, sizes = checked_users(means, sizes, domain)
    length = domain[1] - domain[0]
    mean, variance = (mean - domain[0]) / length, variance / length**2
    half = partial(window, n=sizes.size, mean=mean, variance=variance, beta=beta)
    return in_domain(
        clipped_and_weighed(means, sizes, mean, variance, half, epsilon, optimal_weights, rng), domain
    )
