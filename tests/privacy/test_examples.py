"""Every example in a docstring runs, and every mechanism and estimator has one."""

import doctest
import importlib
import pkgutil

import pytest

import userdp.central
import userdp.local
import userdp.privacy
import userdp_papers.printed
import userdp_papers.theory.sampled
from faces import public
from mechanisms import TABLE

MODULES = [
    importlib.import_module(module.name)
    for wing in (
        userdp.privacy,
        userdp.local,
        userdp.central,
        userdp_papers.printed,
        userdp_papers.theory.sampled,
    )
    for module in pkgutil.iter_modules(wing.__path__, f"{wing.__name__}.")
]
# what only makes a mechanism of another's budget is shown by that mechanism
MAKERS = {"central.histogram_noise", "central.release_noise", "local.round_report"}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_the_examples_print_what_they_say(module):
    assert doctest.testmod(module).failed == 0


def test_every_mechanism_has_an_example():
    promising = [name for name in TABLE if name not in MAKERS]
    things = {name: public(*name.split(".")) for name in promising}
    assert len(things) > 20 and not [name for name, thing in things.items() if ">>>" not in thing.__doc__]
