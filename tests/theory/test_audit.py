import itertools

import numpy as np
import pytest
from scipy.stats import norm

from userdp.privacy.noise import gaussian_delta
from userdp_papers.theory.audit.exact import (
    bits_channel,
    bits_loss,
    exact_loss,
    hockey_stick,
    laplace_loss,
    mixture_tv,
    sign_cube,
    slack_by_rectangles,
    transcript_law,
)


def test_loss_of_a_channel_is_its_largest_log_ratio():
    assert exact_loss([[0.75, 0.25], [0.5, 0.5]]) == pytest.approx(np.log(2))
    assert exact_loss([[1.0, 0.0], [1.0, 0.0]]) == 0
    assert exact_loss([[1.0, 0.0], [0.5, 0.5]]) == np.inf


def test_two_ways_to_the_loss_of_flipped_bits_agree():
    vectors = np.array([[0, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 1]])
    assert exact_loss(bits_channel(vectors, 0.6)) == pytest.approx(bits_loss(vectors, 0.6), rel=1e-12)


def test_a_shared_coin_is_caught():
    """Control: one coin for two bits makes two outputs impossible, which independent coins do not."""
    keep = 0.6
    shared = [[keep, 0, 0, 1 - keep], [0, keep, 1 - keep, 0]]  # inputs 00 and 01, outputs 00 01 10 11
    assert exact_loss(shared) == np.inf
    assert np.isfinite(exact_loss(bits_channel([[0, 0], [0, 1]], keep)))


def test_laplace_loss_is_range_over_scale():
    assert laplace_loss([-1, 0.2, 1], 4.0) == 0.5


def response(epsilon):
    keep = 1 / (1 + np.exp(-epsilon))
    return np.array([[keep, 1 - keep], [1 - keep, keep]])


def test_hockey_stick_is_the_largest_excess_over_all_events():
    channel = np.random.default_rng(3).dirichlet(np.full(4, 0.3), size=5)
    for epsilon in (0.0, 0.4, 2.0):
        events = np.array(list(itertools.product((0, 1), repeat=4)))
        probability = channel @ events.T
        excess = (probability[:, None] - np.exp(epsilon) * probability[None]).max()
        assert hockey_stick(channel, epsilon) == pytest.approx(excess, rel=1e-12)
    total_variation = np.abs(channel[:, None] - channel[None]).sum(axis=2).max() / 2
    assert hockey_stick(channel, 0) == pytest.approx(total_variation, rel=1e-12)


@pytest.mark.parametrize("both", [True, False])
def test_rectangles_find_the_excess_of_gaussian_noise_and_never_more(both):
    exact = gaussian_delta(1.0, epsilon=0.5, sensitivity=2**0.5 if both else 1.0)
    known = {} if both else {"both": False}  # by default a user moves both
    coarse, fine = (
        slack_by_rectangles(norm.cdf, 1.0, 0.5, np.linspace(-6, 6, cells), **known) for cells in (25, 400)
    )
    assert coarse <= exact and fine <= exact == pytest.approx(fine, rel=1e-3)


def test_hockey_stick_is_zero_from_the_loss_on_and_positive_below():
    assert hockey_stick(response(0.7), 0.7) == pytest.approx(0, abs=1e-12)
    assert hockey_stick(response(0.7), 0.69) > 1e-3
    assert hockey_stick([[1.0, 0.0], [0.5, 0.5]], 30) == 1 / 2  # infinite loss: the output that gives away


def test_a_leak_with_probability_delta_costs_delta():
    delta, epsilon = 0.03, 0.5
    leaky = np.hstack([delta * np.eye(2), (1 - delta) * response(epsilon)])
    assert hockey_stick(leaky, epsilon) == pytest.approx(delta, rel=1e-12)
    assert exact_loss(leaky) == np.inf


def test_transcripts_of_independent_users_are_products():
    held = np.array([0.2, 0.8])
    law = transcript_law([response(1), response(2)], [held, held[::-1]])
    assert law == pytest.approx(np.outer(held @ response(1), held[::-1] @ response(2)), rel=1e-12)


def test_transcripts_of_an_interactive_protocol_match_the_sum_over_all_data():
    """Three users, two outputs, channels that depend on the whole past, every data set listed."""
    rng = np.random.default_rng(5)
    channels = [rng.dirichlet([1, 1], size=(2,) * t + (3,)) for t in range(3)]
    inputs = rng.dirichlet([1, 1, 1], size=3)
    law = transcript_law(channels, inputs)
    slow = np.zeros((2, 2, 2))
    for data in itertools.product(range(3), repeat=3):
        for z in itertools.product((0, 1), repeat=3):
            weight = np.prod([inputs[t][data[t]] * channels[t][(*z[:t], data[t], z[t])] for t in range(3)])
            slow[z] += weight
    assert law == pytest.approx(slow, rel=1e-12)
    assert law.sum() == pytest.approx(1, rel=1e-12)
    # control: forgetting the past gives another law
    blind = [channels[0], channels[1][0], channels[2][0, 0]]
    assert np.abs(transcript_law(blind, inputs) - slow).max() > 1e-3


def test_loss_of_a_user_within_a_protocol_is_the_worst_over_pasts():
    """The loss of the whole transcript in one user's data is that of its channel at the worst past."""
    weak, strong = response(0.2), response(0.9)
    channels = [response(0.5), np.stack([weak, strong])]
    laws = [transcript_law(channels, [np.array([0.5, 0.5]), point]).ravel() for point in np.eye(2)]
    assert exact_loss(laws) == pytest.approx(0.9, rel=1e-12)


def test_turning_a_sign_changes_that_entry_only_and_twice_nothing():
    signs, turned = sign_cube(3)
    for j in range(3):
        assert (signs[turned[:, j]] * signs == np.where(np.arange(3) == j, -1, 1)).all()
        assert (turned[turned[:, j], j] == np.arange(8)).all()


def test_one_sign_is_a_plain_total_variation():
    laws = np.array([[0.3, 0.7], [0.6, 0.4]])
    a, b = (transcript_law([response(1)] * 3, [law] * 3) for law in laws)
    assert mixture_tv([response(1)] * 3, laws) == pytest.approx([np.abs(a - b).sum() / 2], rel=1e-12)


@pytest.mark.parametrize("odds", [0.5, 0.2])
def test_mixtures_are_weighted_by_the_other_signs(odds):
    laws = np.random.default_rng(8).dirichlet(np.ones(3), size=4)  # order --, -+, +-, ++
    first = odds * (laws[3] - laws[1]) + (1 - odds) * (laws[2] - laws[0])
    second = odds * (laws[3] - laws[2]) + (1 - odds) * (laws[1] - laws[0])
    expected = [np.abs(first).sum() / 2, np.abs(second).sum() / 2]
    assert mixture_tv([np.eye(3)], laws, odds=odds) == pytest.approx(expected, rel=1e-12)
    # control: with the other odds the distances differ
    assert np.abs(mixture_tv([np.eye(3)], laws, odds=0.9) - expected).max() > 1e-3


def test_signs_are_fair_unless_something_else_is_said():
    laws = np.array([[0.6, 0.4], [0.3, 0.7], [0.9, 0.1], [0.2, 0.8]])
    assert (mixture_tv([np.eye(2)], laws) == mixture_tv([np.eye(2)], laws, odds=0.5)).all()
    assert (mixture_tv([np.eye(2)], laws) != mixture_tv([np.eye(2)], laws, odds=0.25)).all()
