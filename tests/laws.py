"""Statistical tests with one stated false-alarm rate.

Seeds are fixed, so a test that passes keeps passing; the rate says how surprising a failure after
a change of the stream would be. Each use comes with a control that must be rejected: its power.
"""

import numpy as np
from scipy import stats

FALSE_ALARM = 1e-6


def same_law(a, b):
    """Whether two samples, shape (draws,) or (draws, k), pass for one law: Kolmogorov-Smirnov, Bonferroni."""
    # rounding: two sums of the same lattice points may differ in the last bit
    a, b = (np.round(np.asarray(x, dtype=float).reshape(len(x), -1), 9) for x in (a, b))
    smallest = min(stats.ks_2samp(x, y, method="asymp").pvalue for x, y in zip(a.T, b.T, strict=True))
    return smallest * a.shape[1] > FALSE_ALARM


def has_mean(sample, mean):
    """Whether a sample passes for one with the given mean: a z test, for sums of many bounded draws."""
    error = np.std(sample, ddof=1) / np.sqrt(len(sample))
    return abs(np.mean(sample) - mean) <= stats.norm.isf(FALSE_ALARM / 2) * max(error, 1e-12)
