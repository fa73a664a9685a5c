import itertools

import numpy as np
import pytest
from scipy import stats

from laws import has_mean
from userdp.local.localise import Bins
from userdp.local.unequal import dame
from userdp.planning.risk.localised import sign_means
from userdp.sizes import two_point_sizes
from userdp_papers.populations.records import Signs, draw_halves
from userdp_papers.theory.exact.votes import (
    localised_risk,
    shifted_sign_means,
    winner_given_votes,
    winner_over_users,
)
from userdp_papers.theory.rates import dame as dame_module
from userdp_papers.theory.rates.dame import dame_noise_risk, dame_risk, overtakes
from userdp_papers.theory.sampled.mean_given_users import risks_given_means

THETAS = [-0.98, 0.0, 0.123, 0.7, 1.0]


@pytest.mark.parametrize("p", [[1.0], [0.2, 0.0, 0.5, 0.3], [0.0, 0.0, 1.0, 0.0], [0.1, 0.6, 0.3, 0.0, 0.0]])
@pytest.mark.parametrize("users", [1, 4, 5])
def test_winner_is_that_of_all_user_means_listed(p, users):
    expected = np.zeros(len(p))
    for bins in itertools.product(range(len(p)), repeat=users):
        held = np.bincount(bins, minlength=len(p))
        expected += np.prod(np.take(p, bins)) * winner_given_votes(held, 1.3)
    assert winner_over_users(p, users, 1.3) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("users", [30, 75])
def test_probabilities_of_winning_sum_to_one(users):
    law = sign_means(0.3, 200)
    assert winner_over_users(law.in_bins(Bins(0.02)), users, 0.7).sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("theta", THETAS)
def test_localised_risk_is_that_of_drawn_users(theta):
    n, m, epsilon, width, runs = 61, 300, 2.0, 0.07, 4000
    rng = np.random.default_rng(1)
    means = Signs(theta).draw_means(np.full(runs * 60, m), rng).reshape(runs, 60)
    halves = means[:, :30], means[:, 30:], np.full(runs, theta)
    drawn = risks_given_means(*halves, widths=[width], epsilons=[epsilon])[0, :, 0]
    risk, missed = localised_risk(sign_means(theta, m), n=n, epsilon=epsilon, half_width=width)
    assert has_mean(drawn[:, 0], risk)
    assert has_mean(drawn[:, 2], missed)
    if abs(theta) < 1:  # without a spread of the means nothing is left to chance
        assert not has_mean(drawn[:, 0], risk + 20 * drawn[:, 0].std() / runs**0.5)


def test_laws_of_means_have_their_moments():
    for law in (sign_means(0.3, 77), shifted_sign_means(0.3, 77), sign_means(-1.0, 5)):
        assert law.probabilities @ law.values == pytest.approx(law.theta, abs=1e-14)
        low, high = np.array([-0.2, 0.25]), np.array([0.35, 0.25])
        clipped = np.clip(law.values[:, None], low, high) - law.theta
        first, second = law.projected(low, high)
        assert first == pytest.approx(law.probabilities @ clipped, abs=1e-14)
        assert second == pytest.approx(law.probabilities @ clipped**2, abs=1e-14)


@pytest.mark.parametrize(("down", "up"), [(0.3, 0.2), (0.2, 0.2), (0.6, 0.05), (0.1, 0.4)])
def test_overtaking_is_summed_with_all_its_digits(down, up):
    n = 60
    ups = np.arange(n + 1)[:, None]
    downs = np.arange(n + 1)[None, :]
    possible = (ups + downs <= n) & (ups >= downs)
    rest = np.maximum(n - ups - downs, 0)
    law = stats.multinomial.pmf(
        np.stack(np.broadcast_arrays(downs, rest, ups), -1), n, [down, 1 - down - up, up]
    )
    assert overtakes((down, 1 - down - up, up), n) == pytest.approx(law[possible].sum(), rel=1e-11)


@pytest.mark.parametrize(("down", "up"), [(0.3, 0.3), (0.3, 0.29), (0.21, 0.2), (0.2, 0.21), (0.3, 0.28)])
def test_overtaking_needs_few_roots_of_the_users(down, up, monkeypatch):
    """Beside the sum over the users who step up; one root of the users would be too few places."""
    n = 3000
    ups = np.arange(n + 1)
    true = stats.binom.pmf(ups, n, up) @ stats.binom.cdf(ups, n - ups, down / (1 - up))
    assert overtakes((down, 1 - down - up, up), n) == pytest.approx(true, rel=1e-10, abs=0)
    monkeypatch.setattr(dame_module, "SURE", 1.0)
    too_few = overtakes((down, 1 - down - up, up), n)
    assert (too_few == pytest.approx(true, rel=1e-4, abs=0)) == (up > down)


@pytest.mark.parametrize("n", [50, 100, 333, 1000])
def test_overtaking_that_is_all_but_sure_is_no_more_than_sure(n):
    """Unless it is cut, the rounding of the sum takes it above 1 here."""
    assert overtakes((0.05, 0.05, 0.9), n) == 1.0


@pytest.mark.parametrize("n", [40, 42])
def test_an_odd_user_is_left_out_of_the_risk_and_a_pair_is_not(n):
    options = {"size_law": two_point_sizes(20, 200, 0.5), "epsilon": 6.0, "size_cap": 20, "half_width": 0.2}
    even, odd, more = (dame_risk(0.1, n=users, **options) for users in (n, n + 1, n + 2))
    assert even == odd and more[1] < even[1]


@pytest.mark.parametrize("theta", THETAS)
@pytest.mark.parametrize(("rho", "cap"), [(0.5, 2000), (0.9, 20_000)])
def test_dame_risk_is_enclosed(theta, rho, cap):
    law, n, epsilon, rng = two_point_sizes(2000, 20_000, rho), 4000, 2.0, np.random.default_rng(2)
    low, high, failure = dame_risk(theta, size_law=law, n=n, epsilon=epsilon, size_cap=cap)
    options = {"epsilon": epsilon, "size_law": law, "size_cap": cap, "rng": rng}
    drawn = [
        (dame(*draw_halves(Signs(theta), law, n, rng), **options).value - theta) ** 2 for _ in range(400)
    ]
    error = 5 * np.std(drawn) / 20
    assert low - error <= np.mean(drawn) <= high + error
    noise = dame_noise_risk(law, n=n, epsilon=epsilon, size_cap=cap)
    assert low >= (1 - failure) * noise * (1 - 1e-9)
    assert high < 1.02 * noise  # beside the noise the means of so many records hardly vary
