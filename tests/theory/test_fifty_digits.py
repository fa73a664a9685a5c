"""Laws and risks against their definitions in 50 digits, over wild settings: no shortcut, no double."""

import itertools

import mpmath as mp
import numpy as np
import pytest

from userdp.local.localise import Bins
from userdp.planning.risk.localised import MeanLaw, sign_means
from userdp.sizes import binomial_sizes
from userdp_papers.theory.exact.votes import localised_risk, vote_law, winner_given_votes, winner_over_users

EPSILONS = [1e-9, 0.05, 1.0, 7.0, 38.0, 90.0]


@pytest.fixture(autouse=True)
def fifty_digits():
    with mp.workdps(50):
        yield


def pmf(k, n, p):
    return mp.binomial(n, k) * p**k * (1 - p) ** (n - k) if 0 <= k <= n else mp.mpf(0)


def votes(users, true, epsilon):
    """Law of the votes of a bin with so many true ones."""
    keep = 1 / (1 + mp.exp(-mp.mpf(epsilon) / 2))
    return [
        mp.fsum(pmf(j, true, keep) * pmf(z - j, users - true, 1 - keep) for j in range(z + 1))
        for z in range(users + 1)
    ]


def winner(held, epsilon):
    laws, users = [votes(sum(held), c, epsilon) for c in held], sum(held)
    return [
        mp.fsum(
            laws[j][z]
            * mp.fprod(mp.fsum(law[:z]) for law in laws[:j])
            * mp.fprod(mp.fsum(law[: z + 1]) for law in laws[j + 1 :])
            for z in range(users + 1)
        )
        for j in range(len(held))
    ]


def winner_of_drawn_users(p, users, epsilon):
    p, law = [mp.mpf(float(x)) for x in p], [mp.mpf(0)] * len(p)
    for held in itertools.product(range(users + 1), repeat=len(p)):
        if sum(held) == users:
            ways = mp.factorial(users) / mp.fprod(map(mp.factorial, held))
            chance = ways * mp.fprod(x**c for x, c in zip(p, held, strict=True))
            law = [a + chance * b for a, b in zip(law, winner(held, epsilon), strict=True)]
    return law


def close(found, wanted, relative, least=0.0):
    return all(
        abs(mp.mpf(float(x)) - y) <= relative * abs(y) + least for x, y in zip(found, wanted, strict=True)
    )


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_votes_and_sizes_have_twelve_digits_with_any_version_of_the_libraries(epsilon):
    users = 11
    for true in (0, 1, 5, 11):
        assert close(vote_law(users, epsilon)[true], votes(users, true, epsilon), 1e-12, 1e-300)


def test_sizes_have_them_too():
    p, sizes = mp.mpf(0.137), binomial_sizes(60, 0.137)
    wanted = [pmf(k, 60, p) / (1 - pmf(0, 60, p)) for k in range(1, 61)]
    assert close(sizes.probabilities, wanted, 1e-12)
    assert not close(sizes.probabilities * (1 + 1e-11), wanted, 1e-12)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("held", [(3,), (0, 0, 4), (2, 2, 0), (1, 0, 3, 0)])
def test_the_winner_given_the_votes(epsilon, held):
    assert close(winner_given_votes(held, epsilon), winner(held, epsilon), 1e-11)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("users", [1, 3])
def test_the_winner_of_drawn_users_and_the_risk_wherever_the_mass_lies(epsilon, users):
    rng = np.random.default_rng(users)
    width = 0.3
    bins = Bins(width)
    for concentration in (1e-3, 0.1, 1.0, 30.0):
        p = rng.dirichlet(np.full(bins.count, concentration))
        wanted = winner_of_drawn_users(p, users, epsilon)
        assert close(winner_over_users(p, users, epsilon), wanted, 1e-9, 1e-13)
        middle = np.sum(bins.ends(np.arange(bins.count)), axis=0) / 2
        law = MeanLaw(0.137, np.clip(middle, -1, 1), p)
        risk, missed = localised_risk(law, n=2 * users, epsilon=epsilon, half_width=width)
        assert close([risk, missed], exact_risk(law, wanted, users, epsilon, bins), 1e-9, 1e-13)


def exact_risk(law, wins, half, epsilon, bins):
    """Mean squared error and probability of a miss of Algorithm 2, from the law of the chosen bin."""
    means, chances = ([mp.mpf(float(x)) for x in xs] for xs in (law.values, law.probabilities))
    theta, width, home = (
        mp.mpf(law.theta),
        mp.mpf(bins.half_width),
        int((law.theta + 1) / (2 * bins.half_width)),
    )
    noise, risk, missed = 2 * (6 * width / mp.mpf(epsilon)) ** 2, mp.mpf(0), mp.mpf(0)
    for j, win in enumerate(wins):
        low, high = -1 + (2 * j - 2) * width, min(-1 + (2 * j + 2) * width, 1) + 2 * width
        errors = [min(max(x, low), high) - theta for x in means]
        bias = mp.fdot(chances, errors)
        square = mp.fdot(chances, [x**2 for x in errors])
        risk += win * (bias**2 + (square - bias**2 + noise) / half)
        missed += win * (abs(j - home) > 1)
    return risk, missed


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("theta", "size"), [(0.137, 5000), (-1.0, 3), (0.999, 10**6), (0.0, 1)])
def test_somebody_wins_wherever_all_users_are(epsilon, theta, size):
    for n, width in ((2, 1.0), (20, 0.25), (31, 0.01)):
        law = sign_means(theta, size)
        assert winner_over_users(law.in_bins(Bins(width)), n // 2, epsilon).sum() == pytest.approx(
            1, abs=1e-11
        )
        assert localised_risk(law, n=n, epsilon=epsilon, half_width=width)[0] > (6 * width / epsilon) ** 2 / n
