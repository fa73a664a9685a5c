import numpy as np
import pytest

from userdp.audit import bits_channel, bits_loss, exact_loss, laplace_loss


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


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: exact_loss([[0.5, 0.4], [0.5, 0.5]]), "channel must have rows that are laws"),
        (lambda: bits_channel(np.zeros((1, 17)), 0.6), "length must be in"),
        (lambda: laplace_loss([0, 1], 0), "scale must be positive, got 0"),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
