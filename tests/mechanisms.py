"""The one table of mechanisms: what each is asked and spoilt with, its channel, its laws, and who proves it.

A row stands for a randomiser, a central mechanism, an estimator, or what makes one of these. The suites of
reports, mechanisms, totality, grammar, good calls, witnesses and guarantees read it; `lacking` says which
field of which row is missing, and one test asks.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
from scipy import stats

from fakes import Silent
from userdp import privacy
from userdp.local.cover import Cover
from userdp.sizes import two_point_sizes
from userdp_papers.populations.sparse import SparseSigns
from userdp_papers.printed import SampledNoise
from userdp_papers.theory.audit.exact import sign_cube

N = 90
MEANS, SIZES = np.linspace(0.05, 0.9, N), np.arange(1, N + 1) % 30 + 1
ROWS = np.outer(MEANS, [1.0, 0.5, 0.2])
COUNTS = np.arange(3 * N).reshape(N, 3) % 4
LAW = two_point_sizes(40, 900, 0.5)
DELTA = 1e-3


@dataclass(frozen=True)
class Row:
    """What is known of a mechanism; `needed` says which of the fields there must be.

    Parameters
    ----------
    witness
        Tests that prove its guarantee.
    make
        The mechanism with a budget, and, for a curator's, a relation of neighbours.
    channel
        Its probabilities, from its own fields: inputs by outputs.
    seen, reads, attained
        What a draw used, as a generator saw it; which field that is; how much of the loss the channel shows.
    inputs
        Inputs of so many users, from whom `sample_total` and `privatise` draw their sums: the fast and the
        literal distribution.
    wild
        Inputs out of 24 numbers that may be anything; an estimator's own data are replaced as they stand.
    ends
        Between which numbers a user can say anything; what lies outside is taken for the nearer end.
    values
        Parameters of the good call that are not in `good_calls.COMMON`.
    private
        Parameters of an estimator that hold users' data, a row a user.
    rounds
        Most rounds that a user takes part in, whatever the options.
    unseen
        Fields of its result that are no function of releases alone, or "all", with the reason.
    """

    witness: tuple[str, ...] = ()
    make: Callable | None = None
    channel: Callable | None = None
    seen: Callable | None = None
    reads: str = ""
    attained: float = 1 - 1e-9
    inputs: Callable | None = None
    wild: Callable | None = None
    ends: tuple[float, float] | None = None
    values: dict[str, Any] = field(default_factory=dict)
    private: tuple[str, ...] = ()
    rounds: int = 1
    unseen: dict[str, str] = field(default_factory=dict)


# --- channels ------------------------------------------------------------------------------------------


def two_way(m):
    return [[m.keep, m.flip], [m.flip, m.keep]]


def tails(ends, scale):
    """Cells below, between and above two centres of Laplace noise: the ends hold the largest ratios."""
    low, high = ends
    noise = [stats.laplace(centre, scale) for centre in ends]
    outer = np.array([[law.cdf(low), law.sf(high)] for law in noise])
    return np.insert(outer, 1, np.maximum(1 - outer.sum(axis=1), 0), axis=1)


def normal_cells(centres, scale):
    edges = np.concatenate([[-np.inf], np.linspace(-12 * scale, 1 + 12 * scale, 8001), [np.inf]])
    return np.array([np.diff(stats.norm.cdf(edges, centre, scale)) for centre in centres])


def two_levels(m):
    """Cells: the windows of the two ends of the domain, and all between."""
    ends = m.low - m.window, m.low, m.high, m.high + m.window
    middles, lengths = (np.add(ends[1:], ends[:-1]) / 2, np.diff(ends))
    return [m.density(middles, x) * lengths for x in (m.low, m.high)]


def nothing_told(m, rng):
    """Whether a report is where one of nothing would be, of the same uniform number."""
    return np.isclose(m.privatise([m.high], rng)[0], m.low - m.window + m.reach * rng.uniform, rtol=1e-12)


def unary_channel(m):
    held = [v for v in product((0, 1), repeat=m.length) if sum(v) <= m.ones]
    agree = np.array([[np.sum(np.equal(v, w)) for w in product((0, 1), repeat=m.length)] for v in held])
    return m.keep**agree * m.flip ** (m.length - agree)


def cube_channel(m):
    corners, _ = sign_cube(m.d)
    weights = np.where(corners @ corners.T > 0, 1.0, m.far)
    return weights / weights.sum(axis=1, keepdims=True)


def lone_channel(m):
    """A user's own items shown or not, for every way to hold them; against a user without."""
    ways = [[m.bound], [1] * m.bound] if m.support == "counted" else [[m.bound] + [0] * (m.distinct - 1)]
    silent = [np.prod([stats.laplace.cdf(m.threshold, k, m.scale) for k in way]) for way in ways]
    return np.array([[1.0, 0.0], *([p, 1 - p] for p in silent)])


def far_choice(m):
    """One score falls and the other rises by half the oscillation, far behind."""
    far = 200.0 / max(m.rate * m.oscillation, 1e-3) * m.oscillation
    return np.array([m.law(s) for s in ([0.0, -far], [-m.oscillation / 2, m.oscillation / 2 - far])])


def maximum_of_two(m):
    """Probability that the score behind by x wins, before and after both move."""
    lead = np.array([400.0, 402.0]) * m.sensitivity * max(m.scale / m.sensitivity, 1.0)
    lead[1] = lead[0] + 2 * m.sensitivity
    wins = (1 + lead / (2 * m.scale)) * np.exp(-lead / m.scale) / 2
    return np.stack([wins, 1 - wins], axis=1)


def passing(m):
    passes = stats.laplace.sf(m.threshold - np.array([1.0, 2.0]), scale=m.scale)
    return np.stack([passes, 1 - passes], axis=1)


def one_sampled_step(m):
    """Two numbers of the one user of three who is replaced."""
    ends = normal_cells([0.0, 1.0], m.scale / m.sensitivity)
    return np.array([ends[0], ((m.users - 1) * ends[0] + ends[1]) / m.users])


# --- what a draw used, as a generator saw it -----------------------------------------------------------


def noise_seen(call):
    def seen(m):
        rng = Silent()
        call(m, rng)
        (scale,) = rng.scales
        return scale

    return seen


RELEASED = noise_seen(lambda m, rng: m.release(np.ones(4), rng))


def rate_seen(m):
    """Rate at which a choice was drawn, from the probabilities that it asked for."""
    rng = Silent()
    m.choose([0.0, 1.0], rng)
    return np.log(rng.laws[0][1] / rng.laws[0][0])


class Threshold(np.random.Generator):
    """Every uniform number is the same, its bytes too; proposals are first all low, then all high."""

    def __init__(self, uniform):
        super().__init__(np.random.PCG64(0))
        self.uniform, self.proposals, self.rest = uniform, 0, uniform

    def random(self, size=None):
        return np.full(size, self.uniform)

    def integers(self, low, high=None, size=None, dtype=np.int64):
        if dtype is np.uint64:  # the next byte
            byte, self.rest = divmod(self.rest * 256, 1)
            return np.full(8 * size, byte, dtype=np.uint8).view(np.uint64)
        self.proposals += 1
        return np.full(size, min(self.proposals, 2) - 1 if low == 0 else low, dtype=dtype)


def threshold_seen(truth):
    """Uniform number from which on the report is no more what `truth` says, by bisection."""

    def seen(m):
        low, high = 0.0, 1.0
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if truth(m, Threshold(middle)) else (low, middle)
        return low

    return seen


def calibrated(kind, **known):
    """What makes a curator's mechanism of a budget."""
    return lambda e, **relation: kind.calibrated(epsilon=e, **known, **relation)


# --- inputs --------------------------------------------------------------------------------------------


def table(x):
    return x.reshape(-1, 3)


def uniform(low, high, *more):
    return lambda n, rng: rng.uniform(low, high, (n, *more))


def some_positions(n, rng):
    return np.where(rng.random((n, 1)) < 0.8, [0, 1, 2], rng.integers(-1, 7, (n, 3)))


# --- who proves it -------------------------------------------------------------------------------------

HERE, LAWS = "privacy/test_every_guarantee.py", "privacy/test_mechanisms.py"
BOUNDS = "central/test_contribution_bounds.py"
UNKNOWN = "central/test_unknown_domain.py"
HISTOGRAM = (
    "central/test_histogram.py::test_the_loss_of_a_laplace_release_over_all_neighbours_is_its_guarantee",
    "central/test_histogram.py::test_delta_of_a_gaussian_release_over_all_neighbours_is_its_guarantee",
)
UNKNOWN_DOMAIN = (
    f"{UNKNOWN}::test_the_whole_release_keeps_its_promise_on_every_small_data_set",
    f"{UNKNOWN}::test_the_exact_slack_over_all_patterns_is_at_most_delta",
    f"{UNKNOWN}::test_the_printed_variant_costs_what_its_guarantee_says",
)
CENTRAL = f"{HERE}::test_the_loss_of_the_user_who_moves_a_central_mean_most_is_its_guarantee"
EACH_RELEASE = "central/test_central_mean.py::test_one_user_moves_each_release_by_at_most_scale_times_epsilon"
MAXIMUM = f"{HERE}::test_the_noisy_maximum_of_two_scores_spends_at_most_its_budget_and_nearly_all"
ORDER = "privacy/test_choice.py::test_the_loss_over_all_neighbours_is_at_most_epsilon_and_nearly_attained"
REPORTS = "privacy/test_reports.py"
ONE_LOSS = "privacy/test_reports.py::test_loss_is_epsilon"
RUNS = "local/test_local_mean.py::test_runs_on_the_same_users_have_the_law_of_single_runs"
ROUNDS = "local/test_improved_mean.py::test_loss_of_the_whole_transcript_is_the_guarantee"
BY_COORDINATE = "test_witnesses.py::test_each_user_takes_part_in_one_round"
DESCENTS = f"{BOUNDS}::test_the_descents_spend_exactly_what_they_say"
IN_A_KERNEL = {
    "all": f"noise is drawn ahead of the counts; see {BOUNDS}::test_a_descent_sees_noisy_sums_alone"
}
FOR_STUDY = {"weights": "documented: of private sizes the shares are for study and must not be published"}
CHOICE = "central/test_clipped_mean.py::test_the_choice_loses_its_budget_and_no_more_over_all_neighbours"
CLIPPED = "central/test_clipped_mean.py"
OVER_RECORDS = "central/test_over_records.py"
AVERAGE = f"{CLIPPED}::test_one_user_moves_the_average_by_at_most_the_scale_times_the_rest"
# every mechanism of the wing, whoever draws with it
MECHANISM = (
    f"{LAWS}::test_the_guarantee_is_the_loss_of_its_own_law",
    f"{LAWS}::test_a_draw_uses_what_the_loss_reads",
    f"{LAWS}::test_a_promise_that_the_noise_does_not_keep_is_refused",
)


def whole(wing):
    return f"local/test_local_{wing}.py::test_loss_of_a_whole_transcript_is_the_guarantee"


# --- the table -----------------------------------------------------------------------------------------

TABLE = {
    "privacy.BinaryResponse": Row(
        (ONE_LOSS,), make=privacy.BinaryResponse, channel=two_way,
        seen=threshold_seen(lambda m, rng: m.privatise([1], rng)[0] == 1), reads="keep",
        inputs=lambda n, rng: (rng.random(n) < 0.9).astype(int), wild=np.array, ends=(0, 1),
    ),
    "privacy.KaryResponse": Row(
        (ONE_LOSS, "privacy/test_reports.py::test_loss_of_a_category_by_enumeration"),
        make=lambda e: privacy.KaryResponse(4, e),
        channel=lambda m: np.full((4, 4), m.other) + (m.keep - m.other) * np.eye(4),
        seen=threshold_seen(lambda m, rng: m.privatise([2], rng)[0, 2] == 1), reads="keep",
        inputs=lambda n, rng: some_positions(n, rng)[:, 1] % 4, wild=np.array, ends=(0, 3),
    ),
    "privacy.UnaryEncoding": Row(
        (ONE_LOSS, "privacy/test_reports.py::test_loss_of_unary_encoding_by_enumeration"),
        make=lambda e: privacy.UnaryEncoding(7, 3, e), channel=unary_channel,
        seen=threshold_seen(lambda m, rng: m.privatise([[1, 3]], rng)[0].tolist() == [0, 1, 0, 1, 0, 0, 0]),
        reads="keep", inputs=some_positions, wild=table, values={"length": 5},
    ),
    "privacy.LaplaceReport": Row(
        (ONE_LOSS, "privacy/test_reports.py::test_loss_of_laplace_report_is_range_over_scale"),
        make=lambda e: privacy.LaplaceReport(-0.5, 1.0, e),
        channel=lambda m: tails((m.low, m.high), m.scale),
        seen=noise_seen(lambda m, rng: m.privatise([0.2], rng)), reads="scale", inputs=uniform(-0.9, 1.4),
        wild=np.array, ends=(-0.5, 1),
    ),
    "privacy.TwoPointReport": Row(
        (ONE_LOSS, "privacy/test_reports.py::test_two_point_reports_are_two_points"),
        make=lambda e: privacy.TwoPointReport(-0.5, 1.0, e),
        channel=lambda m: [m._upper([m.low, m.high]), m._upper([m.high, m.low])],
        seen=threshold_seen(lambda m, rng: m.privatise([m.high], rng)[0] > m.centre), reads="most",
        inputs=uniform(-0.9, 1.4), wild=np.array, ends=(-0.5, 1),
    ),
    "privacy.PiecewiseReport": Row(
        (ONE_LOSS, f"{REPORTS}::test_a_piecewise_report_has_the_loss_and_the_moments_of_its_density"),
        make=lambda e: privacy.PiecewiseReport(-0.5, 1.0, e), channel=two_levels,
        seen=threshold_seen(nothing_told),
        reads="silent", inputs=uniform(-0.9, 1.4), wild=np.array, ends=(-0.5, 1),
    ),
    "privacy.HashedReport": Row(
        ("local/test_local_mixture.py::test_loss_of_a_hashed_report",),
        make=lambda e: privacy.HashedReport(2, 0.5, e), channel=lambda m: tails((-m.clip, m.clip), m.scale),
        seen=noise_seen(lambda m, rng: replace(m)._laplace.privatise([0.2], rng)), reads="scale",
        inputs=lambda n, rng: (rng.uniform(-0.2, 0.7, n), (rng.random(n) < 0.9).astype(int)),
        wild=lambda x: (x, x[::-1]),
    ),
    "privacy.CubeReport": Row(
        (
            "privacy/test_vector_reports.py::test_a_cube_report_has_the_stated_loss_and_mean",
            "privacy/test_vector_reports.py::test_cube_reports_are_drawn_from_that_channel",
        ),
        make=lambda e: privacy.CubeReport(3, e), channel=cube_channel,
        seen=threshold_seen(lambda m, rng: m.privatise(np.ones((1, 3)), rng)[0, 0] < 0), reads="far",
        inputs=uniform(-0.5, 1.2, 3), wild=table, ends=(-1, 1),
    ),
    "privacy.BallReport": Row(
        ("privacy/test_vector_reports.py::test_a_ball_report_favours_half_the_sphere_by_e_to_epsilon",),
        make=lambda e: privacy.BallReport(3, e), channel=two_way,
        seen=threshold_seen(lambda m, rng: m.privatise(np.array([[1.0, 0.0, 0.0]]), rng)[0, 0] > 0),
        reads="keep", inputs=uniform(-0.5, 1.2, 3), wild=table,
    ),
    "privacy.LaplaceNoise": Row(
        MECHANISM, make=calibrated(privacy.LaplaceNoise, sensitivity=3.0),
        channel=lambda m: tails((0.0, m.sensitivity), m.scale),
        seen=RELEASED, reads="scale",
    ),
    "privacy.GaussianNoise": Row(
        (*MECHANISM, f"{LAWS}::test_many_asks_of_one_noise_compose_exactly"),
        make=calibrated(privacy.GaussianNoise, delta=DELTA, sensitivity=3.0, steps=5),
        channel=lambda m: normal_cells([0.0, 1.0], m.scale / m.sensitivity / np.sqrt(m.steps)),
        seen=RELEASED, reads="scale", attained=0.999,
        values={"epsilon": 1.0, "delta": None, "scale": 9.0},
    ),
    "privacy.ThresholdedNoise": Row(
        (*MECHANISM, f"{LAWS}::test_a_threshold_of_nothing_hides_nothing"),
        make=calibrated(privacy.ThresholdedNoise, delta=DELTA, bound=3, tight=True),
        channel=lone_channel, seen=RELEASED, reads="scale",
        attained=0.99, values={"threshold": 9.0},
    ),
    "privacy.DistanceTest": Row(
        (*MECHANISM, f"{LAWS}::test_the_noisy_test_passes_as_often_as_its_slack_says"),
        make=calibrated(privacy.DistanceTest, delta=DELTA), channel=passing,
        seen=noise_seen(lambda m, rng: m.passes(1, rng)), reads="scale", attained=0.0,
    ),
    "privacy.ExponentialChoice": Row(
        (f"{HERE}::test_the_exponential_mechanism_spends_its_whole_budget_on_two_far_candidates",),
        make=calibrated(privacy.ExponentialChoice, sensitivity=1.5),
        channel=far_choice, seen=rate_seen, reads="rate", attained=0.999, values={"oscillation": 1.0},
    ),
    "privacy.NoisyMaximum": Row(
        (MAXIMUM, "privacy/test_choice.py::test_a_noisy_maximum_prefers_by_at_most_e_to_epsilon"),
        make=calibrated(privacy.NoisyMaximum, sensitivity=1.5),
        channel=maximum_of_two, seen=noise_seen(lambda m, rng: m.choose(np.zeros(4), rng)), reads="scale",
        attained=0.98,
    ),
    "printed.SampledNoise": Row(
        (*MECHANISM, f"{BOUNDS}::test_one_step_with_one_user_loses_at_most_what_is_proved"),
        make=lambda e: SampledNoise(2.0 / min(max(e, 0.01), 9.0), 1.0, users=3, steps=1, delta=DELTA),
        channel=one_sampled_step, seen=RELEASED,
        reads="scale", attained=0.0, values={"delta": 0.01, "scale": 20.0, "users": 100},
    ),
    # --- estimators where nobody is trusted
    "local.laplace_mean": Row(
        (f"{HERE}::test_the_loss_of_a_laplace_mean_is_its_guarantee",), private=("means",), ends=(-1, 1),
    ),
    "local.duchi_mean": Row(
        (f"{HERE}::test_the_loss_of_a_two_point_mean_is_its_guarantee",), private=("means",), ends=(-1, 1),
    ),
    "local.piecewise_mean": Row(
        (f"{HERE}::test_the_loss_of_a_piecewise_mean_is_its_guarantee",), private=("means",), ends=(-1, 1),
    ),
    "local.sign_mean": Row(
        (
            "local/test_sign_mean.py::test_a_user_answers_once_by_randomised_response_of_the_whole_budget",
            ONE_LOSS,
        ),
        private=("means",), ends=(-1, 1),
    ),
    "local.localised_mean": Row(
        (
            "local/test_local_mean.py::test_loss_of_a_whole_transcript_of_localised_mean_is_its_guarantee",
        ),
        private=("means",), ends=(-1, 1),
    ),
    "printed.searched_mean": Row(
        ("theory/test_searched_mean.py::test_every_user_answers_once_and_loses_the_budget",),
        private=("means",), ends=(-1, 1),
    ),
    "sampled.localised_mean_runs": Row((RUNS,), private=("means",)),
    "local.dame": Row(
        (
            "local/test_local_mean.py::test_loss_of_a_whole_transcript_of_dame_is_its_guarantee",
            "local/test_local_mean.py::test_printed_dame_says_what_closed_bins_cost",
        ),
        private=("means", "sizes"), ends=(-1, 1),
    ),
    "sampled.dame_runs": Row((RUNS,), private=("means", "sizes")),
    "local.improved_mean": Row((ROUNDS,), private=("means", "sizes"), ends=(-1, 1)),
    "local.round_report": Row((ROUNDS,)),
    "local.localised_vector_mean": Row(
        ("local/test_local_vector.py::test_the_guarantee_is_the_loss_of_a_whole_transcript",),
        private=("means",), values={"means": ROWS}, ends=(-1, 1), rounds=3,
    ),
    "local.rotated_vector_mean": Row((BY_COORDINATE,), private=("means",), values={"means": ROWS}, rounds=3),
    "local.duchi_vector_mean": Row(
        (
            f"{HERE}::test_the_loss_of_a_cube_mean_is_its_guarantee_and_a_user_reports_once",
            "privacy/test_vector_reports.py::test_a_ball_report_favours_half_the_sphere_by_e_to_epsilon",
        ),
        private=("means",), values={"means": ROWS}, ends=(-1, 1),
    ),
    "local.sparse_selection": Row(
        (
            whole("sparse"),
            "local/test_local_sparse.py::test_printed_folds_make_the_first_half_report_twice",
        ),
        private=("means",), values={"means": ROWS}, ends=(-1, 1), rounds=2,
    ),
    "sampled.simulate_selection": Row(
        (
            f"{HERE}::test_a_simulated_selection_promises_what_the_selection_does",
            "local/test_local_sparse.py::test_simulated_selection_has_the_law_of_drawing_every_user",
        ),
        values={"population": SparseSigns(3, 1, 0.3)},
        unseen={"all": "a simulation: it draws its users itself"},
    ),
    "local.hashed_scores": Row(
        (
            "local/test_local_sparse.py::test_scores_have_the_noise_of_the_whole_clipped_range",
            "local/test_local_sparse.py::test_a_hashed_sum_promises_the_loss_of_the_number_sent",
        ),
        private=("chosen",), values={"chosen": ROWS > 0.2},
    ),
    "local.sparse_threshold": Row(
        (BY_COORDINATE,), private=("means",), values={"means": ROWS}, ends=(-1, 1), rounds=2,
    ),
    "local.density_coefficients": Row(
        (whole("density"),), private=("user_coefficients",), ends=(-2 ** 0.5, 2 ** 0.5), rounds=2,
    ),
    "local.mixture_means": Row(
        (whole("mixture"),), private=("means",), values={"half_width": 0.1}, ends=(-1, 1),
    ),
    "local.cover_select": Row(
        (
            "local/test_cover.py::test_loss_of_one_vote_is_epsilon",
            "local/test_cover.py::test_printed_votes_cost_what_the_guarantee_says",
        ),
        private=("points",), values={"cover": Cover.on_cube(3, 2)},
    ),
    # --- estimators of a curator
    "central.uniform_mean": Row((CENTRAL,), private=("means",), ends=(0, 1)),
    "central.record_mean": Row(
        (f"{OVER_RECORDS}::test_one_user_moves_the_clipped_mean_by_at_most_the_scale_times_the_budget",),
        private=("means",), ends=(0, 1), values={"sizes": SIZES},
    ),
    "central.densest_window": Row((CHOICE,), private=("means",), ends=(0, 1), values={"window": 0.1}),
    "central.clipped_mean": Row(
        (CHOICE, AVERAGE),
        private=("means",), ends=(0, 1), rounds=2,
        values={"sizes": SIZES, "window": 0.1, "variance": 0.01},
    ),
    "central.initial_mean": Row((CENTRAL, EACH_RELEASE), private=("records",), ends=(0, 1)),
    "central.private_variance": Row(
        (
            "central/test_central_mean.py::test_one_user_moves_two_counts_of_the_variance_step_by_one",
            "central/test_central_mean.py::test_a_lonely_scale_survives_the_threshold_with_probability_below_delta",
            MAXIMUM,
        ),
        private=("means",), ends=(0, 1),
    ),
    "printed.ideal_mean": Row((CENTRAL,), private=("means",), ends=(0, 1)),
    "central.realistic_mean": Row(
        (
            CENTRAL,
            EACH_RELEASE,
            "central/test_central_mean.py::test_the_guarantee_is_that_of_disjoint_cohorts",
        ),
        private=("means",), ends=(0, 1),
    ),
    "central.quotient_mean": Row(
        (
            "central/test_quotient_mean.py::test_the_total_is_what_was_asked_to_the_last_digit",
            "central/test_quotient_mean.py::test_total_and_sum_get_noise_for_the_worst_user",
            "central/test_quotient_mean.py::test_one_user_moves_one_member_of_each_cohort",
        ),
        private=("means", "sizes"), ends=(0, 1), rounds=5, unseen=FOR_STUDY,
    ),
    "central.private_size_mean": Row(
        (
            "central/test_private_sizes.py::test_the_bound_covers_the_local_sensitivity_of_the_input_and_of_its_neighbours",
            "central/test_private_sizes.py::test_one_user_changes_the_distance_by_at_most_one",
            "central/test_private_sizes.py::test_one_user_at_the_top_does_not_shift_all_pairs_of_the_variance_step",
            "central/test_private_sizes.py::test_every_step_draws_the_noise_that_it_pays_for",
            "central/test_private_sizes.py::test_the_test_passes_from_its_threshold_on",
            "central/test_private_sizes.py::test_the_whole_estimate_is_near_the_mean_and_says_what_it_costs",
        ),
        private=("means", "sizes"), ends=(0, 1), rounds=6, unseen=FOR_STUDY,
    ),
    "privacy.order_statistic": Row(
        (ORDER, "privacy/test_choice.py::test_the_answer_has_that_law_and_about_rank_values_above"),
        private=("values",), values={"values": MEANS, "largest": 9},
    ),
    "privacy.real_quantile": Row(
        (f"{ORDER.split('::')[0]}::test_a_quantile_loses_its_budget_and_no_more_over_all_neighbours",),
        private=("values",), ends=(0, 1), values={"values": MEANS, "share": 0.3},
    ),
    "central.bounded_histogram": Row(HISTOGRAM, private=("counts",)),
    "central.histogram_noise": Row(HISTOGRAM),
    "central.unbounded_histogram": Row(
        (
            *UNKNOWN_DOMAIN,
            f"{UNKNOWN}::test_lone_items_are_released_as_often_as_computed_and_only_above_the_threshold",
        ),
        private=("counts",),
    ),
    "central.release_noise": Row(UNKNOWN_DOMAIN),
    "central.private_bound": Row(
        (
            f"{UNKNOWN}::test_the_choice_loses_at_most_its_budget_over_all_neighbours",
            f"{UNKNOWN}::test_a_bad_pair_spends_the_whole_budget",
        ),
        private=("counts",),
    ),
    "central.output_perturbation": Row(
        (
            f"{HERE}::test_the_loss_of_output_perturbation_is_its_guarantee",
            f"{BOUNDS}::test_one_user_moves_the_minimiser_by_at_most_reach_over_ridge",
            f"{BOUNDS}::test_output_perturbation_has_its_law_in_both_variants",
        ),
        private=("counts",),
    ),
    "central.exponential_bound": Row(
        (
            f"{BOUNDS}::test_the_exponential_choices_lose_at_most_their_budget",
            f"{BOUNDS}::test_the_budget_of_the_exponential_choice_is_attained_and_twice_the_rate_is_too_much",
            f"{BOUNDS}::test_the_exponential_bound_has_its_density",
        ),
        private=("counts",),
    ),
    "central.private_quantile": Row(
        (ORDER, f"{BOUNDS}::test_the_loss_of_a_quantile_over_neighbouring_tables_is_at_most_its_budget"),
        private=("counts",),
    ),
    "printed.private_gradient_descent": Row((DESCENTS,), private=("counts",), unseen=IN_A_KERNEL),
    "printed.geometric_quantile": Row(
        (DESCENTS, f"{BOUNDS}::test_a_user_at_a_tie_counts_once_in_a_geometric_step"), private=("counts",),
        unseen=IN_A_KERNEL,
    ),
    "printed.sampled_descent": Row(
        (
            f"{BOUNDS}::test_the_printed_descent_pays_for_all_of_its_steps",
            f"{BOUNDS}::test_the_printed_descent_states_what_it_costs",
        ),
        private=("counts",), unseen=IN_A_KERNEL,
    ),
    "central.debiased_count": Row(
        ("central/test_debias.py::test_the_loss_of_one_user_is_epsilon",), private=("counts",),
        values={"counts": COUNTS[:, 0]},
    ),
}  # fmt: skip


# --- what is missing -----------------------------------------------------------------------------------

CLASS = ("witness", "make", "channel", "seen", "reads")
LOCAL_CLASS = (*CLASS, "inputs", "wild")
CLASSES = [name for name, row in TABLE.items() if row.make]
LOCAL_CLASSES = [name for name, row in TABLE.items() if row.inputs]
ESTIMATORS = [name for name, row in TABLE.items() if row.private]


def needed(thing):
    """Fields that a row must have, by what it stands for."""
    if inspect.isclass(thing):
        return LOCAL_CLASS if hasattr(thing, "sample_total") else CLASS
    draws = "rng" in inspect.signature(thing).parameters
    return ("witness", "private or unseen") if draws else ("witness",)


def lacking(name, thing, rows=TABLE):
    """What the table does not say of a mechanism, in one message; '' where it says all."""
    row = rows.get(name, Row())
    fields = [each for each in needed(thing) if not any(getattr(row, one) for one in each.split(" or "))]
    return f"{name}: tests/mechanisms.py lacks {', '.join(fields)}" if fields else ""
