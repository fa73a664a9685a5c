"""The estimator of one who knows the population: a yardstick, private and of no use in practice."""

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
    """Optimally weighted mean of clipped user means, by one who knows the population (eq. (3)).

    Output distribution: the weighted mean of the users' means, each clipped to ``mean +- window``, plus a
    Laplace variable scaled to the most that one user can change it. It is the yardstick of Theorem 4.1; the
    mean that it uses is not known in practice.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user.
    sizes : shape (n,)
        Records of each user, whole numbers; public.
    mean, variance
        Mean and variance of the users' latent means.
    epsilon
        Central budget, positive.
    beta
        Probability that some user is clipped.
    domain : (low, high)
        Public ends of the data.

    Examples
    --------
    >>> import numpy as np
    >>> options = {"mean": 0.4, "variance": 0.01, "epsilon": 5.0, "beta": 0.05}
    >>> means, sizes = np.full(50, 0.4), np.arange(1, 51)
    >>> round(ideal_mean(means, sizes, rng=np.random.default_rng(1), **options).value, 2)
    0.4
    """
    means, sizes = checked_users(means, sizes, domain)
    length = domain[1] - domain[0]
    mean, variance = (mean - domain[0]) / length, variance / length**2
    half = partial(window, n=sizes.size, mean=mean, variance=variance, beta=beta)
    return in_domain(
        clipped_and_weighed(means, sizes, mean, variance, half, epsilon, optimal_weights, rng), domain
    )
