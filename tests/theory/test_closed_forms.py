"""Closed forms against 50 digits of the same formula, over wide grids of parameters with fixed seeds."""

import itertools

import mpmath as mp
import numpy as np
import pytest

from userdp.local.localise import Bins
from userdp.planning.risk.localised import sign_means
from userdp.sizes import constant_size, two_point_sizes
from userdp_papers.theory.exact.counts import noise_variance, peak_curvature, plain_risk
from userdp_papers.theory.exact.votes import localised_risk, winner_over_users
from userdp_papers.theory.rates.dame import (
    CORRECTED,
    PRINTED,
    dame_lower,
    dame_noise_risk,
    dame_phi,
    dame_risk,
    dame_upper,
    duchi_mean_risk,
    laplace_mean_risk,
    overtakes,
)
from userdp_papers.theory.rates.minimax import (
    Density,
    Mean,
    Mixture,
    Sparse,
    effective_users,
    item_level,
    transition,
)

EXACT = {"rel": 1e-12, "abs": 0.0}
RNG = np.random.default_rng(1)
# users, budgets and means at every scale, both ends of [-1, 1] among them
N = [2, 3, *(int(n) for n in 10 ** RNG.uniform(1, 12, 10))]
EPSILON = [1e-6, *(float(e) for e in 10 ** RNG.uniform(-5, 1.5, 12)), 60.0, 600.0]
THETA = [-1.0, 1.0, 0.0, *(float(t) for t in RNG.uniform(-1, 1, 5)), -1 + 1e-12]
SETTINGS = [(n, epsilon) for n in N for epsilon in EPSILON]


@pytest.fixture(autouse=True)
def fifty_digits():
    with mp.workdps(50), np.errstate(all="raise", under="ignore"):
        yield


def test_risks_of_the_simple_means():
    for n, epsilon in SETTINGS:
        n_, e = mp.mpf(n), mp.mpf(epsilon)
        assert laplace_mean_risk(0.3, n=n, epsilon=epsilon) == pytest.approx(
            float((mp.mpf(0.3) + 8 / e**2) / n_), **EXACT
        )
        for theta in THETA:
            with mp.workdps(600):  # the difference of two numbers next to 1
                true = (1 / mp.tanh(e / 2) ** 2 - mp.mpf(theta) ** 2) / n_
            assert duchi_mean_risk(theta, n=n, epsilon=epsilon) == pytest.approx(float(true), **EXACT)


def test_dame_bounds():
    small, large = 3, 10**6
    for n, epsilon in SETTINGS:
        law = two_point_sizes(small, large, 0.25)
        strength = n * mp.mpf(epsilon) ** 2
        for cap in (1, 3, 17, 10**6):
            log = mp.log(8 * mp.sqrt(max(cap * strength, 1)))
            root = sum(mp.sqrt(min(m, cap)) * q for m, q in ((small, 0.75), (large, 0.25)))
            for constants in (PRINTED, CORRECTED):
                x = constants.c4 * max(cap * strength, 1)
                phi = mp.mpf(constants.c5) / strength * mp.log(x / mp.log(x))
                found = dame_phi(cap, n=n, epsilon=epsilon, constants=constants)
                assert found == pytest.approx(float(phi), **EXACT)
                upper = min(mp.mpf(constants.c3) * log / (strength * root**2), constants.trivial)
                options = {"n": n, "epsilon": epsilon, "size_cap": cap}
                assert dame_upper(law, constants=constants, **options) == pytest.approx(float(upper), **EXACT)
            noise = 196 * 2 * log / mp.mpf(epsilon) ** 2 * 2 / (n // 2) / root**2
            assert dame_noise_risk(law, **options) == pytest.approx(float(noise), **EXACT)
        shares = ((0, 1, 0), (small, 0.25, 0.75 * mp.sqrt(small)), (large, 0, 250 + 0.75 * mp.sqrt(small)))
        lower = max(
            mp.exp(-9) / 16 * mp.exp(-24 * strength * mp.mpf(above) ** 2) / max(strength * root**2, 1)
            for _, above, root in shares
        )
        assert dame_lower(law, n=n, epsilon=epsilon) == pytest.approx(float(lower), rel=1e-11, abs=1e-320)


def test_rates_and_their_transition():
    for n, epsilon in SETTINGS:
        users = n * min(mp.mpf(epsilon), mp.mpf(epsilon) ** 2)
        assert effective_users(n, epsilon=epsilon) == pytest.approx(float(users), **EXACT)
        items = {Mean(3.5, "l2"): mp.mpf(3.5) / min(users / n, 3.5), Sparse(50, 7): 350 / (users / n)}
        for problem, one in items.items():
            rate = min(mp.mpf(float(problem.trivial)), one / (mp.mpf(n) * 9))
            assert item_level(problem, n, 9, epsilon=epsilon) == pytest.approx(float(rate), **EXACT)
        turns = {
            Mean(2, decay=0.1): 4 / (n * min(users / n, 2)) * mp.exp(users / 20),
            Sparse(50, 7): min(mp.mpf(7), 350 / users) * mp.exp(users / 7),
            Density(1.5): users**4,
            Mixture(3): 27 / users * mp.exp(users / 9),
        }
        for problem, turn in turns.items():
            found = transition(problem, n, epsilon=epsilon)
            # an exponent of some hundreds is known to 16 digits: so many are left
            assert found == (pytest.approx(float(turn), rel=1e-12) if turn < 1e300 else found) and found > 0


def test_clipped_counts():
    for epsilon, bound in itertools.product(EPSILON, (1, 2, 5, 40)):
        scale = mp.mpf(bound) / mp.mpf(epsilon)
        assert noise_variance(7, bound, epsilon) == pytest.approx(float(2 * scale**2 / 49), **EXACT)
        for rate in (1e-9, 0.3, 4.0, 90.0):
            r = mp.mpf(rate)
            law = [mp.exp(-r) * r**k / mp.factorial(k) for k in range(bound)]
            mean = sum(k * p for k, p in enumerate(law)) + bound * (1 - sum(law))
            square = sum(k**2 * p for k, p in enumerate(law)) + bound**2 * (1 - sum(law))
            risk = (r - mean) ** 2 + (square - mean**2) / 7 + 2 * scale**2 / 49
            found = plain_risk([rate], bound=bound, epsilon=epsilon, users=[7])
            assert found == pytest.approx(float(risk), rel=1e-9)
    for bound in (1, 2, 5, 40):
        most = mp.exp(1 - bound) * mp.mpf(bound - 1) ** (bound - 1) / mp.factorial(bound - 1)
        assert peak_curvature(bound) == pytest.approx(float(most), **EXACT)


@pytest.mark.parametrize(
    "steps", [(0.3, 0.2), (0.9, 1e-5), (0.999, 1e-8), (1e-9, 1e-12), (0.5, 0.0), (0.0, 0.2)]
)
def test_small_chances_to_overtake_keep_their_digits(steps):
    (down, up), n = steps, 40
    stay = 1 - down - up
    true = sum(
        mp.binomial(n, a)
        * mp.binomial(n - a, b)
        * mp.mpf(up) ** a
        * mp.mpf(down) ** b
        * mp.mpf(stay) ** (n - a - b)
        for a in range(n + 1)
        for b in range(min(a, n - a) + 1)
    )
    assert overtakes((down, stay, up), n) == pytest.approx(float(true), rel=1e-9)


def test_no_law_of_the_means_is_lost_by_rounding():
    """Where all users fall into one bin its probability may exceed 1 by rounding: the risk was 0 there."""
    above = 0
    for theta, m, width, n in itertools.product(
        (-0.9, -0.43, -0.2, 0.0, 0.137, 0.3, 0.62, 0.77, 0.99),
        (50, 999, 5000, 10**5),
        (0.1, 0.25, 0.4),
        (20, 37),
    ):
        law, bins = sign_means(theta, m), Bins(width)
        p = law.in_bins(bins)
        above += p.max() > 1
        assert winner_over_users(p, n // 2, 1.0).sum() == pytest.approx(1, abs=1e-12)
        risk, missed = localised_risk(law, n=n, epsilon=1.0, half_width=width)
        # the Laplace noise alone, of scale 6 width / epsilon
        assert risk > 72 * width**2 / (n // 2) and 0 <= missed <= 1
    assert above >= 10  # settings in which the fault was possible


@pytest.mark.parametrize("epsilon", [0.01, 9.4, 12.0, 40.0, 700.0])
@pytest.mark.parametrize("theta", [-1.0, -0.43, 1.0])
def test_dame_risk_overflows_nowhere(theta, epsilon):
    for law, n, cap in itertools.product(
        (constant_size(2000), two_point_sizes(50, 2000, 0.5)), (100, 4001, 10**5), (1, 50, 2000)
    ):
        low, high, failure = dame_risk(theta, size_law=law, n=n, epsilon=epsilon, size_cap=cap)
        assert 0 <= low <= high < np.inf and 0 <= failure <= 1
    with pytest.raises(ValueError, match="epsilon must be in"):
        dame_risk(theta, size_law=law, n=n, epsilon=800.0, size_cap=cap)
