"""Mean vectors: one user's whole transcript, folds, rotation, rates in n."""

import numpy as np
import pytest

from laws import has_mean
from userdp.local import vector as local_vector
from userdp.local.localise import Ballot, Bins
from userdp.local.mean import localised
from userdp.local.vector import (
    duchi_vector_mean,
    localised_vector_mean,
    rotated_vector_mean,
    rotation,
    split_budget,
    split_users,
)
from userdp_papers.theory.audit.exact import bits_loss, laplace_loss

SIZE, WIDTH = 100, 0.1


def test_the_parts_of_a_budget_never_sum_to_more_than_it():
    """Not by the last digit either, by which one in twenty would be too large if it were just rounded."""
    asked = [(d, epsilon) for d in range(2, 40) for epsilon in range(d + 1, 120)]
    for d, epsilon in asked:
        count, budget = split_budget(d, epsilon=epsilon)
        assert count == d and epsilon * (1 - 1e-15) < count * budget <= epsilon
    assert sum(epsilon / d * d > epsilon for d, epsilon in asked) > len(asked) / 50
    assert split_budget(4, epsilon=8.0) == (4, 2.0)  # and not less where the parts fit


def test_every_pattern_of_signs_is_turned_by():
    """That one of 16 is not met in 400 draws has probability below 1e-9."""
    rng = np.random.default_rng(2)
    turns = [rotation(4, rng) for _ in range(400)]
    assert len({tuple(np.sign(turn[0])) for turn in turns}) == 16
    assert all(np.array_equal(np.abs(turn), np.full((4, 4), 0.5)) for turn in turns)


@pytest.mark.parametrize(("d", "turned"), [(1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (8, 8), (9, 16)])
def test_coordinates_are_added_only_up_to_a_power_of_two(d, turned, monkeypatch):
    seen = []
    monkeypatch.setattr(local_vector, "rotation", lambda d, rng: (seen.append(d), rotation(d, rng))[1])
    x, rng = np.zeros((4 * turned, d)), np.random.default_rng(1)
    found = rotated_vector_mean(x, size=SIZE, half_width=WIDTH, epsilon=1.0, rng=rng)
    assert seen == [turned] and found.value.shape == (d,)


def transcript_loss(monkeypatch, d, epsilon, **options):
    """Loss of each user's whole transcript, from the reports that the function asks for, enumerated."""
    n = 8 * d + 1
    spent = np.zeros(n)

    def spy(means, how):
        # a user's mean is the user's number, so the spy knows who reports
        users, epsilon, half_width = np.round(means * n).astype(int), how.epsilon, how.half_width
        general = epsilon > 1 if how.general is None else how.general
        ballot = Ballot(Bins(half_width), int(general), epsilon)
        places = np.linspace(-1, 1, 201)
        vote = bits_loss(ballot.randomiser.vectors(ballot.positions(places)), ballot.randomiser.keep)
        end = (6 if general else 3) * half_width  # half the domain of the second report
        half = users.size // 2
        spent[users[:half]] += vote
        spent[users[half:]] += laplace_loss([-end, end], 2 * end / epsilon)
        return localised(means, how)

    monkeypatch.setattr(local_vector, "localised", spy)
    means = np.tile(np.arange(n)[:, None] / n, (1, d))
    result = localised_vector_mean(
        means, size=SIZE, epsilon=epsilon, rng=np.random.default_rng(0), half_width=WIDTH, **options
    )
    return spent, result


@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("epsilon", [0.4, 1.0, 1.01, 2.0, 3.7, 5.0, 7.5])
@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize("general", [None, False])
def test_the_guarantee_is_the_loss_of_a_whole_transcript(monkeypatch, d, epsilon, printed, general):
    spent, result = transcript_loss(monkeypatch, d, epsilon, printed=printed, general=general)
    # the odd last user reports nothing; all others spend the same
    assert spent[-1] == 0
    np.testing.assert_allclose(spent[:-1], result.guarantee.epsilon, atol=1e-12)
    if not printed:
        assert result.guarantee.epsilon <= epsilon + 1e-12


@pytest.mark.parametrize(("epsilon", "cost"), [(1.01, 2), (2.0, 3), (3.7, 4), (4.0, 5), (5.0, 5)])
def test_the_printed_folds_cost_one_too_many(epsilon, cost):
    count, budget = split_budget(5, epsilon=epsilon, printed=True)
    assert count * budget == cost


def test_folds_split_each_half():
    parts = split_users(23, 3)
    np.testing.assert_array_equal(np.sort(np.concatenate([np.concatenate(p) for p in parts])), np.arange(22))
    assert all(a.max() < 11 <= b.min() and a.size == b.size for a, b in parts)


def draws(function, repetitions=500, **options):
    rng = np.random.default_rng(3)
    means = rng.choice([-0.62, -0.6, 0.2, 0.21], (800, 4)) * 0.5
    return np.array(
        [function(means, size=SIZE, rng=rng, half_width=WIDTH, **options).value for _ in range(repetitions)]
    )


@pytest.mark.parametrize("d", [1, 2, 8, 32])
def test_a_rotation_is_orthogonal_and_flat(d):
    turn = rotation(d, np.random.default_rng(2))
    np.testing.assert_allclose(turn @ turn.T, np.eye(d), atol=1e-12)
    np.testing.assert_allclose(np.abs(turn), 1 / np.sqrt(d))


@pytest.mark.parametrize("d", [3, 4])
def test_the_rotated_mean_is_near_the_mean(d):
    theta = np.linspace(-0.4, 0.5, d)
    means = np.tile(theta, (40_000, 1))
    rng = np.random.default_rng(4)
    results = np.array(
        [rotated_vector_mean(means, size=10_000, epsilon=2.0, rng=rng).value for _ in range(30)]
    )
    for j in range(d):
        assert has_mean(results[:, j], theta[j])
    assert results.shape == (30, d)


@pytest.mark.parametrize("epsilon", [0.7, 2.5, 9.0])
def test_the_width_by_default_is_that_of_eq_34_in_the_padded_dimension(epsilon):
    means, log = np.full((200, 3), 0.3), np.log(200 * 900 * min(epsilon, epsilon**2, 4))
    one, other = (
        rotated_vector_mean(means, size=900, epsilon=epsilon, half_width=width, rng=np.random.default_rng(1))
        for width in (None, log / np.sqrt(4 * 900))
    )
    assert one.value == pytest.approx(other.value, rel=1e-9)


@pytest.mark.parametrize("ball", ["cube", "l2"])
def test_duchi_means_are_unbiased(ball):
    theta = np.array([0.5, -0.3, 0.1])
    rng = np.random.default_rng(9)
    values = np.array(
        [
            duchi_vector_mean(np.tile(theta, (50, 1)), epsilon=1.0, ball=ball, rng=rng).value
            for _ in range(2000)
        ]
    )
    assert all(has_mean(values[:, j], theta[j]) for j in range(3))
    assert not has_mean(values[:, 0], -0.5)
