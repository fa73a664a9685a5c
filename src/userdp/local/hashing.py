"""Votes for many coordinates in one number a user: sums of random public signs.

A user adds up its own fair signs over the coordinates that it votes for and reports the sum with noise;
multiplied by a coordinate's signs and averaged, the reports estimate the share of users who voted for it
(Kent, Berrett and Yu, Algorithm 6, after Zhou et al. 2022).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from userdp import _validate
from userdp._types import ArrayLike, NDArray, Rng
from userdp.local.mean import _numbers
from userdp.privacy.reports import LaplaceReport
from userdp.privacy.results import Release

__all__ = ["Hashes", "hashed_scores"]

# signs of the eight users in each value of a byte
_BYTE_SIGNS = 2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little") - 1


@dataclass(frozen=True, eq=False)
class Hashes:
    """A fair public sign for each user and coordinate, eight users a byte.

    Parameters
    ----------
    n
        Number of users.
    packed : uint8, shape (ceil(n / 8), d)
        The signs; a set bit is +1.
    """

    n: int
    packed: NDArray

    @classmethod
    def draw(cls, n: int, d: int, rng: Rng) -> "Hashes":
        """Draw independent fair signs for `n` users and `d` coordinates."""
        _validate.integer(1, n=n, d=d)
        _validate.generator(rng=rng)
        words = rng.integers(0, 2**64, size=(-(-n // 8) * d + 7) // 8, dtype=np.uint64)
        return cls(n, words.view(np.uint8)[: -(-n // 8) * d].reshape(-1, d))

    def signs(self, coordinates: Any = slice(None)) -> NDArray:
        """Signs of the given coordinates, shape (n, coordinates), as -1 and +1."""
        bits = np.unpackbits(self.packed[:, coordinates], axis=0, count=self.n, bitorder="little")
        return 2 * bits.astype(np.int8) - 1

    @cached_property
    def balance(self) -> NDArray:
        """Sum of each user's signs over all coordinates, shape (n,): from how often each byte occurs."""
        often = np.stack([np.bincount(row, minlength=256) for row in self.packed])
        return (often @ _BYTE_SIGNS).ravel()[: self.n].astype(np.int64)

    def sums(self, chosen: NDArray) -> NDArray:
        """Sum of each user's signs over the coordinates that it chose, `chosen` of shape (n, d), bool."""
        users, coordinates = np.nonzero(chosen)
        bits = self.packed[users // 8, coordinates] >> (users % 8).astype(np.uint8) & 1
        return np.bincount(users, weights=2.0 * bits - 1, minlength=self.n)

    def scores(self, reports: ArrayLike) -> NDArray:
        """Average over users of sign times report, shape (d, ...) for reports of shape (n, ...).

        Eight users a table look-up; further axes are other reports under the same signs.
        """
        sent = np.asarray(reports)
        padded = np.zeros((len(self.packed), 8, sent[0].size))
        padded.reshape(-1, padded.shape[2])[: self.n] = sent.reshape(self.n, -1)
        total = np.zeros((self.packed.shape[1], padded.shape[2]))
        for table, row in zip(_BYTE_SIGNS @ padded, self.packed, strict=True):
            total += np.take(table, row, axis=0)
        return total.reshape(-1, *sent.shape[1:]) / self.n


def _hash_report(clip: float, epsilon: float) -> LaplaceReport:
    """Randomiser of a hashed sum: what each user sends, and what that costs (Algorithm 6, eq. (39))."""
    _validate.budget(epsilon=epsilon)
    _validate.positive(clip=clip)
    return LaplaceReport(-clip, clip, epsilon)


def hashed_scores(chosen: ArrayLike, *, epsilon: float, clip: float, rng: Rng) -> Release[NDArray]:
    """Estimate the share of users who chose each coordinate from one number a user (Algorithm 6).

    Output law: user i draws fair public signs r_ij, and reports the sum of r_ij over the coordinates j that
    it chose, projected to [-clip, clip], with Laplace noise of scale 2 clip / epsilon; the score of j is
    the average of r_ij times the report; the value has shape (d,).

    Parameters
    ----------
    chosen : bool, shape (n, d)
        Coordinates that each user chose.
    epsilon, rng
        As for `userdp.local.mean.laplace_mean`; neighbours replace one user's choices.
    clip
        Bound on the sum, Kent's eta.

    Examples
    --------
    >>> chosen = np.arange(3) < np.arange(40_000)[:, None] % 4
    >>> hashed_scores(chosen, epsilon=1.0, clip=3.0, rng=np.random.default_rng(1)).value.round(1)
    array([0.8, 0.5, 0.2])
    """
    held = _numbers("nd", 1, chosen=chosen).astype(bool)
    report = _hash_report(clip, epsilon)
    hashes = Hashes.draw(held.shape[0], held.shape[1], rng)
    return Release(hashes.scores(report.privatise(hashes.sums(held), rng)), report.guarantee)
