"""Randomisers of one vector per user (Duchi, Jordan and Wainwright 2018): the one-round baselines.

They are used as those of `userdp.privacy.reports`: any two inputs of one user are neighbours, and an input
outside the domain raises no error. A report is a point far outside the domain whose mean is the input, so
that the sum of the reports needs no correction.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from scipy.special import expit, gammaln

from userdp import _validate
from userdp._public import public
from userdp._types import ArrayLike, Floats, Rng
from userdp.privacy.reports import LocalReport, project

ASYMPTOTIC = 1000  # dimension from which three terms of a series have twelve digits


@public
def to_unit_ball(x: ArrayLike) -> Floats:
    """Scale rows that are longer than 1 to length 1; NaN counts as 0.

    Parameters
    ----------
    x : shape (n, d)
        One vector per row.

    Examples
    --------
    >>> to_unit_ball([[3.0, 4.0], [0.0, 0.5]]).round(2).tolist()
    [[0.6, 0.8], [0.0, 0.5]]
    """
    rows = np.nan_to_num(np.asarray(x, dtype=float), nan=0.0)
    rows = rows / np.abs(rows).max(axis=1, initial=1.0)[:, None]  # no square overflows
    return rows / np.maximum(np.sqrt(_products(rows, rows)), 1.0)[:, None]


def _products(x: Floats, y: Floats) -> Floats:
    """Inner product of each row of `x` with that of `y`."""
    return np.einsum("ij,ij->i", x, y)


@dataclass(frozen=True)
class _VectorReport(LocalReport):
    """What both reports share: one half of the space is favoured by a factor exp(epsilon)."""

    d: int
    epsilon: float

    def __post_init__(self) -> None:
        _validate.integer(1, d=self.d)
        super().__post_init__()

    def privatise(self, x: ArrayLike, rng: Rng) -> Floats:
        raise NotImplementedError

    def sample_total(self, x: ArrayLike, rng: Rng) -> Floats:
        """Sum the reports of all users, shape (d,)."""
        return self.privatise(x, rng).sum(axis=0)

    def _rows(self, x: ArrayLike, rng: Rng) -> Floats:
        _validate.generator(rng=rng)
        x = _validate.table(x=x)
        if x.shape[1] != self.d:
            raise ValueError(f"x must have shape (n, {self.d}), got {x.shape}")
        return x


@public
@dataclass(frozen=True)
class CubeReport(_VectorReport):
    """One corner of a large cube, so that the mean is the vector, of ``[-1, 1]^d``.

    Output distribution: round each entry to a sign ``v_j`` with mean ``x_j``; the report is `magnitude` times
    a sign vector z drawn with weight 1 where its inner product with v is positive and ``exp(-epsilon)``
    elsewhere (Duchi, Jordan and Wainwright 2018, section 4.2.3, equation (26)). Ties count as the far side;
    in even dimension the printed report counts them on both sides, which costs ``log(1 + exp(epsilon))``.

    Parameters
    ----------
    d
        Dimension of the vectors.
    epsilon
        Privacy budget of one report, positive.

    Examples
    --------
    >>> report, rng = CubeReport(2, 1.0), np.random.default_rng(1)
    >>> report.privatise([[0.5, -0.5]], rng).round(2)
    array([[ 3.33, -3.33]])
    """

    @property
    def far(self) -> float:
        """Weight of a corner on the far side, relative to one on the near side."""
        return float(np.exp(-self.epsilon))

    @property
    def magnitude(self) -> float:
        """Absolute value B of each entry of the report."""
        agreements = np.arange(self.d // 2 + 1, self.d + 1)
        near = scipy.stats.binom.pmf(agreements, self.d, 0.5)
        projection = near @ (2 * agreements - self.d) / self.d
        favour = -np.expm1(-self.epsilon)
        return float((self.far + favour * near.sum()) / (favour * projection))

    def privatise(self, x: ArrayLike, rng: Rng) -> Floats:
        """Report for each row of `x`, shape (n, d); NaN counts as -1."""
        x = project(self._rows(x, rng), -1.0, 1.0)
        rounded = np.where(rng.random(x.shape) < (1 + x) / 2, 1, -1).astype(np.int8)
        z, open_rows = np.empty_like(rounded), np.arange(len(x))
        while open_rows.size:  # propose a uniform corner, accept it in proportion to its weight
            z[open_rows] = 2 * rng.integers(0, 2, (open_rows.size, self.d), dtype=np.int8) - 1
            agreement = np.einsum("ij,ij->i", z[open_rows], rounded[open_rows], dtype=np.int64)
            weight = np.where(agreement > 0, 1.0, self.far)
            open_rows = open_rows[rng.random(open_rows.size) >= weight]
        return self.magnitude * z.astype(float)

    def privacy_loss(self) -> float:
        """Largest log-ratio between the distributions of the report under two corners."""
        return float(-np.log(self.far))


@public
@dataclass(frozen=True)
class BallReport(_VectorReport):
    """One point of a large sphere, so that the mean is the vector, of the Euclidean unit ball.

    Output distribution: replace x by ``+ x / |x|`` with probability ``(1 + |x|) / 2`` and by ``- x / |x|``
    otherwise; the report is uniform on the half of the sphere of radius `magnitude` around that point
    with probability `keep`, and on the opposite half otherwise (Duchi, Jordan and Wainwright 2018,
    section 4.2.3, equation (25)).

    Parameters
    ----------
    d
        Dimension of the vectors.
    epsilon
        Privacy budget of one report, positive.

    Examples
    --------
    >>> report, rng = BallReport(2, 1.0), np.random.default_rng(1)
    >>> report.privatise([[0.6, 0.0]], rng).round(2)
    array([[-3.15, -1.27]])
    """

    @property
    def keep(self) -> float:
        """Probability that the report lies on the side of the rounded input."""
        return float(expit(self.epsilon))

    @property
    def flip(self) -> float:
        """Probability that it does not, exact where `keep` is rounded to 1."""
        return float(expit(-self.epsilon))

    @property
    def magnitude(self) -> float:
        """Radius B of the sphere of reports."""
        # the mean of one coordinate over a half-sphere is 2 Gamma(d/2 + 1) / (sqrt(pi) d Gamma((d+1)/2))
        if self.d > ASYMPTOTIC:  # logarithms of Gamma would cancel
            series = 1 + (1 + (1 - 5 / (4 * self.d)) / (8 * self.d)) / (4 * self.d)
            return float(np.sqrt(np.pi * self.d / 2) / (series * np.tanh(self.epsilon / 2)))
        log_mean = gammaln(self.d / 2 + 1) - gammaln((self.d + 1) / 2) - np.log(np.pi) / 2
        half_sphere = 2 * np.exp(log_mean) / self.d
        return float(1 / (half_sphere * np.tanh(self.epsilon / 2)))

    def privatise(self, x: ArrayLike, rng: Rng) -> Floats:
        """Report for each row of `x`, shape (n, d); longer rows are scaled to length 1, NaN counts as 0."""
        z, factors = self._draw(x, rng)
        return factors[:, None] * z

    def sample_total(self, x: ArrayLike, rng: Rng) -> Floats:
        """Sum the reports of all users, shape (d,)."""
        z, factors = self._draw(x, rng)
        return factors @ z

    def _draw(self, x: ArrayLike, rng: Rng) -> tuple[Floats, Floats]:
        """A normal vector for each row, and the factor that makes it the report."""
        x = to_unit_ball(self._rows(x, rng))
        length = np.sqrt(_products(x, x))
        # any direction serves for the origin: its sign is fair
        direction = np.where(length[:, None] > 0, x, np.eye(1, self.d))
        rounded = np.where(rng.random(length.size) < (1 + length) / 2, 1, -1)
        z = rng.standard_normal(x.shape)
        agreement = _products(z, direction) * rounded
        side = np.where(rng.random(length.size) < self.keep, self.magnitude, -self.magnitude)
        return z, np.where(agreement >= 0, side, -side) / np.sqrt(_products(z, z))

    def privacy_loss(self) -> float:
        """Largest log-ratio between the densities of the report under two unit vectors."""
        return float(np.log(self.keep) - np.log(self.flip))
