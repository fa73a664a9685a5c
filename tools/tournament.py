"""A tournament: situations drawn at random, the first of `plan` beside rivals that stand outside the package.

``python tools/tournament.py --count 200 --seed 1`` stores a row a situation and method, with the error that
was predicted (of options of the plan), the error that was seen, and its ratio to that of the plan's first.
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
from scipy.stats import norm

from userdp.planning import plan
from userdp.planning.local_methods import TELL_NOTHING
from userdp.privacy import BinaryResponse, LaplaceReport, PiecewiseReport, TwoPointReport
from userdp.sizes import PowerLawSizes, constant_size, empirical_sizes, two_point_sizes
from userdp_book.evidence.tournament import COLUMNS, RESULTS, verdict, write
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
        if self.tells and self.spread:  # ranks of sizes and of own means are correlated
            place = 0.7 * norm.ppf((np.argsort(np.argsort(sizes)) + 0.5) / n) + 0.71 * rng.normal(size=n)
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
            ups, p = answer.sample_total(part > t, rng), norm.cdf((grid - t) / deviation)
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


def uniform(x: np.ndarray, sizes: np.ndarray, at: Situation, rng: np.random.Generator) -> float:
    """The plain average and Laplace noise."""
    return float(x.mean() + rng.laplace(scale=2 / (x.size * at.question["epsilon"])))


def median_and_clip(x: np.ndarray, sizes: np.ndarray, at: Situation, rng: np.random.Generator) -> float:
    """A median by the exponential mechanism on a fine grid, then a clipped mean."""
    n, epsilon = x.size, at.question["epsilon"]
    grid = np.linspace(-1, 1, 4001)
    deviation = math.sqrt(min(1 / np.median(at.sizes.draw(99, np.random.default_rng(1))) + at.spread**2, 1))
    ranks = np.searchsorted(np.sort(x), [grid - deviation / 2, grid + deviation / 2])
    score = -np.maximum(np.maximum(ranks[0] - n / 2, n / 2 - ranks[1]), 0)
    centre = grid[int(np.argmax(epsilon / 5 * score / 2 + rng.gumbel(size=grid.size)))]
    reach = (math.sqrt(2 * math.log(max(n * epsilon, 2))) + 0.5) * deviation
    low, high = max(-1.0, centre - reach), min(1.0, centre + reach)
    return float(np.clip(x, low, high).mean() + rng.laplace(scale=(high - low) / (n * 0.8 * epsilon)))


def quantile_clip(x: np.ndarray, sizes: np.ndarray, at: Situation, rng: np.random.Generator) -> float:
    """Both ends by the exponential mechanism as extreme quantiles, then the average between them."""
    n, epsilon = x.size, at.question["epsilon"]
    grid, ends = np.linspace(-1, 1, 401), []
    below = np.searchsorted(np.sort(x), grid)
    for rank in (min(8 / epsilon, n / 4), max(n - 8 / epsilon, 3 * n / 4)):
        ends.append(grid[int(np.argmax(-epsilon / 10 * abs(below - rank) + rng.gumbel(size=grid.size)))])
    low, high = min(ends), max(ends) + 1e-9
    return float(np.clip(x, low, high).mean() + rng.laplace(scale=(high - low) / (n * 0.6 * epsilon)))


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
SLOW = {"opendp": 20_000}  # users from which a library is left out


# --- the tournament ----------------------------------------------------------------------------------------
def seen(runs_of: list[Callable[..., float]], at: Situation, runs: int, seed: int) -> list[float]:
    """Root mean squared errors about the mean of the population; all methods meet the same users."""
    rng, target = stream(seed, at.number, 1), own_target(at)
    errors = [
        [run(*users, rng) - target for run in runs_of] for users in (at.users(rng) for _ in range(runs))
    ]
    return [float(each) for each in np.sqrt(np.mean(np.square(errors), axis=0))]


def stream(*numbers: int) -> np.random.Generator:
    """A generator of its own for each seed and situation; seeds below 0 are for tuning."""
    return np.random.default_rng([numbers[0] < 0, *map(abs, numbers)])


def own_target(at: Situation) -> float:
    """Mean of the own means, in the domain, by many draws where some are clipped to it."""
    low, high = at.question["domain"]
    if not at.spread:
        return float(low + (high - low) * (1 + at.theta) / 2)
    rng = np.random.default_rng(1)  # so many draws that their error is small beside any seen
    own = [own_means(at.shape, at.theta, at.spread, 10**6, rng).mean() for _ in range(20)]
    return float(low + (high - low) * (1 + np.mean(own)) / 2)


def methods(at: Situation) -> Iterator[tuple[str, str, str, bool, float, Callable[..., float]]]:
    """Options, then rivals: name, kind, basis, whether what it assumes is so, predicted error, how to run it.

    A rival that finds a median assumes own means to be symmetric, which nobody has said.
    """
    low, high = at.question["domain"]
    for option in plan(**at.question):
        if not option.unused and not option.failure > 0.5:
            yield (
                option.method,
                "option",
                option.basis,
                keeps(option.assumes, at),
                option.error,
                by_option(option),
            )
    for name, rival in RIVALS[at.question["trust"]].items():
        if at.question["n"] <= SLOW.get(name, math.inf):
            yield (
                name,
                "rival",
                "",
                not (name in GAMBLES and at.spread),
                math.nan,
                by_rival(rival, at, low, high),
            )


def by_option(option: Any) -> Callable[..., float]:
    return lambda means, sizes, rng: float(option.run(means, sizes, rng=rng).value)


def by_rival(rival: Callable[..., float], at: Situation, low: float, high: float) -> Callable[..., float]:
    def run(means: np.ndarray, sizes: np.ndarray, rng: np.random.Generator) -> float:
        value = rival(2 * (means - low) / (high - low) - 1, sizes, at, rng)
        return low + (high - low) * (1 + min(max(value, -1.0), 1.0)) / 2

    return run


def rows(at: Situation, runs: int, seed: int) -> Iterator[dict[str, Any]]:
    """What happened in one situation, a row a method; the first row is the plan's first."""
    asked, found = at.question, [*methods(at)]
    low, high = asked["domain"]
    errors = seen([run for *_, run in found], at, fewer(runs, asked["n"]), seed)
    law = f"{at.sizes.smallest}..{at.sizes.largest}"
    known = at.number, asked["trust"], asked["n"], round(asked["epsilon"], 3), law, round(at.spread, 3)
    known = (*known, at.shape if at.spread else "one law", at.tells)
    for (name, kind, basis, assumed, foretold, _), error in zip(found, errors, strict=True):
        numbers = f"{foretold:.4g}", f"{error:.4g}", f"{error / errors[0]:.3f}", f"{(high - low) / 4:g}"
        yield dict(zip(COLUMNS, (*known, name, kind, basis, assumed, *numbers), strict=True))


def fewer(runs: int, n: int) -> int:
    """Runs of large populations are fewer: each takes long and says the same."""
    return max(int(min(runs, 2e7 / n)), min(runs, 60))


def keeps(assumes: str, at: Situation) -> bool:
    """Whether what an option assumes is true of a situation; its records are signs, its sizes public."""
    normal = at.shape in ("beta", "bimodal") or not at.spread
    return (normal or "own means with normal tails" not in assumes) and (
        not at.tells or TELL_NOTHING not in assumes
    )


def main(arguments: list[str]) -> str:
    """Run the tournament, write its table, and return its verdict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--to", type=Path, default=RESULTS)
    asked = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    found = []
    for number in range(asked.count):
        found += rows(situation(asked.seed, number), asked.runs, asked.seed)
    write(found, asked.to, asked.seed)
    return verdict(found)


if __name__ == "__main__":
    print(main(sys.argv[1:]))
