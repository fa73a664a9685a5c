"""The risk of DAME without simulation, and the bounds of its Theorems 1 and 2.

The votes of DAME overlap, and therefore its risk is enclosed between two bounds, which meet where the vote
hardly ever fails. Risks are mean squared errors for a mean in ``[-1, 1]``.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import exp
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.fft import next_fast_len

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike
from userdp.local.localise import Ballot, Bins
from userdp.local.unequal import DAME_MARGIN, dame_half_width, dame_log, size_weight
from userdp.planning.risk.localised import MeanLaw, sign_means
from userdp.privacy.reports import LaplaceReport
from userdp.sizes import FiniteSizes, SizeLaw

SURE = 9.7  # 2 exp(-SURE^2 / 2) is far below rounding
REACH = 2  # bins from theta's own at which DAME still succeeds


@public
def overtakes(steps: tuple[float, float, float], n: int) -> float:
    """Probability that a random walk ends at 0 or above.

    A sum with a negative mean is tilted until its mean is 0 before it is convolved. Small probabilities then
    keep their digits, and by Hoeffding's inequality the sum stays within a few roots of n.

    Parameters
    ----------
    steps
        Probabilities of the steps ``-1``, 0 and ``+1``.
    n
        Number of steps, which are independent.

    Returns
    -------
    float

    Examples
    --------
    >>> round(overtakes([0.5, 0.0, 0.5], 2), 4)
    0.75
    """
    down, stay, up = steps
    if up == 0:
        return float(stay**n)
    tilt = max(np.sqrt(down / up), 1.0)
    reach = n if up > down else min(n, math.ceil(SURE * math.sqrt(n)))
    places = next_fast_len(2 * reach + 1, real=True)
    weights = np.zeros(places)
    weights[[-1, 0, 1]] = down / tilt, stay, up * tilt
    total = weights.sum()
    sums = np.fft.irfft(np.fft.rfft(weights / total) ** n, places)[: (places + 1) // 2]
    return float(min(sums @ tilt ** -np.arange(len(sums)) * np.exp(n * np.log(total)), 1.0))


@public
def dame_risk(
    theta: float,
    *,
    size_law: FiniteSizes,
    n: int,
    epsilon: float,
    size_cap: int,
    half_width: float | None = None,
    means: Callable[[float, int], MeanLaw] = sign_means,
) -> tuple[float, float, float]:
    """Enclose the risk of `dame` between two bounds, without simulation.

    Given the chosen bin the risk is explicit. Bins at most two away from that of the mean have nearly one
    risk. Any other bin wins only if it has at least the votes of the mean's own bin, which is an event about
    a sum of independent steps.

    Parameters
    ----------
    theta
        True mean.
    size_law
        Distribution of the sizes, with few values.
    n
        Number of users.
    epsilon
        Local budget of each user.
    size_cap
        Effective maximum size ``m~``, which is also what a user needs in order to vote.
    half_width
        Half-width of a bin, instead of the paper's.
    means
        Function from `theta` and a size to the distribution of a user's mean, a `MeanLaw`.

    Returns
    -------
    low, high : float
        The risk lies between them.
    failure : float
        Bound on the probability that the chosen bin is more than two away from that of the mean.
    """
    half = n // 2
    tau = dame_half_width(size_cap=size_cap, n=n, epsilon=epsilon) if half_width is None else half_width
    ballot = Ballot(Bins(tau, truncated=True), 1, epsilon)
    sizes = zip(size_law.values, size_law.probabilities, strict=True)
    laws = [(m, q, means(theta, int(m))) for m, q in sizes]
    held = sum(q * law.in_bins(ballot.bins) * (m >= size_cap) for m, q, law in laws)
    home = int(ballot.bins.index(np.array([theta]))[0])
    far = np.abs(np.arange(ballot.bins.count) - home) > REACH
    gain = size_law.mean_root(size_cap) / np.sqrt(size_cap)
    risks = _given_bin(ballot.bins, theta, laws, size_cap, gain, epsilon, half)
    votes = np.convolve(held, np.ones(3))[1:-1]
    wins = _overtaking(votes[home], votes[far], ballot.randomiser.keep, half)
    failure, near = min(wins.sum(), 1.0), risks[~far]
    return float((1 - failure) * near.min()), float(near.max() + wins @ risks[far]), float(failure)


def _given_bin(
    bins: Bins, theta: float, laws: list, size_cap: int, gain: float, epsilon: float, users: int
) -> NDArray:
    """Risk of DAME's second step given each chosen bin."""
    j = np.arange(bins.count)
    centre, low = bins.centre(j), bins.ends(j)[0] - DAME_MARGIN * bins.half_width
    noise = LaplaceReport(0.0, 2 * (DAME_MARGIN + 1) * bins.half_width, epsilon)
    high, first, second = low + noise.high, 0.0, 0.0
    for m, q, law in laws:
        w = size_weight(m, size_cap)
        a, b = law.projected(centre + (low - centre) / w, centre + (high - centre) / w)
        shift = (1 - w) * (centre - theta)  # of w X + (1 - w) s, seen from theta
        first = first + q * (w * a + shift)
        second = second + q * (w**2 * b + 2 * w * a * shift + shift**2)
    bias = (first - (1 - gain) * (centre - theta)) / gain
    return bias**2 + (second - first**2 + 2 * noise.scale**2) / (users * gain**2)


def _overtaking(ours: float, theirs: NDArray, keep: float, users: int) -> NDArray:
    """P(a bin gets at least the votes of theta's own): true fractions are given; nobody votes for both."""
    theirs, kind = np.unique(theirs, return_inverse=True)
    neither = np.maximum(1 - ours - theirs, 0.0) * keep * (1 - keep)
    up = ours * (1 - keep) ** 2 + theirs * keep**2 + neither
    down = ours * keep**2 + theirs * (1 - keep) ** 2 + neither
    lost = [overtakes((d, 1 - u - d, u), users) for d, u in zip(down, up, strict=True)]
    return np.array(lost)[kind]


@public
@dataclass(frozen=True)
class DameConstants:
    """The constants of DAME's Theorems 1 and 2.

    Parameters
    ----------
    c1
        Factor of the lower bound (10).
    c2
        Constant in the exponent of the lower bound.
    c3
        Factor of the upper bound (11).
    c4
        Inner constant of ``phi(a)``, the squared fraction of voters that is needed.
    c5
        Its outer constant.
    trivial
        The bound that holds without any data.
    """

    c1: float = exp(-9) / 16
    c2: float = 24.0
    c3: float = 1570.0
    c4: float = 8.0
    c5: float = 868.5
    trivial: float = 4.0


PRINTED = DameConstants()


# c3: our proof of Theorem 2 with Var(Laplace(b)) = 2 b^2; the estimate 0 has risk at most 1
CORRECTED = replace(PRINTED, c3=1646.0, trivial=1.0)


UNIT_CONSTANTS = DameConstants(c1=1.0, c2=1.0, c3=1.0, c4=8.0, c5=1.0, trivial=1.0)


FORMS = {"printed": PRINTED, "corrected": CORRECTED}


Form = Literal["printed", "corrected"]


def check_setting(n: int, epsilon: float, form: str = "corrected") -> None:
    _validate.integer(2, n=n)
    _validate.positive(epsilon=epsilon)
    _validate.one_of(FORMS, form=form)


@public
def dame_phi(a: ArrayLike, *, n: int, epsilon: float, constants: DameConstants = CORRECTED) -> NDArray:
    """Squared fraction of voters that a size cap needs (DAME, Theorem 2, as in its proof).

    Parameters
    ----------
    a
        The size cap.
    n
        Number of users.
    epsilon
        Local budget of each user.
    constants
        Constants of the theorem.

    Returns
    -------
    float or ndarray
        The function ``phi(a)``.
    """
    _validate.positive(n=n, epsilon=epsilon)
    x = constants.c4 * np.maximum(np.asarray(a, float) * n * epsilon**2, 1.0)
    return constants.c5 / (n * epsilon**2) * np.log(x / np.log(x))


@public
def dame_size_cap(
    size_law: SizeLaw,
    *,
    n: int,
    epsilon: float,
    form: Form = "corrected",
    constants: DameConstants | None = None,
) -> int:
    """Effective maximum size ``m~``: more records give a user no more weight (DAME, eq. (12)).

    The printed form is the largest a with ``P(m >= a)**2 >= min(phi(a), 1)``. The corrected form, which is
    the one that the proof of Theorem 2 supports, leaves out the minimum and falls back to 1.

    Parameters
    ----------
    size_law
        Distribution of the number of records.
    n
        Number of users.
    epsilon
        Local budget of each user.
    form
        Which form, "printed" or "corrected".
    constants
        Constants of the theorem; by default those of `form`.

    Returns
    -------
    int
    """
    check_setting(n, epsilon, form)
    phi = partial(dame_phi, n=n, epsilon=epsilon, constants=constants or FORMS[form])

    def enough_voters(a: int) -> bool:
        # P(m >= a) = 1 for a at most the smallest size only, whatever rounding says
        certain = form == "printed" and a <= size_law.smallest
        return certain or size_law.survival(a) ** 2 >= phi(a)

    # too few voters once is too few for all larger caps
    return max(bisect_left(range(1, size_law.largest + 1), True, key=lambda a: not enough_voters(a)), 1)


@public
def dame_lower(size_law: SizeLaw, *, n: int, epsilon: float, constants: DameConstants = PRINTED) -> float:
    """Lower bound on the risk of every local estimator (DAME, Theorem 1, eq. (10)).

    Parameters
    ----------
    size_law
        Distribution of the number of records.
    n
        Number of users.
    epsilon
        Local budget; the theorem asks for at most 22/35 (H3).
    constants
        Constants; the printed c1 and c2 are right.

    Returns
    -------
    float
        The largest bound over the threshold a = 0, 1, ..., largest size; for a power law over a geometric
        grid of thresholds, each of which gives a valid bound.

    Examples
    --------
    >>> from userdp.sizes import two_point_sizes
    >>> law = two_point_sizes(1, 400, 0.4)
    >>> setting = {"n": 10**6, "epsilon": 0.5}
    >>> f"{dame_lower(law, **setting):.1e} {dame_upper(law, **setting):.1e}"
    '4.2e-13 1.0e-03'
    """
    check_setting(n, epsilon)
    a = _thresholds(size_law)
    above = size_law.survival(a + 1)
    strength = n * epsilon**2
    denominators = np.maximum(strength * size_law.small_root(a) ** 2, 1)
    return float(np.max(constants.c1 * np.exp(-constants.c2 * strength * above**2) / denominators))


MOST_THRESHOLDS = 1000


def _thresholds(size_law: SizeLaw) -> NDArray[np.int64]:
    """Every size that can carry the maximum; a geometric grid where there are too many to try."""
    if isinstance(size_law, FiniteSizes):
        return np.append(0, size_law.values)
    grid = np.geomspace(size_law.smallest, size_law.largest, MOST_THRESHOLDS)
    return np.append(0, np.unique(grid.astype(np.int64)))


@public
def dame_upper(
    size_law: SizeLaw,
    *,
    n: int,
    epsilon: float,
    form: Form = "corrected",
    constants: DameConstants | None = None,
    size_cap: int | None = None,
) -> float:
    """Upper bound on the minimax risk (DAME, Theorem 2, eq. (11)).

    Parameters
    ----------
    size_law
        Distribution of the number of records.
    n
        Number of users.
    epsilon
        Local budget; the theorem asks for at most 22/35 (H3).
    form
        The printed form is false as a theorem (its size cap is too large, its constant unproved); the
        corrected one is proved in the book.
    constants
        Constants; by default those of `form`.
    size_cap
        The size cap; by default that of `form`.

    Returns
    -------
    float
        The bound, at most the trivial one of the constants.
    """
    check_setting(n, epsilon, form)
    constants = constants or FORMS[form]
    if size_cap is None:
        size_cap = dame_size_cap(size_law, n=n, epsilon=epsilon, form=form, constants=constants)
    log = dame_log(size_cap=size_cap, n=n, epsilon=epsilon, c4=constants.c4)
    bound = constants.c3 * log / (n * epsilon**2 * size_law.mean_root(size_cap) ** 2)
    return float(min(bound, constants.trivial))


@public
def dame_noise_risk(size_law: SizeLaw, *, n: int, epsilon: float, size_cap: int) -> float:
    """Variance of DAME's estimate that is due to the Laplace noise alone, exact given the chosen bin.

    Half of the users send reports with noise of scale ``14 tau / epsilon``, and the average is divided by the
    factor of eq. (9), which makes ``1568 L / (n epsilon^2 (E sqrt(min(m, m~)))^2)``, with L the `dame_log`.

    Parameters
    ----------
    size_law
        Distribution of the number of records.
    n
        Number of users.
    epsilon
        Local budget of each user.
    size_cap
        The size cap ``m~``.

    Returns
    -------
    float
    """
    tau = dame_half_width(size_cap=size_cap, n=n, epsilon=epsilon)
    scale = 14 * tau / epsilon
    return float(size_cap / size_law.mean_root(size_cap) ** 2 * 2 * scale**2 / (n // 2))


@public
def laplace_mean_risk(variance: float, *, n: int, epsilon: float) -> float:
    """Exact risk of `laplace_mean`.

    Parameters
    ----------
    variance
        Average variance of the users' means.
    n
        Number of users.
    epsilon
        Local budget of each user.

    Returns
    -------
    float

    Examples
    --------
    >>> laplace_mean_risk(0.01, n=100, epsilon=1.0)
    0.0801
    """
    check_setting(n, epsilon)
    _validate.in_range(0, float("inf"), variance=variance)
    return (variance + 8 / epsilon**2) / n


@public
def duchi_mean_risk(theta: float, *, n: int, epsilon: float) -> float:
    """Exact risk of `duchi_mean`, which does not depend on the distribution of the users' means.

    Parameters
    ----------
    theta
        The common mean.
    n
        Number of users.
    epsilon
        Local budget of each user.

    Returns
    -------
    float

    Examples
    --------
    >>> round(float(duchi_mean_risk(0.5, n=100, epsilon=1.0)), 4)
    0.0443
    """
    check_setting(n, epsilon)
    # 1 / tanh(epsilon / 2)**2 - theta**2 without cancellation
    return (4 * np.exp(-epsilon) / np.expm1(-epsilon) ** 2 + (1 - theta) * (1 + theta)) / n
