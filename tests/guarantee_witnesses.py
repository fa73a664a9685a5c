"""Which test proves the guarantee of which public function or class of the package.

A new estimator without an entry fails `test_every_guarantee`; so does an entry without a test.
"""

HERE = "test_every_guarantee.py"
BOUNDS = "test_contribution_bounds.py"
UNKNOWN = "test_unbounded_histogram.py"
HISTOGRAM = (
    "test_histogram.py::test_the_loss_of_a_laplace_release_over_all_neighbours_is_its_guarantee",
    "test_histogram.py::test_delta_of_a_gaussian_release_over_all_neighbours_is_its_guarantee",
)
UNKNOWN_DOMAIN = (
    f"{UNKNOWN}::test_the_whole_release_keeps_its_promise_on_every_small_data_set",
    f"{UNKNOWN}::test_the_exact_slack_over_all_patterns_is_at_most_delta",
    f"{UNKNOWN}::test_the_printed_variant_costs_what_its_guarantee_says",
)
ONE_LOSS = "test_randomisers.py::test_loss_is_epsilon"
CENTRAL = f"{HERE}::test_the_loss_of_the_user_who_moves_a_central_mean_most_is_its_guarantee"
EACH_RELEASE = "test_central_mean.py::test_one_user_moves_each_release_by_at_most_scale_times_epsilon"

WITNESSES = {
    "randomisers.BinaryResponse": (ONE_LOSS,),
    "randomisers.KaryResponse": (ONE_LOSS, "test_randomisers.py::test_loss_of_a_category_by_enumeration"),
    "randomisers.UnaryEncoding": (
        ONE_LOSS,
        "test_randomisers.py::test_loss_of_unary_encoding_by_enumeration",
    ),
    "randomisers.LaplaceReport": (
        ONE_LOSS,
        "test_randomisers.py::test_loss_of_laplace_report_is_range_over_scale",
    ),
    "randomisers.TwoPointReport": (
        ONE_LOSS,
        "test_randomisers.py::test_two_point_reports_are_two_points",
    ),
    "vector_randomisers.CubeReport": (
        "test_vector_randomisers.py::test_a_cube_report_has_the_stated_loss_and_mean",
        "test_vector_randomisers.py::test_cube_reports_are_drawn_from_that_channel",
    ),
    "vector_randomisers.BallReport": (
        "test_vector_randomisers.py::test_a_ball_report_favours_half_the_sphere_by_e_to_epsilon",
    ),
    "local_mixture.HashedReport": ("test_local_mixture.py::test_loss_of_a_hashed_report",),
    "local_mean.laplace_mean": (f"{HERE}::test_the_loss_of_a_laplace_mean_is_its_guarantee",),
    "local_mean.duchi_mean": (f"{HERE}::test_the_loss_of_a_two_point_mean_is_its_guarantee",),
    "local_mean.localised_mean": (
        "test_local_mean.py::test_loss_of_a_whole_transcript_of_localised_mean_is_its_guarantee",
        "test_local_mean.py::test_each_user_takes_part_in_one_round",
    ),
    "local_mean.dame": (
        "test_local_mean.py::test_loss_of_a_whole_transcript_of_dame_is_its_guarantee",
        "test_local_mean.py::test_printed_dame_says_what_closed_bins_cost",
    ),
    "improved_mean.improved_mean": (
        "test_improved_mean.py::test_loss_of_the_whole_transcript_is_the_guarantee",
        "test_improved_mean.py::test_each_user_takes_part_in_one_step",
    ),
    "local_vector.localised_vector_mean": (
        "test_local_vector.py::test_the_guarantee_is_the_loss_of_a_whole_transcript",
    ),
    "local_vector.rotated_vector_mean": (
        f"{HERE}::test_all_that_a_user_sends_goes_through_one_estimate_of_the_vector",
    ),
    "local_vector.duchi_vector_mean": (
        f"{HERE}::test_the_loss_of_a_cube_mean_is_its_guarantee_and_a_user_reports_once",
        "test_vector_randomisers.py::test_a_ball_report_favours_half_the_sphere_by_e_to_epsilon",
    ),
    "local_sparse.sparse_selection": (
        "test_local_sparse.py::test_loss_of_a_whole_transcript_is_the_guarantee",
        "test_local_sparse.py::test_printed_folds_make_the_first_half_report_twice",
        "test_local_sparse.py::test_each_user_takes_part_in_one_half",
    ),
    "local_sparse.simulate_selection": (
        f"{HERE}::test_a_simulated_selection_promises_what_the_selection_does",
        "test_local_sparse.py::test_simulated_selection_has_the_law_of_drawing_every_user",
    ),
    "local_sparse.sparse_threshold": (
        f"{HERE}::test_all_that_a_user_sends_goes_through_one_estimate_of_the_vector",
    ),
    "local_density.density_coefficients": (
        "test_local_density.py::test_loss_of_a_whole_transcript_is_the_guarantee",
    ),
    "local_mixture.mixture_means": (
        "test_local_mixture.py::test_loss_of_a_whole_transcript_is_the_guarantee",
        "test_local_mixture.py::test_each_user_takes_part_in_one_round",
    ),
    "cover.cover_select": (
        "test_cover.py::test_loss_of_one_vote_is_epsilon",
        "test_cover.py::test_printed_votes_cost_what_the_guarantee_says",
    ),
    "central_mean.uniform_mean": (CENTRAL,),
    "central_mean.initial_mean": (CENTRAL, EACH_RELEASE),
    "central_mean.private_variance": (
        "test_central_mean.py::test_one_user_moves_two_counts_of_the_variance_step_by_one",
        "test_central_mean.py::test_a_lonely_scale_survives_the_threshold_with_probability_below_delta",
        f"{HERE}::test_the_noisy_maximum_of_two_scores_spends_at_most_its_budget_and_nearly_all",
    ),
    "central_mean.ideal_mean": (CENTRAL,),
    "central_mean.realistic_mean": (
        CENTRAL,
        EACH_RELEASE,
        "test_central_mean.py::test_the_guarantee_is_that_of_disjoint_cohorts",
    ),
    "central_sizes.private_size_mean": (
        "test_central_sizes.py::test_the_bound_covers_the_local_sensitivity_of_the_input_and_of_its_neighbours",
        "test_central_sizes.py::test_one_user_changes_the_distance_by_at_most_one",
        "test_central_sizes.py::test_one_user_at_the_top_does_not_shift_all_pairs_of_the_variance_step",
        "test_central_sizes.py::test_the_whole_estimate_is_near_the_mean_and_says_what_it_costs",
    ),
    "selection.order_statistic": (
        "test_selection.py::test_the_loss_over_all_neighbours_is_at_most_epsilon_and_nearly_attained",
        "test_selection.py::test_the_answer_has_that_law_and_about_rank_values_above",
    ),
    "selection.exponential_choice": (
        f"{HERE}::test_the_exponential_mechanism_spends_its_whole_budget_on_two_far_candidates",
    ),
    "selection.noisy_argmax": (
        f"{HERE}::test_the_noisy_maximum_of_two_scores_spends_at_most_its_budget_and_nearly_all",
        "test_selection.py::test_noisy_argmax_prefers_by_at_most_e_to_epsilon",
    ),
    "histogram.bounded_histogram": HISTOGRAM,
    "histogram.bounded_guarantee": HISTOGRAM,
    "unbounded_histogram.unbounded_histogram": (
        *UNKNOWN_DOMAIN,
        f"{UNKNOWN}::test_lone_items_are_released_as_often_as_computed_and_only_above_the_threshold",
    ),
    "unbounded_histogram.unbounded_guarantee": UNKNOWN_DOMAIN,
    "unbounded_choice.private_bound": (
        f"{UNKNOWN}::test_the_choice_loses_at_most_its_budget_over_all_neighbours",
        f"{UNKNOWN}::test_a_bad_pair_spends_the_whole_budget",
    ),
    "contribution_bounds.output_perturbation": (
        f"{HERE}::test_the_loss_of_output_perturbation_is_its_guarantee",
        f"{BOUNDS}::test_one_user_moves_the_minimiser_by_at_most_reach_over_ridge",
        f"{BOUNDS}::test_output_perturbation_has_its_law_in_both_variants",
    ),
    "contribution_bounds.exponential_bound": (
        f"{BOUNDS}::test_the_exponential_choices_lose_at_most_their_budget",
        f"{BOUNDS}::test_the_budget_of_the_exponential_choice_is_attained_and_twice_the_rate_is_too_much",
        f"{BOUNDS}::test_the_exponential_bound_has_its_density",
    ),
    "contribution_bounds.private_quantile": (
        "test_selection.py::test_the_loss_over_all_neighbours_is_at_most_epsilon_and_nearly_attained",
        f"{BOUNDS}::test_no_data_raise_and_every_guarantee_is_central",
    ),
    "private_descent.private_gradient_descent": (
        f"{BOUNDS}::test_the_descents_spend_exactly_what_they_say",
        f"{BOUNDS}::test_one_step_with_one_user_loses_at_most_what_is_proved",
        f"{BOUNDS}::test_the_printed_descent_states_what_it_costs",
    ),
    "private_descent.geometric_quantile": (f"{BOUNDS}::test_the_descents_spend_exactly_what_they_say",),
    "debias.debiased_count": ("test_debias.py::test_the_loss_of_one_user_is_epsilon",),
}
