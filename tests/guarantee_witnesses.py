"""Which test proves the guarantee of which public function or class of the package.

A new estimator without an entry fails `test_every_guarantee`; so does an entry without a test.
"""

HERE = "privacy/test_every_guarantee.py"
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
ONE_LOSS = "privacy/test_reports.py::test_loss_is_epsilon"
CENTRAL = f"{HERE}::test_the_loss_of_the_user_who_moves_a_central_mean_most_is_its_guarantee"
EACH_RELEASE = "central/test_central_mean.py::test_one_user_moves_each_release_by_at_most_scale_times_epsilon"

LAWS = "privacy/test_mechanisms.py"
# every mechanism of the wing, whoever draws with it
MECHANISM = (
    f"{LAWS}::test_the_guarantee_is_the_loss_of_its_own_law",
    f"{LAWS}::test_a_draw_uses_what_the_loss_reads",
    f"{LAWS}::test_a_promise_that_the_noise_does_not_keep_is_refused",
)

WITNESSES = {
    "privacy.LaplaceNoise": MECHANISM,
    "privacy.GaussianNoise": (*MECHANISM, f"{LAWS}::test_many_asks_of_one_noise_compose_exactly"),
    "privacy.ThresholdedNoise": (*MECHANISM, f"{LAWS}::test_a_threshold_of_nothing_hides_nothing"),
    "privacy.DistanceTest": (*MECHANISM, f"{LAWS}::test_the_noisy_test_passes_as_often_as_its_slack_says"),
    "printed.SampledNoise": (
        *MECHANISM,
        f"{BOUNDS}::test_one_step_with_one_user_loses_at_most_what_is_proved",
    ),
    "printed.sampled_descent": (
        f"{BOUNDS}::test_the_printed_descent_pays_for_all_of_its_steps",
        f"{BOUNDS}::test_the_printed_descent_states_what_it_costs",
    ),
    "privacy.BinaryResponse": (ONE_LOSS,),
    "privacy.KaryResponse": (ONE_LOSS, "privacy/test_reports.py::test_loss_of_a_category_by_enumeration"),
    "privacy.UnaryEncoding": (
        ONE_LOSS,
        "privacy/test_reports.py::test_loss_of_unary_encoding_by_enumeration",
    ),
    "privacy.LaplaceReport": (
        ONE_LOSS,
        "privacy/test_reports.py::test_loss_of_laplace_report_is_range_over_scale",
    ),
    "privacy.TwoPointReport": (
        ONE_LOSS,
        "privacy/test_reports.py::test_two_point_reports_are_two_points",
    ),
    "privacy.CubeReport": (
        "privacy/test_vector_reports.py::test_a_cube_report_has_the_stated_loss_and_mean",
        "privacy/test_vector_reports.py::test_cube_reports_are_drawn_from_that_channel",
    ),
    "privacy.BallReport": (
        "privacy/test_vector_reports.py::test_a_ball_report_favours_half_the_sphere_by_e_to_epsilon",
    ),
    "privacy.HashedReport": ("local/test_local_mixture.py::test_loss_of_a_hashed_report",),
    "local.laplace_mean": (f"{HERE}::test_the_loss_of_a_laplace_mean_is_its_guarantee",),
    "local.duchi_mean": (f"{HERE}::test_the_loss_of_a_two_point_mean_is_its_guarantee",),
    "local.localised_mean": (
        "local/test_local_mean.py::test_loss_of_a_whole_transcript_of_localised_mean_is_its_guarantee",
        "local/test_local_mean.py::test_each_user_takes_part_in_one_round",
    ),
    "printed.searched_mean": (
        "theory/test_searched_mean.py::test_every_user_answers_once_and_loses_the_budget",
    ),
    "sampled.localised_mean_runs": (
        "local/test_local_mean.py::test_runs_on_the_same_users_have_the_law_of_single_runs",
    ),
    "local.dame": (
        "local/test_local_mean.py::test_loss_of_a_whole_transcript_of_dame_is_its_guarantee",
        "local/test_local_mean.py::test_printed_dame_says_what_closed_bins_cost",
    ),
    "sampled.dame_runs": (
        "local/test_local_mean.py::test_runs_on_the_same_users_have_the_law_of_single_runs",
    ),
    "local.improved_mean": (
        "local/test_improved_mean.py::test_loss_of_the_whole_transcript_is_the_guarantee",
        "local/test_improved_mean.py::test_each_user_takes_part_in_one_step",
    ),
    "local.round_report": (
        "local/test_improved_mean.py::test_loss_of_the_whole_transcript_is_the_guarantee",
    ),
    "local.localised_vector_mean": (
        "local/test_local_vector.py::test_the_guarantee_is_the_loss_of_a_whole_transcript",
    ),
    "local.rotated_vector_mean": (
        f"{HERE}::test_all_that_a_user_sends_goes_through_one_estimate_of_the_vector",
    ),
    "local.duchi_vector_mean": (
        f"{HERE}::test_the_loss_of_a_cube_mean_is_its_guarantee_and_a_user_reports_once",
        "privacy/test_vector_reports.py::test_a_ball_report_favours_half_the_sphere_by_e_to_epsilon",
    ),
    "local.sparse_selection": (
        "local/test_local_sparse.py::test_loss_of_a_whole_transcript_is_the_guarantee",
        "local/test_local_sparse.py::test_printed_folds_make_the_first_half_report_twice",
        "local/test_local_sparse.py::test_each_user_takes_part_in_one_half",
    ),
    "sampled.simulate_selection": (
        f"{HERE}::test_a_simulated_selection_promises_what_the_selection_does",
        "local/test_local_sparse.py::test_simulated_selection_has_the_law_of_drawing_every_user",
    ),
    "local.hashed_scores": (
        "local/test_local_sparse.py::test_scores_have_the_noise_of_the_whole_clipped_range",
        "local/test_local_sparse.py::test_a_hashed_sum_promises_the_loss_of_the_number_sent",
    ),
    "local.sparse_threshold": (
        f"{HERE}::test_all_that_a_user_sends_goes_through_one_estimate_of_the_vector",
    ),
    "local.density_coefficients": (
        "local/test_local_density.py::test_loss_of_a_whole_transcript_is_the_guarantee",
    ),
    "local.mixture_means": (
        "local/test_local_mixture.py::test_loss_of_a_whole_transcript_is_the_guarantee",
        "local/test_local_mixture.py::test_each_user_takes_part_in_one_round",
    ),
    "local.cover_select": (
        "local/test_cover.py::test_loss_of_one_vote_is_epsilon",
        "local/test_cover.py::test_printed_votes_cost_what_the_guarantee_says",
    ),
    "central.uniform_mean": (CENTRAL,),
    "central.initial_mean": (CENTRAL, EACH_RELEASE),
    "central.private_variance": (
        "central/test_central_mean.py::test_one_user_moves_two_counts_of_the_variance_step_by_one",
        "central/test_central_mean.py::test_a_lonely_scale_survives_the_threshold_with_probability_below_delta",
        f"{HERE}::test_the_noisy_maximum_of_two_scores_spends_at_most_its_budget_and_nearly_all",
    ),
    "printed.ideal_mean": (CENTRAL,),
    "central.realistic_mean": (
        CENTRAL,
        EACH_RELEASE,
        "central/test_central_mean.py::test_the_guarantee_is_that_of_disjoint_cohorts",
    ),
    "central.quotient_mean": (
        "central/test_quotient_mean.py::test_the_total_is_what_was_asked_to_the_last_digit",
        "central/test_quotient_mean.py::test_total_and_sum_get_noise_for_the_worst_user",
        "central/test_quotient_mean.py::test_one_user_moves_one_member_of_each_cohort",
    ),
    "central.private_size_mean": (
        "central/test_private_sizes.py::test_the_bound_covers_the_local_sensitivity_of_the_input_and_of_its_neighbours",
        "central/test_private_sizes.py::test_one_user_changes_the_distance_by_at_most_one",
        "central/test_private_sizes.py::test_one_user_at_the_top_does_not_shift_all_pairs_of_the_variance_step",
        "central/test_private_sizes.py::test_every_step_draws_the_noise_that_it_pays_for",
        "central/test_private_sizes.py::test_the_test_passes_from_its_threshold_on",
        "central/test_private_sizes.py::test_the_whole_estimate_is_near_the_mean_and_says_what_it_costs",
    ),
    "privacy.order_statistic": (
        "privacy/test_choice.py::test_the_loss_over_all_neighbours_is_at_most_epsilon_and_nearly_attained",
        "privacy/test_choice.py::test_the_answer_has_that_law_and_about_rank_values_above",
    ),
    "privacy.ExponentialChoice": (
        f"{HERE}::test_the_exponential_mechanism_spends_its_whole_budget_on_two_far_candidates",
    ),
    "privacy.NoisyMaximum": (
        f"{HERE}::test_the_noisy_maximum_of_two_scores_spends_at_most_its_budget_and_nearly_all",
        "privacy/test_choice.py::test_a_noisy_maximum_prefers_by_at_most_e_to_epsilon",
    ),
    "central.bounded_histogram": HISTOGRAM,
    "central.histogram_noise": HISTOGRAM,
    "central.unbounded_histogram": (
        *UNKNOWN_DOMAIN,
        f"{UNKNOWN}::test_lone_items_are_released_as_often_as_computed_and_only_above_the_threshold",
    ),
    "central.release_noise": UNKNOWN_DOMAIN,
    "central.private_bound": (
        f"{UNKNOWN}::test_the_choice_loses_at_most_its_budget_over_all_neighbours",
        f"{UNKNOWN}::test_a_bad_pair_spends_the_whole_budget",
    ),
    "central.output_perturbation": (
        f"{HERE}::test_the_loss_of_output_perturbation_is_its_guarantee",
        f"{BOUNDS}::test_one_user_moves_the_minimiser_by_at_most_reach_over_ridge",
        f"{BOUNDS}::test_output_perturbation_has_its_law_in_both_variants",
    ),
    "central.exponential_bound": (
        f"{BOUNDS}::test_the_exponential_choices_lose_at_most_their_budget",
        f"{BOUNDS}::test_the_budget_of_the_exponential_choice_is_attained_and_twice_the_rate_is_too_much",
        f"{BOUNDS}::test_the_exponential_bound_has_its_density",
    ),
    "central.private_quantile": (
        "privacy/test_choice.py::test_the_loss_over_all_neighbours_is_at_most_epsilon_and_nearly_attained",
        f"{BOUNDS}::test_the_loss_of_a_quantile_over_neighbouring_tables_is_at_most_its_budget",
    ),
    "central.private_gradient_descent": (f"{BOUNDS}::test_the_descents_spend_exactly_what_they_say",),
    "central.geometric_quantile": (
        f"{BOUNDS}::test_the_descents_spend_exactly_what_they_say",
        f"{BOUNDS}::test_a_user_at_a_tie_counts_once_in_a_geometric_step",
    ),
    "central.debiased_count": ("central/test_debias.py::test_the_loss_of_one_user_is_epsilon",),
}
