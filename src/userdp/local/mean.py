"""Means in one round, and localised means (Kent, Algorithms 2, 3, 10 and 11).

All estimators take the users' sample means, shape (n,); the order of the users is public. In one round all
users report; in two, the first n/2 localise and the last n/2 refine (an odd last user is left out).
Neighbouring inputs replace one user's whole data; each user sends one report.
"""

import numpy as np

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, Domain, NDArray, Rng
from userdp.local import _rounds
from userdp.local._rounds import UNIT, Options, Refinement, Rounds
from userdp.local.localise import Ballot, Bins
from userdp.privacy.reports import LaplaceReport, PiecewiseReport, TwoPointReport
from userdp.privacy.results import MeanEstimate

# extra half-widths of the interval beyond the chosen bin
KENT_MARGIN = 2  # Algorithm 2, eq. (28)
KENT_GENERAL_MARGIN = 5  # Algorithm 10, line 18, epsilon > 1


@public
def laplace_mean(
    means: ArrayLike, *, epsilon: float, domain: Domain = UNIT, every_report: bool = False, rng: Rng
) -> MeanEstimate:
    """Average of the users' means, each with Laplace noise of scale ``(high - low) / epsilon``.

    Output distribution: the average of the means plus the average of n Laplace variables.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user; projected to `domain`.
    epsilon
        Local budget of each user.
    domain
        Public ends (low, high) of what a mean can be; the estimate is in the same units.
    every_report
        Draw every user's report instead of the exact distribution of their sum.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> round(laplace_mean(np.full(10_000, 3.0), epsilon=1.0, domain=(0, 5), rng=rng).value, 2)
    3.0
    """
    return _one_round(LaplaceReport, means, epsilon, domain, every_report, rng)


@public
def duchi_mean(
    means: ArrayLike, *, epsilon: float, domain: Domain = UNIT, every_report: bool = False, rng: Rng
) -> MeanEstimate:
    """Average of the users' two-point reports (Duchi, Jordan and Wainwright 2018).

    Output distribution: on [-1, 1] the average of n independent points ``+-B``,
    ``B = (e^epsilon + 1) / (e^epsilon - 1)``, whose means are the users' means.

    Parameters as for `laplace_mean`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> round(duchi_mean(np.full(10_000, 0.3), epsilon=1.0, rng=rng).value, 2)
    0.28
    """
    return _one_round(TwoPointReport, means, epsilon, domain, every_report, rng)


@public
def piecewise_mean(
    means: ArrayLike, *, epsilon: float, domain: Domain = UNIT, every_report: bool = False, rng: Rng
) -> MeanEstimate:
    """Average of the users' piecewise reports (Wang et al. 2019).

    Output distribution: the average of n independent `userdp.privacy.reports.PiecewiseReport`, whose means
    are the users' means; they have less noise than two points for budgets above about 1, and always less than
    Laplace's.

    Parameters as for `laplace_mean`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> round(piecewise_mean(np.full(10_000, 0.3), epsilon=3.0, rng=rng).value, 2)
    0.3
    """
    return _one_round(PiecewiseReport, means, epsilon, domain, every_report, rng)


def _one_round(
    kind: type, means: ArrayLike, epsilon: float, domain: Domain, every_report: bool, rng: Rng
) -> MeanEstimate:
    x = _rounds.users_table("n", 1, epsilon, rng, means=means)
    randomiser = kind(*domain, epsilon)
    value = _rounds.average_report(randomiser, x, x.size, every_report, rng)
    return MeanEstimate(float(value), randomiser.guarantee, error=randomiser.error(x.size))


@public
def localised_half_width(*, n: int, size: int, epsilon: float) -> float:
    """Half-width of a bin, Kent's Delta, eq. (30) and (101), with T* = T as in the paper's simulations.

    For n users of T = `size` records each it is ``sqrt(2 log(n T epsilon^2) / T)``, and for epsilon above 1
    ``sqrt(4 log(n T) / T)``; ``n T epsilon^2`` must exceed 1.
    """
    _validate.positive(epsilon=epsilon)
    factor, z = (4, 1.0) if epsilon > 1 else (2, epsilon**2)
    return float(np.sqrt(factor * _rounds.log_information(n, size, z) / size))


@public
def localised_mean(
    means: ArrayLike,
    *,
    size: int,
    epsilon: float,
    half_width: float | None = None,
    general: bool | None = None,
    domain: Domain = UNIT,
    every_report: bool = False,
    rng: Rng,
) -> MeanEstimate:
    """Localise, then refine, for users with equally many records (Kent, Algorithms 2-3 and 10-11).

    Output distribution: the first half votes for bins of half-width `half_width` by unary encoding, one vote
    each (three in the general procedure); the second half's means, projected to the chosen bin widened by 2
    (5) half-widths on either side, get Laplace noise scaled to that interval and are averaged.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user over `size` records; projected to `domain`.
    size
        Records each user holds, T; it only sets the default half-width.
    epsilon, domain, every_report, rng
        As for `laplace_mean`.
    half_width
        Half-width of a bin in the units of the domain, Delta; by default `localised_half_width`, which is
        for [-1, 1], stretched alike.
    general
        Whether to run the general procedure, Algorithm 10's branch for epsilon above 1; by default it
        runs exactly there. False runs Algorithm 2, which is private at every epsilon, fails to localise less
        often and adds a quarter of the noise variance.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> result = localised_mean(np.full(10_000, 0.3), size=1000, epsilon=1.0, rng=rng)
    >>> round(result.value, 3), result.guarantee.epsilon
    (0.292, 1.0)
    """
    x = _rounds.to_unit(_rounds.users_table("n", 2, epsilon, rng, means=means), domain)
    half_width = None if half_width is None else half_width / _rounds.centred(domain)[1]
    how = Options(size, epsilon, half_width, general, False, every_report, rng)
    return _rounds.to_domain(localised(x, how), domain)


def localised(means: NDArray, how: Options) -> MeanEstimate:
    """Both rounds on means in [-1, 1]."""
    return localised_rounds(means, how).run(how.every_report, how.rng)


def localised_rounds(means: NDArray, how: Options) -> Rounds:
    """The protocol on means in [-1, 1]: votes of the first half, Laplace reports of the second."""
    half, tau, epsilon = means.size // 2, how.half_width, how.epsilon
    if tau is None:
        tau = localised_half_width(n=2 * half, size=how.size, epsilon=epsilon)
    general = epsilon > 1 if how.general is None else how.general
    margin, reach = (KENT_GENERAL_MARGIN, 1) if general else (KENT_MARGIN, 0)
    ballot = Ballot(Bins(tau), reach, epsilon)

    def refine(j: int) -> Refinement:
        lower, upper = ballot.bins.ends(j)
        report = LaplaceReport(lower - margin * tau, upper + margin * tau, epsilon)
        return Refinement(report, means[half : 2 * half])

    return Rounds(ballot, means[:half], None, refine)
