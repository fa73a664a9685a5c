"""Histograms over a known domain: bound contributions, add noise (Liu et al., Algorithm 1).

The counts have one row per user and one column per item, as an array or a sparse array of ``scipy.sparse``.
What is not a count (negative, NaN) is taken for 0 without an error, because an error would reveal something
about the data. If delta is 0, contributions are bounded in the sum of a user's counts and the noise is
Laplace; otherwise they are bounded in the Euclidean norm and the noise is Gaussian.

The relation of neighbours decides the noise. If a user is added or removed ("add-remove"), the total moves by
at most the bound C. If a user's records are replaced ("replace"), it moves by up to :math:`2C` in the sum and
``sqrt(2) C`` in the Euclidean norm, since counts are not negative and two users may share no item.
"""

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from scipy import sparse

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, Floats, NDArray, Rng
from userdp.privacy.guarantee import Relation
from userdp.privacy.noise import GaussianNoise, LaplaceNoise, classical_sigma, gaussian_sigma
from userdp.privacy.results import HistogramEstimate

Norm = Literal[1, 2]


@public
def norms(counts: ArrayLike, norm: Norm) -> Floats:
    """Norm of each user's counts, shape (n,): the sum for 1, the Euclidean norm for 2."""
    return _measured(counts, norm)[1]


@public
def clip(counts: ArrayLike, bound: float, *, norm: Norm) -> Any:
    """Scale each user's counts down to a norm of at most `bound`; smaller users stay as they are.

    Parameters
    ----------
    counts : shape (n, d), dense or sparse
        Count of each user and item; what is not a count is taken for 0.
    bound
        Contribution bound C, at least 0.
    norm
        1 for the sum of a user's counts, 2 for their Euclidean norm.

    Returns
    -------
    ndarray or scipy.sparse array of float, shape (n, d)
        ``C x / max(C, ||x||)`` for each row x (Liu et al., Section 4), and 0 for C = 0.

    Examples
    --------
    >>> clip([[3, 1], [1, 1]], 2, norm=1).tolist()
    [[1.5, 0.5], [1.0, 1.0]]
    """
    table, size = _measured(counts, norm)
    kept = _kept(size, bound)
    return sparse.diags_array(kept) @ table if sparse.issparse(table) else kept[:, None] * table


@public
def clipped_totals(counts: ArrayLike, bounds: Iterable[float], *, norm: Norm) -> Floats:
    """Sum over the users of the rows of `clip`, for several bounds: shape (k, d), one pass per bound."""
    table, size = _measured(counts, norm)
    return np.array([table.T @ _kept(size, bound) for bound in bounds]).reshape(-1, table.shape[1])


@public
def sensitivity(norm: Norm, neighbours: Relation, d: int) -> float:
    """Largest change of the clipped total between neighbours, per unit of the bound.

    It is 1 if a user is added or removed, or if there is one item. Otherwise it is 2 for the sum and
    ``sqrt(2)`` for the Euclidean norm.

    Parameters
    ----------
    norm
        1 for the sum of a user's counts, 2 for their Euclidean norm.
    neighbours
        Which inputs are neighbours.
    d
        Number of items.
    """
    _validate.integer(1, d=d)
    return 1.0 if neighbours == "add-remove" or d == 1 else 2 ** (1 / norm)


@public
def histogram_noise(
    d: int,
    *,
    bound: float = 1.0,
    epsilon: float,
    delta: float = 0.0,
    neighbours: Relation = "replace",
    printed: bool = False,
) -> LaplaceNoise | GaussianNoise:
    """Noise of `bounded_histogram`: its `scale`, its `guarantee`, and its `release` of clipped totals.

    Parameters
    ----------
    d
        Number of items.
    bound
        Contribution bound C, at least 0.
    epsilon
        Budget of the release, positive.
    delta
        The delta of the release, below 1: 0 for Laplace noise, positive for Gaussian noise.
    neighbours
        Which inputs are neighbours: in "replace" the data of one user are replaced, in "add-remove" one user
        is added or removed.
    printed
        Whether to use the paper's noise: always that of "add-remove", and for Gaussian noise with a budget of
        at most 1 the formula of Lemma 4.1. The guarantee then says what it truly costs: the exact sensitivity
        over the scale, or the exact delta at `epsilon`, smaller or larger than the one asked for.

    Examples
    --------
    >>> histogram_noise(10, bound=4, epsilon=2.0).scale
    4.0
    """
    _validate.positive(epsilon=epsilon)
    _validate.in_range(0, 1, delta=delta)
    _validate.in_range(0, float("inf"), bound=bound)
    norm = norm_for(delta)
    change = bound * sensitivity(norm, neighbours, d)
    budget: Any = {"epsilon": float(epsilon), "neighbours": neighbours}
    if not printed and norm == 1:
        return LaplaceNoise.calibrated(sensitivity=change, **budget)
    if not printed:
        return GaussianNoise.calibrated(sensitivity=change, delta=delta, **budget)
    if norm == 1:
        return LaplaceNoise(bound / epsilon, change, neighbours=neighbours)
    formula = classical_sigma if epsilon <= 1 else gaussian_sigma
    return GaussianNoise(bound * formula(epsilon=epsilon, delta=delta), change, **budget)


@public
def unit_scale(d: int, **options: Any) -> float:
    """Scale of `histogram_noise` per unit of the contribution bound; it takes the same parameters."""
    return histogram_noise(d, **options).scale


@public
def bounded_histogram(
    counts: ArrayLike,
    *,
    bound: float,
    epsilon: float,
    delta: float = 0.0,
    neighbours: Relation = "replace",
    printed: bool = False,
    rng: Rng,
) -> HistogramEstimate:
    """Release the histogram of all users over a known domain (Liu et al. 2023, Algorithm 1).

    Output distribution: the clipped total plus independent noise on each item, Laplace for ``delta = 0`` and
    normal for ``delta > 0``, of `histogram_noise`.

    Parameters
    ----------
    counts : shape (n, d), dense or sparse
        Count of each user and item; what is not a count is taken for 0.
    bound
        Contribution bound C, at least 0: public, or from a private choice whose guarantee is to be added.
    epsilon
        Budget of the release, positive.
    delta
        The delta of the release, below 1: 0 for Laplace noise, positive for Gaussian noise.
    neighbours
        Which inputs are neighbours: in "replace" the data of one user are replaced, in "add-remove" one user
        is added or removed.
    printed
        Whether to use the paper's noise, as in `histogram_noise`; the guarantee then says what it truly
        costs.
    rng
        Generator of NumPy; with ``delta = 0`` also `userdp.release.Secure`, for a release in earnest.

    Returns
    -------
    HistogramEstimate
        The histogram `value`, shape (d,), its `guarantee`, and the `scale` of the noise on each item.

    Examples
    --------
    >>> counts, rng = [[3, 0], [900, 1]], np.random.default_rng(1)
    >>> release = bounded_histogram(counts, bound=4, epsilon=2.0, rng=rng)
    >>> release.scale, release.guarantee.epsilon, release.value.round(1)
    (4.0, 2.0, array([7.1, 9.3]))
    """
    totals = clipped_totals(counts, [bound], norm=norm_for(delta))[0]
    budget: Any = {"epsilon": epsilon, "delta": delta, "neighbours": neighbours}
    noise = histogram_noise(totals.size, bound=bound, printed=printed, **budget)
    value = noise.release(totals, rng, parts=lambda: clip(counts, bound, norm=1))
    return HistogramEstimate(value, noise.guarantee, float(bound), noise.scale)


@public
def noise_mass(d: int, *, delta: float = 0.0, **options: Any) -> float:
    """Return M, the expected sum of the absolute noise over all items, per unit of the bound.

    Parameters
    ----------
    d
        Number of items.
    delta
        The delta of the release: 0 for Laplace noise, positive for Gaussian noise.
    **options
        The other parameters of `histogram_noise`.
    """
    return d * unit_scale(d, delta=delta, **options) * (np.sqrt(2 / np.pi) if delta > 0 else 1.0)


def public_users(users: int | None, counts: ArrayLike, neighbours: Relation) -> int:
    """Return the number of users that a mechanism may scale by: given, or the rows if these are public."""
    if users is None:
        if neighbours == "add-remove":
            raise ValueError("users must be given with neighbours 'add-remove', got None")
        return max(np.shape(counts)[0], 1)
    _validate.integer(1, users=users)
    return int(users)


def norm_for(delta: float) -> Norm:
    return 1 if delta == 0 else 2


def _kept(size: Floats, bound: float) -> Floats:
    """Fraction of each user's counts that clipping keeps."""
    _validate.in_range(0, float("inf"), bound=bound)
    return np.divide(bound, size, out=np.ones(size.shape), where=size > bound)


def _measured(counts: Any, norm: Norm) -> tuple[Any, Floats]:
    """Counts as floats, and each user's norm."""
    counts = counts_or_zero(counts)
    size = counts.sum(axis=1) if norm == 1 else np.sqrt((counts * counts).sum(axis=1))
    return counts, np.asarray(size).ravel()


def counts_or_zero(counts: Any) -> Any:
    """Counts as floats, with what is not a count set to 0 and infinity to a large number."""
    if not sparse.issparse(counts):
        return _total(count_rows(counts).astype(float))
    counts = sparse.csr_array(counts.astype(float), copy=True)
    counts.sum_duplicates()  # a cell's count is what its entries add up to
    counts.data = _total(counts.data)
    return counts


def count_rows(counts: ArrayLike) -> NDArray[Any]:
    counts = np.asarray(counts)
    if counts.ndim != 2 or not counts.shape[1]:
        raise ValueError(f"counts must have shape (n, d) with an item, got {counts.shape}")
    return counts


def _total(values: Floats) -> Floats:
    np.nan_to_num(values, copy=False, nan=0.0, posinf=1e100)  # a copy already
    return np.clip(values, 0, 1e100, out=values)
