"""The smallest error that one private report of a mean can have, by a linear program.

A user holds m signs, of which k are ``+1``, and a report is a channel from k to a number. That it is private,
that it is unbiased for each of the ``m + 1`` means, and that its mean squared error is at most V whatever the
mean of the signs, are linear conditions on the channel. On a finite set of numbers the smallest V is attained
by a report that exists; over all numbers the optimum may be a little smaller.
"""

import numpy as np
from scipy import optimize, sparse
from scipy.stats import binom

from userdp import _validate
from userdp._public import public

THETAS = np.linspace(-1, 1, 41)  # means of signs at which the error is bounded


@public
def optimal_report_variance(*, size: int, epsilon: float, reports: int = 81, unbiased: bool = True) -> float:
    """Smallest worst-case error of one private report of the mean of a user's signs.

    Parameters
    ----------
    size
        Number of signs that a user holds; 10 take a second and 40 take minutes.
    epsilon
        Budget of the report.
    reports
        How many numbers can be reported: so many between the ends of a piecewise report, and the two points.
    unbiased
        Whether the report has to be unbiased, so that its error is a variance. Otherwise it is the best that
        can be done for a single user, and the numbers lie in ``[-1, 1]``.

    Returns
    -------
    float
        A mean squared error.

    Examples
    --------
    >>> two_points = 1 / np.tanh(0.5) ** 2
    >>> best = optimal_report_variance(size=1, epsilon=1.0)
    >>> bool(np.isclose(best, two_points))
    True
    >>> best = optimal_report_variance(size=1, epsilon=1.0, unbiased=False)
    >>> f"{best:.2f}"
    '0.79'
    """
    _validate.integer(1, size=size)
    _validate.integer(2, reports=reports)
    _validate.budget(epsilon=epsilon)
    ends, two = 1 / np.tanh(epsilon / 4), 1 / np.tanh(epsilon / 2)
    values = np.union1d(np.linspace(-ends, ends, reports), [-two, two])
    values = values if unbiased else np.linspace(-1, 1, reports)
    inputs, count = size + 1, values.size
    # variables: the channel, row by row, the least probability of each report, the variance
    each, row = sparse.identity(inputs), sparse.identity(count)
    least = sparse.kron(np.ones((inputs, 1)), row)
    nothing = sparse.csr_matrix((inputs * count, 1))
    above = sparse.hstack([-sparse.kron(each, row), least, nothing])
    below = sparse.hstack([sparse.kron(each, row), -np.exp(epsilon) * least, nothing])
    laws = binom.pmf(np.arange(inputs), size, (1 + THETAS[:, None]) / 2)
    squares = (values - THETAS[:, None]) ** 2
    errors = (laws[:, :, None] * squares[:, None, :]).reshape(THETAS.size, -1)
    risks = sparse.hstack([errors, sparse.csr_matrix((THETAS.size, count)), -np.ones((THETAS.size, 1))])
    moments = [sparse.kron(each, power) for power in (np.ones(count), values)[: 1 + unbiased]]
    wanted = np.append(np.ones(inputs), np.linspace(-1, 1, inputs))[: inputs * len(moments)]
    equal = sparse.hstack([sparse.vstack(moments), sparse.csr_matrix((wanted.size, count + 1))])
    limits = np.zeros(2 * inputs * count + THETAS.size)
    cost = np.append(np.zeros(inputs * count + count), 1.0)
    found = optimize.linprog(
        cost, sparse.vstack([above, below, risks]), limits, equal.tocsr(), wanted, method="highs"
    )
    if found.status:
        raise ValueError(f"epsilon must allow a report of these numbers, got {epsilon!r}: {found.message}")
    return float(found.fun)
