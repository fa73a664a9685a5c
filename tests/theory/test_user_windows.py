"""The law of a user's mean and its windows, against moments and a search."""

from fractions import Fraction

import numpy as np
import pytest

from userdp_papers.populations import BetaUsers
from userdp_papers.theory.exact import mean_law, window_half_width


@pytest.mark.parametrize("spread", [0.0, 0.02])
@pytest.mark.parametrize("size", [1, 7, 60])
def test_a_users_mean_has_the_moments_of_lemma_2_1(spread, size):
    users = BetaUsers(0.3, spread)
    values, law = mean_law(users, size)
    assert np.allclose([law.sum(), law @ values], [1, 0.3], rtol=1e-12)
    assert np.isclose(law @ (values - 0.3) ** 2, users.variance(size), rtol=1e-10)


@pytest.mark.parametrize("mean", [0.3, 0.5])
def test_own_means_vary_less_than_those_at_the_ends(mean):
    """At the largest variance all own means are 0 or 1, which is no Beta distribution."""
    most = mean * (1 - mean)
    assert BetaUsers(mean, np.nextafter(most, 0)).variance(1) == pytest.approx(most)
    with pytest.raises(ValueError, match="own_variance must be below"):
        BetaUsers(mean, most)


def test_a_window_is_the_smallest_that_misses_as_allowed():
    values, law = mean_law(BetaUsers(0.3, 0.02), 20)
    distances = np.abs(values - 0.3)
    for outside in (0.001, 0.05, 0.5):
        found = window_half_width(distances, law, outside)
        missed = [law[distances > r + 1e-12].sum() for r in np.sort(distances)]
        assert np.isclose(found, np.sort(distances)[np.argmax(np.array(missed) <= outside)])


def test_windows_of_rationals_are_rational():
    thirds = np.array([Fraction(1, 3), Fraction(2, 3)])
    assert window_half_width(thirds, thirds, Fraction(2, 3)) == Fraction(1, 3)
    assert window_half_width(thirds, thirds, Fraction(1)) == 0
