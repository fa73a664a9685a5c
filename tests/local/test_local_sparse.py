import numpy as np
import pytest
from scipy import stats

from ballots import vote_vectors
from laws import has_mean, same_law
from userdp.local.localise import Ballot, Bins
from userdp.local.mean import localised_half_width
from userdp.local.sparse import (
    Hashes,
    hashed_scores,
    select_coordinates,
    selection_threshold,
    sparse_selection,
    sparse_threshold,
)
from userdp.privacy.vector_reports import CubeReport
from userdp_papers.populations.sparse import SparseSigns, exceedance, item_level_means
from userdp_papers.theory.audit.exact import bits_loss, laplace_loss
from userdp_papers.theory.sampled.runs import simulate_selection

POPULATION = SparseSigns(12, 3, 0.4)
TUNING = {"threshold": 0.3, "clip": 3.0, "half_width": 0.4}
N, SIZE = 201, 20


def summary(result):
    """What a run shows: error, how many were kept, three scores of signal and of null coordinates."""
    return [np.sum(result.value**2), result.selected.size, *result.scores[[0, 1, 5]], result.value[0]]


def runs(draw, seed, count=700):
    rng = np.random.default_rng(seed)
    return np.array([summary(draw(rng)) for _ in range(count)])


def literal_run(rng, epsilon=1.5, population=POPULATION, **options):
    means = population.draw_means(SIZE, N, rng)
    return sparse_selection(means, size=SIZE, sparsity=3, epsilon=epsilon, rng=rng, **TUNING, **options)


def fast_run(rng, epsilon=1.5, population=POPULATION, **options):
    return simulate_selection(
        population, n=N, size=SIZE, sparsity=3, epsilon=epsilon, rng=rng, **(TUNING | options)
    )


@pytest.mark.parametrize("order", ["index", "score"])
@pytest.mark.parametrize("population", [POPULATION, SparseSigns(12, 3, -0.9, last=True)])
def test_simulated_selection_has_the_law_of_drawing_every_user(order, population):
    options = {"order": order, "population": population}
    fast = runs(lambda rng: fast_run(rng, **options), 1)
    slow = runs(lambda rng: literal_run(rng, every_report=True, **options), 2)
    other = runs(lambda rng: fast_run(rng, epsilon=3.0, **options), 3)
    assert same_law(fast, slow)
    assert not same_law(other, slow)


def test_hashed_sums_of_a_population_have_the_law_of_hashing_every_mean():
    """Sum, its sign's agreement with a null and with a signal sign: the joint law that scores see."""

    def triple(hashes, sums):
        signs = hashes.signs()
        return np.stack([sums, sums * signs[:, 0], sums * signs[:, 7]], axis=1)

    rng, n = np.random.default_rng(4), 20_000
    hashes = Hashes.draw(n, POPULATION.d, rng)
    fast = triple(hashes, POPULATION.draw_sums(hashes, SIZE, 0.3, rng))
    hashes = Hashes.draw(n, POPULATION.d, rng)
    chosen = np.abs(POPULATION.draw_means(SIZE, n, rng)) >= 0.3
    slow = triple(hashes, hashes.sums(chosen))
    unrelated = triple(Hashes.draw(n, POPULATION.d, rng), hashes.sums(chosen))
    assert same_law(fast, slow)
    assert not same_law(unrelated, slow)


@pytest.mark.parametrize(("n", "d"), [(1, 1), (7, 3), (8, 5), (13, 40), (64, 2)])
def test_packed_hashes_agree_with_their_signs(n, d):
    rng = np.random.default_rng(5)
    hashes = Hashes.draw(n, d, rng)
    signs, chosen = hashes.signs(), rng.random((n, d)) < 0.4
    assert signs.shape == (n, d) and set(np.unique(signs)) <= {-1, 1}
    assert np.array_equal(hashes.balance, signs.sum(axis=1))
    assert np.array_equal(hashes.sums(chosen), (signs * chosen).sum(axis=1))
    reports = rng.normal(size=(n, 2))
    assert hashes.scores(reports) == pytest.approx(signs.T @ reports / n, rel=1e-12, abs=1e-12)
    assert hashes.scores(reports[:, 1]) == pytest.approx(hashes.scores(reports)[:, 1], rel=1e-12, abs=1e-12)


def test_hash_signs_are_fair_and_independent():
    signs = Hashes.draw(2001, 50, np.random.default_rng(6)).signs().astype(float)
    assert has_mean(signs.ravel(), 0.0) and all(has_mean(signs[bit::8].ravel(), 0.0) for bit in range(8))
    products = signs[:, :-1] * signs[:, 1:]
    assert has_mean(products.ravel(), 0.0) and not has_mean(products.ravel() + 0.05, 0.0)


def test_tables_and_the_whole_matrix_give_the_same_scores():
    chosen, rng = np.random.default_rng(7).random((101, 9)) < 0.3, np.random.default_rng(8)
    hashes, reports = Hashes.draw(101, 9, rng), rng.normal(size=101)
    assert np.array_equal(hashes.sums(chosen), (hashes.signs() * chosen).sum(axis=1))
    assert hashes.scores(reports) == pytest.approx(hashes.signs().T @ reports / 101, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_a_hashed_sum_promises_the_loss_of_the_number_sent(epsilon):
    """One user's choices, all of them, under one draw of the signs: what is sent, and at which scale."""

    class Silent(np.random.Generator):
        scales = set()

        def laplace(self, loc=0.0, scale=1.0, size=None):
            self.scales.add(scale)
            return np.zeros(size)

    sent = set()
    for choice in np.ndindex(2, 2, 2, 2, 2):
        noise = Silent(np.random.PCG64(1))
        options = {"epsilon": epsilon, "clip": 2.0, "rng": noise}
        result = hashed_scores([choice], **options)
        # a score is the number times a sign
        sent |= set(np.concatenate([result.value, -result.value]).tolist())
    (scale,) = Silent.scales
    assert sent == {-2.0, -1.0, 0.0, 1.0, 2.0}
    assert laplace_loss(sorted(sent), scale) == pytest.approx(result.guarantee.epsilon, rel=1e-12)
    assert result.guarantee.epsilon == epsilon


def test_scores_have_the_noise_of_the_whole_clipped_range():
    rng, clip, epsilon, n = np.random.default_rng(21), 3.0, 0.8, 40
    nobody = np.zeros((n, 1), dtype=bool)
    scores = [hashed_scores(nobody, clip=clip, epsilon=epsilon, rng=rng).value[0] for _ in range(20_000)]
    # a Laplace variable of scale b has variance 2 b^2
    assert has_mean(np.square(scores) * n, 2 * (2 * clip / epsilon) ** 2)
    assert not has_mean(np.square(scores) * n, 2 * (clip / epsilon) ** 2)


def test_scores_estimate_the_share_of_users_who_chose_a_coordinate():
    rng, share = np.random.default_rng(9), np.array([0.9, 0.4, 0.0, 0.1])
    values = [
        hashed_scores(rng.random((400, 4)) < share, clip=10.0, epsilon=3.0, rng=rng).value for _ in range(800)
    ]
    for values_of_one, expected in zip(np.array(values).T, share, strict=True):
        assert has_mean(values_of_one, expected)
        assert not has_mean(values_of_one, expected + 0.1)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 1.7, 4.0])
@pytest.mark.parametrize("general", [False, True])
def test_loss_of_a_whole_transcript_is_the_guarantee(epsilon, general):
    """First half: the hashed number. Second half: a vote or a number in each of its folds."""
    d, n, size, sparsity = 9, 4000, 10_000, 2
    rng = np.random.default_rng(10)
    population = SparseSigns(d, sparsity, 1.0)
    means = population.draw_means(size, n, rng)
    result = sparse_selection(
        means, size=size, sparsity=sparsity, epsilon=epsilon, rng=rng, general=general, clip=2.0
    )
    # every sum that a user can have if five of its public signs are 1 and four are -1, then clipped
    sums = np.clip(np.arange(-4, 6), -2.0, 2.0)
    hashed = laplace_loss(sums, 2 * 2.0 / epsilon)
    k = result.selected.size
    if k:
        spread = general and epsilon > 1
        folds, budget = (min(int(epsilon), k), 1.0) if spread and epsilon <= k else (1, epsilon)
        if spread and epsilon > k:
            folds, budget = k, epsilon / k
        triple = general and budget > 1
        ballot = Ballot(Bins(0.1), 1 if triple else 0, budget)
        vote = bits_loss(vote_vectors(ballot), 1 / (1 + np.exp(-budget / (6 if triple else 2))))
        hashed = max(hashed, folds * vote)
    assert hashed == pytest.approx(epsilon, rel=1e-12)
    assert result.guarantee.epsilon == pytest.approx(epsilon, rel=1e-12)


def test_printed_folds_make_the_first_half_report_twice():
    rng, n = np.random.default_rng(11), 4000
    population = SparseSigns(9, 2, 1.0)
    means = population.draw_means(100, n, rng)
    options = {"sparsity": 2, "epsilon": 0.8, "rng": rng, "clip": 2.0, "threshold": 0.5, "half_width": 0.2}
    printed = sparse_selection(means, size=100, printed=True, **options)
    assert np.array_equal(printed.selected, [0, 1])
    assert printed.guarantee.epsilon == pytest.approx(1.6, rel=1e-12)
    assert sparse_selection(means, size=100, **options).guarantee.epsilon == pytest.approx(0.8, rel=1e-12)


@pytest.mark.parametrize(
    ("n", "refining"), [(50, 8), (54, 9)]
)  # 25 users for 3 coordinates: some have no more
def test_the_defaults_are_those_of_eq_37_and_count_the_users_that_refine_one_coordinate(n, refining):
    options, threshold = {"size": 900, "sparsity": 3, "epsilon": 2.0}, np.sqrt(2 * np.log(4 * n * 3600) / 900)
    width = localised_half_width(n=refining, size=900, epsilon=2.0)
    means = np.tile(threshold * (1 + np.array([1, 1e-9, -1e-9, 1])), (n, 1))  # one just votes, one just not
    one, other = (
        sparse_selection(means, rng=np.random.default_rng(1), **options, **given)
        for given in ({}, {"half_width": width, "threshold": threshold, "clip": np.sqrt(30 * 3)})
    )
    assert one.value.any() and np.array_equal(one.value, other.value)
    assert np.array_equal(one.scores, other.scores)


def test_select_keeps_the_first_or_the_highest():
    scores = np.array([0.5, 0.1, 0.9, 0.7, 0.49999, 0.7])
    assert select_coordinates(scores, 2).tolist() == [0, 2]
    assert select_coordinates(scores, 2, order="score").tolist() == [2, 3]  # the first of a tie
    assert select_coordinates(scores, 9).tolist() == [0, 2, 3, 5]
    assert select_coordinates(np.zeros(3), 1).size == 0


def test_nothing_selected_is_a_zero_estimate():
    result = simulate_selection(
        SparseSigns(5, 0, 0.0), n=400, size=30, sparsity=1, epsilon=50.0, rng=np.random.default_rng(0)
    )
    assert result.selected.size == 0 and not result.value.any()
    assert result.guarantee.epsilon == 50.0


def test_means_of_all_records_are_simulated(monkeypatch):
    asked, inner = [], SparseSigns.draw_sums

    def noted(users, hashes, size, *rest):
        asked.append(size)
        return inner(users, hashes, size, *rest)

    monkeypatch.setattr(SparseSigns, "draw_sums", noted)
    options = {"size": 30, "sparsity": 1, "epsilon": 50.0}
    simulate_selection(SparseSigns(5, 1, 0.5), n=400, rng=np.random.default_rng(0), **options)
    assert asked == [30]


@pytest.mark.parametrize("theta", [-1.0, -0.5, 0.0, 0.3])
@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.31, 1.0, 1.1])
def test_exceedance_is_that_of_drawn_means(theta, threshold):
    rng, m = np.random.default_rng(15), 20
    means = SparseSigns(1, 1, theta).draw_means(m, 40_000, rng)
    exceeds = (np.abs(means) >= threshold).mean()
    assert stats.binomtest(round(exceeds * 40_000), 40_000, exceedance(m, theta, threshold)).pvalue > 1e-6


def test_population_has_its_mean_at_either_end():
    rng = np.random.default_rng(16)
    for last in (False, True):
        population = SparseSigns(5, 2, 0.6, last=last)
        means = population.draw_means(4, 20_000, rng)
        for column, expected in zip(means.T, population.mean, strict=True):
            assert has_mean(column, expected)
        assert means[0] == pytest.approx(np.round(means[0] * 2) / 2)
    assert population.mean.tolist() == [0, 0, 0, 0.6, 0.6]


@pytest.mark.parametrize("d", [3, 4, 7])
@pytest.mark.parametrize("theta", [0.5, 1.0])
def test_item_level_average_has_the_law_of_every_report(d, theta):
    population, rng, n = SparseSigns(d, 2, theta), np.random.default_rng(17), 60
    report = CubeReport(d, 1.2)
    fast = item_level_means(population, n, epsilon=1.2, rng=rng, draws=4000)
    records = population.draw_means(1, n * 4000, rng)
    slow = report.privatise(records, rng).reshape(4000, n, d).mean(axis=1)

    def seen(x):
        return np.stack([x[:, 0], x[:, 0] + x[:, 1], x[:, 0] - x[:, 1], x[:, -1], x[:, 0] + x[:, -1]], axis=1)

    wrong = item_level_means(SparseSigns(d, 2, 0.7 * theta), n, epsilon=1.2, rng=rng, draws=4000)
    assert same_law(seen(fast), seen(slow))
    assert not same_law(seen(wrong), seen(slow))
    assert has_mean(fast[:, 0], theta) and has_mean(fast[:, -1], 0.0)


THRESHOLD_RUN = {"sparsity": 2, "epsilon": 1.0, "constant": 0.5, "half_width": 0.2}


@pytest.mark.parametrize("theta", [0.8, -0.6])
def test_thresholding_keeps_the_signal_and_drops_the_rest(theta):
    rng, population = np.random.default_rng(18), SparseSigns(4, 2, theta, last=True)
    kept, values = [], []
    for _ in range(100):
        means = population.draw_means(200, 8001, rng)
        result = sparse_threshold(means, size=200, rng=rng, **THRESHOLD_RUN)
        kept.append(result.selected.tolist())
        values.append(result.value)
    assert kept.count([2, 3]) == 100
    assert has_mean(np.array(values)[:, 3], theta) and not np.any(np.array(values)[:, :2])
    assert result.guarantee.epsilon == 1.0


def test_at_most_sparsity_coordinates_survive_and_the_largest_do():
    rng = np.random.default_rng(22)
    means = np.tile([0.9, 0.5, -0.7], (6000, 1))
    result = sparse_threshold(means, size=900, rng=rng, **THRESHOLD_RUN)
    assert result.selected.tolist() == [0, 2]
    assert result.value == pytest.approx([0.9, 0, -0.7], abs=0.2) and result.value[1] == 0
    # one below the cut is dropped although there is room
    few = sparse_threshold(means * [1, 1, 0], size=900, rng=rng, **(THRESHOLD_RUN | {"constant": 12.0}))
    assert few.selected.tolist() == [0]


MEANS = np.zeros((40, 3))


def test_errors_of_populations_and_thresholds():
    with pytest.raises(ValueError, match=r"sparsity must be in \[0, 3\], got 5"):
        SparseSigns(3, 5, 0.1)
    with pytest.raises(ValueError, match=r"theta must be in \[-1, 1\], got 2"):
        SparseSigns(3, 1, 2)
    with pytest.raises(ValueError, match="draws must be a whole number of at least 1, got 0"):
        item_level_means(POPULATION, 9, epsilon=1.0, rng=np.random.default_rng(0), draws=0)
    assert selection_threshold(n=500, size=100, d=100, epsilon=1.0) == pytest.approx(
        np.sqrt(2 * np.log(5e6) / 100), rel=1e-12
    )


@pytest.mark.parametrize(("n", "d", "size", "epsilon"), [(91, 3, 9, 1.0), (200, 5, 40, 2.5)])
def test_the_cut_is_that_of_the_paper_to_the_last_digits(n, d, size, epsilon):
    """One constant is where the largest entry is just left out; half-width and noise stay as they are."""
    means = np.tile(np.linspace(-0.5, 0.9, d), (n, 1))

    def chosen(constant):
        rng = np.random.default_rng(3)
        return sparse_threshold(means, size=size, sparsity=1, epsilon=epsilon, constant=constant, rng=rng)

    log = np.log(n * size * epsilon**2)
    per_constant = 3 * np.sqrt(4 * log / size) * np.sqrt(d * log / (n * epsilon**2))
    edge = np.abs(chosen(1.0).scores).max() / per_constant
    assert chosen(edge * (1 - 1e-9)).selected.size == 1
    assert chosen(edge * (1 + 1e-9)).selected.size == 0


def test_the_constant_is_24_unless_said_otherwise():
    """A size that sets the cut alone: the one at which 24 just leaves the entry in."""

    def found(size):
        options = {"half_width": 0.11, "epsilon": 4.0, "sparsity": 1, "rng": np.random.default_rng(5)}
        return sparse_threshold(np.full((100, 1), 0.9), size=size, **options)

    size = np.exp(1600 * (found(10**6).scores[0] / (3 * 24 * 0.11)) ** 2) / 1600
    assert [found(int(size) + more).selected.size for more in (0, 1)] == [1, 0]


def test_a_mean_at_the_threshold_votes():
    means, options = np.zeros((4000, 3)), {"size": 100, "sparsity": 1, "epsilon": 8.0}
    means[:, 2] = 0.5
    selected = [
        sparse_selection(means, threshold=threshold, rng=np.random.default_rng(3), **options).selected
        for threshold in (0.5, np.nextafter(0.5, 1))
    ]
    assert list(map(list, selected)) == [[2], []]
