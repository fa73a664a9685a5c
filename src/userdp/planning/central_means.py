"""Means where a curator is trusted with the data."""

from collections.abc import Iterator

import numpy as np

from userdp._types import Floats, Ints
from userdp.central.mean import initial_error, realistic_mean, uniform_mean, window
from userdp.central.private_sizes import quotient_mean
from userdp.central.weights import optimal_weights
from userdp.planning.local_means import common, one_round
from userdp.planning.option import Option
from userdp.planning.question import Question, unused
from userdp.planning.risk.improved_plan import size_cells
from userdp.sizes import variance_of_mean

BETA = 0.05  # chance that the windows of `realistic_mean` may fail
LEAST_USERS = 100  # from which `realistic_mean` has users enough for its steps


def options(asked: Question) -> Iterator[Option]:
    """Every method that trusts a curator."""
    yield uniform(asked)
    yield weighted(asked)
    yield quotient(asked)


def uniform(asked: Question) -> Option:
    """The average with Laplace noise of variance 2 (2 / (n epsilon))^2."""
    noise = 8 / (asked.n * asked.epsilon) ** 2
    variance = noise + asked.sampling / asked.n
    return one_round(asked, "average of all users", uniform_mean, variance, noise=noise)


def in_the_middle(asked: Question, sizes: Ints, epsilon: float) -> tuple[Floats, Floats]:
    """Variance and window, on [0, 1], of users with `sizes` records; a tenth of all finds the centre."""
    spread = asked.unit_spread**2 / 4
    reach = initial_error(0.5, asked.n // 10, epsilon=epsilon, beta=BETA)
    half = reach + window(sizes, asked.n, mean=0.5, variance=spread, beta=BETA / 2)
    return variance_of_mean(sizes, 0.5, spread), half


def weighted(asked: Question) -> Option:
    """Weights that hide anyone, for public sizes; the error is its last step's, at a mean in the middle."""
    name = "weighted mean of clipped users"
    if asked.private_sizes:
        return unused(name, "needs public sizes")
    if refused := asked.unweighed(name):
        return refused
    if asked.n < LEAST_USERS:
        return unused(name, f"needs {LEAST_USERS} users for its private steps")
    law = size_cells(asked.size_law)
    counts = 0.9 * asked.n * law.probabilities  # a tenth of the users finds the centre
    variances, half = in_the_middle(asked, law.values, asked.epsilon)
    half = np.minimum(half, 0.5)
    weights = optimal_weights(variances, 2 * half, epsilon=asked.epsilon, counts=counts)
    silent = float((counts * weights.value**2) @ variances)
    return asked.mean_option(
        name,
        4 * weights.variance,
        noise=4 * (weights.variance - silent),
        basis="formula",
        assumes="records at the ends of the domain; own means with normal tails; sizes public",
        estimates="the weighted mean of the users' own means, larger users counting for more",
        call=realistic_mean,
        variance=asked.spread**2,
        **common(asked),
    )


def quotient(asked: Question) -> Option:
    """The noisy quotient, for private sizes; the error is that of its quotient at a mean in the middle."""
    name = "noisy quotient of weighted sums"
    if not asked.private_sizes:
        return unused(name, "public sizes allow more")
    if refused := asked.unweighed(name):
        return refused
    if asked.n < LEAST_USERS:
        return unused(name, f"needs {LEAST_USERS} users for its private steps")
    law, n, step = size_cells(asked.size_law), asked.n, asked.epsilon / 3
    largest = law.values[n * law.survival(law.values) >= 2 * np.log(n) / step]
    sizes = np.minimum(law.values, largest[-1] if largest.size else law.smallest)
    variances, half = in_the_middle(asked, sizes, 2 * step)
    weights = 1 / variances
    total = 0.9 * n * float(law.probabilities @ weights)
    if float(weights.max()) / step > total / 10:
        return unused(name, "its total would drown in noise")
    noise = 8 * (float(np.max(weights * half)) / (step * total)) ** 2
    return asked.mean_option(
        name,
        4 * (noise + 1 / total),
        noise=4 * noise,
        basis="formula",
        assumes="records at the ends of the domain; own means with normal tails",
        estimates="the weighted mean of the users' own means, larger users counting for more",
        call=quotient_mean,
        variance=asked.spread**2,
        largest_size=asked.size_law.largest,
        **common(asked),
    )
