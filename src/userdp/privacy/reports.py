"""Randomisers: what one user sends instead of the data.

Each is one frozen value that owns its probabilities, its inverse and its loss:

``privatise(x, rng)``
    one report a user, the client's side;
``sample_total(x, rng)``
    the sum of all reports, drawn from its exact law without drawing the reports: the server's
    view in a simulation;
``unbias(total, n)``
    the unbiased estimate of the sum of the inputs from the sum of `n` reports;
``privacy_loss()``
    the largest log-ratio between two inputs, computed from the channel's own probabilities.

All are local and for neighbours by replacement: any two inputs of one user are neighbours.
All are total: NaN, infinities and out-of-range inputs are projected to the domain in silence,
because an exception would be an output that depends on the data.
"""

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from scipy.special import expit

from userdp import _validate
from userdp.privacy.guarantee import Guarantee

__all__ = [
    "project",
    "BinaryResponse",
    "KaryResponse",
    "UnaryEncoding",
    "LaplaceReport",
    "TwoPointReport",
    "Literal",
    "literal",
    "tally",
    "HashedReport",
]


def project(x, low, high):
    """Project onto [low, high]; NaN goes to the lower end."""
    x = np.asarray(x, dtype=float)
    if x.size and low <= x.min() and x.max() <= high:  # false for NaN
        return x
    x = np.clip(x, low, high)
    return np.where(np.isnan(x), low, x)


def _category(x, k):
    """Project onto the categories 0 .. k - 1, a fraction going to the one below."""
    return project(x, 0, k - 1).astype(np.int64)


def _bits(counts, n, keep, rng):
    """Draw the sum of n bits of which `counts` are one, each kept with probability `keep`."""
    return rng.binomial(counts, keep) + rng.binomial(n - counts, 1 - keep)


@dataclass(frozen=True)
class BinaryResponse:
    """Randomised response of one bit (Warner 1965).

    Output law: the report equals the bit with probability ``exp(epsilon) / (1 + exp(epsilon))``
    and its opposite otherwise.

    Parameters
    ----------
    epsilon : float
        Privacy budget of one report, positive.
    """

    epsilon: float

    def __post_init__(self):
        _validate.positive(epsilon=self.epsilon)

    @property
    def guarantee(self):
        """Promise of one report."""
        return Guarantee(self.epsilon)

    @property
    def keep(self):
        """Probability that the report is the bit itself."""
        return float(expit(self.epsilon))

    def privatise(self, x, rng):
        """Report for each bit of `x`, shape (n,), as an array of 0 and 1."""
        bits = _category(x, 2)
        return np.where(rng.random(bits.shape) < self.keep, bits, 1 - bits)

    def sample_total(self, x, rng):
        """Draw the number of reports that are 1."""
        bits = _category(x, 2)
        return _bits(bits.sum(), bits.size, self.keep, rng)

    def unbias(self, total, n):
        """Estimate the number of ones among `n` bits."""
        return (total - n * (1 - self.keep)) / (2 * self.keep - 1)

    def privacy_loss(self):
        """Largest log-ratio between the laws of the report under the two bits."""
        return float(np.log(self.keep / (1 - self.keep)))


@dataclass(frozen=True)
class KaryResponse:
    """Randomised response over k categories.

    Output law: the report equals the category with probability
    ``exp(epsilon) / (exp(epsilon) + k - 1)``, otherwise it is uniform over the k - 1 others.

    Parameters
    ----------
    k : int
        Number of categories, at least 2.
    epsilon : float
        Privacy budget of one report, positive.
    """

    k: int
    epsilon: float

    def __post_init__(self):
        _validate.integer(2, k=self.k)
        _validate.positive(epsilon=self.epsilon)

    @property
    def guarantee(self):
        """Promise of one report."""
        return Guarantee(self.epsilon)

    @property
    def keep(self):
        """Probability that the report is the category itself."""
        return float(1 / (1 + (self.k - 1) * np.exp(-self.epsilon)))

    @property
    def other(self):
        """Probability of each other category."""
        return (1 - self.keep) / (self.k - 1)

    def privatise(self, x, rng):
        """Report for each category of `x`, shape (n,), as one-hot rows of shape (n, k)."""
        true = _category(x, self.k)
        shift = np.where(rng.random(true.shape) < self.keep, 0, rng.integers(1, self.k, true.shape))
        return np.eye(self.k, dtype=np.int64)[(true + shift) % self.k]

    def sample_total(self, x, rng):
        """Draw the number of reports of each category, shape (k,)."""
        counts = np.bincount(_category(x, self.k), minlength=self.k)
        # a report is the truth with probability keep - other, else uniform over all k
        truthful = rng.binomial(counts, self.keep - self.other)
        uniform = rng.multinomial(counts.sum() - truthful.sum(), np.full(self.k, 1 / self.k))
        return truthful + uniform

    def unbias(self, total, n):
        """Estimate the true number in each category."""
        return (total - n * self.other) / (self.keep - self.other)

    def privacy_loss(self):
        """Largest log-ratio between the laws of the report under two categories."""
        return float(np.log(self.keep / self.other))


@dataclass(frozen=True)
class UnaryEncoding:
    """Randomised response of every entry of a binary vector with at most `ones` ones.

    Output law: each of the `length` entries is kept with probability
    ``exp(e) / (1 + exp(e))``, ``e = epsilon / (2 ones)``, and flipped otherwise, independently.
    Two vectors with at most `ones` ones differ in at most ``2 ones`` entries (Kent et al.,
    Lemma 28; DAME, eq. (6) with three ones).

    An input is a row of at most `ones` positions 0 .. length - 1; anything else in the row (a
    negative, a position beyond the end) stands for no position.

    Parameters
    ----------
    length : int
        Number of entries, at least 1.
    ones : int
        Largest number of ones in an input, at least 1.
    epsilon : float
        Privacy budget of one report, positive.
    """

    length: int
    ones: int
    epsilon: float

    def __post_init__(self):
        _validate.integer(1, length=self.length, ones=self.ones)
        _validate.positive(epsilon=self.epsilon)

    @property
    def guarantee(self):
        """Promise of one report."""
        return Guarantee(self.epsilon)

    @property
    def keep(self):
        """Probability that an entry is reported as it is."""
        return float(expit(self.epsilon / (2 * self.ones)))

    def _columns(self, x):
        """Columns of positions, each at most once a row; -1 and `length` stand for no position."""
        columns = project(np.atleast_2d(x), -1, self.length).astype(np.int64).T
        if len(columns) > self.ones:
            raise ValueError(f"x must have at most {self.ones} columns, got {len(columns)}")
        for c, column in enumerate(columns):
            for earlier in columns[:c]:
                column = np.where(column == earlier, -1, column)
            yield column

    def vectors(self, x):
        """Binary vectors of shape (n, length) that the rows of positions `x` stand for."""
        vectors = np.zeros((len(x), self.length), dtype=np.int64)
        for column in self._columns(x):
            held = (column >= 0) & (column < self.length)
            vectors[held, column[held]] = 1
        return vectors

    def privatise(self, x, rng):
        """Report for each row of positions `x`, shape (n, at most ones), as rows (n, length) of 0 and 1."""
        vectors = self.vectors(x)
        return np.where(rng.random(vectors.shape) < self.keep, vectors, 1 - vectors)

    def sample_total(self, x, rng):
        """Draw the number of ones reported for each entry, shape (length,): two binomials an entry."""
        ones = sum(np.bincount(c + 1, minlength=self.length + 2)[1:-1] for c in self._columns(x))
        return self.sample_total_of_counts(ones, len(x), rng)

    def sample_total_of_counts(self, ones, n, rng):
        """Draw the same total, given how many of the `n` inputs have a one in each entry."""
        return _bits(ones, n, self.keep, rng)

    def unbias(self, total, n):
        """Estimate the true number of ones of each entry."""
        return (total - n * (1 - self.keep)) / (2 * self.keep - 1)

    def privacy_loss(self):
        """Largest log-ratio between the laws of the report under two inputs."""
        return float(min(2 * self.ones, self.length) * np.log(self.keep / (1 - self.keep)))


@dataclass(frozen=True)
class LaplaceReport:
    """A number in [low, high] with Laplace noise.

    Output law: the projected number plus Laplace noise of scale ``(high - low) / epsilon``,
    whose variance is twice the square of the scale.

    Parameters
    ----------
    low, high : float
        Ends of the domain, low < high.
    epsilon : float
        Privacy budget of one report, positive.
    """

    low: float
    high: float
    epsilon: float

    def __post_init__(self):
        _validate.ordered(low=self.low, high=self.high)
        _validate.positive(epsilon=self.epsilon)

    @property
    def guarantee(self):
        """Promise of one report."""
        return Guarantee(self.epsilon)

    @property
    def scale(self):
        """Scale of the noise."""
        return (self.high - self.low) / self.epsilon

    def privatise(self, x, rng):
        """Report for each number of `x`, shape (n,)."""
        x = project(x, self.low, self.high)
        return x + rng.laplace(scale=self.scale, size=x.shape)

    def sample_total(self, x, rng):
        """Draw the sum of the reports: the noises add up to a difference of two Gamma variables."""
        x = project(x, self.low, self.high)
        return x.sum() + self.scale * (rng.standard_gamma(x.size) - rng.standard_gamma(x.size))

    def unbias(self, total, n):
        """Estimate the sum of the projected numbers: the total itself."""
        return total

    def variance(self, x):
        """Variance of the report of each number of `x`; the same for all."""
        return np.full(np.shape(x), 2 * self.scale**2)

    def privacy_loss(self):
        """Largest log-ratio of two Laplace densities whose centres are `high - low` apart."""
        return (self.high - self.low) / self.scale


@dataclass(frozen=True)
class TwoPointReport:
    """One of two points, so that the mean is the number (Duchi, Jordan and Wainwright 2018).

    Output law: with c the middle and h the half-width of [low, high] and
    ``B = h (exp(epsilon) + 1) / (exp(epsilon) - 1)``, the report is c + B with probability
    ``1/2 + (x - c) / (2 B)`` and c - B otherwise.

    Parameters
    ----------
    low, high : float
        Ends of the domain, low < high.
    epsilon : float
        Privacy budget of one report, positive.
    """

    low: float
    high: float
    epsilon: float

    def __post_init__(self):
        _validate.ordered(low=self.low, high=self.high)
        _validate.positive(epsilon=self.epsilon)

    @property
    def guarantee(self):
        """Promise of one report."""
        return Guarantee(self.epsilon)

    @property
    def centre(self):
        """Middle of the domain."""
        return (self.low + self.high) / 2

    @property
    def magnitude(self):
        """Distance B of the two points from the centre."""
        return (self.high - self.low) / 2 / float(np.tanh(self.epsilon / 2))

    def _upper(self, x):
        """Probability of the upper point for each number."""
        return 0.5 + (project(x, self.low, self.high) - self.centre) / (2 * self.magnitude)

    def privatise(self, x, rng):
        """Report for each number of `x`, shape (n,)."""
        upper = self._upper(x)
        return self.centre + self.magnitude * np.where(rng.random(upper.shape) < upper, 1, -1)

    def sample_total(self, x, rng):
        """Draw the sum of the reports from the number of upper points."""
        upper = self._upper(x)
        ups = np.count_nonzero(rng.random(upper.shape) < upper)
        return upper.size * self.centre + self.magnitude * (2 * ups - upper.size)

    def unbias(self, total, n):
        """Estimate the sum of the projected numbers: the total itself."""
        return total

    def variance(self, x):
        """Variance of the report of each number of `x`."""
        return self.magnitude**2 - (project(x, self.low, self.high) - self.centre) ** 2

    def privacy_loss(self):
        """Largest log-ratio between the laws of the report under the two ends of the domain."""
        ends = self._upper(np.array([self.low, self.high]))
        return float(max(np.log(ends[1] / ends[0]), np.log((1 - ends[0]) / (1 - ends[1]))))


@dataclass(frozen=True)
class Literal:
    """The same randomiser, its total summed over every user's report: the slow twin for tests."""

    randomiser: object

    def __getattr__(self, name):
        if name.startswith("__"):  # pickle asks before there is a randomiser to ask
            raise AttributeError(name)
        return getattr(self.randomiser, name)

    def sample_total(self, x, rng):
        """Sum the reports of all users."""
        return self.randomiser.privatise(x, rng).sum(axis=0)


def literal(randomiser):
    """Wrap `randomiser` so that `sample_total` sums the reports of `privatise`."""
    return Literal(randomiser)


def tally(categories, k, weights=None):
    """Number, or sum of `weights`, in each category 0 .. k - 1 along the last axis; -1 stands for none."""
    runs = np.arange(categories.size // categories.shape[-1]).reshape(*categories.shape[:-1], 1)
    cells = (categories + 1 + (k + 1) * runs).ravel()
    weights = None if weights is None else weights.ravel()
    totals = np.bincount(cells, weights, minlength=runs.size * (k + 1))
    return totals.reshape(*categories.shape[:-1], k + 1)[..., 1:]


@cache
def _patterns(k):
    """Sign patterns of length k up to a common sign, shape (2**(k - 1), k): the first sign is +1."""
    patterns = np.array([(1, *rest) for rest in product((1, -1), repeat=k - 1)], dtype=float)
    patterns.flags.writeable = False
    return patterns


@dataclass(frozen=True)
class HashedReport:
    """A number that belongs to one of k components, hidden by a public random sign for each (eq. (55)).

    Output law: with k independent fair signs r that everybody may see, a user of component c with number y
    reports ``r_c y`` plus Laplace noise of scale ``2 clip / epsilon``; the server multiplies the report
    with each of the k signs. Product j has mean y if j is c and mean 0 otherwise.

    Parameters
    ----------
    components : int
        Number of components k, at least 1.
    clip : float
        Numbers are projected to [-clip, clip]; positive.
    epsilon : float
        Privacy budget of one report, positive.
    """

    components: int
    clip: float
    epsilon: float

    def __post_init__(self):
        _validate.integer(1, components=self.components)
        _validate.positive(clip=self.clip)
        _validate.positive(epsilon=self.epsilon)

    @property
    def _laplace(self):
        return LaplaceReport(-self.clip, self.clip, self.epsilon)

    @property
    def guarantee(self):
        """Promise of one report, for every value of the signs."""
        return self._laplace.guarantee

    @property
    def scale(self):
        """Scale of the noise."""
        return self._laplace.scale

    def _inputs(self, x):
        numbers, components = x
        numbers = project(numbers, -self.clip, self.clip)
        return numbers, project(components, 0, self.components - 1).astype(np.int64)

    def privatise(self, x, rng):
        """Signs times report for each user, shape (..., n, k); `x`: numbers and components, each (..., n)."""
        numbers, components = self._inputs(x)
        signs = rng.choice((-1.0, 1.0), size=(*numbers.shape, self.components))
        hashed = np.take_along_axis(signs, components[..., None], axis=-1)[..., 0] * numbers
        return signs * self._laplace.privatise(hashed, rng)[..., None]

    def sample_total(self, x, rng):
        """Draw the k sums of signs times reports from their joint law, shape (..., k).

        Only the pattern of a user's signs up to a common sign matters, because the noise is symmetric.
        The noises of the N users of one pattern add up to a difference of two Gamma(N) variables, and
        the k sums are those of the patterns, added with the signs of the pattern.
        """
        numbers, components = self._inputs(x)
        if 2 ** (self.components - 1) > numbers.shape[-1]:  # fewer users than patterns
            return self.privatise(x, rng).sum(axis=-2)
        signs = _patterns(self.components)
        pattern = rng.integers(len(signs), size=numbers.shape)
        users = tally(pattern, len(signs))
        sums = tally(pattern, len(signs), signs[pattern, components] * numbers)
        noise = rng.standard_gamma(users) - rng.standard_gamma(users)
        return (sums + self.scale * noise) @ signs

    def unbias(self, total, n):
        """Estimate the sum of the projected numbers of each component: the total itself."""
        return total

    def privacy_loss(self):
        """Largest log-ratio between the laws of the report under two inputs, given the signs."""
        return self._laplace.privacy_loss()
