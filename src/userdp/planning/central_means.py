"""Means where a curator is trusted with the data."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from userdp.central.mean import initial_error, realistic_mean, uniform_mean, window
from userdp.central.private_sizes import quotient_mean
from userdp.central.weights import optimal_weights
from userdp.planning.local_means import ANY, common, without_sizes
from userdp.planning.option import Option
from userdp.planning.question import Question, unused
from userdp.populations.records import variance_of_mean
from userdp.theory.improved_plan import size_cells

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
    how: dict[str, Any] = {
        "noise": noise,
        "basis": "exact",
        "assumes": ANY,
        "call": without_sizes(uniform_mean),
    }
    return asked.mean_option("average of all users", noise + asked.sampling / asked.n, **how, **common(asked))


def weighted(asked: Question) -> Option:
    """Weights that hide anyone, for public sizes; the error is its last step's, at a mean in the middle."""
    name = "weighted mean of clipped users"
    if asked.private_sizes:
        return unused(name, "needs public sizes")
    if asked.n < LEAST_USERS:
        return unused(name, f"needs {LEAST_USERS} users for its private steps")
    law, n, spread = size_cells(asked.size_law), asked.n, asked.unit_spread**2 / 4
    counts = 0.9 * n * law.probabilities  # a tenth of the users finds the centre
    reach = initial_error(0.5, n // 10, epsilon=asked.epsilon, beta=BETA)
    half = np.minimum(reach + window(law.values, n, mean=0.5, spread=spread, beta=BETA / 2), 0.5)
    variances = variance_of_mean(law.values, 0.5, spread)
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
        spread=asked.spread**2,
        **common(asked),
    )


def quotient(asked: Question) -> Option:
    """The noisy quotient, for private sizes; the error is that of its quotient at a mean in the middle."""
    name = "noisy quotient of weighted sums"
    if not asked.private_sizes:
        return unused(name, "public sizes allow more")
    if asked.n < LEAST_USERS:
        return unused(name, f"needs {LEAST_USERS} users for its private steps")
    law, n, step = size_cells(asked.size_law), asked.n, asked.epsilon / 3
    largest = law.values[n * law.survival(law.values) >= 2 * np.log(n) / step]
    sizes = np.minimum(law.values, largest[-1] if largest.size else law.smallest)
    spread = asked.unit_spread**2 / 4
    reach = initial_error(0.5, n // 10, epsilon=2 * step, beta=BETA)
    half = reach + window(sizes, n, mean=0.5, spread=spread, beta=BETA / 2)
    weights = 1 / variance_of_mean(sizes, 0.5, spread)
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
        spread=asked.spread**2,
        largest_size=asked.size_law.largest,
        **common(asked),
    )
