import numpy as np
import pytest

from userdp.sweep import stream, sweep


def draw(rng, theta, n):
    return theta + rng.standard_normal(), n


GRID = [{"theta": theta, "n": n} for theta in (0.0, 0.5) for n in (3, np.int64(4))]


def test_workers_change_no_bit():
    one = sweep(draw, GRID, repetitions=3, seed=1, n_jobs=1)
    two = sweep(draw, GRID, repetitions=3, seed=1, n_jobs=2)
    assert np.array_equal(one, two)


def test_order_and_company_of_cells_change_no_bit():
    forward = sweep(draw, GRID, repetitions=2, seed=1)
    backward = sweep(draw, GRID[::-1], repetitions=2, seed=1)
    alone = sweep(draw, GRID[2:3], repetitions=2, seed=1)
    assert np.array_equal(forward, backward[::-1]) and np.array_equal(forward[2], alone[0])


def test_cells_seeds_and_replicates_have_streams_of_their_own():
    values = np.concatenate([c[:, 0] for s in (1, 2) for c in sweep(draw, GRID, repetitions=5, seed=s)])
    noise = np.concatenate([values[:10], values[10:20] - 0.5, values[20:30], values[30:] - 0.5])
    assert np.unique(np.round(noise, 12)).size == noise.size


def test_order_of_names_and_kind_of_number_do_not_matter():
    assert stream(1, a=1, b=2.5).random() == stream(np.int64(1), b=np.float64(2.5), a=np.int64(1)).random()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"repetitions": 0, "seed": 1}, "repetitions must be a whole number of at least 1, got 0"),
        ({"repetitions": 1, "seed": -1}, "seed must be a whole number of at least 0, got -1"),
    ],
)
def test_bad_parameters_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        sweep(draw, GRID, **options)


def test_a_cell_without_plain_content_is_named():
    with pytest.raises(ValueError, match="parameters must be numbers, strings, None or lists"):
        stream(1, law=object())


def test_the_progress_bar_stays_out_of_files(capsys):
    sweep(draw, GRID, repetitions=1, seed=1)
    assert capsys.readouterr() == ("", "")
