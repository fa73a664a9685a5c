"""The exact error of released histograms, and the contribution bounds that are best in hindsight."""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import logsumexp, ndtr

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, Floats, Ints, Rng
from userdp.central.bounds import Surrogate, bound_choice, surrogate_curve
from userdp.central.histogram import clipped_totals, count_rows, counts_or_zero, norm_for, norms, unit_scale
from userdp.central.unknown_domain import objective_from_totals, sample_records, whole_bounds, whole_counts
from userdp.privacy.choice import ExponentialChoice


@public
def expected_loss(counts: ArrayLike, bounds: ArrayLike, *, delta: float = 0.0, **release: Any) -> Floats:
    """Exact expected error of a released histogram, for several contribution bounds.

    The error is the sum over the items of the absolute difference from the true count; its mean is that of a
    folded Laplace or normal variable, in closed form. The release is described by the parameters of
    `clipped_totals` and `histogram_noise`.
    """
    counts = counts_or_zero(counts)
    bounds = np.asarray(bounds, dtype=float)
    bias = counts.sum(axis=0) - clipped_totals(counts, bounds, norm=norm_for(delta))  # type: ignore[union-attr]
    unit = unit_scale(counts.shape[1], delta=delta, **release)  # type: ignore[union-attr]
    return folded_mean(bias, (unit * bounds)[:, None], gaussian=delta > 0).sum(axis=1)


@public
def folded_mean(shift: ArrayLike, scale: ArrayLike, *, gaussian: bool) -> Floats:
    """Mean absolute value of a number plus noise, elementwise.

    Parameters
    ----------
    shift
        The number.
    scale
        Scale of the noise: of a Laplace variable, or the standard deviation of a normal one.
    gaussian
        Whether the noise is normal.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> float(folded_mean(0.0, 2.0, gaussian=False))
    2.0
    """
    shift, scale = np.broadcast_arrays(np.abs(np.asarray(shift, dtype=float)), scale)
    _validate.vector(0, scale=np.ravel(scale))
    ratio = np.divide(shift, scale, out=np.full(shift.shape, np.inf), where=scale > 0)
    if gaussian:
        density = np.exp(-(ratio**2) / 2) * np.sqrt(2 / np.pi)
        return scale * density + shift * (1 - 2 * ndtr(-ratio))
    return shift + scale * np.exp(-ratio)


@public
def expected_error(
    totals: ArrayLike, truth: ArrayLike, *, scale: ArrayLike, threshold: ArrayLike, printed: bool = False
) -> Floats:
    """Exact expected error of each released count, given the clipped totals.

    Parameters
    ----------
    totals : shape (..., d)
        Clipped totals.
    truth : shape (d,)
        True totals of all records.
    scale, threshold : broadcast against `totals`
        Scale b of the Laplace noise and threshold t of the release.
    printed
        Whether items with a clipped total of 0 may be released if their truth is positive.

    Returns
    -------
    ndarray, shape (..., d)
        ``E |(h + Z) 1{h + Z > t} - N|`` in closed form, for a clipped total h and a true total N.

    Notes
    -----
    What Liu et al. (2023), Theorem B.1, bounds up to constants. Averaged over the draws of the clipped
    totals this is the expected loss of the release, without the noise of simulating it.
    """
    totals, truth = np.asarray(totals, dtype=float), np.asarray(truth, dtype=float)
    (scale,), threshold = _validate.positive_arrays(scale=scale), np.asarray(threshold, dtype=float)
    needed, missing = threshold - totals, truth - totals
    tail = np.exp(-np.abs(needed) / scale) / 2
    passes = np.where(needed >= 0, tail, 1 - tail)
    # E[(Z - missing); Z > needed]; where the noise may fall short of `missing`, twice the part above it
    signed = _excess(needed, scale) + (needed - missing) * passes
    distance = np.where(needed >= missing, signed, 2 * _excess(missing, scale) - signed)
    error = truth * (1 - passes) + distance
    shown = truth > 0 if printed else totals > 0
    return np.where(shown, error, truth)


def _excess(x: Floats, scale: Floats) -> Floats:
    """Mean of ``max(Z - x, 0)`` for Laplace noise Z."""
    return np.maximum(-x, 0) + scale / 2 * np.exp(-np.abs(x) / scale)


@public
def error_constants(scale: ArrayLike, threshold: ArrayLike) -> tuple[Floats, Floats]:
    r"""Constants of two bounds on `expected_error`, elementwise.

    The error of an item with clipped total h and true total N, both whole numbers, lies between
    ``(N - h) / 2 + c min(h, t)`` and ``N - h + (1 + chi) min(h, t)``. With `printed` in `expected_error` the
    upper bound is ``(1 + chi) (N - h + min(h, t))``. This is what stands of Liu et al. (2023), Theorem 5.2,
    in sharper form.

    Parameters
    ----------
    scale
        Scale of the Laplace noise.
    threshold
        Threshold t of the release, at least `scale`.

    Returns
    -------
    tuple
        The constants c and :math:`\chi`.
    """
    (b,), t = _validate.positive_arrays(scale=scale), np.asarray(threshold, dtype=float)
    small = np.exp(-(t - 1) / b) * (t + b - 2) / 2
    return np.minimum(0.5, (1 + np.log(2)) / 2 * b / t), np.maximum(small, np.exp(-(t / b + 3) / 2))


@public
def two_approximate_bound(counts: ArrayLike, **options: Any) -> float:
    """Contribution bound with an error of at most twice the best in hindsight; it is *not* private.

    It is the largest bound at which the curve G of `surrogate_curve`, with the same options, is smallest: the
    largest norm such that the users at or above it have a total weight of at least the noise mass M, where a
    user with counts ``N_u`` has the weight ``||N_u||_1 / ||N_u||``; 0 if the total weight of all is less.

    Notes
    -----
    Liu et al. (2023), Lemma 4.2 (without delta: each user has weight 1, so that this is the M-th largest
    size, M rounded up; for "add-remove" M is ``d / epsilon``) and Theorem 4.3 (with delta). `expected_loss`
    at this bound is at most 1.466 times the best for Laplace noise, 1.543 for Gaussian.
    """
    return surrogate_curve(counts, **options).minimiser()


@public
def objective_sensitivity(bounds: ArrayLike, *, largest: int, weight: float = 1.0) -> float:
    """Sensitivity of `objective`: how much one user can change it, at any of the bounds.

    It is ``2 C_max - (2 - w) C_min`` with the smallest bound ``C_min`` and the weight w, under either
    relation of neighbours: the part of one user lies between 0 and this number, which a user with ``C_max``
    records attains.

    Parameters
    ----------
    bounds
        The contribution bounds.
    largest
        Public bound ``C_max`` on the records of one user, at least the largest of `bounds`.
    weight
        The weight w of `objective`.

    Returns
    -------
    float
    """
    bounds = whole_bounds(bounds)
    _validate.in_range(0, 2, weight=weight)
    _validate.integer(int(bounds.max()), largest=largest)
    return float(2 * largest - (2 - weight) * bounds.min())


@public
def objective(counts: ArrayLike, bounds: ArrayLike, *, weight: float = 1.0, **release: Any) -> Floats:
    """Bound on the expected error for each contribution bound: `objective_from_totals`, from counts."""
    bounds = whole_bounds(bounds)
    expected = clipped_totals(counts, bounds, norm=1)
    return objective_from_totals(norms(counts, 1), expected, bounds, weight=weight, **release)


@public
def random_clip(counts: ArrayLike, bound: int, rng: Rng) -> Ints:
    """Keep a random sample of each user's records, no more than a contribution bound allows.

    Output distribution: the row of user u is multivariate hypergeometric with ``min(C, m_u)`` draws,
    independently of the other users'.

    Parameters
    ----------
    counts : shape (n, d), dense or sparse
        Count of each user and item; what is not a count is taken for 0.
    bound
        Contribution bound C, at least 1 and at most ten million.
    rng
        Source of the randomness.

    Returns
    -------
    ndarray of int64, shape (n, d)
        The clipped counts.

    Notes
    -----
    Liu et al. (2023), Section 5. One user at a time, as printed; `nested_totals` has the same distribution
    and is faster.
    """
    _validate.generator(rng=rng)
    (bound,) = whole_bounds([bound], "bound").tolist()
    counts = whole_counts(
        count_rows(sparse.csr_array(counts).toarray() if sparse.issparse(counts) else counts)
    )
    return np.array([sample_records(row, bound, rng) for row in counts], dtype=np.int64).reshape(counts.shape)


@public
def grid_law(curve: Surrogate, bounds: ArrayLike, *, epsilon: float) -> Floats:
    """Probability with which `exponential_bound` chooses each of several candidates.

    Parameters
    ----------
    curve
        What `surrogate_curve` returns.
    bounds
        The candidates, from 0 to the largest bound of the curve.
    epsilon
        Budget of the choice.

    Returns
    -------
    ndarray
    """
    return bound_choice(curve, epsilon).law(-curve.values(_validate.vector(0, curve.largest, bounds=bounds)))


@public
def exponential_law(scores: ArrayLike, *, sensitivity: float, epsilon: float) -> Floats:
    """Probability with which `ExponentialChoice` chooses each candidate.

    It is in proportion to ``exp(epsilon s / (2 S))`` for a candidate of score s and scores of sensitivity S.

    Parameters
    ----------
    scores
        Score of each candidate.
    sensitivity
        Sensitivity of the scores.
    epsilon
        Budget of the choice.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> exponential_law([0.0, 1.0], sensitivity=1.0, epsilon=2.0).round(3)
    array([0.269, 0.731])
    """
    return ExponentialChoice.calibrated(epsilon=epsilon, sensitivity=sensitivity).law(scores)


@public
def log_density(curve: Surrogate, bounds: ArrayLike, rate: float) -> Floats:
    """Logarithm of the density in proportion to ``exp(-b G)`` from 0 to the largest bound, for a rate b."""
    _validate.in_range(0, 1e300, rate=rate)
    return -rate * curve.values(bounds) - logsumexp(curve.segments(rate)[2])
