import subprocess
import sys

import numpy as np
import pytest

from laws import has_mean, same_law
from userdp.central.unknown_domain import nested_totals
from userdp_papers.populations import urns as histogram_kernels
from userdp_papers.populations.histograms import (
    HistogramDraw,
    dirichlet_draw,
    dirichlet_histograms,
    gamma_poisson_histograms,
    independent_draw,
    independent_histograms,
)
from userdp_papers.theory.exact.histograms import random_clip

SIZES = np.array([0, 1, 3, 7, 7, 12, 20])
BOUNDS = [1, 4, 9, 25]
LAW = np.array([0.6, 0.3, 0.1])
DRAWS = 1000


def literal_draw(counts, bounds, *, clips=1, rng):
    """The slow twin: clip given histograms user by user, bound by bound and clip by clip."""
    sizes, bounds = counts.sum(axis=1), np.asarray(bounds)
    totals = [[random_clip(counts, int(c), rng).sum(axis=0) for c in bounds] for _ in range(clips)]
    kept = np.minimum(1, bounds[:, None] / np.maximum(sizes, 1))
    return HistogramDraw(sizes, bounds, counts.sum(axis=0), kept @ counts, np.array(totals))


def features(users):
    """Truth, clipped totals, their conditional means, and how two bounds and two clips go together."""
    totals, last = users.totals, users.totals[-1]
    products = totals[0] * last, last * users.truth, totals[0] * users.expected
    # sums over the items are fixed: two of the three say it all
    return np.concatenate([users.truth[:2], *(x[..., :2].ravel() for x in (last, users.expected, *products))])


def sample(draw, seed, draws=DRAWS):
    rng = np.random.default_rng(seed)
    return np.array([features(draw(rng)) for _ in range(draws)])


def literal_independent(rng, sizes=SIZES, law=LAW):
    return literal_draw(independent_histograms(law, sizes, rng=rng), BOUNDS, rng=rng)


def literal_dirichlet(rng, mass=0.5, clips=2):
    counts = dirichlet_histograms(mass * LAW, SIZES, rng=rng)
    return literal_draw(counts, BOUNDS, clips=clips, rng=rng)


@pytest.mark.statistical
def test_blocks_have_the_law_of_the_literal_twin():
    fast = sample(lambda rng: independent_draw(LAW, SIZES, BOUNDS, rng=rng), 1)
    assert same_law(fast, sample(literal_independent, 2))
    assert not same_law(fast, sample(lambda rng: literal_independent(rng, law=LAW[::-1]), 3, 400))
    other = np.where(SIZES == 20, 16, SIZES)
    assert not same_law(fast, sample(lambda rng: literal_independent(rng, other), 4, 400))


@pytest.mark.statistical
@pytest.mark.parametrize("mass", [0.5, 2.0])
def test_urns_have_the_law_of_the_literal_twin(mass):
    fast = sample(lambda rng: dirichlet_draw(mass * LAW, SIZES, BOUNDS, clips=2, rng=rng), 5)
    assert same_law(fast, sample(lambda rng: literal_dirichlet(rng, mass), 6))
    assert not same_law(fast, sample(lambda rng: literal_dirichlet(rng, 25 * mass), 7, 400))
    assert not same_law(fast, sample(literal_independent, 8, 400))


@pytest.mark.statistical
def test_the_first_records_are_a_random_clip_of_all():
    """Records in the order of their items would be the slip: the first C would favour the first item."""
    fast = sample(lambda rng: dirichlet_draw(LAW, SIZES, BOUNDS, rng=rng), 9)

    def nested(rng, order=None):
        counts = dirichlet_histograms(LAW, SIZES, rng=rng)
        if order is None:
            totals = nested_totals(counts, BOUNDS, rng)
        else:
            totals = np.array([np.diff(np.minimum(counts.cumsum(1), c), prepend=0).sum(0) for c in BOUNDS])
        kept = np.minimum(1, np.array(BOUNDS) / np.maximum(SIZES, 1)[:, None])
        return HistogramDraw(SIZES, np.array(BOUNDS), counts.sum(axis=0), kept.T @ counts, totals[None])

    assert same_law(fast, sample(nested, 10))
    assert not same_law(fast, sample(lambda rng: nested(rng, "by item"), 11))


@pytest.mark.statistical
def test_clips_are_fresh_given_the_histograms():
    users = dirichlet_draw(LAW, SIZES, BOUNDS, clips=8000, rng=np.random.default_rng(12))
    totals = users.totals[:, :3].reshape(8000, -1)
    for column, mean in zip(totals.T, users.expected[:3].ravel(), strict=True):
        assert has_mean(column, mean)
    assert not has_mean(totals[:, 3], users.expected[1, 0] * 1.1)
    # consecutive clips are not correlated
    first, second = totals[:-1, 3] - totals[:, 3].mean(), totals[1:, 3] - totals[:, 3].mean()
    assert has_mean(first * second, 0.0)
    assert not has_mean(first * first, 0.0)


@pytest.mark.parametrize("clips", [1, 3])
@pytest.mark.parametrize("bounds", [[1], BOUNDS, [20], [30], [19, 20, 21]])
def test_the_kernel_counts_what_its_reference_counts(clips, bounds, monkeypatch):
    sizes = np.random.default_rng(13).poisson(6, 300)
    sizes[[0, -1]] = 0, 20

    def draw():
        return dirichlet_draw(LAW, sizes, bounds, clips=clips, rng=np.random.default_rng(14))

    fast = draw()
    monkeypatch.setattr(histogram_kernels, "CHUNK", 100)
    chunked = draw()
    monkeypatch.setattr(histogram_kernels, "njit", None)
    plain = draw()
    for other in (chunked, plain):
        for name in ("truth", "expected", "totals"):
            assert np.array_equal(getattr(fast, name), getattr(other, name))


def both(sizes, bounds, seed=15):
    rng = np.random.default_rng(seed)
    return (
        independent_draw(LAW, sizes, bounds, rng=rng),
        dirichlet_draw(LAW, sizes, bounds, clips=2, rng=rng),
        literal_draw(independent_histograms(LAW, sizes, rng=rng), bounds, clips=2, rng=rng),
    )


def test_every_record_is_counted_once():
    sizes = np.random.default_rng(16).poisson(9, 500)
    for users in both(sizes, BOUNDS):
        kept = np.minimum(sizes[:, None], BOUNDS).sum(axis=0)
        assert users.truth.sum() == sizes.sum()
        assert (users.totals.sum(axis=-1) == kept).all()
        assert users.expected.sum(axis=-1) == pytest.approx(kept, rel=1e-12)
        assert np.array_equal(users.sizes, sizes)
        assert np.array_equal(users.bounds, BOUNDS)


def test_fast_totals_grow_with_the_bound():
    for users in both(SIZES, [1, 2, 3, 5, 8, 13])[:2]:
        steps = np.diff(np.concatenate([users.totals, users.totals * 0 + users.truth], axis=1), axis=1)
        assert (steps >= 0).all()


@pytest.mark.parametrize("sizes", [[13], [0], [0, 0], [1]])
def test_a_bound_above_all_sizes_clips_nothing(sizes):
    for users in both(np.array(sizes), [13, 20, 1000]):
        assert (users.totals == users.truth).all()
        assert users.expected == pytest.approx(np.broadcast_to(users.truth, users.expected.shape))


def test_one_user_keeps_what_the_bound_allows():
    for users in both(np.array([13]), [4]):
        assert users.totals.shape[1:] == (1, 3)
        assert (users.totals.sum(axis=-1) == 4).all()


def test_items_of_probability_zero_never_occur():
    users = independent_draw([0.0, 1.0], SIZES, BOUNDS, rng=np.random.default_rng(17))
    assert users.truth.tolist() == [0, SIZES.sum()]


@pytest.mark.slow
def test_it_imports_without_numba():
    code = (
        "import sys; sys.modules['numba'] = None; import userdp_papers._compiled; "
        "import userdp_papers.populations.histograms; "
        "assert userdp_papers._compiled.njit is None"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_gamma_users_have_the_stated_moments():
    rng = np.random.default_rng(3)
    sizes = gamma_poisson_histograms(200_000, 3, mean=4.0, shape=2.0, rng=rng).sum(axis=1)
    assert sizes.mean() == pytest.approx(4, rel=0.02)
    assert sizes.var() == pytest.approx(4 + 4**2 / 2, rel=0.03)


def test_no_user_holds_less_than_nothing():
    with pytest.raises(ValueError, match="^sizes must"):
        dirichlet_histograms(LAW, np.array([3, -1]), rng=np.random.default_rng(1))
