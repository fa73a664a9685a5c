"""Plant a plausible slip in the source; the named test must then fail, and pass without it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

MUTANTS = {
    "bin count rounded down": (
        "localise.py",
        "math.ceil(1 / self.tau)",
        "math.floor(1 / self.tau)",
        "test_localise.py::test_bin_count_is_ceil_of_one_over_tau",
    ),
    "noise for half the range": (
        "randomisers.py",
        "return (self.high - self.low) / self.epsilon",
        "return (self.high - self.low) / 2 / self.epsilon",
        "test_randomisers.py::test_loss_is_epsilon",
    ),
    "noise for 12 half-widths instead of 14": (
        "local_mean.py",
        "low + 2 * (DAME_MARGIN + 1) * bins.tau",
        "low + 2 * DAME_MARGIN * bins.tau",
        "test_local_mean.py::test_loss_of_a_whole_transcript_of_dame_is_its_guarantee",
    ),
    "vote probability for ones instead of twice as many entries": (
        "randomisers.py",
        "expit(self.epsilon / (2 * self.ones))",
        "expit(self.epsilon / self.ones)",
        "test_localise.py::test_loss_of_a_vote_is_epsilon",
    ),
    "debiasing denominator forgotten": (
        "local_mean.py",
        "weight = size_law.mean_root(size_cap) / np.sqrt(size_cap)",
        "weight = 1.0",
        "test_local_mean.py::test_estimates_are_unbiased_at_every_mean",
    ),
    "sizes of the wrong half": (
        "local_mean.py",
        "np.maximum(sizes[refining], 1)",
        "np.maximum(sizes[:half], 1)",
        "test_local_mean.py::test_dame_is_unbiased_with_users_of_one_record",
    ),
    "a user in both halves": (
        "local_mean.py",
        "means[half : 2 * half], rng, every_report",
        "means[:half], rng, every_report",
        "test_local_mean.py::test_each_user_takes_part_in_one_round",
    ),
    "closed bins by default": (
        "local_mean.py",
        "ballot = Ballot(Bins(tau, truncated=not printed), 1, epsilon, closed=printed)",
        "ballot = Ballot(Bins(tau, truncated=not printed), 1, epsilon, closed=True)",
        "test_local_mean.py::test_loss_of_a_whole_transcript_of_dame_is_its_guarantee",
    ),
    "a user in one fold too many": (
        "local_vector.py",
        "min(int(epsilon) + bool(printed), int(d))",
        "min(int(epsilon) + 1, int(d))",
        "test_local_vector.py::test_the_guarantee_is_the_loss_of_a_whole_transcript",
    ),
    "budget of one fold promised for all": (
        "local_vector.py",
        "sequential(*[disjoint(*(e.guarantee for e in estimates))] * count)",
        "disjoint(*(e.guarantee for e in estimates))",
        "test_local_vector.py::test_the_guarantee_is_the_loss_of_a_whole_transcript",
    ),
    "rotation not divided by the root of the dimension": (
        "local_vector.py",
        "rng.choice([-1.0, 1.0], d) / np.sqrt(d)",
        "rng.choice([-1.0, 1.0], d)",
        "test_local_vector.py::test_a_rotation_is_orthogonal_and_flat",
    ),
    "ties of a cube report on the near side": (
        "vector_randomisers.py",
        "np.where(agreement > 0, 1.0, self.far)",
        "np.where(agreement >= 0, 1.0, self.far)",
        "test_vector_randomisers.py::test_cube_reports_are_drawn_from_that_channel",
    ),
    "votes for overlapping balls at the price of one": (
        "cover.py",
        "guarantee = Guarantee(cover.differing * epsilon / 2) if printed else randomiser.guarantee",
        "guarantee = Guarantee(float(epsilon))",
        "test_cover.py::test_printed_votes_cost_what_the_guarantee_says",
    ),
    "hashed report with noise for half the range": (
        "local_mixture.py",
        "return LaplaceReport(-self.reach, self.reach, self.epsilon)",
        "return LaplaceReport(-self.reach, self.reach, 2 * self.epsilon)",
        "test_local_mixture.py::test_loss_of_a_hashed_report",
    ),
    "hashed votes with noise for half the clipped range": (
        "hashing.py",
        "return LaplaceReport(-clip, clip, epsilon)",
        "return LaplaceReport(-clip, clip, 2 * epsilon)",
        "test_local_sparse.py::test_scores_have_the_noise_of_the_whole_clipped_range",
    ),
    "users of both halves select": (
        "local_sparse.py",
        "chosen = np.abs(means[:half]) >= threshold",
        "chosen = np.abs(means) >= threshold",
        "test_local_sparse.py::test_each_user_takes_part_in_one_half",
    ),
    "basis functions handed on without their root of two": (
        "local_density.py",
        "scale, known = (1.0, 0) if printed else (BOUND, 1)",
        "scale, known = (1.0, 0) if printed else (1.0, 1)",
        "test_local_density.py::test_estimates_are_unbiased_over_the_whole_range_and_the_printed_ones_are_not",
    ),
    "variance step in the secret order of sizes": (
        "central_sizes.py",
        "shuffled = rng.permutation(means[largest])",
        "shuffled = means[largest]",
        "test_central_sizes.py::test_one_user_at_the_top_does_not_shift_all_pairs_of_the_variance_step",
    ),
    "noise of a weighted mean for half the window": (
        "central_mean.py",
        "scale = float(np.max(weights * (high - low)) / epsilon)",
        "scale = float(np.max(weights * (high - low)) / 2 / epsilon)",
        "test_central_mean.py::test_one_user_moves_each_release_by_at_most_scale_times_epsilon",
    ),
    "size cap chosen at twice the budget": (
        "selection.py",
        "log_softmax(-epsilon / 2 *",
        "log_softmax(-epsilon *",
        "test_selection.py::test_the_loss_over_all_neighbours_is_at_most_epsilon_and_nearly_attained",
    ),
    "heaviest users not taken away before the sensitivity is bounded": (
        "central_sizes.py",
        "others = weights.sum() - heaviest.sum() + changes",
        "others = weights.sum() + changes",
        "test_central_sizes.py::test_the_bound_covers_the_local_sensitivity_of_the_input_and_of_its_neighbours",
    ),
    "joint law of the hashed sums drawn as if independent": (
        "local_mixture.py",
        "return (sums + self.scale * noise) @ signs",
        "return sums @ signs + self.scale * rng.permuted(np.abs(noise @ signs))",
        "test_local_mixture.py::test_sums_of_hashed_reports_have_their_joint_law",
    ),
}


def run(test, package_parent):
    environment = os.environ | {"PYTHONPATH": str(package_parent)}
    options = ["-q", "-x", "-o", "addopts=", "-p", "no:cacheprovider", "-p", "no:xdist"]
    command = [sys.executable, "-m", "pytest", *options, str(ROOT / "tests" / test)]
    return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("name", MUTANTS)
def test_a_planted_slip_fails_its_named_test(name, tmp_path):
    file, right, wrong, test = MUTANTS[name]
    package = tmp_path / "userdp"
    shutil.copytree(ROOT / "src" / "userdp", package, ignore=shutil.ignore_patterns("__pycache__"))
    source = (package / file).read_text(encoding="utf-8")
    assert source.count(right) == 1
    (package / file).write_text(source.replace(right, wrong), encoding="utf-8")
    result = run(test, tmp_path)
    assert result.returncode == 1 and "AssertionError" in result.stdout, result.stdout[-2000:]


def test_the_copy_without_a_slip_passes(tmp_path):
    """Control: the machinery itself makes no test fail."""
    shutil.copytree(ROOT / "src" / "userdp", tmp_path / "userdp")
    result = run("test_localise.py", tmp_path)
    assert result.returncode == 0, result.stdout[-2000:]
