import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from laws import same_law
from userdp.local.localise import Ballot, Bins
from userdp_papers.theory.audit.exact import bits_channel, bits_loss, exact_loss

WIDTHS = st.floats(0.004, 3.0)
MEANS = st.floats(-1, 1)


def possible_votes(ballot):
    """Every vote vector that some user can have: a mean in each bin, on each edge, or too few records."""
    bins = ballot.bins
    lower = np.array([bins.ends(j)[0] for j in range(bins.count)])
    means = np.concatenate([lower, lower + 0.4 * (np.minimum(lower + 2 * bins.half_width, 1) - lower), [1.0]])
    voting = ballot.positions(np.clip(means, -1, 1))
    absent = np.full((1, voting.shape[1]), -1)
    return ballot.randomiser.vectors(np.concatenate([voting, absent]))


@settings(max_examples=300)
@given(WIDTHS, MEANS, st.booleans())
@example(0.5, 1.0, False)
def test_every_mean_lies_in_its_bin(tau, mean, truncated):
    bins = Bins(tau, truncated=truncated)
    j = bins.index(np.array([mean]))[0]
    lower, upper = bins.ends(j)
    assert 0 <= j < bins.count
    # a mean next to an edge may fall on either side of it by rounding
    assert lower - 1e-12 <= mean <= upper + 1e-12


@settings(max_examples=200)
@given(WIDTHS)
def test_bins_cover_the_domain_and_only_the_last_may_overhang(tau):
    overhanging, truncated = Bins(tau), Bins(tau, truncated=True)
    last = overhanging.count - 1
    assert overhanging.ends(0)[0] == -1
    assert overhanging.ends(last)[0] < 1 <= overhanging.ends(last)[1] + 1e-12
    assert truncated.ends(last)[1] <= 1
    assert np.ptp(overhanging.ends(last)) == pytest.approx(2 * tau)
    assert -1 <= truncated.centre(last) <= 1


@pytest.mark.parametrize("reach", [0, 1])
@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("mean", [-1.0, -0.5, -0.3, 0.0, 0.2, 0.5, 0.9])
def test_closed_bins_that_share_an_edge_both_hold_a_mean_on_it(mean, closed, reach):
    bins = Bins(0.25)
    low, high = bins.ends(np.arange(bins.count))
    holding = np.flatnonzero((low <= mean) & (mean <= high) if closed else (low <= mean) & (mean < high))
    near = [j for j in range(bins.count) if np.abs(holding - j).min() <= reach]
    voted = Ballot(bins, reach, 1.0, closed).positions([mean])[0]
    assert sorted(j for j in voted if 0 <= j < bins.count) == near


def test_ties_on_an_edge_go_to_the_right_bin():
    bins = Bins(0.25)
    np.testing.assert_array_equal(bins.index(np.array([-1.0, -0.5, 0.0, 0.5, 1.0])), [0, 1, 2, 3, 3])


def test_bin_count_is_ceil_of_one_over_tau():
    assert [Bins(tau).count for tau in (2.0, 1.0, 0.5, 0.3, 0.25, 0.0154769)] == [1, 1, 2, 4, 4, 65]


@pytest.mark.parametrize("epsilon", [0.1, 22 / 35, 2.5])
@pytest.mark.parametrize(("reach", "bins"), [(0, 2), (0, 9), (1, 6), (1, 12), (1, 80)])
def test_loss_of_a_vote_is_epsilon(epsilon, reach, bins):
    ballot = Ballot(Bins(1 / bins, truncated=True), reach, epsilon)
    votes = possible_votes(ballot)
    assert bits_loss(votes, ballot.randomiser.keep) == pytest.approx(epsilon, rel=1e-12)


@pytest.mark.parametrize("bins", [1, 2, 3, 4, 5])
def test_loss_of_three_votes_over_few_bins_by_enumeration(bins):
    ballot = Ballot(Bins(1 / bins, truncated=True), 1, 1.0)
    votes = possible_votes(ballot)
    loss = exact_loss(bits_channel(votes, ballot.randomiser.keep))
    assert loss == pytest.approx(bits_loss(votes, ballot.randomiser.keep), rel=1e-12)
    assert loss <= 1.0


def test_closed_bins_cost_a_third_more():
    """Negative control of the loss tests: a mean on a shared edge casts four votes."""
    ballot = Ballot(Bins(1 / 16), 1, 1.0, closed=True)
    votes = possible_votes(ballot)
    assert votes.sum(axis=1).max() == 4
    assert bits_loss(votes, ballot.randomiser.keep) == pytest.approx(4 / 3, rel=1e-12)
    assert ballot.randomiser.guarantee.epsilon == pytest.approx(4 / 3, rel=1e-12)


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize(("reach", "tau"), [(0, 0.2), (1, 0.2), (1, 0.6), (1, 2.0)])
def test_vote_totals_have_the_law_of_the_summed_votes(reach, tau, closed):
    rng = np.random.default_rng(8)
    means = np.concatenate([rng.uniform(-1, 1, 20), np.full(40, 0.2)])
    eligible = np.arange(60) % 3 > 0
    ballot = Ballot(Bins(tau), reach, 2.0, closed)

    def draw(ballot, every_report):
        draws = (ballot.count(means, rng, eligible=eligible, every_report=every_report) for _ in range(2000))
        return np.array(list(draws))

    fast, slow = draw(ballot, False), draw(ballot, True)
    assert same_law(fast, slow)
    if ballot.bins.count > 1:
        weaker = Ballot(Bins(tau), reach, 0.8, closed)
        assert not same_law(fast, draw(weaker, True))
