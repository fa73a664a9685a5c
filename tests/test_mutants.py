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
