"""Risks without Monte Carlo for users with unequally many records: DAME, and a round of the improved mean.

DAME's votes overlap, so that its risk is enclosed between two bounds, which meet where the vote is safe.
"""

import numpy as np

from userdp.local.improved import round_report
from userdp.local.localise import Ballot, Bins
from userdp.local.unequal import DAME_MARGIN, dame_half_width, size_weight
from userdp.privacy.reports import LaplaceReport
from userdp.theory.exact_mean import sign_means

__all__ = ["overtakes", "dame_risk", "round_risk"]

REACH = 2  # bins from theta's own at which DAME still succeeds


def overtakes(steps, n):
    """P(sum of n independent steps >= 0), the steps -1, 0, 1 having the probabilities `steps`.

    The law is tilted so that its mean is 0 before it is convolved: small probabilities keep their digits.
    """
    down, stay, up = steps
    tilt = max(np.sqrt(down / up), 1.0)
    weights = np.array([down / tilt, stay, up * tilt])
    total = weights.sum()
    spectrum = np.fft.rfft(weights / total, 2 * n + 1)
    sums = np.fft.irfft(spectrum**n, 2 * n + 1)[n:]
    return float(min(sums @ tilt ** -np.arange(n + 1.0) * np.exp(n * np.log(total)), 1.0))


def dame_risk(theta, *, size_law, n, epsilon, size_cap, means=sign_means):
    """Enclosure of the risk of `userdp.local.unequal.dame` without Monte Carlo.

    Given the chosen bin the risk is explicit. The bins within two of theta's have nearly one risk, and any
    other wins only if it has at least the votes of theta's own bin, a sum of independent steps.

    Parameters
    ----------
    theta : float
        True mean.
    size_law : FiniteSizes
        Law of the sizes, a few values.
    n, epsilon, size_cap
        As for `dame`.
    means : callable
        Law of a user's mean from theta and its size, a `userdp.theory.exact_mean.MeanLaw`.

    Returns
    -------
    low, high : float
        The risk lies between them.
    failure : float
        Bound on the probability that the chosen bin is more than two from theta's.
    """
    half = n // 2
    ballot = Ballot(
        Bins(dame_half_width(size_cap=size_cap, n=n, epsilon=epsilon), truncated=True), 1, epsilon
    )
    laws = [means(theta, int(m)) for m in size_law.values]
    held = sum(
        q * law.in_bins(ballot.bins) * (m >= size_cap)
        for m, q, law in zip(size_law.values, size_law.probabilities, laws, strict=True)
    )
    home = int(ballot.bins.index(np.array([theta]))[0])
    j = np.arange(ballot.bins.count)
    far = np.abs(j - home) > REACH
    risks = _given_bin(j, ballot.bins, theta, laws, size_law, size_cap, epsilon, half)
    wins = _overtaking(held, home, ballot.randomiser.keep, half)[far]
    failure, near = min(wins.sum(), 1.0), risks[~far]
    return float((1 - failure) * near.min()), float(near.max() + wins @ risks[far]), float(failure)


def _given_bin(j, bins, theta, laws, size_law, size_cap, epsilon, users):
    """Risk of DAME's second step given each chosen bin j."""
    centre, low = bins.centre(j), bins.ends(j)[0] - DAME_MARGIN * bins.half_width
    noise = LaplaceReport(0.0, 2 * (DAME_MARGIN + 1) * bins.half_width, epsilon)
    high, first, second = low + noise.high, 0.0, 0.0
    for m, q, law in zip(size_law.values, size_law.probabilities, laws, strict=True):
        w = size_weight(m, size_cap)
        a, b = law.projected(centre + (low - centre) / w, centre + (high - centre) / w)
        shift = (1 - w) * (centre - theta)  # of w X + (1 - w) s, seen from theta
        first = first + q * (w * a + shift)
        second = second + q * (w**2 * b + 2 * w * a * shift + shift**2)
    gain = size_law.mean_root(size_cap) / np.sqrt(size_cap)
    bias = (first - (1 - gain) * (centre - theta)) / gain
    return bias**2 + (second - first**2 + 2 * noise.scale**2) / (users * gain**2)


def _overtaking(held, home, keep, users):
    """P(a bin more than two from `home` gets at least its votes), each user voting for three bins."""
    votes = np.convolve(held, np.ones(3))[1:-1]
    ours, (theirs, kind) = votes[home], np.unique(votes, return_inverse=True)
    neither = (1 - ours - theirs) * keep * (1 - keep)  # no user votes for both
    up = ours * (1 - keep) ** 2 + theirs * keep**2 + neither
    down = ours * keep**2 + theirs * (1 - keep) ** 2 + neither
    lost = [overtakes((d, 1 - u - d, u), users) for d, u in zip(down, up, strict=True)]
    return np.array(lost)[kind]


def round_risk(round_, centre, law, *, size_law, epsilon, laplace=False):
    """Bias and variance of one round of the improved mean about `centre`, before it is projected to [-1, 1].

    Parameters
    ----------
    round_ : userdp.local.improved_plan.Round
        The round.
    centre : float
        Its centre s.
    law : callable
        Law of the mean of a user from the size, a `userdp.theory.exact_mean.MeanLaw`.
    size_law : FiniteSizes
        Law of the sizes, a few values.
    epsilon : float
        Budget of a user.
    laplace : bool
        Whether Laplace noise is added.

    Returns
    -------
    bias, variance : float
        Exact up to rounding.
    """
    randomiser = round_report(round_, centre, epsilon=epsilon, size_law=size_law, laplace=laplace)
    first, second, gain = 0.0, 0.0, 0.0
    for m, q in zip(size_law.values, size_law.probabilities, strict=True):
        scale, of_size = float(round_.scale(m)), law(int(m))
        ends = centre + scale * randomiser.low, centre + scale * randomiser.high
        a, b = of_size.projected(*ends)
        shift = of_size.theta - centre
        first, gain = first + q * (a + shift) / scale, gain + q / scale
        second += q * (b + 2 * a * shift + shift**2) / scale**2
    if laplace:
        variance = second - first**2 + 2 * randomiser.scale**2
    else:
        variance = randomiser.magnitude**2 - (first - randomiser.centre) ** 2
    return float(first / gain - shift), float(variance / round_.users / gain**2)
