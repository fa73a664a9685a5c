"""A tournament: situations drawn at random, the first of `plan` beside rivals that stand outside the package.

``python tools/tournament.py --count 200 --seed 1`` stores a row a situation and method, with the error that
was predicted (of options of the plan), the error that was seen, and its ratio to that of the plan's first.
It is stored after each situation, and ``--resume`` goes on where it was stopped.
Rivals get the same budget for all of one user's data, know what the plan knows, and were tuned on seeds
below 0; the seeds that are reported are positive. `userdp_book.evidence.tournament` reads what is stored.
"""

import argparse
import math
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import log_softmax, ndtr, ndtri

from userdp.planning import plan
from userdp.planning.local_methods import NORMAL, TELL_NOTHING
from userdp.privacy import BinaryResponse, LaplaceReport, PiecewiseReport, TwoPointReport
from userdp.sizes import PowerLawSizes, constant_size, empirical_sizes, two_point_sizes
from userdp_book.evidence.tournament import COLUMNS, KEPT, MUCH, RESULTS, SOME, read, verdict, write
from userdp_papers.printed import searched_mean

SHAPES = ("beta", "skewed", "bimodal", "ends")


# --- situations ------------------------------------------------------------------------------------------
class Situation(NamedTuple):
    """Public knowledge, and how users are drawn; means are on [-1, 1] before they are moved to the domain."""

    number: int
    question: dict[str, Any]
    theta: float
    shape: str
    tells: bool

    @property
    def sizes(self) -> Any:
        return self.question["sizes"]

    @property
    def spread(self) -> float:
        """On [-1, 1]."""
        low, high = self.question["domain"]
        return float(2 * self.question["spread"] / (high - low))

    def users(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Means in the domain, and sizes, of one population of users."""
        n, (low, high) = self.question["n"], self.question["domain"]
        sizes = self.sizes.draw(n, rng)
        own = own_means(self.shape, self.theta, self.spread, n, rng)
        if self.tells and self.spread:  # ranks of sizes, ties in any order, and of own means are correlated
            ranks = np.argsort(np.argsort(sizes + rng.random(n)))
            place = 0.7 * ndtri((ranks + 0.5) / n) + 0.71 * rng.normal(size=n)
            own = np.sort(own)[np.argsort(np.argsort(place))]
        means = 2 * rng.binomial(sizes, (1 + own) / 2) / sizes - 1
        return low + (high - low) * (1 + means) / 2, sizes


def own_means(shape: str, theta: float, spread: float, n: int, rng: np.random.Generator) -> np.ndarray:
    """Users' own means in [-1, 1], of mean theta and about the declared standard deviation."""
    if not spread:
        return np.full(n, theta)
    if shape == "skewed":
        return np.clip(theta + spread * (rng.exponential(size=n) - 1), -1, 1)
    if shape == "bimodal":
        return np.clip(theta + spread * rng.choice([-1.0, 1.0], n), -1, 1)
    if shape == "ends":
        share = min(spread**2 / (1 + theta**2), 0.5)
        return np.where(rng.random(n) < share, rng.choice([-1.0, 1.0], n), theta)
    p, total = (1 + theta) / 2, max((1 - theta**2) / spread**2 - 1, 0.1)
    return 2 * rng.beta(p * total, (1 - p) * total, n) - 1


def situation(seed: int, number: int) -> Situation:
    """Draw a situation: number of users, sizes, budget, domain, spread, shape, who is trusted."""
    rng = stream(seed, number)
    n, typical = int(10 ** rng.uniform(np.log10(20), 6)), int(10 ** rng.uniform(0, 4.5))
    kind = int(rng.integers(4))
    if kind == 0:
        sizes = constant_size(typical)
    elif kind == 1:
        drawn = np.maximum(rng.lognormal(math.log(typical), 1, 400), 1)
        sizes = empirical_sizes(np.minimum(drawn, 10**6).astype(int), public=True)
    elif kind == 2:
        sizes = two_point_sizes(max(typical // 30, 1), typical + 1, float(rng.uniform(0.05, 0.6)))
    else:
        sizes = PowerLawSizes(max(typical // 30, 1), typical + 2, float(rng.uniform(0.3, 1)))
    low, length = float(rng.choice([-1.0, 0.0, 0.5])), float(rng.choice([1.0, 2.0, 5.0]))
    spread = 0.0 if rng.random() < 0.35 else float(rng.uniform(0, 0.2))
    unequal, equal_law = kind > 0, spread == 0
    question = {
        "n": n,
        "sizes": sizes,
        "epsilon": float(10 ** rng.uniform(-1, np.log10(8))),
        "domain": (low, low + length),
        "spread": spread * length / 2,
        "trust": ("nobody", "curator")[number % 2],
        "tails": "normal" if equal_law and sizes.smallest >= 100 else "bounded",
        "sizes_tell": bool(unequal and spread and rng.random() < 0.3),
    }
    theta = float(rng.uniform(-0.9 + 2 * spread, 0.9 - 2 * spread))
    return Situation(number, question, theta, str(rng.choice(SHAPES)), question["sizes_tell"])


# --- rivals: on [-1, 1], from means, sizes, the situation and a generator -----------------------------
def average_report(report: Any, x: np.ndarray, rng: np.random.Generator) -> float:
    return float(report.sample_total(x, rng)) / x.size


def piecewise(x: np.ndarray, sizes: np.ndarray, at: Situation, rng: np.random.Generator) -> float:
    """Piecewise reports of the means, or two points where the budget is small."""
    epsilon = at.question["epsilon"]
    kind = PiecewiseReport if epsilon > 1.3 else TwoPointReport
    return average_report(kind(-1.0, 1.0, epsilon), x, rng)


def signs(x: np.ndarray, sizes: np.ndarray, at: Situation, rng: np.random.Generator) -> float:
    """A posterior of theta on a grid, from signs at thresholds drawn from it; the last third at its mean."""
    answer = BinaryResponse(at.question["epsilon"])
    grid = np.linspace(-1, 1, 1025)
    typical = 1 / at.sizes.expectation(lambda m: np.minimum(m, 10.0**6))
    deviation = np.sqrt(np.maximum(1 - grid**2, 0.01) * typical + at.spread**2)
    log = np.zeros(grid.size)
    for number, group in enumerate(np.array_split(x, 15)):
        law = np.exp(log - log.max())
        cdf = np.cumsum(law) / law.sum()
        drawn = grid[np.minimum(np.searchsorted(cdf, rng.random(min(group.size, 8))), 1024)]
        for threshold, part in zip(drawn, np.array_split(group, max(drawn.size, 1)), strict=True):
            t = threshold if number < 10 else float(grid @ law / law.sum())
            ups, p = answer.sample_total(part > t, rng), ndtr((grid - t) / deviation)
            up = p * answer.keep + (1 - p) * answer.flip
            log = log + ups * np.log(up) + (part.size - ups) * np.log1p(-up)
    law = np.exp(log - log.max())  # a place on a grid would be luck where the grid is coarse
    return float(grid @ law / law.sum() + (grid[1] - grid[0]) * (rng.random() - 0.5))


def dame_bs(x: np.ndarray, sizes: np.ndarray, at: Situation, rng: np.random.Generator) -> float:
    """DAME-BS, for the smallest of the sizes."""
    return searched_mean(x, size=max(at.sizes.smallest, 7), epsilon=at.question["epsilon"], rng=rng).value


def voted(x: np.ndarray, sizes: np.ndarray, at: Situation, rng: np.random.Generator) -> float:
    """A fifth of the users says by two points where theta is; the others report within five deviations."""
    epsilon, first = at.question["epsilon"], max(x.size // 5, 1)
    centre = average_report(TwoPointReport(-1.0, 1.0, epsilon), x[:first], rng)
    error = 2 / math.tanh(epsilon / 2) / math.sqrt(first)
    reach = error + 2.5 * math.sqrt(at.sizes.expectation(lambda m: 1 / m) + at.spread**2)
    low, high = max(-1.0, centre - reach), min(1.0, centre + reach)
    kind = LaplaceReport if epsilon > 2 else TwoPointReport
    return average_report(kind(low, max(high, low + 1e-9), epsilon), x[first:], rng)


def uniform(x: np.ndarray, sizes: np.ndarray, at: Situation, theta: float) -> float:
    """Mean squared error of the plain average and Laplace noise."""
    return with_noise(x.mean(), 2 / (x.size * at.question["epsilon"]), theta)


def with_noise(values: Any, scale: Any, theta: float, law: Any = 1.0) -> float:
    """Mean squared error of values in [-1, 1] with Laplace noise, projected to it, of such probabilities."""
    square = (values - theta) ** 2 + 2 * scale**2
    for side in (-1, 1):  # what an end cuts off
        room = 1 - side * values
        square -= scale * np.exp(-room / scale) * (scale + room + side * (values - theta))
    return float(np.sum(law * square))


def median_and_clip(x: np.ndarray, sizes: np.ndarray, at: Situation, theta: float) -> float:
    """A median by the exponential mechanism on a fine grid, then a clipped mean; its mean squared error."""
    n, epsilon = x.size, at.question["epsilon"]
    grid, ordered = np.linspace(-1, 1, 2001), np.sort(x)
    deviation = math.sqrt(min(1 / np.median(at.sizes.draw(99, np.random.default_rng(1))) + at.spread**2, 1))
    ranks = np.searchsorted(ordered, [grid - deviation / 2, grid + deviation / 2])
    score = -np.maximum(np.maximum(ranks[0] - n / 2, n / 2 - ranks[1]), 0)
    reach = (math.sqrt(2 * math.log(max(n * epsilon, 2))) + 0.5) * deviation
    low, high = np.maximum(-1.0, grid - reach), np.minimum(1.0, grid + reach)
    law = np.exp(log_softmax(epsilon / 5 * score / 2))
    likely = law > 1e-12
    means = clipped_means(ordered, low[likely], high[likely])
    return with_noise(means, (high - low)[likely] / (n * 0.8 * epsilon), theta, law[likely])


def clipped_means(ordered: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Means of ordered numbers, clipped to each of several intervals."""
    sums = np.append(0.0, np.cumsum(ordered))
    i, j = np.searchsorted(ordered, low), np.searchsorted(ordered, high)
    return (i * low + sums[j] - sums[i] + (ordered.size - j) * high) / ordered.size


def quantile_clip(x: np.ndarray, sizes: np.ndarray, at: Situation, theta: float) -> float:
    """Both ends by the exponential mechanism as extreme quantiles, then the average between them."""
    n, epsilon = x.size, at.question["epsilon"]
    grid, ordered, laws = np.linspace(-1, 1, 101), np.sort(x), []
    below = np.searchsorted(ordered, grid)
    for rank in (min(8 / epsilon, n / 4), max(n - 8 / epsilon, 3 * n / 4)):
        laws.append(np.exp(log_softmax(-epsilon / 10 * abs(below - rank))))
    law, (one, other) = np.multiply.outer(*laws), np.meshgrid(grid, grid, indexing="ij")
    likely = law > 1e-12
    low, high = np.minimum(one, other)[likely], np.maximum(one, other)[likely] + 1e-9
    return with_noise(
        clipped_means(ordered, low, high), (high - low) / (n * 0.6 * epsilon), theta, law[likely]
    )


def of_a_library(name: str) -> Callable[..., float] | None:
    """A library's mean at the same budget, where it is installed."""
    try:
        if name == "diffprivlib":
            from diffprivlib.tools import mean

            return lambda x, sizes, at, rng: float(
                mean(x, epsilon=at.question["epsilon"], bounds=(-1, 1), random_state=int(rng.integers(2**31)))
            )
        import opendp.prelude as dp

        dp.enable_features("contrib")
    except ImportError:
        return None

    def released(x: np.ndarray, sizes: np.ndarray, at: Situation, rng: np.random.Generator) -> float:
        space = dp.vector_domain(dp.atom_domain(bounds=(-1.0, 1.0)), size=x.size), dp.symmetric_distance()
        scale = 2 / (x.size * at.question["epsilon"])
        chain = space >> dp.t.then_mean() >> dp.m.then_laplace(scale)
        return float(chain(x.tolist()))

    return released


RIVALS: dict[str, dict[str, Callable[..., float]]] = {
    "nobody": {"piecewise": piecewise, "signs": signs, "DAME-BS": dame_bs, "two stages": voted},
    "curator": {"average": uniform, "median and clip": median_and_clip, "quantile clip": quantile_clip},
}
for library in ("diffprivlib", "opendp"):
    if found := of_a_library(library):
        RIVALS["curator"][library] = found
GAMBLES = ("signs",)
INTEGRATED = ("average", "median and clip", "quantile clip")  # of which a run is a mean squared error
SLOW = {"opendp": 20_000}  # users from which a library is left out
AGAIN, MORE = 3, 4  # times that what is unsure is run again, and by how much more often
PATIENCE, LEAST_RUNS = 2e7, 30  # users met in all the first time, in how many runs at least


# --- the tournament ----------------------------------------------------------------------------------------
class Method(NamedTuple):
    """An option or a rival: whether what it assumes is so, what it foretells, its squared error in a run."""

    name: str
    kind: str
    basis: str
    assumed: bool
    foretold: float
    errs: Callable[[np.ndarray, np.ndarray, np.random.Generator, float], float]


class Seen(NamedTuple):
    """A root mean squared error, its ratio to the first's in the same runs, and how much each may be off."""

    error: float
    off: float
    ratio: float
    apart: float


def seen(methods: list[Method], at: Situation, target: float, runs: int, *seed: int) -> list[Seen]:
    """Errors about the mean of the population; all methods meet the same users and random numbers."""
    rng, found = stream(seed[0], at.number, *seed[1:]), []
    for _ in range(fewer(runs, at.question["n"], seed[-1])):
        drawn, numbers = at.users(rng), rng.integers(2**63)
        found.append([one.errs(*drawn, np.random.default_rng(numbers), target) for one in methods])
    squares = np.array(found)
    mean = squares.mean(axis=0)
    relative = squares / mean
    off, apart = (x.std(axis=0) / (2 * math.sqrt(len(x))) for x in (relative, relative - relative[:, :1]))
    return [Seen(*one) for one in zip(mean**0.5, off, (mean / mean[0]) ** 0.5, apart, strict=True)]


def unsure(method: Method, one: Seen) -> bool:
    """Whether a method may be on either side of a threshold of the verdict: three deviations either way."""
    if not method.assumed:
        return False
    if method.kind == "option":
        return bool(1 - 3 * one.off < KEPT * method.foretold / one.error < 1 + 3 * one.off)
    return any(abs(math.log(one.ratio * by)) < 3 * one.apart for by in (SOME, MUCH))


def judged(methods: list[Method], at: Situation, runs: int, seed: int) -> list[Seen]:
    """What was seen of each method; who is unsure is run again with the first, each time more often."""
    target = own_target(at)
    found = seen(methods, at, target, runs, seed, 1)
    for again in range(2, 2 + AGAIN):
        doubtful = [i for i, method in enumerate(methods) if unsure(method, found[i])]
        if not doubtful:
            break
        some = sorted({0, *doubtful})
        runs = runs * MORE
        fresh = seen([methods[i] for i in some], at, target, runs, seed, again)
        for i, one in zip(some, fresh, strict=True):
            found[i] = one
    return found


def stream(*numbers: int) -> np.random.Generator:
    """A generator of its own for each seed and situation; seeds below 0 are for tuning."""
    return np.random.default_rng([numbers[0] < 0, *map(abs, numbers)])


def own_target(at: Situation) -> float:
    """Mean of the own means, in the domain: some are clipped to it, or moved to its ends."""
    (low, high), theta, spread = at.question["domain"], at.theta, at.spread
    if spread and at.shape == "skewed":
        theta -= spread * math.exp(-(1 - theta) / spread - 1)
    if spread and at.shape == "ends":
        theta *= 1 - min(spread**2 / (1 + theta**2), 0.5)
    return float(low + (high - low) * (1 + theta) / 2)


def methods(at: Situation) -> Iterator[Method]:
    """Options, then rivals.

    A rival that finds a median assumes users' means to be symmetric, which nobody has said but where they are
    said to be normal.
    """
    for option in plan(**at.question):
        if not option.unused and not option.failure > 0.5:
            sound = keeps(option.assumes, at)
            yield Method(option.method, "option", option.basis, sound, option.error, by_option(option))
    for name, rival in RIVALS[at.question["trust"]].items():
        if at.question["n"] <= SLOW.get(name, math.inf):
            sound = name not in GAMBLES or at.question["tails"] == "normal"
            yield Method(name, "rival", "", sound, math.nan, by_rival(rival, at, name in INTEGRATED))


def by_option(option: Any) -> Callable[..., float]:
    return lambda means, sizes, rng, target: float(option.run(means, sizes, rng=rng).value - target) ** 2


def by_rival(rival: Callable[..., float], at: Situation, integrated: bool) -> Callable[..., float]:
    low, high = at.question["domain"]

    def errs(means: np.ndarray, sizes: np.ndarray, rng: np.random.Generator, target: float) -> float:
        x, theta = (2 * (one - low) / (high - low) - 1 for one in (means, target))
        if integrated:
            return float((high - low) ** 2 / 4 * rival(x, sizes, at, theta))
        value = rival(x, sizes, at, rng)
        return float((high - low) ** 2 / 4 * (min(max(value, -1.0), 1.0) - theta) ** 2)

    return errs


def rows(at: Situation, runs: int, seed: int) -> Iterator[dict[str, Any]]:
    """What happened in one situation, a row a method; the first row is the plan's first."""
    asked, found = at.question, [*methods(at)]
    low, high = asked["domain"]
    judgement = judged(found, at, runs, seed)
    law = f"{at.sizes.smallest}..{at.sizes.largest}"
    known = at.number, asked["trust"], asked["n"], round(asked["epsilon"], 3), law, round(at.spread, 3)
    known = (*known, at.shape if at.spread else "one law", at.tells)
    for (*named, foretold, _), one in zip(found, judgement, strict=True):
        numbers = f"{foretold:.4g}", f"{one.error:.4g}", f"{one.ratio:.3f}", f"{(high - low) / 4:g}"
        yield dict(zip(COLUMNS, (*known, *named, *numbers), strict=True))


def fewer(runs: int, n: int, time: int) -> int:
    """Runs of large populations are fewer: each takes long. There may be more of them each time."""
    return max(int(min(runs, time * PATIENCE / n)), min(runs, LEAST_RUNS))


def keeps(assumes: str, at: Situation) -> bool:
    """Whether what an option assumes is true of a situation; its records are signs, its sizes public."""
    normal = at.shape in ("beta", "bimodal") or not at.spread
    tails = NORMAL in assumes or "latent means with normal tails" in assumes
    return (normal or not tails) and (not at.tells or TELL_NOTHING not in assumes)


def main(arguments: list[str]) -> str:
    """Run the tournament, write its table, and return its verdict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--to", type=Path, default=RESULTS)
    parser.add_argument("--resume", action="store_true", help="keep what the same code has stored")
    asked = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    found = [row for row in read(asked.to) if row["seed"] == str(asked.seed)] if asked.resume else []
    for number in sorted({*range(asked.count)} - {int(row["situation"]) for row in found}):
        found += rows(situation(asked.seed, number), asked.runs, asked.seed)
        write(found, asked.to, asked.seed)
    return verdict(found)


if __name__ == "__main__":
    print(main(sys.argv[1:]))
