"""Randomisers: what one user sends instead of the data.

A randomiser is made with its budget and answers four questions:

``privatise(x, rng)``
    what does each user send? One report per user, drawn on the user's side;
``sample_total(x, rng)``
    what do all reports add up to? The sum is drawn from its exact distribution without drawing the reports,
    which is the server's view in a simulation;
``unbias(total, n)``
    what was the sum of the inputs? The unbiased estimate from the sum of `n` reports;
``privacy_loss()``
    what does a report reveal? The largest log-ratio between two inputs, computed from the probabilities of
    the report itself.

All are local, and any two inputs of one user are neighbours. An input outside the domain, infinity or NaN
raises no error but is projected to the domain, because an error would be an output that depends on the data.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from scipy.special import expit

from userdp import _validate
from userdp._exact import Coin, Secure, below, fair_signs, is_up, laplace_steps, on_grid, piecewise_steps
from userdp._public import checked, public
from userdp._types import ArrayLike, Floats, Ints, NDArray, Rng
from userdp.privacy.guarantee import Guarantee


@public
def project(x: ArrayLike, low: ArrayLike, high: ArrayLike) -> Floats:
    """Project onto the interval from `low` to `high`; NaN goes to the lower end.

    Parameters
    ----------
    x
        Numbers.
    low, high
        Ends of the interval, one for all numbers or one for each.

    Examples
    --------
    >>> project([-3.0, 0.5, np.nan], 0.0, 1.0).tolist()
    [0.0, 0.5, 0.0]
    """
    x = np.asarray(x, dtype=float)
    if np.all((low <= x) & (x <= high)):  # false for NaN
        return x
    x = np.clip(x, low, high)
    return np.where(np.isnan(x), low, x)


def _category(x: ArrayLike, k: int) -> Ints:
    """Project onto the categories 0 .. k - 1, a fraction going to the one below."""
    return project(x, 0, k - 1).astype(np.int64)


@checked
class LocalReport:
    """What all reports share: a positive budget, which is the guarantee of one report."""

    epsilon: float

    def __post_init__(self) -> None:
        _validate.positive(epsilon=self.epsilon)
        _validate.in_range(0, _validate.BUDGETS[1], epsilon=self.epsilon)

    @property
    def guarantee(self) -> Guarantee:
        """Guarantee of one report."""
        return Guarantee(self.epsilon)

    def unbias(self, total: Any, n: int) -> Any:
        """Estimate the sum of the inputs: the total itself."""
        return total


@checked
class _Bits(LocalReport):
    """Reports of bits of which each is kept with the same log-odds."""

    @property
    def log_odds(self) -> float:
        """Logarithm of the odds that a bit is reported as it is."""
        return self.epsilon

    @property
    def keep(self) -> float:
        """Probability that a bit is reported as it is."""
        return float(expit(self.log_odds))

    @property
    def flip(self) -> float:
        """Probability that it is not, exact where `keep` is rounded to 1."""
        return float(expit(-self.log_odds))

    def _flipped(self, shape: tuple[int, ...], rng: Rng, differing: int = 1) -> NDArray[np.bool_]:
        """Draw which bits are not reported as they are, exactly, where so many may differ."""
        _validate.generator(rng=rng)
        return ~Coin(-Fraction(self.epsilon) / differing).toss(shape, rng)

    def unbias(self, total: Any, n: int) -> Any:
        """Estimate the number of ones among `n` bits."""
        return (total - n * self.flip) / np.tanh(self.log_odds / 2)

    def _total(self, ones: Any, n: int, rng: Rng) -> Any:
        """Draw how many of `n` reports are 1 if `ones` of the bits are."""
        return rng.binomial(ones, self.keep) + rng.binomial(n - ones, 1 - self.keep)

    def _loss(self, bits: int) -> float:
        return float(bits * (np.log(self.keep) - np.log(self.flip)))


@public
@dataclass(frozen=True)
class BinaryResponse(_Bits):
    """Randomised response of one bit (Warner 1965).

    Output distribution: the report equals the bit with probability ``exp(epsilon) / (1 + exp(epsilon))``
    and its opposite otherwise.

    Parameters
    ----------
    epsilon
        Privacy budget of one report, positive.

    Examples
    --------
    >>> response = BinaryResponse(1.0)
    >>> round(response.keep, 3), response.guarantee.epsilon
    (0.731, 1.0)
    >>> response.privatise([0, 1, 1, 0], np.random.default_rng(1))
    array([1, 0, 1, 0])
    """

    epsilon: float

    def privatise(self, x: ArrayLike, rng: Rng) -> Ints:
        """Report for each bit of `x`, shape (n,), as an array of 0 and 1."""
        bits = _category(x, 2)
        return bits ^ self._flipped(bits.shape, rng)

    def sample_total(self, x: ArrayLike, rng: Rng) -> Any:
        """Draw the number of reports that are 1."""
        bits = _category(x, 2)
        return self._total(bits.sum(), bits.size, rng)

    def privacy_loss(self) -> float:
        """Largest log-ratio between the distributions of the report under the two bits."""
        return self._loss(1)


@public
@dataclass(frozen=True)
class KaryResponse(LocalReport):
    """Randomised response over k categories.

    Output distribution: the report equals the category with probability
    ``exp(epsilon) / (exp(epsilon) + k - 1)``, otherwise it is uniform over the ``k - 1`` others.

    Parameters
    ----------
    k
        Number of categories, at least 2; they are 0, 1, ..., k - 1.
    epsilon
        Privacy budget of one report, positive.

    Examples
    --------
    >>> KaryResponse(3, 1.0).privatise([0, 2], np.random.default_rng(1))
    array([[0, 1, 0],
           [0, 1, 0]])
    """

    k: int
    epsilon: float

    def __post_init__(self) -> None:
        _validate.integer(2, k=self.k)
        super().__post_init__()

    @property
    def keep(self) -> float:
        """Probability that the report is the category itself."""
        return float(1 / (1 + (self.k - 1) * np.exp(-self.epsilon)))

    @property
    def truthful(self) -> float:
        """Probability with which a report is the truth, where otherwise it is uniform over all categories.

        It is `keep` less `other`.
        """
        return float(-np.expm1(-self.epsilon) * self.keep)

    @property
    def other(self) -> float:
        """Probability of each other category."""
        return float(np.exp(-self.epsilon) / (1 + (self.k - 1) * np.exp(-self.epsilon)))

    def privatise(self, x: ArrayLike, rng: Rng) -> Ints:
        """Report for each category of `x`, shape (n,), as one-hot rows of shape (n, k)."""
        _validate.generator(rng=rng)
        true = _category(x, self.k)
        kept = Coin(-Fraction(self.epsilon), Fraction(self.k - 1)).toss(true.shape, rng)
        said = (true + ~kept * (1 + below(self.k - 1, true.shape, rng))) % self.k
        reports = np.zeros((*said.shape, self.k), dtype=np.int64)
        np.put_along_axis(reports, said[..., None], 1, axis=-1)
        return reports

    def sample_total(self, x: ArrayLike, rng: Rng) -> Ints:
        """Draw the number of reports of each category, shape (k,)."""
        counts = np.bincount(_category(x, self.k), minlength=self.k)
        truthful = rng.binomial(counts, self.truthful)
        uniform = rng.multinomial(counts.sum() - truthful.sum(), np.full(self.k, 1 / self.k))
        return truthful + uniform

    def unbias(self, total: Any, n: int) -> Any:
        """Estimate the true number in each category."""
        return (total - n * self.other) / self.truthful

    def privacy_loss(self) -> float:
        """Largest log-ratio between the distributions of the report under two categories."""
        return float(np.log(self.keep) - np.log(self.other))


@public
@dataclass(frozen=True)
class UnaryEncoding(_Bits):
    """Randomised response of every entry of a binary vector with at most `ones` ones.

    Output distribution: each of the `length` entries is kept with probability
    ``exp(e) / (1 + exp(e))``, ``e = epsilon / (2 ones)``, and flipped otherwise, independently.
    Two vectors with at most `ones` ones differ in at most twice as many entries (Kent et al.,
    Lemma 28; DAME, eq. (6) with three ones).

    An input is a row of the positions of its ones, from 0 to ``length - 1``. Any other whole number in the
    row, such as -1, and NaN stand for no position.

    Parameters
    ----------
    length
        Number of entries, at least 1.
    ones
        Largest number of ones in an input, at least 1.
    epsilon
        Privacy budget of one report, positive.
    differing
        Most entries in which two inputs differ, where this is known to be other than twice `ones`; the
        guarantee is then `epsilon` times its fraction of these.

    Examples
    --------
    >>> encoding, rng = UnaryEncoding(4, 1, 2.0), np.random.default_rng(1)
    >>> encoding.privatise([[0], [2], [-1]], rng)
    array([[0, 1, 0, 0],
           [1, 1, 1, 0],
           [0, 0, 0, 1]], dtype=int8)
    """

    length: int
    ones: int
    epsilon: float
    differing: int | None = None

    def __post_init__(self) -> None:
        _validate.integer(1, length=self.length, ones=self.ones)
        _validate.integer(0, differing=0 if self.differing is None else self.differing)
        _validate.positive(epsilon=self.epsilon)
        # a bit's own part of the budget is what rounding limits
        _validate.in_range(0, _validate.BUDGETS[1], **{"epsilon / (2 ones)": self.log_odds})

    @property
    def log_odds(self) -> float:
        """Logarithm of the odds that an entry is reported as it is."""
        return self.epsilon / (2 * self.ones)

    @property
    def guarantee(self) -> Guarantee:
        """Guarantee of one report."""
        return Guarantee(self.epsilon if self.differing is None else self.differing * self.log_odds)

    def _columns(self, x: ArrayLike) -> Iterator[Ints]:
        """Columns of positions, each at most once per row; -1 and `length` stand for no position."""
        columns = project(_validate.table(x=x), -1, self.length).astype(np.int64).T
        if len(columns) > self.ones:
            raise ValueError(f"x must have at most {self.ones} columns, got {len(columns)}")
        for c, column in enumerate(columns):
            for earlier in columns[:c]:
                column = np.where(column == earlier, -1, column)
            yield column

    def vectors(self, x: ArrayLike) -> Ints:
        """Binary vectors of shape (n, length) that the rows of positions `x` stand for."""
        vectors = np.zeros((len(np.asarray(x)), self.length), dtype=np.int64)
        for column in self._columns(x):
            held = (column >= 0) & (column < self.length)
            vectors[held, column[held]] = 1
        return vectors

    def privatise(self, x: ArrayLike, rng: Rng) -> NDArray[np.int8]:
        """Report for each row of positions `x`, shape (n, at most ones), as rows (n, length) of 0 and 1."""
        said = self._flipped((len(np.asarray(x)), self.length), rng, 2 * self.ones)
        for column in self._columns(x):
            held = np.flatnonzero((column >= 0) & (column < self.length))
            said[held, column[held]] ^= True
        return said.view(np.int8)

    def sample_total(self, x: ArrayLike, rng: Rng) -> Ints:
        """Draw the number of ones reported for each entry, shape (length,): two binomials per entry."""
        ones = sum(np.bincount(c + 1, minlength=self.length + 2)[1:-1] for c in self._columns(x))
        return self.sample_total_of_counts(ones, len(np.asarray(x)), rng)

    def sample_total_of_counts(self, ones: Any, n: int, rng: Rng) -> Ints:
        """Draw the same total, given how many of the `n` inputs have a one in each entry.

        Entries of equal counts are drawn one after the other: numpy prepares a binomial distribution anew
        unless it is that of the draw before.
        """
        order = np.argsort(ones, axis=None, kind="stable")
        total = np.zeros_like(ones, dtype=np.int64)
        np.put(total, order, self._total(np.take(ones, order), n, rng))
        return total

    def privacy_loss(self) -> float:
        """Largest log-ratio between the distributions of the report under two inputs."""
        return self._loss(min(2 * self.ones if self.differing is None else self.differing, self.length))


@dataclass(frozen=True)
class _OnInterval(LocalReport):
    """Reports of numbers in [low, high]."""

    low: float
    high: float
    epsilon: float

    def __post_init__(self) -> None:
        _validate.ordered(low=self.low, high=self.high)
        super().__post_init__()

    def error(self, n: int) -> tuple | None:
        """Distribution of the error of an average of `n` reports, its name and numbers; None if unknown."""
        return None


@public
@dataclass(frozen=True)
class LaplaceReport(_OnInterval):
    """A number of an interval with Laplace noise.

    Output distribution: the projected number plus Laplace noise of scale ``(high - low) / epsilon``,
    whose variance is twice the square of the scale.

    Parameters
    ----------
    low, high
        Public ends of the interval, to which numbers are projected.
    epsilon
        Privacy budget of one report, positive.

    Examples
    --------
    >>> report, rng = LaplaceReport(-1.0, 1.0, 2.0), np.random.default_rng(1)
    >>> report.scale, report.privatise([0.5, 7.0], rng).round(2)
    (1.0, array([0.52, 3.31]))
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        _validate.positive(scale=self.scale)

    @property
    def scale(self) -> float:
        """Scale of the noise."""
        return (self.high - self.low) / self.epsilon

    def privatise(self, x: ArrayLike, rng: Rng) -> Floats:
        """Report for each number of `x`, shape (n,)."""
        _validate.generator(rng=rng)
        x = project(x, self.low, self.high)
        if isinstance(rng, Secure):
            return on_grid(laplace_steps, x, self, rng)
        return x + rng.laplace(scale=self.scale, size=x.shape)

    def sample_total(self, x: ArrayLike, rng: Rng) -> float:
        """Draw the sum of the reports: the noise terms add up to a difference of two Gamma variables."""
        return float(self.sample_totals(x, 1, rng)[0])

    def sample_totals(self, x: ArrayLike, runs: int, rng: Rng) -> Floats:
        """Draw the sums of `runs` independent rounds of reports on the same numbers, shape (runs,)."""
        x = project(x, self.low, self.high)
        return x.sum() + self.scale * np.subtract(*rng.standard_gamma(x.size, (2, runs)))

    def variance(self, x: ArrayLike) -> Floats:
        """Variance of the report of each number of `x`; the same for all."""
        return np.full(np.shape(x), 2 * self.scale**2)

    def error(self, n: int) -> tuple | None:
        return "laplace_average", n, self.scale

    def privacy_loss(self) -> float:
        """Largest log-ratio of two Laplace densities whose centres are `high - low` apart."""
        return (self.high - self.low) / self.scale


@public
@dataclass(frozen=True)
class TwoPointReport(_OnInterval):
    """One of two points, so that the mean is the number (Duchi, Jordan and Wainwright 2018).

    Output distribution: with c the middle and h the half-width of the interval and
    ``B = h (exp(epsilon) + 1) / (exp(epsilon) - 1)``, the report is ``c + B`` with probability
    ``1/2 + (x - c) / (2 B)`` and ``c - B`` otherwise.

    Parameters
    ----------
    low, high
        Public ends of the interval, to which numbers are projected.
    epsilon
        Privacy budget of one report, positive.

    Examples
    --------
    >>> report, rng = TwoPointReport(-1.0, 1.0, 1.0), np.random.default_rng(1)
    >>> report.privatise([-1.0, 0.0, 1.0], rng).round(2)
    array([ 2.16, -2.16,  2.16])
    """

    @property
    def centre(self) -> float:
        """Middle of the domain."""
        return (self.low + self.high) / 2

    @property
    def margin(self) -> float:
        """How far beyond an end of the domain a point lies, B - h, exact where it is tiny."""
        return (self.high - self.low) / float(np.expm1(self.epsilon))

    @property
    def magnitude(self) -> float:
        """Distance B of the two points from the centre."""
        return (self.high - self.low) / 2 + self.margin

    def _upper(self, x: ArrayLike) -> Floats:
        """Probability of the upper point for each number."""
        return (project(x, self.low, self.high) - self.low + self.margin) / (2 * self.magnitude)

    def privatise(self, x: ArrayLike, rng: Rng) -> Floats:
        """Report for each number of `x`, shape (n,)."""
        _validate.generator(rng=rng)
        up = is_up((project(x, self.low, self.high) - self.low) / (self.high - self.low), self.epsilon, rng)
        return self.centre + self.magnitude * np.where(up, 1, -1)

    def sample_total(self, x: ArrayLike, rng: Rng) -> float:
        """Draw the sum of the reports from the number of upper points."""
        upper = self._upper(x)
        ups = np.count_nonzero(rng.random(upper.shape) < upper)
        return upper.size * self.centre + self.magnitude * (2 * ups - upper.size)

    def sample_totals(self, x: ArrayLike, runs: int, rng: Rng) -> NDArray:
        """Draw the sums of `runs` independent rounds of reports on the same numbers, shape (runs,).

        Whoever draws a uniform number below all the probabilities reports the upper point, whoever draws one
        above them the lower: only the few in between are looked at.
        """
        upper = self._upper(x)
        n, low, high = upper.size, upper.min(), upper.max()
        ups = rng.binomial(n, low, runs)
        between = rng.binomial(n - ups, (high - low) / max(1 - low, np.finfo(float).tiny))
        for run, count in enumerate(between):
            users = rng.choice(n, count, replace=False, shuffle=False)
            ups[run] += np.count_nonzero(rng.uniform(low, high, count) < upper[users])
        return n * self.centre + self.magnitude * (2 * ups - n)

    def variance(self, x: ArrayLike) -> Floats:
        """Variance of the report of each number of `x`."""
        return self.magnitude**2 - (project(x, self.low, self.high) - self.centre) ** 2

    def error(self, n: int) -> tuple | None:
        return "two_points", n, self.centre - self.magnitude, self.centre + self.magnitude

    def privacy_loss(self) -> float:
        """Largest log-ratio between the distributions of the report under the two ends of the domain."""
        return float(np.ptp(np.log(self._upper([self.low, self.high]))))


def _uniform_sum(count: int, rng: Rng) -> float:
    """Draw the sum of `count` uniform numbers of 53 bits: of each bit, how many have it is binomial."""
    return float(rng.binomial(count, 0.5, 53) @ 0.5 ** np.arange(1, 54))


@public
@dataclass(frozen=True)
class PiecewiseReport(_OnInterval):
    """A number near the truth or anywhere: two levels of density (Wang et al. 2019, Algorithm 2).

    Output distribution: with ``w = (high - low) / (exp(epsilon / 2) - 1)`` the report is uniform on
    ``[low - w, high + w]`` with probability ``exp(-epsilon / 2)``, and otherwise uniform on the window of
    length w that begins at ``x - w (high - x) / (high - low)``, so that its mean is x.

    Parameters
    ----------
    low, high
        Public ends of the interval, to which numbers are projected.
    epsilon
        Privacy budget of one report, positive.

    Examples
    --------
    >>> report = PiecewiseReport(-1.0, 1.0, 3.0)
    >>> report.privatise([-1.0, 0.0, 1.0], np.random.default_rng(1)).round(2)
    array([-1.03, -0.11, -0.24])
    >>> report.variance([0.0, 1.0]).round(2)
    array([0.21, 0.49])
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        _validate.positive(window=self.window)

    @property
    def window(self) -> float:
        """Length of the window, and how far reports reach beyond either end of the domain."""
        return (self.high - self.low) / float(np.expm1(self.epsilon / 2))

    @property
    def reach(self) -> float:
        """Length of all that can be reported."""
        return self.high - self.low + 2 * self.window

    @property
    def silent(self) -> float:
        """Probability of a report that is uniform on all that can be reported."""
        return float(np.exp(-self.epsilon / 2))

    def _start(self, x: Floats) -> Floats:
        """Where the window of each projected number begins."""
        return x - self.window * ((self.high - x) / (self.high - self.low))

    def privatise(self, x: ArrayLike, rng: Rng) -> Floats:
        """Report for each number of `x`, shape (n,)."""
        _validate.generator(rng=rng)
        x = project(x, self.low, self.high)
        if isinstance(rng, Secure):
            return on_grid(piecewise_steps, x, self, rng)
        silent = rng.random(x.shape) < self.silent
        start = np.where(silent, self.low - self.window, self._start(x))
        return start + np.where(silent, self.reach, self.window) * rng.random(x.shape)

    def sample_total(self, x: ArrayLike, rng: Rng) -> float:
        """Draw the sum of the reports: who reports uniformly, then two sums of uniform numbers."""
        x = project(x, self.low, self.high)
        telling = rng.random(x.shape) >= self.silent
        told = int(np.count_nonzero(telling))
        silent = x.size - told
        start = silent * (self.low - self.window) + float(self._start(x) @ telling)
        return start + self.window * _uniform_sum(told, rng) + self.reach * _uniform_sum(silent, rng)

    def density(self, report: ArrayLike, x: ArrayLike) -> Floats:
        """Density at each `report` for each number of `x`; arrays broadcast."""
        beyond = np.subtract(report, self._start(project(x, self.low, self.high)))
        low = np.subtract(report, self.low - self.window)
        within = (beyond >= 0) & (beyond <= self.window)
        level, more = self._levels
        return np.asarray((level + more * within) * ((low >= 0) & (low <= self.reach)), dtype=np.float64)

    @property
    def _levels(self) -> tuple[float, float]:
        """Density outside the window, and how much more it is within."""
        return self.silent / self.reach, -float(np.expm1(-self.epsilon / 2)) / self.window

    def variance(self, x: ArrayLike) -> Floats:
        """Variance of the report of each number of `x`: the further from the middle, the larger."""
        half, odds = (self.high - self.low) / 2, float(np.expm1(self.epsilon / 2))
        unit: Floats = np.asarray(project(x, self.low, self.high) - self.low, dtype=np.float64) / half - 1
        return half**2 / odds * (1 / 3 + 4 / (3 * odds) + np.square(unit))

    def privacy_loss(self) -> float:
        """Largest log-ratio between the densities of a report under two numbers."""
        level, more = self._levels
        return float(np.log1p(more / level))


@public
@dataclass(frozen=True)
class EveryReport:
    """Wrap a randomiser so that `sample_total` draws and sums all reports: slower, for tests.

    Parameters
    ----------
    randomiser
        Any of the randomisers; all else that it can do stays as it is.
    """

    randomiser: Any

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # pickle asks before there is a randomiser to ask
            raise AttributeError(name)
        return getattr(self.randomiser, name)

    def sample_total(self, x: Any, rng: Rng) -> Any:
        """Sum the reports of all users."""
        return self.randomiser.privatise(x, rng).sum(axis=0)


def literal(randomiser: Any, every_report: bool, rng: Rng) -> Any:
    """Wrap a randomiser by `EveryReport` where asked to, and where reports are drawn exactly."""
    return EveryReport(randomiser) if every_report or isinstance(rng, Secure) else randomiser


@public
def tally(categories: Ints, k: int, weights: Floats | None = None) -> NDArray[Any]:
    """Count how many numbers fall into each category, or sum their `weights`, along the last axis.

    Parameters
    ----------
    categories
        Whole numbers from 0 to ``k - 1``; -1 stands for none.
    k
        Number of categories.
    weights
        A weight for each number, to be summed instead of counted.

    Examples
    --------
    >>> tally(np.array([0, 2, 2, -1]), 3).tolist()
    [1, 0, 2]
    """
    runs = np.arange(categories.size // categories.shape[-1]).reshape(*categories.shape[:-1], 1)
    cells = (categories.astype(np.int64, copy=False) + 1 + (k + 1) * runs).ravel()
    weights = None if weights is None else weights.ravel()
    totals = np.bincount(cells, weights, minlength=runs.size * (k + 1))
    return totals.reshape(*categories.shape[:-1], k + 1)[..., 1:]


@cache
def _patterns(k: int) -> Floats:
    """Sign patterns of length k up to a common sign, shape (2**(k - 1), k): the first sign is +1."""
    return _validate.locked(np.array([(1, *rest) for rest in product((1, -1), repeat=k - 1)], dtype=float))


@public
@dataclass(frozen=True)
class HashedReport(LocalReport):
    """A number that belongs to one of k components, hidden by a public random sign for each (eq. (55)).

    Output distribution: with k independent fair signs r that everybody may see, a user of component c with
    number y reports ``r_c y`` plus Laplace noise of scale ``2 clip / epsilon``; the server multiplies the
    report with each of the k signs. Product j has mean y if j is c and mean 0 otherwise.

    Parameters
    ----------
    components
        Number of components k, at least 1.
    clip
        Largest absolute value of a number, positive, to which numbers are projected.
    epsilon
        Privacy budget of one report, positive.

    Examples
    --------
    >>> report, rng = HashedReport(2, 0.5, 1.0), np.random.default_rng(1)
    >>> report.privatise(([0.3, 0.1], [0, 1]), rng).round(2)
    array([[ 1.54, -1.54],
           [ 2.38,  2.38]])
    """

    components: int
    clip: float
    epsilon: float

    def __post_init__(self) -> None:
        _validate.integer(1, components=self.components)
        _validate.positive(clip=self.clip)
        _ = self._laplace

    @property
    def _laplace(self) -> LaplaceReport:
        return LaplaceReport(-self.clip, self.clip, self.epsilon)

    @property
    def scale(self) -> float:
        """Scale of the noise."""
        return self._laplace.scale

    def _inputs(self, x: Any) -> tuple[Floats, Ints]:
        numbers, components = x
        return project(numbers, -self.clip, self.clip), _category(components, self.components)

    def privatise(self, x: Any, rng: Rng) -> Floats:
        """Signs times report for each user, shape (..., n, k); `x`: numbers and components, each (..., n)."""
        _validate.generator(rng=rng)
        numbers, components = self._inputs(x)
        signs = fair_signs((*numbers.shape, self.components), rng)
        hashed = np.take_along_axis(signs, components[..., None], axis=-1)[..., 0] * numbers
        return signs * self._laplace.privatise(hashed, rng)[..., None]

    def sample_total(self, x: Any, rng: Rng) -> Floats:
        """Draw the k sums of signs times reports from their joint distribution, shape (..., k).

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
        return (sums + self.scale * (rng.standard_gamma(users) - rng.standard_gamma(users))) @ signs

    def privacy_loss(self) -> float:
        """Largest log-ratio between the distributions of the report under two inputs, given the signs."""
        return self._laplace.privacy_loss()
