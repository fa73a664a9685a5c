"""The mean of users with unequally many records: DAME of Pla, Vono and Richard (2025), Algorithm 1.

In the first half of the users, those with enough records vote for the bin that contains their mean; the
second half refines the estimate around it. The number of a user's records is private, and its distribution is
public. This estimator follows the paper; `improved_mean` answers the same question, in the setting of the
paper with a smaller error.
"""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, Domain, NDArray, Rng
from userdp.local._rounds import UNIT, Refinement, Rounds, real_numbers, to_domain, to_unit, users_table
from userdp.local.localise import Ballot, Bins
from userdp.privacy.reports import LaplaceReport, project
from userdp.privacy.results import MeanEstimate
from userdp.sizes import SizeLaw, refuse_private

DAME_MARGIN = 6  # Algorithm 1
LARGEST_CAP = 10**12  # records; some half a million bins


@public
def size_weight(sizes: ArrayLike, size_cap: float) -> NDArray:
    """Weight ``sqrt(min(m, m~) / m~)`` of a user's mean against the bin's centre (DAME, before (8)).

    Parameters
    ----------
    sizes
        Records m of each user.
    size_cap
        Effective maximum size ``m~``.
    """
    _validate.positive(size_cap=size_cap)
    return np.sqrt(np.minimum(sizes, float(size_cap)) / size_cap)


@public
def shrink(means: NDArray, sizes: ArrayLike, *, size_cap: float, centre: float) -> NDArray:
    """Average each mean with `centre`, so that means of few records lie closer to it.

    The mean has the weight ``sqrt(min(m, m~) / m~)`` of `size_weight`, and the centre has the rest.

    Parameters
    ----------
    means, sizes : shape (n,)
        Mean and number of records m of each user.
    size_cap
        Effective maximum size ``m~``.
    centre
        Centre of the chosen bin.
    """
    weight = size_weight(sizes, size_cap)
    return weight * means + (1 - weight) * centre


@public
def undo_shrinkage(average: Any, *, size_law: SizeLaw, size_cap: float, centre: float) -> Any:
    """Undo the shrinkage in the average of the reports, by the expected weight (DAME, eq. (9)).

    Parameters
    ----------
    average
        Average of reports on means that `shrink` moved towards `centre`.
    size_law
        Public distribution of the sizes.
    size_cap
        Effective maximum size ``m~``.
    centre
        Centre of the chosen bin.
    """
    _validate.positive(size_cap=size_cap)
    weight = size_law.mean_root(size_cap) / np.sqrt(size_cap)
    return (average - (1 - weight) * centre) / weight


def matching_sizes(sizes: ArrayLike, means: NDArray, size_law: SizeLaw) -> NDArray:
    refuse_private(size_law=size_law)
    held = real_numbers("n", 1, sizes=sizes)
    if held.shape != means.shape:
        raise ValueError(f"sizes must match means in shape, got {held.shape} and {means.shape}")
    return held


@public
def dame(
    means: ArrayLike,
    sizes: ArrayLike,
    *,
    epsilon: float,
    size_law: SizeLaw,
    size_cap: int,
    domain: Domain = UNIT,
    printed: bool = False,
    every_report: bool = False,
    rng: Rng,
) -> MeanEstimate:
    """Localise, then refine, for users with unequally many records (DAME, Algorithm 1).

    Output distribution:

    1. In the first half, users with at least `size_cap` records vote by unary encoding for the bin that
       contains their mean and for its two adjacent bins; the others vote for none.
    2. In the second half, a user with m records moves its mean towards the centre of the bin with the most
       votes: the mean keeps the weight ``sqrt(min(m, m~) / m~)``. The result is projected to this bin widened
       by 6 half-widths on either side and gets Laplace noise of scale ``14 tau / epsilon``.
    3. The average of these reports is freed of the shrinkage by eq. (9).

    Parameters
    ----------
    means : shape (n,)
        Mean of each user; projected to `domain`.
    sizes : shape (n,)
        Records that each user holds; private like the means. Values below 1 count as 1.
    epsilon
        Local privacy budget of each user, positive.
    size_law
        Public distribution of the sizes (H1 in the paper).
    size_cap
        Effective maximum size ``m~``, from 1 to the largest size of the distribution, above which nobody
        could vote, and at most 1e12; see `userdp_papers.theory.rates.dame.dame_size_cap`.
    domain : low, high
        Public ends of what a mean can be; the estimate is in the same units.
    printed
        Whether to follow Algorithm 1 to the letter. Bins are then closed, which costs up to a third more than
        `epsilon`, and the last bin may overhang 1, which biases the estimate where the mean is near 1.
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
    >>> from userdp.sizes import constant_size
    >>> rng, law = np.random.default_rng(1), constant_size(900)
    >>> means, sizes = np.full(20_001, 0.3), np.full(20_001, 900)
    >>> options = {"epsilon": 1.0, "size_law": law, "size_cap": 900}
    >>> result = dame(means, sizes, rng=rng, **options)
    >>> round(result.value, 1), result.guarantee.epsilon
    (0.3, 1.0)
    """
    x = to_unit(users_table("n", 2, epsilon, rng, means=means), domain)
    held = matching_sizes(sizes, x, size_law)
    result = dame_rounds(x, held, epsilon, size_law, size_cap, printed).run(every_report, rng)
    low, high = np.clip(result.clipped_to or UNIT, *UNIT)
    return to_domain(replace(result, clipped_to=(low, high)), domain)


def dame_rounds(
    x: NDArray, held: NDArray, epsilon: float, size_law: SizeLaw, size_cap: int, printed: bool
) -> Rounds:
    half = x.size // 2
    half_width = dame_half_width(size_cap=size_cap, n=2 * half, epsilon=epsilon)
    # the distribution's largest size is public, that of the users is not
    _validate.in_range(1, size_law.largest, size_cap=size_cap)
    ballot = Ballot(Bins(half_width, truncated=not printed), 1, epsilon, closed=printed)
    refining = slice(half, 2 * half)

    def refine(j: int) -> Refinement:
        report, centre = _dame_report(ballot.bins, j, epsilon)
        shrunk = shrink(x[refining], np.maximum(held[refining], 1), size_cap=size_cap, centre=centre)
        finish = partial(undo_shrinkage, size_law=size_law, size_cap=size_cap, centre=centre)
        # only the printed centre can leave [-1, 1] and take a shrunk mean with it
        return Refinement(report, project(shrunk, *UNIT), finish)

    return Rounds(ballot, x[:half], held[:half] >= size_cap, refine)


def _dame_report(bins: Bins, chosen: int, epsilon: float) -> tuple[LaplaceReport, float]:
    """Randomiser and centre of the second round: a domain of 14 half-widths about the chosen bin."""
    low = bins.ends(chosen)[0] - DAME_MARGIN * bins.half_width
    return LaplaceReport(low, low + 2 * (DAME_MARGIN + 1) * bins.half_width, epsilon), bins.centre(chosen)


@public
def dame_log(*, size_cap: float, n: int, epsilon: float, c4: float = 8.0) -> float:
    """The logarithm in (4) and (11) of DAME, ``L = log(c4 max(sqrt(m~ n epsilon^2), 1))``.

    Parameters
    ----------
    size_cap
        Effective maximum size ``m~``.
    n
        Number of users.
    epsilon
        Local privacy budget of each user, positive.
    c4
        Constant of the paper.
    """
    _validate.positive(size_cap=size_cap, n=n, epsilon=epsilon, c4=c4)
    # floats: whole numbers of numpy overflow in silence
    return float(np.log(c4 * max(np.sqrt(float(size_cap) * float(n) * epsilon**2), 1.0)))


@public
def dame_half_width(*, size_cap: int, n: int, epsilon: float) -> float:
    """Half-width of a bin of DAME, eq. (4): ``tau = sqrt(2 L / m~)``.

    Parameters
    ----------
    size_cap
        Effective maximum size ``m~``, a whole number.
    n
        Number of users, at least 2.
    epsilon
        Local privacy budget of each user, positive.
    """
    _validate.integer(1, LARGEST_CAP, size_cap=size_cap)
    _validate.integer(2, n=n)
    return float(np.sqrt(2 * dame_log(size_cap=size_cap, n=n, epsilon=epsilon) / size_cap))
