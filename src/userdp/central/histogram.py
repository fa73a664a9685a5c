"""Histograms over a known domain: bound what a user contributes, add noise, and know the loss exactly.

``counts`` is one row a user and one column an item, an array or a sparse array of ``scipy.sparse``; what is
not a count (negative, NaN) is taken for 0 in silence, because an exception would be an output that leaks.
With ``delta = 0`` contributions are bounded in the l1 norm and the noise is Laplace; with ``delta > 0`` they
are bounded in the Euclidean norm and the noise is Gaussian.

The relation of neighbours decides the noise. If a user comes or goes ("add-remove") the sum moves by at
most the bound C; if a user's records are replaced ("replace") it moves by up to 2 C in l1 and sqrt(2) C in
the Euclidean norm, since counts are not negative and two users may share no item.
"""

import numpy as np
from scipy import sparse
from scipy.special import ndtr

from userdp import _validate
from userdp.privacy.guarantee import Guarantee
from userdp.privacy.noise import classical_sigma, gaussian_delta, gaussian_sigma
from userdp.privacy.results import HistogramEstimate

__all__ = [
    "norms",
    "clip",
    "clipped_totals",
    "sensitivity",
    "unit_scale",
    "bounded_guarantee",
    "bounded_histogram",
    "expected_loss",
    "folded_mean",
    "surrogate",
    "noise_mass",
    "two_approximate_bound",
]

RELATIONS = ("replace", "add-remove")


def norms(counts, norm):
    """Norm of each user's counts, shape (n,): the sum for 1, the Euclidean norm for 2."""
    counts = _counts(counts)
    _validate.one_of((1, 2), norm=norm)
    return _norms(counts, norm)


def clip(counts, bound, *, norm):
    """Scale each user's counts down to a norm of at most `bound`; of users below it nothing is changed.

    Parameters
    ----------
    counts : array_like or scipy.sparse array, shape (n, d)
        Count of each user and item.
    bound : float
        Contribution bound C, at least 0.
    norm : {1, 2}
        The norm that is bounded.

    Returns
    -------
    ndarray or scipy.sparse array of float, shape (n, d)
        ``C x / max(C, ||x||)`` for each row x (Liu et al., Section 4), and 0 for C = 0.

    Raises
    ------
    ValueError
        If `bound` is negative or `norm` is neither 1 nor 2.
    """
    counts = _counts(counts)
    _validate.one_of((1, 2), norm=norm)
    kept = _kept(_norms(counts, norm), bound)
    if sparse.issparse(counts):
        return sparse.diags_array(kept) @ counts
    return kept[:, None] * counts


def clipped_totals(counts, bounds, *, norm):
    """Sum over the users of their clipped counts, for several bounds.

    Parameters
    ----------
    counts : array_like or scipy.sparse array, shape (n, d)
        Count of each user and item.
    bounds : array_like, shape (k,)
        Contribution bounds, each at least 0.
    norm : {1, 2}
        The norm that is bounded.

    Returns
    -------
    ndarray, shape (k, d)
        For each bound the sum of the rows of `clip`, one pass over the data a bound.

    Raises
    ------
    ValueError
        If a bound is negative or `norm` is neither 1 nor 2.
    """
    counts = _counts(counts)
    _validate.one_of((1, 2), norm=norm)
    size = _norms(counts, norm)
    return np.array([counts.T @ _kept(size, bound) for bound in bounds]).reshape(-1, counts.shape[1])


def sensitivity(norm, neighbours, d):
    """Largest change of the clipped total between neighbours, per unit of the bound.

    Parameters
    ----------
    norm : {1, 2}
        The norm that is bounded and in which the change is measured.
    neighbours : {"replace", "add-remove"}
        Which inputs are neighbours.
    d : int
        Number of items; with one item, two users cannot differ by more than the bound.

    Returns
    -------
    float
        1 if a user comes or goes or d = 1; else 2 in l1 and sqrt(2) in the Euclidean norm.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """
    _validate.one_of((1, 2), norm=norm)
    _validate.one_of(RELATIONS, neighbours=neighbours)
    _validate.integer(1, d=d)
    return 1.0 if neighbours == "add-remove" or d == 1 else 2 ** (1 / norm)


def unit_scale(d, *, epsilon, delta=0.0, neighbours="replace", printed=False):
    """Scale of the noise per unit of the contribution bound.

    Parameters
    ----------
    d : int
        Number of items.
    epsilon : float
        Budget of the release, positive.
    delta : float
        Slack, from 0 to below 1; 0 means Laplace noise, more means Gaussian.
    neighbours : {"replace", "add-remove"}
        Which inputs are neighbours.
    printed : bool
        Whether to use the paper's noise: always that of "add-remove", and for Gaussian noise with
        epsilon at most 1 the formula of Lemma 4.1.

    Returns
    -------
    float
        Scale of the Laplace law, or standard deviation of the normal law, for C = 1.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """
    _validate.positive(epsilon=epsilon)
    _validate.in_range(0, 1, delta=delta)
    norm = _norm(delta)
    change = sensitivity(norm, "add-remove" if printed else neighbours, d)
    _validate.one_of(RELATIONS, neighbours=neighbours)
    if norm == 1:
        return change / epsilon
    formula = classical_sigma if printed and epsilon <= 1 else gaussian_sigma
    return formula(epsilon=epsilon, delta=delta, sensitivity=change)


def bounded_guarantee(d, *, epsilon, delta=0.0, neighbours="replace", printed=False):
    """Return what a release by `bounded_histogram` with these parameters truly promises.

    Parameters
    ----------
    d, epsilon, delta, neighbours, printed
        As for `unit_scale`.

    Returns
    -------
    Guarantee
        (epsilon, delta), central. With ``printed=True`` and Laplace noise the epsilon is the exact
        sensitivity over the scale; with Gaussian noise the delta is the exact one at `epsilon`, smaller or
        larger than the one asked for.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """
    scale = unit_scale(d, epsilon=epsilon, delta=delta, neighbours=neighbours, printed=printed)
    if printed:
        change = sensitivity(_norm(delta), neighbours, d)
        if delta == 0:
            epsilon = change / scale
        else:
            delta = gaussian_delta(scale, epsilon=epsilon, sensitivity=change)
    return Guarantee(float(epsilon), float(delta), "central", neighbours)


def bounded_histogram(counts, *, bound, epsilon, delta=0.0, neighbours="replace", printed=False, rng):
    """Release the histogram of all users over a known domain.

    Output law: the clipped total plus independent noise on each item, Laplace for ``delta = 0`` and normal
    for ``delta > 0``, of scale ``bound * unit_scale(...)``.

    Parameters
    ----------
    counts : array_like or scipy.sparse array, shape (n, d)
        Count of each user and item; not a count is taken for 0.
    bound : float
        Contribution bound C, at least 0: public, or from a private choice whose guarantee is to be added.
    epsilon, delta, neighbours, printed
        As for `unit_scale`.
    rng : numpy.random.Generator
        Source of the noise.

    Returns
    -------
    HistogramEstimate
        The released histogram and its guarantee (`bounded_guarantee`).

    Raises
    ------
    ValueError
        If a public parameter is out of range.

    Notes
    -----
    Liu et al. (2023), Algorithm 1.
    """
    totals = clipped_totals(counts, [bound], norm=_norm(delta))[0]
    options = {"epsilon": epsilon, "delta": delta, "neighbours": neighbours, "printed": printed}
    scale = bound * unit_scale(totals.size, **options)
    draw = rng.laplace if delta == 0 else rng.normal
    value = totals + draw(scale=scale, size=totals.size)
    return HistogramEstimate(value, float(bound), scale, None, bounded_guarantee(totals.size, **options))


def expected_loss(counts, bounds, *, epsilon, delta=0.0, neighbours="replace", printed=False):
    """Exact expected l1 distance of the release from the true histogram, for several bounds.

    Parameters
    ----------
    counts : array_like or scipy.sparse array, shape (n, d)
        Count of each user and item.
    bounds : array_like, shape (k,)
        Contribution bounds, each at least 0.
    epsilon, delta, neighbours, printed
        As for `unit_scale`.

    Returns
    -------
    ndarray, shape (k,)
        ``sum_j E |bias_j + noise_j|``: the mean of a folded Laplace or normal variable in closed form.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """
    counts = _counts(counts)
    bounds = np.asarray(bounds, dtype=float)
    bias = counts.sum(axis=0) - clipped_totals(counts, bounds, norm=_norm(delta))
    unit = unit_scale(counts.shape[1], epsilon=epsilon, delta=delta, neighbours=neighbours, printed=printed)
    return folded_mean(bias, (unit * bounds)[:, None], gaussian=delta > 0).sum(axis=1)


def folded_mean(shift, scale, *, gaussian):
    """Mean of ``|shift + noise|`` for Laplace or normal noise of a scale, elementwise."""
    shift, scale = np.broadcast_arrays(np.abs(np.asarray(shift, dtype=float)), scale)
    ratio = np.divide(shift, scale, out=np.full(shift.shape, np.inf), where=scale > 0)
    if gaussian:
        density = np.exp(-(ratio**2) / 2) * np.sqrt(2 / np.pi)
        return scale * density + shift * (1 - 2 * ndtr(-ratio))
    return shift + scale * np.exp(-ratio)


def surrogate(counts, bounds, *, epsilon, delta=0.0, neighbours="replace", printed=False):
    """Upper bound of `expected_loss` that is convex in the bound: all clipped mass plus all noise.

    Parameters
    ----------
    counts, bounds, epsilon, delta, neighbours, printed
        As for `expected_loss`.

    Returns
    -------
    ndarray, shape (k,)
        ``G(C) = sum_u max(1 - C / ||N_u||, 0) ||N_u||_1 + C M`` with M = `noise_mass`; at most twice the
        expected loss (Liu et al., equation (3)).

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """
    counts = _counts(counts)
    bounds = np.asarray(bounds, dtype=float)
    size, mass = _norms(counts, _norm(delta)), _norms(counts, 1)
    lost = np.array([mass @ (1 - _kept(size, bound)) for bound in bounds])
    return lost + bounds * noise_mass(
        counts.shape[1], epsilon=epsilon, delta=delta, neighbours=neighbours, printed=printed
    )


def noise_mass(d, *, epsilon, delta=0.0, neighbours="replace", printed=False):
    """Return M, the expected l1 norm of the noise per unit of the bound; parameters as for `unit_scale`."""
    scale = unit_scale(d, epsilon=epsilon, delta=delta, neighbours=neighbours, printed=printed)
    return d * scale * (np.sqrt(2 / np.pi) if delta > 0 else 1.0)


def two_approximate_bound(counts, *, epsilon, delta=0.0, neighbours="replace", printed=False):
    """Contribution bound whose loss is at most twice the best in hindsight; itself *not* private.

    Parameters
    ----------
    counts, epsilon, delta, neighbours, printed
        As for `expected_loss`.

    Returns
    -------
    float
        The largest norm C such that the users at or above it weigh at least M together, each weighing
        ``||N_u||_1 / ||N_u||``; 0 if all weigh less. It is the largest minimiser of `surrogate`.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Liu et al. (2023), Lemma 4.2 (delta = 0: each user weighs 1, so that this is the ceil(M)-th largest
    size, which for "add-remove" is the ceil(d / epsilon)-th) and Theorem 4.3 (delta > 0).
    `expected_loss` at this bound is at most 1.466 times the best for Laplace noise, 1.543 for Gaussian.
    """
    counts = _counts(counts)
    size, mass = _norms(counts, _norm(delta)), _norms(counts, 1)
    most = noise_mass(counts.shape[1], epsilon=epsilon, delta=delta, neighbours=neighbours, printed=printed)
    order = np.argsort(-size)
    size, mass = size[order], mass[order]
    weight = np.cumsum(np.divide(mass, size, out=np.zeros(size.shape), where=size > 0))
    reached = weight >= most * (1 - 1e-12)  # the margin is for sums that are equal but for rounding
    return float(size[np.argmax(reached)]) if reached.any() else 0.0


def _norm(delta):
    return 1 if delta == 0 else 2


def _kept(size, bound):
    """Share of each user's counts that clipping keeps."""
    _validate.in_range(0, float("inf"), bound=float(bound))
    return np.divide(bound, size, out=np.ones(size.shape), where=size > bound)


def _norms(counts, norm):
    return np.asarray(counts.sum(axis=1) if norm == 1 else np.sqrt((counts * counts).sum(axis=1))).ravel()


def _counts(counts):
    """Counts as floats, with what is not a count set to 0 and infinity to a large number."""
    if sparse.issparse(counts):
        counts = sparse.csr_array(counts, dtype=float, copy=True)
        counts.data = _total(counts.data)
        return counts
    counts = np.asarray(counts, dtype=float)
    if counts.ndim != 2:
        raise ValueError(f"counts must have shape (n, d), got {counts.shape}")
    return _total(counts)


def _total(values):
    return np.clip(np.nan_to_num(values, nan=0.0, posinf=1e100), 0, 1e100)
