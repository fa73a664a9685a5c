"""Means in one round, and localised means (Kent, Algorithms 2, 3, 10 and 11).

An estimator takes the users' sample means, one number per user, in an order that is public. In one round all
users report; in two, the first half finds an interval and the second half reports within it (an odd last user
is left out). The whole data of one user are protected, and each user sends one report.
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

    Output distribution: the average of the means plus the average of n independent Laplace variables.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user; projected to `domain`.
    epsilon
        Local privacy budget of each user, positive.
    domain : low, high
        Public ends of what a mean can be; the estimate is in the same units.
    every_report
        Whether to draw each user's report; by default their sum is drawn from its exact
        distribution, which is faster.
    rng
        Generator of NumPy, or `userdp.release.Secure` for a release in earnest.

    Returns
    -------
    MeanEstimate
        The estimate `value`, its `guarantee`, and an `interval` around the mean of these users.

    Examples
    --------
    >>> rng, means = np.random.default_rng(1), np.full(10_000, 3.0)
    >>> result = laplace_mean(means, epsilon=1.0, domain=(0, 5), rng=rng)
    >>> round(result.value, 2), result.guarantee.epsilon
    (3.0, 1.0)
    """
    return _one_round(LaplaceReport, means, epsilon, domain, every_report, rng)


@public
def duchi_mean(
    means: ArrayLike, *, epsilon: float, domain: Domain = UNIT, every_report: bool = False, rng: Rng
) -> MeanEstimate:
    """Average of the users' two-point reports (Duchi, Jordan and Wainwright 2018).

    Output distribution: on ``[-1, 1]`` the average of n independent points ``+-B``, with
    ``B = (e^epsilon + 1) / (e^epsilon - 1)``, whose means are the users' means.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user; projected to `domain`.
    epsilon
        Local privacy budget of each user, positive.
    domain : low, high
        Public ends of what a mean can be; the estimate is in the same units.
    every_report
        Whether to draw each user's report; by default their sum is drawn from its exact
        distribution, which is faster.
    rng
        Generator of NumPy, or `userdp.release.Secure` for a release in earnest.

    Returns
    -------
    MeanEstimate
        The estimate `value`, its `guarantee`, and an `interval` around the mean of these users.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> result = duchi_mean(np.full(10_000, 0.3), epsilon=1.0, rng=rng)
    >>> round(result.value, 2)
    0.28
    """
    return _one_round(TwoPointReport, means, epsilon, domain, every_report, rng)


@public
def piecewise_mean(
    means: ArrayLike, *, epsilon: float, domain: Domain = UNIT, every_report: bool = False, rng: Rng
) -> MeanEstimate:
    """Average of the users' piecewise reports (Wang et al. 2019).

    These reports have less noise than two points for budgets above about 1, and always less than Laplace's.

    Output distribution: the average of n independent draws of `userdp.privacy.reports.PiecewiseReport`, whose
    means are the users' means.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user; projected to `domain`.
    epsilon
        Local privacy budget of each user, positive.
    domain : low, high
        Public ends of what a mean can be; the estimate is in the same units.
    every_report
        Whether to draw each user's report; by default their sum is drawn from its exact
        distribution, which is faster.
    rng
        Generator of NumPy, or `userdp.release.Secure` for a release in earnest.

    Returns
    -------
    MeanEstimate
        The estimate `value` and its `guarantee`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> result = piecewise_mean(np.full(10_000, 0.3), epsilon=3.0, rng=rng)
    >>> round(result.value, 2)
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
    r"""Half-width of a bin by default (Kent, eq. (30) and (101)).

    For n users of T records each it is ``sqrt(2 log(n T epsilon^2) / T)``, and for a budget above 1
    ``sqrt(4 log(n T) / T)``. In the paper it is called :math:`\Delta`; the effective number of records
    ``T^*`` is here T itself, as in the paper's simulations.

    Parameters
    ----------
    n
        Number of users.
    size
        Records T that each user holds; ``n T epsilon^2`` must exceed 1.
    epsilon
        Local privacy budget of each user, positive.

    Examples
    --------
    >>> round(localised_half_width(n=10_000, size=1000, epsilon=1.0), 2)
    0.18
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

    Output distribution:

    1. Each user of the first half votes for the bin that contains its mean, by unary encoding; in the general
       procedure for its two adjacent bins as well.
    2. The bin with the most votes is widened on either side by 2 half-widths, in the general procedure by 5.
    3. The means of the second half are projected to this interval, get Laplace noise that is scaled to its
       length, and are averaged.

    Parameters
    ----------
    means : shape (n,)
        Mean of each user over `size` records; projected to `domain`.
    size
        Records that each user holds; it only sets the default half-width.
    epsilon
        Local privacy budget of each user, positive.
    half_width
        Half-width of a bin, in the units of the domain. By default it is `localised_half_width`, stretched as
        the domain is from ``[-1, 1]``.
    general
        Whether to run the general procedure, Algorithm 10's branch for budgets above 1; by default it runs
        exactly there. False runs Algorithm 2, which is private at every budget, fails to localise less often
        and adds a quarter of the noise variance.
    domain : low, high
        Public ends of what a mean can be; the estimate is in the same units.
    every_report
        Whether to draw each user's report; by default their sum is drawn from its exact
        distribution, which is faster.
    rng
        Generator of NumPy, or `userdp.release.Secure` for a release in earnest.

    Returns
    -------
    MeanEstimate
        The estimate `value`, its `guarantee`, the `votes` per bin, and the interval `clipped_to` within which
        the second half reported.

    Examples
    --------
    >>> rng, means = np.random.default_rng(1), np.full(10_000, 0.3)
    >>> result = localised_mean(means, size=1000, epsilon=1.0, rng=rng)
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
