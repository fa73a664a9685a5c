"""Plant a plausible slip in the source; the named test must then fail, where it should, and pass without it.

The list is ``userdp_book/evidence/slips.csv``, which the page on planted slips shows too.
"""

import pytest

from userdp_book.evidence.slips import PLANTED, ROOT, caught, plant, run, slips

SLIPS = slips()


@pytest.mark.slips
@pytest.mark.parametrize("slip", SLIPS, ids=[slip["slip"] for slip in SLIPS])
def test_a_planted_slip_fails_its_named_test(slip, tmp_path):
    result = run([slip["test"]], plant(slip, tmp_path))
    assert caught(slip, result), result.stdout[-2000:]


@pytest.mark.slips
def test_the_copy_without_a_slip_passes(tmp_path):
    """Control: the machinery makes no test fail; every named test is run without its slip."""
    result = run(sorted({slip["test"] for slip in SLIPS}), plant(None, tmp_path))
    assert result.returncode == 0, result.stdout[-2000:]


@pytest.mark.slips
def test_an_error_of_another_kind_is_not_a_catch(tmp_path):
    """Control: a slip that breaks the import, or another line of the test, does not count."""
    slip = next(slip for slip in SLIPS if slip["module"] == "userdp/privacy/guarantee.py")
    broken = plant(slip | {"wrong": "return _combine(nonsense, guarantees)"}, tmp_path / "broken")
    assert not caught(slip, run([slip["test"]], broken))
    elsewhere = slip | {"seen": "what the test does not say"}
    assert not caught(elsewhere, run([slip["test"]], plant(slip, tmp_path / "elsewhere")))


def test_a_slip_that_is_no_longer_possible_is_named(tmp_path):
    with pytest.raises(ValueError, match="must occur once in userdp/privacy/guarantee.py"):
        plant(SLIPS[0] | {"module": "userdp/privacy/guarantee.py"}, tmp_path)


def test_slips_are_spread_over_the_package():
    files = [file for package in PLANTED for file in (ROOT / "src" / package).rglob("*.py")]
    source = {file.relative_to(ROOT / "src").as_posix() for file in files}
    modules = {slip["module"] for slip in SLIPS}
    assert len(SLIPS) >= 40 and len({slip["slip"] for slip in SLIPS}) == len(SLIPS)
    # those that hold no mechanism, no law and no rate: faces, readers of data, style, checks of parameters
    read = "userdp/tables/", "userdp_papers/data/", "userdp_papers/study/"
    exempt = {file for file in source if file.startswith(read) or file.endswith("__init__.py")}
    exempt |= {"userdp/__main__.py"}  # the command line
    exempt |= {
        f"userdp/{name}.py" for name in ("_types", "_validate", "_public", "local/_rounds", "privacy/results")
    }
    exempt |= {
        f"userdp_papers/{name}.py" for name in ("_compiled", "populations/beta_means", "theory/enclosures")
    }
    assert source - modules <= exempt
